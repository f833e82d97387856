//! Maps names of events, sites and players to ids.
//!
//! New names are inserted in transactions of their own, in byte order: concurrent loaders then neither wait for each
//! other's games nor deadlock. A bounded cache is shared by all connections.
//!
//! A player is known by a name and a FIDE id, or by a name alone: a name without an id may be that of somebody else. Rows
//! with one id are one player, so a new one becomes the same as the oldest of them; and so does the row without an id, if its
//! name is the canonical name of one id, and of no other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

use anyhow::{Result, bail};
use postgres::GenericClient;

use crate::locks::Lock;
use crate::schema::Schema;
use crate::unite;

/// Tables of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Table `events`.
    Events,
    /// Table `sites`.
    Sites,
    /// Table `players`.
    Players,
}

impl Names {
    /// All tables of names.
    pub const ALL: [Names; 3] = [Names::Events, Names::Sites, Names::Players];

    /// The name of the table.
    pub fn table(self) -> &'static str {
        match self {
            Names::Events => "events",
            Names::Sites => "sites",
            Names::Players => "players",
        }
    }
}

/// The tables of the names of a game: event, site, White and Black.
pub const NAME_TABLES: [Names; 4] = [Names::Events, Names::Sites, Names::Players, Names::Players];

/// The maximum number of cached names per table.
const MAX_KEPT: usize = 100_000;

/// A name as a game has it, and the FIDE id of the player, if the game tells it.
pub type Name<'r> = (&'r str, Option<i32>);

/// The ids of a name, with and without FIDE ids.
type Ids = BTreeMap<Option<i32>, i32>;

/// A cache of ids by name.
#[derive(Default)]
pub struct Directory {
    tables: [Mutex<HashMap<String, Ids>>; 3],
}

impl Directory {
    /// The ids of the names of each game. New names are inserted, in the client's transaction if it is one, which must then be
    /// of the level READ COMMITTED; a directory that has seen it rolled back must not be used again.
    pub fn resolve<'r>(
        &self,
        client: &mut impl GenericClient,
        schema: &Schema,
        games: impl Iterator<Item = [Option<Name<'r>>; 4]> + Clone,
    ) -> Result<Vec<[Option<i32>; 4]>> {
        let mut numbers = vec![[None; 4]; games.clone().count()];
        for table in Names::ALL {
            let columns: Vec<usize> = (0..4).filter(|column| NAME_TABLES[*column] == table).collect();
            let mut missing = BTreeSet::new();
            {
                let known = lock(&self.tables[table as usize]);
                for (names, numbers) in games.clone().zip(&mut numbers) {
                    for &column in &columns {
                        let Some((name, fide_id)) = names[column] else { continue };
                        match known.get(name).and_then(|ids| ids.get(&fide_id)) {
                            Some(number) => numbers[column] = Some(*number),
                            None => {
                                missing.insert((name, fide_id));
                            }
                        }
                    }
                }
            }
            if missing.is_empty() {
                continue;
            }
            let found = look_up(client, schema, table, missing)?;
            for (names, numbers) in games.clone().zip(&mut numbers) {
                for &column in &columns {
                    if numbers[column].is_none() {
                        numbers[column] = names[column].and_then(|name| found.get(&name)).copied();
                    }
                }
            }
            let mut known = lock(&self.tables[table as usize]);
            if known.len() + found.len() > MAX_KEPT {
                known.clear();
            }
            for ((name, fide_id), number) in found {
                known.entry(name.to_owned()).or_default().insert(fide_id, number);
            }
        }
        Ok(numbers)
    }

    /// Forgets all names, of which somebody may have removed some.
    pub fn forget(&self) {
        self.tables.iter().for_each(|table| lock(table).clear());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn look_up<'r>(
    client: &mut impl GenericClient,
    schema: &Schema,
    names: Names,
    mut missing: BTreeSet<Name<'r>>,
) -> Result<HashMap<Name<'r>, i32>> {
    let table = format!("{}.{}", schema.quoted, names.table());
    // Two plain statements, because engines that replicate such tables to several servers support nothing more complex.
    let (select, insert) = match names {
        Names::Players => (
            format!("SELECT name, id, fide_id FROM {table} WHERE name = ANY ($1)"),
            format!(
                "INSERT INTO {table} (name, fide_id) SELECT * FROM unnest($1::text[], $2::integer[]) \
                 ON CONFLICT (name, fide_id) DO NOTHING"
            ),
        ),
        Names::Events | Names::Sites => (
            format!("SELECT name, id, NULL::integer FROM {table} WHERE name = ANY ($1)"),
            format!("INSERT INTO {table} (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING"),
        ),
    };
    let mut found = HashMap::new();
    // INSERT waits for another loader that inserts the same name; the next round finds its id.
    for _ in 0..10 {
        let texts: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
        let rows = client.query(&select, &[&texts])?;
        let stored: HashMap<(&str, Option<i32>), i32> =
            rows.iter().map(|row| ((row.get(0), row.get(2)), row.get(1))).collect();
        missing.retain(|name| match stored.get(name) {
            Some(id) => found.insert(*name, *id).is_some(),
            None => true,
        });
        if missing.is_empty() {
            return Ok(found);
        }
        let (texts, fide_ids): (Vec<&str>, Vec<Option<i32>>) = missing.iter().copied().unzip();
        if names != Names::Players {
            client.execute(&insert, &[&texts])?;
        } else if fide_ids.iter().all(Option::is_none) && rows.iter().all(|row| row.get::<_, Option<i32>>(2).is_none())
        {
            // nothing to unite
            client.execute(&insert, &[&texts, &fide_ids])?;
        } else {
            let mut transaction = client.transaction()?;
            Lock::names().take_here(&mut transaction)?;
            let inserted = transaction.query(&format!("{insert} RETURNING id"), &[&texts, &fide_ids])?;
            let inserted: Vec<i32> = inserted.iter().map(|row| row.get(0)).collect();
            unite::these(&mut transaction, &schema.quoted, &inserted)?;
            transaction.commit()?;
        }
    }
    let examples: Vec<&str> = missing.iter().take(3).map(|(name, _)| *name).collect();
    bail!("cannot find or insert names in {table}, such as {}", examples.join(", "))
}
