//! The state that the handlers share.

use std::sync::Arc;

use crate::api::engines::Engines;
use crate::database::inventory::InventoryCache;
use crate::database::pool::Database;
use crate::database::turns::Turns;
use crate::http::places::Places;
use crate::uploads::queue::Uploads;

/// Connections, limits and what is known of the database. All of it can be built again; nothing is stored here alone.
pub struct App {
    /// Connections that read games.
    pub database: Database,
    /// Limits on the queries under way.
    pub turns: Turns,
    /// What the database holds.
    pub inventory: Arc<InventoryCache>,
    /// The same of what answers in place of lichess's databases, in the order of [`Base`](crate::api::lichess::Base).
    pub bases: [Arc<InventoryCache>; 3],
    /// Whether visitors can save things.
    pub has_sessions: bool,
    /// Games that visitors bring in; `None` if they may not.
    pub uploads: Option<Arc<Uploads>>,
    /// Places for exports.
    pub exports: Arc<Places>,
    /// Engines for the board on the screen; `None` if there are none.
    pub engines: Option<Engines>,
    /// Where what they find is stored, if it is.
    pub findings: Option<Database>,
}
