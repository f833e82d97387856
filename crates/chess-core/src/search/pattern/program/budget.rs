//! Limits the work that one pattern may cause.
//!
//! A short text can cause much work: nested transforms multiply their content, and every variant contains all of its
//! parts. Every part that is made, compared or joined between the tree and the program is charged to one budget for the
//! whole text, so that its size bounds the cost.

use crate::pause;
use crate::search::pattern::language::error::{Fault, limits};

/// The rest of [`limits::WORK`], and the transforms that have not been expanded yet.
#[derive(Clone, Debug)]
pub struct Budget {
    left: usize,
    /// Their places in the text, in the order of their ends.
    transforms: std::vec::IntoIter<usize>,
}

impl Budget {
    /// The full budget for a text with transforms at these places.
    pub fn new(transforms: Vec<usize>) -> Budget {
        Budget { left: limits::WORK, transforms: transforms.into_iter() }
    }

    /// Charges `parts` parts for the construct at a place of the text.
    ///
    /// # Errors
    ///
    /// The pattern is too complex if the budget is exhausted.
    pub fn spend(&mut self, parts: usize, at: usize) -> Result<(), Fault> {
        pause::count(parts);
        match self.left.checked_sub(parts) {
            Some(left) => self.left = left,
            None => {
                let reason = format!("more than {} parts to look at, as written out", limits::WORK);
                return Err(Fault::too_complex(at, reason)
                    .hint("Transforms inside each other multiply: leave one out, or put less into them."));
            }
        }
        Ok(())
    }

    /// The place of the next transform, in the order of their ends.
    pub fn next_transform(&mut self) -> usize {
        self.transforms.next().unwrap_or(0)
    }
}
