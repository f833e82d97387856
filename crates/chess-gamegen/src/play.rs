//! Plays a game: chooses plausible moves, and determines the result.
//!
//! A move is scored by what it captures, what it leaves hanging, and where the piece stands; the best few are scored
//! also by the best reply. Random noise, larger for weaker players, then selects among nearly equal moves, so that
//! games diverge. Scores are integers and legal moves are sorted, so that the result depends neither on the platform
//! nor on the move generator.

use crate::opening::Book;
use crate::rng::Rng;
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::{Bitboard, Board, Chess, Color, Move, MoveList, Piece, Position, Role, Square, attacks};

/// The moves of a game and its end.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    pub(crate) moves: Vec<Move>,
    pub(crate) sans: Vec<SanPlus>,
    pub(crate) result: &'static str,
}

const DRAW: &str = "1/2-1/2";

fn win(color: Color) -> &'static str {
    color.fold_wb("1-0", "0-1")
}

fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 10_000,
    }
}

/// The behaviour of the two players in this game.
struct Temper {
    /// The range of the noise, by colour.
    noise: [i32; 2],
    /// One move in this number is a blunder, by colour.
    blunder: [u32; 2],
    /// One move in this number is chosen without considering replies, by colour.
    careless: [u32; 2],
    /// The deficit at which a side considers resigning, by colour.
    resign: [i32; 2],
    /// How long the players wait before they agree to a draw.
    peace: u32,
}

impl Temper {
    fn new(rng: &mut Rng, strength: [i32; 2]) -> Self {
        let noise = strength.map(|s| 26 + (2800 - s).max(0) / 16);
        let blunder = strength.map(|s| (16_000 / (2850 - s).clamp(60, 1500)).max(12) as u32);
        let careless = strength.map(|s| (12_000 / (2900 - s).clamp(150, 1500)).max(8) as u32);
        let resign = [0, 1].map(|_| match rng.below(40) {
            0 => i32::MAX,
            1..=5 => rng.between(900, 1500),
            _ => rng.between(330, 800),
        });
        let peace = match rng.below(10) {
            0..=2 => 1,
            3..=6 => 2,
            _ => 5,
        };
        Temper {
            // Black, a tempo behind, errs slightly more.
            noise: [noise[0], noise[1] + 14],
            blunder,
            careless,
            resign,
            peace,
        }
    }
}

fn index(color: Color) -> usize {
    color.fold_wb(0, 1)
}

/// Plays a game between players of the given strengths, White first.
pub(crate) fn game(rng: &mut Rng, book: &Book, strength: [i32; 2]) -> Played {
    let temper = Temper::new(rng, strength);
    let line = book.choose(rng);
    let mut pos = Chess::default();
    let mut moves: Vec<Move> = Vec::with_capacity(100);
    let mut sans: Vec<SanPlus> = Vec::with_capacity(100);
    let mut since_irreversible: Vec<u64> = Vec::new();
    let mut behind = [0u32; 2];
    let mut legal = sorted_moves(&pos);
    let result = loop {
        let us = pos.turn();
        if let Some(result) = ruled(&pos, &legal, &mut since_irreversible) {
            break result;
        }
        let ply = moves.len();
        if ply >= line.len()
            && let Some(result) = agreed(rng, &temper, &pos, ply, &mut behind)
        {
            break result;
        }
        let m = match line.get(ply) {
            Some(m) => *m,
            None => {
                let before = ply.checked_sub(2).map(|i| moves[i]);
                choose(rng, &temper, &pos, &legal, ply, before)
            }
        };
        let san = San::disambiguate(m, &legal);
        if pos.is_irreversible(m) {
            since_irreversible.clear();
        }
        pos.play_unchecked(m);
        legal = sorted_moves(&pos);
        let suffix = match (pos.is_check(), legal.is_empty()) {
            (true, true) => Some(Suffix::Checkmate),
            (true, false) => Some(Suffix::Check),
            _ => None,
        };
        moves.push(m);
        sans.push(SanPlus { san, suffix });
        if suffix == Some(Suffix::Checkmate) {
            break win(us);
        }
    };
    Played { moves, sans, result }
}

