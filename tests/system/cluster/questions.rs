//! 35 questions (questions.sql), which rows travel for them, and a server that is down.

use std::io::Write;
use std::process::Command;

use chess_system::{Client, Program, is_root, pg_config};

use crate::{Cluster, NODES, pgn, psql};

/// Makes the plain table of the games of all servers.
pub(crate) fn one_plain_table(cluster: &Cluster) {
    let (all, plain) = (cluster.all(), cluster.plain());
    Client::new(&cluster.servers.join("coordinator"), "postgres").sql("CREATE DATABASE plain");
    plain.sql("CREATE EXTENSION chess");
    pgn(&plain, "load --index").args(&cluster.files).succeeds();
    plain.sql("CREATE SCHEMA asked; CREATE TABLE asked.games AS TABLE chess.pgn_view");
    plain.sql("ANALYZE asked.games");
    all.sql("CREATE SCHEMA asked; CREATE VIEW asked.games AS TABLE chess.pgn_view");
    for client in [&all, &plain] {
        client.sql(&format!("ALTER DATABASE {} SET search_path = asked, public", client.name()));
    }
    // settings of the database are those of new sessions
    let (all, plain) = (cluster.all(), cluster.plain());
    let count = "SELECT count(*) FROM games";
    assert_eq!(all.sql(count), plain.sql(count));
    assert_eq!(plain.sql(&format!("SELECT count(*) > {} * 0.99 FROM games", cluster.games)), "t", "all of them");
    let export = |program: Program, words: &str| program.words(words).writes();
    let one = export(pgn(&plain, "export"), "");
    assert!(export(pgn(&all, "export"), "--order shard --analysis") == one, "the export of all servers");
    assert_eq!(all.sql("SELECT count(*) = count(DISTINCT id) FROM games"), "t", "numbers of games are distinct");
    let plan = all.sql("EXPLAIN SELECT FROM chess.games WHERE id = (2::bigint << 41) + 7");
    assert_eq!(plan.matches("Foreign Scan").count(), 1, "a number is asked of its server alone: {plan}");
}

/// The answers to all questions: a name, the number of rows and their hash.
fn answers(client: &Client) -> Vec<String> {
    client.rows("SELECT name, (answer(query)).* FROM questions ORDER BY name")
}

/// Every question has the same answer, and one with something in it.
pub(crate) fn every_question_has_the_same_answer(cluster: &Cluster) {
    let (all, plain) = (cluster.all(), cluster.plain());
    let game = plain.sql("SELECT source, source_offset, getBoard(game, 30) FROM games WHERE plyCount(game) > 60 AND source LIKE '%' ORDER BY md5(source_offset::text) LIMIT 1");
    let game: Vec<&str> = game.split('|').collect();
    for client in [&all, &plain] {
        psql(client, "asking.sql", &[]);
        psql(client, "questions.sql", &[("source", game[0]), ("place", game[1]), ("rare", game[2])]);
    }
    assert_eq!(all.sql("SELECT count(*) FROM questions"), "35");
    let expected = answers(&plain);
    assert_eq!(expected.len(), 35);
    for (answer, expected) in answers(&all).iter().zip(&expected) {
        assert_eq!(answer, expected);
    }
    // a question whose answer is nothing asks nothing; generated games have no equal ones
    let empty = "SELECT string_agg(name, ' ') FROM questions WHERE (answer(query)).rows = 0";
    assert_eq!(plain.sql(empty), "duplicates", "questions without an answer");
    let zero = "SELECT string_agg(name, ' ') FROM questions WHERE query ~ '^SELECT count' AND (answer(query)).hash = (answer('SELECT 0::bigint AS count')).hash";
    assert_eq!(plain.sql(zero), "", "counts of nothing");
}

