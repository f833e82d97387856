//! Parses a pattern's text to its tree: recursive descent, one function a level of precedence. Types are checked on the
//! way, so that every error knows its place. Transforms are expanded later, all together; the tree comes with their
//! places.

use super::error::{Fault, limits};
use super::lex::{is_joining, tokens};
use super::token::Token;
use super::tree::{
    Comparison, Condition, Function, Line, Link, Number, Range, Reach, Right, Set, State, Timed, Transform,
};
use crate::pause;

/// A part of a pattern, by its type.
enum Part {
    Set(Set),
    Number(Number),
    Range(Range),
    Condition(Condition),
    Timed(Timed),
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
    depth: usize,
    steps: usize,
    transforms: Vec<usize>,
}

/// A tree, and the places of its transforms in the order of their ends.
pub struct Parsed<T> {
    pub tree: T,
    pub transforms: Vec<usize>,
}

/// The tree of a pattern that is a condition, or takes time.
pub fn pattern(text: &str) -> Result<Parsed<Timed>, Fault> {
    let (mut parser, part, at) = whole(text)?;
    Ok(Parsed { tree: parser.timed(part, at)?, transforms: parser.transforms })
}

/// The tree of a set of squares.
pub fn set(text: &str) -> Result<Parsed<Set>, Fault> {
    let (mut parser, part, at) = whole(text)?;
    Ok(Parsed { tree: parser.set(part, at)?, transforms: parser.transforms })
}

