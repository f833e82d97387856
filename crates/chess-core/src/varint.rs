//! Unsigned integers, seven bits per byte, least significant first (LEB128).
//!
//! By hand: a game has one encoding only, so [`read`] must refuse padded numbers, which libraries accept.

/// Appends `value`.
pub(crate) fn write(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The number at the start of `bytes` and its length; `None` if it is truncated, padded or above 32 bits.
#[inline]
pub(crate) fn read(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            let padded = byte == 0 && i > 0;
            return (!padded).then_some((u32::try_from(value).ok()?, i + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_one_spelling() {
        for value in [0, 1, 127, 128, 300, 16_383, 16_384, 2_097_151, u32::MAX - 1, u32::MAX] {
            let mut bytes = Vec::new();
            write(value, &mut bytes);
            assert_eq!(read(&bytes), Some((value, bytes.len())));
            assert_eq!(read(&bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(read(&[0x80, 0]), None);
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x1f]), None);
        assert_eq!(read(&[]), None);
    }
}
