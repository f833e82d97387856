//! What every program of this project that speaks to a server shares: how the server is reached
//! ([`settings`], [`tls`], [`connection`]) and what it holds ([`schema`], [`names`]).
//!
//! A way in: what the user says about the database becomes [`settings::Settings`], those become a
//! connection, blocking ([`settings::Settings::connect`]) or the parts of an asynchronous one
//! ([`settings::Settings::attempts`]). [`schema::Schema`] makes the tables there, or moves those of an
//! earlier version on, partitioned by a [`layout`] if one is asked for, and [`gather`] makes one schema of those of several
//! servers; [`door`] keeps a program away from what belongs to somebody else; [`order`] says how games are listed; [`names`] turns names of players, events and sites into their numbers.

#![forbid(unsafe_code)]

pub mod connection;
pub mod conninfo;
pub mod door;
pub mod gather;
pub mod layout;
pub mod names;
pub mod order;
pub mod passfile;
pub mod plies;
pub mod schema;
pub mod servicefile;
pub mod settings;
pub mod shards;
pub mod tls;
