//! Ranges that contain given numbers.
//!
//! Takes ascending numbers; returns ranges that contain them. Memory is bounded: if there are too many ranges, neighbours are
//! merged, so that a range may also contain other numbers.

use std::ops::Range;

/// Ranges of numbers.
#[derive(Debug)]
pub struct Ranges {
    ranges: Vec<Range<u32>>,
    /// The maximum number of ranges.
    most: usize,
    /// Numbers with at most this many others between them are in the same range.
    gap: u32,
}

impl Ranges {
    /// Starts without numbers. There will be at most `most` ranges, but one is always allowed.
    pub fn new(most: usize) -> Ranges {
        Ranges { ranges: Vec::new(), most: most.max(1), gap: 0 }
    }

    /// Adds a number, which must be greater than all before it.
    pub fn add(&mut self, number: u32) {
        match self.ranges.last_mut() {
            Some(last) if number - last.end <= self.gap => last.end = number + 1,
            _ => self.ranges.push(number..number + 1),
        }
        while self.ranges.len() > self.most {
            let gap = self.gap.saturating_mul(2).max(1);
            self.ranges.dedup_by(|next, last| {
                let is_near = next.start - last.end <= gap;
                if is_near {
                    last.end = next.end;
                }
                is_near
            });
            self.gap = gap;
        }
    }

    /// The ranges, ascending.
    pub fn into_vec(self) -> Vec<Range<u32>> {
        self.ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(most: usize, numbers: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
        let mut ranges = Ranges::new(most);
        numbers.for_each(|number| ranges.add(number));
        ranges.into_vec()
    }

    #[test]
    fn numbers_that_follow_each_other_are_one_range() {
        assert_eq!(ranges(9, [3].into_iter().chain(1000..1_000_000)), [3..4, 1000..1_000_000]);
        assert_eq!(ranges(9, std::iter::empty()), []);
    }

    #[test]
    fn ranges_are_few_and_contain_all_numbers() {
        for (most, step) in [(1, 2), (2, 7), (10, 2), (10, 100), (300, 3)] {
            let found = ranges(most, (0..1000).map(|number| number * step));
            assert!((1..=most).contains(&found.len()), "{} of {most}", found.len());
            assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start));
            assert!((0..1000).all(|number| found.iter().any(|range| range.contains(&(number * step)))));
        }
        let near = ranges(100, (0..1000).map(|number| number * 2).chain([1_000_000]));
        assert_eq!(near, [0..1999, 1_000_000..1_000_001], "what is far away stays apart");
    }
}
