//! Writes stored games as PGN to standard output. [`chess_db::pgn`] writes each of them; values that PGN cannot express are
//! left out with a warning, and the export continues.

use std::io::{self, BufWriter, Write};

use anyhow::{Error, Result, anyhow};
use chess_db::pgn::{self, COLUMNS, Lost};
use chess_db::schema::Schema;
use postgres::Client;
use postgres::error::{DbError, ErrorPosition, SqlState};
use postgres::fallible_iterator::FallibleIterator;

use crate::output::{taken, tell};

/// The games of an export, as the user has selected them.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// The user's SQL, which runs in the user's session, with its search_path.
    pub condition: Option<&'a str>,
    /// The same for the order.
    pub order: Option<&'a str>,
    /// Whether evaluations by engines are added to games whose PGN had none.
    pub analysis: bool,
    /// Whether players, events and sites have one name each, not those of the PGN.
    pub canonical_names: bool,
}

impl Selection<'_> {
    /// The query for these columns of `pgn_view`. Those whose names begin with `pgn_` are what the PGN had.
    pub fn query(&self, schema: &Schema, columns: &str) -> String {
        let mut columns = columns.to_owned();
        if self.analysis {
            columns = columns.replace("pgn_evals", "evals");
        }
        if self.canonical_names {
            for name in ["event", "site", "white", "black"] {
                columns = columns.replace(&format!("pgn_{name}"), name);
            }
        }
        format!(
            "SELECT {columns} FROM {}.pgn_view WHERE (\n{}\n) ORDER BY {}source_id, source_offset, id",
            schema.quoted,
            self.condition.unwrap_or("true"),
            self.order.map(|order| format!("{order}\n, ")).unwrap_or_default()
        )
    }

    /// The error for a query of this selection that the server rejects.
    pub fn refused(&self, query: &str, error: postgres::Error) -> Error {
        let (message, hint) = match error.as_db_error().and_then(|server| self.advice(query, server)) {
            Some(advice) => advice,
            None => return Error::new(error).context("cannot query the games"),
        };
        anyhow!("cannot query the games: {message}\nHINT:  {hint}")
    }

    /// What to say instead of a server's error that shows SQL the user has not written, or whose HINT misleads: a message and a hint.
    fn advice(&self, query: &str, server: &DbError) -> Option<(String, &'static str)> {
        let message = server.message();
        match *server.code() {
            SqlState::SYNTAX_ERROR => {
                let parts = [("--where", "WHERE (\n", self.condition), ("--order", ") ORDER BY ", self.order)];
                let name = parts.into_iter().find_map(|(name, before, part)| {
                    let end = query.find(before)? + before.len() + part?.len();
                    let end = query.get(..end)?.chars().count();
                    let is_near = matches!(server.position(), Some(&ErrorPosition::Original(at)) if (1..=4).contains(&(at as usize).saturating_sub(end)));
                    is_near.then_some(name)
                });
                let hint = "something is missing at its end, or a parenthesis has no partner";
                match name {
                    Some(name) => Some((format!("{name} is not complete"), hint)),
                    None if message.contains("=>") => Some((message.to_owned(), "at least is written >=")),
                    // a text that is not closed goes on to the end of the query
                    None if message.contains('\n') => Some((
                        "a text is not closed".to_owned(),
                        "a quote within a text is written twice, as in 'O''Neil'",
                    )),
                    None => None,
                }
            }
            // PostgreSQL's hint, to add casts, would mislead.
            SqlState::UNDEFINED_FUNCTION if message.contains("text") && message.contains("integer") => {
                Some((message.to_owned(), "compare text with text, as in date >= '2015'"))
            }
            SqlState::UNDEFINED_COLUMN if server.hint().is_none() => {
                Some((message.to_owned(), "texts stand in single quotes, as in white = 'Carlsen, Magnus'"))
            }
            _ => None,
        }
    }
}

