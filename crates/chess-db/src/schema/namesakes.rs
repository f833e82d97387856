//! Relations that have the names of indexes: the indexes that a table should have come in; which of these it has, and what else
//! has their names, goes out.
//!
//! Only an index with the definition of this program is its own. Anything else of the name is the user's: it is neither
//! dropped nor relied on, and the user learns that it stands in the way.

use anyhow::Result;
use postgres::GenericClient;

use super::{NewIndex, Schema};

/// A relation with the name of an index.
pub(super) struct Namesake {
    pub name: String,
    /// Whether it is the index.
    pub is_it: bool,
    /// Whether it may be used; an interrupted CREATE INDEX CONCURRENTLY leaves one that may not.
    pub is_valid: bool,
    /// What it is, if it is not the index.
    what: String,
    /// The statement that gives it another name.
    pub rename: String,
}

impl Namesake {
    /// What to say if it is not the index.
    pub fn in_the_way(&self) -> String {
        let Namesake { name, what, .. } = self;
        format!("index {name} is missing, because {what} has its name: rename that one")
    }
}

impl Schema {
    /// The relations with the names of these indexes.
    pub(super) fn namesakes(&self, client: &mut impl GenericClient, indexes: &[NewIndex]) -> Result<Vec<Namesake>> {
        let names: Vec<&str> = indexes.iter().map(|(name, ..)| *name).collect();
        let rows = client.query(include_str!("namesakes.sql"), &[&format!("{}.games", self.quoted), &names])?;
        let namesake = |row: &postgres::Row| {
            let (name, method, columns): (String, Option<&str>, Option<&str>) = (row.get(0), row.get(1), row.get(2));
            let index = indexes.iter().find(|(known, ..)| *known == name);
            let is_it = index.zip(method.zip(columns)).is_some_and(|(index, (method, columns))| {
                method == index.1 && goes_on_from(&bare(columns), &bare(&index.2), index.1)
            });
            Namesake { name, is_it, is_valid: row.get(3), what: row.get(4), rename: row.get(5) }
        };
        Ok(rows.iter().map(namesake).collect())
    }
}

/// Whether an index has these columns. An index `chess` of an earlier version has fewer attributes, and counts as ours, too.
fn goes_on_from(found: &str, wanted: &str, method: &str) -> bool {
    let first = |columns: &str| columns.split(',').next().map(str::to_owned);
    let has_condition = |columns: &str| columns.contains(CONDITION);
    found == wanted || method == "chess" && first(found) == first(wanted) && !has_condition(found)
}

/// Whether the columns of an index, as PostgreSQL writes them, begin with these.
pub(super) fn begins_with(found: &str, wanted: &str) -> bool {
    let rest = bare(found).strip_prefix(&bare(wanted)).map(str::to_owned);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(','))
}

/// How the condition of an index begins.
const CONDITION: &str = "WHERE";

/// Removes from the columns and the condition of an index what PostgreSQL may write or leave out without a change of meaning:
/// blanks, parentheses, quotes, types, operator classes and the schema of its own functions.
fn bare(columns: &str) -> String {
    let columns = columns.replace(" int4_minmax_multi_ops", "").replace("pg_catalog.", "");
    let mut parts = columns.split("::");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.trim_start_matches(|found: char| found.is_ascii_alphanumeric() || found == '_'));
    }
    text.retain(|found| !found.is_whitespace() && !matches!(found, '(' | ')' | '"'));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::key_of_equals;

    #[test]
    fn what_postgresql_writes_is_what_was_meant() {
        for (written, meant) in [
            ("white_id", "(white_id)"),
            ("site_id", "(site_id int4_minmax_multi_ops)"),
            (
                "((tags ->> 'GameId'::text)) WHERE (length((tags ->> 'GameId'::text)) <= 20)",
                "((tags ->> 'GameId')) WHERE length(tags ->> 'GameId') <= 20",
            ),
            (
                "(\nCASE\n    WHEN (lower(dates) IS NULL) THEN '-infinity'::date\n    ELSE lower(dates)\nEND),id",
                "((CASE WHEN lower(dates) IS NULL THEN '-infinity' ELSE lower(dates) END), id)",
            ),
            ("chess.last_day(dates)", "((\"chess\".last_day(dates)))"),
            (
                "hashint8extended((COALESCE(black_id, 0))::bigint, public.chessgame_hash_extended(public.getfirstmoves(game, \
                 2147483647), (COALESCE(white_id, 0))::bigint))",
                &key_of_equals("public", "game", ["white_id", "black_id"]),
            ),
        ] {
            assert_eq!(bare(written), bare(meant));
        }
        assert!(goes_on_from("game", "game,white_elo", "chess") && !goes_on_from("game", "game,white_elo", "btree"));
        assert!(!goes_on_from("game WHERE result = '1-0'", "game,white_elo", "chess"));
        assert_ne!(bare("white_id"), bare("(black_id)"));
    }
}
