//! Segments of an index of games, as functions over bytes.
//!
//! Takes games with their rows; returns pages in which a search finds the games of a board. The crate does not depend
//! on PostgreSQL: the access method `chess` provides pages and temporary files through three traits,
//! [`source::Pages`], [`sink::Sink`] and [`sink::Spill`]. docs/format.md describes every byte.
//!
//! * [`build`]: games to a segment
//! * [`search`]: a question to lists, games and rows
//! * [`common`]: lists to the games that they have in common, one after the other
//! * [`select`]: the keys of patterns to games
//! * [`merge`]: segments to one segment without dead games
//! * [`check`]: verifies every byte of a segment
//! * [`attributes`]: columns of numbers beside the games, and conditions on them
//! * [`columns`]: whole columns of a page of them
//! * [`sums`]: sums of them over the games of long lists
//! * [`grouping`]: what these games are grouped by, for sums by groups
//! * [`summed`]: the columns for that, and those that rank games
//! * [`ranking`]: games in the order of their ratings or days
//! * [`pending`]: games that are not in a segment yet
//! * [`mask`]: dead games
//! * [`meta`]: the first page of an index, which lists its segments and their blocks
//! * [`tiers`]: which segments to merge
//! * [`key`]: the keys to look up for a question
//! * [`members`]: which of a few games are in a list
//! * [`recent`]: what was read and is kept, until other things are used more
//!
//! A segment is immutable except for its mask of dead games. Its games are numbered from 0, and its posting lists
//! contain these numbers. A search returns all matching games and some false candidates, so the caller rechecks each
//! game.
//!
//! Every reader accepts any bytes: it returns an answer or a [`fault::Fault`], in bounded time and memory.
//!
//! ```
//! use chess_core::Board;
//! use chess_core::text::movetext;
//! use chess_index::build::Builder;
//! use chess_index::key::Question;
//! use chess_index::page::room;
//! use chess_index::rows::Row;
//! use chess_index::writer::Shape;
//!
//! let shape = Shape { patterns: true, ..Shape::of_keys(1, room(8192)) };
//! let (mut builder, mut pages) = (Builder::new(shape, 1 << 20, Vec::new()), Vec::new());
//! for (block, text) in ["1. e4 e5", "1. d4 d5"].into_iter().enumerate() {
//!     let game = movetext::read(text)?;
//!     builder.add(Row { block: block as u32, offset: 1 }, Some(game.view()), &[], &mut pages)?;
//! }
//! let segment = builder.finish(&mut pages)?;
//! let board = movetext::read("1. d4")?.view().board_at(1).unwrap().unwrap();
//! assert_eq!(segment.games(&pages[..], &Question::position(&board, u32::MAX))?, [1]);
//! assert_eq!(segment.games(&pages[..], &Question::position(&Board::default(), u32::MAX))?, [0, 1]);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod attributes;
mod bits;
pub mod block;
mod block_writer;
pub mod build;
pub mod check;
mod checked_sums;
pub mod columns;
pub mod common;
mod directory;
pub mod fault;
mod frequent;
pub mod grouping;
mod groups;
pub mod key;
pub mod leaders;
mod leaf;
pub mod mask;
pub mod members;
pub mod merge;
pub mod meta;
pub mod page;
mod pattern_key;
pub mod pending;
pub mod ranges;
pub mod ranking;
pub mod recent;
mod record;
pub mod rows;
mod runs;
pub mod search;
pub mod segment;
pub mod select;
pub mod sink;
pub mod source;
pub mod summed;
pub mod summing;
pub mod sums;
mod sums_writer;
pub mod tiers;
mod walk;
pub mod writer;