/// The legal moves in the order of origin, target and promotion.
pub(crate) fn sorted_moves(pos: &Chess) -> MoveList {
    let mut legal = pos.legal_moves();
    legal.sort_unstable_by_key(|m| {
        let from = m.from().map_or(64, Square::to_u32);
        let promotion = m.promotion().map_or(0, |role| role as u32);
        (from << 16) | (m.to().to_u32() << 8) | promotion
    });
    legal
}

/// The result by the rules: stalemate, insufficient material, threefold repetition, fifty moves.
fn ruled(pos: &Chess, legal: &MoveList, seen: &mut Vec<u64>) -> Option<&'static str> {
    let key = fingerprint(pos);
    let times = seen.iter().filter(|k| **k == key).count();
    seen.push(key);
    let drawn = legal.is_empty() || times >= 2 || pos.halfmoves() >= 100 || pos.is_insufficient_material();
    drawn.then_some(DRAW)
}

/// A hash of the position. It may ignore the en passant square: forgoing that capture is irreversible, and the list
/// restarts there.
fn fingerprint(pos: &Chess) -> u64 {
    let board = pos.board();
    let mut key = index(pos.turn()) as u64 + 1;
    let white = u64::from(board.white());
    let castling = u64::from(pos.castles().castling_rights());
    let roles = Role::ALL.map(|role| u64::from(board.by_role(role)));
    for part in roles.into_iter().chain([white, castling]) {
        key = Rng::new(key ^ part).next();
    }
    key
}

fn material(board: &Board, color: Color) -> i32 {
    let own = board.by_color(color);
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .map(|role| value(role) * (board.by_role(role) & own).count() as i32)
        .sum()
}

/// The result by the players: the side to move resigns, or both agree to a draw.
fn agreed(rng: &mut Rng, temper: &Temper, pos: &Chess, ply: usize, behind: &mut [u32; 2]) -> Option<&'static str> {
    let us = pos.turn();
    let side = index(us);
    let board = pos.board();
    let (own, other) = (material(board, us), material(board, !us));
    if other - own >= temper.resign[side] {
        behind[side] += 1;
    } else {
        behind[side] = 0;
    }
    // Three moves in a row, because an unfinished exchange is no reason to resign.
    if behind[side] >= 3 && rng.one_in(3) {
        return Some(win(!us));
    }
    let wait = match ply {
        0..24 => return None,
        24..60 => 60,
        60..120 => 30,
        _ => 20,
    };
    let level = (own - other).abs() <= 120;
    (level && rng.one_in(wait * temper.peace)).then_some(DRAW)
}

/// The context in which moves are scored.
struct Scene<'a> {
    pos: &'a Chess,
    board: &'a Board,
    us: Color,
    occupied: Bitboard,
    king: Option<Square>,
    ply: usize,
    endgame: bool,
    winning: bool,
    /// The material that would be lost on each square if the piece stayed.
    threat: [i32; 64],
    before: Option<Move>,
}

fn choose(rng: &mut Rng, temper: &Temper, pos: &Chess, legal: &MoveList, ply: usize, before: Option<Move>) -> Move {
    let scene = Scene::new(pos, ply, before);
    let side = index(scene.us);
    let mut noise = temper.noise[side];
    if ply >= 20 && rng.one_in(temper.blunder[side]) {
        noise *= 5;
    }
    if ply < 24 {
        noise += 45;
    }
    let mut scores = [Score { calm: 0, rough: i32::MIN }; 256];
    for (m, score) in legal.iter().zip(&mut scores) {
        *score = scene.score(*m);
        score.calm += rng.between(0, noise);
        score.rough += score.calm;
    }
    let scores = &mut scores[..legal.len()];
    if rng.one_in(temper.careless[side]) {
        return legal[roughest(scores)];
    }
    // Considering replies is slow, so only the best few moves are tried.
    let (mut best, mut best_score) = (0, i32::MIN);
    for _ in 0..scores.len().min(3) {
        let next = roughest(scores);
        let score = scores[next].calm - danger(pos, legal[next]);
        if score > best_score {
            (best, best_score) = (next, score);
        }
        scores[next].rough = i32::MIN;
    }
    legal[best]
}

