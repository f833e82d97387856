//! The file of doubtful merges: written as CSV, edited by hand or in a spreadsheet, and read again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::merges::Row;
use crate::read::source;
use crate::whole::Whole;

/// The columns. Lines whose first one says yes are applied.
const COLUMNS: [&str; 7] = ["apply", "id", "name", "games", "canonical", "fide_id", "reason"];

/// A line: a row of `players`, `events` or `sites`, and what it may be the same as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Whether it is applied.
    pub apply: bool,
    /// The id of the row.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// In how many games it is.
    pub games: u32,
    /// The name of the row that it may be the same as.
    pub canonical: String,
    /// The FIDE id of that player; none of events and sites.
    pub fide_id: Option<i32>,
    /// Why nothing is decided.
    pub reason: String,
}

impl Line {
    /// Whether the row has this name. An editor may drop blanks at its ends.
    pub fn is_of(&self, row: &Row) -> bool {
        row.name.trim() == self.name.trim()
    }

    /// The canonical name; with blanks at its ends only if a row is spelled so.
    pub fn target(&self, rows: &BTreeMap<i32, Row>) -> String {
        let is_spelled_so = rows.values().any(|row| row.name == self.canonical);
        if is_spelled_so { self.canonical.clone() } else { self.canonical.trim().to_owned() }
    }
}

/// Writes lines to a file. [`finish`] then gives the file its name.
///
/// # Errors
///
/// The file cannot be written.
pub fn save(lines: &[Line], file: &mut Whole) -> Result<()> {
    file.write_all(write(lines).as_bytes())?;
    Ok(file.flush()?)
}

/// Gives the file its name, if there is a file. This step hardly fails, so it comes after the merges are stored.
///
/// # Errors
///
/// The file cannot get its name; it says whether the merges are stored.
pub fn finish(file: Option<Whole>, is_applied: bool) -> Result<()> {
    let ended = file.map_or(Ok(()), |mut file| file.finish());
    if is_applied { ended.context("the merges are stored, but the file of doubtful ones is not") } else { ended }
}

/// Writes lines.
fn write(lines: &[Line]) -> String {
    let mut text = COLUMNS.join(",") + "\r\n";
    for line in lines {
        let fide_id = line.fide_id.map(|id| id.to_string()).unwrap_or_default();
        let (apply, name, canonical) =
            (if line.apply { "yes" } else { "" }, quoted(&line.name), quoted(&line.canonical));
        // writing to a String cannot fail
        let _ = write!(
            text,
            "{apply},{},{name},{},{canonical},{fide_id},{}\r\n",
            line.id,
            line.games,
            quoted(&line.reason)
        );
    }
    text
}

/// A field in quotation marks. An apostrophe keeps a spreadsheet from computing a name that begins as a formula does.
fn quoted(field: &str) -> String {
    let apostrophe = if field.starts_with(FORMULA) { "'" } else { "" };
    format!("\"{apostrophe}{}\"", field.replace('"', "\"\""))
}

/// How a formula of a spreadsheet begins, and what [`quoted`] writes before one.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// What [`quoted`] was given.
fn unquoted(field: &str) -> &str {
    field.strip_prefix('\'').filter(|rest| rest.starts_with(FORMULA)).unwrap_or(field)
}

/// Reads the lines of a file that are to be applied.
///
/// # Errors
///
/// The file cannot be read; else as [`read`].
pub fn open(path: &str) -> Result<Vec<Line>> {
    let text = source::bytes(Path::new(path))?;
    let text =
        String::from_utf8(text).ok().with_context(|| format!("{path} is not in UTF-8: save it as CSV in UTF-8"))?;
    read(&text).with_context(|| format!("cannot use {path}"))
}

/// Reads the lines that are to be applied.
///
/// # Errors
///
/// A column is missing, or a line cannot be read; with its number.
fn read(text: &str) -> Result<Vec<Line>> {
    // It would hide the lines that follow.
    if let Some(number) = open_quotation(text) {
        bail!("line {number}: a quotation mark is not closed");
    }
    let mut records = records(text.strip_prefix('\u{feff}').unwrap_or(text));
    let (_, header) = records.next().context("the file is empty")?;
    let mut places = [0; COLUMNS.len()];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        let found = header.iter().position(|name| name.trim() == column);
        *place = found.with_context(|| format!("the file has no column {column}"))?;
    }
    let mut lines = Vec::new();
    for (number, record) in records {
        let whole = |place: usize| record.get(places[place]).map_or("", String::as_str);
        let field = |place: usize| whole(place).trim();
        match field(0).to_ascii_lowercase().as_str() {
            "yes" | "y" | "x" | "1" | "true" => (),
            "" | "no" | "n" | "0" | "false" => continue,
            other => bail!("line {number}: \"{other}\" is neither yes nor no"),
        }
        let fide_id = match field(5) {
            "" => None,
            id => Some(id.parse().with_context(|| format!("line {number}: \"{id}\" is not a FIDE id"))?),
        };
        let id = field(1);
        if field(4).is_empty() {
            bail!("line {number}: the canonical name is missing");
        }
        lines.push(Line {
            apply: true,
            id: id.parse().with_context(|| format!("line {number}: \"{id}\" is not an id"))?,
            name: unquoted(whole(2)).to_owned(),
            games: field(3).parse().unwrap_or(0),
            canonical: unquoted(whole(4)).to_owned(),
            fide_id,
            reason: field(6).to_owned(),
        });
    }
    Ok(lines)
}

