//! SHA-256, by OpenSSL, which the connections need anyway: takes bytes, returns fingerprints of sources and hashes of
//! pieces.

use openssl::sha::Sha256;

/// A hash over several runs of bytes.
#[derive(Clone)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Starts with these bytes.
    pub fn new(bytes: &[u8]) -> Hasher {
        Hasher(Sha256::new()).with(bytes)
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds bytes.
    pub fn with(mut self, bytes: &[u8]) -> Hasher {
        self.add(bytes);
        self
    }

    /// The hash of a piece: the first 16 bytes, which suffice to recognize that it has changed.
    pub fn of_piece(self) -> [u8; 16] {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0.finish()[..16]);
        short
    }

    /// The fingerprint of a source.
    pub fn fingerprint(self) -> Vec<u8> {
        self.0.finish().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are stored in `sources` and `pieces`, so they must never change.
    #[test]
    fn published_value() {
        let fingerprint = Hasher::new(b"a").with(b"bc").fingerprint();
        assert_eq!(fingerprint[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(Hasher::new(b"abc").of_piece()[..], fingerprint[..16]);
    }
}
