//! Where answers are kept that were given already (`answers` says for how long they hold).
//!
//! Takes questions, answers and the state of the database they belong to; gives an answer back while that is the state, and
//! forgets what was not asked for when there are too many.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue};
use openssl::sha::sha256;

/// Bytes of all answers; those that were not asked for go when there are more.
const MOST: usize = 40 << 20;

/// The longest answer that is kept, in bytes.
pub const LONGEST: usize = 1 << 20;

/// What an answer takes besides its bytes, about.
const BESIDES: usize = 600;

/// An answer.
#[derive(Clone)]
pub struct Kept {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

/// The answers of one state: those of late, and those that were asked for since the last time there were too many.
#[derive(Default)]
pub struct Shelf {
    state: Option<(String, Instant)>,
    late: HashMap<String, Kept>,
    bytes: usize,
    earlier: HashMap<String, Kept>,
}

impl Shelf {
    /// Since when the database is in that state; what was known of another one is forgotten.
    pub fn turn_to(&mut self, state: &str) -> Instant {
        match &self.state {
            Some((known, since)) if known == state => *since,
            _ => {
                let now = Instant::now();
                *self = Shelf { state: Some((state.to_owned(), now)), ..Shelf::default() };
                now
            }
        }
    }

    /// An answer of this state.
    pub fn get(&mut self, question: &str) -> Option<Kept> {
        if let Some(kept) = self.late.get(question) {
            return Some(kept.clone());
        }
        let (question, kept) = self.earlier.remove_entry(question)?;
        self.put(question, kept.clone());
        Some(kept)
    }

    /// Keeps an answer of this state.
    pub fn put(&mut self, question: String, kept: Kept) {
        self.bytes += question.len() + kept.body.len() + BESIDES;
        if let Some(before) = self.late.insert(question, kept) {
            self.bytes -= before.body.len() + BESIDES;
        }
        if self.bytes > MOST / 2 {
            self.earlier = std::mem::take(&mut self.late);
            self.bytes = 0;
        }
    }
}

/// What is kept.
pub struct Answers {
    /// Makes tags of this process its own: they depend on what it was started with.
    salt: [u8; 16],
    shelf: Mutex<Shelf>,
}

impl Answers {
    /// None yet.
    ///
    /// # Errors
    ///
    /// No random bytes.
    pub fn new() -> anyhow::Result<Answers> {
        let mut salt = [0; 16];
        openssl::rand::rand_bytes(&mut salt)?;
        Ok(Answers { salt, shelf: Mutex::default() })
    }

    /// What is kept, for this thread alone meanwhile.
    pub fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The ETag of an answer.
    pub fn tag(&self, state: &str, question: &str) -> Option<HeaderValue> {
        let text = format!("{state}\n{question}");
        let digest = sha256(&[&self.salt[..], text.as_bytes()].concat());
        let hex: String = digest[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        HeaderValue::from_str(&format!("\"{hex}\"")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(size: usize) -> Kept {
        Kept { headers: HeaderMap::new(), body: Bytes::from(vec![b'x'; size]) }
    }

    #[test]
    fn another_state_knows_nothing() {
        let mut shelf = Shelf::default();
        let since = shelf.turn_to("1:1:");
        shelf.put("/a".into(), kept(10));
        assert_eq!(shelf.turn_to("1:1:"), since);
        assert!(shelf.get("/a").is_some() && shelf.get("/b").is_none());
        shelf.turn_to("1:2:");
        assert!(shelf.get("/a").is_none());
        shelf.turn_to("1:1:");
        assert!(shelf.get("/a").is_none(), "nor does the first, when it is there again");
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let mut shelf = Shelf::default();
        shelf.turn_to("1:1:");
        let mut most = 0;
        for number in 0..200 {
            shelf.put(format!("/{number}"), kept(LONGEST));
            assert!(shelf.get("/0").is_some(), "{number}");
            most = most.max(shelf.late.len() + shelf.earlier.len());
        }
        assert!(shelf.get("/1").is_none());
        assert!(most * LONGEST <= MOST + LONGEST, "{most}");
    }

    #[test]
    fn tags_tell_states_questions_and_processes_apart() {
        let (a, b) = (Answers::new().unwrap(), Answers::new().unwrap());
        let tag = a.tag("1:1:", "/x").unwrap();
        assert_eq!(a.tag("1:1:", "/x").unwrap(), tag);
        for other in [a.tag("1:1:", "/y"), a.tag("1:2:", "/x"), b.tag("1:1:", "/x")] {
            assert_ne!(other.unwrap(), tag);
        }
    }
}
