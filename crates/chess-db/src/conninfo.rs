//! Parses libpq's two notations of settings: `host=db dbname=games` and
//! `postgresql://user@host:5433/games?sslmode=require`. Takes a text, returns keywords and values; [`crate::settings`]
//! interprets them.

use anyhow::{Context, Result, anyhow, bail};

/// Keywords and values, in the order of the text.
pub type Pairs = Vec<(String, String)>;

/// Whether a text is in one of these notations; otherwise it is the name of a database.
pub fn is_conninfo(text: &str) -> bool {
    uri_rest(text).is_some() || text.contains('=')
}

/// Parses a text in either notation.
pub fn parse(text: &str) -> Result<Pairs> {
    match uri_rest(text) {
        Some(rest) => parse_uri(rest),
        None => parse_keywords(text),
    }
}

fn uri_rest(text: &str) -> Option<&str> {
    text.strip_prefix("postgresql://").or_else(|| text.strip_prefix("postgres://"))
}

/// Parses `keyword = value` and `keyword = 'va\'lue'`, separated by spaces.
fn parse_keywords(text: &str) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let keyword = &rest[..end];
        rest = rest[end..].trim_start();
        let Some(after) = rest.strip_prefix('=') else { bail!("missing \"=\" after \"{keyword}\" in the settings") };
        let (value, after) = value(after.trim_start())?;
        pairs.push((keyword.to_owned(), value));
        rest = after.trim_start();
    }
    Ok(pairs)
}

/// Parses a value; returns it and the rest of the text.
fn value(text: &str) -> Result<(String, &str)> {
    let quoted = text.strip_prefix('\'');
    let text = quoted.unwrap_or(text);
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            '\'' if quoted.is_some() => return Ok((value, &text[at + 1..])),
            char if quoted.is_none() && char.is_whitespace() => return Ok((value, &text[at..])),
            char => value.push(char),
        }
    }
    if quoted.is_some() {
        bail!("a quoted value in the settings is not terminated");
    }
    Ok((value, ""))
}

/// Parses a URL after `postgresql://`.
fn parse_uri(text: &str) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    let mut add = |keyword: &str, value: &str| -> Result<()> {
        if !value.is_empty() {
            pairs.push((keyword.to_owned(), decode(value)?));
        }
        Ok(())
    };
    let (text, parameters) = text.split_once('?').unwrap_or((text, ""));
    let (authority, database) = text.split_once('/').unwrap_or((text, ""));
    let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    add("user", user)?;
    add("password", password)?;
    let mut names = Vec::new();
    let mut ports = Vec::new();
    for host in hosts.split(',') {
        let (name, port) = match host.strip_prefix('[') {
            Some(address) => {
                let (name, port) = address.split_once(']').ok_or_else(|| anyhow!("missing \"]\" in the URL"))?;
                (name, port.strip_prefix(':').unwrap_or(port))
            }
            None => host.split_once(':').unwrap_or((host, "")),
        };
        names.push(name);
        ports.push(port);
    }
    add("host", if hosts.is_empty() { String::new() } else { names.join(",") }.as_str())?;
    if ports.iter().any(|port| !port.is_empty()) {
        add("port", &ports.join(","))?;
    }
    add("dbname", database)?;
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        let (keyword, value) =
            parameter.split_once('=').with_context(|| format!("missing \"=\" after \"{parameter}\" in the URL"))?;
        match (decode(keyword)?.as_str(), value) {
            // JDBC's spelling
            ("ssl", "true") => add("sslmode", "require")?,
            (keyword, value) => add(keyword, value)?,
        }
    }
    Ok(pairs)
}

/// Decodes percent-encoding: `%41` is `A`.
fn decode(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let byte = after.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
            bytes.push(
                byte.filter(|byte| *byte != 0).with_context(|| format!("invalid percent-encoding in \"{text}\""))?,
            );
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).with_context(|| format!("\"{text}\" is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> String {
        let pairs = parse(text).unwrap();
        pairs.iter().map(|(keyword, value)| format!("{keyword}={value}")).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn settings_by_keyword() {
        assert_eq!(pairs("host=a port = 5433  dbname='my \\'db\\''"), "host=a|port=5433|dbname=my 'db'");
        assert_eq!(pairs("password= user=x\\ y"), "password=user=x y");
        assert_eq!(pairs("password='' user=x"), "password=|user=x");
        assert_eq!(pairs(" \n"), "");
        for wrong in ["host", "host a=b", "host='open", "host='a\\'"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_in_a_url() {
        assert_eq!(pairs("postgres://"), "");
        assert_eq!(pairs("postgresql:///games"), "dbname=games");
        assert_eq!(
            pairs("postgres://me:p%40ss@db.example:5433/my%20games?sslmode=verify-full&application_name=x"),
            "user=me|password=p@ss|host=db.example|port=5433|dbname=my games|sslmode=verify-full|application_name=x"
        );
        assert_eq!(pairs("postgres://a,b:1/d"), "host=a,b|port=,1|dbname=d");
        assert_eq!(pairs("postgres://[::1]:5433/d?ssl=true"), "host=::1|port=5433|dbname=d|sslmode=require");
        assert_eq!(pairs("postgres://%2Fvar%2Frun/d"), "host=/var/run|dbname=d");
        assert_eq!(pairs("postgres:///d?host=/tmp&port=5433"), "dbname=d|host=/tmp|port=5433");
        for wrong in ["postgres://%4/x", "postgres://%zz/x", "postgres://[::1/x", "postgres:///x?a", "postgres://%00/"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_of_databases() {
        assert!(!is_conninfo("games") && !is_conninfo("postgres"));
        assert!(is_conninfo("dbname=games") && is_conninfo("postgres://"));
    }
}
