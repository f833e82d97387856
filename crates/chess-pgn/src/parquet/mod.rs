//! Writes Parquet files: rows of typed values come in, a file that pandas, polars and DuckDB read goes out.
//!
//! By hand, so that the program has no more to compile: the files need only flat columns ([`column`]) of integers, days,
//! text and bytes, in row groups, described in the compact protocol of [`thrift`] at the end of the file.

mod column;
pub mod games;
mod thrift;

use std::io::{self, Write};

use self::column::Column;
use self::thrift::Struct;

/// A row group ends when it has so many bytes, before they are packed: enough for columns to pack well, and few enough
/// for memory, and for readers that read row groups in parallel.
const GROUP: usize = 64 << 20;

const MAGIC: &[u8] = b"PAR1";

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether a value may be missing.
    pub nullable: bool,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer of 32 bits.
    Int,
    /// An integer of 64 bits.
    Long,
    /// A day, counted from 1970-01-01.
    Date,
    /// Text in UTF-8.
    Text,
    /// Bytes.
    Bytes,
}

impl Kind {
    /// The bytes of a number.
    fn width(self) -> usize {
        if self == Kind::Long { 8 } else { 4 }
    }

    fn is_bytes(self) -> bool {
        matches!(self, Kind::Text | Kind::Bytes)
    }

    /// The number of the type that is stored.
    fn physical(self) -> i32 {
        match self {
            Kind::Int | Kind::Date => 1,
            Kind::Long => 2,
            Kind::Text | Kind::Bytes => 6,
        }
    }

    /// The number of the type that is meant.
    fn converted(self) -> Option<i32> {
        match self {
            Kind::Text => Some(0),
            Kind::Date => Some(6),
            _ => None,
        }
    }
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// None, in a column that is nullable.
    Null,
    /// Of a column of integers or days.
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

/// A file that is being written.
pub struct Writer<W> {
    out: W,
    fields: &'static [Field],
    columns: Vec<Column>,
    /// The bytes written so far.
    offset: usize,
    /// The rows of this group, and their bytes before they are packed.
    rows: usize,
    bytes: usize,
    /// The bytes of a group that end it.
    most: usize,
    all_rows: usize,
    groups: Vec<Struct>,
}

impl<W: Write> Writer<W> {
    /// Begins a file with these columns.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn new(out: W, fields: &'static [Field]) -> io::Result<Writer<W>> {
        Writer::with_groups(out, fields, GROUP)
    }

    fn with_groups(mut out: W, fields: &'static [Field], most: usize) -> io::Result<Writer<W>> {
        out.write_all(MAGIC)?;
        let columns = fields.iter().copied().map(Column::new).collect();
        Ok(Writer {
            out,
            fields,
            columns,
            offset: MAGIC.len(),
            rows: 0,
            bytes: 0,
            most,
            all_rows: 0,
            groups: Vec::new(),
        })
    }

    /// Writes a row with a value for each column.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn row(&mut self, values: &[Value<'_>]) -> io::Result<()> {
        debug_assert_eq!(values.len(), self.columns.len());
        for (column, value) in self.columns.iter_mut().zip(values) {
            self.bytes += column.add(*value)?;
        }
        self.rows += 1;
        if self.bytes >= self.most {
            self.end_group()?;
        }
        Ok(())
    }

    fn end_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let start = self.offset;
        let (mut chunks, mut unpacked) = (Vec::new(), 0);
        let fresh = self.fields.iter().copied().map(Column::new).collect();
        for column in std::mem::replace(&mut self.columns, fresh) {
            let (bytes, len, description) = column.end(self.offset)?;
            self.out.write_all(&bytes)?;
            unpacked += len;
            chunks.push(Struct::default().i64(2, self.offset as i64).nested(3, description));
            self.offset += bytes.len();
        }
        let group = Struct::default().structs(1, chunks.into_iter()).i64(2, unpacked as i64).i64(3, self.rows as i64);
        self.groups.push(group.i64(5, start as i64).i64(6, (self.offset - start) as i64));
        self.all_rows += self.rows;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    /// Ends the file. Returns the number of rows.
    ///
    /// # Errors
    ///
    /// Those of the file.
    pub fn finish(mut self) -> io::Result<usize> {
        self.end_group()?;
        let root = Struct::default().binary(4, b"schema").i32(5, self.fields.len() as i32);
        let column = |field: &Field| {
            let described = Struct::default().i32(1, field.kind.physical()).i32(3, field.nullable.into());
            let named = described.binary(4, field.name.as_bytes());
            match field.kind.converted() {
                Some(converted) => named.i32(6, converted),
                None => named,
            }
        };
        let schema: Vec<Struct> = std::iter::once(root).chain(self.fields.iter().map(column)).collect();
        // The order of values is that of their types: readers may trust the bounds of columns.
        let orders: Vec<Struct> = self.fields.iter().map(|_| Struct::default().nested(1, Struct::default())).collect();
        let footer = Struct::default()
            .i32(1, 1)
            .structs(2, schema.into_iter())
            .i64(3, self.all_rows as i64)
            .structs(4, self.groups.into_iter())
            .binary(6, concat!("chess-pgn version ", env!("CARGO_PKG_VERSION")).as_bytes())
            .structs(7, orders.into_iter())
            .end();
        self.out.write_all(&footer)?;
        self.out.write_all(&(footer.len() as u32).to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        self.out.flush()?;
        Ok(self.all_rows)
    }
}
