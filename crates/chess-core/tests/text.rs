//! Move text: output is shakmaty's SAN and reads back to the same bytes, every accepted notation reads to those bytes
//! too, every error names its half-move and token, and no text makes the parser panic or play a move that shakmaty
//! would not.

use chess_core::board::fen;
use chess_core::game::start::GameStart;
use chess_core::text::movetext::{self, MovetextErrorKind as Kind};
use chess_core::{Board, CorruptGame, Game};
use shakmaty::san::{San, SanPlus};
use shakmaty::{Chess, EnPassantMode, Move, Position, fen::Fen};

use crate::common::{Played, Rng, STANDARD, Style, any_start, effort, oracle_start, pack, play};

fn tags(played: &Played) -> String {
    let mut out = String::new();
    if played.chess960 {
        out.push_str("[Variant \"Chess960\"] ");
    }
    if played.fen != STANDARD {
        out.push_str(&format!("[FEN \"{}\"] ", fen::write(&fen::read(&played.fen).unwrap())));
    }
    out
}

/// The text in PGN's export format, by shakmaty only.
fn expected_text(played: &Played) -> String {
    let mut words = Vec::new();
    let mut number: u32 = played.fen.rsplit(' ').next().unwrap().parse().unwrap();
    for (i, (position, m)) in played.positions.iter().zip(&played.moves).enumerate() {
        if position.turn().is_white() {
            words.push(format!("{number}."));
        } else if i == 0 {
            words.push(format!("{number}..."));
        }
        number += u32::from(position.turn().is_black());
        words.push(SanPlus::from_move(position.clone(), *m).to_string());
    }
    if played.result.as_str() != "*" {
        words.push(played.result.as_str().into());
    }
    format!("{}{}", tags(played), words.join(" ")).trim_end().into()
}

fn random_played(rng: &mut Rng, plies: usize) -> Played {
    let start = any_start(rng);
    let plies = rng.below(plies);
    play(rng, &start, plies, Style::Special)
}

#[test]
fn written_text_is_canonical_and_reads_back() {
    let mut rng = Rng(11);
    for _ in 0..effort(2_000, 60) {
        let played = random_played(&mut rng, 160);
        let game = pack(&played);
        let text = movetext::write(game.view()).unwrap();
        assert_eq!(text, expected_text(&played));
        assert_eq!(movetext::read(&text).unwrap(), game);
        // the end of an opening can be written, but is refused as input
        let bound = game.view().upper_bound();
        let shown = movetext::write(bound.view()).unwrap();
        assert_eq!(shown, format!("{} ~", movetext::write(game.view().lower_bound().view()).unwrap()).trim_start());
        assert!(movetext::read(&shown).is_err());
        assert_eq!(Game::from_bytes(bound.as_bytes()), Err(CorruptGame::UpperBound));
    }
}

/// A legal move in one of its many notations.
fn spell(rng: &mut Rng, position: &Chess, m: Move) -> String {
    let mut text = San::from_move(position, m).to_string();
    if let Move::Normal { role, from, capture, to, promotion } = m
        && rng.one_in(3)
    {
        let letter = if role == shakmaty::Role::Pawn { String::new() } else { role.upper_char().to_string() };
        let cross = if capture.is_some() { "x" } else { "" };
        text = format!("{letter}{from}{cross}{to}");
        text.extend(promotion.map(|role| format!("={}", role.upper_char())));
    }
    if m.is_castle() && rng.one_in(2) {
        text = text.replace('O', "0");
    }
    if m.is_promotion() && rng.one_in(2) {
        text = text.replace('=', "");
    }
    let mark = rng.word(&["", "", "+", "#"]);
    if m.is_en_passant() {
        let suffix = rng.word(&["", "e.p.", " e.p.", " ep", "e.p"]);
        text = if rng.one_in(2) { format!("{text}{mark}{suffix}") } else { format!("{text}{suffix}{mark}") };
    } else {
        text.push_str(mark);
    }
    text.push_str(rng.word(&["", "", "!", "?", "!!", "?!", "$1", " $146", " !?"]));
    text
}

