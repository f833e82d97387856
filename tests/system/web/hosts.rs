//! Names of hosts, pages of other sites, and the headers of answers.

use chess_system::{Answer, read, repository};

use crate::{serving, shared_site};

#[test]
#[ignore = "needs a server"]
fn only_its_own_names_are_answered() {
    let web = serving(&shared_site("hosts"));
    let (_, port) = web.address().split_once(':').unwrap();
    let local = format!("localhost:{port}");
    for (host, status) in [
        (web.address(), 200),
        (&local, 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost.evil.example:80", 403),
        ("[::2]", 403),
        ("", 403),
    ] {
        assert_eq!(web.get("/api/status").header("Host", host).status(), status, "host {host:?}");
    }
    assert_eq!(Answer::read(web.send("GET /api/status HTTP/1.1\r\n\r\n")).status, 403, "no host");
}

#[test]
#[ignore = "needs a server"]
fn other_sites_write_nothing() {
    let web = serving(&shared_site("sites"));
    let view = r#"{"name":"x","url":"/?fen="}"#;
    let own = format!("http://{}", web.address());
    for (what, status, headers) in [
        ("another origin", 403, &[("Origin", "https://evil.example")][..]),
        ("a page without an origin", 403, &[("Origin", "null")]),
        ("another site", 403, &[("Sec-Fetch-Site", "cross-site")]),
        ("a neighbour", 403, &[("Sec-Fetch-Site", "same-site")]),
        ("this page", 201, &[("Origin", &own), ("Sec-Fetch-Site", "same-origin")]),
    ] {
        let request = web.request("POST", "/api/views").json(view);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        assert_eq!(request.status(), status, "{what}");
    }
    assert_eq!(web.request("POST", "/api/views").body("text/plain", view).status(), 415, "a form");

    let lichess = ("Origin", "https://lichess.org");
    let preflight = web.request("OPTIONS", "/lichess").header(lichess.0, lichess.1);
    let preflight = preflight.header("Access-Control-Request-Headers", "authorization").answer();
    let open = preflight.header("access-control-allow-origin");
    assert_eq!((preflight.status, open), (204, Some("*")), "the explorer is open to other sites");
    let views = web.get("/api/views").header(lichess.0, lichess.1).answer();
    assert_eq!(views.status, 200);
    assert!(!views.head.contains("access-control"), "sessions are not: {}", views.head);
}

/// Requests as a browser sends them for a page of this or another site.
#[test]
#[ignore = "needs a server"]
fn other_sites_link_to_pages_and_ask_the_explorer_alone() {
    let web = serving(&shared_site("pages"));
    let from = |site: &str, mode: &str, what: &str, path: &str| {
        let request = web.get(path).header("Sec-Fetch-Site", site).header("Sec-Fetch-Mode", mode);
        request.header("Sec-Fetch-Dest", what).answer()
    };
    for site in ["cross-site", "same-site"] {
        for path in [
            "/api/games/count?pattern=Nd5",
            "/api/games",
            "/api/status",
            "/api/players",
            "/api/games/00000001",
            "/api/games/00000001/pgn",
            "/",
        ] {
            assert_eq!(from(site, "no-cors", "image", path).status, 403, "a picture of a {site} page: {path}");
            let frame = from(site, "navigate", "iframe", path);
            assert_eq!(frame.status, 403, "a frame of a {site} page: {path}");
            assert!(frame.text().contains("\"hint\""), "what a {site} page may do: {}", frame.text());
        }
        for (mode, what, path, status) in [
            ("navigate", "document", "/?play=e2e4", 200),
            ("navigate", "document", "/api/games/00000001/pgn", 200),
            ("navigate", "document", "/api/games/count?pattern=Nd5", 403),
            ("cors", "empty", "/lichess?play=e2e4", 200),
        ] {
            assert_eq!(from(site, mode, what, path).status, status, "{mode} of a {site} page: {path}");
        }
    }
    assert_eq!(from("same-origin", "cors", "empty", "/api/games").status, 200, "the page itself");
    assert_eq!(from("none", "navigate", "document", "/api/games").status, 200, "an address that is typed");
}

/// The headers by which browsers let pages of other sites read an answer, on each path that the program has.
#[test]
#[ignore = "needs a server"]
fn other_sites_read_the_paths_of_the_explorer_alone() {
    let source = String::from_utf8(read(repository("crates/chess-web/src/routes.rs"))).expect("UTF-8");
    let mut paths: Vec<String> =
        ["/", "/app.js", "/games", "/api/nothing", "/masters/", "/masters/x", "/lichess/x"].map(str::to_owned).into();
    for path in source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        paths.push(path.replace("{id}", "00000001").replace("{key}", "x").replace("{node}", "1"));
    }
    assert!(paths.len() > 40, "{paths:?}");
    let open =
        ["/masters", "/master", "/lichess", "/player", "/personal", "/masters/pgn/00000001", "/master/pgn/00000001"];
    let web = serving(&shared_site("cors"));
    for path in &paths {
        let is_open = open.contains(&path.as_str());
        for method in ["GET", "OPTIONS", "POST"] {
            let ask = web.request(method, path).header("Origin", "https://lichess.org");
            let ask = ask.header("Sec-Fetch-Site", "cross-site").header("Sec-Fetch-Mode", "cors");
            let answer = ask.header("Access-Control-Request-Headers", "authorization").answer();
            let head = &answer.head;
            let may_read = answer.header("access-control-allow-origin");
            assert_eq!(may_read, is_open.then_some("*"), "{method} {path}: {head}");
            let policy = if is_open { "cross-origin" } else { "same-origin" };
            assert_eq!(answer.header("cross-origin-resource-policy"), Some(policy), "{method} {path}");
            assert!(is_open || !head.contains("access-control"), "{method} {path}: {head}");
            assert!(!head.contains("allow-credentials") && !head.contains("set-cookie"), "{method} {path}: {head}");
            assert_eq!(answer.status == 403, !is_open || method == "POST", "{method} {path}: {head}");
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn every_answer_has_a_policy() {
    let web = serving(&shared_site("headers"));
    for path in ["/", "/app.js", "/api/status", "/api/nothing", "/api/explorer?fen=x", "/lichess?fen=x"] {
        let head = web.get(path).answer().head;
        let policy = "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';";
        assert!(head.contains(policy), "{path}: {head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{path}: {head}");
        assert!(!head.contains("unsafe-inline"), "{path}: {head}");
    }
}
