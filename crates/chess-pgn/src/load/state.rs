//! Tracks whether all pieces of a source are stored. One function makes every transition.
//!
//! ```text
//! Reading ── the reader has taken all of it apart ──> Draining ── the last piece is stored ──> Done
//!    └────────────── a piece is lost, whatever the reason ──────┴──────────────────> Failed
//! ```
//!
//! The reading thread, the storing threads and waiting callers share this state and are woken by changes. A piece that
//! is dropped before it is stored reports itself as lost ([`super::job::Job`]), so nobody waits for ever.
//!
//! The state also numbers games within their source although pieces are parsed in parallel: a thread reports how many
//! games its piece has, and to number its first game waits until all earlier pieces are counted. Pieces are started in
//! order, so every piece that is waited for has been started.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The state of a source; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The reader is splitting it.
    Reading {
        /// Pieces sent and not yet stored.
        open: usize,
    },
    /// All readable pieces have been sent.
    Draining {
        /// Pieces sent and not yet stored.
        open: usize,
        /// Whether the source was read to its end.
        whole: bool,
    },
    /// All readable pieces are stored.
    Done {
        /// Whether the source was read to its end.
        whole: bool,
    },
    /// A piece was lost.
    Failed,
}

/// Events that change the state.
#[derive(Clone, Copy, Debug)]
enum Event {
    Sent,
    Stored,
    Read { whole: bool },
    Lost,
}

impl State {
    /// The state after an event.
    fn after(self, event: Event) -> State {
        let drained = |open, whole| if open == 0 { State::Done { whole } } else { State::Draining { open, whole } };
        match (self, event) {
            (State::Failed, _) | (_, Event::Lost) => State::Failed,
            (State::Reading { open }, Event::Sent) => State::Reading { open: open + 1 },
            (State::Reading { open: open @ 1.. }, Event::Stored) => State::Reading { open: open - 1 },
            (State::Reading { open }, Event::Read { whole }) => drained(open, whole),
            (State::Draining { open: open @ 1.., whole }, Event::Stored) => drained(open - 1, whole),
            // Unreachable if events come in order. If not, fail: the source must not be marked as loaded.
            _ => State::Failed,
        }
    }
}

/// A source that is being loaded.
pub struct Input {
    /// Its id in the table `sources`.
    pub id: i32,
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    state: State,
    /// The number of games before each piece, for the first pieces without a gap, and after the last of them.
    before: Vec<u64>,
    /// The games of pieces whose predecessors are not all counted yet.
    early: BTreeMap<usize, u64>,
}

impl Input {
    /// A source of which no piece has been sent.
    pub fn new(id: i32) -> Input {
        let inner = Inner { state: State::Reading { open: 0 }, before: vec![0], early: BTreeMap::new() };
        Input { id, inner: Mutex::new(inner), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn happens(&self, event: Event) -> State {
        let mut inner = self.lock();
        inner.state = inner.state.after(event);
        self.changed.notify_all();
        inner.state
    }

    /// A piece was sent.
    pub fn sent(&self) -> State {
        self.happens(Event::Sent)
    }

    /// A piece was stored.
    pub fn stored(&self) -> State {
        self.happens(Event::Stored)
    }

    /// All readable pieces have been sent; `whole` if the source was read to its end.
    pub fn read(&self, whole: bool) -> State {
        self.happens(Event::Read { whole })
    }

    /// A piece will not be stored.
    pub fn lost(&self) -> State {
        self.happens(Event::Lost)
    }

    /// Whether no piece is pending.
    pub fn is_settled(&self) -> bool {
        matches!(self.lock().state, State::Done { .. } | State::Failed)
    }

    /// Waits until no piece is pending.
    pub fn settled(&self) -> State {
        let mut inner = self.lock();
        while !matches!(inner.state, State::Done { .. } | State::Failed) {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        inner.state
    }

    /// Records the number of games in piece `number` (from 0).
    pub fn holds(&self, number: usize, games: u64) {
        let mut inner = self.lock();
        inner.early.insert(number, games);
        loop {
            let (next, sum) = (inner.before.len() - 1, inner.before[inner.before.len() - 1]);
            let Some(games) = inner.early.remove(&next) else { break };
            inner.before.push(sum + games);
        }
        self.changed.notify_all();
    }

    /// Waits for and returns the number of games in all pieces before `number`; `None` once a piece is lost.
    pub fn games_before(&self, number: usize) -> Option<u64> {
        let mut inner = self.lock();
        loop {
            match inner.before.get(number) {
                Some(games) => return Some(*games),
                None if inner.state == State::Failed => return None,
                None => inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_reading_to_done() {
        let input = Input::new(1);
        assert_eq!(input.sent(), State::Reading { open: 1 });
        assert_eq!(input.sent(), State::Reading { open: 2 });
        assert_eq!(input.stored(), State::Reading { open: 1 });
        assert_eq!(input.read(true), State::Draining { open: 1, whole: true });
        assert!(!input.is_settled());
        assert_eq!(input.stored(), State::Done { whole: true });
        let input = Input::new(1);
        input.sent();
        input.stored();
        assert_eq!(input.read(false), State::Done { whole: false });
    }

    #[test]
    fn what_is_lost_stays_lost() {
        let input = Input::new(1);
        input.sent();
        assert_eq!(input.lost(), State::Failed);
        for state in [input.sent(), input.stored(), input.read(true), input.settled()] {
            assert_eq!(state, State::Failed);
        }
        assert_eq!(Input::new(1).stored(), State::Failed);
    }

    #[test]
    fn pieces_in_any_order() {
        let input = Input::new(1);
        assert_eq!(input.games_before(0), Some(0));
        input.holds(1, 20);
        input.holds(0, 1);
        assert_eq!((input.games_before(0), input.games_before(1), input.games_before(2)), (Some(0), Some(1), Some(21)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| input.games_before(4));
            input.holds(3, 7);
            input.holds(2, 5);
            assert_eq!(waiting.join().unwrap(), Some(33));
            let waiting = scope.spawn(|| (input.games_before(6), input.settled()));
            // Games before a truncated end of file are stored all the same.
            input.sent();
            input.read(false);
            input.holds(4, 1);
            assert_eq!(input.games_before(5), Some(34));
            input.lost();
            assert_eq!(waiting.join().unwrap(), (None, State::Failed));
        });
    }
}
