//! Opens a path or `-` (standard input) as uncompressed streams of PGN, UTF-16 as UTF-8 ([`utf16`]).
//!
//! The format is recognized by the first bytes, not by the name, so standard input may be compressed too. A source is
//! opened only once, because a named pipe cannot be read again. Progress counts bytes before decompression.
//!
//! A source is identified by its fingerprint: for a file its size, first MiB and last 64 KiB, so that it can be moved
//! and renamed; for a database of Scid these of its index, and the sizes of its other files; for a member of a ZIP
//! archive its size, checksum and first MiB; for a stream its first 64 KiB. Changes
//! elsewhere are detected by the hashes of its pieces. Files of strangers (`--apart`) are identified by all of their bytes.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use zip::ZipArchive;

use super::as_pgn::AsPgn;
use super::hash::Hasher;
use super::scid;
use super::unpack::{self, Layer, Limit, PARQUET_MAGIC, Peeked, SQLITE_MAGIC, unpack};

/// The endings of the names of compressed files that are read.
const COMPRESSED: [&str; 3] = ["zst", "gz", "bz2"];

/// The name of standard input.
pub const STDIN: &str = "-";

/// The length of a file's beginning in its fingerprint.
const BEGINNING: u64 = 1 << 20;
/// The length of a file's end in its fingerprint.
const END: u64 = 1 << 16;
/// The length of a stream's beginning in a fingerprint.
pub const STREAM_BEGINNING: usize = 1 << 16;

/// The most members of an archive that are read where the number of bytes is limited, too.
const MEMBERS: usize = 10_000;

/// The number of bytes read, shared with the progress.
pub type Consumed = Arc<AtomicU64>;

/// An opened source.
pub enum Opened {
    /// One stream of PGN.
    Pgn(Stream),
    /// An archive; each member is a stream.
    Zip(Archive),
    /// A SQLite database: its size and fingerprint.
    Sqlite(u64, Vec<u8>),
}

/// A stream of PGN.
pub struct Stream {
    /// A PGN stream, uncompressed.
    pub input: Box<dyn Read + Send>,
    /// Size and fingerprint of the file; a stream has none.
    pub file: Option<(u64, Vec<u8>)>,
}

/// A ZIP archive.
pub struct Archive {
    archive: ZipArchive<BufReader<Counted<File>>>,
    limit: Limit,
    /// The members that hold PGN: index and name.
    pub members: Vec<(usize, String)>,
}

/// Opens a file or standard input; adds the number of bytes read, before decompression, to `consumed`. Reading more than
/// `most` bytes after decompression is an error. The caller adds the file's name to errors.
pub fn open(name: &str, consumed: Consumed, most: Option<u64>) -> Result<Opened> {
    let limit = Limit::new(most);
    if name == STDIN {
        let input = unpack(Counted { input: io::stdin(), consumed }, Layer::File, &limit).context("standard input")?;
        return Ok(Opened::Pgn(Stream { input, file: None }));
    }
    let mut file = File::open(name).context("cannot open it")?;
    let metadata = file.metadata().context("cannot open it")?;
    if metadata.is_dir() {
        bail!("it is a directory");
    }
    // The size of a pipe is unknown; its metadata say 0.
    if !metadata.is_file() {
        let input = unpack(Counted { input: file, consumed }, Layer::File, &limit)?;
        return Ok(Opened::Pgn(Stream { input, file: None }));
    }
    if ["si5", "sg5", "sn5"].contains(&ending(Path::new(name)).as_str()) {
        bail!("a database of Scid in a later format: let Scid copy it to one that ends in .si4");
    }
    let size = metadata.len();
    let fingerprint = file_fingerprint(&mut file, size).context("cannot read it")?;
    file.rewind()?;
    let mut input = Peeked::new(Counted { input: file, consumed }).context("cannot read it")?;
    match &input.head[..] {
        head if head.starts_with(SQLITE_MAGIC) => Ok(Opened::Sqlite(size, fingerprint)),
        head if head.starts_with(scid::MAGIC) => {
            let files = scid::Files::of(Path::new(name));
            let sizes = [&files.games, &files.names].map(|file| file.metadata().map_or(0, |found| found.len()));
            let fingerprint = sizes.iter().fold(Hasher::new(&fingerprint), |hash, size| hash.with(&size.to_be_bytes()));
            input.input.input.rewind()?;
            let base = limit.of_text(AsPgn::new(scid::Base::new(input.input, &files)?));
            Ok(Opened::Pgn(Stream { input: Box::new(base), file: Some((size, fingerprint.fingerprint())) }))
        }
        head if head.starts_with(PARQUET_MAGIC) => {
            if limit.is_set() {
                bail!(
                    "a Parquet file: one from strangers could take any memory; chess-pgn convert --pgn makes PGN of it"
                );
            }
            let rows = parquet_rows(input.input.input, size, input.input.consumed)?;
            Ok(Opened::Pgn(Stream { input: rows, file: Some((size, fingerprint)) }))
        }
        head if head.starts_with(scid::NAMES_MAGIC) => {
            bail!("the names of a database of Scid: give the file that ends in .si4")
        }
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => {
            input.input.input.rewind()?;
            Ok(Opened::Zip(Archive::new(input.input, limit)?))
        }
        _ => {
            let input = unpack(input.whole(), Layer::File, &limit)?;
            Ok(Opened::Pgn(Stream { input, file: Some((size, fingerprint)) }))
        }
    }
}

