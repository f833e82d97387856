//! Games for tests of the extension alone, which need no tables of the loader.

use crate::{Client, generated, read, repository, tool};

/// Fills an empty database with `games` generated games and the famous ones, in the table supply, and with questions to a table
/// of games, as `tests/tap/tables.sql` says.
#[track_caller]
pub fn supply(db: &Client, games: usize, questions: u32) {
    db.psql().arg("-f").arg(repository("scripts/games_table.sql")).succeeds();
    let mut pgn = read(repository("demo/famous.pgn"));
    pgn.extend(generated(1, games).bytes());
    // a piece must fit into a text value
    db.program(tool("perl"))
        .arg(repository("scripts/pgn-pieces.pl"))
        .arg("64000000")
        .arg(db.psql().path())
        .words("-X -q -v ON_ERROR_STOP=1 -f")
        .arg(repository("scripts/games_load.sql"))
        .input(pgn)
        .succeeds();
    db.psql()
        .arg("-v")
        .arg(format!("questions={questions}"))
        .arg("-f")
        .arg(repository("tests/tap/tables.sql"))
        .succeeds();
}
