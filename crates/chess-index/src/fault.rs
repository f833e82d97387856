//! Errors of reading an index.

use std::fmt;

/// A fault found in the bytes of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken(pub &'static str);

/// Why a read failed. `E` is the error of the caller's [`Pages`](crate::source::Pages).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault<E> {
    /// The content of the page is not valid.
    Damaged {
        /// Number of the page in its segment.
        page: u32,
        /// Description of the fault.
        what: &'static str,
    },
    /// The page belongs to another segment: a merge has reused it since the caller read the list of segments. The
    /// caller reads that list again and restarts.
    Replaced {
        /// Number of the requested page.
        page: u32,
    },
    /// The page could not be read or written.
    Pages(E),
}

impl<E> Fault<E> {
    /// Adds the page number to a fault.
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
