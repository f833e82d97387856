//! Moves, rules, material, square sets and texts compared with shakmaty's own positions, over random games from the
//! standard start and from Chess960 starts.

use std::ops::ControlFlow;

use chess_core::board::fen;
use chess_core::board::key;
use chess_core::board::squares;
use chess_core::board::symmetry;
use chess_core::facts::explorer::Explorer;
use chess_core::facts::moves::{MoveDetails, each_legal, legal_moves};
use chess_core::facts::openings;
use chess_core::facts::positions;
use chess_core::facts::report;
use chess_core::facts::rules::{self, Status};
use chess_core::game::legality;
use chess_core::game::recorder::Recorder;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::search::finder::Matching;
use chess_core::search::material::Material;
use chess_core::text::movetext;
use chess_core::text::one_move::{MoveError, read};
use chess_core::text::read_pgn;
use chess_core::text::uci;
use chess_core::text::write_pgn;
use chess_core::{Board, Finder, Game, GameResult};
use chess_gamegen::splitmix64;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Piece, Position, Role, Square};

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        (splitmix64(&mut self.0) % n as u64) as usize
    }
}

const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1",
    "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1",
    "nrbbkqrn/p1pppppp/8/1p6/1P6/8/P1PPPPPP/NRBBKQRN b GBgb b3 0 2",
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 b - - 7 30",
    "4k3/8/8/8/8/8/8/R3K3 w Q - 90 80",
    "8/8/4k3/8/8/3BK3/8/8 b - - 0 1",
];

struct Played {
    fen: &'static str,
    positions: Vec<Chess>,
    moves: Vec<Move>,
    game: Game,
}

/// A random game; in one of three, pieces move back and forth, so that positions recur.
fn play(rng: &mut Rng, start: usize, plies: usize) -> Played {
    let game_start = GameStart::new(&fen::read(STARTS[start]).unwrap()).unwrap();
    let mut recorder = Recorder::new(&game_start);
    let setup: Fen = STARTS[start].parse().unwrap();
    let mut positions: Vec<Chess> = vec![setup.into_position(CastlingMode::Chess960).unwrap()];
    let mut moves: Vec<Move> = Vec::new();
    let shuffles = rng.below(3) == 0;
    while moves.len() < plies {
        let position = positions.last().unwrap();
        let mut legal = legal_moves(position);
        if legal.is_empty() {
            break;
        }
        if shuffles {
            let quiet: Vec<Move> = legal.iter().copied().filter(|m| !m.is_zeroing()).collect();
            let undone = moves.len().checked_sub(2).map(|at| (moves[at].to(), moves[at].from().unwrap()));
            let back = quiet.iter().copied().find(|m| Some((m.from().unwrap(), m.to())) == undone);
            if let Some(back) = back.filter(|_| rng.below(8) > 0) {
                legal = vec![back];
            } else if !quiet.is_empty() {
                legal = quiet;
            }
        } else {
            let is_special = |m: &Move| m.is_castle() || m.is_en_passant() || m.is_promotion();
            let special = legal.iter().copied().find(is_special);
            if let Some(special) = special.filter(|_| rng.below(2) == 0) {
                legal = vec![special];
            }
        }
        let played = legal[rng.below(legal.len())];
        let mut next = position.clone();
        next.play_unchecked(played);
        recorder.play(Step::of(played).unwrap()).unwrap();
        positions.push(next);
        moves.push(played);
    }
    let game = recorder.finish(GameResult::Unknown, (1..4).contains(&start));
    Played { fen: STARTS[start], positions, moves, game }
}

fn games(count: usize, plies: usize) -> impl Iterator<Item = Played> {
    let mut rng = Rng(5);
    let count = if cfg!(debug_assertions) { count / 10 } else { count };
    (0..count).map(move |n| play(&mut rng, n % STARTS.len(), plies))
}

