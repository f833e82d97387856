//! Games of Scid's databases (the files `.sg4`): the bytes of a record come in, its tags and its moves as PGN go out.
//!
//! A record has four parts:
//!
//! 1. Tags: a byte with the length of the name, the name, a byte with the length of the value, the value. Lengths from
//!    241 on are numbers of common names. A zero ends them.
//! 2. A byte of flags, and, if bit 0 is set, a FEN that a zero ends.
//! 3. Moves: the number of the piece in the high half of a byte, where it goes in the low half (see [`target`]). The
//!    king has numbers to spare: 11 is a glyph, whose number follows; 12 a comment; 13 and 14 begin and end a variation
//!    of the move before; 15 ends the game.
//! 4. Comments, each ended by a zero, in the order of their marks.
//!
//! Pieces are numbered by side: the king is 0, the others of the standard start follow from a1 to h1 (a8 to h8) and
//! then the pawns; of other starts they are in the order of the FEN, and the king changes places with the piece that
//! was first. The last piece takes the number of one that is captured.
//!
//! Text in Scid's files is in UTF-8, or in Latin-1: the caller decodes it.

use std::fmt::Write as _;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move, Position, PositionError, Role, Square,
};

use crate::pause::Pauses;

/// The longest record; its length has 17 bits.
pub const MAX_RECORD: usize = (1 << 17) - 1;
/// Variations in variations: more are taken for damage.
const DEPTH: usize = 1000;

/// Names of tags by their number, from 241.
const COMMON_TAGS: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "SetUp",
    "Source",
    "SetUp",
];
const FIRST_COMMON_TAG: u8 = 241;
/// A tag without a name, whose value has three bytes, in files of old versions.
const OLD_EVENT_DATE: u8 = 255;

const GLYPH: u8 = 11;
const COMMENT: u8 = 12;
const VARIATION: u8 = 13;
const VARIATION_END: u8 = 14;
const GAME_END: u8 = 15;

/// A record: its parts are slices of its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record<'a> {
    /// Names and values of tags.
    pub tags: Vec<(&'a [u8], &'a [u8])>,
    /// The start position, if it is not the standard one.
    pub fen: Option<&'a [u8]>,
    moves: &'a [u8],
    comments: &'a [u8],
}

/// The record is not one of Scid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Reads the parts of a record; moves and comments are read by [`Record::write_moves`].
///
/// # Errors
///
/// The tags or the start do not end.
pub fn read(record: &[u8]) -> Result<Record<'_>, Damaged> {
    let mut rest = record;
    let mut take = |len: usize| {
        let (head, tail) = rest.split_at_checked(len).ok_or(Damaged)?;
        rest = tail;
        Ok(head)
    };
    let mut tags = Vec::new();
    loop {
        let name = match take(1)?[0] {
            0 => break,
            OLD_EVENT_DATE => {
                take(3)?;
                continue;
            }
            number @ FIRST_COMMON_TAG.. => {
                COMMON_TAGS.get(usize::from(number - FIRST_COMMON_TAG)).copied().unwrap_or_default().as_bytes()
            }
            len => take(len.into())?,
        };
        let len = take(1)?[0];
        let value = take(len.into())?;
        if !name.is_empty() {
            tags.push((name, value));
        }
    }
    let flags = take(1)?[0];
    let fen = if flags & 1 == 1 {
        let len = rest.iter().position(|byte| *byte == 0).ok_or(Damaged)?;
        let fen = &rest[..len];
        rest = &rest[len + 1..];
        Some(fen)
    } else {
        None
    };
    let (moves, comments) = rest.split_at(end_of_moves(rest));
    Ok(Record { tags, fen, moves, comments })
}

/// The place after the mark that ends a game. The second byte of a queen's move is none of the marks, but the number of a
/// glyph can be.
fn end_of_moves(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += if *byte == GLYPH { 2 } else { 1 };
        if *byte == GAME_END {
            return at;
        }
    }
    bytes.len()
}

