//! Random numbers for generated games and for tests: the same integers for a seed on every platform, for ever.
//!
//! By hand, because the streams of crates such as `rand` and `fastrand` may change between versions.

/// The next number of the generator splitmix64, and its next state.
///
/// ```
/// let mut state = 0;
/// assert_eq!(chess_gamegen::splitmix64(&mut state), 0xe220_a839_7b1d_cdaf);
/// ```
pub fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of random numbers in the shapes that games need.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Starts the stream of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        splitmix64(&mut self.0)
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

    /// A random index, by weights whose sum is not zero.
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
