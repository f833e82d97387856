//! Which path leads to which handler, and what stands before all of them: the guard, the limit of bodies, the cache.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use axum::{Extension, Router};
use chess_db::features::Feature;

use crate::api::app::App;
use crate::api::{
    corrections, endings, evaluations, explorer, export, game, games, lichess, live_engine, lookup, novelty, puzzles,
    repertoires, reports, status, tablebase, tournaments, tree, uploads,
};
use crate::cache::layer::{Cache, cached};
use crate::failure::{Failure, Outcome};
use crate::http::assets;
use crate::http::guard::{Guard, guard};
use crate::http::slow::timed;
use crate::saved::sessions::Sessions;
use crate::saved::{boards, changes, devices, notebooks, remembered, shared, training, views, visitor};

/// All paths. A question that takes `slow` or longer gets a line in the log.
pub fn routes(app: Arc<App>, sessions: Arc<Sessions>, cache: Arc<Cache>, rules: Arc<Guard>, slow: Duration) -> Router {
    let saved = saved().route_layer(from_fn_with_state(sessions.clone(), visitor::saving));
    questions(&app)
        .merge(saved.layer(Extension(app.clone())).with_state(sessions))
        .layer(from_fn_with_state(slow, timed))
        .merge(files(&app))
        .route("/api/engine", get(live_engine::engine))
        .fallback(page)
        .layer(from_fn_with_state(cache, cached))
        // the guard has measured them
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(rules, guard))
        .with_state(app)
}

/// What visitors save.
fn saved() -> Router<Arc<Sessions>> {
    Router::new()
        .route("/api/views", get(views::list).post(views::create))
        .route("/api/views/{id}", delete(views::remove))
        .route("/api/notebooks", get(notebooks::list).post(notebooks::create))
        .route("/api/notebooks/{id}", get(notebooks::read).patch(notebooks::change).delete(notebooks::remove))
        .route("/api/notebooks/{id}/nodes", post(notebooks::add))
        .route("/api/notebooks/{id}/nodes/{node}", patch(notebooks::change_node).delete(notebooks::cut))
        .route("/api/notebooks/{id}/moves", post(notebooks::add_moves))
        .route("/api/notebooks/{id}/undo", post(changes::undo))
        .route("/api/notebooks/{id}/check", get(repertoires::check))
        .route("/api/notebooks/{id}/gaps", get(repertoires::gaps))
        .route("/api/notebooks/{id}/training", get(training::read).post(training::answer).delete(training::forget))
        .route("/api/notebooks/{id}/training/remembered", get(remembered::list).post(remembered::add))
        .route("/api/notebooks/{id}/share", post(shared::share_notebook).delete(shared::unshare_notebook))
        .route("/api/boards", get(boards::list).post(boards::create))
        .route("/api/boards/{id}", get(boards::read).put(boards::write).delete(boards::remove))
        .route("/api/boards/{id}/share", post(shared::share_board).delete(shared::unshare_board))
        .route("/api/devices", get(devices::list))
        .route("/api/devices/{id}", patch(devices::rename).delete(devices::remove))
        .route("/api/invitations", post(devices::invite).delete(devices::withdraw))
        .route("/api/invitations/look", post(devices::look))
        .route("/api/invitations/join", post(devices::join))
        .route("/api/shared/{key}", get(shared::read).post(shared::copy))
}

/// Paths that only databases with a feature answer; others say why not.
fn needing(feature: Feature, app: &Arc<App>, paths: Router<Arc<App>>) -> Router<Arc<App>> {
    let check = move |State(app): State<Arc<App>>, request: Request, next: Next| async move {
        // where there are no tables yet, an upload makes them, and questions fail by themselves
        if let Ok(inventory) = app.inventory.get().await {
            inventory.needs(feature)?;
        }
        Outcome::Ok(next.run(request).await)
    };
    paths.route_layer(from_fn_with_state(app.clone(), check))
}

/// Questions to the database.
fn questions(app: &Arc<App>) -> Router<Arc<App>> {
    let puzzles = Router::new()
        .route("/api/puzzles", get(puzzles::next))
        .route("/api/puzzles/themes", get(puzzles::themes))
        .route("/api/puzzles/{id}", get(puzzles::one));
    let tournaments = Router::new()
        .route("/api/tournaments", get(tournaments::tournaments))
        .route("/api/crosstable", get(tournaments::crosstable));
    let of_player = Router::new().route("/api/reports/player", get(reports::player));
    let of_opening = Router::new().route("/api/reports/opening", get(reports::opening));
    let of_ending = Router::new()
        .route("/api/reports/ending", get(reports::ending))
        .route("/api/endings", get(endings::kinds))
        .route("/api/endings/thrown", get(endings::thrown));
    Router::new()
        .merge(needing(Feature::Puzzles, app, puzzles))
        .merge(needing(Feature::Tournaments, app, tournaments))
        .merge(needing(Feature::PlayerReports, app, of_player))
        .merge(needing(Feature::OpeningReports, app, of_opening))
        .merge(needing(Feature::EndingReports, app, of_ending))
        .route("/healthz", get(status::health))
        .route("/api/status", get(status::status))
        .route("/api/explorer", get(explorer::explorer))
        .route("/api/games", get(games::games))
        .route("/api/games/count", get(games::count))
        .route("/api/games/pgn", get(export::export))
        .route("/api/games/{id}", get(game::game))
        .route("/api/games/{id}/pgn", get(game::download))
        .route("/api/games/{id}/novelty", get(novelty::novelty))
        .route("/api/pgn", post(tree::pgn))
        .route("/api/pattern", get(lookup::pattern))
        .route("/api/tablebase", get(tablebase::moves))
        .route("/api/tablebase/map", get(tablebase::map))
        .route("/api/players", get(lookup::players))
        .route("/api/events", get(lookup::events))
        .route("/api/sites", get(lookup::sites))
        .route("/api/openings", get(lookup::openings))
        .route("/api/explorer/batch", post(lichess::batch))
        .route("/api/cloud-eval", get(evaluations::cloud))
        .route("/masters", get(lichess::masters))
        .route("/master", get(lichess::masters))
        .route("/masters/pgn/{id}", get(lichess::pgn))
        .route("/master/pgn/{id}", get(lichess::pgn))
        .route("/game/export/{id}", get(lichess::game_export))
        .route("/lichess", get(lichess::lichess))
        .route("/player", get(lichess::player))
        .route("/personal", get(lichess::player))
}

