//! The tables of players: reads their rows and what the games say of them, points rows to canonical ones, and takes that
//! back.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Result;
use chess_db::names::LOCK;
use chess_db::schema::Schema;
use postgres::Transaction;
use postgres::fallible_iterator::FallibleIterator;

use super::rules::Facts;

/// A row of `players`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: i32,
    /// The name.
    pub name: String,
    /// The FIDE id.
    pub fide_id: Option<i32>,
    /// The canonical row.
    pub same_as: Option<i32>,
}

/// A change of a row of `players`.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The row.
    pub id: i32,
    /// Its canonical row from now on.
    pub same_as: Option<i32>,
    /// Why.
    pub reason: String,
    /// How sure that is, from 0 to 1.
    pub score: f32,
}

/// Waits for other programs that change `same_as`.
pub fn lock(transaction: &mut Transaction<'_>) -> Result<()> {
    transaction.execute(LOCK, &[])?;
    Ok(())
}

/// All rows, by id.
pub fn rows(transaction: &mut Transaction<'_>, schema: &Schema) -> Result<BTreeMap<i32, Row>> {
    let query = format!("SELECT id, name, fide_id, same_as FROM {}.players", schema.quoted);
    let row = |row: &postgres::Row| Row { id: row.get(0), name: row.get(1), fide_id: row.get(2), same_as: row.get(3) };
    Ok(transaction.query(&query, &[])?.iter().map(|found| (found.get(0), row(found))).collect())
}

