//! The middleware in front of every handler: rejects requests by host name, by the site that sends them, by password, size
//! and rate, and sets the security headers of every answer.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use openssl::memcmp;
use openssl::sha::sha256;

use crate::failure::{Failure, Outcome};
use crate::http::body::{Arriving, discard};
use crate::http::client::{Client, Peer};
use crate::http::places::{Budget, Place, Places, holding, on_behalf_of};

/// The largest body that is accepted, in bytes.
const BODY: usize = 64 * 1024;
/// The longest body with a saved board, whose PGN has characters of up to four bytes.
const BOARD: usize = BODY + 4 * LONGEST_BOARD;
/// The longest game on a saved board, in characters.
pub const LONGEST_BOARD: usize = 60_000;
/// The longest body with the moves of a notebook, or with games, in bytes.
const TREE: usize = 4 << 20;

/// Browsers run nothing but the page's own files. The hash belongs to the one style attribute that the board sets.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    style-src-attr 'unsafe-hashes' 'sha256-SyXRxMCl6H7Kgy9uTmu1UZqVBsRmMBF4sHRiTO3FQc0='; \
    img-src 'self' data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Paths that pages of other sites may read, because lichess offers the same: sums of openings, which need no cookie.
const OPEN: [&str; 5] = ["/masters", "/master", "/lichess", "/player", "/personal"];

/// A search takes as much as a change, so only the page may ask for one.
const ENGINE: &str = "/api/engine";

/// Whether pages of other sites may read this path if no password is set.
fn is_open(path: &str) -> bool {
    OPEN.contains(&path) || ["/masters/pgn/", "/master/pgn/"].iter().any(|before| path.starts_with(before))
}

/// Whether other sites may link to this path: the page, and downloads of games. Other answers are for the page and for
/// programs.
fn is_linked_to(path: &str) -> bool {
    // a whole list is no game: only the page and programs may ask for that much
    let is_download = (path.starts_with("/api/games/") && path.ends_with("/pgn") && path != "/api/games/pgn")
        || ["/masters/pgn/", "/master/pgn/", "/game/export/"].iter().any(|prefix| path.starts_with(prefix));
    let is_page = !path.starts_with("/api/") && !is_open(path);
    is_download || is_page
}

/// How many seconds' requests an address may send at once.
const BURST: f64 = 4.0;

/// The requests that each address may send, `rate` a second.
pub fn rate(rate: u16) -> Budget {
    Budget::new(BURST * f64::from(rate), rate.into())
}

/// The rules, from the command line.
pub struct Guard {
    /// Names of this server in lower case, without ports.
    pub hosts: Vec<String>,
    /// SHA-256 of the password that everybody must give.
    pub password: Option<[u8; 32]>,
    /// SHA-256 of each token; if there are any, everybody must send one of them, or the password.
    pub tokens: Vec<[u8; 32]>,
    /// Reverse proxies whose headers are believed.
    pub proxies: Vec<IpAddr>,
    /// Timeout for the answer to a request that has arrived.
    pub timeout: Duration,
    /// The most bytes of a file of games, if visitors may send some.
    pub upload: Option<u64>,
    /// Requests that each address may still send.
    pub rate: Budget,
    /// Places for requests under way.
    pub requests: Arc<Places>,
    /// Places for the bytes of their bodies.
    pub bodies: Arc<Places>,
    /// Places for the bytes of their answers.
    pub answers: Arc<Places>,
}

