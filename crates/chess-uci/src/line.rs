//! Parses a line that an engine has written.
//!
//! Unknown words are skipped, missing values are `None`, and any other line is [`Line::Other`]: engines have extensions
//! of their own, and a dying process may write half a line.

/// A parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// `id name …`
    Name(&'a str),
    /// `id author …`
    Author(&'a str),
    /// `option name … type …`
    Option(OptionLine<'a>),
    /// `uciok`
    UciOk,
    /// `readyok`
    ReadyOk,
    /// `info …`
    Info(Info<'a>),
    /// `bestmove …`: the move; `None` for `(none)`, `0000` or a missing one.
    BestMove(Option<&'a str>),
    /// Any other line.
    Other,
}

/// An option that the engine declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionLine<'a> {
    /// The name, which may contain spaces.
    pub name: &'a str,
    /// `check`, `spin`, `combo`, `button` or `string`.
    pub kind: &'a str,
    /// The default; empty for `<empty>` or if there is none.
    pub default: &'a str,
    /// The minimum of a spin.
    pub min: Option<i64>,
    /// The maximum of a spin.
    pub max: Option<i64>,
    /// The choices of a combo.
    pub values: Vec<&'a str>,
}

/// A score for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in this number of moves; negative if the side to move will be mated, 0 if it is mated already.
    Mate(i32),
}

/// The limit of scores without mate, as in comments of PGN.
const MAX_CENTIPAWNS: i32 = 89_990;
/// The limit of distances to mate.
const MAX_MATE: i32 = 9_999;

impl Score {
    /// The score for White, as [`chess_core::text::clocks_evals`] has it: centipawns, mate in n as 100000 − n.
    ///
    /// ```
    /// use chess_uci::Score;
    ///
    /// assert_eq!(Score::Cp(-35).for_white(1), 35);
    /// assert_eq!(Score::Mate(3).for_white(0), 99_997);
    /// assert_eq!(Score::Mate(0).for_white(0), -100_000);
    /// ```
    pub fn for_white(self, turn: u8) -> i32 {
        let value = match self {
            Score::Cp(cp) => cp.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS),
            Score::Mate(moves) => {
                let value = chess_core::text::clocks_evals::MATE - moves.saturating_abs().min(MAX_MATE);
                if moves > 0 { value } else { -value }
            }
        };
        if turn == 0 { value } else { -value }
    }
}

/// A report during a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info<'a> {
    /// The depth in half-moves.
    pub depth: Option<u32>,
    /// The greatest depth reached.
    pub seldepth: Option<u32>,
    /// The number of the line, from 1.
    pub multipv: Option<u32>,
    /// The score.
    pub score: Option<Score>,
    /// Whether the score is only a bound.
    pub is_bound: bool,
    /// Wins, draws and losses in 1,000 games, for the side to move.
    pub wdl: Option<[u16; 3]>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Milliseconds taken.
    pub time_ms: Option<u64>,
    /// The moves, not checked.
    pub pv: Vec<&'a str>,
}

/// The maximum number of moves that are read.
const MAX_PV: usize = 64;

/// Parses a line.
///
/// ```
/// use chess_uci::Score;
/// use chess_uci::line::{Line, read};
///
/// let Line::Info(info) = read("info depth 5 score cp -43 nodes 1035 pv d7d5 e4d5") else { unreachable!() };
/// assert_eq!((info.depth, info.score, info.pv), (Some(5), Some(Score::Cp(-43)), vec!["d7d5", "e4d5"]));
/// assert_eq!(read("bestmove (none)"), Line::BestMove(None));
/// assert_eq!(read("Stockfish 15.1 by the Stockfish developers"), Line::Other);
/// ```
pub fn read(line: &str) -> Line<'_> {
    let (first, rest) = cut(line);
    match first {
        "id" => match cut(rest) {
            ("name", name) => Line::Name(name.trim()),
            ("author", author) => Line::Author(author.trim()),
            _ => Line::Other,
        },
        "option" => option(rest).map_or(Line::Other, Line::Option),
        "uciok" => Line::UciOk,
        "readyok" => Line::ReadyOk,
        "info" => Line::Info(info(rest)),
        "bestmove" => Line::BestMove(Some(cut(rest).0).filter(|word| is_move(word))),
        _ => Line::Other,
    }
}

/// Splits off the first word.
fn cut(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

/// Whether a word looks like a move.
fn is_move(word: &str) -> bool {
    let square = |file: u8, rank: u8| matches!(file, b'a'..=b'h') && matches!(rank, b'1'..=b'8');
    match *word.as_bytes() {
        [a, b, c, d] => square(a, b) && square(c, d),
        [a, b, c, d, role] => square(a, b) && square(c, d) && role.is_ascii_alphabetic(),
        _ => false,
    }
}

const OPTION_WORDS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];

