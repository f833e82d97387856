//! The pool of engines for the boards on the screen.
//!
//! A program and the number of its processes go in. A request takes an engine and returns it; returned engines keep running,
//! because starting one takes longer than a request should.

use std::sync::{Arc, Mutex, PoisonError};

use chess_uci::{Settings, Supervisor};
use serde_json::Value as Json_;

use crate::failure::{Failure, Outcome};
use crate::http::places::{Place, Places, current};

/// The engines of a server.
pub struct Engines {
    settings: Settings,
    places: Arc<Places>,
    /// Running engines that are free.
    idle: Mutex<Vec<Supervisor>>,
}

impl Engines {
    /// A pool of engines for these places, each with this number of threads and MiB for its hash table. They are started when
    /// they are needed.
    pub fn new(program: &str, places: Arc<Places>, threads: u16, memory: u32) -> Engines {
        let mut settings = Settings::new(program);
        settings.defaults = vec![("Threads".to_owned(), threads.into()), ("Hash".to_owned(), memory.into())];
        Engines { settings, places, idle: Mutex::default() }
    }

    /// The arguments of `chess-pgn analyze` for an engine like these; with one thread, as it is for whole games.
    pub fn arguments(&self) -> Vec<String> {
        let memory = self.settings.defaults.iter().find(|(name, _)| name == "Hash").map_or(16, |(_, memory)| *memory);
        ["--engine", &self.settings.program, "--hash", &memory.to_string()].map(str::to_owned).into()
    }

    /// The options that are set, as the table `engines` has them.
    pub fn options(&self) -> Json_ {
        self.settings.defaults.iter().map(|(name, value)| (name.clone(), Json_::from(value.to_string()))).collect()
    }

    /// An engine and its place in the pool.
    ///
    /// # Errors
    ///
    /// 503 if all engines stay busy for some seconds.
    pub async fn take(&self) -> Outcome<(Place, Supervisor)> {
        let busy = |_| Failure::unavailable("all engines are busy; ask again in a moment");
        let place = self.places.take(current()).await.map_err(busy)?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok((place, idle.unwrap_or_else(|| Supervisor::new(self.settings.clone()))))
    }

    /// Returns an engine to the pool.
    pub fn give_back(&self, supervisor: Supervisor) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(supervisor);
    }
}
