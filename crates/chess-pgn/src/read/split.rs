//! Splits a stream of PGN into pieces of whole games, in constant memory.
//!
//! A [`Piece`] has some MiB. Parsing the pieces gives the same games as parsing the stream at once, because it is split
//! only where a game certainly begins ([`super::cuts`]).
//!
//! Text without such places, such as moves without tags, is split before the last game that the parser finds in it. A
//! game longer than [`MAX_GAME`] is skipped up to the next cut and becomes a piece marked as oversize.
//!
//! Where pieces end depends only on the bytes and the target size, not on how the bytes arrive. A later run therefore
//! cuts the pieces of an earlier one again.

use std::io::{self, Read};

use memchr::{memmem, memrchr};

use super::cuts::{first_cut, last_cut, line_breaks};
use super::encoding::{Encoding, starts};

/// The maximum length of a game in bytes.
pub const MAX_GAME: usize = 8 << 20;

/// The approximate maximum number of games in a piece.
const MAX_GAMES: usize = 8000;
/// The maximum length of a piece without tags.
const UNTAGGED: usize = 1 << 18;

/// How many bytes are searched at once for the end of an oversize game.
const WINDOW: usize = 1 << 20;
/// How many bytes of a window are searched again with the next one, since a cut is recognized by the lines around it.
const OVERLAP: usize = 1 << 16;

/// Some whole games.
#[derive(Debug)]
pub struct Piece {
    /// Its offset in the uncompressed stream.
    pub start: u64,
    /// The offset of its end; an oversize piece has fewer bytes than that.
    pub end: u64,
    /// The number of line breaks before it.
    pub lines_before: u64,
    /// The number of line breaks in it.
    pub lines: u64,
    /// The bytes; only the beginning of an oversize game.
    pub bytes: Vec<u8>,
    /// Whether it is a single game that is too long.
    pub oversize: bool,
    /// Whether it is known to end the stream.
    pub last: bool,
}

/// Splits a stream.
pub struct Splitter<R> {
    input: R,
    target: usize,
    encoding: Encoding,
    /// Bytes that were read, beginning at `start`.
    buffer: Vec<u8>,
    start: u64,
    lines: u64,
    at_end: bool,
    failed: Option<io::Error>,
}

impl<R: Read> Splitter<R> {
    /// Splits into pieces of about `target` bytes.
    pub fn new(input: R, target: usize, encoding: Encoding) -> Splitter<R> {
        Splitter { input, target, encoding, buffer: Vec::new(), start: 0, lines: 0, at_end: false, failed: None }
    }

    /// The offset of the next piece.
    pub fn position(&self) -> u64 {
        self.start
    }

