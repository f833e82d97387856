//! The attributes of the games that the last question was about.
//!
//! Takes ascending games of a segment; returns the attributes that are summed. A page of the explorer asks three times about
//! one position: for its moves, its best and its latest games. The attributes of games that are spread over a large index are
//! each in another page, so a session remembers them.

use std::cell::RefCell;
use std::rc::Rc;

use chess_index::segment::Segment;

use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::found::Values;
use crate::access_method::sums::memory::Memory;
use crate::access_method::sums::stored::COLUMNS;

/// Most games of a question to a segment that are remembered, and of all questions, 36 bytes each.
pub const MOST_GAMES: usize = 1 << 11;
const MOST_OF_ALL: usize = 1 << 13;
/// A question with fewer games counts as this many, so that no more than 64 are remembered and looked through.
const LEAST_SIZE: usize = 128;

thread_local! {
    static KNOWN: RefCell<Memory<Known>> = const { RefCell::new(Memory::new(MOST_OF_ALL)) };
}

/// Games and their attributes.
type Known = (Vec<u32>, Rc<[Values]>);

/// Returns the summed attributes of some ascending games. The segment must have attributes.
pub fn values_of(pages: &PartPages<'_>, segment: &Segment, games: Vec<u32>) -> Result<Rc<[Values]>, Replaced> {
    if games.len() > MOST_GAMES {
        return read(pages, segment, &games);
    }
    let is_wanted = |(known, _): &Known| *known == games;
    let known = KNOWN.with_borrow_mut(|known| Some(known.find(pages, segment, is_wanted)?.1.clone()));
    if let Some(known) = known {
        return Ok(known);
    }
    let values = read(pages, segment, &games)?;
    let size = games.len().max(LEAST_SIZE);
    KNOWN.with_borrow_mut(|known| known.add(pages, segment, (games, values.clone()), size));
    Ok(values)
}

fn read(pages: &PartPages<'_>, segment: &Segment, games: &[u32]) -> Result<Rc<[Values]>, Replaced> {
    let mut values = Vec::with_capacity(games.len());
    pages.sound(segment.attributes(pages, games, |attributes, here| {
        values.extend(here.iter().map(|game| COLUMNS.map(|column| attributes.value(column, *game))));
    }))?;
    Ok(values.into())
}
