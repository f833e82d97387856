//! Looks whether a database is as it should be. In: a session that may read the catalogs, and the roles of the page. Out: what
//! is wrong or could be better, each with the statement that mends it. Nothing is changed, and no code of others runs, because
//! superusers run this on tables of other roles.

use anyhow::Result;
use chess_db::door::POWERS;
use chess_db::schema::{Schema, VERSION};
use postgres::Client;

use crate::output::say;

/// The roles of docs/explorer.md.
const ROLES: [&str; 2] = ["chess_web_read", "chess_web"];

/// Something that is not as it should be.
struct Finding {
    /// Whether it is wrong, rather than worth a change.
    is_wrong: bool,
    problem: String,
    remedy: String,
}

fn wrong(problem: impl Into<String>, remedy: impl Into<String>) -> Finding {
    Finding { is_wrong: true, problem: problem.into(), remedy: remedy.into() }
}

/// Prints what it finds; true if nothing is wrong. `roles` are those that read for the page, and that save for its visitors;
/// without a name the usual one is looked at, if there is such a role.
///
/// # Errors
///
/// The catalogs cannot be read.
pub fn doctor(client: &mut Client, schema: &Schema, roles: [Option<&str>; 2]) -> Result<bool> {
    client.batch_execute("SET default_transaction_read_only = on")?;
    let mut findings = versions(client, schema)?;
    if findings.iter().all(|finding| !finding.is_wrong) {
        let lacking = [schema.lacking(client)?, schema.lacking_keys(client)?, schema.lacking_triggers(client)?];
        findings =
            lacking.into_iter().flatten().map(|(problem, remedy)| wrong(problem, format!("{remedy};"))).collect();
        if schema.replaceable(client)?.is_some() {
            let problem = "an index of the access method chess makes others unnecessary";
            findings.push(Finding {
                is_wrong: false,
                problem: problem.to_owned(),
                remedy: "chess-pgn migrate --index".to_owned(),
            });
        } else if let Some(create) = schema.explorer_index(client)? {
            let problem = "no index has the columns by which the explorer answers: it reads the games";
            findings.push(Finding { is_wrong: false, problem: problem.to_owned(), remedy: format!("{create};") });
        }
        for role in roles.into_iter().flatten() {
            if client.query_opt("SELECT FROM pg_roles WHERE rolname = $1", &[&role])?.is_none() {
                let quoted: String = client.query_one("SELECT quote_ident($1)", &[&role])?.get(0);
                findings.push(wrong(format!("there is no role {quoted}"), format!("CREATE ROLE {quoted} LOGIN;")));
            }
        }
        let [reads, saves] = [0, 1].map(|n| roles[n].unwrap_or(ROLES[n]));
        let catalogs = format!("WITH {POWERS}{}", include_str!("doctor.sql"));
        let rows = client.query(&catalogs, &[&format!("{}.games", schema.quoted), &schema.name, &reads, &saves])?;
        findings.extend(rows.iter().map(|row| Finding {
            is_wrong: row.get(0),
            problem: row.get(1),
            remedy: row.get(2),
        }));
    }
    for Finding { is_wrong, problem, remedy } in &findings {
        say!("{}: {problem}\n    {remedy}", if *is_wrong { "wrong" } else { "worth a change" });
    }
    let count = findings.iter().filter(|finding| finding.is_wrong).count();
    match count {
        0 => say!("nothing is wrong"),
        1 => say!("1 thing is wrong"),
        _ => say!("{count} things are wrong"),
    }
    Ok(count == 0)
}

