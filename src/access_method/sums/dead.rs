//! The dead games of a segment.
//!
//! Takes how many VACUUM has counted; returns them. VACUUM sets the bits of a mask, counts the dead, and only then removes the
//! rows and marks their pages all-visible. So whoever reads the count after the visibility map may leave the mask alone if
//! nobody is dead, and a session may remember the dead as long as their number stays: a row that died since is on a page that
//! is not all-visible.

use std::cell::RefCell;
use std::rc::Rc;

use chess_index::search::OfGame;
use chess_index::segment::Segment;

use crate::access_method::scan::dead_games;
use crate::access_method::segments::{PartPages, Replaced};
use crate::access_method::sums::memory::Memory;

/// Most dead games of a segment that are remembered, four bytes each.
const MOST_GAMES: u32 = 1 << 16;
/// Most segments whose dead are remembered.
const MOST_SEGMENTS: usize = 16;

/// The number of dead games that VACUUM had counted, and the games.
type Known = (u32, Rc<[u32]>);

thread_local! {
    static KNOWN: RefCell<Memory<Known>> = const { RefCell::new(Memory::new(MOST_SEGMENTS)) };
}

/// Which games of a segment are dead.
pub enum Dead {
    /// These, ascending, and perhaps some whose rows are not removed yet.
    Games(Rc<[u32]>),
    /// Only the mask tells.
    Masked,
}

impl Dead {
    /// Returns the dead games of a segment. `counted` is how many the metapage had after the visibility map was read.
    pub fn of(pages: &PartPages<'_>, segment: &Segment, counted: u32) -> Result<Dead, Replaced> {
        match counted {
            0 => return Ok(Dead::Games(Rc::new([]))),
            1..=MOST_GAMES => (),
            _ => return Ok(Dead::Masked),
        }
        let is_wanted = |(number, _): &Known| *number == counted;
        let known = KNOWN.with_borrow_mut(|known| Some(known.find(pages, segment, is_wanted)?.1.clone()));
        if let Some(known) = known {
            return Ok(Dead::Games(known));
        }
        let games: Rc<[u32]> = dead_games(pages, segment)?.into();
        // VACUUM may have marked more games than it has counted, so the limit is tested again.
        if games.len() <= MOST_GAMES as usize {
            KNOWN.with_borrow_mut(|known| known.add(pages, segment, (counted, games.clone()), 1));
        }
        Ok(Dead::Games(games))
    }

    /// Returns all dead games in ascending order.
    pub fn all(&self, pages: &PartPages<'_>, segment: &Segment) -> Result<Rc<[u32]>, Replaced> {
        match self {
            Dead::Games(games) => Ok(games.clone()),
            Dead::Masked => Ok(dead_games(pages, segment)?.into()),
        }
    }

    /// Keeps those of some ascending games that are not dead.
    pub fn leave<G: OfGame + Copy>(
        &self,
        pages: &PartPages<'_>,
        segment: &Segment,
        games: &mut Vec<G>,
    ) -> Result<(), Replaced> {
        match self {
            Dead::Games(dead) if dead.is_empty() => Ok(()),
            Dead::Games(dead) => {
                games.retain(|of| dead.binary_search(&of.game()).is_err());
                Ok(())
            }
            Dead::Masked => pages.sound(segment.retain_living(pages, games)),
        }
    }
}
