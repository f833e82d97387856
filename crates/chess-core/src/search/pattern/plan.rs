//! The fixed part of a search for the first match of a chain: what each element is, as bit masks.
//!
//! Takes a chain and its program; returns a [`Plan`], which [`super::front`] follows through games.
//!
//! The elements of a chain are numbered; 64 of them are a word of bits. A pattern that is looked for everywhere on the
//! board has hundreds of elements, and most of them are images of a few: they differ only in their squares. Images
//! stand side by side, so that one operation on words lets all of them begin the elements behind them.
//!
//! In a long chain each element has a node of its own at the end of the program, in the order of the elements. A
//! condition that many elements share is computed once instead. Conditions of a [family](super::family) are judged
//! together.

use std::collections::{BTreeMap, HashMap};

use super::bits::{Bits, ones};
use super::evaluate::Values;
use super::family::{self, IMAGES, Plane};
use super::observe::Moment;
use super::planes::is_none;
use super::program::{self, At, FAMILY, NO_FAMILY, Program, Step, Watch};
use super::time::{Chain, Input, Output, What};
use super::trips::Route;

/// The longest time between two elements, in half-moves, that a plan can express. [`super::runs`] follows chains with
/// longer times.
pub(super) const LONGEST: usize = 8;
/// The most elements, one bit of 64 for each word. In longer chains the numbers of nodes, which have 16 bits, could run
/// out, too.
const MOST: usize = 64 * 64;
/// A condition that more elements share than this is computed once for all; in chains with fewer than [`FEW`] elements,
/// each condition is.
const SHARED: usize = 4;
const FEW: usize = 16;
/// Instructions, roughly, to find out whether a shared condition holds; for each word of elements that share it; and to
/// judge a family. Many conditions of one shape are judged as a family although elements share them.
const COST_OF_NODE: usize = 25;
const COST_OF_WORD: usize = 10;
const COST_OF_FAMILY: usize = 400;
/// Fewer elements of a word that lead equally far are followed one by one.
const FEW_STEPS: u32 = 4;
/// A link with more pairs of elements, one before it and one behind it, is followed once for all of them.
const FEW_PAIRS: usize = 9;

/// Words of bits, by the number of the word: some elements.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    /// A bit for each word that has some.
    pub in_words: u64,
    pub words: Vec<(usize, u64)>,
}

impl Elements {
    fn new(elements: &[usize]) -> Elements {
        let words = program::words_of(&elements.iter().map(|n| *n as At).collect::<Vec<At>>());
        Elements { in_words: words.iter().fold(0, |set, (word, _)| set | 1 << word), words }
    }

    /// Whether one of these is in a set, which has elements in the given words only.
    #[inline(always)]
    pub fn meet(&self, in_words: u64, set: &[u64]) -> bool {
        self.in_words & in_words != 0 && self.words.iter().any(|(word, bits)| set[*word] & bits != 0)
    }
}

/// Elements of one word whose conditions are consecutive images of a family.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    word: usize,
    elements: u64,
    /// The image of the element that the lowest bit of the word stands for. It is negative if the first image belongs to
    /// a later element.
    image: i32,
}

impl Stretch {
    /// Maps a plane, which has a bit for each image, to the word, which has a bit for each element. Only the bits of
    /// `elements` are meaningful.
    #[inline(always)]
    fn of(&self, plane: Plane<4>) -> u64 {
        if self.image < 0 {
            return plane[0] << (-self.image & 63);
        }
        let (at, by) = (self.image as usize / 64, self.image & 63);
        let low = plane[at & 3] >> by;
        if by == 0 || at >= 3 { low } else { low | plane[at + 1] << (64 - by) }
    }
}

/// The elements whose conditions are one family.
#[derive(Clone, Debug)]
struct Related {
    family: u16,
    elements: Elements,
    stretches: Vec<Stretch>,
}

/// Maps elements to the nodes of their conditions.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    /// The node of the first element. The nodes of the other elements follow it.
    first: usize,
    /// The elements that have a node of their own, which is judged by itself.
    own: Bits,
    related: Vec<Related>,
    /// The nodes that many elements share, each with its elements; and words of these nodes, each with their places in
    /// this list.
    shared: Vec<(At, Elements)>,
    words_of_shared: Vec<(usize, u64, Box<[u16; 64]>)>,
    /// For each element the node of its condition, and its family and image.
    nodes: Vec<At>,
    images: Vec<(u16, u8)>,
}