/// Says which versions there are; what of them does not go together, or is missing.
fn versions(client: &mut Client, schema: &Schema) -> Result<Vec<Finding>> {
    const PROGRAM: &str = env!("CARGO_PKG_VERSION");
    let query = "SELECT (SELECT default_version FROM pg_available_extensions WHERE name = 'chess'), \
                        (SELECT extversion FROM pg_extension WHERE extname = 'chess'), current_setting('server_encoding'), \
                        current_setting('server_version_num')::integer / 10000, pg_is_in_recovery()";
    let row = client.query_one(query, &[])?;
    let (installed, created, encoding): (Option<&str>, Option<&str>, &str) = (row.get(0), row.get(1), row.get(2));
    say!(
        "versions: chess-pgn {PROGRAM}, extension on the server {}, in the database {}",
        installed.unwrap_or("none"),
        created.unwrap_or("none")
    );
    if row.get(4) {
        say!("this is a standby: statements run on its primary, and only ALTER SYSTEM here");
    }
    let mut findings = Vec::new();
    if encoding != "UTF8" {
        findings.push(wrong(
            format!("the database's encoding is {encoding}"),
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0;",
        ));
    }
    match (installed, created) {
        (None, _) => {
            let package = format!("apt-get install postgresql-{}-chess", row.get::<_, i32>(3));
            findings.push(wrong("the server has no files of the extension", package));
        }
        (Some(_), None) => findings.push(wrong("the database has no extension chess", "CREATE EXTENSION chess;")),
        (Some(installed), Some(created)) => {
            if installed != PROGRAM {
                let packages = "install the packages of one version";
                findings.push(wrong(
                    format!("chess-pgn {PROGRAM} and the extension {installed} are of different versions"),
                    packages,
                ));
            }
            if installed != created {
                findings.push(wrong(format!("the database has the SQL of {created}"), "ALTER EXTENSION chess UPDATE;"));
            }
            findings.extend(tables(client, schema)?);
        }
    }
    Ok(findings)
}

/// What the role that runs this lacks to look at the tables.
fn rights(client: &mut Client, schema: &Schema) -> Result<Option<Finding>> {
    let query = "SELECT quote_ident(current_user), has_schema_privilege(n.oid, 'USAGE'), \
                        (SELECT bool_and(has_table_privilege(c.oid, 'SELECT')) FROM pg_class c \
                         WHERE c.relnamespace = n.oid AND c.relname IN ('info', 'games')) \
                 FROM pg_namespace n WHERE n.nspname = $1";
    let Some(row) = client.query_opt(query, &[&schema.name])? else { return Ok(None) };
    let (role, may_use, may_read): (&str, bool, Option<bool>) = (row.get(0), row.get(1), row.get(2));
    let (what, schema) = (&schema.name, &schema.quoted);
    Ok(if !may_use {
        Some(wrong(
            format!("role {role} may not use schema {what}"),
            format!("GRANT USAGE ON SCHEMA {schema} TO {role};"),
        ))
    } else if may_read == Some(false) {
        let remedy = format!("GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};");
        Some(wrong(format!("role {role} may not read the tables of schema {what}"), remedy))
    } else {
        None
    })
}

/// What is wrong with the tables as a whole.
fn tables(client: &mut Client, schema: &Schema) -> Result<Option<Finding>> {
    if let Some(finding) = rights(client, schema)? {
        return Ok(Some(finding));
    }
    if !schema.exists(client)? {
        let remedy = format!("chess-pgn load --schema {} --index games.pgn", schema.quoted);
        return Ok(Some(wrong(format!("schema {} holds no tables of chess-pgn", schema.name), remedy)));
    }
    let found = schema.version(client)?;
    let has_games = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'game' AND NOT attisdropped)";
    if !client.query_one(has_games, &[&format!("{}.games", schema.quoted)])?.get::<_, bool>(0) {
        return Ok(Some(wrong("the column game of games is gone, and with it the moves", "restore a backup")));
    }
    Ok(match found {
        VERSION if schema.is_renamed(client)? => Some(wrong(
            format!("the functions of schema {} name schemas that have been renamed", schema.name),
            format!("chess-pgn migrate --schema {}", schema.quoted),
        )),
        VERSION => None,
        later if later > VERSION => {
            Some(wrong(format!("the tables are at version {later}, from a later chess-pgn"), "install it"))
        }
        earlier => Some(wrong(
            format!("the tables are at version {earlier}"),
            format!("chess-pgn migrate --schema {}", schema.quoted),
        )),
    })
}
