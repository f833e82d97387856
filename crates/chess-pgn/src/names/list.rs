//! Reads the sections of events and sites of a list in the .ssp form of Scid: names with their other spellings, and rules
//! that rewrite the beginning, the inside or the end of a name. In: the text. Out: which name of the list another one
//! stands for.

use std::collections::HashMap;
use std::io::BufRead;

use anyhow::{Context, Result, bail};

use super::{Of, Verdict};
use crate::merges::NameList;
use crate::players::list::read_section;
use crate::spelling::key;

/// Longer names are left alone: they are no names, and rules could make them longer still.
const MAX_NAME: usize = 500;

/// Which part of a name a rule rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Prefix,
    Infix,
    Suffix,
}

/// A list of events or sites.
#[derive(Debug, Default)]
pub struct List {
    names: Vec<String>,
    rules: Vec<(Part, String, String)>,
    by_key: HashMap<String, usize>,
    /// The names of sites without the country behind them.
    by_city: HashMap<String, Vec<usize>>,
    unreadable: u64,
}

impl List {
    /// Reads a list.
    ///
    /// # Errors
    ///
    /// The file is of another kind, or has no such names.
    pub fn of_file(file: &NameList, of: Of) -> Result<List> {
        List::read(&file.bytes[..], of).with_context(|| format!("cannot use {} as a list of {}", file.path, of.table()))
    }

    /// Reads the text of a list.
    ///
    /// # Errors
    ///
    /// As [`List::of_file`].
    pub fn read(source: impl BufRead, of: Of) -> Result<List> {
        let wanted = match of {
            Of::Events => "EVENT",
            Of::Sites => "SITE",
        };
        let mut list = List::default();
        read_section(source, wanted, |line| list.unreadable += u64::from(!list.take(line)))?;
        if list.names.is_empty() && list.rules.is_empty() {
            bail!("it names no {}", of.table());
        }
        if of == Of::Sites {
            for (number, name) in list.names.iter().enumerate() {
                if let Some(city) = city(name) {
                    list.by_city.entry(key(city)).or_default().push(number);
                }
            }
        }
        Ok(list)
    }

    /// The number of lines that could not be read.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Takes a line of the section. Returns false if it means nothing.
    fn take(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        match text.chars().next() {
            None | Some('#') => true,
            Some('%') => {
                let parts: Vec<&str> = text[1..].split('"').collect();
                let part = match parts[0].trim() {
                    "Prefix" => Part::Prefix,
                    "Infix" => Part::Infix,
                    "Suffix" => Part::Suffix,
                    _ => return false,
                };
                let &[_, from, _, to, ..] = &parts[..] else { return false };
                if !from.is_empty() {
                    self.rules.push((part, from.to_owned(), to.to_owned()));
                }
                !from.is_empty()
            }
            Some('=') => match self.names.len() {
                0 => false,
                count => self.add(&text[1..], count - 1),
            },
            Some(_) if text.len() < line.len() => false,
            Some(_) => {
                let name = text.split('#').next().unwrap_or_default().trim();
                let added = self.add(name, self.names.len());
                if added {
                    self.names.push(name.to_owned());
                }
                added
            }
        }
    }

    /// Adds a spelling of a name. Of equal spellings the first one counts.
    fn add(&mut self, spelling: &str, number: usize) -> bool {
        let key = key(spelling.split('#').next().unwrap_or_default());
        let readable = !key.is_empty() && spelling.len() <= MAX_NAME;
        if readable {
            self.by_key.entry(key).or_insert(number);
        }
        readable
    }

    /// Which name a name stands for.
    pub fn decide(&self, name: &str) -> Verdict {
        if name.len() > MAX_NAME {
            return Verdict::Unknown;
        }
        let is = |number: usize, reason, score| Verdict::Is(self.names[number].clone(), reason, score);
        if let Some(&number) = self.by_key.get(&key(name)) {
            return is(number, "spelling", 0.99);
        }
        let rewritten = self.rewritten(name);
        // Rules that leave nothing say nothing about the name.
        if rewritten != name && !rewritten.is_empty() {
            return match self.by_key.get(&key(&rewritten)) {
                Some(&number) => is(number, "rule", 0.98),
                None => Verdict::Is(rewritten, "rule", 0.98),
            };
        }
        match self.by_city.get(&key(name)).map(Vec::as_slice) {
            Some(&[only]) => is(only, "the only place of this name", 0.95),
            Some(several) => {
                let names = several.iter().map(|number| self.names[*number].clone());
                Verdict::Doubtful(names.collect(), "several places of this name")
            }
            None => Verdict::Unknown,
        }
    }

