//! The common openings of a sample as a tree, with the number of games of each.
//!
//! Takes the games of a sample; returns a tree of the first moves that many of them share. Each branch has the number
//! of games on it and of those that end there. An opening on no branch is rarer than the branches of the tree; beside
//! the tree stands how rare such openings are on average at each half-move.
//!
//! A game is a string here: the length of its start position's bytes (0 for the standard start), these bytes, and the
//! bytes of its first moves. A game begins with an opening exactly if its string begins with that of the opening.

use chess_core::GameRef;

use crate::varints;

/// Length of the openings in bytes of moves: one for each half-move, except for some after promotions.
pub const DEEPEST: usize = 64;

/// The beginnings of the games of a sample.
#[derive(Debug, Default)]
pub struct Beginnings {
    bytes: Vec<u8>,
    /// For each game: start and length of its string, and whether the game continues after it.
    games: Vec<(u32, u16, bool)>,
}

/// The string of a game, or of an opening, and whether more moves follow.
fn string_of(game: GameRef<'_>, out: &mut Vec<u8>) -> bool {
    let (start, moves) = (game.start_bytes(), game.moves());
    out.push(start.len() as u8);
    out.extend_from_slice(start);
    out.extend_from_slice(&moves[..moves.len().min(DEEPEST)]);
    moves.len() > DEEPEST
}

impl Beginnings {
    /// Adds a game.
    pub fn add(&mut self, game: GameRef<'_>) {
        let begins = self.bytes.len();
        let goes_on = string_of(game, &mut self.bytes);
        // Offsets have 32 bits: games beyond 4 GB, some forty million, are left out.
        match u32::try_from(begins) {
            Ok(begins_at) => self.games.push((begins_at, (self.bytes.len() - begins) as u16, goes_on)),
            Err(_) => self.bytes.truncate(begins),
        }
    }

    fn string(&self, game: u32) -> &[u8] {
        let (begins, len, _) = self.games[game as usize];
        &self.bytes[begins as usize..begins as usize + usize::from(len)]
    }

    /// The tree of the most common openings, in about `size` bytes; `once` includes openings of one game only.
    pub fn tree(&self, size: usize, once: bool) -> Openings {
        let mut sorted: Vec<u32> = (0..self.games.len() as u32).collect();
        sorted.sort_unstable_by(|a, b| self.string(*a).cmp(self.string(*b)));
        let mut nodes = Vec::new();
        if !sorted.is_empty() {
            self.branch(&sorted, 0, if once { 1 } else { 2 }, 0, &mut nodes);
        }
        let least = least_that_fits(&nodes, size, if once { 1 } else { 2 });
        nodes.retain(|node| node.games >= least);
        let rest = self.rest(&sorted, &nodes);
        let mut labels = Vec::new();
        let tree = nodes.into_iter().map(|node| self.kept(&node, &mut labels)).collect();
        Openings { games: self.games.len() as u32, left_out: least - 1, nodes: with_ends(tree), labels, rest }
    }

    /// The branch of the games in `range`, whose strings are sorted and equal up to `depth`, and its branches.
    fn branch(&self, range: &[u32], depth: usize, least: u32, level: u16, nodes: &mut Vec<Branch>) {
        let (first, last) = (self.string(range[0]), self.string(range[range.len() - 1]));
        let common = first[depth..].iter().zip(&last[depth..]).take_while(|(a, b)| a == b).count();
        let to = depth + common;
        let at_end = range.partition_point(|game| self.string(*game).len() == to);
        let ends = range[..at_end].iter().filter(|game| !self.games[**game as usize].2).count() as u32;
        nodes.push(Branch {
            level,
            game: range[0],
            from: depth as u16,
            to: to as u16,
            games: range.len() as u32,
            ends,
        });
        let mut rest = &range[at_end..];
        while let Some(first) = rest.first() {
            let byte = self.string(*first)[to];
            let (same, others) = rest.split_at(rest.partition_point(|game| self.string(*game)[to] == byte));
            if same.len() >= least as usize {
                self.branch(same, to, least, level + 1, nodes);
            }
            rest = others;
        }
    }

    fn kept(&self, node: &Branch, labels: &mut Vec<u8>) -> Node {
        let label = &self.string(node.game)[usize::from(node.from)..usize::from(node.to)];
        let node = Node::new(node.level, labels.len(), label.len(), node.games, node.ends);
        labels.extend_from_slice(label);
        node
    }

