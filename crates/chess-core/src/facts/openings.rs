//! Names of openings, found by position, so that transpositions count.
//!
//! Takes boards and games; returns ECO code and name, of the board or of the last named position in the game. The table
//! is `data/openings.tsv` (code, name, moves); NOTICE names its source. It is parsed on first use.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::board::Board;
use crate::board::key::position_key;
use crate::game::pieces::Pieces;
use crate::game::replay::Replay;
use crate::game::seating::Start;
use crate::game::state::{Keyed, State};
use crate::game::{CorruptGame, Game, GameRef};
use crate::text::movetext;

/// The table: a line with code, name and moves for each opening.
pub const TABLE: &str = include_str!("../../data/openings.tsv");

/// An opening of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The code of the Encyclopaedia of Chess Openings, such as `B90`.
    pub eco: &'static str,
    /// The name in English.
    pub name: &'static str,
}

struct Entry {
    opening: Opening,
    castling: [u8; 2],
    en_passant_file: Option<u8>,
}

struct Table {
    /// Openings by position key; positions with the same key differ in castling rights or en passant.
    entries: HashMap<u64, Vec<Entry>>,
    /// A bit for the lowest sixteen bits of each key, because most positions have no name.
    filter: Vec<u64>,
}

static OPENINGS: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { entries: HashMap::new(), filter: vec![0; 1024] };
    for (opening, game) in all() {
        let view = game.view();
        let Ok(Ok(board)) = view.board_at(view.ply_count()) else { continue };
        let key = position_key(&board);
        table.filter[usize::from(key as u16 >> 6)] |= 1 << (key & 63);
        table.entries.entry(key).or_default().push(Entry {
            opening,
            castling: board.castling,
            en_passant_file: board.legal_en_passant_file(),
        });
    }
    table
});

impl Table {
    #[inline]
    fn find(&self, key: u64, is_it: impl Fn(&Entry) -> bool) -> Option<Opening> {
        if self.filter[usize::from(key as u16 >> 6)] >> (key & 63) & 1 == 0 {
            return None;
        }
        self.entries.get(&key)?.iter().find(|entry| is_it(entry)).map(|entry| entry.opening)
    }
}

/// The openings of the table, with their moves.
pub fn all() -> impl Iterator<Item = (Opening, Game)> {
    TABLE.lines().filter_map(|line| {
        let mut fields = line.split('\t');
        let (Some(eco), Some(name), Some(moves)) = (fields.next(), fields.next(), fields.next()) else { return None };
        Some((Opening { eco, name }, movetext::read(moves).ok()?))
    })
}

/// The names in lower case, sorted. Kept, because checking many texts needs them again and again.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut names: Vec<String> =
        TABLE.lines().filter_map(|line| line.split('\t').nth(1)).map(str::to_lowercase).collect();
    names.sort_unstable();
    names.dedup();
    names
});

/// The maximum length of a name in bytes.
const NAME_LEN: usize = 128;

/// Whether the name of an opening begins with the text, ignoring case.
pub fn is_name(text: &str) -> bool {
    let text = text.trim();
    if !(3..=NAME_LEN).contains(&text.len()) {
        return false;
    }
    let text = text.to_lowercase();
    let at = NAMES.partition_point(|name| *name < text);
    NAMES.get(at).is_some_and(|name| name.starts_with(&text))
}

/// Whether the name of an opening has the text as a word or several, ignoring case.
pub fn is_in_names(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let is_edge = |next: Option<char>| !next.is_some_and(char::is_alphanumeric);
    (3..=NAME_LEN).contains(&text.len())
        && NAMES.iter().any(|name| {
            name.match_indices(&text).any(|(at, part)| {
                is_edge(name[..at].chars().next_back()) && is_edge(name[at + part.len()..].chars().next())
            })
        })
}

/// Whether the text is a code of the Encyclopaedia of Chess Openings, ignoring case.
pub fn is_code(text: &str) -> bool {
    matches!(text.trim().as_bytes(), [b'A'..=b'E' | b'a'..=b'e', b'0'..=b'9', b'0'..=b'9'])
}

