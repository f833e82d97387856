//! Cookies of 256 random bits, by which visitors are known. The server keeps only their hashes.
//!
//! Cookies are read and written here, in a few lines; axum-extra would add eight crates, among them a library for dates.

use axum::http::{Extensions, HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::random::random_hex;

const YEAR: u32 = 365 * 24 * 3600;

/// A cookie of this server, in one of its two forms: browsers accept the prefix `__Host-` only in a secure cookie.
#[derive(Clone, Copy, Debug)]
pub struct Cookie {
    name: &'static str,
    secure: bool,
}

impl Cookie {
    /// The cookie of this name in the form that the browser accepts.
    pub fn new(name: &'static str, extensions: &Extensions, headers: &HeaderMap) -> Cookie {
        Cookie { name, secure: is_secure(extensions, headers) }
    }

    fn prefix(self) -> &'static str {
        if self.secure { "__Host-" } else { "" }
    }

    /// The secret that the browser has sent.
    pub fn read(self, headers: &HeaderMap) -> Option<&str> {
        let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let is_ours = |known: &str| known.strip_prefix(self.prefix()) == Some(self.name);
        pairs.find(|(known, _)| is_ours(known)).map(|(_, value)| value).filter(|value| value.len() == 64)
    }

    /// The value that makes the browser keep the secret for a year.
    pub fn set(self, secret: &str) -> Option<HeaderValue> {
        let (prefix, name, mark) = (self.prefix(), self.name, if self.secure { "; Secure" } else { "" });
        let text = format!("{prefix}{name}={secret}; Path=/; Max-Age={YEAR}; HttpOnly; SameSite=Lax{mark}");
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

/// Whether the browser accepts secure cookies: over TLS, and without it if the page has a name of this machine.
fn is_secure(extensions: &Extensions, headers: &HeaderMap) -> bool {
    let over_tls = extensions.get::<Client>().is_some_and(|client| client.secure);
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    over_tls || matches!(name, "localhost" | "127.0.0.1" | "[::1]")
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

    #[test]
    fn cookies() {
        let secret = "0".repeat(64);
        let line = format!("a=b; __Host-chess={secret}; chess=short");
        let headers = HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(&line).unwrap())]);
        let cookie = |name, secure| Cookie { name, secure };
        assert_eq!(cookie("chess", true).read(&headers), Some(secret.as_str()));
        assert_eq!(cookie("chess", false).read(&headers), None);
        assert_eq!(cookie("chess-uploads", true).read(&headers), None);
        assert_eq!(cookie("chess", true).read(&HeaderMap::new()), None);
    }
}
