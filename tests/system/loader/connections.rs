//! Connections with and without TLS, by every mode, certificate, password and place to write them.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chess_system::{Database, Folder, Program, Server, chess_pgn, generated, pg_config, skip, tool, wait_for};

/// A server with TLS: where it is, and the keys of its clients.
struct Tls {
    port: u16,
    keys: Folder,
    games: PathBuf,
    _server: Server,
}

/// Roles that reach the server in one way each.
const HBA: &str = "local all postgres trust
hostssl all loader 127.0.0.1/32 cert
hostssl all secret 127.0.0.1/32 scram-sha-256
hostnossl all plain 127.0.0.1/32 trust
hostssl all tls 127.0.0.1/32 trust
";

/// The server that these tests share, where PostgreSQL is built with TLS.
fn tls() -> Option<&'static Tls> {
    static TLS: OnceLock<Tls> = OnceLock::new();
    if !pg_config("configure").display().to_string().contains("ssl") {
        skip("connections with TLS: this server is built without it", "another PostgreSQL by PG_CONFIG");
        return None;
    }
    Some(TLS.get_or_init(Tls::new))
}

impl Tls {
    fn new() -> Tls {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Server::stopped(&["listen_addresses = '127.0.0.1'", "ssl = on", "ssl_ca_file = 'ca.crt'"], port);
        let keys = Folder::under(server.dir());
        for name in ["ca", "other"] {
            let (key, certificate) = (keys.path(&format!("{name}.key")), keys.path(&format!("{name}.crt")));
            tool("openssl")
                .words("req -x509 -newkey rsa:2048 -nodes -days 2 -subj")
                .arg(format!("/CN={name}"))
                .arg("-keyout")
                .arg(key)
                .arg("-out")
                .arg(certificate)
                .succeeds();
        }
        certificate(&keys, "server", "localhost", "subjectAltName=DNS:localhost");
        certificate(&keys, "client", "loader", "basicConstraints=CA:FALSE");
        let (key, locked) = (keys.path("client.key"), keys.path("locked.key"));
        tool("openssl").words("rsa -aes128 -passout pass:geheim -in").arg(key).arg("-out").arg(&locked).succeeds();
        private(&locked, true);

        for name in ["ca.crt", "server.crt", "server.key"] {
            server.write(name, &fs::read(keys.path(name)).unwrap());
        }
        server.write("pg_hba.conf", HBA.as_bytes());
        server.start();
        Database::existing(&server, "postgres").sql(
            "CREATE EXTENSION chess; CREATE ROLE plain LOGIN; CREATE ROLE tls LOGIN; CREATE ROLE loader LOGIN;
             CREATE ROLE secret LOGIN PASSWORD 'se:cret'; GRANT CREATE ON DATABASE postgres TO plain, tls, secret, loader",
        );
        let games = keys.write("games.pgn", "1. e4 1-0\n\n1. d4 *\n");
        Tls { port, keys, games, _server: server }
    }

    fn key(&self, name: &str) -> String {
        self.keys.path(name).display().to_string()
    }

    /// A load of games by this connection string, into a schema, for a user with no files of settings.
    fn load(&self, connection: &str, schema: &str) -> Program {
        chess_pgn()
            .words("load -d")
            .arg(connection)
            .arg("--schema")
            .arg(schema)
            .arg(&self.games)
            .env("HOME", self.keys.path("nobody"))
    }

    /// The same with the server's name and address in the connection string.
    fn try_with(&self, settings: &str, schema: &str) -> Program {
        self.load(&format!("host=localhost hostaddr=127.0.0.1 port={} dbname=postgres {settings}", self.port), schema)
    }
}

/// Makes a key and a certificate by the authority `ca`.
fn certificate(keys: &Folder, name: &str, subject: &str, extension: &str) {
    let file = |ending: &str| keys.path(&format!("{name}.{ending}"));
    tool("openssl")
        .words("req -newkey rsa:2048 -nodes -subj")
        .arg(format!("/CN={subject}"))
        .arg("-keyout")
        .arg(file("key"))
        .arg("-out")
        .arg(file("csr"))
        .succeeds();
    tool("openssl")
        .words("x509 -req -CAcreateserial -days 2 -in")
        .arg(file("csr"))
        .arg("-CA")
        .arg(keys.path("ca.crt"))
        .arg("-CAkey")
        .arg(keys.path("ca.key"))
        .arg("-extfile")
        .arg(keys.write(&format!("{name}.ext"), extension))
        .arg("-out")
        .arg(file("crt"))
        .succeeds();
    private(&file("key"), true);
}

/// Whether a file is for its owner alone or for all to read.
fn private(path: &Path, private: bool) {
    fs::set_permissions(path, Permissions::from_mode(if private { 0o600 } else { 0o644 })).unwrap();
}

#[test]
#[ignore = "needs a server"]
fn sslmode_decides_whether_tls_is_used() {
    let Some(server) = tls() else { return };
    let root = server.key("ca.crt");
    for mode in ["disable", "allow", "prefer"] {
        server.try_with(&format!("user=plain sslmode={mode}"), "bare").succeeds();
    }
    for mode in ["require", "verify-ca"] {
        server.try_with(&format!("user=plain sslmode={mode} sslrootcert={root}"), "bare").fails();
    }
    for mode in ["allow", "prefer", "require"] {
        server.try_with(&format!("user=tls sslmode={mode}"), "modes").succeeds();
    }
    server.try_with("user=tls sslmode=disable", "modes").fails();
    server.try_with("user=tls require_auth=scram-sha-256", "modes").fails();
}

