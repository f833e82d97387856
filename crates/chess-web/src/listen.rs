//! Connections of browsers and programs: so many at a time, and none that says nothing for long.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tower_service::Service as _;

use crate::guard::Peer;

/// How long a client may take for the head of a request, be silent between two, and read nothing of an answer.
const SILENCE: Duration = Duration::from_secs(15);
/// How long requests in work may take when the program ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// The largest head of a request, in bytes: a pattern and a list of moves fit in, as URLs write them.
const HEAD: usize = 32 * 1024;

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\n\
Connection: close\r\nContent-Length: 36\r\n\r\n{\"error\":\"too many connections now\"}";

/// Serves until `end` is there.
pub async fn serve(listener: TcpListener, router: Router, connections: u16, end: impl Future<Output = ()>) {
    let free = Arc::new(Semaphore::new(connections.into()));
    let graceful = GracefulShutdown::new();
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
                eprintln!("chess-web: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Ok(permit) = free.clone().try_acquire_owned() else {
            // not worth waiting for who does not read
            drop(stream.try_write(FULL));
            drop(stream.shutdown().await);
            continue;
        };
        drop(stream.set_nodelay(true));
        let router = router.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(address));
            let mut router = router.clone();
            async move {
                Ok::<_, Infallible>(router.call(request.map(Body::new)).await.unwrap_or_else(|never| match never {}))
            }
        });
        // who does not read, either, goes
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(SILENCE));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(SILENCE)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // whoever hangs up is not an error of the server
            drop(connection.await);
            drop(permit);
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => (),
        () = tokio::time::sleep(FAREWELL) => (),
    }
}
