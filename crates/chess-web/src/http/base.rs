//! Where a reverse proxy has put the page: `/chess` of a site that has other pages, too. In: requests as the proxy passes
//! them on. Out: requests whose paths begin at the page's own root, so that nothing else knows about it.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// The path that all paths of the page begin with; empty if the page has the site to itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base(String);

impl FromStr for Base {
    type Err = String;

    fn from_str(text: &str) -> Result<Base, String> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let is_plain = |part: &str| {
            let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
            !part.is_empty() && part != "." && part != ".." && part.bytes().all(is_kept)
        };
        let is_path = path.strip_prefix('/').is_some_and(|parts| parts.split('/').all(is_plain));
        match is_path || text == "/" {
            true => Ok(Base(path.to_owned())),
            false => Err("a path begins with / and has letters, digits, - _ . ~, such as /chess".to_owned()),
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Base {
    /// Takes the path away from an address, whose rest begins with `/`; false if it does not begin with it.
    pub fn strip(&self, uri: &mut Uri) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let Some(rest) = uri.path().strip_prefix(&self.0).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        else {
            return false;
        };
        let (root, query) = (if rest.is_empty() { "/" } else { "" }, uri.query().map(|query| format!("?{query}")));
        let Ok(path) = PathAndQuery::try_from(format!("{root}{rest}{}", query.unwrap_or_default())) else {
            return false;
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(path);
        Uri::from_parts(parts).map(|stripped| *uri = stripped).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_a_page_can_have() {
        for (text, base) in [("/", ""), ("/chess", "/chess"), ("/chess/", "/chess"), ("/a/b-c_.~9", "/a/b-c_.~9")] {
            assert_eq!(text.parse::<Base>().unwrap().to_string(), base);
        }
        for text in ["", "chess", "//", "/a//b", "/a/../b", "/.", "/\"><script>", "/%41", "/é", "/a?b", "https://a/b"]
        {
            assert!(text.parse::<Base>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_rest_begins_at_the_root() {
        let rest = |base: &str, uri: &str| {
            let mut uri: Uri = uri.parse().unwrap();
            base.parse::<Base>().unwrap().strip(&mut uri).then(|| uri.to_string())
        };
        for (uri, expected) in [
            ("/chess", Some("/")),
            ("/chess?play=e2e4", Some("/?play=e2e4")),
            ("/chess/", Some("/")),
            ("/chess/api/games?player=a/chess", Some("/api/games?player=a/chess")),
            ("/chess/chess", Some("/chess")),
            ("/chess//a", Some("//a")),
            ("http://a:1/chess/x", Some("http://a:1/x")),
            ("/chessboard", None),
            ("/", None),
            ("/Chess/", None),
            ("/api/games", None),
        ] {
            assert_eq!(rest("/chess", uri).as_deref(), expected, "{uri}");
            assert_eq!(rest("/", uri).as_deref(), Some(uri));
        }
    }
}