#[test]
#[ignore = "needs a server"]
fn the_server_must_have_the_right_root_and_name() {
    let Some(server) = tls() else { return };
    let (root, other) = (server.key("ca.crt"), server.key("other.crt"));
    for mode in ["require", "verify-ca", "verify-full"] {
        server.try_with(&format!("user=tls sslmode={mode} sslrootcert={root}"), "roots").succeeds();
        server.try_with(&format!("user=tls sslmode={mode} sslrootcert={other}"), "roots").fails();
    }
    server.try_with("user=tls sslmode=verify-full", "roots").fails();
    server.try_with("user=tls sslrootcert=system", "roots").fails();
    let by_address = |mode: &str| {
        let connection =
            format!("host=127.0.0.1 port={} dbname=postgres user=tls sslmode={mode} sslrootcert={root}", server.port);
        server.load(&connection, "roots")
    };
    by_address("verify-full").fails();
    by_address("verify-ca").succeeds();
}

#[test]
#[ignore = "needs a server"]
fn a_client_shows_its_certificate_and_keeps_its_key() {
    let Some(server) = tls() else { return };
    let (root, certificate, key, locked) =
        (server.key("ca.crt"), server.key("client.crt"), server.key("client.key"), server.key("locked.key"));
    let try_with = |settings: &str| server.try_with(&format!("user=loader {settings}"), "loader");
    try_with("sslmode=require").fails();
    try_with(&format!("sslmode=verify-full sslrootcert={root} sslcert={certificate} sslkey={key}")).succeeds();
    try_with(&format!("sslcert={certificate} sslkey={locked} sslpassword=geheim")).succeeds();
    try_with(&format!("sslcert={certificate} sslkey={locked} sslpassword=other")).fails();
    try_with(&format!("sslcert={certificate} sslkey={key} sslcertmode=disable")).fails();

    let home = Folder::new();
    fs::create_dir(home.path(".postgresql")).unwrap();
    for (from, to) in [("ca.crt", "root.crt"), ("client.crt", "postgresql.crt"), ("client.key", "postgresql.key")] {
        fs::copy(server.keys.path(from), home.path(".postgresql").join(to)).unwrap();
    }
    try_with("sslmode=verify-full").env("HOME", home.path("")).succeeds();

    let open = home.path("open.key");
    fs::copy(&key, &open).unwrap();
    private(&open, false);
    try_with(&format!("sslcert={certificate} sslkey={}", open.display())).fails();
}

#[test]
#[ignore = "needs a server"]
fn a_password_comes_from_a_setting_a_file_or_the_environment() {
    let Some(server) = tls() else { return };
    let try_with = |settings: &str| server.try_with(&format!("user=secret {settings}"), "passwords");
    try_with("").fails();
    try_with("password=se:cret channel_binding=require sslmode=require").succeeds();
    let home = Folder::new();
    let file = home.write(".pgpass", format!("localhost:{}:*:secret:se\\:cret\n", server.port));
    private(&file, false);
    try_with("").env("HOME", home.path("")).fails();
    private(&file, true);
    try_with("").env("HOME", home.path("")).succeeds();
    try_with("").env("PGPASSFILE", &file).succeeds();
    try_with("").env("PGPASSWORD", "se:cret").succeeds();
}

#[test]
#[ignore = "needs a server"]
fn a_connection_is_named_as_libpq_names_it() {
    let Some(server) = tls() else { return };
    let (port, root) = (server.port, server.key("ca.crt"));
    let home = Folder::new();
    home.write(
        ".pg_service.conf",
        format!("[games]\nhost=localhost\nhostaddr=127.0.0.1\nport={port}\ndbname=postgres\nuser=secret\npassword=se:cret\nsslmode=verify-full\nsslrootcert={root}\n"),
    );
    let load = || chess_pgn().words("load").arg(&server.games).env("HOME", home.path(""));
    load().words("--schema services").env("PGSERVICE", "games").succeeds();
    load().words("--schema services -d service=games").succeeds();
    load()
        .words("--schema environment")
        .env("PGHOST", "localhost")
        .env("PGHOSTADDR", "127.0.0.1")
        .env("PGPORT", port.to_string())
        .env("PGDATABASE", "postgres")
        .env("PGUSER", "tls")
        .env("PGSSLMODE", "verify-full")
        .env("PGSSLROOTCERT", &root)
        .succeeds();
    let url = format!(
        "postgresql://secret:se%3Acret@localhost:{port}/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={root}"
    );
    server.load(&url, "services").succeeds();
    let hosts = format!("host=localhost,localhost hostaddr=127.0.0.1,127.0.0.1 port=1,{port} dbname=postgres user=tls");
    server.load(&hosts, "hosts").succeeds();
}

/// Two loads of the same games wait for a lock longer than the database allows other sessions to wait, and must then see what its
/// holder has written.
#[test]
#[ignore = "needs a server"]
fn settings_of_the_database_are_not_those_of_a_load() {
    let db = Database::with_tables("own_settings");
    for (setting, value) in [("default_transaction_isolation", "repeatable read"), ("lock_timeout", "1ms")] {
        db.sql(&format!("ALTER DATABASE own_settings SET {setting} = '{value}'"));
    }
    let games = generated(5, 20);
    let (one, two) = (db.file("one.pgn", &games), db.file("two.pgn", format!("{games}\n1. a3 a6 *\n")));
    let mut holder = db.session();
    holder.sql("BEGIN; SELECT pg_advisory_xact_lock(hashtext('chess-pgn dedupe'), 0)");
    let mut loads = [one, two].map(|file| db.pgn("load --dedupe").arg(file).spawn());
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' \
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    wait_for("two loads at the lock", || !loads.iter_mut().all(|load| load.runs()) || db.sql(waiting) == "2");
    holder.sql("COMMIT");
    loads.into_iter().for_each(|load| drop(load.ends(0)));
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "21");
}
