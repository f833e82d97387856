//! A Parquet file that is written under another name until it is whole: rows come in. Its errors name it.

use std::path::Path;

use ::parquet::errors::ParquetError;
use anyhow::{Error, Result, anyhow};

use super::{Rows, Writer};
use crate::columns::Value;
use crate::whole::Whole;

/// A file that is written.
pub struct Table(Writer<Whole>);

impl Table {
    /// Begins a file with the columns of a schema.
    pub fn create(path: &Path, schema: &str) -> Result<Table> {
        Writer::new(Whole::create(path)?, schema).map(Table).map_err(cause)
    }

    /// Writes a row.
    pub fn row<'v>(&mut self, values: impl IntoIterator<Item = Value<'v>>) -> Result<()> {
        self.0.row(values).map_err(cause)
    }

    /// Writes rows.
    pub fn append(&mut self, rows: Rows) -> Result<()> {
        self.0.append(rows).map_err(cause)
    }

    /// Ends the file, which gets its name. Returns the number of rows.
    pub fn finish(mut self) -> Result<usize> {
        let rows = self.0.finish().map_err(cause)?;
        self.0.out().finish()?;
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