impl Record<'_> {
    /// Appends the moves with comments, glyphs and variations, without a result. `decode` makes text of the bytes of a
    /// comment.
    ///
    /// # Errors
    ///
    /// The game cannot be read to its end: what can be read is written, and its variations are closed.
    pub fn write_moves(&self, out: &mut String, decode: impl Fn(&[u8]) -> String) -> Result<(), Damaged> {
        let mut outer = Vec::new();
        let done = self.write(out, decode, &mut outer);
        outer.iter().for_each(|_| out.push_str(") "));
        done
    }

    /// `outer` has the positions after and before the last move of each line that a variation has interrupted.
    fn write(
        &self,
        out: &mut String,
        decode: impl Fn(&[u8]) -> String,
        outer: &mut Vec<(Place, Place)>,
    ) -> Result<(), Damaged> {
        let start = match self.fen {
            None => Place::standard(),
            Some(fen) => Place::at(fen).ok_or(Damaged)?,
        };
        let mut comments = self.comments.split(|byte| *byte == 0);
        let mut before = start.clone();
        let mut now = start;
        let mut number_due = true;
        let mut bytes = self.moves.iter();
        let mut pauses = Pauses::default();
        while let Some(byte) = bytes.next() {
            pauses.step();
            match *byte {
                GLYPH => {
                    let _ = write!(out, "${} ", bytes.next().ok_or(Damaged)?);
                }
                COMMENT => {
                    push_comment(out, &decode(comments.next().unwrap_or_default()));
                    number_due = true;
                }
                VARIATION => {
                    if outer.len() == DEPTH {
                        return Err(Damaged);
                    }
                    out.push_str("( ");
                    outer.push((std::mem::replace(&mut now, before.clone()), before.clone()));
                    number_due = true;
                }
                VARIATION_END => {
                    (now, before) = outer.pop().ok_or(Damaged)?;
                    out.push_str(") ");
                    number_due = true;
                }
                GAME_END => return if outer.is_empty() { Ok(()) } else { Err(Damaged) },
                code => {
                    before.clone_from(&now);
                    let second = |bytes: &mut std::slice::Iter<'_, u8>| bytes.next().copied();
                    now.play(out, code, number_due, || second(&mut bytes)).ok_or(Damaged)?;
                    number_due = false;
                }
            }
        }
        Err(Damaged)
    }
}

/// Appends a comment. A closing brace, which PGN cannot have in one, makes it a comment to the end of the line; and no
/// comment has the tag after a blank line that begins the next game.
fn push_comment(out: &mut String, text: &str) {
    let text = text.trim();
    if text.contains('}') {
        let line: String = text.chars().map(|found| if found.is_control() { ' ' } else { found }).collect();
        let _ = writeln!(out, ";{line}");
        return;
    }
    out.push('{');
    // One line break where there are several, and nothing that indents the next line: then no tag follows a blank line, and no
    // line begins with a byte order mark, which would begin a file.
    let mut breaks = false;
    for found in text.chars() {
        match found {
            '\n' | '\r' => breaks = true,
            ' ' | '\t' | '\0' | '\u{feff}' if breaks => (),
            _ => {
                if std::mem::take(&mut breaks) {
                    out.push('\n');
                }
                out.push(if found == '\0' { ' ' } else { found });
            }
        }
    }
    out.push_str("} ");
}

/// A position, with the squares of the numbered pieces.
#[derive(Clone, Debug)]
struct Place {
    position: Chess,
    pieces: [Pieces; 2],
}

#[derive(Clone, Copy, Debug)]
struct Pieces {
    squares: [Square; 16],
    len: usize,
}

impl Pieces {
    fn find(&self, square: Square) -> Option<usize> {
        self.squares[..self.len].iter().position(|found| *found == square)
    }

    fn moves(&mut self, from: Square, to: Square) -> Option<()> {
        let number = self.find(from)?;
        self.squares[number] = to;
        Some(())
    }

