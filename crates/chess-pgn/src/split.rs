//! A stream of PGN to pieces that end between games, in constant memory.
//!
//! A [`Piece`] is some MiB of whole games. Taking a stream apart piece by piece gives the same games
//! as taking it apart at once, because a cut is made only where [`chess_core::pgn`] begins a new
//! game whatever stands before: at a tag at the start of a line, with a blank line above it and
//! something else than tags above that (a blank line may stand among tags, too). A byte order mark
//! at the start of a line is such a place as well: there, files have been joined.
//!
//! Text without such places, as moves without tags, is cut before the last game that the reader
//! finds in it. What is still one game after [`MAX_GAME`] bytes is passed over up to the next cut
//! and handed out as a piece that is marked so.
//!
//! Where a piece ends depends on the bytes of the stream and the size asked for alone, not on how
//! they arrive. The pieces that an earlier run has stored are cut again as they were.

use std::io::{self, Read};

use memchr::{memchr_iter, memmem};

use crate::encoding::{self, BOM, Encoding};

/// The longest game that is read, in bytes.
pub const MAX_GAME: usize = 8 << 20;

/// How much is looked at together in search of the end of a game that is too long, and how much of
/// it twice.
const WINDOW: usize = 1 << 20;
const OVERLAP: usize = 1 << 16;

/// Some whole games.
#[derive(Debug)]
pub struct Piece {
    /// Where it starts in the unpacked stream.
    pub start: u64,
    /// Where it ends; further than its bytes reach if it is [`Piece::oversize`].
    pub end: u64,
    /// The number of line breaks before it.
    pub lines_before: u64,
    /// The number of line breaks in it.
    pub lines: u64,
    /// The bytes, of a game that is too long its beginning.
    pub bytes: Vec<u8>,
    /// Whether it is one game that is too long to be read.
    pub oversize: bool,
    /// Whether the stream is known to end with it.
    pub last: bool,
}

/// Takes a stream apart.
pub struct Splitter<R> {
    input: R,
    target: usize,
    encoding: Encoding,
    /// The bytes from `start` on that have been read.
    buffer: Vec<u8>,
    start: u64,
    lines: u64,
    at_end: bool,
    failed: Option<io::Error>,
}

impl<R: Read> Splitter<R> {
    /// Pieces of about `target` bytes.
    pub fn new(input: R, target: usize, encoding: Encoding) -> Splitter<R> {
        Splitter { input, target, encoding, buffer: Vec::new(), start: 0, lines: 0, at_end: false, failed: None }
    }

    /// Where the next piece starts.
    pub fn position(&self) -> u64 {
        self.start
    }

