//! Generated games, and the statistics of a sample of them.

use chess_core::Game;
use chess_core::text::read_pgn;
use chess_estimates::sample::{Gathering, Sample};
use chess_gamegen::Generator;

pub fn games(count: usize) -> Vec<Game> {
    let generated = Generator::new(3).take(count);
    generated.map(|game| read_pgn::games(&game.pgn()).next().expect("one game").game.expect("a sound game")).collect()
}

/// The statistics of every other game.
pub fn sample(games: &[Game], target: usize) -> Sample {
    let sampled = || games.iter().step_by(2);
    let mut gathering = Gathering::new(target, sampled().count(), false);
    sampled().for_each(|game| gathering.first(game.view(), game.as_bytes()).expect("a sound game"));
    gathering.choose();
    sampled().for_each(|game| gathering.second(game.view()));
    let parts = gathering.finish().expect("some games").parts();
    Sample::read(parts.iter().map(Vec::as_slice)).expect("what was written")
}