/// The score of a move, without and with a guess at what it leaves hanging.
#[derive(Clone, Copy)]
struct Score {
    calm: i32,
    rough: i32,
}

fn roughest(scores: &[Score]) -> usize {
    let mut best = 0;
    for (i, score) in scores.iter().enumerate() {
        if score.rough > scores[best].rough {
            best = i;
        }
    }
    best
}

/// The gain of the best reply to a move: a piece, or the game.
fn danger(pos: &Chess, m: Move) -> i32 {
    let mut next = pos.clone();
    next.play_unchecked(m);
    let us = next.turn();
    let board = next.board();
    let Some(king) = board.king_of(!us) else {
        return 0;
    };
    let mut worst = 0;
    for reply in next.legal_moves() {
        let Some(from) = reply.from() else {
            continue;
        };
        if reply.is_castle() {
            continue;
        }
        let to = reply.to();
        let role = reply.promotion().unwrap_or(reply.role());
        let occupied = board.occupied().without(from).with(to);
        let mut gain = reply.capture().map_or(0, value);
        if reply.is_promotion() {
            gain += value(role) - 100;
        }
        if gain > worst {
            if role != Role::King {
                gain -= loss(board, to, value(role), us, occupied, Bitboard::from_square(from));
            }
            worst = worst.max(gain);
        }
        let aims = attacks::attacks(to, Piece { color: us, role }, occupied);
        if aims.contains(king) && leaves_no_move(&next, reply) {
            return 50_000;
        }
    }
    worst
}

fn leaves_no_move(pos: &Chess, m: Move) -> bool {
    let mut next = pos.clone();
    next.play_unchecked(m);
    next.legal_moves().is_empty()
}

impl<'a> Scene<'a> {
    fn new(pos: &'a Chess, ply: usize, before: Option<Move>) -> Self {
        let board = pos.board();
        let us = pos.turn();
        let (own, other) = (material(board, us), material(board, !us));
        let pieces = own + other - 100 * board.pawns().count() as i32;
        let occupied = board.occupied();
        let mut threat = [0; 64];
        for sq in board.by_color(us) & !board.kings() {
            if let Some(role) = board.role_at(sq) {
                threat[sq.to_usize()] = loss(board, sq, value(role), us, occupied, Bitboard::EMPTY);
            }
        }
        Scene {
            pos,
            board,
            us,
            occupied,
            king: board.king_of(!us),
            ply,
            endgame: pieces <= 2700,
            winning: own - other >= 350,
            threat,
            before,
        }
    }

    fn score(&self, m: Move) -> Score {
        let Some(from) = m.from() else {
            return Score { calm: 0, rough: 0 };
        };
        if m.is_castle() {
            return Score { calm: 95, rough: 0 };
        }
        let to = m.to();
        let role = m.role();
        let stands = m.promotion().unwrap_or(role);
        let occupied = self.occupied.without(from).with(to);
        let mut score = self.place(from, to, role);
        let mut rough = self.threat[from.to_usize()] * 4 / 5;
        if let Some(captured) = m.capture() {
            score += value(captured);
        }
        if m.is_promotion() {
            // a promotion to another piece must be justified otherwise
            let share = if stands == Role::Queen { 1 } else { 2 };
            score += (value(stands) - 100) / share;
        }
        if role != Role::King {
            let gone = Bitboard::from_square(from);
            rough -= loss(self.board, to, value(stands), self.us, occupied, gone);
        }
        let piece = Piece { color: self.us, role: stands };
        let aims = attacks::attacks(to, piece, occupied);
        if self.king.is_some_and(|king| aims.contains(king)) {
            score += if self.winning { 45 } else { 22 };
            if leaves_no_move(self.pos, m) {
                score += 100_000;
            }
        }
        for sq in aims & self.board.by_color(!self.us) & !self.board.pawns() {
            if self.board.role_at(sq).is_some_and(|r| r != Role::King && value(r) > value(stands) + 50) {
                score += 16;
            }
        }
        if let Some(before) = self.before
            && before.to() == from
        {
            score -= if before.from() == Some(to) { 48 } else { 9 };
        }
        Score { calm: score, rough }
    }