/// Parses an option. Names and values may contain spaces, so a value extends to the next keyword. A name may even
/// contain a keyword, such as `Skill type`: it ends at the last ` type ` before a known kind.
fn option(text: &str) -> Option<OptionLine<'_>> {
    let name_at = text.trim_start().strip_prefix("name")?;
    let kinds = ["check", "spin", "combo", "button", "string"];
    let mut found = None;
    for (at, _) in name_at.match_indices(" type ") {
        if kinds.contains(&cut(&name_at[at + 6..]).0) {
            found = Some(at);
            break;
        }
    }
    let at = found?;
    let (kind, rest) = cut(&name_at[at + 6..]);
    let mut option = OptionLine { name: name_at[..at].trim(), kind, ..OptionLine::default() };
    if option.name.is_empty() {
        return None;
    }
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (word, after) = cut(rest);
        let end = value_end(after);
        let value = after[..end].trim();
        match word {
            "default" => option.default = if value == "<empty>" { "" } else { value },
            "min" => option.min = value.parse().ok(),
            "max" => option.max = value.parse().ok(),
            "var" => option.values.push(value),
            _ => (),
        }
        rest = after[end..].trim_start();
    }
    Some(option)
}

/// The end of the value at the start of `text`: the next keyword.
fn value_end(text: &str) -> usize {
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        if OPTION_WORDS[2..].contains(&word.trim()) {
            return at;
        }
        at += word.len();
    }
    text.len()
}

fn info(text: &str) -> Info<'_> {
    let mut info = Info::default();
    let mut words = text.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            // the rest is text
            "string" => break,
            "depth" => info.depth = number(&mut words),
            "seldepth" => info.seldepth = number(&mut words),
            "multipv" => info.multipv = number(&mut words),
            "nodes" => info.nodes = number(&mut words),
            "time" => info.time_ms = number(&mut words),
            "score" => {
                let score: Option<(&str, i64)> = words.next().zip(number(&mut words));
                let within = |value: i64| value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
                info.score = match score {
                    Some(("cp", value)) => Some(Score::Cp(within(value))),
                    Some(("mate", value)) => Some(Score::Mate(within(value))),
                    _ => None,
                };
            }
            "upperbound" | "lowerbound" => info.is_bound = true,
            "wdl" => {
                let mut next = || number::<u16>(&mut words);
                info.wdl = next()
                    .and_then(|wins| Some([wins, next()?, next()?]))
                    .filter(|wdl| wdl.iter().map(|share| u32::from(*share)).sum::<u32>() == 1000);
            }
            "pv" => {
                info.pv.clear();
                while let Some(word) = words.next_if(|word| is_move(word)) {
                    if info.pv.len() < MAX_PV {
                        info.pv.push(word);
                    }
                }
            }
            _ => (),
        }
    }
    info
}

/// Parses the next word as a number. Another word is not consumed.
fn number<'a, N: std::str::FromStr>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Option<N> {
    let value = words.peek()?.parse().ok()?;
    words.next();
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_lines_and_strange_ones() {
        let info = |line| match read(line) {
            Line::Info(info) => info,
            other => panic!("{other:?}"),
        };
        assert_eq!(info("info depth 5 score cp"), Info { depth: Some(5), ..Info::default() });
        assert_eq!(info("info depth score cp 12").score, Some(Score::Cp(12)));
        assert_eq!(info("info score mate -3 upperbound nodes x time 7").time_ms, Some(7));
        assert!(info("info score mate -3 upperbound").is_bound);
        assert_eq!(info("info string depth 3 score cp 99"), Info::default());
        assert_eq!(info("info pv e2e4 nodes 12").nodes, Some(12));
        assert_eq!(info("info wdl 900 50 50 pv a1a8").wdl, Some([900, 50, 50]));
        assert_eq!(info("info wdl 900 50").wdl, None);
        assert_eq!(info("info wdl 900 50 51").wdl, None);
        assert_eq!(info("info score cp 99999999999999").score, Some(Score::Cp(i32::MAX)));
        assert_eq!(info("info score cp 99999999999999999999").score, None);
        assert_eq!(info(&format!("info pv{}", " e2e4".repeat(500))).pv.len(), MAX_PV);
        for line in ["bestmove", "bestmove ", "bestmove (none)", "bestmove 0000", "bestmove NULL", "bestmove e2e9"] {
            assert_eq!(read(line), Line::BestMove(None), "{line}");
        }
        assert_eq!(read("\tbestmove  e7e8q ponder a1a1"), Line::BestMove(Some("e7e8q")));
        for line in
            ["", " ", "bestmov", "id", "id foo", "option", "option name", "option name x", "option name x type odd"]
        {
            assert_eq!(read(line), Line::Other, "{line}");
        }
        assert_eq!(Score::Cp(i32::MIN).for_white(0), -89_990);
        assert_eq!(Score::Mate(i32::MIN).for_white(1), 90_001);
        assert_eq!(Score::Mate(0).for_white(1), 100_000);
    }

    #[test]
    fn options() {
        let option = |line| match read(line) {
            Line::Option(option) => option,
            other => panic!("{other:?}"),
        };
        let hash = option("option name Hash type spin default 16 min 1 max 33554432");
        assert_eq!((hash.name, hash.kind, hash.default), ("Hash", "spin", "16"));
        assert_eq!((hash.min, hash.max), (Some(1), Some(33_554_432)));
        let file = option("option name Debug Log File type string default ");
        assert_eq!((file.name, file.kind, file.default), ("Debug Log File", "string", ""));
        assert_eq!(option("option name SyzygyPath type string default <empty>").default, "");
        assert_eq!(option("option name Clear Hash type button").name, "Clear Hash");
        let combo = option("option name Analysis Contempt type combo default Both var Both var Off var Very Wild");
        assert_eq!((combo.default, combo.values), ("Both", vec!["Both", "Off", "Very Wild"]));
        assert_eq!(option("option name My type of play type check default true").name, "My type of play");
    }
}