fn whole(text: &str) -> Result<(Parser, Part, usize), Fault> {
    if text.len() > limits::SPELLING {
        return Err(Fault::too_long(text, "the text", text.len()));
    }
    if let Some(at) = text.bytes().position(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
        return Err(Fault::new(at, "a control character"));
    }
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0, steps: 0, transforms: Vec::new() };
    let at = parser.at();
    if *parser.peek() == Token::End {
        return Err(Fault::new(at, "the pattern is empty"));
    }
    let part = parser.sequence()?;
    match parser.peek() {
        Token::End => Ok((parser, part, at)),
        Token::Sign(")") => Err(Fault::new(parser.at(), "no parenthesis is open here")),
        _ => Err(Fault::new(parser.at(), "the pattern should end here")),
    }
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |(_, at)| *at)
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        pause::count(1);
        token
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(known) if known == word);
        self.next += usize::from(found);
        found
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(known) if *known == sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Fault> {
        if self.take_sign(sign) { Ok(()) } else { Err(Fault::new(self.at(), format!("\"{sign}\" expected"))) }
    }

    /// Reads what is written inside something of its own sort.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Parser) -> Result<T, Fault>) -> Result<T, Fault> {
        self.depth += 1;
        if self.depth > limits::NESTING {
            let reason = format!("more than {} parts inside each other", limits::NESTING);
            return Err(Fault::too_complex(self.at(), reason));
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn step(&mut self, at: usize) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps <= limits::STEPS {
            return Ok(());
        }
        Err(Fault::too_complex(at, format!("more than {} steps in time", limits::STEPS)))
    }

    // Types.

    fn condition(&mut self, part: Part, at: usize) -> Result<Condition, Fault> {
        match part {
            Part::Condition(condition) => Ok(condition),
            Part::Set(set) if set.fixed().is_some_and(|squares| squares != 0) => {
                Err(Fault::new(at, "a square alone is always there")
                    .hint("Name a piece, as in Nd5 or [b]2; a pawn's move is P-e4."))
            }
            Part::Set(set) => Ok(Condition::Some(set)),
            Part::Timed(Timed::Moment(condition)) => Ok(condition),
            Part::Timed(_) => Err(Fault::new(at, "a condition of one moment expected, not of several half-moves")
                .hint("Say of which step it holds, as in Nd5 then (Nd4 and Ke1).")),
            Part::Number(_) | Part::Range(_) => {
                Err(Fault::new(at, "a comparison expected, not a number alone").hint("As in P = 5."))
            }
        }
    }

    fn timed(&mut self, part: Part, at: usize) -> Result<Timed, Fault> {
        match part {
            Part::Timed(timed) => Ok(timed),
            part => Ok(Timed::Moment(self.condition(part, at)?)),
        }
    }

    fn set(&mut self, part: Part, at: usize) -> Result<Set, Fault> {
        match part {
            Part::Set(set) => Ok(set),
            Part::Condition(Condition::Move(_)) => Err(Fault::new(at, "pieces or squares expected, not a move")),
            _ => Err(Fault::new(at, "pieces or squares expected")),
        }
    }

    fn number(&mut self, part: Part, at: usize) -> Result<Number, Fault> {
        match part {
            Part::Number(number) => Ok(number),
            // `e8=Q` would compare the number of squares, 1, with that of queens.
            Part::Set(Set::Pieces(designator)) if designator.is_one_square() => {
                Err(Fault::new(at, "a square alone is always there")
                    .hint("A piece on a square is Qe8, a promotion there P-e8=Q or p-e1=q."))
            }
            Part::Set(set) => Ok(Number::Count(Box::new(set))),
            Part::Condition(Condition::Move(_)) => Err(Fault::new(at, "a number expected, not a move")
                .hint("What a pawn becomes is written without blanks, as in P-e8=Q.")),
            Part::Range(_) => Err(Fault::new(at, "a range stands alone behind = or <>")),
            _ => Err(Fault::new(at, "a number expected")),
        }
    }

    // Levels, from the weakest.

    fn sequence(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        let left = self.either()?;
        if !matches!(self.peek(), Token::Word(word) if word == "then" || word == "directly") {
            return Ok(left);
        }
        let (first, mut rest) = match self.timed(left, at)? {
            Timed::Sequence(first, rest) => (first, rest),
            first => (Box::new(first), Vec::new()),
        };
        self.step(at)?;
        loop {
            let after = if self.take_word("directly") {
                Range { from: 1, to: Some(1) }
            } else if self.take_word("then") {
                self.after()?
            } else {
                return Ok(Part::Timed(Timed::Sequence(first, rest)));
            };
            let while_ = if self.take_word("while") {
                let at = self.at();
                let part = self.negation()?;
                Some(self.condition(part, at)?)
            } else {
                None
            };
            let at = self.at();
            self.step(at)?;
            let part = self.either()?;
            rest.push((Link { after, while_ }, self.timed(part, at)?));
        }
    }

    /// How much later, behind `then`.
    fn after(&mut self) -> Result<Range, Fault> {
        let at = self.at();
        let range = if self.take_word("within") {
            Range { from: 1, to: Some(self.half_moves()?) }
        } else {
            let range = match *self.peek() {
                Token::Number(n) => Range { from: n, to: Some(n) },
                Token::Range(range) => range,
                _ => return Ok(Range { from: 1, to: None }),
            };
            self.next += 1;
            range
        };
        if range.from < 1 {
            return Err(Fault::new(at, "a later half-move expected, so 1 or more"));
        }
        if range.to.unwrap_or(range.from) > limits::HALF_MOVES {
            return Err(Fault::too_complex(at, format!("more than {} half-moves", limits::HALF_MOVES)));
        }
        Ok(range)
    }

    fn half_moves(&mut self) -> Result<u32, Fault> {
        let at = self.at();
        match self.take() {
            Token::Number(n) if n > limits::HALF_MOVES => {
                Err(Fault::too_complex(at, format!("more than {} half-moves", limits::HALF_MOVES)))
            }
            Token::Number(n) if n > 0 => Ok(n),
            Token::Number(_) => Err(Fault::new(at, "1 or more expected")),
            _ => Err(Fault::new(at, "a number of half-moves expected")),
        }
    }

    fn either(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        let first = self.lasting()?;
        if !matches!(self.peek(), Token::Word(word) if word == "or") {
            return Ok(first);
        }
        let mut parts = vec![self.timed(first, at)?];
        while self.take_word("or") {
            let at = self.at();
            let part = self.lasting()?;
            parts.push(self.timed(part, at)?);
        }
        if parts.iter().all(|part| matches!(part, Timed::Moment(_))) {
            let mut conditions = Vec::new();
            for part in parts {
                match part {
                    Timed::Moment(Condition::Any(more)) => conditions.extend(more),
                    Timed::Moment(condition) => conditions.push(condition),
                    _ => {}
                }
            }
            return Ok(Part::Condition(Condition::Any(conditions)));
        }
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Timed::Any(more) => flat.extend(more),
                Timed::Moment(Condition::Any(more)) => flat.extend(more.into_iter().map(Timed::Moment)),
                part => flat.push(part),
            }
        }
        Ok(Part::Timed(Timed::Any(flat)))
    }

    fn lasting(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        let part = self.both()?;
        if !self.take_word("for") {
            return Ok(part);
        }
        if matches!(part, Part::Timed(_)) {
            return Err(Fault::new(at, "only a condition of one moment can last"));
        }
        let condition = self.condition(part, at)?;
        let half_moves = self.half_moves()?;
        if self.take_word("for") {
            return Err(Fault::new(at, "only a condition of one moment can last"));
        }
        self.step(at)?;
        Ok(Part::Timed(Timed::For(condition, half_moves)))
    }

    fn begins(&self) -> bool {
        match self.peek() {
            Token::End => false,
            Token::Sign(sign) => matches!(*sign, "(" | "~"),
            Token::Word(word) => word == "not" || !is_joining(word),
            _ => true,
        }
    }

    fn both(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        let first = self.negation()?;
        let goes_on = |parser: &Parser| matches!(parser.peek(), Token::Word(word) if word == "and") || parser.begins();
        if !goes_on(self) {
            return Ok(first);
        }
        let mut conditions = Vec::new();
        let mut part = (first, at);
        loop {
            match self.condition(part.0, part.1)? {
                Condition::All(more) => conditions.extend(more),
                condition => conditions.push(condition),
            }
            if !goes_on(self) {
                return Ok(Part::Condition(Condition::All(conditions)));
            }
            self.take_word("and");
            let at = self.at();
            part = (self.negation()?, at);
        }
    }

    fn negation(&mut self) -> Result<Part, Fault> {
        if !self.take_word("not") {
            return self.comparison();
        }
        self.inside(|parser| {
            let at = parser.at();
            let part = parser.negation()?;
            if matches!(part, Part::Timed(_)) {
                return Err(Fault::new(at, "only a condition of one moment can be negated")
                    .hint("That a game never shows something is said outside: NOT game @@ '...'."));
            }
            Ok(Part::Condition(Condition::Not(Box::new(parser.condition(part, at)?))))
        })
    }

    fn comparison(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        let left = self.sum()?;
        let comparison = match self.peek() {
            Token::Sign("=") => Comparison::Equal,
            Token::Sign("<>") => Comparison::Unequal,
            Token::Sign("<") => Comparison::Less,
            Token::Sign("<=") => Comparison::AtMost,
            Token::Sign(">") => Comparison::Greater,
            Token::Sign(">=") => Comparison::AtLeast,
            _ => return Ok(left),
        };
        self.next += 1;
        let left = self.number(left, at)?;
        let at = self.at();
        let right = match self.sum()? {
            Part::Range(range) if matches!(comparison, Comparison::Equal | Comparison::Unequal) => Right::Range(range),
            Part::Range(_) => return Err(Fault::new(at, "a range can only be compared by = and <>")),
            part => Right::Number(self.number(part, at)?),
        };
        Ok(Part::Condition(Condition::Compare(comparison, left, right)))
    }

    fn sum(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        let first = self.relation()?;
        if !matches!(self.peek(), Token::Sign("+")) {
            return Ok(first);
        }
        let mut numbers = Vec::new();
        let mut part = (first, at);
        loop {
            match self.number(part.0, part.1)? {
                Number::Sum(more) => numbers.extend(more),
                number => numbers.push(number),
            }
            if !self.take_sign("+") {
                return Ok(Part::Number(Number::Sum(numbers)));
            }
            let at = self.at();
            part = (self.relation()?, at);
        }
    }

    fn relation(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        let left = self.union()?;
        let attacks = match self.peek() {
            Token::Word(word) if word == "attacks" => true,
            Token::Word(word) if word == "attackedby" => false,
            _ => return Ok(left),
        };
        self.next += 1;
        let left = Box::new(self.set(left, at)?);
        let at = self.at();
        let right = self.union()?;
        let right = Box::new(self.set(right, at)?);
        if matches!(self.peek(), Token::Word(word) if word == "attacks" || word == "attackedby") {
            return Err(Fault::new(self.at(), "parentheses expected around one of the relations"));
        }
        Ok(Part::Set(if attacks { Set::Attacks(left, right) } else { Set::AttackedBy(left, right) }))
    }

    /// Sets joined by a sign.
    fn sets(
        &mut self,
        sign: &str,
        read: fn(&mut Parser) -> Result<Part, Fault>,
        join: fn(Vec<Set>) -> Set,
        parts: fn(Set) -> Result<Vec<Set>, Set>,
    ) -> Result<Part, Fault> {
        let at = self.at();
        let first = read(self)?;
        if !matches!(self.peek(), Token::Sign(known) if *known == sign) {
            return Ok(first);
        }
        let mut sets = Vec::new();
        let mut part = (first, at);
        loop {
            match parts(self.set(part.0, part.1)?) {
                Ok(more) => sets.extend(more),
                Err(set) => sets.push(set),
            }
            if !self.take_sign(sign) {
                return Ok(Part::Set(join(sets)));
            }
            let at = self.at();
            part = (read(self)?, at);
        }
    }

    fn union(&mut self) -> Result<Part, Fault> {
        self.sets("|", Parser::cut, Set::Union, |set| match set {
            Set::Union(sets) => Ok(sets),
            set => Err(set),
        })
    }

    fn cut(&mut self) -> Result<Part, Fault> {
        self.sets("&", Parser::inverse, Set::Cut, |set| match set {
            Set::Cut(sets) => Ok(sets),
            set => Err(set),
        })
    }

    fn inverse(&mut self) -> Result<Part, Fault> {
        if !self.take_sign("~") {
            return self.primary();
        }
        self.inside(|parser| {
            let at = parser.at();
            let part = parser.inverse()?;
            Ok(Part::Set(Set::Inverse(Box::new(parser.set(part, at)?))))
        })
    }

    fn primary(&mut self) -> Result<Part, Fault> {
        let at = self.at();
        Ok(match self.take() {
            Token::Pieces(designator) => Part::Set(Set::Pieces(designator)),
            Token::Moves(from, mut moves, promotion) => match moves.pop() {
                Some((takes, to)) if moves.is_empty() => {
                    Part::Condition(Condition::Move(super::tree::Move { from, takes, to, promotion }))
                }
                Some(last) => {
                    moves.push(last);
                    self.steps += moves.len() - 1;
                    self.step(at)?;
                    Part::Timed(Timed::Trip(from, moves))
                }
                None => return Err(Fault::new(at, "a move expected")),
            },
            Token::Castles(bit) => Part::Condition(Condition::Castles(bit)),
            Token::Rights(bits) => Part::Condition(Condition::Rights(bits)),
            Token::Material(white, black) => Part::Condition(Condition::Material(white, black)),
            Token::Imbalance(balances) => Part::Condition(Condition::Imbalance(balances)),
            Token::Placement(placement) => Part::Condition(Condition::Placement(placement)),
            Token::Number(number) => Part::Number(Number::Constant(number)),
            Token::Range(range) => Part::Range(range),
            Token::Sign("(") => self.inside(|parser| {
                let part = parser.sequence()?;
                parser.close(at)?;
                Ok(part)
            })?,
            Token::Word(word) => return self.word(&word, at),
            Token::End => return Err(Fault::new(at, "a condition expected, but the pattern ends")),
            Token::Sign(_) => return Err(Fault::new(at, "a condition expected")),
        })
    }

    /// The parenthesis that was opened at `open`.
    fn close(&mut self, open: usize) -> Result<(), Fault> {
        match self.peek() {
            Token::Sign(")") => self.expect(")"),
            Token::End => Err(Fault::new(open, "the parenthesis is not closed")),
            _ => Err(Fault::new(self.at(), "\")\" expected")),
        }
    }

    fn word(&mut self, word: &str, at: usize) -> Result<Part, Fault> {
        if let Some(state) = state_of(word) {
            return Ok(Part::Condition(Condition::State(state)));
        }
        let function = match word {
            "halfmove" => return Ok(Part::Number(Number::HalfMove)),
            "move" => return Ok(Part::Number(Number::Move)),
            "moved" => return Ok(Part::Set(Set::Moved)),
            "vacated" => return Ok(Part::Set(Set::Vacated)),
            "points" | "islands" => {
                let set = Box::new(self.arguments(1, 1)?.remove(0));
                return Ok(Part::Number(if word == "points" { Number::Points(set) } else { Number::Islands(set) }));
            }
            "between" => {
                let mut sets = self.arguments(2, 2)?;
                let (second, first) = (Box::new(sets.remove(1)), Box::new(sets.remove(0)));
                return Ok(Part::Set(Set::Between(first, second)));
            }
            "line" => return Ok(Part::Condition(Condition::Line(Line::Any, self.arguments(2, 64)?))),
            "file" => return Ok(Part::Condition(Condition::Line(Line::File, self.arguments(2, 64)?))),
            "rank" => return Ok(Part::Condition(Condition::Line(Line::Rank, self.arguments(2, 64)?))),
            "diagonal" => return Ok(Part::Condition(Condition::Line(Line::Diagonal, self.arguments(2, 64)?))),
            "flip" => return self.transform(Transform::Flip, at),
            "mirror" => return self.transform(Transform::Mirror, at),
            "rotate" => return self.transform(Transform::Rotate, at),
            "shift" => return self.transform(Transform::Shift, at),
            "ahead" => return self.reach(Reach::Ahead),
            "behind" => return self.reach(Reach::Behind),
            "near" => return self.reach(Reach::Near),
            "passed" => Function::Passed,
            "isolated" => Function::Isolated,
            "doubled" => Function::Doubled,
            "backward" => Function::Backward,
            "connected" => Function::Connected,
            "outpost" => Function::Outpost,
            "pinned" => Function::Pinned,
            "span" => Function::Span,
            "beside" => Function::Beside,
            _ => return Err(Fault::new(at, format!("a condition expected, not \"{word}\""))),
        };
        Ok(Part::Set(Set::Function(function, Box::new(self.arguments(1, 1)?.remove(0)))))
    }

    /// Sets in parentheses, with commas between them.
    fn arguments(&mut self, least: usize, most: usize) -> Result<Vec<Set>, Fault> {
        let open = self.at();
        self.expect("(")?;
        self.inside(|parser| {
            let mut sets = Vec::new();
            loop {
                let at = parser.at();
                if sets.len() == most {
                    let reason =
                        if most == 1 { "one set expected".into() } else { format!("at most {most} sets expected") };
                    return Err(Fault::new(at, reason));
                }
                let part = parser.union()?;
                sets.push(parser.set(part, at)?);
                if !parser.take_sign(",") {
                    break;
                }
            }
            if sets.len() < least {
                return Err(Fault::new(parser.at(), format!("{least} sets expected")));
            }
            parser.close(open)?;
            Ok(sets)
        })
    }

    fn reach(&mut self, reach: Reach) -> Result<Part, Fault> {
        let open = self.at();
        self.expect("(")?;
        self.inside(|parser| {
            let at = parser.at();
            let part = parser.union()?;
            let set = Box::new(parser.set(part, at)?);
            let range = if parser.take_sign(",") {
                let at = parser.at();
                match parser.take() {
                    Token::Number(n) => Some(Range { from: n, to: Some(n) }),
                    Token::Range(range) => Some(range),
                    _ => return Err(Fault::new(at, "a number or a range expected")),
                }
            } else {
                None
            };
            parser.close(open)?;
            Ok(Part::Set(Set::Reach(reach, set, range)))
        })
    }

    fn transform(&mut self, transform: Transform, at: usize) -> Result<Part, Fault> {
        let open = self.at();
        self.expect("(")?;
        let part = self.inside(|parser| {
            let inner_at = parser.at();
            let part = parser.sequence()?;
            let part = match part {
                Part::Set(set) => Part::Set(Set::Transform(transform, Box::new(set))),
                Part::Timed(timed) => Part::Timed(Timed::Transform(transform, Box::new(timed))),
                part => {
                    let condition = parser.condition(part, inner_at)?;
                    Part::Condition(Condition::Transform(transform, Box::new(condition)))
                }
            };
            parser.close(open)?;
            Ok(part)
        })?;
        self.transforms.push(at);
        Ok(part)
    }
}

/// The words of states, in the order of the grammar.
pub(super) const STATES: [(&str, State); 15] = [
    ("wtm", State::WhiteToMove),
    ("btm", State::BlackToMove),
    ("check", State::Check),
    ("mate", State::Mate),
    ("stalemate", State::Stalemate),
    ("capture", State::Capture),
    ("recapture", State::Recapture),
    ("castling", State::Castling),
    ("promotion", State::Promotion),
    ("enpassant", State::EnPassant),
    ("start", State::Start),
    ("end", State::End),
    ("any", State::Any),
    ("oppositebishops", State::OppositeBishops),
    ("samebishops", State::SameBishops),
];

fn state_of(word: &str) -> Option<State> {
    STATES.iter().find(|(known, _)| *known == word).map(|(_, state)| *state)
}
