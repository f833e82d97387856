//! Random patterns that are likely to be slow.
//!
//! Each function takes a generator of numbers and returns a text of at most [`BYTES`] bytes, which need not be a pattern.
//! [`text`] draws from the whole grammar, and more often what multiplies: `shift` around long sequences and around sets of
//! many squares. [`broad`] compares numbers of sets that have many squares on most boards, with functions inside of
//! functions.

use chess_gamegen::splitmix64;

/// Longest text.
pub const BYTES: usize = 200;

/// Random numbers: the same on every machine.
pub struct Rng(pub u64);

impl Rng {
    fn next(&mut self) -> u64 {
        splitmix64(&mut self.0)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Whether an event happens that has this chance in a hundred.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn word<'a>(&mut self, words: &'a str) -> &'a str {
        let n = self.below(words.split(' ').count());
        words.split(' ').nth(n).unwrap_or("")
    }

    fn letter(&mut self, letters: &str) -> char {
        char::from(letters.as_bytes()[self.below(letters.len())])
    }
}

const FILES: &str = "abcdefgh";
const RANKS: &str = "12345678";
const PIECES: &str = "KQRBNPAkqrbnpa";

/// A text of at most [`BYTES`] bytes.
pub fn text(rng: &mut Rng) -> String {
    loop {
        let depth = 1 + rng.below(4);
        let mut text = if rng.chance(40) { condition(rng, depth) } else { timed(rng, depth) };
        let target = 10 + rng.below(BYTES - 10);
        let sign = rng.of(&[" or ", " and ", " then ", " then ", " directly ", ""]);
        while !sign.is_empty() && text.len() < target {
            let depth = rng.below(3);
            let next = if sign == " and " { condition(rng, depth) } else { timed(rng, depth) };
            text = format!("({text}){sign}({next})");
        }
        for _ in 0..rng.below(3) {
            text = format!("{}({text})", rng.word("shift shift shift flip mirror rotate"));
        }
        if text.len() <= BYTES {
            return text;
        }
    }
}

/// Most of these sets have many squares on most boards.
const BROAD: &str =
    "_ . A a [Pp] [Aa] [QRBN] [^r] A[a1-d4] A[1-4] _[a1-d8] [qrbn][5-8] .[light] P k [Rr] [Nn][c-f] moved vacated";

/// Returns a text of at most [`BYTES`] bytes that compares numbers of broad sets.
pub fn broad(rng: &mut Rng) -> String {
    loop {
        let first = broad_condition(rng);
        let text = match rng.below(6) {
            0 => format!("{first} then {}", broad_condition(rng)),
            1 => format!("{first} directly {}", broad_condition(rng)),
            2 => format!("{first} and {}", broad_condition(rng)),
            3 => format!("({first}) for {}", rng.word("2 5 20")),
            _ => first,
        };
        let text = match rng.below(9) {
            0 | 1 => text,
            2 | 3 => format!("shift({text})"),
            4 => format!("flip(shift({text}))"),
            5 => format!("rotate(shift({text}))"),
            6 => format!("shift(flip(mirror({text})))"),
            _ => format!("{}({text})", rng.word("flip mirror rotate")),
        };
        if text.len() <= BYTES {
            return text;
        }
    }
}

fn broad_condition(rng: &mut Rng) -> String {
    if rng.chance(12) {
        let count = 2 + rng.below(3);
        let sets: Vec<String> = (0..count).map(|_| broad_set(rng, 1)).collect();
        return format!("{}({})", rng.word("line file rank diagonal"), sets.join(", "));
    }
    let set = broad_set(rng, 3);
    let number = match rng.below(3) {
        0 => set,
        _ => format!("{}({set})", rng.word("islands points")),
    };
    match rng.below(8) {
        0 => format!("{number} + {} {} {}", broad_set(rng, 2), rng.word("= < >"), rng.below(40)),
        1 => format!("{number} {} {}", rng.word("= < >"), broad_set(rng, 2)),
        _ => format!("{number} {} {}", rng.word("= < > >="), rng.below(30)),
    }
}

fn broad_set(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.chance(35) {
        return rng.word(BROAD).to_owned();
    }
    let (a, b) = (broad_set(rng, depth - 1), broad_set(rng, depth - 1));
    let distance = rng.of(&["", ", 0..1", ", 1..2", ", 2..", ", ..3", ", 3", ", 2..5"]);
    match rng.below(12) {
        0 => format!("near({a}{distance})"),
        1 => format!("between({a}, {b})"),
        2 => format!("({a} attacks {b})"),
        3 => format!("({a} attackedby {b})"),
        4 => format!("({a} | {b})"),
        5 => format!("({a} & {b})"),
        6 => format!("~({a})"),
        7 => format!("{}({a}{distance})", rng.word("ahead behind")),
        _ => format!("{}({a})", rng.word("passed isolated doubled backward connected outpost pinned span beside")),
    }
}

/// Returns a square.
pub fn square(rng: &mut Rng) -> String {
    format!("{}{}", rng.letter(FILES), rng.letter(RANKS))
}

fn range(rng: &mut Rng, letters: &str) -> String {
    let from = rng.below(8);
    let to = from + rng.below(8 - from);
    format!("{}-{}", &letters[from..=from], &letters[to..=to])
}

fn item(rng: &mut Rng) -> String {
    match rng.below(10) {
        0..=2 => square(rng),
        3 | 4 => range(rng, FILES),
        5 | 6 => range(rng, RANKS),
        7 | 8 => {
            let (files, ranks) = (range(rng, FILES), range(rng, RANKS));
            format!("{}{}-{}{}", &files[..1], &ranks[..1], &files[2..], &ranks[2..])
        }
        _ => rng.word("light dark open halfopen centre").to_owned(),
    }
}

