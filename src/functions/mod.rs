//! The SQL functions, declared in `sql/`.

pub mod annotated;
pub mod boards;
pub mod chessboard;
pub mod chessgame;
pub mod chessposition;
pub mod counts;
pub mod kept;
pub mod moves;
pub mod names;
pub mod openings;
pub mod parts;
pub mod patterns;
pub mod pictures;
pub mod read_pgn;
pub mod report_groups;
pub mod search;
pub mod square_sets;
pub mod tablebases;
pub mod two_byte_moves;
pub mod write_pgn;
