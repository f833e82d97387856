//! `/api/engine`: an engine analyzes the board on the screen, and its lines are sent as server-sent events.
//!
//! A search ends after a minute, at its depth, or when the client disconnects, whichever comes first; after some seconds also
//! when another address waits for an engine. If no engine is free, the client is told to try again. Only the command line says which program runs.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use chess_core::Board;
use chess_core::facts::rules;
use chess_uci::{Analysis, Limit, Standing, Supervisor};
use futures_util::stream;
use serde_json::{Value as Json_, json};
use tokio::sync::mpsc;

use crate::api::app::App;
use crate::api::{evaluations, findings};
use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::params::Params;
use crate::http::places::{current, on_behalf_of};
use crate::metrics::{BROKEN, SEARCHES};
use crate::question::position::{AskedPosition, Reading};
use crate::question::trees::score;

/// The depth of a search in half-moves, if none is given, and the greatest.
const DEPTH: i32 = 30;
const DEEPEST: i32 = 60;
/// The longest search.
const TIME: Duration = Duration::from_secs(60);
/// The longest search while another address waits for an engine.
const TURN: Duration = Duration::from_secs(3);
/// How long the last event waits for a client that does not read.
const PATIENCE: Duration = Duration::from_secs(5);
/// The least time between two events.
const PAUSE: Duration = Duration::from_millis(100);
/// The most lines.
const LINES: i32 = 5;

fn event(name: &str, data: &Json_) -> Event {
    Event::default().event(name).data(data.to_string())
}

/// An engine's lines as JSON: scores from White's side, moves in UCI and in SAN.
fn analysis_json(board: &Board, analysis: &Analysis) -> Json_ {
    let pvs = analysis.variations.iter().map(|line| {
        let mut pv = score(line.score.for_white(board.turn));
        pv["moves"] = line.moves.clone().into();
        pv["san"] = sans(board, line.moves.iter().map(String::as_str)).into();
        pv
    });
    json!({
        "depth": analysis.depth,
        "seldepth": analysis.seldepth,
        "nodes": analysis.nodes,
        "time": analysis.time_ms,
        "pvs": pvs.collect::<Vec<_>>(),
    })
}

fn sans<'m>(board: &Board, moves: impl Iterator<Item = &'m str>) -> Vec<String> {
    let mut board = board.clone();
    let mut sans = Vec::new();
    for text in moves {
        let (Ok((san, _)), Ok(after)) = (rules::spell(&board, text), rules::play(&board, text)) else { break };
        sans.push(san);
        board = after;
    }
    sans
}

/// The handler.
pub async fn engine(State(app): State<Arc<App>>, mut params: Params) -> Outcome<Response> {
    let asked = AskedPosition::read(&mut params, Reading::Strict)?;
    let multipv = params.number("multipv", 1..=LINES, 1)?;
    let depth = params.number("depth", 1..=DEEPEST, DEPTH)?;
    params.finish()?;
    if app.engines.is_none() {
        return Err(Failure::missing("this server has no engine").hint("chess-web --engine stockfish"));
    }
    let (sender, receiver) = mpsc::channel::<Event>(16);
    // the engine also works without a database
    if let Some(data) = stored(&app, &asked, multipv).await {
        let _ = sender.try_send(event("stored", &data));
    }
    match Standing::of(&asked.board) {
        Ok(Standing::Open(root)) => {
            let engines = app.engines.as_ref().ok_or_else(|| Failure::missing("this server has no engine"))?;
            let (place, mut supervisor) = engines.take().await?;
            let client = current();
            let app = app.clone();
            tokio::task::spawn_blocking(move || {
                let limits = (depth as u32, multipv as u32);
                let (begun, offer) = (Instant::now(), place.offer());
                let gone = || sender.is_closed() || (begun.elapsed() >= TURN && offer.is_asked());
                let (end, found) = search(&mut supervisor, &root, &asked.board, limits, &sender, &gone);
                SEARCHES.observe(begun.elapsed().as_secs_f64());
                if let Some(engines) = &app.engines {
                    engines.give_back(supervisor);
                }
                drop(place);
                if let Some((name, analysis)) = found {
                    let keeping = on_behalf_of(client, findings::keep(&app, &asked.board, limits, &name, &analysis));
                    tokio::runtime::Handle::current().block_on(keeping);
                }
                // a client that does not read must not block the engine or the thread
                let told = tokio::time::timeout(PATIENCE, sender.send(end));
                let _ = tokio::runtime::Handle::current().block_on(told);
            });
        }
        Ok(Standing::Over(status)) => {
            let _ = sender.try_send(event("end", &json!({ "over": status.as_str(), "pvs": [] })));
        }
        Err(error) => return Err(Failure::bad(error.to_string())),
    }
    let events = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|event| (Ok::<_, Infallible>(event), receiver))
    });
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // nginx would buffer the events
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((headers, Sse::new(events)).into_response())
}

