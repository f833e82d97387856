//! Reads databases of ocgdb (SQLite): turns rows of the table `Games`, joined with names, into rows of our `games`.
//!
//! Moves come from the column `Moves2`, or else from `Moves`. Databases with `Moves1` only are refused: its codes
//! depend on the order in which a move generator lists moves. The id of a game takes the place of an offset.
//!
//! Comments come from the column `Moves` if it exists, or else from the table `Comments`, by game and half-move (from
//! 0; -1 is before the first one).
//!
//! What ocgdb has dropped cannot be restored: its dates have 1 for `?`, rounds are whole numbers, and it keeps only
//! tags that have a column; without the column `Moves` there are no variations or glyphs. Empty names mean unknown.

use std::borrow::Cow;

use anyhow::{Context, Result, bail};
use chess_core::board::fen;
use chess_core::game::start::GameStart;
use chess_core::text::movetext;
use chess_core::text::outcome::Outcome;
use chess_core::text::san;
use chess_core::text::tags::{StartTags, tag_outcome};
use chess_core::text::two_byte_moves::{self, Numbering};
use chess_core::{Board, Game, GameResult};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::condition::Condition;
use super::hash::Hasher;
use super::parse::Games;
use super::record::{Keep, Read, Record, Rejection};

/// Games per transaction.
const BATCH: usize = 4000;

/// The tags in the order of the query's columns, which follow the id.
const TAGS: [&str; 13] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "WhiteElo",
    "Black",
    "BlackElo",
    "Result",
    "TimeControl",
    "ECO",
    "PlyCount",
    "FEN",
];

/// An open database.
pub struct Database {
    connection: Connection,
    query: String,
    chess960: bool,
    comments: Comments,
    /// All games with lower ids have been read.
    next_id: i64,
}

/// The table of comments, if there is one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comments {
    None,
    /// In insertion order; ocgdb has no index on them.
    Unordered,
    /// Sorted by game and half-move, in a temporary table.
    Ordered,
}

/// Consecutive games.
pub struct Rows {
    /// The lower bound of their ids.
    pub start: u64,
    /// The highest id plus 1.
    pub end: u64,
    /// Whether they are the last.
    pub last: bool,
    /// A hash of all columns, which tells whether they have changed.
    pub hash: [u8; 16],
    rows: Vec<Row>,
    chess960: bool,
}

struct Row {
    id: u64,
    tags: Vec<Option<String>>,
    moves: Option<String>,
    moves2: Option<Vec<u8>>,
    /// Comments with their half-moves, from 0.
    comments: Vec<(i64, String)>,
    /// Everything in the row as text, for the table of rejected games.
    text: String,
}

