//! The language of patterns: its text and its tree.
//!
//! [`lex`], with [`literals`] and a [`cursor`], cuts the text into [tokens](token), [`parse`] makes a [`tree`] of them, and
//! [`write`](mod@write) gives a tree its one spelling. An [`error`] says what is wrong and where, with [`advice`] for what
//! other programs write. Nothing in here knows how a pattern is searched.

mod advice;
mod cursor;
pub mod error;
mod lex;
mod literals;
pub mod parse;
mod token;
pub mod tree;
pub mod write;
