//! The sums that a segment has of the long list of a position, less the games that the query does not see.
//!
//! Takes a list and its stored sums, which include all games of the list; returns those of the visible games. The hidden ones
//! are dead games and rows that are not visible on pages that are not all-visible. They are subtracted one by one. The latest
//! day of the rest is unknown if a hidden game has it, and so is the only game that is left: then there is no answer.

use std::ops::Range;

use chess_core::search::hybrid_keys::Note;
use chess_index::attributes::Value;
use chess_index::block::Block;
use chess_index::rows::Row;
use chess_index::search::{List, OfGame};
use chess_index::segment::Segment;
use chess_index::summed::SUMMED;
use chess_index::sums::Sum;

use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::dead::Dead;
use crate::access_method::sums::heap::Heap;

/// The columns that are summed.
pub const COLUMNS: [usize; SUMMED] = [0, 1, 2, 3];

/// If more games than one in so many may be hidden, it takes longer to subtract them than to add up the others. So does it if
/// they are more than so many times the games of the list.
const MANY: u32 = 16;
const MANY_TIMES: u32 = 16;

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
    let most = (segment.games / MANY).min(list.count.saturating_mul(MANY_TIMES)) as usize;
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
pub fn in_list<G: OfGame + Copy>(
    pages: &PartPages<'_>,
    segment: &Segment,
    list: &List,
    games: &[G],
) -> Result<Vec<(G, Note)>, Replaced> {
    let (mut found, mut left) = (Vec::new(), games);
    let (mut reader, mut block) = (list.read(), Block::default());
    while let Some(first) = left.first() {
        if !pages.sound(reader.next_from(pages, segment, first.game(), &mut block))? {
            break;
        }
        let last = block.games.last().copied().unwrap_or(0);
        let here = left.partition_point(|of| of.game() <= last);
        for of in &left[..here] {
            if let Ok(at) = block.games.binary_search(&of.game())
                && let Some(note) = block.notes.get(at)
            {
                found.push((*of, *note));
            }
        }
        left = &left[here..];
    }
    Ok(found)
}

/// The sums of the visible games of a list; `None` if they do not follow from the stored sums.
pub fn of_visible(
    pages: &PartPages<'_>,
    segment: &Segment,
    list: &List,
    mut sums: Vec<Sum>,
    suspects: &[Suspect],
    heap: &mut Heap,
) -> Result<Option<Vec<Sum>>, Replaced> {
    let mut hidden = Vec::new();
    for ((game, row), note) in in_list(pages, segment, list, suspects)? {
        if row.is_none_or(|row| !heap.fetch(row)) {
            hidden.push((game, note));
        }
    }
    let before: Vec<u32> = sums.iter().map(|sum| sum.games).collect();
    let mut is_known = true;
    pages.sound(segment.attributes(pages, &hidden, |attributes, here| {
        for (game, note) in here {
            let values = COLUMNS.map(|column| attributes.value(column, *game));
            let at = sums.binary_search_by_key(&(note.bits(), values[2]), Sum::order);
            match at.ok().and_then(|at| sums.get_mut(at)).filter(|sum| sum.games > 0) {
                Some(sum) => subtract(sum, values),
                None => is_known = false,
            }
        }
    }))?;
    let is_left =
        |(sum, before): (&Sum, &u32)| sum.games == *before || sum.games == 0 || sum.games > 1 && sum.game == 0;
    is_known &= sums.iter().zip(&before).all(is_left);
    sums.retain(|sum| sum.games > 0);
    Ok(is_known.then_some(sums))
}

/// Subtracts a game. If it has the latest day, the sum gets another game than 0 as a mark, unless no game is left.
fn subtract(sum: &mut Sum, [white, black, _, day]: [Value; SUMMED]) {
    sum.games -= 1;
    for (side, rating) in [white, black].into_iter().enumerate() {
        let rating = rating.unwrap_or(0).max(0);
        sum.rated[side] = sum.rated[side].saturating_sub(u32::from(rating > 0));
        sum.ratings[side] = sum.ratings[side].saturating_sub(rating as u64);
    }
    if day.is_some() && day == sum.day {
        sum.game = u32::MAX;
    }
}
