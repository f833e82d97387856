//! Shared by all programs that connect to the server: connections ([`settings`], [`tls`], [`connection`]) and the
//! tables ([`schema`], [`names`]).
//!
//! [`settings::Settings`] are found from the user's description of the database. They give a blocking connection
//! ([`settings::Settings::connect`]) or the parts of an asynchronous one ([`settings::Settings::attempts`]).
//! [`schema::Schema`] creates the tables or upgrades those of an earlier version, from scripts whose placeholders
//! [`template`] fills in; [`layout`] partitions them; [`gather`] combines those of several servers, and [`features`] says what
//! these lack. [`door`] protects
//! programs from code of other roles. [`order`] defines the order of lists. [`names`] maps names of players, events and
//! sites to ids, and [`lichess`] addresses of lichess's games to numbers. [`pgn`] writes stored games as PGN.
//! [`errors`] says what went wrong, and [`terminal`] keeps what others say from commanding a terminal.

#![forbid(unsafe_code)]

pub mod connection;
pub mod conninfo;
pub mod door;
pub mod errors;
pub mod features;
pub mod gather;
pub mod layout;
pub mod lichess;
pub mod locks;
pub mod names;
pub mod order;
pub mod passfile;
pub mod pgn;
pub mod plies;
pub mod schema;
pub mod servicefile;
pub mod settings;
pub mod shards;
pub mod template;
pub mod terminal;
pub mod tls;
pub mod unite;
pub mod wire;
