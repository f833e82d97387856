//! `/api/uploads` and `/api/sources`: files are received and their jobs listed; sources are listed, looked into and removed. And
//! the jobs in which an engine goes through games.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Extension;
use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use openssl::sha::sha256;
use serde::Deserialize;
use serde_json::{Value as Json_, json};
use tokio::fs::OpenOptions;
use tokio::io::AsyncWriteExt as _;
use tokio_postgres::Row;

use crate::api::app::App;
use crate::api::game::missing;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::body::{Arriving, Body as Asked};
use crate::http::client::Client;
use crate::http::cookie::{self, Cookie, with_cookie};
use crate::http::params::Params;
use crate::http::path::Path;
use crate::http::places::{Place, current};
use crate::question::game_id;
use crate::uploads::job::{Job, Owner, Stage};
use crate::uploads::queue::{PLIES, Uploads};
use crate::uploads::spool::Spool;

/// The type of a body. Pages of other sites cannot send it without asking first, which this server answers with no.
const TYPE: &str = "application/octet-stream";

/// The first bytes of databases of SQLite, which the loader can read as well, but not from strangers.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// The cookie of visitors who have sent something. It is not that of sessions, which not every server has.
const COOKIE: &str = "chess-uploads";

/// Rejected and incomplete games of a source that are shown.
const SHOWN: i32 = 200;

/// Each with the sums of its pieces; the latest first, those of the visitor in any case.
const SOURCES: &str = include_str!("sql/sources.sql");

/// The longest text that is shown of a rejected game, in characters, is 2000.
const REJECTED: &str = "\
SELECT line, number, reason, left(text, 2000) AS text, game_id FROM {schema}.rejected WHERE source_id = {} ORDER BY number LIMIT {}";

/// What takes files.
///
/// # Errors
///
/// 404 if this server takes none.
pub fn uploads(app: &App) -> Outcome<&Arc<Uploads>> {
    app.uploads.as_ref().ok_or_else(|| Failure::missing("this server takes no games").hint("chess-web --upload"))
}

/// Who asks, by the cookie.
pub struct Bringer {
    form: Cookie,
    /// The hash of the cookie, if there is one.
    pub hash: Option<[u8; 32]>,
}

impl Bringer {
    /// The hash of the cookie, and the cookie itself if it is a new one.
    fn known(&self) -> Outcome<([u8; 32], Option<HeaderValue>)> {
        match self.hash {
            Some(hash) => Ok((hash, None)),
            None => {
                let secret = cookie::secret()?;
                Ok((sha256(secret.as_bytes()), self.form.set(&secret)))
            }
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Bringer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Bringer, Infallible> {
        let form = Cookie::new(COOKIE, &parts.extensions);
        let hash = form.read(&parts.headers, |_| false).first().map(|secret| sha256(secret.as_bytes()));
        Ok(Bringer { form, hash })
    }
}

/// `GET /api/uploads`.
pub async fn list(State(app): State<Arc<App>>, bringer: Bringer, params: Params) -> Outcome<Json<Json_>> {
    params.finish()?;
    Ok(Json(json!({ "uploads": uploads(&app)?.json(bringer.hash), "analysis": uploads(&app)?.analysis_json() })))
}

/// `POST /api/uploads`: the body is the file.
pub async fn receive(
    State(app): State<Arc<App>>,
    bringer: Bringer,
    params: Params,
    headers: HeaderMap,
    body: Body,
) -> Outcome<Response> {
    let mut file = Arriving::new("file", body);
    let answer = keep(&app, &bringer, params, &headers, &mut file).await;
    if answer.is_err() {
        file.discard();
    }
    answer
}

async fn keep(
    app: &Arc<App>,
    bringer: &Bringer,
    mut params: Params,
    headers: &HeaderMap,
    file: &mut Arriving,
) -> Outcome<Response> {
    let uploads = uploads(app)?;
    let name = params.long_text("name", 1024)?.unwrap_or_default();
    params.finish()?;
    if headers.get(header::CONTENT_TYPE).is_none_or(|given| given != TYPE) {
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("the Content-Type must be {TYPE}")));
    }
    let (cookie, new) = bringer.known()?;
    let owner = Owner { cookie, address: current() };
    let arriving = uploads.arriving.take(owner.address).await?;
    let spool = Spool::new(&name).map_err(|error| full(&error))?;
    let (job, open) = uploads.begin(&spool.name, Stage::Receiving, owner).await?;
    // a browser that goes away drops this function in the middle
    let interrupted = Interrupted(Arc::clone(&job));
    let received = tokio::select! {
        received = write(uploads, &job, &spool, file) => received,
        () = job.cancelled() => Err(Failure::new(StatusCode::CONFLICT, "cancelled")),
    };
    drop(arriving);
    if let Err(failure) = received {
        job.fails(failure.error.clone());
        return Err(failure);
    }
    job.goes_on(Stage::Waiting);
    drop(interrupted);
    // the first games get their indexes, without which every search would read all of them
    let index = app.inventory.get().await.map_or(true, |inventory| inventory.readable && inventory.games == 0);
    let answer = (StatusCode::ACCEPTED, Json(uploads.of_job(Some(cookie), &job)));
    tokio::spawn(load(Arc::clone(app), Arc::clone(uploads), job, spool, index, open));
    Ok(with_cookie(answer, new))
}

