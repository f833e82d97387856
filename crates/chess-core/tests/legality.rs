//! Rules and SAN compared with shakmaty: in every position of random games each legal move is written as by shakmaty
//! and read back, no other move is legal, and every token has the same meaning or is refused by both.
//!
//! `PGN=file TOKENS=n scripts/test-crate.sh chess-core --ignored --nocapture legality` does the same for all positions of
//! the games in a file, with n random tokens in each (1).

use chess_core::board::fen;
use chess_core::game::legality::Position as Ours;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::text::read_pgn;
use chess_core::text::san::{self, San, SanError};
use shakmaty::san::{ParseSanError, San as Oracle, SanError as OracleError, SanPlus};
use shakmaty::{Chess, MoveList, Position, Role, attacks};

use crate::common::{CUSTOM_STARTS, Rng, STANDARD, Style, any_start, chess960, effort, oracle_start, play};

/// Counts of the tested cases.
#[derive(Debug, Default)]
struct Counts {
    positions: u64,
    moves: u64,
    checks: u64,
    mates: u64,
    /// Tokens by their outcome.
    legal: u64,
    illegal: u64,
    ambiguous: u64,
    malformed: u64,
}

/// Reads a token with shakmaty, including the notation that shakmaty does not accept.
fn read_by_shakmaty(token: &str) -> Result<Oracle, ParseSanError> {
    let word = token.trim_end_matches(['+', '#', '!', '?']);
    let word = word.strip_suffix("e.p.").or_else(|| word.strip_suffix("e.p")).unwrap_or(word);
    let word = word.trim_end_matches(['+', '#', '!', '?']);
    match word.as_bytes() {
        [b'0', ..] => Oracle::from_ascii(word.replace('0', "O").as_bytes()),
        [head @ .., rank @ (b'1' | b'8'), role @ (b'N' | b'B' | b'R' | b'Q')] => {
            Oracle::from_ascii(&[head, &[*rank, b'=', *role]].concat())
        }
        bytes => match Oracle::from_ascii(bytes)? {
            Oracle::Put { .. } | Oracle::Null => Err(ParseSanError),
            Oracle::Normal { promotion: Some(Role::Pawn | Role::King), .. } => Err(ParseSanError),
            san => Ok(san),
        },
    }
}

fn check_token(oracle: &Chess, ours: &Ours<'_>, token: &str, counts: &mut Counts) {
    let expected = read_by_shakmaty(token).ok().map(|san| match san.to_move(oracle) {
        Ok(played) => Ok(Step::of(played).unwrap()),
        Err(OracleError::IllegalSan) => Err(SanError::Illegal),
        Err(OracleError::AmbiguousSan) => Err(SanError::Ambiguous),
    });
    let found = San::read(token).map(|san| san.step(ours));
    assert_eq!(found, expected, "{token} in {oracle:?}");
    *match expected {
        None => &mut counts.malformed,
        Some(Ok(_)) => &mut counts.legal,
        Some(Err(SanError::Illegal)) => &mut counts.illegal,
        Some(Err(SanError::Ambiguous)) => &mut counts.ambiguous,
    } += 1;
}