impl Guard {
    /// Whether this is a name of the server. A port is ignored.
    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        matches!(name, "localhost" | "127.0.0.1" | "::1") || self.hosts.iter().any(|known| known == name)
    }

    /// Whether the request comes from this server's page. Browsers say so. Programs say nothing and are believed, because they
    /// cannot send another visitor's cookies.
    ///
    /// Behind a proxy that asks for this server by another name, Host and Origin differ. Then the browser must say that the
    /// page is of the site that it asks, and the site must have one of this server's names: nobody but the proxy can serve
    /// such a page.
    fn is_own_page(&self, headers: &HeaderMap, host: &str) -> bool {
        let site = text_of(headers, "sec-fetch-site");
        let is_own = |origin: &str| {
            origin.split_once("://").is_some_and(|(_, of)| of == host || site == Some("same-origin") && self.knows(of))
        };
        site.is_none_or(|site| matches!(site, "same-origin" | "none")) && text_of(headers, "origin").is_none_or(is_own)
    }

    /// Whether the request has the password or a token, if one is asked for. Hashes are compared, in constant time.
    fn is_admitted(&self, headers: &HeaderMap) -> bool {
        if self.password.is_none() && self.tokens.is_empty() {
            return true;
        }
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some((scheme, given)) = given.and_then(|value| value.split_once(' ')) else { return false };
        if scheme.eq_ignore_ascii_case("bearer") {
            let given = sha256(given.trim().as_bytes());
            return self.tokens.iter().fold(false, |is_one, token| is_one | memcmp::eq(&given, token));
        }
        let Some(wanted) = self.password.as_ref().filter(|_| scheme.eq_ignore_ascii_case("basic")) else {
            return false;
        };
        let given = openssl::base64::decode_block(given.trim()).unwrap_or_default();
        let colon = given.iter().position(|byte| *byte == b':');
        colon.is_some_and(|colon| memcmp::eq(&sha256(&given[colon + 1..]), wanted))
    }

    /// The refusal of a request without the password or a token.
    fn unadmitted(&self) -> Failure {
        let failure = |error: &str| Failure::new(StatusCode::UNAUTHORIZED, error);
        let hint = "send the header Authorization: Bearer TOKEN";
        match (self.password.is_some(), self.tokens.is_empty()) {
            (true, true) => failure("a password is needed"),
            (true, false) => failure("a password or a token is needed").hint(hint),
            _ => failure("a token is needed").hint(hint),
        }
    }

    /// The schemes of authorization that this server knows, for a client that has sent none.
    fn challenges(&self) -> impl Iterator<Item = &'static str> {
        let basic = self.password.map(|_| "Basic realm=\"chess\", charset=\"UTF-8\"");
        let bearer = (!self.tokens.is_empty()).then_some("Bearer realm=\"chess\"");
        basic.into_iter().chain(bearer)
    }

    /// The reason for which a request is rejected.
    fn refusal(&self, request: &Request, client: Client) -> Option<Failure> {
        let headers = request.headers();
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
        let host = match (request.uri().host(), hosts.as_slice()) {
            (None, [host]) => host.to_str().unwrap_or_default(),
            (Some(host), _) => host,
            _ => "",
        };
        if !self.knows(host) {
            let error = format!("\"{}\" is not a name of this server", short(host));
            return Some(Failure::new(StatusCode::FORBIDDEN, error).hint("chess-web --host NAME adds a name"));
        }
        let path = request.uri().path();
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        if (!is_read || path == ENGINE) && !self.is_own_page(headers, host) {
            return Some(foreign(headers, host));
        }
        let is_open = self.password.is_none() && is_open(path);
        if is_of_another_site(headers) && !is_open && !(is_link(headers) && is_linked_to(path)) {
            return Some(
                Failure::new(StatusCode::FORBIDDEN, "pages of other sites may not ask this")
                    .hint("they can link to the page, or ask as they would ask lichess's explorer"),
            );
        }
        let length = text(header::CONTENT_LENGTH).and_then(|value| value.parse::<u64>().ok());
        let most = self.upload.filter(|_| is_upload(request)).unwrap_or(longest(path) as u64);
        if length.is_some_and(|length| length > most) {
            return Some(too_long(most));
        }
        if !self.rate.takes(client.address, 1.0) {
            return Some(Failure::new(StatusCode::TOO_MANY_REQUESTS, "too many requests per second"));
        }
        // A browser asks without a token whether a page may send one.
        let asks_first = *request.method() == Method::OPTIONS && is_open;
        if !asks_first && !self.is_admitted(headers) {
            return Some(self.unadmitted());
        }
        None
    }

    /// Waits for the whole body of a request, as long as parts of it come. One of a MiB or more needs places, which come with
    /// the request.
    async fn received(&self, request: Request, client: Client) -> Outcome<(Request, Vec<Place>)> {
        let (parts, body) = request.into_parts();
        let most = longest(parts.uri.path());
        let length = body.size_hint().exact().unwrap_or(most as u64);
        let mut arriving = Arriving::new("body", body);
        let places = match self.bodies.take_for(client.address, length).await {
            Ok(places) => places,
            Err(refusal) => {
                arriving.discard();
                return Err(refusal.failure());
            }
        };
        let mut whole = Vec::with_capacity(most.min(usize::try_from(length).unwrap_or(most)));
        let refusal = loop {
            match arriving.next().await {
                Ok(None) => return Ok((Request::from_parts(parts, Body::from(whole)), places)),
                Ok(Some(chunk)) if whole.len() + chunk.len() <= most => whole.extend_from_slice(&chunk),
                Ok(Some(_)) => break too_long(most as u64),
                Err(late) => break late,
            }
        };
        arriving.discard();
        Err(refusal)
    }

    /// Has a request answered that was not refused: a file of games while it arrives, all else when it is there.
    async fn answer(&self, request: Request, client: Client, next: Next) -> Outcome<Response> {
        if is_upload(&request) {
            return Ok(next.run(request).await);
        }
        let (request, _places) = self.received(request, client).await?;
        let late = |_| Failure::new(StatusCode::REQUEST_TIMEOUT, "the request takes too long");
        tokio::time::timeout(self.timeout, next.run(request)).await.map_err(late)
    }
}

