//! The order in which the threads of a connection store: one reads the next piece while another waits for the server, but they
//! store in the order in which they have received.

use std::sync::mpsc::Receiver;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::job::Job;

/// What the threads of a connection share.
#[derive(Default)]
pub struct Turns {
    received: Mutex<u64>,
    done: Mutex<u64>,
    next: Condvar,
}

/// The place of a job among those of its connection. Dropping it gives the turn to the next one, once it is its own.
pub struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Turns {
    /// Receives the next job. Returns `None` if the channel is closed.
    pub fn receive(&self, jobs: &Mutex<Receiver<Job>>) -> Option<(Job, Turn<'_>)> {
        let mut received = lock(&self.received);
        let job = lock(jobs).recv().ok()?;
        *received += 1;
        Some((job, Turn { turns: self, number: *received - 1 }))
    }
}

impl Turn<'_> {
    /// Waits until the connection has stored what it received before this job.
    pub fn wait(&self) {
        drop(self.begun());
    }

    fn begun(&self) -> MutexGuard<'_, u64> {
        let done = lock(&self.turns.done);
        self.turns.next.wait_while(done, |done| *done < self.number).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.begun() += 1;
        self.turns.next.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