#[test]
fn moves_are_those_of_shakmaty() {
    let mut details = MoveDetails::default();
    for played in games(400, 120) {
        for (position, &chosen) in played.positions.iter().zip(&played.moves) {
            let board = Board::from_position(position);
            let start = GameStart::new(&board).unwrap();
            let ours = legality::Position::new(&start);
            let legal = legal_moves(position);
            assert_eq!(legal.len(), position.legal_moves().len());
            let mut listed = Vec::new();
            each_legal(&board, |details| listed.push(details.uci.clone())).unwrap();
            assert_eq!(listed.len(), legal.len());
            for (&legal_move, listed) in legal.iter().zip(listed) {
                let step = Step::of(legal_move).unwrap();
                details.describe(&ours, step, 1, true);
                let san = SanPlus::from_move(position.clone(), legal_move).to_string();
                let uci = UciMove::from_chess960(legal_move).to_string();
                assert_eq!(details.san, san);
                assert_eq!(read(&ours, &san), Ok(step), "{san} in {}", fen::write(&board));
                assert_eq!(read(&ours, &uci), Ok(step), "{uci} in {}", fen::write(&board));
                let mut after = position.clone();
                after.play_unchecked(legal_move);
                assert_eq!((details.is_check, details.is_mate), (after.is_check(), after.is_checkmate()));
                assert_eq!(details.captured.is_some(), legal_move.is_capture());
                assert_eq!(details.promotion.is_some(), legal_move.is_promotion());
                assert_eq!(details.is_castling, legal_move.is_castle());
                assert_eq!(details.is_en_passant, legal_move.is_en_passant());
                assert_eq!(Some(Square::new(details.from.into())), legal_move.from());
                assert_eq!(squares::name(details.to), UciMove::from_standard(legal_move).to_string()[2..4]);
                details.describe(&ours, step, 1, false);
                assert_eq!(details.uci, listed);
                assert_eq!(read(&ours, &listed), Ok(step), "{listed} {}", fen::write(&board));
            }
            let mut expected = position.clone();
            expected.play_unchecked(chosen);
            let expected = Board::from_position(&expected);
            assert_eq!(rules::play(&board, &UciMove::from_chess960(chosen).to_string()).unwrap(), expected);
        }
    }
}

/// Every text of two squares is the legal move that shakmaty reads (castling to the king's new square), or refused.
#[test]
fn no_other_move_can_be_played() {
    for played in games(40, 30) {
        let position = played.positions.last().unwrap();
        let start = GameStart::new(&Board::from_position(position)).unwrap();
        let ours = legality::Position::new(&start);
        for from in Square::ALL {
            for to in Square::ALL {
                let text = format!("{from}{to}");
                let uci: UciMove = text.parse().unwrap_or(UciMove::Null);
                if let Ok(legal) = uci.to_move(position) {
                    assert_eq!(read(&ours, &text).ok(), Step::of(legal));
                } else if let Ok(other) = read(&ours, &text) {
                    assert!(matches!(other, Step::Castle { .. }), "{text} in {}", played.fen);
                }
            }
        }
    }
    let start = legality::Position::new(GameStart::standard());
    for (text, error) in [
        ("", MoveError::Malformed),
        ("e", MoveError::Malformed),
        ("e2e9", MoveError::Malformed),
        ("Ng", MoveError::Malformed),
        ("e4 e5", MoveError::Malformed),
        ("e2e4k", MoveError::Malformed),
        ("É4", MoveError::Malformed),
        ("0000", MoveError::NullMove),
        ("--", MoveError::NullMove),
        ("e2e4q", MoveError::Illegal),
        ("e7e5", MoveError::Illegal),
        ("e1g1", MoveError::Illegal),
        ("O-O", MoveError::Illegal),
        ("Nd2", MoveError::Illegal),
    ] {
        assert_eq!(read(&start, text), Err(error), "{text}");
    }
    let rooks = GameStart::new(&fen::read("4k3/8/8/8/8/8/8/R2R2K1 w - - 0 1").unwrap()).unwrap();
    let rooks = legality::Position::new(&rooks);
    assert_eq!(read(&rooks, "Rb1"), Err(MoveError::Ambiguous));
    assert!(read(&rooks, "Rab1").is_ok());
}

fn oracle_status(positions: &[Chess]) -> Status {
    let last = positions.last().unwrap();
    let times = positions.iter().filter(|position| *position == last).count();
    if last.is_checkmate() {
        if last.turn() == Color::Black { Status::WhiteWins } else { Status::BlackWins }
    } else if last.is_stalemate() {
        Status::Stalemate
    } else if last.is_insufficient_material() {
        Status::InsufficientMaterial
    } else if times >= 5 {
        Status::FivefoldRepetition
    } else if last.halfmoves() >= 150 {
        Status::SeventyFiveMoveRule
    } else if times >= 3 {
        Status::ThreefoldRepetition
    } else if last.halfmoves() >= 100 {
        Status::FiftyMoveRule
    } else {
        Status::InProgress
    }
}

