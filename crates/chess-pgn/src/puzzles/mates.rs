//! Mates of problems, by proof: every defence is answered.
//!
//! In: a board and a number of moves. Out: the first moves that mate soonest, and the line after the only one. Engines
//! prune, and miss quiet first moves, above all those that only leave the other side no good move.

use std::collections::HashMap;

use chess_core::Board;
use chess_core::board::IllegalPosition;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, File, Move, Position, Square};

/// How many positions are remembered.
const REMEMBERED: usize = 1 << 20;

/// What a proof has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mates {
    /// The only first move that mates soonest, and what follows in UCI, as long as each move of the side that mates is the
    /// only one; the replies are those that delay mate longest.
    One(Vec<String>),
    /// This number of first moves mate equally soon; or there is no choice, as only one move is legal.
    Several(usize),
    /// There is no mate within this number of moves.
    None,
    /// The search has looked at the most positions that it may, and has no answer.
    Undecided,
}

/// The move as the extension writes it: castling as the king's move onto its rook, unless both stand as in standard chess.
fn uci(step: Move) -> String {
    let is_odd = |king: Square, rook: Square| king.file() != File::E || !matches!(rook.file(), File::A | File::H);
    match step {
        Move::Castle { king, rook } if is_odd(king, rook) => UciMove::from_chess960(step),
        _ => UciMove::from_standard(step),
    }
    .to_string()
}

/// Whether the side to move mates within `moves` moves, whatever the other side plays, and by how many first moves. At
/// most `effort` positions are looked at. Clocks and repetitions do not count.
pub fn soonest(board: &Board, moves: usize, effort: u64) -> Result<Mates, IllegalPosition> {
    let position = board.position()?;
    let mut search = Search { left: effort, known: HashMap::new(), killers: vec![None; moves] };
    for length in 1..=moves {
        let Some(keys) = search.keys(&position, length) else { return Ok(Mates::Undecided) };
        match keys[..] {
            [] => (),
            [_] if position.legal_moves().len() == 1 => return Ok(Mates::Several(1)),
            [key] => return Ok(search.line(position, key, length).map_or(Mates::Undecided, Mates::One)),
            _ => return Ok(Mates::Several(keys.len())),
        }
    }
    Ok(Mates::None)
}

struct Search {
    /// Positions that may still be looked at.
    left: u64,
    /// By position: the most moves for which there is no mate, and the fewest for which there is one.
    known: HashMap<u64, (usize, usize)>,
    /// By number of moves: the reply that has refuted last.
    killers: Vec<Option<Move>>,
}

