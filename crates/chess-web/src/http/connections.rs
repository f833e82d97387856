//! Limits on open connections, in total and for each address.
//!
//! Addresses go in, places and refusals come out. A connection is silent until the head of its first request is
//! complete. An idle connection costs a client nothing, so when all places are taken the oldest silent connection of
//! the address with the most connections gives way to the newcomer. Connections with a request never give way.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::http::client::network;

/// The limits, and the connections that are open.
pub struct Connections {
    most: usize,
    each: usize,
    proxies: Vec<IpAddr>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last: u64,
    /// By number; a lower number is older.
    connections: BTreeMap<u64, Connection>,
    /// Number of connections of an address.
    of: HashMap<IpAddr, usize>,
}

struct Connection {
    address: IpAddr,
    /// Sender that tells a silent connection to give way.
    silent: Option<oneshot::Sender<Gone>>,
}

/// Dropped when a connection that was told to give way is closed.
pub type Gone = oneshot::Sender<()>;

/// An accepted connection.
pub struct Admitted {
    /// Place of the connection, held until it closes.
    pub place: Place,
    /// Fires if the connection must give way while it is silent.
    pub gives_way: oneshot::Receiver<Gone>,
    /// If another connection gives way to this one: ends when that connection is closed.
    pub leaving: Option<oneshot::Receiver<()>>,
}

/// The reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// All places are taken.
    Full,
    /// The address has reached its limit.
    Address,
}

impl Refusal {
    /// The HTTP response for a refused client, as bytes on the wire.
    pub fn answer(self) -> String {
        let (status, error) = match self {
            Refusal::Full => ("503 Service Unavailable", "too many connections now"),
            Refusal::Address => ("429 Too Many Requests", "too many connections from this address"),
        };
        let body = format!("{{\"error\":\"{error}\"}}");
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nRetry-After: 2\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }
}

/// The place of a connection; dropping it frees the place.
pub struct Place {
    connections: Arc<Connections>,
    number: u64,
    address: IpAddr,
    limit: usize,
}

