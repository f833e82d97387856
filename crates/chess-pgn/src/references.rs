//! Rows of tables that are not ours and refer to ours, such as a user's notes on games: they are not removed unasked, because
//! nothing could bring them back. In: our tables, and which of their rows are to be removed. Out: which other tables have
//! rows for these.

use anyhow::Result;
use chess_db::schema::Schema;
use postgres::GenericClient;

/// Our tables with rows of games, and the condition under which a row `o` belongs to game `g`.
pub const OF_GAME: [(&str, &str); 4] = [
    ("games", "o.id = g.id"),
    ("rejected", "o.game_id = g.id"),
    ("analyzed_games", "o.game_id = g.id"),
    ("twins", "(o.a = g.id OR o.b = g.id)"),
];

/// Our tables with rows of sources, and the condition under which a row `o` belongs to source $1. `{schema}` is the schema.
pub const OF_SOURCE: [(&str, &str); 6] = [
    ("sources", "o.id = $1"),
    ("pieces", "o.source_id = $1"),
    ("games", "o.source_id = $1"),
    ("rejected", "o.source_id = $1"),
    ("analyzed_games", "o.game_id IN (SELECT g.id FROM {schema}.games g WHERE g.source_id = $1)"),
    ("twins", "EXISTS (SELECT FROM {schema}.games g WHERE g.source_id = $1 AND g.id IN (o.a, o.b))"),
];

/// The foreign keys that lead from other tables to ours: the table, that of ours, and how the rows `r` and `o` are joined.
const KEYS: &str = include_str!("sql/foreign_keys.sql");

/// An expression: the names of other tables that refer to rows of ours; empty if there are none. `None` if there are no
/// such tables.
pub fn names(client: &mut impl GenericClient, schema: &Schema, ours: &[(&str, &str)]) -> Result<Option<String>> {
    let names: Vec<&str> = ours.iter().map(|(name, _)| *name).collect();
    let mut cases = Vec::new();
    for row in client.query(KEYS, &[&schema.quoted, &names])? {
        let (table, of, joined): (&str, &str, &str) = (row.get(0), row.get(1), row.get(2));
        let Some((_, condition)) = ours.iter().find(|(name, _)| *name == of) else { continue };
        cases.push(format!(
            "CASE WHEN EXISTS (SELECT FROM {}.{of} o JOIN {table} r ON {joined} WHERE {}) THEN '{}' END",
            schema.quoted,
            condition.replace("{schema}", &schema.quoted),
            table.replace('\'', "''")
        ));
    }
    Ok((!cases.is_empty()).then(|| format!("concat_ws(', ', {})", cases.join(", "))))
}
