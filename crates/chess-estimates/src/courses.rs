//! Courses of material: the sequence of piece counts that a game goes through, for some games of a sample.
//!
//! Takes the signatures of each game; stores them in about nine bytes a game, and counts the games that have any of
//! many signatures. Counts of single signatures cannot answer that: each may be rare, and a game often has several.
//!
//! The games are dealt out to blocks, so that the first few blocks answer a question that many games satisfy. Within a
//! block the games are sorted, and each is written as the number of steps that it shares with the previous one, and its
//! other steps. Nearly all steps are captures: half a byte for the kind of the captured piece.

use crate::varints;

/// Number of piece counts in a signature ([`chess_core::search::pattern::signature`]), four bits each from the highest
/// bits on: queens, rooks, bishops, knights and pawns, White before Black for each kind.
const KINDS: u64 = 10;
/// The first of the two places of pawns.
const PAWNS: u64 = 8;
const STANDARD: u64 = 0x11_2222_2288;

/// Codes of steps; 0 to 9 are captures of that kind. After this one follow the kind that the pawn becomes, and the kind
/// that it captures.
const PROMOTION: u8 = 10;
/// A full signature follows; games from other starts begin with it.
const JUMP: u8 = 11;
/// The standard start.
const START: u8 = 12;
/// No further step.
const END: u8 = 15;
/// Stands for the captured kind if there is none.
const NONE: u8 = 15;

/// Games per block: enough that a step costs half a byte and that a block is a sample by itself.
const GAMES_PER_BLOCK: usize = 500;
/// Most steps of a game: 30 captures and 16 promotions.
const LONGEST: usize = 64;

fn shift(kind: u64) -> u64 {
    4 * (KINDS - 1 - kind)
}

fn count(signature: u64, kind: u64) -> u64 {
    signature >> shift(kind) & 15
}

/// The signature of one piece of a kind.
fn one(kind: u64) -> u64 {
    1 << shift(kind)
}

/// The numbers of all pieces and of pawns. No step increases either, and every step decreases one.
fn left(signature: u64) -> (u64, u64) {
    ((0..KINDS).map(|kind| count(signature, kind)).sum(), count(signature, PAWNS) + count(signature, PAWNS + 1))
}

/// Half bytes, the first of two in the low bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Nibbles {
    bytes: Vec<u8>,
    len: usize,
}

impl Nibbles {
    fn push(&mut self, nibble: u8) {
        if self.len.is_multiple_of(2) {
            self.bytes.push(nibble);
        } else if let Some(last) = self.bytes.last_mut() {
            *last |= nibble << 4;
        }
        self.len += 1;
    }

    /// Appends a number; numbers below 15 take one half byte.
    fn push_number(&mut self, mut number: usize) {
        while number >= 15 {
            self.push(15);
            number -= 15;
        }
        self.push(number as u8);
    }

    fn push_step(&mut self, from: Option<u64>, to: u64) {
        let Some(from) = from else {
            return if to == STANDARD { self.push(START) } else { self.push_jump(to) };
        };
        let taken = |left: u64| (0..KINDS).find(|kind| count(left, *kind) > 0 && left - one(*kind) == to);
        if let Some(kind) = taken(from) {
            return self.push(kind as u8);
        }
        for promoted in (0..PAWNS).filter(|kind| count(from, PAWNS + kind % 2) > 0) {
            let after = from - one(PAWNS + promoted % 2) + one(promoted);
            let with = if after == to { Some(NONE) } else { taken(after).map(|kind| kind as u8) };
            if let (Some(with), true) = (with, count(from, promoted) < 15) {
                [PROMOTION, promoted as u8, with].into_iter().for_each(|nibble| self.push(nibble));
                return;
            }
        }
        self.push_jump(to);
    }

    fn push_jump(&mut self, to: u64) {
        self.push(JUMP);
        (0..KINDS).for_each(|kind| self.push(count(to, kind) as u8));
    }
}

/// Reads half bytes.
struct Reading<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reading<'_> {
    fn take(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at / 2)?;
        let nibble = if self.at.is_multiple_of(2) { byte & 15 } else { byte >> 4 };
        self.at += 1;
        Some(nibble)
    }

    fn take_number(&mut self) -> Option<usize> {
        let mut number = 0;
        loop {
            let nibble = self.take()?;
            number += usize::from(nibble);
            if nibble < 15 {
                return Some(number);
            }
        }
    }

    /// The signature after the next step; `Some(None)` at the end of a game.
    fn take_step(&mut self, from: Option<u64>) -> Option<Option<u64>> {
        let without =
            |signature: u64, kind: u64| (kind < KINDS && count(signature, kind) > 0).then(|| signature - one(kind));
        Some(Some(match self.take()? {
            END => return Some(None),
            START => STANDARD,
            JUMP => {
                let mut signature = 0;
                for _ in 0..KINDS {
                    signature = signature << 4 | u64::from(self.take()?);
                }
                signature
            }
            PROMOTION => {
                let promoted = u64::from(self.take()?);
                let taken = self.take()?;
                let after = without(from?, PAWNS + promoted % 2)?;
                let after = (promoted < PAWNS && count(after, promoted) < 15).then(|| after + one(promoted))?;
                if taken == NONE { after } else { without(after, taken.into())? }
            }
            kind => without(from?, kind.into())?,
        }))
    }
}