impl Search {
    /// Counts a position; `None` if there were too many.
    fn count(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// The moves after the only key of a mate in `length` moves, see [`Mates::One`].
    fn line(&mut self, mut position: Chess, mut key: Move, mut length: usize) -> Option<Vec<String>> {
        let mut line = Vec::new();
        loop {
            line.push(uci(key));
            position.play_unchecked(key);
            length -= 1;
            let mut next = None;
            for reply in position.legal_moves() {
                let mut after = position.clone();
                after.play_unchecked(reply);
                // a reply that allows a quicker mate is not the best
                if length > 1 && self.mates(&after, length - 1)? {
                    continue;
                }
                let keys = self.keys(&after, length)?;
                if let [only] = keys[..] {
                    next = Some((reply, after, only));
                    break;
                }
            }
            let Some((reply, after, only)) = next else { return Some(line) };
            line.push(uci(reply));
            (position, key) = (after, only);
        }
    }

    /// All first moves that mate in at most `length` moves.
    fn keys(&mut self, position: &Chess, length: usize) -> Option<Vec<Move>> {
        let mut keys = Vec::new();
        for step in position.legal_moves() {
            if self.mates_after(position, step, length)? {
                keys.push(step);
            }
        }
        Some(keys)
    }

    /// Whether this move mates in at most `length` moves, itself included.
    fn mates_after(&mut self, position: &Chess, step: Move, length: usize) -> Option<bool> {
        self.count()?;
        let mut after = position.clone();
        after.play_unchecked(step);
        if length == 1 {
            Some(after.is_check() && after.legal_moves().is_empty())
        } else {
            self.is_lost(&after, length - 1)
        }
    }

    /// Whether every reply allows a mate in at most `length` moves.
    fn is_lost(&mut self, position: &Chess, length: usize) -> Option<bool> {
        let mut replies = position.legal_moves();
        if replies.is_empty() {
            return Some(position.is_check());
        }
        let killer = &self.killers[length];
        if let Some(at) = replies.iter().position(|reply| Some(*reply) == *killer) {
            replies.swap(0, at);
        }
        for reply in replies {
            let mut after = position.clone();
            after.play_unchecked(reply);
            if !self.mates(&after, length)? {
                self.killers[length] = Some(reply);
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether the side to move mates in at most `length` moves.
    fn mates(&mut self, position: &Chess, length: usize) -> Option<bool> {
        self.count()?;
        let mut steps = position.legal_moves();
        if length == 1 {
            for step in steps {
                if self.mates_after(position, step, 1)? {
                    return Some(true);
                }
            }
            return Some(false);
        }
        let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        let (none, some) = self.known.get(&key).copied().unwrap_or((0, usize::MAX));
        if length <= none || length >= some {
            return Some(length >= some);
        }
        // A side that is in check has few replies, so these are proved or refuted soonest.
        steps.sort_by_cached_key(|step| {
            let mut after = position.clone();
            after.play_unchecked(*step);
            (!after.is_check(), !step.is_capture())
        });
        let mut found = false;
        for step in steps {
            if self.mates_after(position, step, length)? {
                found = true;
                break;
            }
        }
        if self.known.len() < REMEMBERED || self.known.contains_key(&key) {
            self.known.insert(key, if found { (none, length) } else { (length, some) });
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use chess_core::board::fen;
    use chess_core::board::kinds::NO_KIND;

    use super::*;

    fn proof(text: &str, moves: usize) -> Mates {
        soonest(&fen::read(text).unwrap(), moves, 30_000_000).unwrap()
    }

    #[test]
    fn published_problems_have_one_key() {
        for (text, moves, key) in [
            // Morphy: a quiet move that leaves Black no good one, which engines find late
            ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),
            // Morphy against the Duke of Brunswick
            ("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 16", 2, "b3b8"),
            ("5r1k/1b2Nppp/8/2R5/4Q3/8/5PPP/6K1 w - - 0 1", 2, "e4h7"),
            ("2kr1b1r/pp1npppp/2p1bn2/7q/5B2/2NB1Q1P/PPP1N1P1/2KR3R w - - 0 1", 2, "f3c6"),
            // Réti against Tartakower
            ("rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 1", 3, "d3d8"),
            ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3, "f8c5"),
            ("r1b3kr/ppp1Bp1p/1b6/n2P4/2p3q1/2Q2N2/P4PPP/RN2R1K1 w - - 1 1", 3, "c3h8"),
            ("r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 1", 4, "h6g7"),
        ] {
            let Mates::One(line) = proof(text, 4) else { panic!("{text}: {:?}", proof(text, 4)) };
            assert_eq!(line[0], key, "{text}");
            assert!(line.len() % 2 == 1 && line.len() < 2 * moves, "{text}: {line:?}");
            assert_eq!(proof(text, moves - 1), Mates::None, "{text}");
        }
        let smothered = Mates::One(["b3g8", "a8g8", "h6f7"].map(str::to_owned).to_vec());
        assert_eq!(proof("r6k/6pp/7N/8/8/1Q6/8/6K1 w - - 0 1", 3), smothered, "to the end");
    }

    #[test]
    fn several_keys_and_none() {
        assert_eq!(proof("6k1/5ppp/8/8/8/8/8/RR4K1 w - - 0 1", 3), Mates::Several(2));
        assert_eq!(proof("7k/8/8/8/8/8/8/K7 w - - 0 1", 3), Mates::None);
        // mated and stalemated sides have no move
        assert_eq!(proof("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", 3), Mates::None);
        assert_eq!(proof("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 3), Mates::None);
        // only as a knight
        assert_eq!(proof("6br/5Ppk/6pp/8/8/8/8/6K1 w - - 0 1", 1), Mates::One(vec!["f7f8n".to_owned()]));
        // castling in Chess960, where b1c1 is a step of the king
        assert_eq!(proof("3k4/8/8/8/8/2R5/4R3/RK6 w Q - 0 1", 1), Mates::One(vec!["b1a1".to_owned()]));
        let castled = |king, rook| uci(Move::Castle { king, rook });
        assert_eq!(
            [Square::H1, Square::A1, Square::G1].map(|rook| castled(Square::E1, rook)),
            ["e1g1", "e1c1", "e1g1"]
        );
        assert_eq!(castled(Square::G8, Square::H8), "g8h8");
        let morphy = fen::read("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1").unwrap();
        assert_eq!(soonest(&morphy, 2, 100), Ok(Mates::Undecided));
        assert!(soonest(&fen::read("8/8/8/8/8/8/8/8 w - - 0 1").unwrap(), 2, 100).is_err());
    }

    /// The same without memory and order.
    fn plain(position: &Chess, length: usize) -> bool {
        position.legal_moves().into_iter().any(|step| {
            let after = position.clone().play(step).unwrap();
            after.is_checkmate()
                || length > 1
                    && !after.is_stalemate()
                    && after
                        .legal_moves()
                        .into_iter()
                        .all(|reply| plain(&after.clone().play(reply).unwrap(), length - 1))
        })
    }

    #[test]
    fn proofs_are_those_of_a_plain_search() {
        // few pieces, and a king at the edge, from a fixed sequence of numbers
        let mut seed = 7_u64;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut found = [0; 3];
        for _ in 0..600 {
            let mut board = Board { kinds: [NO_KIND; 64], castling: [0, 0], ..Board::default() };
            // K, Q, R, N and p
            for kind in [5, 4, 3, 1, 6] {
                board.kinds[8 + next(48)] = kind;
            }
            board.kinds[56 + next(8)] = 11;
            let Ok(position) = board.position() else { continue };
            let expected = (1..=2).find(|&length| plain(&position, length));
            let keys = |length| {
                let mates = |step: &Move| {
                    let after = position.clone().play(*step).unwrap();
                    let replies = after.legal_moves();
                    after.is_checkmate()
                        || length > 1
                            && !replies.is_empty()
                            && replies.into_iter().all(|reply| plain(&after.clone().play(reply).unwrap(), length - 1))
                };
                position.legal_moves().iter().filter(|step| mates(step)).count()
            };
            match soonest(&board, 2, u64::MAX).unwrap() {
                Mates::One(_) => assert_eq!(keys(expected.unwrap()), 1, "{board:?}"),
                Mates::Several(count) => assert_eq!(keys(expected.unwrap()), count, "{board:?}"),
                other => assert_eq!((other, expected), (Mates::None, None), "{board:?}"),
            }
            found[expected.unwrap_or(0)] += 1;
        }
        assert!(found.iter().all(|&count| count > 20), "{found:?}");
    }
}
