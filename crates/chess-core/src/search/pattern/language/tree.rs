//! What a pattern says, as a tree whose types are those of the language.
//!
//! A [`Set`] is a set of squares, a [`Number`] counts, a [`Condition`] is true or false at one moment,
//! a [`Timed`] pattern takes several. The parser makes it, [`super::write`] writes it, the transforms
//! map it, the compiler turns it into a program.

use crate::board::kinds::PAWN;

/// What may stand on a square: bits 0 to 11 the kinds of [`crate::board::kinds`], bit 12 nothing.
pub type Contents = u16;

/// Whatever stands on a square.
pub const WHATEVER: Contents = 0x1fff;
/// Nothing stands on a square.
pub const NOTHING: Contents = 1 << 12;
/// Any of White's pieces.
pub const WHITE: Contents = 0x3f;
/// Any of Black's pieces.
pub const BLACK: Contents = 0xfc0;
/// Pawns of either side.
pub const PAWNS: Contents = 1 | 1 << 6;

/// The kinds among contents.
pub fn kinds(contents: Contents) -> impl Iterator<Item = u8> {
    (0..12).filter(move |kind| contents >> kind & 1 == 1)
}

/// The kinds to which the pawns among some kinds promote.
pub fn promoted_from(contents: Contents) -> Contents {
    let of_side = |side: u8| if contents >> (6 * side + PAWN) & 1 == 1 { 0x1e << (6 * side) } else { 0 };
    of_side(0) | of_side(1)
}

/// The squares of the files of a mask, bit 0 for the a-file.
pub fn file_squares(files: u8) -> u64 {
    u64::from(files) * 0x0101_0101_0101_0101
}

/// The squares of the ranks of a mask, bit 0 for the first rank.
pub fn rank_squares(ranks: u8) -> u64 {
    (0..8).filter(|rank| ranks >> rank & 1 == 1).fold(0, |set, rank| set | 0xff << (8 * rank))
}

/// Squares that have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    Light,
    Dark,
    Edge,
    Corner,
    Centre,
    /// Files without pawns.
    Open,
    /// Files with pawns of the other side only.
    HalfOpen,
}

impl Name {
    pub const ALL: [(&str, Name); 7] = [
        ("light", Name::Light),
        ("dark", Name::Dark),
        ("edge", Name::Edge),
        ("corner", Name::Corner),
        ("centre", Name::Centre),
        ("open", Name::Open),
        ("halfopen", Name::HalfOpen),
    ];

    /// The squares; all of them where the pawns decide.
    pub fn squares(self) -> u64 {
        match self {
            Name::Light => 0x55aa_55aa_55aa_55aa,
            Name::Dark => 0xaa55_aa55_aa55_aa55,
            Name::Edge => 0xff81_8181_8181_81ff,
            Name::Corner => 0x8100_0000_0000_0081,
            Name::Centre => 0x0000_0018_1800_0000,
            Name::Open | Name::HalfOpen => !0,
        }
    }

    /// Whether the pawns decide.
    pub fn is_file(self) -> bool {
        matches!(self, Name::Open | Name::HalfOpen)
    }

    pub fn as_str(self) -> &'static str {
        Name::ALL.iter().find(|(_, name)| *name == self).map_or("", |(word, _)| word)
    }
}

/// One of the squares that brackets list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    Files(u8),
    Ranks(u8),
    Squares(u64),
    Named(Name),
}

impl Item {
    pub fn squares(self) -> u64 {
        match self {
            Item::Files(files) => file_squares(files),
            Item::Ranks(ranks) => rank_squares(ranks),
            Item::Squares(squares) => squares,
            Item::Named(name) => name.squares(),
        }
    }
}

/// Contents on squares. The squares of one part are a union, the parts intersect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Designator {
    pub contents: Contents,
    pub parts: Vec<Vec<Item>>,
}

impl Designator {
    /// Contents on a set of squares.
    pub fn on(contents: Contents, squares: u64) -> Designator {
        let parts = if squares == !0 { Vec::new() } else { vec![vec![Item::Squares(squares)]] };
        Designator { contents, parts }
    }

    /// The squares, as far as they do not depend on pawns.
    pub fn squares(&self) -> u64 {
        let union = |part: &Vec<Item>| part.iter().fold(0, |set, item| set | item.squares());
        self.parts.iter().fold(!0, |set, part| set & union(part))
    }