/// Text that is allowed between moves.
fn gap(rng: &mut Rng) -> &'static str {
    rng.word(&[
        " ",
        "\n",
        "\r\n",
        "\t  ",
        " {a comment with (brackets), 1-0 and ; semicolon} ",
        "{}",
        " ; to the end of the line } ( e4\n",
        "\n% an escape line { ( 1-0\n",
        " (1. e4 {not ) here} e5 (1... c5 2. Zz9 --) 1-0) ",
        "()",
        " $7 ",
        "\n\n\n",
        "{Grüße, 王}",
        " ... ",
    ])
}

#[test]
fn tolerated_spellings_give_the_same_bytes() {
    let mut rng = Rng(12);
    for _ in 0..effort(2_000, 60) {
        let played = random_played(&mut rng, 100);
        let mut text = String::from(rng.word(&["", "\u{feff}", "\n \r\n"]));
        text.push_str(&tags(&played).replace(" [", rng.word(&["\n[", "\r\n\r\n[", "["])));
        if rng.one_in(3) {
            text.push_str("[SetUp \"1\"]");
        }
        text.push_str(gap(&mut rng));
        let number = rng.below(900);
        for (position, m) in played.positions.iter().zip(&played.moves) {
            match rng.below(7) {
                0 => text.push_str(&format!("{number}.")),
                1 => text.push_str(&format!("{number}. ")),
                2 => text.push_str(&format!("{number} ")),
                3 => text.push_str(&format!("{number}...")),
                4 => text.push_str(&format!("{number} ... ")),
                5 => text.push_str(&format!("{number}\n.\n")),
                _ => (),
            }
            text.push_str(&spell(&mut rng, position, *m));
            text.push_str(gap(&mut rng));
        }
        text.push_str(played.result.as_str());
        text.push_str(rng.word(&["", "\n", " {over}", " (1. e4) ", " ; end"]));
        let game = movetext::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(game, pack(&played), "{text}");
    }
}