impl Conditions {
    fn new(program: &mut Program, nodes: &[Option<At>]) -> Conditions {
        let mut users: BTreeMap<At, Vec<usize>> = BTreeMap::new();
        for (n, at) in nodes.iter().enumerate() {
            at.iter().for_each(|at| users.entry(*at).or_default().push(n));
        }
        // What it costs to judge the nodes of a shape by themselves; and how many there are, and how many elements.
        let shapes = family::shapes(program);
        let mut of_shape: HashMap<At, (usize, usize, usize)> = HashMap::new();
        for (at, elements) in &users {
            let (cost, count, all) = of_shape.entry(shapes[usize::from(*at)]).or_default();
            *cost += COST_OF_NODE + COST_OF_WORD * Elements::new(elements).words.len();
            *count += 1;
            *all += elements.len();
        }
        let is_cheap = |at: &At| {
            let (cost, count, all) = of_shape[&shapes[usize::from(*at)]];
            count < FAMILY || cost < COST_OF_FAMILY * all.div_ceil(IMAGES)
        };
        let has_copies = nodes.len() >= FEW;
        let first = if has_copies { program.next_word() } else { 0 };
        let mut conditions = Conditions {
            first,
            own: Bits::new(nodes.len()),
            images: vec![(NO_FAMILY, 0); nodes.len()],
            ..Conditions::default()
        };
        let mut shared: BTreeMap<At, Vec<usize>> = BTreeMap::new();
        for (n, at) in nodes.iter().enumerate() {
            let own = at.filter(|at| has_copies && (users[at].len() <= SHARED || !is_cheap(at)));
            if has_copies {
                program.put_copy(own);
            }
            if own.is_some() {
                conditions.own.insert(n);
            } else if let Some(at) = at {
                shared.entry(*at).or_default().push(n);
            }
            let is_shared = own.is_none();
            conditions.nodes.push(at.filter(|_| is_shared).unwrap_or((first + n) as At));
        }
        conditions.shared = shared.into_iter().map(|(at, elements)| (at, Elements::new(&elements))).collect();
        let nodes: Vec<At> = conditions.shared.iter().map(|(at, _)| *at).collect();
        let mut place = 0;
        for (word, bits) in program::words_of(&nodes) {
            let mut places = Box::new([0; 64]);
            for at in ones(0, bits) {
                places[at] = place;
                place += 1;
            }
            conditions.words_of_shared.push((word, bits, places));
        }
        conditions
    }

    /// Takes in which nodes belong to families.
    fn relate(&mut self, program: &Program) {
        let mut families: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
        for word in 0..self.own.0.len() {
            for n in ones(word, self.own.0[word]) {
                let family = program.entries[self.first + n].family;
                if family != NO_FAMILY {
                    families.entry(family).or_default().push(n);
                    self.own.remove(n);
                }
            }
        }
        for (family, elements) in families {
            let mut stretches: Vec<Stretch> = Vec::new();
            // The images of a family are numbered in the order of its nodes.
            for (image, n) in elements.iter().enumerate().take(IMAGES) {
                self.images[*n] = (family, image as u8);
                let first = image as i32 - (n % 64) as i32;
                match stretches.last_mut() {
                    Some(last) if last.word == n / 64 && last.image == first => last.elements |= 1 << (n % 64),
                    _ => stretches.push(Stretch { word: n / 64, elements: 1 << (n % 64), image: first }),
                }
            }
            self.related.push(Related { family, elements: Elements::new(&elements), stretches });
        }
    }

    /// The nodes of elements that have one of their own.
    fn nodes(&self) -> Vec<At> {
        (0..64 * self.own.0.len()).filter(|n| self.own.has(*n)).map(|n| (self.first + n) as At).collect()
    }

