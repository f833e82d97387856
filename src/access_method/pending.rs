//! Reads pages of pending games; returns their rows, attributes and games, or the rows that answer a question.

use chess_core::GameRef;
use chess_index::attributes::Value;
use chess_index::page::Page;
use chess_index::pending::RowReader;
use chess_index::rows::Row;

use crate::access_method::attributes;
use crate::access_method::pages::Index;
use crate::access_method::question::{Condition, Question};
use crate::access_method::segments::{PartPages, Replaced};

/// Calls `found` with the rows of a page of pending games, their attributes and their games.
pub fn each_row(
    index: Index,
    pages: &PartPages<'_>,
    page: u32,
    found: impl FnMut(Row, &[Value], Option<&[u8]>),
) -> Result<(), Replaced> {
    let content = pages.content(page)?;
    let mut reader = RowReader::new(attributes::columns(index).into());
    let read = Page::read(&content).and_then(|head| reader.read(&head, found)).and_then(|()| reader.end());
    read.unwrap_or_else(|broken| index.damaged(pages.block(page), broken.0));
    Ok(())
}

/// A pending game. INSERT has decoded it before, so it is damaged if it does not decode now.
pub fn decode<'a>(index: Index, pages: &PartPages<'_>, page: u32, game: &'a [u8]) -> GameRef<'a> {
    GameRef::new(game).unwrap_or_else(|_| index.damaged(pages.block(page), "a pending game does not decode"))
}

/// Calls `found` with the rows of a page of pending games that answer the question.
pub fn each_match(
    index: Index,
    pages: &PartPages<'_>,
    page: u32,
    question: &Question,
    mut found: impl FnMut(Row),
) -> Result<(), Replaced> {
    each_row(index, pages, page, |row, values, game| {
        if !question.filters.iter().all(|filter| filter.is_met(values)) {
            return;
        }
        let is_found = question.conditions.is_empty()
            || game.is_some_and(|game| {
                let game = decode(index, pages, page, game);
                question.conditions.iter().all(|condition| is_met(index, pages, page, condition, game))
            });
        if is_found {
            found(row);
        }
    })
}

/// Whether a pending game fulfils a condition.
fn is_met(index: Index, pages: &PartPages<'_>, page: u32, condition: &Condition, game: GameRef<'_>) -> bool {
    condition.is_met(game).unwrap_or_else(|_| index.damaged(pages.block(page), "a pending game does not decode"))
}