    /// The next bytes, at most `len`; fewer if the stream ends or fails there.
    ///
    /// # Errors
    ///
    /// The stream failed and no bytes are left.
    pub fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        self.fill(len);
        if self.buffer.is_empty() && self.failed.is_some() {
            return Err(self.failure());
        }
        Ok(&self.buffer[..len.min(self.buffer.len())])
    }

    /// The next piece, which ends at `limit` at the latest, where a stored piece starts. If reading fails, the games
    /// before the failure are returned first.
    pub fn next(&mut self, limit: Option<u64>) -> io::Result<Option<Piece>> {
        let room = self.distance(limit.unwrap_or(u64::MAX));
        let mut want = self.target;
        loop {
            // One more byte than a game may have tells whether the stream continues.
            let asked = if want == MAX_GAME { want + 1 } else { want }.min(room);
            self.fill(asked);
            // Bytes that `peek` has read beyond are ignored, so that pieces do not depend on it.
            let len = asked.min(self.buffer.len());
            let window = &self.buffer[..len];
            let at_end = len < asked;
            if at_end && self.failed.is_some() {
                return match last_cut(window) {
                    Some(cut) => Ok(Some(self.take(cut))),
                    None => Err(self.failure()),
                };
            }
            if len == 0 {
                return Ok(None);
            }
            // Rows of many short games take more memory than their text.
            let dense = dense_len(window);
            if dense < len
                && let Some(cut) = last_cut(&window[..dense]).or_else(|| self.before_last_game(dense))
            {
                return Ok(Some(self.take(cut)));
            }
            if len >= room || at_end {
                return Ok(Some(self.take(len)));
            }
            if let Some(cut) = last_cut(window).or_else(|| self.before_last_game(len)) {
                return Ok(Some(self.take(cut)));
            }
            if want == MAX_GAME {
                return self.pass_over(limit).map(Some);
            }
            want = (2 * want).min(MAX_GAME);
        }
    }

    /// The piece that ends at `end`, as in an earlier run.
    pub fn again(&mut self, end: u64) -> io::Result<Piece> {
        let len = self.distance(end);
        self.fill(len.min(MAX_GAME));
        if self.buffer.len() < len.min(MAX_GAME) && self.failed.is_some() {
            return Err(self.failure());
        }
        if len <= MAX_GAME {
            return Ok(self.take(len.min(self.buffer.len())));
        }
        let mut piece = self.take(self.buffer.len().min(MAX_GAME));
        loop {
            let len = WINDOW.min(self.distance(end));
            self.fill(len);
            if self.buffer.len() < len && self.failed.is_some() {
                return Err(self.failure());
            }
            let more = self.take(len.min(self.buffer.len()));
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

    /// Returns the end of the last piece, from `at` on, to the stream: it becomes part of the next piece.
    pub fn give_back(&mut self, piece: &mut Piece, at: usize) {
        let rest = piece.bytes.split_off(at);
        let lines = line_breaks(&rest);
        self.start -= rest.len() as u64;
        self.lines -= lines;
        self.buffer.splice(..0, rest);
        piece.end = self.start;
        piece.lines -= lines;
        piece.last = false;
    }

    fn distance(&self, place: u64) -> usize {
        usize::try_from(place.saturating_sub(self.start)).unwrap_or(usize::MAX)
    }

    /// Reads until the buffer holds `len` bytes, or the stream ends or fails.
    fn fill(&mut self, len: usize) {
        if self.buffer.len() < len && !self.at_end && self.failed.is_none() {
            let missing = len - self.buffer.len();
            match self.input.by_ref().take(missing as u64).read_to_end(&mut self.buffer) {
                Ok(read) => self.at_end = read < missing,
                Err(error) => self.failed = Some(error),
            }
        }
    }

    /// The error of the stream; it is kept for later calls.
    fn failure(&mut self) -> io::Error {
        let error = self.failed.take().unwrap_or_else(|| io::Error::other("the stream has failed"));
        self.failed = Some(io::Error::new(error.kind(), error.to_string()));
        error
    }

    fn take(&mut self, len: usize) -> Piece {
        let rest = self.buffer.split_off(len);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        let (start, lines_before) = (self.start, self.lines);
        let lines = line_breaks(&bytes);
        self.start += len as u64;
        self.lines += lines;
        let last = self.at_end && self.buffer.is_empty();
        Piece { start, end: self.start, lines_before, lines, bytes, oversize: false, last }
    }

    /// The start of the last of several games in text without certain cuts. An incomplete line is ignored, because a
    /// truncated tag value may look like moves. A comment or a variation that the window cuts off belongs to the game
    /// before it: a game that is found there begins with a tag or a word.
    fn before_last_game(&self, len: usize) -> Option<usize> {
        let window = &self.buffer[..len];
        let line_break = memrchr(b'\n', window).or_else(|| memrchr(b'\r', window));
        let found = starts(&window[..line_break.map_or(len, |at| at + 1)], self.encoding);
        let begins = |at: &usize| !matches!(window[*at], b'{' | b'(' | b'$' | b';');
        found.into_iter().skip(1).map(|game| game.start).rfind(begins)
    }

    /// Returns the beginning of an oversize game and skips everything up to the next cut.
    fn pass_over(&mut self, limit: Option<u64>) -> io::Result<Piece> {
        let mut piece = self.take(MAX_GAME + 1 - OVERLAP);
        piece.bytes.extend_from_slice(&self.buffer[..OVERLAP - 1]);
        loop {
            if self.failed.is_some() {
                return Err(self.failure());
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

/// The length of a prefix of `bytes` with about [`MAX_GAMES`] games, estimated by counting Event tags.
fn dense_len(bytes: &[u8]) -> usize {
    let games = memmem::find_iter(bytes, b"\n[Event ").count();
    match games {
        0 => bytes.len().min(UNTAGGED),
        _ => bytes.len() / games.div_ceil(MAX_GAMES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::cuts::BOM;
    use crate::read::parse::Decoded;
    use crate::read::record::Keep;

    /// A stream that returns only a few bytes per read.
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

    /// Offset, line and outcome of every game.
    fn games(pieces: &[Piece]) -> Vec<(u64, Option<u64>, String)> {
        let mut all = Vec::new();
        for piece in pieces {
            let decoded = Decoded::new(piece, Encoding::Auto);
            let games = decoded.games(Keep::default(), None);
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
            "[White \"a\"]\n; between\n\n[Black \"b\"]\n{ two\nlines }\n\n[Round \"1\"]\n\n1. c4 {x}\n\n[Event \"broken\ninto two\"]\n\n1. c4 (1-0)\n\n",
            "[White \"a\"]\nBlack \"unopened\"]\n\n[Round \"2\"]\n\n1. e4 0-0\n\n  [White \"c\"]\n\n  1. e4 1/2-1/2 1/2-1/2\n\n",
            " [Event \"indented\"]\n\n1. e5 *\n\n1. e4 *\n1. d4 1-0\n1. e9 *\n\n; between\n\n[Event \"end\"]\n\n1. e4",
            "[Event \"odd\"]\n\x1a\n\n[Site \"x\"]\n\u{a0}\n\u{feff}[Round \"1\"]\n\n\u{feff}1. e4 *\n\u{feff}[Event \"joined\"]\n\n1. e4 {\n\u{feff}[Event \"joined\"]\n\x1a\x1a",
            "[Event Plain]\n[White Morphy]\n\n1. e4 e5\n\n[Event Plain]\n[White Morphy]\n\n1. e4 e5\n[Event = \"x\"]\n[Site: \"y\"]\njunk\n[Round \"1\"]\n\n1. d4\n\n[Event = \"x\"]\n\n1. d4 {open\n[Event \"a\"]\n[Site \"b\"]\n[Event \"a\"]\n[Site \"b\"]\n",
            "[Event \"behind\"]\n1. e4 1-0\n{a comment\nbehind the result}\n\n[Event \"variation\"]\n1. e4 e5 1-0\n(1... c5\n(1... c6 {x}\n2. d4) 2. Nf3)\n$1\n; line",
            "[Event \"joined within the tags\"]\nWhite: a\n\u{feff}[Site \"b\"]\n\n1. e4 *\n",
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
    fn what_stands_behind_a_result_stays_with_its_game() {
        let comment = format!("{{{}}}\n\n", "forty lines\n".repeat(40));
        let variation = format!("(1... c5\n{})\n", "(2. c3 {x}\n d5)\n".repeat(20));
        for behind in [comment, variation] {
            let text = format!("[Event \"E\"]\n[White \"W\"]\n\n1. e4 e5 1-0\n{behind}").repeat(50);
            let whole = games(&pieces(text.as_bytes(), 1 << 20));
            assert_eq!(whole.len(), 50);
            for target in [100, 333, 1000, 5000] {
                assert_eq!(games(&pieces(text.as_bytes(), target)), whole, "{target}");
            }
        }
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
        assert_eq!(some[1].bytes.len(), MAX_GAME);
        assert_eq!((some[1].lines, some[2].lines_before), (4, 8));
        let mut splitter = Splitter::new(&text[..], 100, Encoding::Auto);
        for piece in &some {
            let again = splitter.again(piece.end).unwrap();
            let (start, end, lines) = (piece.start, piece.end, piece.lines);
            assert_eq!((again.start, again.end, again.lines, again.oversize), (start, end, lines, piece.oversize));
            assert!(piece.bytes == again.bytes);
        }
    }

    #[test]
    fn looking_ahead_moves_no_cut() {
        let text = traps();
        for target in [1, 40, 100, 333, 1000] {
            let some = pieces(&text, target);
            let mut splitter = Splitter::new(&text[..], target, Encoding::Auto);
            for (number, piece) in some.iter().enumerate() {
                let _ = splitter.peek(number * 37).unwrap();
                let found = splitter.next(None).unwrap().unwrap();
                assert_eq!((found.start, found.end, found.lines_before), (piece.start, piece.end, piece.lines_before));
            }
            assert!(splitter.next(None).unwrap().is_none());
        }
    }

    #[test]
    fn the_end_of_a_piece_is_given_back() {
        let text = traps();
        let mut splitter = Splitter::new(&text[..], 100, Encoding::Auto);
        let first = splitter.next(None).unwrap().unwrap();
        let mut second = splitter.next(None).unwrap().unwrap();
        let (whole, lines) = (second.bytes.clone(), second.lines);
        splitter.give_back(&mut second, 5);
        assert_eq!((second.end, &second.bytes[..]), (first.end + 5, &whole[..5]));
        assert_eq!(splitter.position(), second.end);
        let rest = splitter.again(first.end + whole.len() as u64).unwrap();
        assert_eq!((&rest.bytes[..], second.lines + rest.lines), (&whole[5..], lines));
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
