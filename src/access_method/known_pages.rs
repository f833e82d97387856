//! Pages of segments that a session keeps.
//!
//! Every question reads descriptions and directories of segments, which do not change. A session keeps copies of them, so that it
//! locks, copies and checks such a page once. A page is found by its index, its file, its segment and its number in the segment. The
//! caller must have seen the segment in the metapage. That is enough, because a file never gives the number of a segment to another
//! one, unless it is emptied; [`changes`](crate::access_method::changes) tells of that.

use std::cell::RefCell;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use chess_index::recent::Recent;
use pgrx::pg_sys::Oid;

use crate::access_method::changes::{changes, watch};

/// Most pages that are kept, of 8 kB each. A segment of a million games has some 40 such pages.
const MOST_PAGES: usize = 1024;

/// A copy of the content of a page.
#[derive(Clone, Debug)]
pub struct Content(Rc<Vec<u8>>);

impl Content {
    pub fn new(content: Vec<u8>) -> Content {
        Content(Rc::new(content))
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Names a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name {
    pub index: Oid,
    pub file: Oid,
    pub segment: u32,
    pub page: u32,
}

/// Hashes a name. A question looks up every page that it reads, and the hash of the standard library takes longer than a look-up.
#[derive(Default)]
struct Mixing(u64);

impl Hasher for Mixing {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32((*byte).into()));
    }

    fn write_u32(&mut self, number: u32) {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15; // 2^64 divided by the golden ratio
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(GOLDEN).rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Pages = Recent<Name, Content, BuildHasherDefault<Mixing>>;

/// The pages, and the number of changes when they were read.
struct Known {
    changes: u64,
    pages: Pages,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::new(Known { changes: 0, pages: Recent::new(MOST_PAGES) });
}

fn with_known<T>(work: impl FnOnce(&mut Pages) -> T) -> T {
    let changes = changes();
    KNOWN.with_borrow_mut(|known| {
        if known.changes != changes {
            known.changes = changes;
            known.pages.clear();
        }
        work(&mut known.pages)
    })
}

/// Returns a page, if it is kept.
pub fn find(name: Name) -> Option<Content> {
    with_known(|pages| pages.find(&name))
}

/// Keeps a page. Those that were used least recently are forgotten if they are too many.
pub fn keep(name: Name, content: &Content) {
    watch(name.index);
    with_known(|pages| pages.keep(name, content.clone()));
}
