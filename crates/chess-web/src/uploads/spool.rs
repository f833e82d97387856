//! The directory that an upload is received into. It disappears with the upload, also when the browser or this program ends in
//! the middle. What a killed program has left is removed by the next one: a directory that is in use is locked.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::random::random_hex;

/// The longest name of a file, in bytes; file systems take 255.
const LONGEST: usize = 200;

/// What the names of directories begin with, and the length of what follows. The name of one that is not locked yet has a dot
/// before it.
const PREFIX: &str = "chess-web-";
const RANDOM: usize = 32;

/// A directory with one file, which only this user can read.
pub struct Spool {
    directory: PathBuf,
    _lock: File,
    /// The name of the file in it: the loader runs there and stores this name as that of the source.
    pub name: String,
}

impl Spool {
    /// Creates the directory under `TMPDIR`, for a file that the browser calls `name`.
    pub fn new(name: &str) -> io::Result<Spool> {
        let random = random_hex::<16>().map_err(io::Error::other)?;
        let [new, directory] = [".", ""].map(|dot| std::env::temp_dir().join(format!("{dot}{PREFIX}{random}")));
        DirBuilder::new().mode(0o700).create(&new)?;
        let lock = File::open(&new)?;
        lock.try_lock()?;
        fs::rename(&new, &directory)?;
        Ok(Spool { directory, _lock: lock, name: file_name(name) })
    }

    /// Removes the directories under `TMPDIR` that nobody uses any more.
    pub fn clear() -> io::Result<()> {
        for entry in fs::read_dir(std::env::temp_dir())?.flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).unwrap_or_default();
            let is_spool = random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_hexdigit());
            // a link leads elsewhere; those of other users cannot be opened
            if !is_spool || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let Ok(lock) = File::open(&path) else { continue };
            if lock.try_lock().is_ok()
                && let Err(error) = fs::remove_dir_all(&path)
            {
                tracing::warn!("{}: {error}", path.display());
            }
        }
        Ok(())
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.directory) {
            tracing::error!("{}: {error}", self.directory.display());
        }
    }
}

/// The last part of a path as a name that is neither hidden nor an option.
fn file_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let mut name = name.trim().trim_start_matches(['.', '-']).trim().to_owned();
    // the end stays, because it says what kind of file it is
    while name.len() > LONGEST {
        name.remove(0);
    }
    if name.is_empty() { "games.pgn".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        for (given, name) in [
            ("Adams.pgn", "Adams.pgn"),
            ("C:\\games\\my games.zip", "my games.zip"),
            ("../../etc/passwd", "passwd"),
            ("--schema=x.pgn", "schema=x.pgn"),
            ("-", "games.pgn"),
            ("..", "games.pgn"),
            ("a\0b\n.pgn", "a b .pgn"),
            ("", "games.pgn"),
            ("Émile.pgn", "Émile.pgn"),
        ] {
            assert_eq!(file_name(given), name, "{given:?}");
        }
        let long = file_name(&format!("{}.pgn", "ü".repeat(300)));
        assert!(long.len() <= LONGEST && long.ends_with("ü.pgn"));
    }

    #[test]
    fn nothing_is_left_behind() {
        let spool = Spool::new("a.pgn").unwrap();
        fs::write(spool.path(), "x").unwrap();
        let directory = spool.directory().to_owned();
        assert!(directory.exists());
        // a program that was killed has left another one
        let left = std::env::temp_dir().join(format!("{PREFIX}{}", random_hex::<16>().unwrap()));
        fs::create_dir(&left).unwrap();
        fs::write(left.join("b.pgn"), "x").unwrap();
        Spool::clear().unwrap();
        assert_eq!((left.exists(), directory.exists()), (false, true));
        drop(spool);
        assert!(!directory.exists());
    }
}
