//! Places: what visitors share, and what one of them could use up, such as connections, turns at the database and engines.
//!
//! An address goes in; a place comes out, at once or after a wait, or a refusal. There is one such thing for each [`Kind`].
//! No address gets more than its share. Of those who wait, the address that holds the fewest places is next, and of equals the
//! one that was served longest ago. A holder that can be interrupted offers its place: where all are taken, the oldest
//! offered one of the address with the most is asked to give way to an address that has fewer.
//!
//! What cannot be given back, such as rows that are stored, is limited by a [`Budget`] for each address instead, which fills
//! up again with time.

use std::collections::{BTreeMap, HashMap};
use std::future::{Future, pending};
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use clap::ValueEnum;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::failure::Failure;
use crate::metrics::REFUSED;

/// What there are places of. Everything that visitors could use up is named here, and has its size in
/// [`Args::size`](crate::args::Args::size).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Connections of browsers and programs
    Connections,
    /// Requests under way, until their answer is sent
    Requests,
    /// MiB of bodies that arrive, and are kept until they are answered
    Bodies,
    /// MiB of answers that were made as a whole and are being sent
    Answers,
    /// Questions to the database under way
    Questions,
    /// Of these, questions that may have to read every game
    Searches,
    /// Connections to the database of games
    Reading,
    /// Connections to the database of sessions
    Saving,
    /// Connections that store what engines find
    Finding,
    /// Lists of games that are sent as PGN
    Exports,
    /// Threads that read patterns and names of openings
    Parsing,
    /// Engines
    Engines,
    /// Files of games that arrive
    Arriving,
    /// Files that are not loaded to their end, and sources that are not removed yet
    Jobs,
    /// The loader
    Loading,
    /// Whole games that an engine has not gone through to their end
    Analyses,
    /// The engine that goes through whole games
    Analyzing,
}

impl Kind {
    /// What an address has too many of, in words.
    fn what(self) -> &'static str {
        match self {
            Kind::Connections => "connections",
            Kind::Requests | Kind::Questions | Kind::Searches | Kind::Reading | Kind::Parsing => "requests",
            Kind::Bodies => "long requests",
            Kind::Answers => "long answers",
            Kind::Saving | Kind::Finding => "changes",
            Kind::Exports => "exports",
            Kind::Engines => "searches of the engine",
            Kind::Arriving => "files",
            Kind::Jobs | Kind::Loading | Kind::Analyses | Kind::Analyzing => "jobs that wait",
        }
    }

    /// How many places more than a newcomer an address must have to give way to it. A silent connection costs nothing to
    /// lose; a search or a load does.
    fn spares(self) -> usize {
        if self == Kind::Connections { 0 } else { 1 }
    }
}

/// How many places there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// For all together.
    pub most: usize,
    /// For one address.
    pub each: usize,
    /// How long an address waits for a place; for ever if this is missing.
    pub wait: Option<Duration>,
}

/// The usual share of one address.
pub fn share(most: usize) -> usize {
    (most * 3 / 8).max(1)
}

/// How long a holder that was asked to give way is waited for, where nobody waits otherwise.
const LEAVING: Duration = Duration::from_secs(10);

/// The places of a kind.
#[derive(Debug)]
pub struct Places {
    kind: Kind,
    size: Size,
    /// Addresses that speak for many clients.
    shared: Vec<IpAddr>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    /// By number; a lower number is older.
    held: BTreeMap<u64, Held>,
    waiting: BTreeMap<u64, Waiting>,
    /// The addresses that hold places or wait for them.
    of: HashMap<IpAddr, Account>,
}

#[derive(Debug, Default)]
struct Account {
    held: usize,
    waiting: usize,
    /// The number of the last place that the address got.
    served: u64,
}

#[derive(Debug)]
struct Held {
    address: IpAddr,
    /// If the place is offered: whether its holder was asked to give way.
    offered: Option<watch::Sender<bool>>,
}

#[derive(Debug)]
struct Waiting {
    address: IpAddr,
    limit: usize,
    /// Whether a holder was asked to give way to it.
    is_helped: bool,
    give: oneshot::Sender<Place>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    kind: Kind,
    /// Whether the address has its share, rather than all places being taken.
    pub has_share: bool,
}

impl Refusal {
    /// The refusal for a client: 429 if its address has its share, else 503.
    pub fn failure(self) -> Failure {
        let (status, from) = match self.has_share {
            true => (StatusCode::TOO_MANY_REQUESTS, " from this address"),
            false => (StatusCode::SERVICE_UNAVAILABLE, ""),
        };
        Failure::new(status, format!("too many {}{from} at once; try again in a moment", self.kind.what()))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        refusal.failure()
    }
}

