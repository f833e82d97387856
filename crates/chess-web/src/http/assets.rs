//! The files of the page, which are part of the program. `make web` builds them from `ui/`; they are checked in, so that
//! building the program needs no Node. They are compressed once, at the best level; tower-http would compress each response.
//!
//! The first page needs index.html, app.js and app.css. app.js asks for the others later, each with its hash as the query.

use std::io::Write as _;
use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use openssl::sha::sha256;

use crate::http::base::Base;

/// A file of the page.
struct Asset {
    plain: Bytes,
    gzip: Vec<u8>,
    media_type: &'static str,
    /// The first 8 bytes of SHA-256, in hex.
    hash: String,
}

/// Path, media type and bytes of each file.
const FILES: [(&str, &str, &[u8]); 14] = [
    (PAGE, "text/html; charset=utf-8", include_bytes!("../../assets/index.html")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../assets/app.css")),
    ("app.js", SCRIPT, include_bytes!("../../assets/app.js")),
    ("add.js", SCRIPT, include_bytes!("../../assets/add.js")),
    ("devices.js", SCRIPT, include_bytes!("../../assets/devices.js")),
    ("notebooks.js", SCRIPT, include_bytes!("../../assets/notebooks.js")),
    ("language.js", SCRIPT, include_bytes!("../../assets/language.js")),
    ("play.js", SCRIPT, include_bytes!("../../assets/play.js")),
    ("puzzles.js", SCRIPT, include_bytes!("../../assets/puzzles.js")),
    ("reports.js", SCRIPT, include_bytes!("../../assets/reports.js")),
    ("store.js", SCRIPT, include_bytes!("../../assets/store.js")),
    ("manifest.webmanifest", "application/manifest+json", include_bytes!("../../assets/manifest.webmanifest")),
    ("icon.png", "image/png", include_bytes!("../../assets/icon.png")),
    (WORKER, SCRIPT, include_bytes!("../../ui/worker.mjs")),
];
const PAGE: &str = "index.html";
/// The service worker. It stands last in [`FILES`], because it contains the hashes of all others.
const WORKER: &str = "sw.js";
const SCRIPT: &str = "text/javascript; charset=utf-8";

static ASSETS: OnceLock<Vec<(&str, Asset)>> = OnceLock::new();

fn assets(base: &Base) -> Vec<(&'static str, Asset)> {
    let mut hashes = serde_json::Map::new();
    let of = |(path, media_type, plain): (&'static str, &'static str, &'static [u8])| {
        let plain = match path {
            PAGE => below(plain, base),
            WORKER => naming(plain, &hashes),
            _ => Bytes::from_static(plain),
        };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let gzip = encoder.write_all(&plain).and_then(|()| encoder.finish()).unwrap_or_default();
        let hash = hex::encode(&sha256(&plain)[..8]);
        hashes.insert(path.to_owned(), hash.clone().into());
        (path, Asset { plain, gzip, media_type, hash })
    };
    FILES.map(of).into()
}

/// The page whose links to its files begin with a path. Its script finds the path in its own address.
fn below(page: &[u8], base: &Base) -> Bytes {
    String::from_utf8_lossy(page).replace("=\"/", &format!("=\"{base}/")).into()
}

/// Writes the hashes of the files into the service worker. Each version so has another worker, which browsers then install.
fn naming(worker: &[u8], hashes: &serde_json::Map<String, serde_json::Value>) -> Bytes {
    let names = serde_json::Value::from(hashes.clone()).to_string();
    String::from_utf8_lossy(worker).replacen("FILES = {}", &format!("FILES = {names}"), 1).into()
}

/// Compresses the files at startup, so that no request waits for it. The page is at this path of its site.
pub fn prepare(base: &Base) {
    ASSETS.get_or_init(|| assets(base));
}

/// The response with a file; `None` if there is no such file, or if `hash` is not its hash.
///
/// Browsers ask for files without a hash each time, with the hash as tag, so that a new program shows its new page at once. With
/// a hash they keep them. A page of an earlier program gets no part of this one.
pub fn get(path: &str, hash: Option<&str>, headers: &HeaderMap) -> Option<Response<Body>> {
    let (_, asset) = ASSETS.get_or_init(|| assets(&Base::default())).iter().find(|(known, _)| *known == path)?;
    if hash.is_some_and(|hash| hash != asset.hash) {
        return None;
    }
    let tag = format!("\"{}\"", asset.hash);
    let has =
        |name, text: &str| headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|v| v.contains(text));
    let mut response = Response::new(Body::empty());
    if has(header::IF_NONE_MATCH, &tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else if has(header::ACCEPT_ENCODING, "gzip") && !asset.gzip.is_empty() {
        *response.body_mut() = Body::from(asset.gzip.as_slice());
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    } else {
        *response.body_mut() = Body::from(asset.plain.clone());
    }
    let keep = if hash.is_some() { "private, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    Some(response)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    fn text(path: &str) -> &'static str {
        let (_, _, bytes) = FILES.iter().find(|(known, _, _)| *known == path).unwrap();
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_file_of_the_bundle_is_served() {
        let bundle = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets")).unwrap();
        let mut bundle: BTreeSet<String> =
            bundle.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        // the worker is no part of it: its source is served
        assert!(bundle.insert(WORKER.to_owned()));
        assert_eq!(bundle, FILES.iter().map(|(path, _, _)| (*path).to_owned()).collect());
    }

    #[test]
    fn the_page_finds_its_files_below_a_path() {
        let page = |base: &str| {
            let bytes = below(text(PAGE).as_bytes(), &base.parse().unwrap());
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        assert_eq!(page("/"), text(PAGE));
        let moved = page("/chess");
        assert!(moved.contains("href=\"/chess/app.css\"") && moved.contains("src=\"/chess/app.js\""), "{moved}");
        assert_eq!(moved.matches("=\"/").count(), 4);
    }

    #[test]
    fn the_worker_names_the_files_of_its_version() {
        let of = |base: &str| {
            let assets = assets(&base.parse().unwrap());
            let worker = String::from_utf8(assets.last().unwrap().1.plain.to_vec()).unwrap();
            let hashes: Vec<String> = assets[..FILES.len() - 1]
                .iter()
                .map(|(path, asset)| format!("\"{path}\":\"{}\"", asset.hash))
                .collect();
            (worker, hashes)
        };
        let (worker, hashes) = of("/");
        assert!(hashes.iter().all(|named| worker.contains(named)), "{worker}");
        assert_ne!(of("/chess").0, worker, "its page has other bytes");
        let response = get(WORKER, None, &HeaderMap::new()).unwrap();
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache", "browsers find a new one at once");
    }

    #[test]
    fn later_files_are_asked_for_by_their_hashes() {
        let app = text("app.js");
        let asked: BTreeSet<(&str, &str)> =
            app.split("import(\"./").skip(1).filter_map(|rest| rest.split_once('"')?.0.split_once('?')).collect();
        // app.js imports the parts of itself only: not the page, app.js, app.css, the manifest, the icon and the worker
        assert_eq!(asked.len(), FILES.len() - 6);
        for (path, hash) in asked {
            let response = get(path, Some(hash), &HeaderMap::new()).unwrap();
            assert!(response.headers()[header::CACHE_CONTROL].to_str().unwrap().ends_with("immutable"), "{path}");
            assert_eq!(response.headers()[header::ETAG], format!("\"{hash}\""));
            assert!(get(path, Some("0123456789abcdef"), &HeaderMap::new()).is_none(), "{path} of another program");
            assert_eq!(get(path, None, &HeaderMap::new()).unwrap().headers()[header::CACHE_CONTROL], "no-cache");
        }
    }
}