/// Collects the courses of games.
#[derive(Debug, Default)]
pub struct Gathered {
    courses: Vec<Vec<u64>>,
}

impl Gathered {
    /// Adds a game: all its signatures, in any order, each once.
    pub fn add(&mut self, signatures: impl Iterator<Item = u64>) {
        let mut course: Vec<u64> = signatures.collect();
        course.sort_unstable_by_key(|signature| std::cmp::Reverse(left(*signature)));
        course.truncate(LONGEST);
        self.courses.push(course);
    }

    /// The courses in their stored form.
    pub fn finish(self) -> Courses {
        let number = self.courses.len().div_ceil(GAMES_PER_BLOCK);
        let mut dealt = vec![Vec::new(); number];
        for (n, course) in self.courses.into_iter().enumerate() {
            dealt[n % number].push(course);
        }
        Courses { blocks: dealt.into_iter().map(Block::new).collect() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    games: u32,
    steps: Vec<u8>,
}

impl Block {
    fn new(mut courses: Vec<Vec<u64>>) -> Block {
        courses.sort_unstable();
        let mut steps = Nibbles::default();
        let mut before: &[u64] = &[];
        for course in &courses {
            let shared = course.iter().zip(before).take_while(|(a, b)| a == b).count();
            steps.push_number(shared);
            for at in shared..course.len() {
                steps.push_step(at.checked_sub(1).map(|before| course[before]), course[at]);
            }
            steps.push(END);
            before = course;
        }
        Block { games: courses.len() as u32, steps: steps.bytes }
    }

    /// Adds the games to `counts` by the union of the bits that `test` returns for their signatures; damaged bytes end
    /// the block, and so does `None`.
    fn count(&self, test: &mut impl FnMut(u64) -> Option<u64>, counts: &mut Vec<(u64, u32)>) -> Option<u32> {
        let mut reading = Reading { bytes: &self.steps, at: 0 };
        // The signature after each step so far, and the union of the bits up to there.
        let mut path: Vec<(u64, u64)> = Vec::with_capacity(LONGEST);
        for _ in 0..self.games {
            let shared = reading.take_number()?;
            path.truncate(shared);
            loop {
                let (signature, said) = path.last().map_or((None, 0), |(signature, said)| (Some(*signature), *said));
                match reading.take_step(signature)? {
                    None => {
                        match counts.iter_mut().find(|(known, _)| *known == said) {
                            Some((_, games)) => *games += 1,
                            None => counts.push((said, 1)),
                        }
                        break;
                    }
                    Some(_) if path.len() >= LONGEST => return None,
                    Some(next) => path.push((next, said | test(next)?)),
                }
            }
        }
        Some(self.games)
    }
}

/// The courses of some games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Courses {
    blocks: Vec<Block>,
}

/// Numbers of games by the bits of their signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of games counted.
    pub games: u32,
    /// Number of games for each combination of bits.
    pub by_bits: Vec<(u64, u32)>,
}

impl Tally {
    /// The number of games whose bits satisfy a condition.
    pub fn games_with(&self, mut condition: impl FnMut(u64) -> bool) -> u32 {
        self.by_bits.iter().filter(|(bits, _)| condition(*bits)).map(|(_, games)| games).sum()
    }
}

