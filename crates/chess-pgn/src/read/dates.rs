//! Converts PGN dates, which may be partly unknown, to the range of days that they can mean.
//!
//! `2004.05.12` is one day, `2004.05.??` a month, `2004.??.??` a year; `2004.??.12` counts as the whole year. Dates
//! without a year, and values that are no dates, have no range.

use chess_db::calendar::{days_in, first_day};

/// Days counted from 2000-01-01, as PostgreSQL counts them: the first, and the one after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    /// The first possible day.
    pub first: i32,
    /// The day after the last possible one.
    pub end: i32,
}

/// The days that a date can mean.
pub fn days(date: &str) -> Option<Days> {
    let mut parts = date.trim().split(['.', '-', '/']);
    let year = part(parts.next()?, 4)??;
    let month = parts.next().map_or(Some(None), |text| part(text, 2))?;
    let day = parts.next().map_or(Some(None), |text| part(text, 2))?;
    if year == 0 || parts.next().is_some() {
        return None;
    }
    match (month.map(|month| month as u8), day) {
        (None, _) => Some(Days { first: first_day(year, 1), end: first_day(year + 1, 1) }),
        (Some(month @ 1..=12), day) => {
            let first = first_day(year, month);
            let last = i32::from(days_in(year, month));
            match day.map(i32::from) {
                None => Some(Days { first, end: first + last }),
                Some(day) => (1..=last).contains(&day).then(|| Days { first: first + day - 1, end: first + day }),
            }
        }
        _ => None,
    }
}

/// Parses a number of at most `len` digits; `Some(None)` stands for question marks.
fn part(text: &str, len: usize) -> Option<Option<u16>> {
    if !text.is_empty() && text.bytes().all(|byte| byte == b'?') {
        return Some(None);
    }
    let digits = text.len() <= len && text.bytes().all(|byte| byte.is_ascii_digit());
    // A year must have four digits.
    (digits && (len < 4 || text.len() == 4)).then(|| text.parse().ok()).flatten().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_date_says() {
        let range = |first, end| Some(Days { first, end });
        assert_eq!(days("2000.01.01"), range(0, 1));
        assert_eq!(days("2004.02.29"), range(1520, 1521));
        assert_eq!(days("1999.12.??"), range(-31, 0));
        assert_eq!(days("2000.??.??"), range(0, 366));
        assert_eq!(days("2000.??.12"), range(0, 366));
        assert_eq!(days("2000"), range(0, 366));
        assert_eq!(days("2000-3-1"), range(60, 61));
        assert_eq!(days("1851.06.21"), range(-54250, -54249));
        for unknown in ["", "?", "????.??.??", "????.05.12", "2003.02.29", "2004.13.01", "2004.01.00", "0000.01.01"] {
            assert_eq!(days(unknown), None, "{unknown}");
        }
        for other in ["1950.11.11.", "50.1.1", "12.05.2004", "May 2004", "2004.05.12 10:00", "99999.01.01", "2é"] {
            assert_eq!(days(other), None, "{other}");
        }
    }
}
