//! Connections to the database that break after a statement has run: what writes is not sent twice.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::thread;

use chess_system::{Database, Folder, Server, Web};
use serde_json::json;

use crate::sessions::Visitor;
use crate::shared_site;

/// A socket before that of a server. The connection that sends what is to be lost is broken off when its answer comes.
struct Cutter {
    folder: Folder,
    lost: Arc<Mutex<Option<&'static str>>>,
}

impl Cutter {
    fn new(server: &Server) -> Cutter {
        let (folder, lost) = (Folder::new(), Arc::new(Mutex::new(None)));
        let name = format!(".s.PGSQL.{}", server.port());
        let listener = UnixListener::bind(folder.path(&name)).unwrap();
        let (socket, what) = (server.dir().join(name), Arc::clone(&lost));
        thread::spawn(move || {
            for client in listener.incoming() {
                pass(client.unwrap(), UnixStream::connect(&socket).unwrap(), Arc::clone(&what));
            }
        });
        Cutter { folder, lost }
    }

    /// The answer to the next statement with this text is lost.
    fn lose(&self, text: &'static str) {
        *self.lost.lock().unwrap() = Some(text);
    }

    #[track_caller]
    fn has_lost(&self) {
        assert_eq!(*self.lost.lock().unwrap(), None, "it was not asked");
    }
}

/// Passes on what a client and a server say.
fn pass(client: UnixStream, server: UnixStream, lost: Arc<Mutex<Option<&'static str>>>) {
    let cuts = Arc::new(Mutex::new(false));
    let (mut asked, mut passed, cut) = (client.try_clone().unwrap(), server.try_clone().unwrap(), Arc::clone(&cuts));
    thread::spawn(move || {
        let mut chunk = vec![0; 1 << 16];
        while let Ok(length @ 1..) = asked.read(&mut chunk) {
            let mut lost = lost.lock().unwrap();
            let is_lost = lost.is_some_and(|text| chunk[..length].windows(text.len()).any(|at| at == text.as_bytes()));
            if is_lost {
                (*lost, *cut.lock().unwrap()) = (None, true);
            }
            if passed.write_all(&chunk[..length]).is_err() {
                break;
            }
        }
        let _ = passed.shutdown(Shutdown::Both);
    });
    thread::spawn(move || {
        let (mut client, mut server, mut chunk) = (client, server, vec![0; 1 << 16]);
        while let Ok(length @ 1..) = server.read(&mut chunk) {
            if *cuts.lock().unwrap() || client.write_all(&chunk[..length]).is_err() {
                break;
            }
        }
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
    });
}

#[test]
#[ignore = "needs a server"]
fn what_writes_is_sent_once() {
    let db = shared_site("lost");
    let cutter = Cutter::new(Server::shared());
    let socket = Server::shared().dir().display().to_string();
    let write = db.settings("chess_web").replace(&socket, &cutter.folder.path("").display().to_string());
    let web = Web::new(&db, &["--database", &db.settings("chess_web_read"), "--sessions", &write]);
    let (visitor, _) = Visitor::new(&web);
    let count = |table: &str| db.sql(&format!("SELECT count(*) FROM chess_web.{table}"));
    let lost = |text, path: &str, body: &str| {
        cutter.lose(text);
        let answer = visitor.told(503, "POST", path, body);
        cutter.has_lost();
        assert!(answer.error().ends_with("it is not known whether this was stored"), "{}", answer.text());
        assert_eq!(answer.header("retry-after"), None);
    };
    lost("INSERT INTO chess_web.notebooks", "/api/notebooks", r#"{"name":"Once","color":null}"#);
    assert_eq!(count("notebooks"), "1");

    // what only reads is asked again
    cutter.lose("SELECT id, name, color");
    let book = visitor.told(200, "GET", "/api/notebooks", "").json()["notebooks"][0]["id"].to_string();
    cutter.has_lost();
    // nor does it fail with the note that the visitor was here today
    db.sql("UPDATE chess_web.devices SET seen = now() - interval '2 days'");
    cutter.lose("UPDATE chess_web.devices d SET seen");
    visitor.told(200, "GET", "/api/notebooks", "");
    cutter.has_lost();

    let path = format!("/api/notebooks/{book}");
    let mut parent = visitor.told(200, "GET", &path, "").json()["nodes"][0]["id"].clone();
    for uci in ["e2e4", "e7e5"] {
        let node = json!({ "parent": parent, "uci": uci });
        parent = visitor.told(201, "POST", &format!("{path}/nodes"), node).json()["id"].clone();
    }
    lost("DELETE FROM chess_web.notebook_changes", &format!("{path}/undo"), "");
    assert_eq!(db.sql("SELECT string_agg(uci, ' ') FROM chess_web.notebook_nodes"), "e2e4");
}

/// A standby ends a query that conflicts with its replay. The query is sent once more; then the client is told to try again
/// later.
#[test]
#[ignore = "needs a server"]
fn a_query_that_others_have_ended_is_asked_again() {
    let db = Database::loaded("conflict", "[White \"Anderssen\"]\n\n1. e4 *\n");
    let web = Web::new(&db, &["--no-sessions"]);
    for code in ["40001", "40P01"] {
        db.sql(&format!(
            "CREATE OR REPLACE FUNCTION chess.player(name text, count integer DEFAULT 20)
             RETURNS TABLE (id integer, player text, fide_id integer, games bigint, spellings text[], score real)
             LANGUAGE plpgsql STABLE AS $$
             BEGIN
                 -- of public.foldname( and \"chess\".players :
                 RAISE EXCEPTION 'in the way by {code}' USING ERRCODE = '{code}';
             END $$"
        ));
        assert_eq!(web.get("/api/players?prefix=Anderssen").status(), 503);
        let asked = Server::shared().logged(&[&format!("ERROR:  in the way by {code}")]);
        assert_eq!(asked.len(), 2, "{asked:?}");
    }
}
