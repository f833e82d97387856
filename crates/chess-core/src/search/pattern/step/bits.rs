//! Sets of small numbers, one bit each.

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits(pub Vec<u64>);

impl Bits {
    pub fn new(numbers: usize) -> Bits {
        Bits(vec![0; numbers.div_ceil(64)])
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub fn has(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    pub fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    pub fn remove(&mut self, n: usize) {
        self.0[n / 64] &= !(1 << (n % 64));
    }
}

/// The numbers of the bits of a word.
pub fn ones(word: usize, mut bits: u64) -> impl Iterator<Item = usize> {
    let first = 64 * word;
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let bit = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        Some(first | bit)
    })
}
