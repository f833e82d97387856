//! The attributes of the games of a page, by columns.
//!
//! Takes a page of attributes; returns the columns that a question tests or sums.

use chess_index::attributes::Attributes;
use chess_index::columns::Codes;

/// The columns of a page that a question reads.
pub struct Columns {
    games: usize,
    /// The columns of the index. The last one stands for a column that the index does not have, and holds only NULL.
    columns: Vec<Codes>,
    /// The ratings of White and Black. A rating that is unknown or not positive is 0.
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

    /// Reads columns of a page, and takes the ratings of White and Black from two of them. Returns false if the codes of a
    /// column do not fit into 32 bits; the caller then reads the games one by one.
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

    /// A column that was read. If the index does not have it, all values are NULL.
    pub fn column(&self, column: usize) -> &Codes {
        &self.columns[column.min(self.columns.len() - 1)]
    }

    /// The ratings of White and Black, if they were read. A rating that is unknown or not positive is 0.
    pub fn ratings(&self) -> [&[u32]; 2] {
        [&self.ratings[0], &self.ratings[1]]
    }
}
