//! Bytes as hexadecimal digits, and random ones.

use std::fmt::Write as _;

use openssl::error::ErrorStack;
use openssl::rand::rand_bytes;

/// Writes each byte as two lower-case digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // writing to a string cannot fail
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// Draws `N` random bytes and returns their digits.
///
/// # Errors
///
/// The operating system gives no random bytes.
pub fn random_hex<const N: usize>() -> Result<String, ErrorStack> {
    let mut bytes = [0; N];
    rand_bytes(&mut bytes)?;
    Ok(hex(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0x00, 0x0a, 0xff]), "000aff");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn random_digits_are_new_each_time() {
        let (one, other) = (random_hex::<16>().unwrap(), random_hex::<16>().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }
}
