//! Sums over games by continuation and result.
//!
//! In: games, one by one or a page of attributes at a time. Out, for each continuation and result: the number of games, the
//! sums of their ratings, and the latest day.

use chess_index::attributes::{Attributes, Value};
use chess_index::sums::Sum as Stored;

use crate::access_method::sums::asked::Played;
use crate::access_method::sums::columns::Columns;
use crate::access_method::sums::found::{Place, Reaching, Values};
use crate::access_method::sums::leading::Leading;
use crate::access_method::sums::reported::Reported;

/// The sums of the games with one continuation and one result.
#[derive(Clone, Copy)]
pub struct Sum {
    pub games: i64,
    /// Numbers and sums of the positive ratings of White and Black.
    pub rated: [i64; 2],
    pub ratings: [i64; 2],
    pub day: Value,
    /// One of the games.
    pub place: Place,
}

impl Sum {
    pub const NONE: Sum = Sum { games: 0, rated: [0; 2], ratings: [0; 2], day: None, place: Place::Game(0, 0) };

    fn add(&mut self, [white, black, _, day]: Values, place: Place) {
        self.games += 1;
        for (side, rating) in [white, black].into_iter().enumerate() {
            let rating = rating.unwrap_or(0).max(0);
            self.rated[side] += i64::from(rating > 0);
            self.ratings[side] += i64::from(rating);
        }
        self.day = self.day.max(day);
        self.place = place;
    }

    /// Adds other games.
    pub fn join(&mut self, other: Sum) {
        self.games += other.games;
        for side in 0..2 {
            self.rated[side] += other.rated[side];
            self.ratings[side] += other.ratings[side];
        }
        self.day = self.day.max(other.day);
        // It matters only if there is no other game.
        self.place = other.place;
    }
}

/// The sums of games of one page. Several share a word: every game adds to words in memory, which takes longer than all
/// else.
#[derive(Clone, Copy)]
struct OfPage {
    /// The games, those with a rating of White, and those with one of Black.
    numbers: u64,
    /// The ratings of White, and those of Black.
    ratings: u64,
    /// The code of the latest day.
    day: u32,
    /// One of the games.
    game: u32,
}

impl OfPage {
    const NONE: OfPage = OfPage { numbers: 0, ratings: 0, day: 0, game: 0 };

    /// The same in words of their own, with the day that its code stands for.
    fn sum(self, segment: u32, day: Value) -> Sum {
        let part = |word: u64, nth: u32, bits: u32| (word >> (nth * bits) & ((1 << bits) - 1)) as i64;
        Sum {
            games: part(self.numbers, 0, NUMBER_BITS),
            rated: [1, 2].map(|nth| part(self.numbers, nth, NUMBER_BITS)),
            ratings: [0, 1].map(|nth| part(self.ratings, nth, RATING_BITS)),
            day,
            place: Place::Game(segment, self.game),
        }
    }
}

/// Bits of each of the three numbers; a page has at most 2^15 games.
const NUMBER_BITS: u32 = 21;
/// Bits of each sum of ratings.
const RATING_BITS: u32 = 32;

/// A continuation with a result, which may be NULL.
pub type Kind = (Played, Value);

/// All sums.
pub struct Sums {
    /// For each continuation, the sums of games without a result and of those with results from 0 on.
    table: Vec<[Sum; RESULTS]>,
    /// Those of other results.
    others: Vec<(Kind, Sum)>,
    /// Games of which only the number is asked for.
    pub counted: i64,
    /// The first games, if the question is for them in place of sums.
    pub leading: Option<Leading>,
    /// The groups of a report, if the question is for them, too.
    pub reported: Option<Reported>,
    /// Sums of a page, in the places of the table, and which of them have games.
    of_page: Vec<OfPage>,
    touched: Vec<u16>,
    /// For each game of a page the place of its result in the table, or [`ALONE`].
    results: Vec<u8>,
    /// The games of a page that are added, by their places in it.
    marked: Vec<Reaching>,
}

/// NULL and the results that have a place in the table.
const RESULTS: usize = 8;
/// The game is added by itself: its result is NULL, or has no place in the table.
const ALONE: u8 = 0;

impl Sums {
    /// For games with one of `continuations` continuations.
    pub fn new(continuations: usize) -> Sums {
        Sums {
            table: vec![[Sum::NONE; RESULTS]; continuations],
            others: Vec::new(),
            counted: 0,
            leading: None,
            reported: None,
            of_page: vec![OfPage::NONE; RESULTS * continuations],
            touched: Vec::new(),
            results: Vec::new(),
            marked: Vec::new(),
        }
    }

    /// Collects the first games instead of sums.
    pub fn listing(leading: Leading) -> Sums {
        Sums { leading: Some(leading), ..Sums::new(0) }
    }

    /// Adds a game to the groups of the report, if one is asked for.
    #[inline]
    pub fn report(&mut self, played: Played, value: impl Fn(usize) -> Value) {
        if let Some(reported) = &mut self.reported {
            reported.add(played, value);
        }
    }

    /// Returns whether this collects the first games instead of sums.
    pub fn is_list(&self) -> bool {
        self.leading.is_some()
    }

