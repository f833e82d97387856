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

const MINUTES: &str = "m min mins minute minutes minuten minuto minutos minuti minuut мин минут минуты '";
const SECONDS: &str =
    "s sec secs second seconds sek sekunde sekunden segundo segundos seconde secondes secondi seconden сек \"";
/// Units, separated by blanks, and their milliseconds.
const UNITS: [(i64, &str); 4] = [
    (HOUR, "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur ч час часа часов"),
    (MINUTE, MINUTES),
    (SECOND, SECONDS),
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

/// The tokens from the place of reading on, the periods that were read, and what is known of the next one.
struct Reading<'a> {
    tokens: &'a [Token],
    at: usize,
    /// Whether a word or a sign tells that the numbers are a time control.
    is_control: bool,
    periods: Vec<Period>,
    /// The moves of the next period, before its duration is read.
    moves: Option<NonZeroU32>,
    increment: Option<i64>,
    delay: Option<i64>,
}

/// What stands before a number.
#[derive(Clone, Copy)]
struct Before {
    plus: bool,
    delay: bool,
    increment: bool,
    slash: bool,
}

impl Reading<'_> {
    /// The token `ahead` of the place of reading.
    fn get(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn number(&self, ahead: usize) -> Option<i64> {
        if let Some(Token::Number(number)) = self.get(ahead) { Some(*number) } else { None }
    }

    fn is(&self, ahead: usize, list: &str) -> bool {
        self.get(ahead).is_some_and(|token| token.is_in(list))
    }

    fn is_before(&self, list: &str) -> bool {
        self.at.checked_sub(1).is_some_and(|before| self.tokens[before].is_in(list))
    }

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

    /// Reads a word or a sign, and the numbers of moves behind "moves". `None` if a number is beyond the limits, as from the
    /// functions below.
    fn read_word(&mut self) -> Option<()> {
        self.is_control |= self.is(0, "g sd");
        // "moves 1-40", "until move 40", "from move 61"
        if self.is(0, MOVES)
            && let Some(first) = self.number(1)
        {
            match (self.get(2), self.number(3)) {
                (Some(Token::Sign('-')), Some(last)) => {
                    self.add_moves((last - first) / 1000 + 1, false)?;
                    self.at += 2;
                }
                _ if self.is_before(UNTIL) => self.add_moves(first / 1000, true)?,
                _ => (),
            }
            self.at += 1;
        }
        self.at += 1;
        Some(())
    }

    /// Reads a number and what belongs to it.
    fn read_number(&mut self, number: i64) -> Option<()> {
        let before = Before {
            plus: self.is_before("+ plus and with"),
            delay: self.is_before("d") || self.is_before(DELAYS),
            increment: self.is_before(INCREMENTS),
            slash: self.is_before("/"),
        };
        self.at += 1;
        // 40 moves; 40/…
        if self.is(0, MOVES) {
            // "moves" of the next words: "40 moves in 90 minutes", "90 minutes for 40 moves"
            let behind = !self.is(1, "in / : within") && !self.periods.is_empty();
            self.add_moves(number / 1000, behind)?;
            self.at += 1;
            return Some(());
        }
        // "90 d5" has a delay
        let has_delay = self.is(0, "d") && self.number(1).is_some();
        let unit = UNITS.iter().find(|(_, names)| !has_delay && self.is(0, names));
        match unit {
            Some((unit, _)) => self.read_duration(number, *unit, before),
            None => self.read_without_unit(number, before),
        }
    }

    /// Reads a number of moves, a delay, an increment or minutes.
    fn read_without_unit(&mut self, number: i64, before: Before) -> Option<()> {
        if self.get(0) == Some(&Token::Sign('/')) && !before.plus && self.number(1).is_some() {
            self.add_moves(number / 1000, false)?;
            self.at += 1;
            return Some(());
        }
        // "2h/40": the moves behind a duration
        let divided = self.at.checked_sub(3).filter(|_| before.slash).map(|at| &self.tokens[at]);
        if divided.is_some_and(|token| UNITS.iter().any(|(_, names)| token.is_in(names))) {
            return self.add_moves(number / 1000, true);
        }
        if before.delay {
            self.delay = Some(number);
        } else if before.increment || before.plus && !self.periods.is_empty() {
            self.increment = Some(number);
        } else {
            self.add_time(number * 60);
        }
        Some(())
    }

    /// Reads the rest of a duration from its unit on: a period, an increment or a delay.
    fn read_duration(&mut self, number: i64, unit: i64, before: Before) -> Option<()> {
        self.is_control = true;
        let mut time = duration(number, unit)?;
        self.at += 1;
        if self.get(0) == Some(&Token::Sign('.')) {
            self.at += 1; // "min."
        }
        if unit == HOUR {
            time += self.read_minutes()?;
        }
        // "/move", "per move", "for each move"; but "/40 moves" is of a period
        let each = self.tokens[self.at..].iter().take_while(|token| token.is_in(EACH)).count();
        let per_move = each > 0 && self.is(each, MOVES);
        if before.delay || self.is(0, DELAYS) {
            self.delay = Some(time);
        } else if before.increment || per_move || self.is(0, INCREMENTS) || unit == SECOND && !self.periods.is_empty() {
            self.increment = Some(time);
        } else {
            self.add_time(time);
        }
        if per_move {
            self.at += each + 1;
        }
        Some(())
    }

    /// Reads the minutes behind hours, of "1h30", "1 hour 30 minutes", "1 h and 30 min", in milliseconds; 0 if there are none.
    fn read_minutes(&mut self) -> Option<i64> {
        let skip = usize::from(self.is(0, "and und et y"));
        let Some(minutes) = self.number(skip) else { return Some(0) };
        let is_named = self.is(skip + 1, MINUTES);
        let is_another =
            self.is(skip + 1, "/ h hr hrs hour hours") || self.is(skip + 1, MOVES) || self.is(skip + 1, SECONDS);
        if is_another || skip > 0 && !is_named {
            return Some(0);
        }
        self.at += skip + 1 + usize::from(is_named);
        duration(minutes, MINUTE)
    }

    /// The periods, all with the increment and the delay.
    fn periods(mut self) -> Vec<Period> {
        if self.periods.is_empty() && (self.increment.is_some() || self.delay.is_some()) {
            self.periods.push(Period { moves: None, time: 0, increment: 0, delay: 0 });
        }
        for period in &mut self.periods {
            (period.increment, period.delay) = (self.increment.unwrap_or(0), self.delay.unwrap_or(0));
        }
        self.periods
    }
}

