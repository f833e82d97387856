//! A chess-web under test, and requests to it, which may be as odd as a test needs them.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::{Client, Folder, PATIENCE, Running, built, tool, wait_for};

/// A chess-web that runs until this is dropped.
#[derive(Debug)]
pub struct Web {
    address: String,
    files: Folder,
    running: Running,
}

/// A request that has not been sent yet.
#[derive(Debug)]
pub struct Request {
    address: String,
    head: String,
    body: Vec<u8>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The lines of the head, in lower case.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Web {
    /// Starts a chess-web whose environment names this database, with these further arguments, on an address of this machine
    /// unless they have one.
    #[track_caller]
    pub fn new(db: &Client, arguments: &[&str]) -> Web {
        let files = Folder::new();
        let listen: &[&str] = if arguments.contains(&"-l") { &[] } else { &["-l", "127.0.0.1:0"] };
        // the shell becomes chess-web, whose first line is its address
        let mut running = db
            .program(tool("sh"))
            .args(["-c", r#"out=$1 log=$2; shift 2; exec "$0" "$@" >"$out" 2>"$log""#])
            .arg(built("chess-web").path())
            .arg(files.path("out"))
            .arg(files.path("log"))
            .args(listen)
            .args(arguments)
            .spawn();
        let said = |name| fs::read_to_string(files.path(name)).unwrap_or_default();
        wait_for("the address of chess-web", || said("out").contains('\n') || !running.runs());
        let out = said("out");
        let Some(address) = out.lines().next().and_then(|line| line.strip_prefix("http://")) else {
            panic!("chess-web says no address: {out}{}", said("log"));
        };
        Web { address: address.trim_end_matches('/').to_owned(), files, running }
    }

    /// Its host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What it has written to its standard output.
    pub fn said(&self) -> String {
        fs::read_to_string(self.files.path("out")).expect("the output")
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.running.id()
    }

    /// What it has written to its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.files.path("log")).expect("the log")
    }

    /// A request with this method to this path, as it stands.
    pub fn request(&self, method: &str, path: &str) -> Request {
        Request { address: self.address.clone(), head: format!("{method} {path} HTTP/1.1\r\n"), body: Vec::new() }
    }

    /// Sends a text as it stands, whether it is a request or not.
    #[track_caller]
    pub fn send(&self, text: impl AsRef<[u8]>) -> TcpStream {
        self.send_to(&self.address, text)
    }

    /// The same, to another address of its port.
    #[track_caller]
    pub fn send_to(&self, address: &str, text: impl AsRef<[u8]>) -> TcpStream {
        send(address, text.as_ref())
    }

    /// A GET.
    pub fn get(&self, path: &str) -> Request {
        self.request("GET", path)
    }

    /// The JSON that a GET answers, which must succeed.
    #[track_caller]
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path).answer();
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }
}

fn send(address: &str, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection to chess-web");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    // a server that refuses the request need not read all of it
    let _ = stream.write_all(bytes);
    stream
}

/// A text as the value of a parameter.
pub fn encoded(text: &str) -> String {
    let byte =
        |byte: u8| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(byte).collect()
}

impl Request {
    /// Sends it to another address.
    #[must_use]
    pub fn at(mut self, address: &str) -> Self {
        address.clone_into(&mut self.address);
        self
    }

    /// Adds a line to the head. A request without a Host gets that of the address.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    /// Adds a body.
    #[must_use]
    pub fn body(mut self, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.header("Content-Type", media_type).header("Content-Length", &length)
    }

    /// Adds JSON as the body.
    #[must_use]
    pub fn json(self, body: impl Into<Vec<u8>>) -> Self {
        self.body("application/json", body)
    }

    /// Sends it on a new connection.
    #[track_caller]
    pub fn sent(self) -> TcpStream {
        let host = if self.head.contains("\r\nHost:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        let mut bytes = format!("{}{host}\r\n", self.head).into_bytes();
        bytes.extend(self.body);
        send(&self.address, &bytes)
    }

    /// Sends it, and waits for the answer.
    #[track_caller]
    pub fn answer(self) -> Answer {
        Answer::read(self.sent())
    }

    /// Sends it: the status of the answer.
    #[track_caller]
    pub fn status(self) -> u16 {
        self.answer().status
    }
}

impl Answer {
    /// Reads an answer from a connection.
    #[track_caller]
    pub fn read(stream: TcpStream) -> Answer {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = reader.read_line(&mut head).unwrap_or_else(|error| panic!("{error} after {head:?}"));
            assert!(read > 0, "the connection ends after {head:?}");
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {head}"));
        let mut answer = Answer { status, head: head.to_lowercase(), body: Vec::new() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.read_chunks(&mut reader);
        } else if let Some(length) = answer.header("content-length") {
            answer.body = vec![0; length.parse().expect("a length")];
            reader.read_exact(&mut answer.body).expect("the body");
        } else if ![204, 304].contains(&status) {
            match reader.read_to_end(&mut answer.body) {
                Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
                _ => (),
            }
        }
        answer
    }

    fn read_chunks(&mut self, reader: &mut BufReader<TcpStream>) {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).expect("the size of a chunk");
            let size = usize::from_str_radix(size.trim(), 16).expect("the size of a chunk");
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).expect("a chunk");
            self.body.extend(&chunk[..size]);
            if size == 0 {
                return;
            }
        }
    }

    /// The value of a line of the head, whose name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The error that the body tells.
    #[track_caller]
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("no error: {}", self.text())).to_owned()
    }
}
