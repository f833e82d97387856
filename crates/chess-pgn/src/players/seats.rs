//! Reads what the games tell about the rows of `players`: years, ratings and titles, who met whom, and who shared a seat.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use chess_db::schema::Schema;
use postgres::Transaction;
use postgres::fallible_iterator::FallibleIterator;

use super::rules::Facts;

/// The years, ratings and titles of each row, by id.
pub fn facts(transaction: &mut Transaction<'_>, schema: &Schema) -> Result<HashMap<i32, Facts>> {
    let query = format!(include_str!("sql/facts.sql"), schema = schema.quoted);
    let mut facts: HashMap<i32, Facts> = HashMap::new();
    let mut found = transaction.query_raw::<_, &str, _>(&query, [])?;
    while let Some(row) = found.next()? {
        let (year, elo): (Option<i16>, Option<i32>) = (row.get(1), row.get(2));
        let count = u32::try_from(row.get::<_, i64>(4)).unwrap_or(u32::MAX);
        let of = facts.entry(row.get(0)).or_default();
        of.seats += count;
        let Some(year) = year.filter(|year| *year > 0) else { continue };
        *of.years.entry(year).or_default() += count;
        if let Some(elo) = elo.and_then(|elo| i16::try_from(elo).ok()).filter(|elo| *elo > 0) {
            *of.elos.entry((year, elo)).or_default() += count;
        }
        if let Some(title) = row.get::<_, Option<&str>>(3).filter(|title| (1..=4).contains(&title.len())) {
            *of.titles.entry(title.to_ascii_uppercase()).or_default() += count;
        }
    }
    Ok(facts)
}

/// Finds players who would play against themselves. In: pairs of a row and the number of its player. Out: the numbers of
/// players of whom two rows meet in a game.
pub fn meet_themselves(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    players: &[(i32, i32)],
) -> Result<HashSet<i32>> {
    let (rows, numbers): (Vec<i32>, Vec<i32>) = players.iter().copied().unzip();
    let query = format!(
        "WITH p AS MATERIALIZED (SELECT * FROM unnest($1::integer[], $2::integer[]) AS p (id, number)) \
         SELECT DISTINCT w.number FROM {}.games g JOIN p w ON w.id = g.white_id JOIN p b ON b.id = g.black_id \
         WHERE w.number = b.number AND g.white_id <> g.black_id",
        schema.quoted
    );
    Ok(transaction.query(&query, &[&rows, &numbers])?.iter().map(|row| row.get(0)).collect())
}

/// Groups of rows that shared a seat: the same event, round and date, the same colour, the same opponent.
pub fn same_seats(transaction: &mut Transaction<'_>, schema: &Schema) -> Result<Vec<Vec<i32>>> {
    let query = format!(include_str!("sql/same_seats.sql"), schema = schema.quoted);
    Ok(transaction.query(&query, &[])?.iter().map(|row| row.get(0)).collect())
}
