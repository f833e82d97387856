//! The jobs of a server. Files arrive side by side, but one at a time is loaded: otherwise two that hold the same games, and
//! come at once, would both be stored. Addresses take turns at the loader, so that a long load keeps nobody waiting for long.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value as Json_;

use crate::failure::{Failure, Outcome};
use crate::http::places::{Place, Places};
use crate::uploads::job::{Job, Owner, Stage};
use crate::uploads::loader::{Ended, Loader};
use crate::uploads::spool::Spool;

/// Jobs that are remembered: so many of files and sources, and as many in which an engine goes through a game.
const KEPT: usize = 50;
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
    /// The jobs that are remembered.
    pub jobs: Mutex<Jobs>,
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
    fn add(&mut self, name: &str, stage: Stage, owner: Owner, game: Option<i64>) -> Arc<Job> {
        self.last += 1;
        let job = Arc::new(Job::new(self.last, name, stage, owner, game));
        self.all.push_front(job.clone());
        // an analysis may end at once: many of them do not remove what is said of files
        let is_alike = |job: &Arc<Job>| job.game.is_some() == game.is_some();
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

    /// A new job, and its place, which it holds to its end.
    ///
    /// # Errors
    ///
    /// 429 or 503 if too many are not at their end.
    pub async fn begin(&self, name: &str, stage: Stage, owner: Owner) -> Outcome<(Arc<Job>, Place)> {
        let place = self.open.take(owner.address).await?;
        Ok((self.jobs().add(name, stage, owner, None), place))
    }

    /// The job of an engine that goes through a game, and its place if it is a new one: of a game there is one at a time.
    ///
    /// # Errors
    ///
    /// As for [`Uploads::begin`], but the places are not those of files; 404 without an engine.
    pub async fn analysis(&self, game: i64, name: &str, owner: Owner) -> Outcome<(Arc<Job>, Option<Place>)> {
        let open = |jobs: &Jobs| jobs.all.iter().find(|job| job.game == Some(game) && !job.stage().is_end()).cloned();
        let known = open(&self.jobs());
        if let Some(job) = known {
            return Ok((job, None));
        }
        let analyses = self.analyses.as_ref().ok_or_else(|| Failure::missing("this server has no engine"))?;
        let place = analyses.take(owner.address).await?;
        let mut jobs = self.jobs();
        // somebody else may have asked meanwhile
        if let Some(job) = open(&jobs) {
            return Ok((job, None));
        }
        Ok((jobs.add(name, Stage::Waiting, owner, Some(game)), Some(place)))
    }

    /// The jobs, the latest first, each with whether this visitor may cancel or forget it.
    pub fn json(&self, cookie: Option<[u8; 32]>) -> Vec<Json_> {
        let json = |job: &Arc<Job>| {
            let mut json = job.json();
            json["removable"] = self.may(cookie, job).into();
            json
        };
        self.jobs().all.iter().map(json).collect()
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

    /// Whether a visitor may remove a source with this fingerprint.
    pub fn may_remove(&self, cookie: Option<[u8; 32]>, source: i32, fingerprint: &[u8]) -> bool {
        let is_own = |(known, of): &(Vec<u8>, [u8; 32])| known == fingerprint && Some(*of) == cookie;
        self.manages || self.jobs().brought.get(&source).is_some_and(is_own)
    }

    /// Has the engine go through the game of a job, whenever its turn comes.
    pub async fn analyze(&self, job: &Job, engine: &[String]) {
        let (Some(analyzing), Some(game)) = (&self.analyzing, job.game) else { return job.fails("there is no engine") };
        while let Some(place) = turn(job, analyzing).await {
            if self.loader.analyze(job, &place, game, engine).await != Ended::GaveWay {
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
    fn analyses_remove_nothing_that_is_said_of_files() {
        let owner = Owner { cookie: [0; 32], address: "10.0.0.1".parse().unwrap() };
        let mut jobs = Jobs::default();
        let of = |jobs: &Jobs, is_analysis| jobs.all.iter().filter(|job| job.game.is_some() == is_analysis).count();
        let open = jobs.add("open", Stage::Analyzing, owner, Some(0));
        for _ in 0..3 {
            jobs.add("file", Stage::Done, owner, None);
        }
        for game in 1..2 * KEPT as i64 {
            jobs.add("game", Stage::Done, owner, Some(game));
        }
        assert_eq!((of(&jobs, false), of(&jobs, true)), (3, KEPT));
        for _ in 0..2 * KEPT {
            jobs.add("file", Stage::Done, owner, None);
        }
        assert_eq!((of(&jobs, false), of(&jobs, true)), (KEPT, KEPT));
        assert!(jobs.all.iter().any(|job| job.id == open.id), "what is under way stays");
    }
}
