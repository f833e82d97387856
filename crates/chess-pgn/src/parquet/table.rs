//! A Parquet file that is written under another name until it is whole: rows come in. Its errors name it.

use std::fs::File;
use std::path::Path;

use ::parquet::errors::ParquetError;
use anyhow::{Error, Result, anyhow};

use super::{Rows, Writer};
use crate::columns::Value;
use crate::whole::Whole;

/// A file that is written.
pub struct Table {
    rows: Writer<File>,
    place: Whole,
}

impl Table {
    /// Begins a file with the columns of a schema.
    pub fn create(path: &Path, schema: &str) -> Result<Table> {
        let (place, file) = Whole::create(path)?;
        let rows = Writer::new(file, schema).map_err(cause).map_err(|error| place.cannot_write(error))?;
        Ok(Table { rows, place })
    }

    /// Writes a row.
    pub fn row<'v>(&mut self, values: impl IntoIterator<Item = Value<'v>>) -> Result<()> {
        self.rows.row(values).map_err(cause).map_err(|error| self.place.cannot_write(error))
    }

    /// Writes rows.
    pub fn append(&mut self, rows: Rows) -> Result<()> {
        self.rows.append(rows).map_err(cause).map_err(|error| self.place.cannot_write(error))
    }

    /// Ends the file, which gets its name. Returns the number of rows.
    pub fn finish(self) -> Result<usize> {
        let rows = self.rows.finish().map_err(cause).map_err(|error| self.place.cannot_write(error))?;
        self.place.finish()?;
        Ok(rows)
    }
}

fn cause(error: ParquetError) -> Error {
    match error {
        // its text repeats that of the cause
        ParquetError::External(cause) => anyhow!(cause),
        error => error.into(),
    }
}
