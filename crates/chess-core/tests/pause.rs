//! Long work can be interrupted by unwinding: parsing, writing, and every kind of replay.
//!
//! The function that is called belongs to the process, so it counts and ends only the work of this test's thread.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chess_core::board::fen;
use chess_core::facts::rules;
use chess_core::search::finder::Matching;
use chess_core::search::index_keys::position_keys;
use chess_core::search::nearest::{Compared, NearestFinder};
use chess_core::search::pattern::Pattern;
use chess_core::text::movetext;
use chess_core::text::two_byte_moves::{self, Numbering};
use chess_core::text::uci;
use chess_core::{Board, Finder, GameResult, pause};

thread_local! {
    static PAUSES: Cell<u32> = const { Cell::new(0) };
    static CANCELLED: Cell<bool> = const { Cell::new(false) };
}

fn on_pause() {
    PAUSES.set(PAUSES.get() + 1);
    if CANCELLED.get() {
        std::panic::resume_unwind(Box::new("cancelled"));
    }
}

#[test]
fn long_work_pauses_and_can_be_ended() {
    pause::set(on_pause);
    let text = "Nf3 Nf6 Ng1 Ng8 ".repeat(300_000);
    let game = movetext::read(&text).unwrap();
    let view = game.view();
    let short = movetext::read(&"Nf3 Nf6 Ng1 Ng8 ".repeat(20)).unwrap();
    assert_eq!(view.ply_count(), 1_200_000);
    // with castling rights that this game never has
    let board = fen::read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b Kq - 0 1").unwrap();
    let find = Finder::new(&board, Matching::Position);
    let nearest = NearestFinder::new(&fen::read("8/8/8/8/8/8/8/8 w - - 0 1").unwrap(), Compared::Pieces);
    let codes = two_byte_moves::write(view, Numbering::Plain).unwrap();
    let uci = uci::write(view).unwrap();
    let (blank, tag) = (format!("e4{}", " ".repeat(1_000_000)), format!("[FEN \"{}", "\"".repeat(1_000_000)));
    let slow = format!("{}Nd4 ne5{}", "flip(shift(".repeat(20), "))".repeat(20));
    let many = format!("{} = 1", vec!["shift(between(.[a-d], near(Nd4, 1..2)))"; 20].join(" + "));
    let searched = Pattern::read(&many).unwrap();
    let work: [(&str, &dyn Fn()); 14] = [
        ("two-byte codes", &|| {
            assert!(
                two_byte_moves::read(&codes, &Board::default(), GameResult::Unknown, false, Numbering::Plain).is_ok()
            )
        }),
        ("UCI", &|| assert!(uci::read(&uci).is_ok())),
        ("white space", &|| assert!(movetext::read(&blank).is_ok())),
        ("a tag", &|| assert!(movetext::read(&tag).is_err())),
        ("reading", &|| drop(movetext::read(&text))),
        ("writing", &|| drop(movetext::write(view))),
        ("searching", &|| assert_eq!(find.find(view, u32::MAX), Ok(None))),
        ("the nearest position", &|| assert!(nearest.find(view).is_ok())),
        ("the last board", &|| assert!(view.board_at(1_199_999).is_ok())),
        ("an opening", &|| assert!(view.first_moves(1_199_999).is_ok())),
        ("keys", &|| assert!(position_keys(view, &mut Vec::new()).is_ok())),
        ("reading a pattern", &|| drop(Pattern::read(&slow))),
        ("looking for a pattern in one short game", &|| {
            assert_eq!(searched.matcher().find(short.view(), u32::MAX), Ok(None))
        }),
        ("repetitions", &|| assert!(rules::repetitions(view).is_ok())),
    ];
    for (name, work) in work {
        let before = PAUSES.get();
        work();
        assert!(PAUSES.get() > before, "{name} does not pause");
        CANCELLED.set(true);
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err(), "{name} cannot be ended");
        CANCELLED.set(false);
    }
}
