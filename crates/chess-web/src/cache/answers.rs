//! The stored answers and their ETags.
//!
//! A question and the state of the database go in; the answer that was computed in that state comes out. Requests with the
//! same question share one computation. moka does both, and evicts the least recently used answers beyond the limit.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::http::HeaderValue;
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use openssl::sha::sha256;

use crate::cache::answer::Answer;

/// Limit of the cache in bytes, counted after compression.
const CAPACITY: u64 = 40 << 20;

/// Approximate overhead of an entry, in bytes.
const OVERHEAD: usize = 500;

/// The ETags of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tags {
    /// For the plain body.
    pub plain: HeaderValue,
    /// For the compressed body.
    pub gzip: HeaderValue,
}

/// A computed answer that is not stored.
#[derive(Debug)]
pub enum Unstored {
    /// The answer is shared with the requests that wait for it.
    Shared(Arc<Answer>),
    /// The error concerns one client alone; another request that waits computes the answer.
    Own,
}

/// The cache.
pub struct Answers {
    /// Random: a new process has new tags, because it may answer differently.
    salt: [u8; 16],
    /// By plain tag, which stands for a question in a state.
    stored: Cache<HeaderValue, Arc<Answer>>,
    /// The latest state, and since when it is known.
    state: Mutex<Option<(String, Instant)>>,
}