#[test]
fn status_is_that_of_shakmaty() {
    let mut seen = Vec::new();
    let mut rng = Rng(11);
    let count = if cfg!(debug_assertions) { 200 } else { 2000 };
    for n in 0..count {
        let plies = 1 + rng.below(300);
        let played = play(&mut rng, n % STARTS.len(), plies);
        let status = rules::status_of_game(played.game.view()).unwrap();
        assert_eq!(status, oracle_status(&played.positions), "{}", movetext::write(played.game.view()).unwrap());
        let last = played.positions.last().unwrap();
        let of_board = rules::status_of_board(&Board::from_position(last)).unwrap();
        assert_eq!(of_board, oracle_status(std::slice::from_ref(last)));
        let times = played.positions.iter().filter(|position| *position == last).count();
        assert_eq!(rules::repetitions(played.game.view()).unwrap() as usize, times);
        if !seen.contains(&status) {
            seen.push(status);
        }
    }
    assert_eq!(seen.len(), if cfg!(debug_assertions) { seen.len() } else { Status::ALL.len() }, "seen: {seen:?}");
}

/// What a report counts of a game, from its positions.
fn oracle_facts(positions: &[Chess]) -> u32 {
    let last = positions.last().unwrap();
    let status = Status::ALL.iter().position(|status| *status == oracle_status(positions)).unwrap() as u32;
    let of = |position: &Chess, color: Color, role: Role| {
        (position.board().by_role(role) & position.board().by_color(color)).count()
    };
    let all = |position: &Chess, role: Role| position.board().by_role(role).count();
    let files = |position: &Chess| {
        [Color::White, Color::Black].map(|color| position.board().king_of(color).unwrap().file() as u8)
    };
    let pieces = |position: &Chess, color: Color| {
        let worth = [(Role::Queen, 9), (Role::Rook, 5), (Role::Bishop, 3), (Role::Knight, 3)];
        worth.iter().map(|(role, points)| points * of(position, color, *role)).sum::<usize>()
    };
    let points = |position: &Chess, color: Color| pieces(position, color) + of(position, color, Role::Pawn);
    let is_endgame = |position: &Chess| Color::ALL.iter().all(|color| pieces(position, *color) <= 10);
    let opening = &positions[..positions.len().min(41)];
    let in_four = |holds: &dyn Fn(&Chess) -> bool| opening.iter().filter(|position| holds(position)).count() >= 4;
    let is_ahead = |color: Color| {
        positions.windows(4).any(|four| {
            four.iter().all(|position| is_endgame(position) && points(position, color) >= points(position, !color) + 2)
        })
    };
    let (left, right) = (|file: u8| file < 3, |file: u8| file > 5);
    let facts = [
        (report::QUEENS_LEFT, all(last, Role::Queen) > 0),
        (report::ROOKS_LEFT, all(last, Role::Rook) > 0),
        (report::MINORS_LEFT, all(last, Role::Bishop) + all(last, Role::Knight) > 0),
        (report::SAME_SIDE, in_four(&|p| files(p).into_iter().all(left) || files(p).into_iter().all(right))),
        (report::OPPOSITE_SIDES, in_four(&|p| files(p).into_iter().any(left) && files(p).into_iter().any(right))),
        (report::NO_QUEENS, in_four(&|p| all(p, Role::Queen) == 0)),
        (report::ENDGAME, positions.iter().any(is_endgame)),
        (report::WHITE_AHEAD, is_ahead(Color::White)),
        (report::BLACK_AHEAD, is_ahead(Color::Black)),
    ];
    facts.iter().filter(|(_, holds)| *holds).fold(status, |all, (bit, _)| all | bit)
}

#[test]
fn facts_of_reports_are_those_of_the_positions() {
    let mut rng = Rng(23);
    let (mut some, mut all) = (0, !0);
    for n in 0..if cfg!(debug_assertions) { 200 } else { 2000 } {
        let plies = rng.below(300);
        let played = play(&mut rng, n % STARTS.len(), plies);
        let facts = report::facts(played.game.view()).unwrap();
        assert_eq!(facts, oracle_facts(&played.positions), "{}", movetext::write(played.game.view()).unwrap());
        (some, all) = (some | facts, all & facts);
    }
    assert_eq!((some >> 4, all), ((1 << 9) - 1, 0), "each fact is seen in some games, and in others not");
}