/// The number of the line with a quotation mark that is not closed.
fn open_quotation(text: &str) -> Option<usize> {
    let (mut line, mut open) = (1, None);
    for letter in text.chars() {
        match (letter, open) {
            ('\n', _) => line += 1,
            ('"', None) => open = Some(line),
            ('"', Some(_)) => open = None,
            _ => (),
        }
    }
    open
}

/// The records of a CSV text, each with the number of its line. Fields are separated as in the first line, by commas or,
/// as some spreadsheets do, by semicolons.
fn records(text: &str) -> impl Iterator<Item = (usize, Vec<String>)> + '_ {
    let header = text.lines().next().unwrap_or_default();
    let separator = if header.contains(',') { ',' } else { ';' };
    let (mut letters, mut line) = (text.chars().peekable(), 1);
    std::iter::from_fn(move || {
        letters.peek()?;
        let first = line;
        let mut record = vec![String::new()];
        let mut inside = false;
        while let Some(letter) = letters.next() {
            line += usize::from(letter == '\n');
            match letter {
                '"' if inside && letters.peek() == Some(&'"') => record.last_mut()?.push(letters.next()?),
                '"' => inside = !inside,
                '\r' if !inside => (),
                '\n' if !inside => break,
                _ if letter == separator && !inside => record.push(String::new()),
                _ => record.last_mut()?.push(letter),
            }
        }
        Some((first, record))
    })
    .filter(|(_, record)| record.len() > 1 || !record[0].trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        let line = Line {
            apply: true,
            id: 7,
            name: "Petrosian, \"T\"".into(),
            games: 12,
            canonical: "Petrosian, Tigran L.".into(),
            fide_id: Some(13_301_616),
            reason: "several players of this name".into(),
        };
        let others =
            [Line { apply: false, ..line.clone() }, Line { fide_id: None, name: "a\nb".into(), ..line.clone() }];
        let text = write(&[&[line.clone()][..], &others].concat());
        assert_eq!(read(&text).unwrap(), [line.clone(), others[1].clone()]);
        for name in ["=1+2", "+1", "-1", "@A1", "\tA", "'=1", "'", "''", "'t Hart, Jan", "O'Kelly"] {
            let line = Line { name: name.into(), canonical: name.into(), ..line.clone() };
            let text = write(std::slice::from_ref(&line));
            assert!(!["\"=", "\"+", "\"-", "\"@", "\"\t"].iter().any(|formula| text.contains(formula)), "{text}");
            assert_eq!(read(&text).unwrap(), [line]);
        }
        let edited = text.replace(',', ";").replace("Petrosian; ", "Petrosian, ");
        assert_eq!(read(&format!("\u{feff}{edited}")).unwrap().len(), 2);
    }

    #[test]
    fn files_that_cannot_be_read() {
        let told = |text: &str| format!("{:#}", read(text).unwrap_err());
        assert_eq!(told(""), "the file is empty");
        assert_eq!(told("apply,name\n"), "the file has no column id");
        let line = |line: &str| told(&format!("{}\n\n{line}\n", COLUMNS.join(",")));
        assert_eq!(line("maybe,1,A,1,B,,"), "line 3: \"maybe\" is neither yes nor no");
        assert!(line("yes,one,A,1,B,,").starts_with("line 3: \"one\" is not an id"));
        assert!(line("yes,1,A,1,B,x,").starts_with("line 3: \"x\" is not a FIDE id"));
        assert_eq!(line("yes,1,A,1,,,"), "line 3: the canonical name is missing");
        assert_eq!(line("yes"), "line 3: the canonical name is missing");
        assert_eq!(line("yes,1,A,1,\"B,,\nyes,2,C,1,D,,"), "line 3: a quotation mark is not closed");
        assert_eq!(line("yes,1,\"A\nB\",1,C,,12\"\n"), "line 4: a quotation mark is not closed");
    }
}
