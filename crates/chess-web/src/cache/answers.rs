//! Where answers are kept that were given already (`answers` says for how long they hold).
//!
//! Takes questions, answers and the state of the database they belong to; gives an answer back while that is the state, and
//! forgets what was not asked for when there are too many. What is kept is gzip, which JSON makes six times shorter.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::http::HeaderValue;
use openssl::sha::sha256;
use tokio::sync::watch;

use crate::cache::answer::Answer;

/// Bytes of all answers, as they are kept; those that were not asked for go when there are more.
const MOST: usize = 40 << 20;

/// What an answer takes besides its bytes, about.
const BESIDES: usize = 500;

/// The ETags of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tags {
    /// As it is.
    pub plain: HeaderValue,
    /// As gzip.
    pub gzip: HeaderValue,
}

/// The answers of one state: those of late, and those that were asked for since the last time there were too many.
#[derive(Default)]
pub struct Shelf {
    state: Option<(String, Instant)>,
    late: HashMap<String, Arc<Answer>>,
    bytes: usize,
    earlier: HashMap<String, Arc<Answer>>,
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
    pub fn get(&mut self, question: &str) -> Option<Arc<Answer>> {
        if let Some(kept) = self.late.get(question) {
            return Some(kept.clone());
        }
        let (question, kept) = self.earlier.remove_entry(question)?;
        self.put(question, kept.clone());
        Some(kept)
    }

    /// Keeps an answer of this state.
    pub fn put(&mut self, question: String, kept: Arc<Answer>) {
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
    asked: Mutex<HashMap<HeaderValue, watch::Receiver<Given>>>,
}

/// What a question gets that others may have asked as well; nothing yet.
type Given = Option<Arc<Answer>>;

/// Whoever asks what nobody is asking now, until that is answered or given up.
pub struct First<'a> {
    answers: &'a Answers,
    tag: HeaderValue,
    tell: watch::Sender<Given>,
}

impl First<'_> {
    /// Gives the answer to those who have asked the same meanwhile.
    pub fn tell(self, answer: Arc<Answer>) {
        self.tell.send_replace(Some(answer));
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        self.answers.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.tag);
    }
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
        Ok(Answers { salt, shelf: Mutex::default(), asked: Mutex::default() })
    }

    /// What is kept, for this thread alone meanwhile.
    pub fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question of a tag is one's own to ask, or somebody else's, whose answer will come there.
    pub fn ask(&self, tag: &HeaderValue) -> Result<First<'_>, watch::Receiver<Given>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(given) = asked.get(tag) {
            return Err(given.clone());
        }
        let (tell, given) = watch::channel(None);
        asked.insert(tag.clone(), given);
        Ok(First { answers: self, tag: tag.clone(), tell })
    }

    /// The ETags of an answer.
    pub fn tags(&self, state: &str, question: &str) -> Option<Tags> {
        let text = format!("{state}\n{question}");
        let digest = sha256(&[&self.salt[..], text.as_bytes()].concat());
        let hex: String = digest[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        let tag = |kind| HeaderValue::from_str(&format!("\"{hex}{kind}\"")).ok();
        Some(Tags { plain: tag("")?, gzip: tag("-gzip")? })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;
    use crate::cache::answer::LONGEST;

    fn answer(body: Vec<u8>) -> Answer {
        Answer { status: StatusCode::OK, headers: Vec::new(), body: body.into(), is_gzip: false, holds: true }
    }

    fn kept(size: usize) -> Arc<Answer> {
        Arc::new(answer(vec![b'x'; size]))
    }

    #[test]
    fn compressed_bytes_count() {
        let mut shelf = Shelf::default();
        shelf.turn_to("1:1:");
        let answer = Arc::new(answer("e4 e5 Nf3 Nc6 ".repeat(LONGEST / 14).into_bytes()).compress());
        for number in 0..200 {
            shelf.put(format!("/{number}"), answer.clone());
        }
        assert_eq!(shelf.late.len(), 200, "200 MB are less than 20 when they are gzip");
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

    #[tokio::test]
    async fn who_asks_the_same_waits_for_the_first() {
        let answers = Answers::new().unwrap();
        let (tag, other) = (HeaderValue::from_static("a"), HeaderValue::from_static("b"));
        let first = answers.ask(&tag).ok().unwrap();
        let mut later = answers.ask(&tag).err().unwrap();
        assert!(answers.ask(&other).is_ok(), "another question does not wait");
        first.tell(kept(3));
        assert!(later.wait_for(Option::is_some).await.is_ok());
        let first = answers.ask(&tag).ok().unwrap();
        let mut later = answers.ask(&tag).err().unwrap();
        drop(first);
        assert!(later.wait_for(Option::is_some).await.is_err(), "who has asked first has gone");
        assert!(answers.ask(&tag).is_ok());
    }

    #[test]
    fn tags_tell_states_questions_and_processes_apart() {
        let (a, b) = (Answers::new().unwrap(), Answers::new().unwrap());
        let tag = a.tags("1:1:", "/x").unwrap();
        assert_eq!(a.tags("1:1:", "/x").unwrap(), tag);
        assert_ne!(tag.plain, tag.gzip);
        for other in [a.tags("1:1:", "/y"), a.tags("1:2:", "/x"), b.tags("1:1:", "/x")] {
            let other = other.unwrap();
            assert!(other.plain != tag.plain && other.gzip != tag.gzip);
        }
    }
}
