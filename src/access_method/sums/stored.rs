//! The sums that a segment has of the long list of a position, less the games that the query does not see.
//!
//! Takes a list and its stored sums, which include all games of the list that meet the conditions; returns those of the visible
//! games. The hidden ones are dead games and rows that are not visible on pages that are not all-visible. They are subtracted one
//! by one. The latest day of the rest is unknown if a hidden game has it, and so is the only game that is left: then there is no
//! answer.

use std::ops::Range;

use chess_core::search::hybrid_keys::Note;
use chess_index::attributes::Value;
use chess_index::rows::Row;
use chess_index::search::{List, OfGame};
use chess_index::segment::Segment;
use chess_index::summed::SUMMED;
pub use chess_index::sums::Sum;

use crate::access_method::segments::{PartPages, Replaced, in_list};
use crate::access_method::sums::conditions::Conditions;
use crate::access_method::sums::dead::Dead;
use crate::access_method::sums::heap::Heap;

/// The columns that are summed.
pub const COLUMNS: [usize; SUMMED] = [0, 1, 2, 3];

/// Beyond one suspect in 16 games of the segment, subtracting the hidden ones takes longer than adding up the visible ones.
const MOST_OF_SEGMENT: u32 = 16;
/// So it does beyond 16 suspects for each game of the list.
const MOST_FOR_A_GAME: u32 = 16;

/// A game that may be hidden, with its row; dead games have none.
type Suspect = (u32, Option<Row>);

/// Games that are looked at together.
const BATCH: usize = 1 << 13;

/// The games of a segment that may be hidden, ascending; `None` if they are many for this list. `nearby` are those that may lie
/// on pages that are not all-visible.
pub fn suspects(
    pages: &PartPages<'_>,
    segment: &Segment,
    list: &List,
    nearby: &[Range<u32>],
    dead: &Dead,
    heap: &Heap,
) -> Result<Option<Vec<Suspect>>, Replaced> {
    let most = (segment.games / MOST_OF_SEGMENT).min(list.count.saturating_mul(MOST_FOR_A_GAME)) as usize;
    let mut unseen: Vec<(u32, Row)> = Vec::new();
    // First the visibility map, then the mask.
    for games in nearby {
        for first in games.clone().step_by(BATCH) {
            let batch: Vec<u32> = (first..games.end.min(first.saturating_add(BATCH as u32))).collect();
            let sure = |blocks| heap.are_visible_pages(blocks);
            pages.sound(segment.rows_outside(pages, &batch, sure, |game, row| {
                if !heap.is_visible_page(row.block) {
                    unseen.push((game, row));
                }
            }))?;
            if unseen.len() > most {
                return Ok(None);
            }
        }
    }
    let dead = dead.all(pages, segment)?;
    if dead.len() + unseen.len() > most {
        return Ok(None);
    }
    unseen.retain(|(game, _)| dead.binary_search(game).is_err());
    let mut suspects: Vec<Suspect> = unseen.into_iter().map(|(game, row)| (game, Some(row))).collect();
    suspects.extend(dead.iter().map(|game| (*game, None)));
    suspects.sort_unstable_by_key(|(game, _)| *game);
    Ok(Some(suspects))
}

/// Those of some ascending games that are in an exact list, with their notes.
pub fn noted_in<G: OfGame + Copy>(
    pages: &PartPages<'_>,
    segment: &Segment,
    list: &List,
    games: &[G],
) -> Result<Vec<(G, Note)>, Replaced> {
    let mut found = Vec::new();
    in_list(pages, segment, list, games, |of, note| found.extend(note.map(|note| (of, note))))?;
    Ok(found)
}

/// The sums of the visible games of a list; `None` if they do not follow from the stored sums.
pub fn of_visible(
    pages: &PartPages<'_>,
    segment: &Segment,
    list: &List,
    conditions: &Conditions,
    mut sums: Vec<Sum>,
    suspects: &[Suspect],
    heap: &mut Heap,
) -> Result<Option<Vec<Sum>>, Replaced> {
    let mut hidden = Vec::new();
    heap.each(
        &noted_in(pages, segment, list, suspects)?,
        |((_, row), _)| *row,
        |heap, ((game, row), note)| {
            if row.is_none_or(|row| !heap.fetch(row)) {
                hidden.push((*game, *note));
            }
        },
    );
    let before: Vec<u32> = sums.iter().map(|sum| sum.games).collect();
    let mut latest = vec![Latest::Known; sums.len()];
    let mut is_known = true;
    pages.sound(segment.attributes(pages, &hidden, |attributes, here| {
        let is_summed = |(game, _): &&(u32, _)| conditions.are_met(|column| attributes.value(column, *game));
        for (game, note) in here.iter().filter(is_summed) {
            let values = COLUMNS.map(|column| attributes.value(column, *game));
            let at = sums.binary_search_by_key(&(note.bits(), values[2]), Sum::order);
            match at.ok().filter(|at| sums[*at].games > 0) {
                Some(at) => {
                    if subtract(&mut sums[at], values) == Latest::Hidden {
                        latest[at] = Latest::Hidden;
                    }
                }
                None => is_known = false,
            }
        }
    }))?;
    is_known &= sums.iter().zip(before).zip(latest).all(|((sum, before), latest)| {
        // Only a sum of one game has its number: the last one that is left is not known.
        sum.games == before || sum.games == 0 || sum.games > 1 && latest == Latest::Known
    });
    sums.retain(|sum| sum.games > 0);
    Ok(is_known.then_some(sums))
}

/// What is known of the latest day of the games that are left in a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Latest {
    /// It is the stored one.
    Known,
    /// A hidden game has the stored one; others may have it, too.
    Hidden,
}

/// Subtracts a hidden game.
fn subtract(sum: &mut Sum, [white, black, _, day]: [Value; SUMMED]) -> Latest {
    sum.games -= 1;
    for (side, rating) in [white, black].into_iter().enumerate() {
        let rating = rating.unwrap_or(0).max(0);
        sum.rated[side] = sum.rated[side].saturating_sub(u32::from(rating > 0));
        sum.ratings[side] = sum.ratings[side].saturating_sub(rating as u64);
    }
    if day.is_some() && day == sum.day { Latest::Hidden } else { Latest::Known }
}
