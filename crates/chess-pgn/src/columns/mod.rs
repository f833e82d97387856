//! Games as rows of a table: a game comes in, a value for each column goes out. All formats of tables have these columns.

mod extras;
pub mod games;

/// The days from 1970-01-01, where tables begin to count, to 2000-01-01, where PostgreSQL does.
pub const EPOCH: i32 = 10_957;

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// None, in an optional column.
    Null,
    /// Of a column of integers or days, which count from 1970-01-01.
    Int(i64),
    /// Of a column of text or bytes.
    Bytes(&'a [u8]),
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Value<'a> {
        text.map_or(Value::Null, |text| Value::Bytes(text.as_bytes()))
    }
}

impl From<Option<i32>> for Value<'_> {
    fn from(number: Option<i32>) -> Self {
        number.map_or(Value::Null, |number| Value::Int(number.into()))
    }
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers of 8 bytes.
    Long,
    /// Integers of 4 bytes.
    Int,
    /// Days.
    Day,
    /// Points in time: milliseconds from 1970-01-01 on, UTC.
    Time,
    /// Text.
    Text,
    /// Text that is JSON.
    Json,
    /// Bytes, which formats of text do not have.
    Bytes,
}
