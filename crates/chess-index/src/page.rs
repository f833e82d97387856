//! The format that all pages share.
//!
//! Takes a kind, the segment and the number of a page in it; returns the content of the page, sealed with a checksum.
//! The content is the part between PostgreSQL's page header and `pd_lower`; the hole after it is empty.
//!
//! | bytes | |
//! |---|---|
//! | 4 | CRC-32C of all following bytes |
//! | 4 | number of the segment |
//! | 4 | number of the page in the segment |
//! | 1 | kind |
//! | 1 | version |
//! | 2 | level of a directory; otherwise 0 |
//!
//! Numbers are little-endian in all pages.

use crate::fault::Broken;

/// Bytes of PostgreSQL's page header and of the access method's special area.
pub const POSTGRES_BYTES: usize = 24 + 8;

/// Bytes of a page's head.
pub(crate) const HEAD: usize = 16;
const CHECKSUM: usize = 4;

/// Version of the format of all pages.
const VERSION: u8 = 1;

/// Smallest content, in bytes, that pages can be written for: it holds the largest block of a list.
pub const MIN_ROOM: usize = 1280;

/// Bytes of content in a PostgreSQL page of `block` bytes (8,192 by default).
pub const fn room(block: usize) -> usize {
    block - POSTGRES_BYTES
}

/// The kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The last page of a segment: its description.
    Segment = 1,
    /// First keys, or first games, of the pages one level below.
    Directory = 2,
    /// Keys and their lists of games.
    Leaf = 3,
    /// Posting lists that are too long for a leaf.
    Lists = 4,
    /// Row pointers by game number.
    Rows = 5,
    /// Dead games.
    Mask = 6,
    /// Games that are not in a segment yet.
    Pending = 7,
    /// The first page of an index: its segments and their blocks.
    Meta = 8,
    /// Attributes by game number.
    Attributes = 9,
    /// Sums over the games of long lists, without leaders.
    Sums = 10,
    /// Games in the order of a number.
    Ranking = 11,
    /// Portions of a ranking, highest first.
    Catalog = 12,
    /// Sums over the games of long lists, and their leaders.
    Leaders = 13,
    /// The same, and where the groups of the lists are.
    Grouped = 14,
    /// Sums over the games of a long list by groups.
    Groups = 15,
}

impl Kind {
    const ALL: [Kind; 15] = [
        Kind::Segment,
        Kind::Directory,
        Kind::Leaf,
        Kind::Lists,
        Kind::Rows,
        Kind::Mask,
        Kind::Pending,
        Kind::Meta,
        Kind::Attributes,
        Kind::Sums,
        Kind::Ranking,
        Kind::Catalog,
        Kind::Leaders,
        Kind::Grouped,
        Kind::Groups,
    ];
}

/// A page with its head decoded.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Number of the segment.
    pub segment: u32,
    /// Number of the page in the segment.
    pub number: u32,
    /// Kind of the page.
    pub kind: Kind,
    /// Level in a directory; otherwise 0.
    pub(crate) level: u16,
    /// The bytes after the head.
    pub(crate) body: &'a [u8],
}

impl<'a> Page<'a> {
    /// Decodes the head. Does not verify the checksum: see [`is_sealed`].
    ///
    /// # Errors
    ///
    /// [`Broken`] if there is no head, or its kind or version is unknown.
    pub fn read(content: &'a [u8]) -> Result<Page<'a>, Broken> {
        let (head, body) = content.split_first_chunk::<HEAD>().ok_or(Broken("it is cut off"))?;
        let kind = *Kind::ALL.iter().find(|kind| **kind as u8 == head[12]).ok_or(Broken("its kind is unknown"))?;
        if head[13] != VERSION {
            return Err(Broken("its version is unknown"));
        }
        let level = u16::from_le_bytes([head[14], head[15]]);
        if level > 0 && kind != Kind::Directory {
            return Err(Broken("it has a level and is not a directory"));
        }
        Ok(Page { segment: u32_at(head, 4)?, number: u32_at(head, 8)?, kind, level, body })
    }
}

/// Begins the content of a new page with an empty body. Call [`seal`] after adding the body.
pub(crate) fn begin(kind: Kind, segment: u32, number: u32, level: u16) -> Vec<u8> {
    let mut content = vec![0; CHECKSUM];
    content.extend(segment.to_le_bytes());
    content.extend(number.to_le_bytes());
    content.extend([kind as u8, VERSION]);
    content.extend(level.to_le_bytes());
    content
}

/// Stores the checksum.
pub(crate) fn seal(content: &mut [u8]) {
    if let Some((checksum, rest)) = content.split_first_chunk_mut::<CHECKSUM>() {
        *checksum = crc32c::crc32c(rest).to_le_bytes();
    }
}

/// Appends bytes to sealed content and seals it again. The checksum is extended, so that appending costs only the new
/// bytes.
pub(crate) fn append(content: &mut Vec<u8>, bytes: &[u8]) {
    if let Some(checksum) = content.first_chunk_mut::<CHECKSUM>() {
        *checksum = crc32c::crc32c_append(u32::from_le_bytes(*checksum), bytes).to_le_bytes();
    }
    content.extend_from_slice(bytes);
}

/// Whether the checksum matches. A change of any single byte is detected.
pub fn is_sealed(content: &[u8]) -> bool {
    content
        .split_first_chunk::<CHECKSUM>()
        .is_some_and(|(checksum, rest)| crc32c::crc32c(rest) == u32::from_le_bytes(*checksum))
}

/// A number of two bytes.
pub(crate) fn u16_at(body: &[u8], at: usize) -> Result<u16, Broken> {
    bytes_at(body, at).map(u16::from_le_bytes)
}

/// A number of four bytes.
pub(crate) fn u32_at(body: &[u8], at: usize) -> Result<u32, Broken> {
    bytes_at(body, at).map(u32::from_le_bytes)
}

/// A number of eight bytes.
pub(crate) fn u64_at(body: &[u8], at: usize) -> Result<u64, Broken> {
    bytes_at(body, at).map(u64::from_le_bytes)
}

fn bytes_at<const N: usize>(body: &[u8], at: usize) -> Result<[u8; N], Broken> {
    body.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(Broken("it is cut off"))
}