    fn remove(&mut self, square: Square) -> Option<()> {
        let number = self.find(square)?;
        self.len -= 1;
        self.squares[number] = self.squares[self.len];
        Some(())
    }
}

impl Place {
    fn standard() -> Place {
        let rank = |first: u32, pawns: u32| {
            let officers = [4, 0, 1, 2, 3, 5, 6, 7].into_iter().map(|file| first + file);
            let squares: Vec<Square> = officers.chain((0..8).map(|file| pawns + file)).map(Square::new).collect();
            Pieces { squares: squares.try_into().unwrap_or([Square::A1; 16]), len: 16 }
        };
        Place { position: Chess::default(), pieces: [rank(0, 8), rank(56, 48)] }
    }

    /// The start with this FEN; `None` if the rules do not apply to it.
    fn at(fen: &[u8]) -> Option<Place> {
        let setup = Fen::from_ascii(fen).ok()?.into_setup();
        let mut pieces = [Pieces { squares: [Square::A1; 16], len: 0 }; 2];
        for rank in (0..8).rev() {
            for file in 0..8 {
                let square = Square::new(8 * rank + file);
                let Some(piece) = setup.board.piece_at(square) else { continue };
                let Pieces { squares, len } = &mut pieces[usize::from(piece.color.is_black())];
                *squares.get_mut(*len)? = square;
                if piece.role == Role::King {
                    squares.swap(0, *len);
                }
                *len += 1;
            }
        }
        // Scid has starts with rights that cannot be.
        let position = Chess::from_setup(setup, CastlingMode::Chess960)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_too_much_material)
            .ok()?;
        Some(Place { position, pieces })
    }

    /// Plays a move and writes it. `None` if it is not legal.
    fn play(
        &mut self,
        out: &mut String,
        code: u8,
        number_due: bool,
        second: impl FnOnce() -> Option<u8>,
    ) -> Option<()> {
        let (number, code) = (usize::from(code >> 4), code & 15);
        let turn = self.position.turn();
        let side = usize::from(turn.is_black());
        let from = *self.pieces[side].squares[..self.pieces[side].len].get(number)?;
        let role = self.position.board().role_at(from)?;
        if turn.is_white() || number_due {
            let _ = write!(out, "{}{} ", self.position.fullmoves(), if turn.is_white() { "." } else { "..." });
        }
        let played = match (role, code) {
            (Role::King, 0) => {
                out.push_str("-- ");
                return self.pass();
            }
            (Role::King, 9 | 10) => {
                let side = if code == 9 { CastlingSide::QueenSide } else { CastlingSide::KingSide };
                self.position.castling_moves(side).into_iter().find(|played| self.position.is_legal(*played))?
            }
            _ => {
                let (to, promotion) = target(role, turn, from, code, second)?;
                let played = UciMove::Normal { from, to, promotion }.to_move(&self.position).ok()?;
                // A king's step may be castling in Chess960.
                if played.is_castle() {
                    return None;
                }
                played
            }
        };
        self.follow(side, played)?;
        let _ = write!(out, "{} ", SanPlus::from_move_and_play_unchecked(&mut self.position, played));
        Some(())
    }

    /// Lets the other side move, as programs do that annotate threats.
    fn pass(&mut self) -> Option<()> {
        let mut setup = self.position.to_setup(EnPassantMode::Legal);
        setup.fullmoves = setup.fullmoves.saturating_add(u32::from(setup.turn.is_black()));
        setup.swap_turn();
        let passed = Chess::from_setup(setup, self.position.castles().mode());
        self.position = passed.or_else(PositionError::ignore_impossible_check).ok()?;
        Some(())
    }

    /// Keeps the numbers of the pieces.
    fn follow(&mut self, side: usize, played: Move) -> Option<()> {
        let [ours, theirs] = &mut self.pieces;
        let (ours, theirs) = if side == 0 { (ours, theirs) } else { (theirs, ours) };
        match played {
            Move::Castle { king, rook } => {
                let to = CastlingSide::from_queen_side(rook < king);
                let color = Color::from_black(side == 1);
                ours.moves(king, to.king_to(color))?;
                // The king has number 0; the rook may stand where it goes.
                let number = ours.squares[..ours.len].iter().skip(1).position(|square| *square == rook)? + 1;
                ours.squares[number] = to.rook_to(color);
            }
            Move::EnPassant { from, to } => {
                theirs.remove(Square::from_coords(to.file(), from.rank()))?;
                ours.moves(from, to)?;
            }
            Move::Normal { from, capture, to, .. } => {
                if capture.is_some() {
                    theirs.remove(to)?;
                }
                ours.moves(from, to)?;
            }
            Move::Put { .. } => return None,
        }
        Some(())
    }
}

