//! Chess games in about one byte per half-move, and searches in them.
//!
//! Takes PGN text, FEN and stored bytes; returns games, boards, found positions, and text. Nothing here depends on a
//! database, so the server and the loader share one definition of every byte.
//!
//! The folders follow the path of a game; each uses only those before it.
//!
//! * [`board`]: positions with six FEN fields; FEN, sets of squares, hashes, pictures
//! * [`game`]: packed games, whose bytes `docs/format.md` describes; replay, legality of moves, recording
//! * [`text`]: PGN, move text, SAN, UCI, comments, and two-byte codes of moves
//! * [`search`]: searches for a board, a material or a pattern in a game; index keys
//! * [`facts`]: moves, positions, openings, and the status under the rules
//!
//! [`pause`] lets the caller interrupt long work.
//!
//! Lists of legal moves and the legality of boards come from [`shakmaty`]; everything else is tested against it.
//!
//! # Examples
//!
//! PGN is read into packed games, which are bytes to store; text is written from them:
//!
//! ```
//! use chess_core::text::{movetext, read_pgn};
//! use chess_core::{Game, GameRef};
//!
//! let text = "[White \"Morphy\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 {a weak move} *\n\n[White \"Short\"]\n\n1. e4 e6 2. Ke4 *\n";
//! let mut read = read_pgn::games(text);
//!
//! let game: Game = read.next().unwrap().game.unwrap();
//! assert_eq!(game.as_bytes().len(), 11);
//! assert_eq!(movetext::write(game.view())?, "1. e4 e5 2. Nf3 d6 3. d4 Bg4");
//!
//! // a game that breaks off keeps the moves before the error
//! let incomplete = read.next().unwrap().game.unwrap_err();
//! assert_eq!(incomplete.prefix.unwrap().view().ply_count(), 2);
//!
//! // bytes from outside are checked once; a view of checked bytes only reads their header
//! let stored = game.into_bytes();
//! assert_eq!(Game::from_bytes(&stored)?.view().ply_count(), 6);
//! assert_eq!(GameRef::new(&stored)?.ply_count(), 6);
//! assert!(Game::from_bytes(&stored[..10]).is_err());
//! # Ok::<_, chess_core::CorruptGame>(())
//! ```
//!
//! A board is prepared once and searched for in many games, and so is a pattern:
//!
//! ```
//! use chess_core::board::fen;
//! use chess_core::search::finder::Matching;
//! use chess_core::search::pattern::Pattern;
//! use chess_core::text::movetext;
//! use chess_core::Finder;
//!
//! let games = ["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6", "1. Nf3 Nc6 2. e4 e5 3. Bb5 Nf6 4. O-O", "1. d4 d5"];
//! let games = games.map(|text| movetext::read(text).unwrap());
//!
//! let spanish = fen::read("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -").unwrap();
//! let finder = Finder::new(&spanish, Matching::Position);
//! let found: Vec<_> = games.iter().map(|game| finder.find(game.view(), u32::MAX).unwrap()).collect();
//! assert_eq!(found, [Some(5), Some(5), None]);
//!
//! let mut exchange = Pattern::read("Bxnc6").unwrap().matcher();
//! let found: Vec<_> = games.iter().map(|game| exchange.find(game.view(), u32::MAX).unwrap()).collect();
//! assert_eq!(found, [Some(7), None, None]);
//! ```
//!
//! Boards have FENs, legal moves and pictures, games a name of their opening and a status:
//!
//! ```
//! use chess_core::board::{diagram, fen};
//! use chess_core::facts::{openings, rules};
//! use chess_core::text::movetext;
//!
//! let game = movetext::read("1. f3 e5 2. g4 Qh4#").unwrap();
//! let board = game.view().board_at(4)?.expect("the game has four half-moves");
//! assert_eq!(fen::write(&board), "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
//! assert_eq!(rules::status_of_game(game.view())?.as_str(), "black wins");
//! assert_eq!(openings::of_game(game.view())?.unwrap().name, "Barnes Opening: Fool's Mate");
//! assert!(game.view().board_at(5)?.is_err());
//! # Ok::<_, chess_core::CorruptGame>(())
//! ```
//!
//! # Stability
//!
//! * **Stored bytes are a promise.** Every version reads what an earlier one wrote, in the same order, and writes it
//!   again unchanged: games, boards, positions, and the keys of indexes. A new format gets a new version number in its
//!   first byte. Golden files in `tests/golden` pin the bytes.
//! * **Text that this crate writes**, every later version reads as the same value. Of other texts, later versions may
//!   accept more, or refuse what could not be written and read again.
//! * The table of openings is replaced from time to time, so the opening of a game may change with the version.
//! * **The interface is not a promise yet.** It follows the PostgreSQL extension and its tools, whose version it has;
//!   in a minor version, items may be renamed or get other arguments. Enums of errors may get members.
//! * [`shakmaty`] is part of the interface ([`Board::position`], [`facts::moves::legal_moves`]) and pinned to one
//!   version.
//! * Rust 1.95 or later; no unsafe code, no panic on any input.

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "modules open with what their private files do, for contributors")]

pub mod board;
pub mod facts;
pub mod game;
pub mod pause;
pub mod search;
pub mod text;
pub mod varint;

pub use board::Board;
pub use game::{CorruptGame, Game, GameRef, GameResult};
pub use search::finder::Finder;
