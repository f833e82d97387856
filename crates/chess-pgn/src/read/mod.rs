//! Input, from bytes to rows that are not yet sent, from top to bottom:
//!
//! 1. [`source`]: what a user names becomes streams of PGN, unpacked; databases of ocgdb have [`ocgdb`]
//! 2. [`cuts`]: where in bytes a game begins whatever stands before
//! 3. [`split`]: a stream to pieces of some MiB that end between games
//! 4. [`encoding`]: the bytes of a piece to text
//! 5. [`parse`]: the text to games, each with its place
//! 6. [`record`]: a game's tags and comments to the columns of a row, with [`dates`]
//!
//! A file uses only those below it in this list, except for the two that read whole sources.

pub mod cuts;
pub mod dates;
pub mod encoding;
pub mod ocgdb;
pub mod parse;
pub mod record;
pub mod source;
pub mod split;