/// Opens a database.
pub fn read(name: &str) -> Result<Database> {
    let connection = Connection::open_with_flags(name, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let columns: Vec<String> = {
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info('Games')")?;
        columns.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    let has = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    if !has("EventID") || !has("WhiteID") {
        bail!("a SQLite database, but not one of ocgdb: it has no table Games with EventID and WhiteID");
    }
    if !has("Moves") && !has("Moves2") {
        bail!("the table Games has neither Moves2 nor Moves: convert the database with ocgdb first");
    }
    let column = |name: &str| if has(name) { format!("g.{name}") } else { "NULL".to_owned() };
    let plain: Vec<String> = ["Result", "Timer", "ECO", "PlyCount", "FEN", "Moves", "Moves2"].map(column).into();
    let query = format!(
        include_str!("ocgdb_games.sql"),
        date = column("Date"),
        round = column("Round"),
        white_elo = column("WhiteElo"),
        black_elo = column("BlackElo"),
        plain = plain.join(", ")
    );
    let variant: Option<String> =
        connection.query_row("SELECT Value FROM Info WHERE Name = 'Variant'", [], |row| row.get(0)).unwrap_or(None);
    let chess960 = variant.is_some_and(|variant| variant.to_ascii_lowercase().contains("960"));
    let asked = connection.query_row(
        "SELECT count(GameID || Ply || Comment) FROM (SELECT * FROM Comments LIMIT 1)",
        [],
        |row| row.get::<_, i64>(0),
    );
    let comments = if asked.is_ok_and(|count| count > 0) { Comments::Unordered } else { Comments::None };
    Ok(Database { connection, query, chess960, comments, next_id: 0 })
}

impl Database {
    /// The lower bound of the next game's id.
    pub fn position(&self) -> u64 {
        self.next_id as u64
    }

    /// Skips games with lower ids.
    pub fn go_to(&mut self, id: u64) {
        self.next_id = i64::try_from(id).unwrap_or(i64::MAX);
    }

    /// The next games; only those with ids below `limit`, if given.
    pub fn next(&mut self, limit: Option<u64>) -> Result<Option<Rows>> {
        let mut statement = self.connection.prepare_cached(&self.query)?;
        let end = limit.map_or(i64::MAX, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let found = statement.query_map((self.next_id, BATCH as i64 + 1, end), row)?;
        let mut rows: Vec<Row> = found.collect::<Result<_, _>>().context("cannot read the table Games")?;
        let last = rows.len() <= BATCH && limit.is_none();
        rows.truncate(BATCH);
        drop(statement);
        self.add_comments(&mut rows).context("cannot read the table Comments")?;
        let Some(end) = rows.last().map(|row| row.id + 1) else { return Ok(None) };
        let hash = rows.iter().fold(Hasher::new(&[]), |hash, row| hash.with(row.text.as_bytes()));
        let start = self.next_id as u64;
        self.next_id = end as i64;
        Ok(Some(Rows { start, end, last, hash: hash.of_piece(), rows, chess960: self.chess960 }))
    }

    /// Adds their comments to rows, which are sorted by id.
    fn add_comments(&mut self, rows: &mut [Row]) -> Result<()> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
        if self.comments == Comments::None {
            return Ok(());
        }
        if self.comments == Comments::Unordered {
            // The database is read-only, so the sorted index is a temporary table, which SQLite spills to disk if it is
            // large.
            self.connection.execute_batch(
                "CREATE TEMP TABLE places (game, ply, comment, PRIMARY KEY (game, ply, comment)) WITHOUT ROWID; \
                 INSERT INTO places SELECT GameID, Ply, rowid FROM main.Comments \
                 WHERE GameID IS NOT NULL AND Ply IS NOT NULL AND Comment IS NOT NULL ORDER BY 1, 2, 3",
            )?;
            self.comments = Comments::Ordered;
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT p.game, p.ply, c.Comment FROM places p JOIN main.Comments c ON c.rowid = p.comment \
             WHERE p.game BETWEEN ?1 AND ?2 ORDER BY p.game, p.ply, p.comment",
        )?;
        let mut found = statement.query((first.id as i64, last.id as i64))?;
        let mut rows = rows.iter_mut().peekable();
        while let Some(comment) = found.next()? {
            let (game, ply): (i64, i64) = (comment.get(0)?, comment.get(1)?);
            let Some(text) = printed(comment.get_ref(2)?) else { continue };
            while rows.peek().is_some_and(|row| (row.id as i64) < game) {
                rows.next();
            }
            if let Some(row) = rows.peek_mut().filter(|row| row.id as i64 == game) {
                row.text.push_str(&format!("\n; Comment {ply} {}", text.replace(['\r', '\n'], " ")));
                row.comments.push((ply, text));
            }
        }
        Ok(())
    }
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let id = row.get::<_, i64>(0)?;
    let mut tags = Vec::with_capacity(TAGS.len());
    let mut text = format!("; game {id}\n");
    for (at, name) in TAGS.iter().enumerate() {
        let value = printed(row.get_ref(at + 1)?);
        if let Some(value) = &value {
            text.push_str(&format!("[{name} \"{value}\"]\n"));
        }
        tags.push(value);
    }
    let moves = printed(row.get_ref(TAGS.len() + 1)?);
    let moves2 = match row.get_ref(TAGS.len() + 2)? {
        ValueRef::Blob(bytes) | ValueRef::Text(bytes) => Some(bytes.to_vec()),
        _ => None,
    };
    if let Some(codes) = &moves2 {
        text.push_str(&format!("; Moves2 {}\n", hex::encode(codes)));
    }
    text.push_str(moves.as_deref().unwrap_or_default());
    Ok(Row { id: id.max(0) as u64, tags, moves, moves2, comments: Vec::new(), text })
}

fn printed(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text).into_owned()),
    }
    .filter(|text| !text.is_empty())
}

/// Converts the rows to games.
pub fn games<'r>(rows: &'r Rows, keep: Keep, mut condition: Option<&mut Condition>) -> Games<'r> {
    let mut games = Games::default();
    for row in &rows.rows {
        let tags = tags(row);
        if games.leaves_out(condition.as_deref_mut(), &tags, None) {
            continue;
        }
        let read = match game(row, rows.chess960) {
            Ok(game) => Ok((game, None)),
            Err((Some(game), error)) if !keep.whole_only => Ok((game, Some(error))),
            Err((_, error)) => Err(error),
        };
        if let Ok((game, _)) = &read
            && games.leaves_out(condition.as_deref_mut(), &tags, Some(game.view()))
        {
            continue;
        }
        let read = read.and_then(|(game, error)| record(row, rows.chess960, keep, tags, game, error));
        let text = Cow::Borrowed(row.text.as_str());
        games.add((row.id, 1), read, text, row.text.as_bytes());
    }
    games
}

