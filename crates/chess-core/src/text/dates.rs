//! Dates of PGN, which may be partly unknown: the days that they can mean.
//!
//! Takes the value of a tag; returns a range of days ([`Days`]). `2004.05.12` is one day, `2004.05.??` a month, `2004.??.??` a
//! year; `2004.??.12` counts as the whole year. Other programs and people write `1880.`, `1997.00.00`, `199?`,
//! `12.05.2004`, `12.V.2004`, `May 12, 2004`, `2004.05.12-14` or `2004-05-12T10:00`, too. A day that its month does not have
//! counts as the whole month. Dates without a year, and values that are no dates, have no range.
//!
//! The calendar is Gregorian and by hand: ranges end with 10000-01-01, and days are counted as PostgreSQL counts them.

use std::fmt;

/// Days counted from 2000-01-01: the first, and the one after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    /// The first possible day.
    pub first: i32,
    /// The day after the last possible one.
    pub end: i32,
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{})", written(self.first), written(self.end))
    }
}

/// A day, counted as in [`Days`], as `2004-05-12`.
pub fn written(day: i32) -> String {
    let (year, month) = year_and_month(day);
    format!("{year:04}-{month:02}-{:02}", day - first_day(year, month) + 1)
}

/// The year and the month of a day, counted as in [`Days`]; `None` outside the years 1 to 9999.
pub fn month_of(day: i32) -> Option<(u16, u8)> {
    (first_day(1, 1)..first_day(10_000, 1)).contains(&day).then(|| year_and_month(day))
}

fn year_and_month(day: i32) -> (u16, u8) {
    let mut year = ((f64::from(day) + 730_119.0) / 365.2425) as u16 + 1;
    while first_day(year, 1) > day {
        year -= 1;
    }
    while first_day(year + 1, 1) <= day {
        year += 1;
    }
    let of_year = day - first_day(year, 1);
    // No month has more than 31 days, so this is the month or the one before.
    let month = (of_year / 31) as u8 + 1;
    let is_next = month < 12 && first_day(year, month + 1) <= day;
    (year, month + u8::from(is_next))
}

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

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Unknown,
    /// The numbers that it can be, both included: 190 to 199 for `19?`.
    Number(u16, u16),
    /// Of four digits or question marks.
    Year(u16, u16),
    /// A month by its name.
    Month(u8),
}

use Part::{Month, Number, Unknown, Year};

/// The longest text that is read.
const MAX_LEN: usize = 40;

/// The days that a date can mean.
///
/// # Examples
///
/// ```
/// use chess_core::text::dates::days;
///
/// assert_eq!(days("1851.06.??").unwrap().to_string(), "[1851-06-01,1851-07-01)");
/// assert_eq!(days("????.??.??"), None);
/// ```
pub fn days(date: &str) -> Option<Days> {
    if date.len() > MAX_LEN {
        return None;
    }
    let text =
        date.trim_matches(|found: char| found.is_whitespace() || matches!(found, '(' | ')' | '[' | ']' | '"' | '\''));
    let lower = text.to_lowercase();
    let about = ["circa", "about", "ca.", "ca", "c.", "c", "~"].into_iter().find_map(|word| lower.strip_prefix(word));
    let text = about.map(str::trim_start).filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    let text = without_time(text.unwrap_or(&lower));
    let compact = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let split;
    let text = if compact {
        split = format!("{}.{}.{}", &text[..4], &text[4..6], &text[6..]);
        &split
    } else {
        text
    };
    let mut parts = Vec::new();
    for piece in text.split(['.', '-', '/', '–', '_']) {
        let words = piece.split([' ', ',', '\t', '\u{a0}', '(', ')', '[', ']']).filter(|word| !word.is_empty());
        let before = parts.len();
        for word in words.filter(|word| !is_weekday(word)) {
            parts.push(part(word)?);
        }
        if parts.len() == before {
            parts.push(Unknown);
        }
    }
    while parts.last() == Some(&Unknown) && (parts.len() > 3 || text.ends_with(['.', '-', '/'])) {
        parts.pop();
    }
    // 12.-14.5.2004
    if parts.len() == 5 && parts[1] == Unknown {
        parts.remove(1);
    }
    match parts[..] {
        _ if parts.len() < 4 => days_of(&parts, text),
        _ if !text.contains(['-', '–']) => None,
        [year @ Year(..), month, first, last]
        | [month @ Month(_), first, last, year @ Year(..)]
        | [first, last, month, year @ Year(..)] => {
            between(range(year, month, first)?, range(year, month, last)?).or_else(|| range(year, month, Unknown))
        }
        [_, _, _, _, _, _] => between(days_of(&parts[..3], text)?, days_of(&parts[3..], text)?),
        _ => None,
    }
}

