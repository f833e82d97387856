//! The grammar of conditions: words come in, expressions go out.
//!
//! ```text
//! any  = all { "or" all }
//! all  = one { "and" one }
//! one  = "not" one | "(" any ")" | word test
//! test = ( "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" ) value | [ "not" ] "in" "(" value { "," value } ")"
//! ```

use chess_core::GameResult;
use chess_core::board::fen;
use chess_core::facts::openings;
use chess_core::search::finder::{Finder, Matching};
use chess_core::search::material::Material;
use chess_core::search::pattern::Pattern;
use chess_core::text::dates::days;
use chess_core::text::time_control::SPEEDS;
use chess_core::text::write_pgn::is_tag_name;

use super::cursor::{Cursor, Value};
use super::expression::{Expression, Term};
use super::fault::Fault;
use super::test::{Likeness, Order, Test, order};
use super::words::{Scale, TAG, Text, WORDS, Word, codes};

/// Parentheses and `not` may be nested this deep. The parser is recursive, so an endless nesting would exhaust the stack.
const NESTING: usize = 64;

/// Reads a condition.
pub struct Parser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Parser<'a> {
        Parser { cursor: Cursor::new(text), depth: 0 }
    }

    /// What was read from a word on.
    pub fn written_from(&self, word: usize) -> String {
        self.cursor.written_from(word)
    }

    /// All parts of the condition that must hold.
    pub fn terms(&mut self) -> Result<Vec<Term>, Fault> {
        let mut terms = Vec::new();
        loop {
            let from = self.cursor.words();
            let expression = self.one()?;
            terms.push(Term { text: self.written_from(from), expression });
            if !self.cursor.keyword("and") {
                break;
            }
        }
        if self.cursor.keyword("or") {
            let all = terms.drain(..).map(|term| term.expression).collect();
            let mut parts = vec![Expression::All(all)];
            self.alternatives(&mut parts)?;
            terms.push(Term { text: self.written_from(0), expression: Expression::Any(parts) });
        }
        if self.cursor.is_at_end() {
            return Ok(terms);
        }
        let next = self.cursor.next_shown();
        let fault = self.cursor.fault(format!("expected \"and\", \"or\" or the end, found {next}"));
        Err(fault.hint("values with blanks, commas or parentheses stand in quotes"))
    }

    fn any(&mut self) -> Result<Expression, Fault> {
        let mut parts = vec![self.all()?];
        if self.cursor.keyword("or") {
            self.alternatives(&mut parts)?;
        }
        Ok(Expression::Any(parts))
    }

    /// What follows the first `or`.
    fn alternatives(&mut self, parts: &mut Vec<Expression>) -> Result<(), Fault> {
        loop {
            parts.push(self.all()?);
            if !self.cursor.keyword("or") {
                return Ok(());
            }
        }
    }

    fn all(&mut self) -> Result<Expression, Fault> {
        let mut parts = vec![self.one()?];
        while self.cursor.keyword("and") {
            parts.push(self.one()?);
        }
        Ok(Expression::All(parts))
    }

    fn one(&mut self) -> Result<Expression, Fault> {
        self.depth += 1;
        if self.depth > NESTING {
            return Err(self.cursor.fault(format!("more than {NESTING} parentheses inside each other")));
        }
        let read = if self.cursor.keyword("not") {
            Expression::Not(Box::new(self.one()?))
        } else if self.cursor.sign('(') {
            let inner = self.any()?;
            self.close()?;
            inner
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(read)
    }

    fn close(&mut self) -> Result<(), Fault> {
        if self.cursor.sign(')') {
            return Ok(());
        }
        let next = self.cursor.next_shown();
        Err(self.cursor.fault(format!("expected \")\", found {next}")))
    }

    fn test(&mut self) -> Result<Expression, Fault> {
        let at = self.cursor.place();
        let Some(name) = self.cursor.name() else {
            let next = self.cursor.next_shown();
            return Err(self.cursor.fault(format!("expected a condition, found {next}")).hint(known_words()));
        };
        let word = self.word(name, at)?;
        let turned = self.cursor.keyword("not");
        if turned || self.cursor.keyword("in") {
            if turned && !self.cursor.keyword("in") {
                return Err(self.cursor.fault("expected \"in\" after \"not\""));
            }
            if !self.cursor.sign('(') {
                return Err(self.cursor.fault("expected a list in parentheses after \"in\""));
            }
            let mut values = Vec::new();
            loop {
                let value = self.cursor.value()?;
                values.push(self.compared(name, &word, "=", &value)?);
                if !self.cursor.sign(',') {
                    break;
                }
            }
            self.close()?;
            return Ok(turned_if(turned, Expression::Any(values)));
        }
        let at = self.cursor.place();
        let Some(sign) = self.cursor.comparison() else {
            let next = self.cursor.next_shown();
            let fault = self.cursor.fault(format!("expected a comparison of \"{name}\", found {next}"));
            return Err(fault.hint(format!("\"{name}\" is compared by {}", signs(&word))));
        };
        let (sign, turned) = match sign {
            "!=" | "<>" => ("=", true),
            "==" => ("=", false),
            sign => (sign, false),
        };
        if !signs(&word).split_ascii_whitespace().any(|known| known == sign) {
            let reason = format!("\"{name}\" is not compared by \"{sign}\", but by {}", signs(&word));
            return Err(self.cursor.fault_at(at, reason));
        }
        let value = self.cursor.value()?;
        let test = self.compared(name, &word, sign, &value)?;
        Ok(turned_if(turned, test))
    }

    /// What a name means.
    fn word(&self, name: &str, at: usize) -> Result<Word, Fault> {
        if let Some((_, word)) = WORDS.iter().find(|(known, _)| *known == name) {
            return Ok(word.clone());
        }
        if let Some(tag) = name.strip_prefix(TAG).filter(|tag| is_tag_name(tag)) {
            return Ok(Word::Text(Text::Tag(tag.to_owned())));
        }
        let lower = name.to_ascii_lowercase();
        let near = WORDS.iter().map(|(known, _)| (strsim::osa_distance(known, &lower), *known)).min();
        let near = near.filter(|(distance, _)| *distance <= 2).map(|(_, known)| format!("; \"{known}\" is"));
        let reason = format!("\"{name}\" is not a word of conditions{}", near.unwrap_or_default());
        Err(self.cursor.fault_at(at, reason).hint(known_words()))
    }

    /// The test of a word and a value.
    fn compared(&self, name: &str, word: &Word, sign: &str, value: &Value<'_>) -> Result<Expression, Fault> {
        let text = value.text.trim();
        let wrong = |what: &str| self.cursor.fault_at(value.at, format!("\"{text}\" is not {what}"));
        let is_unknown = text == "unknown" && !value.is_quoted && sign == "=";
        let test = match word {
            Word::Scale(scale) if is_unknown => Test::ScaleUnknown(*scale),
            Word::Text(of) if is_unknown => Test::TextUnknown(of.clone()),
            Word::Opening if is_unknown => Test::OpeningUnknown,
            Word::Scale(scale) => {
                let range = range(*scale, text).map_err(|what| wrong(&what))?;
                Test::Scale(*scale, order(sign).unwrap_or(Order::Is), range)
            }
            Word::Text(of) => Test::Text(
                of.clone(),
                match sign {
                    "~" => Likeness::Has(text.to_lowercase()),
                    _ => Likeness::Is(value.text.clone().into_owned()),
                },
            ),
            Word::Result => match GameResult::from_token(text) {
                Some(result) => Test::Result(result),
                None => return Err(wrong("a result: 1-0, 0-1, 1/2-1/2 or *")),
            },
            Word::Variant => match text {
                "standard" => Test::Chess960(false),
                "chess960" => Test::Chess960(true),
                _ => return Err(wrong("a variant: standard or chess960")),
            },
            Word::Opening if sign == "~" => Test::OpeningHas(text.to_lowercase()),
            Word::Opening if openings::is_name(text) => Test::Opening(text.to_lowercase()),
            Word::Opening => return Err(wrong("how the name of an opening begins").hint("~ finds parts of names")),
            Word::Position => match fen::read(text) {
                Ok(board) => Test::Position(Finder::new(&board, Matching::Position)),
                Err(error) => return Err(wrong("a FEN").hint(error.to_string())),
            },
            Word::Material => match Material::read(text) {
                Some(material) if material.has_kings() => Test::Material(material),
                Some(_) => return Err(wrong("material: each side has its king, a K, as in KRPvKR")),
                None => return Err(wrong("material, such as KRPvKR")),
            },
            Word::Pattern => match Pattern::read(text) {
                Ok(pattern) => Test::Pattern(Box::new(pattern.matcher())),
                Err(error) => {
                    let hint = error.hint.as_deref().map(|hint| format!("\n{hint}")).unwrap_or_default();
                    let fault = self.cursor.fault_at(value.at, format!("the value of \"{name}\": {}", error.reason));
                    return Err(
                        fault.hint(format!("in the pattern, at character {}:\n{}{hint}", error.at, error.excerpt))
                    );
                }
            },
        };
        Ok(Expression::Test(test))
    }
}