    /// Finds out of which wanted elements the condition holds. `wanted` has elements in the given words only; only
    /// these words of `held` are written.
    pub fn true_of(
        &self,
        in_words: u64,
        wanted: &[u64],
        held: &mut [u64],
        (program, values, moment): (&Program, &mut Values, &Moment),
    ) {
        let first = self.first / 64;
        for word in ones(0, in_words) {
            let own = wanted[word] & self.own.0[word];
            held[word] = 0;
            if own != 0 {
                for n in ones(first + word, own & values.unknown(first + word)) {
                    values.holds(program, moment, n as At);
                }
                held[word] = own & values.known_true(first + word);
            }
        }
        for Related { family, elements, stretches } in &self.related {
            if elements.meet(in_words, wanted) {
                let holding = values.judge(program, moment, *family);
                if is_none(holding) {
                    continue;
                }
                for stretch in stretches {
                    let wanted = wanted[stretch.word] & stretch.elements;
                    if wanted != 0 {
                        held[stretch.word] |= wanted & stretch.of(holding);
                    }
                }
            }
        }
        for (word, nodes, places) in &self.words_of_shared {
            for n in ones(0, nodes & values.may_be_true(*word)) {
                let (at, elements) = &self.shared[usize::from(places[n % 64])];
                if elements.meet(in_words, wanted) && values.holds(program, moment, *at) {
                    elements.words.iter().for_each(|(word, bits)| held[*word] |= wanted[*word] & bits);
                }
            }
        }
    }

    /// What can change whether the condition of an element holds, if it was judged last and `held` then or not; anything
    /// otherwise.
    pub fn watch(&self, values: &Values, n: usize, held: bool) -> Watch {
        let (family, image) = self.images[n];
        if family != NO_FAMILY {
            return values.watch_of_image(family, image.into(), self.nodes[n], held);
        }
        if held { values.kept(self.nodes[n]) } else { values.awaited(self.nodes[n]) }
    }
}

/// What 64 elements are, one bit for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    /// They may begin at any half-move.
    pub starts: u64,
    /// Their condition must hold at one half-move only.
    pub moments: u64,
    /// `C for n` that may begin at any half-move, from some half-move on.
    pub held: u64,
    /// `C for n` that may begin at some half-moves only.
    pub lasting: u64,
    /// They end a match.
    pub matches: u64,
    /// Entry n: they may begin n + 1 half-moves after an element before them has ended.
    pub windows: [u64; LONGEST],
    /// Entry n: they may begin at any time from n + 1 half-moves after on.
    pub stays: [u64; LONGEST],
    /// Bit n: entry n of `windows` or of `stays` is not empty.
    pub asked: u32,
    /// All bits up to the highest one of `asked`: as many half-moves are remembered.
    pub recalled: u32,
    /// The link before them stays open for the rest of the game.
    pub staying: u64,
    /// The link before them stays open as long as a condition holds.
    pub guarded: u64,
    /// Elements, and how much later those stand that may begin behind them.
    pub steps: Vec<(u64, usize)>,
    /// All of these elements; the others that lead to few; and those that lead to many.
    pub chained: u64,
    pub scattered: u64,
    pub joined: u64,
}

/// The plan of a search.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The roles of all elements, a word each.
    pub roles: Vec<Roles>,
    pub conditions: Conditions,
    pub guards: Conditions,
    /// Words with elements that may begin at any half-move, that a condition guards, and that are trips.
    pub starting: u64,
    pub guarded: u64,
    pub travelling: u64,
    /// Trips that differ only in their squares, and all elements that are among them.
    pub routes: Vec<Route>,
    pub trips: Bits,
    /// For each element that is a trip, what its first move changes.
    pub departures: Vec<Watch>,
    /// For each link, the elements that end at it.
    pub feeders: Vec<Vec<usize>>,
    /// For each link, the elements that begin at it.
    pub followers: Vec<Elements>,
    /// For each link, the number of its followers.
    pub needed: Vec<u32>,
    /// The links behind [`Roles::joined`], each with the elements before it.
    pub joints: Vec<(Elements, usize)>,
}

