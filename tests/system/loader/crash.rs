//! Loaders that run at once, that are killed, and whose server crashes: afterwards there are the same rows.

use std::io::Write;
use std::sync::OnceLock;

use bzip2::Compression;
use bzip2::write::BzEncoder;
use chess_system::{Database, Hurdle, Server, generated};

use crate::contents;
use crate::traps::traps;

/// 6000 games with the traps among them, packed.
pub(crate) fn many() -> Vec<u8> {
    let mut packed = BzEncoder::new(Vec::new(), Compression::fast());
    for part in [generated(12, 3000).into_bytes(), traps(), generated(13, 3000).into_bytes()] {
        packed.write_all(&part).unwrap();
    }
    packed.finish().unwrap()
}

/// What [`many`] games are in tables after a load that nothing has disturbed.
pub(crate) fn calm() -> &'static str {
    static CALM: OnceLock<String> = OnceLock::new();
    CALM.get_or_init(|| {
        let db = Database::with_extension("calm");
        db.pgn("load").arg(db.file("big.pgn.bz2", many())).succeeds();
        contents(&db, "chess")
    })
}

#[test]
#[ignore = "needs a server"]
fn two_loaders_of_the_same_files_store_each_game_once() {
    let db = Database::with_extension("pairs");
    let one = db.file("one.pgn", generated(8, 1500));
    let two = db.file("two.pgn", generated(9, 1500));
    db.pgn("load --schema alone").arg(&one).arg(&two).succeeds();
    let first = db.pgn("load --schema pair --batch 16").arg(&one).arg(&two).spawn();
    db.pgn("load --schema pair --batch 25").arg(&two).arg(&one).succeeds();
    first.ends(0);
    assert_eq!(contents(&db, "pair"), contents(&db, "alone"));
}

#[test]
#[ignore = "needs a server"]
fn a_loader_that_is_killed_ten_times_stores_the_same_rows() {
    let db = Database::with_extension("kills");
    let file = db.file("big.pgn.bz2", many());
    db.pgn("schema --schema killed").succeeds();
    let hurdle = Hurdle::on(&db, &["killed.games", "killed.pieces"]);
    for number in [9, 22, 3, 30, 15, 6, 27, 2, 18, 11] {
        hurdle.stop_at(number);
        let mut load = db.pgn("load --schema killed --batch 20 --jobs 3").arg(&file).spawn();
        hurdle.wait(&mut load);
        load.killed();
        hurdle.open();
    }
    db.pgn("load --schema killed --batch 64").arg(&file).succeeds();
    assert_eq!(contents(&db, "killed"), calm());
}

#[test]
#[ignore = "needs a server"]
fn a_load_whose_server_crashes_can_be_repeated() {
    let server = Server::new();
    let db = Database::on(&server, "crashes");
    let file = db.file("big.pgn.bz2", many());
    db.pgn("schema --schema crashed").succeeds();
    let hurdle = Hurdle::on(&db, &["crashed.games", "crashed.pieces"]);
    hurdle.stop_at(20);
    let mut load = db.pgn("load --schema crashed --batch 20").arg(&file).spawn();
    hurdle.wait(&mut load);
    server.crash();
    load.ends(1);
    server.start();
    hurdle.open();
    db.pgn("load --schema crashed").arg(&file).succeeds();
    assert_eq!(contents(&db, "crashed"), calm());
}