fn turned_if(turned: bool, expression: Expression) -> Expression {
    if turned { Expression::Not(Box::new(expression)) } else { expression }
}

/// The signs that compare a word with a value.
fn signs(word: &Word) -> &'static str {
    match word {
        Word::Scale(_) => "= != < <= > >= in",
        Word::Text(_) | Word::Opening => "= != ~ in",
        Word::Result | Word::Variant | Word::Position | Word::Material | Word::Pattern => "= != in",
    }
}

fn known_words() -> String {
    let names: Vec<&str> = WORDS.iter().map(|(name, _)| *name).collect();
    format!("known words: {}, and {TAG}NAME for any tag", names.join(", "))
}

/// The values that a text means, or what it should be.
fn range(scale: Scale, text: &str) -> Result<(i64, i64), String> {
    let (range, what) = match scale {
        Scale::Date => (date(text), "a day, a month or a year: 2015-03-28, 2015-03, 2015".to_owned()),
        Scale::Speed => {
            let names = &SPEEDS[..SPEEDS.len() - 1];
            let place = names.iter().position(|name| *name == text);
            (place.map(|place| (place as i64, place as i64 + 1)), format!("a speed: {}", names.join(", ")))
        }
        Scale::Eco => {
            let what = "a code of an opening or its beginning: B90, B9 or B".to_owned();
            (codes(text).filter(|_| text.len() <= 3 && text[1..].bytes().all(|found| found.is_ascii_digit())), what)
        }
        _ => {
            let number: Option<i64> = text.parse::<i32>().ok().map(i64::from);
            (number.map(|number| (number, number + 1)), "a whole number".to_owned())
        }
    };
    range.ok_or(what)
}

/// The days of a date with the month behind the year, and the day behind that.
fn date(text: &str) -> Option<(i64, i64)> {
    let digits: Vec<usize> = text.split(['-', '.']).map(|part| part.len()).collect();
    let is_date = matches!(digits[..], [4] | [4, 2] | [4, 2, 2])
        && text.bytes().all(|found| found.is_ascii_digit() || matches!(found, b'-' | b'.'));
    days(text).filter(|_| is_date).map(|days| (days.first.into(), days.end.into()))
}
