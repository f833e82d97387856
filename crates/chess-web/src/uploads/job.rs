//! A piece of work that is under way or done: a file that is received and loaded, or a source that is removed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json_, json};
use tokio::sync::watch;

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The file arrives.
    Receiving,
    /// Another job is under way.
    Waiting,
    /// The loader reads the file.
    Loading,
    /// All games are stored; indexes and counts follow.
    Finishing,
    /// The loader removes a source.
    Removing,
    /// It is done.
    Done,
    /// It has failed.
    Failed,
    /// The visitor has cancelled it.
    Cancelled,
}

impl Stage {
    fn word(self) -> &'static str {
        match self {
            Stage::Receiving => "receiving",
            Stage::Waiting => "waiting",
            Stage::Loading => "loading",
            Stage::Finishing => "finishing",
            Stage::Removing => "removing",
            Stage::Done => "done",
            Stage::Failed => "failed",
            Stage::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more will happen.
    pub fn is_end(self) -> bool {
        matches!(self, Stage::Done | Stage::Failed | Stage::Cancelled)
    }
}

struct State {
    stage: Stage,
    bytes: u64,
    error: Option<String>,
    /// The last line of the loader.
    report: Json_,
}

/// A job.
pub struct Job {
    /// Its number, from 1.
    pub id: u64,
    /// The name of the file or the source.
    pub name: String,
    state: Mutex<State>,
    cancel: watch::Sender<bool>,
}

impl Job {
    /// A job at its first stage.
    pub fn new(id: u64, name: &str, stage: Stage) -> Job {
        let state = State { stage, bytes: 0, error: None, report: Json_::Null };
        Job { id, name: name.to_owned(), state: Mutex::new(state), cancel: watch::Sender::new(false) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        self.state().stage
    }

    /// Goes on to another stage; an end stays.
    pub fn goes_on(&self, stage: Stage) {
        let mut state = self.state();
        if !state.stage.is_end() {
            state.stage = stage;
        }
    }

    /// Ends with an error.
    pub fn fails(&self, error: impl Into<String>) {
        let mut state = self.state();
        if !state.stage.is_end() {
            (state.stage, state.error) = (Stage::Failed, Some(error.into()));
        }
    }

    /// Counts bytes that have arrived; returns their sum.
    pub fn receives(&self, bytes: usize) -> u64 {
        let mut state = self.state();
        state.bytes += bytes as u64;
        state.bytes
    }

    /// Takes a line of the loader.
    pub fn reports(&self, report: Json_) {
        self.state().report = report;
    }

    /// Asks the job to end.
    pub fn cancel(&self) {
        self.goes_on(Stage::Cancelled);
        self.cancel.send_replace(true);
    }

    /// Returns when the job has been asked to end.
    pub async fn cancelled(&self) {
        // the sender lives as long as the job
        let _ = self.cancel.subscribe().wait_for(|cancelled| *cancelled).await;
    }

    /// UPLOAD in API.md.
    pub fn json(&self) -> Json_ {
        let state = self.state();
        let number = |name: &str| state.report[name].as_u64().unwrap_or(0);
        let list = |name: &str| state.report[name].as_array().cloned().unwrap_or_default();
        json!({
            "id": self.id,
            "name": self.name,
            "stage": state.stage.word(),
            "bytes": state.bytes,
            "read": number("bytes"),
            "stored": number("stored"),
            "incomplete": number("incomplete"),
            "rejected": number("rejected"),
            "known": number("duplicates") + number("before"),
            "sources": list("sources"),
            "errors": list("errors"),
            "error": state.error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_stays() {
        let job = Job::new(1, "a.pgn", Stage::Receiving);
        job.reports(json!({ "stored": 3, "duplicates": 1, "before": 2 }));
        job.cancel();
        job.goes_on(Stage::Loading);
        job.fails("killed");
        let json = job.json();
        assert_eq!((json["stage"].as_str(), json["known"].as_u64()), (Some("cancelled"), Some(3)));
        assert_eq!(json["error"], Json_::Null);
    }
}