/// Where a piece goes, and what a pawn becomes.
///
/// | piece | codes |
/// |---|---|
/// | king | 1 to 8: the squares around it, from the lowest |
/// | knight | 1 to 8: its targets, from the lowest |
/// | rook | 0 to 7: a file of its rank, 8 to 15: a rank of its file |
/// | bishop | the file of its target: 0 to 7 from the lower left to the upper right, 8 to 15 on the other diagonal |
/// | queen | as a rook; her own file means that a byte follows, 64 and the target |
/// | pawn | capture to the lower file (for Black the higher), one step, the other capture: 0 to 2, as a queen 3 to 5, rook 6 to 8, bishop 9 to 11, knight 12 to 14; 15 two steps |
fn target(
    role: Role,
    turn: Color,
    from: Square,
    code: u8,
    second: impl FnOnce() -> Option<u8>,
) -> Option<(Square, Option<Role>)> {
    let (file, rank) = (i32::from(from.file() as u8), i32::from(from.rank() as u8));
    let at = |square: i32| u32::try_from(square).ok().filter(|square| *square < 64).map(Square::new);
    let (code_file, is_high) = (i32::from(code & 7), code >= 8);
    let to = match role {
        Role::Pawn => {
            let forward = [7, 8, 9][usize::from(code % 3)];
            let forward = if code == 15 { 16 } else { forward };
            let by = if turn.is_white() { forward } else { -forward };
            let roles = [None, Some(Role::Queen), Some(Role::Rook), Some(Role::Bishop), Some(Role::Knight), None];
            return Some((at(8 * rank + file + by)?, roles[usize::from(code / 3)]));
        }
        Role::Knight => 8 * rank + file + [0, -17, -15, -10, -6, 6, 10, 15, 17].get(usize::from(code))?,
        Role::King => 8 * rank + file + [0, -9, -8, -7, -1, 1, 7, 8, 9].get(usize::from(code))?,
        Role::Bishop => 8 * rank + file + (code_file - file) * if is_high { -7 } else { 9 },
        Role::Queen if !is_high && code_file == file => i32::from(second()?) - 64,
        Role::Rook | Role::Queen if is_high => 8 * code_file + file,
        Role::Rook | Role::Queen => 8 * rank + code_file,
    };
    Some((at(to)?, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::movetext;

    fn written(record: &[u8]) -> (String, Result<(), Damaged>) {
        let mut out = String::new();
        let read = read(record).unwrap();
        let done = read.write_moves(&mut out, |bytes| String::from_utf8_lossy(bytes).into_owned());
        (out.trim().to_owned(), done)
    }

    /// What Scid 4.7.4 has made of two games.
    const ANNOTATED: &[u8] = b"\xf3\x07M\xc3\xbcller\x0bTimeControl\x0c40/7200:3600\x00\x00\
        \x0c\xcf\x0b\x01\x0c\xcf\xdf\xc0\x0d\x0c\xbf\x0c\xc0\x0d\x67\x0b\x06\xb0\x0e\xc1\x0c\x0e\x5a\x43\x5f\x05\x9f\
        \x0b\x02\x59\x61\x0c\x67\x4d\xb1\x0c\x0f\
        Before the game\0best\0alt\0Falkbeer\0sub\0[%clk 0:01:00] hm\0end\0";
    const FROM_FEN: &[u8] =
        b"\xfa\x011\x00\x074k3/P6p/8/8/8/8/1Q5q/R3K3 w Q - 5 20\0\x09\x1f\x3d\x22\x12\x11\x00\x11\x12\x77\x0f";

    #[test]
    fn records_of_scid() {
        let record = read(ANNOTATED).unwrap();
        let tags: Vec<_> = record.tags.iter().map(|(name, value)| (str(name), str(value))).collect();
        assert_eq!(tags, [("Annotator", "Müller"), ("TimeControl", "40/7200:3600")]);
        let expected = "{Before the game} 1. e4 $1 {best} 1... e5 2. f4 exf4 ( {alt} 2... d5 {Falkbeer} 3. exd5 ( 3. Nf3 \
            $6 dxe4 ) 3... e4 {sub} ) 3. Bc4 Qh4+ 4. Kf1 b5 $2 5. Bxb5 Nf6 {[%clk 0:01:00] hm} 6. Nf3 Qh6 7. d3 {end}";
        assert_eq!(written(ANNOTATED), (expected.into(), Ok(())));
        assert_eq!(movetext::read(expected).unwrap().view().ply_count(), 13);

        assert_eq!(read(FROM_FEN).unwrap().fen.map(str), Some("4k3/P6p/8/8/8/8/1Q5q/R3K3 w Q - 5 20"));
        let expected = "20. O-O-O h5 21. a8=N Qc2+ 22. Qxc2 h4 23. -- h3 24. Qh7";
        assert_eq!(written(FROM_FEN), (expected.into(), Ok(())));
    }

    fn str(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn damaged_records() {
        for len in 0..FROM_FEN.len() {
            if let Ok(record) = read(&FROM_FEN[..len]) {
                let mut out = String::new();
                assert_eq!(record.write_moves(&mut out, |_| String::new()), Err(Damaged), "{len} bytes");
            }
        }
        let moves = |moves: &[u8]| written(&[b"\0\0", moves].concat());
        assert_eq!(moves(b"\xcf\xcf\xf0\x0f"), ("1. e4 e5 2.".into(), Err(Damaged)), "a capture of nothing");
        assert_eq!(moves(b"\xcf\x0e\x0f"), ("1. e4".into(), Err(Damaged)), "no variation to end");
        assert_eq!(moves(b"\xcf\x0d\x0f"), ("1. e4 ( )".into(), Err(Damaged)), "a variation without an end");
        assert_eq!(moves(b"\xcf\x0b\x0f\x0f"), ("1. e4 $15".into(), Ok(())), "a glyph like the end");
        assert_eq!(moves(b"\xcf\x0c\x0f"), ("1. e4 {}".into(), Ok(())), "a comment that is lost");
        assert_eq!(moves(b"\xcf\x0c\x0fa}b\nc\0"), ("1. e4 ;a}b c".into(), Ok(())));
        for breaks in ["\r\n\n", "\n \n", "\n\t\r\n ", "\n\u{feff}\n", "\r\u{feff}", "\n \u{feff}"] {
            let record = ["\x0c\x0fa", breaks, "[Event \"x\"]\0"].concat();
            assert_eq!(moves(record.as_bytes()), ("{a\n[Event \"x\"]}".into(), Ok(())), "{breaks:?}");
        }
        assert_eq!(moves(&[&[VARIATION; 2000][..], &[GAME_END]].concat()).1, Err(Damaged), "too deep");
        assert_eq!(moves(b"\x0f"), (String::new(), Ok(())));
        let no_kings = b"\0\x018/8/8/8/8/8/8/8 w - - 0 1\0\x0f";
        assert_eq!(written(no_kings).1, Err(Damaged));
        let crowd = b"\0\x01QQQQQQQQ/QQQQQQQQ/Q6k/8/8/8/8/7K w - - 0 1\0\x0f";
        assert_eq!(written(crowd).1, Err(Damaged));
    }
}
