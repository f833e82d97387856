//! Writes Parquet files: rows of values come in, a file that pandas, polars and DuckDB read goes out.
//!
//! The crate parquet writes the columns of a row group one after the other, so a group is kept until it is full. Threads
//! collect rows of their own ([`Rows`]), which are then appended as a whole.

pub mod games;
pub mod plies;
pub mod table;

use std::io::Write;
use std::mem;
use std::sync::Arc;

use ::parquet::basic::{Compression, Type, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::Result;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;
use ::parquet::schema::types::SchemaDescriptor;

use crate::columns::Value;

/// A row group ends when it has this number of bytes, before they are packed: enough for columns to pack well, and few enough
/// for memory, and for readers that read row groups in parallel.
const GROUP: usize = 64 << 20;

/// A column of rows that are not written yet.
struct Column {
    /// For each row 1, or 0 if it has no value.
    levels: Vec<i16>,
    values: Values,
}

/// The values that are not NULL.
enum Values {
    Int(Vec<i32>),
    Long(Vec<i64>),
    /// All bytes, and the length of each value.
    Bytes(Vec<u8>, Vec<usize>),
}

impl Column {
    fn new(kind: Type) -> Column {
        let values = match kind {
            Type::INT32 => Values::Int(Vec::new()),
            Type::INT64 => Values::Long(Vec::new()),
            _ => Values::Bytes(Vec::new(), Vec::new()),
        };
        Column { levels: Vec::new(), values }
    }

    /// Adds the value of a row. Returns about how many bytes it takes before it is packed.
    fn add(&mut self, value: Value<'_>) -> usize {
        self.levels.push((value != Value::Null).into());
        match (&mut self.values, value) {
            (Values::Int(values), Value::Int(value)) => values.push(value as i32),
            (Values::Long(values), Value::Int(value)) => values.push(value),
            (Values::Bytes(bytes, lens), Value::Bytes(value)) => {
                bytes.extend_from_slice(value);
                lens.push(value.len());
                return 4 + value.len();
            }
            (_, value) => {
                debug_assert_eq!(value, Value::Null);
                return 1;
            }
        }
        8
    }

    /// Appends the values of another column of the same kind, and empties that.
    fn append(&mut self, other: &mut Column) {
        self.levels.append(&mut other.levels);
        match (&mut self.values, &mut other.values) {
            (Values::Int(values), Values::Int(others)) => values.append(others),
            (Values::Long(values), Values::Long(others)) => values.append(others),
            (Values::Bytes(bytes, lens), Values::Bytes(other_bytes, other_lens)) => {
                bytes.append(other_bytes);
                lens.append(other_lens);
            }
            _ => debug_assert!(false, "columns of two kinds"),
        }
    }

    /// Writes the values, and forgets them.
    fn write(&mut self, mut out: SerializedColumnWriter<'_>) -> Result<()> {
        let levels = Some(&self.levels[..]);
        match &mut self.values {
            Values::Int(values) => {
                out.typed::<Int32Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Long(values) => {
                out.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Bytes(bytes, lens) => {
                let bytes = ByteArray::from(mem::take(bytes));
                let mut at = 0;
                let value = |len: usize| {
                    at += len;
                    bytes.slice(at - len, len)
                };
                let values: Vec<ByteArray> = lens.drain(..).map(value).collect();
                out.typed::<ByteArrayType>().write_batch(&values, levels, None)?;
            }
        }
        self.levels.clear();
        out.close()
    }
}

/// Rows that are not written yet.
pub struct Rows {
    columns: Vec<Column>,
    /// About how many bytes they take before they are packed.
    bytes: usize,
}

impl Rows {
    fn of(schema: &SchemaDescriptor) -> Rows {
        let columns = schema.columns().iter().map(|column| Column::new(column.physical_type())).collect();
        Rows { columns, bytes: 0 }
    }

    /// No rows, with the columns of a schema, written as Parquet's programs print schemas.
    ///
    /// # Errors
    ///
    /// The schema is none.
    pub fn new(schema: &str) -> Result<Rows> {
        Ok(Rows::of(&SchemaDescriptor::new(parse_message_type(schema)?.into())))
    }

    /// Adds a row with a value for each column.
    pub fn row<'v>(&mut self, values: impl IntoIterator<Item = Value<'v>>) {
        let mut values = values.into_iter();
        for (column, value) in self.columns.iter_mut().zip(&mut values) {
            self.bytes += column.add(value);
        }
        debug_assert!(values.next().is_none());
    }
}

/// A file that is being written.
pub struct Writer<W: Write> {
    file: SerializedFileWriter<W>,
    /// The rows of this group, and how many bytes end it.
    rows: Rows,
    most: usize,
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file with the columns of a schema, written as Parquet's programs print schemas.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn new(out: W, schema: &str) -> Result<Writer<W>> {
        Writer::with_groups(out, schema, GROUP)
    }

    fn with_groups(out: W, schema: &str, most: usize) -> Result<Writer<W>> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_created_by(concat!("chess-pgn version ", env!("CARGO_PKG_VERSION")).to_owned());
        let file = SerializedFileWriter::new(out, parse_message_type(schema)?.into(), Arc::new(properties.build()))?;
        let rows = Rows::of(file.schema_descr());
        Ok(Writer { file, rows, most })
    }

    /// Writes a row with a value for each column.
    pub fn row<'v>(&mut self, values: impl IntoIterator<Item = Value<'v>>) -> Result<()> {
        self.rows.row(values);
        self.end_full_group()
    }

    /// Writes rows with the same columns.
    pub fn append(&mut self, mut rows: Rows) -> Result<()> {
        self.rows.columns.iter_mut().zip(&mut rows.columns).for_each(|(column, other)| column.append(other));
        self.rows.bytes += rows.bytes;
        self.end_full_group()
    }

    fn end_full_group(&mut self) -> Result<()> {
        if self.rows.bytes >= self.most { self.end_group() } else { Ok(()) }
    }

    fn end_group(&mut self) -> Result<()> {
        if self.rows.bytes == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for column in &mut self.rows.columns {
            if let Some(out) = group.next_column()? {
                column.write(out)?;
            }
        }
        group.close()?;
        self.rows.bytes = 0;
        Ok(())
    }

    /// Ends the file. Returns the number of rows.
    pub fn finish(&mut self) -> Result<usize> {
        self.end_group()?;
        Ok(self.file.finish()?.file_metadata().num_rows() as usize)
    }

    /// The writer that receives the bytes of the file.
    pub fn out(&mut self) -> &mut W {
        self.file.inner_mut()
    }
}

