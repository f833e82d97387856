//! Chess engines that speak UCI: a position and a limit come in, an analysis or the reason why there is none goes out.
//!
//! From bottom to top; each file uses those before it:
//!
//! 1. [`line`]: a line that an engine has written, to what it says
//! 2. [`root`]: a legal position with moves left, as an engine is told of it, and the moves of an answer checked on it
//! 3. [`process`]: the engine's process: its lines, bounded in size and number, its end
//! 4. [`engine`]: the protocol: start, options, one search, its deadline
//! 5. [`supervisor`]: an engine that is started again when it fails
//!
//! # What an engine may do
//!
//! Anything: hang, die, write without end, lie. So every wait has a deadline, what it writes is read in bounded memory,
//! every move it names is checked, and it is told of nothing but legal positions: Stockfish 15.1 crashes without kings.
//! A search that is late is stopped, then the process is killed.
//!
//! No engine outlives its parent: its standard input ends, and on Linux the kernel kills it (`setpriv --pdeathsig`).
//!
//! # The protocol
//!
//! The description of UCI is that of Stefan Meyer-Kahlen, April 2006. Where engines differ from it, the lines they
//! write are in `tests/golden`.

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
