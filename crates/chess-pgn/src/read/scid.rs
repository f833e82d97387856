//! Databases of Scid (`.si4`, with `.sg4` and `.sn4` beside it): turns them into PGN, which is then loaded as any other.
//!
//! The index has an entry of 47 bytes for each game: where its record is in the file of games, numbers of its names,
//! date, result, ratings, ECO code and flags. The file of names has them by number, each as what differs from the name
//! before it. [`chess_core::text::scid`] reads the records. All numbers are big-endian.
//!
//! The PGN is what Scid exports, with lines of any length, and the flags in the tag `ScidFlags` (`D` is a game that is
//! marked as deleted). A game whose record is damaged ends with a word that is no move, and so is stored up to there, or
//! rejected, with its tags.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use chess_core::text::scid::{self, MAX_RECORD};
use chess_core::text::write_pgn::{is_tag_name, push_tag};

use super::as_pgn::Games;
use super::encoding::decode;

/// The beginning of an index.
pub const MAGIC: &[u8] = b"Scid.si\0";
/// The beginning of a file of names.
pub const NAMES_MAGIC: &[u8] = b"Scid.sn\0";
const VERSION: u16 = 400;
const HEADER_LEN: usize = 182;
const NAMES_HEADER_LEN: usize = 36;
const ENTRY_LEN: usize = 47;
/// Where a game cannot be read on: no move, and no text of PGN.
const DAMAGE: &str = "damaged-record-of-Scid";
/// The letters of flags, from bit 3.
const FLAGS: &str = "DWBMENPTKQ!?U123456";
/// The names of ratings; the others are `Elo`.
const RATINGS: [&str; 7] = ["Elo", "Rating", "Rapid", "ICCF", "USCF", "DWZ", "ECF"];

/// The files of a database beside its index.
#[derive(Clone, Debug)]
pub struct Files {
    /// The records of the games.
    pub games: PathBuf,
    /// The names.
    pub names: PathBuf,
}

impl Files {
    /// The files beside an index.
    pub fn of(index: &Path) -> Files {
        let upper = index.extension().is_some_and(|ending| ending == "SI4");
        let beside = |ending| index.with_extension(if upper { str::to_uppercase(ending) } else { ending.to_owned() });
        Files { games: beside("sg4"), names: beside("sn4") }
    }
}

/// The games of a database.
pub struct Base<R> {
    index: BufReader<R>,
    games: File,
    /// Players, events, sites, rounds.
    names: [Vec<String>; 4],
    /// How many games are to come, and how many there are in all.
    left: u32,
    all: u32,
}

impl<R: Read> Base<R> {
    /// Opens a database, given a reader of its index.
    ///
    /// # Errors
    ///
    /// A file is missing, or its header or the names are not those of Scid 4.
    pub fn new(index: R, files: &Files) -> Result<Base<R>> {
        let mut index = BufReader::with_capacity(1 << 16, index);
        let mut header = [0; HEADER_LEN];
        index.read_exact(&mut header).context("the index of Scid is cut off")?;
        let version = u16::from_be_bytes([header[8], header[9]]);
        if version != VERSION {
            bail!("a database of version {version} of Scid's format: let Scid convert it to version {VERSION} (.si4)");
        }
        let games = File::open(&files.games).with_context(|| format!("cannot open {}", files.games.display()))?;
        let names = std::fs::read(&files.names).with_context(|| format!("cannot open {}", files.names.display()))?;
        let names = read_names(&names).with_context(|| files.names.display().to_string())?;
        let all = be(&header[14..17]);
        Ok(Base { index, games, names, left: all, all })
    }
}

impl<R: Read> Games for Base<R> {
    fn next_game(&mut self, text: &mut String) -> io::Result<bool> {
        let mut entry = [0; ENTRY_LEN];
        if self.left == 0 {
            return match self.index.read(&mut entry)? {
                0 => Ok(false),
                _ => Err(damaged(format_args!("it has more than the {} games that its index names", self.all))),
            };
        }
        self.index.read_exact(&mut entry).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                damaged(format_args!("its index ends after {} of {} games", self.all - self.left, self.all))
            }
            _ => error,
        })?;
        self.left -= 1;
        let entry = Entry(&entry);
        let (offset, len) = entry.place();
        let mut record = vec![0; len];
        let record = self.games.read_exact_at(&mut record, offset).is_ok().then_some(&record[..]);
        write_game(text, entry, &self.names, record.and_then(|record| scid::read(record).ok()).as_ref());
        Ok(true)
    }
}

fn damaged(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a damaged database of Scid: {what}"))
}

