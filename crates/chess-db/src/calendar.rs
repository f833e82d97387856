//! The Gregorian calendar: lengths of months, and days as PostgreSQL counts them, from 2000-01-01.
//!
//! By hand: ranges of dates end with 10000-01-01, which is beyond the last day of jiff and of PGN.

/// The number of days in a month.
pub fn days_in(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// The first day of a month.
pub fn first_day(year: u16, month: u8) -> i32 {
    let past = i32::from(year) - 1;
    let years = 365 * past + past / 4 - past / 100 + past / 400;
    let months: i32 = (1..month).map(|month| i32::from(days_in(year, month))).sum();
    years + months - 730_119
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_follow_each_other() {
        assert_eq!((first_day(2000, 1), first_day(2000, 3), first_day(1, 1)), (0, 60, -730_119));
        for year in 1..=9999 {
            for month in 1..=12 {
                let next = if month == 12 { first_day(year + 1, 1) } else { first_day(year, month + 1) };
                assert_eq!(next, first_day(year, month) + i32::from(days_in(year, month)), "{year}-{month}");
            }
        }
    }
}
