//! Accepts connections within the limits, serves HTTP on them, and closes silent ones.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, header};
use axum::response::IntoResponse as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_io_timeout::TimeoutStream;
use tower_service::Service as _;

use crate::failure::Failure;
use crate::http::base::Base;
use crate::http::client::{Peer, network};
use crate::http::errors;
use crate::http::places::{Place, Places};

/// How long requests in work may take when the program ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// The largest head of a request, in bytes: a pattern and a list of moves fit in, as URLs write them.
const HEAD: usize = 32 * 1024;

/// The handlers, and the path of the site that their paths are below.
#[derive(Clone)]
pub struct Site {
    /// The handlers.
    pub router: Router,
    /// The path.
    pub base: Base,
}

impl Site {
    async fn answer(mut self, mut request: Request<Body>) -> Response<Body> {
        if !self.base.strip(request.uri_mut()) {
            return Failure::missing(format!("the page is at {}/", self.base)).into_response();
        }
        let (method, are_json) = (request.method().clone(), errors::are_json(request.uri().path()));
        let answered = self.router.call(request).await.unwrap_or_else(|never| match never {});
        if are_json { errors::in_json(&method, answered).await } else { answered }
    }
}

/// State that all connections share.
#[derive(Clone)]
struct Served {
    site: Site,
    /// Timeout for the head of a request, between requests, and for reading an answer.
    silence: Duration,
    ending: watch::Receiver<()>,
}

/// Serves until `end` is there.
pub async fn serve(
    listener: TcpListener,
    site: Site,
    connections: Arc<Places>,
    silence: Duration,
    end: impl Future<Output = ()>,
) {
    let (farewell, ending) = watch::channel(());
    let served = Served { site, silence, ending };
    let mut end = std::pin::pin!(end);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut end => break,
        };
        let (mut stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // no file handle is free, or the client is gone again
                tracing::error!("{error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // waits only for a connection that gives way: accepting first would exceed the limit of open files
        match connections.take(network(address.ip())).await {
            Ok(place) => drop(tokio::spawn(attend(stream, address, place, served.clone()))),
            Err(refusal) => {
                // clients that stop reading are not waited for
                drop(stream.try_write(answer(refusal.failure()).as_bytes()));
                drop(stream.shutdown().await);
            }
        }
    }
    drop((listener, served));
    let _ = farewell.send(());
    tokio::select! {
        // each connection holds a receiver
        () = farewell.closed() => (),
        () = tokio::time::sleep(FAREWELL) => (),
    }
}

/// The HTTP response of a connection that is not served, as bytes on the wire.
fn answer(failure: Failure) -> String {
    let (status, body) = (failure.status, json!({ "error": failure.error }).to_string());
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nRetry-After: 2\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Serves the requests of one connection until it ends or must give way. It gives way while it is silent: until the head of
/// its first request is complete.
async fn attend(stream: TcpStream, address: SocketAddr, place: Place, served: Served) {
    let Served { site, silence, mut ending } = served;
    drop(stream.set_nodelay(true));
    let mut gives_way = place.offer();
    let place = Arc::new(place);
    // freed after the stream is closed
    let _held = Arc::clone(&place);
    let refusal = place.refusal();
    let service = service_fn(move |mut request: Request<Incoming>| {
        place.keep();
        request.extensions_mut().insert(Peer(address));
        let (site, place) = (site.clone(), place.clone());
        async move {
            let mut response = site.answer(request.map(Body::new)).await;
            if place.is_tight() {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    // the timeout also closes connections of clients that stop reading
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(silence));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(silence)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    // a client that hangs up is not an error of the server
    tokio::select! {
        _ = &mut connection => (),
        () = gives_way.asked() => {
            let stream = connection.into_parts().io.into_inner();
            drop(stream.get_ref().try_write(answer(refusal.failure()).as_bytes()));
        }
        _ = ending.changed() => {
            Pin::new(&mut connection).graceful_shutdown();
            drop(connection.await);
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[test]
    fn refusals_are_answers() {
        let answer = answer(Failure::new(StatusCode::TOO_MANY_REQUESTS, "too many"));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{head}");
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())));
        assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap()["error"], "too many");
    }
}
