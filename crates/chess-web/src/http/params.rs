//! The parameters of a URL. In: the query of a request. Out: its values, each taken once by a handler. A parameter that comes
//! twice or that no handler takes is an error, because a misspelt filter must not give wrong numbers.

use std::convert::Infallible;
use std::ops::RangeInclusive;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;

use crate::failure::{Failure, Outcome};

/// The longest value, in bytes, for parameters without a limit of their own.
const LONGEST: usize = 256;
/// The longest name of a player, event or site that the loader stores, in bytes.
const LONGEST_NAME: usize = 2000;

/// The parameters that no handler has taken yet.
#[derive(Clone, Debug, Default)]
pub struct Params {
    pairs: Vec<(String, String)>,
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Params, Infallible> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).map(|Query(pairs)| pairs);
        Ok(Params { pairs: pairs.unwrap_or_default() })
    }
}

impl Params {
    /// Takes a text of at most `longest` bytes; `None` if it is missing or empty.
    ///
    /// # Errors
    ///
    /// 400 if the text is longer, has a NUL or comes twice.
    pub fn long_text(&mut self, name: &str, longest: usize) -> Outcome<Option<String>> {
        let Some(at) = self.pairs.iter().position(|(known, _)| known == name) else { return Ok(None) };
        let (_, text) = self.pairs.swap_remove(at);
        if self.pairs.iter().any(|(known, _)| known == name) {
            return Err(Failure::bad(format!("\"{name}\" comes twice")));
        }
        if text.len() > longest {
            return Err(Failure::bad(format!("\"{name}\" has more than {longest} bytes")));
        }
        if text.contains('\0') {
            return Err(Failure::bad(format!("\"{name}\" has a NUL character")));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// Takes a text of ordinary length.
    ///
    /// # Errors
    ///
    /// As for [`Params::long_text`].
    pub fn text(&mut self, name: &str) -> Outcome<Option<String>> {
        self.long_text(name, LONGEST)
    }

    /// Takes the name of a player, event or site.
    ///
    /// # Errors
    ///
    /// As for [`Params::long_text`].
    pub fn name(&mut self, name: &str) -> Outcome<Option<String>> {
        self.long_text(name, LONGEST_NAME)
    }

    /// Takes a flag: `1`, `true`, `0` or `false`; false if it is missing.
    ///
    /// # Errors
    ///
    /// 400 for another text.
    pub fn flag(&mut self, name: &str) -> Outcome<bool> {
        match self.text(name)?.as_deref() {
            None | Some("0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            Some(other) => Err(Failure::bad(format!("\"{name}\" is 1 or 0, not \"{other}\""))),
        }
    }

    /// Takes a number within a range.
    ///
    /// # Errors
    ///
    /// 400 if the text is not a number or the number is out of range.
    pub fn number(&mut self, name: &str, range: RangeInclusive<i32>, default: i32) -> Outcome<i32> {
        let Some(text) = self.text(name)? else { return Ok(default) };
        text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
            Failure::bad(format!("\"{name}\" is a number from {} to {}, not \"{text}\"", range.start(), range.end()))
        })
    }

    /// Whether the parameter is there, has a value and has not been taken.
    pub fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(known, value)| known == name && !value.is_empty())
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// 400 with the name of a parameter that is left.
    pub fn finish(self) -> Outcome<()> {
        match self.pairs.first() {
            None => Ok(()),
            Some((name, _)) => {
                let name: String = name.chars().take(40).collect();
                Err(Failure::bad(format!("unknown parameter \"{name}\"")))
            }
        }
    }

    /// The parameters of a query string, for tests.
    #[cfg(test)]
    pub fn of(query: &str) -> Params {
        let uri = format!("/?{query}").parse().unwrap();
        Params { pairs: Query::try_from_uri(&uri).unwrap().0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_flags_and_numbers() {
        let mut params = Params::of("a=b+c&empty=&yes=1&no=false&n=7&wide=70000&twice=1&twice=2&nul=%00&x=%C3%BC%ff");
        assert_eq!(params.text("a"), Ok(Some("b c".into())));
        assert_eq!(params.text("empty"), Ok(None));
        assert_eq!(params.text("missing"), Ok(None));
        assert_eq!((params.flag("yes"), params.flag("no"), params.flag("missing")), (Ok(true), Ok(false), Ok(false)));
        assert_eq!(params.number("n", 1..=10, 3), Ok(7));
        assert_eq!(params.number("missing", 1..=10, 3), Ok(3));
        assert!(params.number("wide", 1..=10, 3).is_err());
        assert!(params.text("twice").is_err());
        assert!(params.text("nul").is_err());
        assert_eq!(params.text("x"), Ok(Some("ü\u{fffd}".into())));
        assert!(params.finish().unwrap_err().error.contains("twice"));
        assert!(Params::of("a=1").finish().is_err());
        assert!(Params::of("").finish().is_ok());
        assert!(Params::of(&format!("a={}", "x".repeat(257))).text("a").is_err());
        assert!(Params::of(&format!("a={}", "x".repeat(2000))).name("a").is_ok());
        assert!(Params::of(&format!("a={}", "x".repeat(2001))).name("a").is_err());
    }
}
