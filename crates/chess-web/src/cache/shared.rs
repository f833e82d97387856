//! A question to the database whose answer changes: those who ask it at the same time share an answer.
//!
//! The question goes in with each who asks; what comes out was asked for after they came, never before.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// A question whose answer changes: all who come while it is on its way share the answer to the next one.
pub struct Shared<T>(Arc<Turns<T>>);

struct Turns<T> {
    /// Will get the answer to the question that is not asked yet.
    next: Mutex<Option<watch::Receiver<Option<T>>>>,
    turn: tokio::sync::Mutex<()>,
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared(Arc::new(Turns { next: Mutex::default(), turn: tokio::sync::Mutex::default() }))
    }
}

impl<T: Clone + Send + Sync + 'static> Shared<T> {
    /// The answer to a question that is asked from now on; none if it fails.
    pub async fn get<F, A>(&self, ask: F) -> Option<T>
    where
        F: FnOnce() -> A + Send + 'static,
        A: Future<Output = Option<T>> + Send,
    {
        let mut given = self.join(ask);
        given.wait_for(Option::is_some).await.ok().and_then(|answer| answer.clone())
    }

    fn join<F, A>(&self, ask: F) -> watch::Receiver<Option<T>>
    where
        F: FnOnce() -> A + Send + 'static,
        A: Future<Output = Option<T>> + Send,
    {
        let mut next = self.0.next.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(given) = &*next {
            return given.clone();
        }
        let (tell, given) = watch::channel(None);
        *next = Some(given.clone());
        let turns = self.0.clone();
        // a task of its own: whoever came first may go
        tokio::spawn(async move {
            let _turn = turns.turn.lock().await;
            // who comes after this is too late for this question
            turns.next.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(answer) = ask().await {
                tell.send_replace(Some(answer));
            }
        });
        given
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::FutureExt as _;
    use futures_util::future::{BoxFuture, join_all};
    use tokio::sync::Semaphore;

    use super::*;

    /// A question whose answer says how often it was asked, and comes when it may.
    #[derive(Clone)]
    struct Counted {
        asked: Arc<AtomicUsize>,
        may: Arc<Semaphore>,
    }

    impl Counted {
        fn new() -> Counted {
            Counted { asked: Arc::default(), may: Arc::new(Semaphore::new(0)) }
        }

        fn ask(&self) -> impl FnOnce() -> BoxFuture<'static, Option<usize>> + Send + use<> {
            let counted = self.clone();
            move || {
                Box::pin(async move {
                    let number = counted.asked.fetch_add(1, Ordering::SeqCst) + 1;
                    counted.may.acquire().await.unwrap().forget();
                    Some(number)
                })
            }
        }

        /// Somebody who asks it, and has no answer yet.
        fn begun<'a>(&self, shared: &'a Shared<usize>) -> BoxFuture<'a, Option<usize>> {
            let ask = self.ask();
            let mut get: BoxFuture<'a, _> = Box::pin(shared.get(ask));
            assert!(get.as_mut().now_or_never().is_none());
            get
        }

        async fn was_asked(&self, times: usize) {
            while self.asked.load(Ordering::SeqCst) < times {
                tokio::task::yield_now().await;
            }
        }
    }

    #[tokio::test]
    async fn who_comes_meanwhile_shares_the_next_question() {
        let (shared, counted) = (Shared::default(), Counted::new());
        let get = || counted.begun(&shared);
        let early = [get(), get()];
        counted.was_asked(1).await;
        let later = [get(), get(), get()];
        counted.may.add_permits(1);
        assert_eq!(join_all(early).await, [Some(1); 2]);
        counted.was_asked(2).await;
        let last = get();
        counted.may.add_permits(2);
        assert_eq!(join_all(later).await, [Some(2); 3], "not the answer of before they came");
        assert_eq!(last.await, Some(3));
        assert_eq!(counted.asked.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn who_goes_leaves_the_question_to_the_others() {
        let (shared, counted) = (Shared::default(), Counted::new());
        let get = || counted.begun(&shared);
        let (first, second) = (get(), get());
        drop(first);
        counted.was_asked(1).await;
        let (third, fourth) = (get(), get());
        drop(third);
        counted.may.add_permits(2);
        assert_eq!((second.await, fourth.await), (Some(1), Some(2)));
    }

    #[tokio::test]
    async fn a_question_that_fails_is_asked_again() {
        let (shared, counted) = (Shared::default(), Counted::new());
        counted.may.add_permits(1);
        assert_eq!(shared.get(|| async { None }).await, None);
        assert_eq!(shared.get(|| async { panic!("a panic of this test") }).await, None);
        assert_eq!(shared.get(counted.ask()).await, Some(1));
    }
}
