//! Writes a game with comments, glyphs and nested variations, as a commentator would; one game in four has clocks and
//! evaluations instead, as a server writes them.
//!
//! A comment of a dozen words follows every seventh half-move, a variation every twentieth. The words are English and
//! common in chess books, the frequent ones drawn more often, without any meaning. Stored sizes depend on that: real
//! prose has a larger vocabulary and more order.

use std::fmt::Write;

use shakmaty::san::SanPlus;
use shakmaty::{Chess, Move, Position};

use crate::play::sorted_moves;
use crate::rng::Rng;
use crate::{Game, push_word};

/// Frequent words first.
const WORDS: &str = "the a to is and of White Black with in it for on but this move not that pawn after position now has \
    be by his can king play better would at advantage was attack knight more rook bishop queen only if side from have also \
    an here good square draw won game center threat pieces are because one all line still than he could first which then \
    possible best before already long bad file so weak there time takes both some initiative counterplay must plan without \
    necessary course cannot pressure strong exchange their small gives open control idea who endgame against decisive even \
    too development d-file two mistake e5 loses ending way black-squared white-squared opponent forced instead clear active \
    later simply prevents opening passed new wins well made did however will between gambit defence variation theory \
    preparation sacrifice combination mating net blockade outpost bishops castling queenside kingside tempo zugzwang \
    stalemate perpetual novelty compensation majority isolated doubled backward diagonal seventh rank back-rank pin fork \
    skewer discovered check double desperado interference clearance deflection decoy overloaded underestimates \
    overestimates resignation premature accurate inaccurate patience technique precise calculation time-trouble adjourned \
    analysis world champion tournament round Capablanca Alekhine Lasker Botvinnik Tal Fischer Karpov Kasparov Steinitz \
    Morphy Rubinstein Nimzowitsch Petrosian Spassky Smyslov Korchnoi Bronstein Keres Euwe Réti Grünfeld Benoni Caro-Kann";

/// Glyphs and their weights.
const GLYPHS: [(&str, u32); 9] =
    [("!", 8), ("?", 7), ("!?", 5), ("?!", 5), ("!!", 1), ("??", 1), ("$14", 2), ("$16", 2), ("$10", 2)];

/// How deeply variations are nested.
const DEPTH: u32 = 3;

struct Writer<'o> {
    out: &'o mut String,
    /// The offset of the current line.
    line: usize,
    words: Vec<&'static str>,
    rng: Rng,
}

impl Writer<'_> {
    fn word(&mut self, word: &str) {
        push_word(self.out, &mut self.line, word);
    }

    /// A random word; the first ones are more likely.
    fn any_word(&mut self) -> &'static str {
        let n = self.words.len() as u32;
        let below = 1 + self.rng.below(n);
        let rank = self.rng.below(below);
        self.words[rank as usize]
    }

    fn comment(&mut self) {
        let count = 2 + self.rng.below(12) + if self.rng.one_in(5) { self.rng.below(60) } else { 0 };
        for n in 0..count {
            let word = self.any_word();
            let open = if n == 0 { "{" } else { "" };
            let close = match n + 1 {
                last if last == count => ".}",
                _ if self.rng.one_in(9) => ",",
                _ => "",
            };
            self.word(&format!("{open}{word}{close}"));
        }
    }

    fn number(&mut self, ply: usize, always: bool) {
        match ply % 2 {
            0 => self.word(&format!("{}.", ply / 2 + 1)),
            _ if always => self.word(&format!("{}...", ply / 2 + 1)),
            _ => (),
        }
    }

    /// Writes a move with glyphs and perhaps a comment. Returns whether the next move needs its number.
    fn annotated(&mut self, san: &str) -> bool {
        let glyph =
            if self.rng.one_in(6) { GLYPHS[self.rng.weighted(GLYPHS.iter().map(|(_, often)| *often))].0 } else { "" };
        match glyph.strip_prefix('$') {
            Some(_) => {
                self.word(san);
                self.word(glyph);
            }
            None => self.word(&format!("{san}{glyph}")),
        }
        let commented = self.rng.one_in(7);
        if commented {
            self.comment();
        }
        commented
    }

    /// Writes a variation that replaces a half-move of the game.
    fn variation(&mut self, mut pos: Chess, played: Move, ply: usize, depth: u32) {
        let first: Vec<Move> = sorted_moves(&pos).into_iter().filter(|found| *found != played).collect();
        if first.is_empty() {
            return;
        }
        let mut next = *self.rng.pick(&first);
        let plies = 1 + self.rng.below(8) as usize;
        let from = self.out.len();
        let mut number_due = true;
        for n in 0..plies {
            self.number(ply + n, number_due);
            let before = pos.clone();
            let san = SanPlus::from_move_and_play_unchecked(&mut pos, next).to_string();
            number_due = self.annotated(&san);
            if depth < DEPTH && self.rng.one_in(12) {
                self.variation(before, next, ply + n, depth + 1);
                number_due = true;
            }
            let legal = sorted_moves(&pos);
            if legal.is_empty() {
                break;
            }
            // Variations are mostly about captures and recaptures.
            let captures: Vec<Move> = legal.iter().copied().filter(|found| found.is_capture()).collect();
            next = if captures.is_empty() || self.rng.one_in(2) {
                *self.rng.pick(&legal)
            } else {
                *self.rng.pick(&captures)
            };
        }
        // The bracket precedes the first number, also at the start of a line.
        let at = from + usize::from(self.out[from..].starts_with([' ', '\n']));
        self.out.insert(at, '(');
        self.out.push(')');
    }
}

