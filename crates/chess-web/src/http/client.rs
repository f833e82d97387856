//! Who sends a request: the address of the client, also behind a reverse proxy.
//!
//! Limits count by [`network`], because one machine can use 2^64 addresses of IPv6.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::HeaderMap;

/// The other end of the connection, an extension of every request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// The client of a request, an extension that the guard sets.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The client's address; its network for IPv6.
    pub address: IpAddr,
    /// Whether it uses TLS.
    pub secure: bool,
}

impl Client {
    /// The client that a peer stands for. `X-Forwarded-For` and `X-Forwarded-Proto` count only if the peer is one of `proxies`.
    pub fn of(peer: SocketAddr, headers: &HeaderMap, proxies: &[IpAddr]) -> Client {
        let mut client = Client { address: network(peer.ip()), secure: false };
        let is_proxy = |address: IpAddr| proxies.contains(&address.to_canonical());
        if is_proxy(peer.ip()) {
            // each proxy appends the address that it sees; from the end, the first address that is not a proxy is that of the
            // client, which may have invented everything before it
            let parts = |name: &str| {
                let values = headers.get_all(name).into_iter().rev().map_while(|value| value.to_str().ok());
                values.flat_map(|value| value.rsplit(',')).map(str::trim)
            };
            for address in parts("x-forwarded-for").map_while(parse_forwarded) {
                client.address = network(address);
                if !is_proxy(address) {
                    break;
                }
            }
            client.secure = parts("x-forwarded-proto").next() == Some("https");
        }
        client
    }
}

/// The part of an address that a client cannot vary: all of IPv4, and the first 64 bits of IPv6.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(long) if !long.is_loopback() => Ipv6Addr::from_bits(long.to_bits() >> 64 << 64).into(),
        other => other,
    }
}

/// Parses an address in a proxy's header, with or without a port.
fn parse_forwarded(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse().or_else(|_| with_port()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        let proxies = ["10.0.0.1".parse().unwrap()];
        let client = |peer: &str, pairs: &[(&'static str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            Client::of(peer.parse().unwrap(), &HeaderMap::from_iter(pairs), &proxies)
        };
        let headers = [("x-forwarded-for", "1.2.3.4, 5.6.7.8"), ("x-forwarded-proto", "https")];
        let proxied = client("10.0.0.1:5", &headers);
        assert_eq!((proxied.address.to_string().as_str(), proxied.secure), ("5.6.7.8", true));
        for (text, address) in [
            ("1.2.3.4:5678", "1.2.3.4"),
            ("::ffff:1.2.3.4", "1.2.3.4"),
            ("::1", "::1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::"),
            ("unknown", "10.0.0.1"),
        ] {
            assert_eq!(client("10.0.0.1:5", &[("x-forwarded-for", text)]).address.to_string(), address, "{text}");
        }
        for (text, address) in [
            ("1.2.3.4, 5.6.7.8, 10.0.0.1", "5.6.7.8"),
            ("5.6.7.8, ::ffff:10.0.0.1, 10.0.0.1:80", "5.6.7.8"),
            ("10.0.0.1", "10.0.0.1"),
            ("5.6.7.8, unknown, 10.0.0.1", "10.0.0.1"),
            ("5.6.7.8, 10.0.0.3, 10.0.0.1", "10.0.0.3"),
        ] {
            let chained = client("10.0.0.1:5", &[("x-forwarded-for", text)]);
            assert_eq!(chained.address.to_string(), address, "{text}");
        }
        let direct = client("10.0.0.2:5", &headers);
        assert_eq!((direct.address.to_string().as_str(), direct.secure), ("10.0.0.2", false));
    }
}
