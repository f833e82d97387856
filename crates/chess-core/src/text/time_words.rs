//! Time controls in words, as broadcasts, sites and people write them: takes a text such as `90 min/40 moves + 30 min +
//! 30 sec/move`, `G/90;d5`, `15'+10"`, `40/2h, SD/1h` or `3 days per move`; returns its periods and of which kind it is.
//!
//! A text is read as durations and numbers of moves, with what stands around them. Other words are skipped, but a text
//! without any unit or word of time control is none. A number without unit is in minutes, behind a plus in seconds.

use std::num::NonZeroU32;

/// The longest time and increment, in seconds.
pub(super) const MAX_SECONDS: i64 = 99_999_999;

/// A period of a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The number of moves for which the time is given; `None` if it is for all that follow.
    pub moves: Option<NonZeroU32>,
    /// The time that the period adds, in milliseconds.
    pub time: i64,
    /// What each move of the period adds, in milliseconds.
    pub increment: i64,
    /// How long the clock waits at each move before it runs, in milliseconds.
    pub delay: i64,
}

/// What a text in words says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The periods; none if the text has no durations.
    pub periods: Vec<Period>,
    /// Whether the time of one side is the opponent's.
    pub hourglass: bool,
    /// The usual seconds for 40 moves of a kind of games that is named, such as `blitz`.
    pub usual: Option<i64>,
}

const HOUR: i64 = 3_600_000;
const MINUTE: i64 = 60_000;
const SECOND: i64 = 1000;
const DAY: i64 = 24 * HOUR;

/// Units, separated by blanks, and their milliseconds.
const UNITS: [(i64, &str); 4] = [
    (HOUR, "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur ч час часа часов"),
    (MINUTE, "m min mins minute minutes minuten minuto minutos minuti minuut мин минут минуты '"),
    (
        SECOND,
        "s sec secs second seconds sek sekunde sekunden segundo segundos seconde secondes secondi seconden сек \"",
    ),
    (DAY, "d day days tag tage tagen jour jours dia dias día días giorno giorni dag dagen дней дня"),
];
const MOVES: &str =
    "move moves mv mvs mov zug züge zügen zuege coup coups jugada jugadas mossa mosse zet zetten ход ходов";
const EACH: &str = "per each every a pro par por je for cada /";
const INCREMENTS: &str = "inc incr increment increments bonus fischer additional added zuschlag";
const DELAYS: &str = "delay bronstein";
const UNTIL: &str = "to till until by through bis";

/// Kinds of games and the seconds that they usually give for 40 moves; those of correspondence are without end.
const KINDS: [(i64, &str); 6] = [
    (21_600, "correspondence correspondance corr daily postal email iccf fernschach unlimited untimed none"),
    (5_400, "classical standard slow classic"),
    (900, "rapid active"),
    (300, "blitz"),
    (60, "bullet lightning"),
    (15, "ultrabullet hyperbullet"),
];

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// In thousandths.
    Number(i64),
    Word(String),
    Sign(char),
}

fn is_in(word: &str, list: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

impl Token {
    fn text(&self) -> String {
        match self {
            Token::Number(_) => String::new(),
            Token::Word(word) => word.clone(),
            Token::Sign(sign) => sign.to_string(),
        }
    }

    fn is_in(&self, list: &str) -> bool {
        is_in(&self.text(), list)
    }
}

/// Longer texts are no time controls.
const MAX_LEN: usize = 400;

/// The tokens of a text; `None` if a number is beyond the limits.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let text =
        text.to_lowercase().replace(['’', '′', '´', '`'], "'").replace(['”', '“', '″'], "\"").replace("''", "\"");
    let mut tokens = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let len = if first.is_ascii_digit() {
            let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let decimals = rest[len..].strip_prefix('.').unwrap_or_default();
            let decimals = &decimals[..decimals.find(|c: char| !c.is_ascii_digit()).unwrap_or(decimals.len())];
            let whole: i64 = rest[..len].parse().ok().filter(|number| *number <= MAX_SECONDS)?;
            let thousandths =
                decimals.bytes().chain(*b"000").take(3).fold(0, |sum, byte| 10 * sum + i64::from(byte - b'0'));
            tokens.push(Token::Number(1000 * whole + thousandths));
            len + if decimals.is_empty() { 0 } else { 1 + decimals.len() }
        } else if first.is_alphabetic() {
            let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..len].to_owned()));
            len
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Sign(match first {
                    '–' | '−' | '—' => '-',
                    '|' | '&' => '+',
                    other => other,
                }));
            }
            first.len_utf8()
        };
        rest = &rest[len..];
    }
    Some(tokens)
}

/// The periods that are read, and what is known of the next one.
#[derive(Default)]
struct Reading {
    periods: Vec<Period>,
    /// The moves of the next period, before its duration is read.
    moves: Option<NonZeroU32>,
    increment: Option<i64>,
    delay: Option<i64>,
}

impl Reading {
    /// Adds a duration, or the moves for which the one before it is.
    fn add_moves(&mut self, moves: i64, behind_duration: bool) -> Option<()> {
        let moves = NonZeroU32::new(u32::try_from(moves).ok()?)?;
        match self.periods.last_mut().filter(|last| behind_duration && last.moves.is_none()) {
            Some(last) => last.moves = Some(moves),
            None => self.moves = Some(moves),
        }
        Some(())
    }

    fn add_time(&mut self, time: i64) {
        self.periods.push(Period { moves: self.moves.take(), time, increment: 0, delay: 0 });
    }
}