/// The bytes of a file that holds no games, decompressed.
pub fn bytes(name: &Path) -> Result<Vec<u8>> {
    let read = || unpack::bytes(File::open(name)?);
    read().with_context(|| format!("cannot read {}", name.display()))
}

/// Returns the ending of a file's name in lower case, because programs for other systems write endings in capitals.
pub fn ending(name: &Path) -> String {
    name.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// The name of a file without its directory and its ending, and without that of a compressed file.
pub fn stem(name: &Path) -> String {
    let is_compressed = COMPRESSED.contains(&ending(name).as_str());
    let name = if is_compressed { name.with_extension("") } else { name.to_owned() };
    name.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The rows of a Parquet file as PGN.
#[cfg(feature = "parquet")]
fn parquet_rows(file: File, size: u64, consumed: Consumed) -> Result<Box<dyn Read + Send>> {
    Ok(Box::new(AsPgn::new(super::parquet::Rows::new(file, size, consumed)?)))
}

#[cfg(not(feature = "parquet"))]
fn parquet_rows(_: File, _: u64, _: Consumed) -> Result<Box<dyn Read + Send>> {
    bail!("a Parquet file: {}", crate::WITHOUT_PARQUET)
}

impl Archive {
    fn new(file: Counted<File>, limit: Limit) -> Result<Archive> {
        let mut file = BufReader::new(file);
        let entries = directory_len(&mut file)?;
        let mut archive = ZipArchive::new(file).context("a ZIP archive that cannot be read")?;
        // of members with one name, only the last can be reached
        if entries.is_some_and(|entries| entries > archive.len()) {
            bail!("a ZIP archive with several files of the same name: unpack it, and give the files");
        }
        let mut files = Vec::new();
        for at in 0..archive.len() {
            let member = archive.by_index_raw(at)?;
            // control characters would command the terminal that shows the name
            let name = String::from_utf8_lossy(member.name_raw()).replace(char::is_control, "\u{fffd}");
            // resource forks that macOS adds to archives
            let resource =
                name.starts_with("__MACOSX/") || name.rsplit('/').next().is_some_and(|n| n.starts_with("._"));
            if member.is_file() && !resource {
                files.push((at, name));
            }
        }
        let members: Vec<_> = match files.len() {
            1 => files,
            _ => files.into_iter().filter(|(_, name)| has_games(name)).collect(),
        };
        if members.is_empty() {
            bail!("a ZIP archive without a file that ends in .pgn, .zst, .gz or .bz2");
        }
        if limit.is_set() && members.len() > MEMBERS {
            bail!("a ZIP archive with {} files: more than {MEMBERS}", members.len());
        }
        Ok(Archive { archive, limit, members })
    }

    /// A member, uncompressed, with its size and checksum, which are part of its fingerprint ([`member_fingerprint`]).
    pub fn member(&mut self, at: usize) -> Result<(impl Read + '_, u64, u32)> {
        let member = self.archive.by_index(at)?;
        let (size, checksum) = (member.size(), member.crc32());
        Ok((unpack(member, Layer::Inner, &self.limit)?, size, checksum))
    }
}

/// The number of entries in the directory of a ZIP archive, as the record at its end says; `None` if it is not found, or the
/// number is too large for it.
fn directory_len(file: &mut (impl Read + Seek)) -> io::Result<Option<usize>> {
    const RECORD: usize = 22;
    const LONGEST_COMMENT: u64 = u16::MAX as u64;
    let size = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(size.saturating_sub(RECORD as u64 + LONGEST_COMMENT)))?;
    let mut end = Vec::new();
    file.take(RECORD as u64 + LONGEST_COMMENT).read_to_end(&mut end)?;
    file.rewind()?;
    let number = |at: usize| usize::from(u16::from_le_bytes([end[at], end[at + 1]]));
    let is_record = |at: &usize| end.len() - at >= RECORD && number(at + 20) == end.len() - at - RECORD;
    let record = memchr::memmem::rfind_iter(&end, b"PK\x05\x06").find(is_record);
    Ok(record.map(|at| number(at + 10)).filter(|entries| *entries < usize::from(u16::MAX)))
}

/// Whether a member of this name is to be opened. Archives in archives are opened, too, so that they are refused by name.
fn has_games(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".pgn", ".zst", ".gz", ".bz2", ".zip", ".7z", ".rar", ".xz", ".tar", ".tgz"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// The fingerprint of a member of an archive. `beginning` is its first MiB, or all of a shorter one.
pub fn member_fingerprint(size: u64, checksum: u32, beginning: &[u8]) -> Vec<u8> {
    let hash = Hasher::new(b"member").with(&size.to_be_bytes());
    hash.with(&checksum.to_be_bytes()).with(beginning).fingerprint()
}

/// The length of `beginning` for [`member_fingerprint`].
pub const MEMBER_BEGINNING: usize = BEGINNING as usize;

/// The fingerprint of a stream. `beginning` is its first 64 KiB, or all of a shorter one.
pub fn stream_fingerprint(beginning: &[u8]) -> Vec<u8> {
    Hasher::new(b"stream").with(beginning).fingerprint()
}

fn file_fingerprint(file: &mut File, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    file.seek(SeekFrom::Start(size.saturating_sub(END)))?;
    file.by_ref().take(END).read_to_end(&mut bytes)?;
    Ok(Hasher::new(b"file").with(&size.to_be_bytes()).with(&bytes).fingerprint())
}

/// The fingerprint of a member of an archive, of which all bytes have the fingerprint `whole`.
pub fn whole_member_fingerprint(whole: &[u8], at: usize) -> Vec<u8> {
    Hasher::new(b"whole member").with(whole).with(&(at as u64).to_be_bytes()).fingerprint()
}

/// A hash of a whole file, for files that have changed but not at the beginning or end, and for those of strangers, who can
/// make a file with the beginning and end of another one.
pub fn whole_fingerprint(name: &str) -> Result<Vec<u8>> {
    let mut file = File::open(name).with_context(|| format!("cannot open {name}"))?;
    let mut hash = Hasher::new(b"whole");
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.fingerprint()),
            read => hash.add(&buffer[..read]),
        }
    }
}

/// The size of a file, or 0 if it has none.
pub fn size(name: &str) -> u64 {
    Path::new(name).metadata().map_or(0, |metadata| metadata.len())
}

/// Counts the bytes read.
pub struct Counted<R> {
    input: R,
    consumed: Consumed,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}