fn too_long(most: u64) -> Failure {
    Failure::new(StatusCode::PAYLOAD_TOO_LARGE, format!("more than {most} bytes"))
}

/// The longest body that a path takes, except files of games.
pub fn longest(path: &str) -> usize {
    if is_tree(path) {
        TREE
    } else if path == "/api/boards" || path.starts_with("/api/boards/") {
        BOARD
    } else {
        BODY
    }
}

/// Whether a file of games is sent, which may be large and take long.
fn is_upload(request: &Request) -> bool {
    *request.method() == Method::POST && request.uri().path() == "/api/uploads"
}

/// Whether the moves of a whole notebook are sent, or games.
fn is_tree(path: &str) -> bool {
    path == "/api/pgn"
        || path.starts_with("/api/corrections/")
        || path
            .strip_prefix("/api/notebooks/")
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(_, rest)| rest == "moves")
}

/// Whether the browser says that a page of another site, even of the same domain, sends the request. Browsers send this
/// header to TLS servers and to their own machine; programs do not send it.
fn is_of_another_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

/// Whether the browser navigates to the answer in a window. Frames and images do not count, because a page can have
/// hundreds.
fn is_link(headers: &HeaderMap) -> bool {
    let is = |name: &str, wanted: &str| headers.get(name).is_some_and(|value| value == wanted);
    is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document")
}

/// The text of a header; a question mark if it is none.
fn text_of<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

/// The refusal of a request that does not come from this server's page, or seems not to because of a proxy.
fn foreign(headers: &HeaderMap, host: &str) -> Failure {
    let origin = text_of(headers, "origin").filter(|origin| origin.split_once("://").is_none_or(|(_, of)| of != host));
    let Some(origin) = origin else {
        return Failure::new(StatusCode::FORBIDDEN, "pages of other sites can change nothing here, and use no engine");
    };
    let error = format!("the page is of \"{}\" (Origin), the request is for \"{}\" (Host)", short(origin), short(host));
    Failure::new(
        StatusCode::FORBIDDEN,
        format!("{error}: pages of other sites can change nothing here, and use no engine"),
    )
    .hint("if a proxy is between them, have it pass the Host on, and name it: chess-web --host NAME")
}

/// What of a header an error repeats.
fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

