//! Rows of players with one FIDE id are one player, and so is the row without an id whose name only one of them has. In: rows that
//! were inserted, and the quoted schema. Out: what they are the same as is stored.

use anyhow::Result;
use postgres::Transaction;

/// [`these`] with all rows of players that came after another one. Needs [`Lock::names`](crate::locks::Lock::names).
pub fn after(transaction: &mut Transaction<'_>, schema: &str, last: i32) -> Result<()> {
    let query = format!("SELECT id FROM {schema}.players WHERE id > $1 AND fide_id IS NOT NULL");
    let inserted: Vec<i32> = transaction.query(&query, &[&last])?.iter().map(|row| row.get(0)).collect();
    these(transaction, schema, &inserted)
}

/// Makes new rows the same as the oldest row with their FIDE id, then rows without an id the same as the only player of their
/// name who has one, whatever the order in which files came. Needs the same lock.
pub fn these(transaction: &mut Transaction<'_>, schema: &str, inserted: &[i32]) -> Result<()> {
    for query in [
        format!(include_str!("unite.sql"), schema = schema),
        format!(include_str!("part-name.sql"), schema = schema),
        format!(include_str!("unite-name.sql"), schema = schema),
    ] {
        transaction.execute(&query, &[&inserted])?;
    }
    Ok(())
}
