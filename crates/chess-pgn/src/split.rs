//! A stream of PGN to pieces that end between games, in constant memory.
//!
//! A [`Piece`] is some MiB of whole games. Taking a stream apart piece by piece gives the same games
//! as taking it apart at once, because a cut is made only where [`chess_core::text::read_pgn`] begins a new
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

use chess_core::text::read_pgn::opens_tag;
use memchr::{memchr_iter, memmem};

use crate::encoding::{self, BOM, Encoding};

/// The longest game that is read, in bytes.
pub const MAX_GAME: usize = 8 << 20;

/// About the most games of a piece, and the most bytes of one without tags.
const MAX_GAMES: usize = 8000;
const UNTAGGED: usize = 1 << 18;

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
            // The rows of many short games take more memory than their text.
            let dense = self.dense_len();
            if dense < self.buffer.len().min(room)
                && let Some(cut) = last_cut(&self.buffer[..dense]).or_else(|| self.before_last_game(dense))
            {
                return Ok(Some(self.take(cut)));
            }
            if self.buffer.len() >= room || self.at_end {
                return Ok(Some(self.take(room.min(self.buffer.len()))));
            }
            if let Some(cut) = last_cut(&self.buffer).or_else(|| self.before_last_game(self.buffer.len())) {
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
            self.fill(WINDOW.min(self.distance(end)));
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let more = self.take(self.distance(end).min(self.buffer.len()));
            if more.bytes.is_empty() {
                break;
            }
            piece.end = more.end;
            piece.lines += more.lines;
            piece.last = more.last;
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

    /// How much of the buffer holds about [`MAX_GAMES`] games, by the sections of tags in it.
    fn dense_len(&self) -> usize {
        let games = memmem::find_iter(&self.buffer, b"\n[Event ").count();
        match games {
            0 => self.buffer.len().min(UNTAGGED),
            _ => self.buffer.len() / games.div_ceil(MAX_GAMES),
        }
    }

    /// Where the last of several games starts, in text that has no other place to cut.
    fn before_last_game(&self, len: usize) -> Option<usize> {
        let mut last = None;
        let mut count = 0;
        for unit in encoding::units(&self.buffer[..len], self.encoding) {
            let mut place = unit.place();
            for game in chess_core::text::read_pgn::games(&unit.text) {
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

/// Whether the last line is blank and the last one with something on it is no tag and no escape line.
fn follows_moves(above: &[u8]) -> bool {
    let mut lines = above.strip_suffix(b"\n").unwrap_or(above).rsplit(|byte| *byte == b'\n');
    let is_blank = |line: &[u8]| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    if !lines.next().is_some_and(is_blank) {
        return false;
    }
    let line = lines.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"%"));
    let bare = |line| <[u8]>::strip_prefix(line, BOM).unwrap_or(line).trim_ascii_start();
    line.is_some_and(|line| !bare(line).starts_with(b"["))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Decoded;
    use crate::record::Keep;

    /// A stream that hands out a few bytes at a time.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1 % 7 + 1;
            let len = self.1.min(buffer.len()).min(self.0.len());
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn pieces(bytes: &[u8], target: usize) -> Vec<Piece> {
        let mut splitter = Splitter::new(Dribble(bytes, 0), target, Encoding::Auto);
        std::iter::from_fn(|| splitter.next(None).unwrap()).collect()
    }

    /// Place, line and outcome of every game.
    fn games(pieces: &[Piece]) -> Vec<(u64, Option<u64>, String)> {
        let mut all = Vec::new();
        for piece in pieces {
            let decoded = Decoded::new(piece, Encoding::Auto);
            let games = decoded.games(Keep::default());
            let stored = games.records.iter().map(|(offset, record)| (*offset, None, format!("{record:?}")));
            all.extend(stored);
            let line = |line| Some(piece.lines_before + line);
            all.extend(games.rejected.iter().map(|game| (game.offset, line(game.line), game.text.to_string())));
        }
        all.sort();
        all
    }

    fn traps() -> Vec<u8> {
        let mut text: Vec<u8> = BOM.to_vec();
        for part in [
            "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 e5 *\n\n",
            "[Event \"crlf\"]\r\n\r\n1. e4\r\n\r\n\r\n[Event \"no result\"]\r\n\r\n1. d4\r\n\r\n",
            "[Event \"gap\"]\n\n[Site \"in the tags\"]\n\n% escape\n\n[Round \"1\"]\n\n1. e4 *\n\n",
            "[Event \"none\"]\n\n[Event \"two\"]\n\n[x\n\n[Event \"three\"]\n1. e4 *\n[Event \"four\"]\n1. c4 *\n",
            "[Event \"open\"]\n\n1. e4 {\n\n[Event \"next\"]\n\n1. e4 {[Event \"no\"]\n[Event \"no\"]} *\n\n",
            " [Event \"indented\"]\n\n1. e5 *\n\n1. e4 *\n1. d4 1-0\n1. e9 *\n\n; between\n\n[Event \"end\"]\n\n1. e4",
        ] {
            text.extend_from_slice(part.as_bytes());
            text.extend_from_slice(
                b"\n\n[Event \"M\xfcnchen\"]\n\n1. e4 {\xe4} *\n\n[Event \"M\xc3\xbcnchen\"]\n\n1. d5 *\n\n",
            );
            text.extend_from_slice(BOM);
        }
        text
    }

    #[test]
    fn pieces_hold_the_same_games_as_the_whole() {
        let text = traps();
        for end in (0..text.len()).rev().step_by(5) {
            let text = &text[..end];
            let whole = games(&pieces(text, 1 << 20));
            for target in [1, 40, 100, 333, 1000] {
                let some = pieces(text, target);
                assert_eq!(some.iter().flat_map(|piece| piece.bytes.clone()).collect::<Vec<_>>(), text);
                assert!(some.windows(2).all(|pair| pair[0].end == pair[1].start));
                let found = games(&some);
                let other = found.iter().zip(&whole).find(|(found, whole)| found != whole);
                assert_eq!(other, None, "{end} {target}");
                assert_eq!(found.len(), whole.len(), "{end} {target}");
            }
        }
        assert!(pieces(&text, 100).len() > 10);
    }

    #[test]
    fn moves_without_tags_in_constant_memory() {
        let text = "1. e4 e5 2. Nf3 Nc6 1-0\n".repeat(1000);
        let some = pieces(text.as_bytes(), 500);
        assert!(some.len() > 30 && some.iter().all(|piece| piece.bytes.len() <= 500));
        assert_eq!(games(&some), games(&pieces(text.as_bytes(), 1 << 20)));
    }

    #[test]
    fn a_game_that_is_too_long() {
        let mut text = b"[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. e4 {".to_vec();
        text.resize(text.len() + MAX_GAME + 300_000, b'x');
        let after = text.len();
        text.extend_from_slice(b"\n\n[Event \"3\"]\n\n1. d4 *\n");
        let some = pieces(&text, 100);
        let kinds: Vec<(u64, bool)> = some.iter().map(|piece| (piece.end, piece.oversize)).collect();
        assert_eq!(kinds, [(22, false), (after as u64 + 2, true), (text.len() as u64, false)]);
        assert_eq!(some[1].bytes.len(), MAX_GAME + 1);
        assert_eq!((some[1].lines, some[2].lines_before), (4, 8));
        let mut splitter = Splitter::new(&text[..], 100, Encoding::Auto);
        for piece in &some {
            let again = splitter.again(piece.end).unwrap();
            let (start, end, lines) = (piece.start, piece.end, piece.lines);
            assert_eq!((again.start, again.end, again.lines, again.oversize), (start, end, lines, piece.oversize));
            assert!(piece.bytes.starts_with(&again.bytes));
        }
    }

    #[test]
    fn goes_on_between_known_pieces() {
        let text = traps();
        let some = pieces(&text, 100);
        let mut splitter = Splitter::new(&text[..], 300, Encoding::Auto);
        let known = &some[some.len() / 2];
        let mut all = Vec::new();
        while splitter.position() < known.start {
            all.extend(splitter.next(Some(known.start)).unwrap());
        }
        assert_eq!(splitter.position(), known.start);
        all.push(splitter.again(known.end).unwrap());
        all.extend(std::iter::from_fn(|| splitter.next(None).unwrap()));
        assert_eq!(games(&all), games(&some));
        assert!(all.last().unwrap().last);
    }

    #[test]
    fn what_was_read_before_a_failure_comes_out() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("torn"))
            }
        }
        let text = b"[Event \"1\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. e4";
        let mut splitter = Splitter::new(text.chain(Fails), 1 << 20, Encoding::Auto);
        assert_eq!(splitter.next(None).unwrap().unwrap().end, 22);
        assert!(splitter.next(None).is_err());
    }
}
