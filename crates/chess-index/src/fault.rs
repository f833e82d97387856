//! Why an index cannot be read.

use std::fmt;

/// What is wrong with the bytes of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken(pub &'static str);

/// Why an answer is not given. `E` is the error of the caller's [`Pages`](crate::source::Pages).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault<E> {
    /// The page is not what was written.
    Damaged {
        /// The number of the page in its segment.
        page: u32,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The page belongs to another segment: a merge has given it to one since the list of segments was read. The caller reads
    /// that list again and begins anew.
    Replaced {
        /// The number under which the page was asked for.
        page: u32,
    },
    /// The page could not be read or written.
    Pages(E),
}

impl<E> Fault<E> {
    /// Names the page.
    pub(crate) fn at(page: u32) -> impl Fn(Broken) -> Fault<E> {
        move |Broken(what)| Fault::Damaged { page, what }
    }
}

impl<E: fmt::Display> fmt::Display for Fault<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Damaged { page, what } => write!(f, "page {page} of the segment is damaged: {what}"),
            Fault::Replaced { page } => write!(f, "page {page} belongs to another segment"),
            Fault::Pages(error) => write!(f, "{error}"),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for Fault<E> {}
