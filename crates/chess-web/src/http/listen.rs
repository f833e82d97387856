//! Accepts connections within the limits, serves HTTP on them, and closes silent ones.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio_io_timeout::TimeoutStream;
use tower_service::Service as _;

use crate::http::client::Peer;
use crate::http::connections::{Admitted, Connections, Gone, Place, Refusal};

/// How long requests in work may take when the program ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// The largest head of a request, in bytes: a pattern and a list of moves fit in, as URLs write them.
const HEAD: usize = 32 * 1024;

/// State that all connections share.
#[derive(Clone)]
struct Served {
    router: Router,
    /// Timeout for the head of a request, between requests, and for reading an answer.
    silence: Duration,
    ending: watch::Receiver<()>,
}

/// Serves until `end` is there.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections: Arc<Connections>,
    silence: Duration,
    end: impl Future<Output = ()>,
) {
    let (farewell, ending) = watch::channel(());
    let served = Served { router, silence, ending };
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
        match connections.admit(address.ip()) {
            Ok(Admitted { place, gives_way, leaving }) => {
                if let Some(leaving) = leaving {
                    // accepting first would exceed the limit of open files
                    drop(leaving.await);
                }
                tokio::spawn(attend(stream, address, place, gives_way, served.clone()));
            }
            Err(refusal) => {
                // clients that stop reading are not waited for
                drop(stream.try_write(refusal.answer().as_bytes()));
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

/// Serves the requests of one connection until it ends or must give way.
async fn attend(
    stream: TcpStream,
    address: SocketAddr,
    place: Place,
    gives_way: oneshot::Receiver<Gone>,
    served: Served,
) {
    let Served { router, silence, mut ending } = served;
    drop(stream.set_nodelay(true));
    let place = Arc::new(place);
    let service = service_fn(move |mut request: Request<Incoming>| {
        place.heard();
        request.extensions_mut().insert(Peer(address));
        let (mut router, place) = (router.clone(), place.clone());
        async move {
            let answered = router.call(request.map(Body::new)).await;
            let mut response = answered.unwrap_or_else(|never| match never {});
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
        Ok(gone) = gives_way => {
            let stream = connection.into_parts().io.into_inner();
            drop(stream.get_ref().try_write(Refusal::Full.answer().as_bytes()));
            drop(stream);
            drop(gone);
        }
        _ = ending.changed() => {
            Pin::new(&mut connection).graceful_shutdown();
            drop(connection.await);
        }
    }
}