/// No more rows travel between servers than each question needs.
pub(crate) fn few_rows_travel(cluster: &Cluster) {
    let (all, plain) = (cluster.all(), cluster.plain());
    // few: the rows of the answer from each server, and one that tells each that it has no more
    let limits = format!(
        "SELECT name, CASE travels WHEN 'few' THEN {NODES} * ((answer(query)).rows + 1) WHEN 'all' THEN 2 * (SELECT count(*) FROM games) END
         FROM questions WHERE travels <> 'matching'"
    );
    let mut limits = plain.rows(&limits);
    for question in plain.rows("SELECT format('SELECT %L, count(*) FROM games WHERE %s', name, condition) FROM questions WHERE travels = 'matching'") {
        limits.push(plain.sql(&question));
    }
    let travelled = all.rows("SELECT name, travelled(query) FROM questions");
    assert_eq!(travelled.len(), 35, "every question is looked at");
    for question in travelled {
        let (name, rows) = question.split_once('|').unwrap();
        let limit = limits.iter().filter_map(|limit| limit.split_once('|')).find(|(limited, _)| *limited == name);
        let limit: u64 = limit.unwrap().1.parse().unwrap();
        let rows: f64 = rows.parse().unwrap();
        assert!(rows as u64 <= limit, "{name}: {rows} rows travel, and may be {limit}");
    }
}

/// With `TIMES=1` prints how long the questions take, on one table with the indexes of chess-pgn and on four servers.
pub(crate) fn times(cluster: &Cluster) {
    if std::env::var_os("TIMES").is_none() {
        return;
    }
    let (all, plain) = (cluster.all(), cluster.plain());
    for statement in ["CREATE INDEX ON games (game)", "CREATE INDEX ON games USING gin (game)", "VACUUM ANALYZE games"]
    {
        plain.sql(statement);
    }
    // past the test runner's capture
    let mut out = std::io::stdout();
    writeln!(out, "\ntimes in ms: one table, four servers, rows that travel").unwrap();
    let four = all.rows("SELECT median_ms(query), travelled(query) FROM questions ORDER BY name");
    for (one, four) in plain.rows("SELECT name, median_ms(query) FROM questions ORDER BY name").iter().zip(four) {
        writeln!(out, "{one}|{four}").unwrap();
    }
    for moves in crate::explorer::POSITIONS {
        let board = format!("finalBoard(''{moves}'')");
        for question in [
            format!("explorer({board}, reached => false)"),
            format!("explorer({board})"),
            format!("explorer_games({board})"),
        ] {
            let time = |client: &Client| client.sql(&format!("SELECT median_ms('SELECT * FROM chess.{question}')"));
            writeln!(out, "{question}|{}|{}", time(&plain), time(&all)).unwrap();
        }
    }
}

/// A server that is down is an error for every question; the others are asked nevertheless.
pub(crate) fn a_server_that_is_down_is_an_error(cluster: &Cluster) {
    let (all, plain) = (cluster.all(), cluster.plain());
    let dir = cluster.servers.join("node2");
    let pg_ctl = |words: &str| {
        let pg_ctl = pg_config("bindir").join("pg_ctl");
        let mut command = if is_root() { Command::new("runuser") } else { Command::new("env") };
        if is_root() {
            command.args(["-u", "postgres", "--"]);
        }
        command
            .arg(pg_ctl)
            .args(words.split(' '))
            .arg("-D")
            .arg(dir.join("data"))
            .env("PGCTLTIMEOUT", "600")
            .current_dir("/");
        if words.starts_with("start") {
            command.arg("-l").arg(dir.join("log")).arg("-o").arg(format!("-p 5432 -k {}", dir.display()));
        }
        assert!(command.status().unwrap().success(), "{words}");
    };
    pg_ctl("stop -w -s -m immediate");
    let expected = answers(&plain);
    for answer in &expected {
        let (name, _) = answer.split_once('|').unwrap();
        let refusal = all.refuses(&format!("SELECT (answer(query)).* FROM questions WHERE name = '{name}'"));
        assert!(refusal.message.starts_with("could not connect to server \"node2\""), "{name}: {refusal:?}");
    }
    assert_eq!(all.sql("SELECT count(*) > 0 FROM games WHERE shard = 1"), "t", "another server is asked nevertheless");
    pg_ctl("start -w -s");
    assert_eq!(answers(&all), expected, "all answers again");
}
