//! The compact protocol of Thrift, in which Parquet writes its headers: fields go in, bytes come out.
//!
//! A field is a byte with the difference to the number of the field before and the type, then its value. Integers are
//! zigzag numbers of 7 bits a byte.

/// Types of fields.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is being written. Its fields come in ascending order.
#[derive(Default)]
pub struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn header(&mut self, field: u8, kind: u8) {
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
    }

    /// Adds a number of 32 bits, or an enum.
    #[must_use]
    pub fn i32(mut self, field: u8, value: i32) -> Struct {
        self.header(field, I32);
        zigzag(&mut self.bytes, value.into());
        self
    }

    /// Adds a number of 64 bits.
    #[must_use]
    pub fn i64(mut self, field: u8, value: i64) -> Struct {
        self.header(field, I64);
        zigzag(&mut self.bytes, value);
        self
    }

    /// Adds text or bytes.
    #[must_use]
    pub fn binary(mut self, field: u8, value: &[u8]) -> Struct {
        self.header(field, BINARY);
        binary(&mut self.bytes, value);
        self
    }

    /// Adds a struct.
    #[must_use]
    pub fn nested(mut self, field: u8, value: Struct) -> Struct {
        self.header(field, STRUCT);
        self.bytes.extend(value.end());
        self
    }

    /// Adds a list of structs.
    #[must_use]
    pub fn structs(mut self, field: u8, values: impl ExactSizeIterator<Item = Struct>) -> Struct {
        self.list(field, STRUCT, values.len());
        self.bytes.extend(values.flat_map(Struct::end));
        self
    }

    /// Adds a list of enums.
    #[must_use]
    pub fn enums(mut self, field: u8, values: &[i32]) -> Struct {
        self.list(field, I32, values.len());
        values.iter().for_each(|value| zigzag(&mut self.bytes, (*value).into()));
        self
    }

    /// Adds a list of texts.
    #[must_use]
    pub fn texts(mut self, field: u8, values: &[&str]) -> Struct {
        self.list(field, BINARY, values.len());
        values.iter().for_each(|value| binary(&mut self.bytes, value.as_bytes()));
        self
    }

    fn list(&mut self, field: u8, kind: u8, len: usize) {
        self.header(field, LIST);
        if len < 15 {
            self.bytes.push((len as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, len as u64);
        }
    }

    /// Ends the struct.
    pub fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// Appends a number, 7 bits a byte, the lowest first.
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(out: &mut Vec<u8>, value: i64) {
    varint(out, (value << 1 ^ value >> 63) as u64);
}

fn binary(out: &mut Vec<u8>, value: &[u8]) {
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_numbers() {
        let inner = Struct::default().i32(1, -1);
        let written = Struct::default().i32(2, 300).i64(3, i64::MIN).binary(7, b"ab").nested(8, inner).end();
        let expected = [
            &[0x25, 0xd8, 0x04][..],
            &[0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            &[0x48, 2, b'a', b'b', 0x1c, 0x15, 1, 0, 0],
        ];
        assert_eq!(written, expected.concat());
        let list = Struct::default().enums(1, &[0; 20]).texts(2, &["x"]).structs(3, std::iter::empty());
        let expected = [&[0x19, 0xf5, 20][..], &[0; 20], &[0x19, 0x18, 1, b'x', 0x19, 0x0c, 0]];
        assert_eq!(list.end(), expected.concat());
    }
}