impl Answers {
    /// An empty cache.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn new() -> anyhow::Result<Answers> {
        let mut salt = [0; 16];
        openssl::rand::rand_bytes(&mut salt)?;
        let weight = |tag: &HeaderValue, answer: &Arc<Answer>| (tag.len() + answer.body.len() + OVERHEAD) as u32;
        let stored =
            Cache::builder().max_capacity(CAPACITY).weigher(weight).eviction_policy(EvictionPolicy::lru()).build();
        Ok(Answers { salt, stored, state: Mutex::default() })
    }

    /// Since when the database is in this state. A new state removes all answers, which no request can ask for any more.
    pub fn enter(&self, state: &str) -> Instant {
        let mut latest = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*latest {
            Some((known, since)) if known == state => *since,
            _ => {
                let now = Instant::now();
                *latest = Some((state.to_owned(), now));
                self.stored.invalidate_all();
                now
            }
        }
    }

    /// The stored answer with this tag. If there is none, `compute` runs, and all requests that ask meanwhile wait for it; if
    /// its request is cancelled, one of the others computes the answer. (moka panics when 200 requests in a row are cancelled
    /// while one waits, which ends the connection of that one.)
    ///
    /// # Errors
    ///
    /// `compute` says that the answer is not to be stored.
    pub async fn get_or(
        &self,
        tag: &HeaderValue,
        compute: impl Future<Output = Result<Arc<Answer>, Unstored>>,
    ) -> Result<Arc<Answer>, Arc<Unstored>> {
        let mut is_new = false;
        let compute = async {
            is_new = true;
            compute.await
        };
        let answer = self.stored.try_get_with_by_ref(tag, compute).await?;
        if is_new {
            // evicts at once; otherwise moka waits for 64 more answers, which may have a megabyte each
            self.stored.run_pending_tasks().await;
        }
        Ok(answer)
    }

    /// The size of the stored answers.
    pub fn bytes(&self) -> u64 {
        self.stored.weighted_size()
    }

    /// The ETags of an answer.
    pub fn tags(&self, state: &str, question: &str) -> Option<Tags> {
        let text = format!("{state}\n{question}");
        let digest = sha256(&[&self.salt[..], text.as_bytes()].concat());
        let digits = hex::encode(&digest[..12]);
        let tag = |kind| HeaderValue::from_str(&format!("\"{digits}{kind}\"")).ok();
        Some(Tags { plain: tag("")?, gzip: tag("-gzip")? })
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use axum::http::StatusCode;
    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;
    use crate::cache::answer::LONGEST;

    fn answer(body: Vec<u8>) -> Answer {
        Answer { status: StatusCode::OK, headers: Vec::new(), body: body.into(), is_gzip: false, holds: true }
    }

    fn sized(size: usize) -> Arc<Answer> {
        Arc::new(answer(vec![b'x'; size]))
    }

    fn tag(number: usize) -> HeaderValue {
        number.into()
    }

    async fn put(answers: &Answers, number: usize, answer: Arc<Answer>) {
        let put = answers.get_or(&tag(number), ready(Ok(answer))).await;
        assert!(put.is_ok());
    }

    async fn has(answers: &Answers, number: usize) -> bool {
        let missing = ready(Err(Unstored::Own));
        answers.get_or(&tag(number), missing).await.is_ok()
    }

    async fn count(answers: &Answers) -> u64 {
        answers.stored.run_pending_tasks().await;
        answers.stored.entry_count()
    }

    #[tokio::test]
    async fn the_limit_counts_compressed_bytes() {
        let answers = Answers::new().unwrap();
        let answer = Arc::new(answer("e4 e5 Nf3 Nc6 ".repeat(LONGEST / 14).into_bytes()).compress());
        for number in 0..200 {
            put(&answers, number, answer.clone()).await;
        }
        assert_eq!(count(&answers).await, 200, "200 MB are less than 40 MB after compression");
    }

    #[tokio::test]
    async fn a_new_state_removes_the_answers() {
        let answers = Answers::new().unwrap();
        let since = answers.enter("1:1:");
        put(&answers, 1, sized(10)).await;
        assert_eq!(answers.enter("1:1:"), since);
        assert!(has(&answers, 1).await && !has(&answers, 2).await);
        answers.enter("1:2:");
        assert!(!has(&answers, 1).await);
        assert_eq!(count(&answers).await, 0, "the memory is free");
    }

    #[tokio::test]
    async fn the_least_recently_used_answers_are_evicted_at_once() {
        let answers = Answers::new().unwrap();
        for number in 0..200 {
            put(&answers, number, sized(LONGEST)).await;
            assert!(has(&answers, 0).await, "{number}");
            assert!(answers.stored.weighted_size() <= CAPACITY, "{number}");
        }
        assert!(!has(&answers, 1).await);
    }

    #[tokio::test]
    async fn the_same_question_is_computed_once() {
        let answers = Answers::new().unwrap();
        let (tell, told) = oneshot::channel();
        let tag = tag(1);
        let mut first = Box::pin(answers.get_or(&tag, async { Ok(told.await.unwrap()) }));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(answers.get_or(&tag, async { panic!("computed twice") }));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(!has(&answers, 2).await, "another question does not wait");
        tell.send(sized(3)).unwrap();
        assert_eq!((first.await.unwrap().body.len(), second.await.unwrap().body.len()), (3, 3));
    }

    #[tokio::test]
    async fn a_request_that_waits_takes_over() {
        let answers = Answers::new().unwrap();
        let tag = tag(1);
        let mut first = Box::pin(answers.get_or(&tag, pending()));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(answers.get_or(&tag, ready(Ok(sized(3)))));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert_eq!(second.await.unwrap().body.len(), 3, "after the first request was cancelled");
    }

    #[tokio::test]
    async fn answers_that_do_not_hold_are_shared_but_not_stored() {
        let answers = Answers::new().unwrap();
        let (tell, told) = oneshot::channel();
        let tag = tag(1);
        let mut first = Box::pin(answers.get_or(&tag, async { Err(Unstored::Shared(told.await.unwrap())) }));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(answers.get_or(&tag, ready(Err(Unstored::Own))));
        assert!(second.as_mut().now_or_never().is_none());
        tell.send(sized(3)).unwrap();
        for result in [first.await, second.await] {
            assert!(matches!(&*result.err().unwrap(), Unstored::Shared(answer) if answer.body.len() == 3));
        }
        assert_eq!(count(&answers).await, 0);
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
