//! Sums over games by continuation and result.
//!
//! In: games, one by one or a page of attributes at a time. Out, for each continuation and result: the number of games, the
//! sums of their ratings, and the latest day.

use chess_index::attributes::{NULL, Wide};
use chess_index::rows::Row;

use crate::access_method::sums::asked::Played;

/// A game of a segment and what it plays.
pub type Reaching = (u32, Played);

/// The attributes that are summed: ratings of White and Black, result, day.
pub type Values = [Wide; 4];

/// Where the row pointer of a game is.
#[derive(Clone, Copy)]
pub enum Place {
    Row(Row),
    /// The number of a segment, and of the game in it.
    Game(u32, u32),
}

/// The sums of the games with one continuation and one result.
#[derive(Clone, Copy)]
pub struct Sum {
    pub games: i64,
    /// Numbers and sums of the positive ratings of White and Black.
    pub rated: [i64; 2],
    pub ratings: [i64; 2],
    pub day: Wide,
    /// One of the games.
    pub place: Place,
}

impl Sum {
    const NONE: Sum = Sum { games: 0, rated: [0; 2], ratings: [0; 2], day: NULL, place: Place::Game(0, 0) };

    fn add(&mut self, [white, black, _, day]: Values, place: Place) {
        self.games += 1;
        for (side, rating) in [white, black].into_iter().enumerate() {
            self.rated[side] += i64::from(rating > 0);
            self.ratings[side] += rating.max(0);
        }
        self.day = self.day.max(day);
        self.place = place;
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
    day: Wide,
    game: u32,
}

impl OfPage {
    const NONE: OfPage = OfPage { numbers: 0, ratings: 0, day: NULL, game: 0 };
}

/// Bits of each of the three numbers; a page has at most 2^15 games.
const NUMBER_BITS: u32 = 21;
/// Bits of each sum of ratings.
const RATING_BITS: u32 = 32;

/// A continuation with a result, which may be NULL.
pub type Kind = (Played, Wide);

/// All sums.
pub struct Sums {
    /// For each continuation, the sums of games without a result and of those with results from 0 on.
    table: Vec<[Sum; RESULTS]>,
    /// Those of other results.
    others: Vec<(Kind, Sum)>,
    /// Games of which only the number is asked for.
    pub counted: i64,
    /// Sums of a page, in the places of the table, and which of them have games.
    of_page: Vec<OfPage>,
    touched: Vec<u16>,
    /// What each game of a page adds to the numbers and the ratings.
    added: Vec<(u64, u64)>,
}

/// NULL and the results that have a place in the table.
const RESULTS: usize = 8;

impl Sums {
    /// For games with one of so many continuations.
    pub fn new(continuations: usize) -> Sums {
        Sums {
            table: vec![[Sum::NONE; RESULTS]; continuations],
            others: Vec::new(),
            counted: 0,
            of_page: vec![OfPage::NONE; RESULTS * continuations],
            touched: Vec::new(),
            added: Vec::new(),
        }
    }

    /// Adds a game.
    pub fn add(&mut self, played: Played, values: Values, place: Place) {
        let kind = (played, values[2]);
        let number = if values[2] == NULL { 0 } else { values[2].wrapping_add(1) as usize };
        if let Some(sum) = self.table[usize::from(played)].get_mut(number)
            && (number > 0 || values[2] == NULL)
        {
            return sum.add(values, place);
        }
        let at = self.others.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            self.others.push((kind, Sum::NONE));
            self.others.len() - 1
        });
        self.others[at].1.add(values, place);
    }

    /// Adds games of a page, whose values are in `columns` from game `first` on, if `is_met` holds for their place there.
    pub fn add_page(
        &mut self,
        games: &[Reaching],
        segment: u32,
        first: u32,
        columns: [&[Wide]; 4],
        is_met: impl Fn(usize) -> bool,
    ) {
        let [white, black, result, day] = columns;
        let most = white.iter().chain(black).fold(0, |most: Wide, rating| most.max(*rating));
        let fits = most.saturating_mul(white.len() as Wide) < 1 << RATING_BITS;
        let number = |rating: Wide, nth: u32| u64::from(rating > 0) << (nth * NUMBER_BITS);
        self.added.clear();
        self.added.extend(white.iter().zip(black).map(|(white, black)| {
            let ratings = white.max(&0) | black.max(&0) << RATING_BITS;
            (1 | number(*white, 1) | number(*black, 2), ratings as u64)
        }));
        for (game, played) in games {
            let nth = game.wrapping_sub(first) as usize;
            let (Some((numbers, ratings)), Some(result), Some(day)) =
                (self.added.get(nth), result.get(nth), day.get(nth))
            else {
                continue;
            };
            if !is_met(nth) {
                continue;
            }
            // The place of NULL is the first.
            let number = result.wrapping_add(1) as usize;
            if fits && (1..RESULTS).contains(&number) {
                let at = RESULTS * usize::from(*played) + number;
                let Some(sum) = self.of_page.get_mut(at) else { continue };
                if sum.numbers == 0 {
                    self.touched.push(at as u16);
                }
                sum.numbers += numbers;
                sum.ratings += ratings;
                sum.day = sum.day.max(*day);
                sum.game = *game;
            } else {
                self.add(*played, [white[nth], black[nth], *result, *day], Place::Game(segment, *game));
            }
        }
        for at in self.touched.drain(..).map(usize::from) {
            let page = std::mem::replace(&mut self.of_page[at], OfPage::NONE);
            let sum = &mut self.table[at / RESULTS][at % RESULTS];
            let part = |word: u64, nth: u32, bits: u32| (word >> (nth * bits) & ((1 << bits) - 1)) as i64;
            sum.games += part(page.numbers, 0, NUMBER_BITS);
            for side in 0..2 {
                sum.rated[side as usize] += part(page.numbers, side + 1, NUMBER_BITS);
                sum.ratings[side as usize] += part(page.ratings, side, RATING_BITS);
            }
            sum.day = sum.day.max(page.day);
            sum.place = Place::Game(segment, page.game);
        }
    }

    /// The number of games.
    pub fn games(&self) -> i64 {
        self.counted + self.each().map(|(_, sum)| sum.games).sum::<i64>()
    }

    /// Whether there are at least so many games.
    pub fn has(&self, most: i64) -> bool {
        most < i64::MAX && self.games() >= most
    }

    /// The sums that have games, in no order.
    pub fn each(&self) -> impl Iterator<Item = (Kind, Sum)> {
        let usual = self.table.iter().enumerate().flat_map(|(played, sums)| {
            let result = |number: usize| if number == 0 { NULL } else { number as Wide - 1 };
            sums.iter().enumerate().map(move |(number, sum)| ((played as Played, result(number)), *sum))
        });
        usual.filter(|(_, sum)| sum.games > 0).chain(self.others.iter().copied())
    }
}
