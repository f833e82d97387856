//! Devices that use one session: who joins it and who does not, what a link is worth, and what is left after a device is removed.

use std::thread;

use chess_gamegen::splitmix64;
use chess_system::{Answer, Client, Web};
use serde_json::{Value, json};

use crate::sessions::{Visitor, secret_of};
use crate::{serving, shared_site, wait_for_questions};

/// A link to the session of a visitor: its key.
fn invited(by: &Visitor) -> String {
    let made = by.told(201, "POST", "/api/invitations", "").json();
    assert_eq!(made["minutes"], 15);
    made["key"].as_str().expect("a key").to_owned()
}

fn joining(key: &str, name: &str) -> String {
    json!({ "key": key, "name": name }).to_string()
}

/// A browser without a cookie that joins.
fn joined<'a>(web: &'a Web, key: &str, name: &str) -> Visitor<'a> {
    let answer = web.request("POST", "/api/invitations/join").json(joining(key, name)).answer();
    assert_eq!(answer.status, 204, "{}", answer.text());
    Visitor::with(web, &secret_of(&answer).expect("a cookie"))
}

fn devices(visitor: &Visitor) -> Vec<Value> {
    let listed = visitor.told(200, "GET", "/api/devices", "").json();
    listed["devices"].as_array().expect("a list").clone()
}

/// The names of the devices, with a star at the one that asks.
fn names(visitor: &Visitor) -> Vec<String> {
    let name = |device: &Value| {
        format!("{}{}", if device["here"] == true { "*" } else { "" }, device["name"].as_str().unwrap())
    };
    devices(visitor).iter().map(name).collect()
}

fn path(visitor: &Visitor, name: &str) -> String {
    let found = devices(visitor).into_iter().find(|device| device["name"] == name).expect("the device");
    format!("/api/devices/{}", found["id"])
}

fn filters(visitor: &Visitor) -> Vec<String> {
    let listed = visitor.told(200, "GET", "/api/views", "").json();
    listed["views"].as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap().to_owned()).collect()
}

fn keep(visitor: &Visitor, name: &str) {
    visitor.told(201, "POST", "/api/views", json!({ "name": name, "url": "/" }));
}

fn count(db: &Client, what: &str) -> String {
    db.sql(&format!("SELECT count(*) FROM chess_web.{what}"))
}

#[test]
#[ignore = "needs a server"]
fn two_devices_use_one_session() {
    let db = shared_site("two_devices");
    let web = serving(&db);
    let (laptop, _) = Visitor::new(&web);
    assert_eq!(names(&laptop), ["*"]);
    let here = devices(&laptop)[0]["id"].clone();
    laptop.told(200, "PATCH", &format!("/api/devices/{here}"), json!({ "name": " Laptop " }));
    let key = invited(&laptop);
    assert_eq!(key.len(), 32, "128 random bits");
    let told = db.sql(&format!("SELECT count(*) FROM chess_web.invitations i WHERE i::text LIKE '%{key}%'"));
    assert_eq!(told, "0", "the key is not in the database");
    // looking does not use the link up
    for _ in 0..2 {
        let look = web.request("POST", "/api/invitations/look").json(json!({ "key": key }).to_string()).answer().json();
        let nothing = json!({ "notebooks": 0, "boards": 0, "filters": 0 });
        assert_eq!(
            look,
            json!({ "device": "Laptop", "notebooks": 0, "boards": 0, "filters": 1, "joined": false, "here": nothing })
        );
    }
    let phone = joined(&web, &key, "Phone");
    assert_ne!(phone.secret, laptop.secret, "each has a cookie of its own");
    assert_eq!(
        (names(&laptop), names(&phone)),
        (vec!["*Laptop".into(), "Phone".into()], vec!["Laptop".into(), "*Phone".into()])
    );
    keep(&phone, "from the phone");
    assert_eq!(filters(&laptop), filters(&phone));
    assert_eq!(filters(&laptop).len(), 2);
    // once
    for (method, body) in [("look", json!({ "key": key })), ("join", json!({ "key": key, "name": "x" }))] {
        let path = format!("/api/invitations/{method}");
        assert_eq!(web.request("POST", &path).json(body.to_string()).status(), 404, "{method}");
    }
    // a removed device has nothing, and may begin anew
    laptop.told(204, "DELETE", &path(&laptop, "Phone"), "");
    assert_eq!(filters(&phone), [""; 0]);
    phone.told(404, "DELETE", &format!("/api/devices/{here}"), "");
    assert_eq!(devices(&phone), [json!(null); 0]);
    let anew = phone.told(201, "POST", "/api/views", json!({ "name": "own", "url": "/" }));
    assert_ne!(secret_of(&anew).expect("a new cookie"), phone.secret);
    assert_eq!(names(&laptop), ["*Laptop"]);
    assert_eq!(filters(&laptop).len(), 2);
    let last = laptop.told(400, "DELETE", &path(&laptop, "Laptop"), "");
    assert!(last.error().contains("only device"), "{}", last.text());
}

