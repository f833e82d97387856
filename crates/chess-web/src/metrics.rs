//! Numbers for a monitor: what the other modules count, by the names that `/metrics` gives them (`api/monitor.rs`).

use std::sync::LazyLock;

use prometheus::{
    Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, register_histogram,
    register_histogram_vec, register_int_counter, register_int_counter_vec, register_int_gauge, register_int_gauge_vec,
};

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
    /// The size of the cache.
    CACHE_BYTES: IntGauge = register_int_gauge!("chess_web_cache_bytes", "Size of the answers that are kept")
}
metric! {
    /// Those who got no place.
    REFUSED: IntCounterVec = register_int_counter_vec!(
        "chess_web_refused_total", "Requests that got no place, by the kind of place", &["kind"])
}
metric! {
    /// The places of each kind.
    PLACES: IntGaugeVec = register_int_gauge_vec!(
        "chess_web_places", "Places that visitors share, by kind: --places explains them", &["kind"])
}
metric! {
    /// Those that are taken.
    TAKEN: IntGaugeVec = register_int_gauge_vec!("chess_web_places_taken", "Places that are taken, by kind", &["kind"])
}
metric! {
    /// Those who wait for one.
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
    /// 1 if the database answers, otherwise 0.
    UP: IntGauge = register_int_gauge!("chess_web_database_up", "Whether the games can be read, as /healthz says")
}
metric! {
    /// The games in the database.
    GAMES: IntGauge = register_int_gauge!("chess_web_games", "Games in the database, estimated where there are many")
}
metric! {
    /// 1 for the version that runs.
    VERSION: IntGaugeVec = register_int_gauge_vec!("chess_web_info", "The version", &["version"])
}

#[cfg(test)]
mod tests {
    use prometheus::gather;

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
        UPLOADED.inc();
        BROKEN.inc();
        SEARCHES.observe(1.0);
        let named: Vec<_> = gather().iter().map(|family| family.name().to_owned()).collect();
        assert_eq!(named.len(), 14, "{named:?}");
    }
}
