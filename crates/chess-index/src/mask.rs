//! The mask: a bit for each dead game of a segment. VACUUM sets the bits; no other page of a segment changes.
//!
//! Layout after the page head: the first game (4), the number of games (4), the number of dead games (4), then a bit
//! for each game.

use crate::bits::{bytes_of, get};
use crate::fault::Broken;
use crate::page::{self, Kind, Page, u32_at};

const HEAD: usize = 12;

/// Games in a page, a multiple of 64.
pub(crate) fn games_a_page(room: usize) -> u32 {
    64 * ((room - page::HEAD - HEAD) / 8) as u32
}

/// A sealed page for `count` games, all alive.
pub(crate) fn new_page(segment: u32, number: u32, first: u32, count: u32) -> Vec<u8> {
    let mut content = page::begin(Kind::Mask, segment, number, 0);
    content.extend(first.to_le_bytes());
    content.extend(count.to_le_bytes());
    content.extend(0u32.to_le_bytes());
    content.resize(content.len() + bytes_of(count as usize), 0);
    page::seal(&mut content);
    content
}

/// A page of the mask.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'a> {
    /// The first game.
    pub first: u32,
    /// Number of games.
    pub count: u32,
    /// Number of dead games.
    pub dead: u32,
    bits: &'a [u8],
}

impl<'a> Mask<'a> {
    /// Reads the head of a page.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it is not a page of a mask.
    pub fn read(page: &Page<'a>) -> Result<Mask<'a>, Broken> {
        let [first, count, dead] = [u32_at(page.body, 0)?, u32_at(page.body, 4)?, u32_at(page.body, 8)?];
        let bits = page.body.get(HEAD..).unwrap_or_default();
        if page.kind != Kind::Mask || bits.len() != bytes_of(count as usize) || dead > count {
            return Err(Broken("it is not a mask of its games"));
        }
        Ok(Mask { first, count, dead, bits })
    }

    /// Whether a game is dead; false for games of other pages.
    pub fn is_dead(&self, game: u32) -> bool {
        game.checked_sub(self.first).is_some_and(|nth| get(self.bits, nth as usize, 1) == 1)
    }

    /// Checks that the page covers these games.
    ///
    /// # Errors
    ///
    /// [`Broken`] if it does not.
    pub(crate) fn is_of(&self, first: u32, count: u32) -> Result<(), Broken> {
        if (self.first, self.count) == (first, count) { Ok(()) } else { Err(Broken("a mask is that of other games")) }
    }

    /// Checks the stored number of dead games against the bits.
    ///
    /// # Errors
    ///
    /// [`Broken`] if they differ.
    pub(crate) fn check(&self) -> Result<(), Broken> {
        let dead: u32 = self.bits.iter().map(|byte| byte.count_ones()).sum();
        let spare = 8 * self.bits.len() - self.count as usize;
        let is_clean = spare == 0 || self.bits.last().is_none_or(|byte| byte.leading_zeros() as usize >= spare);
        if dead == self.dead && is_clean { Ok(()) } else { Err(Broken("a mask does not have the dead that it counts")) }
    }
}

/// Marks games as dead in the content of a page of the mask and seals it again. Games of other pages are skipped.
/// Returns how many games were alive before.
///
/// # Errors
///
/// [`Broken`], with the content unchanged, if it is not a page of a mask.
pub fn mark_dead(content: &mut [u8], games: &[u32]) -> Result<u32, Broken> {
    let mask = Mask::read(&Page::read(content)?)?;
    let (first, count, before) = (mask.first, mask.count, mask.dead);
    let mut dead = before;
    for nth in games.iter().filter_map(|game| game.checked_sub(first)).filter(|nth| *nth < count) {
        let byte = &mut content[page::HEAD + HEAD + nth as usize / 8];
        let bit = 1 << (nth % 8);
        dead += u32::from(*byte & bit == 0);
        *byte |= bit;
    }
    content[page::HEAD + 8..page::HEAD + HEAD].copy_from_slice(&dead.to_le_bytes());
    page::seal(content);
    Ok(dead - before)
}
