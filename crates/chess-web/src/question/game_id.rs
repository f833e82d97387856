//! Numbers of games as clients see them: 8 characters of base 62, the form of lichess's ids.

use crate::database::query::Value;
use crate::failure::{Failure, Outcome};

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH: usize = 8;

/// The text of a number. A number that 8 characters cannot express is written in decimal after an `n`, so that it belongs to
/// no other game.
pub fn write(id: i64) -> String {
    let mut rest = id;
    let mut text = [b'0'; LENGTH];
    for place in text.iter_mut().rev() {
        if rest < 0 {
            break;
        }
        *place = DIGITS[(rest % 62) as usize];
        rest /= 62;
    }
    if rest == 0 { text.iter().map(|byte| char::from(*byte)).collect() } else { format!("n{id}") }
}

/// The number that a text stands for.
pub fn read(text: &str) -> Option<i64> {
    if text.len() != LENGTH {
        return text.strip_prefix('n')?.parse().ok().filter(|id| write(*id) == text);
    }
    text.bytes().try_fold(0, |number, byte| {
        let digit = DIGITS.iter().position(|known| *known == byte)?;
        Some(number * 62 + digit as i64)
    })
}

/// The number in a client's text, for a query.
///
/// # Errors
///
/// 404 if the text is not the id of a game.
pub fn value(text: &str) -> Outcome<Value> {
    read(text).map(Value::Long).ok_or_else(|| Failure::missing("there is no such game"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for id in [0, 1, 61, 62, 12_345_678, 62i64.pow(8) - 1, 62i64.pow(8), i64::MAX, -1, i64::MIN] {
            assert_eq!(read(&write(id)), Some(id), "{id}");
        }
        assert_eq!(write(62), "00000010");
        for wrong in ["", "1", "0000000", "000000000", "0000000-", "0000000ä", "n5", "n", "nx"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
