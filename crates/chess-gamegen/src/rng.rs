//! Random numbers: from a seed, the same integers on every platform.
//!
//! The generator promises one output per seed, so the numbers are made here in integer
//! arithmetic only, rather than by a crate whose stream may change between versions.

/// The splitmix64 generator.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Starts the stream that belongs to `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`; zero when `n` is zero.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A number in `low..=high`, for `low <= high`.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1).max(0) as u32) as i32
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// One element of a slice that is not empty.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u32) as usize]
    }

    /// The place of a weighted choice in a list of weights whose sum is not zero.
    pub(crate) fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> usize {
        let mut left = self.below(weights.clone().sum());
        let mut place = 0;
        for (i, weight) in weights.enumerate() {
            place = i;
            if left < weight {
                break;
            }
            left -= weight;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_stream() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(rng.next(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn bounds_hold() {
        let mut rng = Rng::new(7);
        assert_eq!(rng.below(0), 0);
        for _ in 0..1000 {
            assert!((-3..=4).contains(&rng.between(-3, 4)));
            assert!(rng.weighted([0, 5, 0, 1].into_iter()) % 2 == 1);
        }
    }
}
