//! The access method `chess`: one index over games for every question about positions and openings.
//!
//! PostgreSQL calls the functions of [`handler`]. Games come in by [`build`] and [`insert`], row pointers go out by
//! [`scan`]. The bytes are those of the crate `chess-index`; this folder gives it pages, locks, WAL and temporary files.
//!
//! * [`handler`]: the functions of the access method; [`options`]: its options; [`validate`]: its operator classes
//! * [`pages`]: buffers, their locks, changes that are logged; [`metapage`]: block 0; [`segments`]: pages of a segment
//! * [`build`]: CREATE INDEX; [`spill`]: its temporary file
//! * [`insert`]: a game to the pending ones; [`pending`]: their pages; [`flush`]: pending games to a segment; [`merge`]:
//!   segments to one
//! * [`scan`]: a bitmap scan; [`question`]: the scan keys as a question; [`cost`]: the planner's estimate
//! * [`vacuum`]: dead rows
//! * [`inspect`]: what owners ask about an index
//!
//! # Shape
//!
//! Block 0 lists the segments, the pending games and the blocks that each owns ([`chess_index::meta`]). Segments do not
//! change but for their masks of dead games. An INSERT appends to the last pending page. When enough games are pending, a
//! flush closes their list and writes a segment of them; merges write one segment of several.
//!
//! # Locks, in the order in which they are taken
//!
//! 1. The *merge lock*, an [`pages::IndexLock`]: held by a merge and by VACUUM while it marks dead games, so that no merge
//!    copies a segment whose mask changes. An INSERT takes it only if it is free.
//! 2. The *flush lock*, another one: held while pending games become a segment. An INSERT takes it only if it is free.
//! 3. The buffer lock of the metapage, before that of any other page.
//! 4. The buffer lock of one other page. Nobody waits for the metapage while holding it.
//!
//! # Readers
//!
//! A scan copies the metapage, then one page after the other, and holds no lock between them. A merge or a flush frees
//! blocks by one change of the metapage, and they may be used again at once. Every page has the number of its segment in
//! its head, and numbers are never used again, so a scan notices a page of another segment: it reads the metapage again
//! and begins anew ([`segments::read_sound`]). A standby replays the same changes in the same order, so this holds there,
//! too. A row pointer that a scan returns may have been removed by VACUUM and used again in the meantime: the executor
//! asks the row itself, with a snapshot that does not see the new one.
//!
//! # Crashes
//!
//! The pages of a segment are logged first; then one change of the metapage makes it live and drops what it replaces. A
//! segment that was not finished is still listed as such, and the next holder of the lock under which it was written
//! drops it. Nothing else refers to its blocks.

mod build;
mod cost;
mod flush;
mod handler;
mod insert;
mod inspect;
mod merge;
mod metapage;
mod options;
mod pages;
mod pending;
mod question;
mod scan;
mod segments;
mod spill;
mod vacuum;
mod validate;

pub use options::init;
#[cfg(feature = "pg_test")]
pub use scan::rows_while;
