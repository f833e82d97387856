//! Patterns on real games, with the counts that others have published or counted: the queries of scoutfish and of
//! pgn-extract, and what users ask for.
//!
//! The large collections are not part of the project. Where they do not stand beside it, in `../shared/data/patterns`,
//! those tests say so and pass; the classics, typed in from books, are always there.

use std::path::{Path, PathBuf};

use chess_core::Game;
use chess_core::search::pattern::Pattern;
use chess_core::text::read_pgn;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The games of a file with their results, as the tags have them.
fn games(path: &Path) -> Vec<(String, Game)> {
    let bytes = std::fs::read(path).expect("a readable file");
    // Latin-1 where it is not UTF-8.
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect());
    let read = read_pgn::games(&text).map(|read| {
        let result = read.tags.iter().find(|(name, _)| *name == "Result").map_or("", |(_, value)| value);
        (result.to_owned(), read.game.expect("a game that can be read"))
    });
    read.collect()
}

fn shared(name: &str) -> Option<Vec<(String, Game)>> {
    let path = PathBuf::from(ROOT).join("../shared/data/patterns").join(name);
    if !path.exists() {
        println!("skipped: {name} is not beside the project");
        return None;
    }
    Some(games(&path))
}

/// The games with matches, by their places; and the matches.
fn found(text: &str, games: &[(String, Game)]) -> (Vec<usize>, usize) {
    let mut matcher = Pattern::read(text).unwrap_or_else(|error| panic!("{text}: {error}")).matcher();
    let (mut with, mut matches) = (Vec::new(), 0);
    for (n, (_, game)) in games.iter().enumerate() {
        let (mut first, before) = (None, matches);
        let visit = |_, to| {
            first.get_or_insert(to);
            matches += 1;
            false
        };
        matcher.each(game.view(), visit).unwrap();
        assert_eq!(matcher.find(game.view(), u32::MAX).unwrap(), first, "{text} in game {n}");
        if matches > before {
            with.push(n);
        }
    }
    (with, matches)
}

const FOUR_KNIGHTS: &str = "board(r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R)";
const BENONI: &str = "board(rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR)";

/// What scoutfish's own test asks of its famous games, each with the results it asks for and the number of games.
fn scoutfish() -> Vec<(String, &'static [&'static str], usize)> {
    const ANY: &[&str] = &[];
    const WHITE: &[&str] = &["1-0"];
    const BLACK: &[&str] = &["0-1"];
    const DRAW: &[&str] = &["1/2-1/2", "1/2"];
    const DECIDED: &[&str] = &["1-0", "0-1"];
    let fixed = [
        ("board(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR) wtm", ANY, 501),
        ("board(rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR)", ANY, 229),
        ("pa6 Bb3 Nf3", ANY, 29),
        ("kb4", DRAW, 1),
        ("[qr]a5", ANY, 72),
        ("KQRRBNPPPPvKQRRNNPPPP btm", ANY, 2),
        ("KQRRBNNPPPPvKQRRBNNPPPP", BLACK, 2),
        ("KRBP3vKRP3 or KRP3vKRP3", ANY, 4),
        ("N-b7", ANY, 6),
        ("p-c3", ANY, 27),
        ("p-e1=q", ANY, 1),
        ("o-o", ANY, 354),
        ("o-o-o", ANY, 28),
        ("o-o-o or o-o", ANY, 382),
        ("P-a7 or P-b7 or Ra-c1", ANY, 120),
        ("imbalance vPP", ANY, 52),
        ("imbalance BvN or imbalance NNvB", ANY, 142),
        ("[KPkp]x[Qq]", DECIDED, 48),
        ("mate", BLACK, 10),
        (
            "board(rnbqkbnr/pp1p1ppp/2p5/4p3/3PP3/8/PPP2PPP/RNBQKBNR)
             or board(rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R)",
            ANY,
            50,
        ),
        ("P-e4 board(rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR) btm", ANY, 229),
        ("pd7 then qc7 Ra1 Rh1", WHITE, 8),
        ("imbalance NNvB for 3", ANY, 4),
        ("[Pp]x[Qq] directly not capture", ANY, 24),
    ];
    let mut all: Vec<_> = fixed.into_iter().map(|(text, results, games)| (text.to_owned(), results, games)).collect();
    all.extend([
        (format!("{FOUR_KNIGHTS} then Bc4 then Bf3"), ANY, 2),
        (format!("{FOUR_KNIGHTS} directly any directly any"), BLACK, 2),
        (format!("{BENONI} then P-e5 directly pd-e5 directly P-f5 then N-e4"), ANY, 1),
        (format!("{BENONI} then P-e5 directly pd-e5 directly P-f5 directly N-e4"), ANY, 0),
        (format!("{BENONI} then P-e5 directly any directly P-f5 then N-e4"), ANY, 1),
    ]);
    all
}

