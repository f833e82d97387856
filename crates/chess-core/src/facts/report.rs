//! What reports count of a game: how it ends, which pieces are left, where the kings castle, whether the queens are
//! exchanged, who is ahead in the endgame.
//!
//! Takes a packed game; returns all of it as bits, from one replay. A second one counts repetitions, but only in games whose
//! last position can have come before.

use std::sync::LazyLock;

use crate::board::kinds::{BISHOP, KNIGHT, NO_KIND, PAWN, QUEEN, ROOK};
use crate::facts::rules::{self, Status};
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::seating::STANDARD;
use crate::game::{CorruptGame, GameRef};

/// The bits that have the place of the status in [`Status::ALL`].
pub const STATUS: u32 = 0xf;
/// A queen is left at the end.
pub const QUEENS_LEFT: u32 = 1 << 4;
/// A rook is left at the end.
pub const ROOKS_LEFT: u32 = 1 << 5;
/// A bishop or a knight is left at the end.
pub const MINORS_LEFT: u32 = 1 << 6;
/// Both kings are on the a- to c-file, or both on the g- or h-file, in [`LEAST_PLIES`] positions of the opening.
pub const SAME_SIDE: u32 = 1 << 7;
/// One king is on the a- to c-file and the other on the g- or h-file, in as many.
pub const OPPOSITE_SIDES: u32 = 1 << 8;
/// There are no queens, in as many.
pub const NO_QUEENS: u32 = 1 << 9;
/// There is an endgame: neither side has pieces worth more than two rooks.
pub const ENDGAME: u32 = 1 << 10;
/// White is two points ahead, pawns included, in [`LEAST_PLIES`] positions of the endgame in a row.
pub const WHITE_AHEAD: u32 = 1 << 11;
/// Black is.
pub const BLACK_AHEAD: u32 = 1 << 12;

/// The last half-move of the opening.
const LAST_PLY: u32 = 40;
/// In how many positions something holds that counts, as in Scid's opening report.
const LEAST_PLIES: u32 = 4;
/// The sides of the files: 1 for the a- to c-file, 2 for the g- and h-file.
const SIDES: [u8; 8] = [1, 1, 1, 0, 0, 0, 2, 2];
/// The points of a piece, by its role.
const POINTS: [u32; 6] = [1, 3, 3, 5, 9, 0];
/// Most points that a side's pieces without pawns have in an endgame.
const ENDGAME_POINTS: u32 = 10;
/// How many points more a side has that is ahead.
const AHEAD: u32 = 2;

/// The facts of a game.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
///
/// # Examples
///
/// ```
/// use chess_core::facts::report::{self, QUEENS_LEFT, STATUS};
/// use chess_core::facts::rules::Status;
/// use chess_core::text::movetext;
///
/// let game = movetext::read("1. f3 e5 2. g4 Qh4#")?;
/// let facts = report::facts(game.view()).unwrap();
/// assert_eq!(Status::ALL[(facts & STATUS) as usize], Status::BlackWins);
/// assert!(facts & QUEENS_LEFT != 0);
/// # Ok::<_, movetext::MovetextError>(())
/// ```
pub fn facts(game: GameRef<'_>) -> Result<u32, CorruptGame> {
    let start = game.start_position()?;
    let mut counts = if game.has_custom_start() { Counts::at(&start.pieces) } else { STANDARD_COUNTS.clone() };
    let (status, roles) = rules::ending(game, |pieces, state| {
        if state.last.is_promotion() {
            counts.look(pieces);
        } else if state.taken != EMPTY {
            counts.take(usize::from(state.taken), pieces.kind[usize::from(state.taken & 63)] % 6);
        }
        counts.add(pieces);
    })?;
    let status = Status::ALL.iter().position(|known| *known == status).unwrap_or_default() as u32;
    let facts = [
        (QUEENS_LEFT, roles & 1 << QUEEN != 0),
        (ROOKS_LEFT, roles & 1 << ROOK != 0),
        (MINORS_LEFT, roles & (1 << BISHOP | 1 << KNIGHT) != 0),
        (SAME_SIDE, counts.of_opening(SAME_AT) >= LEAST_PLIES),
        (OPPOSITE_SIDES, counts.of_opening(OPPOSITE_AT) >= LEAST_PLIES),
        (NO_QUEENS, counts.of_opening(NO_QUEENS_AT) >= LEAST_PLIES),
    ];
    Ok(facts.iter().filter(|(_, holds)| *holds).fold(status | counts.endgame, |all, (bit, _)| all | bit))
}

