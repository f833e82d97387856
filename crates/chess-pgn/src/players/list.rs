//! Reads a list of players in the .ssp form of Scid: names with their other spellings, FIDE ids, titles, births and Elo
//! histories.
//!
//! Such files are written by hand, so what cannot be read is left out and counted: a line, or a part of it.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read};

use anyhow::{Context, Result, bail};

use crate::merges::NameList;
use crate::read::cuts::BOM;
use crate::read::encoding::decode;
use crate::spelling::short::{Likeness, Spelling};

/// The longest line that is read; the rest of a longer one is dropped.
const MAX_LINE: usize = 4096;
/// The maximum length of a name in bytes: an index entry of the server cannot hold more.
const MAX_NAME: usize = 2000;

/// The most spellings of a player: each is compared with those before it.
const MOST_SPELLINGS: usize = 1000;

/// A player of a list.
#[derive(Debug, Default)]
pub struct Listed {
    /// The canonical name.
    pub name: String,
    /// The canonical name and the other spellings.
    pub spellings: Vec<Spelling>,
    /// The other spellings as the list writes them.
    pub others: Vec<String>,
    /// The FIDE id.
    pub fide_id: Option<i32>,
    /// The titles, such as GM.
    pub titles: Vec<String>,
    /// The year of birth.
    pub born: Option<i16>,
    /// The year of death.
    pub died: Option<i16>,
    /// The Elo in brackets: the peak of some players, the latest of others.
    pub elo: Option<i16>,
    /// Years, each with the ratings of its rating lists in their order.
    pub elos: Vec<(i16, Vec<i16>)>,
}

/// A list of players.
#[derive(Debug, Default)]
pub struct List {
    /// The players.
    pub players: Vec<Listed>,
    /// The last year with a rating or a title: the list was made then. 0 if it has none.
    pub year: i16,
    /// The number of lines that were left out.
    pub unreadable: u64,
    /// The number of ratings and titles of each year.
    years: BTreeMap<i16, u32>,
    by_word: HashMap<String, Vec<(u32, u16)>>,
    by_sound: HashMap<String, Vec<u32>>,
    by_id: HashMap<i32, u32>,
}

impl List {
    /// Reads a list.
    ///
    /// # Errors
    ///
    /// The file is of another kind, or names no players.
    pub fn of_file(file: &NameList) -> Result<List> {
        List::read(&file.bytes[..]).with_context(|| format!("cannot use {} as a list of players", file.path))
    }

    /// Reads the text of a list.
    ///
    /// # Errors
    ///
    /// As [`List::of_file`].
    pub fn read(source: impl BufRead) -> Result<List> {
        let mut list = List::default();
        read_section(source, "PLAYER", |line| list.unreadable += u64::from(!list.take(line)))?;
        if list.players.is_empty() {
            bail!("it names no players");
        }
        Ok(list.indexed())
    }

    /// Reads a line of the section @PLAYER. Returns false if it cannot be read.
    fn take(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        let indented = text.len() < line.len();
        let Some(first) = text.chars().next() else { return true };
        match (first, self.players.last_mut()) {
            ('#', _) => true,
            ('=', Some(player)) => {
                let name = text[1..].split('#').next().unwrap_or_default();
                let spelling = Spelling::new(name);
                let is_one_more = player.spellings.len() < MOST_SPELLINGS;
                let readable = spelling.first().is_some() && name.len() <= MAX_NAME && is_one_more;
                if readable && !player.spellings.contains(&spelling) {
                    player.spellings.push(spelling);
                    player.others.push(name.trim().to_owned());
                }
                readable
            }
            ('%', Some(player)) => fact(player, &text[1..], &mut self.years),
            _ if indented || matches!(first, '=' | '%') => false,
            _ => {
                let (name, facts) = text.split_once('#').unwrap_or((text, ""));
                let (name, spelling) = (name.trim(), Spelling::new(name));
                if spelling.first().is_none() || name.len() > MAX_NAME {
                    return false;
                }
                let mut player = Listed { name: name.to_owned(), spellings: vec![spelling], ..Listed::default() };
                describe(&mut player, facts);
                self.players.push(player);
                true
            }
        }
    }

    /// A list of these players. Its year is beyond all games, so no rating counts as newer than the list.
    pub fn of(players: Vec<Listed>) -> List {
        List { year: i16::MAX, ..List { players, ..List::default() }.indexed() }
    }

    fn indexed(mut self) -> List {
        // A year with very few ratings is a typing error, such as 2107 for 2017.
        let often = self.years.values().max().map_or(0, |most| most / 100);
        self.year = self.years.iter().rev().find(|(_, count)| **count > often).map_or(0, |(year, _)| *year);
        for (number, player) in self.players.iter().enumerate() {
            for (at, spelling) in player.spellings.iter().enumerate().take(usize::from(u16::MAX)) {
                if let Some(word) = spelling.first() {
                    self.by_word.entry(word.to_owned()).or_default().push((number as u32, at as u16));
                    let alike = self.by_sound.entry(spelling.sound()).or_default();
                    if alike.last() != Some(&(number as u32)) {
                        alike.push(number as u32);
                    }
                }
            }
            if let Some(id) = player.fide_id {
                self.by_id.entry(id).or_insert(number as u32);
            }
        }
        self
    }

