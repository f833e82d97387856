//! The files of the page, which are part of the program. `make web` builds them from `ui/`; they are checked in, so that
//! building the program needs no Node. They are compressed once, at the best level; tower-http would compress each response.
//!
//! The first page needs index.html, app.js and app.css; in another language than that of its sources also the table of that
//! language, which it names with its hash as the query. app.js asks for the others later, each with its hash, too.

use std::io::Write as _;
use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use openssl::sha::sha256;

use crate::http::base::Base;
use crate::http::held::{has_tag, takes_gzip};
use crate::http::language::{SOURCE, language};

/// A file of the page.
struct Asset {
    plain: Bytes,
    gzip: Vec<u8>,
    media_type: &'static str,
    /// The first 8 bytes of SHA-256, in hex.
    hash: String,
}

/// Path, media type and bytes of each file.
const FILES: [(&str, &str, &[u8]); 19] = [
    (PAGE, "text/html; charset=utf-8", include_bytes!("../../assets/index.html")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../assets/app.css")),
    ("app.js", SCRIPT, include_bytes!("../../assets/app.js")),
    ("add.js", SCRIPT, include_bytes!("../../assets/add.js")),
    ("de.js", SCRIPT, include_bytes!("../../assets/de.js")),
    ("es.js", SCRIPT, include_bytes!("../../assets/es.js")),
    ("fr.js", SCRIPT, include_bytes!("../../assets/fr.js")),
    ("pl.js", SCRIPT, include_bytes!("../../assets/pl.js")),
    ("ru.js", SCRIPT, include_bytes!("../../assets/ru.js")),
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
/// The languages of the page; each but the first has a table among the [`FILES`].
const LANGUAGES: [&str; 6] = [SOURCE, "de", "es", "fr", "pl", "ru"];

static ASSETS: OnceLock<Vec<(String, Asset)>> = OnceLock::new();

fn assets(base: &Base) -> Vec<(String, Asset)> {
    let mut assets: Vec<(String, Asset)> = Vec::new();
    for (path, media_type, plain) in FILES {
        let plain = match path {
            PAGE => below(plain, base),
            WORKER => {
                for language in &LANGUAGES[1..] {
                    let page = in_language(&assets, language, base);
                    assets.push((page_in(language), Asset::new(page, FILES[0].1)));
                }
                naming(plain, &assets)
            }
            _ => Bytes::from_static(plain),
        };
        assets.push((path.to_owned(), Asset::new(plain, media_type)));
    }
    assets
}

impl Asset {
    fn new(plain: Bytes, media_type: &'static str) -> Asset {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let gzip = encoder.write_all(&plain).and_then(|()| encoder.finish()).unwrap_or_default();
        let hash = hex::encode(&sha256(&plain)[..8]);
        Asset { plain, gzip, media_type, hash }
    }
}

/// The name of the page in a language.
fn page_in(language: &str) -> String {
    if language == SOURCE { PAGE.to_owned() } else { format!("index.{language}.html") }
}

/// The page that says its language, and loads the table of that before its script.
fn in_language(assets: &[(String, Asset)], language: &str, base: &Base) -> Bytes {
    let of = |path: &str| assets.iter().find(|(known, _)| known == path).map(|(_, asset)| asset);
    let hash = of(&format!("{language}.js")).map_or("", |table| &table.hash);
    let page = of(PAGE).map_or(&[][..], |page| &page.plain);
    let table = format!("<script src=\"{base}/{language}.js?{hash}\"></script>\n<script type=\"module\"");
    String::from_utf8_lossy(page)
        .replacen("lang=\"en\"", &format!("lang=\"{language}\""), 1)
        .replacen("<script type=\"module\"", &table, 1)
        .into()
}

/// The page whose links to its files begin with a path. Its script finds the path in its own address.
fn below(page: &[u8], base: &Base) -> Bytes {
    String::from_utf8_lossy(page).replace("=\"/", &format!("=\"{base}/")).into()
}

/// Writes the hashes of the files into the service worker. Each version so has another worker, which browsers then install.
fn naming(worker: &[u8], assets: &[(String, Asset)]) -> Bytes {
    let hashes: serde_json::Map<String, serde_json::Value> =
        assets.iter().map(|(path, asset)| (path.clone(), asset.hash.clone().into())).collect();
    let names = serde_json::Value::from(hashes).to_string();
    String::from_utf8_lossy(worker).replacen("FILES = {}", &format!("FILES = {names}"), 1).into()
}

/// Compresses the files at startup, so that no request waits for it. The page is at this path of its site.
pub fn prepare(base: &Base) {
    ASSETS.get_or_init(|| assets(base));
}

/// The response with the page, in the language that the visitor wants.
pub fn page(headers: &HeaderMap) -> Option<Response<Body>> {
    let language = language(headers, &LANGUAGES);
    let mut response = get(&page_in(language), None, headers)?;
    let told = response.headers_mut();
    told.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language));
    told.insert(header::VARY, HeaderValue::from_static("Accept-Encoding, Accept-Language, Cookie"));
    Some(response)
}

