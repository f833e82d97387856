//! The attributes of the games of a page, by columns.
//!
//! Takes a page of attributes; returns the columns that a question tests or sums.

use chess_index::attributes::Attributes;
use chess_index::columns::Codes;

/// The columns of a page that a question reads.
pub struct Columns {
    games: usize,
    /// Those of the index, and one of NULL.
    columns: Vec<Codes>,
    /// The positive ratings of White and Black; 0 for the others.
    ratings: [Vec<u32>; 2],
}

impl Columns {
    /// For pages with so many columns.
    pub fn new(columns: u16) -> Columns {
        Columns {
            games: 0,
            columns: vec![Codes::default(); usize::from(columns) + 1],
            ratings: [Vec::new(), Vec::new()],
        }
    }

    /// Reads columns of a page, and from two of them the ratings of White and Black. Returns false if a column has values of
    /// more bits than a code.
    pub fn read(&mut self, attributes: &Attributes<'_>, columns: &[usize], ratings: Option<[usize; 2]>) -> bool {
        self.games = attributes.count as usize;
        let last = self.columns.len() - 1;
        for column in columns {
            if !self.columns[(*column).min(last)].read(attributes.column(*column), attributes.count) {
                return false;
            }
        }
        for (column, ratings) in ratings.into_iter().flatten().zip(&mut self.ratings) {
            self.columns[column.min(last)].positive(ratings);
        }
        true
    }

    /// Number of games.
    pub fn games(&self) -> usize {
        self.games
    }

    /// A column that was read. One that does not exist is NULL.
    pub fn column(&self, column: usize) -> &Codes {
        &self.columns[column.min(self.columns.len() - 1)]
    }

    /// The ratings of White and Black, if they were read; 0 for those that are not positive.
    pub fn ratings(&self) -> [&[u32]; 2] {
        [&self.ratings[0], &self.ratings[1]]
    }
}
