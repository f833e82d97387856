//! Decompresses a stream: bytes come in, text in UTF-8 goes out.
//!
//! The first bytes tell the format. A file may be compressed twice, as a .gz in a ZIP archive is; what is compressed more often,
//! and what is no text, is refused with what to do.

use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, bail};
use flate2::bufread::GzDecoder;

use super::{scid, utf16};

/// The beginning of a Parquet file.
pub const PARQUET_MAGIC: &[u8] = b"PAR1";
/// The beginning of a SQLite database.
pub const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Where in the header of the first member of a tar archive `ustar` stands.
const TAR_MAGIC_AT: usize = 257;

/// Where a stream comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A file, a pipe or standard input.
    File,
    /// What a compressed stream or an archive holds.
    Inner,
    /// What a compressed stream there holds.
    Innermost,
}

impl Layer {
    /// Returns the layer that lies within a compressed stream of this one, or `None` where it would be too deep to be read.
    fn below(self) -> Option<Layer> {
        match self {
            Layer::File => Some(Layer::Inner),
            Layer::Inner => Some(Layer::Innermost),
            Layer::Innermost => None,
        }
    }

    /// What to do with a file that can be read if it stands alone.
    fn advice(self) -> &'static str {
        match self {
            Layer::File => "give it as a file",
            Layer::Inner | Layer::Innermost => "unpack what it is in, and give it as a file",
        }
    }
}

/// A stream whose first bytes were read ahead.
pub struct Peeked<R> {
    pub head: Vec<u8>,
    pub input: R,
}

impl<R: Read> Peeked<R> {
    pub fn new(mut input: R) -> io::Result<Peeked<R>> {
        let mut head = Vec::new();
        input.by_ref().take(TAR_MAGIC_AT as u64 + 8).read_to_end(&mut head)?;
        Ok(Peeked { head, input })
    }

    /// The stream from its beginning.
    pub fn whole(self) -> impl Read {
        Cursor::new(self.head).chain(self.input)
    }
}

/// The text of a stream. The limit holds for the text, and as much for what is compressed in something else.
pub fn unpack<'r>(input: impl Read + Send + 'r, layer: Layer, limit: &Limit) -> Result<Box<dyn Read + Send + 'r>> {
    let (layer, peeked) = decompress(Box::new(input), layer, limit)?;
    refuse(&peeked.head, layer)?;
    Ok(utf16::to_utf8(limit.of_text(peeked.whole()))?)
}

/// Decompresses a whole file, and does not look at what its bytes mean.
pub fn bytes(input: impl Read + Send) -> Result<Vec<u8>> {
    let (_, peeked) = decompress(Box::new(input), Layer::File, &Limit::new(None))?;
    let mut bytes = Vec::new();
    peeked.whole().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Removes all compression from a stream. Returns what is inside, and the layer at which that was found.
fn decompress<'r>(
    input: Box<dyn Read + Send + 'r>,
    layer: Layer,
    limit: &Limit,
) -> Result<(Layer, Peeked<Box<dyn Read + Send + 'r>>)> {
    let peeked = Peeked::new(input)?;
    let Some(format) = Format::of(&peeked.head) else { return Ok((layer, peeked)) };
    let Some(below) = layer.below() else { bail!("compressed three times: unpack it first") };
    let input: Box<dyn Read + Send + 'r> = match layer {
        Layer::File => Box::new(peeked.whole()),
        Layer::Inner | Layer::Innermost => Box::new(limit.of_packed(peeked.whole())),
    };
    decompress(format.decoder(input)?, below, limit)
}

/// How a stream is compressed.
enum Format {
    Zstd,
    Gzip,
    Bzip2,
}

impl Format {
    fn of(head: &[u8]) -> Option<Format> {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Format::Zstd),
            [0x1f, 0x8b, ..] => Some(Format::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Format::Bzip2),
            _ => None,
        }
    }

    fn decoder<'r>(self, input: Box<dyn Read + Send + 'r>) -> io::Result<Box<dyn Read + Send + 'r>> {
        let input = BufReader::with_capacity(1 << 16, input);
        Ok(match self {
            Format::Zstd => Box::new(Decoder(zstd::Decoder::with_buffer(input)?)),
            Format::Gzip => Box::new(Decoder(Members(Some(GzDecoder::new(input))))),
            Format::Bzip2 => Box::new(Decoder(bzip2::bufread::MultiBzDecoder::new(input))),
        })
    }
}

