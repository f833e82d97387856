//! A private PostgreSQL: `PG_CONFIG` names the installation; the server gets a directory of its own and listens on a Unix
//! socket in it.
//!
//! PostgreSQL refuses to run as root, so root runs it as the user postgres. initdb takes longer than all else, so it runs
//! once and each server gets a copy of what it has made. A guard, a shell process, stops the server and removes its
//! directory when the test process closes a pipe, which happens however that process ends.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};

use crate::program::target;

/// The data can be made again, so speed matters more than surviving a crash. Without `jit = off` the server would compile queries
/// on little data, because a plan that uses what a test has disabled counts as expensive.
const SETTINGS: &str = "
listen_addresses = ''
max_connections = 300
fsync = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 4GB
shared_buffers = 256MB
maintenance_work_mem = 256MB
jit = off
";

/// The directory on which [`Server::small_disk`] mounts one.
const SMALL_DISK: &str = "small-disk";

/// What stands in for the test process once that has ended. In: its standard input, which the test process holds open;
/// the server's directory; pg_ctl, as the server's user runs it.
const GUARD: &str = r#"
trap '' HUP INT TERM
cat >/dev/null
dir=$1
shift
"$@" stop -s -w -m immediate -D "$dir/data"
umount -l "$dir/small-disk"
rm -rf "$dir"
"#;

/// A server that stops, and whose directory is removed, when it is dropped or the process ends.
#[derive(Debug)]
pub struct Server {
    dir: PathBuf,
    bindir: PathBuf,
    port: u16,
    guard: Child,
}

impl Server {
    /// A running server.
    pub fn new() -> Server {
        let server = Server::stopped(&[], 5432);
        server.start();
        server
    }

    /// A server that does not run yet, so that its files can be changed. The settings override the usual ones; the port
    /// names the socket.
    pub fn stopped(settings: &[&str], port: u16) -> Server {
        Server::installed(pg_config("bindir"), settings, port)
    }

    /// The same, with the programs of this directory, from a copy of the installation that `PG_CONFIG` names.
    pub fn installed(bindir: PathBuf, settings: &[&str], port: u16) -> Server {
        let dir = server_dir();
        let copied = Command::new("cp").arg("-a").arg(template()).arg(dir.join("data")).status();
        assert!(copied.expect("cp").success(), "the template cannot be copied to {}", dir.display());
        let mut conf = OpenOptions::new().append(true).open(dir.join("data/postgresql.conf")).expect("postgresql.conf");
        writeln!(conf, "{SETTINGS}{}", settings.join("\n")).expect("postgresql.conf");
        let pg_ctl = as_server(bindir.join("pg_ctl"));
        let guard = Command::new("sh")
            .args(["-c", GUARD, "guard"])
            .arg(&dir)
            .arg(pg_ctl.get_program())
            .args(pg_ctl.get_args())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Server { dir, bindir, port, guard: guard.expect("sh") }
    }

