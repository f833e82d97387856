//! Work that takes processor time, such as the reading of a pattern, away from the threads that serve connections.

use std::sync::{Arc, OnceLock};

use axum::http::StatusCode;
use tokio::task::spawn_blocking;

use crate::failure::{Failure, Outcome};
use crate::http::places::{Places, current};

/// Threads for the work of all requests. `main` says how many there are.
pub static THREADS: OnceLock<Arc<Places>> = OnceLock::new();

/// Runs work on a thread of its own; as many run at a time as there are processors. A timeout of the request ends only the
/// wait: the work goes on to its end or its own limit.
///
/// # Errors
///
/// 429 or 503 if there is no thread for the client, 500 if the work panics.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
    let failed = |_| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has failed; its log has the reason");
    let place = match THREADS.get() {
        Some(threads) => Some(threads.take(current()).await?),
        None => None,
    };
    spawn_blocking(move || {
        // held to the end of the work, even after the request has timed out
        let _place = place;
        work()
    })
    .await
    .map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The test has one thread: it can answer other requests only if the work runs elsewhere.
    #[tokio::test]
    async fn work_runs_on_another_thread() {
        let (begins, mut began) = tokio::sync::mpsc::unbounded_channel();
        let (end, ends) = std::sync::mpsc::channel();
        let work = tokio::spawn(run_blocking(move || {
            begins.send(()).unwrap();
            ends.recv_timeout(Duration::from_secs(30)).unwrap_or("nobody could say when")
        }));
        began.recv().await.unwrap();
        end.send("done").unwrap();
        assert_eq!(work.await.unwrap(), Ok("done"));
    }
}
