//! Surveys judge a pattern at all half-moves of a game at once.
//!
//! Takes a compiled pattern and a game; returns the half-moves at which matches end. A replay [records](record) for each
//! square when which piece stands there: a set of moments is 128 bits. A set of squares then is 64 such sets, and to join
//! two of them takes 64 operations, for all moments ([`sets`], [`relations`]); a number is one set of moments for each
//! binary digit ([`numbers`]); a condition is one set of moments ([`conditions`]), and so is a step of a sequence
//! ([`chain`]).
//!
//! A search that goes step by step computes what a half-move may have changed. That is less work for most patterns, because
//! few half-moves change what they ask for. A survey is less work for patterns that ask for much.

mod chain;
mod choice;
mod conditions;
mod grid;
mod numbers;
mod record;
mod relations;
mod sets;
mod stretch;
mod times;

pub use choice::Choice;

use super::program::{Compiled, Goal};
use super::step::ending::board_of;
use super::step::moment::{Moment, Played, Trace};
use crate::game::GameRef;
use crate::game::replay::Replay;
use crate::game::state::Traced;
use stretch::Stretch;
use times::{STRETCH, Times, Whole};

/// The most stretches of a game that is surveyed.
const MOST_STRETCHES: usize = 16;

/// Instructions, roughly, to record a half-move, and what is played; and a stretch.
const OF_HALF_MOVE: u64 = 220;
const OF_MOVE: u64 = 110;
const OF_STRETCH: u64 = 4000;

/// The memory of surveys.
#[derive(Clone, Debug)]
pub struct Survey {
    stretches: Vec<Stretch>,
    /// Stretches that the game at hand has no use for.
    spare: Vec<Stretch>,
    /// For each moment, when the piece that has moved there moves next.
    next: Vec<Option<u32>>,
    moment: Moment,
    /// For each element of a chain; and for each link whether a match may follow.
    past: Vec<chain::Past>,
    leads: Vec<bool>,
    /// The work of the last survey, in about the instructions that it took.
    pub work: u64,
}

impl Survey {
    pub fn new() -> Survey {
        Survey {
            stretches: Vec::new(),
            spare: Vec::new(),
            next: Vec::new(),
            moment: Moment::EMPTY,
            past: Vec::new(),
            leads: Vec::new(),
            work: 0,
        }
    }

    /// Calls `found` with the half-moves between `from` and `until` at which matches end, in order, until it returns true.
    /// Returns false if the game is too long to be surveyed, or something is wrong with its bytes.
    pub fn search(
        &mut self,
        compiled: &Compiled,
        game: GameRef<'_>,
        (from, until): (u32, u32),
        found: impl FnMut(u32) -> bool,
    ) -> bool {
        self.work = 0;
        let last = until.min(game.ply_count()) as usize;
        if last >= MOST_STRETCHES * STRETCH || !self.record(compiled, game, last as u32) {
            return false;
        }
        match self.stretches.len() {
            1 => self.judge::<1>(compiled, from, found),
            2 => self.judge::<2>(compiled, from, found),
            3..=4 => self.judge::<4>(compiled, from, found),
            _ => self.judge::<MOST_STRETCHES>(compiled, from, found),
        }
        self.work += self.stretches.iter().map(|stretch| stretch.work).sum::<u64>();
        true
    }

    fn judge<const M: usize>(&mut self, compiled: &Compiled, from: u32, mut found: impl FnMut(u32) -> bool) {
        let ends: Whole<M> = match &compiled.goal {
            Goal::Moment(at) => self.truth(&compiled.program, *at, Whole([Times::ALL; M])),
            Goal::Chain(chain) => self.ends_of_chain(&compiled.program, chain),
        };
        for moment in ends.moments() {
            if moment >= from as usize && found(moment as u32) {
                return;
            }
        }
    }

