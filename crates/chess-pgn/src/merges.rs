//! The tables of names, `players`, `events` and `sites`: reads their rows, points rows to canonical ones, and takes that
//! back. Each change is written down in `name_merges`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use chess_db::locks::Lock;
use chess_db::names::Names;
use chess_db::schema::Schema;
use postgres::Transaction;

use crate::read::source;
use crate::references;

/// A file with a list of names. It is read once, because it may be a pipe.
#[derive(Debug)]
pub struct NameList {
    /// The name of the file.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl NameList {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn open(path: &str) -> Result<NameList> {
        Ok(NameList { path: path.to_owned(), bytes: source::bytes(Path::new(path))? })
    }
}

/// Where merges come from, and whether they are made.
#[derive(Debug, Default)]
pub struct Options {
    /// A list of names.
    pub list: Option<NameList>,
    /// A reviewed file, whose merges are made first.
    pub reviewed: Option<String>,
    /// The file for what is doubtful.
    pub review: Option<PathBuf>,
    /// Whether merges are made, or only shown.
    pub apply: bool,
}

/// A row of a table of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: i32,
    /// The name.
    pub name: String,
    /// The FIDE id; events and sites have none.
    pub fide_id: Option<i32>,
    /// The canonical row.
    pub same_as: Option<i32>,
}

/// A change of a row.
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

/// The reason of a row that a run has inserted because a list has the name, although no game has it.
pub const OTHER_SPELLING: &str = "other spelling in the list";

/// Waits for other programs that change `same_as`.
pub fn lock(transaction: &mut Transaction<'_>) -> Result<()> {
    Ok(Lock::names().take_here(transaction)?)
}

/// All rows, by id.
///
/// # Errors
///
/// The server's, also if policies hide rows from the role: a name would be taken for another one.
pub fn rows(transaction: &mut Transaction<'_>, schema: &Schema, of: Names) -> Result<BTreeMap<i32, Row>> {
    transaction.batch_execute("SET LOCAL row_security = off")?;
    let fide_id = if of == Names::Players { "fide_id" } else { "NULL::integer" };
    let query = format!("SELECT id, name, {fide_id}, same_as FROM {}.{}", schema.quoted, of.table());
    let row = |row: &postgres::Row| Row { id: row.get(0), name: row.get(1), fide_id: row.get(2), same_as: row.get(3) };
    Ok(transaction.query(&query, &[])?.iter().map(|found| (found.get(0), row(found))).collect())
}

/// Inserts names, and FIDE ids of players. Returns the ids of all, also of those that were there, and those that are new.
pub fn insert(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    of: Names,
    wanted: &[(&str, Option<i32>)],
) -> Result<(Vec<i32>, HashSet<i32>)> {
    let (names, fide_ids): (Vec<&str>, Vec<Option<i32>>) = wanted.iter().copied().unzip();
    let table = format!("{}.{}", schema.quoted, of.table());
    let (columns, same_id) = match of {
        Names::Players => ("name, fide_id", "AND t.fide_id IS NOT DISTINCT FROM n.fide_id"),
        Names::Events | Names::Sites => ("name", ""),
    };
    let new = transaction.query(
        &format!(
            "INSERT INTO {table} ({columns}) SELECT {columns} FROM unnest($1::text[], $2::integer[]) AS n (name, fide_id) \
             ON CONFLICT ({columns}) DO NOTHING RETURNING id"
        ),
        &[&names, &fide_ids],
    )?;
    let new = new.iter().map(|row| row.get(0)).collect();
    let query = format!(
        "SELECT t.id FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS n (name, fide_id, place) \
         JOIN {table} t ON t.name = n.name {same_id} ORDER BY n.place"
    );
    Ok((transaction.query(&query, &[&names, &fide_ids])?.iter().map(|row| row.get(0)).collect(), new))
}

/// Points rows to others, of which some are `new`, and writes that down, under a number of a run if there is one.
pub fn change(
    transaction: &mut Transaction<'_>,
    schema: &Schema,
    of: Names,
    rows: &BTreeMap<i32, Row>,
    changes: &[Change],
    new: &HashSet<i32>,
    run: Option<i64>,
) -> Result<()> {
    let table = format!("{}.{}", schema.quoted, of.table());
    let ids: Vec<i32> = changes.iter().map(|change| change.id).collect();
    let same: Vec<Option<i32>> = changes.iter().map(|change| change.same_as).collect();
    let was: Vec<Option<i32>> = ids.iter().map(|id| rows.get(id).and_then(|row| row.same_as)).collect();
    let reasons: Vec<&str> = changes.iter().map(|change| change.reason.as_str()).collect();
    let scores: Vec<f32> = changes.iter().map(|change| change.score).collect();
    let is_new: Vec<bool> = same.iter().map(|id| id.is_some_and(|id| new.contains(&id))).collect();
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
            "INSERT INTO {}.name_merges (of_table, run, name_id, was_same_as, same_as, reason, score, is_new) \
             SELECT $6, $7, * FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::text[], $5::real[], $8::boolean[])",
            schema.quoted
        ),
        &[&ids, &was, &same, &reasons, &scores, &of.table(), &run, &is_new],
    )?;
    Ok(())
}

