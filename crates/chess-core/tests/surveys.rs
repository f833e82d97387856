//! A survey, which judges all half-moves of a game at once, finds what a search finds that goes step by step.

use chess_core::Game;
use chess_core::search::pattern::Pattern;
use chess_core::text::movetext;

use crate::common::{Rng, STANDARD, Style, any_start, effort, games, pack, play};
use crate::random;

/// Patterns of every construct, also of those that random patterns seldom have.
const PATTERNS: &[&str] = &[
    "check",
    "mate",
    "stalemate",
    "check then not check then check",
    "end and not start",
    "halfmove = 127..129",
    "move > 30 then 3..5 btm",
    "capture directly recapture",
    "castling or o-o or O-O-O",
    "castle(KQkq) then not castle(K)",
    "enpassant",
    "promotion",
    "P-.=[RBN]",
    "px[QRBN]",
    "oppositebishops",
    "samebishops",
    "imbalance Rv[BN]",
    "points(A) > points(a)",
    "points([QRBNP][a-d]) + 3 <= points(a)",
    "islands(P) > islands(p)",
    "A > a + 2",
    "shift(Nd4 pe5 bf6)",
    "passed(P) then isolated(p)",
    "doubled([Pp]) connected(P) backward(p)",
    "outpost([NBnb])",
    "pinned(A) & [NQ]",
    "pinned(a) for 3",
    "span(P[a-d]) & span(p) = 3",
    "R[open]",
    "[Rr][halfopen]",
    "between(K, k) & A = 1",
    "near(k, 2..3) & A >= 2",
    "near(P, 1) & p > 4",
    "ahead(P, 1..3) & p",
    "behind(p, 2..) & [Rr]",
    "beside(P) & p",
    "A attacks k",
    "(a attackedby [QRB]) = 3",
    "~(A | a) & .[centre] = 4",
    "line(R, q, k)",
    "diagonal([Bb], _, _, [Pp])",
    "file(R, P, p) for 20",
    "rank([Kk], _, [Rr])",
    "N-.-.",
    "[Rr]-.-.-.",
    "Qx.-. then K-.",
    "flip(shift(Nd4-e6))",
    "moved & vacated then moved & A",
    "A for 300",
    "not check for 100",
    "P = 8 then while (q) K-.",
    "_e4 then 2..6 while (not check) [Pp]e4",
    "check then 3.. while (wtm or A) btm check",
    "capture then within 2 capture then within 2 capture",
    "ahead(span(P), 1..3) = 4",
    "islands(~(.)) = 0",
    "connected(~(.)) + P < 8",
];

/// Mate and stalemate.
const ENDS: [&str; 2] =
    ["f3 e5 g4 Qh4", "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7 Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"];

fn ends(pattern: &Pattern, game: &Game, surveys: bool) -> (Vec<Option<u32>>, Vec<(u32, u32)>) {
    let mut matcher = pattern.matcher().surveying(surveys);
    let limits = [u32::MAX, 0, game.view().ply_count() / 2, 64, 128];
    let found = limits.map(|limit| matcher.find(game.view(), limit).expect("a sound game"));
    let mut all = Vec::new();
    let visit = |first, last| {
        all.push((first, last));
        false
    };
    matcher.each(game.view(), visit).expect("a sound game");
    (found.to_vec(), all)
}

fn compare(texts: &[String], games: &[Game]) -> usize {
    let mut matches = 0;
    for text in texts {
        let pattern = Pattern::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        for (n, game) in games.iter().enumerate() {
            let steps = ends(&pattern, game, false);
            assert_eq!(ends(&pattern, game, true), steps, "{text} in game {n}");
            matches += usize::from(!steps.1.is_empty());
        }
    }
    matches
}

/// Games whose moments fill 64 or 128 bits, or just not, or are too many for a survey.
fn long_games(seed: u64) -> Vec<Game> {
    let mut rng = Rng(seed);
    let lengths = [
        0, 1, 2, 62, 63, 64, 65, 126, 127, 128, 129, 191, 192, 255, 256, 257, 300, 400, 511, 512, 513, 700, 2047, 2048,
    ];
    let played = lengths.map(|half_moves| {
        let start = if rng.one_in(2) { STANDARD.into() } else { any_start(&mut rng) };
        pack(&play(&mut rng, &start, half_moves, Style::Endless))
    });
    played.into_iter().collect()
}

#[test]
fn surveys_find_what_steps_find() {
    let mut all = long_games(1);
    all.extend(games(2, effort(150, 20)).iter().map(pack));
    all.extend(ENDS.iter().map(|text| movetext::read(text).expect("a legal game")));
    let matches = |text: &str| compare(&[text.to_owned()], &all) > 0;
    let nowhere: Vec<&str> = PATTERNS.iter().copied().filter(|text| !matches(text)).collect();
    assert!(nowhere.is_empty() || cfg!(debug_assertions), "no matches of {nowhere:?}");
}

#[test]
fn surveys_find_what_steps_find_of_random_patterns() {
    let mut all = long_games(3);
    all.extend(games(4, effort(40, 10)).iter().map(pack));
    for draw in [random::text, random::broad] {
        let mut rng = random::Rng(5);
        let texts: Vec<String> = std::iter::repeat_with(|| draw(&mut rng))
            .filter(|text| Pattern::read(text).is_ok())
            .take(effort(800, 40))
            .collect();
        assert!(compare(&texts, &all) > texts.len());
    }
}

/// The work of a first search step by step that should have been a survey.
const MOST_LEARNING: u64 = 2_000_000;

/// A matcher learns from games which way takes less work, always the same from the same games. What it finds does not
/// depend on that.
#[test]
fn the_choice_makes_no_difference() {
    let all: Vec<Game> = games(6, effort(60, 30)).iter().map(pack).collect();
    let mut rng = random::Rng(7);
    let texts = std::iter::repeat_with(|| random::text(&mut rng)).filter(|text| Pattern::read(text).is_ok());
    let mut slower = 0;
    for text in texts.take(effort(400, 20)) {
        let pattern = Pattern::read(&text).expect("it has been read");
        let (mut chosen, mut again) = (pattern.matcher(), pattern.matcher());
        let (mut steps, mut surveys) = (pattern.matcher().surveying(false), pattern.matcher().surveying(true));
        for (n, game) in all.iter().enumerate() {
            let found =
                [&mut chosen, &mut again, &mut steps, &mut surveys].map(|matcher| matcher.find(game.view(), u32::MAX));
            assert!(found.iter().all(|also| *also == found[0]), "{text} in game {n}: {found:?}");
        }
        assert_eq!(chosen.work(), again.work(), "{text}");
        let least = steps.work().min(surveys.work());
        slower += u32::from(chosen.work() > 2 * least + MOST_LEARNING);
    }
    assert!(slower <= effort(4, 1) as u32, "{slower} patterns went the longer way");
}
