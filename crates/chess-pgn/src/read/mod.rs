//! Input, from bytes to rows that are ready to be sent, from top to bottom:
//!
//! 1. [`source`]: opens what the user names, as uncompressed streams of PGN; ocgdb databases go to [`ocgdb`],
//!    [`scid`] reads those of Scid and `parquet` Parquet files, whose games are [`as_pgn`],
//!    [`unpack`] decompresses, [`utf16`] converts text of that encoding
//! 2. [`cuts`]: finds places in bytes where a game certainly begins
//! 3. [`split`]: splits a stream into pieces of some MiB that end between games
//! 4. [`encoding`]: decodes the bytes of a piece to text
//! 5. [`parse`]: finds the games of the text and their places, and drops games that the [`condition`] of `--where` excludes
//! 6. [`record`]: converts tags and comments of a game to the columns of a row
//!
//! A module uses only those below it, except for the two that read whole sources.

pub mod as_pgn;
pub mod condition;
pub mod cuts;
mod dos;
pub mod encoding;
pub mod hash;
pub mod ocgdb;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod parse;
pub mod record;
pub mod scid;
pub mod source;
pub mod split;
pub mod unpack;
pub mod utf16;