/// The number of a new run.
pub fn next_run(transaction: &mut Transaction<'_>, schema: &Schema, of: Names) -> Result<i64> {
    let query = format!("SELECT coalesce(max(run), 0) + 1 FROM {}.name_merges WHERE of_table = $1", schema.quoted);
    Ok(transaction.query_one(&query, &[&of.table()])?.get(0))
}

/// Takes back the last run that stands. Returns its number, how many rows it had changed, and how many of these have
/// been changed otherwise since, and stay; `None` if no run stands.
pub fn undo(transaction: &mut Transaction<'_>, schema: &Schema, of: Names) -> Result<Option<(i64, usize, usize)>> {
    let merges = format!("{}.name_merges", schema.quoted);
    let last = format!("SELECT max(run) FROM {merges} WHERE of_table = $1 AND undone_at IS NULL");
    let Some(run) = transaction.query_one(&last, &[&of.table()])?.get::<_, Option<i64>>(0) else { return Ok(None) };
    let rows = rows(transaction, schema, of)?;
    let mut same_as: BTreeMap<i32, Option<i32>> = rows.iter().map(|(id, row)| (*id, row.same_as)).collect();
    let query =
        format!("SELECT name_id, was_same_as, same_as FROM {merges} WHERE of_table = $1 AND run = $2 ORDER BY id DESC");
    let (mut done, mut kept) = (0, 0);
    for merge in transaction.query(&query, &[&of.table(), &run])? {
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
    change(transaction, schema, of, &rows, &changes, &HashSet::new(), None)?;
    remove_new(transaction, schema, of, run)?;
    let undone = format!("UPDATE {merges} SET undone_at = now() WHERE of_table = $1 AND run = $2");
    transaction.execute(&undone, &[&of.table(), &run])?;
    Ok(Some((run, done, kept)))
}

/// Deletes the rows that a run has inserted, except those to which other rows refer, or would refer if changed games were
/// restored or removed games came back.
fn remove_new(transaction: &mut Transaction<'_>, schema: &Schema, of: Names, run: i64) -> Result<()> {
    let (table, schema_name) = (of.table(), &schema.quoted);
    let columns: &[&str] = match of {
        Names::Players => &["white_id", "black_id"],
        Names::Events => &["event_id"],
        Names::Sites => &["site_id"],
    };
    let mut used: Vec<String> = columns
        .iter()
        .map(|column| format!("EXISTS (SELECT FROM {schema_name}.games g WHERE g.{column} = o.id)"))
        .collect();
    used.push(format!("EXISTS (SELECT FROM {schema_name}.{table} s WHERE s.same_as = o.id)"));
    used.push(format!(
        "o.id IN (SELECT (g.game ->> c.name)::integer FROM (SELECT game FROM {schema_name}.earlier_games \
         UNION ALL SELECT game FROM {schema_name}.twins_removed) g, unnest($4::text[]) c (name) \
         WHERE g.game ->> c.name IS NOT NULL)"
    ));
    let ours = [(table, "o.id = n.id"), ("games", "false")];
    if let Some(referring) = references::names(transaction, schema, &ours)? {
        used.push(format!("{referring} <> ''"));
    }
    transaction.execute(
        &format!(
            "DELETE FROM {schema_name}.{table} WHERE id IN (SELECT o.id FROM {schema_name}.{table} o, LATERAL (SELECT o.id) n \
             WHERE o.same_as IS NULL AND NOT ({}) AND o.id IN \
             (SELECT m.same_as FROM {schema_name}.name_merges m WHERE m.of_table = $1 AND m.run = $2 AND m.is_new \
             UNION SELECT m.name_id FROM {schema_name}.name_merges m WHERE m.of_table = $1 AND m.run = $2 AND m.reason = $3))",
            used.join(" OR ")
        ),
        &[&table, &run, &OTHER_SPELLING, &columns],
    )?;
    Ok(())
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
