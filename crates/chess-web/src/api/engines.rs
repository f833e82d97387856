//! The pool of engines for the boards on the screen.
//!
//! Takes a program and how many of it may run; gives out an engine at a time, and keeps those that come back running.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chess_uci::{Settings, Supervisor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::failure::{Failure, Outcome};

/// How long a question waits for a free engine.
const WAIT: Duration = Duration::from_secs(2);

/// The engines of a server.
pub struct Engines {
    settings: Settings,
    free: Arc<Semaphore>,
    /// Those that nobody uses now; they keep running.
    idle: Mutex<Vec<Supervisor>>,
}

impl Engines {
    /// So many of a program, none of which is started yet.
    pub fn new(program: &str, count: u16) -> Engines {
        let mut settings = Settings::new(program);
        settings.defaults = vec![("Threads".to_owned(), 1), ("Hash".to_owned(), 64)];
        Engines { settings, free: Arc::new(Semaphore::new(count.into())), idle: Mutex::default() }
    }

    /// An engine, and the place that it takes until that is dropped.
    ///
    /// # Errors
    ///
    /// All are busy, and stay so for a while.
    pub async fn take(&self) -> Outcome<(OwnedSemaphorePermit, Supervisor)> {
        let busy = || Failure::unavailable("all engines are busy; ask again in a moment");
        let permit = tokio::time::timeout(WAIT, self.free.clone().acquire_owned()).await.map_err(|_| busy())?;
        let permit = permit.map_err(|_| busy())?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok((permit, idle.unwrap_or_else(|| Supervisor::new(self.settings.clone()))))
    }

    /// Keeps an engine for whoever comes next.
    pub fn give_back(&self, supervisor: Supervisor) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(supervisor);
    }
}