#[test]
#[ignore = "needs a server"]
fn a_device_has_its_own_again_after_it_leaves() {
    let db = shared_site("devices_leave");
    let web = serving(&db);
    let [(laptop, _), (tablet, _), (phone, _)] = [(); 3].map(|()| Visitor::new(&web));
    keep(&tablet, "of the tablet");
    keep(&laptop, "of the laptop");
    let look = tablet.told(200, "POST", "/api/invitations/look", json!({ "key": invited(&laptop) })).json();
    assert_eq!(look["here"]["filters"], 2, "{look}");
    // a link that the tablet has made dies with its move
    let old = invited(&tablet);
    let answer = tablet.told(204, "POST", "/api/invitations/join", joining(&invited(&laptop), "Tablet"));
    assert_eq!(secret_of(&answer), Some(tablet.secret.clone()), "answers under way could set the old one again");
    tablet.told(404, "POST", "/api/invitations/look", json!({ "key": old }));
    assert_eq!(filters(&tablet), filters(&laptop));
    let again = tablet.told(400, "POST", "/api/invitations/join", joining(&invited(&laptop), "Tablet"));
    assert!(again.error().contains("already"), "{}", again.text());
    // from one to another: its own stays its own, and the first is not kept for it
    tablet.told(204, "POST", "/api/invitations/join", joining(&invited(&phone), "Tablet"));
    assert_eq!((names(&laptop).len(), names(&phone).len()), (1, 2));
    tablet.told(204, "DELETE", &path(&tablet, "Tablet"), "");
    assert_eq!(filters(&tablet), ["of the tablet", "x"], "newest first");
    // it left a session that others share: nobody there could remove it meanwhile
    phone.told(204, "POST", "/api/invitations/join", joining(&invited(&laptop), "Phone"));
    tablet.told(204, "POST", "/api/invitations/join", joining(&invited(&laptop), "Tablet"));
    let (other, _) = Visitor::new(&web);
    laptop.told(204, "POST", "/api/invitations/join", joining(&invited(&other), "Laptop"));
    laptop.told(204, "DELETE", &path(&laptop, "Laptop"), "");
    assert_eq!((filters(&laptop), names(&tablet).len()), (vec![], 2));
}