    /// The player with a FIDE id.
    pub fn with_id(&self, fide_id: i32) -> Option<usize> {
        self.by_id.get(&fide_id).map(|number| *number as usize)
    }

    /// The players with a spelling of which every word sounds like that of this name.
    pub fn who_sounds_like(&self, name: &Spelling) -> impl Iterator<Item = usize> {
        self.by_sound.get(&name.sound()).into_iter().flatten().map(|number| *number as usize)
    }

    /// The players whom a name fits, with the best likeness of their spellings.
    pub fn whom_fits(&self, name: &Spelling) -> Vec<(usize, Likeness)> {
        let mut found: HashMap<usize, Likeness> = HashMap::new();
        for word in name.first_words() {
            for &(number, at) in self.by_word.get(word).map_or(&[][..], Vec::as_slice) {
                if let Some(likeness) = name.fits(&self.players[number as usize].spellings[usize::from(at)]) {
                    let best = found.entry(number as usize).or_insert(likeness);
                    *best = likeness.max(*best);
                }
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable();
        found
    }
}

/// Gives `take` each line of a section of a list.
///
/// # Errors
///
/// The source cannot be read, is not a text, or has no such section.
pub fn read_section(mut source: impl BufRead, section: &str, mut take: impl FnMut(&str)) -> Result<()> {
    let (mut line, mut inside, mut seen) = (Vec::new(), false, false);
    while next_line(&mut source, &mut line)? {
        if line.contains(&0) {
            bail!("it is not a text");
        }
        let text = decode(line.strip_prefix(BOM).unwrap_or(&line));
        match text.strip_prefix('@') {
            Some(name) => {
                inside = name.split_whitespace().next() == Some(section);
                seen |= inside;
            }
            None if inside => take(text.trim_end()),
            None => (),
        }
    }
    if !seen {
        bail!("it has no section @{section}");
    }
    Ok(())
}

/// Reads a line. Returns false at the end of the file.
fn next_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> Result<bool> {
    line.clear();
    if source.by_ref().take(MAX_LINE as u64).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() != Some(&b'\n') {
        // skips the rest without keeping it
        loop {
            let rest = source.fill_buf()?;
            let end = rest.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(rest.len(), |end| end + 1);
            if length == 0 {
                break;
            }
            source.consume(length);
            if end.is_some() {
                break;
            }
        }
    }
    Ok(true)
}

/// Reads the text behind a name: titles, countries, an Elo in brackets, birth and death.
fn describe(player: &mut Listed, facts: &str) {
    let (before, after) = facts.split_once(']').unwrap_or((facts, facts));
    if let Some(titles) = before.split_whitespace().next().filter(|word| !word.starts_with('[')) {
        add_titles(player, titles.split(['+', '/']));
    }
    player.elo = before.rsplit_once('[').and_then(|(_, elo)| number(elo)).filter(|elo| (100..4000).contains(elo));
    let dates = after.split_whitespace().find(|word| number(word).is_some_and(|year| (1000..3000).contains(&year)));
    if let Some(dates) = dates {
        let (born, died) = dates.split_once("--").unwrap_or((dates, ""));
        (player.born, player.died) = (number(born), number(died).filter(|year| *year > 1000));
    } else if let Some(died) = after.split_whitespace().find_map(|word| word.split_once("--")).map(|(_, died)| died) {
        player.died = number(died).filter(|year| *year > 1000);
    }
}

/// Reads a line with a FIDE id, titles or ratings; other facts are ignored. Returns false if it cannot be read.
fn fact(player: &mut Listed, text: &str, years: &mut BTreeMap<i16, u32>) -> bool {
    let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim_start();
    if kind == "Elo" {
        return rest.split_whitespace().fold(true, |readable, part| {
            // Typing errors: a dot often stands in place of the colon.
            let values = part
                .split_once([':', '.'])
                .and_then(|(year, values)| Some((number(year).filter(|year| (1900..2200).contains(year))?, values)));
            let Some((year, values)) = values else { return false };
            let values: Vec<i16> =
                values.split(',').filter_map(number).filter(|elo| (500..4000).contains(elo)).collect();
            *years.entry(year).or_default() += 1;
            player.elos.push((year, values));
            readable
        });
    }
    if kind != "Bio" {
        return false;
    }
    let (what, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match what {
        "FIDEID" => {
            let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
            // An id that is no longer in use has a mark behind it. FIDE may have given its number to somebody else.
            let deprecated =
                rest.trim_start().len() > digits.len() && !rest.trim_start()[digits.len()..].starts_with(' ');
            let id = digits.parse().ok().filter(|id| *id > 0);
            if !deprecated && id.is_some() {
                player.fide_id = player.fide_id.or(id);
            }
            id.is_some()
        }
        "Title" => {
            for word in rest.split_whitespace() {
                let (title, year) = word.split_once(':').unwrap_or((word, ""));
                add_titles(player, [title]);
                if let Some(year) = number(year).filter(|year| (1900..2200).contains(year)) {
                    *years.entry(year).or_default() += 1;
                }
            }
            true
        }
        _ => true,
    }
}

fn add_titles<'t>(player: &mut Listed, titles: impl IntoIterator<Item = &'t str>) {
    for title in titles {
        let title = title.to_ascii_uppercase();
        if title.chars().all(|letter| letter.is_ascii_alphabetic())
            && !title.is_empty()
            && !player.titles.contains(&title)
        {
            player.titles.push(title);
        }
    }
}

/// The number that a text begins with.
fn number(text: &str) -> Option<i16> {
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    text[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# a list for this test
Nobody, Before #GM
@PLAYER \"., -_*\"

Carlsen, Magnus #GM NOR [2882] 1990.11.30
   %Bio Title GM:2004
   %Bio FIDEID 1503014
   %Elo 2013:2861,2872,2872 2014.2872,?,2881
   %Elo nonsense 2015:2865
   = Karlsen, Magnus
   = Carlsen, Magnus
Petrosian, Tigran V #gm  URS [2645*] 1929.06.17--1984.08.13
   = Petrosjan, Tigran # with a j
Prince, Deprecated #-  IND [1005] 0000 i
   %Bio FIDEID 25765701deprecated
  = \u{fffd}
   indented words
...
@SITE \"., -_()\"
London
   = Londres
";

    #[test]
    fn facts_of_players() {
        let list = List::read(TEXT.as_bytes()).unwrap();
        let names: Vec<_> = list.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["Carlsen, Magnus", "Petrosian, Tigran V", "Prince, Deprecated"]);
        let [carlsen, petrosian, prince] = &list.players[..] else { panic!() };
        assert_eq!(
            (carlsen.fide_id, carlsen.elo, carlsen.born, carlsen.died),
            (Some(1_503_014), Some(2882), Some(1990), None)
        );
        assert_eq!((&carlsen.titles[..], carlsen.spellings.len()), (&["GM".to_owned()][..], 2));
        assert_eq!(carlsen.elos, [(2013, vec![2861, 2872, 2872]), (2014, vec![2872, 2881]), (2015, vec![2865])]);
        assert_eq!((petrosian.elo, petrosian.born, petrosian.died), (Some(2645), Some(1929), Some(1984)));
        assert_eq!((prince.fide_id, prince.born, prince.titles.len()), (None, None, 0));
        assert_eq!((list.year, list.unreadable), (2015, 4), "nonsense, a strange sign, words, dots");
        assert_eq!(list.with_id(1_503_014), Some(0));
        assert_eq!(list.whom_fits(&Spelling::new("Petrosjan, T")), [(1, Likeness::Initials)]);
        assert_eq!(list.whom_fits(&Spelling::new("magnus karlsen")), [(0, Likeness::Equal)]);
        assert_eq!(list.whom_fits(&Spelling::new("London")), []);
    }

    #[test]
    fn files_of_other_kinds() {
        let told = |text: &[u8]| List::read(text).unwrap_err().to_string();
        assert_eq!(told(b""), "it has no section @PLAYER");
        assert_eq!(told(b"[Event \"x\"]\n\n1. e4 *\n"), "it has no section @PLAYER");
        assert_eq!(told(b"@PLAYER \"\"\n# nobody\n"), "it names no players");
        assert_eq!(told(b"@PLAYER\n\x7fELF\0\0"), "it is not a text");
    }

    #[test]
    fn a_player_with_too_many_spellings() {
        let spellings: String =
            (0..3000_u32).map(|n| format!("= A, {}\n", char::from_u32(0x4e00 + n).unwrap())).collect();
        let list = List::read(format!("@PLAYER\nA, B\n{spellings}").as_bytes()).unwrap();
        assert_eq!((list.players[0].spellings.len(), list.unreadable), (MOST_SPELLINGS, 2001));
    }

    #[test]
    fn long_lines_and_other_encodings() {
        let long =
            format!("\u{ef}\u{bb}\u{bf}@PLAYER\n{}\nM\u{fc}ller, Karsten #GM GER [2541] 1970\n", "x".repeat(100_000));
        let latin: Vec<u8> = long.chars().map(|letter| letter as u8).collect();
        let list = List::read(&latin[..]).unwrap();
        assert_eq!(
            (list.players.len(), list.unreadable, list.players[0].name.as_str()),
            (1, 1, "M\u{fc}ller, Karsten")
        );
        for cut in 0..TEXT.len() {
            let _ = List::read(&TEXT.as_bytes()[..cut]);
        }
        for at in 0..TEXT.len() {
            let mut bytes = TEXT.as_bytes().to_vec();
            bytes[at] = b':';
            let _ = List::read(&bytes[..]);
        }
    }
}
