//! Random bytes, for keys that nobody can guess.

use openssl::error::ErrorStack;
use openssl::rand::rand_bytes;

/// Draws `N` random bytes and returns their hexadecimal digits.
///
/// # Errors
///
/// The operating system gives no random bytes.
pub fn random_hex<const N: usize>() -> Result<String, ErrorStack> {
    let mut bytes = [0; N];
    rand_bytes(&mut bytes)?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_digits_are_new_each_time() {
        let (one, other) = (random_hex::<16>().unwrap(), random_hex::<16>().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }
}
