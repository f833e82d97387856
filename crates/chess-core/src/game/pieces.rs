//! The mailbox board of a replay.

use crate::board::kinds::NO_KIND;

/// The mailbox entry of an empty square. Units are `16 * colour + slot`, below 32.
pub(crate) const EMPTY: u8 = 32;

/// The pieces and their squares. Arrays have 64 entries so that a mask replaces the bounds check.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// Square to unit, or [`EMPTY`].
    pub(crate) unit: [u8; 64],
    /// Unit to the square where it last stood.
    pub(crate) square: [u8; 64],
    /// Unit to kind; that of [`EMPTY`] is [`NO_KIND`].
    pub(crate) kind: [u8; 64],
}

impl Pieces {
    /// An empty board.
    pub(crate) fn none() -> Pieces {
        Pieces { unit: [EMPTY; 64], square: [0; 64], kind: [NO_KIND; 64] }
    }

    /// The kind of the piece on a square.
    #[inline(always)]
    pub(crate) fn kind_at(&self, square: usize) -> u8 {
        self.kind[usize::from(self.unit[square & 63] & 63)]
    }

    /// The set of occupied squares. Units are below [`EMPTY`], a single bit, so one multiplication gathers eight
    /// squares.
    pub(crate) fn occupied(&self) -> u64 {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let ranks = self.unit.as_chunks::<8>().0;
        let empty =
            ranks.iter().map(|rank| ((u64::from_le_bytes(*rank) / u64::from(EMPTY)) & ONES).wrapping_mul(GATHER) >> 56);
        !empty.enumerate().fold(0, |set, (rank, empty)| set | empty << (8 * rank))
    }

    /// The kinds on all squares.
    pub(crate) fn kinds(&self) -> [u8; 64] {
        std::array::from_fn(|square| self.kind_at(square))
    }

    /// Moves a unit, capturing what stands on the target.
    #[inline(always)]
    pub(crate) fn relocate(&mut self, unit: usize, from: usize, to: usize) {
        self.unit[from] = EMPTY;
        self.unit[to] = unit as u8;
        self.square[unit] = to as u8;
    }

    /// Puts a unit on a square, as a piece of a kind.
    pub(crate) fn seat(&mut self, unit: usize, square: usize, kind: u8) {
        self.unit[square] = unit as u8;
        self.square[unit] = square as u8;
        self.kind[unit] = kind;
    }
}