    /// The one server that the tests of a process share.
    pub fn shared() -> &'static Server {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(Server::new)
    }

    /// Starts the server.
    #[track_caller]
    pub fn start(&self) {
        let started =
            self.pg_ctl().args(["start", "-l"]).arg(self.dir.join("log")).arg("-o").arg(self.options()).output();
        let started = started.expect("pg_ctl");
        assert!(started.status.success(), "the server in {} does not start:\n{}", self.dir.display(), self.log());
    }

    /// Stops the server at once, as a crash would.
    #[track_caller]
    pub fn crash(&self) {
        let stopped = self.pg_ctl().args(["stop", "-m", "immediate"]).status().expect("pg_ctl");
        assert!(stopped.success(), "the server in {} does not stop", self.dir.display());
    }

    /// The server's directory, which is also that of its socket.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The port, which names the socket.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The last lines of the server's log.
    pub fn log(&self) -> String {
        let log = fs::read(self.dir.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// The lines of the server's log that tell of a process's end by a signal, or of a panic.
    pub fn deaths(&self) -> String {
        self.logged(&["terminated by signal", "PANIC", "TRAP"]).join("\n")
    }

    /// The lines of the server's log that have one of these texts.
    pub fn logged(&self, texts: &[&str]) -> Vec<String> {
        let log = fs::read(self.dir.join("log")).expect("the server's log");
        let log = String::from_utf8_lossy(&log);
        log.lines().filter(|line| texts.iter().any(|text| line.contains(text))).map(str::to_owned).collect()
    }

    /// Writes a file into the server's data directory, for its user alone.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.dir.join("data").join(name);
        fs::write(&path, bytes).expect(name);
        let done = Command::new("chmod").arg("600").arg(&path).status().expect("chmod");
        assert!(done.success(), "{name}");
        own_by_server(&path);
    }

    /// A disk of this size for tables, such as "3m", mounted in the server's directory. Only root can mount one.
    pub fn small_disk(&self, size: &str) -> Option<PathBuf> {
        let path = self.dir.join(SMALL_DISK);
        fs::create_dir(&path).expect("a directory");
        let mounted = is_root()
            && Command::new("mount")
                .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
                .arg(&path)
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success());
        own_by_server(&path);
        mounted.then_some(path)
    }

    /// Gives the small disk another size.
    #[track_caller]
    pub fn resize_disk(&self, size: &str) {
        let resized =
            Command::new("mount").args(["-o", &format!("remount,size={size}")]).arg(self.dir.join(SMALL_DISK)).status();
        assert!(resized.expect("mount").success());
    }

    /// A command that the server's user runs.
    pub fn command(&self, program: &str) -> Command {
        as_server(program.into())
    }

    fn pg_ctl(&self) -> Command {
        let mut command = as_server(self.bindir.join("pg_ctl"));
        // slow machines need more than pg_ctl's minute
        command.env("PGCTLTIMEOUT", "600").args(["-s", "-w", "-D"]).arg(self.dir.join("data")).stdin(Stdio::null());
        command
    }

    fn options(&self) -> String {
        format!("-p {} -k {}", self.port, self.dir.display())
    }
}

impl Default for Server {
    fn default() -> Server {
        Server::new()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// What `pg_config --WHAT` prints, as a path.
pub fn pg_config(what: &str) -> PathBuf {
    static KNOWN: Mutex<Vec<(String, PathBuf)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((_, path)) = known.iter().find(|(name, _)| name == what) {
        return path.clone();
    }
    let Some(program) = std::env::var_os("PG_CONFIG") else {
        panic!("PG_CONFIG names no PostgreSQL: run this by scripts/private.sh scripts/test-system.sh");
    };
    let output = Command::new(&program).arg(format!("--{what}")).output().expect("pg_config");
    let path = PathBuf::from(String::from_utf8(output.stdout).expect("pg_config").trim());
    known.push((what.to_owned(), path.clone()));
    path
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// A command that the server's user runs.
fn as_server(program: PathBuf) -> Command {
    let mut command = if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    // a backtrace would become part of the DETAIL of errors; the server's user may not see our directory
    command.env_remove("RUST_BACKTRACE").current_dir("/");
    command
}

fn own_by_server(path: &Path) {
    if is_root() {
        let done = Command::new("chown").args(["-R", "postgres:"]).arg(path).status().expect("chown");
        assert!(done.success(), "{}", path.display());
    }
}

/// A new directory of the server's user, for which a short name matters: a socket's path has at most 107 bytes.
fn server_dir() -> PathBuf {
    let made = Command::new("mktemp").args(["-d", "/tmp/chess-XXXXXX"]).output().expect("mktemp");
    let dir = PathBuf::from(String::from_utf8(made.stdout).expect("mktemp").trim());
    own_by_server(&dir);
    dir
}

/// What initdb makes, kept in the target directory for each installation of PostgreSQL.
fn template() -> &'static Path {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let installation = format!("{}-{}", pg_config("version").display(), pg_config("bindir").display());
        let name: String =
            installation.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
        let template = target().join("initdb").join(name);
        if !template.exists() {
            let dir = server_dir();
            let output = as_server(pg_config("bindir").join("initdb"))
                .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D"])
                .arg(dir.join("data"))
                .output()
                .expect("initdb");
            assert!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));
            fs::create_dir_all(template.parent().expect("a parent")).expect("the target directory");
            // another process may be as far: it makes the same, and one of the two is kept
            let new = template.with_file_name(format!("new-{}", std::process::id()));
            let copied = Command::new("cp").arg("-a").arg(dir.join("data")).arg(&new).status().expect("cp");
            assert!(copied.success(), "{} cannot be written", new.display());
            if fs::rename(&new, &template).is_err() {
                let _ = fs::remove_dir_all(&new);
            }
            let _ = fs::remove_dir_all(&dir);
        }
        template
    })
}
