//! Patterns against plain evaluations: conditions of one moment against shakmaty's boards square by square,
//! symmetry, the laws of logic and of time, known counts on the shipped games, and what is refused, and where.

use std::collections::BTreeMap;

use crate::common::{Played, Rng, board_of, effort, games, pack};
use chess_core::board::symmetry::{flip, mirror};
use chess_core::game::recorder::Recorder;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::pause;
use chess_core::search::material::Material;
use chess_core::search::pattern::{Matcher, Pattern, PatternErrorKind, SquareSet, limits};
use chess_core::text::read_pgn;
use chess_core::{Board, Game};
use shakmaty::{Chess, Color, Position, Role, Square, attacks};

fn matcher(text: &str) -> Matcher {
    Pattern::read(text).unwrap_or_else(|error| panic!("{text}: {error}")).matcher()
}

/// The matches of a pattern, first and last half-moves.
fn rows(text: &str, game: &Game) -> Vec<(u32, u32)> {
    let mut rows = Vec::new();
    let mut matcher = matcher(text);
    let visit = |from, to| {
        rows.push((from, to));
        false
    };
    matcher.each(game.view(), visit).unwrap();
    let first = rows.first().map(|(_, to)| *to);
    assert_eq!(matcher.find(game.view(), u32::MAX).unwrap(), first, "{text}");
    if let Some(first) = first {
        assert_eq!(matcher.find(game.view(), first).unwrap(), Some(first), "{text}");
        assert!(first == 0 || matcher.find(game.view(), first - 1).unwrap().is_none(), "{text}");
    }
    rows
}

fn ends(text: &str, game: &Game) -> Vec<u32> {
    rows(text, game).into_iter().map(|(_, to)| to).collect()
}

type Plain = fn(&Chess) -> bool;

fn pawns(position: &Chess, color: Color) -> Vec<Square> {
    (position.board().by_role(Role::Pawn) & position.board().by_color(color)).into_iter().collect()
}

fn file(square: Square) -> i32 {
    square.file() as i32
}

fn rank(square: Square) -> i32 {
    square.rank() as i32
}

fn is_passed(position: &Chess, pawn: Square) -> bool {
    let stops = |enemy: &Square| (file(*enemy) - file(pawn)).abs() <= 1 && rank(*enemy) > rank(pawn);
    !pawns(position, Color::Black).iter().any(stops)
}

fn attacked_by(position: &Chess, from: Square) -> shakmaty::Bitboard {
    let piece = position.board().piece_at(from).unwrap();
    attacks::attacks(from, piece, position.board().occupied())
}

fn has(position: &Chess, square: Square, letter: char) -> bool {
    position.board().piece_at(square).is_some_and(|piece| piece.char() == letter)
}

/// Patterns beside what they mean, as plainly as it can be said.
const PLAIN: &[(&str, Plain)] = &[
    ("Ke1", |p| has(p, Square::E1, 'K')),
    ("_e4", |p| p.board().piece_at(Square::E4).is_none()),
    ("[^Pp_]e4", |p| p.board().piece_at(Square::E4).is_some_and(|piece| piece.role != Role::Pawn)),
    ("P >= 3", |p| pawns(p, Color::White).len() >= 3),
    ("A + a = 4..10", |p| (4..=10).contains(&p.board().occupied().count())),
    ("wtm", |p| p.turn().is_white()),
    ("check", |p| p.is_check()),
    ("mate", |p| p.is_checkmate()),
    ("stalemate", |p| p.is_stalemate()),
    ("castle(K)", |p| p.castles().has(Color::White, shakmaty::CastlingSide::KingSide)),
    ("passed(P) >= 2", |p| pawns(p, Color::White).into_iter().filter(|pawn| is_passed(p, *pawn)).count() >= 2),
    ("isolated(P) = 1", |p| {
        let all = pawns(p, Color::White);
        let alone = |pawn: &&Square| all.iter().all(|other| (file(*other) - file(**pawn)).abs() != 1);
        all.iter().filter(alone).count() == 1
    }),
    ("doubled(p)", |p| {
        let all = pawns(p, Color::Black);
        all.iter().any(|a| all.iter().any(|b| a != b && a.file() == b.file()))
    }),
    ("islands(p) = 2", |p| {
        let files: Vec<bool> = (0..8).map(|f| pawns(p, Color::Black).iter().any(|pawn| file(*pawn) == f)).collect();
        (0..8).filter(|f| files[*f] && (*f == 0 || !files[f - 1])).count() == 2
    }),
    ("A attacks k >= 1", |p| {
        let king = p.board().king_of(Color::Black).unwrap();
        p.board().by_color(Color::White).into_iter().any(|from| attacked_by(p, from).contains(king))
    }),
    ("a & (. attackedby [RQ]) = 2", |p| {
        let heavy = (p.board().by_role(Role::Rook) | p.board().by_role(Role::Queen)) & p.board().by_color(Color::White);
        let hit = |to: &Square| heavy.into_iter().any(|from| attacked_by(p, from).contains(*to));
        p.board().by_color(Color::Black).into_iter().filter(hit).count() == 2
    }),
    ("near(k, 1) & A", |p| {
        let king = p.board().king_of(Color::Black).unwrap();
        p.board().by_color(Color::White).into_iter().any(|square| square.distance(king) == 1)
    }),
    ("between(K, k) & [Aa] = 0", |p| {
        let [a, b] = [Color::White, Color::Black].map(|color| p.board().king_of(color).unwrap());
        (attacks::between(a, b) & p.board().occupied()).is_empty()
    }),
    ("rank(R, R)", |p| {
        let rooks = p.board().by_role(Role::Rook) & p.board().by_color(Color::White);
        let joined = |a: Square, b: Square| {
            a != b && a.rank() == b.rank() && (attacks::between(a, b) & p.board().occupied()).is_empty()
        };
        rooks.into_iter().any(|a| rooks.into_iter().any(|b| joined(a, b)))
    }),
    ("points(A) > points(a)", |p| {
        let worth = |color| {
            let of = |role, points| (p.board().by_role(role) & p.board().by_color(color)).count() * points;
            of(Role::Pawn, 1) + of(Role::Knight, 3) + of(Role::Bishop, 3) + of(Role::Rook, 5) + of(Role::Queen, 9)
        };
        worth(Color::White) > worth(Color::Black)
    }),
    ("R[open]", |p| {
        let rooks = p.board().by_role(Role::Rook) & p.board().by_color(Color::White);
        rooks.into_iter().any(|rook| p.board().by_role(Role::Pawn).into_iter().all(|pawn| pawn.file() != rook.file()))
    }),
];

#[test]
fn conditions_of_one_moment_say_what_the_boards_say() {
    for played in games(1, effort(400, 40)) {
        let game = pack(&played);
        for (text, plain) in PLAIN {
            let expected: Vec<u32> = (0..played.positions.len())
                .filter(|ply| plain(&played.positions[*ply]))
                .map(|ply| ply as u32)
                .collect();
            assert_eq!(ends(text, &game), expected, "{text} in {}", played.fen);
            // The same of each board alone.
            let mut matcher = matcher(text);
            for ply in (0..played.positions.len()).step_by(7) {
                let board = board_of(&played, ply);
                assert_eq!(matcher.is_on(&board), Ok(expected.contains(&(ply as u32))), "{text}");
            }
        }
    }
}