    /// The beginning of what is left, at most `len` bytes.
    pub fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        self.fill(len);
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(&self.buffer[..len.min(self.buffer.len())]),
        }
    }

    /// The next piece; it does not reach beyond `limit`, where a piece starts that an earlier run has
    /// cut. If reading fails, the games before the failure come out first.
    pub fn next(&mut self, limit: Option<u64>) -> io::Result<Option<Piece>> {
        let room = self.distance(limit.unwrap_or(u64::MAX));
        let mut want = self.target;
        loop {
            // One byte more than a game may have, to tell whether the stream goes on.
            self.fill(if want == MAX_GAME { want + 1 } else { want }.min(room));
            if let Some(error) = self.failed.take() {
                let cut = last_cut(&self.buffer).ok_or(error)?;
                return Ok(Some(self.take(cut)));
            }
            if self.buffer.is_empty() {
                return Ok(None);
            }
            if self.buffer.len() >= room || self.at_end {
                return Ok(Some(self.take(room.min(self.buffer.len()))));
            }
            if let Some(cut) = last_cut(&self.buffer).or_else(|| self.before_last_game()) {
                return Ok(Some(self.take(cut)));
            }
            if want == MAX_GAME {
                return self.pass_over(limit).map(Some);
            }
            want = (2 * want).min(MAX_GAME);
        }
    }

    /// The piece up to `end`, as an earlier run has cut it.
    pub fn again(&mut self, end: u64) -> io::Result<Piece> {
        let len = self.distance(end);
        self.fill(len.min(MAX_GAME));
        if len <= MAX_GAME && self.failed.is_none() {
            return Ok(self.take(len.min(self.buffer.len())));
        }
        let mut piece = self.take(self.buffer.len().min(MAX_GAME));
        loop {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let rest = self.distance(end);
            let more = self.take(rest.min(self.buffer.len()));
            if more.bytes.is_empty() {
                break;
            }
            piece.end = more.end;
            piece.lines += more.lines;
            piece.last = more.last;
            self.fill(WINDOW.min(self.distance(end)));
        }
        piece.oversize = true;
        Ok(piece)
    }

    fn distance(&self, place: u64) -> usize {
        usize::try_from(place.saturating_sub(self.start)).unwrap_or(usize::MAX)
    }

    fn fill(&mut self, len: usize) {
        if self.buffer.len() < len && !self.at_end {
            let missing = len - self.buffer.len();
            match self.input.by_ref().take(missing as u64).read_to_end(&mut self.buffer) {
                Ok(read) => self.at_end = read < missing,
                Err(error) => self.failed = Some(error),
            }
        }
    }

    fn take(&mut self, len: usize) -> Piece {
        let rest = self.buffer.split_off(len);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        let (start, lines_before) = (self.start, self.lines);
        let lines = memchr_iter(b'\n', &bytes).count() as u64;
        self.start += len as u64;
        self.lines += lines;
        let last = self.at_end && self.buffer.is_empty();
        Piece { start, end: self.start, lines_before, lines, bytes, oversize: false, last }
    }

    /// Where the last of several games starts, in text that has no other place to cut.
    fn before_last_game(&self) -> Option<usize> {
        let mut last = None;
        let mut count = 0;
        for unit in encoding::units(&self.buffer, self.encoding) {
            let mut place = unit.place();
            for game in chess_core::pgn::games(&unit.text) {
                last = Some(unit.at + place.raw_offset(game.offset));
                count += 1;
            }
        }
        last.filter(|at| count > 1 && *at > 0)
    }

    /// A game that is too long: its beginning; everything up to the next cut is passed over.
    fn pass_over(&mut self, limit: Option<u64>) -> io::Result<Piece> {
        let mut piece = self.take(self.buffer.len() - OVERLAP);
        piece.bytes.extend_from_slice(&self.buffer);
        loop {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let room = self.distance(limit.unwrap_or(u64::MAX));
            let cut = if self.buffer.len() >= room { Some(room) } else { first_cut(&self.buffer) };
            let keep = if self.at_end { 0 } else { OVERLAP };
            let passed = self.take(cut.unwrap_or(self.buffer.len().saturating_sub(keep)));
            piece.end = passed.end;
            piece.lines += passed.lines;
            piece.last = passed.last;
            if cut.is_some() || self.buffer.is_empty() {
                break;
            }
            self.fill(WINDOW.min(self.distance(limit.unwrap_or(u64::MAX))));
        }
        piece.oversize = true;
        Ok(piece)
    }
}

/// The last place in `bytes`, apart from its start, where a game begins for certain.
fn last_cut(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    while let Some(newline) = memchr::memrchr(b'\n', &bytes[..end]) {
        if is_cut(bytes, newline + 1) {
            return Some(newline + 1);
        }
        end = newline;
    }
    None
}

/// The first such place.
pub fn first_cut(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', bytes).map(|newline| newline + 1).find(|at| is_cut(bytes, *at))
}

/// Whether a game begins at `at`, the start of a line.
fn is_cut(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    rest.starts_with(BOM) || opens_tag(rest) && follows_moves(&bytes[..at])
}

/// Whether a tag seems to start here: `[Name "`.
fn opens_tag(bytes: &[u8]) -> bool {
    let Some(name) = bytes.strip_prefix(b"[") else { return false };
    let len = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let after = name[len..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    len > 0 && after == Some(&b'"')
}

/// Whether the last line is blank and the last one with something on it is no tag and no escape line.
fn follows_moves(above: &[u8]) -> bool {
    let mut lines = above.strip_suffix(b"\n").unwrap_or(above).rsplit(|byte| *byte == b'\n');
    let is_blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    if !lines.next().is_some_and(is_blank) {
        return false;
    }
    let line = lines.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"%"));
    line.is_some_and(|line| !line.trim_ascii_start().starts_with(b"["))
}

/// The places in `bytes` where text of another encoding may begin: those of joined files included.
pub fn cuts(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let cut = at + first_cut(&bytes[at..])?;
        at = cut;
        Some(cut)
    })
}

/// Whether a byte order mark stands at the start of a line in the midst of `bytes`.
pub fn has_inner_bom(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"\n\xef\xbb\xbf").is_some()
}
