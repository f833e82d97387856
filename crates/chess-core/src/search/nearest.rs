//! Finds the position of a game that is nearest to a board: that differs from it on the fewest squares.
//!
//! Takes a [`Board`] and games; returns the least number of squares that differ, and the first half-move after which so
//! few do. A half-move changes at most four squares, so the replay adds up what each half-move changes. The number of
//! pieces never grows, so the replay stops when the board has so many more that no later position can be nearer.

use crate::board::Board;
use crate::board::kinds::{KINDS, KING, PAWN, ROOK};
use crate::game::pieces::Pieces;
use crate::game::rare_moves::castling;
use crate::game::replay::Replay;
use crate::game::seating::{STANDARD, Start};
use crate::game::state::{Course, Traced};
use crate::game::{CorruptGame, GameRef};

/// The file to which the king castles long: c.
const LONG_CASTLE_FILE: u8 = 2;

/// Which pieces are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// All pieces.
    Pieces,
    /// Only pawns: a square with another piece counts as empty.
    Pawns,
}

/// The number of squares on which boards differ. Side to move, rights and clocks do not count.
pub fn distance(a: &Board, b: &Board) -> u32 {
    a.kinds.iter().zip(&b.kinds).filter(|(a, b)| a != b).count() as u32
}

/// The position of a game that is nearest to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The number of squares that differ.
    pub distance: u32,
    /// The half-move after which it first occurs; 0 is the start.
    pub ply: u32,
}

/// A board prepared for the search in many games.
#[derive(Clone, Debug)]
pub struct NearestFinder {
    /// By how much the distance grows when a piece of a kind enters an empty square, for each kind and square. There are
    /// sixteen kinds, so that an empty square's kind needs no check.
    entering: [[i8; 64]; 16],
    /// For each kind 1 if it is compared, else 0.
    counted: [u8; 16],
    /// The number of the board's pieces that are compared, which is the distance of an empty board.
    pieces: i32,
    /// The standard start.
    standard: Standing,
}

/// How a position stands to the board.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// The number of squares that differ.
    distance: i32,
    /// How many pieces fewer than the board it has. No later position has a smaller distance than that, because the
    /// number of pieces, and that of pawns, never grows.
    missing: i32,
}

impl NearestFinder {
    /// Prepares the search for `board`.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::board::fen;
    /// use chess_core::search::nearest::{Compared, Nearest, NearestFinder};
    /// use chess_core::text::movetext;
    ///
    /// let board = fen::read("rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -").unwrap();
    /// let game = movetext::read("1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6").unwrap();
    /// let nearest = NearestFinder::new(&board, Compared::Pieces).find(game.view())?;
    /// assert_eq!(nearest, Nearest { distance: 2, ply: 3 });
    /// # Ok::<_, chess_core::CorruptGame>(())
    /// ```
    pub fn new(board: &Board, compared: Compared) -> NearestFinder {
        let mut finder =
            NearestFinder { entering: [[0; 64]; 16], counted: [0; 16], pieces: 0, standard: Standing::default() };
        for kind in (0..KINDS).filter(|kind| compared == Compared::Pieces || kind % 6 == usize::from(PAWN)) {
            finder.counted[kind] = 1;
            finder.entering[kind] = board.kinds.map(|wanted| i8::from(usize::from(wanted) != kind));
        }
        // a piece takes the place of the board's own, so it leaves a square that differs as it was
        for (square, wanted) in board.kinds.into_iter().enumerate() {
            let occupied = finder.counted[usize::from(wanted & 15)];
            finder.pieces += i32::from(occupied);
            finder
                .entering
                .iter_mut()
                .zip(finder.counted)
                .for_each(|(kind, counted)| kind[square] -= (occupied * counted) as i8);
        }
        finder.standard = finder.standing(&STANDARD);
        finder
    }

    /// How the start of a game stands to the board.
    fn standing(&self, start: &Start) -> Standing {
        let mut standing = Standing { distance: self.pieces, missing: self.pieces };
        for (square, kind) in start.pieces.kinds().into_iter().enumerate() {
            standing.distance += self.entering(kind, square);
            standing.missing -= self.counted(kind);
        }
        standing
    }

    #[inline(always)]
    fn entering(&self, kind: u8, square: usize) -> i32 {
        self.entering[usize::from(kind & 15)][square & 63].into()
    }

    #[inline(always)]
    fn counted(&self, kind: u8) -> i32 {
        self.counted[usize::from(kind & 15)].into()
    }

    /// The position of the game that is nearest to the board; the first of several.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    pub fn find(&self, game: GameRef<'_>) -> Result<Nearest, CorruptGame> {
        let custom;
        let (start, mut now) = if game.has_custom_start() {
            custom = game.start_position()?;
            (&*custom, self.standing(&custom))
        } else {
            (&*STANDARD, self.standard)
        };
        let (mut least, mut at) = (now.distance, 0);
        if least > now.missing.max(0) {
            let mut ply = 0;
            Replay::new(start).run(game.moves(), u32::MAX, |pieces, state: Traced| {
                ply += 1;
                if state.last.is_castling() | state.last.is_promotion() {
                    let changed = self.play_rare(start, pieces, state.course);
                    now =
                        Standing { distance: now.distance + changed.distance, missing: now.missing + changed.missing };
                } else {
                    let kind = pieces.kind_at(state.last.to());
                    now.distance += self.entering(kind, state.last.to()) - self.entering(kind, state.last.from());
                }
                let taken = usize::from(state.taken & 63);
                now.distance -= self.entering(pieces.kind[taken], usize::from(pieces.square[taken]));
                now.missing += self.counted(pieces.kind[taken]);
                if now.distance < least {
                    (least, at) = (now.distance, ply);
                }
                least <= now.missing.max(0)
            })?;
        }
        Ok(Nearest { distance: least as u32, ply: at })
    }

    /// What castling or a promotion changes, apart from the capture.
    #[inline(never)]
    fn play_rare(&self, start: &Start, pieces: &Pieces, after: Course) -> Standing {
        let side = (after.turn ^ 1) & 1;
        let own = |role: u8| 6 * side as u8 + role;
        let mut changed = Standing::default();
        let mut moved = |before: u8, from: usize, kind: u8, to: usize| {
            changed.distance += self.entering(kind, to) - self.entering(before, from);
            changed.missing += self.counted(before) - self.counted(kind);
        };
        if after.last.is_promotion() {
            let to = after.last.to();
            moved(own(PAWN), after.last.from(), pieces.kind_at(to), to);
            return changed;
        }
        // neither king nor rook have moved before
        let long = pieces.square[16 * side as usize] % 8 == LONG_CASTLE_FILE;
        let before = Course { turn: side, ..start.state.course };
        if let Some(squares) = castling(start, &start.pieces, before, long) {
            for (role, (from, to)) in [(KING, squares.king), (ROOK, squares.rook)] {
                moved(own(role), from.into(), own(role), to.into());
            }
        }
        changed
    }
}