#[test]
fn moves_are_those_that_were_made() {
    for played in games(2, effort(300, 40)) {
        let game = pack(&played);
        let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<u32> {
            (0..played.moves.len()).filter(|n| wanted(*n)).map(|n| n as u32 + 1).collect()
        };
        let color = |n: usize| played.positions[n].turn();
        let step = |n: usize| played.moves[n];
        assert_eq!(ends("capture", &game), of(&|n| step(n).is_capture()));
        assert_eq!(ends(".x.", &game), ends("capture", &game));
        assert_eq!(ends(".-_", &game), of(&|n| !step(n).is_capture() || step(n).is_en_passant()));
        assert_eq!(ends("enpassant", &game), of(&|n| step(n).is_en_passant()));
        assert_eq!(ends("castling", &game), of(&|n| step(n).is_castle()));
        assert_eq!(ends("promotion", &game), of(&|n| step(n).is_promotion()));
        let to_knight = |n: usize| step(n).promotion() == Some(Role::Knight);
        assert_eq!(ends("[Pp]-.=[Nn]", &game), of(&to_knight));
        let knight_takes = |n: usize| step(n).role() == Role::Knight && step(n).is_capture() && color(n).is_white();
        assert_eq!(ends("Nx.", &game), of(&knight_takes));
        let to_the_fourth = |n: usize| !step(n).is_castle() && step(n).to().rank() as u8 == 3;
        assert_eq!(ends(".-.4", &game), of(&to_the_fourth));
        let retaken =
            |n: usize| n > 0 && step(n).is_capture() && step(n - 1).is_capture() && step(n).to() == step(n - 1).to();
        assert_eq!(ends("recapture", &game), of(&retaken));
        assert_eq!(
            ends("O-O or o-o", &game),
            of(&|n| step(n).castling_side() == Some(shakmaty::CastlingSide::KingSide))
        );
        assert_eq!(ends("end", &game), [played.moves.len() as u32]);
        assert_eq!(ends("start", &game), [0]);
        // From and to, as sets.
        assert_eq!(ends("moved & A = 1", &game), of(&|n| color(n).is_white()));
    }
}

/// Patterns for the laws: of boards, of moves, of both.
const SAMPLES: &[&str] = &[
    "Nd5",
    "P >= 6",
    "isolated([Pp]d)",
    "check",
    "[QR] attacks k",
    "pinned([NnBb])",
    "outpost(N)",
    "backward(p)",
    "line([QRB], [a], k)",
    "behind(passed(P), 1..7) & R",
    "Bb5 and not Nc3",
    "K[b1,c1] k[g8,h8]",
    "KR*P*vKR",
];

const MOVES: &[&str] = &["Nx.", "capture", "castling", "P-[Pp]", ".-e4", "recapture", "moved attacks k", "move = 3..7"];

#[test]
fn laws_of_logic_and_time() {
    let samples: Vec<&str> = SAMPLES.iter().chain(MOVES).copied().filter(|text| Pattern::read(text).is_ok()).collect();
    assert!(samples.len() >= SAMPLES.len() + MOVES.len() - 2);
    let mut rng = Rng(3);
    for played in games(4, effort(300, 30)) {
        let game = pack(&played);
        let all: Vec<u32> = (0..=played.moves.len() as u32).collect();
        let (a, b) = (*rng.pick(&samples), *rng.pick(&samples));
        let (in_a, in_b) = (ends(a, &game), ends(b, &game));
        let of = |text: String| ends(&text, &game);
        let both: Vec<u32> = in_a.iter().copied().filter(|ply| in_b.contains(ply)).collect();
        let either: Vec<u32> = all.iter().copied().filter(|ply| in_a.contains(ply) || in_b.contains(ply)).collect();
        assert_eq!(of(format!("({a}) and ({b})")), both, "{a} | {b}");
        assert_eq!(of(format!("({a}) or ({b})")), either);
        assert_eq!(of(format!("not (not ({a}))")), in_a);
        assert_eq!(of(format!("not (not ({a}) and not ({b}))")), either);
        assert_eq!(of(format!("not ({a})")), all.iter().copied().filter(|ply| !in_a.contains(ply)).collect::<Vec<_>>());
        assert_eq!(of(format!("({a}) for 1")), in_a);
        let lasts = |n: u32| -> Vec<u32> {
            all.iter().copied().filter(|to| to + 1 >= n && (to + 1 - n..=*to).all(|ply| in_a.contains(&ply))).collect()
        };
        assert_eq!(of(format!("({a}) for 3")), lasts(3));
        // Rows of a sequence, by definition: the latest beginning for each end.
        for (link, from, to) in [
            ("then", 1, u32::MAX),
            ("directly", 1, 1),
            ("then within 5", 1, 5),
            ("then 2..6", 2, 6),
            ("then 4..", 4, u32::MAX),
        ] {
            let begins = |end: u32| in_a.iter().copied().rfind(|ply| *ply < end && (from..=to).contains(&(end - ply)));
            let expected: Vec<(u32, u32)> = in_b.iter().filter_map(|end| Some((begins(*end)?, *end))).collect();
            assert_eq!(rows(&format!("({a}) {link} ({b})"), &game), expected, "{a} {link} {b} in {}", played.fen);
            let guard = *rng.pick(&samples);
            let holds = ends(guard, &game);
            let begins = |end: u32| {
                let guarded = |ply: u32| (ply + 1..end).all(|between| holds.contains(&between));
                in_a.iter().copied().rfind(|ply| *ply < end && (from..=to).contains(&(end - ply)) && guarded(*ply))
            };
            let expected: Vec<(u32, u32)> = in_b.iter().filter_map(|end| Some((begins(*end)?, *end))).collect();
            assert_eq!(rows(&format!("({a}) {link} while ({guard}) ({b})"), &game), expected);
        }
        // What lasts may begin when something else has ended.
        let expected: Vec<u32> = lasts(2).into_iter().filter(|end| in_b.iter().any(|ply| ply + 1 < *end)).collect();
        assert_eq!(of(format!("({b}) then (({a}) for 2)")), expected);
    }
}

/// Trips of one piece, followed move by move.
#[test]
fn trips_follow_one_piece() {
    for played in games(5, effort(300, 40)) {
        let game = pack(&played);
        let mut expected = Vec::new();
        for (first, step) in played.moves.iter().enumerate() {
            if step.role() != Role::Knight {
                continue;
            }
            let at = step.to();
            for (later, next) in played.moves.iter().enumerate().skip(first + 1) {
                if next.from() == Some(at) && !next.is_castle() {
                    expected.push((first as u32 + 1, later as u32 + 1));
                    break;
                }
                let taken = if next.is_en_passant() {
                    Some(Square::from_coords(next.to().file(), next.from().unwrap().rank()))
                } else {
                    (!next.is_castle()).then(|| next.to())
                };
                if taken == Some(at) {
                    break;
                }
            }
        }
        expected.sort_by_key(|(_, to)| *to);
        assert_eq!(rows("[Nn]-.-.", &game), expected, "{}", played.fen);
    }
}

#[test]
fn transforms_are_images_of_boards() {
    let rotated = |board: &Board, how: u8| {
        let mut image = board.clone();
        for square in 0..64usize {
            let (mut file, mut rank) = (square % 8, square / 8);
            if how & 1 != 0 {
                file = 7 - file;
            }
            if how & 2 != 0 {
                rank = 7 - rank;
            }
            if how & 4 != 0 {
                (file, rank) = (rank, file);
            }
            image.kinds[8 * rank + file] = board.kinds[square];
        }
        image
    };
    let mut matched = 0;
    for played in games(6, effort(400, 60)) {
        for ply in (0..played.positions.len()).step_by(5) {
            let board = board_of(&played, ply);
            for text in SAMPLES {
                let mut plain = matcher(text);
                let mut on = |board: &Board| plain.is_on(board).unwrap();
                let of = |text: String, board: &Board| matcher(&text).is_on(board).unwrap();
                let (here, flipped, mirrored) = (on(&board), on(&flip(&board)), on(&mirror(&board)));
                assert_eq!(of(format!("flip({text})"), &board), here || flipped, "{text}");
                assert_eq!(of(format!("mirror({text})"), &board), here || mirrored, "{text}");
                let all = here || flipped || mirrored || on(&flip(&mirror(&board)));
                assert_eq!(of(format!("flip(mirror({text}))"), &board), all, "{text}");
                matched += usize::from(all);
            }
            for text in ["Nd5 and pc6", "Kg1 Rf1", "line(K, ., k)", "B attacks k", "near(k) & [Aa] = 2", "R[a-b]"] {
                let mut plain = matcher(text);
                let any = (0..8).any(|how| plain.is_on(&rotated(&board, how)).unwrap());
                assert_eq!(matcher(&format!("rotate({text})")).is_on(&board).unwrap(), any, "{text}");
            }
        }
    }
    assert!(matched > effort(1000, 100), "{matched}");
    // Shifted: everywhere on the board.
    let duo = matcher("shift(Pd4 Pe4)").find(read("1. a3 a6 2. b3").view(), 9).unwrap();
    assert_eq!(duo, Some(0), "two pawns side by side on the second rank");
    assert_eq!(ends("shift(Nb3 and Pc3)", &read("1. Nf3 a6 2. g3")), [3]);
    assert_eq!(ends("shift(Nh3 and Pg3)", &read("1. Nf3 a6 2. g3")).len(), 0);
}

