//! Days, months and years go in, ranges of dates come out, as texts for PostgreSQL.

use chess_core::text::dates::days_in;

use crate::failure::{Failure, Outcome};

/// A day, month or year; month and day are 0 if they are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    year: u16,
    month: u8,
    day: u8,
}

impl Period {
    /// Reads `2015`, `2015-03`, `2015-3`, `2015/03` or `2015-03-31`.
    ///
    /// # Errors
    ///
    /// 400, with the name of the parameter.
    pub fn read(name: &str, text: &str) -> Outcome<Period> {
        let wrong = || {
            let text: String = text.chars().take(20).collect();
            Failure::bad(format!("\"{name}\" is a date such as 2015, 2015-03 or 2015-03-31, not \"{text}\""))
        };
        let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
        let number = |at: usize, digits: usize| -> Outcome<u16> {
            match parts.get(at) {
                None => Ok(0),
                Some(part) if !part.is_empty() && part.len() <= digits && part.bytes().all(|b| b.is_ascii_digit()) => {
                    part.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)
                }
                Some(_) => Err(wrong()),
            }
        };
        let (year, month, day) = (number(0, 4)?, number(1, 2)? as u8, number(2, 2)? as u8);
        if parts.len() > 3 || month > 12 || (day > 0 && day > days_in(year, month)) {
            return Err(wrong());
        }
        Ok(Period { year, month, day })
    }

    /// The first day.
    pub fn first(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month.max(1), self.day.max(1))
    }

    /// The day after the last one.
    pub fn after(self) -> String {
        let Period { year, month, day } = self;
        let next = match (month, day) {
            (0, _) | (12, 0) => (year + 1, 1, 1),
            (month, 0) => (year, month + 1, 1),
            (12, 31) => (year + 1, 1, 1),
            (month, day) if day == days_in(year, month) => (year, month + 1, 1),
            (month, day) => (year, month, day + 1),
        };
        format!("{:04}-{:02}-{:02}", next.0, next.1, next.2)
    }
}

/// The `daterange` from the first day of one period to the last day of another; `None` if both are missing.
///
/// # Errors
///
/// 400 if a text is not a date, or the end comes before the beginning.
pub fn range(since: Option<&str>, until: Option<&str>) -> Outcome<Option<String>> {
    let since = since.map(|text| Period::read("since", text)).transpose()?.map(Period::first);
    let until = until.map(|text| Period::read("until", text)).transpose()?.map(Period::after);
    match (&since, &until) {
        (None, None) => Ok(None),
        (Some(since), Some(until)) if (since.len(), since) >= (until.len(), until) => {
            Err(Failure::bad("\"until\" comes before \"since\""))
        }
        _ => Ok(Some(format!("[{},{})", since.unwrap_or_default(), until.unwrap_or_default()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(range(Some("2015"), Some("9999")).ok().flatten().as_deref(), Some("[2015-01-01,10000-01-01)"));
        let of = |since, until| range(since, until).map_err(|failure| failure.error);
        assert_eq!(of(None, None), Ok(None));
        for (since, until, found) in [
            ("2015", "2015", "[2015-01-01,2016-01-01)"),
            ("2015-3", "2015/12", "[2015-03-01,2016-01-01)"),
            ("2015.02.28", "2016-02-29", "[2015-02-28,2016-03-01)"),
            ("1000-12-31", "1999-12-31", "[1000-12-31,2000-01-01)"),
            ("1900-02-28", "1900-02-28", "[1900-02-28,1900-03-01)"),
        ] {
            assert_eq!(of(Some(since), Some(until)).unwrap().as_deref(), Some(found));
        }
        assert_eq!(of(Some("2015"), None).unwrap().as_deref(), Some("[2015-01-01,)"));
        assert_eq!(of(None, Some("2015-04-30")).unwrap().as_deref(), Some("[,2015-05-01)"));
        for wrong in
            ["2015-13", "2015-02-30", "0", "", "15a", "2015-", "2015-1-1-1", "20155", "1900-02-29", "２０１５", "-5"]
        {
            assert!(of(Some(wrong), None).is_err(), "{wrong}");
        }
        assert!(of(Some("2016"), Some("2015")).is_err());
    }
}
