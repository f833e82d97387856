//! Finds a password in a password file of libpq, with lines of the form `host:port:database:user:password`. Takes the
//! bytes of the file, in any encoding, and the server; returns the password of the first matching line.

/// The server and user that a password is for.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The host as the user names it; `localhost` for the default socket directory.
    pub host: &'a str,
    /// The port.
    pub port: &'a str,
    /// The database.
    pub database: &'a str,
    /// The user.
    pub user: &'a str,
}

/// The password of the first matching line. `*` matches everything; `\:` and `\\` stand for `:` and `\`.
pub fn password(file: &[u8], place: Place<'_>) -> Option<Vec<u8>> {
    let wanted = [place.host, place.port, place.database, place.user];
    file.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#")).find_map(|line| {
        let mut rest = &line[..line.iter().rposition(|byte| *byte != b'\r')? + 1];
        for wanted in wanted {
            let (field, after) = field(rest)?;
            if rest[..rest.len() - after.len() - 1] != *b"*" && field != wanted.as_bytes() {
                return None;
            }
            rest = after;
        }
        // Colons in the password need no escape.
        Some(unescape(rest))
    })
}

/// A field, and the text after its colon.
fn field(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut escaped = false;
    let end = text.iter().position(|&byte| {
        let ends = byte == b':' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((unescape(&text[..end]), &text[end + 1..]))
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut bytes = text.iter().copied();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        plain.push(if byte == b'\\' { bytes.next().unwrap_or(b'\\') } else { byte });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits() {
        let file = b"# caf\xe9 db:5432:games:me:no\nother:5432:games:me:1\r\ndb:*:games:me:2:3\\:\\\\4\n::1:*:*:*:x\n\
                    \\:\\:1:*:*:*:six\n*:*:*:you:any\nlocalhost:5432:a\\:b:me:odd\nlatin:5432:*:*:\xe9\nshort:1:2\n";
        let ask = |host, database, user| password(file, Place { host, port: "5432", database, user });
        assert_eq!(ask("other", "games", "me").as_deref(), Some(&b"1"[..]));
        assert_eq!(ask("db", "games", "me").as_deref(), Some(&b"2:3:\\4"[..]));
        assert_eq!(ask("::1", "x", "me").as_deref(), Some(&b"six"[..]));
        assert_eq!(ask("db", "games", "you").as_deref(), Some(&b"any"[..]));
        assert_eq!(ask("localhost", "a:b", "me").as_deref(), Some(&b"odd"[..]));
        assert_eq!(ask("latin", "games", "me").as_deref(), Some(&b"\xe9"[..]));
        assert_eq!(ask("db", "other", "me"), None);
        assert_eq!(ask("short", "2", "me"), None);
    }
}