/// A place; dropping it frees it.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    number: u64,
    address: IpAddr,
    limit: usize,
}

static WATCHED: Mutex<Vec<Arc<Places>>> = Mutex::new(Vec::new());

impl Places {
    /// Places of a kind. This machine, this program and the addresses of `shared` have no share of their own, because they
    /// speak for many clients.
    pub fn new(kind: Kind, size: Size, shared: &[IpAddr]) -> Arc<Places> {
        Arc::new(Places { kind, size, shared: shared.to_vec(), state: Mutex::default() })
    }

    /// Tells a monitor of these places from now on.
    pub fn watch(self: &Arc<Self>) {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(self.clone());
    }

    /// The places that a monitor is told of.
    pub fn watched() -> Vec<Arc<Places>> {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many there are.
    pub fn most(&self) -> usize {
        self.size.most
    }

    /// The name of the kind.
    pub fn name(&self) -> String {
        self.kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// How many are taken, and how many wait for one.
    pub fn used(&self) -> (usize, usize) {
        let state = self.state();
        (state.held.len(), state.waiting.len())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limit(&self, address: IpAddr) -> usize {
        let is_shared = address.is_loopback() || address == SERVER || self.shared.contains(&address);
        if is_shared { self.size.most } else { self.size.each.min(self.size.most) }
    }

    /// A place for an address, which waits for it as long as the kind allows.
    ///
    /// # Errors
    ///
    /// There is none, and nobody gives way.
    pub async fn take(self: &Arc<Places>, address: IpAddr) -> Result<Place, Refusal> {
        let mut waiter = self.queue(address);
        let is_helped = self.state().waiting.get(&waiter.number).is_some_and(|waiting| waiting.is_helped);
        let wait = if is_helped { self.size.wait.map(|wait| wait.max(LEAVING)) } else { self.size.wait };
        let given = match wait {
            Some(wait) => timeout(wait, &mut waiter.given).await.ok(),
            None => Some((&mut waiter.given).await),
        };
        match given {
            Some(Ok(place)) => Ok(place),
            _ => {
                REFUSED.with_label_values(&[self.name()]).inc();
                let state = self.state();
                let own = state.of.get(&address).map_or(0, |account| account.held);
                Err(Refusal { kind: self.kind, has_share: own >= self.limit(address) && own < self.size.most })
            }
        }
    }

    /// Places for a body or an answer of this many bytes, one for each whole MiB. One that is longer than the share of an address takes all of that.
    ///
    /// # Errors
    ///
    /// As [`Places::take`].
    pub async fn take_for(self: &Arc<Places>, address: IpAddr, bytes: u64) -> Result<Vec<Place>, Refusal> {
        let mut taken = Vec::new();
        while taken.len() < self.size.each && taken.len() as u64 != bytes >> 20 {
            taken.push(self.take(address).await?);
        }
        Ok(taken)
    }

    fn queue(self: &Arc<Places>, address: IpAddr) -> Waiter {
        let (give, given) = oneshot::channel();
        let limit = self.limit(address);
        let mut state = self.state();
        state.last += 1;
        let number = state.last;
        state.waiting.insert(number, Waiting { address, limit, is_helped: false, give });
        state.of.entry(address).or_default().waiting += 1;
        drop(state);
        self.move_up();
        Waiter { places: self.clone(), number, given }
    }

    /// Gives free places to those who wait, and asks holders to give way to the others.
    fn move_up(self: &Arc<Places>) {
        let mut given = Vec::new();
        let mut state = self.state();
        while state.held.len() < self.size.most
            && let Some(number) = state.next()
            && let Some(waiting) = state.leave(number)
        {
            let Waiting { address, limit, give, .. } = waiting;
            state.held.insert(number, Held { address, offered: None });
            state.last += 1;
            let served = state.last;
            let account = state.of.entry(address).or_default();
            (account.held, account.served) = (account.held + 1, served);
            given.push((give, Place { places: self.clone(), number, address, limit }));
        }
        state.press(self.kind, self.size.most);
        // a place that nobody takes any more is dropped here, which needs the lock
        drop(state);
        for (give, place) in given {
            drop(give.send(place));
        }
    }
}

impl State {
    fn held(&self, address: IpAddr) -> usize {
        self.of.get(&address).map_or(0, |account| account.held)
    }

    /// Who gets the next free place.
    fn next(&self) -> Option<u64> {
        let may = self.waiting.iter().filter(|(_, waiting)| self.held(waiting.address) < waiting.limit);
        let rank = |(number, waiting): (&u64, &Waiting)| {
            let account = self.of.get(&waiting.address)?;
            Some((account.held, account.served, *number))
        };
        may.filter_map(rank).min().map(|(_, _, number)| number)
    }

    /// Asks holders to give way, one for each who waits and was not helped yet.
    fn press(&mut self, kind: Kind, most: usize) {
        let unhelped: Vec<_> = self.waiting.iter().filter(|(_, waiting)| !waiting.is_helped).map(|(n, _)| *n).collect();
        for number in unhelped {
            let Some(waiting) = self.waiting.get(&number) else { continue };
            let (address, own) = (waiting.address, self.held(waiting.address));
            let others = own < waiting.limit && self.held.len() >= most;
            let candidates = self.held.iter().filter_map(|(holder, held)| {
                let count = self.held(held.address);
                let is_own = kind == Kind::Connections && held.address == address;
                let may = is_own || (others && held.address != address && count >= own + kind.spares());
                let is_offered = held.offered.as_ref().is_some_and(|asked| !*asked.borrow());
                (may && is_offered).then_some((count, std::cmp::Reverse(*holder)))
            });
            let Some((_, holder)) = candidates.max() else { continue };
            if let Some(asked) = self.held.get(&holder.0).and_then(|held| held.offered.as_ref()) {
                asked.send_replace(true);
            }
            if let Some(waiting) = self.waiting.get_mut(&number) {
                waiting.is_helped = true;
            }
        }
    }

    fn leave(&mut self, number: u64) -> Option<Waiting> {
        let waiting = self.waiting.remove(&number)?;
        self.changes(waiting.address, |account| account.waiting -= 1);
        Some(waiting)
    }

    fn changes(&mut self, address: IpAddr, change: impl FnOnce(&mut Account)) {
        if let Some(account) = self.of.get_mut(&address) {
            change(account);
            if account.held == 0 && account.waiting == 0 {
                self.of.remove(&address);
            }
        }
    }
}

/// Somebody who waits; dropping it ends the wait.
struct Waiter {
    places: Arc<Places>,
    number: u64,
    given: oneshot::Receiver<Place>,
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.places.state().leave(self.number);
    }
}

impl Place {
    /// Offers the place to others.
    pub fn offer(&self) -> Offer {
        let (asked, asks) = watch::channel(false);
        let mut state = self.places.state();
        if let Some(held) = state.held.get_mut(&self.number) {
            held.offered = Some(asked);
        }
        state.press(self.places.kind, self.places.size.most);
        Offer(asks)
    }

    /// What the holder is told if it gives way.
    pub fn refusal(&self) -> Refusal {
        Refusal { kind: self.places.kind, has_share: false }
    }

    /// Takes the offer back.
    pub fn keep(&self) {
        if let Some(held) = self.places.state().held.get_mut(&self.number) {
            held.offered = None;
        }
    }

    /// Whether more than half of all places, or of this address's places, are taken.
    pub fn is_tight(&self) -> bool {
        let state = self.places.state();
        2 * state.held.len() > self.places.size.most || 2 * state.held(self.address) > self.limit
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.places.state();
        state.held.remove(&self.number);
        state.changes(self.address, |account| account.held -= 1);
        drop(state);
        self.places.move_up();
    }
}

/// A place that its holder has offered to others.
pub struct Offer(watch::Receiver<bool>);

impl Offer {
    /// Whether the holder is asked to give way.
    pub fn is_asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when the holder is asked to give way; never if it has taken the offer back.
    pub async fn asked(&mut self) {
        if self.0.wait_for(|asked| *asked).await.is_err() {
            pending().await
        }
    }
}

/// How much of an answer is handed on at a time. Otherwise it would seem to be sent while all of it waits for a client that reads
/// nothing.
const PART: usize = 64 << 10;

/// The body of an answer that holds places until it is sent.
pub fn holding(body: Body, places: Vec<Place>) -> Body {
    Body::new(Holding { body, rest: Bytes::new(), _places: places })
}

struct Holding {
    body: Body,
    /// What of the last frame is not handed on yet.
    rest: Bytes,
    _places: Vec<Place>,
}

impl HttpBody for Holding {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)).transpose()?.map(Frame::into_data) {
                Some(Ok(data)) => self.rest = data,
                Some(Err(other)) => return Poll::Ready(Some(Ok(other))),
                None => return Poll::Ready(None),
            }
        }
        let length = self.rest.len().min(PART);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

