//! Removes sources: takes files or ids of sources; deletes their games, pieces and rejected texts, each source in one
//! transaction.
//!
//! A file is identified by its contents, as in a load; if it has been loaded again after it had grown, its earlier contents
//! identify it, too. Its name alone is not enough, because it may be another file's: sources that were loaded under the name are
//! listed, and their ids identify them. Names of players, events and sites stay, because other games may use them. Rows of other
//! tables that refer to the games, such as a user's notes, are deleted with them only on request.

use std::path::Path;

use anyhow::{Context, Result, bail};
use chess_db::locks::Lock;
use chess_db::schema::Schema;
use postgres::Client;

use crate::read::source::{self, Consumed, MEMBER_BEGINNING, Opened, STREAM_BEGINNING};
use crate::read::split::Splitter;
use crate::references;

/// Removes sources; calls `report` for each.
pub fn unload(
    client: &mut Client,
    schema: &Schema,
    files: &[String],
    sources: &[i32],
    with_rows: bool,
    mut report: impl FnMut(&str),
) -> Result<()> {
    let mut found = sources.to_vec();
    for name in files {
        found.extend(find(client, schema, name)?);
    }
    found.sort_unstable();
    found.dedup();
    let query = format!(
        "SELECT min(id) FROM unnest($1::integer[]) AS wanted (id) WHERE id NOT IN (SELECT id FROM {}.sources)",
        schema.quoted
    );
    if let Some(missing) = client.query_one(&query, &[&found])?.get::<_, Option<i32>>(0) {
        bail!("there is no source {missing}");
    }
    for source in found {
        report(&unload_one(client, schema, source, with_rows)?);
    }
    Ok(())
}

fn find(client: &mut Client, schema: &Schema, name: &str) -> Result<Vec<i32>> {
    if name != source::STDIN && matches!(Path::new(name).try_exists(), Ok(false)) {
        bail!("there is no file {name}{}", named(client, schema, name)?);
    }
    let mut found = Vec::new();
    for alternatives in fingerprints(name).with_context(|| name.to_owned())? {
        for fingerprint in alternatives {
            let query =
                format!("SELECT id FROM {}.sources WHERE fingerprint = $1 OR $1 = ANY (earlier)", schema.quoted);
            let sources = client.query(&query, &[&fingerprint])?;
            found.extend(sources.iter().map(|row| row.get::<_, i32>(0)));
            if !sources.is_empty() {
                break;
            }
        }
    }
    if found.is_empty() {
        bail!("nothing was loaded from {name} as it is now{}", named(client, schema, name)?);
    }
    Ok(found)
}

/// Returns the end of an error: it lists the sources that were loaded under a name, and how to remove them.
fn named(client: &mut Client, schema: &Schema, name: &str) -> Result<String> {
    // A ZIP archive has a source for each member.
    let query = format!(
        "SELECT id, format('%s: %s games of %s, first loaded on %s', id, \
             (SELECT count(*) FROM {schema}.games WHERE source_id = s.id), name, to_char(first_seen, 'YYYY-MM-DD HH24:MI TZ')) \
         FROM {schema}.sources s WHERE name = $1 OR starts_with(name, $1 || ': ') ORDER BY id",
        schema = schema.quoted
    );
    let sources = client.query(&query, &[&name])?;
    if sources.is_empty() {
        return Ok(", and no source has this name".to_owned());
    }
    let ids: Vec<String> = sources.iter().map(|row| row.get::<_, i32>(0).to_string()).collect();
    let lines: String = sources.iter().map(|row| format!("\n  source {}", row.get::<_, &str>(1))).collect();
    Ok(format!("; to remove what was loaded under this name, give --source {}{lines}", ids.join(",")))
}

/// For a file, or each member of an archive, the fingerprints that it may have been loaded under: first that of all bytes,
/// because another file can have the same beginning and end.
fn fingerprints(name: &str) -> Result<Vec<Vec<Vec<u8>>>> {
    let encoding = crate::read::encoding::Encoding::Auto;
    Ok(match source::open(name, Consumed::default(), None)? {
        Opened::Sqlite(_, fingerprint) => vec![vec![source::whole_fingerprint(name)?, fingerprint]],
        Opened::Pgn(stream) => match stream.file {
            Some((_, fingerprint)) => vec![vec![source::whole_fingerprint(name)?, fingerprint]],
            None => {
                let mut splitter = Splitter::new(stream.input, 1, encoding);
                vec![vec![source::stream_fingerprint(splitter.peek(STREAM_BEGINNING)?)]]
            }
        },
        Opened::Zip(mut archive) => {
            let whole = source::whole_fingerprint(name)?;
            let mut all = Vec::new();
            for (at, _) in archive.members.clone() {
                let mut alternatives = vec![source::whole_member_fingerprint(&whole, at)];
                // nothing was loaded from a member that is refused
                if let Ok((member, size, checksum)) = archive.member(at) {
                    let mut splitter = Splitter::new(member, 1, encoding);
                    alternatives.push(source::member_fingerprint(size, checksum, splitter.peek(MEMBER_BEGINNING)?));
                }
                all.push(alternatives);
            }
            all
        }
    })
}

fn unload_one(client: &mut Client, schema: &Schema, source: i32, with_rows: bool) -> Result<String> {
    let lock = Lock::source(&schema.name, source);
    let mut transaction = client.transaction()?;
    let referring = references::names(&mut transaction, schema, &references::OF_SOURCE)?;
    let schema = &schema.quoted;
    if !lock.try_take_here(&mut transaction)? {
        bail!("source {source} is being loaded{}", lock.holder(&mut transaction)?);
    }
    let query = format!("SELECT name FROM {schema}.sources WHERE id = $1 FOR UPDATE");
    let Some(row) = transaction.query_opt(&query, &[&source])? else { bail!("there is no source {source}") };
    let name: String = row.get(0);
    if let (false, Some(referring)) = (with_rows, referring) {
        // nobody can add rows from here on
        transaction.execute(&format!("SELECT FROM {schema}.games WHERE source_id = $1 FOR UPDATE"), &[&source])?;
        let tables: String = transaction.query_one(&format!("SELECT {referring}"), &[&source])?.get(0);
        if !tables.is_empty() {
            bail!(
                "{tables} has rows for {name} or its games, which nothing could bring back: --with-rows lets them go, too"
            );
        }
    }
    let mut delete = |table: &str, column: &str| {
        transaction.execute(&format!("DELETE FROM {schema}.{table} WHERE {column} = $1"), &[&source])
    };
    // This comes before the games, because a policy of this table may show only states of games that exist.
    delete("earlier_games", "(game ->> 'source_id')::integer")?;
    // Texts first: then deleting a game finds none that refer to it.
    let rejected = delete("rejected", "source_id")?;
    let games = delete("games", "source_id")?;
    delete("pieces", "source_id")?;
    delete("sources", "id")?;
    // Twins of games that stay would come back without their source.
    delete("twins_removed", "(game ->> 'source_id')::integer")?;
    transaction.commit()?;
    Ok(format!("{name}: {games} games and {rejected} texts of rejected and incomplete games removed"))
}
