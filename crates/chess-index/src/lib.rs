//! Segments of an index of games, as functions over bytes.
//!
//! Takes games with their rows; returns pages in which a board finds its games. Nothing here knows PostgreSQL: the access
//! method `chess` will give pages and temporary files through three traits, [`source::Pages`], [`sink::Sink`] and
//! [`sink::Spill`]. docs/format.md describes every byte.
//!
//! * [`mask`]: games that are dead
//! * [`key`]: which keys a question asks for
//!
//! A segment never changes, but for its mask of dead games. Its games are numbered from 0; its lists name these numbers. A search
//! finds all games that are asked for and a few others: the caller asks the game itself.
//!
//! Every reader is total: whatever the bytes are, it answers or returns a [`fault::Fault`], in bounded time and memory.

#![forbid(unsafe_code)]

mod bits;
pub mod block;
mod crc;
mod directory;
pub mod fault;
pub mod key;
mod leaf;
pub mod mask;
pub mod page;
pub mod rows;
pub mod sink;
pub mod source;
