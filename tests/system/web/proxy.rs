//! chess-web behind nginx and Caddy, with the settings of docs/operating.md, at the root of a site and below a path.

use std::fs;
use std::net::TcpListener;

use chess_system::{Answer, Database, Folder, Request, Running, Web, read, repository, skip, tool, wait_for};

use crate::shared_site;

/// The block of docs/operating.md that begins with this line, without its fence.
fn block(language: &str, first: &str) -> String {
    let text = String::from_utf8(read(repository("docs/operating.md"))).unwrap();
    let start = format!("```{language}\n{first}");
    let at = text.find(&start).unwrap_or_else(|| panic!("docs/operating.md has no {start}"));
    text[at..].lines().skip(1).take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect()
}

/// A chess-web as docs/operating.md runs it behind a proxy.
fn behind(db: &Database, more: &[&str]) -> Web {
    let (read, write) = (db.settings("chess_web_read"), db.settings("chess_web"));
    let usual = ["-d", &read, "--sessions", &write, "--host", "chess.example.org", "--trust-proxy", "127.0.0.1"];
    Web::new(db, &[&usual[..], more].concat())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A proxy that passes requests on to a chess-web.
struct Proxy {
    address: String,
    _files: Folder,
    running: Running,
}

impl Proxy {
    fn started(address: String, files: Folder, mut running: Running) -> Proxy {
        wait_for("the proxy", || std::net::TcpStream::connect(&address).is_ok() || !running.runs());
        assert!(running.runs(), "the proxy has ended");
        Proxy { address, _files: files, running }
    }

    fn nginx(location: &str, web: &Web) -> Option<Proxy> {
        if !is_there("nginx", "-v") {
            return None;
        }
        let (files, port) = (Folder::new(), free_port());
        let folder = files.path("").display().to_string();
        let location = location.replace("127.0.0.1:8765", web_address(web));
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary: String = temporary.iter().map(|kind| format!("{kind}_temp_path {folder}/{kind};\n")).collect();
        let text = format!(
            "daemon off; master_process off; pid {folder}/pid; error_log {folder}/log;\nevents {{ }}\nhttp {{\naccess_log off;\n{temporary}\
             server {{ listen 127.0.0.1:{port};\n{location}\n}} }}\n"
        );
        fs::write(files.path("conf"), text).unwrap();
        let running = tool("nginx").arg("-c").arg(files.path("conf")).arg("-e").arg(files.path("log")).spawn();
        Some(Proxy::started(format!("127.0.0.1:{port}"), files, running))
    }

    fn caddy(site: &str, web: &Web) -> Option<Proxy> {
        if !is_there("caddy", "version") {
            return None;
        }
        let (files, port) = (Folder::new(), free_port());
        // without TLS, for which it would ask an authority
        let site = site.replace("chess.example.org {", &format!("http://chess.example.org:{port} {{"));
        let site = site.replace("127.0.0.1:8765", web_address(web));
        fs::write(files.path("Caddyfile"), format!("{{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}}\n{site}")).unwrap();
        let home = files.path("").display().to_string();
        let running = tool("caddy").args(["run", "--config"]).arg(files.path("Caddyfile"));
        let running = running.env("HOME", &home).env("XDG_DATA_HOME", &home).env("XDG_CONFIG_HOME", &home).spawn();
        Some(Proxy::started(format!("127.0.0.1:{port}"), files, running))
    }

    /// A request as a browser sends it to the site.
    fn ask(&self, web: &Web, method: &str, path: &str) -> Request {
        let port = self.address.rsplit(':').next().unwrap();
        let host = format!("chess.example.org:{port}");
        web.request(method, path).at(&self.address).header("Host", &host)
    }

    /// What the page asks to write something; with what browsers say of it over TLS.
    fn write(&self, web: &Web, base: &str, tls: bool) -> Answer {
        let port = self.address.rsplit(':').next().unwrap();
        let request = self.ask(web, "POST", &format!("{base}/api/views")).json(r#"{"name":"x","url":"/?fen="}"#);
        let request = request.header("Origin", &format!("http://chess.example.org:{port}"));
        if tls { request.header("Sec-Fetch-Site", "same-origin") } else { request }.answer()
    }

    fn stop(self) {
        self.running.killed();
    }
}

/// The host and the port, without the path.
fn web_address(web: &Web) -> &str {
    web.address().split('/').next().unwrap()
}

fn is_there(program: &str, asked: &str) -> bool {
    let found = tool("sh").args(["-c", "command -v \"$0\" && \"$0\" \"$1\"", program, asked]).output().code == Some(0);
    if !found {
        skip(&format!("chess-web behind {program}"), &format!("apt-get install {program}"));
    }
    found
}

/// A page at the root of its site, or below `base`, can be read and written to.
fn works(proxy: &Proxy, web: &Web, base: &str) {
    let page = proxy.ask(web, "GET", &format!("{base}/")).answer();
    assert!(page.text().contains(&format!("src=\"{base}/app.js\"")), "{}", page.text());
    for (path, status) in [("/app.js", 200), ("/api/status", 200), ("/game/00000001", 200), ("/nothing", 404)] {
        let answer = proxy.ask(web, "GET", &format!("{base}{path}")).answer();
        assert_eq!(answer.status, status, "{base}{path}");
    }
    let written = proxy.write(web, base, false);
    assert_eq!(written.status, 201, "{}", written.text());
    // the proxy's words are believed
    let secure = proxy.ask(web, "POST", &format!("{base}/api/views")).json(r#"{"name":"y","url":"/?fen="}"#);
    let cookie = secure.answer();
    assert!(cookie.header("set-cookie").is_some_and(|cookie| !cookie.contains("secure")), "{}", cookie.head);
    let foreign = proxy.ask(web, "POST", &format!("{base}/api/views")).json("{}");
    assert_eq!(foreign.header("Origin", "https://evil.example").status(), 403);
}

#[test]
#[ignore = "needs a server"]
fn nginx_as_documented() {
    let db = shared_site("nginx");
    let web = behind(&db, &[]);
    let Some(proxy) = Proxy::nginx(&block("nginx", "location / {"), &web) else { return };
    works(&proxy, &web, "");
    proxy.stop();
    let web = behind(&db, &["--base-path", "/chess"]);
    let proxy = Proxy::nginx(&block("nginx", "location /chess/ {"), &web).unwrap();
    works(&proxy, &web, "/chess");
    let moved = proxy.ask(&web, "GET", "/chess").answer();
    assert!([200, 301].contains(&moved.status), "{}", moved.head);
}

/// With nothing but `proxy_pass`, nginx asks for the address of chess-web, and browsers say that the page is its own.
#[test]
#[ignore = "needs a server"]
fn nginx_with_its_defaults() {
    let db = shared_site("plain_nginx");
    let web = behind(&db, &[]);
    for host in ["", "proxy_set_header Host $host;"] {
        let location = format!("location / {{ proxy_pass http://127.0.0.1:8765; {host} }}");
        let Some(proxy) = Proxy::nginx(&location, &web) else { return };
        assert_eq!(proxy.write(&web, "", true).status, 201, "{host:?}");
        let refused = proxy.write(&web, "", false);
        assert_eq!(refused.status, 403, "{host:?}");
        let asked = if host.is_empty() { web_address(&web) } else { "chess.example.org" };
        let said = refused.error();
        assert!(said.contains("\"http://chess.example.org:") && said.contains(&format!("\"{asked}\"")), "{said}");
        proxy.stop();
    }
}

#[test]
#[ignore = "needs a server"]
fn caddy_as_documented() {
    let db = shared_site("caddy");
    let web = behind(&db, &[]);
    let Some(proxy) = Proxy::caddy(&block("caddy", "chess.example.org {\n\treverse_proxy"), &web) else { return };
    works(&proxy, &web, "");
    proxy.stop();
    let web = behind(&db, &["--base-path", "/chess"]);
    let proxy = Proxy::caddy(&block("caddy", "chess.example.org {\n\thandle"), &web).unwrap();
    works(&proxy, &web, "/chess");
}

/// Without a proxy: what is not below the path is not of the page.
#[test]
#[ignore = "needs a server"]
fn a_page_below_a_path() {
    let db = shared_site("below");
    let web = behind(&db, &["--base-path", "/chess/"]);
    let at = web_address(&web);
    assert_eq!(web.address(), format!("{at}/chess"));
    let ask = |path: &str| web.get(path).at(at).answer();
    assert!(ask("/chess").text().contains("href=\"/chess/app.css\""));
    assert_eq!(ask("/chess/masters?play=e2e4").status, 200);
    for path in ["/", "/api/status", "/chessboard", "/app.js"] {
        let answer = ask(path);
        assert_eq!((answer.status, answer.error().as_str()), (404, "the page is at /chess/"), "{path}");
    }
}
