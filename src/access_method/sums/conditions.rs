//! Conditions on attributes, as `chess_index_moves` takes them.
//!
//! Takes numbers in triples; returns whether the attributes of a game meet them. Raises 22023 for other numbers, and
//! 54000 for too many.

use std::collections::HashMap;

use chess_index::attributes::{Attributes, Filter, Value, Within};
use pgrx::PgSqlErrorCode;

use crate::access_method::sums::columns::Columns;
use crate::server::error::raise;

/// Conditions on attributes.
pub struct Conditions {
    /// Columns of the ratings of White and Black.
    ratings: [usize; 2],
    /// A game meets one of them.
    alternatives: Vec<Alternative>,
}

/// Conditions that all hold.
struct Alternative {
    /// Of the mean of the ratings, rounded down, where both are positive.
    mean: Option<Within>,
    /// Of single columns.
    others: Vec<(usize, Within)>,
}

/// The most triples. Each may be tested for each game.
const MOST: usize = 1000;
/// The column of a triple that is the mean of the ratings.
const MEAN: i64 = 0;
/// The column of a triple that begins another alternative.
const OR: i64 = -1;

impl Conditions {
    /// Reads triples of a column, the least and the greatest value. The triples of one column are alternatives.
    pub fn read(numbers: &[i64], ratings: [usize; 2], columns: usize) -> Conditions {
        let (triples, rest) = numbers.as_chunks::<3>();
        if triples.len() > MOST {
            let detail = format!("There are {}; the limit is {MOST}.", triples.len());
            raise(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, "too many conditions".into(), Some(detail), None);
        }
        let is_known = |column: i64| column == MEAN || column == OR || (2..columns as i64 + 2).contains(&column);
        if !rest.is_empty() || !triples.iter().all(|[column, ..]| is_known(*column)) {
            let message = "conditions must be triples of a column of the index and two values".into();
            raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, None, None);
        }
        let alternatives = triples.split(|[column, ..]| *column == OR).map(Alternative::read).collect();
        Conditions { ratings, alternatives }
    }

    /// Conditions that all hold.
    pub fn all(filters: Vec<Filter>) -> Conditions {
        let others = filters.into_iter().map(|filter| (filter.column, filter.within)).collect();
        Conditions { ratings: [0, 1], alternatives: vec![Alternative { mean: None, others }] }
    }

    pub fn are_none(&self) -> bool {
        self.alternatives.iter().any(|all| all.mean.is_none() && all.others.is_empty())
    }

    /// The columns that are tested.
    pub fn columns(&self) -> Vec<usize> {
        let tested = |all: &Alternative| {
            let ratings = all.mean.iter().flat_map(|_| self.ratings);
            ratings.chain(all.others.iter().map(|(column, _)| *column)).collect::<Vec<_>>()
        };
        self.alternatives.iter().flat_map(tested).collect()
    }

    /// Marks the games of a page that meet the conditions.
    pub fn mark(&self, page: &Attributes<'_>, columns: &mut Columns, marks: &mut Vec<bool>) {
        let games = page.count as usize;
        marks.clear();
        marks.resize(games, false);
        let mut met = Vec::new();
        'alternatives: for all in &self.alternatives {
            // Many are decided for a page as a whole.
            let decided = |(column, within): &(usize, Within)| page.column(*column).decides(within);
            let decided: Vec<Option<bool>> = all.others.iter().map(decided).collect();
            if decided.contains(&Some(false)) {
                continue;
            }
            met.clear();
            met.resize(games, true);
            for ((column, within), _) in all.others.iter().zip(&decided).filter(|(_, decided)| decided.is_none()) {
                columns.column(page, *column).unmark(within, &mut met);
                if !met.contains(&true) {
                    continue 'alternatives;
                }
            }
            if let Some(within) = &all.mean {
                let [white, black] = columns.ratings(page, self.ratings);
                unmark_means(white, black, within, &mut met);
            }
            marks.iter_mut().zip(&met).for_each(|(mark, met)| *mark |= met);
        }
    }

    pub fn are_met(&self, value: impl Fn(usize) -> Value) -> bool {
        self.alternatives.iter().any(|all| {
            all.others.iter().all(|(column, within)| within.has(value(*column)))
                && all.mean.as_ref().is_none_or(|within| {
                    let [white, black] = self.ratings.map(|column| value(column).filter(|rating| *rating > 0));
                    let mean = |(white, black): (i32, i32)| ((i64::from(white) + i64::from(black)) / 2) as i32;
                    within.has(white.zip(black).map(mean))
                })
        })
    }
}

/// Clears the marks of games the mean of whose ratings, rounded down, is not in the set, or who lack one of the ratings.
fn unmark_means(white: &[u32], black: &[u32], within: &Within, marks: &mut [bool]) {
    let games = white.iter().zip(black).zip(marks);
    // Two numbers of 31 bits.
    let mean = |white: u32, black: u32| white.wrapping_add(black) / 2;
    match within {
        Within::Ranges(ranges) if let [(least, most)] = ranges.as_slice() => {
            let (least, most) = ((*least).max(0) as u32, (*most).max(0) as u32);
            let span = most.wrapping_sub(least);
            let has_any = least <= most && most > 0;
            games.for_each(|((white, black), mark)| {
                let is_within = mean(*white, *black).wrapping_sub(least) <= span;
                *mark &= has_any & is_within & (*white > 0) & (*black > 0);
            });
        }
        _ => games.for_each(|((white, black), mark)| {
            *mark &= *white > 0 && *black > 0 && within.has(Some(mean(*white, *black) as i32));
        }),
    }
}

impl Alternative {
    fn read(triples: &[[i64; 3]]) -> Alternative {
        let mut ranges: HashMap<i64, Vec<(i64, i64)>> = HashMap::new();
        for [column, least, most] in triples {
            ranges.entry(*column).or_default().push((*least, *most));
        }
        let mean = ranges.remove(&MEAN).map(Within::any_of);
        let others = ranges.into_iter().map(|(column, ranges)| (column as usize - 2, Within::any_of(ranges))).collect();
        Alternative { mean, others }
    }
}
