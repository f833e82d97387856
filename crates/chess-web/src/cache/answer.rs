//! An answer of a handler as the cache holds it: gzip where that makes it shorter.
//!
//! Clients that take gzip get the stored bytes; for the others they are decompressed. (tower-http would compress every response
//! anew, which costs more than all the rest of a cached answer.)

use std::sync::{LazyLock, Mutex, PoisonError};

use axum::body::Bytes;
use axum::http::response::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// The longest answer that is cached, in bytes before compression.
pub const LONGEST: usize = 1 << 20;

/// Shared: a compressor takes about 300 kB, and allocating one per answer fragments the heap.
static COMPRESSOR: LazyLock<Mutex<Compress>> =
    LazyLock::new(|| Mutex::new(Compress::new_gzip(Compression::fast(), 15)));
/// Decodes raw deflate; the caller skips the gzip header.
static DECOMPRESSOR: LazyLock<Mutex<Decompress>> = LazyLock::new(|| Mutex::new(Decompress::new(false)));

/// The length of a gzip header without a file name. A trailer follows the data; its last four bytes are the plain length.
const GZIP_HEADER: usize = 10;

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers, without those that depend on the encoding.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Bytes,
    /// Whether the body is gzip.
    pub is_gzip: bool,
    /// Whether the database was in one state from the question to the answer, so that the answer holds as long as the state.
    pub holds: bool,
}

impl Answer {
    /// An answer as a handler returned it.
    pub fn new(parts: Parts, body: Bytes, holds: bool) -> Answer {
        let headers = parts.headers.iter().filter(|(name, _)| *name != header::CONTENT_LENGTH);
        let headers = headers.map(|(name, value)| (name.clone(), value.clone())).collect();
        Answer { status: parts.status, headers, body, is_gzip: false, holds }
    }

    /// The answer compressed, unless that makes it longer.
    pub fn compress(mut self) -> Answer {
        let mut compressor = COMPRESSOR.lock().unwrap_or_else(PoisonError::into_inner);
        compressor.reset();
        // The buffer is as long as the input: if compression does not shorten it, it fails and the answer stays as it is.
        let mut compressed = Vec::with_capacity(self.body.len());
        let status = compressor.compress_vec(&self.body, &mut compressed, FlushCompress::Finish);
        self.is_gzip = matches!(status, Ok(Status::StreamEnd));
        // copied, because the buffer has more capacity than the cache should hold
        self.body = Bytes::copy_from_slice(if self.is_gzip { &compressed } else { &self.body });
        self
    }

    /// The plain body of a compressed answer; `None` if the bytes are not gzip.
    pub fn decompressed(&self) -> Option<Bytes> {
        let length = u32::from_le_bytes(*self.body.last_chunk()?);
        let mut plain = Vec::with_capacity(LONGEST.min(length as usize));
        let mut decompressor = DECOMPRESSOR.lock().unwrap_or_else(PoisonError::into_inner);
        decompressor.reset(false);
        let status = decompressor.decompress_vec(self.body.get(GZIP_HEADER..)?, &mut plain, FlushDecompress::Finish);
        matches!(status, Ok(Status::StreamEnd)).then(|| plain.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compressed_answer_is_shorter_and_the_same() {
        let answer = |body: Vec<u8>| Answer {
            status: StatusCode::OK,
            headers: vec![],
            body: body.into(),
            is_gzip: false,
            holds: true,
        };
        for length in [0, 1, 30, 1000, LONGEST] {
            let plain: Vec<u8> = (0..length).map(|at| b"{\"games\": 3}"[at * at / 5 % 12]).collect();
            let compressed = answer(plain.clone()).compress();
            assert_eq!(compressed.is_gzip, length >= 1000, "{length}");
            assert!(compressed.body.len() <= plain.len());
            let body = if compressed.is_gzip { compressed.decompressed().unwrap() } else { compressed.body };
            assert_eq!(body, plain);
        }
        let broken = Answer { is_gzip: true, ..answer(b"no gzip".to_vec()) };
        assert!(broken.decompressed().is_none());
    }
}
