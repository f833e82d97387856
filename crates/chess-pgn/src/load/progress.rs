//! The progress of a load: a bar on a terminal, otherwise a line now and then; for programs lines of JSON.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::totals::Count;
use crate::output::{say, tell};

const LINE_EVERY: Duration = Duration::from_secs(10);
const JSON_EVERY: Duration = Duration::from_millis(500);

/// Writes to standard error; JSON to standard output.
pub struct Progress {
    start: Instant,
    total: Option<u64>,
    bar: Option<ProgressBar>,
    json: bool,
    line_at: Instant,
}

impl Progress {
    /// `total` is the number of bytes to read, if it is known.
    pub fn new(total: Option<u64>, json: bool) -> Progress {
        let bar = (std::io::stderr().is_terminal() && !json).then(|| {
            let (bar, template) = match total {
                Some(total) => {
                    (ProgressBar::new(total), "{bar:30} {percent:>3} % {bytes}/{total_bytes} {msg} ETA {eta}")
                }
                None => (ProgressBar::new_spinner(), "{spinner} {bytes} {msg}"),
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        let first = if json { Duration::ZERO } else { LINE_EVERY };
        Progress { start: Instant::now(), total, bar, json, line_at: Instant::now() + first }
    }

    /// Call this several times a second.
    pub fn tick(&mut self, count: Count) {
        let message = || {
            let rate = count.read() as f64 / self.start.elapsed().as_secs_f64().max(0.001);
            let mut text = format!("{} games, {rate:.0} games/s, {} rejected", count.read(), count.rejected);
            if count.left_out > 0 {
                text.push_str(&format!(", {} left out", count.left_out));
            }
            if count.before > 0 {
                text.push_str(&format!(", {} loaded before", count.before));
            }
            text
        };
        match &self.bar {
            Some(bar) => {
                bar.set_position(count.bytes);
                bar.set_message(message());
            }
            None if self.json && Instant::now() >= self.line_at => {
                let mut line = count.json();
                line["total"] = json!(self.total);
                say!("{line}");
                self.line_at = Instant::now() + JSON_EVERY;
            }
            None if Instant::now() >= self.line_at => {
                let share = self.total.filter(|total| *total > 0).map(|total| 100 * count.bytes.min(total) / total);
                let share = share.map(|percent| format!("{percent} %, ")).unwrap_or_default();
                tell!("{share}{}", message());
                self.line_at = Instant::now() + LINE_EVERY;
            }
            None => (),
        }
    }

    /// Removes the bar; returns the time since the start.
    pub fn finish(self) -> Duration {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.start.elapsed()
    }
}
