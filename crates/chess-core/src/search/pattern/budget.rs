//! The work that one text may ask for.
//!
//! A short text can ask for much: transforms inside each other multiply what they contain, and every variant has all of its
//! parts. Each part that is made, compared or joined between the tree and the program is paid for here, over the whole text,
//! so that no text costs more than another by more than what it is allowed.

use super::error::{Fault, limits};
use crate::pause;

/// What is left of [`limits::WORK`], and the transforms that have not been written out yet.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    left: usize,
    /// Where they stand in the text, in the order in which they end there.
    transforms: std::vec::IntoIter<usize>,
}

impl Budget {
    /// The whole budget of a text with transforms at these places.
    pub fn new(transforms: Vec<usize>) -> Budget {
        Budget { left: limits::WORK, transforms: transforms.into_iter() }
    }

    /// Pays for some parts, of what stands at a place of the text.
    ///
    /// # Errors
    ///
    /// The pattern is too complex if not enough is left.
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

    /// The place of the transform that ends next.
    pub fn next_transform(&mut self) -> usize {
        self.transforms.next().unwrap_or(0)
    }
}
