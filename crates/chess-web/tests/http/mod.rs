//! A minimal HTTP client for tests against chess-web: GET over one connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A connection.
pub struct Http {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Http {
    /// Connects to `http://host:port`.
    pub fn new(url: &str) -> Http {
        let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let stream = TcpStream::connect(&host).expect("chess-web answers");
        stream.set_nodelay(true).unwrap();
        Http { stream: BufReader::new(stream), host }
    }

    /// Asks for a path; returns status and body.
    pub fn get(&mut self, path: &str) -> (u16, String) {
        write!(self.stream.get_mut(), "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host).unwrap();
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{line:?}"));
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            match line.trim_end().split_once(':') {
                None => break,
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap()
                }
                Some(_) => (),
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }
}
