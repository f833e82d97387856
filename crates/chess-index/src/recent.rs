//! What is used again and again: names and values come in, the value of a name goes out, as long as it is kept. So many are kept;
//! those that were used least recently are forgotten first.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

/// Values by their names.
#[derive(Debug)]
pub struct Recent<K, V, S> {
    most: usize,
    /// Counts the uses of all values. Each value has the number of its last use.
    uses: u64,
    values: HashMap<K, (u64, V), S>,
}

impl<K: Eq + Hash, V: Clone, S: BuildHasher + Default> Recent<K, V, S> {
    /// None yet, and never more than `most`.
    pub fn new(most: usize) -> Recent<K, V, S> {
        Recent { most: most.max(1), uses: 0, values: HashMap::default() }
    }

    /// The value of a name, if it is kept.
    pub fn find(&mut self, name: &K) -> Option<V> {
        let (used, value) = self.values.get_mut(name)?;
        self.uses += 1;
        *used = self.uses;
        Some(value.clone())
    }

    /// Keeps a value.
    pub fn keep(&mut self, name: K, value: V) {
        if self.values.len() >= self.most && !self.values.contains_key(&name) {
            self.forget_oldest();
        }
        self.uses += 1;
        self.values.insert(name, (self.uses, value));
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Forgets the quarter that was used least recently, or one. It looks at all values, so it should not forget one after the other.
    fn forget_oldest(&mut self) {
        let mut uses: Vec<u64> = self.values.values().map(|(used, _)| *used).collect();
        let place = (uses.len() / 4).saturating_sub(1);
        let (_, last, _) = uses.select_nth_unstable(place);
        let last = *last;
        self.values.retain(|_, (used, _)| *used > last);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::hash_map::RandomState;

    use super::*;

    #[test]
    fn what_is_used_stays() {
        let mut recent: Recent<u32, String, RandomState> = Recent::new(100);
        for number in 0..10_000 {
            recent.keep(number, number.to_string());
            assert!(recent.values.len() <= 100);
            // ten that each question needs, however many others come
            for needed in 0..=number.min(9) {
                assert_eq!(recent.find(&needed), Some(needed.to_string()), "{needed} after {number}");
            }
            for latest in number.saturating_sub(60)..number {
                assert!(recent.values.contains_key(&latest), "{latest} after {number}");
            }
        }
        assert_eq!(recent.find(&5000), None);
        recent.clear();
        assert_eq!(recent.find(&1), None);
    }

    #[test]
    fn one_takes_the_place_of_the_oldest() {
        for most in 0..5 {
            let mut recent: Recent<u32, u32, RandomState> = Recent::new(most);
            (0..10).for_each(|number| recent.keep(number, number));
            recent.keep(9, 90);
            assert_eq!(recent.values.len(), most.max(1), "what is kept already needs no room");
            assert_eq!(recent.find(&9), Some(90));
        }
    }
}