/// The address of what this program does for all.
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

tokio::task_local! {
    static CLIENT: IpAddr;
}

/// Does something for a client: places that are taken meanwhile are its places.
pub async fn on_behalf_of<T>(address: IpAddr, work: impl Future<Output = T>) -> T {
    CLIENT.scope(address, work).await
}

/// Does something for all clients.
pub async fn for_all<T>(work: impl Future<Output = T>) -> T {
    CLIENT.scope(SERVER, work).await
}

/// The client for which this is done.
pub fn current() -> IpAddr {
    CLIENT.try_with(|address| *address).unwrap_or(SERVER)
}

/// Beyond this number of addresses, those with a full budget are forgotten.
const ADDRESSES: usize = 10_000;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// What each address may use up, which fills up again with time. (governor would not be shorter, and adds six crates.)
#[derive(Debug)]
pub struct Budget {
    full: f64,
    per_second: f64,
    left: Mutex<Left>,
}

#[derive(Debug)]
struct Left {
    /// The time of the last use, and what was left then.
    of: HashMap<IpAddr, (Instant, f64)>,
    /// The number of addresses beyond which some are forgotten.
    most: usize,
}

impl Budget {
    /// Each address has `full`, and gets `per_second` of it back.
    pub fn new(full: f64, per_second: f64) -> Budget {
        Budget { full, per_second, left: Mutex::new(Left { of: HashMap::new(), most: ADDRESSES }) }
    }

