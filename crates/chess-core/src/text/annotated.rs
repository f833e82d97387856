//! Annotated move text: comments, glyphs and variations of a game.
//!
//! Takes the start of a game and the text of its moves as its author has written them. That text is stored beside the
//! packed game ([`crate::text::read_pgn::PgnGame::annotated`]), so that nothing of it is lost.
//! * [`notes`] returns the annotations of each half-move, [`variations`] every variation as a whole game
//! * [`stream`] compares texts except for their layout
//!
//! [`crate::text::tree`] has all of it at once, for those who show or write the game.
//!
//! Clocks and evaluations in columns are inserted by [`crate::text::clocks_evals`]. Time and memory are linear in the text,
//! apart from the games of [`variations`].

use std::borrow::Cow;

use crate::game::Game;
use crate::game::start::GameStart;
use crate::pause::Pauses;
use crate::text::tokens::{TokenKind, Tokens};
use crate::text::walk::{Event, LineEnd, Walk};

/// Replaces NUL bytes, which PostgreSQL cannot store: in comments by U+FFFD, elsewhere by spaces.
pub fn without_nul(text: &str) -> Cow<'_, str> {
    if !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut tokens = Tokens::new(text, 0);
    let mut written = 0;
    while let Some(token) = tokens.next_with_notes() {
        if matches!(token.kind, TokenKind::Comment | TokenKind::LineComment | TokenKind::UnterminatedComment) {
            out.push_str(&text[written..token.at].replace('\0', " "));
            out.push_str(&token.text.replace('\0', "\u{fffd}"));
            written = token.at + token.text.len();
        }
    }
    out.push_str(&text[written..].replace('\0', " "));
    Cow::Owned(out)
}

/// The annotations of a half-move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The line: 0 is the main line, others are variations.
    pub line: u32,
    /// The half-move, numbered as in the game. In a line without half-moves, that before the line.
    pub ply: u32,
    /// The comments before it: at the start of a line, after its number, or after a variation. White space is folded. Words
    /// that are neither moves nor signs count as comments.
    pub before: String,
    /// The numbers of its glyphs.
    pub glyphs: Vec<u32>,
    /// The comments after it.
    pub after: String,
}

impl Note {
    fn is_empty(&self) -> bool {
        self.before.is_empty() && self.glyphs.is_empty() && self.after.is_empty()
    }
}