#[test]
fn material_is_a_pattern() {
    let mut rng = Rng(9);
    let mut found = 0;
    for played in games(10, effort(2000, 200)) {
        let game = pack(&played);
        let material = Material::of(&board_of(&played, rng.below(played.positions.len())));
        let limit = rng.below(played.positions.len() + 1) as u32;
        let expected = (0..played.positions.len() as u32)
            .take(limit as usize + 1)
            .find(|ply| Material::of(&board_of(&played, *ply as usize)) == material);
        let by_pattern = matcher(&material.to_string()).find(game.view(), limit).unwrap();
        assert_eq!(by_pattern, expected, "{material} in {}", played.fen);
        assert_eq!(Pattern::read(&material.to_string()).unwrap().material(), Some(material));
        assert_eq!(material.find(game.view(), limit).unwrap(), expected, "{material} in {}", played.fen);
        found += usize::from(expected.is_some());
    }
    assert!(found > effort(500, 50), "{found}");
    for text in ["KRP*vKR", "KR[BN]vKR", "flip(KRvK)", "KRvK for 2", "R = 1", "Nd5"] {
        assert_eq!(Pattern::read(text).unwrap().material(), None, "{text}");
    }
}

/// The same game on a board whose colours and ranks, or files, are exchanged.
fn image(played: &Played, of_board: fn(&Board) -> Board, squares: u8) -> Game {
    let start = GameStart::new(&of_board(&board_of(played, 0))).unwrap();
    let mut recorder = Recorder::new(&start);
    for step in &played.moves {
        let step = match Step::of(*step).unwrap() {
            Step::Plain { from, to, promotion } => Step::Plain { from: from ^ squares, to: to ^ squares, promotion },
            castle => castle,
        };
        recorder.play(step).unwrap();
    }
    recorder.finish(played.result, played.chess960)
}

/// Patterns that take time, for the mirrors.
const TIMED: &[&str] = &[
    "Rx[bn] directly axR then within 2 R + 1 = r",
    "O-O then within 20 o-o-o",
    "capture then while (not check) check",
    "(imbalance Pv for 4) then P-[Pp]",
    "Nf3-.-. or (n-. directly Nx.)",
    "P-.=[RBN] then any",
    "pxP directly recapture",
    "Ke2 for 3",
];

#[test]
fn transforms_are_images_of_games() {
    let mut matched = 0;
    for played in games(8, effort(600, 60)) {
        let game = pack(&played);
        let mut images = vec![("flip", image(&played, flip, 56))];
        // Castling has no image in a mirror.
        if played.positions[0].castles().is_empty() {
            images.push(("mirror", image(&played, mirror, 7)));
        }
        for (transform, image) in images {
            for text in SAMPLES.iter().chain(MOVES).chain(TIMED) {
                let Ok(pattern) = Pattern::read(&format!("{transform}({text})")) else { continue };
                // The latest beginning for each end, in the game or in its image.
                let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
                for (from, to) in rows(text, &game).into_iter().chain(rows(text, &image)) {
                    let begins = expected.entry(to).or_insert(from);
                    *begins = from.max(*begins);
                }
                let expected: Vec<(u32, u32)> = expected.into_iter().map(|(to, from)| (from, to)).collect();
                matched += expected.len();
                assert_eq!(rows(pattern.as_str(), &game), expected, "{pattern} in {}", played.fen);
            }
        }
    }
    assert!(matched > effort(10_000, 1000), "{matched}");
}

fn read(movetext: &str) -> Game {
    chess_core::text::movetext::read(movetext).unwrap()
}

/// Games and matches in the shipped collection, counted by another program in another language.
const FAMOUS: &[(&str, usize, usize)] = &[
    ("flip(isolated(Pd))", 28, 518),
    ("flip(isolated(Pd) and [Pp][c,e] = 0 and p)", 13, 234),
    ("Pd4 Pa2 Pb3 Pf2 Pg2 Ph2 and P = 6", 1, 1),
    ("flip(B = 2 and N = 0 and b = 1 and n = 1)", 9, 133),
    ("flip(KRPPvKR)", 0, 0),
    ("flip(imbalance Pv for 4)", 19, 104),
    ("isolated(Pa)", 20, 537),
    ("flip(R + 1 = r and [BN] = [bn] + 1 and Q = q for 8)", 5, 48),
    ("board(r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R) then Bc4 then Bf3", 1, 13),
    ("oppositebishops and [QRNqrn] = 0", 1, 9),
    ("KR[BN]P*vKR[BN]P*", 3, 44),
    ("flip(Nd5 and not [bn] attacks d5)", 9, 71),
    ("flip(outpost(N))", 24, 331),
    ("flip(mirror(B[light] = 1 and B[dark] = 0 and N = 0 and b = 0 and n = 1 and P[light] >= P[dark] + 3))", 1, 14),
    ("flip(K[b1,c1] and k[g8,h8])", 6, 134),
    ("Pe4 Pd3 Nf3 Pg3 Bg2 Kg1 Rf1 and move = 5..7", 1, 2),
    ("flip(Rc[open])", 15, 306),
    ("flip(Pc4 Pe4 and Pd = 0 and pc = 0 and pd and not pd5)", 3, 12),
    ("enpassant", 3, 3),
    ("flip(file(Q, R, R))", 1, 13),
    ("flip(R & behind(passed(P), 1..7))", 17, 200),
    ("flip(N & moved attacks k and N & moved attacks q)", 3, 3),
    ("flip(check and A & ~moved attacks k)", 13, 23),
    ("flip(shift(Pe4 Pf4 pe5 pf5))", 7, 25),
    ("flip(KRP4vKRP3)", 1, 2),
    ("castling then castling", 39, 39),
    ("board(rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR)", 26, 26),
    ("pa6 Bb3 Nf3", 2, 14),
    ("[qr]a5", 5, 64),
    ("KRBP3vKRP3 or KRP3vKRP3", 1, 8),
    ("o-o-o or o-o", 44, 44),
    ("P-a7 or P-b7 or Ra-c1", 11, 11),
    ("imbalance vPP", 6, 47),
    ("imbalance BvN or imbalance NNvB", 15, 249),
    ("[Pp]x[Qq] directly not capture", 5, 6),
    ("mate", 9, 9),
];

#[test]
fn known_counts_on_the_shipped_games() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../demo/famous.pgn")).unwrap();
    let games: Vec<Game> = read_pgn::games(&text).map(|read| read.game.unwrap()).collect();
    assert_eq!(games.len(), 54);
    for (text, with, matches) in FAMOUS {
        let found: Vec<usize> = games.iter().map(|game| rows(text, game).len()).collect();
        let counted = (found.iter().filter(|rows| **rows > 0).count(), found.iter().sum());
        assert_eq!(counted, (*with, *matches), "{text}");
    }
}

