//! What becomes of a source while its pieces are on their way: one state, changed in one place.
//!
//! ```text
//! Reading ── the reader has taken all of it apart ──> Draining ── the last piece is stored ──> Done
//!    └────────────── a piece is lost, whatever the reason ──────┴──────────────────> Failed
//! ```
//!
//! Who reads, who stores and who waits look at the same state, and are woken when it changes. A piece that is
//! dropped before it is stored is lost ([`super::job::Job`] says so itself), so nobody waits for what
//! will never come.
//!
//! The numbers of games within their source are found out here as well, though pieces are read side by
//! side: who has read a piece says how many games it holds; who needs the number of its first game waits until
//! that is known of all pieces before. Pieces are begun in their order, so nobody waits for what has not begun.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// See above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is being taken apart; so many pieces are on their way.
    Reading {
        /// Pieces that are not stored.
        open: usize,
    },
    /// All that can be read is on its way.
    Draining {
        /// Pieces that are not stored.
        open: usize,
        /// Whether it was read to its end.
        whole: bool,
    },
    /// All that could be read is stored.
    Done {
        /// Whether it was read to its end.
        whole: bool,
    },
    /// Something that was read is not stored, and will not be.
    Failed,
}

/// What happens to a source.
#[derive(Clone, Copy, Debug)]
enum Event {
    Sent,
    Stored,
    Read { whole: bool },
    Lost,
}

impl State {
    /// The one place where a state becomes another.
    fn after(self, event: Event) -> State {
        let drained = |open, whole| if open == 0 { State::Done { whole } } else { State::Draining { open, whole } };
        match (self, event) {
            (State::Failed, _) | (_, Event::Lost) => State::Failed,
            (State::Reading { open }, Event::Sent) => State::Reading { open: open + 1 },
            (State::Reading { open: open @ 1.. }, Event::Stored) => State::Reading { open: open - 1 },
            (State::Reading { open }, Event::Read { whole }) => drained(open, whole),
            (State::Draining { open: open @ 1.., whole }, Event::Stored) => drained(open - 1, whole),
            // Not reached by who keeps the order; a source in doubt is not a source that is stored.
            _ => State::Failed,
        }
    }
}

/// A source that is being loaded.
pub struct Input {
    /// Its number in the table `sources`.
    pub id: i32,
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    state: State,
    /// Games before each piece of those known without a gap, and behind the last of them.
    before: Vec<u64>,
    /// Games of pieces that were read before an earlier one.
    early: BTreeMap<usize, u64>,
}

impl Input {
    /// A source of which nothing has been read.
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

    /// A piece is on its way.
    pub fn sent(&self) -> State {
        self.happens(Event::Sent)
    }

    /// A piece is stored.
    pub fn stored(&self) -> State {
        self.happens(Event::Stored)
    }

    /// All that can be read has been sent; `whole` if it was read to its end.
    pub fn read(&self, whole: bool) -> State {
        self.happens(Event::Read { whole })
    }

    /// A piece will not be stored.
    pub fn lost(&self) -> State {
        self.happens(Event::Lost)
    }

    /// Whether nothing of it is on its way any more.
    pub fn is_settled(&self) -> bool {
        matches!(self.lock().state, State::Done { .. } | State::Failed)
    }

    /// Waits until nothing of it is on its way any more.
    pub fn settled(&self) -> State {
        let mut inner = self.lock();
        while !matches!(inner.state, State::Done { .. } | State::Failed) {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        inner.state
    }

    /// Piece `number`, from 0, holds so many games.
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

    /// The games in all pieces before `number`; `None` once a piece is lost.
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
            // A file that ends in the middle stops no game that was read of it.
            input.sent();
            input.read(false);
            input.holds(4, 1);
            assert_eq!(input.games_before(5), Some(34));
            input.lost();
            assert_eq!(waiting.join().unwrap(), (None, State::Failed));
        });
    }
}
