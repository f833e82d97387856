//! Output files: bytes come in, and the file either has all of them or stays as it was before. All files that the program writes
//! are opened here.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::mem;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use anyhow::{Result, bail};

use crate::interrupt::before_the_end;
use crate::output::{Standard, is_open, standard};
use crate::read::source::{STDIN, ending};

/// Endings of packed files that are not written.
const PACKED: [&str; 4] = ["gz", "bz2", "zip", "7z"];

/// A file that is being written, or standard output. Errors contain its name.
pub struct Whole {
    /// The name that the user gave.
    name: PathBuf,
    out: Box<dyn Sink>,
    /// The temporary file, if the output is a regular file.
    part: Option<Part>,
    /// Whether the reader of the pipe has closed it, as `head` does. Further output is dropped, which is not an error.
    closed: bool,
}

/// What bytes are written to.
trait Sink: Write + Send {
    /// Writes what is still buffered.
    fn end(&mut self) -> io::Result<()>;
}

impl<W: Write + Send> Sink for BufWriter<W> {
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }
}

impl<W: Write + Send> Sink for zstd::Encoder<'static, W> {
    fn end(&mut self) -> io::Result<()> {
        self.do_finish()?;
        self.get_mut().flush()
    }
}

impl Whole {
    /// Begins a file, packed if its name ends in `.zst`; `-` is standard output.
    pub fn create(name: &Path) -> Result<Whole> {
        let ending = ending(name);
        if PACKED.contains(&ending.as_str()) {
            bail!("cannot write {}: of packed files only those that end in .zst are written", name.display());
        }
        let open = || -> io::Result<Whole> {
            let (out, part) = begin(name)?;
            let out: Box<dyn Sink> = match ending.as_str() {
                "zst" => Box::new(zstd::Encoder::new(out, 3)?),
                _ => Box::new(BufWriter::with_capacity(1 << 16, out)),
            };
            Ok(Whole { name: name.to_owned(), out, part, closed: false })
        };
        Ok(open().map_err(|error| cannot_write(name, &error))?)
    }

    /// Writes the rest of the file and gives the file its name.
    pub fn finish(&mut self) -> Result<()> {
        self.attempt(|out| out.end())?;
        let named = self.part.take().map_or(Ok(()), |part| part.rename());
        Ok(named.map_err(|error| cannot_write(&self.name, &error))?)
    }

    fn attempt(&mut self, write: impl FnOnce(&mut dyn Sink) -> io::Result<()>) -> io::Result<()> {
        if !self.closed {
            self.closed = !is_open(write(&mut *self.out)).map_err(|error| cannot_write(&self.name, &error))?;
        }
        Ok(())
    }
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|out| out.flush())
    }
}

fn cannot_write(name: &Path, error: &io::Error) -> io::Error {
    let shown = if name.as_os_str() == "-" { "to standard output".into() } else { name.to_string_lossy() };
    io::Error::new(error.kind(), format!("cannot write {shown}: {error}"))
}

/// Whether two names refer to the same output file, which need not exist.
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((standard(one), standard(other)), (Some(one), Some(other)) if one == other)
        || matches!((place(one), place(other)), (Ok(one), Ok(other)) if one == other)
}

/// Whether an output would change an input file. A pipe or a device can be both.
pub fn overwrites(output: &Path, input: &str) -> bool {
    input != STDIN && Path::new(input).is_file() && is_same(output, Path::new(input))
}

/// The path of a file without links. Neither the file nor the target of a link need exist.
fn place(name: &Path) -> io::Result<PathBuf> {
    let missing = match fs::canonicalize(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => error,
        found => return found,
    };
    let folder = name.parent().unwrap_or(Path::new(""));
    match (fs::read_link(name), name.file_name()) {
        (Ok(target), _) => place(&folder.join(target)),
        (Err(_), Some(file)) => Ok(fs::canonicalize(Path::new(".").join(folder))?.join(file)),
        (Err(_), None) => Err(missing),
    }
}

/// The files that are being written. A signal removes them.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn parts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove_at_signals() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut done = Ok(());
    ONCE.call_once(|| done = before_the_end(|| parts().iter().for_each(|part| _ = fs::remove_file(part))));
    done
}

/// A temporary file that replaces an output file when all of it is written.
struct Part {
    path: PathBuf,
    /// The path of the output file.
    place: PathBuf,
}

