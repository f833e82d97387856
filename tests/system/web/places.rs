//! One client leaves room for the others despite incomplete requests, endless bodies and slow queries: from this machine, from
//! another address, from an IPv6 network and behind a proxy. A test waits for a timeout of the server only to test that timeout.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;

use chess_system::{Request, Web, skip, wait_for};

use crate::{hold, reading, shared_site, wait_for_questions};

const HALF_A_HEAD: &str = "GET /api/status HTTP/1.1\r\nHost: localhost\r\n";

/// Begins requests whose bodies never end, and waits until all of them are in work.
pub(crate) fn endless(web: &Web, address: &str, count: usize) -> Vec<TcpStream> {
    let head = "POST /api/explorer/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\nExpect: 100-continue\r\n\r\n";
    let mut held: Vec<_> = (0..count).map(|_| web.send_to(address, head)).collect();
    for connection in &mut held {
        // what the server says before it reads a body
        let mut said = [0; 25];
        connection.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"HTTP/1.1 100 Continue\r\n\r\n");
        connection.write_all(b"{").unwrap();
    }
    held
}

/// How many connections were told to come again, and how many are still open.
pub(crate) fn told_and_open(held: &mut [TcpStream]) -> (usize, usize) {
    let (mut told, mut open) = (0, 0);
    for connection in held {
        connection.set_nonblocking(true).unwrap();
        let mut said = [0; 1000];
        match connection.read(&mut said) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => open += 1,
            Ok(read) => {
                let said = String::from_utf8_lossy(&said[..read]).to_lowercase();
                let status = ["http/1.1 503 ", "http/1.1 429 "].iter().any(|status| said.starts_with(status));
                told += usize::from(status && said.contains("\r\nretry-after: "));
            }
            Err(_) => (),
        }
    }
    (told, open)
}

#[test]
#[ignore = "needs a server"]
fn the_oldest_of_half_sent_requests_give_way() {
    let db = shared_site("halves");
    let web = reading(&db, &["--connections", "20", "--silence", "600"]);
    let mut held: Vec<_> = (0..60).map(|_| web.send(HALF_A_HEAD)).collect();
    for n in 0..30 {
        let answer = web.get("/api/status").answer();
        let last = answer.header("connection") == Some("close");
        assert_eq!((answer.status, last), (200, true), "question {n}: no connection waits where there is little room");
    }
    let (told, open) = told_and_open(&mut held);
    assert_eq!(told + open, 60, "the oldest have given way, and were told");
    // a question may come before the connection of the one before it is closed
    assert!((17..=19).contains(&open), "{open} are open");

    let web = reading(&db, &["--silence", "1"]);
    for begun in ["", "GET /api/status HTTP/1.1\r\nHo"] {
        let mut said = String::new();
        web.send(begun).read_to_string(&mut said).unwrap();
        assert_eq!(said, "", "a head that does not come ends after {begun:?}");
    }
}

#[test]
#[ignore = "needs a server"]
fn bodies_that_never_end_keep_no_question_waiting() {
    let web = reading(&shared_site("endless"), &["--pool", "1", "--timeout", "600"]);
    let mut held = endless(&web, web.address(), 10);
    assert_eq!(web.get("/api/explorer").status(), 200);
    assert_eq!(told_and_open(&mut held), (0, 10), "they are all waited for");
}

/// The address of this machine in its network, if it has one.
pub(crate) fn own_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback()).then(|| address.to_string())
}

#[test]
#[ignore = "needs a server"]
fn one_address_has_only_so_many_connections() {
    let Some(own) = own_address() else {
        return skip("connections of one address: this machine has no address but its own", "a network");
    };
    let db = shared_site("addresses");
    let limits =
        "-l 0.0.0.0:0 --public --connections 100 --connections-per-address 4 --timeout 600 --rate 10000 --host";
    let start = |more: &[&str]| {
        let web = reading(&db, &limits.split(' ').chain([&*own]).chain(more.iter().copied()).collect::<Vec<_>>());
        let (_, port) = web.address().rsplit_once(':').unwrap();
        let (outside, inside) = (format!("{own}:{port}"), format!("127.0.0.1:{port}"));
        (web, outside, inside)
    };
    let status = |web: &Web, address: &str| web.get("/api/status").at(address).answer();

    let (web, outside, inside) = start(&[]);
    let mut held = endless(&web, &outside, 4);
    let refused = status(&web, &outside);
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("2")), "a fifth of that address");
    assert!(refused.error().starts_with("too many connections from this address at once"), "{}", refused.text());
    assert_eq!(status(&web, &inside).status, 200, "one of this machine");
    assert_eq!(told_and_open(&mut held), (0, 4), "the four are in work still");
    drop(held);
    wait_for("room when they have gone", || status(&web, &outside).status == 200);

    let (web, outside, _) = start(&["--trust-proxy", &own]);
    let mut held = endless(&web, &outside, 40);
    assert_eq!(status(&web, &outside).status, 200, "forty requests of a proxy and one more");
    assert_eq!(told_and_open(&mut held), (0, 40), "they are all in work");
}