/// A text like a move of the position: mutated, of a piece that may be pinned, or nonsense.
fn random_token(rng: &mut Rng, oracle: &Chess, legal: &MoveList) -> String {
    const LETTERS: &[u8] = b"abcdefgh12345678NBRQKPxO0-=+#@!?.peqnZ";
    let mut token = String::new();
    match rng.below(5) {
        0 | 1 if !legal.is_empty() => {
            let mut text = Oracle::from_move(oracle, *rng.pick(legal)).to_string().into_bytes();
            for _ in 0..1 + rng.below(2) {
                let at = rng.below(text.len() + 1);
                match rng.below(3) {
                    0 => text.insert(at, *rng.pick(LETTERS)),
                    1 if at < text.len() => text[at] = *rng.pick(LETTERS),
                    _ if at < text.len() && text.len() > 1 => drop(text.remove(at)),
                    _ => (),
                }
            }
            token.extend(text.into_iter().map(char::from));
        }
        0..=3 => {
            let pieces: Vec<_> = oracle.us().into_iter().collect();
            let from = *rng.pick(&pieces);
            let role = oracle.board().role_at(from).unwrap();
            let piece = role.of(oracle.turn());
            let mut reach = attacks::attacks(from, piece, oracle.board().occupied());
            if role == Role::Pawn {
                let push = if oracle.turn().is_white() { 8 } else { -8 };
                reach.extend(from.offset(push).into_iter().chain(from.offset(2 * push)));
            }
            let reach: Vec<_> = reach.into_iter().collect();
            let to = *rng.pick(&reach);
            if role != Role::Pawn {
                token.push(role.upper_char());
            }
            token.extend(rng.one_in(3).then(|| from.file().char()));
            token.extend(rng.one_in(4).then(|| from.rank().char()));
            let takes = oracle.board().occupied().contains(to) || role == Role::Pawn && from.file() != to.file();
            token.extend((takes != rng.one_in(20)).then_some('x'));
            token.push_str(&to.to_string());
            if role == Role::Pawn && matches!(to as u8 / 8, 0 | 7) || rng.one_in(20) {
                token.push_str(rng.word(&["=Q", "=N", "R", "B", "=K", "=q"]));
            }
            token.push_str(rng.word(&["", "", "+", "#", "!?", "e.p.", "+e.p"]));
        }
        _ => token.extend((0..1 + rng.below(8)).map(|_| char::from(*rng.pick(LETTERS)))),
    }
    token
}

fn check_position(rng: &mut Rng, oracle: &Chess, ours: &Ours<'_>, tokens: usize, counts: &mut Counts) {
    let legal = oracle.legal_moves();
    assert_eq!((ours.is_check(), ours.is_mate()), (oracle.is_check(), oracle.is_checkmate()), "{oracle:?}");
    counts.positions += 1;
    counts.checks += u64::from(ours.is_check());
    counts.mates += u64::from(ours.is_mate());
    for played in &legal {
        let step = Step::of(*played).unwrap();
        let mut text = String::new();
        san::push(&mut text, ours, step);
        san::push_mark(&mut text, &ours.after(step));
        let mut after = oracle.clone();
        assert_eq!(text, SanPlus::from_move_and_play_unchecked(&mut after, *played).to_string(), "{oracle:?}");
        assert_eq!(San::read(&text).map(|san| san.step(ours)), Some(Ok(step)), "{text} in {oracle:?}");
        counts.moves += 1;
    }
    for _ in 0..tokens {
        check_token(oracle, ours, &random_token(rng, oracle, &legal), counts);
    }
}

/// Every step that can be expressed, legal or not.
fn all_steps() -> impl Iterator<Item = Step> {
    let plain = |from| {
        let promotions = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)];
        (0..64).flat_map(move |to| promotions.map(|promotion| Step::Plain { from, to, promotion }))
    };
    (0..64).flat_map(plain).chain([false, true].map(|long| Step::Castle { long }))
}

fn legal_steps(position: &Ours<'_>) -> Vec<Step> {
    all_steps().filter(|step| position.is_legal(*step)).collect()
}

#[test]
fn every_move_of_random_games_is_that_of_shakmaty() {
    let mut rng = Rng(41);
    let mut counts = Counts::default();
    for round in 0..effort(1_500, 40) {
        let start = any_start(&mut rng);
        let long = round % 20 == 0;
        let plies = if long { 400 } else { rng.below(160) };
        let played = play(&mut rng, &start, plies, if long { Style::Endless } else { Style::Special });
        let start = GameStart::new(&fen::read(&played.fen).unwrap()).unwrap();
        let mut ours = Ours::new(&start);
        for (ply, oracle) in played.positions.iter().enumerate() {
            check_position(&mut rng, oracle, &ours, 10, &mut counts);
            if rng.one_in(40) {
                let mut expected: Vec<Step> = oracle.legal_moves().into_iter().filter_map(Step::of).collect();
                let mut found = legal_steps(&ours);
                expected.sort_by_key(|step| format!("{step:?}"));
                found.sort_by_key(|step| format!("{step:?}"));
                assert_eq!(found, expected, "{oracle:?}");
            }
            if let Some(next) = played.moves.get(ply) {
                ours = ours.after(Step::of(*next).unwrap());
            }
        }
    }
    let Counts { checks, mates, legal, illegal, ambiguous, malformed, .. } = counts;
    let seen = [checks, mates, legal, illegal, ambiguous, malformed];
    assert!(seen.iter().all(|count| *count > effort(50, 0) as u64), "{counts:?}");
}

