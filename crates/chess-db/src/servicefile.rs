//! Finds a service in a file of libpq (`pg_service.conf`): a section `[name]` with lines `keyword=value`. Takes the
//! bytes of the file and the name; returns the settings of the section.

use anyhow::{Context, Result, bail};

use crate::conninfo::Pairs;

/// The settings of a service; `None` if the file does not have it.
pub fn service(file: &[u8], name: &str) -> Result<Option<Pairs>> {
    let mut found: Option<Pairs> = None;
    for (number, line) in file.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        // Only the service that was asked for must be text; others may be in any encoding.
        let line = match str::from_utf8(line) {
            Err(_) if found.is_none() => continue,
            Err(_) if line.starts_with(b"[") => break,
            line => line.with_context(|| format!("line {}: not in UTF-8", number + 1))?,
        };
        if let Some(section) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            if section.strip_suffix(']') == Some(name) {
                found = Some(Pairs::new());
            }
        } else if let Some(pairs) = &mut found {
            match line.split_once('=') {
                _ if line.starts_with("ldap") => bail!("line {}: services by LDAP are not supported", number + 1),
                Some(("service" | "servicefile", _)) => bail!("line {}: a service within a service", number + 1),
                Some((keyword, value)) => pairs.push((keyword.to_owned(), value.to_owned())),
                None => bail!("line {}: no \"=\"", number + 1),
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections() {
        let file = b"# of mine\n[caf\xe9]\nuser=caf\xe9\n[a]\nhost=x\n[caf\xe9]\n\n [b]\r\n host=y\r\n#c\nport=5433\npassword=a=b\n[b]\nhost=z\n[odd]\nhost\n\
                    [l]\nldap://x\n[s]\nservice=a\n[latin]\n# caf\xe9\nhost=caf\xe9\n";
        let pairs = |name| service(file, name).unwrap().map(|pairs| format!("{pairs:?}"));
        assert_eq!(pairs("a").as_deref(), Some("[(\"host\", \"x\")]"));
        assert_eq!(pairs("b").as_deref(), Some("[(\"host\", \"y\"), (\"port\", \"5433\"), (\"password\", \"a=b\")]"));
        assert_eq!(pairs("none"), None);
        for wrong in ["odd", "l", "s", "latin"] {
            assert!(service(file, wrong).is_err(), "{wrong}");
        }
    }
}
