//! Numbers of games as clients see them: 8 characters of base 62, the form of lichess's ids; and the ids that games have
//! elsewhere: in the address that lichess writes into the tag Site, or in the tag GameId.

use chess_db::lichess::{self, ADDRESS, DIGITS, LENGTH};

use crate::database::query::Value;
use crate::failure::{Failure, Outcome};

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
    lichess::number(text)
}

/// The marks of the schemas that answer in place of lichess's databases, in the order of
/// [`Base`](crate::api::lichess::Base).
const MARKS: [char; 3] = ['m', 'l', 'p'];

/// The text of a number in the schema of this place among those of the paths of lichess; `None` is the page's own schema.
/// Several schemas may have games of the same number.
pub fn write_in(schema: Option<usize>, id: i64) -> String {
    let mark = schema.map(|at| MARKS[at].to_string());
    mark.unwrap_or_default() + &write(id)
}

/// The schema, as in [`write_in`], and the number that a text stands for.
pub fn read_in(text: &str) -> Option<(Option<usize>, i64)> {
    read(text).map(|id| (None, id)).or_else(|| {
        let (at, rest) = unmarked(text)?;
        Some((Some(at), read(rest)?))
    })
}

/// Takes the mark of a schema away.
fn unmarked(text: &str) -> Option<(usize, &str)> {
    MARKS.iter().enumerate().find_map(|(at, mark)| Some((at, text.strip_prefix(*mark)?)))
}

/// The number in a client's text, for a query.
///
/// # Errors
///
/// 404 if the text is not the id of a game.
pub fn value(text: &str) -> Outcome<Value> {
    read(text).map(Value::Long).ok_or_else(|| Failure::missing("there is no such game"))
}

/// What comes before the id in the Site of a game of lichess.
const ADDRESSES: [&str; 2] = [ADDRESS, "http://lichess.org/"];

/// The id that lichess gave a game, by its Site.
pub fn of_site(site: &str) -> Option<&str> {
    let id = ADDRESSES.iter().find_map(|before| site.strip_prefix(before))?;
    (at_lichess(id) == Some(id)).then_some(id)
}

/// lichess's id of a game in a client's text, which may have the four characters of a player behind it.
fn at_lichess(text: &str) -> Option<&str> {
    let is_one = matches!(text.len(), 8 | 12) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_one.then(|| text.get(..LENGTH)).flatten()
}

/// The id that a game has elsewhere, by its Site, which lichess fills with an address, or by its tag GameId.
pub fn given<'t>(site: Option<&'t str>, game_id: Option<&'t str>) -> Option<&'t str> {
    site.and_then(of_site).or_else(|| game_id.filter(|id| is_given(id)))
}

/// The longest id of another server.
const LONGEST: usize = 20;

/// Whether a tag GameId may be the id of a game elsewhere. Shorter ones, and those that begin with zeros as the numbers of this
/// server do, are numbers within a file, which many games share.
fn is_given(text: &str) -> bool {
    (LENGTH..=LONGEST).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !unmarked(text).map_or(text, |(_, rest)| rest).starts_with("000")
}

/// The tags GameId that the game of this id may have.
pub fn spellings(text: &str) -> Vec<String> {
    let texts = [Some(text), at_lichess(text).filter(|id| *id != text)];
    texts.into_iter().flatten().filter(|id| is_given(id)).map(str::to_owned).collect()
}

/// The `lichess_id` that the game of this id may have.
pub fn number_at_lichess(text: &str) -> Option<i64> {
    lichess::number(at_lichess(text)?)
}

/// The rows of `sites` that the game of this id may have: those of games loaded before there was a column `lichess_id`, or of the
/// address without TLS.
pub fn sites(text: &str) -> Vec<String> {
    at_lichess(text).map(|id| ADDRESSES.map(|before| format!("{before}{id}")).to_vec()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_lichess() {
        assert_eq!(of_site("https://lichess.org/AbCd1234"), Some("AbCd1234"));
        for other in
            ["https://lichess.org/AbCd1234/black", "https://lichess.org/AbCd12345678", "https://lichess.org/AbCd12-4"]
        {
            assert_eq!(of_site(other), None, "{other}");
        }
        assert_eq!(of_site("AbCd1234"), None);
        assert_eq!(sites("AbCd1234"), ["https://lichess.org/AbCd1234", "http://lichess.org/AbCd1234"]);
        assert_eq!(sites("AbCd12345678"), sites("AbCd1234"));
        assert_eq!(number_at_lichess("AbCd12345678"), lichess::of_site("https://lichess.org/AbCd1234"));
        for other in ["", "AbCd123", "AbCd12345", "AbCd12/4", "AbCd123ä"] {
            assert!(sites(other).is_empty() && number_at_lichess(other).is_none(), "{other}");
        }
    }

    #[test]
    fn ids_of_others() {
        let lichess = Some("https://lichess.org/AbCd1234");
        assert_eq!(given(lichess, Some("123456789")), Some("AbCd1234"));
        assert_eq!(given(Some("Chess.com"), Some("123456789012")), Some("123456789012"));
        assert_eq!(given(None, Some("AbCd1234")), Some("AbCd1234"));
        for other in ["", "1234567", "00012345", "12345678-", "123456789012345678901", "12345678ä", "a/b/c/d/e"] {
            assert_eq!(given(Some("Paris"), Some(other)), None, "{other}");
        }
        assert!([0, 1, 62i64.pow(5) - 1].iter().all(|number| spellings(&write(*number)).is_empty()));
        assert_eq!(spellings("AbCd1234QqQq"), ["AbCd1234QqQq", "AbCd1234"]);
        assert_eq!(spellings("12345678"), ["12345678"]);
    }

    #[test]
    fn games_of_several_schemas() {
        for id in [0, 62, 62i64.pow(8) - 1, 62i64.pow(8), i64::MAX] {
            let texts = [None, Some(0), Some(1), Some(2)].map(|schema| (schema, write_in(schema, id)));
            for (schema, text) in &texts {
                assert_eq!(read_in(text), Some((*schema, id)), "{text}");
            }
            assert_eq!(texts[0].1, write(id), "ids of the page stay");
        }
        assert_eq!(write_in(Some(0), 62), "m00000010");
        assert!(spellings("m00000010").is_empty(), "no id of another server");
        for wrong in ["m", "m0000001-", "x00000010", "mn5"] {
            assert_eq!(read_in(wrong), None, "{wrong}");
        }
    }

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