impl Connections {
    /// At most `most` connections, and `each` from one address. This machine and proxies are exempt from the second
    /// limit, because many clients share their address.
    pub fn new(most: u16, each: u16, proxies: &[IpAddr]) -> Arc<Connections> {
        let proxies = proxies.to_vec();
        Arc::new(Connections { most: most.into(), each: each.into(), proxies, open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a place to a connection from this address.
    ///
    /// # Errors
    ///
    /// All places are taken, and no silent connection can give way.
    pub fn admit(self: &Arc<Connections>, peer: IpAddr) -> Result<Admitted, Refusal> {
        let peer = peer.to_canonical();
        let has_many_clients = peer.is_loopback() || self.proxies.contains(&peer);
        let limit = if has_many_clients { self.most } else { self.each.min(self.most) };
        let address = network(peer);
        let mut open = self.open();
        let own = open.of.get(&address).copied().unwrap_or(0);
        let refusal = match own >= limit {
            true if !has_many_clients => Some(Refusal::Address),
            _ => (open.connections.len() >= self.most).then_some(Refusal::Full),
        };
        let mut leaving = None;
        if let Some(refusal) = refusal {
            let from_others = refusal == Refusal::Full;
            let number = open.gives_way(address, own, from_others).ok_or(refusal)?;
            if let Some(Connection { silent: Some(tell), .. }) = open.remove(number) {
                let (gone, is_gone) = oneshot::channel();
                // if that connection has just ended, nobody receives this and `gone` is dropped at once
                let _ = tell.send(gone);
                leaving = Some(is_gone);
            }
        }
        let (tell, gives_way) = oneshot::channel();
        open.last += 1;
        let number = open.last;
        open.connections.insert(number, Connection { address, silent: Some(tell) });
        *open.of.entry(address).or_default() += 1;
        let place = Place { connections: self.clone(), number, address, limit };
        Ok(Admitted { place, gives_way, leaving })
    }
}

impl Open {
    /// The silent connection that gives way to one from an address with `own` connections. Addresses with fewer are
    /// spared.
    fn gives_way(&self, address: IpAddr, own: usize, from_others: bool) -> Option<u64> {
        let silent = self.connections.iter().filter(|(_, connection)| connection.silent.is_some());
        let candidates = silent.filter_map(|(number, connection)| {
            let count = self.of.get(&connection.address).copied().unwrap_or(0);
            let may = connection.address == address || (from_others && count >= own);
            may.then_some((count, std::cmp::Reverse(*number)))
        });
        candidates.max().map(|(_, number)| number.0)
    }

    fn remove(&mut self, number: u64) -> Option<Connection> {
        let connection = self.connections.remove(&number)?;
        if let Some(count) = self.of.get_mut(&connection.address) {
            *count -= 1;
            if *count == 0 {
                self.of.remove(&connection.address);
            }
        }
        Some(connection)
    }
}

impl Place {
    /// Marks the connection as no longer silent: the head of a request is complete.
    pub fn heard(&self) {
        if let Some(connection) = self.connections.open().connections.get_mut(&self.number) {
            connection.silent = None;
        }
    }

    /// Whether more than half of all places, or of this address's places, are taken. If so, a connection should close
    /// after its answer instead of waiting for another request.
    pub fn is_tight(&self) -> bool {
        let open = self.connections.open();
        let own = open.of.get(&self.address).copied().unwrap_or(0);
        2 * open.connections.len() > self.connections.most || 2 * own > self.limit
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.open().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    fn admit(all: &Arc<Connections>, address: &str) -> Result<Admitted, Refusal> {
        all.admit(address.parse().unwrap())
    }

    fn heard(all: &Arc<Connections>, address: &str) -> Admitted {
        let admitted = admit(all, address).ok().unwrap();
        admitted.place.heard();
        admitted
    }

    fn must_go(admitted: &mut Admitted) -> bool {
        admitted.gives_way.try_recv().is_ok()
    }

    #[test]
    fn the_oldest_silent_connection_of_the_busiest_address_gives_way() {
        let all = Connections::new(6, 4, &[]);
        let mut other = admit(&all, "10.0.0.2").ok().unwrap();
        let mut many: Vec<_> = (0..4).map(|_| admit(&all, "10.0.0.1").ok().unwrap()).collect();
        many[0].place.heard();
        let mut third = admit(&all, "10.0.0.3").ok().unwrap();
        // full: the first connection of the address with the most has a request, so the second gives way
        let mut fourth = admit(&all, "10.0.0.4").ok().unwrap();
        let told: Vec<_> = many.iter_mut().map(|connection| connection.gives_way.try_recv().ok()).collect();
        assert_eq!(told.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, false]);
        assert!(!must_go(&mut other) && !must_go(&mut third) && !must_go(&mut fourth));
        // its place is reused before it is closed; the newcomer waits until it is
        assert!(third.leaving.is_none());
        let mut leaving = fourth.leaving.take().unwrap();
        drop(many.remove(1));
        assert_eq!(leaving.try_recv(), Err(TryRecvError::Empty));
        drop(told);
        assert_eq!(leaving.try_recv(), Err(TryRecvError::Closed));
        assert_eq!(all.open().connections.len(), 6);
        drop((many, other, third, fourth));
        let open = all.open();
        assert!(open.connections.is_empty() && open.of.is_empty());
    }

    #[test]
    fn nobody_gives_way_to_an_address_with_more() {
        let all = Connections::new(4, 4, &[]);
        let mut small = admit(&all, "10.0.0.2").ok().unwrap();
        let working: Vec<_> = (0..3).map(|_| heard(&all, "10.0.0.1")).collect();
        assert_eq!(admit(&all, "10.0.0.1").err(), Some(Refusal::Full));
        assert!(!must_go(&mut small));
        drop(working);
        assert!(admit(&all, "10.0.0.1").is_ok());
    }

    #[test]
    fn one_address_has_its_share() {
        let all = Connections::new(100, 2, &["10.0.0.9".parse().unwrap()]);
        let mut first = admit(&all, "10.0.0.1").ok().unwrap();
        let second = heard(&all, "::ffff:10.0.0.1");
        let third = heard(&all, "10.0.0.1");
        assert!(must_go(&mut first), "its own silent connection gives way");
        assert_eq!(admit(&all, "10.0.0.1").err(), Some(Refusal::Address));
        let network: Vec<_> = (1..3).map(|host| heard(&all, &format!("2001:db8::{host}"))).collect();
        assert_eq!(admit(&all, "2001:db8::3").err(), Some(Refusal::Address), "64 bits are one client");
        assert!(admit(&all, "2001:db8:0:1::1").is_ok());
        let many: Vec<_> =
            ["127.0.0.1", "::1", "10.0.0.9"].iter().flat_map(|near| (0..5).map(|_| heard(&all, near))).collect();
        assert!(!many[0].place.is_tight(), "this machine and a proxy speak for many");
        drop(second);
        assert!(admit(&all, "10.0.0.1").is_ok());
        drop((third, network));
    }

    #[test]
    fn from_half_of_the_places_on_it_is_tight() {
        let all = Connections::new(8, 4, &[]);
        let mut places: Vec<_> = (0..2).map(|_| heard(&all, "10.0.0.1")).collect();
        assert!(!places[0].place.is_tight());
        places.push(heard(&all, "10.0.0.1"));
        assert!(places[0].place.is_tight());
        let other = heard(&all, "10.0.0.2");
        assert!(!other.place.is_tight());
        let more = heard(&all, "10.0.0.3");
        assert!(other.place.is_tight());
        drop(more);
    }

    #[test]
    fn a_connection_with_a_request_does_not_give_way() {
        let all = Connections::new(1, 1, &[]);
        let Admitted { place, mut gives_way, .. } = admit(&all, "127.0.0.1").ok().unwrap();
        assert_eq!(gives_way.try_recv().err(), Some(TryRecvError::Empty));
        place.heard();
        assert_eq!(gives_way.try_recv().err(), Some(TryRecvError::Closed));
        assert_eq!(admit(&all, "127.0.0.1").err(), Some(Refusal::Full));
    }

    #[test]
    fn refusals_are_answers() {
        for refusal in [Refusal::Full, Refusal::Address] {
            let answer = refusal.answer();
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(
                head.contains(&format!("Content-Length: {}\r\n", body.len()))
                    || head.ends_with(&body.len().to_string())
            );
            assert!(serde_json::from_str::<serde_json::Value>(body).unwrap()["error"].is_string());
        }
    }
}