/// Writes the selected games to standard output, in their order. Returns true if no value was left out.
///
/// # Errors
///
/// Errors of the server or of standard output. A closed pipe, as from `head`, is not an error.
pub fn export(client: &mut Client, schema: &Schema, selection: &Selection<'_>) -> Result<bool> {
    let query = selection.query(schema, COLUMNS);
    let mut rows = client.query_raw::<_, &str, _>(&query, []).map_err(|error| selection.refused(&query, error))?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut text = String::new();
    let (mut games, mut lacking) = (0u64, 0u64);
    while let Some(row) = rows.next()? {
        let mut lost = Lost::new();
        text.clear();
        pgn::write_game(&mut text, pgn::read(&row, &mut lost), &mut lost);
        games += 1;
        if !lost.is_empty() {
            lacking += 1;
            let id: Option<i64> = row.try_get(16)?;
            let id = id.map_or("without a number".to_owned(), |id| id.to_string());
            lost.iter().for_each(|lost| tell!("chess-pgn: game {id} is written without {lost}"));
        }
        if !taken(out.write_all(text.as_bytes()))? {
            return Ok(lacking == 0);
        }
    }
    taken(out.flush())?;
    if lacking > 0 {
        tell!("chess-pgn: {lacking} of {games} games were written incompletely; see the messages above");
    }
    Ok(lacking == 0)
}

#[cfg(test)]
mod tests {
    use chess_db::pgn::{Row, Tags, tags_of, write_game};

    use super::*;
    use crate::read::encoding::Encoding;
    use crate::read::parse::Decoded;
    use crate::read::record::{Keep, Record};
    use crate::read::split::Splitter;

    /// Every control character except NUL, which PostgreSQL cannot store, and text that a reader may take for the end
    /// of a line, value or comment.
    fn nasty() -> Vec<String> {
        let controls = (1..0x20).chain(0x7f..0xa0).filter_map(char::from_u32);
        let others = ['"', '\\', ']', '[', '{', ';', '%', '\u{2028}', '\u{2029}', '\u{feff}', '\u{a0}'];
        let forged =
            |found: char| format!("a{found}\"]{found}{found}[Event \"forged\"]{found}{found}1. d4 *{found}{found}b");
        controls
            .chain(others)
            .flat_map(|found| [format!("x{found}"), format!("{found}{found}x"), forged(found)])
            .collect()
    }

    fn row(roster: &str, annotated: Option<String>) -> Row {
        let game = chess_core::text::movetext::read("1. e4 e5 1-0").unwrap();
        Row {
            roster: std::array::from_fn(|_| Some(roster.to_owned())),
            result: Some("1-0".into()),
            elo: [Some(2400), None],
            time_control: Some(roster.to_owned()),
            eco: Some(roster.to_owned()),
            tags: Tags::from([("Note".into(), vec![roster.into(), "second".into()])]),
            game: Some(game.as_bytes().to_vec()),
            annotated,
            ..Row::default()
        }
    }

