//! A directory whose files are loaded as they come and grow.
//!
//! In: a directory, looked at again and again. Out: its files that are not as they were when they were loaded last. The loader
//! itself knows what of a file is stored, and reads a game again that was not whole: so a file may be appended to at any time.
//! Of a compressed file a part cannot be read; it waits until it has been the same for two looks. So does a file that has become
//! shorter: programs that show live games write the file anew, and its beginning would be taken for another file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::read::source::ending;

/// The endings of the names of files that are loaded. Others, such as those of downloads under way, are left alone.
const PLAIN: &str = "pgn";
const COMPRESSED: [&str; 4] = ["zst", "gz", "bz2", "zip"];

/// What tells whether a file has changed: its number, its size and its last change.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State(u64, u64, i64, i64);

/// A directory.
pub struct Followed {
    directory: PathBuf,
    /// The files at the last look, and as they were loaded.
    seen: BTreeMap<String, State>,
    loaded: BTreeMap<String, State>,
    /// The files of which the user was told that they cannot be loaded, so that nobody is told twice.
    told: BTreeSet<PathBuf>,
}

impl Followed {
    /// A directory of which nothing is loaded.
    pub fn new(directory: PathBuf) -> Followed {
        Followed { directory, seen: BTreeMap::new(), loaded: BTreeMap::new(), told: BTreeSet::new() }
    }

    /// The files to be loaded now, by their names. They count as loaded until [`Followed::forget`]. Calls `warn` once for each file
    /// whose name is no text, which the command line could not have either.
    pub fn changed(&mut self, warn: impl Fn(&str)) -> io::Result<Vec<String>> {
        let mut now = BTreeMap::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            // The file may have been removed since the directory was read.
            let Ok(of) = fs::metadata(&path) else { continue };
            let name = path.to_string_lossy();
            if !of.is_file() || is_hidden(&name) || !is_of_games(&name) {
                continue;
            }
            if path.to_str().is_some() {
                now.insert(name.into_owned(), State(of.ino(), of.len(), of.mtime(), of.mtime_nsec()));
            } else if self.told.insert(path.clone()) {
                warn(&format!("{name} is not loaded, because its name is not in UTF-8: rename it"));
            }
        }
        let is_due = |(name, state): &(&String, &State)| {
            let is_shorter = self.loaded.get(*name).is_some_and(|State(_, loaded, ..)| state.1 < *loaded);
            let is_settled = ending(Path::new(name)) == PLAIN && !is_shorter || self.seen.get(*name) == Some(*state);
            is_settled && self.loaded.get(*name) != Some(*state)
        };
        let due: Vec<(String, State)> = now.iter().filter(is_due).map(|(name, state)| (name.clone(), *state)).collect();
        self.seen = now;
        self.loaded.extend(due.iter().cloned());
        Ok(due.into_iter().map(|(name, _)| name).collect())
    }

    /// The files were not loaded after all.
    pub fn forget(&mut self, files: &[String]) {
        self.loaded.retain(|file, _| !files.contains(file));
    }
}

fn is_of_games(name: &str) -> bool {
    let ending = ending(Path::new(name));
    ending == PLAIN || COMPRESSED.contains(&ending.as_str())
}

fn is_hidden(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|file| file.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods)]
    fn files_are_loaded_as_they_come_and_grow() {
        let directory = std::env::temp_dir().join(format!("chess-pgn-follow-{}", std::process::id()));
        fs::create_dir_all(directory.join("folder.pgn")).unwrap();
        let mut followed = Followed::new(directory.clone());
        let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
        let mut due = || -> Vec<String> {
            let prefix = format!("{}/", directory.display());
            followed
                .changed(|_| ())
                .unwrap()
                .iter()
                .map(|file| file.strip_prefix(&prefix).unwrap().to_owned())
                .collect()
        };
        for name in ["a.pgn", "B.PGN", "c.pgn.zst", ".hidden.pgn", "d.pgn.part", "notes.txt"] {
            write(name, "1. e4 e5 *\n");
        }
        assert_eq!(due(), ["B.PGN", "a.pgn"]);
        assert_eq!(due(), ["c.pgn.zst"], "a compressed file that has stayed as it was");
        assert!(due().is_empty());
        write("a.pgn", "1. e4 e5 *\n\n1. d4 *\n");
        write("c.pgn.zst", "more");
        fs::rename(directory.join("d.pgn.part"), directory.join("d.pgn")).unwrap();
        assert_eq!(due(), ["a.pgn", "d.pgn"]);
        fs::remove_file(directory.join("d.pgn")).unwrap();
        assert_eq!(due(), ["c.pgn.zst"]);
        write("a.pgn", "");
        assert!(due().is_empty(), "a file that is being written anew");
        write("a.pgn", "1. e4 e5 *\n\n1. d4 d5 *\n");
        assert_eq!(due(), ["a.pgn"]);
        write("a.pgn", "1. c4 *\n");
        assert!(due().is_empty());
        assert_eq!(due(), ["a.pgn"], "a shorter file that has stayed as it was");
        let all = [directory.join("a.pgn").to_str().unwrap().to_owned()];
        followed.forget(&all);
        assert_eq!(followed.changed(|_| ()).unwrap(), all);
        let latin = OsStr::from_bytes(b"M\xfcller.pgn");
        fs::write(directory.join(latin), "1. e4 e5 *\n").unwrap();
        let told = Cell::new(0);
        for _ in 0..2 {
            followed
                .changed(|warning| told.set(told.get() + usize::from(warning.contains("M\u{fffd}ller.pgn"))))
                .unwrap();
        }
        assert_eq!(told.get(), 1);
        fs::remove_dir_all(&directory).unwrap();
        assert!(followed.changed(|_| ()).is_err());
    }
}