#[cfg(test)]
mod tests {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;
    use bytes::Bytes;
    use chess_gamegen::splitmix64;

    use super::*;

    const SCHEMA: &str = "message test {
        required int32 number; optional int32 day (date); optional int64 id; optional byte_array name (string);
        optional byte_array bytes; optional byte_array nothing (string);
    }";

    #[test]
    fn what_is_written_is_read() {
        let mut state = 34;
        let mut random = |below: u64| splitmix64(&mut state) % below;
        let rows: Vec<_> = (0..50_000)
            .map(|number| {
                let day = (random(3) > 0).then(|| random(1 << 32) as i32);
                let id = (random(2) > 0).then(|| random(u64::MAX) as i64);
                // more values than a dictionary takes, empty ones and a long one
                let name = (random(9) > 0).then(|| "ö".repeat(random(60) as usize) + &random(40_000).to_string());
                let bytes = (number != 7).then(|| vec![0xff; if number == 8 { 3 << 20 } else { random(4) as usize }]);
                (number, day, id, name, bytes)
            })
            .collect();
        let mut file = Vec::new();
        let mut writer = Writer::with_groups(&mut file, SCHEMA, 2 << 20).unwrap();
        for (number, day, id, name, bytes) in &rows {
            let bytes = bytes.as_deref().map_or(Value::Null, Value::Bytes);
            let id = id.map_or(Value::Null, Value::Int);
            let row = [Value::Int(*number), (*day).into(), id, name.as_deref().into(), bytes, Value::Null];
            writer.row(row).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), rows.len());
        drop(writer);

        let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
        assert!(reader.num_row_groups() > 2, "{}", reader.num_row_groups());
        let mut read = reader.get_row_iter(None).unwrap();
        for (number, day, id, name, bytes) in rows {
            let row = read.next().unwrap().unwrap();
            let values: Vec<Field> = row.into_columns().into_iter().map(|(_, value)| value).collect();
            let expected = [
                Field::Int(number as i32),
                day.map_or(Field::Null, Field::Date),
                id.map_or(Field::Null, Field::Long),
                name.map_or(Field::Null, Field::Str),
                bytes.map_or(Field::Null, |bytes| Field::Bytes(bytes.into())),
                Field::Null,
            ];
            assert_eq!(values, expected);
        }
        assert!(read.next().is_none());
    }

    #[test]
    fn no_rows_are_a_file_without_groups() {
        let mut file = Vec::new();
        assert_eq!(Writer::new(&mut file, SCHEMA).unwrap().finish().unwrap(), 0);
        let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
        assert_eq!((reader.num_row_groups(), reader.metadata().file_metadata().num_rows()), (0, 0));
    }
}