#[test]
fn one_spelling() {
    let spellings = [
        ("Nd5  and\nNOT [bn]  attacks d5", "Nd5 and not [nb] attacks d5"),
        ("(Nd5)", "Nd5"),
        ("Nd5 pe6", "Nd5 and pe6"),
        ("not(Nd5 or pe6) and wtm", "not (Nd5 or pe6) and wtm"),
        ("check then within 1 mate", "check directly mate"),
        ("check then 1.. mate", "check then mate"),
        ("check then 3..3 mate", "check then 3 mate"),
        ("check then 2 while (wtm) mate", "check then 2 while wtm mate"),
        ("check then (mate then end)", "check then (mate then end)"),
        ("(check then mate) then end", "check then mate then end"),
        ("check then (3 = P)", "check then (3 = P)"),
        ("N != 2", "N <> 2"),
        ("[bB]4", "[Bb]4"),
        ("[b]4", "[b]4"),
        ("[a]4 and a4-b4", "[a]4 and a4-b4"),
        ("b4xc3", "b4xc3"),
        ("[KQRBNP]e4", "Ae4"),
        ("[^Pp]e4", "[^Pp]e4"),
        ("R[c3-a1]", ""),
        ("R[a1-c3, h , 7]", "R[a1-c3,h,7]"),
        ("R[d][5-7]", "Rd[5-7]"),
        ("KPRPvRK", ""),
        ("KPRPvKR", "KRPPvKR"),
        ("K[NB]2P1..3vK", "K[BN]2P1..3vK"),
        ("imbalance RvN", "imbalance RvN"),
        ("imbalance QvR2", "imbalance QvRR"),
        ("imbalance P3[BN]2v[NB]", "imbalance [BN]PPPv"),
        ("imbalance [BN]P*v[NB]", "imbalance [BN]P*v[BN]"),
        ("imbalance PvP", "imbalance v"),
        ("imbalance NvN[BN]", "imbalance Nv[BN]N"),
        ("imbalance QNRvR[BN]N", "imbalance QNv[BN]N"),
        (".[open]", ".[open]"),
        ("[Rr]x[_Q]", "[Rr]x[Q_]"),
        ("board(8/8/8/3[Nn]4/8/8/8/_7)", "board(8/8/8/3[Nn]4/8/8/8/_7)"),
        ("castle(qK)", "castle(Kq)"),
        ("P-.=[RBN]", "P-.=[NBR]"),
        ("near(k,..2)", "near(k, ..2)"),
        ("(N | B) & ~(P & K) = 1 + 2", "(N | B) & ~(P & K) = 1 + 2"),
        ("flip( mirror(Nf3-d4-.))", "flip(mirror(Nf3-d4-.))"),
        ("points(A) = ..3", "points(A) = ..3"),
        ("KP1P1073741823vK", "KP1073741824vK"),
    ];
    for (text, canonical) in spellings {
        match Pattern::read(text) {
            Ok(pattern) => {
                assert_eq!(pattern.as_str(), canonical, "{text}");
                assert_eq!(Pattern::read(pattern.as_str()).unwrap().as_str(), canonical);
            }
            Err(error) => assert_eq!(canonical, "", "{text}: {error}"),
        }
    }
    for (text, ..) in FAMOUS {
        let canonical = Pattern::read(text).unwrap().to_string();
        assert_eq!(Pattern::read(&canonical).unwrap().as_str(), canonical);
    }
}

#[test]
fn errors_name_the_place() {
    let refused = [
        ("", 1, "empty"),
        ("   ", 4, "empty"),
        ("Nd9", 3, "not understood"),
        ("d5", 1, "a square alone"),
        ("wtm and d5", 9, "a square alone"),
        ("Nab", 1, "no square"),
        ("Nbd2", 1, "no square"),
        ("R[5-3]", 3, "backwards"),
        ("P = 7..5", 5, "backwards"),
        ("halfmove > 1..2", 12, "a range can only"),
        ("not (check then mate)", 5, "one moment can be negated"),
        ("(check then mate) and wtm", 1, "one moment expected"),
        ("(Nd5", 1, "not closed"),
        ("Nd5)", 4, "no parenthesis"),
        ("passed(P", 7, "not closed"),
        ("isolatd(P)", 1, "neither a word"),
        ("5", 1, "a comparison expected"),
        ("P = check", 5, "a number expected"),
        ("N-d5 = 2", 1, "a number expected, not a move"),
        ("check then 0 mate", 12, "1 or more"),
        ("check for 0", 11, "1 or more"),
        ("check for 20000", 11, "more than 10000"),
        ("mirror(O-O)", 1, "flipped"),
        ("rotate(passed(P))", 1, "rotated"),
        ("shift(N[centre])", 1, "shifted"),
        ("board(8/8/8)", 7, "eight ranks"),
        ("board(8/8/8/8/8/8/8/9)", 21, "rank 1"),
        ("pawns(8/8/8/8/8/8/8/N7)", 21, "pawns only"),
        ("KRvR", 4, "a king opens"),
        ("KR1P1073741823P44vKR", 15, "at most 1073741824"),
        ("KP2+vK", 4, "at most"),
        ("KP2..3*vK", 7, "at most"),
        ("KP**vK", 4, "at most"),
        ("imbalance R", 12, "\"v\""),
        ("castle(x)", 8, "KQkq"),
        ("N attacks k attacks q", 13, "parentheses"),
        ("\u{1}", 1, "control"),
        ("Nd5 \u{fc}", 5, "not understood"),
        ("Nd5 and", 8, "the pattern ends"),
        ("or Nd5", 1, "a condition expected"),
        ("Nd[open]-e5", 1, "which files are open"),
        ("Rxn[open]", 3, "which files are open"),
        ("a-r[d,open]", 3, "which files are open"),
        ("flip(.e)", 1, "a square alone"),
        ("mirror(e4)", 1, "a square alone"),
        ("wtm or rotate(shift(e4 | ~.d))", 8, "a square alone"),
        ("flip(.e) then check", 1, "a square alone"),
        ("Rx_", 3, "other side"),
        ("RxN", 3, "other side"),
        ("rx[_a]", 3, "other side"),
        ("Rd4-d5x[_Q]", 8, "other side"),
        ("N-d5-e6=Q", 9, "single move"),
    ];
    for (text, at, reason) in refused {
        match Pattern::read(text) {
            Ok(_) => assert_eq!(reason, "", "{text}"),
            Err(error) => {
                assert!(error.reason.contains(reason) && !reason.is_empty(), "{text}: {error}");
                assert_eq!(error.at, at, "{text}: {error}");
                let (line, caret) = error.excerpt.split_once('\n').unwrap();
                assert_eq!(caret.chars().count(), at, "{text}: {line}");
            }
        }
    }
}

#[test]
fn pawns_of_either_colour_are_pawns() {
    let holds = |pattern: &str, placement: &str| {
        let board = chess_core::board::fen::read(&format!("{placement} w - - 0 1")).unwrap();
        Pattern::read(&format!("pawns({pattern})")).unwrap().matcher().is_on(&board).unwrap()
    };
    for (pattern, placement, expected) in [
        ("8/8/8/8/[Pp]7/8/8/8", "4k3/8/8/8/P7/8/8/4K3", true),
        ("8/8/8/8/[Pp]7/8/8/8", "4k3/8/8/8/p7/8/8/4K3", true),
        ("8/8/8/8/[Pp]7/8/8/8", "4k3/8/8/8/P7/7p/8/4K3", false),
        ("8/8/8/8/[Pp]p6/8/P7/8", "4k3/8/8/8/pp6/8/P7/4K3", true),
        ("8/8/8/8/[Pp]p6/8/P7/8", "4k3/8/8/8/pp6/8/PP6/4K3", false),
        ("8/8/8/8/[Pp]p6/8/P7/8", "4k3/8/8/8/1p6/8/P7/4K3", false),
    ] {
        assert_eq!(holds(pattern, placement), expected, "{pattern} on {placement}");
    }
}