/// A number of up to four bytes.
fn be(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// The names of players, events, sites and rounds by their numbers. Those that are missing are empty.
fn read_names(bytes: &[u8]) -> Result<[Vec<String>; 4]> {
    if !bytes.starts_with(NAMES_MAGIC) || bytes.len() < NAMES_HEADER_LEN {
        bail!("not a file of names of Scid");
    }
    let mut rest = &bytes[NAMES_HEADER_LEN..];
    let mut kinds: [Vec<String>; 4] = Default::default();
    for (kind, names) in kinds.iter_mut().enumerate() {
        let of_kind = |from: usize| be(&bytes[from + 3 * kind..from + 3 * kind + 3]);
        let (count, most) = (of_kind(12) as usize, of_kind(24));
        let number_len = if count >= 1 << 16 { 3 } else { 2 };
        let frequency_len = match most {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 3,
        };
        // A damaged count must not make the program allocate memory for names that are not there.
        if count > rest.len() / (number_len + frequency_len + 1) {
            bail!("the names end too early");
        }
        let mut last = Vec::new();
        for at in 0..count {
            let mut take = |len: usize| {
                let (head, tail) = rest.split_at_checked(len).context("the names end too early")?;
                rest = tail;
                anyhow::Ok(head)
            };
            let number = be(take(number_len)?) as usize;
            take(frequency_len)?;
            let len = usize::from(take(1)?[0]);
            let common = if at == 0 { 0 } else { usize::from(take(1)?[0]) };
            if number >= count || common > len || common > last.len() {
                bail!("the names are damaged");
            }
            last.truncate(common);
            last.extend_from_slice(take(len - common)?);
            if names.len() <= number {
                names.resize(number + 1, String::new());
            }
            names[number] = decode(&last).into_owned();
        }
    }
    Ok(kinds)
}

/// An entry of the index.
#[derive(Clone, Copy)]
struct Entry<'a>(&'a [u8; ENTRY_LEN]);

impl Entry<'_> {
    fn number(self, from: usize, to: usize) -> u32 {
        be(&self.0[from..to])
    }

    /// Where the record is, and its length.
    fn place(self) -> (u64, usize) {
        let len = self.number(4, 6) as usize | usize::from(self.0[6] >> 7) << 16;
        (self.number(0, 4).into(), len.min(MAX_RECORD))
    }

    fn flags(self) -> u32 {
        (u32::from(self.0[6]) & 0x3f) << 16 | self.number(7, 9)
    }

    /// The numbers of White, Black, event, site and round.
    fn names(self) -> [u32; 5] {
        let (players, others) = (u32::from(self.0[9]), u32::from(self.0[14]));
        [
            players >> 4 << 16 | self.number(10, 12),
            (players & 15) << 16 | self.number(12, 14),
            others >> 5 << 16 | self.number(15, 17),
            (others >> 2 & 7) << 16 | self.number(17, 19),
            (others & 3) << 16 | self.number(19, 21),
        ]
    }

    fn result(self) -> &'static str {
        ["*", "1-0", "0-1", "1/2-1/2"][usize::from(self.0[21] >> 4) & 3]
    }

    /// The ECO code, with Scid's own letter and digit behind it if it has them.
    fn eco(self) -> Option<String> {
        let code = self.number(23, 25).checked_sub(1)?;
        let (basic, extra) = (code / 131, code % 131);
        let letter = char::from(b'A' + u8::try_from(basic / 100).ok()?);
        let mut text = format!("{letter}{:02}", basic % 100);
        if let Some(extra) = extra.checked_sub(1) {
            text.push(char::from(b'a' + (extra / 5) as u8));
            if !extra.is_multiple_of(5) {
                let _ = write!(text, "{}", extra % 5);
            }
        }
        Some(text)
    }

    fn date(self) -> u32 {
        self.number(25, 29) & 0xf_ffff
    }

    /// The day of the event, whose year is within three of the game's.
    fn event_date(self) -> Option<u32> {
        let date = self.number(25, 29) >> 20;
        let year = (self.date() >> 9) + (date >> 9 & 7);
        let day = year.saturating_sub(4) << 9 | date & 0x1ff;
        (date >> 9 & 7 > 0 && day > 0).then_some(day)
    }

    /// The rating of a side, with its name.
    fn rating(self, from: usize) -> Option<(&'static str, u32)> {
        let rating = self.number(from, from + 2);
        let name = RATINGS.get((rating >> 12) as usize).unwrap_or(&RATINGS[0]);
        (rating & 0xfff > 0).then_some((name, rating & 0xfff))
    }
}

/// A date as PGN writes it.
fn date(bits: u32) -> String {
    let part = |value: u32, len: usize| if value == 0 { "?".repeat(len) } else { format!("{value:0len$}") };
    format!("{}.{}.{}", part(bits >> 9, 4), part(bits >> 5 & 15, 2), part(bits & 31, 2))
}

