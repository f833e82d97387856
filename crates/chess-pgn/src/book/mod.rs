//! Opening books in the format of Polyglot: makes them from stored games ([`make`]), and stores those of files
//! ([`load`]), so that SQL can ask them.
//!
//! A book is a list of entries of 16 bytes, big-endian: 8 the key of a position ([`chess_core::board::key::book_key`]),
//! 2 a move ([`chess_core::text::polyglot_moves`]), 2 its weight, 4 for programs that learn. Entries are sorted by key,
//! so that programs can search in the file. Nothing else tells a book from another file.

pub mod load;
pub mod make;

/// The length of an entry in bytes.
const ENTRY_LEN: usize = 16;

/// An entry of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key of the position.
    pub key: u64,
    /// The code of the move.
    pub code: u16,
    /// The weight; moves are chosen with a probability in proportion to it.
    pub weight: u16,
    /// For programs that learn.
    pub learn: u32,
}

impl Entry {
    fn to_bytes(self) -> [u8; ENTRY_LEN] {
        let mut bytes = [0; ENTRY_LEN];
        bytes[..8].copy_from_slice(&self.key.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.code.to_be_bytes());
        bytes[10..12].copy_from_slice(&self.weight.to_be_bytes());
        bytes[12..].copy_from_slice(&self.learn.to_be_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; ENTRY_LEN]) -> Entry {
        let number = |from: usize, to: usize| bytes[from..to].iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
        Entry {
            key: number(0, 8),
            code: number(8, 10) as u16,
            weight: number(10, 12) as u16,
            learn: number(12, 16) as u32,
        }
    }
}
