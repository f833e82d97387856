//! Conditions on attributes, all of which a game must meet.
//!
//! Takes tests of columns; returns whether the attributes of a game meet them, for one game or for those of a page.

use chess_index::attributes::{Attributes, Filter, Value};

use crate::access_method::sums::columns::Columns;

/// Conditions that all hold.
pub struct Conditions(Vec<Filter>);

impl Conditions {
    pub fn new(filters: Vec<Filter>) -> Conditions {
        Conditions(filters)
    }

    pub fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    pub fn filters(&self) -> &[Filter] {
        &self.0
    }

    /// The columns that are tested.
    pub fn columns(&self) -> Vec<usize> {
        self.0.iter().map(|filter| filter.column).collect()
    }

    /// Marks the games of a page that meet the conditions; returns whether there are any.
    pub fn mark(&self, page: &Attributes<'_>, columns: &mut Columns, marks: &mut Vec<bool>) -> bool {
        marks.clear();
        // Many are decided for a page as a whole.
        let decided: Vec<_> = self.0.iter().map(|filter| page.column(filter.column).decides(&filter.within)).collect();
        marks.resize(page.count as usize, !decided.contains(&Some(false)));
        for (filter, _) in self.0.iter().zip(&decided).filter(|(_, decided)| decided.is_none()) {
            if !marks.contains(&true) {
                return false;
            }
            columns.column(page, filter.column).unmark(&filter.within, marks);
        }
        marks.contains(&true)
    }

    pub fn are_met(&self, value: impl Fn(usize) -> Value) -> bool {
        self.0.iter().all(|filter| filter.within.has(value(filter.column)))
    }
}