    /// The name after all rules: one for its beginning, then those for its inside and its end.
    fn rewritten(&self, name: &str) -> String {
        let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let mut name = name.to_owned();
        let mut begun = false;
        for (part, from, to) in &self.rules {
            match part {
                Part::Prefix => {
                    let Some(rest) = name.strip_prefix(from.as_str()).filter(|_| !begun) else { continue };
                    // `ch-AUS` is not the beginning of `ch-AUSTRIA`.
                    if !(is_word(from.chars().next_back()) && is_word(rest.chars().next())) {
                        (name, begun) = (format!("{to}{rest}"), true);
                    }
                }
                Part::Infix => name = name.replace(from.as_str(), to),
                Part::Suffix => {
                    let Some(rest) = name.strip_suffix(from.as_str()) else { continue };
                    if !(is_word(from.chars().next()) && is_word(rest.chars().next_back())) {
                        name = format!("{rest}{to}");
                    }
                }
            }
            if name.len() > 2 * MAX_NAME {
                break;
            }
        }
        name.trim().to_owned()
    }
}

/// A site without its country, if it ends with one: `London ENG`.
pub fn city(site: &str) -> Option<&str> {
    let (city, country) = site.rsplit_once([' ', ','])?;
    let is_country = country.len() == 3 && country.bytes().all(|byte| byte.is_ascii_uppercase());
    is_country.then(|| city.trim_end_matches([' ', ','])).filter(|city| !city.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
@PLAYER \"., \"
Carlsen, Magnus #GM NOR [2882] 1990
@SITE \"., -_()\"
# places
%Suffix \"(Spain)\" \"ESP\"
%Suffix \" SPA\" \" ESP\"
%Nonsense \"a\" \"b\"
%Suffix \"x
London ENG
London CAN
Linares ESP # Jaen
   = Linares Jaen
   = Linares (Andalusia)
   indented
St Petersburg RUS
@EVENT \",. -_\"
%Prefix \"ch-ESP\" \"ESP Ch\"
%Prefix \"II \" \"2. \"
%Infix \"1st \" \"1. \"
%Infix \" \" \" \"
%Suffix \" mem\" \" Memorial\"
%Prefix \"Training\" \"\"
Capablanca Memorial
";

    fn decided(name: &str, of: Of) -> String {
        match List::read(TEXT.as_bytes(), of).unwrap().decide(name) {
            Verdict::Is(name, reason, _) => format!("{name}: {reason}"),
            Verdict::Doubtful(names, _) => names.join(" or "),
            Verdict::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn sites() {
        for (name, expected) in [
            ("LINARES, ESP", "Linares ESP: spelling"),
            ("Linares (Jaén)", "Linares ESP: spelling"),
            ("Linares (Spain)", "Linares ESP: rule"),
            ("Linares SPA", "Linares ESP: rule"),
            ("Linares", "Linares ESP: the only place of this name"),
            ("Vigo SPA", "Vigo ESP: rule"),
            ("St. Petersburg", "St Petersburg RUS: the only place of this name"),
            ("London", "London ENG or London CAN"),
            ("Oslo", "unknown"),
            ("indented", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(decided(name, Of::Sites), expected, "{name}");
        }
        assert_eq!(List::read(TEXT.as_bytes(), Of::Sites).unwrap().unreadable(), 3, "nonsense, no end, indented");
    }

    #[test]
    fn events() {
        for (name, expected) in [
            ("Capablanca mem", "Capablanca Memorial: rule"),
            ("II Capablanca mem", "2. Capablanca Memorial: rule"),
            ("21st Open", "21. Open: rule"),
            ("ch-ESP", "ESP Ch: rule"),
            ("ch-ESP U18", "ESP Ch U18: rule"),
            ("ch-ESPANA", "unknown"),
            ("XII Open", "unknown"),
        ] {
            assert_eq!(decided(name, Of::Events), expected, "{name}");
        }
        assert_eq!(decided(&"1st ".repeat(1000), Of::Events), "unknown");
        assert_eq!(decided("Training", Of::Events), "unknown", "a rule leaves nothing");
    }

    #[test]
    fn other_kinds_and_encodings() {
        let told = |text: &[u8]| List::read(text, Of::Sites).unwrap_err().to_string();
        assert_eq!(told(b""), "it has no section @SITE");
        assert_eq!(told(b"@SITE \"\"\n# nothing\n"), "it names no sites");
        assert_eq!(told(b"@SITE\n\x7fELF\0\0"), "it is not a text");
        let latin = b"\xef\xbb\xbf@SITE \"\"\nM\xfcnchen GER\n";
        assert_eq!(List::read(&latin[..], Of::Sites).unwrap().names, ["M\u{fc}nchen GER"]);
        for cut in 0..TEXT.len() {
            let _ = List::read(&TEXT.as_bytes()[..cut], Of::Events);
        }
    }

    #[test]
    fn cities() {
        assert_eq!(
            (city("London ENG"), city("London, ENG"), city("London"), city(" ENG")),
            (Some("London"), Some("London"), None, None)
        );
    }
}
