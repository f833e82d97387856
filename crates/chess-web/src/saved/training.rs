//! `/api/notebooks/{id}/training`: the positions of a notebook in which its owner moves, each asked again when it is due.
//!
//! Training asks for positions, not for nodes. A position that several lines reach is asked once. What is remembered of it
//! stays when its branch is deleted, and counts again when the branch comes back.

use std::collections::HashMap;

use axum::Json;
use chess_core::board::fen;
use chess_core::facts::rules;
use serde::Deserialize;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::database::query::{Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::body::{Body, text};
use crate::http::path::Path;
use crate::saved::memory::Memory;
use crate::saved::notebooks;
use crate::saved::visitor::Visitor;

/// The number of positions that an answer names ahead, so that training can go on without the network.
const AHEAD: usize = 200;
/// The highest age of an answer that a browser kept while the server was away, in seconds.
const OLDEST: u32 = 366 * 86_400;
/// The most positions of a notebook that are remembered. Those of branches that were deleted are among them.
pub const POSITIONS: i64 = 20_000;
/// The longest key of an answer, in characters.
const KEY: usize = 40;

/// The body of an answer. Without a move the visitor has given up.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    node: i64,
    uci: Option<String>,
    /// How many seconds ago it was given, if the server could not be reached then.
    #[serde(default)]
    ago: u32,
    /// What a client names the answer. Two answers with the same key are one that was sent twice, because the reply was lost.
    #[serde(default)]
    key: String,
}

/// A position that is asked.
struct Card {
    /// The first node with it.
    node: i64,
    fen: String,
    /// The moves of the notebook, in UCI.
    moves: Vec<String>,
}

/// What is stored of a position.
struct Stored {
    memory: Memory,
    /// The time since the last answer.
    days: f64,
    /// How many days after the last answer the position is asked again.
    interval: i64,
    is_due: bool,
    due: String,
}

/// The positions of a notebook in which its owner moves, and what is remembered of them. A position is known by the first
/// four fields of its FEN.
struct Deck {
    /// The positions as they come in the notebook.
    order: Vec<String>,
    cards: HashMap<String, Card>,
    stored: HashMap<String, Stored>,
}

/// The first four fields of a FEN. The en passant square counts only where a capture is legal.
pub fn place(text: &str) -> Option<String> {
    Some(fen::write_epd(&fen::read(text).ok()?))
}

/// A notebook has too many positions that are remembered.
pub fn full() -> Failure {
    Failure::bad(format!("training remembers at most {POSITIONS} positions of a notebook"))
}

impl Deck {
    async fn read(visitor: &Visitor, id: i64) -> Outcome<Deck> {
        let text = "SELECT color FROM chess_web.notebooks WHERE id = {} AND session_id = {}";
        let row = visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
        let own = match row.get::<_, Option<&str>>("color") {
            Some("white") => " w ",
            Some(_) => " b ",
            None => return Err(Failure::bad("training is for one side").hint("choose the colour of the notebook")),
        };
        let nodes = notebooks::nodes(visitor, id).await?;
        let asked = |row: &&Row| row.get::<_, &str>("fen").contains(own);
        let places: HashMap<i64, (String, &str)> = nodes
            .iter()
            .filter(asked)
            .filter_map(|row| Some((row.get("id"), (place(row.get("fen"))?, row.get("fen")))))
            .collect();
        let (mut order, mut cards) = (Vec::new(), HashMap::new());
        for row in &nodes {
            let parent: Option<i64> = row.get("parent");
            let Some((node, (place, fen))) = parent.and_then(|node| Some((node, places.get(&node)?))) else { continue };
            let card = cards.entry(place.clone()).or_insert_with(|| {
                order.push(place.clone());
                Card { node, fen: (*fen).to_owned(), moves: Vec::new() }
            });
            let uci: String = row.get("uci");
            if !card.moves.contains(&uci) {
                card.moves.push(uci);
            }
        }
        let text = "SELECT position, stability, difficulty, extract(epoch FROM now() - answered)::float8 / 86400 AS days, \
                    round(extract(epoch FROM due - answered) / 86400)::bigint AS interval, due <= now() AS is_due, to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') AS due \
                    FROM chess_web.training WHERE notebook_id = {}";
        let rows = visitor.rows(Query::new(text, [id.into()])).await?;
        let stored = |row: &Row| {
            let memory = Memory { stability: row.get("stability"), difficulty: row.get("difficulty") };
            let (days, interval) = (row.get("days"), row.get("interval"));
            Stored { memory, days, interval, is_due: row.get("is_due"), due: row.get("due") }
        };
        let stored = rows.iter().map(|row| (row.get("position"), stored(row))).collect();
        Ok(Deck { order, cards, stored })
    }

