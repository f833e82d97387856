//! The work that the statistics of a sample expect of a search for a pattern, beside the work of searching all games; and
//! the work that it takes to know that.

use chess_core::search::pattern::Pattern;
use chess_estimates::patterns::Trial;

use crate::{common, random};

const GAMES: usize = 1500;
const TARGET: usize = 10;
/// Planning ends with this much work, some fifteen milliseconds, however slow a pattern is: 15 million to judge courses, 35
/// million for games, and to judge one of them. So many searches come on top: of the fewest games, and of the one from which
/// the matcher learns, which may take as much as several.
const MOST_SPENT: f64 = 52_000_000.0;
const MOST_FIRST: f64 = 15.0;

/// Those of docs/patterns.md.
const EXAMPLES: [&str; 25] = [
    "flip(isolated(Pd))",
    "Pd4 Pa2 Pb3 Pf2 Pg2 Ph2 and P = 6",
    "flip(B = 2 and N = 0 and b = 1 and n = 1)",
    "flip(KRPPvKR)",
    "flip(imbalance Pv for 4)",
    "flip(Q = q and R = r and P = p and B = 2 and N = 0 and b = 0 and n = 2 for 2)",
    "flip(Q = 2 and R = 0 and q = 1 and r = 2)",
    "isolated(Pa)",
    "rank(R7, R7)",
    "flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)",
    "flip(Bxph7 and check directly kxh7 directly N-g5 and check)",
    "board(rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR) then P-e5 directly pd-e5 directly P-f5 then N-e4",
    "board(r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R) then Bc4 then Bf3",
    "oppositebishops and [QRNqrn] = 0",
    "flip(mirror(KRP4vKRP3 and [Pp][a-d] = 0 for 4))",
    "KR[BN]P*vKR[BN]P*",
    "flip(Nd5 and not [bn] attacks d5)",
    "flip(mirror(B[light] = 1 and B[dark] = 0 and N = 0 and b = 0 and n = 1 and P[light] >= P[dark] + 3))",
    "flip(K[b1,c1] and k[g8,h8])",
    "Pe4 Pd3 Nf3 Pg3 Bg2 Kg1 Rf1 and move = 5..7",
    "flip(Rc[open])",
    "flip(Pc4 Pe4 and Pd = 0 and pc = 0 and pd and not pd5)",
    "rxNc3 directly Pxc3",
    "flip(mirror(K-h1 then R-g1 then P-g4))",
    "flip(btm and mate and N attacks k and not k attacks [_A])",
];

/// Patterns with many parts: judging whether a material allows them takes longer than searching a game for them.
const OF_MANY_PARTS: [&str; 3] = [
    "flip(shift(islands(ahead((backward([Rr]) attackedby ~(A[a1-d4])), ..3)) = 9))",
    "shift(flip(mirror(points(backward([qrbn][5-8])) > 4 and islands(_[a1-d8]) = 7)))",
    "shift(islands(A[a1-d4]) >= 7)",
];

fn patterns() -> Vec<String> {
    let mut rng = random::Rng(52);
    let random = std::iter::repeat_with(|| random::text(&mut rng)).filter(|text| Pattern::read(text).is_ok()).take(300);
    let slow = include_str!("../../../benches/instructions/src/bin/worst_patterns/named.txt");
    let mut broad = random::Rng(1);
    let broad =
        std::iter::repeat_with(|| random::broad(&mut broad)).filter(|text| Pattern::read(text).is_ok()).take(30);
    EXAMPLES
        .into_iter()
        .chain(OF_MANY_PARTS)
        .map(str::to_owned)
        .chain(random)
        .chain(slow.lines().map(str::to_owned))
        .chain(broad)
        .collect()
}

#[test]
fn the_expected_work_is_near_and_soon_known() {
    let games = common::games(GAMES);
    let sample = common::sample(&games, TARGET);
    let mut factors = Vec::new();
    for text in patterns() {
        let pattern = Pattern::read(&text).expect("a pattern");
        let mut matcher = pattern.matcher();
        games.iter().for_each(|game| assert!(matcher.find(game.view(), u32::MAX).is_ok()));
        let actual = matcher.work() as f64 / GAMES as f64;
        let Trial { work, spent, .. } = sample.patterns.trial(&pattern, u32::MAX, sample.games, usize::MAX);
        assert!(spent as f64 <= MOST_SPENT + MOST_FIRST * work, "{text}: {spent}, {work} a game");
        factors.push(((work / actual).max(actual / work), work, actual, text));
    }
    factors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ninety = &factors[factors.len() * 9 / 10];
    assert!(ninety.0 <= 3.0, "{ninety:?}");
}
