//! What the handlers share.

use tokio::sync::OnceCell;

use crate::database::Database;
use crate::engines::Engines;
use crate::inventory::Stock;
use crate::shared::Shared;
use crate::shelf::Answers;
use crate::turns::Turns;

/// The program's state: connections and what they are known to lead to; nothing that matters is only here.
pub struct App {
    /// For reading games.
    pub database: Database,
    /// Limits on queries under way.
    pub turns: Turns,
    /// What the database holds.
    pub stock: Stock,
    /// Answers that hold as long as the database stays as it is.
    pub answers: Answers,
    /// Which state that is.
    pub states: Shared<String>,
    /// For sessions; `None` if none are kept.
    pub sessions: Option<Database>,
    /// Whether their tables are there.
    pub sessions_ready: OnceCell<()>,
    /// Engines for the board on the screen; `None` if none are run.
    pub engines: Option<Engines>,
}