/// What takes as long as a client sends.
fn files(app: &Arc<App>) -> Router<Arc<App>> {
    let files = Router::new()
        .route("/api/uploads", get(uploads::list).post(uploads::receive))
        .route("/api/uploads/{id}", delete(uploads::cancel))
        .route("/api/sources", get(uploads::sources))
        .route("/api/sources/{id}", delete(uploads::unload))
        .route("/api/sources/{id}/rejected", get(uploads::rejected))
        .route("/api/games/analysis", post(uploads::analyze_list))
        .route("/api/games/{id}/analysis", post(uploads::analyze))
        .route("/api/corrections/{id}", get(corrections::state).put(corrections::replace).delete(corrections::undo));
    needing(Feature::Uploads, app, files)
}

/// The first parts of the addresses that the page has a view for, as ui/main.ts has them.
const VIEWS: [&str; 19] = [
    "",
    "games",
    "game",
    "search",
    "analysis",
    "notebooks",
    "n",
    "shared",
    "train",
    "puzzles",
    "add",
    "openings",
    "opening",
    "endings",
    "play",
    "player",
    "tournament",
    "devices",
    "join",
];

/// A file of the page. Every other path gets the page itself, whose script reads from the address what to show; with 404 if
/// it has no view for it, so that programs need not read the page to see that.
async fn page(uri: Uri, mut headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    // names of players and tournaments may have dots
    let is_named = ["player/", "opening/", "tournament/"].iter().any(|view| path.starts_with(view));
    let is_view = is_named || !path.starts_with("api/") && !path.rsplit('/').next().unwrap_or_default().contains('.');
    let is_unknown = is_view && !VIEWS.contains(&path.split('/').next().unwrap_or_default());
    if is_unknown {
        // the client may have the same page from another address, but it has not seen the status of this answer
        headers.remove(header::IF_NONE_MATCH);
    }
    let file = if is_view { assets::page(&headers) } else { assets::get(path, uri.query(), &headers) };
    match file {
        Some(mut response) => {
            if is_unknown {
                *response.status_mut() = StatusCode::NOT_FOUND;
            }
            response.into_response()
        }
        None => Failure::missing("there is no such page").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use axum::body::to_bytes;
    use axum::http::HeaderValue;

    use super::*;

    #[tokio::test]
    async fn an_unknown_address_gets_the_page_also_if_the_client_has_it() {
        let tag = page(Uri::from_static("/games"), HeaderMap::new()).await.headers()[header::ETAG].clone();
        for (path, status) in [("/games", StatusCode::NOT_MODIFIED), ("/nothing", StatusCode::NOT_FOUND)] {
            let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, tag.clone())]);
            let response = page(Uri::from_static(path), headers).await;
            assert_eq!(response.status(), status, "{path}");
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert_eq!(body.is_empty(), status == StatusCode::NOT_MODIFIED, "{path}");
        }
    }

    #[tokio::test]
    async fn files_come_in_an_encoding_that_the_client_takes() {
        for (accepted, encoding) in [("gzip;q=0, identity", None), ("xgzip", None), ("br, gzip", Some("gzip"))] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            let response = page(Uri::from_static("/app.js"), headers).await;
            let told = response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap());
            assert_eq!(told, encoding, "{accepted}");
        }
    }

    #[test]
    fn views_are_those_of_the_page() {
        let source = include_str!("../ui/main.ts");
        let views = source.split_once("const VIEWS: Views = {").unwrap().1.split_once('}').unwrap().0;
        let later =
            source.split_once("const LATER").unwrap().1.split_once("= {").unwrap().1.split_once("\n};").unwrap().0;
        let names: BTreeSet<&str> = views
            .split(',')
            .chain(later.lines())
            .map(|entry| entry.split(':').next().unwrap_or_default().trim().trim_matches(['\'', ',']))
            .collect();
        assert_eq!(names, BTreeSet::from(VIEWS));
    }
}
