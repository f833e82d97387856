//! Threads that work on numbered pieces take turns in the order of the numbers: a number and what is to be done at its turn
//! come in, the outcome goes out. A piece that is never done stops all.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Something that is changed piece by piece, in their order.
pub struct InOrder<T> {
    inner: Mutex<Inner<T>>,
    changed: Condvar,
}

struct Inner<T> {
    next: usize,
    stopped: bool,
    value: T,
}

impl<T> InOrder<T> {
    /// Begins with the piece 0.
    pub fn new(value: T) -> InOrder<T> {
        InOrder { inner: Mutex::new(Inner { next: 0, stopped: false, value }), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a piece. `None` after a stop.
    pub fn turn<R>(&self, number: usize, act: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut inner = self.lock();
        while inner.next != number && !inner.stopped {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        if inner.stopped {
            return None;
        }
        let outcome = act(&mut inner.value);
        inner.next += 1;
        self.changed.notify_all();
        Some(outcome)
    }

    /// Lets nobody wait any longer.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    /// What all pieces have made of it.
    pub fn into_inner(self) -> T {
        self.inner.into_inner().unwrap_or_else(PoisonError::into_inner).value
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn pieces_come_in_their_order() {
        let all = InOrder::new(Vec::new());
        thread::scope(|scope| {
            for first in 0..4 {
                let all = &all;
                scope.spawn(move || (first..100).step_by(4).for_each(|n| all.turn(n, |all| all.push(n)).unwrap()));
            }
        });
        assert_eq!(all.into_inner(), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_waits_for_a_piece_that_is_lost() {
        let all = InOrder::new(0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| all.turn(1, |all| *all += 1));
            all.stop();
            assert_eq!(waiting.join().unwrap(), None);
        });
        assert_eq!(all.turn(0, |all| *all += 1), None);
    }
}
