//! Games that visitors bring in: files are received into a directory of their own and loaded by `chess-pgn`.
//!
//! The loader is a process, not a library: files of strangers are unpacked and parsed where a crash, or too much memory, ends
//! nothing else, and a load can be cancelled at any moment. Its guarantees are those of the command line: the same file again
//! continues where it stopped, and no game is stored twice.

pub mod job;
pub mod loader;
pub mod queue;
pub mod spool;
