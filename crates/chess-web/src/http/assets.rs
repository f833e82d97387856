//! The files of the page, which are part of the program. `make web` builds them from `ui/`; they are checked in, so that
//! building the program needs no Node. They are compressed once, at the best level; tower-http would compress each response.

use std::io::Write as _;
use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use openssl::sha::sha256;

/// A file of the page.
struct Asset {
    plain: &'static [u8],
    gzip: Vec<u8>,
    media_type: &'static str,
    tag: String,
}

/// Path, media type and bytes of each file.
const FILES: [(&str, &str, &[u8]); 3] = [
    ("index.html", "text/html; charset=utf-8", include_bytes!("../../assets/index.html")),
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("../../assets/app.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../assets/app.css")),
];

static ASSETS: LazyLock<Vec<(&str, Asset)>> = LazyLock::new(|| {
    let of = |(path, media_type, plain): (&'static str, &'static str, &'static [u8])| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let gzip = encoder.write_all(plain).and_then(|()| encoder.finish()).unwrap_or_default();
        let digest: String = sha256(plain)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        (path, Asset { plain, gzip, media_type, tag: format!("\"{digest}\"") })
    };
    FILES.map(of).into()
});

/// Compresses the files at startup, so that no request waits for it.
pub fn prepare() {
    LazyLock::force(&ASSETS);
}

/// The response with a file; `None` if there is no such file.
///
/// Browsers ask each time, with the hash of the bytes as tag, so that a new program shows its new page at once.
pub fn get(path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
    let (_, asset) = ASSETS.iter().find(|(known, _)| *known == path)?;
    let has =
        |name, text: &str| headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|v| v.contains(text));
    let mut response = Response::new(Body::empty());
    if has(header::IF_NONE_MATCH, &asset.tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else if has(header::ACCEPT_ENCODING, "gzip") && !asset.gzip.is_empty() {
        *response.body_mut() = Body::from(asset.gzip.as_slice());
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    } else {
        *response.body_mut() = Body::from(asset.plain);
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Ok(tag) = HeaderValue::from_str(&asset.tag) {
        headers.insert(header::ETAG, tag);
    }
    Some(response)
}
