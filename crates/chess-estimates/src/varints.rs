//! Unsigned integers of up to 64 bits as bytes, seven bits each, least significant first (LEB128): how all that is
//! kept of a sample is written.

/// Appends `value`.
pub fn write(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes the number that `bytes` begin with off them; `None` if it is cut off or too large.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        value |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The same for a number that must not have more than 32 bits.
pub fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take(bytes)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_what_is_cut_off() {
        for value in [0, 1, 127, 128, 16_383, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            write(value, &mut bytes);
            assert_eq!(take(&mut bytes.as_slice()), Some(value));
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(take(&mut [0xff; 11].as_slice()), None);
        assert_eq!(take_u32(&mut [0x80, 0x80, 0x80, 0x80, 0x10].as_slice()), None);
    }
}
