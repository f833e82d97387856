//! `/api/uploads` and `/api/sources`: files are received and their jobs listed; sources are listed, looked into and removed.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, BodyDataStream};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use serde_json::{Value as Json_, json};
use tokio::fs::OpenOptions;
use tokio::io::AsyncWriteExt as _;
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::body::discard;
use crate::http::params::Params;
use crate::question::game_id;
use crate::uploads::job::{Job, Stage};
use crate::uploads::queue::Uploads;
use crate::uploads::spool::Spool;

/// The type of a body. Pages of other sites cannot send it without asking first, which this server answers with no.
const TYPE: &str = "application/octet-stream";

/// The first bytes of databases of SQLite, which the loader can read as well, but not from strangers.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// How long a browser may send nothing.
const SILENCE: Duration = Duration::from_secs(60);

/// Rejected and incomplete games of a source that are shown.
const SHOWN: i32 = 200;

/// Each with the sums of its pieces; the latest first.
const SOURCES: &str = "\
SELECT s.id, s.name, s.bytes, to_char(s.first_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS seen,
       s.finished IS NOT NULL AS finished, coalesce(sum(p.stored), 0) AS stored, coalesce(sum(p.incomplete), 0) AS incomplete,
       coalesce(sum(p.rejected), 0) AS rejected, coalesce(sum(p.duplicates), 0) AS known
FROM {schema}.sources s LEFT JOIN {schema}.pieces p ON p.source_id = s.id
GROUP BY s.id, s.name, s.bytes, s.first_seen, s.finished ORDER BY s.first_seen DESC, s.id DESC LIMIT 500";

/// The longest text that is shown of a rejected game, in characters, is 2000.
const REJECTED: &str = "\
SELECT line, number, reason, left(text, 2000) AS text, game_id FROM {schema}.rejected WHERE source_id = {} ORDER BY number LIMIT {}";

fn uploads(app: &App) -> Outcome<&Arc<Uploads>> {
    app.uploads.as_ref().ok_or_else(|| Failure::missing("this server takes no games").hint("chess-web --upload"))
}

/// `GET /api/uploads`.
pub async fn list(State(app): State<Arc<App>>, params: Params) -> Outcome<Json<Json_>> {
    params.finish()?;
    Ok(Json(json!({ "uploads": uploads(&app)?.json() })))
}

/// `POST /api/uploads`: the body is the file.
pub async fn receive(State(app): State<Arc<App>>, params: Params, headers: HeaderMap, body: Body) -> Outcome<Response> {
    let mut chunks = body.into_data_stream();
    let answer = keep(&app, params, &headers, &mut chunks).await;
    if answer.is_err() {
        discard(chunks);
    }
    answer
}

async fn keep(
    app: &Arc<App>,
    mut params: Params,
    headers: &HeaderMap,
    chunks: &mut BodyDataStream,
) -> Outcome<Response> {
    let uploads = uploads(app)?;
    let name = params.long_text("name", 1024)?.unwrap_or_default();
    params.finish()?;
    if headers.get(header::CONTENT_TYPE).is_none_or(|given| given != TYPE) {
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("the Content-Type must be {TYPE}")));
    }
    let place = uploads.place()?;
    let spool = Spool::new(&name).map_err(|error| full(&error))?;
    let job = uploads.begin(&spool.name, Stage::Receiving)?;
    // a browser that goes away drops this function in the middle
    let interrupted = Interrupted(Arc::clone(&job));
    let received = tokio::select! {
        received = write(uploads, &job, &spool, chunks) => received,
        () = job.cancelled() => Err(Failure::new(StatusCode::CONFLICT, "cancelled")),
    };
    drop(place);
    if let Err(failure) = received {
        job.fails(failure.error.clone());
        return Err(failure);
    }
    job.goes_on(Stage::Waiting);
    drop(interrupted);
    // the first games get their indexes, without which every search would read all of them
    let index = app.inventory.get().await.map_or(true, |inventory| inventory.readable && inventory.games == 0);
    let answer = (StatusCode::ACCEPTED, Json(job.json())).into_response();
    let uploads = Arc::clone(uploads);
    tokio::spawn(async move { uploads.load(&job, &spool, index).await });
    Ok(answer)
}

/// Fails its job if it is dropped while the file arrives.
struct Interrupted(Arc<Job>);

impl Drop for Interrupted {
    fn drop(&mut self) {
        if self.0.stage() == Stage::Receiving {
            self.0.fails("the file did not arrive to its end");
        }
    }
}

