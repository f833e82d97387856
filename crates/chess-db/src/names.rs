//! Maps names of events, sites and players to ids.
//!
//! New names are inserted in transactions of their own, in byte order: concurrent loaders then neither wait for each
//! other's games nor deadlock. A bounded cache is shared by all connections.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use anyhow::{Result, bail};
use postgres::Client;

use crate::schema::Schema;

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

/// A cache of ids by name.
#[derive(Default)]
pub struct Directory {
    tables: [Mutex<HashMap<String, i32>>; 3],
}

impl Directory {
    /// The ids of the names of each game. New names are inserted.
    pub fn resolve<'r>(
        &self,
        client: &mut Client,
        schema: &Schema,
        games: impl Iterator<Item = [Option<&'r str>; 4]> + Clone,
    ) -> Result<Vec<[Option<i32>; 4]>> {
        let mut numbers = vec![[None; 4]; games.clone().count()];
        for table in Names::ALL {
            let columns: Vec<usize> = (0..4).filter(|column| NAME_TABLES[*column] == table).collect();
            let mut missing = BTreeSet::new();
            {
                let known = lock(&self.tables[table as usize]);
                for (names, numbers) in games.clone().zip(&mut numbers) {
                    for &column in &columns {
                        let Some(name) = names[column] else { continue };
                        match known.get(name) {
                            Some(number) => numbers[column] = Some(*number),
                            None => {
                                missing.insert(name);
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
                        numbers[column] = names[column].and_then(|name| found.get(name)).copied();
                    }
                }
            }
            let mut known = lock(&self.tables[table as usize]);
            if known.len() + found.len() > MAX_KEPT {
                known.clear();
            }
            known.extend(found);
        }
        Ok(numbers)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn look_up(
    client: &mut Client,
    schema: &Schema,
    table: Names,
    mut missing: BTreeSet<&str>,
) -> Result<HashMap<String, i32>> {
    let table = format!("{}.{}", schema.quoted, table.table());
    // Two plain statements, because engines that replicate such tables to several servers support nothing more complex.
    let select = format!("SELECT name, id FROM {table} WHERE name = ANY ($1)");
    let insert = format!("INSERT INTO {table} (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING");
    let mut found = HashMap::new();
    // INSERT waits for another loader that inserts the same name; the next round finds its id.
    for _ in 0..10 {
        let names: Vec<&str> = missing.iter().copied().collect();
        for row in client.query(&select, &[&names])? {
            let name: String = row.get(0);
            missing.remove(name.as_str());
            found.insert(name, row.get(1));
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let names: Vec<&str> = missing.iter().copied().collect();
        client.execute(&insert, &[&names])?;
    }
    let examples: Vec<Cow<'_, str>> = missing.iter().take(3).map(|name| Cow::Borrowed(*name)).collect();
    bail!("cannot find or insert names in {table}, such as {}", examples.join(", "))
}