/// Opens the file that bytes are written to. Standard streams, pipes and devices are written directly, without a temporary file.
fn begin(name: &Path) -> io::Result<(Box<dyn Write + Send>, Option<Part>)> {
    match standard(name) {
        Some(Standard::Output) => return Ok((Box::new(io::stdout()), None)),
        Some(Standard::Error) => return Ok((Box::new(io::stderr()), None)),
        None => (),
    }
    // Opening a file for writing does not change it, but fails if the user may not write it.
    let old = match File::options().write(true).open(name) {
        Ok(file) => match file.metadata()? {
            old if old.is_file() => Some(old),
            _ => return Ok((Box::new(file), None)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let place = place(name)?;
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    remove_at_signals()?;
    let folder = place.parent().unwrap_or(&place).to_owned();
    let (file, part) = match create(&folder, mode, place.clone()) {
        // A file can be writable although its directory is not, for example a mounted file. The temporary file then lies in a
        // directory for everybody, so only its owner may read it.
        Err(error) if old.is_some() && is_closed(&error) => create(&env::temp_dir(), mode, place)?,
        created => {
            let (file, part) = created?;
            old.map_or(Ok(()), |old| resemble(&file, &old))?;
            (file, part)
        }
    };
    Ok((Box::new(file), Some(part)))
}

/// Whether a directory takes no new files.
fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// Creates a temporary file with a unique name in a directory, for output that belongs in `place`.
fn create(folder: &Path, mode: u32, place: PathBuf) -> io::Result<(File, Part)> {
    // The name is random because a killed process may have left a temporary file behind. That of the output is no part of it,
    // because it may be as long as a name can be.
    let mut number = [0; 4];
    openssl::rand::rand_bytes(&mut number)?;
    let path = folder.join(format!("chess-pgn-{}.part", hex::encode(number)));
    let file = File::options().write(true).create_new(true).mode(mode).open(&path)?;
    parts().insert(path.clone());
    Ok((file, Part { path, place }))
}

/// Gives a file the owner and the permissions of the file that it replaces.
fn resemble(file: &File, old: &Metadata) -> io::Result<()> {
    // Only root may change the owner; other users may choose among their groups.
    let _ = fchown(file, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(file, None, Some(old.gid())));
    file.set_permissions(old.permissions())
}

impl Part {
    /// Moves the temporary file to its place.
    fn rename(mut self) -> io::Result<()> {
        // From here on, a signal must not remove the file.
        parts().remove(&self.path);
        if fs::rename(&self.path, &self.place).is_ok() {
            return Ok(());
        }
        // The rename fails for a mounted file and across file systems. The bytes are copied then.
        self.copy().map_err(|error| {
            // If the disk is full, the output file is incomplete now, so the temporary file must stay.
            let kept = mem::take(&mut self.path);
            io::Error::new(error.kind(), format!("{error}; all of it is in {}", kept.display()))
        })
    }

    fn copy(&self) -> io::Result<()> {
        let mut part = File::open(&self.path)?;
        let mut place = File::options().write(true).create(true).truncate(true).open(&self.place)?;
        io::copy(&mut part, &mut place).map(drop)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After a rename there is no such file, and a file that must stay has no path here.
        let _ = fs::remove_file(&self.path);
        parts().remove(&self.path);
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Gives an empty directory to a test, and removes it.
    fn within(name: &str, test: impl FnOnce(&Path)) {
        let folder = std::env::temp_dir().join(format!("chess-pgn-whole-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        test(&folder);
        fs::remove_dir_all(&folder).unwrap();
    }

    fn written(name: &Path, text: &str) -> Whole {
        let mut file = Whole::create(name).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_is_there_entirely_or_as_it_was() {
        within("entirely", |folder| {
            let name = folder.join("file");
            drop(written(&name, "half"));
            assert_eq!(count(folder), 0);
            fs::write(&name, "before").unwrap();
            drop(written(&name, "half"));
            assert_eq!((fs::read_to_string(&name).unwrap().as_str(), count(folder)), ("before", 1));
            // a process with the same id, as in another container, was killed while it wrote
            std::mem::forget(written(&name, "half"));
            written(&name, "whole").finish().unwrap();
            assert_eq!((fs::read_to_string(&name).unwrap().as_str(), count(folder)), ("whole", 2));
        });
    }

    #[test]
    fn a_file_keeps_its_rights() {
        within("rights", |folder| {
            let name = folder.join("file");
            fs::write(&name, "before").unwrap();
            fs::set_permissions(&name, fs::Permissions::from_mode(0o640)).unwrap();
            written(&name, "whole").finish().unwrap();
            assert_eq!(fs::metadata(&name).unwrap().mode() & 0o777, 0o640);
        });
    }

    #[test]
    fn a_link_leads_to_the_file_also_before_there_is_one() {
        within("link", |folder| {
            fs::create_dir(folder.join("sub")).unwrap();
            let (link, file) = (folder.join("link"), folder.join("sub/file"));
            symlink("sub/file", &link).unwrap();
            assert!(is_same(&link, &file) && is_same(&folder.join("sub/../link"), &file));
            assert!(!is_same(&link, &folder.join("file")));
            for text in ["first", "second"] {
                written(&link, text).finish().unwrap();
                assert!(link.is_symlink());
                assert_eq!(fs::read_to_string(&file).unwrap(), text);
            }
        });
    }

    #[test]
    fn a_file_that_cannot_be_renamed_takes_the_bytes() {
        within("copied", |folder| {
            // a path in another file system, so that the rename fails as it does for a mounted file
            let path = Path::new("/dev/shm").join(folder.file_name().unwrap());
            fs::write(&path, "whole").unwrap();
            Part { path: path.clone(), place: folder.join("file") }.rename().unwrap();
            assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "whole");
            assert!(!path.exists());
        });
    }

    #[test]
    fn what_is_written_elsewhere_changes_a_file_when_all_is_there() {
        within("elsewhere", |folder| {
            let name = folder.join("file");
            fs::write(&name, "before").unwrap();
            fs::set_permissions(&name, fs::Permissions::from_mode(0o640)).unwrap();
            // This directory is in another file system than the folder.
            let (mut file, part) = create(Path::new("/dev/shm"), 0o600, name.clone()).unwrap();
            file.write_all(b"whole").unwrap();
            assert_eq!(
                (file.metadata().unwrap().mode() & 0o777, fs::read(&name).unwrap()),
                (0o600, b"before".to_vec())
            );
            let path = part.path.clone();
            part.rename().unwrap();
            assert_eq!(
                (fs::metadata(&name).unwrap().mode() & 0o777, fs::read(&name).unwrap()),
                (0o640, b"whole".to_vec())
            );
            assert!(!path.exists());
        });
    }

    #[test]
    fn what_cannot_be_copied_is_kept() {
        within("kept", |folder| {
            let path = folder.join("part");
            fs::write(&path, "whole").unwrap();
            let told =
                Part { path: path.clone(), place: folder.join("missing/file") }.rename().unwrap_err().to_string();
            assert!(
                told.contains("No such file") && told.ends_with(&format!("all of it is in {}", path.display())),
                "{told}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        });
    }

    #[test]
    fn a_name_may_have_any_length_and_its_ending_any_case() {
        within("names", |folder| {
            let longest = folder.join("x".repeat(255));
            written(&longest, "whole").finish().unwrap();
            assert_eq!(fs::read_to_string(&longest).unwrap(), "whole");
            let packed = folder.join("x.PGN.ZST");
            written(&packed, "whole").finish().unwrap();
            assert_eq!(zstd::decode_all(&fs::read(&packed).unwrap()[..]).unwrap(), b"whole");
            assert!(Whole::create(&folder.join("x.PGN.GZ")).is_err());
        });
    }

    #[test]
    fn standard_output_has_many_names() {
        let [output, others @ ..] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].map(Path::new);
        for other in others {
            assert!(is_same(output, other) && is_same(other, output), "{}", other.display());
        }
        within("standard", |folder| {
            let file = folder.join("file");
            fs::write(&file, "").unwrap();
            assert!(!is_same(output, &file));
        });
    }

    #[test]
    fn a_signal_removes_what_is_not_whole_alone() {
        within("signal", |folder| {
            let [first, second] = ["first", "second"].map(|name| folder.join(name));
            let half = written(&first, "half");
            assert_eq!(parts().iter().filter(|part| part.starts_with(folder)).count(), 1);
            written(&second, "whole").finish().unwrap();
            assert_eq!(parts().iter().filter(|part| part.starts_with(folder)).count(), 1);
            drop(half);
            assert_eq!(parts().iter().filter(|part| part.starts_with(folder)).count(), 0);
        });
    }

    #[test]
    fn errors_name_the_file() {
        let told = |name: &str| Whole::create(Path::new(name)).err().unwrap().to_string();
        assert!(told("/no/such/file").starts_with("cannot write /no/such/file: No such file"));
        assert!(told("/dev").starts_with("cannot write /dev: Is a directory"));
        assert!(told("x.gz").contains("only those that end in .zst are written"));
        let full = written(Path::new("/dev/full"), "x").finish().unwrap_err().to_string();
        assert!(full.starts_with("cannot write /dev/full: No space left"), "{full}");
    }
}
