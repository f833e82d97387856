//! Sums over the half-moves of random games, compared with what shakmaty's positions say.
//!
//! In: random games from the standard start, Chess960 and custom starts, with castling, promotions and en passant. Out:
//! nothing, or the game and the half-moves whose sums differ.

use chess_core::facts::counts::{PIECE_SQUARES, capture_counts, king_squares, life, square_counts};
use chess_core::{CorruptGame, Game};
use shakmaty::{Color, File, Move, Piece, Position, Square};

use crate::common::{Played, Rng, effort, games, pack};

fn index(piece: Piece, square: Square) -> usize {
    let kind = 6 * usize::from(piece.color == Color::Black) + piece.role as usize - 1;
    64 * kind + square as usize
}

/// The square of the piece that a move captures.
fn captured_on(m: &Move) -> Option<Square> {
    match m {
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => m.is_capture().then(|| m.to()),
    }
}

/// Captures of a played game: half-move, piece, and the square where it stood.
fn captures(played: &Played) -> Vec<(usize, Piece, Square)> {
    let each = played.moves.iter().zip(&played.positions).enumerate();
    each.filter_map(|(n, (m, before))| {
        let square = captured_on(m)?;
        Some((n + 1, before.board().piece_at(square).unwrap(), square))
    })
    .collect()
}

#[test]
fn square_counts_are_those_of_all_positions() {
    let mut rng = Rng(1);
    for played in games(11, effort(3000, 100)) {
        let game = pack(&played);
        let plies = played.moves.len() as u32;
        let (first, last) = match rng.below(3) {
            0 => (0, u32::MAX),
            1 => (rng.below(100) as u32, rng.below(100) as u32),
            _ => (rng.below(plies as usize + 2) as u32, plies),
        };
        let mut expected = [0; PIECE_SQUARES];
        for position in played.positions.iter().take((last as usize).saturating_add(1)).skip(first as usize) {
            for (square, piece) in position.board() {
                expected[index(piece, square)] += 1;
            }
        }
        let mut counts = [0; PIECE_SQUARES];
        square_counts(game.view(), first, last, &mut counts).unwrap();
        assert_eq!(counts, expected, "{} {:?}, {first} to {last}", played.fen, played.moves);
    }
}

#[test]
fn capture_counts_are_those_of_all_captures() {
    let mut rng = Rng(2);
    for played in games(12, effort(3000, 100)) {
        let game = pack(&played);
        let (first, last) = if rng.one_in(2) { (0, u32::MAX) } else { (rng.below(100) as u32, rng.below(100) as u32) };
        let mut expected = [0; PIECE_SQUARES];
        for (ply, piece, square) in captures(&played) {
            expected[index(piece, square)] += i64::from((first as usize..=last as usize).contains(&ply));
        }
        let mut counts = [0; PIECE_SQUARES];
        capture_counts(game.view(), first, last, &mut counts).unwrap();
        assert_eq!(counts, expected, "{} {:?}, {first} to {last}", played.fen, played.moves);
    }
}

#[test]
fn a_piece_lives_until_its_square_is_captured() {
    for played in games(13, effort(1000, 50)) {
        let game = pack(&played);
        for start in Square::ALL {
            // follows the piece through moves and castling
            let mut now = played.positions[0].board().piece_at(start).map(|_| start);
            let mut expected = now.map(|_| played.moves.len() as u32);
            for (n, m) in played.moves.iter().enumerate() {
                let Some(square) = now else { break };
                if captured_on(m) == Some(square) {
                    expected = Some(n as u32);
                    break;
                }
                now = Some(match *m {
                    Move::Castle { king, rook } if square == king || square == rook => {
                        let file = match (square == king, rook < king) {
                            (true, true) => File::C,
                            (true, false) => File::G,
                            (false, true) => File::D,
                            (false, false) => File::F,
                        };
                        Square::from_coords(file, square.rank())
                    }
                    _ if m.from() == Some(square) => m.to(),
                    _ => square,
                });
            }
            assert_eq!(life(game.view(), start as u8).unwrap(), expected, "{} {:?} {start}", played.fen, played.moves);
        }
    }
}

#[test]
fn kings_walk_where_the_positions_have_them() {
    for played in games(14, effort(2000, 100)) {
        let mut expected = [0; 2];
        for position in &played.positions {
            for (side, color) in [Color::White, Color::Black].into_iter().enumerate() {
                expected[side] |= 1u64 << position.board().king_of(color).unwrap() as u32;
            }
        }
        assert_eq!(king_squares(pack(&played).view()).unwrap(), expected, "{} {:?}", played.fen, played.moves);
    }
}

/// Bytes that are not a game give an error or some sums, never a panic.
#[test]
fn damaged_games_do_not_panic() {
    let mut rng = Rng(5);
    let mut refused = 0;
    for played in games(15, effort(3000, 100)) {
        let mut bytes = pack(&played).into_bytes();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len());
            bytes[at] = rng.next() as u8;
        }
        let Ok(game) = chess_core::GameRef::new(&bytes) else { continue };
        let mut counts = [0; PIECE_SQUARES];
        let first = rng.below(50) as u32;
        refused += usize::from(square_counts(game, first, u32::MAX, &mut counts).is_err());
        let _ = capture_counts(game, 0, u32::MAX, &mut counts);
        let _ = life(game, rng.below(64) as u8);
        let _ = king_squares(game);
    }
    assert!(refused > 0);
}

#[test]
fn fewer_half_moves_than_the_header_says_are_an_error() {
    let game = chess_core::text::movetext::read("1. e4 e5 2. Nf3").unwrap().into_bytes();
    let shorter = &game[..game.len() - 1];
    assert!(Game::from_bytes(shorter).is_err());
    let game = chess_core::GameRef::new(shorter).unwrap();
    let mut counts = [0; PIECE_SQUARES];
    assert_eq!(square_counts(game, 0, 3, &mut counts), Err(CorruptGame::Length));
    assert_eq!(square_counts(game, 3, 3, &mut counts), Err(CorruptGame::Length));
    assert_eq!(capture_counts(game, 0, 3, &mut counts), Err(CorruptGame::Length));
    assert_eq!(life(game, 0), Err(CorruptGame::Length));
    assert_eq!(king_squares(game), Err(CorruptGame::Length));
    assert_eq!(square_counts(game, 0, 2, &mut counts), Ok(()));
}