    /// Adds a game.
    pub fn add(&mut self, played: Played, values: Values, place: Place) {
        if let Some(leading) = &mut self.leading {
            return leading.add(values, place);
        }
        self.of((played, values[2])).add(values, place);
    }

    /// Adds stored sums of games with one continuation.
    pub fn add_stored(&mut self, played: Played, segment: u32, stored: &Stored) {
        self.of((played, stored.result)).join(Sum {
            games: stored.games.into(),
            rated: stored.rated.map(i64::from),
            ratings: stored.ratings.map(|ratings| ratings as i64),
            day: stored.day,
            place: Place::Game(segment, stored.game),
        });
    }

    /// The sum of a continuation and a result.
    fn of(&mut self, (played, result): Kind) -> &mut Sum {
        let number = result.map_or(Some(0), |result| usize::try_from(i64::from(result) + 1).ok().filter(|n| *n > 0));
        if let Some(number) = number.filter(|number| *number < RESULTS) {
            return &mut self.table[usize::from(played)][number];
        }
        let kind = (played, result);
        let at = self.others.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            self.others.push((kind, Sum::NONE));
            self.others.len() - 1
        });
        &mut self.others[at].1
    }

    /// Adds games of a page. The values that are summed are in `summed` of its columns. With `marks` only marked games are
    /// added.
    pub fn add_page(
        &mut self,
        games: &[Reaching],
        segment: u32,
        page: &Attributes<'_>,
        columns: &mut Columns,
        summed: [usize; 4],
        marks: Option<&[bool]>,
    ) {
        columns.ratings(page, [summed[0], summed[1]]);
        for column in &summed[2..] {
            columns.column(page, *column);
        }
        let ([white_ratings, black_ratings], result, day) = columns.summed(summed[2], summed[3]);
        let (first, count) = (page.first, page.count as usize);
        // No rating is greater than all of them joined by OR. Every processor can join several at once, but older ones cannot
        // compare several at once.
        let bits = |ratings: &[u32]| ratings.iter().fold(0, |bits, rating| bits | *rating);
        let most = bits(white_ratings) | bits(black_ratings);
        let fits = u64::from(most) * (count as u64) < 1 << RATING_BITS;
        result.places(if fits { RESULTS as u8 - 1 } else { 0 }, &mut self.results);
        let marked = self.collect_marked(games, first, marks);
        let (results, days) = (&self.results[..count], &day.codes()[..count]);
        let (white_ratings, black_ratings) = (&white_ratings[..count], &black_ratings[..count]);
        let number = |rating: u32, nth: u32| u64::from(rating > 0) << (nth * NUMBER_BITS);
        let mut alone = Vec::new();
        for (nth, played) in &self.marked[..marked] {
            let nth = *nth as usize;
            if nth >= count {
                continue;
            }
            if results[nth] == ALONE {
                alone.push((nth, *played));
                continue;
            }
            let at = RESULTS * usize::from(*played) + usize::from(results[nth]);
            let Some(sum) = self.of_page.get_mut(at) else { continue };
            if sum.numbers == 0 {
                self.touched.push(at as u16);
                sum.game = first.wrapping_add(nth as u32);
            }
            let (white, black) = (white_ratings[nth], black_ratings[nth]);
            sum.numbers = sum.numbers.wrapping_add(1 | number(white, 1) | number(black, 2));
            sum.ratings = sum.ratings.wrapping_add(u64::from(white) | u64::from(black) << RATING_BITS);
            sum.day = sum.day.max(days[nth]);
        }
        for (nth, played) in alone {
            let values = summed.map(|column| page.value(column, first + nth as u32));
            self.add(played, values, Place::Game(segment, first + nth as u32));
        }
        for at in self.touched.drain(..).map(usize::from) {
            let of_page = std::mem::replace(&mut self.of_page[at], OfPage::NONE);
            self.table[at / RESULTS][at % RESULTS].join(of_page.sum(segment, day.value(of_page.day)));
        }
    }

    /// Puts the games that are added in front of `marked`, by their places in the page, and returns how many these are. A
    /// branch for each game would often be guessed wrongly.
    fn collect_marked(&mut self, games: &[Reaching], first: u32, marks: Option<&[bool]>) -> usize {
        if self.marked.len() < games.len() {
            self.marked.resize(games.len(), (0, 0));
        }
        let mut marked = 0;
        for (game, played) in games {
            let nth = game.wrapping_sub(first);
            if let Some(place) = self.marked.get_mut(marked) {
                *place = (nth, *played);
            }
            marked += usize::from(marks.is_none_or(|marks| marks.get(nth as usize) == Some(&true)));
        }
        marked
    }

    /// The sums that have games, in no order.
    pub fn each(&self) -> impl Iterator<Item = (Kind, Sum)> {
        let usual = self.table.iter().enumerate().flat_map(|(played, sums)| {
            let result = |number: usize| number.checked_sub(1).map(|result| result as i32);
            sums.iter().enumerate().map(move |(number, sum)| ((played as Played, result(number)), *sum))
        });
        usual.filter(|(_, sum)| sum.games > 0).chain(self.others.iter().copied())
    }
}