    /// Each address has `full`, and gets as much back in a day.
    pub fn daily(full: f64) -> Budget {
        Budget::new(full, full / DAY)
    }

    /// Takes an amount from an address; false if it has less. This machine has no limit, because a reverse proxy sends the
    /// requests of all its clients from here.
    pub fn takes(&self, address: IpAddr, amount: f64) -> bool {
        self.uses(address, |left| if left < amount { None } else { Some(left - amount) })
    }

    /// Takes an amount that is used up already: if the address has less, it has nothing until the rest has filled up, too.
    pub fn owes(&self, address: IpAddr, amount: f64) {
        self.uses(address, |left| Some(left - amount));
    }

    /// What an address has becomes what `rest` says, if that says something.
    fn uses(&self, address: IpAddr, rest: impl FnOnce(f64) -> Option<f64>) -> bool {
        if address.is_loopback() {
            return true;
        }
        let now = Instant::now();
        let filled = |(last, left): (Instant, f64)| {
            (left + self.per_second * now.duration_since(last).as_secs_f64()).min(self.full)
        };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.of.len() > left.most {
            left.of.retain(|_, entry| filled(*entry) < self.full);
            left.most = ADDRESSES.max(2 * left.of.len());
        }
        let entry = left.of.entry(address).or_insert((now, self.full));
        let has = filled(*entry);
        let rest = rest(has);
        *entry = (now, rest.unwrap_or(has));
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::FutureExt as _;

    use super::*;

    fn places(kind: Kind, most: usize, each: usize) -> Arc<Places> {
        Places::new(kind, Size { most, each, wait: Some(Duration::ZERO) }, &["10.0.0.9".parse().unwrap()])
    }

    fn ip(address: &str) -> IpAddr {
        address.parse().unwrap()
    }

    /// A place that is there at once.
    fn taken(places: &Arc<Places>, address: &str) -> Option<Place> {
        places.queue(ip(address)).given.try_recv().ok()
    }

    fn offered(places: &Arc<Places>, address: &str) -> (Place, Offer) {
        let place = taken(places, address).unwrap();
        let asked = place.offer();
        (place, asked)
    }

    #[test]
    fn one_address_has_its_share() {
        for kind in Kind::value_variants() {
            let all = places(*kind, 8, 2);
            let (_first, second) = (taken(&all, "10.0.0.1").unwrap(), taken(&all, "10.0.0.1").unwrap());
            assert!(taken(&all, "10.0.0.1").is_none(), "{kind:?}");
            let _others: Vec<_> = (2..5).map(|host| taken(&all, &format!("10.0.0.{host}")).unwrap()).collect();
            drop(second);
            assert!(taken(&all, "10.0.0.1").is_some());
            for shared in ["127.0.0.1", "::1", "10.0.0.9", "0.0.0.0"] {
                let many: Vec<_> = std::iter::from_fn(|| taken(&all, shared)).collect();
                assert_eq!(many.len(), 4, "{shared} speaks for many");
            }
        }
    }

    #[tokio::test]
    async fn refusals_say_whose_places_are_taken() {
        let all = places(Kind::Questions, 2, 1);
        let refused = async |address: &str| all.take(ip(address)).await.err().map(|refusal| refusal.failure().status);
        let _first = taken(&all, "10.0.0.1").unwrap();
        assert_eq!(refused("10.0.0.1").await, Some(StatusCode::TOO_MANY_REQUESTS));
        let _second = taken(&all, "10.0.0.2").unwrap();
        assert_eq!(refused("10.0.0.3").await, Some(StatusCode::SERVICE_UNAVAILABLE));
        assert!(all.state().waiting.is_empty() && all.state().of.len() == 2);
    }

    #[test]
    fn those_who_have_less_are_next() {
        let all = places(Kind::Loading, 1, 1);
        let mut held = taken(&all, "10.0.0.1").unwrap();
        let waiting = ["1", "1", "2", "1", "3", "2"].map(|host| (host, all.queue(ip(&format!("10.0.0.{host}")))));
        let mut order = Vec::new();
        let mut waiting = Vec::from(waiting);
        while !waiting.is_empty() {
            drop(held);
            let (at, place) = waiting
                .iter_mut()
                .enumerate()
                .find_map(|(at, (_, waiter))| Some((at, waiter.given.try_recv().ok()?)))
                .unwrap();
            held = place;
            order.push(waiting.remove(at).0);
        }
        assert_eq!(order, ["2", "3", "1", "2", "1", "1"]);
        drop(held);
        assert!(all.state().of.is_empty());
    }

    #[test]
    fn a_place_for_somebody_who_has_left_is_free() {
        let all = places(Kind::Engines, 1, 1);
        let held = taken(&all, "10.0.0.1").unwrap();
        let (gone, mut stays) = (all.queue(ip("10.0.0.2")), all.queue(ip("10.0.0.3")));
        drop(held);
        assert!(stays.given.try_recv().is_err(), "the first one has it");
        drop(gone);
        assert!(stays.given.try_recv().is_ok());
        let state = all.state();
        assert!(state.held.is_empty() && state.waiting.is_empty() && state.of.is_empty());
    }

    #[test]
    fn the_oldest_silent_connection_of_the_busiest_address_gives_way() {
        let all = places(Kind::Connections, 6, 4);
        let (_other, other_asked) = offered(&all, "10.0.0.2");
        let mut many: Vec<_> = (0..4).map(|_| offered(&all, "10.0.0.1")).collect();
        many[0].0.keep();
        let (_third, third_asked) = offered(&all, "10.0.0.3");
        // full: the first connection of the address with the most has a request, so the second gives way
        let mut fourth = all.queue(ip("10.0.0.4"));
        assert_eq!(many.iter().map(|(_, asked)| asked.is_asked()).collect::<Vec<_>>(), [false, true, false, false]);
        assert!(!other_asked.is_asked() && !third_asked.is_asked());
        assert!(fourth.given.try_recv().is_err(), "it is not closed yet");
        drop(many.remove(1));
        assert!(fourth.given.try_recv().is_ok());
        // its own silent connection gives way to an address that has its share
        let full: Vec<_> = (0..2).map(|_| taken(&all, "10.0.0.1")).collect();
        assert_eq!(full.iter().flatten().count(), 1);
        assert!(many[1].1.is_asked());
    }

    #[test]
    fn nobody_gives_way_to_an_address_with_more() {
        let all = places(Kind::Connections, 4, 4);
        let (_small, asked) = offered(&all, "10.0.0.2");
        let working: Vec<_> = (0..3).map(|_| taken(&all, "10.0.0.1").unwrap()).collect();
        assert!(taken(&all, "10.0.0.1").is_none() && !asked.is_asked());
        drop(working);
        assert!(taken(&all, "10.0.0.1").is_some());
    }

    #[test]
    fn a_search_gives_way_to_another_address_alone() {
        let all = places(Kind::Engines, 1, 1);
        let place = taken(&all, "127.0.0.1").unwrap();
        let own = all.queue(ip("127.0.0.1"));
        let asked = place.offer();
        assert!(!asked.is_asked());
        let mut other = all.queue(ip("10.0.0.1"));
        assert!(asked.is_asked());
        drop(place);
        assert!(other.given.try_recv().is_ok());
        drop(own);
    }

    #[test]
    fn who_waits_already_is_given_way_to() {
        let all = places(Kind::Loading, 1, 1);
        let place = taken(&all, "10.0.0.1").unwrap();
        let _waits = all.queue(ip("10.0.0.2"));
        assert!(place.offer().is_asked());
    }

    #[test]
    fn from_half_of_the_places_on_it_is_tight() {
        let all = places(Kind::Connections, 8, 4);
        let mut mine: Vec<_> = (0..2).map(|_| taken(&all, "10.0.0.1").unwrap()).collect();
        assert!(!mine[0].is_tight());
        mine.push(taken(&all, "10.0.0.1").unwrap());
        assert!(mine[0].is_tight());
        let other = taken(&all, "10.0.0.2").unwrap();
        assert!(!other.is_tight());
        let _more = taken(&all, "10.0.0.3").unwrap();
        assert!(other.is_tight());
    }

    #[tokio::test]
    async fn work_is_done_on_behalf_of_a_client() {
        assert_eq!(current(), SERVER);
        let seen = on_behalf_of(ip("10.0.0.1"), async { (current(), for_all(async { current() }).await) }).await;
        assert_eq!(seen, (ip("10.0.0.1"), SERVER));
    }

    #[test]
    fn an_answer_holds_its_place_until_it_is_sent() {
        let all = places(Kind::Requests, 1, 1);
        let long = "abc".repeat(PART);
        let mut body = holding(Body::from(long.clone()), vec![taken(&all, "10.0.0.1").unwrap()]);
        assert_eq!(body.size_hint().exact(), Some(3 * PART as u64), "its length is known");
        assert!(taken(&all, "10.0.0.1").is_none());
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).now_or_never().unwrap();
        let first = frame.unwrap().unwrap().into_data().unwrap();
        assert_eq!((first.len(), body.size_hint().exact()), (PART, Some(2 * PART as u64)));
        assert!(!body.is_end_stream(), "most of it waits for the client");
        let rest = axum::body::to_bytes(body, long.len()).now_or_never().unwrap().unwrap();
        assert!([first, rest].concat() == long.as_bytes());
        assert!(taken(&all, "10.0.0.1").is_some());
    }

