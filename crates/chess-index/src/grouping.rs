//! Groups of games by their attributes: a condition on an attribute mostly holds for all games of a group, or for none.
//!
//! Takes an attribute; returns the number of its group, and the values that a group has. Groups end where filters usually do.

use crate::attributes::{Value, Within};

/// How the values of a column are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Grouping {
    /// Each value by itself.
    Each = 1,
    /// Numbers by the hundred.
    Hundreds = 2,
    /// Days by the year.
    Years = 3,
}

/// Days from 1 January of the year 0 to that of the year 2000.
const DAYS_BEFORE_2000: i64 = 730_485;

/// The first day of a year, counted from 1 January 2000.
fn first_day(year: i64) -> i64 {
    let leap_days = (year + 3).div_euclid(4) - (year + 99).div_euclid(100) + (year + 399).div_euclid(400);
    365 * year + leap_days - DAYS_BEFORE_2000
}

fn year_of(day: i64) -> i64 {
    // 400 years have 146,097 days. The quotient is at most a year off.
    let year = ((day + DAYS_BEFORE_2000) * 400).div_euclid(146_097);
    let is_later = day >= first_day(year + 1);
    year + i64::from(is_later) - i64::from(day < first_day(year))
}

impl Grouping {
    const ALL: [Grouping; 3] = [Grouping::Each, Grouping::Hundreds, Grouping::Years];

    pub(crate) fn of_number(number: u8) -> Option<Grouping> {
        Grouping::ALL.into_iter().find(|grouping| *grouping as u8 == number)
    }

    /// The number of the group of a value.
    fn group(self, value: i32) -> i32 {
        match self {
            Grouping::Each => value,
            Grouping::Hundreds => value.div_euclid(100),
            Grouping::Years => year_of(value.into()) as i32,
        }
    }

    /// The lowest and the highest value of a group. A number that no group has leads to values that none of 32 bits equals.
    fn values(self, group: i32) -> (i64, i64) {
        let group = i64::from(group);
        match self {
            Grouping::Each => (group, group),
            Grouping::Hundreds => (100 * group, 100 * group + 99),
            Grouping::Years => (first_day(group), first_day(group + 1) - 1),
        }
    }
}

/// Most columns that games are grouped by. More would make many groups of few games.
pub const MOST_GROUPED: usize = 4;

/// The columns that games are grouped by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groupings([Option<(u8, Grouping)>; MOST_GROUPED]);

/// The numbers of the groups of a game, in the order of [`Groupings`]; `None` for NULL, and for columns that are missing.
pub(crate) type Group = [Option<i32>; MOST_GROUPED];

impl Groupings {
    /// Groups by the first [`MOST_GROUPED`] of these columns.
    pub fn new(columns: impl IntoIterator<Item = (u8, Grouping)>) -> Groupings {
        let mut columns = columns.into_iter();
        Groupings(std::array::from_fn(|_| columns.next()))
    }

    /// Whether games are grouped at all.
    pub fn are_none(&self) -> bool {
        self.0[0].is_none()
    }

    /// The columns and how they are grouped.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (u8, Grouping)> {
        self.0.into_iter().flatten()
    }

    /// The group of a game with these values.
    #[inline]
    pub(crate) fn group(&self, value: impl Fn(usize) -> Value) -> Group {
        self.0.map(|column| column.and_then(|(column, grouping)| Some(grouping.group(value(column.into())?))))
    }

    /// The place of a column among those that games are grouped by.
    pub(crate) fn place(&self, column: usize) -> Option<usize> {
        self.0.iter().position(|known| known.is_some_and(|(known, _)| usize::from(known) == column))
    }

    /// Whether all values of a group in the column at this place are in a set, or none is; `None` if some are.
    pub(crate) fn decides(&self, place: usize, group: &Group, within: &Within) -> Option<bool> {
        let (_, grouping) = self.0[place]?;
        match group[place] {
            None => Some(within.has(None)),
            Some(number) => {
                let (least, most) = grouping.values(number);
                within.decides(least, most)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_begin_on_the_first_of_january() {
        for (year, day) in
            [(1970, -10_957), (1999, -365), (2000, 0), (2001, 366), (2024, 8766), (2025, 9132), (0, -730_485)]
        {
            assert_eq!((first_day(year), year_of(day), year_of(day - 1)), (day, year, year - 1), "{year}");
        }
    }

    /// Each value is in the group that has it.
    #[test]
    fn groups_have_their_values() {
        let mut values: Vec<i32> =
            (-150_000..150_000).step_by(7).chain([i32::MIN, -1, 0, 1, 99, 100, i32::MAX]).collect();
        values.extend((0..2000).map(|n| (i64::from(i32::MIN) + n * 2_147_483) as i32));
        for grouping in Grouping::ALL {
            for value in &values {
                let (least, most) = grouping.values(grouping.group(*value));
                assert!((least..=most).contains(&i64::from(*value)), "{grouping:?} {value}: {least} to {most}");
            }
            assert_eq!(Grouping::of_number(grouping as u8), Some(grouping));
        }
        assert_eq!(Grouping::of_number(0), None);
    }

    #[test]
    fn a_group_decides_where_no_border_crosses_it() {
        let groupings = Groupings::new([(3, Grouping::Years), (6, Grouping::Hundreds)]);
        let of = |day, rating| groupings.group(|column| if column == 3 { day } else { rating });
        let decides =
            |column, group: &Group, within: &Within| groupings.decides(groupings.place(column).unwrap(), group, within);
        let group = of(Some(31), Some(2450));
        for (least, most, wanted) in [
            (2400, 3000, Some(true)),
            (2450, 3000, None),
            (0, 2399, Some(false)),
            (2400, 2499, Some(true)),
            (2500, 9999, Some(false)),
        ] {
            assert_eq!(decides(6, &group, &Within::between(least, most)), wanted, "{least} to {most}");
        }
        assert_eq!(decides(3, &group, &Within::between(0, 365)), Some(true));
        assert_eq!(decides(3, &group, &Within::between(1, 365)), None);
        let unknown = of(None, None);
        assert_eq!(decides(6, &unknown, &Within::between(i64::MIN, i64::MAX)), Some(false));
        assert_eq!((decides(6, &unknown, &Within::Null), decides(6, &group, &Within::Null)), (Some(true), Some(false)));
        assert_eq!(
            (decides(3, &unknown, &Within::NotNull), decides(3, &group, &Within::NotNull)),
            (Some(false), Some(true))
        );
        assert_eq!(groupings.place(4), None);
        assert!(Groupings::default().are_none() && !groupings.are_none());
    }
}
