//! The groups of one grouping: takes what the games of a group have in common, returns the place of the group.
//!
//! A hash table by hand, because it holds only places: keys are compared with those of the groups, so each is stored once, and
//! looking one up allocates nothing.

use std::hash::{BuildHasher, RandomState};

use super::Group;

/// Groups, in the order in which they were found.
pub struct Grouping {
    pub groups: Vec<Group>,
    /// Parts of the hash of a group, and its place plus 1; 0 for none. Two thirds are used at most.
    slots: Vec<(u32, u32)>,
    /// Random, so that nobody can choose games whose groups collide.
    seed: u64,
    /// The group that was found last: neighbours in a table often belong together.
    last: usize,
}

impl Default for Grouping {
    fn default() -> Grouping {
        Grouping { groups: Vec::new(), slots: Vec::new(), seed: RandomState::new().hash_one(0), last: 0 }
    }
}

impl Grouping {
    /// The place of the group of a number and a label, and the bytes that it takes if it is new.
    #[inline]
    pub fn find(&mut self, number: Option<i64>, label: Option<&[u8]>) -> (usize, usize) {
        let is_it = |group: &Group| group.number == number && group.label.as_deref() == label;
        if self.groups.get(self.last).is_some_and(is_it) {
            return (self.last, 0);
        }
        let mut bytes = 0;
        if 3 * (self.groups.len() + 1) > 2 * self.slots.len() {
            bytes += self.grow();
        }
        let hash = hash(self.seed, number, label);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                (_, 0) => break,
                (tag, place) if tag == (hash >> 32) as u32 && is_it(&self.groups[place as usize - 1]) => {
                    self.last = place as usize - 1;
                    return (self.last, bytes);
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        self.groups.push(Group::new(number, label.map(Box::from)));
        self.slots[slot] = ((hash >> 32) as u32, self.groups.len() as u32);
        self.last = self.groups.len() - 1;
        (self.last, bytes + size_of::<Group>() + label.map_or(0, |label| label.len() + size_of::<usize>()))
    }

    /// Twice as many slots. Returns the bytes that they take.
    #[cold]
    fn grow(&mut self) -> usize {
        let len = (2 * self.slots.len()).max(16);
        self.slots = vec![(0, 0); len];
        for (place, group) in (1..).zip(&self.groups) {
            let hash = hash(self.seed, group.number, group.label.as_deref());
            let mut slot = hash as usize & (len - 1);
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = ((hash >> 32) as u32, place);
        }
        len / 2 * size_of::<(u32, u32)>()
    }

    /// Appends a group of other games, which is not looked up.
    pub fn push(&mut self, group: Group) {
        self.groups.push(group);
    }
}

/// Multiplies 64-bit words in turn and adds the halves of each product, as the hash functions of the wyhash family do.
#[inline]
fn hash(seed: u64, number: Option<i64>, label: Option<&[u8]>) -> u64 {
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64 ^ seed.rotate_left(32) | 1);
        (product >> 64) as u64 ^ product as u64
    };
    let mut hash = mix(seed, number.map_or(u64::MAX >> 1, |number| number as u64));
    let (words, rest) = label.unwrap_or_default().as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hash = mix(hash, u64::from_le_bytes(last));
    mix(hash, label.map_or(0, |label| label.len() as u64 + 1))
}
