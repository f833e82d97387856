//! The last page of a segment describes it.
//!
//! Layout after the page head:
//!
//! | bytes | |
//! |---|---|
//! | 4 | number of games |
//! | 4 | number of pages, this one included |
//! | 8 | number of postings |
//! | 8 | number of lists |
//! | 4, 4 | numbers of leaves and of pages of lists |
//! | 4 | games in a page of the mask, except for the last page |
//! | 1 | bits of a key, 34 |
//! | 1 | last half-move with position keys, 28 |
//! | 1 | 1 if the leaves are rich |
//! | 1 | number of parts |
//! | 8 each | parts: identifier (1), levels of its directory (1), number of columns (2; 0 but for attributes), its root or first page (4) |
//! | 4 | pages of attributes, with their directory |
//! | | with patterns: their postings (8), lists (8), leaves (4), pages of lists (4), and all of their pages (4) |
//! | | with sums: number of lists that have them (4), their pages with their directory (4), least number of games of such a list (4) |
//! | | with rankings: their pages with their catalogs (4), pages of each catalog (4, 4) |
//!
//! Parts, in this order: 1 keys, 2 rows, 3 mask, 4 attributes, 5 patterns, 6 sums, 7 rankings. A segment may be without the last
//! three. The pages of the mask and of the catalogs are contiguous and have no directory. A reader rejects unknown parts.

use chess_core::search::hybrid_keys::EXACT_PLIES;

use crate::directory::Root;
use crate::fault::{Broken, Fault};
use crate::key::KEY_BITS;
use crate::page::{self, Kind, Page, u16_at, u32_at, u64_at};
use crate::source::{Pages, read_page};

const HEAD: usize = 40;
const PART: usize = 8;
/// Parts that every segment has, and all parts.
const PARTS: usize = 4;
const MOST_PARTS: usize = 7;
/// Bytes of the number of pages of attributes.
const ATTRIBUTES: usize = 4;
/// Bytes after the number of pages of attributes, if the segment has patterns, that describe these.
const PATTERNS: usize = 28;
/// Bytes after these, if the segment has sums, that describe the sums.
const SUMS: usize = 12;
/// Bytes at the end, if the segment has rankings, that describe these.
const RANKINGS: usize = 12;
/// Most columns of attributes: those that an index of PostgreSQL can have beside the game.
pub const MOST_COLUMNS: usize = 31;
/// Most games in a segment.
pub const MOST_GAMES: u32 = (1 << 31) - 1;

/// Description of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Number of the segment.
    pub number: u32,
    /// Number of games, including dead ones.
    pub games: u32,
    /// Number of pages, including the last one, which contains this description.
    pub pages: u32,
    /// The number of postings.
    pub postings: u64,
    /// The number of lists.
    pub lists: u64,
    /// The number of leaves.
    pub leaves: u32,
    /// The number of pages of lists.
    pub list_pages: u32,
    /// Whether short lists keep their notes, so that a merge keeps them, too.
    pub rich: bool,
    /// The description of the lists of patterns; `None` if the segment was built without them.
    pub patterns: Option<Patterns>,
    /// The description of the stored sums; `None` if no list has any.
    pub sums: Option<StoredSums>,
    /// The description of the rankings; `None` if the segment has none.
    pub rankings: Option<Rankings>,
    /// The number of columns of attributes.
    pub columns: u16,
    /// The number of pages of attributes, with their directory.
    pub attribute_pages: u32,
    pub(crate) attributes: Root,
    pub(crate) keys: Root,
    pub(crate) rows: Root,
    /// First page of the mask, and the number of games in a page, at least one.
    pub(crate) mask: u32,
    pub(crate) mask_games: u32,
}

/// Describes the lists of patterns. Their postings and lists are not included in the numbers of the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patterns {
    /// Number of postings.
    pub postings: u64,
    /// Number of lists.
    pub lists: u64,
    /// Number of leaves.
    pub leaves: u32,
    /// Number of pages of lists.
    pub list_pages: u32,
    /// Number of pages that these lists take, with their directory.
    pub pages: u32,
    pub(crate) root: Root,
}

/// Describes the sums that are stored with long lists ([`crate::sums`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSums {
    /// Number of lists that have sums.
    pub lists: u32,
    /// Number of pages that the sums take, with their directory.
    pub pages: u32,
    /// Lists of fewer games have none.
    pub least: u32,
    pub(crate) root: Root,
}

