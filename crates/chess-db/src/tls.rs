//! TLS with libpq's settings and their meaning, by OpenSSL, which libpq uses, too.
//!
//! | `sslmode` | what is checked |
//! |---|---|
//! | `allow`, `prefer`, `require` | nothing; if a root certificate exists, the server's certificate |
//! | `verify-ca` | that the server's certificate is signed by a root certificate |
//! | `verify-full` | the same, and that it is for this host |
//!
//! Root certificates come from `sslrootcert`, or else from `~/.postgresql/root.crt`; `system` means those of the
//! system. The client's certificate is `sslcert` with `sslkey`, or else `postgresql.crt` and `postgresql.key` in the
//! same directory.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use openssl::pkey::PKey;
use openssl::ssl::{SslConnector, SslConnectorBuilder, SslMethod, SslVerifyMode, SslVersion};
use openssl::x509::X509;
use openssl::x509::store::{X509Lookup, X509StoreBuilder};
use openssl::x509::verify::X509VerifyFlags;
use postgres_openssl::MakeTlsConnector;

use crate::settings::{Settings, is_private};

/// The connector for these settings.
///
/// # Errors
///
/// A required certificate or key is missing, or a file cannot be read.
pub fn connector(settings: &Settings) -> Result<MakeTlsConnector> {
    let mut builder = SslConnector::builder(SslMethod::tls_client())?;
    let mode = settings.ssl_mode();
    let verified = trust(settings, mode, &mut builder)?;
    builder.set_verify(if verified { SslVerifyMode::PEER } else { SslVerifyMode::NONE });
    if settings.get("sslcertmode") != Some("disable") {
        show_certificate(settings, &mut builder)?;
    }
    builder.set_min_proto_version(version(settings, "ssl_min_protocol_version")?.or(Some(SslVersion::TLS1_2)))?;
    builder.set_max_proto_version(version(settings, "ssl_max_protocol_version")?)?;
    if settings.get("sslnegotiation") == Some("direct") {
        postgres_openssl::set_postgresql_alpn(&mut builder)?;
    }
    let mut connector = MakeTlsConnector::new(builder.build());
    let (full, names_host) = (mode == "verify-full", settings.get("sslsni") != Some("0"));
    connector.set_callback(move |connection, _| {
        connection.set_verify_hostname(full);
        connection.set_use_server_name_indication(names_host);
        Ok(())
    });
    Ok(connector)
}

/// Sets the root certificates. Returns whether there are any.
fn trust(settings: &Settings, mode: &str, builder: &mut SslConnectorBuilder) -> Result<bool> {
    if settings.get("sslrootcert") == Some("system") {
        return Ok(true);
    }
    let needed = mode.starts_with("verify-");
    let path = settings.file("sslrootcert", "root.crt").filter(|path| needed || path.exists());
    let Some(path) = path else {
        if needed {
            bail!(
                "sslmode \"{mode}\" needs a root certificate: sslrootcert=FILE, ~/.postgresql/root.crt or sslrootcert=system"
            );
        }
        return Ok(false);
    };
    let at = || format!("root certificate {}", path.display());
    let mut store = X509StoreBuilder::new()?;
    for certificate in X509::stack_from_pem(&fs::read(&path).with_context(at)?).with_context(at)? {
        store.add_cert(certificate)?;
    }
    let lists = [settings.file("sslcrl", "root.crl"), settings.get("sslcrldir").map(Into::into)];
    for list in lists.into_iter().flatten() {
        let at = || format!("revocation list {}", list.display());
        let list = list.to_str().with_context(at)?;
        if Path::new(list).is_dir() {
            let lookup = store.add_lookup(X509Lookup::hash_dir())?;
            lookup.add_dir(list, openssl::ssl::SslFiletype::PEM).with_context(at)?;
        } else {
            let lookup = store.add_lookup(X509Lookup::file())?;
            lookup.load_crl_file(list, openssl::ssl::SslFiletype::PEM).with_context(at)?;
        }
        store.set_flags(X509VerifyFlags::CRL_CHECK | X509VerifyFlags::CRL_CHECK_ALL)?;
    }
    builder.set_cert_store(store.build());
    Ok(true)
}

/// Sets the client's certificate and key.
fn show_certificate(settings: &Settings, builder: &mut SslConnectorBuilder) -> Result<()> {
    let Some(path) = settings.file("sslcert", "postgresql.crt") else { return Ok(()) };
    let at = || format!("client certificate {}", path.display());
    if !path.exists() && settings.get("sslcert").is_some() {
        bail!("{} does not exist", at());
    }
    builder.set_certificate_chain_file(&path).with_context(at)?;
    let Some(key) = settings.file("sslkey", "postgresql.key") else { bail!("{} has no key: set sslkey", at()) };
    let at = || format!("key {} of the client certificate", key.display());
    let metadata = key.metadata().with_context(at)?;
    // As in libpq, a key that belongs to root may be readable by its group.
    if !is_private(&metadata, if is_of_root(&metadata) { 0o037 } else { 0o077 }) {
        bail!("{} is readable by others: chmod 600", at());
    }
    let pem = fs::read(&key).with_context(at)?;
    let key = match settings.get("sslpassword") {
        Some(password) => PKey::private_key_from_pem_passphrase(&pem, password.as_bytes()),
        None => PKey::private_key_from_pem(&pem),
    };
    builder.set_private_key(&*key.with_context(at)?)?;
    builder.check_private_key().with_context(at)?;
    Ok(())
}

fn is_of_root(metadata: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        metadata.uid() == 0
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

fn version(settings: &Settings, keyword: &str) -> Result<Option<SslVersion>> {
    let Some(value) = settings.get(keyword) else { return Ok(None) };
    Ok(Some(match value.to_ascii_lowercase().as_str() {
        "tlsv1" => SslVersion::TLS1,
        "tlsv1.1" => SslVersion::TLS1_1,
        "tlsv1.2" => SslVersion::TLS1_2,
        "tlsv1.3" => SslVersion::TLS1_3,
        _ => bail!("{keyword} \"{value}\" is not supported: TLSv1, TLSv1.1, TLSv1.2, TLSv1.3"),
    }))
}