    #[tokio::test]
    async fn a_long_answer_takes_a_place_for_each_mib() {
        let all = places(Kind::Answers, 8, 3);
        let take = async |address: &str, bytes: u64| all.take_for(ip(address), bytes).await;
        assert_eq!(take("10.0.0.1", (1 << 20) - 1).await.unwrap().len(), 0, "a short one");
        let two = take("10.0.0.1", 2 << 20).await.unwrap();
        assert_eq!(two.len(), 2);
        assert!(take("10.0.0.1", 2 << 20).await.is_err_and(|refusal| refusal.has_share));
        assert_eq!(take("10.0.0.2", 100 << 20).await.unwrap().len(), 3, "its share");
        drop(two);
        assert_eq!(take("10.0.0.1", 2 << 20).await.unwrap().len(), 2);
    }

    #[test]
    fn a_budget_is_used_up() {
        let budget = Budget::new(4.0, 0.001);
        assert_eq!((0..20).filter(|_| budget.takes(ip("10.1.1.1"), 1.0)).count(), 4);
        assert!(budget.takes(ip("10.1.1.2"), 4.0) && !budget.takes(ip("10.1.1.2"), 0.5));
        assert!((0..20).all(|_| budget.takes(ip("127.0.0.1"), 1.0)));
        budget.owes(ip("10.1.1.3"), 5.0);
        assert!(!budget.takes(ip("10.1.1.3"), 0.1), "it owes more than it had");
        // addresses without a use are forgotten
        let brief = Budget::new(1.0, 1e12);
        for number in 0..3 * ADDRESSES as u32 {
            brief.takes(IpAddr::from((0x0b00_0000 + number).to_be_bytes()), 1.0);
        }
        assert!(brief.left.lock().unwrap().of.len() <= ADDRESSES + 1);
    }

    /// Limits that are made elsewhere would have no shares.
    #[test]
    fn there_are_no_other_limits() {
        fn files(directory: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { files(&path, found) } else { found.push(path) }
            }
        }
        let mut found = Vec::new();
        files(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        assert!(found.len() > 50);
        let word = ["Sema", "phore"].concat();
        for path in found {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            assert!(!text.contains(&word), "{} has a limit without shares", path.display());
        }
    }
}
