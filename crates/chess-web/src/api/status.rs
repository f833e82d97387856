//! `/api/status`: what the database holds, or why it cannot be read and what to do. `/healthz`: whether it can be read.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use chess_db::features::Feature;

use crate::api::app::App;
use crate::database::inventory::Inventory;
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
    let found = app.inventory.get().await;
    let features = features(app.has_sessions, app.uploads.as_ref().map(|uploads| uploads.most), found.as_deref().ok());
    Ok(Json(match found {
        Ok(inventory) => json!({
            "games": if inventory.readable { inventory.games } else { 0 },
            "exact": inventory.exact,
            "version": version,
            "extension": inventory.version,
            "engine": app.engines.is_some(),
            "features": features,
            "error": inventory.error(),
            "hint": inventory.hint(),
        }),
        Err(failure) => json!({
            "games": 0,
            "exact": false,
            "version": version,
            "extension": null,
            "engine": app.engines.is_some(),
            "features": features,
            "error": failure.error,
            "hint": failure.hint,
        }),
    }))
}

/// What the page can do. Until an inventory tells, uploads are taken: they make the tables.
fn features(has_sessions: bool, upload: Option<u64>, inventory: Option<&Inventory>) -> Value {
    let has = |part: fn(&Inventory) -> bool| inventory.is_some_and(part);
    let mut features = json!({
        "sessions": has_sessions,
        "analysis": has(|inventory| inventory.analyzed),
        "annotated": has(|inventory| inventory.annotated),
        "positionsIndexed": has(|inventory| inventory.positions_indexed),
        "endgameTables": has(|inventory| inventory.endgame_tables),
    });
    for feature in Feature::ALL {
        features[feature.name()] = inventory.is_some_and(|inventory| inventory.has(feature)).into();
    }
    // the most MiB of a file, if visitors may add games
    let may_add = inventory.is_none_or(|inventory| inventory.has(Feature::Uploads));
    features[Feature::Uploads.name()] = upload.filter(|_| may_add).into();
    features
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn api_md_has_every_feature() {
        let document = include_str!("../../API.md");
        let (_, section) = document.split_once("## GET /api/status").unwrap();
        let (_, list) = section.split_once("\"features\": {").unwrap();
        let (list, _) = list.split_once('}').unwrap();
        let listed: Value = serde_json::from_str(&format!("{{{list}}}")).unwrap();
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(&listed), names(&features(false, None, None)));
    }
}
