//! chess-pgn stores or rejects every game of generated and of broken PGN, whatever happens meanwhile: a file for each
//! subject. Games go in as files; what is then in the tables, or in an export, comes out.

mod annotations;
mod archives;
mod books;
mod condition;
mod connections;
mod convert;
mod crash;
mod disk;
mod doctor;
mod documents;
mod export;
mod growth;
mod indexes;
mod lichess;
mod limits;
mod merges;
mod names;
mod ocgdb;
mod parquet;
mod players;
mod replace;
mod rights;
mod scid;
mod sources;
mod tags;
mod tournaments;
mod traps;
mod twins;
mod ugly;
mod versions;
mod view;

use chess_system::Database;

/// The rows of a schema's view without the numbers that depend on the order of arrival, in the order of the file.
fn rows(db: &Database<'_>, schema: &str) -> Vec<String> {
    db.rows(&format!("SELECT to_jsonb(v) - '{{id,source,source_id,source_offset}}'::text[] FROM {schema}.pgn_view v ORDER BY source_offset"))
}

/// The same, with annotated text as an export writes it.
fn rows_in_export_format(db: &Database<'_>, schema: &str) -> Vec<String> {
    db.rows(&format!(
        "SELECT to_jsonb(v) - '{{id,source,source_id,source_offset,annotated,error}}'::text[] || jsonb_build_object('annotated',
           CASE WHEN annotated IS NOT NULL THEN nullif(pgn(game, NULL, annotated), pgn(game, NULL)) END)
         FROM {schema}.pgn_view v ORDER BY source_offset"
    ))
}

/// All that a schema holds, without the numbers that depend on the order of arrival.
fn contents(db: &Database<'_>, schema: &str) -> String {
    db.sql(&format!(
        "SELECT count(*), md5(string_agg(md5((to_jsonb(v) - '{{id,source_id,source}}'::text[])::text), '' ORDER BY o.fingerprint, v.source_offset))
         FROM {schema}.pgn_view v JOIN {schema}.sources o ON o.id = v.source_id;
         SELECT count(*), md5(string_agg(md5((to_jsonb(r) - '{{id,source_id,game_id}}'::text[])::text || (game_id IS NULL)), '' ORDER BY o.fingerprint, r.source_offset))
         FROM {schema}.rejected r JOIN {schema}.sources o ON o.id = r.source_id;
         SELECT sum(games), sum(stored), sum(rejected), sum(duplicates) FROM {schema}.pieces"
    ))
}

/// Each table of the database that is not the server's own, with the MD5 of all columns of all rows.
fn all_tables(db: &Database<'_>) -> Vec<String> {
    let tables = db.rows(
        "SELECT c.oid::regclass FROM pg_class c WHERE relkind IN ('r', 'p') AND c.oid >= 16384
             AND relnamespace <> ALL ('{pg_catalog,information_schema,pg_toast}'::regnamespace[]) ORDER BY c.oid::regclass::text",
    );
    let md5 = |table: &String| {
        db.sql(&format!(
            "SELECT '{table}', count(*), md5(coalesce(string_agg(t::text, E'\n' ORDER BY t::text), '')) FROM {table} t"
        ))
    };
    tables.iter().map(md5).collect()
}

/// The lines of a text that have a word.
fn lines_with<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.contains(word)).collect()
}