#[test]
fn positions_and_next_moves() {
    for played in games(400, 120) {
        let view = played.game.view();
        let mut boards = Vec::new();
        let visit = |ply: u32, board: &Board| {
            assert_eq!(ply as usize, boards.len());
            boards.push(board.clone());
            ControlFlow::Continue(())
        };
        positions::each(view, visit).unwrap();
        assert_eq!(boards.len(), played.positions.len());
        for (ply, board) in boards.iter().enumerate() {
            assert_eq!(view.board_at(ply as u32).unwrap().unwrap(), *board);
            let position = &played.positions[ply];
            let first = played.positions.iter().position(|other| other == position).unwrap();
            let found = Finder::new(board, Matching::Position).find(view, u32::MAX).unwrap();
            assert_eq!(found, Some(first as u32));
            let next = played.moves.get(first).map(|m| SanPlus::from_move(position.clone(), *m).to_string());
            assert_eq!(Explorer::new(board).next_move(view).unwrap(), next.as_deref());
            assert_eq!(key::polyglot_key(board), position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0);
        }
    }
    let game = movetext::read("1. e4").unwrap();
    for elsewhere in ["4k3/8/8/8/8/8/8/4K3", "8/8/8/8/8/8/8/8"] {
        let explorer = Explorer::new(&fen::read(elsewhere).unwrap());
        assert_eq!(explorer.next_move(game.view()).unwrap(), None);
    }
    // An en passant square without a capture is not part of a position, even if no pawn has passed it.
    let odd = fen::read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6").unwrap();
    assert_eq!(Explorer::new(&odd).next_move(game.view()).unwrap(), Some("e4"));
}

#[test]
fn material_of_every_half_move() {
    for played in games(200, 200) {
        let view = played.game.view();
        let of: Vec<Material> = played.positions.iter().map(|p| Material::of(&Board::from_position(p))).collect();
        for material in &of {
            let first = of.iter().position(|other| other == material).unwrap() as u32;
            assert_eq!(material.find(view, u32::MAX).unwrap(), Some(first));
            assert_eq!(material.find(view, first).unwrap(), Some(first));
            if first > 0 {
                assert_eq!(material.find(view, first - 1).unwrap(), None);
            }
            assert_eq!(Material::read(&material.to_string()), Some(*material));
        }
        assert_eq!(Material::read("KvKQQQQQQ").unwrap().find(view, u32::MAX).unwrap(), None);
        let mut listed = Vec::new();
        Material::each(view, |material, first, last| listed.extend((first..=last).map(|_| material))).unwrap();
        assert_eq!(listed, of);
    }
}

#[test]
fn square_sets_are_those_of_shakmaty() {
    for played in games(100, 60) {
        let position = played.positions.last().unwrap();
        let board = Board::from_position(position);
        assert_eq!(board.king_is_attacked(board.turn), position.is_check());
        for color in Color::ALL {
            assert_eq!(squares::of_color(&board, color.is_black().into()), position.board().by_color(color).0);
            for role in Role::ALL {
                let piece = Piece { color, role };
                let set = squares::of_pieces(&board, &piece.char().to_string()).unwrap();
                assert_eq!(set, position.board().by_piece(piece).0);
            }
        }
        for square in Square::ALL {
            let attacks = squares::attacked_from(&board, square as u8);
            assert_eq!(attacks, position.board().attacks_from(square).0);
            for color in Color::ALL {
                let attackers = squares::attackers_of(&board, square as u8, color.is_black().into());
                assert_eq!(attackers, position.board().attacks_to(square, color, position.board().occupied()).0);
            }
        }
    }
}

#[test]
fn symmetries_keep_the_game() {
    for played in games(200, 60) {
        let board = Board::from_position(played.positions.last().unwrap());
        let (mirrored, flipped) = (symmetry::mirror(&board), symmetry::flip(&board));
        assert_eq!(symmetry::mirror(&mirrored), board);
        assert_eq!(symmetry::flip(&flipped), board);
        assert_eq!(symmetry::flip(&mirrored), symmetry::mirror(&flipped));
        let moves = |board: &Board| legal_moves(&board.position().unwrap()).len();
        assert_eq!(moves(&flipped), moves(&board));
        if board.castling == [0, 0] {
            assert_eq!(moves(&mirrored), moves(&board));
        }
        assert!(symmetry::same_position(&board, &Board { halfmove_clock: 7, fullmove_number: 9, ..board.clone() }));
        assert!(!symmetry::same_position(&board, &flipped));
    }
}