/// A name in the characters of Latin-1, which lacks only two of the table's; or without accents for other encodings.
pub fn plain_name(name: &str, latin1: bool) -> String {
    let plain = |found: char| match found {
        'ć' => 'c',
        '–' => '-',
        kept if latin1 || kept.is_ascii() => kept,
        'á' | 'ä' => 'a',
        'é' => 'e',
        'ó' | 'ö' | 'ø' => 'o',
        'ü' => 'u',
        _ => '?',
    };
    name.chars().map(plain).collect()
}

/// The opening with this position.
///
/// # Examples
///
/// ```
/// use chess_core::text::movetext;
/// use chess_core::facts::openings;
///
/// let game = movetext::read("1. Nf3 d6 2. d4 c5 3. e4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. h4").unwrap();
/// let opening = openings::of_game(game.view()).unwrap().unwrap();
/// assert_eq!((opening.eco, opening.name), ("B90", "Sicilian Defense: Najdorf Variation"));
/// ```
pub fn of_board(board: &Board) -> Option<Opening> {
    let en_passant_file = board.legal_en_passant_file();
    OPENINGS
        .find(position_key(board), |entry| entry.castling == board.castling && entry.en_passant_file == en_passant_file)
}

/// The opening of the last named position in the game.
pub fn of_game(game: GameRef<'_>) -> Result<Option<Opening>, CorruptGame> {
    let table = &*OPENINGS;
    let start: &Start = &*game.start_position()?;
    let name_of = |pieces: &Pieces, state: Keyed| {
        table.find(state.key, |entry| {
            entry.castling == start.castling_files(state.home)
                && entry.en_passant_file == state.legal_en_passant_file(pieces)
        })
    };
    let mut last = name_of(&start.pieces, Keyed::of(start.state));
    Replay::new(start).run(game.moves(), u32::MAX, |pieces, state: Keyed| {
        last = name_of(pieces, state).or(last);
        false
    })?;
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_names_its_own_position() {
        let mut lines = 0;
        for line in TABLE.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 3, "{line}");
            let game = movetext::read(fields[2]).unwrap();
            let view = game.view();
            let board = view.board_at(view.ply_count()).unwrap().unwrap();
            let expected = Some(Opening { eco: fields[0], name: fields[1] });
            let (eco, name) = (fields[0], fields[1]);
            assert!(matches!(eco.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']) && !name.is_empty());
            assert_eq!(of_board(&board).map(|o| (o.eco, o.name)), Some((eco, name)), "{line}");
            assert_eq!(of_game(view).unwrap(), expected, "{line}");
            lines += 1;
        }
        assert!(lines > 3000);
    }

    #[test]
    fn all_lines_are_handed_out() {
        assert_eq!(all().count(), TABLE.lines().count());
        assert!(all().all(|(opening, game)| of_game(game.view()).unwrap() == Some(opening)));
    }

    #[test]
    fn names_are_known_by_how_they_begin() {
        assert!(is_name("Sicilian") && is_name(" sicilian defense: najdorf") && is_name("Grünfeld"));
        assert!(NAMES.iter().all(|name| is_name(name) && is_name(&name[..name.floor_char_boundary(5)])));
        assert!(!is_name(&"Sicilian ".repeat(NAME_LEN)));
        assert!(!is_name("") && !is_name("e4") && !is_name("Si") && !is_name("Najdorf is a variation"));
    }

    #[test]
    fn codes_are_known() {
        assert!(is_code("B90") && is_code(" e00 "));
        assert!(["F00", "B9", "B901", "e4", ""].iter().all(|text| !is_code(text)));
    }

    #[test]
    fn names_have_plain_spellings() {
        for (opening, _) in all() {
            assert!(
                plain_name(opening.name, false).bytes().all(|byte| byte.is_ascii() && byte != b'?'),
                "{}",
                opening.name
            );
            assert!(plain_name(opening.name, true).chars().all(|found| found <= 'ÿ'), "{}", opening.name);
        }
        assert_eq!(plain_name("Grünfeld Defense", true), "Grünfeld Defense");
        assert_eq!(plain_name("Grünfeld Defense", false), "Grunfeld Defense");
    }

    #[test]
    fn positions_without_a_name() {
        assert_eq!(of_board(&Board::default()), None);
        let custom = movetext::read("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] 1. e4").unwrap();
        assert_eq!(of_game(custom.view()).unwrap(), None);
    }
}
