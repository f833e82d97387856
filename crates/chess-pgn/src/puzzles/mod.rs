//! Puzzles: makes them of stored analyses, and exchanges them as CSV with the columns of lichess's puzzle database.
//!
//! In: games with analyses, or a CSV file, which may be compressed. Out: rows of the table `puzzles`, or CSV. The rules are
//! functions in SQL (`puzzles.sql` of chess-db), so that `analyze --puzzles` and psql follow the same ones.

mod mates;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use chess_core::board::fen;
use chess_db::schema::Schema;
use postgres::Client;
use postgres::fallible_iterator::FallibleIterator as _;

use self::mates::Mates;
use crate::read::source::{self, Consumed, Opened};
use crate::whole::Whole;

/// The columns of lichess's file, in its order.
const COLUMNS: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags";
/// The maximum number of bytes of a line that are read at once.
const LONGEST: u64 = 1 << 20;
/// The maximum number of wrong lines of a file that are reported.
const TOLD: usize = 20;
/// How many positions are looked at to prove a mate: some seconds.
const EFFORT: u64 = 20_000_000;

/// Which mistakes become puzzles.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Only this player's, under any spelling.
    pub player: Option<String>,
    /// The winning chances in percent that a mistake has lost at least.
    pub min_loss: f64,
    /// Instead of mistakes, the first position of each game.
    pub problems: bool,
}

/// How many positions were looked at, and what became of them.
#[derive(Default)]
struct Counts {
    candidates: i64,
    made: i64,
    known: i64,
    ambiguous: i64,
    unanalyzed: i64,
    unfinished: i64,
}

/// Makes puzzles of these games; returns what to say. In problems, mates in at most `mate_in` moves are proved; what an
/// engine has said decides the rest.
///
/// # Errors
///
/// The player is unknown; or those of the server.
pub fn make(client: &mut Client, schema: &Schema, games: &[i64], rules: &Rules, mate_in: usize) -> Result<String> {
    let name = &schema.quoted;
    if let Some(player) = &rules.player {
        let known = client.query_one(&format!("SELECT {name}.player_ids($1::text) IS NOT NULL"), &[player])?;
        if !known.get::<_, bool>(0) {
            bail!("no player is called \"{player}\": SELECT * FROM {name}.player('{}')", player.replace('\'', "''"));
        }
    }
    let mut counts = Counts::default();
    let mut games = games.to_vec();
    let all = games.len();
    if rules.problems {
        let proved = prove(client, schema, &games, mate_in, &mut counts)?;
        games.retain(|game| !proved.contains(game));
    }
    let query = format!(
        "SELECT candidates, made, known, ambiguous, unanalyzed, unfinished \
         FROM {name}.make_puzzles($1::bigint[], $2::text, $3::double precision, $4::boolean)"
    );
    let row = client.query_one(&query, &[&games, &rules.player, &rules.min_loss, &rules.problems])?;
    counts.candidates += row.get::<_, i64>(0);
    counts.made += row.get::<_, i64>(1);
    counts.known += row.get::<_, i64>(2);
    counts.ambiguous += row.get::<_, i64>(3);
    counts.unanalyzed += row.get::<_, i64>(4);
    counts.unfinished += row.get::<_, i64>(5);
    let Counts { candidates, made, known, ambiguous, unanalyzed, unfinished } = counts;
    let mut said = format!(
        "{candidates} positions of {all} games: {made} new puzzles, {known} known, {ambiguous} without an only right answer"
    );
    if unanalyzed + unfinished > 0 {
        said.push_str(&format!(
            "\n{unanalyzed} positions have no analysis with two lines, and the solutions of {unfinished} may go on: \
             chess-pgn analyze --puzzles asks an engine about them"
        ));
    }
    if candidates == 0 {
        said.push_str(
            "\nno analyzed mistake is as large: chess-pgn analyze looks for mistakes, --min-loss takes smaller ones",
        );
    }
    Ok(said)
}

/// Stores the problems that are proved to have one key; returns the games that are decided, also by several keys.
fn prove(client: &mut Client, schema: &Schema, games: &[i64], mate_in: usize, counts: &mut Counts) -> Result<Vec<i64>> {
    let name = &schema.quoted;
    let query = format!(
        "SELECT game_id, board::text FROM {name}.puzzle_candidates($1::bigint[], NULL::text, 20::double precision, true)"
    );
    let store = format!(include_str!("sql/insert_problem.sql"), schema = name, extension = Schema::extension(client)?);
    let store = client.prepare(&store)?;
    let mut decided = Vec::new();
    for row in client.query(&query, &[&games])? {
        let (game, board): (i64, &str) = (row.get(0), row.get(1));
        // what is no legal position has no puzzle either
        let found = fen::read(board).ok().and_then(|board| mates::soonest(&board, mate_in, EFFORT).ok());
        match found {
            Some(Mates::One(solution)) => {
                let is_new = client.query_opt(&store, &[&game, &solution])?.is_some_and(|row| row.get(0));
                *(if is_new { &mut counts.made } else { &mut counts.known }) += 1;
            }
            Some(Mates::Several(_)) => counts.ambiguous += 1,
            Some(Mates::None | Mates::Undecided) | None => continue,
        }
        counts.candidates += 1;
        decided.push(game);
    }
    Ok(decided)
}