/// The first bits of three counts of positions in a word.
const SAME_AT: u32 = 0;
const OPPOSITE_AT: u32 = 8;
const NO_QUEENS_AT: u32 = 16;

/// What a position adds to the counts, by the files of both kings.
static BY_KINGS: [u32; 64] = {
    let mut added = [0; 64];
    let mut files = 0;
    while files < 64 {
        let (white, black) = (SIDES[files / 8], SIDES[files % 8]);
        added[files] = match white | black {
            3 if white & black == 0 => 1 << OPPOSITE_AT,
            _ if white & black != 0 => 1 << SAME_AT,
            _ => 0,
        };
        files += 1;
    }
    added
};

/// The counts of the standard start.
static STANDARD_COUNTS: LazyLock<Counts> = LazyLock::new(|| Counts::at(&STANDARD.pieces));

/// What is counted during a replay. A half-move that takes nothing changes as little as possible.
#[derive(Clone, Default)]
struct Counts {
    positions: u32,
    /// Three counts of positions of the opening.
    opening: u32,
    /// What a position adds to them by its queens.
    by_queens: u32,
    /// The points of each side: of its pieces, and of its pawns.
    pieces: [u32; 2],
    pawns: [u32; 2],
    queens: u32,
    is_endgame: bool,
    /// Whether White and Black are ahead, and for how many positions they have been.
    is_ahead: [bool; 2],
    ahead: [u32; 2],
    /// The bits of the endgame.
    endgame: u32,
}

impl Counts {
    /// The counts of a start.
    fn at(pieces: &Pieces) -> Counts {
        let mut counts = Counts::default();
        counts.look(pieces);
        counts.add(pieces);
        counts
    }

    /// Counts the pieces on the board.
    fn look(&mut self, pieces: &Pieces) {
        (self.queens, self.pieces, self.pawns) = (0, [0; 2], [0; 2]);
        for kind in pieces.kinds().into_iter().filter(|kind| *kind < NO_KIND) {
            let (color, role) = (usize::from(kind / 6), kind % 6);
            self.queens += u32::from(role == QUEEN);
            *self.points(color, role) += POINTS[usize::from(role)];
        }
        self.compare();
    }

    /// Takes a piece off the board.
    fn take(&mut self, unit: usize, role: u8) {
        self.queens = self.queens.saturating_sub(u32::from(role == QUEEN));
        let points = self.points(unit / 16 % 2, role);
        *points = points.saturating_sub(POINTS[usize::from(role)]);
        self.compare();
    }

    fn points(&mut self, color: usize, role: u8) -> &mut u32 {
        if role == PAWN { &mut self.pawns[color] } else { &mut self.pieces[color] }
    }

    /// Compares the points after they have changed.
    fn compare(&mut self) {
        self.by_queens = u32::from(self.queens == 0) << NO_QUEENS_AT;
        self.is_endgame = self.pieces[0].max(self.pieces[1]) <= ENDGAME_POINTS;
        let [white, black] = [0, 1].map(|color| self.pieces[color] + self.pawns[color]);
        self.is_ahead = [white >= black + AHEAD, black >= white + AHEAD];
        if !self.is_endgame {
            self.ahead = [0; 2];
        }
    }

    /// Adds a position.
    #[inline(always)]
    fn add(&mut self, pieces: &Pieces) {
        if self.positions <= LAST_PLY {
            self.positions += 1;
            let [white, black] = [0, 16].map(|king| usize::from(pieces.square[king] & 7));
            self.opening += BY_KINGS[8 * white + black] + self.by_queens;
        }
        if self.is_endgame {
            self.endgame |= ENDGAME;
            for (color, bit) in [WHITE_AHEAD, BLACK_AHEAD].into_iter().enumerate() {
                self.ahead[color] = if self.is_ahead[color] { self.ahead[color] + 1 } else { 0 };
                if self.ahead[color] == LEAST_PLIES {
                    self.endgame |= bit;
                }
            }
        }
    }

    /// One of the counts of positions of the opening.
    fn of_opening(&self, at: u32) -> u32 {
        self.opening >> at & 0xff
    }
}
