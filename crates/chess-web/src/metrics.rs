//! Numbers for a monitor, in the text format of Prometheus. In: what the other modules count here, and the places that
//! visitors share. Out: `/metrics`, which has an address of its own: behind a proxy all visitors seem to be of this machine,
//! so the page's own address cannot tell a monitor from them.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus::{
    Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, TEXT_FORMAT, TextEncoder, gather,
    register_histogram, register_histogram_vec, register_int_counter, register_int_counter_vec, register_int_gauge,
    register_int_gauge_vec,
};

use crate::api::app::App;
use crate::cache::layer::Cache;
use crate::failure::{Failure, Outcome};
use crate::http::guard::{Guard, guard};
use crate::http::places::Places;

/// Upper bounds in seconds: a kept answer takes a millisecond, and `--timeout` ends a query after 5 seconds.
const SECONDS: [f64; 10] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 1.0, 2.5, 5.0, 10.0];

/// A metric of the process. Registering it fails only if its name is invalid or taken.
macro_rules! metric {
    ($(#[$doc:meta])* $name:ident: $type:ty = $made:expr) => {
        $(#[$doc])*
        pub static $name: LazyLock<$type> = LazyLock::new(|| $made.expect("a name that is valid and new"));
    };
}

metric! {
    /// Questions that handlers answered, by their path and the status.
    QUESTIONS: HistogramVec = register_histogram_vec!(
        "chess_web_question_seconds", "Time of questions that handlers answered", &["path", "status"], SECONDS.to_vec())
}
metric! {
    /// Questions that the cache could answer, by what became of them.
    CACHED: IntCounterVec = register_int_counter_vec!(
        "chess_web_cache_questions_total", "Questions by where the answer was: browser, cache, or new", &["answer"])
}
metric! {
    CACHE_BYTES: IntGauge = register_int_gauge!("chess_web_cache_bytes", "Size of the answers that are kept")
}
metric! {
    /// Those who got no place.
    REFUSED: IntCounterVec = register_int_counter_vec!(
        "chess_web_refused_total", "Requests that got no place, by the kind of place", &["kind"])
}
metric! {
    PLACES: IntGaugeVec = register_int_gauge_vec!(
        "chess_web_places", "Places that visitors share, by kind: --places explains them", &["kind"])
}
metric! {
    TAKEN: IntGaugeVec = register_int_gauge_vec!("chess_web_places_taken", "Places that are taken, by kind", &["kind"])
}
metric! {
    WAITING: IntGaugeVec = register_int_gauge_vec!(
        "chess_web_places_waiting", "Requests that wait for a place, by kind", &["kind"])
}
metric! {
    /// Uploads and removals, by how they ended.
    UPLOADS: IntCounterVec = register_int_counter_vec!(
        "chess_web_uploads_total", "Uploads and removals that have ended: done, failed or cancelled", &["end"])
}
metric! {
    /// Bytes of files that visitors have sent.
    UPLOADED: IntCounter = register_int_counter!("chess_web_upload_bytes_total", "Bytes of files that have arrived")
}
metric! {
    /// Searches of engines.
    SEARCHES: Histogram = register_histogram!(
        "chess_web_engine_seconds", "Time of searches of engines", vec![0.1, 0.5, 1.0, 3.0, 10.0, 30.0, 60.0])
}
metric! {
    /// Searches that an engine broke off.
    BROKEN: IntCounter = register_int_counter!("chess_web_engine_failures_total", "Searches that failed")
}
metric! {
    UP: IntGauge = register_int_gauge!("chess_web_database_up", "Whether the games can be read, as /healthz says")
}
metric! {
    GAMES: IntGauge = register_int_gauge!("chess_web_games", "Games in the database, estimated where there are many")
}
metric! {
    VERSION: IntGaugeVec = register_int_gauge_vec!("chess_web_info", "The version", &["version"])
}

/// The places that are reported.
static WATCHED: Mutex<Vec<Arc<Places>>> = Mutex::new(Vec::new());

/// Reports these places from now on.
pub fn watch(places: &Arc<Places>) {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(places.clone());
}

/// `/metrics`, under the same rules as the page: the names of the server, the password, the rate of one address.
pub fn routes(app: Arc<App>, cache: Arc<Cache>, rules: Arc<Guard>) -> Router {
    let state = (app, cache);
    Router::new().route("/metrics", get(metrics)).layer(from_fn_with_state(rules, guard)).with_state(state)
}

async fn metrics(State((app, cache)): State<(Arc<App>, Arc<Cache>)>) -> Outcome<Response> {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    for places in WATCHED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is registered twice would fail only when it is first used.
    #[test]
    fn names_are_valid_and_new() {
        for counter in [&*CACHED, &*REFUSED, &*UPLOADS] {
            counter.with_label_values(&["x"]);
        }
        for gauge in [&*PLACES, &*TAKEN, &*WAITING, &*VERSION] {
            gauge.with_label_values(&["x"]);
        }
        QUESTIONS.with_label_values(&["x", "y"]);
        for metric in [&*CACHE_BYTES, &*UP, &*GAMES] {
            metric.set(0);
        }
        (UPLOADED.inc(), BROKEN.inc(), SEARCHES.observe(1.0));
        let named: Vec<_> = gather().iter().map(|family| family.name().to_owned()).collect();
        assert_eq!(named.len(), 14, "{named:?}");
    }
}