async fn write(uploads: &Uploads, job: &Job, spool: &Spool, chunks: &mut BodyDataStream) -> Outcome<()> {
    let mut file =
        OpenOptions::new().write(true).create_new(true).open(spool.path()).await.map_err(|error| full(&error))?;
    let mut head = Vec::new();
    loop {
        let late = |_| Failure::new(StatusCode::REQUEST_TIMEOUT, "nothing of the file has arrived for a minute");
        let Some(chunk) = tokio::time::timeout(SILENCE, chunks.next()).await.map_err(late)? else { break };
        let chunk = chunk.map_err(|_| Failure::bad("the file did not arrive to its end"))?;
        if job.receives(chunk.len()) > uploads.most << 20 {
            let error = format!("the file has more than {} MiB", uploads.most);
            return Err(
                Failure::new(StatusCode::PAYLOAD_TOO_LARGE, error).hint("chess-pgn load takes files of any size")
            );
        }
        if head.len() < SQLITE.len() {
            head.extend(chunk.iter().take(SQLITE.len() - head.len()));
        }
        file.write_all(&chunk).await.map_err(|error| full(&error))?;
    }
    file.flush().await.map_err(|error| full(&error))?;
    match head.as_slice() {
        [] => Err(Failure::bad("the file is empty")),
        SQLITE => Err(Failure::bad("databases of SQLite cannot be sent").hint("chess-pgn load reads those of ocgdb")),
        _ => Ok(()),
    }
}

/// 507: the disk takes no more.
fn full(error: &std::io::Error) -> Failure {
    eprintln!("chess-web: a file that was sent cannot be kept: {error}");
    Failure::new(StatusCode::INSUFFICIENT_STORAGE, "the server has no room for the file")
        .hint("uploads are kept in the directory of TMPDIR until they are loaded")
}

/// `DELETE /api/uploads/{id}`: cancels a job, or forgets one that is done.
pub async fn cancel(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Outcome<StatusCode> {
    match uploads(&app)?.remove(id) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Failure::missing("there is no such upload")),
    }
}

/// `GET /api/sources`.
pub async fn sources(State(app): State<Arc<App>>, params: Params) -> Outcome<Json<Json_>> {
    params.finish()?;
    uploads(&app)?;
    let inventory = app.inventory.readable().await?;
    let rows = app.database.rows(&Query::new(SOURCES, []), &inventory.names).await?;
    let source = |row: &Row| {
        json!({
            "id": row.get::<_, i32>("id"),
            "name": row.get::<_, &str>("name"),
            "bytes": row.get::<_, Option<i64>>("bytes"),
            "seen": row.get::<_, &str>("seen"),
            "finished": row.get::<_, bool>("finished"),
            "stored": row.get::<_, i64>("stored"),
            "incomplete": row.get::<_, i64>("incomplete"),
            "rejected": row.get::<_, i64>("rejected"),
            "known": row.get::<_, i64>("known"),
        })
    };
    Ok(Json(json!({ "sources": rows.iter().map(source).collect::<Vec<_>>() })))
}

/// `GET /api/sources/{id}/rejected`.
pub async fn rejected(State(app): State<Arc<App>>, Path(id): Path<i32>, params: Params) -> Outcome<Json<Json_>> {
    params.finish()?;
    uploads(&app)?;
    let inventory = app.inventory.readable().await?;
    let rows = app.database.rows(&Query::new(REJECTED, [id.into(), SHOWN.into()]), &inventory.names).await?;
    let game = |row: &Row| {
        json!({
            "line": row.get::<_, i64>("line"),
            "number": row.get::<_, i64>("number"),
            "reason": row.get::<_, &str>("reason"),
            "text": row.get::<_, &str>("text"),
            "game": row.get::<_, Option<i64>>("game_id").map(game_id::write),
        })
    };
    Ok(Json(json!({ "rejected": rows.iter().map(game).collect::<Vec<_>>() })))
}

/// `DELETE /api/sources/{id}`: removes a source with all its games, as a job.
pub async fn unload(State(app): State<Arc<App>>, Path(id): Path<i32>) -> Outcome<Response> {
    let uploads = uploads(&app)?;
    let inventory = app.inventory.readable().await?;
    let query = Query::new("SELECT name FROM {schema}.sources WHERE id = {}", [id.into()]);
    let row = app.database.row(&query, &inventory.names).await?;
    let row = row.ok_or_else(|| Failure::missing("there is no such source"))?;
    let job = uploads.begin(row.get("name"), Stage::Waiting)?;
    let answer = (StatusCode::ACCEPTED, Json(job.json())).into_response();
    let uploads = Arc::clone(uploads);
    tokio::spawn(async move { uploads.unload(&job, id).await });
    Ok(answer)
}
