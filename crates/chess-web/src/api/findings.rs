//! Stores what the engine of the page finds in the tables of `chess-pgn analyze`, where the explorer and other visitors see it.

use chess_core::Board;
use chess_core::board::{fen, key::polyglot_key};
use chess_uci::Analysis;
use chess_uci::root::canonical;

use crate::api::app::App;
use crate::database::query::{Query, Value};
use crate::failure::Outcome;
use crate::http::places::current;
use crate::uploads::loader::FINDING;

/// The least depth that is worth a row.
const WORTH: u32 = 12;

/// The name and the options of an engine.
const ENGINE: &str = "\
INSERT INTO {schema}.engines (name, options) VALUES ({}, {}::jsonb)
ON CONFLICT (name, options, reproducible) DO NOTHING";

/// An analysis, unless one with the same limits is stored that says as much.
const INSERT: &str = include_str!("sql/insert_analysis.sql");

/// Stores an analysis of a board that was limited by depth and lines, if this server stores any, it is deep enough, and the
/// client has not had too much stored today. A failure is told in the log alone: the visitor has seen the analysis.
pub async fn keep(app: &App, board: &Board, limits: (u32, u32), engine: &str, analysis: &Analysis) {
    if analysis.depth < WORTH || analysis.best.is_empty() || analysis.variations.is_empty() {
        return;
    }
    if let Err(failure) = store(app, board, limits, engine, analysis).await {
        tracing::error!("the analysis is not stored: {}", failure.error);
    }
}

async fn store(app: &App, board: &Board, limits: (u32, u32), engine: &str, analysis: &Analysis) -> Outcome<()> {
    let (Some(database), Some(engines)) = (&app.findings, &app.engines) else { return Ok(()) };
    let inventory = app.inventory.readable().await?;
    // over several servers there is no table of analyses
    if inventory.gathered || !app.inventory.may_write(database).await {
        return Ok(());
    }
    if app.uploads.as_ref().is_none_or(|uploads| uploads.loader.stores(current(), FINDING).is_err()) {
        return Ok(());
    }
    let (depth, lines) = limits;
    let board = canonical(board);
    let evals = analysis.variations.iter().map(|line| line.score.for_white(board.turn).into()).collect();
    let pvs: Vec<String> = analysis.variations.iter().map(|line| line.moves.join(" ")).collect();
    let int = |number: u64| Value::Int(i32::try_from(number).unwrap_or(i32::MAX));
    let (name, options) = (engine.replace('\0', ""), engines.options().to_string());
    let status = if analysis.stopped { "stopped" } else { "done" };
    let make = Query::new(ENGINE, [name.as_str().into(), options.as_str().into()]);
    let insert = Query::new(
        INSERT,
        [
            Value::Long(polyglot_key(&board) as i64),
            int(u64::from(board.halfmove_clock)),
            fen::write(&board).into(),
            int(lines.into()),
            Value::Long(depth.into()),
            status.into(),
            int(analysis.depth.into()),
            int(analysis.seldepth.into()),
            int(analysis.time_ms),
            Value::Long(i64::try_from(analysis.nodes).unwrap_or(i64::MAX)),
            analysis.best.as_str().into(),
            Value::Longs(evals),
            Value::Texts(pvs),
            name.as_str().into(),
            options.as_str().into(),
        ],
    );
    database.rows_of_all(&[&make, &insert], &inventory.names).await.map(drop)
}
