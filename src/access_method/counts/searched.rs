//! Reads some of the games that lists name, for the planner: whether they match a pattern, how soon they reach a board.
//!
//! They are read as they are now, not by a snapshot: that leaves no predicate locks behind, and an estimate needs no more.

use chess_core::{Finder, GameRef};
use chess_index::key::Question;
use chess_index::rows::Row;
use pgrx::pg_sys;

use crate::access_method::counts::{Counted, Counts, Lists, PARTS_OF_SEGMENT, some_games};
use crate::access_method::inspect::Opened;
use crate::access_method::sums::heap::Heap;

/// This many games are searched, and one in ten of the others, so that planning takes little of the time that the search will
/// take. Each may need a page of the table.
const SEARCHED: usize = 60;
const ONE_IN: usize = 10;
const MOST_SEARCHED: usize = 600;

/// Returns how many of a number of games are searched.
pub fn searched_of(games: usize) -> usize {
    (SEARCHED + games / ONE_IN).min(MOST_SEARCHED).min(games)
}

impl Counts {
    /// Calls `read` with the games of these rows, as far as they stand there, until it returns false.
    pub fn each_game(&self, rows: &[Row], mut read: impl FnMut(GameRef<'_>) -> bool) {
        let relation = self.index.relation();
        // SAFETY: an open index, whose table and which itself the planner has locked; the snapshot is the server's.
        let (opened, game, snapshot) = unsafe {
            let form = &*(*relation).rd_index;
            let game = *form.indkey.values.as_ptr();
            (Opened::planned(form.indrelid, form.indexrelid), game, &raw mut pg_sys::SnapshotSelfData)
        };
        if game <= 0 {
            return; // an expression
        }
        // SAFETY: `opened` outlives it.
        let mut heap = unsafe { Heap::at(&opened, game, snapshot) };
        if !heap.is_of_the_server() {
            return;
        }
        for row in rows {
            if heap.plain_game(*row, &mut read) == Some(false) {
                break;
            }
        }
    }

    /// How many of some games that a question names reach what it asks for, and how many of them do so within `limit`
    /// half-moves. `None` if a page is replaced meanwhile.
    pub fn early(&self, question: &Question, finder: &Finder, limit: u32) -> Option<(f64, f64)> {
        let largest = self.largest()?;
        let mut asked = Vec::with_capacity(largest.len());
        for counted in largest {
            asked.push(Lists::of(counted, question)?);
        }
        let all: f64 = asked.iter().map(|lists| lists.exact + lists.candidates).sum();
        let wanted = searched_of(all as usize) as f64;
        let mut rows = Vec::new();
        for (Counted { pages, segment, .. }, lists) in largest.iter().zip(&asked) {
            for list in &lists.all {
                let at_most = (wanted * f64::from(list.count) / all).ceil() as usize;
                // Whole blocks come from each part of the segment.
                let games = some_games(pages, segment, list, at_most.max(PARTS_OF_SEGMENT as usize))?;
                let step = games.len().div_ceil(at_most.max(1)).max(1);
                let games: Vec<u32> = games.into_iter().step_by(step).collect();
                pages.sound(segment.rows(pages, &games, |_, row| rows.push(row))).ok()?;
            }
        }
        let (mut found, mut early) = (0.0, 0.0);
        self.each_game(&rows, |game| {
            if let Ok(Some(ply)) = finder.find(game, u32::MAX) {
                found += 1.0;
                early += f64::from(u8::from(ply <= limit));
            }
            true
        });
        Some((found, early))
    }
}