/// Describes the rankings of a segment ([`crate::ranking`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rankings {
    /// Number of their pages.
    pub pages: u32,
    /// First page of the catalogs, and the number of pages of each.
    pub(crate) first: u32,
    pub(crate) catalogs: [u32; 2],
}

impl Patterns {
    fn read(body: &[u8], at: &mut usize, root: Root) -> Result<Patterns, Broken> {
        let patterns = Patterns {
            postings: u64_at(body, *at)?,
            lists: u64_at(body, *at + 8)?,
            leaves: u32_at(body, *at + 16)?,
            list_pages: u32_at(body, *at + 20)?,
            pages: u32_at(body, *at + 24)?,
            root,
        };
        *at += PATTERNS;
        Ok(patterns)
    }
}

impl StoredSums {
    fn read(body: &[u8], at: &mut usize, root: Root) -> Result<StoredSums, Broken> {
        let [lists, pages, least] = [u32_at(body, *at)?, u32_at(body, *at + 4)?, u32_at(body, *at + 8)?];
        *at += SUMS;
        Ok(StoredSums { lists, pages, least, root })
    }
}

impl Rankings {
    fn read(body: &[u8], at: &mut usize, root: Root) -> Result<Rankings, Broken> {
        let catalogs = [u32_at(body, *at + 4)?, u32_at(body, *at + 8)?];
        let rankings = Rankings { pages: u32_at(body, *at)?, first: root.page, catalogs };
        *at += RANKINGS;
        if root.levels == 0 { Ok(rankings) } else { Err(Broken("the catalog of a ranking has levels")) }
    }
}

/// Selects one of the two trees of lists in a segment: the lists of positions and openings, or those of patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    Positions,
    Patterns,
}

/// The roots of the parts of a segment, each at the place of its kind; parts behind the first [`PARTS`] may be missing.
fn roots(body: &[u8], parts: usize) -> Result<[Option<Root>; MOST_PARTS], Broken> {
    let mut roots = [None; MOST_PARTS];
    let mut next = 0;
    for n in 0..parts {
        let at = HEAD + n * PART;
        let (kind, levels) = (u16_at(body, at)? & 0xff, u16_at(body, at)? >> 8);
        let nth = usize::from(kind).checked_sub(1).filter(|nth| *nth == n || n >= PARTS && *nth >= next);
        let place = nth.and_then(|nth| roots.get_mut(nth)).filter(|_| kind == 4 || u16_at(body, at + 2) == Ok(0));
        *place.ok_or(Broken("the parts of the segment are not those that this version knows"))? =
            Some(Root { page: u32_at(body, at + 4)?, levels });
        next = usize::from(kind);
    }
    Ok(roots)
}

impl Segment {
    /// Returns the root of a tree's directory, the number of its leaves, and whether these are rich, which means that
    /// short lists keep their notes. The tree of patterns is empty in a segment without patterns.
    pub(crate) fn tree(&self, tree: Tree) -> (Root, u32, bool) {
        match (tree, &self.patterns) {
            (Tree::Positions, _) => (self.keys, self.leaves, self.rich),
            (Tree::Patterns, Some(patterns)) => (patterns.root, patterns.leaves, false),
            (Tree::Patterns, None) => (Root::default(), 0, false),
        }
    }

    /// Reads the description of segment `number` from its last page, `last`.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the page cannot be read or is not the last page of a segment in a known version.
    pub fn open<P: Pages + ?Sized>(pages: &P, number: u32, last: u32) -> Result<Segment, Fault<P::Error>> {
        read_page(pages, number, last, Segment::read)
    }

