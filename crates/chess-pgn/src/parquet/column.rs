//! A column of a row group: values come in, pages come out, packed by zstd.
//!
//! Values are written as numbers in a dictionary, with the dictionary in the first page, as long as it is small; after
//! that as they are. So names, which repeat, take few bytes, and moves, which do not, cost no look-ups.

use std::collections::HashMap;
use std::io;

use super::thrift::{Struct, varint};
use super::{Field, Value};

/// Values in a page.
const PAGE: usize = 20_000;
/// The most values of a dictionary, and the most bytes of all of them.
const DICTIONARY: (usize, usize) = (1 << 15, 1 << 20);

/// Numbers that Parquet gives to encodings, pages and codecs.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;
const ZSTD: i32 = 6;

/// A column of the row group that is being written.
pub struct Column {
    field: Field,
    /// The numbers of values; `None` once there are too many.
    dictionary: Option<HashMap<Vec<u8>, u32>>,
    /// The values of the dictionary, as they are written.
    values: Vec<u8>,
    /// Whether a page refers to the dictionary.
    uses_dictionary: bool,
    /// Of the page: whether each row has a value, the values, or their numbers.
    present: Vec<u32>,
    plain: Vec<u8>,
    numbers: Vec<u32>,
    /// The pages written so far, and their size before they were packed.
    pages: Vec<u8>,
    unpacked: usize,
    rows: usize,
    nulls: usize,
    bounds: Option<(i64, i64)>,
    scratch: Vec<u8>,
}

impl Column {
    /// An empty column.
    pub fn new(field: Field) -> Column {
        Column {
            field,
            dictionary: Some(HashMap::new()),
            values: Vec::new(),
            uses_dictionary: false,
            present: Vec::new(),
            plain: Vec::new(),
            numbers: Vec::new(),
            pages: Vec::new(),
            unpacked: 0,
            rows: 0,
            nulls: 0,
            bounds: None,
            scratch: Vec::new(),
        }
    }

    /// Adds the value of a row. Returns about how many bytes it takes before it is packed.
    pub fn add(&mut self, value: Value<'_>) -> io::Result<usize> {
        self.rows += 1;
        let before = self.plain.len() + self.values.len();
        self.present.push(u32::from(value != Value::Null));
        self.scratch.clear();
        match (value, self.field.kind) {
            (Value::Null, _) => self.nulls += 1,
            (Value::Int(value), kind) => {
                self.bounds =
                    Some(self.bounds.map_or((value, value), |(least, most)| (least.min(value), most.max(value))));
                self.scratch.extend_from_slice(&value.to_le_bytes()[..kind.width()]);
            }
            (Value::Bytes(bytes), _) => {
                self.scratch.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                self.scratch.extend_from_slice(bytes);
            }
        }
        if value != Value::Null {
            self.put();
        }
        let added = self.plain.len() + self.values.len() - before;
        if self.present.len() == PAGE {
            self.end_page()?;
        }
        Ok(added + 1)
    }

    /// Puts a value in the page, which is all numbers or all values.
    fn put(&mut self) {
        if let Some(dictionary) = &mut self.dictionary {
            if let Some(number) = dictionary.get(&self.scratch) {
                return self.numbers.push(*number);
            }
            if dictionary.len() < DICTIONARY.0 && self.values.len() + self.scratch.len() <= DICTIONARY.1 {
                let number = dictionary.len() as u32;
                dictionary.insert(self.scratch.clone(), number);
                self.values.extend_from_slice(&self.scratch);
                return self.numbers.push(number);
            }
            self.leave_dictionary();
        }
        self.plain.extend_from_slice(&self.scratch);
    }

    /// Writes the values of the page so far as they are, and all that follow.
    fn leave_dictionary(&mut self) {
        let Some(dictionary) = self.dictionary.take() else { return };
        let mut by_number = vec![&[][..]; dictionary.len()];
        dictionary.iter().for_each(|(value, number)| by_number[*number as usize] = value);
        self.numbers.drain(..).for_each(|number| self.plain.extend_from_slice(by_number[number as usize]));
        if !self.uses_dictionary {
            self.values = Vec::new();
        }
    }

    fn end_page(&mut self) -> io::Result<()> {
        if self.present.is_empty() {
            return Ok(());
        }
        let mut page = Vec::new();
        if self.field.nullable {
            let levels = hybrid(&self.present, 1);
            page.extend_from_slice(&(levels.len() as u32).to_le_bytes());
            page.extend(levels);
        }
        let encoding = match &self.dictionary {
            Some(dictionary) => {
                self.uses_dictionary = true;
                // Not every reader knows numbers of no bits.
                let width = (u32::BITS - (dictionary.len().max(1) as u32 - 1).leading_zeros()).max(1);
                page.push(width as u8);
                page.extend(hybrid(&self.numbers, width));
                RLE_DICTIONARY
            }
            None => {
                page.append(&mut self.plain);
                PLAIN
            }
        };
        let header = Struct::default().i32(1, self.present.len() as i32).i32(2, encoding).i32(3, RLE).i32(4, RLE);
        let written = packed(DATA_PAGE, 5, header, &page, &mut self.unpacked)?;
        self.pages.extend(written);
        self.present.clear();
        self.numbers.clear();
        Ok(())
    }

