//! `/api/games/pgn`: the games of a list as PGN, sent while they are read, so that a list of any length needs little memory.

use std::io;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chess_db::pgn::{self, COLUMNS, Lost};
use futures_util::stream;
use tokio::sync::mpsc;
use tokio_postgres::Row;

use crate::api::app::App;
use crate::api::games::{Sort, check};
use crate::database::query::Query;
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::http::places::on_behalf_of;
use crate::question::criterion::Criterion;
use crate::question::filters::{Filters, Of};

/// Games that are asked for at a time. Fewer make an export slower; of more, which may have 8 MiB each, a client that reads slowly
/// could not take all in time.
const BATCH: i32 = 100;
/// Bytes of packed games that are sent together: what waits for a client is three times as much, or three games.
const BYTES: usize = 64 << 10;
/// Seconds that a later batch, or a client that reads slowly, may take.
const PATIENCE: u16 = 60;

fn query(criterion: &Criterion, filters: &Filters, sort: &Sort) -> Query {
    let mut query = Query::new("SELECT ", []);
    query.push(COLUMNS, []);
    query.push("\nFROM {schema}.pgn_view JOIN (SELECT g.id AS found, ", []);
    sort.key(&mut query);
    query.push(" AS key FROM {schema}.games g", []);
    let mut conditions = Query::default();
    filters.conditions(&mut conditions, Of::Games);
    criterion.condition(&mut conditions);
    query.push_where(conditions);
    query.push(") f ON id = found", []);
    query.push(sort.order(), []);
    query
}

fn written(rows: &[Row], bare: bool) -> Bytes {
    let mut text = String::new();
    for row in rows {
        // values that PGN cannot express are left out, as everywhere
        let mut lost = Lost::new();
        let mut game = pgn::read(row, &mut lost);
        if bare {
            (game.annotated, game.clocks, game.evals) = (None, None, None);
        }
        pgn::write_game(&mut text, game, &mut lost);
    }
    text.into()
}

/// The handler. Errors that come after the first games break the connection, so that nobody takes a part for the whole.
pub async fn export(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Response> {
    let criterion = Criterion::read(&mut params).await?;
    let filters = Filters::read(&mut params)?;
    let sort = Sort::read(&mut params)?;
    let bare = params.flag("bare")?;
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    check(&filters, &inventory)?;
    let place = app.exports.take(client.address).await?;
    let turn = app.turns.take(client, Cost::High).await?;
    let query = query(&criterion, &filters, &sort);
    let (sender, mut receiver) = mpsc::channel(2);
    tokio::spawn(on_behalf_of(client.address, async move {
        let _places = (place, turn);
        tokio::select! {
            done = app.database.stream(&query, &inventory.names, (BATCH, BYTES), PATIENCE, &sender) => {
                if let Err(failure) = done {
                    drop(sender.send(Err(failure)).await);
                }
            }
            // the client has gone: the query is cancelled
            () = sender.closed() => (),
        }
    }));
    let first = receiver.recv().await.unwrap_or_else(|| Err(Failure::unavailable("the export was interrupted")))?;
    let rest = stream::unfold((Some(first), receiver), move |(first, mut receiver)| async move {
        let rows = match first {
            Some(first) => Ok(first),
            None => receiver.recv().await?.map_err(|failure| io::Error::other(failure.error)),
        };
        Some((rows.map(|rows| written(&rows, bare)), (None, receiver)))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"games.pgn\""),
    ];
    Ok((headers, Body::from_stream(rest)).into_response())
}