fn tags(row: &Row) -> Vec<(&'static str, Cow<'_, str>)> {
    let mut tags = Vec::with_capacity(TAGS.len());
    for (name, value) in TAGS.iter().zip(&row.tags) {
        match value {
            None => (),
            Some(date) if *name == "Date" => tags.push((*name, Cow::Owned(date.replace('-', ".")))),
            Some(value) => tags.push((*name, Cow::Borrowed(value.as_str()))),
        }
    }
    tags
}

fn record<'r>(
    row: &'r Row,
    chess960: bool,
    keep: Keep,
    tags: Vec<(&'r str, Cow<'r, str>)>,
    game: Game,
    error: Option<Rejection>,
) -> Read<'r> {
    let text = if keep.annotations || keep.clocks || keep.evals { annotated(row, chess960, &game) } else { None };
    let text = text.or_else(|| with_comments(&game, &row.comments, error.is_none()).map(Cow::Owned));
    let (clocks_evals, annotated) = keep.beside(text, game.view(), error.is_none());
    let mut record = Record::from_parts(tags, game, None, clocks_evals)?;
    record.set_annotated(annotated);
    record.incomplete(error)
}

/// The text of the moves, if it has annotations and its moves are those of the game.
fn annotated<'a>(row: &'a Row, chess960: bool, game: &Game) -> Option<Cow<'a, str>> {
    let text = row.moves.as_deref()?.trim();
    // If there are codes, the text is needed only for annotations.
    if row.moves2.is_some() && !text.contains(['{', '(', ';', '$', '!', '?']) {
        return None;
    }
    let (read, noted) = match movetext::read_written(&start_tags(row, chess960), text) {
        Ok(read) => (Some(read.game).filter(|_| read.understood.is_empty()), read.noted),
        Err(read) => (read.prefix, true),
    };
    let same = read.is_some_and(|read| read.view().moves() == game.view().moves());
    (noted && same).then_some(Cow::Borrowed(text))
}

/// The text of a game with the comments of the table.
fn with_comments(game: &Game, comments: &[(i64, String)], whole: bool) -> Option<String> {
    if comments.is_empty() {
        return None;
    }
    let view = game.view();
    let mut comments = comments.iter().peekable();
    let mut out = String::new();
    let mut say_up_to = |out: &mut String, ply: i64| {
        let mut said = false;
        while let Some((_, text)) = comments.next_if(|(place, _)| *place <= ply) {
            push_comment(out, text);
            said = true;
        }
        said
    };
    say_up_to(&mut out, -1);
    let mut number_due = true;
    let mut number = view.start_board().ok()?.fullmove_number;
    let mut ply = 0;
    san::each(view, |turn, san| {
        if turn == 0 || number_due {
            out.push_str(&format!("{number}{} ", if turn == 0 { "." } else { "..." }));
        }
        out.extend([san, " "]);
        number += u32::from(turn == 1);
        number_due = say_up_to(&mut out, ply);
        ply += 1;
    })
    .ok()?;
    say_up_to(&mut out, i64::MAX);
    if whole {
        out.push_str(view.result().as_str());
    }
    Some(out)
}

/// Appends a comment. One with a closing brace must come from a `;` comment, so it becomes one again.
fn push_comment(out: &mut String, text: &str) {
    let text = text.trim();
    if text.contains('}') {
        out.extend(["; ", &text.replace(['\r', '\n'], " "), "\n"]);
    } else {
        out.extend(["{", text, "} "]);
    }
}

fn tag<'a>(row: &'a Row, name: &str) -> Option<&'a str> {
    TAGS.iter().position(|tag| *tag == name).and_then(|at| row.tags[at].as_deref())
}

fn start_tags(row: &Row, chess960: bool) -> StartTags<'_> {
    let variant = chess960.then_some(Cow::Borrowed("Chess960"));
    StartTags { fen: tag(row, "FEN").map(Cow::Borrowed), variant, forgives: true }
}

