//! An annotated move text as a tree: moves, comments, glyphs and variations.
//!
//! Takes the start of a game and the text of its moves in any notation; [`Tree::read`] returns its nodes, which whoever
//! shows, exports or compares the game uses instead of the text. The tree has only what PGN in export format can express,
//! so that [`crate::text::write_pgn`] writes any tree, and reads the same tree again:
//! * a variation follows a move that it replaces. One that replaces no readable move becomes a comment
//! * words that are not moves become comments, among them those after the end of a line
//! * escape lines, and signs that only separate words or mark a check, are left out
//!
//! Comments are slices of the text. Time and memory are linear in it.

use std::fmt;
use std::ops::Deref;

use crate::board::fen;
use crate::game::start::GameStart;
use crate::game::{Game, GameResult};
use crate::pause::Pauses;
use crate::text::one_move::push_uci;
use crate::text::walk::{Event, LineEnd, Walk};

/// A move in SAN or UCI: eight bytes at most, so that a tree takes little more memory than its text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Word {
    len: u8,
    bytes: [u8; 8],
}

impl Word {
    fn new(text: &str) -> Word {
        let mut word = Word { len: text.len() as u8, bytes: [0; 8] };
        word.bytes[..text.len()].copy_from_slice(text.as_bytes());
        word
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// A position with what is written beside the move that leads to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node<'a> {
    /// The place in [`Tree::nodes`] of the node before the move; less than its own.
    pub parent: u32,
    /// The number of half-moves since the start of the game.
    pub ply: u32,
    /// Whether the move begins a variation: of all moves from the same node, one alone does not, which the others replace.
    pub begins_variation: bool,
    /// The move; `--` for a null move, which occurs in variations. Empty at the start.
    pub san: Word,
    /// The move in UCI; `0000` for a null move.
    pub uci: Word,
    /// The FEN of the position after a null move, which no legal move reaches.
    pub fen: Option<Box<str>>,
    /// Comments before the move: at the beginning of a variation, or after one.
    pub before: Vec<&'a str>,
    /// The numbers of its glyphs.
    pub glyphs: Vec<u32>,
    /// Comments after it, or about the start.
    pub after: Vec<&'a str>,
}

/// An annotated game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<'a> {
    /// The start of the game first, then each move after the one before it, in the order of the text.
    pub nodes: Vec<Node<'a>>,
    /// The main line, or its readable beginning.
    pub game: Game,
    /// The result in the text, which may be `*`.
    pub result: Option<GameResult>,
    /// Why the main line ends before its text.
    pub end: Option<LineEnd>,
}

impl<'a> Tree<'a> {
    /// Reads a text.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::game::start::GameStart;
    /// use chess_core::text::tree::Tree;
    ///
    /// let tree = Tree::read(GameStart::standard(), false, "1. e2-e4! {best} e7:e5?! (1... c5 2. ♘f3) 2. Sf3");
    /// let nodes: Vec<_> = tree.nodes.iter().map(|node| (node.parent, &*node.san)).collect();
    /// assert_eq!(nodes, [(0, ""), (0, "e4"), (1, "e5"), (1, "c5"), (3, "Nf3"), (2, "Nf3")]);
    /// assert_eq!((&tree.nodes[1].glyphs[..], &tree.nodes[1].after[..]), (&[1][..], &["best"][..]));
    /// ```
    pub fn read(start: &GameStart, chess960: bool, text: &'a str) -> Tree<'a> {
        let mut builder = Builder::new(text, chess960);
        let mut walk = Walk::new(start, text);
        let mut result = None;
        let mut pauses = Pauses::default();
        while let Some(event) = walk.next_event() {
            pauses.step();
            if let Event::Result(found) = event {
                // of several results, the first known one
                result = result.filter(|known| *known != GameResult::Unknown).or(Some(found));
            }
            let closes = event == Event::Close;
            builder.take(&walk, event);
            if closes {
                walk.close();
            }
        }
        // Lines that the text leaves open end with it.
        while walk.lines.len() > 1 {
            walk.too_deep = 0;
            walk.close();
        }
        let nodes = builder.finish();
        let end = walk.line_end().cloned();
        let game = walk.recorder.finish(result.unwrap_or_default(), chess960);
        Tree { nodes, game, result, end }
    }
}

/// An open line.
#[derive(Debug, Default)]
struct Open<'a> {
    /// Its last node, or the one from which it begins.
    last: usize,
    /// The offset of its bracket.
    from: usize,
    /// The number of nodes before it.
    nodes: usize,
    has_moves: bool,
    /// Comments and glyphs before the next move.
    before: Vec<&'a str>,
    glyphs: Vec<u32>,
    /// Whether comments belong to the next move.
    comes_next: bool,
    /// The range of words that are not moves.
    words: Option<(usize, usize)>,
    /// Whether there were such words, or glyphs before its first move.
    says_more: bool,
    /// The ranges of variations before its first move.
    early: Vec<(usize, usize)>,
}

