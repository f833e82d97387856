//! Input of a search, a merge or a check: a trait that the caller implements.

use std::ops::Deref;

use crate::fault::{Broken, Fault};
use crate::page::Page;

/// The pages of one segment.
pub trait Pages {
    /// Error of reading a page.
    type Error;
    /// The content of a page while it is in use: one page at a time, or one of each segment in a merge.
    type Content<'a>: Deref<Target = [u8]>
    where
        Self: 'a;

    /// The content of the page with this number. A caller that supports cancellation checks for it here.
    ///
    /// # Errors
    ///
    /// The caller's, for instance for a missing page.
    fn page(&self, number: u32) -> Result<Self::Content<'_>, Self::Error>;

    /// Returns how many pages a reader announces before it needs them. Pages in memory need no announcement, so the default is 0.
    fn ahead(&self) -> usize {
        0
    }

    /// Announces that the page with this number will be read, so that the caller can fetch it meanwhile. A damaged page may have
    /// led to a number that no page has, which the caller must ignore.
    fn announce(&self, _number: u32) {}
}

/// The page does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchPage;

impl std::fmt::Display for NoSuchPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is no such page")
    }
}

impl std::error::Error for NoSuchPage {}

/// Pages in memory.
impl Pages for [Vec<u8>] {
    type Error = NoSuchPage;
    type Content<'a> = &'a [u8];

    fn page(&self, number: u32) -> Result<&[u8], NoSuchPage> {
        self.get(number as usize).map(Vec::as_slice).ok_or(NoSuchPage)
    }
}

/// Announces the next pages of a walk that takes its items from the end of `left`. `silent` counts the items whose pages were not
/// announced before; the caller keeps it, so that no page is announced twice.
pub(crate) fn announce_last<P: Pages + ?Sized, T>(
    pages: &P,
    left: &[T],
    silent: &mut usize,
    page_of: impl Fn(&T) -> u32,
) {
    let end = left.len().saturating_sub(pages.ahead());
    let next = left.get(end..(*silent).min(left.len())).unwrap_or_default();
    next.iter().rev().for_each(|next| pages.announce(page_of(next)));
    *silent = end.min(*silent);
}

/// Reads a page and verifies that its head names this segment and number.
///
/// # Errors
///
/// A [`Fault`] if it names others, or `read` fails.
pub(crate) fn read_page<P: Pages + ?Sized, T>(
    pages: &P,
    segment: u32,
    number: u32,
    read: impl FnOnce(&Page<'_>) -> Result<T, Broken>,
) -> Result<T, Fault<P::Error>> {
    let content = pages.page(number).map_err(Fault::Pages)?;
    let page = Page::read(&content).map_err(Fault::at(number))?;
    if page.segment != segment || page.number != number {
        return Err(Fault::Replaced { page: number });
    }
    read(&page).map_err(Fault::at(number))
}
