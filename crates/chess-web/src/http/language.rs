//! The language of the page: what the visitor has chosen on it, which a cookie tells, or else what the browser asks for.

use axum::http::{HeaderMap, HeaderName, header};

/// The language of the sources of the page.
pub const SOURCE: &str = "en";
/// The cookie that the page itself writes.
const COOKIE: &str = "language";

/// The first of the known languages that the visitor wants.
pub fn language<'a>(headers: &HeaderMap, known: &[&'a str]) -> &'a str {
    let known = |wanted: &str| {
        let primary = wanted.split('-').next().unwrap_or_default();
        known.iter().find(|known| primary.eq_ignore_ascii_case(known)).copied()
    };
    chosen(headers).and_then(known).or_else(|| accepted(headers).into_iter().find_map(known)).unwrap_or(SOURCE)
}

/// What the headers of a name say, part by part.
fn parts(headers: &HeaderMap, name: HeaderName, by: char) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(move |line| line.split(by)).map(str::trim)
}

fn chosen(headers: &HeaderMap) -> Option<&str> {
    let mut pairs = parts(headers, header::COOKIE, ';').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// The languages that the browser accepts, the best first.
fn accepted<'a>(headers: &'a HeaderMap) -> Vec<&'a str> {
    let weighed = |part: &'a str| {
        let (language, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        (language.trim(), weight.unwrap_or(1.0))
    };
    let mut all: Vec<(&str, f32)> =
        parts(headers, header::ACCEPT_LANGUAGE, ',').map(weighed).filter(|(_, weight)| *weight > 0.0).collect();
    all.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    all.into_iter().map(|(language, _)| language).collect()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_choice_comes_before_what_the_browser_accepts() {
        let of = |cookie: &'static str, accepted: &'static str| {
            let headers = HeaderMap::from_iter([
                (header::COOKIE, HeaderValue::from_static(cookie)),
                (header::ACCEPT_LANGUAGE, HeaderValue::from_static(accepted)),
            ]);
            language(&headers, &["en", "de", "fr"])
        };
        assert_eq!(of("", "de-AT,de;q=0.9,en;q=0.8"), "de");
        assert_eq!(of("", "en;q=0.8, fr ; q=0.9, nl"), "fr");
        assert_eq!(of("", "DE"), "de");
        assert_eq!(of("", "de;q=0, en;q=0.1"), "en");
        for none in ["", "*", "nl", "q", ";;,=", "deu"] {
            assert_eq!(of("", none), "en", "{none}");
        }
        assert_eq!(of("a=b; language=fr", "de"), "fr");
        assert_eq!(of("language=en", "de"), "en");
        assert_eq!(of("language=nl; languages=fr", "de"), "de");
        assert_eq!(language(&HeaderMap::new(), &["en", "de"]), "en");
    }
}