/// Loads a file and remembers who has brought it.
async fn load(app: Arc<App>, uploads: Arc<Uploads>, job: Arc<Job>, spool: Spool, index: bool, _open: Place) {
    uploads.load(&job, &spool, index).await;
    let mut unpacked = 0;
    for source in job.made() {
        match stored(&app, source).await {
            Ok(Some(row)) => {
                unpacked += row.get::<_, i64>("unpacked").unsigned_abs();
                uploads.brings(&job, source, row.get("fingerprint"));
            }
            Ok(None) => (),
            Err(failure) => tracing::error!("nobody can remove source {source} here: {}", failure.error),
        }
    }
    // what was sent was counted when it came
    uploads.loader.has_stored(job.owner.address, unpacked.saturating_sub(job.bytes()));
}

/// A source, if it is there: name, fingerprint, and how many bytes of it are loaded.
async fn stored(app: &App, source: i32) -> Outcome<Option<Row>> {
    let inventory = app.inventory.get().await?;
    let query = Query::new(
        "SELECT name, fingerprint, (SELECT coalesce(sum(end_offset - start_offset), 0)::bigint FROM {schema}.pieces \
         WHERE source_id = s.id) AS unpacked FROM {schema}.sources s WHERE id = {}",
        [source.into()],
    );
    app.database.row(&query, &inventory.names).await
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

/// Writes a file as it arrives.
async fn write(uploads: &Uploads, job: &Job, spool: &Spool, arriving: &mut Arriving) -> Outcome<()> {
    let mut file =
        OpenOptions::new().write(true).create_new(true).open(spool.path()).await.map_err(|error| full(&error))?;
    let mut head = Vec::new();
    while let Some(chunk) = arriving.next().await? {
        let received = job.receives(chunk.len());
        uploads.loader.stores(job.owner.address, chunk.len() as u64)?;
        if received > uploads.most << 20 {
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
    tracing::error!("a file that was sent cannot be kept: {error}");
    Failure::new(StatusCode::INSUFFICIENT_STORAGE, "the server has no room for the file")
        .hint("uploads are kept in the directory of TMPDIR until they are loaded")
}

/// `DELETE /api/uploads/{id}`: cancels a job, or forgets one that is done.
pub async fn cancel(State(app): State<Arc<App>>, bringer: Bringer, Path(id): Path<u64>) -> Outcome<StatusCode> {
    match uploads(&app)?.remove(id, bringer.hash) {
        Some(true) => Ok(StatusCode::NO_CONTENT),
        Some(false) => Err(others("this file was sent by somebody else")),
        None => Err(Failure::missing("there is no such upload")),
    }
}

/// 403: it belongs to somebody else.
pub fn others(error: &str) -> Failure {
    Failure::new(StatusCode::FORBIDDEN, error)
        .hint("chess-web --upload-manage lets visitors cancel, remove and correct what others have brought")
}

/// `GET /api/sources`.
pub async fn sources(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    bringer: Bringer,
    params: Params,
) -> Outcome<Json<Json_>> {
    params.finish()?;
    let uploads = uploads(&app)?;
    let inventory = app.inventory.readable().await?;
    let own = Value::Longs(uploads.brought(bringer.hash));
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    let rows = app.database.rows(&Query::new(SOURCES, [own]), &inventory.names).await?;
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
            "removable": uploads.may_remove(bringer.hash, row.get("id"), row.get("fingerprint")),
        })
    };
    Ok(Json(json!({ "sources": rows.iter().map(source).collect::<Vec<_>>() })))
}

