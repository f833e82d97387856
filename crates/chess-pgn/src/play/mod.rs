//! Plays games between two engines and stores them with clocks and evaluations, through the view `pgn_view`.
//!
//! Each game is a transaction of its own. An engine that plays an illegal move, or hangs or dies twice at one move,
//! loses the game; an engine that cannot be used at all ends the match.

pub mod clock;
mod game;

use anyhow::{Context, Result, anyhow, bail};
use chess_core::GameResult;
use chess_db::schema::Schema;
use chess_uci::{Settings, Supervisor};
use postgres::Client;

pub use self::game::Pace;
use self::game::{Played, Unplayed, play, start_of};
use crate::interrupt::Interrupt;
use chess_db::wire::GameBytes;

/// The options of a match.
#[derive(Debug)]
pub struct Options {
    /// The schema with the tables.
    pub schema: Schema,
    /// The two engines; the first has White in the first game.
    pub engines: [Settings; 2],
    /// The start position as FEN.
    pub from: Option<String>,
    /// The number of games.
    pub games: u32,
    /// Whether the engines swap colours after each game.
    pub swap: bool,
    /// How long a move may take.
    pub pace: Pace,
    /// The value of the tag Event.
    pub event: String,
}

/// The result of a match.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Wins of the first engine, draws, wins of the second.
    pub score: [u32; 3],
    /// Whether the user interrupted it.
    pub interrupted: bool,
}

/// Plays and stores the games; calls `report` after each.
pub fn run(
    client: &mut Client,
    options: &Options,
    interrupt: &Interrupt,
    mut report: impl FnMut(&str),
) -> Result<Outcome> {
    let (start, board) =
        start_of(options.from.as_deref()).map_err(|reason| anyhow!("games cannot start there: {reason}"))?;
    let stop = || interrupt.wanted();
    let mut engines = options.engines.clone().map(|settings| Supervisor::new(settings).breaking_off());
    let mut names = Vec::new();
    for (engine, settings) in engines.iter_mut().zip(&options.engines) {
        match engine.engine(&stop) {
            Ok(engine) => names.push(engine.name().to_owned()),
            Err(chess_uci::Failure::Stopped) => return Ok(Outcome { interrupted: true, ..Outcome::default() }),
            Err(failure) => bail!("engine {} {failure}", settings.program),
        }
    }
    let mut outcome = Outcome::default();
    for number in 1..=options.games {
        let swapped = options.swap && number % 2 == 0;
        // Engines are passed by colour.
        if options.swap && number > 1 {
            engines.swap(0, 1);
            names.swap(0, 1);
        }
        let played = match play(&start, &board, &mut engines, options.pace, &stop) {
            Ok(played) => played,
            Err(Unplayed::Stopped) => {
                outcome.interrupted = true;
                break;
            }
            Err(Unplayed::Engine(side, reason)) => bail!("game {number}: {} {reason}", names[side]),
        };
        let id = store(client, options, number, swapped, &names, &played)?;
        let result = played.game.view().result();
        let place = match (result, swapped) {
            (GameResult::WhiteWins, false) | (GameResult::BlackWins, true) => Some(0),
            (GameResult::Draw, _) => Some(1),
            (GameResult::BlackWins, false) | (GameResult::WhiteWins, true) => Some(2),
            _ => None,
        };
        if let Some(place) = place {
            outcome.score[place] += 1;
        }
        report(&format!(
            "game {number} of {}, stored as {id}: {} – {} {} after {} half-moves, {}",
            options.games,
            names[0],
            names[1],
            result.as_str(),
            played.game.view().ply_count(),
            played.reason
        ));
    }
    Ok(outcome)
}

/// Inserts a game through the view, which looks up the names, and returns its id.
fn store(
    client: &mut Client,
    options: &Options,
    number: u32,
    swapped: bool,
    names: &[String],
    played: &Played,
) -> Result<i64> {
    let schema = &options.schema.quoted;
    let time_control = match options.pace {
        Pace::Clock(control) => control.to_string(),
        Pace::Fixed(_) => "-".to_owned(),
    };
    let mut tags = serde_json::Map::new();
    tags.insert("Termination".into(), played.termination.into());
    tags.insert("WhiteType".into(), "program".into());
    tags.insert("BlackType".into(), "program".into());
    for (side, tag) in ["WhiteOptions", "BlackOptions"].into_iter().enumerate() {
        let set = &options.engines[side ^ usize::from(swapped)].options;
        if !set.is_empty() {
            let set: Vec<String> = set.iter().map(|(name, value)| format!("{name}={value}")).collect();
            tags.insert(tag.into(), set.join("; ").into());
        }
    }
    if let Pace::Fixed(limit) = options.pace {
        tags.insert("SearchLimit".into(), limit.to_string().into());
    }
    let result = played.game.view().result();
    let game = GameBytes(played.game.as_bytes().to_vec());
    let query = format!(
        "INSERT INTO {schema}.pgn_view (event, date, round, white, black, result, time_control, tags, game, clocks, evals) \
         VALUES ($1, to_char(now(), 'YYYY.MM.DD'), $2, $3, $4, $5, $6, ($7::text)::jsonb, $8, $9, $10) RETURNING id"
    );
    let (round, tags) = (number.to_string(), serde_json::Value::Object(tags).to_string());
    let evals = played.evals.iter().any(Option::is_some).then_some(&played.evals);
    let row = client
        .query_one(
            &query,
            &[
                &options.event,
                &round,
                &names[0],
                &names[1],
                &result.as_str(),
                &time_control,
                &tags,
                &game,
                &played.clocks,
                &evals,
            ],
        )
        .with_context(|| format!("cannot store game {number}"))?;
    Ok(row.get(0))
}
