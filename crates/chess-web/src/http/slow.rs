//! Measures how long questions take. In: requests, and the time after which one is slow. Out: the histogram of questions.
//! Each slow one also gets a line in the log, which names its path and parameters, how it ended and how long it took.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;

use crate::metrics::QUESTIONS;

/// The most characters of the parameters that a line has.
const PARAMETERS: usize = 500;

/// A question that is being answered.
struct Asked {
    method: Method,
    uri: Uri,
    /// The path with the names of its parts, as `/api/shared/{key}`: who knows a key may read what it belongs to.
    path: Option<MatchedPath>,
    begun: Instant,
    slow: Duration,
    status: Option<StatusCode>,
}

/// Answers a question, and writes a line if that takes `slow` or longer.
pub async fn timed(State(slow): State<Duration>, request: Request, next: Next) -> Response {
    let mut asked = Asked {
        method: request.method().clone(),
        uri: request.uri().clone(),
        path: request.extensions().get().cloned(),
        begun: Instant::now(),
        slow,
        status: None,
    };
    let response = next.run(request).await;
    asked.status = Some(response.status());
    response
}

/// The end of a question, also of one that was given up.
impl Drop for Asked {
    fn drop(&mut self) {
        let took = self.begun.elapsed();
        let path = self.path.as_ref().map_or("", MatchedPath::as_str);
        let status = self.status.as_ref().map_or("given up", StatusCode::as_str);
        QUESTIONS.with_label_values(&[path, status]).observe(took.as_secs_f64());
        if took < self.slow {
            return;
        }
        let parameters: String = self.uri.query().unwrap_or_default().chars().take(PARAMETERS).collect();
        let mark = if parameters.is_empty() { "" } else { "?" };
        let end = match self.status {
            Some(status) => status.to_string(),
            None => "given up".to_owned(),
        };
        tracing::warn!("{} {path}{mark}{parameters} took {} ms: {end}", self.method, took.as_millis());
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use tower_service::Service as _;

    use super::*;
    use crate::log;
    use crate::log::tests::Written;

    /// What the log has about a question that takes 20 ms.
    async fn logged(slow: u64) -> String {
        let written = Written::default();
        let _log = tracing::subscriber::set_default(log::to(written.clone()));
        let answer = async || tokio::time::sleep(Duration::from_millis(20)).await;
        let layer = from_fn_with_state(Duration::from_millis(slow), timed);
        let mut router = Router::new().route("/api/shared/{key}", get(answer)).layer(layer);
        let request = Request::get("/api/shared/secret?player=Tal,+M%0a").body(Body::empty()).unwrap();
        assert_eq!(router.call(request).await.unwrap().status(), StatusCode::OK);
        written.text()
    }

    #[tokio::test]
    async fn only_slow_questions_are_logged() {
        let line = logged(20).await;
        assert!(line.starts_with("chess-web: GET /api/shared/{key}?player=Tal,+M%0a took "), "{line}");
        assert!(line.ends_with(" ms: 200 OK\n"), "{line}");
        assert_eq!(logged(600_000).await, "");
    }

    #[tokio::test]
    async fn a_question_that_is_given_up_is_logged() {
        let written = Written::default();
        let _log = tracing::subscriber::set_default(log::to(written.clone()));
        let layer = from_fn_with_state(Duration::ZERO, timed);
        let mut router = Router::new().route("/api/games", get(std::future::pending::<()>)).layer(layer);
        let request = Request::get("/api/games").body(Body::empty()).unwrap();
        let call = router.call(request);
        assert!(tokio::time::timeout(Duration::from_millis(1), call).await.is_err());
        assert!(written.text().ends_with(" ms: given up\n"), "{}", written.text());
    }
}
