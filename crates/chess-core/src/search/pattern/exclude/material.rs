//! Material as one number, and where it stands in the standard start.

/// The kinds in the order of a signature, the first in the highest bits: pieces before pawns, so that all that have the
/// same pieces are neighbours.
pub const SIGNATURE_ORDER: [u8; 10] = [4, 10, 3, 9, 2, 8, 1, 7, 0, 6];
const BITS_PER_KIND: u32 = 4;

/// The signature of these numbers of pieces by kind. A side has sixteen pieces, one of them the king, so that each number
/// fits.
pub fn signature(count: impl Fn(u8) -> u64) -> u64 {
    SIGNATURE_ORDER.iter().fold(0, |signature, kind| signature << BITS_PER_KIND | count(*kind).min(15))
}

/// The numbers of pieces by kind, those of kings left out.
pub fn counts_of(mut signature: u64) -> [u8; 12] {
    let mut counts = [0; 12];
    for kind in SIGNATURE_ORDER.iter().rev() {
        counts[usize::from(*kind)] = (signature & 15) as u8;
        signature >>= BITS_PER_KIND;
    }
    counts
}

/// What a piece of each kind adds to a signature; kings, and what is no piece, add nothing.
pub const IN_SIGNATURE: [u64; 16] = {
    let mut adds = [0; 16];
    let mut n = 0;
    while n < SIGNATURE_ORDER.len() {
        adds[SIGNATURE_ORDER[n] as usize] = 1 << (BITS_PER_KIND * (SIGNATURE_ORDER.len() - 1 - n) as u32);
        n += 1;
    }
    adds
};

/// The signature of the standard start, which nearly all games have.
pub const STANDARD_SIGNATURE: u64 = 0x11_2222_2288;

/// The squares of a kind in the standard start.
pub const HOME: [u64; 12] = [
    0xff00,
    0x42,
    0x24,
    0x81,
    0x08,
    0x10,
    0xff_0000_0000_0000,
    0x42 << 56,
    0x24 << 56,
    0x81 << 56,
    0x08 << 56,
    0x10 << 56,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_and_their_counts() {
        let counts = counts_of(0x11_2222_2288);
        assert_eq!(counts, [8, 2, 2, 2, 1, 0, 8, 2, 2, 2, 1, 0]);
        assert_eq!(signature(|kind| counts[usize::from(kind)].into()), 0x11_2222_2288);
    }
}
