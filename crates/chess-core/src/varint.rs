//! Unsigned integers as bytes, seven bits each, least significant first (LEB128).
//!
//! By hand: each number has a single encoding, because equal games must have equal bytes, so [`take`] and [`read`] refuse
//! padded numbers, which libraries accept.

/// Appends `value`.
pub fn write(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number off the start of `bytes`; `None` if it is truncated, padded or above 64 bits.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        // the tenth byte has room for a single bit
        if bits << shift >> shift != bits {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            let padded = byte == 0 && shift > 0;
            return (!padded).then_some(value);
        }
    }
    None
}

/// [`take`] for a number of at most 32 bits.
#[inline]
pub fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take(bytes)?).ok()
}

/// The number of at most 32 bits at the start of `bytes`, and its length.
#[inline]
pub fn read(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut rest = bytes;
    let value = take_u32(&mut rest)?;
    Some((value, bytes.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_one_spelling() {
        for value in [0, 1, 127, 128, 300, 16_383, 16_384, 2_097_151, u32::MAX.into(), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            write(value, &mut bytes);
            assert_eq!(take(&mut bytes.as_slice()), Some(value));
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
            assert_eq!(read(&bytes), u32::try_from(value).ok().map(|value| (value, bytes.len())));
        }
        assert_eq!(read(&[0x80, 0]), None);
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x1f]), None);
        assert_eq!(read(&[]), None);
        assert_eq!(take(&mut [0xff; 11].as_slice()), None);
        assert_eq!(take(&mut [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2].as_slice()), None);
    }
}
