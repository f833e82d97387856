//! The addresses that lichess gives its games, which it writes into the tag Site: an address comes in, the number of its id in
//! base 62 goes out. The column `lichess_id` of `games` has this number in place of a row of `sites` for each game. `lichess.sql`
//! has the same for SQL, and the way back.

/// The digits of base 62, in the order of their values.
pub const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The number of digits of an id.
pub const LENGTH: usize = 8;
/// What comes before the id in an address.
pub const ADDRESS: &str = "https://lichess.org/";

/// The number of an id: eight digits of base 62.
pub fn number(id: &str) -> Option<i64> {
    if id.len() != LENGTH {
        return None;
    }
    id.bytes().try_fold(0, |number, byte| {
        let digit = DIGITS.iter().position(|known| *known == byte)?;
        Some(number * 62 + digit as i64)
    })
}

/// The number of the id in an address. Any other text, such as an address with more behind the id, is no such address.
pub fn of_site(site: &str) -> Option<i64> {
    number(site.strip_prefix(ADDRESS)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (id, number) in [("00000000", 0), ("0000000z", 61), ("00000010", 62), ("zzzzzzzz", 62i64.pow(8) - 1)] {
            assert_eq!(of_site(&format!("{ADDRESS}{id}")), Some(number), "{id}");
        }
        assert_ne!(of_site("https://lichess.org/abcdefgh"), of_site("https://lichess.org/Abcdefgh"));
        for other in ["", "abcdefgh/black", "abcdefghIJKL", "abcdefg", "abcdefg-", "abcdefgh ", "abcdefä", "?"] {
            assert_eq!(of_site(&format!("{ADDRESS}{other}")), None, "{other}");
        }
        for other in
            ["abcdefgh", "http://lichess.org/abcdefgh", "https://lichess.dev/abcdefgh", " https://lichess.org/abcdefgh"]
        {
            assert_eq!(of_site(other), None, "{other}");
        }
    }
}