/// Writes a game as PGN; without a record it has only its tags.
fn write_game(out: &mut String, entry: Entry<'_>, names: &[Vec<String>; 4], record: Option<&scid::Record<'_>>) {
    let [players, events, sites, rounds] = names;
    let [white, black, event, site, round] = entry.names();
    let name = |names: &[String], number: u32| {
        let found = names.get(number as usize).map(String::as_str).filter(|name| !name.is_empty());
        found.unwrap_or("?").to_owned()
    };
    push_tag(out, "Event", &name(events, event));
    push_tag(out, "Site", &name(sites, site));
    push_tag(out, "Date", &date(entry.date()));
    push_tag(out, "Round", &name(rounds, round));
    push_tag(out, "White", &name(players, white));
    push_tag(out, "Black", &name(players, black));
    push_tag(out, "Result", entry.result());
    for (side, from) in [("White", 29), ("Black", 31)] {
        if let Some((kind, rating)) = entry.rating(from) {
            push_tag(out, &format!("{side}{kind}"), &rating.to_string());
        }
    }
    if let Some(eco) = entry.eco() {
        push_tag(out, "ECO", &eco);
    }
    if let Some(day) = entry.event_date() {
        push_tag(out, "EventDate", &date(day));
    }
    let flags: String =
        (3..).zip(FLAGS.chars()).filter(|(bit, _)| entry.flags() >> bit & 1 == 1).map(|(_, flag)| flag).collect();
    if !flags.is_empty() {
        push_tag(out, "ScidFlags", &flags);
    }
    let empty = Vec::new();
    for (name, value) in record.map_or(&empty, |record| &record.tags) {
        let name = decode(name);
        let name: String = name.chars().map(|found| if found.is_ascii_alphanumeric() { found } else { '_' }).collect();
        if is_tag_name(&name) && !["SetUp", "FEN"].contains(&&*name) {
            push_tag(out, &name, &decode(value));
        }
    }
    if let Some(fen) = record.and_then(|record| record.fen) {
        push_tag(out, "SetUp", "1");
        push_tag(out, "FEN", &decode(fen));
    }
    out.push('\n');
    let comment = |bytes: &[u8]| decode(bytes).into_owned();
    match record.map(|record| record.write_moves(out, comment)) {
        Some(Ok(())) => out.push_str(entry.result()),
        _ => out.push_str(DAMAGE),
    }
    out.push_str("\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_codes() {
        assert_eq!(date(1851 << 9 | 6 << 5 | 21), "1851.06.21");
        assert_eq!(date(0), "????.??.??");
        assert_eq!(date(987 << 9), "0987.??.??");
        let with = |from: usize, bytes: &[u8]| {
            let mut entry = [0; ENTRY_LEN];
            entry[from..from + bytes.len()].copy_from_slice(bytes);
            entry
        };
        let eco = |code: u16| Entry(&with(23, &code.to_be_bytes())).eco();
        assert_eq!(eco(0), None);
        assert_eq!(eco(1).as_deref(), Some("A00"));
        assert_eq!(eco(131 + 1).as_deref(), Some("A01"));
        assert_eq!(eco(190 * 131 + 2).as_deref(), Some("B90a"));
        assert_eq!(eco(190 * 131 + 2 + 25 * 5 + 4).as_deref(), Some("B90z4"));
        assert_eq!(eco(499 * 131 + 1).as_deref(), Some("E99"));
        assert!(eco(u16::MAX).is_some());
        let day = |event: u32| {
            let bits = event << 20 | 1851 << 9 | 6 << 5 | 21;
            Entry(&with(25, &bits.to_be_bytes())).event_date().map(date)
        };
        assert_eq!(day(0), None);
        let unknown = (4u32 << 29).to_be_bytes();
        assert_eq!(Entry(&with(25, &unknown)).event_date(), None, "in the unknown year of the game");
        assert_eq!(day(4 << 9 | 5 << 5 | 27).as_deref(), Some("1851.05.27"));
        assert_eq!(day(3 << 9 | 12 << 5).as_deref(), Some("1850.12.??"));
        assert_eq!(Entry(&with(29, &[0x29, 0xc4])).rating(29), Some(("Rapid", 2500)));
        assert_eq!(Entry(&with(29, &[0xf0, 1])).rating(29), Some(("Elo", 1)));
        assert_eq!(Entry(&with(29, &[0x20, 0])).rating(29), None);
    }

    fn names(players: &[u8], count: u8) -> Vec<u8> {
        let header = [NAMES_MAGIC, &[0, 0, 0, 0, 0, 0, count], &[0; 21]].concat();
        [&header[..], players].concat()
    }

    #[test]
    fn names_share_their_beginnings() {
        let read = |bytes: &[u8], count| read_names(&names(bytes, count)).map(|[players, ..]| players);
        assert_eq!(read(b"\0\x01\x01\x04Adam\0\0\x01\x05\x04s", 2).unwrap(), ["Adams", "Adam"]);
        assert_eq!(read(b"\0\0\x01\x02\xe9a", 1).unwrap(), ["éa"], "Latin-1");
        for (bytes, reason) in
            [(&b"\0\0\x01\x04Ada"[..], "the names end too early"), (b"\0\x01\x01\x01A", "the names are damaged")]
        {
            assert_eq!(read(bytes, 1).unwrap_err().to_string(), reason);
        }
        assert_eq!(read(b"\0\0\x01\x01A\0\x01\x01\x03\x02B", 2).unwrap_err().to_string(), "the names are damaged");
        // more than the file can hold, whatever the first one is
        assert_eq!(read(b"\0\x05\x01\x01A", 2).unwrap_err().to_string(), "the names end too early");
        assert!(read_names(b"Scid.sn\0").is_err());
        assert!(read_names(&[0; 40]).is_err());
    }
}
