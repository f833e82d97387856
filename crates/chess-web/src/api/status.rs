//! `/api/status`: what the database holds, or why it cannot be read and what to do. `/healthz`: whether it can be read.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use chess_db::features::Feature;

use crate::api::app::App;
use crate::failure::Outcome;

/// Tells a monitor whether questions are answered, as of at most some seconds ago.
///
/// # Errors
///
/// 503 with advice if the database cannot be reached, or its games cannot be read.
pub async fn health(State(app): State<Arc<App>>) -> Outcome<&'static str> {
    app.inventory.readable().await.map(|_| "ok\n")
}

/// What the page shows of the database. The status is 200 even without a database, because `hint` then says what to do.
pub async fn status(State(app): State<Arc<App>>) -> Outcome<Json<Value>> {
    let version = env!("CARGO_PKG_VERSION");
    let sessions = app.has_sessions;
    let upload = app.uploads.as_ref().map(|uploads| uploads.most);
    Ok(Json(match app.inventory.get().await {
        Ok(inventory) => {
            let mut features = json!({
                "sessions": sessions,
                "analysis": inventory.analyzed,
                "annotated": inventory.annotated,
                "positionsIndexed": inventory.positions_indexed,
                "endgameTables": inventory.endgame_tables,
            });
            for feature in Feature::ALL {
                features[feature.name()] = inventory.has(feature).into();
            }
            // the most MiB of a file, if visitors may add games
            features[Feature::Uploads.name()] = upload.filter(|_| inventory.has(Feature::Uploads)).into();
            json!({
            "games": if inventory.readable { inventory.games } else { 0 },
            "exact": inventory.exact,
            "version": version,
            "extension": inventory.version,
            "engine": app.engines.is_some(),
            "features": features,
            "error": inventory.error(),
            "hint": inventory.hint(),
            })
        }
        Err(failure) => json!({
            "games": 0,
            "exact": false,
            "version": version,
            "extension": null,
            "engine": app.engines.is_some(),
            "features": {
                "sessions": sessions, "upload": upload, "annotated": false, "positionsIndexed": false, "endgameTables": false,
            },
            "error": failure.error,
            "hint": failure.hint,
        }),
    }))
}
