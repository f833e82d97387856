//! A query whose result changes all the time: callers that arrive at the same time share a result.
//!
//! A result is shared only by callers that arrived before its query was sent, so that nobody gets a result from before their
//! own call. While a query runs, the callers that arrive wait for the next one. (moka coalesces as well, but lets callers join
//! a query that is already running.)

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// A shared query.
pub struct Shared<T>(Arc<Queue<T>>);

struct Queue<T> {
    /// Receives the result of the next query, if somebody waits for it.
    next: Mutex<Option<watch::Receiver<Option<T>>>>,
    /// Held while a query runs.
    running: tokio::sync::Mutex<()>,
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared(Arc::new(Queue { next: Mutex::default(), running: tokio::sync::Mutex::default() }))
    }
}

impl<T: Clone + Send + Sync + 'static> Shared<T> {
    /// The result of a query that is sent after this call; `None` if it fails.
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
        let queue = self.0.clone();
        // a task of its own, because the first caller may be cancelled
        tokio::spawn(async move {
            let _running = queue.running.lock().await;
            // callers from here on start the next query
            queue.next.lock().unwrap_or_else(PoisonError::into_inner).take();
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

    /// A query that returns how often it was sent, and waits for a permit to return.
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

        /// A caller that waits.
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
    async fn callers_meanwhile_share_the_next_query() {
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
        assert_eq!(join_all(later).await, [Some(2); 3], "not the result from before their call");
        assert_eq!(last.await, Some(3));
        assert_eq!(counted.asked.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn a_cancelled_caller_leaves_the_query_to_the_others() {
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
    async fn a_failed_query_is_sent_again() {
        let (shared, counted) = (Shared::default(), Counted::new());
        counted.may.add_permits(1);
        assert_eq!(shared.get(|| async { None }).await, None);
        assert_eq!(shared.get(|| async { panic!("a panic of this test") }).await, None);
        assert_eq!(shared.get(counted.ask()).await, Some(1));
    }
}
