//! The access method `chess`: one index over games and their attributes for every question about positions and openings.
//!
//! PostgreSQL calls the functions of [`handler`]. [`build`] and [`insert`] take games, [`scan`] returns row pointers.
//! The crate `chess-index` defines the bytes; this folder provides pages, locks, WAL and temporary files.
//!
//! * [`handler`]: the functions of the access method; [`options`]: its options; [`validate`]: its operator classes
//! * [`pages`]: buffers, their locks, changes that are logged; [`metapage`]: block 0; [`segments`]: pages of a segment;
//!   [`new_segment`]: writes them; [`row_pointers`]: rows of the table
//! * [`known_pages`]: pages that a session keeps; [`changes`]: when it must forget them
//! * [`attributes`]: the columns after the game
//! * [`build`]: CREATE INDEX; [`build_share`]: what each of its processes does; [`parallel_build`]: its workers; [`spill`]:
//!   their temporary files
//! * [`insert`]: adds a game to the pending ones; [`pending`]: reads their pages; [`flush`]: writes them to a segment;
//!   [`merge`]: merges segments
//! * [`scan`]: a bitmap scan; [`tuples`]: a plain index scan; [`question`]: converts scan keys to a question
//! * [`cost`]: the planner's estimate of a scan; [`counts`]: of the games with a constant board or pattern
//! * [`sums`]: sums over the games with a position, for aggregates and the opening explorer
//! * [`vacuum`]: marks dead rows
//! * [`inspect`]: functions for the owner of an index
//!
//! # Shape
//!
//! Block 0 lists the segments, the pending games and the blocks that each of them owns ([`chess_index::meta`]). A
//! segment is immutable except for its mask of dead games. An INSERT appends to the last pending page. A full list of
//! pending games is closed; when enough games are pending, a flush writes the oldest list to a segment. Merges combine several
//! segments into one.
//!
//! # Locks, in the order in which they are taken
//!
//! 1. The *merge lock*, an [`pages::IndexLock`]: held by a merge and by VACUUM while it marks dead games, so that no merge
//!    copies a segment whose mask changes. An INSERT takes it only if it is free.
//! 2. The *flush lock*, also an `IndexLock`: held while pending games are written to a segment. An INSERT takes it only
//!    if it is free.
//! 3. The *reuse lock*, also an `IndexLock`: shared by readers while they read pages. A session that needs blocks never waits
//!    for it: while a reader holds it, the session takes blocks after the end of the file.
//! 4. The buffer lock of the metapage, before that of any other page.
//! 5. The buffer lock of one other page. Nobody waits for the metapage while holding it.
//!
//! # Readers
//!
//! A scan copies the metapage, then one page after the other, and holds no lock between them. A merge or a flush frees
//! blocks by one change of the metapage, and they may be reused at once. Every page has the number of its segment in
//! its head, and numbers are never reused, so a scan that meets a page of another segment reads the metapage again and
//! restarts ([`segments::read_sound`]). A standby replays the same changes in the same order, so this holds there, too.
//! After several restarts, a reader takes the reuse lock before it reads the metapage. While it holds the lock, the pages that
//! the metapage lists do not change, so the reader ends however many games are inserted meanwhile. A standby has no such lock.
//! A plain index scan that restarts skips the rows that it has returned ([`tuples`]).
//! VACUUM may meanwhile remove the row of a row pointer that a scan returns, and another row may reuse the pointer: the
//! executor's snapshot does not see that row.
//!
//! # Crashes
//!
//! The pages of a segment are logged first; then one change of the metapage makes it live and drops what it replaces. A
//! segment that was not finished is still listed as such, and the next holder of the lock under which it was written
//! drops it. Nothing else refers to its blocks.

pub mod attributes;
mod build;
mod build_share;
mod candidates;
mod changes;
mod cost;
mod counts;
mod flush;
mod handler;
mod insert;
mod inspect;
mod known_pages;
mod merge;
mod metapage;
mod new_segment;
mod options;
mod pages;
mod parallel_build;
mod pending;
mod question;
mod row_pointers;
mod scan;
mod segments;
mod spill;
pub mod sums;
mod tuples;
mod vacuum;
mod validate;

#[cfg(feature = "pg_test")]
pub use build_share::MOST_GAMES;
pub use counts::{Counts, Which};
pub use options::init;
#[cfg(feature = "pg_test")]
pub use scan::rows_while;
#[cfg(feature = "pg_test")]
pub use tuples::rows_while as tuples_while;