/// Decodes the game. On failure: the readable beginning, if any, and the reason.
fn game(row: &Row, chess960: bool) -> Result<Game, (Option<Game>, Rejection)> {
    let start = tag(row, "FEN");
    if let Some(codes) = &row.moves2 {
        let board = match start {
            None => Board::default(),
            Some(text) => {
                let wrong = |error| (None, Rejection::new(format_args!("tag FEN \"{text}\": {error}")));
                match fen::read(text) {
                    Ok(board) if GameStart::new(&board).is_ok() => board,
                    read => GameStart::possible_board(text).map_or(read, Ok).map_err(wrong)?,
                }
            }
        };
        let result = tag(row, "Result").and_then(tag_outcome).map(Outcome::result);
        let read = |codes, result| two_byte_moves::read(codes, &board, result, chess960, Numbering::Ocgdb);
        return read(codes, result.unwrap_or_default()).map_err(|error| {
            let ply = match error {
                two_byte_moves::Moves2Error::Code(ply, _) | two_byte_moves::Moves2Error::Illegal(ply, ..) => Some(ply),
                _ => None,
            };
            let before = ply.and_then(|ply| codes.get(..2 * (ply as usize - 1))).filter(|codes| !codes.is_empty());
            let prefix = before.and_then(|codes| read(codes, GameResult::Unknown).ok());
            (prefix, Rejection { reason: error.to_string(), ply })
        });
    }
    movetext::read_moves(&start_tags(row, chess960), row.moves.as_deref().unwrap_or_default())
        .map_err(|read| (read.prefix, Rejection { ply: Some(read.reason.ply), reason: read.reason.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "
        CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
        INSERT INTO Info VALUES ('Variant', 'standard');
        CREATE TABLE Events (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
        CREATE TABLE Sites (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
        CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
        INSERT INTO Events VALUES (1, ''), (2, 'Match');
        INSERT INTO Sites VALUES (1, '');
        INSERT INTO Players VALUES (1, '', NULL), (2, 'A', 2400), (3, 'B', NULL);
        CREATE TABLE Games (ID INTEGER PRIMARY KEY AUTOINCREMENT, EventID INTEGER, SiteID INTEGER, Date TEXT,
            Round INTEGER, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, BlackElo INTEGER, Result INTEGER,
            Timer TEXT, ECO TEXT, PlyCount INTEGER, FEN TEXT, Moves TEXT, Moves2 BLOB DEFAULT NULL);";

    fn codes(moves: &[&str]) -> Vec<u8> {
        let code =
            |uci: &&str| two_byte_moves::BareMove::from_uci(uci).unwrap().to_code(Numbering::Ocgdb).to_le_bytes();
        moves.iter().flat_map(code).collect()
    }

    /// As ocgdb writes it: codes without text, comments in the order in which its threads finished.
    #[test]
    fn comments_of_a_database() {
        let path = std::env::temp_dir().join(format!("chess-pgn-comments-{}.ocgdb.db3", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let database = Connection::open(&path).unwrap();
        database.execute_batch(TABLES).unwrap();
        database
            .execute_batch(
                "CREATE TABLE Comments (ID INTEGER PRIMARY KEY AUTOINCREMENT, GameID INTEGER, Ply INTEGER, Comment TEXT);
                 INSERT INTO Comments (GameID, Ply, Comment) VALUES (3, 1, 'of no game'), (2, 1, 'so {it} goes
on'), (1, 3, 'mate'),
                     (1, 0, '[%clk 0:01:00]'), (1, -1, 'first'), (1, 3, 'again'), (1, 9, 'far'), (4, 0, 'other'), (5, 0, 'lost');",
            )
            .unwrap();
        let insert = "INSERT INTO Games (EventID, SiteID, WhiteID, BlackID, Result, FEN, Moves, Moves2) VALUES (1, 1, 2, 3, ?1, ?2, ?3, ?4)";
        let fool = || Some(codes(&["f2f3", "e7e5", "g2g4", "d8h4"]));
        // Impossible castling rights are dropped.
        let position = Some("4k3/8/8/8/8/8/4P3/4K3 b KQkq - 0 7");
        for row in [
            ("0-1", None, None, fool()),
            ("*", position, None, Some(codes(&["e8d7", "e2e4"]))),
            ("*", None, None, fool()),
            ("0-1", None, Some("1. f3 {text} e5 2. g4 Qh4# 0-1"), fool()),
            ("0-1", None, None, Some(codes(&["e2e4", "e2e4"]))),
        ] {
            database.execute(insert, row).unwrap();
        }
        database.execute("UPDATE Comments SET GameID = 7 WHERE GameID = 3", []).unwrap();
        drop(database);
        let rows = read(path.to_str().unwrap()).unwrap().next(None).unwrap().unwrap();
        std::fs::remove_file(&path).unwrap();
        let kept = |keep: Keep| -> Vec<_> {
            let found = games(&rows, keep, None);
            found.records.into_iter().map(|(_, record)| (record.annotated, record.clocks_evals.clocks)).collect()
        };
        let texts = [
            Some("{first} 1. f3 {[%clk 0:01:00]} 1... e5 2. g4 Qh4# {mate} {again} {far} 0-1".into()),
            Some("7... Kd7 8. e4 ; so {it} goes on\n*".into()),
            None,
            Some("1. f3 {text} e5 2. g4 Qh4# 0-1".into()),
            Some("1. e4 {lost} ".into()),
        ];
        let annotations = Keep { annotations: true, ..Keep::default() };
        assert_eq!(kept(annotations).into_iter().map(|(text, _)| text).collect::<Vec<_>>(), texts);
        let with_clocks = kept(Keep { clocks: true, ..annotations });
        assert_eq!(with_clocks[0].0.as_deref(), Some("{first} 1. f3 1... e5 2. g4 Qh4# {mate} {again} {far} 0-1"));
        assert_eq!(with_clocks[0].1, Some(vec![Some(600), None, None, None]));
        assert!(kept(Keep::default()).iter().all(|(text, clocks)| text.is_none() && clocks.is_none()));
        let rejected = &games(&rows, annotations, None).rejected;
        assert!(rejected.len() == 1 && rejected[0].text.ends_with("\n; Comment 0 lost"));
    }

    #[test]
    fn rows_of_a_database() {
        let path = std::env::temp_dir().join(format!("chess-pgn-test-{}.ocgdb.db3", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let database = Connection::open(&path).unwrap();
        database.execute_batch(TABLES).unwrap();
        let insert = "INSERT INTO Games (EventID, SiteID, Date, Round, WhiteID, WhiteElo, BlackID, Result, PlyCount, FEN, \
             Moves, Moves2) VALUES (?1, 1, '1997-05-11', 6, 2, 2400, 3, ?2, 4, ?3, ?4, ?5)";
        let blob = Some(codes(&["f2f3", "e7e5", "g2g4", "d8h4"]));
        let position = Some("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1");
        for row in [
            (2, "0-1", None, None, blob.clone()),
            (1, "1-0", position, None, Some(codes(&["e8d7", "e2e4"]))),
            (1, "*", None, Some("1. e4 e5 {x} 2. Nf3"), None),
            (1, "*", None, None, Some(codes(&["e2e5"]))),
            (1, "*", Some("nonsense"), None, blob),
        ] {
            database.execute(insert, row).unwrap();
        }
        drop(database);
        let mut opened = read(path.to_str().unwrap()).unwrap();
        let rows = opened.next(None).unwrap().unwrap();
        assert!(opened.next(None).unwrap().is_none());
        std::fs::remove_file(&path).unwrap();
        assert_eq!((rows.start, rows.end, rows.last), (0, 6, true));
        let found = games(&rows, Keep::default(), None);
        let (id, first) = &found.records[0];
        assert_eq!((*id, first.names[0].as_deref(), first.names[1].as_deref()), (1, Some("Match"), None));
        assert_eq!((first.names[2].as_deref(), first.names[3].as_deref()), (Some("A"), Some("B")));
        assert_eq!(
            (first.date.as_deref(), first.round.as_deref(), first.elo),
            (Some("1997.05.11"), Some("6"), [Some(2400), None])
        );
        assert_eq!(
            (movetext::write(first.game.view()).unwrap().as_str(), &first.tags),
            ("1. f3 e5 2. g4 Qh4# 0-1", &Some("{\"PlyCount\":\"4\"}".into()))
        );
        let second = &found.records[1].1;
        assert_eq!((second.game.view().has_custom_start(), second.names[0].as_deref()), (true, None));
        assert_eq!(second.tags.as_deref(), Some("{\"PlyCount\":\"4\"}"));
        assert_eq!(found.records[2].1.game.view().ply_count(), 3);
        assert_eq!(found.records[2].1.annotated, None);
        let keep = Keep { annotations: true, ..Keep::default() };
        let kept: Vec<_> = games(&rows, keep, None).records.into_iter().map(|(_, record)| record.annotated).collect();
        assert_eq!(kept, [None, None, Some("1. e4 e5 {x} 2. Nf3".into())]);
        let why: Vec<_> = found.rejected.iter().map(|game| (game.offset, game.number, game.ply)).collect();
        assert_eq!(why, [(4, 4, Some(1)), (5, 5, None)]);
    }
}
