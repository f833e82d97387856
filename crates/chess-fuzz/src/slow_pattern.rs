//! Patterns that are slow to parse, from nested constructs that multiply.
//!
//! Maps any bytes to a text that is nearly always a pattern. Counts steps of work, which do not depend on the machine's
//! load.

use chess_core::pause;
use chess_core::search::pattern::{Pattern, SquareSet, limits};

/// The maximum number of steps to parse any text and to compile it for a search and an index.
pub const MOST_STEPS: u64 = 400_000;

/// Sets with many images, keys or parts.
const SETS: &[&str] = &[
    "N",
    "Nd4",
    "[Nb]c3",
    "r[a-c,e][3-5]",
    "P[open]",
    "[QRB][d-e]",
    "_e5",
    ".[c-d]",
    "n[c3,d4,e5]",
    "moved",
    "[^P]d5",
    "K[light]",
    "[Aa][b-g][2-7]",
    "p[halfopen]",
    "N[c3-f6]",
    "Q[a,b,c,d,e,f,g,h]",
];

/// Conditions of one moment.
const CONDITIONS: &[&str] = &[
    "Nd4 nc5",
    "N-d5",
    "P-.=[RBN]",
    "Rx[bn]",
    "check",
    "wtm",
    "KR*P*vKR*P*",
    "imbalance Rv[BN]",
    "Q = 2 or R = 3",
    "board(8/8/2N5/3_p3/8/8/8/8)",
    "pawns(8/8/2P5/3Pp3/8/8/8/8)",
    "[BN] >= 3",
    "islands(P[c-e]) = 2",
    "points(A) > points(a)",
    "line(R, q, k)",
    "not na6",
    "halfmove = 10..20",
    "Pc3 Pd4 pe5 pf6",
    "A[d4,e5,d5] = 2..3",
    "oppositebishops",
    "O-O or o-o",
    "castle(KQ)",
    "mate",
    "Q = 2..3 or q = 1..2",
];

/// Steps of sequences that compile slowly.
const STEPS: &[&str] = &["Nc3-d5-f6", "N-d5 then n-c3", "check directly Kd4", "Nd4 for 3"];

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Sort {
    Set,
    Condition,
    Timed,
}

fn pick(from: &[&'static str], n: usize) -> &'static str {
    from[n % from.len()]
}

/// A text inside of a construct that two numbers choose, and what they are together.
fn inside(text: &str, sort: Sort, choice: usize, other: usize) -> (String, Sort) {
    let transform = ["flip", "mirror", "rotate", "shift"][other % 4];
    let function = ["passed", "isolated", "doubled", "connected", "outpost", "pinned", "span", "beside"][other % 8];
    let around = ["near", "ahead", "behind"][other % 3];
    let link = ["then", "directly", "then within 4", "then while (not check)"][other / 4 % 4];
    let set = pick(SETS, other / 4);
    let condition = pick(CONDITIONS, other / 4);
    match (choice % 16, sort) {
        (0..=3, _) => (format!("{transform}({text})"), sort),
        (4, Sort::Set) => (format!("({text} | {set})"), sort),
        (5, Sort::Set) => (format!("{function}({text})"), sort),
        (6, Sort::Set) => (format!("{around}({text}, {}..{})", other % 4, other % 4 + other / 64), sort),
        (7, Sort::Set) => (format!("between({text}, {set})"), sort),
        (8, Sort::Set) => (format!("(({text}) attacks {set})"), sort),
        (9, Sort::Set) => (format!("~({text})"), sort),
        (10, Sort::Set) => (format!("{text} = 1..{}", other % 8 + 1), Sort::Condition),
        (11, Sort::Set) => (format!("line({text}, {set}, {text})"), Sort::Condition),
        (12, Sort::Set) => (format!("islands({text}) + {set} = 2"), Sort::Condition),
        (13, Sort::Set) => (format!("({text} & {transform}({set}))"), sort),
        (14 | 15, Sort::Set) => (format!("({text} | {transform}({text}))"), sort),
        (4 | 5, Sort::Condition) => (format!("({text}) or {transform}({condition})"), sort),
        (6 | 7, Sort::Condition) => (format!("({text}) and ({condition})"), sort),
        (8, Sort::Condition) => (format!("({text}) and {transform}({condition})"), sort),
        (9, Sort::Condition) => (format!("not ({text})"), sort),
        (10, Sort::Condition) => (format!("({text}) {link} ({condition})"), Sort::Timed),
        (11, Sort::Condition) => (format!("({text}) for {}", other + 1), Sort::Timed),
        (12 | 13, Sort::Condition) => (format!("({text}) and {transform}({text})"), sort),
        (14 | 15, Sort::Condition) => (format!("({text}) or not ({text}) and {condition}"), sort),
        (4..=7, Sort::Timed) => (format!("({text}) {link} {}", pick(STEPS, other / 4)), sort),
        (8..=10, Sort::Timed) => (format!("({text}) or {transform}({condition})"), sort),
        (11 | 12, Sort::Timed) => (format!("({text}) or {transform}({})", pick(STEPS, other / 4)), sort),
        _ => (format!("({text}) {link} {transform}({text})"), Sort::Timed),
    }
}

/// Builds a text from bytes: the first byte selects the core, each other one a construct around it.
pub fn text(choices: &[u8]) -> String {
    let mut choices = choices.iter().copied();
    let mut next = || choices.next().map(usize::from);
    let first = next().unwrap_or(0);
    let (mut text, mut sort) = match first % 4 {
        0 | 1 => (pick(SETS, first / 4).to_owned(), Sort::Set),
        2 => (pick(CONDITIONS, first / 4).to_owned(), Sort::Condition),
        _ => (pick(STEPS, first / 4).to_owned(), Sort::Timed),
    };
    while let Some(choice) = next() {
        let other = next().unwrap_or(0);
        let (longer, becomes) = inside(&text, sort, choice, other);
        if longer.len() > limits::BYTES {
            break;
        }
        // The parser refuses more steps than these.
        if [" then", " directly", "-d5-f6", " for "].iter().map(|step| longer.matches(step).count()).sum::<usize>() > 24
        {
            continue;
        }
        (text, sort) = (longer, becomes);
    }
    // Repeated up to the maximum length.
    if first >= 128 {
        let (one, sign) = (format!("({text})"), if sort == Sort::Set { " | " } else { " or " });
        text = vec![one.as_str(); ((limits::BYTES + sign.len()) / (one.len() + sign.len())).max(1)].join(sign);
    }
    text
}

/// The steps to parse a text as a pattern and as a set, and to compile it for a search and for index keys; and whether
/// it is a pattern.
pub fn steps(text: &str) -> (u64, bool) {
    let before = pause::steps();
    let pattern = Pattern::read(text);
    if let Ok(pattern) = &pattern {
        pattern.key_tree();
        pattern.matcher();
    }
    let of_pattern = pause::steps() - before;
    let before = pause::steps();
    let _ = SquareSet::read(text);
    (of_pattern.max(pause::steps() - before), pattern.is_ok())
}

/// No text takes more than [`MOST_STEPS`].
pub fn slow_pattern(data: &[u8]) {
    let text = text(data);
    let (steps, _) = steps(&text);
    assert!(steps <= MOST_STEPS, "{steps} steps: {text}");
}