/// What users ask for, with the games among the same.
const WISHES: &[(&str, usize)] = &[
    ("flip(isolated(Pd))", 223),
    ("Pd4 Pa2 Pb3 Pf2 Pg2 Ph2 and P = 6", 1),
    ("flip(B = 2 and N = 0 and b = 1 and n = 1)", 93),
    ("flip(KRPPvKR)", 0),
    ("flip(imbalance Pv for 4)", 218),
    ("flip(Q = q and R = r and P = p and B = 2 and N = 0 and b = 0 and n = 2 for 2)", 11),
    ("flip(Q = 2 and R = 0 and q = 1 and r = 2)", 0),
    ("isolated(Pa)", 188),
    ("rank(R7, R7)", 5),
    ("flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)", 10),
    ("flip(Bxph7 and check directly kxh7 directly N-g5 and check)", 0),
    ("KBP*vKBP* oppositebishops", 1),
    ("flip(mirror(KRP4vKRP3 and [Pp][a-d] = 0 for 4))", 0),
    ("KR[BN]P*vKR[BN]P*", 28),
    ("flip(Nd5 and not [bn] attacks d5)", 97),
    ("flip(outpost(N))", 195),
    ("flip(mirror(B[light] = 1 and B[dark] = 0 and N = 0 and b = 0 and n = 1 and P[light] >= P[dark] + 3))", 16),
    ("flip(K[b1,c1] and k[g8,h8])", 52),
    ("Pe4 Pd3 Nf3 Pg3 Bg2 Kg1 Rf1 and move = 5..7", 5),
    ("flip(Rc[open])", 140),
    ("flip(Pc4 Pe4 and Pd = 0 and pc = 0 and pd and not pd5)", 32),
    ("rxNc3 directly Pxc3", 0),
    ("flip(mirror(K-h1 then R-g1 then P-g4))", 2),
    ("flip(btm and mate and N attacks k and not k attacks [_A])", 1),
    ("flip([Pp]-.=[RBNrbn])", 1),
    ("enpassant", 30),
    ("flip(file(Q, R, R))", 5),
    ("flip(R & behind(passed(P), 1..7))", 123),
    ("Nf1-g3-f5", 0),
    ("flip(Q >= 3)", 0),
    ("flip(N & moved attacks k and N & moved attacks q)", 13),
    ("flip(check and A & ~moved attacks k)", 38),
    ("flip(shift(Pe4 Pf4 pe5 pf5))", 36),
    ("castling then castling", 333),
    ("pawns(8/pp3ppp/4p3/8/3P4/8/PP3PPP/8)", 5),
];

#[test]
fn queries_of_scoutfish() {
    let Some(games) = shared("famous_games.pgn") else { return };
    assert_eq!(games.len(), 501);
    for (text, results, expected) in scoutfish() {
        let (mut with, _) = found(&text, &games);
        with.retain(|n| results.is_empty() || results.contains(&games[*n].0.as_str()));
        assert_eq!(with.len(), expected, "{text}");
    }
}

#[test]
fn wishes_of_users() {
    let Some(games) = shared("famous_games.pgn") else { return };
    for (text, expected) in WISHES {
        assert_eq!(found(text, &games).0.len(), *expected, "{text}");
    }
}

#[test]
fn queries_of_pgn_extract() {
    let from_zero = "Q = q and R = r and P = p and B = 2 and b = 0 and N = 0 and n = 2 for 2";
    if let Some(games) = shared("petrosian.pgn") {
        assert_eq!(games.len(), 35);
        assert_eq!(found("(pd4 Ne4 Pd3) or flip(Nd4 pe4 Pe3)", &games).0, [4, 20, 33, 34]);
    }
    if let Some(games) = shared("fischer.pgn") {
        assert_eq!(games.len(), 34);
        assert_eq!(found(from_zero, &games).0, [12]);
        assert_eq!(found(&format!("flip({from_zero})"), &games).0, [12, 31]);
    }
}