    /// Whether it is a square, whatever stands on it.
    pub fn is_one_square(&self) -> bool {
        self.contents == WHATEVER && !self.has_files() && self.squares().is_power_of_two()
    }

    /// Whether it names open files.
    pub fn has_files(&self) -> bool {
        self.parts.iter().flatten().any(|item| matches!(item, Item::Named(name) if name.is_file()))
    }
}

/// A number of squares away, or of half-moves: both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub from: u32,
    pub to: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transform {
    Flip,
    Mirror,
    Rotate,
    Shift,
}

/// Functions of one set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Passed,
    Isolated,
    Doubled,
    Backward,
    Connected,
    Outpost,
    Pinned,
    Span,
    Beside,
}

/// Functions of a set and a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    Ahead,
    Behind,
    Near,
}

/// Which way the squares of a line lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    Any,
    File,
    Rank,
    Diagonal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Words that are true or false of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    WhiteToMove,
    BlackToMove,
    Check,
    Mate,
    Stalemate,
    Capture,
    Recapture,
    Castling,
    Promotion,
    EnPassant,
    Start,
    End,
    Any,
    OppositeBishops,
    SameBishops,
}

/// A set of squares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    Pieces(Designator),
    Union(Vec<Set>),
    Cut(Vec<Set>),
    Inverse(Box<Set>),
    /// Those of the first that attack one of the second.
    Attacks(Box<Set>, Box<Set>),
    /// Those of the first that one of the second attacks.
    AttackedBy(Box<Set>, Box<Set>),
    Moved,
    Vacated,
    Function(Function, Box<Set>),
    Reach(Reach, Box<Set>, Option<Range>),
    Between(Box<Set>, Box<Set>),
    Transform(Transform, Box<Set>),
}

impl Set {
    /// The squares of the set if they are the same on every board, because it consists of squares regardless of pieces.
    /// Of a transform only one image is counted.
    pub fn fixed(&self) -> Option<u64> {
        match self {
            Set::Pieces(designator) if designator.contents == WHATEVER && !designator.has_files() => {
                Some(designator.squares())
            }
            Set::Union(sets) => sets.iter().try_fold(0, |squares, set| Some(squares | set.fixed()?)),
            Set::Cut(sets) => sets.iter().try_fold(!0, |squares, set| Some(squares & set.fixed()?)),
            Set::Inverse(set) => set.fixed().map(|squares| !squares),
            // Every transform includes the identity, so the set is one of its images.
            Set::Transform(_, set) => set.fixed(),
            _ => None,
        }
    }
}

/// A number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    Constant(u32),
    Count(Box<Set>),
    Sum(Vec<Number>),
    Points(Box<Set>),
    Islands(Box<Set>),
    HalfMove,
    Move,
}

/// What a number is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    Number(Number),
    Range(Range),
}

/// A move of one piece: what moves and whence, what stood where it goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    pub from: Designator,
    pub takes: bool,
    pub to: Designator,
    /// What a pawn must promote to.
    pub promotion: Option<Contents>,
}

/// So many pieces of these kinds together; bits 0 to 4 are pawn, knight, bishop, rook, queen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    pub roles: u8,
    pub count: Range,
}

/// How many more White has of these kinds together; `None`: no matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Balance {
    pub roles: u8,
    pub difference: Option<i32>,
}

/// The contents of the squares of a board; `None`: no matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// Whether there are no other pawns than these.
    pub pawns: bool,
    pub squares: Vec<Option<Contents>>,
}

/// True or false at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Some(Set),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare(Comparison, Number, Right),
    Move(Move),
    /// Bit 0 O-O, bit 1 O-O-O, bit 2 o-o, bit 3 o-o-o.
    Castles(u8),
    /// Castling rights, the same bits.
    Rights(u8),
    /// White's groups and Black's.
    Material(Vec<Group>, Vec<Group>),
    Imbalance(Vec<Balance>),
    Placement(Placement),
    State(State),
    Line(Line, Vec<Set>),
    Transform(Transform, Box<Condition>),
}

/// How much later the next step begins, and what holds until then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    pub after: Range,
    pub while_: Option<Condition>,
}

/// A pattern that may take several half-moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Timed {
    Moment(Condition),
    For(Condition, u32),
    /// What moves and whence, then each move of the same piece: whether it takes, and where to.
    Trip(Designator, Vec<(bool, Designator)>),
    Sequence(Box<Timed>, Vec<(Link, Timed)>),
    Any(Vec<Timed>),
    Transform(Transform, Box<Timed>),
}