/// What the games say of each row, by id.
pub fn facts(transaction: &mut Transaction<'_>, schema: &Schema) -> Result<HashMap<i32, Facts>> {
    let query = format!(
        "SELECT player, year, elo, title, count(*) FROM ( \
             SELECT white_id AS player, {0}.explorer_year(dates) AS year, white_elo AS elo, tags ->> 'WhiteTitle' AS title \
             FROM {0}.games UNION ALL \
             SELECT black_id, {0}.explorer_year(dates), black_elo, tags ->> 'BlackTitle' FROM {0}.games \
         ) s WHERE player IS NOT NULL GROUP BY 1, 2, 3, 4",
        schema.quoted
    );
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

/// Those of the players, each a number for several rows, of whom two rows meet in a game.
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

/// Inserts players as a list spells them. Returns the ids of all, also of those that were there.
pub fn insert(transaction: &mut Transaction<'_>, schema: &Schema, players: &[(&str, Option<i32>)]) -> Result<Vec<i32>> {
    let (names, fide_ids): (Vec<&str>, Vec<Option<i32>>) = players.iter().copied().unzip();
    transaction.execute(
        &format!(
            "INSERT INTO {}.players (name, fide_id) SELECT * FROM unnest($1::text[], $2::integer[]) ON CONFLICT DO NOTHING",
            schema.quoted
        ),
        &[&names, &fide_ids],
    )?;
    let query = format!(
        "SELECT p.id FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS n (name, fide_id, place) \
         JOIN {}.players p ON p.name = n.name AND p.fide_id IS NOT DISTINCT FROM n.fide_id ORDER BY n.place",
        schema.quoted
    );
    Ok(transaction.query(&query, &[&names, &fide_ids])?.iter().map(|row| row.get(0)).collect())
}

/// Points rows to others and writes that down, under a number of a run if there is one.
pub fn change(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    rows: &BTreeMap<i32, Row>,
    changes: &[Change],
    run: Option<i64>,
) -> Result<()> {
    let table = format!("{}.players", schema.quoted);
    let ids: Vec<i32> = changes.iter().map(|change| change.id).collect();
    let same: Vec<Option<i32>> = changes.iter().map(|change| change.same_as).collect();
    let was: Vec<Option<i32>> = ids.iter().map(|id| rows.get(id).and_then(|row| row.same_as)).collect();
    let reasons: Vec<&str> = changes.iter().map(|change| change.reason.as_str()).collect();
    let scores: Vec<f32> = changes.iter().map(|change| change.score).collect();
    // In two steps: a row can only point to one that is canonical already.
    transaction
        .execute(&format!("UPDATE {table} SET same_as = NULL WHERE id = ANY ($1) AND same_as IS NOT NULL"), &[&ids])?;
    transaction.execute(
        &format!(
            "UPDATE {table} p SET same_as = c.same_as FROM unnest($1::integer[], $2::integer[]) AS c (id, same_as) \
             WHERE p.id = c.id AND c.same_as IS NOT NULL"
        ),
        &[&ids, &same],
    )?;
    transaction.execute(
        &format!(
            "INSERT INTO {}.player_merges (run, player_id, was_same_as, same_as, reason, score) \
             SELECT $6, * FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::text[], $5::real[])",
            schema.quoted
        ),
        &[&ids, &was, &same, &reasons, &scores, &run],
    )?;
    Ok(())
}

/// The number of a new run.
pub fn next_run(transaction: &mut Transaction<'_>, schema: &Schema) -> Result<i64> {
    let query = format!("SELECT coalesce(max(run), 0) + 1 FROM {}.player_merges", schema.quoted);
    Ok(transaction.query_one(&query, &[])?.get(0))
}

/// Takes back the last run that stands. Returns its number, how many rows it had changed, and how many of these have
/// been changed otherwise since, and stay; `None` if no run stands.
pub fn undo(transaction: &mut Transaction<'_>, schema: &Schema) -> Result<Option<(i64, usize, usize)>> {
    let merges = format!("{}.player_merges", schema.quoted);
    let last = format!("SELECT max(run) FROM {merges} WHERE undone_at IS NULL");
    let Some(run) = transaction.query_one(&last, &[])?.get::<_, Option<i64>>(0) else { return Ok(None) };
    let rows = rows(transaction, schema)?;
    let mut same_as: BTreeMap<i32, Option<i32>> = rows.iter().map(|(id, row)| (*id, row.same_as)).collect();
    let query = format!("SELECT player_id, was_same_as, same_as FROM {merges} WHERE run = $1 ORDER BY id DESC");
    let (mut done, mut kept) = (0, 0);
    for merge in transaction.query(&query, &[&run])? {
        let (id, was, set): (i32, Option<i32>, Option<i32>) = (merge.get(0), merge.get(1), merge.get(2));
        match same_as.get_mut(&id) {
            Some(now) if *now == set => {
                *now = was.filter(|was| rows.contains_key(was));
                done += 1;
            }
            _ => kept += 1,
        }
    }
    let changes = direct(&rows, same_as);
    change(transaction, schema, &rows, &changes, None)?;
    transaction.execute(&format!("UPDATE {merges} SET undone_at = now() WHERE run = $1"), &[&run])?;
    Ok(Some((run, done, kept)))
}

/// The changes that lead to these canonical rows, each pointed to directly; rows with one FIDE id stay one player.
fn direct(rows: &BTreeMap<i32, Row>, mut same_as: BTreeMap<i32, Option<i32>>) -> Vec<Change> {
    let root = |same_as: &BTreeMap<i32, Option<i32>>, id: i32| {
        let mut at = id;
        for _ in 0..same_as.len() {
            match same_as.get(&at).copied().flatten() {
                Some(next) if next != id => at = next,
                _ => break,
            }
        }
        at
    };
    let mut with_id: HashMap<i32, i32> = HashMap::new();
    for row in rows.values() {
        let Some(fide_id) = row.fide_id else { continue };
        let oldest = root(&same_as, *with_id.entry(fide_id).or_insert(row.id));
        let own = root(&same_as, row.id);
        if own != oldest {
            same_as.insert(own, Some(oldest));
        }
    }
    let mut changes = Vec::new();
    for row in rows.values() {
        let root = Some(root(&same_as, row.id)).filter(|root| *root != row.id);
        if root != row.same_as {
            changes.push(Change { id: row.id, same_as: root, reason: "undo".to_owned(), score: 1.0 });
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_point_directly_to_roots() {
        let row = |id, fide_id, same_as| (id, Row { id, name: id.to_string(), fide_id, same_as });
        let rows = BTreeMap::from([
            row(1, Some(7), Some(4)),
            row(2, None, Some(4)),
            row(3, Some(7), Some(4)),
            row(4, Some(7), None),
        ]);
        let changed = |same_as: &[(i32, Option<i32>)]| -> Vec<_> {
            let same_as = same_as.iter().copied().collect();
            direct(&rows, same_as).iter().map(|change| (change.id, change.same_as)).collect()
        };
        assert_eq!(
            changed(&[(1, None), (2, None), (3, Some(1)), (4, None)]),
            [(1, None), (2, None), (3, Some(1)), (4, Some(1))]
        );
        assert_eq!(changed(&[(1, Some(4)), (2, Some(1)), (3, Some(2)), (4, None)]), [], "chains are shortened");
        // a cycle, which the tables cannot hold, ends
        assert!(changed(&[(1, Some(2)), (2, Some(1)), (3, None), (4, None)]).len() <= 4);
    }
}