/// The days from the first ones to the last ones, in this order.
fn between(first: Days, last: Days) -> Option<Days> {
    (first.first <= last.first && first.end <= last.end).then_some(Days { first: first.first, end: last.end })
}

/// The days that at most three parts of a text can mean.
fn days_of(parts: &[Part], text: &str) -> Option<Days> {
    let at = |n: usize| parts.get(n).copied().unwrap_or(Unknown);
    match *parts {
        [Year(first, _), Year(last, until)] if first < last => years(first, until),
        // a season: 1997/98
        [Year(first, last), Number(next, _)] if first == last && next > 12 && next == (first + 1) % 100 => {
            years(first, first + 1)
        }
        [year @ Year(..)] => range(year, Unknown, Unknown),
        [year @ Year(..), month] | [month, year @ Year(..)] => range(year, month, Unknown),
        [year @ Year(..), _, _] => match (at(1), at(2)) {
            (day, month @ Month(_)) => range(year, month, day),
            (month, day) => range(year, month, day),
        },
        [first, second, year @ Year(..)] => {
            let european = range(year, second, first);
            // Whoever writes slashes or dashes may mean the month first.
            let american = range(year, first, second).filter(|_| european.is_none() || !text.contains('.'));
            match (european, american) {
                (Some(one), Some(other)) => {
                    Some(Days { first: one.first.min(other.first), end: one.end.max(other.end) })
                }
                (one, other) => one.or(other),
            }
        }
        _ => None,
    }
}

/// The text before a time of day.
fn without_time(text: &str) -> &str {
    let Some(colon) = text.find(':') else { return text };
    let date = text[..colon].trim_end_matches(|found: char| found.is_ascii_digit());
    match date.strip_suffix('t').unwrap_or(date).trim_end() {
        "" => text,
        date => date,
    }
}

fn is_weekday(word: &str) -> bool {
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    word.len() > 2 && days.iter().any(|day| day.starts_with(word))
}

