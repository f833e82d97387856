//! Which positions are popular, without remembering all of them: an array of counters, one for each value of some bits of a key.
//!
//! Keys come in, as often as positions are visited; whether a counter has just reached the threshold goes out. Keys share
//! counters, so an estimate may be too high and is never too low: what is counted afterwards is exact.

/// The least and the most counters: 128 KiB and 256 MiB.
const COUNTERS: (u64, u64) = (1 << 16, 1 << 27);
/// Counters for each game; a game has some sixty positions that no other game has.
const PER_GAME: u64 = 64;
/// How many visits from the threshold on are told. The first one may be of another position with the same counter.
const TOLD: u16 = 8;

/// The counters.
pub struct Sketch {
    counters: Vec<u16>,
    shift: u32,
    least: u16,
}

impl Sketch {
    /// Counters for so many games; positions with at least `least` of them are popular.
    pub fn new(games: u64, least: u16) -> Sketch {
        let size = games.saturating_mul(PER_GAME).clamp(COUNTERS.0, COUNTERS.1).next_power_of_two();
        Sketch { counters: vec![0; size as usize], shift: 64 - size.trailing_zeros(), least }
    }

    /// Counts a visit: whether the position may be a popular one that is not known yet.
    pub fn visit(&mut self, key: u64) -> bool {
        let counter = &mut self.counters[(key >> self.shift) as usize];
        *counter = counter.saturating_add(1);
        (self.least..self.least.saturating_add(TOLD)).contains(counter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_popular_key_is_told_and_a_rare_one_is_not() {
        let mut sketch = Sketch::new(1, 3);
        let told: Vec<bool> = (0..20).map(|_| sketch.visit(u64::MAX)).collect();
        assert!(!told[1] && told[2] && told[9] && !told[10]);
        assert!(!sketch.visit(0) && !sketch.visit(0));
        // As many as there are, and then no more.
        let mut sketch = Sketch::new(1, u16::MAX);
        assert_eq!((0..70_000).filter(|_| sketch.visit(7)).count(), 0, "a saturated counter is not told for ever");
    }
}