/// A decoder whose errors say what is wrong with the file.
struct Decoder<R>(R);

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => io::Error::new(ErrorKind::UnexpectedEof, "it is cut off"),
            // as the decoders say it; errors of the file and of limits have other kinds
            ErrorKind::InvalidInput => {
                let why = format!("it is damaged, or what follows its end is not compressed: {error}");
                io::Error::new(ErrorKind::InvalidData, why)
            }
            _ => error,
        })
    }
}

/// The members of a gzip file. Zeros behind one mean nothing: tapes and some programs fill up a block with them.
struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let ends = skip_zeros(member.get_mut())?;
            self.0 = self.0.take().filter(|_| !ends).map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// Skips zeros. Returns whether nothing follows them.
fn skip_zeros(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        if zeros == 0 {
            return Ok(bytes.is_empty());
        }
        input.consume(zeros);
    }
}

/// Refuses what is no text.
fn refuse(head: &[u8], layer: Layer) -> Result<()> {
    let advice = layer.advice();
    match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => {
            bail!("a ZIP archive in a stream, which cannot be read from its end: {advice}")
        }
        [b'7', b'z', 0xbc, 0xaf, ..] => bail!("a 7z archive: unpack it, as in 7z x -so FILE.7z | chess-pgn load -"),
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => {
            bail!("a RAR archive: unpack it, as in unrar p -inul FILE.rar | chess-pgn load -")
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            bail!("compressed with xz: unpack it, as in xz -dc FILE.xz | chess-pgn load -")
        }
        _ if head
            .get(TAR_MAGIC_AT..)
            .is_some_and(|rest| rest.starts_with(b"ustar\0") || rest.starts_with(b"ustar ")) =>
        {
            bail!("a tar archive: unpack it, as in tar -xOf FILE.tar | chess-pgn load -")
        }
        _ if head.starts_with(scid::MAGIC) => {
            bail!("a database of Scid in a stream: {advice}, which has two more beside it")
        }
        _ if head.starts_with(PARQUET_MAGIC) => {
            bail!("a Parquet file in a stream, whose end has to be read first: {advice}")
        }
        _ if head.starts_with(SQLITE_MAGIC) => bail!("a SQLite database in a stream: {advice}"),
        _ => Ok(()),
    }
}

/// A limit on the bytes of a file after decompression; all members of an archive share it.
#[derive(Clone)]
pub struct Limit {
    most: Option<u64>,
    /// The bytes of text that were read.
    text: Arc<AtomicU64>,
    /// The bytes that were decompressed, and are compressed once more.
    packed: Arc<AtomicU64>,
}

impl Limit {
    pub fn new(most: Option<u64>) -> Limit {
        Limit { most, text: Arc::default(), packed: Arc::default() }
    }

    pub fn is_set(&self) -> bool {
        self.most.is_some()
    }

    pub fn of_text<R>(&self, input: R) -> Limited<R> {
        Limited { input, most: self.most, read: Arc::clone(&self.text) }
    }

    fn of_packed<R>(&self, input: R) -> Limited<R> {
        Limited { input, most: self.most, read: Arc::clone(&self.packed) }
    }
}

