//! The jobs of a server. Files arrive side by side, but one at a time is loaded: otherwise two that hold the same games, and
//! come at once, would both be stored. Addresses take turns at the loader, so that a long load keeps nobody waiting for long.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value as Json_, json};

use crate::failure::{Failure, Outcome};
use crate::http::places::{Place, Places};
use crate::uploads::job::{Job, Owner, Stage};
use crate::uploads::loader::{Ended, FINDING, Loader};
use crate::uploads::spool::Spool;

/// The number of jobs that are remembered: of files and sources, and again of those in which an engine goes through a game.
const KEPT: usize = 50;
/// The most half-moves of a game that an engine goes through for a visitor. The longest of masters have some 540.
pub const PLIES: i64 = 600;
/// How many times its length an archive may have when it is unpacked.
const UNPACKED: u64 = 20;

/// The jobs.
pub struct Uploads {
    /// The loader.
    pub loader: Loader,
    /// The most MiB of a file.
    pub most: u64,
    /// Whether visitors may cancel and remove what others have brought.
    pub manages: bool,
    /// Places for files that arrive.
    pub arriving: Arc<Places>,
    /// Places for jobs that are not at their end.
    pub open: Arc<Places>,
    /// The place of the loader.
    pub loading: Arc<Places>,
    /// Places for analyses of whole games that are not at their end; `None` without an engine.
    pub analyses: Option<Arc<Places>>,
    /// The place of the engine that goes through whole games; `None` without an engine.
    pub analyzing: Option<Arc<Places>>,
    /// The number of games of a list that a visitor may have analyzed in one job.
    pub most_games: u32,
    /// The speed of the latest analyses, from which the page estimates the time of the next one.
    pub pace: Mutex<Pace>,
    /// The jobs that are remembered.
    pub jobs: Mutex<Jobs>,
}

/// The time that an engine takes for a position, measured in the latest runs.
#[derive(Default)]
pub struct Pace {
    positions: f64,
    seconds: f64,
}

impl Pace {
    /// The number of positions that the mean is taken over. Older ones fade, because the machine may become faster or slower.
    const KEPT: f64 = 2000.0;
    /// The estimate in seconds for a position, used until a run has been measured.
    const FIRST: f64 = 0.25;

    /// Adds a run that has searched this number of positions.
    fn measure(&mut self, positions: u64, time: Duration) {
        if positions == 0 {
            return;
        }
        self.positions += positions as f64;
        self.seconds += time.as_secs_f64();
        let kept = (Pace::KEPT / self.positions).min(1.0);
        (self.positions, self.seconds) = (self.positions * kept, self.seconds * kept);
    }

    /// Returns the mean time for a position, in seconds.
    fn seconds(&self) -> f64 {
        if self.positions > 0.0 { self.seconds / self.positions } else { Pace::FIRST }
    }
}

/// What is remembered.
#[derive(Default)]
pub struct Jobs {
    last: u64,
    /// The latest first.
    all: VecDeque<Arc<Job>>,
    /// The sources that visitors have brought, each with its fingerprint at that time and the cookie. It has changed if
    /// somebody else has added games since.
    brought: HashMap<i32, (Vec<u8>, [u8; 32])>,
}

impl Jobs {
    fn add(&mut self, name: &str, stage: Stage, owner: Owner, games: Vec<i64>, positions: u64) -> Arc<Job> {
        self.last += 1;
        let job = Arc::new(Job::new(self.last, name, stage, owner, games, positions));
        self.all.push_front(job.clone());
        // an analysis may end at once: many of them do not remove what is said of files
        let is_alike = |other: &Arc<Job>| other.games.is_empty() == job.games.is_empty();
        while self.all.iter().filter(|job| is_alike(job)).count() > KEPT
            && let Some(at) = self.all.iter().rposition(|job| is_alike(job) && job.stage().is_end())
        {
            self.all.remove(at);
        }
        job
    }
}

/// The MiB that a file of this number of bytes may have when it is unpacked.
fn unpacked(bytes: u64) -> u64 {
    (bytes * UNPACKED).div_ceil(1 << 20).max(1)
}

impl Uploads {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Describes for the page which games of a list an engine analyzes and how many seconds a position takes; null without an
    /// engine.
    pub fn analysis_json(&self) -> Json_ {
        match self.analyses {
            Some(_) => json!({ "games": self.most_games, "plies": PLIES, "seconds": self.pace().seconds() }),
            None => Json_::Null,
        }
    }

    /// A new job, and its place, which it holds to its end.
    ///
    /// # Errors
    ///
    /// 429 or 503 if too many are not at their end.
    pub async fn begin(&self, name: &str, stage: Stage, owner: Owner) -> Outcome<(Arc<Job>, Place)> {
        let place = self.open.take(owner.address).await?;
        Ok((self.jobs().add(name, stage, owner, Vec::new(), 0), place))
    }

    /// Returns the job that analyzes these games, which have `positions` positions in all. If such a job is under way it is
    /// returned without a place, so that no game is analyzed twice at the same time; otherwise a new job begins, with its place.
    ///
    /// # Errors
    ///
    /// As for [`Uploads::begin`], but the places are not those of files; 404 without an engine.
    pub async fn analysis(
        &self,
        games: Vec<i64>,
        positions: u64,
        name: &str,
        owner: Owner,
    ) -> Outcome<(Arc<Job>, Option<Place>)> {
        let has_all = |job: &Job| games.iter().all(|game| job.games.contains(game));
        let open = |jobs: &Jobs| jobs.all.iter().find(|job| has_all(job) && !job.stage().is_end()).cloned();
        let known = open(&self.jobs());
        if let Some(job) = known {
            return Ok((job, None));
        }
        let analyses = self.analyses.as_ref().ok_or_else(|| Failure::missing("this server has no engine"))?;
        let place = analyses.take(owner.address).await?;
        self.loader.stores(owner.address, positions * FINDING)?;
        let mut jobs = self.jobs();
        // somebody else may have asked meanwhile
        if let Some(job) = open(&jobs) {
            return Ok((job, None));
        }
        Ok((jobs.add(name, Stage::Waiting, owner, games, positions), Some(place)))
    }

