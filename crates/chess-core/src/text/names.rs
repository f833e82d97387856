//! Names of people as they are compared, in searches and in merges alike: takes a name as a file has it, returns its words in
//! lower case and plain Latin letters.
//!
//! One name has many spellings: `Müller`, `Mueller` and `Muller`; `Đorđević`, `Djordjevic` and `Dordevic`; `O'Kelly` and
//! `OKelly`. All of one kind have the same words: accents and apostrophes are left out, other punctuation separates words,
//! and letters beyond ASCII become those by which people replace them. Two letters that replace one are folded in words of
//! five letters or more, where `ue` is `ü`; in shorter ones they are not, because `Xue` is not `Xu`, and `Baek` not `Bak`.
//! Cyrillic letters are transliterated as the ICU and FIDE do; other scripts stay.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Names are cut off after this many characters.
pub const MAX_CHARS: usize = 200;

/// The least letters of a word in which two letters are folded into the one that they replace.
const LEAST_LETTERS: usize = 5;

/// Two letters that replace one.
const DIGRAPHS: [(&str, &str); 5] = [("ae", "a"), ("oe", "o"), ("ue", "u"), ("aa", "a"), ("dj", "d")];

/// The words of a name.
///
/// # Examples
///
/// ```
/// use chess_core::text::names::words;
///
/// assert_eq!(words("Mueller, Karsten"), ["muller", "karsten"]);
/// assert_eq!(words("K. MÜLLER"), ["k", "muller"]);
/// ```
pub fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let letters = name.chars().take(MAX_CHARS).filter(|letter| !is_apostrophe(*letter));
    for letter in letters.flat_map(|letter| std::iter::once(letter).nfkd()) {
        if is_combining_mark(letter) {
            continue;
        }
        if letter.is_alphanumeric() {
            letter.to_lowercase().for_each(|letter| push_plain(letter, &mut word));
        } else {
            push_word(&mut words, &mut word);
        }
    }
    push_word(&mut words, &mut word);
    words
}

/// The words of a name with blanks between them, at most 200 characters, which an index can hold.
pub fn fold(name: &str) -> String {
    let mut folded = words(name).join(" ");
    if let Some((end, _)) = folded.char_indices().nth(MAX_CHARS) {
        folded.truncate(end);
    }
    folded
}

fn push_word(words: &mut Vec<String>, word: &mut String) {
    if word.is_empty() {
        return;
    }
    let mut word = std::mem::take(word);
    if word.chars().filter(|letter| letter.is_alphabetic()).count() >= LEAST_LETTERS {
        for (two, one) in DIGRAPHS {
            if word.contains(two) {
                word = word.replace(two, one);
            }
        }
    }
    words.push(word);
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '`' | '´' | '‘' | '’' | '‛' | '′' | 'ʼ' | 'ʻ' | 'ʹ' | 'ʿ' | 'ʾ' | '＇')
}

/// Appends a lower-case letter without its accents as people spell it without that letter.
fn push_plain(letter: char, word: &mut String) {
    if letter.is_ascii() {
        return word.push(letter);
    }
    word.push_str(match letter {
        'ß' => "ss",
        'æ' | 'ə' => "a",
        'œ' | 'ø' => "o",
        'þ' => "th",
        'ł' | 'ŀ' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ŋ' => "n",
        'ŧ' => "t",
        'а' => "a",
        'б' => "b",
        'в' => "v",
        'г' | 'ґ' => "g",
        'д' => "d",
        'е' | 'э' | 'є' => "e",
        'ж' => "zh",
        'з' => "z",
        'и' | 'і' | 'ы' => "i",
        'ј' => "j",
        'к' => "k",
        'л' => "l",
        'љ' => "lj",
        'м' => "m",
        'н' => "n",
        'њ' => "nj",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' => "s",
        'т' => "t",
        'у' => "u",
        'ф' => "f",
        'х' => "kh",
        'ц' => "ts",
        'ч' | 'ћ' => "ch",
        'ш' => "sh",
        'щ' => "shch",
        'ю' => "yu",
        'я' => "ya",
        'ђ' => "d",
        'ь' | 'ъ' => "",
        _ => return word.push(letter),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_folded_alike() {
        let alike: [&[&str]; 19] = [
            &["Müller, K", "Mueller,K.", "MULLER, K", "Mu\u{308}ller K", "muller k"],
            &["Blübaum, Karl", "Bluebaum, Karl", "Blubaum, Karl"],
            &["Strauß", "Strauss", "STRAUẞ"],
            &["Æsir", "Aesir", "Asir"],
            &["Kjærgaard", "Kjaergaard", "Kjærgård"],
            &["Þorsteinsson", "Thorsteinsson"],
            &["Guðmundsson", "Gudmundsson"],
            &["Đorđević, Ivo", "Djordjevic, Ivo", "Dordevic, Ivo", "Ðorđević, Ivo"],
            &["Sørensen", "Soerensen", "Sorensen", "Sörensen"],
            &["Łukasz", "Lukasz"],
            &["O'Kelly", "OKelly", "O’Kelly", "O`Kelly", "Oʼkelly", "O´Kelly"],
            &[
                "Vachier-Lagrave, Maxime",
                "Vachier Lagrave,Maxime",
                "Vachier‐Lagrave, Maxime",
                "VACHIER – LAGRAVE Maxime",
            ],
            &["Petrosian, T.V.", "Petrosian, T V", "Petrosian,T. V."],
            &["Håkon", "Haakon"],
            &["Yılmaz", "Yilmaz", "YILMAZ"],
            &["İpek", "Ipek", "ipek"],
            &["Œuvre", "Oeuvre"],
            &["Карпов, Анатолий", "Karpov, Anatolii"],
            &["Nguyễn", "Nguyen"],
        ];
        for names in alike {
            for name in names {
                assert_eq!(fold(name), fold(names[0]), "{name}");
            }
        }
    }

    #[test]
    fn other_names_stay_apart() {
        for (one, other) in [("Xue, M", "Xu, M"), ("Baek", "Bak"), ("王皓", "王昊"), ("Joel", "Jol"), ("Ivan2", "Ivan")]
        {
            assert_ne!(fold(one), fold(other));
        }
        for (name, folded) in [("", ""), (" ,.- ", ""), ("'", ""), ("a,", "a"), ("R2-D2", "r2 d2"), ("王皓", "王皓")]
        {
            assert_eq!(fold(name), folded);
        }
        let long = fold(&"щ".repeat(300));
        assert_eq!(long.chars().count(), 200);
        assert_eq!(fold(&"ﷺ ".repeat(300)).chars().count(), 200);
    }

    /// What is folded stays as it is, also where letters come together only then.
    #[test]
    fn latin_names_are_folded_once() {
        for name in ["Müller", "Đorđević", "Kjærgaard", "Strauß", "Maaeue", "Adjjei"] {
            let folded = fold(name);
            assert!(folded.is_ascii(), "{folded}");
        }
    }
}
