//! The keys of an index of patterns: no game in which a pattern occurs is without the keys that the pattern needs,
//! and where keys say much, few other games have them.

use chess_core::Game;
use chess_core::search::pattern::{Pattern, Wanted, pattern_keys, signature, signature_in};
use chess_core::text::{movetext, read_pgn};

use crate::common::{Played, Rng, STANDARD, Style, effort, games, pack, play};
use crate::random::{self, contents, moves, square};

fn keys(game: &Game) -> Vec<u64> {
    let mut keys = Vec::new();
    pattern_keys(game.view(), &mut keys).unwrap();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    keys
}

/// What random patterns seldom have.
fn seldom(rng: &mut Rng) -> String {
    const OTHERS: &[&str] = &[
        "mate",
        "stalemate",
        "start",
        "end",
        "any",
        "o-o-o",
        "castle(Kq)",
        "P-.=N",
        "[Pp]x.=[QRqr]",
        "imbalance vPP",
        "imbalance NP*vB",
        "imbalance QvRR",
    ];
    if rng.one_in(2) {
        return rng.word(OTHERS).to_owned();
    }
    let mut side = || {
        let mut side = String::from("K");
        for kind in ["Q", "R", "B", "N", "P"] {
            if rng.one_in(2) {
                side += kind;
                side += rng.word(&["", "", "*", "+", "?", "2", "1..3", "2.."]);
            }
        }
        side
    };
    format!("{}v{}", side(), side())
}

/// A random text, which need not be a pattern.
fn drawn(rng: &mut Rng) -> String {
    let draw = if rng.one_in(8) { random::broad } else { random::text };
    let text = draw(&mut random::Rng(rng.next()));
    match rng.below(12) {
        0 | 1 => seldom(rng),
        2 => format!("({text}) and ({})", seldom(rng)),
        3 => format!("({text}) or ({})", seldom(rng)),
        4 => format!("({text}) then ({})", seldom(rng)),
        _ => text,
    }
}

#[test]
fn whatever_matches_has_the_keys() {
    let games: Vec<Game> = games(11, effort(150, 40)).iter().map(pack).collect();
    let of_games: Vec<Vec<u64>> = games.iter().map(keys).collect();
    let mut rng = Rng(12);
    let (mut read, mut known, mut matches, mut passed_over, mut certain) = (0, 0, 0, 0, 0);
    for _ in 0..effort(2000, 200) {
        let text = drawn(&mut rng);
        let Ok(pattern) = Pattern::read(&text) else { continue };
        read += 1;
        let tree = pattern.key_tree();
        known += usize::from(tree.is_known());
        let mut matcher = pattern.matcher();
        let mut certainty = pattern.certainty();
        for (game, keys) in games.iter().zip(&of_games) {
            let found = matcher.find(game.view(), u32::MAX).unwrap().is_some();
            matches += usize::from(found);
            // Where material alone makes a match, there is one.
            let mut signatures = keys.iter().filter_map(|key| signature_in(*key));
            let must = certainty.as_mut().is_some_and(|known| signatures.any(|signature| known.holds(signature)));
            assert!(found || !must, "{text}");
            certain += usize::from(must);
            let may = tree.may_match_game(keys);
            assert!(may || !found, "{text}");
            passed_over += usize::from(!may);
        }
        assert!(tree.wanted().len() <= 256);
    }
    assert!(read > effort(1000, 100) && known > read / 4, "{read} patterns, {known} with keys");
    assert!(matches > 5 * read && passed_over > 10 * read, "{matches} {passed_over}");
    assert!(certain > read, "{certain}");
}

