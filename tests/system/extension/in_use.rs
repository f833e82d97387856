//! A server with chess in use goes on working, its files unchanged, while tests are run for its PostgreSQL, and goes on working
//! when the extension is installed into it once more.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use chess_system::{Database, Folder, Program, Server, repository, tool};

/// A PostgreSQL that stands for the system's, and the private copy of it that tests make.
struct System {
    folder: Folder,
    libdir: PathBuf,
    extdir: PathBuf,
    bindir: PathBuf,
}

/// Runs commands after scripts/env.sh, for the PostgreSQL that this pg_config belongs to.
fn script(commands: &str) -> Program {
    let begin = "set -euo pipefail; . scripts/env.sh; find_postgres";
    tool("bash").arg("-c").arg(format!("cd \"$0\"; {begin}; {commands}")).arg(repository(""))
}

impl System {
    fn new() -> System {
        let folder = Folder::under(Path::new("/var/tmp"));
        // Another test may remove the script of an earlier version while it is copied, so an error of the copy does not count.
        let copy = "copy_postgres \"$1\" || true; \"$PG_CONFIG\" --pkglibdir --sharedir --bindir";
        let printed = script(copy).arg(folder.path("system")).writes();
        let inside = |path: &str| folder.path("system").join(path.trim_start_matches('/'));
        let [libdir, sharedir, bindir] =
            <[PathBuf; 3]>::try_from(printed.lines().map(inside).collect::<Vec<_>>()).unwrap();
        System { extdir: sharedir.join("extension"), folder, libdir, bindir }
    }

    /// A script that works for this PostgreSQL.
    fn script(&self, commands: &str) -> Program {
        script(commands).env("PG_CONFIG", self.bindir.join("pg_config"))
    }

    fn library(&self) -> PathBuf {
        self.libdir.join("chess.so")
    }

    /// The extension's files, each with what tells whether it was written or replaced.
    fn files(&self) -> Vec<(PathBuf, u64, i64, Vec<u8>)> {
        let mut files = vec![self.library()];
        files.extend(fs::read_dir(&self.extdir).unwrap().map(|entry| entry.unwrap().path()));
        files.retain(|file| file.file_name().unwrap().to_str().unwrap().starts_with("chess"));
        files.sort();
        let look = |file: PathBuf| {
            let found = fs::metadata(&file).unwrap();
            let bytes = fs::read(&file).unwrap();
            (file, found.ino(), found.mtime(), bytes)
        };
        files.into_iter().map(look).collect()
    }
}

impl Drop for System {
    fn drop(&mut self) {
        let _ = self
            .script("copy=$TARGET/postgresql-$MAJOR-$(key); rm -rf \"$(readlink -f \"$copy\")\" \"$copy\"")
            .output();
    }
}

#[test]
#[ignore = "needs a server"]
fn tests_and_installations_leave_a_server_in_use_alone() {
    let system = System::new();
    // a library that can be told from what is built
    let mut library = OpenOptions::new().append(true).open(system.library()).unwrap();
    library.write_all(b"installed before\n").unwrap();
    drop(library);
    let open = system.folder.path("chess.so");
    fs::hard_link(system.library(), &open).unwrap();
    let before = system.files();

    let server = Server::installed(system.bindir.clone(), &[], 5432);
    server.start();
    let db = Database::existing(&server, "postgres");
    db.sql(
        "CREATE EXTENSION chess; CREATE TABLE games (game chessgame);
         INSERT INTO games SELECT '1. e4 e5 2. Nf3 1-0' FROM generate_series(1, 1000)",
    );
    // keeps the library open; what it is asked later runs code that it has not run before
    let mut session = db.session();
    let found = session.sql("SELECT count(*) FROM games WHERE hasBoard(game, getBoard('1. e4', 1))");
    assert_eq!(found, "1000");
    let new_session = || db.session().sql("SELECT count(*) FROM games WHERE hasOpening(game, '1. e4 e5')");

    system.script("BUILT=1 scripts/private.sh scripts/regress.sh types").succeeds();
    assert!(system.files() == before, "tests have changed the files");
    let opening = session.sql("SELECT concat_ws(' ', eco, name) FROM opening('1. e4 e5 2. Nf3'::chessgame)");
    assert_eq!(opening, "C40 King's Knight Opening");
    assert_eq!(new_session(), "1000");

    let bytes = fs::read(&open).unwrap();
    system.script("scripts/install.sh packaged").succeeds();
    assert!(fs::read(&open).unwrap() == bytes, "the library that the server has open was written to");
    let number = |path: &Path| fs::metadata(path).unwrap().ino();
    assert_ne!(number(&open), number(&system.library()), "the library was overwritten in place");
    let built = system.folder.path("built.so");
    system.script("strip -o \"$1\" \"$TARGET/release/chess-package-pg$MAJOR/chess.so\"").arg(&built).succeeds();
    assert!(fs::read(&built).unwrap() == fs::read(system.library()).unwrap(), "another library is installed");
    // a package is made in a directory that has nothing yet
    let staged = system.folder.path("staged");
    system.script("DESTDIR=$1 scripts/install.sh packaged").arg(&staged).succeeds();
    let is_library = |path: &str| path.ends_with("/chess.so");
    let found = tool("find").arg(&staged).args(["-type", "f"]).writes();
    assert!(found.lines().any(is_library) && found.contains("/chess.control"), "{found}");
    let left = tool("find").arg(system.folder.path("system")).args(["-name", ".new-*"]).writes();
    assert_eq!(left, "", "files left over");
    assert_eq!(session.sql("SELECT fromUci('e2e4 e7e5 g1f3')"), "1. e4 e5 2. Nf3");
    assert_eq!(new_session(), "1000");
    assert_eq!(server.deaths(), "");
}