#[test]
fn hints_say_what_was_meant() {
    let hint = |text| Pattern::read(text).unwrap_err().hint.unwrap();
    for (text, expected) in [
        ("KP2+vK", "P2.."),
        ("d5", "Nd5"),
        ("isolatd(P)", "isolated"),
        ("Nbd2", "Nb-d2"),
        ("R[5-3]", "3-5"),
        // As it is written elsewhere.
        ("e4", "P-e4"),
        ("exd5", "Pexd5"),
        ("Nxd5+", "Nxd5 and check"),
        ("Qxf7#", "and mate"),
        ("Nd5!", "not"),
        ("0-0", "O-O"),
        ("o-O", "o-o"),
        ("1. e4 e5", "P-e4 directly p-e5"),
        ("P == 5", "one sign"),
        ("Nd5 || Ne4", "or"),
        ("Nd5 && Ne4", "and"),
        ("Nd5, Ne4", "side by side"),
        ("checkmate", "mate"),
        ("white to move", "wtm"),
        ("flipcolor(Nd5)", "flip"),
        ("result = 1", "columns"),
        ("knight on d5", "letters"),
        ("power A > 3", "points(A)"),
        ("board(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1)", "placement"),
        ("RvR", "one king each"),
        ("KKvK", "one king each"),
        ("KRvkr", "capital letters"),
        ("Nd9", "a1 to h8"),
        ("e8=Q", "P-e8=Q"),
        ("Q = e8", "Qe8"),
        ("Nd5\u{a0}and Nf6", "plain"),
        ("P = 3..1", "1..3"),
        ("Nd5 then 9..2 Nf6", "2..9"),
        ("1... e5", "P-e4 directly p-e5"),
        ("Rxn[open]", "moved & .[open]"),
        ("Rx_", "R-_"),
        ("(Nd5 then Nd4) and Ke1", "Nd5 then (Nd4 and Ke1)"),
    ] {
        assert!(hint(text).contains(expected), "{text}: {}", hint(text));
    }
    // What has a hint of its own keeps it, and where nothing is known there is none.
    assert_eq!(Pattern::read("passed(P").unwrap_err().hint, None);
    assert_eq!(Pattern::read("passed(P, Q)").unwrap_err().hint, None);
}

