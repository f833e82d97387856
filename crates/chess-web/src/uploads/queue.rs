//! The jobs of a server. Files arrive side by side, but one at a time is loaded: otherwise two that hold the same games, and
//! come at once, would both be stored.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value as Json_;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};

use crate::failure::{Failure, Outcome};
use crate::uploads::job::{Job, Stage};
use crate::uploads::loader::Loader;
use crate::uploads::spool::Spool;

/// Files that arrive at a time.
const ARRIVING: usize = 4;
/// Jobs that are not at their end.
const OPEN: usize = 20;
/// Jobs that are remembered.
const KEPT: usize = 50;
/// How many times its length an archive may have when it is unpacked.
const UNPACKED: u64 = 20;

/// The jobs.
pub struct Uploads {
    loader: Loader,
    /// The most MiB of a file.
    pub most: u64,
    jobs: Mutex<Jobs>,
    arriving: Arc<Semaphore>,
    turn: AsyncMutex<()>,
}

#[derive(Default)]
struct Jobs {
    last: u64,
    /// The latest first.
    all: VecDeque<Arc<Job>>,
}

impl Uploads {
    /// No jobs yet. A file may have `most` MiB.
    pub fn new(loader: Loader, most: u64) -> Uploads {
        let arriving = Arc::new(Semaphore::new(ARRIVING));
        Uploads { loader, most, jobs: Mutex::default(), arriving, turn: AsyncMutex::default() }
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a file that arrives.
    ///
    /// # Errors
    ///
    /// 503 if there is none.
    pub fn place(&self) -> Outcome<OwnedSemaphorePermit> {
        let busy = |_| Failure::unavailable(format!("{ARRIVING} files are being sent already; try again in a moment"));
        self.arriving.clone().try_acquire_owned().map_err(busy)
    }

    /// A new job.
    ///
    /// # Errors
    ///
    /// 503 if too many are not at their end.
    pub fn begin(&self, name: &str, stage: Stage) -> Outcome<Arc<Job>> {
        let mut jobs = self.jobs();
        if jobs.all.iter().filter(|job| !job.stage().is_end()).count() >= OPEN {
            return Err(Failure::unavailable("too many files are waiting; try again later"));
        }
        jobs.last += 1;
        let job = Arc::new(Job::new(jobs.last, name, stage));
        jobs.all.push_front(job.clone());
        while jobs.all.len() > KEPT
            && let Some(at) = jobs.all.iter().rposition(|job| job.stage().is_end())
        {
            jobs.all.remove(at);
        }
        Ok(job)
    }

    /// The jobs, the latest first.
    pub fn json(&self) -> Vec<Json_> {
        self.jobs().all.iter().map(|job| job.json()).collect()
    }

    /// Cancels a job, or forgets one that is at its end; false if there is none of this number.
    pub fn remove(&self, id: u64) -> bool {
        let mut jobs = self.jobs();
        let Some(at) = jobs.all.iter().position(|job| job.id == id) else { return false };
        match jobs.all[at].stage().is_end() {
            true => drop(jobs.all.remove(at)),
            false => jobs.all[at].cancel(),
        }
        true
    }

    /// Loads a file that has arrived, when its turn comes.
    pub async fn load(&self, job: &Job, spool: &Spool, index: bool) {
        tokio::select! {
            _turn = self.turn.lock() => {
                let most = self.most * UNPACKED;
                self.loader.load(job, spool.directory(), &spool.name, index, most).await;
            }
            () = job.cancelled() => (),
        }
    }

    /// Removes a source, when its turn comes.
    pub async fn unload(&self, job: &Job, source: i32) {
        tokio::select! {
            _turn = self.turn.lock() => self.loader.unload(job, source).await,
            () = job.cancelled() => (),
        }
    }
}
