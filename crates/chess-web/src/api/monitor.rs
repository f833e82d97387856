//! `/metrics`, in the text format of Prometheus. In: what [`crate::metrics`] counts, the places that visitors share, the state
//! of the cache and of the database. It has an address of its own: behind a proxy all visitors seem to be of this machine, so
//! the page's own address cannot tell a monitor from them.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus::{TEXT_FORMAT, TextEncoder, gather};

use crate::api::app::App;
use crate::cache::layer::Cache;
use crate::failure::{Failure, Outcome};
use crate::http::guard::{Guard, guard};
use crate::http::places::Places;
use crate::metrics::{CACHE_BYTES, GAMES, PLACES, REFUSED, TAKEN, UP, VERSION, WAITING};

/// `/metrics`, under the same rules as the page: the names of the server, the password, the rate of one address.
pub fn routes(app: Arc<App>, cache: Arc<Cache>, rules: Arc<Guard>) -> Router {
    let state = (app, cache);
    Router::new().route("/metrics", get(metrics)).layer(from_fn_with_state(rules, guard)).with_state(state)
}

async fn metrics(State((app, cache)): State<(Arc<App>, Arc<Cache>)>) -> Outcome<Response> {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    for places in Places::watched() {
        let ((taken, waiting), kind) = (places.used(), [places.name()]);
        for (gauge, count) in [(&*PLACES, places.most()), (&*TAKEN, taken), (&*WAITING, waiting)] {
            gauge.with_label_values(&kind).set(number(count));
        }
        // kinds without a refusal are told, too
        REFUSED.with_label_values(&kind);
    }
    CACHE_BYTES.set(i64::try_from(cache.bytes()).unwrap_or(i64::MAX));
    VERSION.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
    let readable = app.inventory.readable().await;
    UP.set(readable.is_ok().into());
    if let Ok(inventory) = readable {
        GAMES.set(inventory.games);
    }
    let text = TextEncoder::new().encode_to_string(&gather());
    let text = text.map_err(|_| Failure::unavailable("the metrics cannot be written"))?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static(TEXT_FORMAT))], text).into_response())
}