/// Fails beyond a limit.
pub struct Limited<R> {
    input: R,
    most: Option<u64>,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let all = self.read.fetch_add(read as u64, Ordering::Relaxed) + read as u64;
        match self.most {
            Some(most) if all > most => {
                Err(io::Error::other(format!("it holds more than {} MiB when it is unpacked", most >> 20)))
            }
            _ => Ok(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const GAME: &str = "[Event \"a\"]\n\n1. e4 *\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut packed = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 1).unwrap()
    }

    fn text(bytes: &[u8], layer: Layer, most: Option<u64>) -> Result<String> {
        let mut text = String::new();
        unpack(bytes, layer, &Limit::new(most))?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn two_layers_are_read() {
        let packers = [gzip, bzip2, zstd];
        for outer in packers {
            let once = outer(GAME.as_bytes());
            assert_eq!(text(&once, Layer::File, None).unwrap(), GAME);
            assert_eq!(text(&once, Layer::Inner, None).unwrap(), GAME, "a member of an archive");
            for inner in packers {
                let twice = inner(&once);
                assert_eq!(text(&twice, Layer::File, None).unwrap(), GAME);
                let refused = "compressed three times: unpack it first";
                assert_eq!(text(&twice, Layer::Inner, None).unwrap_err().to_string(), refused);
                assert_eq!(text(&gzip(&twice), Layer::File, None).unwrap_err().to_string(), refused);
            }
        }
    }

    #[test]
    fn both_layers_have_the_limit() {
        let games = GAME.repeat(1 << 16);
        let len = games.len() as u64;
        for packed in [gzip(games.as_bytes()), gzip(&zstd(games.as_bytes()))] {
            assert_eq!(text(&packed, Layer::File, Some(len)).unwrap(), games);
            let error = text(&packed, Layer::File, Some(len - 1)).unwrap_err().to_string();
            assert_eq!(error, "it holds more than 1 MiB when it is unpacked");
        }
        // Nothing but the headers of empty files: no text, but many bytes to unpack.
        let empty = gzip(b"").repeat(1 << 17);
        let error = text(&gzip(&empty), Layer::File, Some(1 << 20)).unwrap_err().to_string();
        assert_eq!(error, "it holds more than 1 MiB when it is unpacked");
    }

    #[test]
    fn damage_is_said() {
        let games = GAME.repeat(1 << 10);
        for pack in [gzip, bzip2, zstd] {
            let whole = pack(games.as_bytes());
            for len in [whole.len() / 2, whole.len() - 1] {
                for packed in [whole[..len].to_vec(), zstd(&whole[..len])] {
                    assert_eq!(text(&packed, Layer::File, None).unwrap_err().to_string(), "it is cut off");
                }
            }
        }
        for pack in [gzip, bzip2] {
            let error =
                text(&[&pack(games.as_bytes())[..], b"something else that follows it"].concat(), Layer::File, None)
                    .unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with("it is damaged, or what follows its end is not compressed: "), "{error}");
        }
    }

    #[test]
    fn gzip_may_be_padded_with_zeros() {
        let padded = [gzip(GAME.as_bytes()), vec![0; 200_000]].concat();
        for packed in [padded.clone(), padded.repeat(2), gzip(&padded)] {
            let games = text(&packed, Layer::File, None).unwrap();
            assert_eq!(games, GAME.repeat(if packed.len() > padded.len() { 2 } else { 1 }));
        }
        let error = text(&[&padded[..], b"something else"].concat(), Layer::File, None).unwrap_err().to_string();
        assert!(error.starts_with("it is damaged, or what follows its end is not compressed: "), "{error}");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let tar = [b"games.pgn".to_vec(), vec![0; 248], b"ustar  \0".to_vec(), vec![0; 247], GAME.into()].concat();
        let why = "a tar archive: unpack it, as in tar -xOf FILE.tar | chess-pgn load -";
        for packed in [tar.clone(), gzip(&tar), zstd(&tar)] {
            assert_eq!(text(&packed, Layer::File, None).unwrap_err().to_string(), why);
        }
        for (head, layer, why) in [
            (
                &b"PK\x03\x04"[..],
                Layer::File,
                "a ZIP archive in a stream, which cannot be read from its end: give it as a file",
            ),
            (
                b"PK\x03\x04",
                Layer::Inner,
                "a ZIP archive in a stream, which cannot be read from its end: unpack what it is in, and give it as a file",
            ),
            (
                b"Rar!\x1a\x07\x01\0",
                Layer::File,
                "a RAR archive: unpack it, as in unrar p -inul FILE.rar | chess-pgn load -",
            ),
            (b"\xfd7zXZ\0", Layer::File, "compressed with xz: unpack it, as in xz -dc FILE.xz | chess-pgn load -"),
            (b"SQLite format 3\0", Layer::File, "a SQLite database in a stream: give it as a file"),
        ] {
            assert_eq!(text(head, layer, None).unwrap_err().to_string(), why);
        }
    }
}
