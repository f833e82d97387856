//! Whether a move is legal, and which one a SAN means, told fast where that is easy.
//!
//! In go a position and a move, out comes "legal" or "not known". Reading and decoding ask here first: nearly
//! every stored move is a plain one of a piece that its king does not see, with no check on the
//! board, and needs no list of the moves that are possible.

use shakmaty::san::San;
use shakmaty::{Bitboard, Chess, Move, Piece, Position, Rank, Role, Square, attacks};

/// True only for legal moves; false says nothing.
#[inline]
pub(crate) fn is_plainly_legal(position: &Chess, played: Move) -> bool {
    let Move::Normal { role, from, capture, to, promotion } = played else { return false };
    let (board, turn) = (position.board(), position.turn());
    let own = board.by_color(turn);
    if role == Role::King || board.piece_at(from) != Some(Piece { color: turn, role }) || own.contains(to) {
        return false;
    }
    if board.role_at(to) != capture {
        return false;
    }
    let occupied = board.occupied();
    let moves = if role == Role::Pawn {
        let last_rank = matches!(to.rank(), Rank::First | Rank::Eighth);
        let promotes = matches!(promotion, Some(Role::Queen | Role::Rook | Role::Bishop | Role::Knight));
        if promotes != last_rank || promotion.is_some() && !promotes {
            return false;
        }
        if capture.is_some() { attacks::pawn_attacks(turn, from) } else { pushes(turn.is_white(), from, occupied) }
    } else {
        if promotion.is_some() {
            return false;
        }
        attacks::attacks(from, Piece { color: turn, role }, occupied)
    };
    if !moves.contains(to) {
        return false;
    }
    // A piece that the king does not see cannot uncover it; and nothing must attack the king now.
    let Some(king) = board.king_of(turn) else { return false };
    let (straight, diagonal) = (attacks::rook_attacks(king, occupied), attacks::bishop_attacks(king, occupied));
    let their = |roles: Bitboard| roles & board.by_color(!turn);
    let attackers = straight & their(board.rooks_and_queens())
        | diagonal & their(board.bishops_and_queens())
        | attacks::knight_attacks(king) & their(board.knights())
        | attacks::pawn_attacks(turn, king) & their(board.pawns());
    attackers.is_empty() && !(straight | diagonal).contains(from)
}

/// The move that a SAN means, if one piece alone can be meant and its move is plainly legal.
#[inline]
pub(crate) fn plain_san(position: &Chess, san: &San) -> Option<Move> {
    let San::Normal { role, file, rank, capture: takes, to, promotion } = *san else { return None };
    let (board, turn) = (position.board(), position.turn());
    let capture = board.role_at(to);
    if takes != capture.is_some() {
        return None;
    }
    let mut candidates = if role != Role::Pawn {
        let piece = Piece { color: turn, role };
        board.by_piece(piece) & attacks::attacks(to, piece, board.occupied())
    } else if capture.is_some() {
        board.by_piece(Piece { color: turn, role }) & attacks::pawn_attacks(!turn, to)
    } else {
        // The nearest pawn behind is the only one that can be pushed; the others capture en passant.
        let step = if turn.is_white() { -8 } else { 8 };
        let one = to.offset(step)?;
        let from = if board.occupied().contains(one) { one } else { one.offset(step)? };
        if file.is_some_and(|file| file != to.file()) {
            return None;
        }
        Bitboard::from(from)
    };
    if let Some(file) = file {
        candidates &= Bitboard::from(file);
    }
    if let Some(rank) = rank {
        candidates &= Bitboard::from(rank);
    }
    let played = Move::Normal { role, from: candidates.single_square()?, capture, to, promotion };
    is_plainly_legal(position, played).then_some(played)
}

/// Where a pawn may be pushed to.
fn pushes(white: bool, from: Square, occupied: Bitboard) -> Bitboard {
    let (step, home) = if white { (8, Rank::Second) } else { (-8, Rank::Seventh) };
    let Some(one) = from.offset(step).filter(|square| !occupied.contains(*square)) else { return Bitboard::EMPTY };
    match one.offset(step).filter(|square| from.rank() == home && !occupied.contains(*square)) {
        Some(two) => Bitboard::from(one) | Bitboard::from(two),
        None => Bitboard::from(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random play; in each position every move that can be written down.
    #[test]
    fn never_calls_an_illegal_move_legal() {
        let mut seed = 1u64;
        let mut random = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let (mut plain, mut legal) = (0, 0);
        for _ in 0..40 {
            let mut position = Chess::default();
            for _ in 0..120 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for from in Square::ALL {
                    let Some(role) = position.board().role_at(from) else { continue };
                    for to in Square::ALL {
                        for promotion in [None, Some(Role::Queen), Some(Role::Knight), Some(Role::King)] {
                            let capture = position.board().role_at(to);
                            let played = Move::Normal { role, from, capture, to, promotion };
                            if is_plainly_legal(&position, played) {
                                assert!(moves.contains(&played), "{played:?} in {position:?}");
                            }
                        }
                    }
                }
                for san in sans(&position) {
                    if let Some(played) = plain_san(&position, &san) {
                        assert_eq!(san.to_move(&position), Ok(played), "{san} in {position:?}");
                    }
                }
                plain += moves.iter().filter(|played| is_plainly_legal(&position, **played)).count();
                legal += moves.len();
                let next = moves[random(moves.len())];
                position.play_unchecked(next);
            }
        }
        assert!(plain * 10 > legal * 6, "{plain} of {legal}");
    }

    /// What could be written of the moves of a position, with too little and too much said, and more.
    fn sans(position: &Chess) -> Vec<San> {
        let mut all = Vec::new();
        for role in Role::ALL {
            for to in Square::ALL {
                let files = [None].into_iter().chain(shakmaty::File::ALL.map(Some));
                for (at, file) in files.enumerate() {
                    let rank = [None, Some(Rank::new((at as u32 + to as u32) % 8))][usize::from(at % 3 == 2)];
                    let promotion = [None, Some(Role::Queen)]
                        [usize::from(role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth))];
                    let capture = position.board().occupied().contains(to) ^ (at == 5);
                    all.push(San::Normal { role, file, rank, capture, to, promotion });
                }
            }
        }
        all
    }
}