    /// For each length: the games that have as many bytes of moves and are on no branch there, and the pairs of them
    /// that begin alike.
    fn rest(&self, sorted: &[u32], nodes: &[Branch]) -> Vec<Rest> {
        let moves_from = |game: u32| 1 + usize::from(self.string(game)[0]);
        let lengths: Vec<usize> = sorted.iter().map(|game| self.string(*game).len() - moves_from(*game)).collect();
        // Bytes of moves that each game shares with the previous one; 0 if their starts differ.
        let common: Vec<usize> = (0..sorted.len())
            .map(|i| match i.checked_sub(1) {
                Some(before) => {
                    let (a, b) = (self.string(sorted[before]), self.string(sorted[i]));
                    let alike = a.iter().zip(b).take_while(|(a, b)| a == b).count();
                    alike.saturating_sub(moves_from(sorted[i]))
                }
                None => 0,
            })
            .collect();
        let mut rest = vec![Rest::default(); DEEPEST];
        for (depth, rest) in (1..).zip(&mut rest) {
            let mut run = 0u64;
            for (length, common) in lengths.iter().zip(&common) {
                run = if *common >= depth { run } else { 0 };
                if *length >= depth {
                    rest.games += 1;
                    // A game after a run of equal ones adds a pair with each of them, counted both ways.
                    rest.pairs += 2 * run;
                    run += 1;
                }
            }
        }
        for node in nodes {
            let from = moves_from(node.game);
            for depth in usize::from(node.from) + 1..=usize::from(node.to) {
                if let Some(rest) = depth.checked_sub(from + 1).and_then(|depth| rest.get_mut(depth)) {
                    rest.games -= node.games;
                    rest.pairs -= u64::from(node.games) * u64::from(node.games - 1);
                }
            }
        }
        rest
    }
}

/// A branch while the tree is made: bytes `from` to `to` of the string of a game on it.
struct Branch {
    level: u16,
    game: u32,
    from: u16,
    to: u16,
    games: u32,
    ends: u32,
}

/// The least number of games on a branch, so that all such branches fit into `size` bytes.
fn least_that_fits(nodes: &[Branch], size: usize, least: u32) -> u32 {
    let mut by_games: Vec<(u32, usize)> =
        nodes.iter().map(|node| (node.games, 4 + usize::from(node.to - node.from))).collect();
    by_games.sort_unstable_by_key(|(games, _)| std::cmp::Reverse(*games));
    let mut total = 0;
    // Branches with equal counts are all kept or all dropped, so that the ancestors of a branch are kept with it.
    for (games, len) in by_games {
        total += len;
        if total > size {
            return games + 1;
        }
    }
    least
}

/// A branch of the tree. The nodes are sorted by their strings, so that each precedes those below it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    level: u16,
    /// Place of its label: the bytes that its games share beyond the branch above.
    label: (u32, u16),
    games: u32,
    /// Number of games that end with its label.
    ends: u32,
    /// Index after the last node below it.
    next: u32,
}

impl Node {
    fn new(level: u16, label: usize, len: usize, games: u32, ends: u32) -> Node {
        Node { level, label: (label as u32, len as u16), games, ends, next: 0 }
    }
}

fn with_ends(mut nodes: Vec<Node>) -> Vec<Node> {
    let mut open: Vec<usize> = Vec::new();
    for at in 0..=nodes.len() {
        let level = nodes.get(at).map_or(0, |node| usize::from(node.level));
        while open.len() > level || (at == nodes.len() && !open.is_empty()) {
            if let Some(done) = open.pop() {
                nodes[done].next = at as u32;
            }
        }
        open.push(at);
    }
    nodes
}

/// Games on no branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rest {
    games: u32,
    /// Number of pairs of these games, counted both ways, that begin alike.
    pairs: u64,
}

/// The common openings of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings {
    games: u32,
    /// No opening that is not among them is in more games than this.
    left_out: u32,
    nodes: Vec<Node>,
    labels: Vec<u8>,
    /// By length in bytes of moves, from 1 on.
    rest: Vec<Rest>,
}

/// Where a walk of a string through the tree ends.
enum Found {
    /// At this node, or within its label.
    Branch(usize),
    /// Beyond the tree; with the last node that the string passed, if it left that at its end.
    Beyond(Option<usize>),
}

impl Openings {
    /// The number of branches.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The share of the games that begin with an opening. For an opening on no branch it is the average over such
    /// openings in games.
    pub fn share_of(&self, opening: GameRef<'_>) -> f64 {
        let mut string = Vec::new();
        string_of(opening, &mut string);
        self.share_of_string(&string)
    }

    /// The share of the games that begin with the standard start.
    pub fn share_of_standard_start(&self) -> f64 {
        self.share_of_string(&[0])
    }