#[test]
fn limits_are_errors() {
    let kind = |text: &str| Pattern::read(text).unwrap_err().kind;
    assert_eq!(kind(&"Nd5 ".repeat(1250)), PatternErrorKind::TooLong);
    let nested = |depth: usize| format!("{}Nd5{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Pattern::read(&nested(64)).is_ok());
    assert_eq!(kind(&nested(65)), PatternErrorKind::TooComplex);
    assert_eq!(kind(&format!("{} Nd5", "not ".repeat(65))), PatternErrorKind::TooComplex);
    assert_eq!(kind(&format!("{}N", "~".repeat(65))), PatternErrorKind::TooComplex);
    assert_eq!(kind(&["check"; 65].join(" then ")), PatternErrorKind::TooComplex);
    assert!(Pattern::read(&["check"; 64].join(" then ")).is_ok());
    assert_eq!(kind("shift(rotate(K[d4,a5] and na2 and qb3))"), PatternErrorKind::TooComplex);
}

/// However transforms and other constructs that multiply are nested, parsing stays within the limit of work.
#[test]
fn reading_takes_bounded_work() {
    let long = (0..240u8)
        .map(|n| format!("N[{}{}]", char::from(b'c' + n % 4), 3 + n % 4))
        .collect::<Vec<_>>()
        .join(" or not ");
    let squares =
        (0..900u32).map(|n| format!("{}{}", char::from(b'c' + (n % 4) as u8), 3 + n / 4 % 4)).collect::<Vec<_>>();
    let around = |inner: &str, times: usize| format!("{}{inner}{}", "rotate(shift(".repeat(times), "))".repeat(times));
    let mut texts = vec![
        format!("shift({long})"),
        format!("rotate(shift(flip({long})))"),
        around("N[d4,e4,d5] and n[c3-d4]", 20),
        vec![around("Nd4 ne5", 1); 100].join(" and "),
        vec![around("Nd4", 3); 20].join(" or not "),
        vec![around("N-d4 then ne5", 1); 30].join(" then "),
        around(&format!("N[{}]", squares.join(",")), 10),
        format!(
            "shift(board(8/8/2NNNN2/2NNNN2/2NNNN2/2NNNN2/8/8) {})",
            "board(8/8/2NNNN2/2NNNN2/2NNNN2/8/8/8)".repeat(90)
        ),
        format!("flip(shift({}))", "pawns(8/8/8/3P4/8/8/8/8) or ".repeat(100) + "Nd4"),
        format!("shift({})", vec!["Nd4-e5-d4-e5"; 16].join(" or ")),
    ];
    // Every construct on sets, in every transform.
    for what in ["passed(P[c-f])", "between(N[c-f], n[c-f])", "near(Kd4, 1..7)", "(A[c-f] attacks a[3-6])", "~P[c4,d5]"]
    {
        for said in
            ["S", "S = 2..7", "islands(S) = 2", "points(S) > points(A)", "line(S, R, S)", "not not S", "S for 9"]
        {
            texts.push(around(&vec![said.replace('S', what); 4].join(" or "), 16).replace("rotate", "mirror"));
        }
    }
    let mut refused = 0;
    for text in texts {
        let before = pause::steps();
        let read = Pattern::read(&text);
        let steps = pause::steps() - before;
        assert!(steps <= 150_000, "{steps} steps: {text}");
        if let Err(error) = read {
            assert_eq!(error.kind, PatternErrorKind::TooComplex, "{error}: {text}");
            refused += 1;
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn what_a_transform_cannot_do_is_said_at_its_place() {
    for (text, place) in [
        ("flip(Nd4) and rotate(isolated(P)) and shift(N[edge])", 15),
        ("flip(Nd4 or rotate(isolated(P))) and mirror(O-O)", 13),
        ("mirror(Nd4 then while flip(O-O) rotate(isolated(P)))", 33),
        ("mirror(flip(O-O))", 1),
        ("points(flip(N)) + P = flip(n) + N and shift(.[edge]) and mirror(O-O)", 39),
        ("flip(Nd4) and shift(rotate(K[d4,a5] and na2 and qb3))", 15),
    ] {
        let error = Pattern::read(text).unwrap_err();
        assert_eq!(error.at, place, "{text}: {error}");
    }
    assert_eq!(SquareSet::read("flip(Nd4) | rotate(isolated(P))").unwrap_err().at, 13);
}

/// A random pattern of at most `bytes` bytes, in the tersest spelling.
fn terse(rng: &mut Rng, bytes: usize) -> String {
    const PARTS: &[&str] = &[
        "N",
        "~P",
        "~R",
        "(P)",
        "flip(N)",
        "P=5",
        "[BN]>=3",
        "N-d5",
        "check",
        "b[4]",
        "[b]4",
        "[^P]e4",
        "..2=P",
        "P!=5",
        "not P",
        "[Pp]=2",
        "A attacks k",
        "passed(P)",
        "near(K,1..2)",
        "KRP2vKR",
        "imbalance Rv[BN]",
        "line(R,q,k)",
        "P|Q",
        "~P&N",
        "P+p=3",
        "board(8/8/8/3N4/8/8/8/8)",
        "castle(KQ)",
        "O-O",
        "points(A)>2",
        "islands(P)=1",
        "halfmove<9",
        "moved",
    ];
    const SIGNS: &[&str] = &[" ", " ", " or ", " and ", ")or("];
    let mut text = String::from("(");
    let favourite = [rng.below(PARTS.len()), rng.below(PARTS.len())];
    loop {
        let n = if rng.below(4) > 0 { favourite[rng.below(2)] } else { rng.below(PARTS.len()) };
        let part = PARTS[n].replace("..2=P", "P=..2");
        if text.len() + part.len() + 6 > bytes {
            return text + ")";
        }
        if text.len() > 1 && !text.ends_with('(') {
            text += if part.starts_with('~') && rng.below(2) == 0 { "" } else { SIGNS[rng.below(SIGNS.len())] };
        }
        text += &part;
    }
}

/// Every accepted pattern can be stored, dumped and read again, including patterns stored before the spelling was
/// limited.
#[test]
fn every_spelling_is_read_again() {
    let (mut accepted, mut too_long) = (0, 0);
    let rng = &mut Rng(11);
    for round in 0..effort(4000, 200) {
        let bytes = if round % 2 == 0 { limits::BYTES } else { 20 + rng.below(limits::BYTES - 20) };
        let text = terse(rng, bytes);
        match Pattern::read(&text) {
            Ok(pattern) => {
                assert!(pattern.as_str().len() <= limits::BYTES, "{text}");
                let again = Pattern::read(pattern.as_str()).unwrap_or_else(|error| panic!("{error}: {text}"));
                assert_eq!(again.as_str(), pattern.as_str());
                accepted += 1;
            }
            Err(error) if error.kind == PatternErrorKind::TooLong => {
                assert!(error.reason.contains("spelling"), "{error}");
                too_long += 1;
            }
            Err(error) => assert_eq!(error.kind, PatternErrorKind::TooComplex, "{error}: {text}"),
        }
    }
    assert!(accepted > effort(400, 20) && too_long > effort(400, 20), "{accepted} {too_long}");
    // As stored when a text of 4,096 bytes could have a spelling of any length.
    let typed = "~P".repeat(limits::BYTES / 2);
    let stored = vec!["~P"; limits::BYTES / 2].join(" and ");
    assert_eq!(Pattern::read(&typed).unwrap_err().kind, PatternErrorKind::TooLong);
    assert_eq!(Pattern::read(&stored).unwrap().as_str(), stored);
    assert_eq!(Pattern::read(&format!("{stored} ")).unwrap_err().kind, PatternErrorKind::TooLong);
    assert_eq!(Pattern::read(&stored.replace(" and ", " ")).unwrap_err().kind, PatternErrorKind::TooLong);
    assert_eq!(Pattern::read(&format!("{stored} and {stored}")).unwrap_err().kind, PatternErrorKind::TooLong);
    assert_eq!(SquareSet::read(&vec!["P"; 1500].join(" | ")).unwrap_err().kind, PatternErrorKind::TooLong);
}

#[test]
fn boards_answer_what_boards_can() {
    let board = Board::default();
    assert_eq!(matcher("wtm and P = 8").is_on(&board), Ok(true));
    for text in ["capture", "Nx.", "check then mate", "P = 8 for 1", "halfmove = 0", "start", "moved & N"] {
        assert!(matcher(text).is_on(&board).is_err(), "{text}");
        assert!(Pattern::read(text).unwrap().needs_game(), "{text}");
    }
    let squares = |text: &str| SquareSet::read(text).unwrap().of(&board);
    assert_eq!(squares("P"), 0xff00);
    assert_eq!(squares("_ attackedby N"), 0x0000_0000_00a5_0000);
    assert_eq!(squares("flip(Nb1)"), 1 << 1 | 1 << 57);
    assert!(SquareSet::read("check").is_err());
    assert!(SquareSet::read("moved").is_err());
    // A group can be level although its members are not.
    let knight = chess_core::board::fen::read("4k1n1/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    let bishop = chess_core::board::fen::read("2b1k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    for (text, on_knight, on_bishop) in [("imbalance v[BN]", true, true), ("imbalance NvN[BN]", false, true)] {
        assert_eq!(matcher(text).is_on(&knight), Ok(on_knight), "{text}");
        assert_eq!(matcher(text).is_on(&bishop), Ok(on_bishop), "{text}");
    }
    assert_eq!(matcher(".[open]").is_on(&knight), Ok(true));
    assert_eq!(matcher(".[open]").is_on(&board), Ok(false));
    // A start that no game has: more queens than a count of four bits holds.
    let crowd = chess_core::board::fen::read("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/8/K6k w - - 0 1").unwrap();
    assert_eq!(matcher("Q = 24").is_on(&crowd), Ok(true));
}

/// Incremental evaluation agrees with evaluation of each board alone, for patterns with hundreds of parts, too.
#[test]
fn large_patterns_say_what_each_board_says() {
    let texts = [
        "shift(islands([Aa][d1-g1]) = 2)",
        "flip(shift(.[b-d] <= (r3[open][e-h] attacks _8)))",
        "flip(shift(N[c-e] <= (r3[open][e-h] attacks _8)))",
        "shift([Aa][d3-e4] = 3 and not [Pp][d5,e5])",
        "shift(points(A[d2-e3]) > points(a[d2-e3]) + 9)",
        "shift(near([Nn]d4, 1) = 3 and [Pp]e5)",
        "shift(between([Rr]d4, [Kk]d1) & [Aa] = 0)",
        "mirror(shift([Aa]d4 attacks [Pp]c6))",
        "shift(not [Aa][c3-f6] and wtm)",
        "shift(passed([Pp]d) or line([Rr]d, [Pp], [Kk]))",
        "flip(shift(outpost(N[c-d]) = 1 and not check))",
        "line(_, P, [Nn])",
        "line([_P], ., [_Kk], _, [Qq])",
        "diagonal([^P], _, _, p)",
        "shift([Aa]d4 = 1 and ahead(Pd4, 1..3) = 2 and ~[Aa][d5,d6] >= 62)",
    ];
    let mut matched = vec![0; texts.len()];
    for played in games(12, effort(120, 20)) {
        let game = pack(&played);
        for (text, matched) in texts.iter().zip(&mut matched) {
            let mut fresh = matcher(text);
            let boards = (0..=game.view().ply_count()).filter(|ply| {
                let board = game.view().board_at(*ply).unwrap().unwrap();
                fresh.is_on(&board).unwrap()
            });
            let boards: Vec<u32> = boards.collect();
            assert_eq!(ends(text, &game), boards, "{text} in {}", played.fen);
            *matched += boards.len();
        }
    }
    assert!(matched.iter().filter(|matched| **matched == 0).count() <= 3, "{matched:?}");
}

/// The same for conditions drawn at random, everywhere on the board.
#[test]
fn random_conditions_say_what_each_board_says() {
    const SETS: &[&str] = &[
        "[Aa][c3-e5]",
        "[Nn]d4",
        "P[open]",
        "_e5",
        ".[c-d]",
        "[^P]d5",
        "[Kk]",
        "[Rr]d",
        "[Qq][d,e]",
        "p[c4-f4]",
        "pinned([Nn])",
        "passed(P[c-e])",
        "near([Kk], 1..2)",
        "between([Rr], [Kk])",
        "~[Aa][c3-d6]",
        "[_P]e4",
        "ahead([Pp]d, 1..3)",
        "outpost([Nn][c-f])",
        "beside([Pp]d4)",
    ];
    let rng = &mut Rng(17);
    let set = |rng: &mut Rng, depth: usize| {
        let mut text = SETS[rng.below(SETS.len())].to_string();
        for _ in 0..depth {
            let other = SETS[rng.below(SETS.len())];
            text = match rng.below(6) {
                0 => format!("(({text}) attacks {other})"),
                1 => format!("(({text}) attackedby {other})"),
                2 => format!("({other} attacks ({text}))"),
                3 => format!("({text} & {other})"),
                4 => format!("({text} | {other})"),
                _ => format!("pinned({text})"),
            };
        }
        text
    };
    let mut texts = Vec::new();
    while texts.len() < effort(150, 40) {
        let condition = |rng: &mut Rng| {
            let depth = rng.below(3);
            let (a, b, c) = (set(rng, depth), set(rng, 1), set(rng, 0));
            let line = ["line", "file", "rank", "diagonal"][rng.below(4)];
            match rng.below(8) {
                0 | 1 => format!("{line}({a}, {c})"),
                2 => format!("{line}({c}, {a}, {b})"),
                3 => format!("({a}) = {}", 1 + rng.below(3)),
                4 => format!("points({a}) > points({c})"),
                5 => format!("islands({a}) = 2 and wtm"),
                6 => format!("not ({a})"),
                _ => a,
            }
        };
        let (a, b) = (condition(rng), condition(rng));
        let sign = [" and ", " or ", " and not "][rng.below(3)];
        let transform = ["shift", "shift", "flip", "mirror", ""][rng.below(5)];
        let text = format!("{transform}(({a}){sign}({b}))");
        if let Ok(pattern) = Pattern::read(&text)
            && !pattern.needs_game()
        {
            texts.push(text);
        }
    }
    let mut matched = 0;
    for played in games(18, effort(6, 2)) {
        let game = pack(&played);
        for text in &texts {
            let mut fresh = matcher(text);
            let boards = (0..=game.view().ply_count()).filter(|ply| {
                let board = game.view().board_at(*ply).unwrap().unwrap();
                fresh.is_on(&board).unwrap()
            });
            let boards: Vec<u32> = boards.collect();
            assert_eq!(ends(text, &game), boards, "{text} in {}", played.fen);
            matched += usize::from(!boards.is_empty());
        }
    }
    assert!(matched > texts.len() / 2, "{matched}");
}

/// Squares behind an `@`, moved by files and ranks; `None` if one leaves the board.
fn moved(template: &str, files: i32, ranks: i32) -> Option<String> {
    let mut parts = template.split('@');
    let mut text = parts.next()?.to_string();
    for part in parts {
        let square: Square = part.get(..2)?.parse().ok()?;
        let at = |n: i32| u32::try_from(n).ok().filter(|n| *n < 8);
        let (file, rank) = (at(file(square) + files)?, at(rank(square) + ranks)?);
        text += &Square::from_coords(shakmaty::File::new(file), shakmaty::Rank::new(rank)).to_string();
        text += part.get(2..)?;
    }
    Some(text)
}

/// What is looked for everywhere is the same as what is looked for at each place by itself.
#[test]
fn a_condition_everywhere_is_that_of_each_place() {
    const TEMPLATES: &[&str] = &[
        "[Aa]@c3 and [Aa][@d3,@d4] = 2",
        "[^RN]@c3 and [_N]@d4",
        "points([Aa][@c3,@d3,@c4]) > 3",
        "points([QRNq]@c3) >= points([Aa]@d5)",
        "islands([Aa][@c3,@e3,@f4]) = 2",
        "[NBRQ]@d4 attacks [Aa][@e5,@f6,@d6]",
        "[Aa][@c3,@d5] attackedby [Aa][@e4,@d3]",
        "([Aa] attacks [Aa][@c3,@d4]) >= 3",
        "([Aa][@c3,@d4,@e5] attackedby [Aa]) = 2",
        "near([Kk]@d2, 1..2) & [Aa] = 4..9",
        "between([Aa]@c3, [Aa][@f6,@c6]) & [Aa] = 1",
        "line([Aa]@c3, _, [Aa])",
        "line([Aa], [Aa]@c4, [Kk])",
        "file([Aa][@c3,@d4], [Pp])",
        "rank(_, [Aa]@d4, _)",
        "diagonal([BQbq], [Aa][@c3,@c4,@d4])",
        "span([PpN][@c4,@d4]) & [Aa] >= 2",
        "passed([PpN][@c4,@d5])",
        "isolated([PpN]@c4) and not doubled([Aa][@d3,@d4])",
        "connected([PpR][@c4,@d4]) = 2",
        "backward([PpQ]@c3) and not outpost([Aa]@d5)",
        "beside([Aa]@d4) & [Pp]",
        "ahead([Aa]@d2, 1..4) & [Pp]",
        "behind([Aa]@d5, 2..) & [RQrq]",
        "pinned([NnBb]@c3)",
        "~([Aa][@c3,@d4]) + [Aa]@e5 = 64",
        "[Aa][@c3,@d4] + [Pp][@e3,@e4] > [Aa]@d5 + 1",
        "[RQrq][open] attacks [Aa]@d4",
        "[Aa]@c3 and check",
    ];
    let rng = &mut Rng(23);
    let all: Vec<Game> = games(24, effort(14, 4)).iter().map(pack).collect();
    let (mut matched, rounds) = (0, effort(TEMPLATES.len() * 3, TEMPLATES.len()));
    for round in 0..rounds {
        let (first, second) = (TEMPLATES[round % TEMPLATES.len()], *rng.pick(TEMPLATES));
        // Of what `or` joins, a part is looked for also where the other has left the board.
        let sign = [" and ", " and not "][rng.below(2)];
        let template = if rng.below(2) == 0 { first.to_string() } else { format!("({first}){sign}({second})") };
        let text = format!("shift({})", moved(&template, 0, 0).unwrap());
        let steps = (-7..=7).flat_map(|files| (-7..=7).map(move |ranks| (files, ranks)));
        let mut places: Vec<Matcher> =
            steps.filter_map(|(files, ranks)| moved(&template, files, ranks)).map(|text| matcher(&text)).collect();
        assert!(places.len() >= 6, "{template}");
        for game in &all {
            let is_on = |ply: &u32| {
                let board = game.view().board_at(*ply).unwrap().unwrap();
                places.iter_mut().any(|place| place.is_on(&board).unwrap())
            };
            let expected: Vec<u32> = (0..=game.view().ply_count()).filter(is_on).collect();
            assert_eq!(ends(&text, game), expected, "{text}");
            matched += usize::from(!expected.is_empty());
        }
    }
    assert!(matched > rounds, "{matched}");
}

/// Moves of one piece that are looked for everywhere.
#[test]
fn trips_everywhere_are_those_of_each_place() {
    let templates = ["[RQrq]-@a4-@c4", "[Aa]-.-@d4", "[NBnb]x.-@d4", "[Aa]@e4-.-@e5-.", "[Pp]-@d4x."];
    for played in games(25, effort(60, 12)) {
        let game = pack(&played);
        for template in templates {
            let mut expected = Vec::new();
            for files in -7..=7 {
                for ranks in -7..=7 {
                    expected.extend(moved(template, files, ranks).iter().flat_map(|text| ends(text, &game)));
                }
            }
            expected.sort_unstable();
            expected.dedup();
            let text = format!("shift({})", moved(template, 0, 0).unwrap());
            assert_eq!(ends(&text, &game), expected, "{text} in {}", played.fen);
        }
    }
}

/// What stands on a square, or does not, at one half-move.
#[derive(Clone)]
struct Stands {
    letters: &'static str,
    file: i32,
    rank: i32,
    not: bool,
}

impl Stands {
    fn random(rng: &mut Rng) -> Stands {
        let letters = ["N", "n", "Q", "KQRBNP", "kqrbnp", "KQRBNPkqrbnp", "_", "B", "_k"][rng.below(9)];
        Stands { letters, file: rng.below(3) as i32, rank: rng.below(4) as i32, not: rng.below(4) == 0 }
    }

    /// As text; the squares are meant from c3 on.
    fn text(&self) -> String {
        let square =
            Square::from_coords(shakmaty::File::new(2 + self.file as u32), shakmaty::Rank::new(2 + self.rank as u32));
        let text = format!("[{}]{square}", self.letters);
        if self.not { format!("(not {text})") } else { format!("({text})") }
    }

    /// Whether it is so, with all squares moved from c3 to another square.
    fn holds(&self, letters: &[char; 64], files: i32, ranks: i32) -> bool {
        let square = 8 * (self.rank + ranks) + self.file + files;
        self.letters.contains(letters[square as usize]) != self.not
    }
}

/// The pieces of all boards of a game, as letters.
fn letters(game: &Game) -> Vec<[char; 64]> {
    let of = |ply| {
        let board = game.view().board_at(ply).unwrap().unwrap();
        let letter =
            |square: usize| char::from(*b"PNBRQKpnbrqk_".get(usize::from(board.kinds[square])).unwrap_or(&b'_'));
        std::array::from_fn(letter)
    };
    (0..=game.view().ply_count()).map(of).collect()
}

/// Sequences that are looked for everywhere on the board are those of each place, followed as plainly as can be.
#[test]
fn sequences_everywhere_are_those_of_each_place() {
    /// As text, with the fewest and the most half-moves.
    type Link = (&'static str, u32, u32);
    const LINKS: &[Link] = &[
        ("then", 1, u32::MAX),
        ("then", 1, u32::MAX),
        ("directly", 1, 1),
        ("then within 4", 1, 4),
        ("then 2", 2, 2),
        ("then 2..5", 2, 5),
        ("then 3..", 3, u32::MAX),
        ("then 2..12", 2, 12),
        ("then within 300", 1, 300),
    ];
    let rng = &mut Rng(19);
    let mut matched = 0;
    let all: Vec<Game> = games(20, effort(12, 4)).iter().map(pack).collect();
    let boards: Vec<Vec<[char; 64]>> = all.iter().map(letters).collect();
    let rounds = effort(120, 30);
    for _ in 0..rounds {
        let steps: Vec<(Stands, u32)> = (0..2 + rng.below(4))
            .map(|_| (Stands::random(rng), if rng.below(3) == 0 { [2, 3, 20][rng.below(3)] } else { 1 }))
            .collect();
        let links: Vec<(Link, Option<Stands>)> = (1..steps.len())
            .map(|_| (LINKS[rng.below(LINKS.len())], (rng.below(3) == 0).then(|| Stands::random(rng))))
            .collect();
        let step = |(stands, times): &(Stands, u32)| {
            if *times == 1 { stands.text() } else { format!("({} for {times})", stands.text()) }
        };
        let mut text = step(&steps[0]);
        for (((link, ..), guard), next) in links.iter().zip(&steps[1..]) {
            let guard = guard.as_ref().map_or(String::new(), |guard| format!(" while {}", guard.text()));
            text = format!("{text} {link}{guard} {}", step(next));
        }
        let text = format!("shift({text})");
        let squares =
            steps.iter().map(|(stands, _)| stands).chain(links.iter().filter_map(|(_, guard)| guard.as_ref()));
        let (mut low, mut high) = ((7, 7), (0, 0));
        for stands in squares {
            low = (low.0.min(stands.file), low.1.min(stands.rank));
            high = (high.0.max(stands.file), high.1.max(stands.rank));
        }
        for (game, boards) in all.iter().zip(&boards) {
            let mut latest: BTreeMap<u32, u32> = BTreeMap::new();
            for files in -low.0..=7 - high.0 {
                for ranks in -low.1..=7 - high.1 {
                    let holds = |stands: &Stands, ply: u32| stands.holds(&boards[ply as usize], files, ranks);
                    let last = boards.len() as u32 - 1;
                    // By half-move with which a step may begin the latest beginning of the match.
                    let mut begins: BTreeMap<u32, u32> = (0..=last).map(|ply| (ply, ply)).collect();
                    for (n, (stands, times)) in steps.iter().enumerate() {
                        let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
                        for (ply, began) in &begins {
                            let end = ply + times - 1;
                            if end <= last && (*ply..=end).all(|ply| holds(stands, ply)) {
                                let known = ends.entry(end).or_insert(*began);
                                *known = (*known).max(*began);
                            }
                        }
                        let Some(((_, from, to), guard)) = links.get(n) else {
                            begins = ends;
                            break;
                        };
                        begins = BTreeMap::new();
                        for (end, began) in ends {
                            for ply in end + 1..=last {
                                if ply - end >= *from && ply - end <= *to {
                                    let known = begins.entry(ply).or_insert(began);
                                    *known = (*known).max(began);
                                }
                                if ply - end >= *to || guard.as_ref().is_some_and(|guard| !holds(guard, ply)) {
                                    break;
                                }
                            }
                        }
                    }
                    for (end, began) in begins {
                        let known = latest.entry(end).or_insert(began);
                        *known = (*known).max(began);
                    }
                }
            }
            let expected: Vec<(u32, u32)> = latest.into_iter().map(|(last, first)| (first, last)).collect();
            assert_eq!(rows(&text, game), expected, "{text}");
            matched += usize::from(!expected.is_empty());
        }
    }
    assert!(matched > rounds, "{matched}");
}

/// A step that holds all the time is found behind one that is looked for everywhere, although nothing changes for it.
#[test]
fn a_step_that_holds_comes_right_behind_images() {
    for played in games(31, effort(100, 20)) {
        let game = pack(&played);
        for step in
            ["shift(bc6 for 2)", "shift(Nf3)", "shift(not [^b]c6) for 2", "shift(Pe4 for 3 then pe5)", "rotate(N-c3)"]
        {
            let first = ends(step, &game).first().copied().unwrap_or(u32::MAX);
            for link in ["then", "then 2.."] {
                let from = first.saturating_add(if link == "then" { 1 } else { 2 });
                let expected: Vec<u32> = (from..=game.view().ply_count()).collect();
                assert_eq!(ends(&format!("{step} {link} A"), &game), expected, "{step} {link} A in {}", played.fen);
            }
        }
    }
}

/// Sequences with a common beginning are followed once.
#[test]
fn sequences_that_begin_alike_are_those_of_each() {
    for played in games(13, effort(300, 40)) {
        let game = pack(&played);
        for (a, b, both) in [
            ("capture then check", "capture then [Pp]-.", "(capture then check) or (capture then [Pp]-.)"),
            (
                "check then within 3 capture then Q-.",
                "check then within 3 capture then k-.",
                "(check then within 3 capture then Q-.) or (check then within 3 capture then k-.)",
            ),
            (
                "wtm then 2 while (not check) capture",
                "wtm then 2 capture",
                "(wtm then 2 while (not check) capture) or (wtm then 2 capture)",
            ),
        ] {
            let mut latest = BTreeMap::new();
            for (first, last) in rows(a, &game).into_iter().chain(rows(b, &game)) {
                let known: &mut u32 = latest.entry(last).or_insert(first);
                *known = first.max(*known);
            }
            let expected: Vec<(u32, u32)> = latest.into_iter().map(|(last, first)| (first, last)).collect();
            assert_eq!(rows(both, &game), expected, "{both} in {}", played.fen);
        }
    }
}

#[test]
fn header_and_windows_change_no_answer() {
    // The same condition, once so that header and half-moves decide, once so that they cannot.
    let pairs = [
        ("KR*P*vKR*P*", "(KR*P*vKR*P*) or wtm and btm"),
        ("mate", "mate or wtm and btm"),
        ("end and A = 3", "(end and A = 3) or wtm and btm"),
        ("halfmove = 10..20 capture", "(halfmove >= 10 and halfmove <= 20 and capture) or halfmove < 0"),
        ("move = 4 and recapture", "not (move <> 4) and not (not recapture)"),
        ("isolated(Pd)", "isolated(Pd) or wtm and btm"),
        ("Pa2 and P = 4", "not (not Pa2) and P = 4"),
        ("castle(K) and capture", "not (not castle(K)) and capture"),
        ("O-O", "not (not O-O)"),
        // Behaviour of shift at the edge of the board.
        (
            "shift([Nn][a-c] = 2)",
            "[Nn]a = 2 or [Nn][a-b] = 2 or [Nn][a-c] = 2 or [Nn][b-d] = 2 or [Nn][c-e] = 2 or [Nn][d-f] = 2 \
             or [Nn][e-g] = 2 or [Nn][f-h] = 2 or [Nn][g-h] = 2 or [Nn]h = 2",
        ),
        ("shift(Pc[2,3] and Pa2)", "shift(Pc[2,3] Pa2)"),
        ("shift([Pp][e4,f5] = 2)", "shift([Pp]e4 and [Pp]f5)"),
        // A game that is too short for a sequence.
        ("any for 40", "any for 40 or (wtm and btm)"),
        ("any then 30 capture", "(any then 30 capture) or (wtm and btm)"),
        ("start then 2.. any for 20", "(start then 2.. any for 20) or (wtm and btm)"),
        ("N-.-.-.", "N-.-.-. or (wtm and btm)"),
        // When a step may hold, and which ones always or never do.
        ("N-. then (capture and halfmove <= 20)", "N-. then not (not capture or halfmove > 20)"),
        ("(capture and move < 8) then within 6 check", "(capture and not (move > 7)) then within 6 check"),
        ("(halfmove <= 30 and N-.) then 3..5 wtm for 1", "(not (halfmove > 30) and N-.) then 3..5 wtm"),
        ("halfmove = 9..30 for 4", "not (halfmove < 9 or halfmove > 30) for 4"),
        ("capture then halfmove = 6..40 for 30", "capture then not (halfmove < 6 or halfmove > 40) for 30"),
        ("(N-.-. then halfmove <= 40) or O-O", "(N-.-. then not (halfmove > 40)) or O-O"),
        ("(capture then (0 > n)) or castling", "(capture then (wtm and btm)) or castling"),
        ("capture directly A for 2 directly K = 1", "capture directly (wtm or btm) for 2 directly (wtm or btm)"),
        ("capture then while a < 17 check", "capture then check"),
        ("(_ < 32 or 3 > 4) then any", "(wtm and btm) then any"),
    ];
    for played in games(8, effort(400, 50)) {
        let game = pack(&played);
        for (a, b) in pairs {
            assert_eq!(ends(a, &game), ends(b, &game), "{a} in {}", played.fen);
        }
    }
}