/// Games and matches in games that are as short as they are known, counted by another program in another language.
const CLASSICS: &[(&str, &[usize], usize)] = &[
    ("flip(isolated(Pd))", &[4, 7], 21),
    ("flip(imbalance Pv for 4)", &[6], 2),
    ("isolated(Pa)", &[1, 7], 24),
    ("flip(R + 1 = r and [BN] = [bn] + 1 and Q = q for 8)", &[7], 1),
    ("flip(Bxph7 and check directly kxh7 directly N-g5 and check)", &[0, 4], 2),
    ("flip(Nd5 and not [bn] attacks d5)", &[4], 5),
    ("flip(outpost(N))", &[4, 7], 6),
    ("flip(K[b1,c1] and k[g8,h8])", &[7], 31),
    ("rxNc3 directly Pxc3", &[7], 1),
    ("flip(btm and mate and N attacks k and not k attacks [_A])", &[5], 1),
    ("flip([Pp]-.=[RBNrbn])", &[6], 1),
    ("enpassant", &[4], 1),
    ("enpassant and mate", &[4], 1),
    ("flip(R & behind(passed(P), 1..7))", &[2, 4], 8),
    ("flip(check and A & ~moved attacks k)", &[0, 3, 4, 6], 5),
    ("castling then castling", &[1, 7], 2),
    ("stalemate", &[2], 1),
    ("mate", &[0, 1, 3, 4, 5], 5),
    ("promotion", &[6], 1),
    ("o-o-o or o-o", &[0, 1, 4, 6, 7], 5),
    ("[Pp]x[Qq] directly not capture", &[1], 1),
    ("flip(mate and B attacks k and not ((_ attackedby k) & ~(. attackedby B)))", &[1], 1),
    ("[KPkp]x[Qq]", &[1, 3, 7], 3),
    ("flip(KRPPvKR)", &[], 0),
    ("flip(Q >= 3)", &[], 0),
    ("start and end", &[], 0),
];

#[test]
fn classics() {
    let games = games(&Path::new(ROOT).join("tests/patterns/classics.pgn"));
    assert_eq!(games.len(), 8);
    for (text, expected, matches) in CLASSICS {
        assert_eq!(found(text, &games), (expected.to_vec(), *matches), "{text}");
    }
}

/// A sacrifice is not a blunder: in every game that the sacrifice of docs/patterns.md finds, the side with less has won.
#[test]
fn the_documented_sacrifice_wins() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/patterns.md")).unwrap();
    let (_, row) = text.split_once("| sacrifice | ").unwrap();
    let pattern = row.split('`').nth(1).unwrap();
    let white =
        pattern.strip_prefix("flip(").and_then(|rest| rest.strip_suffix(')')).expect("flip of White's sacrifice");
    let files = ["tests/patterns/classics.pgn", "demo/famous.pgn"].map(|name| games(&Path::new(ROOT).join(name)));
    let games: Vec<_> = files.into_iter().flatten().chain(shared("famous_games.pgn").into_iter().flatten()).collect();
    let (with, whites) = (found(pattern, &games).0, found(white, &games).0);
    assert!(with.iter().filter(|n| **n < 62).count() >= 6, "{with:?}");
    for n in with {
        assert_eq!(games[n].0, if whites.contains(&n) { "1-0" } else { "0-1" }, "game {n}");
    }
}

/// Every pattern that the tables of docs/patterns.md show on the right.
#[test]
fn documented_patterns_can_be_read() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/patterns.md")).unwrap();
    let (_, tables) = text.split_once("## Coming from other programs").unwrap();
    let mut read = 0;
    for row in tables.lines().filter(|line| line.starts_with('|')) {
        // A bar within a pattern is escaped.
        let cells: Vec<&str> = row.split(" | ").collect();
        let [_, here] = cells.as_slice() else { continue };
        for code in here.split('`').skip(1).step_by(2) {
            let is_sql = code.contains("game") || code.starts_with("has") || ["OFFSET", "LIMIT", "_"].contains(&code);
            if is_sql || code == "[NB]" {
                continue;
            }
            let pattern = Pattern::read(code).map(|_| ());
            let set = chess_core::search::pattern::SquareSet::read(code).map(|_| ());
            assert!(pattern.is_ok() || set.is_ok(), "{code}: {}", pattern.unwrap_err());
            read += 1;
        }
    }
    assert!(read > 80, "{read}");
}