/// In a game from the standard start it is told in advance where nothing can match. Of the same game with another move
/// number at its start it is not.
#[test]
fn what_is_told_in_advance_changes_no_answer() {
    let mut rng = Rng(31);
    let games: Vec<(Game, Game)> = (0..effort(120, 30))
        .map(|_| {
            let plies = rng.below(200);
            let game = play(&mut rng, STANDARD, plies, Style::Special);
            let plain = pack(&game);
            (plain, pack(&Played { fen: STANDARD.replace(" 0 1", " 0 2"), ..game }))
        })
        .collect();
    let (mut read, mut matches) = (0, 0);
    for n in 0..effort(6000, 400) {
        let words = &mut random::Rng(rng.next());
        let mut piece = || contents(words) + &square(words);
        let text = match n % 4 {
            0 => drawn(&mut rng),
            1 => format!("{} {}", piece(), piece()),
            2 => format!("flip(mirror({} {}))", piece(), piece()),
            _ => {
                let link = rng.word(&["then", "directly", "or", "and"]);
                format!("{} {link} {}", moves(words, 1), moves(words, 1))
            }
        };
        let Ok(pattern) = Pattern::read(&text) else { continue };
        read += 1;
        let mut matcher = pattern.matcher();
        for (plain, other) in &games {
            let mut rows = |game: &Game| {
                let mut rows = Vec::new();
                let visit = |first, last| {
                    rows.push((first, last));
                    false
                };
                matcher.each(game.view(), visit).unwrap();
                rows
            };
            let expected = rows(other);
            assert_eq!(rows(plain), expected, "{text}");
            matches += usize::from(!expected.is_empty());
            let first = expected.first().map(|row| row.1);
            for limit in [first, first.map(|first| first.saturating_sub(1))].into_iter().flatten() {
                assert_eq!(matcher.find(plain.view(), limit), Ok(first.filter(|first| *first <= limit)), "{text}");
            }
        }
    }
    assert!(read > effort(4000, 250) && matches > effort(20_000, 1250), "{read} patterns, {matches} matches");
    // Each piece on each square, for the ways on which it may have come there.
    for (piece, square) in "KQRBNPkqrbnp".chars().flat_map(|piece| (0..64u8).map(move |square| (piece, square))) {
        let text = format!("{piece}{}{}", char::from(b'a' + square % 8), square / 8 + 1);
        let mut matcher = Pattern::read(&text).unwrap().matcher();
        for (plain, other) in &games {
            let mut first = |game: &Game| matcher.find(game.view(), u32::MAX).unwrap();
            assert_eq!(first(plain), first(other), "{text}");
        }
    }
}

/// What the keys of shipped games leave to be checked, of 54: a change here is a change of the index.
const CANDIDATES: &[(&str, Option<usize>)] = &[
    ("flip(isolated(Pd))", None),
    ("isolated(Pa)", None),
    ("P >= 3", None),
    ("not Nd5", None),
    ("Ra1", None),
    ("N", None),
    ("Nd5", Some(9)),
    ("pa6 Bb3 Nf3", Some(2)),
    ("flip(KRPPvKR)", Some(0)),
    ("KRP*vKRP*", Some(2)),
    ("flip(B = 2 and N = 0 and b = 1 and n = 1)", Some(9)),
    ("oppositebishops and [QRNqrn] = 0", Some(1)),
    ("flip(Rc[open])", Some(24)),
    ("O-O-O", Some(8)),
    ("mate", Some(9)),
    ("stalemate", Some(0)),
    ("enpassant", Some(3)),
    ("[Pp]-.=[RBNrbn]", Some(0)),
    ("Nf1-g3-f5", Some(0)),
    ("rxNc3 directly Pxc3", Some(0)),
    ("flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)", Some(8)),
    ("Nd5 or isolated(Pd)", None),
    ("Nd5 and isolated(Pd)", Some(9)),
    ("Q = 12 and q = 12", Some(0)),
    ("K = 2", Some(0)),
];

#[test]
fn what_is_left_of_the_shipped_games() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../demo/famous.pgn")).unwrap();
    let games: Vec<Game> = read_pgn::games(&text).map(|read| read.game.unwrap()).collect();
    let of_games: Vec<Vec<u64>> = games.iter().map(keys).collect();
    let found = CANDIDATES.iter().map(|(text, _)| {
        let tree = Pattern::read(text).unwrap().key_tree();
        let count = of_games.iter().filter(|keys| tree.may_match_game(keys)).count();
        (*text, tree.is_known().then_some(count))
    });
    assert_eq!(found.collect::<Vec<_>>(), CANDIDATES);
}

#[test]
fn a_known_material_is_one_key_and_known_pieces_are_a_range() {
    let wanted = |text: &str| Pattern::read(text).unwrap().key_tree().wanted().to_vec();
    let Wanted::Key(key) = wanted("KRPPPvKRPPP")[0] else { panic!("a range") };
    assert_eq!(signature_in(key), Some(0x00_1100_0033));
    assert_eq!(wanted("flip(KRPPvKR)").len(), 2);
    let Wanted::Material { from, to, .. } = wanted("KRP*vKRP*")[0] else { panic!("a key") };
    assert_eq!((signature_in(from), signature_in(to)), (Some(0x00_1100_0000), Some(0x00_1100_00ff)));
    // One question for both sides, since neither has keys of its own.
    assert_eq!(wanted("flip(R + 1 = r and [BN] = [bn] + 1 and Q = q)").len(), 1);
    assert_eq!(wanted("flip(R + 1 = r and Nd5)").len(), 4);
}

