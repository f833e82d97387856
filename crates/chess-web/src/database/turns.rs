//! Limits on database queries under way, for each cost and each client.
//!
//! A query that may take long waits for a turn before it takes a connection. Searches, which may read every game, never
//! get all connections, so that the explorer stays available. Searches and explorer together do not get all either:
//! single games, the status and the check of cached answers need a connection. Each remote client has a share.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::failure::{Failure, Outcome};
use crate::http::client::Client;

/// How long a query waits for its turn.
const WAIT: Duration = Duration::from_secs(2);

/// Beyond this number of clients, clients without a query are forgotten.
const CLIENTS: usize = 1_000;

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
    moderate: Arc<Semaphore>,
    high: Arc<Semaphore>,
    each: usize,
    wait: Duration,
    clients: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

/// Permission to run a query; dropping it ends the turn.
pub struct Turn {
    _permits: Vec<OwnedSemaphorePermit>,
}

/// Limits for `pool` connections: moderate and high queries together, and high ones alone.
fn shares(pool: usize) -> (usize, usize) {
    let kept = pool.div_ceil(8);
    let moderate = (pool - kept).max(1);
    (moderate, moderate.saturating_sub(kept).max(1))
}

/// The default share of one address: three eighths of the connections.
pub fn usual_share(pool: u16) -> u16 {
    (pool * 3 / 8).max(1)
}

impl Turns {
    /// Turns for `pool` connections; a client of another machine gets at most `each`.
    pub fn new(pool: u16, each: u16) -> Turns {
        let (moderate, high) = shares(pool.into());
        Turns {
            moderate: Arc::new(Semaphore::new(moderate)),
            high: Arc::new(Semaphore::new(high)),
            each: each.into(),
            wait: WAIT,
            clients: Mutex::default(),
        }
    }

    fn of_client(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() > CLIENTS {
            // turns, and requests that wait for one, hold the semaphore of their client
            clients.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        clients.entry(address).or_insert_with(|| Arc::new(Semaphore::new(self.each))).clone()
    }

    /// Waits for a turn for a client's query.
    ///
    /// # Errors
    ///
    /// After two seconds: 429 if the client has reached its share, else 503.
    pub async fn take(&self, client: Client, cost: Cost) -> Outcome<Turn> {
        let deadline = Instant::now() + self.wait;
        let busy = || Failure::unavailable("the server is busy; try again in a moment");
        let mut permits = Vec::new();
        if !client.address.is_loopback() {
            let turns = self.of_client(client.address);
            match timeout_at(deadline, turns.acquire_owned()).await {
                Ok(permit) => permits.push(permit.map_err(|_| busy())?),
                Err(_) => {
                    let error = "too many requests from this address at once; try again in a moment";
                    return Err(Failure::new(StatusCode::TOO_MANY_REQUESTS, error));
                }
            }
        }
        let kinds: &[_] = match cost {
            Cost::Moderate => &[&self.moderate],
            Cost::High => &[&self.high, &self.moderate],
        };
        for turns in kinds {
            let permit = timeout_at(deadline, Arc::clone(turns).acquire_owned()).await.map_err(|_| busy())?;
            permits.push(permit.map_err(|_| busy())?);
        }
        Ok(Turn { _permits: permits })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn client(address: &str) -> Client {
        Client { address: address.parse().unwrap(), secure: false }
    }

    /// The turns that a client gets without waiting, up to `wanted`.
    fn taken(turns: &Turns, address: &str, cost: Cost, wanted: usize) -> Vec<Turn> {
        (0..wanted)
            .filter_map(|_| turns.take(client(address), cost).now_or_never())
            .map(|turn| turn.ok().unwrap())
            .collect()
    }

    #[test]
    fn every_size_of_a_pool_has_room() {
        assert_eq!([1, 2, 3, 4, 8, 16, 100].map(shares), [(1, 1), (1, 1), (2, 1), (3, 2), (7, 6), (14, 12), (87, 74)]);
        assert_eq!([1, 2, 4, 8, 16, 100].map(usual_share), [1, 1, 1, 3, 6, 37]);
    }

    #[tokio::test]
    async fn searches_leave_room_for_others() {
        let turns = Turns::new(8, 3);
        let searches = taken(&turns, "127.0.0.1", Cost::High, 10);
        assert_eq!(searches.len(), 6);
        let others = taken(&turns, "127.0.0.1", Cost::Moderate, 10);
        assert_eq!(others.len(), 1, "of eight connections one is left for what takes no turn");
        drop(searches);
        assert_eq!(taken(&turns, "127.0.0.1", Cost::Moderate, 10).len(), 6);
    }

    #[tokio::test]
    async fn one_client_has_a_share() {
        let turns = Turns::new(8, 3);
        let mine = taken(&turns, "10.0.0.1", Cost::High, 10);
        assert_eq!(mine.len(), 3);
        assert_eq!(taken(&turns, "10.0.0.1", Cost::Moderate, 1).len(), 0);
        assert_eq!(taken(&turns, "10.0.0.2", Cost::High, 10).len(), 3);
        drop(mine);
        assert_eq!(taken(&turns, "10.0.0.1", Cost::Moderate, 10).len(), 3);
    }

    #[tokio::test]
    async fn a_client_that_waits_too_long_gets_a_reason() {
        let turns = Turns { wait: Duration::ZERO, ..Turns::new(8, 3) };
        let status = async |address: &str| {
            let outcome = turns.take(client(address), Cost::High).await;
            outcome.err().map(|failure| failure.status)
        };
        let _mine = taken(&turns, "10.0.0.1", Cost::High, 3);
        assert_eq!(status("10.0.0.1").await, Some(StatusCode::TOO_MANY_REQUESTS));
        assert_eq!(status("10.0.0.2").await, None);
        let _others = taken(&turns, "127.0.0.1", Cost::High, 3);
        assert_eq!(status("10.0.0.2").await, Some(StatusCode::SERVICE_UNAVAILABLE));
    }

    #[tokio::test]
    async fn clients_without_a_question_are_forgotten() {
        let turns = Turns::new(8, 3);
        let kept = taken(&turns, "10.0.0.1", Cost::Moderate, 1);
        for number in 0..3 * CLIENTS as u32 {
            let address = IpAddr::from((0x0b00_0000 + number).to_be_bytes());
            drop(turns.take(Client { address, secure: false }, Cost::Moderate).await);
        }
        let clients = turns.clients.lock().unwrap();
        assert!(clients.len() <= CLIENTS + 1 && clients.contains_key(&client("10.0.0.1").address));
        drop(kept);
    }
}