/// The response with a file; `None` if there is no such file, or if `hash` is not its hash.
///
/// Browsers ask for files without a hash each time, with the hash as tag, so that a new program shows its new page at once. With
/// a hash they keep them. A page of an earlier program gets no part of this one.
pub fn get(path: &str, hash: Option<&str>, headers: &HeaderMap) -> Option<Response<Body>> {
    let (_, asset) = ASSETS.get_or_init(|| assets(&Base::default())).iter().find(|(known, _)| known == path)?;
    if hash.is_some_and(|hash| hash != asset.hash) {
        return None;
    }
    let mut response = Response::new(Body::empty());
    let tag = HeaderValue::from_str(&format!("\"{}\"", asset.hash)).ok();
    if tag.as_ref().is_some_and(|tag| has_tag(headers, tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else if takes_gzip(headers) && !asset.gzip.is_empty() {
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
    if let Some(tag) = tag {
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
    fn the_page_loads_the_table_of_its_language_first() {
        for (base, before) in [("/", ""), ("/chess", "/chess")] {
            let base: Base = base.parse().unwrap();
            let assets = assets(&base);
            let of = |path: &str| &assets.iter().find(|(known, _)| known == path).unwrap().1;
            for language in &LANGUAGES[1..] {
                let page = String::from_utf8(of(&page_in(language)).plain.to_vec()).unwrap();
                assert!(page.starts_with(&format!("<!doctype html>\n<html lang=\"{language}\">")), "{page}");
                let table = of(&format!("{language}.js"));
                let script = format!("<script src=\"{before}/{language}.js?{}\"></script>", table.hash);
                let (at, app) = (page.find(&script).unwrap(), page.find("<script type=\"module\"").unwrap());
                assert!(at < app, "{page}");
                assert!(table.gzip.len() <= 20_000, "{language}: {}", table.gzip.len());
            }
        }
        let asked = |wanted: &'static str| {
            let response =
                page(&HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, HeaderValue::from_static(wanted))])).unwrap();
            (response.headers()[header::CONTENT_LANGUAGE].clone(), response.headers()[header::ETAG].clone())
        };
        assert_eq!(asked("de").0, "de");
        assert_eq!(asked("nl").0, "en");
        assert_ne!(asked("de").1, asked("nl").1);
    }

    #[test]
    fn the_worker_names_the_files_of_its_version() {
        let of = |base: &str| {
            let assets = assets(&base.parse().unwrap());
            let worker = String::from_utf8(assets.last().unwrap().1.plain.to_vec()).unwrap();
            let hashes: Vec<String> = assets[..assets.len() - 1]
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
        // app.js imports the parts of itself only: not the page, app.js, app.css, tables, the manifest, the icon and the worker
        assert_eq!(asked.len(), FILES.len() - 6 - LANGUAGES[1..].len());
        for (path, hash) in asked {
            let response = get(path, Some(hash), &HeaderMap::new()).unwrap();
            assert!(response.headers()[header::CACHE_CONTROL].to_str().unwrap().ends_with("immutable"), "{path}");
            assert_eq!(response.headers()[header::ETAG], format!("\"{hash}\""));
            assert!(get(path, Some("0123456789abcdef"), &HeaderMap::new()).is_none(), "{path} of another program");
            assert_eq!(get(path, None, &HeaderMap::new()).unwrap().headers()[header::CACHE_CONTROL], "no-cache");
        }
    }
}
