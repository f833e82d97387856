//! The end of a Parquet file, looked at before the crate reads it: groups within groups would overflow its stack, and a number of
//! columns is memory that it asks for. Neither could be caught.
//!
//! The end has the schema as a list of groups and columns in Thrift's compact protocol, each group before what it has. The crate
//! reads known fields as what they should be, whatever type they say; here such a field is damage, so that both read the same.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use anyhow::{Context, Result, bail};

/// The most bytes of the end, the deepest group, and the most bytes of the names of all columns with those of their groups.
const BYTES: u32 = 16 << 20;
const DEPTH: usize = 64;
const NAMES: usize = 64 << 20;

/// The types of Thrift.
const BYTE: u8 = 3;
const INT: u8 = 5;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Checks the end of a file of `size` bytes.
///
/// # Errors
///
/// It is not one, too large, damaged, or nests too deeply.
pub fn check(mut file: &File, size: u64) -> Result<()> {
    let mut tail = [0; 8];
    let start = size.checked_sub(8).context("it is cut off")?;
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    if magic != *b"PAR1" {
        bail!("it is cut off or encrypted");
    }
    let len = u32::from_le_bytes([a, b, c, d]);
    if len > BYTES {
        bail!("its schema and the places of its columns have {len} bytes, more than {BYTES}");
    }
    let mut bytes = vec![0; len as usize];
    file.seek(SeekFrom::Start(start.checked_sub(len.into()).context("it is cut off")?))?;
    file.read_exact(&mut bytes)?;
    file.rewind()?;
    Thrift(&bytes).schema().context("its schema is damaged, or has groups in groups too deeply")
}

/// What is left to read. Every function gives None for damage.
struct Thrift<'a>(&'a [u8]);

