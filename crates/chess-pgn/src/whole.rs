//! Files that are written under another name until they are whole: a path comes in, a file that is there entirely, or as it
//! was before, goes out.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result};

/// The place of a file that is being written.
pub struct Whole {
    /// As the user has named it.
    name: PathBuf,
    /// The file that is written, and the name that it gets.
    rename: Option<(PathBuf, PathBuf)>,
}

impl Whole {
    /// Makes a file.
    pub fn create(name: &Path) -> Result<(Whole, File)> {
        let mut place = Whole { name: name.to_owned(), rename: None };
        // A pipe or a device keeps its place, and so does a link.
        let file = match fs::canonicalize(name) {
            Ok(real) if !real.is_file() => File::options().write(true).open(&real),
            found => {
                let real = found.unwrap_or_else(|_| name.to_owned());
                let mut part = real.clone().into_os_string();
                part.push(format!(".{}.part", std::process::id()));
                let part = PathBuf::from(part);
                File::create_new(&part).inspect(|_| place.rename = Some((part, real)))
            }
        };
        let file = file.map_err(|error| place.cannot_write(error.into()))?;
        Ok((place, file))
    }

    /// An error with the name of the file.
    pub fn cannot_write(&self, error: Error) -> Error {
        error.context(format!("cannot write {}", self.name.display()))
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        match self.rename.take() {
            None => Ok(()),
            Some((part, real)) => fs::rename(part, real).map_err(|error| self.cannot_write(error.into())),
        }
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.rename {
            // it is not whole
            let _ = fs::remove_file(part);
        }
    }
}