    fn share_of_string(&self, string: &[u8]) -> f64 {
        let games = f64::from(self.games.max(1));
        match self.find(string) {
            Found::Branch(node) => f64::from(self.nodes[node].games) / games,
            Found::Beyond(node) => {
                let moves = string.len().saturating_sub(1 + string.first().map_or(0, |start| usize::from(*start)));
                let seen = f64::from(self.left_out.min(self.on_no_branch(node)));
                // An opening that no game of the sample has counts as half a game.
                self.average_of_rest(moves).min(seen.max(if self.left_out > 0 { 0.5 } else { 0.0 }) / games)
            }
        }
    }

    fn label(&self, node: &Node) -> &[u8] {
        let begins = node.label.0 as usize;
        &self.labels[begins..begins + usize::from(node.label.1)]
    }

    fn find(&self, mut string: &[u8]) -> Found {
        let (mut at, mut end) = (0, self.nodes.len());
        let mut last = None;
        while at < end {
            let node = &self.nodes[at];
            let label = self.label(node);
            let common = string.iter().zip(label).take_while(|(a, b)| a == b).count();
            if common == string.len() {
                return Found::Branch(at);
            }
            if common == label.len() {
                string = &string[common..];
                last = Some(at);
                (at, end) = (at + 1, node.next as usize);
            } else if common > 0 {
                return Found::Beyond(None);
            } else {
                at = node.next as usize;
            }
        }
        Found::Beyond(last)
    }

    /// The games that pass a node, continue, and are on none of the nodes below it.
    fn on_no_branch(&self, node: Option<usize>) -> u32 {
        let Some(node) = node else { return 0 };
        let above = &self.nodes[node];
        let mut left = above.games.saturating_sub(above.ends);
        let mut at = node + 1;
        while at < above.next as usize {
            left = left.saturating_sub(self.nodes[at].games);
            at = self.nodes[at].next as usize;
        }
        left
    }

    /// The average share of the openings with `moves` bytes that are on no branch.
    fn average_of_rest(&self, moves: usize) -> f64 {
        match moves.checked_sub(1).and_then(|at| self.rest.get(at.min(DEEPEST - 1))) {
            Some(rest) if rest.games > 0 && self.games > 1 => {
                rest.pairs as f64 / f64::from(rest.games) / f64::from(self.games - 1)
            }
            _ => 0.0,
        }
    }

    /// The average share in `other` of the first `plies` half-moves of this sample's games, at least `floor` each. A
    /// shorter game counts with all its moves.
    pub fn average_over_first_moves(&self, plies: u32, other: &Openings, floor: f64) -> f64 {
        let plies = usize::try_from(plies).unwrap_or(usize::MAX).min(DEEPEST);
        let (mut sum, mut counted) = (0.0, 0u32);
        let mut path: Vec<u8> = Vec::new();
        let mut ends = Vec::new();
        let mut skip = 0;
        for (at, node) in self.nodes.iter().enumerate() {
            if at < skip {
                continue;
            }
            ends.truncate(usize::from(node.level));
            path.truncate(ends.last().copied().unwrap_or(0));
            path.extend_from_slice(self.label(node));
            ends.push(path.len());
            let wanted = path.first().map_or(1, |start| 1 + usize::from(*start)) + plies;
            if path.len() >= wanted {
                sum += f64::from(node.games) * other.share_of_string(&path[..wanted]).max(floor);
                counted += node.games;
                skip = node.next as usize;
            } else if node.ends > 0 {
                sum += f64::from(node.ends) * other.share_of_string(&path).max(floor);
                counted += node.ends;
            }
        }
        let rest = f64::from(self.games.saturating_sub(counted));
        (sum + rest * other.average_of_rest(plies).max(floor)) / f64::from(self.games.max(1))
    }

    /// For a column of openings: the share of the openings that a game begins with.
    pub fn share_that_begin(&self, game: GameRef<'_>) -> f64 {
        let mut string = Vec::new();
        string_of(game, &mut string);
        let (mut string, mut ends) = (string.as_slice(), 0);
        let (mut at, mut end) = (0, self.nodes.len());
        while at < end {
            let node = &self.nodes[at];
            match string.strip_prefix(self.label(node)) {
                Some(rest) => {
                    ends += node.ends;
                    string = rest;
                    (at, end) = (at + 1, node.next as usize);
                }
                None => at = node.next as usize,
            }
        }
        f64::from(ends) / f64::from(self.games.max(1))
    }

