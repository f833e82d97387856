//! The words, designators, moves and signs of a pattern, each with the byte at which it begins.
//!
//! Words of the language are known in any case; whatever else begins with a letter must be pieces on
//! squares. A designator, a move and a material literal are one token each, since blanks end them.

use super::cursor::{Lexer, not_understood};
use super::error::Fault;
use super::literals::placement;
use super::token::Token;
use super::tree::{BLACK, Contents, Designator, Item, Name, Range, WHATEVER, WHITE};
use crate::pause;

/// Words that are not a condition, set or number by themselves.
const JOINING: &[&str] = &["and", "or", "not", "then", "within", "while", "directly", "for", "attacks", "attackedby"];

/// The other words.
const WORDS: &[&str] = &[
    "wtm",
    "btm",
    "check",
    "mate",
    "stalemate",
    "capture",
    "recapture",
    "castling",
    "promotion",
    "enpassant",
    "start",
    "end",
    "any",
    "oppositebishops",
    "samebishops",
    "halfmove",
    "move",
    "points",
    "islands",
    "moved",
    "vacated",
    "passed",
    "isolated",
    "doubled",
    "backward",
    "connected",
    "outpost",
    "pinned",
    "span",
    "beside",
    "ahead",
    "behind",
    "near",
    "between",
    "line",
    "file",
    "rank",
    "diagonal",
    "flip",
    "mirror",
    "rotate",
    "shift",
    "imbalance",
    "castle",
    "board",
    "pawns",
];

/// Whether a word joins others and so begins nothing.
pub fn is_joining(word: &str) -> bool {
    JOINING.contains(&word)
}

/// The tokens of a pattern; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, Fault> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        while lexer.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            lexer.at += 1;
        }
        let at = lexer.at;
        pause::count(1);
        let token = lexer.token()?;
        let is_end = token == Token::End;
        tokens.push((token, at));
        if is_end {
            return Ok(tokens);
        }
    }
}

