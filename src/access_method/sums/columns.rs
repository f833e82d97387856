//! The attributes of the games of a page, by columns.
//!
//! Takes a page of attributes; returns the columns that a question tests or sums, each decoded when it is asked for.

use chess_index::attributes::Attributes;
use chess_index::columns::Codes;

/// The columns of a page that a question reads.
pub struct Columns {
    /// The columns of the index, and whether they are those of the page. The last one stands for a column that the index does
    /// not have, and holds only NULL.
    columns: Vec<(bool, Codes)>,
    /// The ratings of White and Black. A rating that is unknown or not positive is 0.
    ratings: [Vec<u32>; 2],
    has_ratings: bool,
}

impl Columns {
    /// For pages with this number of columns.
    pub fn new(columns: u16) -> Columns {
        Columns {
            columns: vec![(false, Codes::default()); usize::from(columns) + 1],
            ratings: [Vec::new(), Vec::new()],
            has_ratings: false,
        }
    }

    /// Begins a page. Returns false if the codes of one of these columns do not fit into 32 bits; the caller then reads the
    /// games one by one.
    pub fn begin(&mut self, attributes: &Attributes<'_>, columns: &[usize]) -> bool {
        self.columns.iter_mut().for_each(|(is_read, _)| *is_read = false);
        self.has_ratings = false;
        columns.iter().all(|column| attributes.column(*column).has_codes())
    }

    /// A column of the page. If the index does not have it, all values are NULL.
    pub fn column(&mut self, attributes: &Attributes<'_>, column: usize) -> &Codes {
        let last = self.columns.len() - 1;
        let (is_read, codes) = &mut self.columns[column.min(last)];
        if !*is_read {
            codes.read(attributes.column(column), attributes.count);
            *is_read = true;
        }
        codes
    }

    /// The ratings of White and Black, from these columns of the page. A rating that is unknown or not positive is 0.
    pub fn ratings(&mut self, attributes: &Attributes<'_>, columns: [usize; 2]) -> [&[u32]; 2] {
        if !self.has_ratings {
            for (side, column) in columns.into_iter().enumerate() {
                let mut ratings = std::mem::take(&mut self.ratings[side]);
                self.column(attributes, column).positive(&mut ratings);
                self.ratings[side] = ratings;
            }
            self.has_ratings = true;
        }
        [&self.ratings[0], &self.ratings[1]]
    }

    /// The ratings and two more columns. The caller has read all of them: this does not change the cache, so that the four
    /// can be borrowed together.
    pub fn summed(&self, result: usize, day: usize) -> ([&[u32]; 2], &Codes, &Codes) {
        let last = self.columns.len() - 1;
        let column = |column: usize| &self.columns[column.min(last)].1;
        ([&self.ratings[0], &self.ratings[1]], column(result), column(day))
    }
}
