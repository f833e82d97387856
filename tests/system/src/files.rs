//! Files for a test: a folder that goes when it is dropped, games that anyone can make again, and packed bytes.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::skip;

/// A new folder, which is removed with its files when it is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        Folder::under(&std::env::temp_dir())
    }

    /// An empty folder in another one, such as a server's, with which it goes in any case.
    pub fn under(parent: &Path) -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("chess-system-{}-{number}", id()));
        fs::create_dir(&path).expect("a folder");
        Folder(path)
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect(name);
        path
    }
}

impl Default for Folder {
    fn default() -> Folder {
        Folder::new()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The directory of the endgame tables of up to four men; `None`, which counts as skipped, if they cannot be had.
pub fn endgame_tables() -> Option<PathBuf> {
    let fetched = Command::new(repository("scripts/endgame-tables.sh")).output().expect("scripts/endgame-tables.sh");
    if !fetched.status.success() {
        skip("endgame tables: none", "apt-get install python3-venv, and a way to PyPI");
        return None;
    }
    Some(PathBuf::from(String::from_utf8_lossy(&fetched.stdout).trim()))
}

/// So many generated games, the same for the same seed. Making them takes as long as loading them, so a process keeps
/// what it has made.
pub fn generated(seed: u64, games: usize) -> String {
    type Made = Mutex<HashMap<(u64, usize), Arc<OnceLock<String>>>>;
    static MADE: LazyLock<Made> = LazyLock::new(Made::default);
    let made = Arc::clone(MADE.lock().expect("games").entry((seed, games)).or_default());
    let pgn = made.get_or_init(|| {
        let mut pgn = String::new();
        for game in chess_gamegen::Generator::new(seed).take(games) {
            game.write_pgn(&mut pgn);
        }
        pgn
    });
    pgn.clone()
}

/// The bytes as gzip packs them.
pub fn gzipped(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes.as_ref()).expect("gzip");
    packed.finish().expect("gzip")
}

/// A zip archive of the members, each a name and its bytes, as a program writes it that cannot go back. Those whose name has "stored" in it are not packed.
pub fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new_stream(Vec::new());
    for (name, bytes) in members {
        let method = if name.contains("stored") { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).expect(name);
        archive.write_all(bytes).expect(name);
    }
    archive.finish().expect("zip").into_inner()
}

/// The path of a file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Reads a file of the repository.
pub fn read(path: impl AsRef<Path>) -> Vec<u8> {
    fs::read(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}