    /// Appends the tree as bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        varints::write(self.games.into(), out);
        varints::write(self.left_out.into(), out);
        varints::write(self.rest.len() as u64, out);
        for rest in &self.rest {
            varints::write(rest.games.into(), out);
            varints::write(rest.pairs, out);
        }
        for node in &self.nodes {
            varints::write(node.level.into(), out);
            varints::write(u64::from(node.label.1) << 1 | u64::from(node.ends > 0), out);
            out.extend_from_slice(self.label(node));
            varints::write(node.games.into(), out);
            if node.ends > 0 {
                varints::write(node.ends.into(), out);
            }
        }
    }

    /// Reads it; `None` if the bytes are not such a tree.
    pub fn read(mut bytes: &[u8]) -> Option<Openings> {
        let bytes = &mut bytes;
        let games = varints::take_u32(bytes)?;
        let left_out = varints::take_u32(bytes)?;
        let depths = usize::try_from(varints::take(bytes)?).ok().filter(|depths| *depths <= DEEPEST)?;
        let mut rest = Vec::new();
        for _ in 0..depths {
            rest.push(Rest { games: varints::take_u32(bytes)?, pairs: varints::take(bytes)? });
        }
        let (mut nodes, mut labels): (Vec<Node>, Vec<u8>) = Default::default();
        while !bytes.is_empty() {
            let level = u16::try_from(varints::take(bytes)?).ok()?;
            // Levels grow by at most one, and there is one root.
            let deepest = nodes.last().map_or(0, |before| before.level + 1);
            if level > deepest || (level == 0 && !nodes.is_empty()) {
                return None;
            }
            let head = varints::take(bytes)?;
            let len = usize::try_from(head >> 1).ok().filter(|len| *len <= bytes.len().min(usize::from(u8::MAX)))?;
            let (label, others) = bytes.split_at(len);
            *bytes = others;
            let games = varints::take_u32(bytes)?;
            let ends = if head & 1 == 1 { varints::take_u32(bytes)? } else { 0 };
            nodes.push(Node::new(level, labels.len(), len, games, ends));
            labels.extend_from_slice(label);
        }
        Some(Openings { games, left_out, nodes: with_ends(nodes), labels, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::Game;
    use chess_core::text::movetext;
    use chess_gamegen::Generator;

    fn game(text: &str) -> Game {
        movetext::read(text).unwrap()
    }

    fn generated(games: usize) -> Vec<Game> {
        let text = |sans: &[_]| sans.iter().map(ToString::to_string).collect::<Vec<String>>().join(" ");
        Generator::new(1).take(games).map(|generated| game(&text(&generated.sans))).collect()
    }

    fn tree_of(games: &[Game], size: usize, once: bool) -> Openings {
        let mut beginnings = Beginnings::default();
        games.iter().for_each(|game| beginnings.add(game.view()));
        beginnings.tree(size, once)
    }

    /// The share by a count over all games.
    fn share(games: &[Game], opening: &Game) -> f64 {
        games.iter().filter(|game| game.view().starts_with(opening.view())).count() as f64 / games.len() as f64
    }

    const FROM_AN_ENDING: &str = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] 1. e4 Kd7 2. e5";

    fn mixed() -> Vec<Game> {
        let mut games: Vec<Game> = ["1. e4 e5 2. Nf3", "1. e4 e5", "1. e4 c5 1-0", "1. d4", "", "*", FROM_AN_ENDING]
            .iter()
            .flat_map(|text| std::iter::repeat_n(game(text), 3))
            .collect();
        games.push(game("1. h4 h5 2. g4"));
        games.push(game(&"Nf3 Nf6 Ng1 Ng8 ".repeat(40)));
        games.push(game(&format!("{} e4", "Nf3 Nf6 Ng1 Ng8 ".repeat(40))));
        games
    }

    #[test]
    fn of_a_whole_table_every_opening_is_known() {
        let games = mixed();
        let tree = tree_of(&games, 10_000, true);
        for plies in 0..=60 {
            for game in &games {
                let opening = game.view().first_moves(plies).unwrap();
                let (estimated, actual) = (tree.share_of(opening.view()), share(&games, &opening));
                assert!((estimated - actual).abs() < 1e-9, "{plies} {estimated} {actual}");
            }
        }
        for unknown in ["1. e4 e5 2. Nf3 Nc6", "1. a4", "1. d4 d5", "1. h4 h5 2. g3", "1. e4 d5"] {
            assert_eq!(tree.share_of(game(unknown).view()), 0.0, "{unknown}");
        }
        assert!((tree.share_of_standard_start() - 21.0 / 24.0).abs() < 1e-9);
        // Other starts do not mix.
        assert_eq!(tree.share_of(game("[FEN \"4k3/8/8/8/8/8/3P4/4K3 w - - 0 1\"] *").view()), 0.0);
        assert!((tree.share_of(game("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"] *").view()) - 3.0 / 24.0).abs() < 1e-9);
    }

    #[test]
    fn what_does_not_fit_is_rarer_than_what_does() {
        let games = generated(300);
        let whole = tree_of(&games, 1_000_000, true);
        for size in [0, 60, 600, 6000] {
            let tree = tree_of(&games, size, false);
            assert!(tree.len() < whole.len(), "{size}");
            for game in &games {
                for plies in [1, 2, 3, 5, 8, 13, 21, 40] {
                    let opening = game.view().first_moves(plies).unwrap();
                    let (estimated, actual) = (tree.share_of(opening.view()), share_in(&whole, &opening));
                    let count = (actual * 300.0).round() as u32;
                    if count > tree.left_out {
                        assert!((estimated - actual).abs() < 1e-9, "{size} {plies} {estimated} {actual}");
                    } else {
                        assert!(estimated <= f64::from(tree.left_out) / 300.0, "{size} {plies} {estimated} {actual}");
                    }
                }
            }
        }
        fn share_in(whole: &Openings, opening: &Game) -> f64 {
            whole.share_of(opening.view())
        }
    }

    #[test]
    fn joins_of_openings() {
        let games = mixed();
        let tree = tree_of(&games, 10_000, true);
        for plies in [0, 1, 2, 3, 60, 200] {
            let openings: Vec<Game> = games.iter().map(|game| game.view().first_moves(plies).unwrap()).collect();
            let actual = openings.iter().map(|opening| share(&games, opening)).sum::<f64>() / games.len() as f64;
            let estimated = tree.average_over_first_moves(plies, &tree, 0.0);
            // Games that agree up to the greatest depth count as equal.
            let near = if plies > DEEPEST as u32 {
                estimated >= actual && estimated < 1.2 * actual
            } else {
                (estimated - actual).abs() < 1e-9
            };
            assert!(near, "{plies}: {estimated}, not {actual}");
        }
        // Late in the game most games are on no branch, so pairs of them are counted.
        let games = generated(400);
        let tree = tree_of(&games, 1000, false);
        for plies in [4, 8, 12, 20] {
            let mut begins = std::collections::HashMap::new();
            games.iter().for_each(|game| *begins.entry(game.view().first_moves(plies).unwrap()).or_insert(0.0) += 1.0);
            let actual = begins.values().map(|count: &f64| count * count).sum::<f64>() / 160_000.0;
            let estimated = tree.average_over_first_moves(plies, &tree, 1.0 / 400.0);
            assert!(estimated < 1.7 * actual && actual < 1.7 * estimated, "{plies}: {estimated}, not {actual}");
        }
    }

    #[test]
    fn openings_that_a_game_begins_with() {
        let openings = mixed();
        let tree = tree_of(&openings, 10_000, true);
        for text in ["", "1. e4", "1. e4 e5 2. Nf3 Nc6", "1. d4 d5", FROM_AN_ENDING, "1. a3"] {
            let game = game(text);
            let actual = openings.iter().filter(|opening| game.view().starts_with(opening.view())).count() as f64;
            let estimated = tree.share_that_begin(game.view()) * openings.len() as f64;
            assert!((estimated - actual).abs() < 1e-9, "{text}: {estimated}, not {actual}");
        }
    }

    #[test]
    fn round_trip_and_bytes_of_other_origin() {
        for tree in [tree_of(&mixed(), 10_000, true), tree_of(&generated(100), 500, false), tree_of(&[], 100, true)] {
            let mut bytes = Vec::new();
            tree.write(&mut bytes);
            assert_eq!(Openings::read(&bytes).as_ref(), Some(&tree));
            // Truncated or changed bytes are refused or read as another tree, without a panic.
            for at in 0..bytes.len() {
                let _ = Openings::read(&bytes[..at]).map(|tree| questions(&tree));
                for flip in [1, 0x80, 0xff] {
                    let mut changed = bytes.clone();
                    changed[at] ^= flip;
                    let _ = Openings::read(&changed).map(|tree| questions(&tree));
                }
            }
        }
        fn questions(tree: &Openings) {
            for text in ["", "1. e4 e5 2. Nf3 Nc6", FROM_AN_ENDING] {
                assert!(tree.share_of(game(text).view()) >= 0.0);
                assert!(tree.share_that_begin(game(text).view()) >= 0.0);
            }
            assert!(tree.average_over_first_moves(4, tree, 0.0) >= 0.0);
        }
    }
}
