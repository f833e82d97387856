//! The progress of an analysis: a bar on a terminal, otherwise a line now and then; or lines of JSON for programs.

use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Counters;
use crate::output::{say, tell};

const LINE_EVERY: Duration = Duration::from_secs(30);
const JSON_EVERY: Duration = Duration::from_millis(300);

/// Writes to standard error, JSON to standard output.
pub struct Progress {
    start: Instant,
    games: u64,
    bar: Option<ProgressBar>,
    json: bool,
    line_at: Instant,
    told_of_end: bool,
}

impl Progress {
    /// Starts at 0 of `games` games.
    pub fn new(games: u64, json: bool) -> Progress {
        let bar = (std::io::stderr().is_terminal() && !json).then(|| {
            let bar = ProgressBar::new(games);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} % {pos}/{len} games {msg} ETA {eta}")
            {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        let first = if json { Duration::ZERO } else { LINE_EVERY };
        Progress { start: now, games, bar, json, line_at: now + first, told_of_end: false }
    }

    /// Call this several times a second.
    pub fn tick(&mut self, counters: &Counters, ending: bool) {
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let done = get(&counters.games) + get(&counters.passed);
        let seconds = self.start.elapsed().as_secs_f64();
        let asked = get(&counters.asked);
        let message = || {
            let rate = asked as f64 / seconds.max(0.001);
            format!("{asked} positions analyzed, {rate:.1} a second, {} known", get(&counters.known))
        };
        if ending && !self.told_of_end {
            self.told_of_end = true;
            let text = "finishing the current positions; interrupt again to stop at once";
            match &self.bar {
                Some(bar) => bar.println(text),
                None => tell!("{text}"),
            }
        }
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(message());
            }
            None if self.json && Instant::now() >= self.line_at => {
                say!("{}", counters.json(self.games));
                self.line_at = Instant::now() + JSON_EVERY;
            }
            None if !self.json && Instant::now() >= self.line_at => {
                let left = (done > 0).then(|| seconds / done as f64 * self.games.saturating_sub(done) as f64);
                let left = left.map(|seconds| format!(", {} left", duration(seconds))).unwrap_or_default();
                tell!("{done} of {} games, {}{left}", self.games, message());
                self.line_at = Instant::now() + LINE_EVERY;
            }
            None => (),
        }
    }

    /// Removes the bar.
    pub fn finish(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn duration(seconds: f64) -> String {
    let seconds = seconds as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn durations() {
        assert_eq!([59.9, 61.0, 7_260.0].map(super::duration), ["59 s", "1 min", "2 h 1 min"]);
    }
}
