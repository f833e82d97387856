//! A piece of work that is under way or done: a file that is received and loaded, a source that is removed, or games that an
//! engine goes through.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json_, json};
use tokio::sync::watch;

use crate::metrics::{UPLOADED, UPLOADS};
use crate::question::game_id;

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
    /// An engine goes through games.
    Analyzing,
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
            Stage::Analyzing => "analyzing",
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
    /// The sums of [`COUNTERS`] of earlier runs of the loader, which have given way to others.
    earlier: [u64; 4],
    /// The sources that the loader has made for it.
    made: Vec<i32>,
}

impl State {
    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        if stage.is_end() {
            UPLOADS.with_label_values(&[stage.word()]).inc();
        }
    }
}

/// Counters of the loader.
const COUNTERS: [&str; 4] = ["stored", "incomplete", "rejected", "duplicates"];

/// Who has begun a job: the hash of the cookie, and the address.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// SHA-256 of the cookie.
    pub cookie: [u8; 32],
    /// The address whose places the job takes.
    pub address: IpAddr,
}

/// A job.
pub struct Job {
    /// Its number, from 1.
    pub id: u64,
    /// The name of the file or the source.
    pub name: String,
    /// Who has begun it.
    pub owner: Owner,
    /// The games that an engine goes through.
    pub games: Vec<i64>,
    /// How many positions these have.
    pub positions: u64,
    state: Mutex<State>,
    cancel: watch::Sender<bool>,
}

impl Job {
    /// A job at its first stage.
    pub fn new(id: u64, name: &str, stage: Stage, owner: Owner, games: Vec<i64>, positions: u64) -> Job {
        let state = State { stage, bytes: 0, error: None, report: Json_::Null, earlier: [0; 4], made: Vec::new() };
        Job {
            id,
            name: name.to_owned(),
            owner,
            games,
            positions,
            state: Mutex::new(state),
            cancel: watch::Sender::new(false),
        }
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
            state.enter(stage);
        }
    }

    /// Ends with an error.
    pub fn fails(&self, error: impl Into<String>) {
        let mut state = self.state();
        if !state.stage.is_end() {
            state.enter(Stage::Failed);
            state.error = Some(error.into());
        }
    }

    /// Counts bytes that have arrived; returns their sum.
    pub fn receives(&self, bytes: usize) -> u64 {
        UPLOADED.inc_by(bytes as u64);
        let mut state = self.state();
        state.bytes += bytes as u64;
        state.bytes
    }

    /// The bytes that have arrived.
    pub fn bytes(&self) -> u64 {
        self.state().bytes
    }

    /// Takes a line of the loader.
    pub fn reports(&self, report: Json_) {
        self.state().report = report;
    }

    /// Whether the present run of the loader has stored something, so that the next one begins behind it.
    pub fn has_progress(&self) -> bool {
        let state = self.state();
        COUNTERS.iter().any(|name| state.report[*name].as_u64().unwrap_or(0) > 0)
    }

    /// The positions that the present run has searched.
    pub fn searched(&self) -> u64 {
        self.state().report["searched"].as_u64().unwrap_or(0)
    }

    /// The loader has given way, and will run again.
    pub fn pauses(&self) {
        let mut state = self.state();
        let report = std::mem::take(&mut state.report);
        for (sum, name) in state.earlier.iter_mut().zip(COUNTERS) {
            *sum += report[name].as_u64().unwrap_or(0);
        }
        drop(state);
        self.goes_on(Stage::Waiting);
    }

    /// The loader has made a source for it; returns how many it has made.
    pub fn makes(&self, source: i32) -> usize {
        let mut state = self.state();
        state.made.push(source);
        state.made.len()
    }

    /// The sources that were made for it.
    pub fn made(&self) -> Vec<i32> {
        self.state().made.clone()
    }

    /// Ends with an error, in the middle of its work.
    pub fn breaks_off(&self, error: impl Into<String>) {
        self.fails(error);
        self.cancel.send_replace(true);
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
        let [stored, incomplete, rejected, duplicates] = state.earlier;
        // what an earlier run has read is there before the present one
        let before = number("before").saturating_sub(stored + rejected + duplicates);
        let list = |name: &str| state.report[name].as_array().cloned().unwrap_or_default();
        json!({
            "id": self.id,
            "name": self.name,
            "stage": state.stage.word(),
            "bytes": state.bytes,
            "read": number("bytes"),
            "stored": stored + number("stored"),
            "incomplete": incomplete + number("incomplete"),
            "rejected": rejected + number("rejected"),
            "known": duplicates + number("duplicates") + before,
            "sources": list("sources"),
            "errors": list("errors"),
            "error": state.error,
            "game": <[i64; 1]>::try_from(&*self.games).ok().map(|[game]| game_id::write(game)),
            "games": self.games.len(),
            "positions": number("positions").min(self.positions),
            "of": self.positions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        let owner = Owner { cookie: [0; 32], address: "10.0.0.1".parse().unwrap() };
        Job::new(1, "a.pgn", Stage::Receiving, owner, Vec::new(), 0)
    }

    #[test]
    fn runs_that_give_way_count_once() {
        let job = job();
        assert!(!job.has_progress());
        job.reports(json!({ "stored": 3, "duplicates": 1, "rejected": 1, "before": 5 }));
        assert!(job.has_progress());
        job.pauses();
        assert!(job.stage() == Stage::Waiting && !job.has_progress());
        job.reports(json!({ "stored": 2, "duplicates": 1, "before": 10 }));
        let json = job.json();
        let numbers = ["stored", "rejected", "known"].map(|name| json[name].as_u64().unwrap());
        assert_eq!(numbers, [5, 1, 7]);
    }

    #[test]
    fn an_end_stays() {
        let job = job();
        job.reports(json!({ "stored": 3, "duplicates": 1, "before": 2 }));
        job.cancel();
        job.goes_on(Stage::Loading);
        job.fails("killed");
        let json = job.json();
        assert_eq!((json["stage"].as_str(), json["known"].as_u64()), (Some("cancelled"), Some(3)));
        assert_eq!(json["error"], Json_::Null);
    }
}