fn perft(position: &Ours<'_>, depth: u32) -> usize {
    let steps = legal_steps(position);
    if depth == 1 { steps.len() } else { steps.into_iter().map(|step| perft(&position.after(step), depth - 1)).sum() }
}

/// Published numbers of positions after this many half-moves.
#[test]
fn perft_counts_are_the_published_ones() {
    for (start, depth, expected) in [
        (STANDARD, 3, 8_902),
        (STANDARD, 4, 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9_467),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89_890),
    ] {
        if cfg!(debug_assertions) && expected > 50_000 {
            continue;
        }
        let start = GameStart::new(&fen::read(start).unwrap()).unwrap();
        assert_eq!(perft(&Ours::new(&start), depth), expected);
    }
}

/// Positions that random games seldom reach, each with all its moves and many tokens.
#[test]
fn pins_checks_and_castling_in_the_corners() {
    let mut rng = Rng(42);
    let mut counts = Counts::default();
    let corners = [
        // en passant captures that expose the king on its rank or on a diagonal, or that answer a check
        "8/8/8/K2pP2q/8/8/8/7k w - d6 0 2",
        "7b/8/8/3pP3/8/2K5/8/7k w - d6 0 2",
        "8/8/8/3pP3/4K3/8/8/7k w - d6 0 2",
        "8/8/8/2PpP3/4K3/8/8/7k w - d6 0 2",
        // double check, a pinned piece that could block, a pinned piece that moves along the pin
        "4r1k1/8/8/8/8/5n2/4N3/R3K2R w KQ - 0 1",
        "4r1k1/8/8/4R3/8/8/8/R3K2R w KQ - 0 1",
        "k7/8/8/q7/1b6/2N5/3B4/R3K2R w KQ - 0 1",
        // castling through, out of and beside attacks, and with a rook that shields the king
        "5rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "1r4k1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "7k/8/8/8/8/8/8/qRK5 w B - 0 1",
        "7k/8/8/8/8/8/8/1rRK4 w C - 0 1",
        "k7/8/8/8/8/8/8/5KRr w G - 0 1",
        "k7/8/8/8/8/8/8/r4RKR w FH - 0 1",
        // three queens that reach one square, some of them pinned
        "2k1r3/8/8/8/Q3Q3/8/8/Q3K3 w - - 0 1",
        "k7/8/2N1N3/1N3N2/8/1N3N2/2N1N3/K7 w - - 0 1",
    ];
    let starts = corners.iter().chain(CUSTOM_STARTS).map(|start| start.to_string());
    for text in starts.chain((0..960).step_by(37).map(chess960)) {
        let start = GameStart::new(&fen::read(&text).unwrap()).unwrap();
        let (oracle, ours) = (oracle_start(&text), Ours::new(&start));
        check_position(&mut rng, &oracle, &ours, effort(20_000, 200), &mut counts);
        for played in &oracle.legal_moves() {
            let mut after = oracle.clone();
            after.play_unchecked(*played);
            let ours = ours.after(Step::of(*played).unwrap());
            check_position(&mut rng, &after, &ours, effort(500, 5), &mut counts);
        }
    }
    assert!(counts.positions > 1_000 && counts.ambiguous > 100, "{counts:?}");
}

#[test]
#[ignore = "needs a PGN file, and minutes"]
fn every_position_of_a_file() {
    let path = std::env::var("PGN").expect("PGN=file");
    let tokens = std::env::var("TOKENS").map_or(1, |count| count.parse().unwrap());
    let text: String = std::fs::read(path).unwrap().into_iter().map(char::from).collect();
    let (mut rng, mut counts, mut games) = (Rng(43), Counts::default(), 0);
    for game in read_pgn::games(&text).filter_map(|read| read.game.ok()) {
        let mut oracle = game.view().start_board().unwrap().position().unwrap();
        let decoded = game.view().decode(|ours, step| {
            check_position(&mut rng, &oracle, ours, tokens, &mut counts);
            let legal = oracle.legal_moves();
            if let Some(step) = step {
                oracle.play_unchecked(*legal.iter().find(|played| Step::of(**played) == Some(step)).unwrap());
            }
        });
        decoded.unwrap();
        games += 1;
    }
    println!("{games} games: {counts:?}");
    assert!(games > 0);
}