/// Names of months in the languages that are common in PGN, by their first letters.
const MONTHS: [(&str, u8); 39] = [
    ("jan", 1),
    ("ene", 1),
    ("gen", 1),
    ("feb", 2),
    ("fév", 2),
    ("fev", 2),
    ("mar", 3),
    ("mär", 3),
    ("mae", 3),
    ("mrt", 3),
    ("maa", 3),
    ("apr", 4),
    ("avr", 4),
    ("abr", 4),
    ("may", 5),
    ("mai", 5),
    ("mei", 5),
    ("mag", 5),
    ("maj", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("aug", 8),
    ("aoû", 8),
    ("ago", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
    ("déc", 12),
    ("dic", 12),
];

/// The months in Roman numerals. A single X stands for what is unknown.
const ROMAN: [&str; 12] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];

/// Reads a part. Zeros, question marks and other fillers stand for what is unknown.
fn part(word: &str) -> Option<Part> {
    let is_filler = |found: char| matches!(found, '?' | 'x' | '*');
    if word.chars().all(is_filler) {
        return Some(if word.len() == 4 { Year(0, 0) } else { Unknown });
    }
    if let Some((_, month)) = MONTHS.iter().find(|(name, _)| word.starts_with(name)) {
        return word.chars().all(char::is_alphabetic).then_some(Month(*month));
    }
    if let Some(month) = ROMAN.iter().position(|month| *month == word) {
        return Some(Month(month as u8 + 1));
    }
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = word.split_at(digits);
    // 12th, and a year that is doubtful
    let is_whole = matches!(behind, "" | "st" | "nd" | "rd" | "th") || digits == 4 && behind == "?";
    let unknown = if is_whole { 0 } else { behind.len() };
    if digits == 0 || digits + unknown > 4 || !(is_whole || behind.chars().all(is_filler)) {
        return None;
    }
    let scale = 10u16.pow(unknown as u32);
    let low = number.parse::<u16>().ok()? * scale;
    let high = low + scale - 1;
    match digits + unknown {
        4 if digits > 1 => Some(Year(low, high)),
        1 | 2 if high == 0 => Some(Unknown),
        1 | 2 => Some(Number(low, high)),
        _ => None,
    }
}

/// The days of whole years, both included.
fn years(first: u16, last: u16) -> Option<Days> {
    (first > 0).then(|| Days { first: first_day(first, 1), end: first_day(last + 1, 1) })
}

/// The days of a year, month and day that may be partly unknown.
fn range(year: Part, month: Part, day: Part) -> Option<Days> {
    let Year(year, last_year) = year else { return None };
    let (month, last_month) = match month {
        Unknown => return years(year, last_year),
        Month(month) => (month, month),
        Number(low, high @ 1..) if low <= 12 => (low.max(1) as u8, high.min(12) as u8),
        Number(..) | Year(..) => return None,
    };
    let end = first_day(year, last_month) + i32::from(days_in(year, last_month));
    if year == 0 {
        return None;
    }
    if year < last_year {
        return years(year, last_year);
    }
    let first = first_day(year, month);
    match day {
        _ if month < last_month => Some(Days { first, end }),
        Unknown => Some(Days { first, end }),
        Number(low, high) => {
            let (low, high) = (i32::from(low.max(1)), i32::from(high).min(end - first));
            // A day that the month does not have may be mistyped, so only the month counts.
            Some(if low > high { Days { first, end } } else { Days { first: first + low - 1, end: first + high } })
        }
        Month(_) | Year(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_date_says() {
        for (range, dates) in [
            (
                "[2000-01-01,2000-01-02)",
                "2000.01.01|2000-1-1|20000101|2000/01/01|2000.01.01.|1.1.2000|01/01/2000|1 January 2000|Jan 1, 2000|01-JAN-2000|2000 Jan 1|2000.Jan.01|1. Januar 2000|Sat Jan 1 2000|January 1st, 2000",
            ),
            (
                "[2004-02-29,2004-03-01)",
                "2004.02.29|29.02.2004|29.2.2004|02/29/2004|29/02/2004|2004-02-29T10:00:00Z|2004.02.29 20:01:02|2004.02.29 10:00| 2004.02.29 |(2004.02.29)|29-02-2004|29 Feb 2004|29 févr. 2004",
            ),
            (
                "[1999-12-01,2000-01-01)",
                "1999.12.??|1999.12|1999.12.00|1999.12.?|1999.12.xx|1999.12.XX|1999.12.|1999-12-??|12.1999|12/1999|Dec 1999|décembre 1999|dic 1999|December 1999|Dez. 1999|??.12.1999|00.12.1999|1999.12.--",
            ),
            (
                "[2000-01-01,2001-01-01)",
                "2000|2000.|2000..|2000.??.??|2000.?.?|2000.??|2000.00.00|2000.0.0|2000.XX.XX|2000.--.--|2000-??-??|2000.??.12|??.??.2000|00.00.2000|(2000)|c. 2000|ca 2000|c2000|2000?|2000.00|2000.**.**|2000-00-00",
            ),
            ("[1851-06-21,1851-06-22)", "1851.06.21|1851.6.21|21.6.1851|21.VI.1851|1851.vi.21|VI 21, 1851"),
            ("[2001-05-03,2001-05-04)", "[Sat 3 May 2001]|2001.05.03 (Thu)|Thu (3 May 2001)|3.V.2001"),
            (
                "[2001-05-03,2001-05-06)",
                "2001.05.03-05|2001.05.03–05|2001.05.03 - 05|2001-05-03-05|3-5.5.2001|3.-5.5.2001|3-5 May 2001|May 3-5, 2001|3.5.2001-5.5.2001|2001.05.03-2001.05.05|2001.05.03 – 2001.05.05",
            ),
            ("[2004-01-30,2004-02-03)", "2004.01.30-2004.02.02|30.1.2004-2.2.2004"),
            // days that do not exist
            ("[2003-02-01,2003-03-01)", "2003.02.29|2003.02.30|29.02.2003|30 Feb 2003|02/31/2003|2003.02.29-30"),
            ("[2004-05-01,2004-06-01)", "2004.05.32|2004.05.99|2004.05.30-02|2004.05.12-1"),
            ("[1990-01-01,2000-01-01)", "199?|199?.??.??|199x"),
            ("[1900-01-01,2000-01-01)", "19??|19??.??.??"),
            ("[2004-05-10,2004-05-20)", "2004.05.1?"),
            ("[2004-10-01,2005-01-01)", "2004.1?.??|2004.1?"),
            ("[1997-01-01,1999-01-01)", "1997-1998|1997/98|1997/1998"),
            // either the fifth of December or the twelfth of May
            ("[2004-05-12,2004-12-06)", "12/05/2004|05/12/2004|5-12-2004"),
            ("[2004-05-12,2004-05-13)", "12.05.2004"),
            ("[9999-12-31,10000-01-01)", "9999.12.31"),
            ("[0001-01-01,0001-01-02)", "0001.01.01"),
        ] {
            for date in dates.split('|') {
                assert_eq!(days(date).map(|days| days.to_string()).as_deref(), Some(range), "{date}");
            }
        }
        for unknown in [
            "",
            "?",
            "????.??.??",
            "????.05.12",
            "2004.13.01",
            "0000.01.01",
            "0000",
            "0000.00.00",
            ".",
            "...",
            "-",
            "????",
            "x",
        ] {
            assert_eq!(days(unknown), None, "{unknown}");
        }
        for other in [
            "50.1.1",
            "99999.01.01",
            "2é",
            "soon",
            "12:30",
            "1.2.3.4",
            "2004.05.12.1",
            "1???",
            "2004.99.01",
            "May",
            "12 May",
            "300.1.1",
            "marvellous 2004x",
            &format!("{:40}2004", ""),
            &"9".repeat(50),
        ] {
            assert_eq!(days(other), None, "{other}");
        }
    }

    #[test]
    fn months_follow_each_other() {
        assert_eq!((first_day(2000, 1), first_day(2000, 3), first_day(1, 1)), (0, 60, -730_119));
        for year in 1..=9999 {
            for month in 1..=12 {
                let next = if month == 12 { first_day(year + 1, 1) } else { first_day(year, month + 1) };
                assert_eq!(next, first_day(year, month) + i32::from(days_in(year, month)), "{year}-{month}");
                assert_eq!(written(next - 1), format!("{year:04}-{month:02}-{:02}", days_in(year, month)));
                for day in first_day(year, month)..next {
                    assert_eq!(month_of(day), Some((year, month)), "{day}");
                }
            }
        }
        for day in [i32::MIN, first_day(1, 1) - 1, first_day(10_000, 1), i32::MAX] {
            assert_eq!(month_of(day), None, "{day}");
        }
    }

    /// Every text has a range that is not empty, or none.
    #[test]
    fn no_text_confuses_the_calendar() {
        let pieces = [
            "1", "19", "2004", "0", "00", "?", "??", ".", "-", "/", " ", "May", "x", "T1:00", "9999", "0000", "st", ",",
        ];
        for n in 0..pieces.len().pow(4) {
            let text: String = (0..4).map(|i| pieces[n / pieces.len().pow(i) % pieces.len()]).collect();
            if let Some(found) = days(&text) {
                assert!(
                    found.first < found.end && found.first >= -730_119 && found.end <= first_day(10_000, 1),
                    "{text}"
                );
            }
        }
    }
}