impl Game {
    /// Appends the game with annotations that depend only on `seed`.
    pub fn write_annotated(&self, seed: u64, out: &mut String) {
        let mut rng = Rng::new(seed);
        let by_server = rng.one_in(4);
        self.write_tags(out);
        let mut writer = Writer { line: out.len(), out, words: WORDS.split_whitespace().collect(), rng };
        let mut pos = Chess::default();
        let mut clocks = [1800i32; 2];
        let mut eval = 20i32;
        let mut number_due = true;
        if !by_server && writer.rng.one_in(3) {
            writer.comment();
        }
        for (ply, (found, san)) in self.moves.iter().zip(&self.sans).enumerate() {
            writer.number(ply, number_due);
            let before = pos.clone();
            pos.play_unchecked(*found);
            if by_server {
                let clock = &mut clocks[ply % 2];
                *clock = (*clock - writer.rng.between(1, 40)).max(1);
                eval += writer.rng.between(-30, 30);
                writer.word(&san.to_string());
                let mut text = String::new();
                // writing to a String cannot fail
                let _ = write!(
                    text,
                    "{{ [%eval {}{}.{:02}] [%clk {}:{:02}:{:02}] }}",
                    if eval < 0 { "-" } else { "" },
                    eval.abs() / 100,
                    eval.abs() % 100,
                    *clock / 3600,
                    *clock / 60 % 60,
                    *clock % 60
                );
                text.split(' ').for_each(|word| writer.word(word));
                number_due = true;
                continue;
            }
            number_due = writer.annotated(&san.to_string());
            if ply > 10 && writer.rng.one_in(20) {
                writer.variation(before, *found, ply, 1);
                number_due = true;
            }
        }
        writer.word(self.result);
        writer.out.push_str("\n\n");
    }
}

#[cfg(test)]
mod tests {
    use crate::Generator;

    fn annotated(games: usize) -> Vec<String> {
        let write = |(n, game): (usize, crate::Game)| {
            let mut out = String::new();
            game.write_annotated(n as u64, &mut out);
            out
        };
        Generator::new(4).take(games).enumerate().map(write).collect()
    }

    #[test]
    fn same_seed_same_annotations() {
        assert_eq!(annotated(20), annotated(20));
        assert_ne!(annotated(2)[0], annotated(2)[1]);
    }

    /// The annotated game is the same game, and brackets are balanced. Whether variations are legal is tested where
    /// they are parsed.
    #[test]
    fn main_lines_are_those_of_the_games() {
        for (text, game) in annotated(60).iter().zip(Generator::new(4)) {
            let (_, movetext) = text.split_once("\n\n").unwrap();
            let mut main = String::new();
            let (mut depth, mut comment) = (0, false);
            for char in movetext.chars() {
                match char {
                    '{' => comment = true,
                    '}' => comment = false,
                    '(' if !comment => depth += 1,
                    ')' if !comment => depth -= 1,
                    _ if depth == 0 && !comment => main.push(char),
                    _ => (),
                }
            }
            assert_eq!((depth, comment), (0, false));
            let words = main.split_whitespace().filter(|word| !word.ends_with('.') && !word.starts_with('$'));
            let words: Vec<_> = words.map(|word| word.trim_end_matches(['!', '?']).to_owned()).collect();
            let expected = game.sans.iter().map(ToString::to_string).chain([game.result.to_owned()]);
            assert_eq!(words, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn shape_of_the_annotations() {
        let text = annotated(400).concat();
        let count = |what: &str| text.matches(what).count();
        assert!(count("(") > 400 && count("{") > 400 * 7 && count("[%clk") > 400 * 10, "{}", count("("));
        assert!(count("((") == 0);
    }
}
