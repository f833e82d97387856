//! Properties of every board, however illegal.

use chess_core::Board;
use chess_core::board::diagram;
use chess_core::board::fen;
use chess_core::board::key;
use chess_core::board::position::BoardPosition;
use chess_core::board::squares;
use chess_core::board::svg;
use chess_core::board::symmetry::{flip, mirror, same_position};
use chess_core::facts::moves::legal_moves;
use chess_core::facts::openings;
use chess_core::facts::rules;
use chess_core::game::legality::Position as Ours;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::search::material::Material;
use chess_core::text::one_move::{MoveError, push_uci, read};
use chess_core::text::polyglot_moves;
use chess_core::text::san;
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Position};

/// Checks a board against its text, its bytes, its mirrors and shakmaty.
pub fn check(board: &Board) {
    let text = fen::write(board);
    assert_eq!(&Board::from_bytes(&board.to_bytes()).unwrap(), board, "{text}");
    assert_eq!(fen::read(&text).as_ref(), Ok(board), "{text}");
    assert!(same_position(&fen::read(&fen::write_epd(board)).unwrap(), board), "{text}");
    let position = BoardPosition::of(board.clone());
    assert_eq!(BoardPosition::from_bytes(&position.to_bytes()).as_ref(), Ok(&position), "{text}");
    assert_eq!(fen::write_epd(position.board()), fen::write_epd(board), "{text}");
    assert_eq!(&flip(&flip(board)), board, "{text}");
    assert_eq!(&mirror(&mirror(board)), board, "{text}");
    assert_eq!(key::other_side(key::other_side(key::position_key(board))), key::position_key(board), "{text}");
    assert_eq!(board.occupied(), squares::of_color(board, 0) | squares::of_color(board, 1), "{text}");
    assert_eq!(Material::of(board), Material::of(&mirror(board)), "{text}");
    for square in 0..64 {
        let attacked = squares::attacked_from(board, square);
        for target in squares::members(attacked) {
            let color = board.kinds[usize::from(square)] / 6;
            assert!(squares::attackers_of(board, target, color) >> square & 1 == 1, "{text} {square} {target}");
        }
    }
    let _ = openings::of_board(board);
    let _ =
        (key::polyglot_key(board), key::book_key(board), rules::polyglot_move(board, key::position_key(board) as u16));
    let _ = (diagram::ascii(board), diagram::unicode(board), fen::write_castling(board));
    let options = svg::Options { marked: board.occupied(), ..svg::Options::default() };
    assert!(svg::draw(board, options).is_ascii());

    match (board.position(), oracle(&text)) {
        (Ok(position), Some(theirs)) => {
            assert_eq!(position, theirs, "{text}");
            check_moves(board, &position);
        }
        (Err(_), None) => {
            assert!(rules::status_of_board(board).is_err() && rules::play(board, "e4").is_err(), "{text}");
        }
        (ours, theirs) => panic!("{text} is legal for one alone: {ours:?}, {theirs:?}"),
    }
}

/// Parses a position with shakmaty, accepting, as we do, checks that no move can have given.
pub fn oracle(text: &str) -> Option<Chess> {
    let setup = text.parse::<Fen>().ok()?;
    match setup.into_position(CastlingMode::Chess960) {
        Ok(position) => Some(position),
        Err(error) => error.ignore_impossible_check().ok(),
    }
}

fn check_moves(board: &Board, position: &Chess) {
    assert!(rules::status_of_board(board).is_ok());
    // no rule of movement depends on the clocks, and a game cannot start with the highest ones
    let (halfmove_clock, fullmove_number) = (0, 1);
    let start = GameStart::new(&Board { halfmove_clock, fullmove_number, ..board.clone() }).unwrap();
    let ours = Ours::new(&start);
    for played in legal_moves(position) {
        let (mut san, mut uci) = (String::new(), String::new());
        let step = Step::of(played).unwrap();
        san::push(&mut san, &ours, step);
        assert_eq!(san, San::from_move(position, played).to_string(), "{}", fen::write(board));
        push_uci(&mut uci, &ours, step, true);
        assert_eq!(read(&ours, &san), Ok(step), "{san} in {}", fen::write(board));
        assert_eq!(read(&ours, &uci), Ok(step), "{uci} in {}", fen::write(board));
        let code = polyglot_moves::code(&ours, step);
        assert_eq!(polyglot_moves::step(&ours, code), Some(step), "{uci} in {}", fen::write(board));
        let mut after = position.clone();
        after.play_unchecked(played);
        let ours = rules::play(board, &san).unwrap();
        let theirs = Board::from_position(&after);
        assert_eq!(
            (ours.kinds, ours.turn, ours.castling, ours.en_passant),
            (theirs.kinds, theirs.turn, theirs.castling, theirs.en_passant),
            "{san} in {}",
            fen::write(board)
        );
    }
    assert_eq!(read(&ours, "0000"), Err(MoveError::NullMove));
}
