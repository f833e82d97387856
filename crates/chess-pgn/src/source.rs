//! Where games come from: a path or `-` comes in, a stream of PGN bytes goes out, unpacked.
//!
//! How a stream is packed is told by its first bytes, not by its name, so that standard input may be
//! packed, too. What is read is counted before unpacking, for the progress.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// A stream that has been opened.
pub struct Source {
    /// The PGN, unpacked.
    pub input: Box<dyn Read + Send>,
    /// The size of the file; not known of standard input.
    pub size: Option<u64>,
}

/// What a file is, by its first bytes.
pub enum Kind {
    /// PGN, perhaps packed.
    Pgn,
    /// A database of SQLite.
    Sqlite,
}

/// Looks at the first bytes of a file. Standard input is always PGN.
pub fn kind(name: &str) -> Result<Kind> {
    if name == STDIN {
        return Ok(Kind::Pgn);
    }
    let mut head = Vec::new();
    let file = File::open(name).with_context(|| format!("cannot open {name}"))?;
    file.take(16).read_to_end(&mut head).with_context(|| format!("cannot read {name}"))?;
    Ok(if head.starts_with(b"SQLite format 3\0") { Kind::Sqlite } else { Kind::Pgn })
}

/// Opens a file, or standard input; `consumed` counts the bytes that are read, as they are stored.
pub fn open(name: &str, consumed: Arc<AtomicU64>) -> Result<Source> {
    if name == STDIN {
        return Ok(Source { input: unpack(io::stdin(), consumed).context("standard input")?, size: None });
    }
    let metadata = Path::new(name).metadata().with_context(|| format!("cannot open {name}"))?;
    if metadata.is_dir() {
        bail!("{name} is a directory");
    }
    let file = File::open(name).with_context(|| format!("cannot open {name}"))?;
    // A pipe has no size, and what it says of it is 0.
    let size = Some(metadata.len()).filter(|_| metadata.is_file());
    Ok(Source { input: unpack(file, consumed).with_context(|| name.to_owned())?, size })
}

fn unpack(input: impl Read + Send + 'static, consumed: Arc<AtomicU64>) -> Result<Box<dyn Read + Send>> {
    let mut input = Counted { input, consumed };
    let mut head = Vec::new();
    input.by_ref().take(4).read_to_end(&mut head)?;
    let all = BufReader::with_capacity(1 << 16, Cursor::new(head.clone()).chain(input));
    Ok(match head[..] {
        [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Box::new(zstd::Decoder::with_buffer(all)?),
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(all)),
        [b'B', b'Z', b'h', b'1'..=b'9'] => Box::new(bzip2::bufread::MultiBzDecoder::new(all)),
        [b'P', b'K', 3, 4] => bail!("a ZIP archive: unpack it, as in unzip -p FILE.zip | chess-pgn load -"),
        [b'7', b'z', 0xbc, 0xaf] => bail!("a 7z archive: unpack it, as in 7z x -so FILE.7z | chess-pgn load -"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            bail!("UTF-16 text: convert it, as in iconv -f UTF-16 -t UTF-8 FILE | chess-pgn load -")
        }
        _ => Box::new(all),
    })
}

struct Counted<R> {
    input: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
