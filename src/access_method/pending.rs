//! Reads pages of pending games; returns their rows and games.

use chess_core::GameRef;
use chess_index::page::Page;
use chess_index::pending::RowReader;
use chess_index::rows::Row;

use crate::access_method::pages::Index;
use crate::access_method::segments::{PartPages, Replaced};

/// Calls `found` with the rows of a page of pending games, and their games.
pub fn each_row(
    index: Index,
    pages: &PartPages<'_>,
    page: u32,
    found: impl FnMut(Row, Option<&[u8]>),
) -> Result<(), Replaced> {
    let content = pages.content(page)?;
    let mut reader = RowReader::default();
    let read = Page::read(&content).and_then(|head| reader.read(&head, found)).and_then(|()| reader.end());
    read.unwrap_or_else(|broken| index.damaged(pages.block(page), broken.0));
    Ok(())
}

/// A pending game. INSERT has decoded it before, so it is damaged if it does not decode now.
pub fn decode<'a>(index: Index, pages: &PartPages<'_>, page: u32, game: &'a [u8]) -> GameRef<'a> {
    GameRef::new(game).unwrap_or_else(|_| index.damaged(pages.block(page), "a pending game does not decode"))
}