/// The middleware.
pub async fn guard(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map_or(SocketAddr::from(([0, 0, 0, 0], 0)), |peer| peer.0);
    let client = Client::of(peer, request.headers(), &guard.proxies);
    request.extensions_mut().insert(client);
    let open = guard.password.is_none() && is_open(request.uri().path());
    let preflight = request.method() == Method::OPTIONS;
    let refused = match guard.refusal(&request, client) {
        Some(failure) => Err(failure),
        None => guard.requests.take(client.address).await.map_err(Failure::from),
    };
    let mut response = match refused {
        Err(failure) => {
            discard(request.into_body().into_data_stream());
            failure.into_response()
        }
        Ok(_) if preflight => StatusCode::NO_CONTENT.into_response(),
        Ok(place) => {
            let answered = on_behalf_of(client.address, guard.answer(request, client, next)).await;
            let response = answered.unwrap_or_else(Failure::into_response);
            let length = response.body().size_hint().exact().unwrap_or(0);
            match guard.answers.take_for(client.address, length).await {
                Ok(mut places) => {
                    places.push(place);
                    response.map(|body| holding(body, places))
                }
                Err(refusal) => refusal.failure().into_response(),
            }
        }
    };
    if response.status() == StatusCode::UNAUTHORIZED {
        for challenge in guard.challenges() {
            response.headers_mut().append(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
    }
    set_headers(&mut response, open);
    response
}

fn set_headers(response: &mut Response<Body>, open: bool) {
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), if open { "cross-origin" } else { "same-origin" });
    if open {
        set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        set(header::ACCESS_CONTROL_ALLOW_METHODS, "GET");
        set(header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Accept, Content-Type");
        set(header::ACCESS_CONTROL_MAX_AGE, "86400");
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use futures_util::StreamExt as _;
    use tower_service::Service as _;

    use crate::http::places::{Kind, Size};

    use super::*;

    fn rules() -> Guard {
        Guard {
            hosts: vec!["chess.example.org".into()],
            password: Some(sha256(b"geheim:1")),
            tokens: Vec::new(),
            proxies: vec!["10.0.0.1".parse().unwrap()],
            timeout: Duration::from_secs(1),
            upload: Some(1 << 30),
            rate: rate(1),
            requests: Places::new(Kind::Requests, Size { most: 1, each: 1, wait: None }, &[]),
            bodies: Places::new(Kind::Bodies, Size { most: 8, each: 4, wait: Some(Duration::ZERO) }, &[]),
            answers: Places::new(Kind::Answers, Size { most: 1, each: 1, wait: None }, &[]),
        }
    }

    fn asking(path: &str, body: Body) -> Request {
        Request::post(path).header("host", "localhost").body(body).unwrap()
    }

    #[tokio::test]
    async fn a_body_may_take_longer_than_its_answer() {
        let rules = Guard { password: None, timeout: Duration::from_millis(50), rate: rate(100), ..rules() };
        let layer = axum::middleware::from_fn_with_state(Arc::new(rules), guard);
        let sizes = axum::routing::post(async |body: Bytes| body.len().to_string());
        let late = axum::routing::post(async || tokio::time::sleep(Duration::from_secs(60)).await);
        let mut router = axum::Router::new().route("/api/devices", sizes).route("/api/views", late).layer(layer);
        let slow = async |path: &str, parts: usize, router: &mut axum::Router| {
            let part = |_| async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok::<_, std::io::Error>(vec![b' '; 10_000])
            };
            let body = Body::from_stream(futures_util::stream::iter(0..parts).then(part));
            router.call(asking(path, body)).await.unwrap().status()
        };
        assert_eq!(slow("/api/devices", 6, &mut router).await, StatusCode::OK);
        assert_eq!(slow("/api/devices", 7, &mut router).await, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(slow("/api/views", 1, &mut router).await, StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test]
    async fn long_bodies_are_kept_only_where_there_is_room() {
        let guard = Guard { password: None, ..rules() };
        let near = Client { address: "10.0.0.2".parse().unwrap(), secure: false };
        let body = |length: usize| Body::from(vec![b' '; length]);
        let received = async |path, length| guard.received(asking(path, body(length)), near).await;
        let (_, held) = received("/api/pgn", TREE).await.unwrap();
        assert_eq!(held.len(), 4);
        let refused = received("/api/pgn", 1 << 20).await.err().unwrap();
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(received("/api/boards", BODY).await.is_ok(), "short ones need none");
        drop(held);
        assert!(received("/api/pgn", TREE).await.is_ok());
    }

    #[test]
    fn names_of_this_server() {
        let guard = rules();
        for host in ["localhost:1", "127.0.0.1", "[::1]:80", "Chess.Example.org", "chess.example.org:443"] {
            assert!(guard.knows(host), "{host}");
        }
        for host in ["", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "example.org", "[::2]"]
        {
            assert!(!guard.knows(host), "{host}");
        }
    }

    #[test]
    fn other_sites() {
        let headers = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            headers
        };
        let guard = rules();
        let own = |pairs: &[(&'static str, &'static str)], host: &str| guard.is_own_page(&headers(pairs), host);
        let (same, neighbour) = (("sec-fetch-site", "same-origin"), ("sec-fetch-site", "same-site"));
        assert!(own(&[], "a:1"));
        assert!(own(&[("origin", "http://a:1"), same], "a:1"));
        assert!(!own(&[("origin", "http://a:2")], "a:1"));
        assert!(!own(&[("origin", "null")], "a:1"));
        assert!(!own(&[("origin", "null"), same], "a:1"));
        assert!(!own(&[("sec-fetch-site", "cross-site")], "a:1"));
        assert!(!own(&[neighbour], "a:1"));
        // a proxy that names the server as it reaches it, or leaves out its own port
        for host in ["127.0.0.1:8765", "chess.example.org"] {
            let page = ("origin", "https://chess.example.org:8443");
            assert!(own(&[page, same], host));
            for site in [&[page][..], &[page, neighbour], &[page, ("sec-fetch-site", "none")]] {
                assert!(!own(site, host), "{site:?}");
            }
            for origin in
                ["https://evil.example", "https://chess.example.org.evil.example", "null", "chess.example.org"]
            {
                assert!(!own(&[("origin", origin), same], host), "{origin}");
            }
        }
    }

    #[test]
    fn refusals_name_what_differs() {
        let refusal = |method: Method, path: &str, origin: &str| {
            let request =
                Request::builder().method(method).uri(path).header("host", "localhost:1").header("origin", origin);
            let client = Client { address: "127.0.0.1".parse().unwrap(), secure: false };
            rules().refusal(&request.body(Body::empty()).unwrap(), client).unwrap()
        };
        for (method, path) in [(Method::POST, "/api/views"), (Method::GET, ENGINE)] {
            let failure = refusal(method, path, "https://chess.example.org");
            assert_eq!(failure.status, StatusCode::FORBIDDEN);
            assert!(
                failure.error.starts_with(
                    "the page is of \"https://chess.example.org\" (Origin), the request is for \"localhost:1\" (Host)"
                ),
                "{}",
                failure.error
            );
            assert!(failure.hint.is_some());
        }
        assert_eq!(refusal(Method::GET, "/api/games", "https://chess.example.org").status, StatusCode::UNAUTHORIZED);
    }

    #[test]
    fn what_other_sites_may_ask() {
        let fetch = [("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")];
        let frame = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        let link = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        let refused = |guard: &Guard, path: &str, site: Option<&str>, how: [(&str, &str); 2]| {
            let mut request = Request::builder().uri(path).header("host", "localhost");
            if let Some(site) = site {
                request = how.iter().fold(request.header("sec-fetch-site", site), |request, (name, value)| {
                    request.header(*name, *value)
                });
            }
            let client = Client { address: "127.0.0.1".parse().unwrap(), secure: false };
            let refusal = guard.refusal(&request.body(Body::empty()).unwrap(), client);
            refusal.map(|failure| failure.status) == Some(StatusCode::FORBIDDEN)
        };
        let (locked, open) = (rules(), Guard { password: None, ..rules() });
        let pages = ["/", "/g/00000001", "/analysis", "/app.js"];
        let downloads = ["/api/games/00000001/pgn", "/masters/pgn/00000001", "/game/export/00000001"];
        let answers = [
            "/api/games/count?pattern=Nd5",
            "/api/games/pgn",
            "/api/games/00000001",
            "/api/explorer",
            "/api/explorer/batch",
            "/api/cloud-eval",
            "/api/status",
            "/api/engine",
            "/api/views",
        ];
        let shared = ["/masters", "/lichess?play=e2e4", "/player"];
        for path in [&pages[..], &downloads, &answers, &shared].concat() {
            for site in [None, Some("same-origin"), Some("none")] {
                assert!(!refused(&open, path, site, fetch), "{path} {site:?}");
            }
            let is_shared = shared.contains(&path) || path.starts_with("/masters/pgn/");
            let is_linked = pages.contains(&path) || downloads.contains(&path);
            for site in ["cross-site", "same-site", "something new"] {
                for how in [fetch, frame] {
                    assert_eq!(refused(&open, path, Some(site), how), !is_shared, "{path} {site} {how:?}");
                    assert!(refused(&locked, path, Some(site), how), "{path} {site} {how:?}, with a password");
                }
                assert_eq!(refused(&open, path, Some(site), link), !is_shared && !is_linked, "{path} {site}");
                assert_eq!(refused(&locked, path, Some(site), link), !is_linked, "{path} {site}, with a password");
            }
        }
    }

    #[test]
    fn only_files_of_games_may_be_long() {
        let status = |guard: &Guard, method: Method, path: &str, length: u64| {
            let request = Request::builder().method(method).uri(path).header("host", "localhost");
            let request = request.header("content-length", length).body(Body::empty()).unwrap();
            let client = Client { address: "127.0.0.1".parse().unwrap(), secure: false };
            guard.refusal(&request, client).map(|failure| failure.status)
        };
        let (open, closed) = (Guard { password: None, ..rules() }, Guard { password: None, upload: None, ..rules() });
        let too_long = Some(StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(status(&open, Method::POST, "/api/uploads", 1 << 30), None);
        assert_eq!(status(&open, Method::POST, "/api/uploads", (1 << 30) + 1), too_long);
        assert_eq!(status(&open, Method::POST, "/api/views", 100_000), too_long);
        let board = (4 * LONGEST_BOARD + 1000) as u64;
        for (method, path) in [(Method::POST, "/api/boards"), (Method::PUT, "/api/boards/7")] {
            assert_eq!(status(&open, method.clone(), path, board), None);
            assert_eq!(status(&open, method, path, 2 * board), too_long);
        }
        assert_eq!(status(&open, Method::PUT, "/api/uploads", 100_000), too_long);
        assert_eq!(status(&closed, Method::POST, "/api/uploads", 100_000), too_long);
    }

    #[test]
    fn passwords() {
        let guard = rules();
        let admits = |guard: &Guard, value: &str| {
            guard.is_admitted(&HeaderMap::from_iter([(header::AUTHORIZATION, value.parse().unwrap())]))
        };
        let basic = |text: &str| format!("Basic {}", openssl::base64::encode_block(text.as_bytes()));
        let with = |text: &str| admits(&guard, &basic(text));
        assert!(with("anybody:geheim:1"));
        assert!(!with("anybody:geheim") && !with("geheim:1x") && !with(""));
        assert!(!guard.is_admitted(&HeaderMap::new()) && !admits(&guard, "Bearer geheim:1"));
        let tokens = vec![sha256(b"lip_one"), sha256(b"lip_two")];
        let (both, tokens) = (Guard { tokens: tokens.clone(), ..rules() }, Guard { tokens, password: None, ..rules() });
        for guard in [&both, &tokens] {
            assert!(["Bearer lip_one", "bearer  lip_two "].iter().all(|value| admits(guard, value)));
            let others =
                ["Bearer lip_on", "Bearer lip_one2", "Bearer", "Bearer ", "lip_one", "Basic lip_one", "Basic "];
            assert!(others.iter().all(|value| !admits(guard, value)));
            assert!(!guard.is_admitted(&HeaderMap::new()));
        }
        assert!(admits(&both, &basic("anybody:geheim:1")) && !admits(&tokens, &basic("anybody:geheim:1")));
        assert!(admits(&Guard { password: None, ..rules() }, "Bearer anything"), "a token that nobody asked for");
    }
}
