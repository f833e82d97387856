//! What follows rules of its own in a pattern: material such as `KRP2vKR`, an imbalance, a board.

use super::cursor::{Lexer, not_understood, sum};
use super::error::Fault;
use super::token::Token;
use super::tree::{Balance, Group, PAWNS, Placement, Range, WHATEVER};

/// The most pieces beside the king that a side has.
const MOST_PIECES: i32 = 15;
/// Roles in the order of bits of [`Group::roles`].
const ROLES: &[u8] = b"PNBRQ";

impl Lexer<'_> {
    /// A kind of piece without its colour, or several in brackets.
    fn roles(&mut self) -> Option<Result<u8, Fault>> {
        let role = |byte: Option<u8>| ROLES.iter().position(|known| Some(*known) == byte).map(|at| 1u8 << at);
        if let Some(role) = role(self.peek()) {
            self.at += 1;
            return Some(Ok(role));
        }
        if !self.take(b'[') {
            return None;
        }
        let mut roles = 0;
        while let Some(role) = role(self.peek()) {
            self.at += 1;
            roles |= role;
        }
        let closed = self.take(b']');
        Some(if closed && roles != 0 {
            Ok(roles)
        } else {
            Err(Fault::new(self.at, "letters of QRBNP in brackets expected"))
        })
    }

    /// Material such as `KRP2vKR`; nothing if no `v` shows that it is meant.
    pub(super) fn material(&mut self) -> Result<Option<Token>, Fault> {
        let is_part = |byte: &u8| b"QRBNP[]*+?.0123456789".contains(byte);
        let rest = self.rest().as_bytes();
        let len = 1 + rest[1..].iter().take_while(|byte| is_part(byte)).count();
        if rest.get(len) != Some(&b'v') {
            return Ok(None);
        }
        let white = self.side()?;
        self.at += 1;
        let black = self.side()?;
        match self.peek() {
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' => Err(not_understood(self.at)),
            _ => Ok(Some(Token::Material(white, black))),
        }
    }

    fn side(&mut self) -> Result<Vec<Group>, Fault> {
        if !self.take(b'K') {
            return Err(Fault::new(self.at, "a king opens the pieces of each side, as in KRPvKR"));
        }
        let mut groups: Vec<Group> = Vec::new();
        loop {
            let at = self.at;
            let Some(roles) = self.roles() else { break };
            let roles = roles?;
            let count = match self.peek() {
                Some(b'0'..=b'9') => match self.number_of_material()? {
                    Token::Range(range) => range,
                    Token::Number(n) => Range { from: n, to: Some(n) },
                    _ => return Err(not_understood(self.at)),
                },
                _ if self.take(b'*') => Range { from: 0, to: None },
                _ if self.take(b'+') => Range { from: 1, to: None },
                _ if self.take(b'?') => Range { from: 0, to: Some(1) },
                _ => Range { from: 1, to: Some(1) },
            };
            match groups.iter_mut().find(|group| group.roles == roles) {
                Some(group) => {
                    group.count.from = sum(at, group.count.from, count.from)?;
                    group.count.to = group.count.to.zip(count.to).map(|(a, b)| sum(at, a, b)).transpose()?;
                }
                None => groups.push(Group { roles, count }),
            }
        }
        if matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'.' | b']' | b'0'..=b'9' | b'K')) {
            return Err(Fault::new(
                self.at,
                "letters of QRBNP expected, each with a number, a range, *, + or ? at most",
            ));
        }
        // Queens first, pawns last, groups by their greatest.
        groups.sort_by_key(|group| (std::cmp::Reverse(group.roles.ilog2()), group.roles));
        Ok(groups)
    }

    /// A number or a range behind a piece; unlike elsewhere a letter may follow.
    fn number_of_material(&mut self) -> Result<Token, Fault> {
        let at = self.at;
        let from = self.digits()?;
        if !self.rest().starts_with("..") {
            return Ok(Token::Number(from));
        }
        self.at += 2;
        let to = if self.peek().is_some_and(|byte| byte.is_ascii_digit()) { Some(self.digits()?) } else { None };
        if to.is_some_and(|to| to < from) {
            return Err(Fault::new(at, "the range runs backwards"));
        }
        Ok(Token::Range(Range { from, to }))
    }

    pub(super) fn imbalance(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        let mut balances: Vec<Balance> = Vec::new();
        for sign in [1, -1] {
            while let Some(roles) = self.roles() {
                let roles = roles?;
                let any = self.take(b'*');
                let at = self.at;
                let count =
                    if !any && self.peek().is_some_and(|byte| byte.is_ascii_digit()) { self.digits()? } else { 1 };
                let count = i32::try_from(count).ok().filter(|count| (1..=MOST_PIECES).contains(count));
                let count =
                    count.ok_or_else(|| Fault::new(at, format!("a number from 1 to {MOST_PIECES} expected")))?;
                let balance = match balances.iter().position(|balance| balance.roles == roles) {
                    Some(at) => &mut balances[at],
                    None => {
                        balances.push(Balance { roles, difference: Some(0) });
                        balances.last_mut().ok_or_else(|| not_understood(start))?
                    }
                };
                balance.difference = balance.difference.filter(|_| !any).map(|difference| difference + sign * count);
            }
            if sign == 1 && !self.take(b'v') {
                return Err(Fault::new(self.at, "the extra pieces of White, \"v\" and those of Black expected")
                    .hint("As in imbalance Rv[BN]."));
            }
        }
        // A kind that is level is left out, unless it belongs to a group that is not level.
        let groups =
            balances.iter().filter(|balance| !balance.roles.is_power_of_two()).fold(0, |all, group| all | group.roles);
        balances.retain(|balance| {
            balance.difference != Some(0) || !balance.roles.is_power_of_two() || balance.roles & groups != 0
        });
        if self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-[]*+?".contains(&byte)) {
            return Err(Fault::new(self.at, "letters of QRBNP expected, each with a number or * at most"));
        }
        balances.sort_by_key(|balance| (std::cmp::Reverse(balance.roles.ilog2()), balance.roles));
        Ok(Token::Imbalance(balances))
    }
}