impl Courses {
    /// The number of bytes that they take.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.steps.len()).sum()
    }

    /// Whether there are no courses.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The number of games.
    pub fn games(&self) -> u32 {
        self.blocks.iter().fold(0, |games: u32, block| games.saturating_add(block.games))
    }

    /// Counts the games by the bits that `test` sets for any of their signatures, block by block until `enough` returns
    /// true. A block for which `test` returns `None` does not count.
    pub fn tally(&self, mut test: impl FnMut(u64) -> Option<u64>, mut enough: impl FnMut(&Tally) -> bool) -> Tally {
        let mut tally = Tally::default();
        for block in &self.blocks {
            let before = tally.by_bits.clone();
            match block.count(&mut test, &mut tally.by_bits) {
                Some(games) => tally.games += games,
                None => tally.by_bits = before,
            }
            if enough(&tally) {
                break;
            }
        }
        tally
    }

    /// Appends them as bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        varints::write(self.blocks.len() as u64, out);
        for block in &self.blocks {
            varints::write(block.games.into(), out);
            varints::write(block.steps.len() as u64, out);
            out.extend_from_slice(&block.steps);
        }
    }

    /// Reads them; `None` if the bytes are not such courses.
    pub fn read(mut bytes: &[u8]) -> Option<Courses> {
        let bytes = &mut bytes;
        let mut courses = Courses::default();
        for _ in 0..varints::take(bytes)? {
            let games = varints::take_u32(bytes)?;
            let len = usize::try_from(varints::take(bytes)?).ok()?;
            let steps = bytes.get(..len)?.to_vec();
            *bytes = &bytes[len..];
            courses.blocks.push(Block { games, steps });
        }
        bytes.is_empty().then_some(courses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::Game;
    use chess_core::search::pattern::{pattern_keys, signature, signature_in};
    use chess_core::text::{movetext, read_pgn};
    use chess_gamegen::Generator;

    fn signatures(game: &Game) -> Vec<u64> {
        let mut keys = Vec::new();
        pattern_keys(game.view(), &mut keys).unwrap();
        keys.into_iter().filter_map(signature_in).collect()
    }

    fn courses(games: &[Game]) -> Courses {
        let mut gathered = Gathered::default();
        games.iter().for_each(|game| gathered.add(signatures(game).into_iter()));
        gathered.finish()
    }

    /// The number of games with any of these signatures.
    fn with(courses: &Courses, any: &[u64]) -> u32 {
        let tally = courses.tally(|signature| Some(u64::from(any.contains(&signature))), |_| false);
        tally.games_with(|bits| bits == 1)
    }

    fn generated(games: usize) -> Vec<Game> {
        let mut generator = Generator::new(7);
        (0..games).map(|_| read_pgn::games(&generator.next().unwrap().pgn()).next().unwrap().game.unwrap()).collect()
    }

    #[test]
    fn places_are_those_of_signatures() {
        for (place, kind) in [4u8, 10, 3, 9, 2, 8, 1, 7, 0, 6].into_iter().enumerate() {
            assert_eq!(signature(|other| u64::from(other == kind)), one(place as u64));
        }
    }

    #[test]
    fn every_signature_of_every_game_is_counted() {
        let mut games = generated(1200);
        for text in [
            // A promotion, one with a capture, one that takes nothing and gives check.
            "1. e4 d5 2. e5 f5 3. exf6 Nc6 4. fxg7 h6 5. gxh8=N Nf6 6. Ng6",
            "[FEN \"3r2k1/P3P3/8/8/8/8/p7/1N4K1 w - - 0 1\"] 1. exd8=Q+ Kf7 2. a8=R axb1=B",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] 1. e4",
            "1. f3 e5 2. g4 Qh4#",
        ] {
            games.push(movetext::read(text).unwrap());
        }
        let kept = courses(&games);
        assert!(kept.blocks.len() == 3 && kept.len() < 16 * games.len(), "{}", kept.len());
        let mut all: Vec<u64> = games.iter().flat_map(signatures).collect();
        all.sort_unstable();
        let counted: Vec<(u64, u32)> =
            all.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u32)).collect();
        assert!(counted.len() > 1000, "{}", counted.len());
        for (signature, games) in counted.iter().step_by(1 + counted.len() / 300) {
            assert_eq!(with(&kept, &[*signature]), *games, "{signature:x}");
        }
        // A game with several of them counts once.
        let some: Vec<u64> = counted.iter().step_by(7).map(|(signature, _)| *signature).collect();
        let expected = games.iter().filter(|game| signatures(game).iter().any(|one| some.contains(one))).count();
        assert_eq!(with(&kept, &some), expected as u32);
    }

    #[test]
    fn enough_games_are_enough_and_come_from_everywhere() {
        let (early, late) = ("1. e4 d5 2. exd5", "1. e4 e5");
        let games: Vec<Game> =
            [early, late].into_iter().flat_map(|text| vec![movetext::read(text).unwrap(); 1000]).collect();
        let taken = 0x11_2222_2287;
        let tally = courses(&games).tally(|signature| Some(u64::from(signature == taken)), |tally| tally.games >= 500);
        assert_eq!((tally.games, tally.games_with(|bits| bits == 1)), (500, 250));
    }

    #[test]
    fn round_trip_and_bytes_of_other_origin() {
        let kept = courses(&generated(300));
        let mut bytes = Vec::new();
        kept.write(&mut bytes);
        assert_eq!(Courses::read(&bytes).as_ref(), Some(&kept));
        for at in 0..bytes.len() {
            assert_eq!(Courses::read(&bytes[..at]), None, "{at}");
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            if let Some(courses) = Courses::read(&changed) {
                assert!(courses.tally(|_| Some(1), |_| false).games <= kept.blocks[0].games, "{at}");
            }
        }
        assert_eq!(Courses::read(&[0]), Some(Courses::default()));
        assert_eq!(
            Courses::read(&[1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]).map(|one| one.tally(|_| Some(1), |_| false).games),
            Some(0)
        );
    }
}