/// The evaluation of a position that is stored, if there is one.
async fn stored(app: &App, asked: &AskedPosition, multipv: i32) -> Option<Json_> {
    let inventory = app.inventory.readable().await.ok().filter(|inventory| inventory.analyzed)?;
    let clock = evaluations::clock(&asked.board);
    let query = Query::new(evaluations::OF_POSITION, [asked.fen().into(), clock.into(), multipv.into()]);
    let row = app.database.row(&query, &inventory.names).await.ok()??;
    let (evals, lines): (Vec<i32>, Vec<String>) = (row.get("evals"), row.get("pvs"));
    let pvs = evals.iter().zip(&lines).take(multipv as usize).map(|(eval, moves)| {
        let mut pv = score(*eval);
        pv["moves"] = moves.split(' ').collect::<Vec<_>>().into();
        pv["san"] = sans(&asked.board, moves.split(' ')).into();
        pv
    });
    let (depth, nodes): (Option<i16>, Option<i64>) = (row.get("depth"), row.get("nodes"));
    Some(json!({ "depth": depth, "nodes": nodes, "pvs": pvs.collect::<Vec<_>>() }))
}

/// Searches until the limits, of depth and lines, or until `gone`; returns the last event, and what was found by
/// which engine.
fn search(
    supervisor: &mut Supervisor,
    root: &chess_uci::Root,
    board: &Board,
    (depth, multipv): (u32, u32),
    sender: &mpsc::Sender<Event>,
    gone: &dyn Fn() -> bool,
) -> (Event, Option<(String, Analysis)>) {
    let mut told = Instant::now();
    let mut last = 0;
    let visit = |analysis: &Analysis| {
        if gone() {
            return ControlFlow::Break(());
        }
        if analysis.nodes != last && !analysis.variations.is_empty() && told.elapsed() >= PAUSE {
            (told, last) = (Instant::now(), analysis.nodes);
            // a slow client misses this event and gets a later one
            let _ = sender.try_send(event("analysis", &analysis_json(board, analysis)));
        }
        ControlFlow::Continue(())
    };
    match supervisor.watch(root, Limit::Depth(depth), multipv, TIME, gone, visit) {
        Ok((name, analysis)) => {
            let mut data = analysis_json(board, &analysis);
            data["best"] = analysis.best.as_str().into();
            data["engine"] = name.as_str().into();
            (event("end", &data), Some((name, analysis)))
        }
        Err(failure) => {
            BROKEN.inc();
            tracing::error!("the engine {failure}, asked about {root}");
            (event("failure", &json!({ "error": format!("the engine {failure}") })), None)
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    #[tokio::test]
    async fn an_event_has_its_data_in_one_line() {
        let events = stream::iter([Ok::<_, Infallible>(event("end", &json!({ "error": "a\nb" })))]);
        let body = to_bytes(Sse::new(events).into_response().into_body(), usize::MAX).await.unwrap();
        assert_eq!(body, "event: end\ndata: {\"error\":\"a\\nb\"}\n\n");
    }

    #[test]
    fn lines_in_san() {
        let board = Board::default();
        assert_eq!(sans(&board, ["e2e4", "e7e5", "e1e8"].into_iter()), ["e4", "e5"]);
    }
}
