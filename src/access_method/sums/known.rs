//! The attributes of the games that the last question was about.
//!
//! Takes ascending games of a segment; returns the attributes that are summed. A page of the explorer asks three times about
//! one position: for its moves, its best and its latest games. The attributes of games that are spread over a large index are
//! each in another page, so a session remembers them. Those of a segment do not change.

use std::cell::RefCell;
use std::rc::Rc;

use chess_index::segment::Segment;
use pgrx::pg_sys::Oid;

use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::stored::COLUMNS;
use crate::access_method::sums::totals::Values;

/// Most games of a segment that are remembered, and of all segments, 36 bytes each.
pub const MOST_GAMES: usize = 1 << 11;
const MOST_OF_ALL: usize = 1 << 13;
/// Most segments with games that are remembered.
const MOST_SEGMENTS: usize = 64;

/// Games of a segment in a file, and their attributes.
struct Known {
    file: Oid,
    segment: Segment,
    games: Vec<u32>,
    values: Rc<[Values]>,
}

thread_local! {
    /// What was asked for last comes first.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// The attributes of ascending games of a segment that has them.
pub fn values_of(pages: &PartPages<'_>, segment: &Segment, games: Vec<u32>) -> Result<Rc<[Values]>, Replaced> {
    let Some(file) = pages.lasting_file().filter(|_| games.len() <= MOST_GAMES) else {
        return read(pages, segment, &games);
    };
    let known = KNOWN.with_borrow_mut(|known| {
        let at = known.iter().position(|of| of.file == file && of.segment == *segment && of.games == games)?;
        known[..=at].rotate_right(1);
        Some(known[0].values.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let values = read(pages, segment, &games)?;
    KNOWN.with_borrow_mut(|known| {
        known.insert(0, Known { file, segment: *segment, games, values: values.clone() });
        let mut all = 0;
        let kept = known.iter().take(MOST_SEGMENTS).take_while(|of| {
            all += of.games.len();
            all <= MOST_OF_ALL
        });
        known.truncate(kept.count());
    });
    Ok(values)
}

fn read(pages: &PartPages<'_>, segment: &Segment, games: &[u32]) -> Result<Rc<[Values]>, Replaced> {
    let mut values = Vec::with_capacity(games.len());
    pages.sound(segment.attributes(pages, games, |attributes, here| {
        values.extend(here.iter().map(|game| COLUMNS.map(|column| attributes.value(column, *game))));
    }))?;
    Ok(values.into())
}