    /// Lists the positions to ask: those that are due, beginning with the longest overdue, then those that were never asked; and
    /// counts both.
    fn json(&self) -> Json_ {
        let known = || self.order.iter().filter_map(|place| Some((place, self.stored.get(place)?)));
        let mut due: Vec<_> = known().filter(|(_, stored)| stored.is_due).collect();
        due.sort_by(|one, other| one.1.due.cmp(&other.1.due));
        let never = self.order.iter().filter(|place| !self.stored.contains_key(*place));
        let queue: Vec<&Card> =
            due.iter().map(|(place, _)| *place).chain(never).take(AHEAD).map(|place| &self.cards[place]).collect();
        json!({
            "total": self.order.len(),
            "due": due.len(),
            "new": self.order.len() - known().count(),
            "next": queue.first().map(|card| json!({ "node": card.node, "fen": card.fen })),
            "queue": queue.iter().map(|card| card.node).collect::<Vec<_>>(),
            "soonest": known().map(|(_, stored)| stored.due.as_str()).min(),
        })
    }
}

/// What is to be asked next, and how much there is.
pub async fn read(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    Ok(Json(Deck::read(&visitor, id).await?.json()))
}

/// Takes an answer: whether it is right, the moves of the notebook, and when the position is due again.
pub async fn answer(visitor: Visitor, Path(id): Path<i64>, Body(answer): Body<Answer>) -> Outcome<Json<Json_>> {
    if answer.ago > OLDEST {
        return Err(Failure::bad(format!("\"ago\" is at most {OLDEST} seconds")));
    }
    let key = text("key", &answer.key, KEY, true)?;
    let mut deck = Deck::read(&visitor, id).await?;
    let gone = || Failure::missing("the notebook does not ask this position any more");
    let node = notebooks::find(&visitor, id, answer.node).await?;
    let place = place(node.get("fen")).ok_or_else(gone)?;
    let card = deck.cards.get(&place).ok_or_else(gone)?;
    let board = fen::read(&card.fen).map_err(|error| Failure::bad(error.to_string()))?;
    let given = match &answer.uci {
        None => None,
        Some(text) => {
            let shown: String = text.chars().take(20).collect();
            let illegal = |_| Failure::bad(format!("\"{shown}\" is not a legal move there"));
            Some(rules::spell(&board, text).map_err(illegal)?.1)
        }
    };
    let right = given.is_some_and(|uci| card.moves.contains(&uci));
    let moves = card.moves.clone();
    let memory = match deck.stored.get(&place) {
        None if deck.stored.len() as i64 >= POSITIONS => return Err(full()),
        None => Memory::first(right),
        Some(stored) => stored.memory.after(stored.days - f64::from(answer.ago) / 86_400.0, right),
    };
    // what was wrong is asked again at the end of what is due
    let days = if right { memory.interval() } else { 0 };
    let store = include_str!("sql/store_answer.sql");
    let Memory { stability, difficulty } = memory;
    let ago = f64::from(answer.ago);
    let position: Value = place.as_str().into();
    let key: Value = key.into();
    let values =
        [id.into(), position.clone(), stability.into(), difficulty.into(), days.into(), key.clone(), ago.into()];
    match visitor.row(Query::new(store, values)).await? {
        Some(row) => {
            let (is_due, due) = (row.get("is_due"), row.get("due"));
            deck.stored.insert(place.clone(), Stored { memory, days: 0.0, interval: days.into(), is_due, due });
        }
        // it came before, or was given before the one that is stored: only its key is news
        None => {
            let add = include_str!("sql/add_key.sql");
            visitor.rows(Query::new(add, [key.clone(), id.into(), position, key])).await?;
            deck = Deck::read(&visitor, id).await?;
        }
    }
    let Stored { interval, due, .. } = deck.stored.get(&place).ok_or_else(gone)?;
    Ok(Json(json!({ "right": right, "moves": moves, "days": interval, "due": due, "training": deck.json() })))
}

/// Forgets all answers about a notebook.
pub async fn forget(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let text = "WITH book AS (SELECT id FROM chess_web.notebooks WHERE id = {} AND session_id = {}), \
                gone AS (DELETE FROM chess_web.training t USING book WHERE t.notebook_id = book.id) SELECT id FROM book";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    read(visitor, Path(id)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_the_same_if_nothing_can_be_taken_en_passant() {
        let after = |fen: &str| place(fen).unwrap();
        let same = after("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
        assert_eq!(same, after("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 7"));
        assert!(after("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3").ends_with(" e3"));
    }
}
