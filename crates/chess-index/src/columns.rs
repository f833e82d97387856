//! Columns of a page of attributes, decoded as a whole: tests and sums over many games need no branch for each game.
//!
//! Takes the codes of a column, as [`crate::attributes`] stores them; returns ratings and the games that meet a condition.
//! A code has 32 bits, where a value that may be NULL needs 64. So the processor works on twice as many at a time.

use crate::attributes::{ColumnReader, Value, Within};
use crate::bits::unpack;

/// A column of a page: a code for each game. Codes sort as their values do, with NULL first, so conditions compare codes
/// instead of values.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    /// The value of the lowest code that is not NULL.
    least: i32,
    /// Whether the code 0 is NULL.
    has_null: bool,
    codes: Vec<u32>,
}

impl Codes {
    /// Reads the codes of the first `count` games of a column that [`ColumnReader::has_codes`].
    pub fn read(&mut self, column: ColumnReader<'_>, count: u32) {
        let place = column.place;
        (self.least, self.has_null) = (place.least, place.has_null);
        self.codes.resize(count as usize, 0);
        unpack(column.body, place.at / 8, place.width.min(u32::BITS), &mut self.codes);
    }

    /// The code of each game.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The value of a code of this column.
    #[inline(always)]
    pub fn value(&self, code: u32) -> Value {
        (code > 0 || !self.has_null).then(|| self.number(code))
    }

    /// The values of all games.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.codes.iter().map(|code| self.value(*code))
    }

    /// The value of a code that is not NULL.
    #[inline(always)]
    fn number(&self, code: u32) -> i32 {
        self.least.wrapping_sub(i32::from(self.has_null)).wrapping_add(code as i32)
    }

    /// Replaces `numbers` by the positive values, and 0 for all others.
    pub fn positive(&self, numbers: &mut Vec<u32>) {
        numbers.clear();
        numbers.extend(self.codes.iter().map(|code| {
            let number = self.number(*code).max(0) as u32;
            if self.has_null && *code == 0 { 0 } else { number }
        }));
    }

    /// Replaces `places` by the place of each value: 1 for the value 0, 2 for 1, and so on for values below `count`. All other
    /// values, and NULL, have the place 0.
    pub fn places(&self, count: u8, places: &mut Vec<u8>) {
        places.clear();
        places.extend(self.codes.iter().map(|code| {
            let number = self.number(*code) as u32;
            let place = if number < count.into() { (number as u8).wrapping_add(1) } else { 0 };
            if self.has_null && *code == 0 { 0 } else { place }
        }));
    }

    /// Clears the marks of games whose values are not in the set.
    pub fn unmark(&self, within: &Within, marks: &mut [bool]) {
        match within {
            Within::Ranges(ranges) if let [(least, most)] = ranges.as_slice() => {
                let null = i64::from(self.has_null);
                let code = |value: i32| i64::from(value) - i64::from(self.least) + null;
                let (least, most) = (code(*least).max(null), code(*most).min(u32::MAX.into()));
                if least > most {
                    return marks.fill(false);
                }
                unmark(&self.codes, least as u32, most as u32, marks);
            }
            _ => self.values().zip(marks).for_each(|(value, mark)| *mark &= within.has(value)),
        }
    }
}

impl ColumnReader<'_> {
    /// Whether the codes fit into 32 bits. They do not if a column holds NULL and nearly all numbers.
    pub fn has_codes(&self) -> bool {
        self.place.width <= u32::BITS
    }

    /// Whether all values are in the set, or none is, as far as the bits of a code tell; `None` if they do not.
    pub fn decides(&self, within: &Within) -> Option<bool> {
        let (has_null, width) = (self.place.has_null, self.place.width);
        let least = i64::from(self.place.least);
        let most = least + (1 << width) - 1 - i64::from(has_null);
        let of_numbers = within.decides(least, most);
        // NULL may be among the values, too.
        of_numbers.filter(|all| !has_null || *all == within.has(None))
    }
}