    pub(crate) fn read(page: &Page<'_>) -> Result<Segment, Broken> {
        let body = page.body;
        if page.kind != Kind::Segment {
            return Err(Broken("it is not the last page of a segment"));
        }
        let [key_bits, exact_plies, rich, parts] = u32_at(body, 36)?.to_le_bytes();
        let is_known = (PARTS..=MOST_PARTS).contains(&parts.into()) && rich <= 1;
        if u32::from(key_bits) != KEY_BITS || u32::from(exact_plies) != EXACT_PLIES || !is_known {
            return Err(Broken("the segment is of a kind that this version does not know"));
        }
        let [keys, rows, mask, attributes, patterns, sums, rankings] = roots(body, parts.into())?;
        let part = |root: Option<Root>| root.ok_or(Broken("a part of the segment is missing"));
        let mut end = HEAD + usize::from(parts) * PART;
        let attribute_pages = u32_at(body, end)?;
        end += ATTRIBUTES;
        let patterns = patterns.map(|root| Patterns::read(body, &mut end, root)).transpose()?;
        let sums = sums.map(|root| StoredSums::read(body, &mut end, root)).transpose()?;
        let rankings = rankings.map(|root| Rankings::read(body, &mut end, root)).transpose()?;
        let segment = Segment {
            number: page.segment,
            games: u32_at(body, 0)?,
            pages: u32_at(body, 4)?,
            postings: u64_at(body, 8)?,
            lists: u64_at(body, 16)?,
            leaves: u32_at(body, 24)?,
            list_pages: u32_at(body, 28)?,
            rich: rich == 1,
            patterns,
            sums,
            rankings,
            columns: u16_at(body, HEAD + 3 * PART + 2)?,
            attribute_pages,
            attributes: part(attributes)?,
            keys: part(keys)?,
            rows: part(rows)?,
            mask: part(mask)?.page,
            mask_games: u32_at(body, 32)?,
        };
        let is_sound = segment.is_possible()
            && segment.pages.checked_sub(1) == Some(page.number)
            && part(mask)?.levels == 0
            && body.len() == end;
        if is_sound { Ok(segment) } else { Err(Broken("the segment has impossible numbers")) }
    }

    /// Whether the numbers of a description agree with each other.
    fn is_possible(&self) -> bool {
        self.games <= MOST_GAMES
            && self.mask_games > 0
            && usize::from(self.columns) <= MOST_COLUMNS
            && self.attribute_pages < self.pages
            && self.patterns.is_none_or(|patterns| patterns.pages < self.pages)
            && self.sums.is_none_or(|sums| sums.pages < self.pages)
            && self.rankings.is_none_or(|rankings| rankings.pages < self.pages)
    }

    /// The sealed last page.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut content = page::begin(Kind::Segment, self.number, self.pages.saturating_sub(1), 0);
        content.extend(self.games.to_le_bytes());
        content.extend(self.pages.to_le_bytes());
        content.extend(self.postings.to_le_bytes());
        content.extend(self.lists.to_le_bytes());
        content.extend(self.leaves.to_le_bytes());
        content.extend(self.list_pages.to_le_bytes());
        content.extend(self.mask_games.to_le_bytes());
        let mask = Root { page: self.mask, levels: 0 };
        let (patterns, sums) = (self.patterns.map(|patterns| patterns.root), self.sums.map(|sums| sums.root));
        let rankings = self.rankings.map(|rankings| Root { page: rankings.first, levels: 0 });
        let roots = [Some(self.keys), Some(self.rows), Some(mask), Some(self.attributes), patterns, sums, rankings];
        let parts = roots.iter().flatten().count() as u8;
        content.extend([KEY_BITS as u8, EXACT_PLIES as u8, u8::from(self.rich), parts]);
        for (n, root) in roots.into_iter().enumerate().filter_map(|(n, root)| Some((n, root?))) {
            content.extend([n as u8 + 1, root.levels as u8]);
            content.extend(if n == 3 { self.columns } else { 0 }.to_le_bytes());
            content.extend(root.page.to_le_bytes());
        }
        content.extend(self.attribute_pages.to_le_bytes());
        if let Some(patterns) = self.patterns {
            content.extend(patterns.postings.to_le_bytes());
            content.extend(patterns.lists.to_le_bytes());
            for number in [patterns.leaves, patterns.list_pages, patterns.pages] {
                content.extend(number.to_le_bytes());
            }
        }
        if let Some(sums) = self.sums {
            content.extend([sums.lists, sums.pages, sums.least].iter().flat_map(|number| number.to_le_bytes()));
        }
        if let Some(Rankings { pages, catalogs: [ratings, day], .. }) = self.rankings {
            content.extend([pages, ratings, day].iter().flat_map(|number| number.to_le_bytes()));
        }
        page::seal(&mut content);
        content
    }
}