/// Eight ranks from the eighth to the first.
pub(super) fn placement(text: &str, from: usize, pawns: bool) -> Result<Placement, Fault> {
    let trimmed = text.trim();
    let from = from + (text.len() - text.trim_start().len());
    let mut squares = vec![None; 64];
    let mut at = 0;
    let ranks: Vec<&str> = trimmed.split('/').collect();
    if ranks.len() != 8 {
        return Err(Fault::new(from, format!("eight ranks expected, not {}", ranks.len())));
    }
    for (down, rank) in ranks.iter().enumerate() {
        let number = 8 - down;
        let mut lexer = Lexer { text: rank, at: 0 };
        let mut file = 0;
        while let Some(byte) = lexer.peek() {
            let here = from + at + lexer.at;
            if let b'1'..=b'8' = byte {
                file += usize::from(byte - b'0');
                lexer.at += 1;
            } else {
                let contents = if byte == b'?' {
                    lexer.at += 1;
                    WHATEVER
                } else {
                    let shown = rank[lexer.at..].chars().next().unwrap_or(' ');
                    lexer
                        .contents()
                        .map_err(|_| Fault::new(here, format!("\"{shown}\" is nothing that stands on rank {number}")))?
                };
                if pawns && contents & !PAWNS != 0 {
                    return Err(Fault::new(here, "pawns only"));
                }
                if file < 8 && contents != WHATEVER {
                    squares[8 * (number - 1) + file] = Some(contents);
                }
                file += 1;
            }
            if file > 8 {
                return Err(Fault::new(here, format!("rank {number} has more than eight squares")));
            }
        }
        if file != 8 {
            return Err(Fault::new(from + at, format!("rank {number} has {file} squares")));
        }
        at += rank.len() + 1;
    }
    Ok(Placement { pawns, squares })
}
