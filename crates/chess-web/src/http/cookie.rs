//! Cookies of 256 random bits, by which visitors are known. The server keeps only their hashes.
//!
//! Cookies are read and written here, in a few lines; axum-extra would add eight crates, among them a library for dates.

use axum::http::{Extensions, HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::random::random_hex;

const YEAR: u32 = 365 * 24 * 3600;
/// Browsers accept names with this prefix only in secure cookies.
const PREFIX: &str = "__Host-";

/// The maximum number of secrets that are read from a request.
const MOST: usize = 8;

/// A cookie of this server, in one of two forms: with the prefix `__Host-` and `Secure` over TLS, and plain without TLS, because
/// Safari drops secure cookies of `http://localhost`, which other browsers keep.
#[derive(Clone, Debug)]
pub struct Cookie {
    name: String,
    secure: bool,
}

impl Cookie {
    /// The cookie of this name in the form that every browser accepts.
    pub fn new(name: impl Into<String>, extensions: &Extensions) -> Cookie {
        let secure = extensions.get::<Client>().is_some_and(|client| client.secure);
        Cookie { name: name.into(), secure }
    }

    /// Returns the secrets that the browser has sent: first those of this cookie, then those of cookies whose names are `alike`.
    /// Over TLS only the secure form counts, which no other host can set; without TLS both forms count.
    pub fn read<'h>(&self, headers: &'h HeaderMap, alike: fn(&str) -> bool) -> Vec<&'h str> {
        let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let known = |(sent, secret): (&str, &'h str)| {
            let (prefixed, name) = sent.strip_prefix(PREFIX).map_or((false, sent), |name| (true, name));
            let is_ours = (prefixed || !self.secure) && (name == self.name || alike(name));
            (is_ours && secret.len() == 64).then_some((name != self.name, prefixed != self.secure, secret))
        };
        let mut found: Vec<_> = pairs.filter_map(known).collect();
        found.sort_by_key(|(is_other, has_other_form, _)| (*is_other, *has_other_form));
        found.into_iter().map(|(_, _, secret)| secret).take(MOST).collect()
    }

    /// The value that makes the browser keep the secret for a year.
    pub fn set(&self, secret: &str) -> Option<HeaderValue> {
        let (prefix, mark) = if self.secure { (PREFIX, "; Secure") } else { ("", "") };
        let text = format!("{prefix}{}={secret}; Path=/; Max-Age={YEAR}; HttpOnly; SameSite=Lax{mark}", self.name);
        HeaderValue::from_str(&text).ok()
    }
}

/// A new secret.
///
/// # Errors
///
/// 503 if the system has no random bytes.
pub fn secret() -> Outcome<String> {
    random_hex::<32>().map_err(|_| Failure::unavailable("no random numbers"))
}

/// A response that sets the cookie, if there is one.
pub fn with_cookie(answer: impl IntoResponse, cookie: Option<HeaderValue>) -> Response {
    let mut response = answer.into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(line: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(line).unwrap())])
    }

    #[test]
    fn cookies() {
        let [a, b, c] = ["a", "b", "c"].map(|letter| letter.repeat(64));
        let sent = headers(&format!("x=y; chess={a}; __Host-chess.2={b}; chess.2=short; chess.1={c}"));
        let read = |secure| {
            let cookie = Cookie { name: "chess.1".to_owned(), secure };
            cookie.read(&sent, |name| name.starts_with("chess")).concat()
        };
        assert_eq!(read(false), [&*c, &*a, &*b].concat(), "its own comes first");
        assert_eq!(read(true), b, "over TLS only what is of this host");
        let uploads = Cookie { name: "chess-uploads".to_owned(), secure: false };
        assert!(uploads.read(&sent, |_| false).is_empty() && uploads.read(&HeaderMap::new(), |_| true).is_empty());
    }

    #[test]
    fn without_tls_a_cookie_is_plain() {
        let client = |secure| {
            let mut extensions = Extensions::new();
            extensions.insert(Client { address: [127, 0, 0, 1].into(), secure });
            extensions
        };
        let set = |secure| Cookie::new("chess", &client(secure)).set("x").unwrap();
        let rest = "chess=x; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax";
        assert_eq!(set(false), rest, "Safari drops others of localhost");
        assert_eq!(set(true), format!("__Host-{rest}; Secure"));
        let secret = "0".repeat(64);
        for line in [format!("__Host-chess={secret}"), format!("chess={secret}")] {
            assert_eq!(Cookie::new("chess", &client(false)).read(&headers(&line), |_| false), [&*secret], "{line}");
        }
    }
}