/// A FEN may have an en passant square on which no pawn can capture, and the board keeps it.
#[test]
fn symmetric_boards_can_be_stored_and_read() {
    let texts = [
        "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
        "8/8/8/8/8/8/8/8 b - a3 7 9",
        "8/8/8/4k3/4p3/8/8/4K3 w - h6 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq d3 0 1",
    ];
    for board in texts.map(|text| fen::read(text).unwrap()) {
        let images = symmetry::symmetric_boards(&board);
        assert_eq!(images[0], board);
        for image in images {
            assert_eq!(Board::from_bytes(&image.to_bytes()).as_ref(), Ok(&image), "{}", fen::write(&image));
            assert_eq!(fen::read(&fen::write(&image)).as_ref(), Ok(&image));
        }
    }
}

#[test]
fn games_survive_uci_and_pgn() {
    for played in games(400, 120) {
        let view = played.game.view();
        let text = uci::write(view).unwrap();
        let again = uci::read(&text).unwrap();
        assert_eq!(again.view().moves(), view.moves(), "{text}");
        assert_eq!(again.view().start_board().unwrap(), view.start_board().unwrap());
        let tags = [("White", "A \"B\" \\C"), ("Event", "?"), ("Note", "x\ny"), ("FEN", "none of it")];
        let text = write_pgn::write(view, &tags).unwrap();
        assert!(text.lines().all(|line| line.starts_with('[') || line.len() < 80), "{text}");
        let mut games = read_pgn::games(&text);
        let read = games.next().unwrap();
        assert_eq!(read.game.unwrap(), played.game, "{text}");
        assert!(read.tags.iter().any(|(name, value)| *name == "White" && value == "A \"B\" \\C"));
        assert!(read.tags.iter().any(|(name, value)| *name == "Note" && value == "x y"));
        assert!(games.next().is_none());
    }
    for bad in ["startpos e2e4", "fen 8/8 moves", "fen 8/8/8/8/8/8/8/8 w moves", "e2e4 Nf6", "e2e4 e2e4", "0000"] {
        assert!(uci::read(bad).is_err(), "{bad}");
    }
    assert_eq!(uci::read("position startpos moves e2e4").unwrap(), movetext::read("1. e4").unwrap());
    assert_eq!(uci::read("position startpos").unwrap(), movetext::read("").unwrap());
}

#[test]
fn openings_do_not_depend_on_the_order_of_moves() {
    let of = |text: &str| openings::of_game(movetext::read(text).unwrap().view()).unwrap().map(|o| o.eco);
    assert_eq!(of("1. d4 Nf6 2. c4 e6 3. Nc3 Bb4"), of("1. c4 e6 2. Nc3 Bb4 3. d4 Nf6"));
    assert_eq!(of("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Rg1 h6 7. Rh1"), Some("B90"));
    assert_eq!(of(""), None);
}

/// Published keys of the Polyglot book format.
#[test]
fn polyglot_keys() {
    for (moves, expected) in [
        ("", 0x463b_9618_1691_fc9c_u64),
        ("1. e4", 0x823c_9b50_fd11_4196),
        ("1. e4 d5", 0x0756_b944_61c5_0fb0),
        ("1. e4 d5 2. e5", 0x662f_afb9_65db_29d4),
        ("1. e4 d5 2. e5 f5", 0x22a4_8b5a_8e47_ff78),
        ("1. e4 d5 2. e5 f5 3. Ke2", 0x652a_607c_a3f2_42c1),
        ("1. e4 d5 2. e5 f5 3. Ke2 Kf7", 0x00fd_d303_c946_bdd9),
        ("1. a4 b5 2. h4 b4 3. c4", 0x3c81_23ea_7b06_7637),
        ("1. a4 b5 2. h4 b4 3. c4 bxc3 4. Ra3", 0x5c3f_9b82_9b27_9560),
    ] {
        let game = movetext::read(moves).unwrap();
        let board = game.view().board_at(game.view().ply_count()).unwrap().unwrap();
        assert_eq!(key::polyglot_key(&board), expected, "{moves}");
    }
}