/// Whatever devices join, leave and remove, what is saved can be opened from one of them, now or after it leaves a session.
#[test]
#[ignore = "needs a server"]
fn every_session_keeps_a_device() {
    let db = shared_site("devices_strand");
    let web = serving(&db);
    let stranded = || {
        db.sql(
            "SELECT count(*) FROM chess_web.sessions s WHERE EXISTS (SELECT FROM chess_web.views v WHERE v.session_id = s.id) \
             AND NOT EXISTS (SELECT FROM chess_web.devices d WHERE s.id IN (d.session_id, d.own))",
        )
    };
    let [(laptop, _), (phone, _), (tablet, _)] = [(); 3].map(|()| Visitor::new(&web));
    phone.told(204, "POST", "/api/invitations/join", joining(&invited(&laptop), "Phone"));
    let (named, path_of) = (json!({ "name": "Laptop" }), |device: &Value| format!("/api/devices/{}", device["id"]));
    let first = devices(&laptop).into_iter().find(|device| device["here"] == true).expect("the laptop");
    laptop.told(200, "PATCH", &path_of(&first), named);
    phone.told(204, "DELETE", &path(&phone, "Laptop"), "");
    let key = invited(&tablet);
    let refused = phone.told(400, "POST", "/api/invitations/join", joining(&key, "Phone"));
    assert!(refused.error().contains("only device"), "{}", refused.text());
    tablet.told(200, "POST", "/api/invitations/look", json!({ "key": key }));
    assert_eq!((filters(&phone), stranded()), (vec!["x".into()], "0".into()));

    let mut state = 7;
    let mut random = |below: usize| splitmix64(&mut state) as usize % below;
    let mut browsers: Vec<Visitor> = (0..4).map(|_| Visitor::new(&web).0).collect();
    let mut counts = [0; 4];
    for step in 0..100 {
        let (one, other) = (random(4), random(4));
        let (one, here) = (&browsers[one], devices(&browsers[one]));
        let (status, joins) = if random(2) == 0 {
            let key = invited(&browsers[other]);
            (one.ask("POST", "/api/invitations/join", joining(&key, "x")).status, true)
        } else {
            (one.ask("DELETE", &path_of(&here[random(here.len())]), "").status, false)
        };
        assert!([204, 400].contains(&status), "step {step}: {status}");
        counts[usize::from(joins) * 2 + usize::from(status == 204)] += 1;
        assert_eq!(stranded(), "0", "step {step}");
        // a device that was removed for good begins anew
        for browser in &mut browsers {
            if devices(browser).is_empty() {
                *browser = Visitor::new(&web).0;
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 0), "removed and joined, refused and not: {counts:?}");
}

/// Both read the list of devices before either of them changes it.
#[test]
#[ignore = "needs a server"]
fn one_of_two_devices_that_remove_each_other_stays() {
    let db = shared_site("devices_both");
    let web = serving(&db);
    let (laptop, _) = Visitor::new(&web);
    let phone = joined(&web, &invited(&laptop), "Phone");
    let path = |device: &Value| format!("/api/devices/{}", device["id"]);
    let [first, second] = &devices(&laptop)[..] else { panic!("two devices") };
    let mut session = db.session();
    session.sql("BEGIN");
    session.sql("SELECT count(*) FROM (SELECT FROM chess_web.devices FOR UPDATE) d");
    let removals = [laptop.request("DELETE", &path(second)).sent(), phone.request("DELETE", &path(first)).sent()];
    wait_for_questions(&db, 2);
    session.sql("COMMIT");
    let mut answers = removals.map(|removal| Answer::read(removal).status);
    answers.sort_unstable();
    assert_eq!((answers, count(&db, "devices")), ([204, 400], "1".into()));
}

/// Each of them takes the link of the other before it leaves its session.
#[test]
#[ignore = "needs a server"]
fn of_two_devices_that_join_each_other_one_does() {
    let db = shared_site("devices_circle");
    let web = serving(&db);
    let [(laptop, _), (phone, _)] = [(); 2].map(|()| Visitor::new(&web));
    let keys = [invited(&phone), invited(&laptop)];
    let mut session = db.session();
    session.sql("BEGIN");
    session.sql("SELECT count(*) FROM (SELECT FROM chess_web.devices FOR UPDATE) d");
    let [first, second] = [(&laptop, &keys[0]), (&phone, &keys[1])]
        .map(|(device, key)| device.request("POST", "/api/invitations/join").json(joining(key, "x")).sent());
    wait_for_questions(&db, 2);
    session.sql("COMMIT");
    let mut answers = [first, second].map(|joining| Answer::read(joining).status);
    answers.sort_unstable();
    assert_eq!((answers, devices(&laptop).len(), devices(&phone).len()), ([204, 404], 2, 2));
    assert_eq!(count(&db, "invitations"), "0");
}

#[test]
#[ignore = "needs a server"]
fn a_link_is_worth_nothing_to_others() {
    let db = shared_site("device_links");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let look =
        |key: &str| web.request("POST", "/api/invitations/look").json(json!({ "key": key }).to_string()).status();
    let first = invited(&mine);
    let second = invited(&mine);
    assert_eq!((look(&first), look(&second)), (404, 200), "the last link counts");
    mine.told(204, "DELETE", "/api/invitations", "");
    assert_eq!(look(&second), 404, "taken back");
    let late = invited(&mine);
    db.sql("UPDATE chess_web.invitations SET expires = now()");
    assert_eq!(look(&late), 404, "too late");
    web.request("POST", "/api/invitations/join").json(joining(&late, "x")).answer().error();
    let long = "7".repeat(60_000);
    for guess in ["", "0", "%", "' OR true --", "\u{0}", &late.to_uppercase(), &long] {
        assert_eq!(look(guess), 404, "{:.20}", guess);
    }
    // who is removed cannot come back by a link that it has made or seen
    let thief = joined(&web, &invited(&mine), "Thief");
    let kept = invited(&thief);
    mine.told(204, "DELETE", &path(&mine, "Thief"), "");
    assert_eq!(look(&kept), 404);
    thief.told(204, "DELETE", "/api/invitations", "");
    // names, and objects of others
    let (stranger, _) = Visitor::new(&web);
    let device = format!("/api/devices/{}", devices(&mine)[0]["id"]);
    for method in ["PATCH", "DELETE"] {
        let body = if method == "PATCH" { r#"{"name":"x"}"# } else { "" };
        stranger.told(404, method, &device, body);
    }
    for name in ["", "  ", "\u{0}", &"x".repeat(61)] {
        mine.told(400, "PATCH", &device, json!({ "name": name }));
        stranger.told(400, "POST", "/api/invitations/join", joining(&invited(&mine), name));
    }
    // pages of other sites
    let key = invited(&mine);
    let foreign = |path: &str, body: String| {
        let request = stranger
            .request("POST", path)
            .header("Sec-Fetch-Site", "cross-site")
            .header("Origin", "https://evil.example");
        request.json(body).status()
    };
    assert_eq!(foreign("/api/invitations", "{}".into()), 403);
    assert_eq!(foreign("/api/invitations/look", json!({ "key": key }).to_string()), 403);
    assert_eq!(foreign("/api/invitations/join", joining(&key, "x")), 403);
    let form = stranger.request("POST", "/api/invitations/join").body("text/plain", joining(&key, "x"));
    assert_eq!(form.status(), 415, "what a form can send");
    assert_eq!(look(&key), 200, "it was not used up");
    assert!(!web.log().contains(&key), "{}", web.log());
}

#[test]
#[ignore = "needs a server"]
fn one_device_joins_by_a_link_and_twenty_a_session() {
    let db = shared_site("device_crowd");
    let web = serving(&db);
    let (mine, _) = Visitor::new(&web);
    let key = invited(&mine);
    let join = |_| web.request("POST", "/api/invitations/join").json(joining(&key, "x")).status();
    let mut answers: Vec<u16> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || join(n))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    answers.sort_unstable();
    assert_eq!(answers, [204, 404, 404, 404, 404, 404, 404, 404]);
    assert_eq!((count(&db, "devices"), count(&db, "sessions")), ("2".into(), "1".into()));
    for _ in 2..20 {
        joined(&web, &invited(&mine), "x");
    }
    let full = web.request("POST", "/api/invitations/join").json(joining(&invited(&mine), "x")).answer();
    assert_eq!(full.status, 400, "{}", full.text());
    assert!(full.error().contains("20 devices"), "{}", full.text());
    assert_eq!(count(&db, "devices"), "20");
}

#[test]
#[ignore = "needs a server"]
fn a_session_lives_as_long_as_one_of_its_devices_is_used() {
    let db = shared_site("device_years");
    let web = serving(&db);
    let [(laptop, _), (phone, _)] = [(); 2].map(|()| Visitor::new(&web));
    phone.told(204, "POST", "/api/invitations/join", joining(&invited(&laptop), "Phone"));
    db.sql("UPDATE chess_web.devices SET seen = now() - interval '2 days'; UPDATE chess_web.sessions SET expires = now() + interval '1 day'");
    assert_eq!(filters(&phone), ["x"]);
    let renewed = "SELECT count(*) FROM chess_web.sessions WHERE expires > now() + interval '360 days'";
    assert_eq!(db.sql(renewed), "2", "with its own, to which it may return");
    db.sql("UPDATE chess_web.sessions SET expires = now()");
    assert_eq!(filters(&phone), [""; 0]);
}
