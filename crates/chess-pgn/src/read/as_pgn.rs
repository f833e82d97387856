//! Games that are not stored as PGN, as a stream of PGN: their texts come in one after the other, bytes go out.

use std::io::{self, Read};

use chess_core::text::write_pgn::push_tag;

/// Games in their order.
pub trait Games {
    /// Appends the next game to `text`. False at the end.
    ///
    /// # Errors
    ///
    /// What follows cannot be read.
    fn next_game(&mut self, text: &mut String) -> io::Result<bool>;
}

/// A stream of PGN.
pub struct AsPgn<G> {
    games: G,
    text: String,
    /// How many bytes of the text were read.
    read: usize,
    /// Why there are no more games.
    damage: Option<io::Error>,
}

impl<G: Games> AsPgn<G> {
    /// The stream of these games.
    pub fn new(games: G) -> AsPgn<G> {
        AsPgn { games, text: String::new(), read: 0, damage: None }
    }

    /// Takes the next game. False at the end. Before an error comes the beginning of another game: without it the last one
    /// would be taken for cut off.
    fn next(&mut self) -> io::Result<bool> {
        if let Some(damage) = self.damage.take() {
            return Err(damage);
        }
        self.text.clear();
        self.read = 0;
        self.games.next_game(&mut self.text).or_else(|error| {
            self.text.clear();
            push_tag(&mut self.text, "Event", "?");
            self.damage = Some(error);
            Ok(true)
        })
    }
}

impl<G: Games> Read for AsPgn<G> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.text.len() {
            if !self.next()? {
                return Ok(0);
            }
        }
        let rest = &self.text.as_bytes()[self.read..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        self.read += len;
        Ok(len)
    }
}
