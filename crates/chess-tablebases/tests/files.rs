//! What is in a directory of tables, without real ones: those are in tests/reliability/endgame_tables.sh.
//!
//! In: directories with files of random bytes, of impossible sizes and names. Out: nothing, or the file that is not
//! refused as it should be.

use std::fs;
use std::path::PathBuf;

use chess_core::Board;
use chess_core::board::fen;
use chess_tablebases::{Fault, Tablebases};

/// The first bytes of tables of results and of distances.
const MAGIC: [(&str, [u8; 4]); 2] = [("rtbw", [0x71, 0xe8, 0x23, 0x5d]), ("rtbz", [0xd7, 0x66, 0x0c, 0xa5])];

/// A directory of its own, which is removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("chess-tablebases-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    fn open(&self) -> Tablebases {
        Tablebases::open(self.0.to_str().unwrap()).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn board(text: &str) -> Board {
    fen::read(text).unwrap()
}

fn queen() -> Board {
    board("8/8/8/8/8/k7/7Q/K7 w - - 0 1")
}

#[test]
fn a_missing_directory_is_named() {
    let error = Tablebases::open("/nowhere/at/all").unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/at/all: "), "{error}");
    assert!(Tablebases::open("").unwrap().is_empty());
}

#[test]
fn what_no_table_knows_has_no_value() {
    let directory = Directory::new("none");
    fs::write(directory.0.join("README"), "none").unwrap();
    let mut tables = directory.open();
    assert_eq!((tables.len(), tables.max_men()), (0, 0));
    assert_eq!(tables.probe(&queen()), Ok(None));
    assert_eq!(tables.probe(&Board::default()), Ok(None));
    assert_eq!(tables.probe(&board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")), Ok(None));
    assert!(matches!(tables.probe(&board("8/8/8/8/8/8/8/8 w - - 0 1")), Err(Fault::Illegal(_))));
    let moves = tables.moves(&queen()).unwrap();
    assert_eq!(moves.len(), 22, "all legal moves");
    assert!(
        moves
            .iter()
            .all(|value| value.wdl.is_none() && value.dtz.is_none() && value.missing.as_deref() == Some("KQvK"))
    );
    assert!(
        tables.moves(&Board::default()).unwrap().iter().all(|value| value.wdl.is_none() && value.missing.is_none())
    );
    assert!(matches!(tables.moves(&board("8/8/8/8/8/8/8/8 w - - 0 1")), Err(Fault::Illegal(_))));
    // a capture may lead to a position that needs no table
    let capture = &tables.moves(&board("8/8/8/8/3k4/8/1q6/K7 w - - 0 1")).unwrap()[0];
    assert_eq!((capture.san.as_str(), capture.is_zeroing, capture.wdl, capture.dtz), ("Kxb2", true, Some(0), Some(0)));
    // two kings need no table
    let kings = tables.probe(&board("4k3/8/8/8/8/8/8/K7 w - - 0 1")).unwrap().unwrap();
    assert_eq!((kings.wdl, kings.line.unwrap().best.len()), (0, 3));
}

#[test]
fn files_of_other_sizes_and_names() {
    let directory = Directory::new("names");
    for (name, bytes) in [("KvKQ.rtbw", 5), ("nonsense.rtbw", 80), ("KQvK.txt", 80), ("KQQQQQQQvK.rtbw", 80)] {
        fs::write(directory.0.join(name), vec![0; bytes]).unwrap();
    }
    let mut tables = directory.open();
    // KvKQ is the same table as KQvK
    assert_eq!(tables.probe(&queen()), Err(Fault::Table("KvKQ.rtbw".into(), "is damaged".into())));
    assert_eq!(tables.probe(&board("8/8/8/8/8/k7/7R/K7 w - - 0 1")), Ok(None));
}

#[test]
fn random_bytes_are_refused_or_answered() {
    let directory = Directory::new("random");
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let mut refused = 0;
    for round in 0..300usize {
        for (suffix, magic) in MAGIC {
            let mut bytes: Vec<u8> = (0..16 + 64 * (1 + round % 20)).map(|_| next()).collect();
            bytes[..4].copy_from_slice(&magic);
            // a table of one side's results for both sides: king, king and queen
            bytes[4..9].copy_from_slice(&[1, 0, 0x6e, 0xe5, 0x56]);
            if round % 3 == 0 {
                bytes[4 + round % 5] = next();
            }
            fs::write(directory.0.join("KQvK").with_extension(suffix), bytes).unwrap();
        }
        let probed = directory.open().probe(&queen());
        refused += usize::from(matches!(&probed, Err(Fault::Table(name, _)) if name == "KQvK"));
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn a_table_that_is_removed_is_unreadable() {
    let directory = Directory::new("removed");
    let path = directory.0.join("KQvK.rtbw");
    fs::write(&path, [0; 80]).unwrap();
    let mut tables = directory.open();
    fs::remove_file(&path).unwrap();
    let fault = tables.probe(&queen()).unwrap_err();
    assert!(fault.to_string().starts_with("the table KQvK cannot be read: "), "{fault}");
}
