//! The handlers: one file for each path or group of paths. They read a question, wait for a turn, run its queries and answer
//! with JSON. [`rows`] reads what several of them share.

pub mod app;
pub mod corrections;
pub mod endings;
pub mod engines;
pub mod evaluations;
pub mod explorer;
pub mod export;
pub mod findings;
pub mod game;
pub mod games;
pub mod lichess;
pub mod live_engine;
pub mod lookup;
pub mod monitor;
pub mod novelty;
pub mod puzzles;
pub mod repertoires;
pub mod reports;
pub mod rows;
pub mod status;
pub mod tablebase;
pub mod tournaments;
pub mod tree;
pub mod uploads;