/// Requests that were sent at once.
struct Asked(Arc<Mutex<Vec<u16>>>);

impl Asked {
    fn new(requests: impl IntoIterator<Item = Request>) -> Asked {
        let statuses = Arc::new(Mutex::new(Vec::new()));
        for request in requests {
            let statuses = Arc::clone(&statuses);
            thread::spawn(move || {
                let status = request.status();
                statuses.lock().unwrap().push(status);
            });
        }
        Asked(statuses)
    }

    /// Waits for `count` answers and returns their statuses, in order.
    #[track_caller]
    fn told(&self, count: usize) -> Vec<u16> {
        wait_for(&format!("{count} answers"), || self.0.lock().unwrap().len() >= count);
        let mut statuses = self.0.lock().unwrap().clone();
        statuses.sort_unstable();
        statuses
    }
}

/// Different slow searches, for players whom nobody knows, so that no answer is kept; perhaps of a client behind a proxy.
fn searches(web: &Web, name: &str, count: usize, client: Option<&str>) -> Asked {
    Asked::new((0..count).map(|n| {
        let request = web.get(&format!("/api/games/count?player={name}{n}&pattern=Nd5"));
        client.into_iter().fold(request, |request, client| request.header("X-Forwarded-For", client))
    }))
}

#[test]
#[ignore = "needs a server"]
fn slow_searches_leave_connections_to_others() {
    let db = shared_site("slow_searches");
    let web = reading(&db, &["--timeout", "600", "--pool", "8"]);
    let game = web.json("/api/games?limit=1")["games"][0]["id"].as_str().unwrap().to_owned();
    let lock = hold(&db, "chess.players");
    let near = searches(&web, "near", 10, None);
    assert_eq!(near.told(4), [503; 4], "of ten slow searches four are told");
    wait_for_questions(&db, 6);
    assert_eq!(web.get("/api/status").status(), 200, "the status is there");
    let explorer = Asked::new([web.get("/api/explorer")]);
    wait_for_questions(&db, 7);
    let shown = Asked::new([web.get(&format!("/api/games/{game}"))]);
    wait_for_questions(&db, 8);
    drop(lock);
    assert_eq!(near.told(10), [[200; 6].as_slice(), &[503; 4]].concat(), "then they are answered");
    assert_eq!((explorer.told(1), shown.told(1)), (vec![200], vec![200]));
}

#[test]
#[ignore = "needs a server"]
fn clients_behind_a_proxy_are_told_apart() {
    let db = shared_site("proxied");
    let web = reading(&db, &["--timeout", "600", "--pool", "8", "--trust-proxy", "127.0.0.1"]);
    let ask = |path: &str, client: &str| web.get(path).header("X-Forwarded-For", client).answer();
    let lock = hold(&db, "chess.players");
    let far = searches(&web, "far", 10, Some("10.0.0.1"));
    assert_eq!(far.told(7), [429; 7], "of ten slow searches of one client seven are told");
    wait_for_questions(&db, 3);
    let refused = ask("/api/explorer?play=e2e4", "10.0.0.1");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("2")), "it asks the explorer");
    assert!(refused.error().starts_with("too many requests from this address at once"), "{}", refused.text());
    assert_eq!(ask("/api/games/count?result=1-0", "10.0.0.2").status, 200, "another client counts");
    // the first client is refused and the second sends the same request: it must not get the first one's refusal
    let same = "/api/games/count?result=0-1";
    let _first = Asked::new([web.get(same).header("X-Forwarded-For", "10.0.0.1")]);
    assert_eq!(ask(same, "10.0.0.2").status, 200, "another client asks the same");
    let another = searches(&web, "another", 3, Some("10.0.0.3"));
    wait_for_questions(&db, 6);
    drop(lock);
    assert_eq!(far.told(10), [[200; 3].as_slice(), &[429; 7]].concat(), "then those are answered");
    assert_eq!(another.told(3), [200; 3], "and those");

    let lock = hold(&db, "chess.players");
    let net = searches(&web, "net", 3, Some("2001:db8::1"));
    wait_for_questions(&db, 3);
    let any = "/api/games/count?result=*";
    assert_eq!(ask(any, "2001:db8::ffff:1").status, 429, "another address of its network");
    assert_eq!(ask(any, "2001:db8:0:1::1").status, 200, "another network");
    drop(lock);
    assert_eq!(net.told(3), [200; 3], "then those are answered");
}