/// Writes all puzzles that have a move before them as CSV; returns how many there are, and how many have no such move.
///
/// # Errors
///
/// Those of the server and of the file.
pub fn export(client: &mut Client, schema: &Schema, path: &Path) -> Result<(i64, i64)> {
    let name = &schema.quoted;
    let mut file = Whole::create(path)?;
    // One statement for both counts would not be a COPY; puzzles that come meanwhile are in neither.
    let mut transaction =
        client.build_transaction().isolation_level(postgres::IsolationLevel::RepeatableRead).start()?;
    let counts = format!("SELECT count(before), count(*) - count(before) FROM {name}.puzzles");
    let counts = transaction.query_one(&counts, &[])?;
    let extension = Schema::extension(&mut transaction)?;
    let query = format!(include_str!("sql/export.sql"), schema = name, extension = extension);
    io::copy(&mut transaction.copy_out(&query)?, &mut file)?;
    transaction.commit()?;
    file.finish()?;
    Ok((counts.get(0), counts.get(1)))
}

/// Returns an SQL expression for the integer in a column. It is NULL for other texts and for integers that do not fit, because a
/// puzzle can do without them.
fn number(column: &str) -> String {
    format!(
        "CASE WHEN \"{column}\" ~ '^-?[0-9]{{1,10}}$' THEN \
         CASE WHEN \"{column}\"::bigint BETWEEN -2147483648 AND 2147483647 THEN \"{column}\"::integer END END"
    )
}

/// Copies lines, but refuses a line that the server would take for the end of the input.
fn copy_lines(mut from: impl BufRead, to: &mut impl Write) -> io::Result<()> {
    let (mut piece, mut is_beginning) = (Vec::new(), true);
    // a line may have any length
    while from.by_ref().take(LONGEST).read_until(b'\n', &mut piece)? > 0 {
        if is_beginning && piece.trim_ascii_end() == br"\." {
            return Err(io::Error::new(io::ErrorKind::InvalidData, r"it has a line with \. alone"));
        }
        to.write_all(&piece)?;
        is_beginning = piece.ends_with(b"\n");
        piece.clear();
    }
    Ok(())
}

/// Opens a file of puzzles.
///
/// # Errors
///
/// It cannot be read, or is an archive.
pub fn open(path: &str) -> Result<Box<dyn Read + Send>> {
    match source::open(path, Consumed::default(), None).with_context(|| format!("cannot read {path}"))? {
        Opened::Pgn(source) => Ok(source.input),
        _ => bail!("{path} is an archive or a database, not CSV"),
    }
}

/// Reads puzzles from CSV, packed or not, all or none if it is no such file; returns how many are new, known and wrong. `tell` gets the
/// first wrong lines.
///
/// # Errors
///
/// The file cannot be read, or has other columns.
pub fn import(
    client: &mut Client,
    schema: &Schema,
    path: &str,
    mut file: impl Read,
    mut tell: impl FnMut(&str),
) -> Result<[i64; 3]> {
    let name = &schema.quoted;
    let mut transaction = client.transaction()?;
    let columns: Vec<String> = COLUMNS.split(',').map(|column| format!("\"{column}\" text")).collect();
    transaction.batch_execute(&format!(
        "CREATE TEMP TABLE csv (line bigint GENERATED ALWAYS AS IDENTITY, {}) ON COMMIT DROP",
        columns.join(", ")
    ))?;
    let names: Vec<String> = COLUMNS.split(',').map(|column| format!("\"{column}\"")).collect();
    let copy = format!("COPY pg_temp.csv ({}) FROM STDIN (FORMAT csv, HEADER MATCH)", names.join(", "));
    let mut rows = transaction.copy_in(&copy)?;
    // spreadsheets write a byte order mark
    let mut head = Vec::new();
    let copied = file.by_ref().take(3).read_to_end(&mut head).and_then(|_| {
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
        copy_lines(BufReader::new(head.chain(file)), &mut rows)
    });
    copied.with_context(|| format!("cannot read {path}"))?;
    rows.finish().with_context(|| format!("{path} is not CSV with the columns {COLUMNS}"))?;
    let list = |column: &str| format!("string_to_array(nullif(btrim(\"{column}\"), ''), ' ')");
    let query = format!(
        "SELECT line, {name}.import_puzzle(nullif(\"PuzzleId\", ''), \"FEN\", \"Moves\", {}, {}, {}, {}, {}, nullif(\"GameUrl\", ''), {}) \
         FROM pg_temp.csv ORDER BY line",
        number("Rating"),
        number("RatingDeviation"),
        number("Popularity"),
        number("NbPlays"),
        list("Themes"),
        list("OpeningTags")
    );
    let mut counts = [0, 0, 0];
    // row by row: lichess has millions
    let mut told = transaction.query_raw::<_, &str, _>(&query, [])?;
    while let Some(row) = told.next()? {
        match row.get::<_, Option<&str>>(1) {
            Some("") => counts[0] += 1,
            Some("known") => counts[1] += 1,
            wrong => {
                counts[2] += 1;
                if counts[2] <= TOLD as i64 {
                    tell(&format!("{path}, puzzle {}: {}", row.get::<_, i64>(0), wrong.unwrap_or("moves are missing")));
                }
            }
        }
    }
    drop(told);
    transaction.commit()?;
    Ok(counts)
}
