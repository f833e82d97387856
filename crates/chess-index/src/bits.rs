//! Packs numbers of a few bits each, lowest bit first.
//!
//! Writing takes numbers and returns bytes; reading takes bytes and returns numbers. Reading never fails: bits beyond
//! the end are zero.

/// Number of bytes that hold `bits` bits.
pub(crate) const fn bytes_of(bits: usize) -> usize {
    bits.div_ceil(8)
}

/// Number of bits that `value` takes, 0 for 0.
pub(crate) const fn width_of(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// A buffer that is written bit by bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitWriter {
    words: Vec<u64>,
    len: usize,
}

impl BitWriter {
    /// Appends the lowest `width` bits of `value`, whose higher bits are zero; `width` is at most 64.
    #[inline]
    pub(crate) fn push(&mut self, value: u64, width: u32) {
        if width == 0 {
            return;
        }
        let at = (self.len % 64) as u32;
        match self.words.last_mut() {
            Some(last) if at > 0 => {
                *last |= value << at;
                if at + width > 64 {
                    self.words.push(value >> (64 - at));
                }
            }
            _ => self.words.push(value),
        }
        self.len += width as usize;
    }

    /// Appends that many zeros and a one.
    #[inline]
    pub(crate) fn push_unary(&mut self, mut zeros: u64) {
        while zeros >= 63 {
            self.push(0, 63);
            zeros -= 63;
        }
        self.push(1 << zeros, zeros as u32 + 1);
    }

    /// Appends the bits to `out`, pads the last byte with zeros, and empties the buffer.
    pub(crate) fn move_to(&mut self, out: &mut Vec<u8>) {
        let end = out.len() + bytes_of(self.len);
        out.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        out.truncate(end);
        self.words.clear();
        self.len = 0;
    }
}

/// The 64 bits that begin at byte `at`.
#[inline(always)]
fn word_at(data: &[u8], at: usize) -> u64 {
    match data.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => last_word(data.get(at..).unwrap_or_default()),
    }
}

/// The last bytes, fewer than eight, filled up with zeros.
#[cold]
fn last_word(rest: &[u8]) -> u64 {
    let mut chunk = [0; 8];
    chunk[..rest.len().min(8)].copy_from_slice(&rest[..rest.len().min(8)]);
    u64::from_le_bytes(chunk)
}

/// The `width` bits that begin at bit `at`; `width` is at most 56.
#[inline(always)]
pub(crate) fn get(data: &[u8], at: usize, width: u32) -> u64 {
    word_at(data, at / 8) >> (at % 8) & ((1 << width) - 1)
}

/// Calls `each` with `count` numbers of `width` bits, at most 56, that begin at bit `at`. One load of a word yields all
/// the numbers in it.
#[inline(always)]
pub(crate) fn each(data: &[u8], mut at: usize, width: u32, count: usize, mut each: impl FnMut(u64)) {
    let in_a_word = 56 / width.max(1) as usize;
    let mask = (1 << width) - 1;
    let mut left = count;
    while left > 0 {
        let mut word = word_at(data, at / 8) >> (at % 8);
        let here = left.min(in_a_word);
        for _ in 0..here {
            each(word & mask);
            word >>= width;
        }
        at += here * width as usize;
        left -= here;
    }
}

/// Replaces `values` by numbers of `width` bits, at most 32, that begin at byte `at`.
pub(crate) fn unpack(data: &[u8], at: usize, width: u32, values: &mut [u32]) {
    let rest = data.get(at..).unwrap_or_default();
    macro_rules! eights {
        ($($width:literal)*) => {
            match width {
                0 => {
                    values.fill(0);
                    values.len()
                }
                $($width => eights::<$width>(rest, values),)*
                _ => 0,
            }
        };
    }
    let done = eights!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    let mut values = values[done..].iter_mut();
    each(data, 8 * at + done * width as usize, width, values.len(), |number| {
        if let Some(value) = values.next() {
            *value = number as u32;
        }
    });
}

/// Unpacks eight numbers at a time, which take whole bytes, as long as they are followed by others. Returns how many.
fn eights<const WIDTH: usize>(data: &[u8], values: &mut [u32]) -> usize {
    let (mut at, mut done) = (0, 0);
    for eight in values.as_chunks_mut::<8>().0 {
        let Some(bytes) = data.get(at..).and_then(|rest| rest.first_chunk::<16>()) else { break };
        // Four numbers have at most 64 bits; the second four begin at a byte or in its middle.
        let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let (low, high) = (word(0), word(WIDTH / 2) >> (4 * (WIDTH % 2)));
        for (nth, value) in eight.iter_mut().enumerate() {
            let word = if nth < 4 { low } else { high };
            *value = (word >> (nth % 4 * WIDTH)) as u32 & ((1 << WIDTH) - 1);
        }
        at += WIDTH;
        done += 8;
    }
    done
}