    /// The jobs, the latest first.
    pub fn json(&self, cookie: Option<[u8; 32]>) -> Vec<Json_> {
        self.jobs().all.iter().map(|job| self.of_job(cookie, job)).collect()
    }

    /// A job, with whether this visitor may cancel or forget it.
    pub fn of_job(&self, cookie: Option<[u8; 32]>, job: &Job) -> Json_ {
        let mut json = job.json();
        json["removable"] = self.may(cookie, job).into();
        json
    }

    fn may(&self, cookie: Option<[u8; 32]>, job: &Job) -> bool {
        self.manages || cookie == Some(job.owner.cookie)
    }

    /// Cancels a job, or forgets one that is at its end; `None` if there is none of this number, false if it is another
    /// visitor's.
    pub fn remove(&self, id: u64, cookie: Option<[u8; 32]>) -> Option<bool> {
        let mut jobs = self.jobs();
        let at = jobs.all.iter().position(|job| job.id == id)?;
        if !self.may(cookie, &jobs.all[at]) {
            return Some(false);
        }
        match jobs.all[at].stage().is_end() {
            true => drop(jobs.all.remove(at)),
            false => jobs.all[at].cancel(),
        }
        Some(true)
    }

    /// Remembers who has brought a source.
    pub fn brings(&self, job: &Job, source: i32, fingerprint: Vec<u8>) {
        self.jobs().brought.insert(source, (fingerprint, job.owner.cookie));
    }

    /// The sources that a visitor has brought.
    pub fn brought(&self, cookie: Option<[u8; 32]>) -> Vec<i64> {
        let jobs = self.jobs();
        let own = jobs.brought.iter().filter(|(_, (_, of))| Some(*of) == cookie);
        own.map(|(source, _)| i64::from(*source)).collect()
    }

    /// Whether a visitor may remove a source with this fingerprint.
    pub fn may_remove(&self, cookie: Option<[u8; 32]>, source: i32, fingerprint: &[u8]) -> bool {
        let is_own = |(known, of): &(Vec<u8>, [u8; 32])| known == fingerprint && Some(*of) == cookie;
        self.manages || self.jobs().brought.get(&source).is_some_and(is_own)
    }

    /// Has the engine go through the games of a job, whenever its turn comes.
    pub async fn analyze(&self, job: &Job, engine: &[String]) {
        let Some(analyzing) = &self.analyzing else { return job.fails("there is no engine") };
        while let Some(place) = turn(job, analyzing).await {
            let begun = Instant::now();
            let ended = self.loader.analyze(job, &place, engine).await;
            self.pace().measure(job.searched(), begun.elapsed());
            if ended != Ended::GaveWay {
                return;
            }
        }
    }

    /// Loads a file that has arrived, when its turn comes.
    pub async fn load(&self, job: &Job, spool: &Spool, index: bool) {
        let most = unpacked(job.bytes());
        while let Some(place) = turn(job, &self.loading).await {
            if self.loader.load(job, &place, spool.directory(), &spool.name, index, most).await != Ended::GaveWay {
                return;
            }
        }
    }
}

/// Waits for the turn of a job. Returns the place, or `None` if the job has been cancelled meanwhile.
async fn turn(job: &Job, places: &Arc<Places>) -> Option<Place> {
    let place = tokio::select! {
        place = places.take(job.owner.address) => place,
        () = job.cancelled() => return None,
    };
    if place.is_err() {
        job.fails("its place is gone");
    }
    place.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_depends_on_what_was_sent() {
        assert_eq!([1, 50_000, 4 << 20, 1 << 30].map(unpacked), [1, 1, 80, 20_480]);
    }

    #[test]
    fn the_pace_is_that_of_the_latest_runs() {
        let mut pace = Pace::default();
        pace.measure(0, Duration::from_secs(9));
        assert_eq!(pace.seconds(), Pace::FIRST, "nothing was searched");
        pace.measure(100, Duration::from_secs(10));
        assert_eq!(pace.seconds(), 0.1);
        for _ in 0..100 {
            pace.measure(1000, Duration::from_secs(1000));
        }
        assert!((pace.seconds() - 1.0).abs() < 0.01, "{}", pace.seconds());
    }

    #[test]
    fn analyses_remove_nothing_that_is_said_of_files() {
        let owner = Owner { cookie: [0; 32], address: "10.0.0.1".parse().unwrap() };
        let mut jobs = Jobs::default();
        let of = |jobs: &Jobs, is_analysis| jobs.all.iter().filter(|job| job.games.is_empty() != is_analysis).count();
        let open = jobs.add("open", Stage::Analyzing, owner, vec![0], 1);
        for _ in 0..3 {
            jobs.add("file", Stage::Done, owner, Vec::new(), 0);
        }
        for game in 1..2 * KEPT as i64 {
            jobs.add("game", Stage::Done, owner, vec![game], 1);
        }
        assert_eq!((of(&jobs, false), of(&jobs, true)), (3, KEPT));
        for _ in 0..2 * KEPT {
            jobs.add("file", Stage::Done, owner, Vec::new(), 0);
        }
        assert_eq!((of(&jobs, false), of(&jobs, true)), (KEPT, KEPT));
        assert!(jobs.all.iter().any(|job| job.id == open.id), "what is under way stays");
    }
}
