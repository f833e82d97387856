//! Which path leads to which handler.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::app::App;
use crate::failure::Failure;
use crate::guard::{BODY, Guard, guard};
use crate::status::status;
use crate::{assets, explorer, game, games, lookup};

/// All paths.
pub fn routes(app: Arc<App>, rules: Guard) -> Router {
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
        .fallback(page)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::new(rules), guard))
        .with_state(app)
}

/// A file of the page, or the page itself, which finds out from its address what to show.
async fn page(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_view = path.is_empty()
        || ["games", "search", "notebooks", "boards"].contains(&path)
        || ["game/", "n/", "board/"].iter().any(|prefix| path.starts_with(prefix));
    match assets::get(if is_view { "index.html" } else { path }, &headers) {
        Some(response) => response.into_response(),
        None => Failure::missing("there is no such page").into_response(),
    }
}