    /// Begins a stretch with its first moment.
    fn begin(&mut self, nodes: usize, first: u32) -> &mut Stretch {
        let mut stretch = self.spare.pop().unwrap_or_default();
        stretch.clear(nodes);
        stretch.first = first;
        self.stretches.push(stretch);
        let last = self.stretches.len() - 1;
        &mut self.stretches[last]
    }

    /// Records the moments of a game up to one. Returns false if its bytes are not sound.
    fn record(&mut self, compiled: &Compiled, game: GameRef<'_>, until: u32) -> bool {
        let Ok(start) = game.start_position() else { return false };
        let nodes = compiled.program.entries.len();
        self.spare.append(&mut self.stretches);
        self.next.clear();
        let course = start.state.course;
        self.begin(nodes, 0).record.begin(&start.pieces, course.home.castling());
        let mut replay = Replay::<Traced>::new(&start);
        let has_trips = matches!(&compiled.goal, Goal::Chain(chain) if chain.has_trips());
        if has_trips {
            self.next.resize(until as usize + 1, None);
        }
        let mut arrived = [None; 64];
        let (mut ply, mut now, mut before) = (0, Trace::NONE, Trace::NONE);
        let run = replay.run_on(game.moves(), &mut 0, until, |pieces, state: Traced| {
            ply += 1;
            let at = ply as usize / STRETCH;
            if (ply as usize).is_multiple_of(STRETCH) {
                self.begin(nodes, ply).record.begin(pieces, state.course.home.castling());
            } else if let Some(stretch) = self.stretches.get_mut(at) {
                stretch.record.follow(pieces, state);
            }
            if compiled.asks_move {
                (before, now) = (now, Trace::of(state));
                self.moment.settle_move(&start, pieces, state, before);
                if let (Some(played), Some(stretch)) = (self.moment.played(), self.stretches.get_mut(at)) {
                    stretch.record.play(played);
                    if has_trips {
                        follow(played, ply, &mut arrived, &mut self.next);
                    }
                }
            }
            false
        });
        if run.is_err() || ply != until {
            return false;
        }
        self.end(compiled, course.turn, ply);
        if ply == game.ply_count()
            && let Some(stretch) = self.stretches.last_mut()
        {
            let end = Times::before(stretch.record.count).without(Times::before(stretch.record.count - 1));
            stretch.end = end;
            if compiled.finish.matters() {
                let course = replay.state.course;
                self.moment.set_up(&replay.pieces, course, ply);
                compiled.finish.of(&mut self.moment, || board_of(&start, &replay.pieces, course));
                stretch.mate = if self.moment.is_mate { end } else { Times::NONE };
                stretch.stalemate = if self.moment.is_stalemate { end } else { Times::NONE };
            }
        }
        true
    }

    /// Ends the recording after `ply` half-moves; `turn` is that of the start.
    fn end(&mut self, compiled: &Compiled, turn: u32, ply: u32) {
        self.work = OF_HALF_MOVE * u64::from(ply);
        if compiled.asks_move {
            self.work += OF_MOVE * u64::from(ply);
        }
        for stretch in &mut self.stretches {
            stretch.record.end();
            stretch.all = Times::before(stretch.record.count);
            let white_to_move = if turn & 1 == 0 { 0x5555_5555_5555_5555 } else { 0xaaaa_aaaa_aaaa_aaaa };
            stretch.white = Times([white_to_move; 2]);
            self.work += OF_STRETCH;
        }
    }
}

/// Follows a piece on its trip: `arrived` has by square the moment at which the piece there has moved last, `next` by that
/// moment the one at which it moves again.
fn follow(played: &Played, ply: u32, arrived: &mut [Option<u32>; 64], next: &mut [Option<u32>]) {
    let [from, to, taken_at] = [played.from, played.to, played.taken_at].map(|square| usize::from(square & 63));
    if let Some(earlier) = arrived[from].take() {
        next[earlier as usize] = Some(ply);
    }
    arrived[taken_at] = None;
    arrived[to] = Some(ply);
}