    /// Ends the column: its bytes, their number before they were packed, and its description for the end of a file where
    /// they begin at `offset`.
    pub fn end(mut self, offset: usize) -> io::Result<(Vec<u8>, usize, Struct)> {
        self.end_page()?;
        let mut bytes = Vec::new();
        let mut encodings = vec![PLAIN, RLE];
        if self.uses_dictionary {
            let kind = self.field.kind;
            let count = if kind.is_bytes() { lengths(&self.values) } else { self.values.len() / kind.width() };
            let header = Struct::default().i32(1, count as i32).i32(2, PLAIN);
            bytes = packed(DICTIONARY_PAGE, 7, header, &self.values, &mut self.unpacked)?;
            encodings.push(RLE_DICTIONARY);
        }
        let pages_at = offset + bytes.len();
        bytes.append(&mut self.pages);
        let mut description = Struct::default()
            .i32(1, self.field.kind.physical())
            .enums(2, &encodings)
            .texts(3, &[self.field.name])
            .i32(4, ZSTD)
            .i64(5, self.rows as i64)
            .i64(6, self.unpacked as i64)
            .i64(7, bytes.len() as i64)
            .i64(9, pages_at as i64);
        if self.uses_dictionary {
            description = description.i64(11, offset as i64);
        }
        let mut statistics = Struct::default().i64(3, self.nulls as i64);
        if let Some((least, most)) = self.bounds {
            let width = self.field.kind.width();
            statistics = statistics.binary(5, &most.to_le_bytes()[..width]).binary(6, &least.to_le_bytes()[..width]);
        }
        Ok((bytes, self.unpacked, description.nested(12, statistics)))
    }
}

/// The number of values in bytes, each of which begins with its length.
fn lengths(mut values: &[u8]) -> usize {
    let mut count = 0;
    while let Some((len, rest)) = values.split_first_chunk::<4>() {
        values = rest.get(u32::from_le_bytes(*len) as usize..).unwrap_or_default();
        count += 1;
    }
    count
}

/// A page with its header; `field` is that of the page's own header.
fn packed(kind: i32, field: u8, header: Struct, page: &[u8], unpacked: &mut usize) -> io::Result<Vec<u8>> {
    let body = zstd::bulk::compress(page, 3)?;
    let sizes = Struct::default().i32(1, kind).i32(2, page.len() as i32).i32(3, body.len() as i32);
    let mut bytes = sizes.nested(field, header).end();
    *unpacked += bytes.len() + page.len();
    bytes.extend(body);
    Ok(bytes)
}

/// Numbers of `width` bits: runs of eight and more equal ones as their length and the number, others packed in groups of
/// eight.
fn hybrid(numbers: &[u32], width: u32) -> Vec<u8> {
    let mut out = Vec::new();
    // Where the numbers that are not written yet begin.
    let (mut open, mut at) = (0, 0);
    while at < numbers.len() {
        let run = numbers[at..].iter().take_while(|number| **number == numbers[at]).count();
        // A run begins where whole groups end.
        let fill = (8 - (at - open) % 8) % 8;
        if run >= 8 + fill {
            pack(&mut out, &numbers[open..at + fill], width);
            varint(&mut out, ((run - fill) as u64) << 1);
            out.extend_from_slice(&numbers[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            open = at + run;
        }
        at += run;
    }
    pack(&mut out, &numbers[open..], width);
    out
}

fn pack(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    if numbers.is_empty() {
        return;
    }
    varint(out, (numbers.len().div_ceil(8) as u64) << 1 | 1);
    let (mut bits, mut count) = (0u64, 0);
    let padding = std::iter::repeat_n(&0, numbers.len().next_multiple_of(8) - numbers.len());
    for number in numbers.iter().chain(padding) {
        bits |= u64::from(*number) << count;
        count += width;
        while count >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    }
}

#[cfg(test)]
mod tests {
    use chess_gamegen::splitmix64;

    use super::*;

    /// The reverse of [`hybrid`].
    fn numbers(mut bytes: &[u8], width: u32, len: usize) -> Vec<u32> {
        let mut found = Vec::new();
        while found.len() < len {
            let (mut header, mut shift) = (0u64, 0);
            while let Some((byte, rest)) = bytes.split_first() {
                bytes = rest;
                header |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if *byte < 0x80 {
                    break;
                }
            }
            let count = (header >> 1) as usize;
            if header & 1 == 0 {
                let (value, rest) = bytes.split_at(width.div_ceil(8) as usize);
                bytes = rest;
                let value = value.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
                found.extend(std::iter::repeat_n(value, count));
            } else {
                let (packed, rest) = bytes.split_at(count * width as usize);
                bytes = rest;
                let bit = |at: usize| u32::from(packed[at / 8] >> (at % 8) & 1);
                let number =
                    |n: usize| (0..width as usize).fold(0, |value, b| value | bit(n * width as usize + b) << b);
                found.extend((0..8 * count).map(number));
            }
        }
        assert!(bytes.is_empty());
        found.truncate(len);
        found
    }

    #[test]
    fn runs_and_packed_numbers() {
        let mut state = 34;
        let mut random = |below: u64| splitmix64(&mut state) % below;
        for width in [0u32, 1, 2, 7, 8, 9, 15, 17] {
            for _ in 0..50 {
                let mut list = Vec::new();
                for _ in 0..random(12) {
                    let number = random(1 << width) as u32;
                    let run = if random(2) == 0 { 1 } else { random(40) };
                    list.extend(std::iter::repeat_n(number, run as usize));
                }
                assert_eq!(numbers(&hybrid(&list, width), width, list.len()), list, "{width} {list:?}");
            }
        }
        assert_eq!(hybrid(&[1; 1000], 1), [0xd0, 0x0f, 1]);
        assert!(hybrid(&[], 3).is_empty());
    }
}
