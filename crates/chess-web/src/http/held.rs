//! What the headers of a request say about its answer: whether the client accepts gzip, and whether it has the answer already.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// The parts, separated by commas, of all headers with this name.
fn parts(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','))
}

/// Whether the client already has the answer with this tag. The client's tag may be weak, because a proxy that compresses answers
/// makes their tags weak.
pub fn has_tag(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    parts(headers, header::IF_NONE_MATCH)
        .any(|known| known.trim().trim_start_matches("W/").as_bytes() == tag.as_bytes())
}

/// Whether the client accepts gzip.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    parts(headers, header::ACCEPT_ENCODING).any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let quality = quality.trim().strip_prefix("q=").and_then(|quality| quality.parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && quality.unwrap_or(1.0_f32) > 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_of_clients() {
        let headers = |name, value| HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        for (value, takes) in
            [("gzip", true), ("br, GZIP;q=0.5", true), ("br", false), ("gzip; q=0, br", false), ("xgzip", false)]
        {
            assert_eq!(takes_gzip(&headers(header::ACCEPT_ENCODING, value)), takes, "{value}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