/// Reads a text in words; `None` if it is no time control.
pub(super) fn read(text: &str) -> Option<Said> {
    let tokens = tokens(text)?;
    let has = |list: &str| tokens.iter().any(|token| token.is_in(list));
    let hourglass = text.trim_start().starts_with('*') || has("hourglass sandclock sandglass sanduhr");
    let usual = KINDS.iter().find(|(_, words)| has(words)).map(|(seconds, _)| *seconds);
    let mut reading = Reading {
        tokens: &tokens,
        at: 0,
        // Without one of these, numbers are no time control.
        is_control: hourglass || usual.is_some() || text.contains('|'),
        periods: Vec::new(),
        moves: None,
        increment: None,
        delay: None,
    };
    while reading.at < tokens.len() {
        match reading.number(0) {
            Some(number) => reading.read_number(number)?,
            None => reading.read_word()?,
        }
    }
    let is_control = reading.is_control;
    let periods = reading.periods();
    (is_control && (usual.is_some() || !periods.is_empty())).then_some(Said { periods, hourglass, usual })
}

/// Thousandths of a unit in milliseconds.
fn duration(number: i64, unit: i64) -> Option<i64> {
    Some(number.checked_mul(unit)? / 1000).filter(|time| *time <= 1000 * MAX_SECONDS)
}