    /// Loads an export in small pieces and returns the rows.
    fn loaded(text: &str) -> Vec<String> {
        let keep = Keep { annotations: true, ..Keep::default() };
        let mut splitter = Splitter::new(text.as_bytes(), 300, Encoding::Auto);
        let mut rows = Vec::new();
        while let Some(piece) = splitter.next(None).unwrap() {
            let decoded = Decoded::new(&piece, Encoding::Auto);
            let games = decoded.games(keep, None);
            assert!(games.rejected.is_empty(), "{:?}", games.rejected[0].text);
            rows.extend(games.records.iter().map(|(_, record): &(u64, Record<'_>)| format!("{record:?}")));
        }
        rows
    }

    #[test]
    fn no_row_becomes_two() {
        let mut rows = Vec::new();
        for words in nasty() {
            rows.push(row(&words, None));
            rows.push(row("x", Some(format!("1. e4 {{{words}}} e5 1-0"))));
            rows.push(row("x", Some(format!("1. e4 ;{}\n e5 1-0", words.replace(['\n', '\r'], " ")))));
        }
        let mut text = String::new();
        for row in &rows {
            let (mut game, mut lost) = (String::new(), Lost::new());
            write_game(&mut game, row.clone(), &mut lost);
            text.push_str(&game);
            let read = loaded(&game);
            assert_eq!((read.len(), &lost), (1, &Lost::new()), "{game:?}");
        }
        let all = loaded(&text);
        assert_eq!(all.len(), rows.len());
        for (read, row) in all.iter().zip(&rows) {
            let tag = row.eco.as_deref().unwrap().replace(|found: char| found.is_control(), " ");
            assert!(read.contains(&format!("eco: Some({tag:?})")), "{read} of {tag:?}");
            if let Some(annotated) = &row.annotated
                && !annotated.contains('\u{feff}')
            {
                let comment = &annotated[7..annotated.len() - " e5 1-0".len()];
                let comment = comment
                    .strip_suffix('}')
                    .unwrap_or(comment)
                    .replace(|found: char| found.is_control() || "\u{2028}\u{2029}".contains(found), " ");
                let words: Vec<&str> = comment.split_ascii_whitespace().collect();
                let written = format!("1. e4 {{ {} }} 1... e5 1-0", words.join(" ").replace('{', "("));
                assert!(read.contains(&format!("annotated: Some({written:?})")), "{read} of {annotated:?}");
            }
        }
    }

    /// Values that cannot be written are left out; all others are exported.
    #[test]
    fn odd_rows_are_written() {
        let written = |row: Row| {
            let (mut game, mut lost) = (String::new(), Lost::new());
            write_game(&mut game, row, &mut lost);
            let moves = game.split_once("\n\n").unwrap().1.trim_end().to_owned();
            (loaded(&game).len(), moves, lost)
        };
        let plain = || Row { tags: Tags::new(), ..row("x", None) };
        let whole = "1. e4 e5 1-0";
        assert_eq!(written(plain()), (1, whole.into(), vec![]));
        assert_eq!(written(Row { game: None, ..plain() }), (1, "1-0".into(), vec!["its moves: there are none".into()]));
        let (games, moves, lost) = written(Row { game: Some(vec![0xff, 1, 2]), result: Some("won".into()), ..plain() });
        assert_eq!((games, moves.as_str(), lost.len()), (1, "*", 1));
        // damages the last half-move
        let mut bytes = plain().game.unwrap();
        *bytes.last_mut().unwrap() = 0xfe;
        let (games, moves, lost) = written(Row { game: Some(bytes), ..plain() });
        assert!(games == 1 && moves == "1-0" && lost[0].starts_with("its moves: "), "{moves} {lost:?}");
        let other = "its annotations: they belong to another game";
        let closed = "1. e4 e5 { x [Event \"y\"] } 1-0".to_owned();
        let open = Row { annotated: Some("1. e4 e5 {x\n\n[Event \"y\"]} 1-0".into()), ..plain() };
        assert_eq!(written(open), (1, closed, vec![]), "a comment holds what looks like a tag");
        for annotated in ["1. d4 {x}", "[Event \"y\"]\n\n1. e4 e5"] {
            let row = Row { annotated: Some(annotated.into()), ..plain() };
            assert_eq!(written(row), (1, whole.into(), vec![other.into()]), "{annotated}");
        }
        for annotated in ["", " \n "] {
            assert_eq!(written(Row { annotated: Some(annotated.into()), ..plain() }), (1, whole.into(), vec![]));
        }
        let empty = Row { game: plain().game, ..Row::default() };
        assert_eq!(written(empty), (1, whole.into(), vec![]));
        let mut lost = Lost::new();
        let tags = tags_of(
            "{\"A b\": 1, \"N\": [12345678901234567890123, null, {\"x\": [1]}], \"E\": 1e400, \"X\": null}",
            &mut lost,
        );
        assert_eq!(tags["N"], ["12345678901234567890123", "{\"x\": [1]}"]);
        assert_eq!((tags["E"].as_slice(), tags["X"].len(), lost.len()), (&["1e400".to_owned()][..], 0, 1));
        assert_eq!(tags_of("[1]", &mut lost), Tags::new());
        assert_eq!(lost[1], "its tags: they are not a JSON object");
    }
}
