//! Finds a password in a password file of libpq, with lines of the form `host:port:database:user:password`. Takes the
//! text of the file and the server; returns the password of the first matching line.

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
pub fn password(file: &str, place: Place<'_>) -> Option<String> {
    let wanted = [place.host, place.port, place.database, place.user];
    file.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut rest = line.trim_end_matches('\r');
        for wanted in wanted {
            let (field, after) = field(rest)?;
            if rest[..rest.len() - after.len() - 1] != *"*" && field != wanted {
                return None;
            }
            rest = after;
        }
        // Colons in the password need no escape.
        Some(unescape(rest))
    })
}

/// A field, and the text after its colon.
fn field(text: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == ':' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((unescape(&text[..end]), &text[end + 1..]))
}

fn unescape(text: &str) -> String {
    let mut chars = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(char) = chars.next() {
        plain.push(if char == '\\' { chars.next().unwrap_or('\\') } else { char });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits() {
        let file = "# db:5432:games:me:no\nother:5432:games:me:1\r\ndb:*:games:me:2:3\\:\\\\4\n::1:*:*:*:x\n\
                    \\:\\:1:*:*:*:six\n*:*:*:you:any\nlocalhost:5432:a\\:b:me:odd\nshort:1:2\n";
        let ask = |host, database, user| password(file, Place { host, port: "5432", database, user });
        assert_eq!(ask("other", "games", "me").as_deref(), Some("1"));
        assert_eq!(ask("db", "games", "me").as_deref(), Some("2:3:\\4"));
        assert_eq!(ask("::1", "x", "me").as_deref(), Some("six"));
        assert_eq!(ask("db", "games", "you").as_deref(), Some("any"));
        assert_eq!(ask("localhost", "a:b", "me").as_deref(), Some("odd"));
        assert_eq!(ask("db", "other", "me"), None);
        assert_eq!(ask("short", "2", "me"), None);
    }
}