impl Lexer<'_> {
    fn token(&mut self) -> Result<Token, Fault> {
        let at = self.at;
        let Some(byte) = self.peek() else { return Ok(Token::End) };
        if byte.is_ascii_digit() || byte == b'.' && self.byte(1) == Some(b'.') {
            return self.number_or_range();
        }
        const SIGNS: &[&str] = &["<=", ">=", "<>", "!=", "<", ">", "=", "+", "&", "|", "~", "(", ")", ","];
        if let Some(sign) = SIGNS.iter().find(|sign| self.rest().starts_with(**sign)) {
            self.at += sign.len();
            return Ok(Token::Sign(if *sign == "!=" { "<>" } else { sign }));
        }
        let letters = self.letters();
        let word = letters.to_ascii_lowercase();
        if JOINING.contains(&word.as_str()) || WORDS.contains(&word.as_str()) {
            let len = letters.len();
            self.at += len;
            return match self.peek() {
                Some(b'-' | b'_' | b'[' | b'0'..=b'9') => Err(not_understood(self.at)),
                _ => self.word(word),
            };
        }
        if let Some(castles) = self.castles() {
            return Ok(castles);
        }
        if byte == b'K'
            && let Some(token) = self.material()?
        {
            return Ok(token);
        }
        self.pieces().map_err(|fault| {
            // A whole word says more than the letter that ended it.
            if word.len() > 2 && fault.at < at + word.len() && fault.hint.is_none() {
                let fault = Fault::new(
                    at,
                    format!(
                        "\"{letters}\" is neither a word of this language nor a piece on squares",
                        letters = &self.text[at..at + word.len()]
                    ),
                );
                return match similar(&word) {
                    Some(known) => fault.hint(format!("Perhaps you mean \"{known}\".")),
                    None => fault,
                };
            }
            fault
        })
    }

    /// `a`, `a..b`, `a..` or `..b`.
    fn number_or_range(&mut self) -> Result<Token, Fault> {
        let at = self.at;
        let from = if self.peek() == Some(b'.') { 0 } else { self.digits()? };
        let is_range = self.rest().starts_with("..");
        if is_range {
            self.at += 2;
        }
        let ends = self.peek().is_some_and(|byte| byte.is_ascii_digit());
        if is_range && at + 2 == self.at && !ends {
            return Err(Fault::new(at, "a number expected"));
        }
        let to = if is_range && ends { Some(self.digits()?) } else { None };
        if self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.') {
            return Err(not_understood(self.at));
        }
        match to {
            _ if !is_range => Ok(Token::Number(from)),
            Some(to) if to < from => {
                Err(Fault::new(at, "the range runs backwards").hint(format!("Write {to}..{from}.")))
            }
            _ => Ok(Token::Range(Range { from, to })),
        }
    }

    fn castles(&mut self) -> Option<Token> {
        const ALL: [&str; 4] = ["O-O", "O-O-O", "o-o", "o-o-o"];
        let rest = self.rest();
        let len = rest.bytes().take_while(|byte| matches!(byte, b'O' | b'o' | b'-')).count();
        let bit = ALL.iter().position(|known| *known == &rest[..len])?;
        let ends = rest.as_bytes().get(len).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        ends.then(|| {
            self.at += len;
            Token::Castles(1 << bit)
        })
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// A word, with what belongs to it and follows rules of its own.
    fn word(&mut self, word: String) -> Result<Token, Fault> {
        match word.as_str() {
            "imbalance" => {
                self.blanks();
                self.imbalance()
            }
            "castle" => {
                let inside = self.in_parentheses("letters of KQkq in parentheses expected")?.to_string();
                let (at, rights) = (self.at - 1 - inside.len(), inside.trim());
                let bits = rights.chars().try_fold(0u8, |bits, letter| Some(bits | 1 << "KQkq".find(letter)?));
                match bits {
                    Some(bits) if bits != 0 => Ok(Token::Rights(bits)),
                    _ => Err(Fault::new(at, "letters of KQkq expected")),
                }
            }
            "board" | "pawns" => {
                let inside = self.in_parentheses("a board in parentheses is missing")?.to_string();
                let from = self.at - 1 - inside.len();
                placement(&inside, from, word == "pawns").map(Token::Placement)
            }
            _ => Ok(Token::Word(word)),
        }
    }

    fn in_parentheses(&mut self, reason: &str) -> Result<&str, Fault> {
        self.blanks();
        let at = self.at;
        if !self.take(b'(') {
            return Err(Fault::new(at, reason));
        }
        let from = self.at;
        let Some(len) = self.rest().find(['(', ')']).filter(|len| self.rest().as_bytes()[*len] == b')') else {
            return Err(Fault::new(at, "the parenthesis is not closed"));
        };
        self.at += len + 1;
        Ok(&self.text[from..from + len])
    }

    /// A designator, or moves.
    fn pieces(&mut self) -> Result<Token, Fault> {
        let first_at = self.at;
        let first = self.designator()?;
        let mut moves = Vec::new();
        while let Some(byte @ (b'-' | b'x')) = self.peek() {
            self.at += 1;
            let at = self.at;
            moves.push((byte == b'x', self.designator()?, at));
        }
        if moves.is_empty() {
            match self.peek() {
                Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'[' => {
                    return Err(not_understood(self.at));
                }
                _ => return Ok(Token::Pieces(first)),
            }
        }
        let squares = std::iter::once((&first, first_at)).chain(moves.iter().map(|(_, to, at)| (to, *at)));
        for (n, (designator, at)) in squares.enumerate() {
            if designator.has_files() {
                let set = if n == 0 { "vacated" } else { "moved" };
                return Err(Fault::new(
                    at,
                    "a move goes from and to squares, and which files are open changes with it",
                )
                .hint(format!("Say it of the square beside the move, as in Rxn and {set} & .[open].")));
            }
        }
        for (takes, to, at) in &moves {
            let from = first.contents;
            let has_enemy = |own: Contents, other: Contents| from & own != 0 && to.contents & other != 0;
            if *takes && !has_enemy(WHITE, BLACK) && !has_enemy(BLACK, WHITE) {
                return Err(Fault::new(*at, "a capture takes a piece of the other side")
                    .hint("White's pieces are capital letters, Black's small ones, as in Rxn; a move to an empty square is R-_."));
            }
        }
        let mut promotion = None;
        if self.peek() == Some(b'=') && self.byte(1).is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'[') {
            self.at += 1;
            let at = self.at;
            let contents = self.contents()?;
            const PIECES: Contents = 0b011110 | 0b011110 << 6;
            if contents & !PIECES != 0 || contents == 0 {
                return Err(Fault::new(at, "a pawn becomes one of QRBNqrbn"));
            }
            if moves.len() > 1 {
                return Err(Fault::new(at, "only a single move can promote"));
            }
            promotion = Some(contents);
        }
        match self.peek() {
            Some(byte) if byte.is_ascii_alphanumeric() || b"_[-".contains(&byte) => Err(not_understood(self.at)),
            _ => {
                let moves = moves.into_iter().map(|(takes, to, _)| (takes, to)).collect();
                Ok(Token::Moves(first, moves, promotion))
            }
        }
    }

    fn designator(&mut self) -> Result<Designator, Fault> {
        let at = self.at;
        let ends =
            |byte: Option<u8>| byte.is_none_or(|byte| byte == b'x' || !byte.is_ascii_alphanumeric() && byte != b'_');
        if let (Some(file @ b'a'..=b'h'), Some(rank @ b'1'..=b'8')) = (self.byte(0), self.byte(1))
            && ends(self.byte(2))
        {
            self.at += 2;
            return Ok(Designator::on(WHATEVER, 1 << (8 * (rank - b'1') + (file - b'a'))));
        }
        let contents = self.contents()?;
        let mut parts = Vec::new();
        let parts_at = self.at;
        loop {
            match self.peek() {
                Some(file @ b'a'..=b'h') => parts.push(vec![Item::Files(1 << (file - b'a'))]),
                Some(rank @ b'1'..=b'8') => parts.push(vec![Item::Ranks(1 << (rank - b'1'))]),
                Some(b'[') => {
                    self.at += 1;
                    parts.push(self.items()?);
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        let designator = Designator { contents, parts };
        if designator.squares() == 0 {
            let written = &self.text[at..self.at];
            let fault = Fault::new(at, format!("no square is on all of \"{}\"", &self.text[parts_at..self.at]));
            // As moves are written elsewhere: Nbd2.
            let (head, square) = written.split_at(written.len().saturating_sub(2));
            return Err(match designator.parts.len() {
                3 if square.is_ascii() => fault.hint(format!("A move is written {head}-{square}.")),
                _ => fault.hint("Parts side by side intersect; a list in brackets, as in [a,b], joins."),
            });
        }
        Ok(designator)
    }

    /// What stands between brackets behind contents, up to the closing one.
    fn items(&mut self) -> Result<Vec<Item>, Fault> {
        let mut items = Vec::new();
        loop {
            self.blanks();
            items.push(self.item()?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(items);
                }
                _ => return Err(Fault::new(self.at, "\",\" or \"]\" expected")),
            }
        }
    }

    fn item(&mut self) -> Result<Item, Fault> {
        let at = self.at;
        let name = self.letters().to_ascii_lowercase();
        if let Some((word, name)) = Name::ALL.iter().find(|(word, _)| *word == name) {
            self.at += word.len();
            return Ok(Item::Named(*name));
        }
        let (file, rank) = self.corner();
        if file.is_none() && rank.is_none() {
            return Err(Fault::new(at, "a square, a file, a rank, a range of them or a name of squares expected")
                .hint("The names are light, dark, edge, corner, centre, open and halfopen."));
        }
        let (mut file_to, mut rank_to) = (file, rank);
        if self.take(b'-') {
            (file_to, rank_to) = self.corner();
            if (file_to.is_some(), rank_to.is_some()) != (file.is_some(), rank.is_some()) {
                return Err(Fault::new(at, "a range goes from square to square, file to file or rank to rank"));
            }
            if file_to < file || rank_to < rank {
                let write = |a: Option<u8>, b: Option<u8>, base: u8, low: bool| {
                    let pick = if low { a.min(b) } else { a.max(b) };
                    pick.map_or(String::new(), |n| char::from(base + n).to_string())
                };
                let [low, high] =
                    [true, false].map(|low| write(file, file_to, b'a', low) + &write(rank, rank_to, b'1', low));
                return Err(Fault::new(at, "the range runs backwards").hint(format!("Write {low}-{high}.")));
            }
        }
        let mask = |from: Option<u8>, to: Option<u8>| match (from, to) {
            (Some(from), Some(to)) => (from..=to).fold(0u8, |mask, n| mask | 1 << n),
            _ => 0xff,
        };
        let (files, ranks) = (mask(file, file_to), mask(rank, rank_to));
        Ok(match (file, rank) {
            (Some(_), Some(_)) => Item::Squares(Item::Files(files).squares() & Item::Ranks(ranks).squares()),
            (Some(_), None) => Item::Files(files),
            _ => Item::Ranks(ranks),
        })
    }

    fn corner(&mut self) -> (Option<u8>, Option<u8>) {
        let file = self.peek().filter(|byte| (b'a'..=b'h').contains(byte)).map(|byte| byte - b'a');
        self.at += usize::from(file.is_some());
        let rank = self.peek().filter(|byte| (b'1'..=b'8').contains(byte)).map(|byte| byte - b'1');
        self.at += usize::from(rank.is_some());
        (file, rank)
    }
}

/// A word of the language that differs from another in one letter.
fn similar(word: &str) -> Option<&'static str> {
    let is_near = |known: &&&str| {
        let (a, b) = (word.as_bytes(), known.as_bytes());
        let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        let longer = a.len().max(b.len());
        a.len().abs_diff(b.len()) <= 1 && head + tail + 1 >= longer
            || a.len() == b.len() && head + tail + 2 == longer && a[head] == b[head + 1] && a[head + 1] == b[head]
    };
    WORDS.iter().chain(JOINING).find(is_near).copied()
}