/// `GET /api/sources/{id}/rejected`.
pub async fn rejected(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(id): Path<i32>,
    params: Params,
) -> Outcome<Json<Json_>> {
    params.finish()?;
    uploads(&app)?;
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::Moderate).await?;
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
pub async fn unload(State(app): State<Arc<App>>, bringer: Bringer, Path(id): Path<i32>) -> Outcome<Response> {
    let uploads = Arc::clone(uploads(&app)?);
    let name = removable(&app, &uploads, bringer.hash, id).await?;
    let owner = Owner { cookie: bringer.hash.unwrap_or_default(), address: current() };
    let (job, open) = uploads.begin(&name, Stage::Waiting, owner).await?;
    let answer = (StatusCode::ACCEPTED, Json(uploads.of_job(bringer.hash, &job))).into_response();
    tokio::spawn(async move {
        let _open = open;
        let work = async {
            let place = uploads.loading.take(owner.address).await?;
            // somebody may have added games to it meanwhile
            removable(&app, &uploads, bringer.hash, id).await?;
            uploads.loader.unload(&job, id).await;
            drop(place);
            Ok::<_, Failure>(())
        };
        tokio::select! {
            done = work => if let Err(failure) = done { job.fails(failure.error) },
            () = job.cancelled() => (),
        }
    });
    Ok(answer)
}

/// Selects the players of games and the number of their half-moves.
const PLAYERS: &str = "\
SELECT g.id, coalesce(g.white, '?') || ' – ' || coalesce(g.black, '?') AS name, g.ply_count::bigint AS plies \
FROM {schema}.pgn_view g WHERE g.id = ANY ({})";

/// `POST /api/games/{id}/analysis`: an engine goes through a game, as a job.
pub async fn analyze(
    State(app): State<Arc<App>>,
    bringer: Bringer,
    Path(id): Path<String>,
    params: Params,
) -> Outcome<Response> {
    params.finish()?;
    analyze_all(app, bringer, &[id]).await
}

/// The body that names the games of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    games: Vec<String>,
}

/// `POST /api/games/analysis`: an engine goes through the games of a list, as one job.
pub async fn analyze_list(
    State(app): State<Arc<App>>,
    bringer: Bringer,
    params: Params,
    Asked(Listed { games }): Asked<Listed>,
) -> Outcome<Response> {
    params.finish()?;
    let most = uploads(&app)?.most_games;
    if games.len() > most as usize {
        let error = format!("{} games are too many: an analysis here takes up to {most}", games.len());
        let failure = Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error);
        return Err(failure.hint("chess-web --analyze-limit sets how many"));
    }
    analyze_all(app, bringer, &games).await
}

/// Begins a job for those of these games that are not too long, unless one for all of them is under way.
async fn analyze_all(app: Arc<App>, bringer: Bringer, ids: &[String]) -> Outcome<Response> {
    let uploads = Arc::clone(uploads(&app)?);
    let no_engine = || Failure::missing("this server has no engine").hint("chess-web --engine stockfish");
    let engine = app.engines.as_ref().ok_or_else(no_engine)?.arguments();
    let games = ids.iter().map(|id| game_id::read(id).ok_or_else(missing)).collect::<Outcome<Vec<i64>>>()?;
    let inventory = app.inventory.readable().await?;
    let rows = app.database.rows(&Query::new(PLAYERS, [Value::Longs(games)]), &inventory.names).await?;
    if rows.is_empty() {
        return Err(missing());
    }
    let plies = |row: &Row| row.get::<_, i64>("plies");
    let short: Vec<&Row> = rows.iter().filter(|row| plies(row) <= PLIES).collect();
    let name = match short.len() {
        0 => {
            let error = format!("the game has more than {PLIES} half-moves, too many for an analysis here");
            let failure = Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error);
            return Err(failure.hint("chess-pgn analyze goes through games of any length"));
        }
        1 => short[0].get("name"),
        several => format!("{several} games: {}, …", short[0].get::<_, &str>("name")),
    };
    let games = short.iter().map(|row| row.get("id")).collect();
    // the engine looks at the start and at the position after each half-move
    let positions = short.iter().map(|row| plies(row) as u64 + 1).sum();
    let (cookie, new) = bringer.known()?;
    let owner = Owner { cookie, address: current() };
    let (job, open) = uploads.analysis(games, positions, &name, owner).await?;
    let answer = (StatusCode::ACCEPTED, Json(uploads.of_job(Some(cookie), &job)));
    if let Some(open) = open {
        tokio::spawn(async move {
            let _open = open;
            uploads.analyze(&job, &engine).await;
        });
    }
    Ok(with_cookie(answer, new))
}

/// The name of a source that a visitor may remove.
///
/// # Errors
///
/// 404 if it is not there, 403 if somebody else has brought it.
async fn removable(app: &App, uploads: &Uploads, cookie: Option<[u8; 32]>, id: i32) -> Outcome<String> {
    app.inventory.readable().await?;
    let found = stored(app, id).await?.ok_or_else(|| Failure::missing("there is no such source"))?;
    match uploads.may_remove(cookie, id, found.get("fingerprint")) {
        true => Ok(found.get("name")),
        false => Err(others("this source was brought, or added to, by somebody else")),
    }
}