/// Returns what stands on a square.
pub fn contents(rng: &mut Rng) -> String {
    match rng.below(20) {
        0..=12 => rng.letter(PIECES).to_string(),
        13..=16 => format!("[{}{}]", rng.letter(PIECES), rng.letter("_KQRBNPkqrbnp")),
        17 => format!("[^{}]", rng.letter(PIECES)),
        18 => "_".to_owned(),
        _ => ".".to_owned(),
    }
}

fn designator(rng: &mut Rng) -> String {
    let contents = contents(rng);
    match rng.below(10) {
        0 | 1 => contents,
        2..=4 => contents + &square(rng),
        5 => format!("{contents}{}", rng.letter(FILES)),
        6 => format!("[{}]{}", contents.trim_matches(['[', ']']), rng.letter(RANKS)),
        7 => format!("{contents}[{},{}]", item(rng), item(rng)),
        _ => format!("{contents}[{}]", item(rng)),
    }
}

fn set(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.chance(35) {
        return designator(rng);
    }
    let mut inner = || set(rng, depth - 1);
    let (a, b) = (inner(), inner());
    let distance = |rng: &mut Rng| rng.of(&["", ", 2", ", 1..3", ", 0..1", ", 2..", ", ..2"]).to_owned();
    match rng.below(20) {
        0 | 1 => format!("({a} | {b})"),
        2 | 3 => format!("({a} & {b})"),
        4 => format!("~({a})"),
        5..=8 => format!("(({a}) {} ({b}))", rng.word("attacks attackedby")),
        9 => rng.word("moved vacated").to_owned(),
        10..=14 => {
            format!("{}({a})", rng.word("passed isolated doubled backward connected outpost pinned span beside"))
        }
        15 | 16 => format!("{}({a}{})", rng.word("ahead behind near"), distance(rng)),
        17 => format!("between({a}, {b})"),
        _ => format!("{}({a})", rng.word("flip mirror shift")),
    }
}

fn number(rng: &mut Rng, depth: usize) -> String {
    let depth = depth.saturating_sub(1);
    match rng.below(10) {
        0..=2 => rng.below(5).to_string(),
        3..=6 => set(rng, depth),
        7 => format!("({}) + {}", set(rng, depth), set(rng, depth)),
        8 => format!("{}({})", rng.word("points islands"), set(rng, depth)),
        _ => rng.word("halfmove move").to_owned(),
    }
}

fn square_or_piece(rng: &mut Rng) -> String {
    match rng.below(5) {
        0 => ".".to_owned(),
        1 => square(rng),
        2 => contents(rng),
        3 => contents(rng) + &square(rng),
        _ => format!("{}{}", contents(rng), rng.letter(FILES)),
    }
}

/// Returns a piece that makes `count` moves.
pub fn moves(rng: &mut Rng, count: usize) -> String {
    let mut text = format!("{}{}", contents(rng), rng.of(&["", "d", "e4", "b"]));
    for _ in 0..count {
        text.push(rng.letter("--x"));
        text += &square_or_piece(rng);
    }
    text
}

fn condition(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.chance(20) {
        return designator(rng);
    }
    let below = depth - 1;
    match rng.below(50) {
        0..=4 => format!("({} and {})", condition(rng, below), condition(rng, below)),
        5..=8 => format!("({} or {})", condition(rng, below), condition(rng, below)),
        9..=13 => format!("not ({})", condition(rng, below)),
        14..=22 => format!("{} {} {}", number(rng, depth), rng.word("= <> < <= > >="), number(rng, depth)),
        23..=25 => moves(rng, 1),
        26..=28 => rng
            .word("wtm btm check capture recapture castling promotion enpassant oppositebishops samebishops")
            .to_owned(),
        29 => rng.word("KRP*vKR*P* KQ?R*B*N*P*vKQ?R*B*N*P* O-O castle(Kq)").to_owned(),
        30 => rng.of(&["imbalance Rv[BN]", "imbalance Pv", "imbalance NvB"]).to_owned(),
        31..=37 => {
            let (a, b, c) = (set(rng, below), set(rng, below), set(rng, below));
            let more = if rng.chance(50) { format!(", {c}") } else { String::new() };
            format!("{}({a}, {b}{more})", rng.word("line line file rank diagonal"))
        }
        38..=43 => format!("{}({})", rng.word("flip mirror rotate shift shift"), condition(rng, below)),
        _ => set(rng, below),
    }
}

fn timed(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.chance(20) {
        return condition(rng, 1);
    }
    let below = depth - 1;
    match rng.below(20) {
        0..=3 => format!("({}) for {}", condition(rng, 1), rng.of(&["2", "3", "4", "20", "300"])),
        4 | 5 => {
            let count = 2 + rng.below(2);
            moves(rng, count)
        }
        6 | 7 => format!("({} or {})", timed(rng, below), timed(rng, below)),
        8..=10 => format!("{}({})", rng.word("flip mirror shift shift"), timed(rng, below)),
        _ => {
            let link = rng.of(&["then", "directly", "then within 4", "then 2", "then 2..5", "then 3.."]);
            let guard = if rng.chance(30) { format!(" while ({})", condition(rng, 1)) } else { String::new() };
            format!("({}) {link}{guard} ({})", timed(rng, below), timed(rng, below))
        }
    }
}
