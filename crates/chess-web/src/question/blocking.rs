//! Work that takes processor time, such as the reading of a pattern, away from the threads that serve connections.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use axum::http::StatusCode;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::failure::{Failure, Outcome};

/// Runs work on a thread of its own; as many run at a time as there are processors. A timeout of the request ends only the
/// wait: the work goes on to its end or its own limit.
///
/// # Errors
///
/// 500 if the work panics.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
    static PLACES: LazyLock<Semaphore> =
        LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, |processors| processors.get())));
    let failed = |_| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has failed; its log has the reason");
    // the semaphore never closes
    let place = PLACES.acquire().await.map_err(|_| Failure::unavailable("the server is shutting down"))?;
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
