//! The numbers of games within their source, though pieces are read side by side.
//!
//! Who has read a piece says how many games it holds; who needs the number of its first game waits
//! until that is known of all pieces before. Pieces are begun in their order, so nobody waits for
//! what has not begun.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// See above.
#[derive(Default)]
pub struct Ledger {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Games before each piece of those known without a gap, and behind the last of them.
    before: Vec<u64>,
    /// Games of pieces that were read before an earlier one.
    early: BTreeMap<usize, u64>,
    given_up: bool,
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Piece `number`, from 0, holds so many games.
    pub fn enter(&self, number: usize, games: u64) {
        let mut state = self.lock();
        if state.before.is_empty() {
            state.before.push(0);
        }
        state.early.insert(number, games);
        loop {
            let (next, sum) = (state.before.len() - 1, state.before[state.before.len() - 1]);
            let Some(games) = state.early.remove(&next) else { break };
            state.before.push(sum + games);
        }
        self.changed.notify_all();
    }

    /// The games in all pieces before `number`; `None` once one of them has been given up.
    pub fn before(&self, number: usize) -> Option<u64> {
        let mut state = self.lock();
        loop {
            if state.given_up {
                return None;
            }
            match state.before.get(number) {
                Some(games) => return Some(*games),
                None if number == 0 => return Some(0),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// A piece will never be read.
    pub fn give_up(&self) {
        self.lock().given_up = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_any_order() {
        let ledger = Ledger::default();
        assert_eq!(ledger.before(0), Some(0));
        ledger.enter(1, 20);
        ledger.enter(0, 1);
        assert_eq!((ledger.before(0), ledger.before(1), ledger.before(2)), (Some(0), Some(1), Some(21)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| ledger.before(4));
            ledger.enter(3, 7);
            ledger.enter(2, 5);
            assert_eq!(waiting.join().unwrap(), Some(33));
            let waiting = scope.spawn(|| ledger.before(6));
            ledger.give_up();
            assert_eq!(waiting.join().unwrap(), None);
        });
    }
}
