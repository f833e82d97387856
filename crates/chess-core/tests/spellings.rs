//! Informal notation is read as the intended moves and results, nothing is guessed if two moves match, and output is
//! canonical.

use chess_core::board::fen;
use chess_core::text::clocks_evals::ClocksEvals;
use chess_core::text::{movetext, read_pgn as pgn, uci};

use crate::common::is_linear;

/// Games in informal and in standard notation.
const SPELLINGS: &[(&str, &str)] = &[
    // captures: without x, with an x although nothing is captured, short pawn captures
    ("1. e4 d5 2. ed5 Qd5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. exd Qxd5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. ed Qxd5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. ed! Qd5:", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. ed5: Qd5:", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. e:d5 Q:d5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. e×d5 Q×d5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. eXd5 QXd5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. PxP QxP", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. d5 Qd5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e4 d5 2. EXD5 a6 3. a4 b5 4. AXB5", "1. e4 d5 2. exd5 a6 3. a4 b5 4. axb5"),
    ("1. Nxf3 dxd5", "1. Nf3 d5"),
    ("1. e4 e6 2. e5 d5 3. ed6", "1. e4 e6 2. e5 d5 3. exd6"),
    ("1. e4 e6 2. e5 d5 3. ed6 e.p.", "1. e4 e6 2. e5 d5 3. exd6"),
    ("1. e4 e6 2. e5 d5 3. ed6ep Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6EP Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6 e. p. Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6 en passant Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6 e/p Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6e/p Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6 i.p. Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6 a.p. Qxd6", "1. e4 e6 2. e5 d5 3. exd6 Qxd6"),
    ("1. e4 e6 2. e5 d5 3. exd6 (e.p.)", "1. e4 e6 2. e5 d5 3. exd6"),
    // with the from-square
    ("1. e2-e4 e7-e5 2. g1-f3 Nb8-c6 3. Bf1-c4", "1. e4 e5 2. Nf3 Nc6 3. Bc4"),
    ("1. e2e4 e7e5 2. g1f3 b8c6 3. f1c4", "1. e4 e5 2. Nf3 Nc6 3. Bc4"),
    ("1. e2e4 e7e5 2. Ng1f3 b8-c6 3. Bf1c4 g8f6 4. e1g1", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O"),
    ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ke1-g1", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O"),
    ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. e1-h1", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O"),
    ("1. e4 d5 2. e4xd5 Qd8xd5 3. b1-c3 Qd5:d2+", "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxd2+"),
    ("1. e4 d5 2. e4-d5 d8:d5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. N-f3 N-c6", "1. Nf3 Nc6"),
    ("1. e2 - e4 e7 - e5 2. B c4", "1. e4 e5 2. Bc4"),
    ("1. e4 d5 2. e x d5 Q x d5", "1. e4 d5 2. exd5 Qxd5"),
    ("1. e2–e4 e7—e5 2. g1‑f3", "1. e4 e5 2. Nf3"),
    // figurines, other letters, lower and upper case
    ("1. e4 e5 2. ♘f3 ♞c6 3. ♗c4 ♝c5 4. ♕e2 ♛e7 5. ♔d1", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. Qe2 Qe7 5. Kd1"),
    ("1. ♙e4 ♟e5 2. ♘\u{fe0e}f3", "1. e4 e5 2. Nf3"),
    ("1. Sf3 Sc6 2. e4 e5 3. Lc4 Lc5 4. Tg1 Dh4", "1. Nf3 Nc6 2. e4 e5 3. Bc4 Bc5 4. Rg1 Qh4"),
    ("1. nf3 nc6 2. e4 e5 3. bb5 qf6 4. ke2", "1. Nf3 Nc6 2. e4 e5 3. Bb5 Qf6 4. Ke2"),
    ("1. E4 E5 2. NF3 NC6 3. BB5 A6 4. BXC6 DXC6", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6"),
    // Castling.
    ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. o-o 0-0", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O"),
    ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. OO 00", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O"),
    ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O–O 0—0", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O"),
    ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O - O 0 - 0!", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O"),
    ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. О-О O-0", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O"),
    (
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. 000 o-o-o",
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O O-O-O",
    ),
    (
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. 0 - 0 - 0 OOO",
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O O-O-O",
    ),
    ("1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. 0-0-01-0", "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O 1-0"),
    (
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. e1c1 Ke8-c8",
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O O-O-O",
    ),
    // Numbers.
    ("1.e4,e5;\n2.Nf3,Nc6", "1. e4 e5 2. Nf3 Nc6"),
    ("1) e4 e5 2) Nf3", "1. e4 e5 2. Nf3"),
    ("1)e4 e5 2)Nf3", "1. e4 e5 2. Nf3"),
    ("1e4 e5 2Nf3 Nc6", "1. e4 e5 2. Nf3 Nc6"),
    ("1: e4 e5 2:Nf3", "1. e4 e5 2. Nf3"),
    ("1.-e4 e5 2- Nf3 2. ... Nc6", "1. e4 e5 2. Nf3 Nc6"),
    ("1.e4 1…e5 2.Nf3 2. … Nc6", "1. e4 e5 2. Nf3 Nc6"),
    ("1.e4 e52.Nf3 Nc63.Bb5", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
    ("1.\u{a0}e4\u{a0}e5 2.\u{2009}Nf3\u{a0}\u{a0}Nc6", "1. e4 e5 2. Nf3 Nc6"),
    ("1.\u{200b}e4 e5\u{200b} 2. N\u{ad}f3", "1. e4 e5 2. Nf3"),
    ("1. e4\u{0} e5\u{1a} 2. Nf3", "1. e4 e5 2. Nf3"),
    // signs and words about a move
    ("1. e4 += e5 +- 2. Nf3± Nc6∓ 3. Bb5 = a6⩲ 4. Ba4 -+ Nf6 -/+", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6"),
    ("1. e4N e5 N 2. Nf3D Nc6 TN 3. Bb5 D a6 N 4. Ba4 ∞ Nf6!N", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6"),
    ("1. e4 d5 2. Bb5ch c6 3. Bxc6ch. Nxc6 4. Qh5 Qa5 5. Qxf7 mate *", ""),
    ("1. e4 d5 2. Bb5 ch c6 3. Bxc6++ Nxc6 4. Kf1† *", ""),
    ("1. f3 e5 2. g4 Qh4 mate 0-1", "1. f3 e5 2. g4 Qh4# 0-1"),
    ("1. f3 e5 2. g4 Qh4 checkmate. White resigns 0-1", "1. f3 e5 2. g4 Qh4# 0-1"),
    ("1. f3 e5 2. g4 Qh4‡ 0-1", "1. f3 e5 2. g4 Qh4# 0-1"),
    ("1. e4 [%clk 0:10:00] e5 [best by test] 2. Nf3 <reserved>", "1. e4 e5 2. Nf3"),
    // Results.
    ("1. e4 e5 1/2", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 ½-½", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 ½", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 ½:½", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 1/2 - 1/2", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 1/2:1/2", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 0.5-0.5", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 1/2–1/2", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5 1 - 0", "1. e4 e5 1-0"),
    ("1. e4 e5 1- 0", "1. e4 e5 1-0"),
    ("1. e4 e5 0 -1", "1. e4 e5 0-1"),
    ("1. e4 e5 0–1", "1. e4 e5 0-1"),
    ("1. e4 e5 1:0", "1. e4 e5 1-0"),
    ("1. e4 e5 0 : 1", "1. e4 e5 0-1"),
    ("1. e4 e5 1-O", "1. e4 e5 1-0"),
    ("1. e4 e5 O-1", "1. e4 e5 0-1"),
    ("1. e4 e5 1-0.", "1. e4 e5 1-0"),
    ("1. e4 e5 1-0}", "1. e4 e5 1-0"),
    ("1. e4 e51-0", "1. e4 e5 1-0"),
    ("1. e4 e5½-½", "1. e4 e5 1/2-1/2"),
    ("1. e4 e51/2", "1. e4 e5 1/2-1/2"),
    ("1. e4 e5*", "1. e4 e5"),
    ("1. h4 e5 2. h5 a6 3. Rh4 a5 4. Rh11-0", "1. h4 e5 2. h5 a6 3. Rh4 a5 4. Rh1 1-0"),
    ("1. h4 e5 2. h5 a6 3. Rh4 a5 4. Rh1!0-1", "1. h4 e5 2. h5 a6 3. Rh4 a5 4. Rh1 0-1"),
    ("1. h4 e5 2. Rh31/2-1/2", "1. h4 e5 2. Rh3 1/2-1/2"),
    // Brackets and quotes.
    ("1. e4 } e5 ) 2. Nf3} Nc6) 3. Bb5", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
    ("1. e4 {a {comment} within} e5 {another {one {here}} x} 2. Nf3", "1. e4 e5 2. Nf3"),
    ("1. e4 $ 1 e5 $2 $ 2. Nf3", "1. e4 e5 2. Nf3"),
    ("1. \"e4\" 'e5' 2. Nf3", "1. e4 e5 2. Nf3"),
];

#[test]
fn other_spellings_are_read_as_what_they_mean() {
    for (text, canonical) in SPELLINGS.iter().filter(|(_, canonical)| !canonical.is_empty()) {
        let expected = movetext::read(canonical).unwrap();
        assert_eq!(movetext::write(expected.view()).unwrap(), *canonical);
        let found: Vec<_> = pgn::games(text).map(|read| read.game).collect();
        assert_eq!(found, [Ok(expected.clone())], "{text}");
        // the type accepts the same, except for text after the result
        if !text.ends_with("1-0.") && !text.ends_with('}') {
            assert_eq!(movetext::read(text), Ok(expected), "{text}");
        }
    }
}

/// The moves that a text means in a position, or the error.
fn from_position(fen: &str, text: &str) -> String {
    match movetext::read(&format!("[FEN \"{fen}\"] {text}")) {
        Ok(game) => uci::write(game.view()).unwrap().split_once(" moves ").unwrap().1.to_string(),
        Err(error) => error.to_string().split(" in ").next().unwrap().to_string(),
    }
}

#[test]
fn promotions_in_all_spellings() {
    let fen = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    for text in
        ["a8=Q", "a8Q", "a8q", "a8=q", "a8(Q)", "a8/Q", "a8 =Q", "a8= Q", "a7a8q", "a7-a8=Q", "a7-a8Q", "a8=D", "A8=Q"]
    {
        assert_eq!(from_position(fen, text), "a7a8q", "{text}");
    }
    for text in ["axb8=N", "ab8=N", "ab=N", "axb=N", "a7xb8n", "a7b8N", "abN", "a:b8N", "axb8(N)"] {
        assert_eq!(from_position(fen, text), "a7b8n", "{text}");
    }
    // a missing promotion is not guessed
    for text in ["a8", "axb8", "ab", "a7a8", "a8=K", "a8=P"] {
        assert!(from_position(fen, text).starts_with("half-move 1,"), "{text}");
    }
}

#[test]
fn what_could_be_two_moves_is_none() {
    let cases = [
        // Two knights, two pawns, two ranks.
        ("4k3/8/8/8/8/8/8/1N1NK3 w - - 0 1", "Nc3", "half-move 1, \"Nc3\": ambiguous move"),
        ("4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1", "PxP", "half-move 1, \"PxP\": ambiguous move"),
        ("4k3/8/3p4/2P5/3p4/2P5/8/4K3 w - - 0 1", "cd", "half-move 1, \"cd\": ambiguous move"),
        ("4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1", "d5", "half-move 1, \"d5\": ambiguous move"),
        // a remark on a move, or a knight
        ("4k3/8/8/8/8/8/5P2/4K1N1 w - - 0 1", "N f3", "half-move 1, \"N\": ambiguous move"),
        ("4k3/8/8/8/8/8/5P2/4K1N1 w - - 0 1", "N f4", "f2f4"),
        ("4k3/8/8/8/8/8/5P2/4K1N1 w - - 0 1", "N h3", "g1h3"),
        // standard notation takes precedence: a pawn of the b-file, not a bishop
        ("4k3/8/8/8/2p5/1P6/4B3/4K3 w - - 0 1", "bxc4", "b3c4"),
        ("4k3/8/8/8/2p5/8/4B3/4K3 w - - 0 1", "bxc4", "half-move 1, \"bxc4\": illegal move"),
        ("4k3/8/8/8/8/8/4B3/4K3 w - - 0 1", "bd3", "e2d3"),
        ("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1", "R(a)a2", "a1a2"),
        ("4k3/8/8/8/8/8/8/R1N1K2R w - - 0 1", "R(h)g1", "h1g1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Ke1e3", "half-move 1, \"Ke1e3\": illegal move"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "Kg1", "half-move 1, \"Kg1\": illegal move"),
    ];
    for (position, text, expected) in cases {
        fen::read(position).unwrap();
        assert_eq!(from_position(position, text), expected, "{text} in {position}");
    }
}

#[test]
fn what_is_no_move_is_an_error_as_before() {
    for text in [
        "1. e4 e5 2. Ke3",
        "1. e4 hello",
        "1. e4 -- 2. d4",
        "1. e4 – – 2. d4",
        "1. e4 e9",
        "1. e4 2-0",
        "1. e4 e5Nf3",
        "1. e4 pass",
        "1. e4 [ e5",
        "1. e4 Kt-f6",
        "1. e4 c5 2. 7",
        "1. e4 1-0 e5",
        "1. e4 1-0 1-0",
        "1. e2-e5",
        "1. O-O",
        "1. 00",
        "1. e4 [Event \"x\"] e5",
    ] {
        // a move number alone is none of these
        if text.ends_with(" 7") {
            assert!(movetext::read(text).is_ok());
            continue;
        }
        assert!(
            movetext::read(text).is_err(),
            "{text}: {:?}",
            movetext::read(text).map(|game| movetext::write(game.view()))
        );
    }
}

#[test]
fn games_end_at_results_in_any_spelling() {
    for result in [
        "1/2",
        "½-½",
        "½",
        "1 - 0",
        "0 : 1",
        "1–0",
        "1:0",
        "1/2 - 1/2",
        "0.5-0.5",
        "1-0.",
        "1-0}",
        "1-0\u{1a}",
        "1-0\u{0}",
        "1-0 \u{ff}",
    ] {
        // between games without tags, and attached to the move before
        for blank in [" ", ""] {
            if result.starts_with("0.5") && blank.is_empty() {
                continue;
            }
            let text = format!("1. e4 e5{blank}{result}\n1. d4 d5 2. c4{blank}{result}\n\n");
            let found: Vec<_> = pgn::games(&text)
                .map(|read| read.game.map(|game| (game.view().ply_count(), game.view().result())))
                .collect();
            assert_eq!(found.len(), 2, "{text}: {found:?}");
            let (first, second) = (found[0].clone().unwrap(), found[1].clone().unwrap());
            assert_eq!((first.0, second.0), (2, 3), "{text}");
            assert!(first.1 == second.1 && first.1.as_str() != "*", "{text}");
        }
    }
    for junk in [
        "\u{0}",
        "\u{1a}",
        "\u{1a}\u{1a}\n",
        "\u{ff}",
        "\u{fffd}",
        "\u{feff}",
        "}",
        ")",
        "\r\n\u{1a}\u{0}\u{0}",
        "\u{a0}\n",
    ] {
        let text = format!("[White \"a\"]\n\n1. e4 e5 1-0\n{junk}\n[White \"b\"]\n\n1. d4 1-0{junk}");
        let found: Vec<_> =
            pgn::games(&text).map(|read| (read.tags.len(), read.game.map(|game| game.view().ply_count()))).collect();
        assert_eq!(found, [(1, Ok(2)), (1, Ok(1))], "{junk:?}");
    }
}

#[test]
fn tags_in_other_spellings() {
    let cases = [
        ("[White \"Morphy]", "Morphy"),
        ("[White \"Morphy", "Morphy"),
        ("[White \"Morphy\"", "Morphy"),
        ("[White “Morphy”]", "Morphy"),
        ("[White „Morphy“]", "Morphy"),
        ("[White «Morphy»]", "Morphy"),
        ("[White ”Morphy\"]", "Morphy"),
        ("[White ’Morphy’]", "Morphy"),
        ("[White“Morphy, \"Paul\"” ]", "Morphy, \"Paul\""),
        ("[White \"Morphy ] ", "Morphy"),
        ("[White \"C:\\games\\\"]", "C:\\games\\"),
    ];
    for (tag, value) in cases {
        for newline in ["\n", "\r\n"] {
            let text = format!(
                "[Event \"e\"]{newline}{tag}{newline}[Black \"b\"]{newline}{newline}1. e4 *{newline}{newline}{tag}{newline}{newline}1. d4 *"
            );
            let found: Vec<_> = pgn::games(&text).collect();
            assert_eq!(found.len(), 2, "{text}");
            let tags: Vec<_> = found[0].tags.iter().map(|(name, value)| (*name, value.as_ref())).collect();
            assert_eq!(tags, [("Event", "e"), ("White", value), ("Black", "b")], "{text}");
            assert!(found.iter().all(|read| read.game.is_ok()), "{text}");
            // a game without a result ends there, too
            let text = text.replace(" *", "");
            assert_eq!(pgn::games(&text).filter(|read| read.game.is_ok()).count(), 2, "{text}");
        }
    }
    for tag in ["[White]", "[White \"a [b", "[", "[\"x\"]"] {
        let text = format!("[Event \"e\"]\n{tag}\n\n1. e4 1-0");
        let found: Vec<_> = pgn::games(&text).map(|read| read.game.unwrap_err()).collect();
        assert_eq!(found.len(), 1, "{tag}");
        assert!(found[0].to_string().starts_with("malformed tag: ["), "{tag}");
        assert_eq!(movetext::write(found[0].prefix.as_ref().unwrap().view()).unwrap(), "1. e4 1-0");
    }
}

/// Informal notation takes linear time, too.
#[test]
fn no_spelling_takes_long() {
    let size = 1 << 18;
    for piece in [
        "g1-f3 g8-f6 f3-g1 f6-g8 ",
        "N f3 N f6 N g1 N g8 ",
        "} ",
        "\u{a0}",
        "{{}} x} ",
        "{{} ",
        "+- ",
        "[x] ",
        "\u{200b}",
        "1-",
        "0 - ",
        "<",
        "e4,",
    ] {
        let text = format!("1. Nc3 Nc6 {}", piece.repeat(size / piece.len()));
        is_linear(piece, size, || {
            pgn::games(&text).for_each(drop);
            let _ = movetext::read(&text);
        });
    }
}

/// What stands behind each of many items is not read for each of them, nor a comment for each variation behind it.
#[test]
fn no_tail_is_read_for_each_item() {
    let n = 1 << 16;
    let many = |piece: &str| piece.repeat(n);
    for text in [
        many(",") + &many("!"),
        many("e4,") + &many("+"),
        many(", ") + &many("e.p.") + &many("!"),
        many("\u{fe0e}"),
        many("+\u{fe0e}"),
        "{[%clk 1] {b} ".to_string() + &many("(zz) "),
        "{[%clk 1] {b} ".to_string() + &many("(zz {c}) "),
        "{[%clk 1] {b} ".to_string() + &many("(zz (zz) {c}) "),
        many("{,"),
        many("{,") + "}",
        many("{=,;"),
    ] {
        let text = format!("1. e4 {text}");
        is_linear(&text.chars().take(16).collect::<String>(), text.len(), || {
            pgn::games(&text).for_each(|game| drop(game.tree()));
            let _ = movetext::read(&text);
            let game = movetext::read("1. e4").unwrap();
            ClocksEvals::read(&text, game.view());
        });
    }
}