/// Position of the bit after the `nth` zero, counted from 1; 0 for `nth` 0. None beyond the end.
pub(crate) fn after_zero(data: &[u8], nth: u64) -> Option<usize> {
    match nth.checked_sub(1) {
        None => Some(0),
        Some(before) => select(data, before, !0).map(|at| at + 1),
    }
}

/// Position of the one that has `before` ones before it.
pub(crate) fn nth_one(data: &[u8], before: u64) -> Option<usize> {
    select(data, before, 0)
}

/// Position of the set bit that has `before` set bits before it, after every word is XORed with `turn`.
fn select(data: &[u8], mut before: u64, turn: u64) -> Option<usize> {
    for at in (0..data.len()).step_by(8) {
        let mut word = word_at(data, at) ^ turn;
        let left = data.len() - at;
        if left < 8 {
            word &= (1 << (8 * left)) - 1;
        }
        let ones = u64::from(word.count_ones());
        if before < ones {
            for _ in 0..before {
                word &= word - 1;
            }
            return Some(8 * at + word.trailing_zeros() as usize);
        }
        before -= ones;
    }
    None
}

/// Position of the first one at or after bit `from`.
pub(crate) fn next_one(data: &[u8], from: usize) -> Option<usize> {
    let first = get(data, from, 56);
    if first != 0 {
        return Some(from + first.trailing_zeros() as usize);
    }
    (from / 8..data.len()).step_by(8).find_map(|at| {
        let word = word_at(data, at) & if 8 * at < from { !0 << (from - 8 * at) } else { !0 };
        (word != 0).then(|| 8 * at + word.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut writer = BitWriter::default();
        let values: Vec<(u64, u32)> = (0..2000u64)
            .map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15), (n % 57) as u32))
            .map(|(v, w)| (v & ((1 << w) - 1), w))
            .collect();
        for (value, width) in &values {
            writer.push(*value, *width);
        }
        let mut bytes = Vec::new();
        writer.move_to(&mut bytes);
        let mut at = 0;
        for (value, width) in &values {
            assert_eq!(get(&bytes, at, *width), *value);
            at += *width as usize;
        }
        assert_eq!(bytes.len(), bytes_of(at));
        assert_eq!(get(&bytes, at + 1000, 56), 0);
        for width in 0..57u32 {
            let wanted: Vec<u64> = (0..100).map(|n| get(&bytes, 3 + n * width as usize, width)).collect();
            let mut found = Vec::new();
            each(&bytes, 3, width, wanted.len(), |number| found.push(number));
            assert_eq!(found, wanted, "{width} bits");
            for count in [0, 1, 7, 8, 9, 100, 2000].into_iter().filter(|_| width <= 32) {
                let mut values = vec![7; count];
                unpack(&bytes, 3, width, &mut values);
                let wanted = (0..count).map(|n| get(&bytes, 24 + n * width as usize, width) as u32);
                assert_eq!(values, wanted.collect::<Vec<_>>(), "{count} numbers of {width} bits");
            }
            unpack(&bytes, bytes.len() + 5, width.min(32), &mut [0; 9]);
        }
    }

    #[test]
    fn zeros_and_ones_are_found() {
        let gaps = [0u64, 0, 5, 200, 0, 63, 64, 1, 130, 7];
        let mut writer = BitWriter::default();
        gaps.iter().for_each(|gap| writer.push_unary(*gap));
        let mut bytes = Vec::new();
        writer.move_to(&mut bytes);
        let (mut at, mut zeros, mut from) = (0, 0, 0);
        for (n, gap) in gaps.iter().enumerate() {
            assert_eq!(nth_one(&bytes, n as u64), Some(at + *gap as usize));
            assert_eq!(next_one(&bytes, from), Some(at + *gap as usize));
            if *gap > 0 {
                assert_eq!(after_zero(&bytes, zeros + 1), Some(at + 1));
            }
            zeros += gap;
            at += *gap as usize + 1;
            from = at;
        }
        assert_eq!(after_zero(&bytes, 0), Some(0));
        assert_eq!(nth_one(&bytes, gaps.len() as u64), None);
        assert_eq!(next_one(&bytes, at), None);
        assert_eq!(next_one(&[], 0), None);
        assert_eq!(after_zero(&[], 1), None);
    }
}
