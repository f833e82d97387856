//! The columns of games: what a source says of a game comes in, its values go out.

use std::borrow::Cow;

use chess_core::board::fen;
use chess_core::text::movetext;
use chess_core::text::two_byte_moves::{self, Numbering};
use chess_core::{CorruptGame, GameRef};

pub use super::extras::written;
use super::extras::{Extras, like_jsonb};
use super::{EPOCH, Kind, Value};
use crate::read::record::Record;

/// What is known of a game. Unknown values are `None`.
#[derive(Clone, Debug, Default)]
pub struct GameRow<'a> {
    /// Its number.
    pub id: Option<i64>,
    /// Event, site, White, Black.
    pub names: [Option<&'a str>; 4],
    /// As written.
    pub date: Option<&'a str>,
    /// The first and the last day that it can mean, from 1970-01-01.
    pub days: [Option<i32>; 2],
    /// As written.
    pub round: Option<&'a str>,
    /// White, Black.
    pub elo: [Option<i32>; 2],
    /// One of the four of PGN.
    pub result: Option<&'a str>,
    /// As written.
    pub time_control: Option<&'a str>,
    /// As written.
    pub eco: Option<&'a str>,
    /// The tags that have no column, as PostgreSQL writes `jsonb`.
    pub tags: Option<Cow<'a, str>>,
    /// The moves as their author wrote them.
    pub annotated: Option<&'a str>,
    /// Why the game is incomplete.
    pub error: Option<&'a str>,
    /// The moves.
    pub moves: Option<Moves<'a>>,
    /// What these values say besides.
    pub extras: Extras,
}

/// The moves of a game in several forms.
#[derive(Clone, Debug)]
pub struct Moves<'a> {
    /// The game.
    pub game: GameRef<'a>,
    /// The start, if it is not the standard one.
    pub start: Option<String>,
    /// Two bytes for each half-move.
    pub codes: Vec<u8>,
    /// As the type `chessgame` writes it: in SAN with numbers and result, after the tags of another start.
    pub text: String,
}

impl<'a> Moves<'a> {
    /// The forms of a game.
    pub fn of(game: GameRef<'a>) -> Result<Moves<'a>, CorruptGame> {
        let start = game.has_custom_start().then(|| game.start_board()).transpose()?;
        let codes = two_byte_moves::write(game, Numbering::Plain)?;
        let text = movetext::write(game)?;
        Ok(Moves { game, start: start.map(|board| fen::write(&board)), codes, text })
    }
}

impl<'a> GameRow<'a> {
    /// The row of a game that was read.
    pub fn of(id: i64, record: &'a Record<'_>) -> Result<GameRow<'a>, CorruptGame> {
        let row = GameRow {
            id: Some(id),
            names: record.names.each_ref().map(Option::as_deref),
            date: record.date.as_deref(),
            days: [record.days.map(|days| days.first + EPOCH), record.days.map(|days| days.end - 1 + EPOCH)],
            round: record.round.as_deref(),
            elo: record.elo,
            result: Some(record.result),
            time_control: record.time_control.as_deref(),
            eco: record.eco.as_deref(),
            tags: record.tags.as_deref().map(|tags| Cow::Owned(like_jsonb(tags))),
            annotated: record.annotated.as_deref(),
            error: record.error.as_deref(),
            moves: Some(Moves::of(record.game.view())?),
            extras: Extras::default(),
        };
        Ok(row.with_extras())
    }

    /// The row with its extras.
    pub fn with_extras(self) -> GameRow<'a> {
        let game = self.moves.as_ref().map(|moves| moves.game);
        GameRow { extras: Extras::of(self.tags.as_deref(), self.time_control, game), ..self }
    }
}

/// A column: its name, what its values are, and the value of a game.
pub type Column = (&'static str, Kind, for<'r> fn(&'r GameRow<'_>) -> Value<'r>);

/// The columns in their order.
pub const COLUMNS: [Column; 31] = [
    ("id", Kind::Long, |game| game.id.map_or(Value::Null, Value::Int)),
    ("event", Kind::Text, |game| game.names[0].into()),
    ("site", Kind::Text, |game| game.names[1].into()),
    ("date", Kind::Text, |game| game.date.into()),
    ("first_day", Kind::Day, |game| game.days[0].into()),
    ("last_day", Kind::Day, |game| game.days[1].into()),
    ("round", Kind::Text, |game| game.round.into()),
    ("white", Kind::Text, |game| game.names[2].into()),
    ("black", Kind::Text, |game| game.names[3].into()),
    ("white_elo", Kind::Int, |game| game.elo[0].into()),
    ("black_elo", Kind::Int, |game| game.elo[1].into()),
    ("result", Kind::Text, |game| game.result.into()),
    ("time_control", Kind::Text, |game| game.time_control.into()),
    ("eco", Kind::Text, |game| game.eco.into()),
    ("ply_count", Kind::Int, |game| {
        game.moves.as_ref().map_or(Value::Null, |moves| Value::Int(moves.game.ply_count().into()))
    }),
    ("fen", Kind::Text, |game| game.moves.as_ref().and_then(|moves| moves.start.as_deref()).into()),
    ("moves", Kind::Bytes, |game| game.moves.as_ref().map_or(Value::Null, |moves| Value::Bytes(&moves.codes))),
    ("game", Kind::Text, |game| game.moves.as_ref().map(|moves| moves.text.as_str()).into()),
    ("tags", Kind::Json, |game| game.tags.as_deref().into()),
    ("annotated", Kind::Text, |game| game.annotated.into()),
    ("error", Kind::Text, |game| game.error.into()),
    ("white_title", Kind::Text, |game| game.extras.titles[0].as_deref().into()),
    ("black_title", Kind::Text, |game| game.extras.titles[1].as_deref().into()),
    ("white_rating_diff", Kind::Int, |game| game.extras.rating_changes[0].into()),
    ("black_rating_diff", Kind::Int, |game| game.extras.rating_changes[1].into()),
    ("utc", Kind::Time, |game| game.extras.utc.map_or(Value::Null, Value::Int)),
    ("termination", Kind::Text, |game| game.extras.termination.as_deref().into()),
    ("speed", Kind::Text, |game| Some(game.extras.speed).into()),
    ("base", Kind::Int, |game| game.extras.clock.map(|[base, _]| base).into()),
    ("increment", Kind::Int, |game| game.extras.clock.map(|[_, increment]| increment).into()),
    ("opening", Kind::Text, |game| game.extras.opening.into()),
];
