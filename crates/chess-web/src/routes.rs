//! Which path leads to which handler.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};

use crate::answers::keep;
use crate::app::App;
use crate::failure::Failure;
use crate::guard::{BODY, Guard, guard};
use crate::status::status;
use crate::visitor::renew;
use crate::{assets, boards, evaluations, explorer, game, games, lichess, live_engine, lookup, notebooks, views};

/// All paths.
pub fn routes(app: Arc<App>, rules: Guard) -> Router {
    let kept = Router::new()
        .route("/api/views", get(views::list).post(views::create))
        .route("/api/views/{id}", delete(views::remove))
        .route("/api/notebooks", get(notebooks::list).post(notebooks::create))
        .route("/api/notebooks/{id}", get(notebooks::read).patch(notebooks::change).delete(notebooks::remove))
        .route("/api/notebooks/{id}/nodes", post(notebooks::add))
        .route("/api/notebooks/{id}/nodes/{node}", patch(notebooks::change_node).delete(notebooks::cut))
        .route("/api/boards", get(boards::list).post(boards::create))
        .route("/api/boards/{id}", get(boards::read).put(boards::write).delete(boards::remove))
        .route_layer(middleware::from_fn(renew));
    Router::new()
        .route("/api/status", get(status))
        .route("/api/explorer", get(explorer::explorer))
        .route("/api/games", get(games::games))
        .route("/api/games/count", get(games::count))
        .route("/api/games/{id}", get(game::game))
        .route("/api/games/{id}/pgn", get(game::download))
        .route("/api/pattern", get(lookup::pattern))
        .route("/api/players", get(lookup::players))
        .route("/api/events", get(lookup::events))
        .route("/api/explorer/batch", post(lichess::batch))
        .route("/api/cloud-eval", get(evaluations::cloud))
        .route("/api/engine", get(live_engine::engine))
        .route("/masters", get(lichess::masters))
        .route("/master", get(lichess::masters))
        .route("/masters/pgn/{id}", get(lichess::pgn))
        .route("/master/pgn/{id}", get(lichess::pgn))
        .route("/lichess", get(lichess::lichess))
        .route("/player", get(lichess::player))
        .route("/personal", get(lichess::player))
        .merge(kept)
        .fallback(page)
        .layer(middleware::from_fn_with_state(app.clone(), keep))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::new(rules), guard))
        .with_state(app)
}

/// A file of the page, or the page itself, which finds out from its address what to show.
async fn page(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_view = !path.starts_with("api/") && !path.rsplit('/').next().unwrap_or_default().contains('.');
    match assets::get(if is_view { "index.html" } else { path }, &headers) {
        Some(response) => response.into_response(),
        None => Failure::missing("there is no such page").into_response(),
    }
}
