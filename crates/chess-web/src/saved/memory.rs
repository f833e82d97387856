//! When a position is due again. In: what is remembered of it, and an answer. Out: what is remembered after that answer.
//!
//! This is FSRS-6 with its published default weights, for a chance of nine in ten to remember. Source of the formulas and the
//! weights: <https://github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm>. The crate `fsrs` brings a framework for
//! machine learning, to fit weights to one's own answers; `rs-fsrs` a library for dates.

/// The default weights of FSRS-6.
const W: [f64; 21] = [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629,
    1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
];
/// FSRS has four grades, from 1 to 4. Training gives two of them: 1 for a wrong answer, 3 for a right one.
const AGAIN: f64 = 1.0;
const GOOD: f64 = 3.0;
/// The longest interval, in days.
pub const LONGEST: f64 = 3650.0;

/// What is remembered of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// The number of days after which the chance to remember the position has fallen to nine in ten.
    pub stability: f64,
    /// From 1 to 10.
    pub difficulty: f64,
}

impl Memory {
    /// What is remembered after the first answer.
    pub fn first(right: bool) -> Memory {
        let (stability, grade) = if right { (W[2], GOOD) } else { (W[0], AGAIN) };
        Memory { stability, difficulty: first_difficulty(grade).clamp(1.0, 10.0) }
    }

    /// What is remembered after another answer, `days` after the last one.
    pub fn after(self, days: f64, right: bool) -> Memory {
        let Memory { stability, difficulty } = self;
        let grade = if right { GOOD } else { AGAIN };
        let forgotten = 1.0 - self.recall(days);
        let next = if days < 1.0 {
            let factor = (W[17] * (grade - 3.0 + W[18])).exp() * stability.powf(-W[19]);
            stability * if right { factor.max(1.0) } else { factor }
        } else if right {
            stability
                * (1.0 + W[8].exp() * (11.0 - difficulty) * stability.powf(-W[9]) * ((W[10] * forgotten).exp() - 1.0))
        } else {
            let next =
                W[11] * difficulty.powf(-W[12]) * ((stability + 1.0).powf(W[13]) - 1.0) * (W[14] * forgotten).exp();
            next.min(stability / (W[17] * W[18]).exp())
        };
        let change = -W[6] * (grade - 3.0) * (10.0 - difficulty) / 9.0;
        let towards = W[7] * first_difficulty(4.0) + (1.0 - W[7]) * (difficulty + change);
        Memory { stability: next.max(0.001), difficulty: towards.clamp(1.0, 10.0) }
    }

    /// The chance to remember after `days`.
    fn recall(self, days: f64) -> f64 {
        let factor = 0.9_f64.powf(-1.0 / W[20]) - 1.0;
        (1.0 + factor * days.max(0.0) / self.stability).powf(-W[20])
    }

    /// The days until the position is due: the stability, rounded.
    pub fn interval(self) -> i32 {
        self.stability.round().clamp(1.0, LONGEST) as i32
    }
}

fn first_difficulty(grade: f64) -> f64 {
    W[4] - (W[5] * (grade - 1.0)).exp() + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_grow_with_right_answers_and_shrink_with_wrong_ones() {
        let mut memory = Memory::first(true);
        assert_eq!(memory.interval(), 2);
        let mut intervals = vec![memory.interval()];
        for _ in 0..5 {
            memory = memory.after(f64::from(memory.interval()), true);
            intervals.push(memory.interval());
        }
        assert!(intervals.windows(2).all(|pair| pair[0] < pair[1]), "{intervals:?}");
        let forgotten = memory.after(f64::from(memory.interval()), false);
        assert!(forgotten.interval() < memory.interval() && forgotten.difficulty > memory.difficulty);
        assert_eq!(Memory::first(false).interval(), 1);
    }

    #[test]
    fn the_stability_is_the_interval_with_a_chance_of_nine_in_ten() {
        for stability in [0.5, 2.3, 100.0] {
            let recall = Memory { stability, difficulty: 5.0 }.recall(stability);
            assert!((recall - 0.9).abs() < 1e-9, "{recall}");
        }
    }

    #[test]
    fn nothing_leaves_its_bounds() {
        for right in [true, false] {
            let mut memory = Memory::first(right);
            for round in 0..200 {
                memory = memory.after(if round % 3 == 0 { 0.0 } else { 5000.0 }, right);
                assert!(memory.stability.is_finite() && memory.stability > 0.0, "{memory:?}");
                assert!(
                    (1.0..=10.0).contains(&memory.difficulty) && (1..=3650).contains(&memory.interval()),
                    "{memory:?}"
                );
            }
        }
        assert_eq!(Memory { stability: 2.0, difficulty: 5.0 }.after(0.0, true).interval(), 2);
    }
}
