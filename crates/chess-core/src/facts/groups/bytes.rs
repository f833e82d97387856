//! Groups as bytes, for processes that share the work: takes groups and returns bytes of the same program, and back.

use std::cmp::Reverse;

use super::{Group, Groups};

impl Groups {
    /// The bytes about all groups, for [`Groups::from_bytes`] of the same program.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        out.number(self.wanted.into());
        out.number(self.count as i64);
        out.number(self.limit as i64);
        out.number(self.is_too_large.into());
        for grouping in &self.groupings {
            out.number(grouping.groups.len() as i64);
            grouping.groups.iter().for_each(|group| out.group(group));
        }
        for list in &self.lists {
            out.number(list.len() as i64);
            for Reverse((first, second, id)) in list {
                [first, second, id].into_iter().for_each(|number| out.number(*number));
            }
        }
        out.0
    }

    /// The groups in these bytes, to be merged into others; `None` if there are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Groups> {
        let mut from = Reader(bytes);
        let wanted = from.number()?.try_into().ok()?;
        let count = from.number()?.try_into().ok()?;
        let limit = from.number()?.try_into().ok()?;
        let mut groups = Groups::new(wanted, count, limit);
        groups.is_too_large = from.number()? != 0;
        for grouping in &mut groups.groupings {
            for _ in 0..from.number()? {
                grouping.push(from.group()?);
            }
        }
        for list in &mut groups.lists {
            for _ in 0..from.number()? {
                list.push(Reverse((from.number()?, from.number()?, from.number()?)));
            }
        }
        Some(groups)
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: i64) {
        self.0.extend(number.to_ne_bytes());
    }

    /// A number that may be missing.
    fn optional(&mut self, number: Option<i64>) {
        self.number(number.is_some().into());
        self.number(number.unwrap_or(0));
    }

    fn group(&mut self, group: &Group) {
        self.optional(group.number);
        self.optional(group.label.as_ref().map(|label| label.len() as i64));
        self.0.extend_from_slice(group.label.as_deref().unwrap_or_default());
        group.sums.iter().for_each(|sum| self.number(*sum));
        self.optional(group.days.map(|(first, last)| i64::from(last) << 32 | i64::from(first as u32)));
        self.optional(group.id);
        let numbers = [group.moves, group.old, group.shortest.into(), group.longest.into()];
        numbers.iter().for_each(|number| self.number(*number));
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<i64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(i64::from_ne_bytes(*number))
    }

    fn optional(&mut self) -> Option<Option<i64>> {
        let is_known = self.number()? != 0;
        let number = self.number()?;
        Some(is_known.then_some(number))
    }

    fn group(&mut self) -> Option<Group> {
        let number = self.optional()?;
        let label = match self.optional()? {
            None => None,
            Some(len) => {
                let (label, rest) = self.0.split_at_checked(len.try_into().ok()?)?;
                self.0 = rest;
                Some(Box::from(label))
            }
        };
        let mut group = Group::new(number, label);
        for sum in &mut group.sums {
            *sum = self.number()?;
        }
        group.days = self.optional()?.map(|days| (days as i32, (days >> 32) as i32));
        group.id = self.optional()?;
        group.moves = self.number()?;
        group.old = self.number()?;
        group.shortest = self.number()?.try_into().ok()?;
        group.longest = self.number()?.try_into().ok()?;
        Some(group)
    }
}