/// The signature of a material such as `KRBvKR`.
fn signature_of(material: &str) -> u64 {
    let (white, black) = material.split_once('v').unwrap();
    signature(|kind| {
        let (side, kind) = if kind < 6 { (white, kind) } else { (black, kind - 6) };
        side.matches(['P', 'N', 'B', 'R', 'Q', 'K'][usize::from(kind)]).count() as u64
    })
}

#[test]
fn a_range_of_materials_has_an_example() {
    let cases = [
        ("KRPPPvKRPPP", Some("KRPPPvKRPPP")),
        ("KQP*vKBP*", Some("KQvKB")),
        // one piece more than the least numbers of each kind, and one for each side
        ("K[BN]P*vKP*", Some("KBvK")),
        ("KR[BN]P*vKR[BN]P*", Some("KRBvKRB")),
        // three pieces more
        ("[BN] = 3 and [RQrqbn] = 0", None),
        // squares and material
        ("Nd5 and Q = 0", None),
    ];
    for (text, material) in cases {
        let tree = Pattern::read(text).unwrap().key_tree();
        let examples: Vec<_> = (0..tree.wanted().len()).filter_map(|wanted| tree.example(wanted)).collect();
        for (wanted, example) in (0..tree.wanted().len()).filter_map(|wanted| Some((wanted, tree.example(wanted)?))) {
            assert!(tree.allows(wanted, example), "{text}: {example:x}");
        }
        if tree.wanted().len() == 1 {
            assert_eq!(examples, Vec::from_iter(material.map(signature_of)), "{text}");
        } else {
            assert!(examples.len() < tree.wanted().len(), "{text}");
        }
    }
}

#[test]
fn material_alone_makes_some_patterns_match() {
    let holds =
        |text: &str, signature| Pattern::read(text).unwrap().certainty().map(|mut known| known.holds(signature));
    let (start, rook_ending) = (0x11_2222_2288, 0x00_1100_0033);
    for (text, at_start, in_ending) in [
        ("KRPPPvKRPPP", false, true),
        ("flip(P >= 3 and Q = 0)", false, true),
        ("Q = q and R = r", true, true),
        ("Nd5 or R = 1", false, true),
        ("P = 3 and Ra7", false, false),
        ("not Q", false, true),
    ] {
        assert_eq!([holds(text, start), holds(text, rook_ending)], [Some(at_start), Some(in_ending)], "{text}");
    }
    // What takes several moments is not decided by those of one.
    assert_eq!(holds("Q = 0 for 2", rook_ending), None);
}

#[test]
fn nine_queens_and_games_that_do_not_decode() {
    let text = "[FEN \"7k/8/8/8/8/8/QQQQ4/KQQQQQ2 b - - 0 1\"]";
    let game = movetext::read(text).unwrap();
    let keys = keys(&game);
    for text in ["Q = 9", "Q >= 9", "KQ9vK", "Qa2 Qc1", "points(A) = 81"] {
        let pattern = Pattern::read(text).unwrap();
        assert!(pattern.matcher().find(game.view(), 9).unwrap().is_some(), "{text}");
        assert!(pattern.key_tree().may_match_game(&keys), "{text}");
    }
    let whole = movetext::read("1. e4 e5 2. Nf3 Nc6").unwrap().as_bytes().to_vec();
    let mut damaged = 0;
    for at in 0..whole.len() {
        for byte in [0, 7, 64, 128, 200, 255] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            if let Ok(game) = chess_core::GameRef::new(&bytes) {
                damaged += usize::from(pattern_keys(game, &mut Vec::new()).is_err());
            }
        }
    }
    assert!(damaged > 3);
}

#[test]
fn shares_of_several_keys() {
    let share = |text: &str, each: f64| Pattern::read(text).unwrap().key_tree().share(|_| each);
    assert_eq!(share("P", 0.1), 1.0);
    assert!((share("Nd5", 0.1) - 0.1).abs() < 1e-9);
    assert!((share("Nd5 and pa6", 0.01) - 0.001).abs() < 1e-9);
    assert!((share("Nd5 or ne4", 0.1) - 0.19).abs() < 1e-9);
}