/// Makes nodes of the parts of a text.
struct Builder<'a> {
    text: &'a str,
    chess960: bool,
    nodes: Vec<Node<'a>>,
    lines: Vec<Open<'a>>,
    /// The depth of brackets within text that is kept as a comment.
    skipped: u32,
    /// The move that is written.
    word: String,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, chess960: bool) -> Builder<'a> {
        // Comments before the first move are about the start.
        let main = Open { nodes: 1, ..Open::default() };
        Builder { text, chess960, nodes: vec![Node::default()], lines: vec![main], skipped: 0, word: String::new() }
    }

    fn line(&mut self) -> &mut Open<'a> {
        self.lines.last_mut().expect("the main line stays open")
    }

    fn take(&mut self, walk: &Walk<'_, 'a>, event: Event<'a>) {
        let at = walk.at();
        if self.skipped > 0 {
            match event {
                Event::Open => self.skipped += 1,
                Event::Close if self.skipped == 1 => {
                    self.skipped = 0;
                    self.say(at, at);
                }
                Event::Close => self.skipped -= 1,
                _ => (),
            }
            return;
        }
        match event {
            // The main line has no move that such a variation would replace.
            Event::Open if walk.is_in_ended_line() => {
                self.skipped = 1;
                self.say(at - 1, at);
            }
            Event::Open => self.open(at - 1),
            Event::Close => self.close(at),
            Event::Move => self.play(walk),
            Event::Comment(text) => {
                self.end_words();
                self.comment(text);
            }
            Event::Glyph(_) if walk.is_over() => self.go_on_saying(at),
            Event::Glyph(number) => self.glyph(number),
            Event::Remark(word) => {
                let from = word.as_ptr() as usize - self.text.as_ptr() as usize;
                self.say(from, from + word.len());
            }
            Event::Word(_) if walk.is_over() => self.go_on_saying(at),
            // Brackets that replace no move are kept with everything in them.
            Event::Word(_) => self.line().says_more = true,
            Event::Result(_) => (),
        }
    }

    /// Adds a range of the text to the words.
    fn say(&mut self, from: usize, to: usize) {
        let line = self.line();
        line.says_more = true;
        line.words = Some((line.words.map_or(from, |(from, _)| from), to));
    }

    fn go_on_saying(&mut self, to: usize) {
        if let Some((_, end)) = &mut self.line().words {
            *end = to;
        }
    }

    fn end_words(&mut self) {
        if let Some((from, to)) = self.line().words.take() {
            self.comment(&self.text[from..to]);
        }
    }

    fn comment(&mut self, text: &'a str) {
        let line = self.line();
        if line.comes_next {
            line.before.push(text);
        } else {
            let last = line.last;
            self.nodes[last].after.push(text);
        }
    }

    fn glyph(&mut self, number: u32) {
        let is_main = self.lines.len() == 1;
        let line = self.line();
        if line.has_moves || is_main {
            let last = line.last;
            self.nodes[last].glyphs.push(number);
        } else {
            line.glyphs.push(number);
            line.says_more = true;
        }
    }

    fn open(&mut self, from: usize) {
        self.end_words();
        let nodes = self.nodes.len();
        let (last, has_moves) = (self.line().last, self.line().has_moves);
        let last = if has_moves { self.nodes[last].parent as usize } else { last };
        self.lines.push(Open { last, from, nodes, comes_next: true, ..Open::default() });
    }

    fn play(&mut self, walk: &Walk<'_, 'a>) {
        self.end_words();
        let mut node = Node { ply: walk.ply(), ..Node::default() };
        self.word.clear();
        walk.push_san(&mut self.word);
        node.san = Word::new(&self.word);
        self.word.clear();
        match walk.last_step() {
            Some(step) => push_uci(&mut self.word, walk.before().position(), step, self.chess960),
            None => {
                self.word.push_str("0000");
                node.fen = Some(fen::write(&walk.board()).into());
            }
        }
        node.uci = Word::new(&self.word);
        let in_variation = self.lines.len() > 1;
        let place = self.nodes.len();
        let line = self.line();
        node.parent = line.last as u32;
        node.begins_variation = in_variation && !line.has_moves;
        node.before = std::mem::take(&mut line.before);
        node.glyphs = std::mem::take(&mut line.glyphs);
        line.early.clear();
        (line.last, line.has_moves, line.comes_next) = (place, true, false);
        self.nodes.push(node);
    }

    fn close(&mut self, to: usize) {
        self.end_words();
        self.end_line();
        if self.lines.len() == 1 {
            return;
        }
        let Some(closed) = self.lines.pop() else { return };
        if !closed.has_moves {
            // Without moves it is a comment.
            let said = if closed.says_more || !closed.early.is_empty() {
                vec![&self.text[closed.from..to]]
            } else {
                closed.before
            };
            self.nodes.truncate(closed.nodes);
            said.into_iter().for_each(|text| self.comment(text));
            return;
        }
        let last = self.line().last;
        // An alternative to the first move of a variation stands behind the whole variation.
        let stands_here = !self.nodes[last].begins_variation;
        let parent = self.line();
        if parent.has_moves {
            parent.comes_next |= stands_here;
        } else {
            parent.early.push((closed.from, to));
        }
    }

    /// Comments at the end of a line belong to its last move.
    fn end_line(&mut self) {
        let is_main = self.lines.len() == 1;
        let line = self.line();
        if line.has_moves || is_main {
            let (last, before) = (line.last, std::mem::take(&mut line.before));
            self.nodes[last].after.extend(before);
        }
    }

    fn finish(mut self) -> Vec<Node<'a>> {
        if self.skipped > 0 {
            self.say(self.text.len(), self.text.len());
        }
        while self.lines.len() > 1 {
            self.close(self.text.len());
        }
        self.end_words();
        if !self.line().has_moves {
            self.nodes.truncate(1);
        }
        for (from, to) in std::mem::take(&mut self.line().early) {
            self.comment(&self.text[from..to]);
        }
        self.end_line();
        self.nodes
    }
}