    /// The value of the new square compared to the old one.
    fn place(&self, from: Square, to: Square, role: Role) -> i32 {
        let gain = centre(to) - centre(from);
        let opening = self.ply < 26;
        let home = rank(from, self.us) == 0;
        match role {
            Role::Pawn => self.pawn(to, opening),
            Role::Knight | Role::Bishop => {
                let per_step = if role == Role::Knight { 6 } else { 3 };
                let develop = match (opening, home) {
                    (true, true) => 38,
                    (true, false) => -14,
                    (false, true) => 18,
                    (false, false) => 0,
                };
                gain * per_step + develop
            }
            Role::Rook => {
                let file = Bitboard::from_file(to.file()) & self.board.pawns();
                let open = (file & self.board.by_color(self.us)).is_empty();
                let seventh = rank(to, self.us) == 6;
                i32::from(open) * 14 + i32::from(seventh) * 12 - i32::from(opening) * 16
            }
            Role::Queen => gain * 2 - i32::from(opening) * 22,
            Role::King if self.endgame => {
                let chase = match self.king {
                    Some(king) if self.winning => (from.distance(king) as i32 - to.distance(king) as i32) * 14,
                    _ => 0,
                };
                gain * 8 + chase
            }
            Role::King if self.pos.castles().has_color(self.us) => -130,
            Role::King => -45,
        }
    }

    fn pawn(&self, to: Square, opening: bool) -> i32 {
        let file = to.file().to_u32();
        if opening {
            return match file {
                3 | 4 => 24,
                2 => 14,
                5 => -4,
                _ => 2,
            };
        }
        let ahead = rank(to, self.us);
        let mut score = if self.endgame { 6 + ahead * 7 } else { 4 };
        if ahead >= 4 && self.passed(to) {
            score += ahead * 9;
        }
        score
    }

    fn passed(&self, sq: Square) -> bool {
        let foes = self.board.pawns() & self.board.by_color(!self.us);
        !foes.into_iter().any(|foe| foe.file().distance(sq.file()) <= 1 && rank(foe, self.us) > rank(sq, self.us))
    }
}

/// The loss if a piece of this value stands on `sq`, by a guess at the exchange there.
fn loss(board: &Board, sq: Square, worth: i32, us: Color, occupied: Bitboard, gone: Bitboard) -> i32 {
    let foes = board.attacks_to(sq, !us, occupied);
    if foes.is_empty() {
        return 0;
    }
    let friends = board.attacks_to(sq, us, occupied) & !gone;
    if friends.is_empty() {
        return worth;
    }
    let cheapest = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .find(|role| foes.intersects(board.by_role(*role)));
    match cheapest {
        // the king cannot capture a protected piece
        None => 0,
        Some(role) if value(role) < worth => worth - value(role),
        Some(_) if foes.count() > friends.count() => worth / 3,
        Some(_) => 0,
    }
}

/// The rank from the side's own point of view, from 0.
fn rank(sq: Square, us: Color) -> i32 {
    let rank = sq.rank().to_u32() as i32;
    us.fold_wb(rank, 7 - rank)
}

/// The distance from the corner to the centre, from 0 to 6.
fn centre(sq: Square) -> i32 {
    let off = |line: u32| (2 * line as i32 - 7).abs() / 2;
    6 - off(sq.file().to_u32()) - off(sq.rank().to_u32())
}