#[test]
fn errors_name_half_move_and_token() {
    type Case = (&'static str, u32, &'static str, fn(&Kind) -> bool);
    let cases: &[Case] = &[
        ("1. e4 e5 2. N", 3, "N", |k| *k == Kind::NotSan),
        ("1. e4 hello", 2, "hello", |k| *k == Kind::NotSan),
        ("1. e4 Pe9", 2, "Pe9", |k| *k == Kind::NotSan),
        ("1. e4 e5 2. Nf3 N@c6", 4, "N@c6", |k| *k == Kind::NotSan),
        ("1ze", 1, "ze", |k| *k == Kind::NotSan),
        ("1. é4", 1, "é4", |k| *k == Kind::NotSan),
        ("1. e4 e9}", 2, "e9}", |k| *k == Kind::NotSan),
        ("1. e4 e5 2. Ke3", 3, "Ke3", |k| matches!(k, Kind::Illegal(_))),
        ("1. O-O", 1, "O-O", |k| matches!(k, Kind::Illegal(_))),
        ("1. 0-0-0", 1, "0-0-0", |k| matches!(k, Kind::Illegal(_))),
        ("1. exd3", 1, "exd3", |k| matches!(k, Kind::Illegal(_))),
        ("1. e4 d5 2. ed4", 3, "ed4", |k| matches!(k, Kind::Illegal(_))),
        ("1. Nf3 d5 2. g3 e6 3. Nc3 a6 4. Nd2 *", 7, "Nd2", |k| matches!(k, Kind::Illegal(_))),
        ("[FEN \"4k3/P7/8/8/8/8/8/4K3\"] a8", 1, "a8", |k| matches!(k, Kind::Illegal(_))),
        ("[FEN \"4k3/P7/8/8/8/8/8/4K3\"] a8=K", 1, "a8=K", |k| *k == Kind::NotSan),
        ("1. Nf3 e6 2. d4 d5 3. Nd2", 5, "Nd2", |k| matches!(k, Kind::Ambiguous(_))),
        ("1. e4 -- 2. d4", 2, "--", |k| *k == Kind::NullMove),
        ("1. e4 Z0", 2, "Z0", |k| *k == Kind::NullMove),
        ("1. e4 0000", 2, "0000", |k| *k == Kind::NullMove),
        ("1. e4 1...0000", 2, "1...0000", |k| *k == Kind::NullMove),
        ("1. e4 {no end", 2, "{no end", |k| *k == Kind::UnterminatedComment),
        ("1. e4 (1. d4 {no end)", 2, "{no end)", |k| *k == Kind::UnterminatedComment),
        ("1. e4 e5 (1... c5 (1... e6) 2. d4", 3, "(1... c5 (1... e6) 2. d4", |k| *k == Kind::UnterminatedVariation),
        ("1. e4 e2-e5", 2, "e2-e5", |k| matches!(k, Kind::Illegal(_))),
        ("1. e4 1-0 e5", 2, "e5", |k| *k == Kind::AfterResult),
        ("1. e4 1-0 1-0", 2, "1-0", |k| *k == Kind::AfterResult),
        ("1. e4 * 2.", 2, "2.", |k| *k == Kind::AfterResult),
        ("[White \"x\"] 1. e4", 1, "[White \"x\"]", |k| *k == Kind::Tag),
        ("[FEN x]\n1. e4", 1, "[FEN x]", |k| *k == Kind::Tag),
        ("[FEN \"x\n\"]", 1, "[FEN \"x...", |k| *k == Kind::Tag),
        ("[FEN \"8/8 w\"]", 1, "8/8 w", |k| matches!(k, Kind::Fen(fen::FenError::RankCount(2)))),
        ("[FEN \"8/8/8/8/8/8/8/8\"]", 1, "8/8/8/8/8/8/8/8", |k| matches!(k, Kind::Start(_))),
        ("[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1073741825\"]", 1, "4k3/8/8/8/8/8/8/4K3 w - - 0 1073741825", |k| {
            *k == Kind::Start(chess_core::game::start::StartError::Clock)
        }),
        ("[Variant \"Atomic\"] 1. e4", 1, "Atomic", |k| *k == Kind::Variant),
    ];
    for (text, ply, token, is_kind) in cases {
        let error = movetext::read(text).expect_err(text);
        assert!(is_kind(&error.kind), "{text}: {error:?}");
        assert_eq!((error.ply, error.token.as_str()), (*ply, *token), "{text}");
        assert!(error.to_string().contains(token), "{error}");
    }
    // the board in an error is the one before the illegal move
    match movetext::read("1. e4 e5 2. Ke3").unwrap_err().kind {
        Kind::Illegal(board) => {
            assert_eq!(fen::write(&board), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2");
        }
        other => panic!("{other:?}"),
    }
    let long = format!("1. e4 {}", "x".repeat(1_000));
    assert!(movetext::read(&long).unwrap_err().to_string().len() < 200);
}

/// Accepted text survives a round trip.
fn accepted_round_trips(text: &str) -> Option<Game> {
    let game = movetext::read(text).ok()?;
    let written = movetext::write(game.view()).unwrap();
    assert_eq!(movetext::read(&written).unwrap(), game, "{text}");
    assert_eq!(Game::from_bytes(game.as_bytes()).unwrap(), game, "{text}");
    Some(game)
}

#[test]
fn mutated_text_is_read_soundly_or_not_at_all() {
    let mut rng = Rng(13);
    let letters: Vec<char> = "abcdefgh12345678NBRQKxO0-=+#. ()[]{};%$!?*~\"\\\n\r\u{feff}éZ@/1P".chars().collect();
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..effort(400, 150) {
        let played = random_played(&mut rng, 60);
        let valid = expected_text(&played);
        for _ in 0..50 {
            let mut text: Vec<char> = valid.chars().collect();
            for _ in 0..1 + rng.below(3) {
                let at = rng.below(text.len() + 1);
                match rng.below(3) {
                    0 => text.insert(at, *rng.pick(&letters)),
                    1 if at < text.len() => text[at] = *rng.pick(&letters),
                    _ if at < text.len() => drop(text.remove(at)),
                    _ => (),
                }
            }
            let text: String = text.into_iter().collect();
            match accepted_round_trips(&text) {
                Some(_) => accepted += 1,
                None => refused += 1,
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

#[test]
fn random_text_never_panics() {
    let mut rng = Rng(14);
    let pieces = [
        "e4", "Nf3", "O-O", "1.", "...", "{", "}", "(", ")", ";", "\n", "%", "[FEN \"", "\"]", "$", "!", "1-0", "*",
        "~", "--", "\\", "\u{feff}", "é", " ", "\r", "[", "]", "=Q", "e.p.", "+", "x",
    ];
    for _ in 0..effort(200_000, 5_000) {
        let text: String = (0..rng.below(12)).map(|_| *rng.pick(&pieces)).collect();
        accepted_round_trips(&text);
        chess_core::text::read_pgn::games(&text).for_each(drop);
    }
}

#[test]
fn a_megabyte_of_text() {
    let rounds = effort(36_000, 36_000);
    let mut text = String::new();
    for round in 0..rounds {
        text.push_str(&format!("{}. Nf3 Nf6 {}. Ng1 Ng8 ", 2 * round + 1, 2 * round + 2));
    }
    let text = text.trim_end();
    assert!(text.len() > 1_000_000);
    let game = movetext::read(text).unwrap();
    assert_eq!(game.view().ply_count() as usize, 4 * rounds);
    assert_eq!(movetext::write(game.view()).unwrap(), text);
    let last = game.view().board_at(game.view().ply_count()).unwrap().unwrap();
    assert_eq!(last.kinds, Board::default().kinds);
    assert_eq!(last.halfmove_clock as usize, 4 * rounds);
    for filler in ["(", "{x}", "(e4)", "$1 ", "1. ", "; x\n", "\n%\n", "!?"] {
        let text = format!("1. e4 {}", filler.repeat(1_000_000 / filler.len()));
        assert_eq!(movetext::read(&text).is_ok(), filler != "(", "{filler}");
    }
}

#[test]
fn tokens_are_accepted_exactly_when_shakmaty_plays_them() {
    let mut rng = Rng(15);
    let mut tokens = Vec::new();
    let mut positions = Vec::new();
    for _ in 0..effort(120, 15) {
        let played = random_played(&mut rng, 100);
        for (position, m) in played.positions.iter().zip(&played.moves) {
            tokens.push(SanPlus::from_move(position.clone(), *m).to_string());
            if position.fullmoves().get() > GameStart::MAX_CLOCK {
                continue;
            }
            positions.push(position.clone());
        }
    }
    let letters: Vec<char> = "abcdefgh12345678NBRQKPxO-=+#@".chars().collect();
    let (mut played_count, mut mutated_count) = (0, 0);
    for _ in 0..effort(100_000, 2_000) {
        let position = rng.pick(&positions);
        let start = Fen::from_position(position, EnPassantMode::Always).to_string();
        let oracle = |token: &str| {
            let m = San::from_ascii(token.as_bytes()).ok()?.to_move(position).ok()?;
            let mut after = position.clone();
            after.play_unchecked(m);
            Some(after)
        };
        let ours = |token: &str| {
            let game = movetext::read(&format!("[FEN \"{start}\"] {token}")).ok()?;
            (game.view().ply_count() == 1).then(|| game.view().board_at(1).unwrap().unwrap())
        };
        let token = rng.pick(&tokens);
        let expected = oracle(token);
        match (&expected, ours(token)) {
            // wrong about the capture, but the only move of such a piece to this square
            (None, Some(board)) => {
                let squares = token.trim_end_matches(['+', '#']).split('=').next().unwrap();
                let letter = token.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P');
                let is_meant = |m: &&Move| squares.ends_with(&m.to().to_string()) && m.role().upper_char() == letter;
                let legal = position.legal_moves();
                let reached = legal.iter().filter(is_meant).filter(|m| {
                    let mut after = position.clone();
                    after.play_unchecked(**m);
                    Board::from_position(&after) == board
                });
                assert_eq!(reached.count(), 1, "{token} in {start}");
            }
            (expected, found) => {
                assert_eq!(found, expected.as_ref().map(Board::from_position), "{token} in {start}");
            }
        }
        played_count += usize::from(expected.is_some());
        // shakmaty accepts a subset of other tokens: those are the same moves here
        let mut text: Vec<char> = token.chars().collect();
        let at = rng.below(text.len());
        match rng.below(3) {
            0 => text.insert(at, *rng.pick(&letters)),
            1 => text[at] = *rng.pick(&letters),
            _ => drop(text.remove(at)),
        }
        let mutated: String = text.into_iter().collect();
        // here a leading digit is a move number, not the rank of the piece
        let numbered = mutated.starts_with(|c: char| c.is_ascii_digit());
        if let Some(after) = oracle(&mutated).filter(|_| !numbered) {
            assert_eq!(ours(&mutated), Some(Board::from_position(&after)), "{mutated} in {start}");
            mutated_count += 1;
        }
    }
    assert!(played_count > 50 && mutated_count > 10, "{played_count} {mutated_count}");
    assert!(oracle_start(STANDARD).legal_moves().len() == 20);
}
