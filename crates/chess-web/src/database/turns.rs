//! Limits on database queries under way, by their cost.
//!
//! A query that may take long waits for a turn before it takes a connection. Searches, which may read every game, never
//! get all connections, so that the explorer stays available. Searches and explorer together do not get all either:
//! single games, the status and the check of cached answers need a connection.

use std::sync::Arc;

use crate::failure::Outcome;
use crate::http::client::Client;
use crate::http::places::{Place, Places};

/// Estimated cost of a query. A lookup by key takes no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Usually an index answers.
    Moderate,
    /// The query may have to read every game.
    High,
}

/// Limits on queries, for all clients of a server.
pub struct Turns {
    /// For all queries.
    pub questions: Arc<Places>,
    /// For those of high cost, which take both.
    pub searches: Arc<Places>,
}

/// Permission to run a query; dropping it ends the turn.
pub struct Turn {
    _places: Vec<Place>,
}

impl Turns {
    /// Waits for a turn for a client's query.
    ///
    /// # Errors
    ///
    /// After some seconds: 429 if the client has reached its share, else 503.
    pub async fn take(&self, client: Client, cost: Cost) -> Outcome<Turn> {
        let kinds: &[_] = match cost {
            Cost::Moderate => &[&self.questions],
            Cost::High => &[&self.searches, &self.questions],
        };
        let mut places = Vec::new();
        for kind in kinds {
            places.push(kind.take(client.address).await?);
        }
        Ok(Turn { _places: places })
    }
}