impl Plan {
    /// Makes the plan of a chain; `None` if its times exceed [`LONGEST`] or it has too many elements.
    pub fn new(program: &mut Program, chain: &Chain) -> Option<Plan> {
        let times = chain.gaps.iter().map(|gap| gap.to.unwrap_or(gap.from).max(gap.from).max(1) as usize);
        let longest = times.max().unwrap_or(1);
        let count = chain.elements.len();
        if longest > LONGEST || count > MOST {
            return None;
        }
        let (mut feeders, mut followers) = (vec![Vec::new(); chain.gaps.len()], vec![Vec::new(); chain.gaps.len()]);
        let mut plan = Plan {
            roles: vec![Roles::default(); count.div_ceil(64)],
            conditions: Conditions::default(),
            guards: Conditions::default(),
            starting: 0,
            guarded: 0,
            travelling: 0,
            routes: Route::all(chain),
            trips: Bits::new(count),
            departures: vec![Watch::NEVER; count],
            feeders: Vec::new(),
            followers: Vec::new(),
            needed: Vec::new(),
            joints: Vec::new(),
        };
        let (mut conditions, mut guards) = (vec![None; count], vec![None; count]);
        for (n, element) in chain.elements.iter().enumerate() {
            let (roles, bit) = (&mut plan.roles[n / 64], 1u64 << (n % 64));
            match element.output {
                Output::Match => roles.matches |= bit,
                Output::Link(link) => feeders[link].push(n),
            }
            let mut is_limited = false;
            if let Input::Link(link) = element.input {
                followers[link].push(n);
                let gap = chain.gaps[link];
                let from = gap.from.max(1) as usize;
                match gap.to {
                    Some(to) => roles.windows[from - 1..to as usize].iter_mut().for_each(|window| *window |= bit),
                    None => roles.stays[from - 1] |= bit,
                }
                is_limited = gap.to.is_some() || gap.while_.is_some();
                guards[n] = gap.while_;
                if gap.while_.is_some() {
                    roles.guarded |= bit;
                } else if gap.to.is_none() {
                    roles.staying |= bit;
                }
            } else {
                roles.starts |= bit;
            }
            match &element.what {
                What::Moment(at) => {
                    roles.moments |= bit;
                    conditions[n] = Some(*at);
                }
                What::Lasting(at, _) => {
                    *if is_limited { &mut roles.lasting } else { &mut roles.held } |= bit;
                    conditions[n] = Some(*at);
                }
                What::Trip(steps) => {
                    plan.travelling |= 1 << (n / 64);
                    plan.departures[n] = steps.first().map_or(Watch::NEVER, Step::watch);
                }
            }
        }
        plan.lead(&feeders, &followers);
        plan.followers = followers.iter().map(|followers| Elements::new(followers)).collect();
        plan.needed = followers.iter().map(|followers| followers.len() as u32).collect();
        plan.feeders = feeders;
        for (word, roles) in plan.roles.iter_mut().enumerate() {
            for (n, (window, stay)) in roles.windows.iter().zip(&roles.stays).enumerate() {
                roles.asked |= u32::from(window | stay != 0) << n;
            }
            roles.recalled = u32::MAX.checked_shr(roles.asked.leading_zeros()).unwrap_or(0);
            plan.starting |= u64::from(roles.starts != 0) << word;
            plan.guarded |= u64::from(roles.guarded != 0) << word;
        }
        for route in &plan.routes {
            route.elements.iter().for_each(|n| plan.trips.insert(*n));
        }
        plan.conditions = Conditions::new(program, &conditions);
        if plan.guarded != 0 {
            plan.guards = Conditions::new(program, &guards);
        }
        Some(plan)
    }

    /// Finds out where the elements lead, given those before and behind each link.
    fn lead(&mut self, feeders: &[Vec<usize>], followers: &[Vec<usize>]) {
        let mut steps: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (link, (feeders, followers)) in feeders.iter().zip(followers).enumerate() {
            if feeders.len() * followers.len() <= FEW_PAIRS {
                for (feeder, follower) in feeders.iter().flat_map(|n| followers.iter().map(move |next| (n, next))) {
                    steps.entry(follower - feeder).or_default().push(*feeder);
                }
            } else {
                self.joints.push((Elements::new(feeders), link));
                feeders.iter().for_each(|n| self.roles[n / 64].joined |= 1 << (n % 64));
            }
        }
        for (by, elements) in steps {
            for (word, bits) in Elements::new(&elements).words {
                let roles = &mut self.roles[word];
                if bits.count_ones() < FEW_STEPS {
                    roles.scattered |= bits;
                } else {
                    roles.steps.push((bits, by));
                    roles.chained |= bits;
                }
            }
        }
    }

    /// The nodes that nothing but this plan evaluates: those of conditions, and those of guards.
    pub fn nodes(&self) -> [Vec<At>; 2] {
        [self.conditions.nodes(), self.guards.nodes()]
    }

    /// Takes in which nodes belong to families.
    pub fn relate(&mut self, program: &Program) {
        self.conditions.relate(program);
        self.guards.relate(program);
    }
}
