//! Drives UCI chess engines: takes a position and a limit, returns an analysis or the reason why there is none.
//!
//! From bottom to top; each module uses those before it:
//!
//! 1. [`line`]: parses a line that an engine has written
//! 2. [`root`]: a legal position with moves left, as it is sent to an engine, and the check of moves that come back
//! 3. [`process`]: the engine's process: its lines, bounded in length and number, and its end
//! 4. [`engine`]: the protocol: start, options, searches, deadlines
//! 5. [`supervisor`]: restarts an engine that fails
//!
//! # What an engine may do
//!
//! An engine may hang, crash, write without end, and lie. So every wait has a deadline, its output is read in bounded
//! memory, and every move is checked. Only legal positions are sent: Stockfish 15.1 crashes without kings. An overdue
//! search is stopped; if that fails, the process is killed.
//!
//! No engine outlives its parent: its standard input is closed, and on Linux the kernel kills it (`setpriv
//! --pdeathsig`).
//!
//! # The protocol
//!
//! The description of UCI is by Stefan Meyer-Kahlen, April 2006. Where engines deviate from it, their lines are in
//! `tests/golden`.

#![forbid(unsafe_code)]

pub mod engine;
pub mod line;
pub mod process;
pub mod root;
pub mod supervisor;

pub use engine::{Analysis, Engine, EngineError, Limit, Settings, Variation};
pub use line::Score;
pub use root::{Root, Standing};
pub use supervisor::{Failure, Supervisor};