/// Clears the marks of numbers below `least` or above `most`.
fn unmark(numbers: &[u32], least: u32, most: u32, marks: &mut [bool]) {
    let span = most.wrapping_sub(least);
    numbers.iter().zip(marks).for_each(|(number, mark)| *mark &= number.wrapping_sub(least) <= span);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::{Attributes, AttributesWriter};
    use crate::page::Page;

    /// Columns of every kind: with and without NULL, at both ends of the numbers.
    fn columns() -> Vec<(Codes, Vec<Value>)> {
        let mut columns = Vec::new();
        for least in [i32::MIN, -3, 0, 1, 7, i32::MAX - 6] {
            for has_null in [false, true] {
                let codes: Vec<u32> = (0..=6).map(|nth| nth * 5 % 7).collect();
                let number = |code: u32| (i64::from(least) + i64::from(code) - i64::from(has_null)) as i32;
                let values = codes.iter().map(|code| (*code > 0 || !has_null).then(|| number(*code)));
                columns.push((Codes { least, has_null, codes: codes.clone() }, values.collect()));
            }
        }
        let ends = vec![0, u32::MAX, 1 << 31];
        let values = vec![Some(i32::MIN), Some(i32::MAX), Some(0)];
        columns.push((Codes { least: i32::MIN, has_null: false, codes: ends }, values));
        columns
    }

    #[test]
    fn codes_are_values() {
        for (codes, values) in columns() {
            assert_eq!(codes.values().collect::<Vec<_>>(), values);
            let mut positive = vec![9];
            codes.positive(&mut positive);
            let wanted = values.iter().map(|value| value.unwrap_or(0).max(0) as u32);
            assert_eq!(positive, wanted.collect::<Vec<_>>(), "{codes:?}");
            for count in [0, 1, 7, u8::MAX] {
                let mut places = vec![9];
                codes.places(count, &mut places);
                let place = |value: i32| u8::try_from(value).ok().filter(|value| *value < count).map(|value| value + 1);
                let wanted = values.iter().map(|value| value.and_then(place).unwrap_or(0));
                assert_eq!(places, wanted.collect::<Vec<_>>(), "{codes:?}");
            }
        }
    }

    /// What a page decides holds for each of its values.
    #[test]
    fn pages_decide_as_their_values() {
        let mut decided = [0, 0];
        for values in [
            vec![Some(3), Some(9)],
            vec![Some(-7)],
            vec![None],
            vec![None, Some(5), Some(8)],
            vec![Some(i32::MIN), Some(i32::MAX)],
            vec![None, Some(i32::MAX)],
        ] {
            let mut writer = AttributesWriter::new(8160, 1);
            values.iter().for_each(|value| writer.push(&[*value]));
            let (.., content) = writer.finish(7, || 0).unwrap();
            let page = Page::read(&content).unwrap();
            let attributes = Attributes::read(&page, 1).unwrap();
            for from in [i64::MIN, -8, -7, 0, 3, 4, 5, 9, 10, 16, i64::from(i32::MAX)] {
                for to in [-8, -7, 2, 3, 4, 8, 9, 10, 11, 17, i64::MAX] {
                    for within in [
                        Within::between(from, to),
                        Within::any_of([(from, to), (40, 50)]),
                        Within::Null,
                        Within::NotNull,
                    ] {
                        if let Some(all) = attributes.column(0).decides(&within) {
                            assert!(values.iter().all(|value| within.has(*value) == all), "{values:?} {within:?}");
                            decided[usize::from(all)] += 1;
                        }
                    }
                }
            }
        }
        assert!(decided.iter().all(|decided| *decided > 50), "{decided:?}");
    }

    #[test]
    fn marks_are_those_of_each_value() {
        let ranges = [i64::MIN, i64::from(i32::MIN), -3, 0, 2, 7, 8, i64::from(i32::MAX), i64::MAX];
        let mut sets = vec![Within::Null, Within::NotNull, Within::any_of([]), Within::any_of([(-3, -3), (2, 8)])];
        for least in ranges {
            sets.extend(ranges.iter().map(|most| Within::between(least, *most)));
        }
        for (codes, values) in columns() {
            for within in &sets {
                for before in [true, false] {
                    let mut marks = vec![before; values.len()];
                    codes.unmark(within, &mut marks);
                    let wanted = values.iter().map(|value| before && within.has(*value));
                    assert_eq!(marks, wanted.collect::<Vec<_>>(), "{codes:?} {within:?}");
                }
            }
        }
    }
}
