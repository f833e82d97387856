//! The pool of engines for the boards on the screen.
//!
//! A program and the number of its processes go in. A request takes an engine and returns it; returned engines keep running,
//! because starting one takes longer than a request should.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chess_uci::{Settings, Supervisor};
use serde_json::Value as Json_;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::{Failure, Outcome};

/// How long a request waits for a free engine.
const WAIT: Duration = Duration::from_secs(2);

/// The engines of a server.
pub struct Engines {
    settings: Settings,
    free: Arc<Semaphore>,
    /// Running engines that are free.
    idle: Mutex<Vec<Supervisor>>,
}

impl Engines {
    /// A pool of `count` engines, each with this number of threads and MiB for its hash table. They are started when they
    /// are needed.
    pub fn new(program: &str, count: u16, threads: u16, memory: u32) -> Engines {
        let mut settings = Settings::new(program);
        settings.defaults = vec![("Threads".to_owned(), threads.into()), ("Hash".to_owned(), memory.into())];
        Engines { settings, free: Arc::new(Semaphore::new(count.into())), idle: Mutex::default() }
    }

    /// The options that are set, as the table `engines` has them.
    pub fn options(&self) -> Json_ {
        self.settings.defaults.iter().map(|(name, value)| (name.clone(), Json_::from(value.to_string()))).collect()
    }

    /// An engine and its place in the pool, which is free again when the permit is dropped.
    ///
    /// # Errors
    ///
    /// 503 if all engines stay busy for two seconds.
    pub async fn take(&self) -> Outcome<(OwnedSemaphorePermit, Supervisor)> {
        let busy = || Failure::unavailable("all engines are busy; ask again in a moment");
        let permit = tokio::time::timeout(WAIT, self.free.clone().acquire_owned()).await.map_err(|_| busy())?;
        let permit = permit.map_err(|_| busy())?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok((permit, idle.unwrap_or_else(|| Supervisor::new(self.settings.clone()))))
    }

    /// Returns an engine to the pool.
    pub fn give_back(&self, supervisor: Supervisor) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(supervisor);
    }
}