fn add(text: &mut String, comment: &str) {
    let mut pauses = Pauses::default();
    for word in comment.split_whitespace() {
        pauses.step();
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

/// The annotations in a text, ordered by line and half-move.
///
/// # Examples
///
/// ```
/// use chess_core::game::start::GameStart;
/// use chess_core::text::annotated::notes;
///
/// let notes = notes(GameStart::standard(), "{Best by test.} 1. e4! e5 (1... c5 {sharp}) {So} 2. Nf3 $10 {quiet}");
/// let texts: Vec<_> = notes.iter().map(|note| (note.line, note.ply, &*note.before, &*note.after)).collect();
/// assert_eq!(texts, [(0, 1, "Best by test.", ""), (0, 3, "So", "quiet"), (1, 2, "", "sharp")]);
/// assert_eq!((&notes[0].glyphs[..], &notes[1].glyphs[..]), (&[1][..], &[10][..]));
/// ```
pub fn notes(start: &GameStart, text: &str) -> Vec<Note> {
    let mut found = Vec::new();
    // For each open line: its last half-move, comments before the next one, and whether comments go there.
    let mut open = vec![(Note::default(), String::new(), true)];
    let close = |(mut note, before, _): (Note, String, bool), found: &mut Vec<Note>| {
        add(&mut note.after, &before);
        if !note.is_empty() {
            found.push(note);
        }
    };
    Walk::new(start, text).each(|walk, event| {
        let (note, before, comes_next) = open.last_mut().expect("the main line");
        match event {
            Event::Move => {
                let next =
                    Note { line: walk.number(), ply: walk.ply(), before: std::mem::take(before), ..Note::default() };
                let done = std::mem::replace(note, next);
                *comes_next = false;
                if !done.is_empty() {
                    found.push(done);
                }
            }
            Event::Comment(text) | Event::Remark(text) => {
                add(if *comes_next { before } else { &mut note.after }, text);
            }
            Event::Glyph(number) => note.glyphs.push(number),
            Event::Open => {
                let note = Note { line: walk.number(), ply: walk.ply(), ..Note::default() };
                open.push((note, String::new(), true));
            }
            Event::Close if open.len() > 1 => {
                close(open.pop().expect("a line that closes"), &mut found);
                if let Some((_, _, comes_next)) = open.last_mut() {
                    *comes_next = true;
                }
            }
            Event::Close | Event::Result(_) | Event::Word(_) => (),
        }
    });
    while let Some(line) = open.pop() {
        close(line, &mut found);
    }
    found.sort_by_key(|note| (note.line, note.ply));
    found
}

/// A variation as a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// Its number, from 1, in the order of opening brackets.
    pub number: u32,
    /// The number of the parent line, 0 for the main line.
    pub parent: u32,
    /// Its first half-move, numbered as in the game.
    pub ply: u32,
    /// The game up to the end of the variation, with unknown result.
    pub line: Game,
    /// Why it ends before its text.
    pub end: Option<LineEnd>,
}

/// The maximum size in bytes of games that are buffered so that outer variations come before inner ones.
const MOST_HELD: usize = 16 << 20;

/// Calls `visit` with each variation in the order of their numbers, so that each comes before those inside it, unless
/// buffering them would take more than 16 MiB.
pub fn variations(start: &GameStart, chess960: bool, text: &str, mut visit: impl FnMut(Variation)) {
    // A variation is complete when it closes, after those inside it.
    let mut inner: Vec<Variation> = Vec::new();
    let mut held = 0;
    Walk::new(start, text).each(|walk, event| {
        if event == Event::Close && walk.too_deep == 0 && walk.number() > 0 {
            inner.push(Variation {
                number: walk.number(),
                parent: walk.parent(),
                ply: walk.first_ply(),
                line: walk.game(chess960),
                end: walk.line_end().cloned(),
            });
            held += inner.last().map_or(0, |variation| variation.line.as_bytes().len());
            if walk.parent() == 0 || held > MOST_HELD {
                held = 0;
                inner.sort_unstable_by_key(|variation| variation.number);
                inner.drain(..).for_each(&mut visit);
            }
        }
    });
}

/// The contents of an annotated text without its layout: moves, comments with folded white space, glyphs, brackets and
/// results, in order. Texts that differ only in layout have equal streams.
pub fn stream(start: &GameStart, text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    Walk::new(start, text).each(|walk, event| {
        parts.push(match event {
            Event::Move => format!("{:?}", walk.last_step()),
            Event::Comment(comment) => {
                let mut folded = String::from("{");
                add(&mut folded, comment);
                folded
            }
            Event::Glyph(number) => format!("${number}"),
            Event::Open => "(".into(),
            Event::Close => ")".into(),
            Event::Result(result) => result.as_str().into(),
            Event::Word(word) | Event::Remark(word) => format!("\"{word}"),
        });
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::movetext;
    use crate::text::tree::Tree;

    fn lines(text: &str) -> Vec<(u32, u32, u32, String, Option<String>)> {
        let mut found = Vec::new();
        variations(GameStart::standard(), false, text, |line| {
            let moves = movetext::write(line.line.view()).unwrap();
            found.push((line.number, line.parent, line.ply, moves, line.end.map(|end| end.to_string())));
        });
        found
    }

    #[test]
    fn variations_of_variations_are_whole_games() {
        let text = "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5) (2. Nc3) d6) (1... e6) 2. Nf3 (2. f4 exf4 3. Nf3) Nc6 1-0";
        let moves: Vec<_> = lines(text).into_iter().map(|(n, parent, ply, moves, _)| (n, parent, ply, moves)).collect();
        let expected = [
            (1, 0, 2, "1. e4 c5 2. Nf3 d6"),
            (2, 1, 3, "1. e4 c5 2. c3 d5"),
            (3, 1, 3, "1. e4 c5 2. Nc3"),
            (4, 0, 2, "1. e4 e6"),
            (5, 0, 3, "1. e4 e5 2. f4 exf4 3. Nf3"),
        ];
        assert_eq!(moves, expected.map(|(n, parent, ply, moves)| (n, parent, ply, moves.to_string())));
        assert_eq!(
            movetext::write(Tree::read(GameStart::standard(), false, text).game.view()).unwrap(),
            "1. e4 e5 2. Nf3 Nc6 1-0"
        );
    }

    #[test]
    fn a_line_ends_at_what_cannot_be_played() {
        let text = "(1. d4) 1. e4 (1. c4 -- {threat} 2. Nc3 (2. Nf3)) e5 (1... e9 c5) 2. Nf3 (2. Ke3) Nc6 (2... d6";
        let ends: Vec<_> =
            lines(text).into_iter().map(|(n, _, _, moves, end)| (n, moves, end.unwrap_or_default())).collect();
        let expected = [
            (1, "1. d4", ""),
            (2, "1. c4", "half-move 2, \"--\": null moves are not supported"),
            (3, "1. c4", "half-move 2, \"--\": null moves are not supported"),
            (4, "1. e4", "half-move 2, \"e9\": not a move in standard algebraic notation"),
            (5, "1. e4 e5", "half-move 3, \"Ke3\": illegal move"),
            (6, "1. e4 e5 2. Nf3 d6", ""),
        ];
        assert_eq!(ends, expected.map(|(n, moves, end)| (n, moves.to_string(), end.to_string())));
        let notes = notes(GameStart::standard(), text);
        let written: Vec<_> = notes.iter().map(|note| (note.line, note.ply, &*note.after)).collect();
        assert_eq!(written, [(2, 2, "threat"), (4, 1, "e9 c5"), (5, 2, "Ke3")]);
    }

    /// Also where the main line cannot go on, whatever stops it.
    #[test]
    fn a_variation_begins_before_the_move_that_it_replaces() {
        for stop in ["Ke3", "e9", "--", "Nd2", "hello", "2. Ke3? $2 {no}"] {
            let text = format!("1. e4 e5 2. Nf3 Nc6 3. {stop} (3. d4 exd4 (3... d5)) (3. Bb5) Nf6 (3... d6) *");
            let found: Vec<_> = lines(&text)
                .into_iter()
                .map(|(_, parent, ply, moves, end)| (parent, ply, moves, end.is_some()))
                .collect();
            let expected = [
                (0, 5, "1. e4 e5 2. Nf3 Nc6 3. d4 exd4", false),
                (1, 6, "1. e4 e5 2. Nf3 Nc6 3. d4 d5", false),
                (0, 5, "1. e4 e5 2. Nf3 Nc6 3. Bb5", false),
                // nobody knows the position after the move that stops the game
                (0, 5, "1. e4 e5 2. Nf3 Nc6", true),
            ];
            assert_eq!(
                found,
                expected.map(|(parent, ply, moves, ends)| (parent, ply, moves.to_string(), ends)),
                "{text}"
            );
        }
        // A variation goes on after a null move, and so do those in it.
        let text = "1. e4 e5 (1... -- 2. d4 {threat} (2. Nf3 Nc6) d5 $1) 2. Nf3";
        let read: Vec<_> =
            notes(GameStart::standard(), text).into_iter().map(|note| (note.line, note.ply, note.after)).collect();
        assert_eq!(read, [(1, 3, "threat".to_string()), (1, 4, String::new())]);
        assert_eq!(lines(text).iter().map(|line| &*line.3).collect::<Vec<_>>(), ["1. e4", "1. e4"]);
    }

    /// As when reading a game, signs attached to the result are neither a move nor another result.
    #[test]
    fn signs_behind_the_result_say_nothing() {
        for (text, signs) in [("1. e4 e5 *[%", "[%"), ("1. e4 e5 1-0]*", "]*"), ("1. e4 e5 0-1}--", "}--")] {
            let main = Tree::read(GameStart::standard(), false, text);
            assert_eq!((Ok(main.game), main.end), (movetext::read(text), None), "{text}");
            assert_eq!(stream(GameStart::standard(), text).last().unwrap(), &format!("\"{signs}"));
        }
    }

    /// Read as the move number `9)`, the bracket would not close the variation.
    #[test]
    fn a_variation_ends_at_its_bracket() {
        for text in [
            "1. e4 (1. d4 2..9) e5",
            "1. e4 (1. d4 2) e5",
            "1. e4 (1. d4 ( 2) 9) e5",
            "1. e4 (1. d4 {{b} -- 2. c4 (2. e4)) e5 (1... c5 {x} y}) *",
        ] {
            let main = Tree::read(GameStart::standard(), false, text);
            assert_eq!(movetext::write(main.game.view()).unwrap(), "1. e4 e5", "{text}");
        }
    }

    #[test]
    fn notes_stand_where_they_are_written() {
        let text = "{a  b\n c} 1. e4!? {x} $14 {y} e5 +- (1... c5?! {s} (1... d5 ) {t}) 2. {u} Nf3 N ; line\n%skip\n d6 $300 $99999999999 *";
        let found: Vec<_> = notes(GameStart::standard(), text)
            .into_iter()
            .map(|n| (n.line, n.ply, n.before, n.glyphs, n.after))
            .collect();
        let note = |line, ply, before: &str, glyphs: &[u32], after: &str| {
            (line, ply, before.to_string(), glyphs.to_vec(), after.to_string())
        };
        assert_eq!(
            found,
            [
                note(0, 1, "a b c", &[5, 14], "x y"),
                note(0, 2, "", &[18], ""),
                note(0, 3, "u", &[146], "line"),
                note(0, 4, "", &[300], "$99999999999"),
                note(1, 2, "", &[6], "s t"),
            ]
        );
    }

    /// Every sign, attached to a move, apart from it, and before a comment, is a glyph, and the moves go on.
    #[test]
    fn signs_of_books_are_glyphs() {
        let signs: [(u32, &[&str]); 27] = [
            (1, &["!", "！"]),
            (2, &["?"]),
            (3, &["!!", "‼", "‼️"]),
            (4, &["??", "⁇"]),
            (5, &["!?", "⁉"]),
            (6, &["?!", "⁈"]),
            (7, &["□", "☐"]),
            (10, &["=", "＝"]),
            (13, &["∞", "~"]),
            (14, &["⩲", "+=", "+/="]),
            (15, &["⩱", "=+", "=/+"]),
            (16, &["±", "+/-", "+/−"]),
            (17, &["∓", "-/+"]),
            (18, &["+-", "+−", "+–"]),
            (19, &["-+", "−+"]),
            (22, &["⨀", "⊙"]),
            (26, &["○"]),
            (32, &["⟳", "↑↑"]),
            (36, &["↑"]),
            (40, &["→"]),
            (44, &["=∞", "⯹"]),
            (132, &["⇆", "⇄"]),
            (138, &["⊕", "⨁"]),
            (140, &["∆", "Δ", "△"]),
            (141, &["∇", "▽"]),
            (142, &["⌓"]),
            (245, &["⊥"]),
        ];
        let apart = [
            (7, "[]"),
            (18, "+ -"),
            (19, "− +"),
            (14, "+ ="),
            (16, "+ / -"),
            (22, "(.)"),
            (40, "->"),
            (132, "<=>"),
            (138, "(+)"),
            (140, "/\\"),
            (142, ">="),
            (143, "<="),
            (145, "RR"),
            (146, "N"),
            (146, "TN"),
            (241, "[+]"),
            (244, "×"),
        ];
        let both = |number: u32, text: String| {
            let game = movetext::read("1. Nf3 Nf6 2. g3").unwrap();
            let read = crate::text::read_pgn::games(&text).next().unwrap();
            assert_eq!(read.game.as_ref(), Ok(&game), "{text}");
            let found = notes(GameStart::standard(), read.annotated.as_deref().unwrap_or_default());
            let glyphs: Vec<_> = found.iter().map(|note| (note.ply, &note.glyphs[..])).collect();
            assert_eq!(glyphs, [(1, &[number][..]), (2, &[number])], "{text}");
        };
        for (number, sign) in signs.iter().flat_map(|(number, signs)| signs.iter().map(|sign| (*number, *sign))) {
            both(number, format!("1. Nf3 {sign} Nf6 {sign} 2. g3"));
            both(number, format!("1. Nf3{sign} Nf6{sign} {{x}} 2. g3").replace("{x} ", ""));
            both(number, format!("1.Nf3{sign} 1...Nf6{sign}\n2.g3"));
        }
        for (number, sign) in apart {
            both(number, format!("1. Nf3 {sign} Nf6 {sign} 2. g3"));
        }
        // a sign that is none of these ends no game, and is kept
        for sign in ["🔥", "⚡", "★", "^^", "\u{2661}", "<3>"] {
            let text = format!("1. Nf3 {sign} Nf6 2. g3");
            let read = crate::text::read_pgn::games(&text).next().unwrap();
            assert_eq!(read.game, movetext::read("1. Nf3 Nf6 2. g3").map_err(|_| unreachable!()), "{text}");
            assert_eq!(read.annotated.as_deref(), Some(&*text));
        }
    }

    #[test]
    fn a_stream_is_all_but_layout() {
        let start = GameStart::standard();
        let text = "1.e4! {king's pawn} e5\n(1...c5 {sharp} 2.Nf3) 2.Nf3$1 1/2";
        let other = "1. e2-e4 $1 {king's\n pawn } 1... e5 (1... c5 {sharp} 2. Nf3 ) 2. Nf3 $1 1/2-1/2";
        assert_eq!(stream(start, text), stream(start, other));
        for changed in [
            "1.e4 {king's pawn} e5 (1...c5 {sharp} 2.Nf3) 2.Nf3$1 1/2",
            "1.e4! {king's pawn} e5 (1...c5 {sharp}) 2.Nf3$1 1/2",
            "1.e4! {king's  pawn} e5 (1...c5 {sharp} 2.Nf3) 2.Nf3$1 1-0",
            "1.e4! {king's pawns} e5 (1...c5 {sharp} 2.Nf3) 2.Nf3$1 1/2",
            "1.e4! {king's pawn} e5 (1...c5 {sharp} 2.Nc3) 2.Nf3$1 1/2",
        ] {
            assert_ne!(stream(start, text), stream(start, changed));
        }
    }

    #[test]
    fn nul_bytes_leave_a_trace_in_comments_alone() {
        assert_eq!(without_nul("1. e4 {\u{e9}\0} \0 e5 ; \0"), "1. e4 {\u{e9}\u{fffd}}   e5 ; \u{fffd}");
        assert!(matches!(without_nul("1. e4 {x}"), Cow::Borrowed("1. e4 {x}")));
    }

    #[test]
    fn depth_and_length_take_their_time_and_no_more() {
        let start = GameStart::standard();
        let deep = |n: usize| format!("1. e4 {} {}", "(1. d4 ".repeat(n), ")".repeat(n));
        let mut count = 0;
        variations(start, false, &deep(1000), |line| {
            count += 1;
            assert_eq!(movetext::write(line.line.view()).unwrap(), "1. d4");
        });
        assert_eq!(count, 1000);
    }
}