/// Reads a text in words; `None` if it is no time control.
pub(super) fn read(text: &str) -> Option<Said> {
    if text.len() > MAX_LEN {
        return None;
    }
    let tokens = tokens(text)?;
    let mut said = Said {
        hourglass: text.trim_start().starts_with('*')
            || tokens.iter().any(|token| token.is_in("hourglass sandclock sandglass sanduhr")),
        usual: KINDS
            .iter()
            .find(|(_, words)| tokens.iter().any(|token| token.is_in(words)))
            .map(|(seconds, _)| *seconds),
        ..Said::default()
    };
    // Without one of these, numbers are no time control.
    let mut is_control = said.hourglass || said.usual.is_some() || text.contains('|');
    let mut reading = Reading::default();
    let mut at = 0;
    let get = |at: usize| tokens.get(at);
    while at < tokens.len() {
        let before = at.checked_sub(1).and_then(get);
        let is_before = |list: &str| before.is_some_and(|token| token.is_in(list));
        let Token::Number(number) = tokens[at] else {
            let word = &tokens[at];
            is_control |= word.is_in("g sd");
            // "moves 1-40", "until move 40", "from move 61"
            if word.is_in(MOVES)
                && let Some(&Token::Number(first)) = get(at + 1)
            {
                match (get(at + 2), get(at + 3)) {
                    (Some(Token::Sign('-')), Some(&Token::Number(last))) => {
                        reading.add_moves((last - first) / 1000 + 1, false)?;
                        at += 2;
                    }
                    _ if is_before(UNTIL) => reading.add_moves(first / 1000, true)?,
                    _ => (),
                }
                at += 1;
            }
            at += 1;
            continue;
        };
        let is_plus = is_before("+") || is_before("plus") || is_before("and") || is_before("with");
        let is_delay = is_before("d") || is_before(DELAYS);
        let is_increment = is_before(INCREMENTS);
        at += 1;
        // 40 moves; 40/…
        if get(at).is_some_and(|token| token.is_in(MOVES)) {
            // "moves" of the next words: "40 moves in 90 minutes", "90 minutes for 40 moves"
            let behind = !get(at + 1).is_some_and(|token| token.is_in("in / : within"));
            let behind = behind && !reading.periods.is_empty();
            reading.add_moves(number / 1000, behind)?;
            at += 1;
            continue;
        }
        let unit = get(at).and_then(|token| UNITS.iter().find(|(_, names)| token.is_in(names)));
        // "90 d5" has a delay
        let has_delay = get(at).is_some_and(|token| token.is_in("d")) && matches!(get(at + 1), Some(Token::Number(_)));
        let unit = unit.filter(|_| !has_delay);
        let Some((unit, _)) = unit else {
            if get(at) == Some(&Token::Sign('/')) && !is_plus && matches!(get(at + 1), Some(Token::Number(_))) {
                reading.add_moves(number / 1000, false)?;
                at += 1;
                continue;
            }
            // "2h/40": the moves behind a duration
            let divided = if at > 2 && is_before("/") { get(at - 3) } else { None };
            if divided.is_some_and(|token| UNITS.iter().any(|(_, names)| token.is_in(names))) {
                reading.add_moves(number / 1000, true)?;
                continue;
            }
            if is_delay {
                reading.delay = Some(number);
            } else if is_increment || is_plus && !reading.periods.is_empty() {
                reading.increment = Some(number);
            } else {
                reading.add_time(number * 60);
            }
            continue;
        };
        is_control = true;
        let mut time = duration(number, *unit)?;
        at += 1;
        if let Some(Token::Sign('.')) = get(at) {
            at += 1; // "min."
        }
        // "1h30", "1 hour 30 minutes", "1 h and 30 min"
        let skip = usize::from(*unit == HOUR && get(at).is_some_and(|token| token.is_in("and und et y")));
        if *unit == HOUR
            && let Some(&Token::Number(minutes)) = get(at + skip)
            && !get(at + skip + 1).is_some_and(|token| token.is_in("/ h hr hrs hour hours") || token.is_in(MOVES))
            && (get(at + skip + 1).is_some_and(|token| token.is_in(UNITS[1].1)) || skip == 0)
            && !get(at + skip + 1).is_some_and(|token| token.is_in(UNITS[2].1))
        {
            let named = get(at + skip + 1).is_some_and(|token| token.is_in(UNITS[1].1));
            time += duration(minutes, MINUTE)?;
            at += skip + 1 + usize::from(named);
        }
        // "/move", "per move", "for each move"; but "/40 moves" is of a period
        let mut next = at;
        while get(next).is_some_and(|token| token.is_in(EACH)) {
            next += 1;
        }
        let per_move = next > at && get(next).is_some_and(|token| token.is_in(MOVES));
        let is_increment = is_increment || per_move || get(at).is_some_and(|token| token.is_in(INCREMENTS));
        if is_delay || get(at).is_some_and(|token| token.is_in(DELAYS)) {
            reading.delay = Some(time);
        } else if is_increment || *unit == SECOND && !reading.periods.is_empty() {
            reading.increment = Some(time);
        } else {
            reading.add_time(time);
        }
        if per_move {
            at = next + 1;
        }
    }
    let mut periods = reading.periods;
    if periods.is_empty() && (reading.increment.is_some() || reading.delay.is_some()) {
        periods.push(Period { moves: None, time: 0, increment: 0, delay: 0 });
    }
    for period in &mut periods {
        (period.increment, period.delay) = (reading.increment.unwrap_or(0), reading.delay.unwrap_or(0));
    }
    said.periods = periods;
    is_control.then_some(said).filter(|said| said.usual.is_some() || !said.periods.is_empty())
}

/// Thousandths of a unit in milliseconds.
fn duration(number: i64, unit: i64) -> Option<i64> {
    Some(number.checked_mul(unit)? / 1000).filter(|time| *time <= 1000 * MAX_SECONDS)
}