impl<'a> Thrift<'a> {
    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.bytes(1)?[0])
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.unsigned()?).ok()?;
        self.bytes(len)
    }

    /// The number and the type of the field after the one of number `last`. Type 0 is the end.
    fn field(&mut self, last: i16) -> Option<(i16, u8)> {
        let byte = self.byte()?;
        let id = match byte >> 4 {
            _ if byte & 15 == 0 => 0,
            0 => i16::try_from(self.signed()?).ok()?,
            more => last.checked_add(more.into())?,
        };
        Some((id, byte & 15))
    }

    /// Reads a struct, by what reads the value of one field.
    fn fields(&mut self, read: &mut dyn FnMut(&mut Self, i16, u8) -> Option<()>) -> Option<()> {
        let mut last = 0;
        loop {
            let (id, kind) = self.field(last)?;
            if kind == 0 {
                return Some(());
            }
            read(self, id, kind)?;
            last = id;
        }
    }

    /// Skips a value. Schemas have none with lists, maps and UUIDs.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            // true and false
            1 | 2 => Some(()),
            BYTE => self.byte().map(|_| ()),
            4 | INT | 6 => self.unsigned().map(|_| ()),
            7 => self.bytes(8).map(|_| ()),
            TEXT => self.text().map(|_| ()),
            STRUCT if depth > 0 => self.fields(&mut |thrift, _, kind| thrift.skip(kind, depth - 1)),
            _ => None,
        }
    }

    /// Skips what says how a column's values are meant.
    fn logical_type(&mut self) -> Option<()> {
        self.fields(&mut |thrift, meant, kind| {
            (kind == STRUCT).then_some(())?;
            thrift.fields(&mut |thrift, id, kind| {
                let expected = match (meant, id) {
                    (5, 1 | 2) | (18, 2) => INT,
                    (7 | 8, 2) => STRUCT,
                    (10 | 16, 1) => BYTE,
                    (17 | 18, 1) => TEXT,
                    _ => kind,
                };
                (kind == expected).then_some(())?;
                match (meant, id) {
                    // the unit of a time
                    (7 | 8, 2) => thrift.fields(&mut |thrift, _, kind| {
                        (kind == STRUCT).then_some(())?;
                        thrift.skip(kind, 1)
                    }),
                    _ => thrift.skip(kind, 8),
                }
            })
        })
    }

    /// A group or column: how many bytes its name has, and how many groups and columns are in it.
    fn element(&mut self) -> Option<(usize, usize)> {
        let (mut name, mut children) = (0, 0);
        self.fields(&mut |thrift, id, kind| {
            let expected = match id {
                1..=3 | 5..=9 => INT,
                4 => TEXT,
                10 => STRUCT,
                _ => kind,
            };
            (kind == expected).then_some(())?;
            match id {
                4 => name = thrift.text()?.len(),
                5 => children = usize::try_from(thrift.signed()?).ok()?,
                10 => thrift.logical_type()?,
                _ => thrift.skip(kind, 8)?,
            }
            Some(())
        })?;
        Some((name, children))
    }

    /// Checks the schema, which follows the version.
    fn schema(&mut self) -> Option<()> {
        (self.field(0)? == (1, INT)).then_some(())?;
        self.signed()?;
        (self.field(1)? == (2, LIST)).then_some(())?;
        let head = self.byte()?;
        (head & 15 == STRUCT).then_some(())?;
        let count = match head >> 4 {
            15 => usize::try_from(self.unsigned()?).ok()?,
            count => count.into(),
        };
        // Each group around the place has an entry: how many of its parts are still to come, and the bytes of their names so far.
        let mut around: Vec<(usize, usize)> = Vec::new();
        let mut names = 0;
        for n in 0..count {
            let (name, children) = self.element()?;
            // The crate makes a String of each name, which takes memory beside its bytes.
            let mut path = name + size_of::<String>();
            match around.last_mut() {
                Some((to_come, outer)) => {
                    *to_come -= 1;
                    path += *outer;
                }
                // This is the outermost group, which must be the only one.
                None => (n == 0).then_some(())?,
            }
            if children > 0 {
                (children < count - n && around.len() < DEPTH).then_some(())?;
                around.push((children, path));
            } else {
                names += path;
                (names <= NAMES).then_some(())?;
            }
            while around.pop_if(|(to_come, _)| *to_come == 0).is_some() {}
        }
        around.is_empty().then_some(())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A group with its name and the number of its children, or a column.
    pub fn element(name: &[u8], children: i32) -> Vec<u8> {
        let mut out = match children {
            0 => vec![0x15, 12, 0x25, 0, 0x18],
            _ => vec![0x35, 0, 0x18],
        };
        push(&mut out, name.len() as u64);
        out.extend(name);
        if children != 0 {
            out.push(0x15);
            push(&mut out, u64::from((children << 1 ^ children >> 31) as u32));
        }
        out.push(0);
        out
    }

    fn push(out: &mut Vec<u8>, mut number: u64) {
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }

    fn schema(elements: &[Vec<u8>]) -> Vec<u8> {
        let mut out = vec![0x15, 2, 0x19, 0xf0 | STRUCT];
        push(&mut out, elements.len() as u64);
        out.extend(elements.concat());
        out
    }

    /// A file without rows.
    pub fn file_of(elements: &[Vec<Vec<u8>>]) -> Vec<u8> {
        let mut out = schema(&elements.concat());
        // The file has no rows and no groups of rows.
        out.extend([0x16, 0, 0x19, STRUCT, 0]);
        [b"PAR1", &out[..], &(out.len() as u32).to_le_bytes(), b"PAR1"].concat()
    }

    fn is_read(elements: &[Vec<u8>]) -> bool {
        Thrift(&schema(elements)).schema().is_some()
    }

    #[test]
    fn groups_have_what_they_say() {
        let (leaf, group) = (|| element(b"x", 0), |children| element(b"g", children));
        assert!(is_read(&[group(1), leaf()]));
        assert!(is_read(&[group(3), group(2), leaf(), leaf(), leaf(), group(1), leaf()]));
        for elements in [
            &[group(2), leaf()][..],
            &[group(1), leaf(), leaf()],
            &[group(i32::MAX), leaf()],
            &[group(-1), leaf()],
            &[group(2), group(2), leaf(), leaf()],
        ] {
            assert!(!is_read(elements));
        }
        let whole = schema(&[group(1), leaf()]);
        assert!((0..whole.len()).all(|len| Thrift(&whole[..len]).schema().is_none()));
        let nested = |depth| is_read(&[vec![group(1); depth], vec![leaf()]].concat());
        assert!(nested(DEPTH) && !nested(DEPTH + 1) && !nested(1_000_000));
        let wide = |len| is_read(&[vec![group(1), element(&vec![b'n'; len], 1000)], vec![leaf(); 1000]].concat());
        assert!(wide(60_000) && !wide(70_000));
    }
}
