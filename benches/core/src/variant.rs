//! Variants of a game: see `bin/variants.rs`.

use chess_core::game::recorder::Recorder;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::{Game, GameRef};
use shakmaty::Position;

use chess_gamegen::splitmix64;

/// Random draws of a piece and a square before all moves are listed.
const DRAWS: u32 = 500;

const QUEEN: u8 = 4;

/// A legal move other than `than`, if there is one. Most positions have about 30 moves among 16 pieces and 64 squares,
/// so drawing at random is faster than listing the moves.
fn other(recorder: &Recorder<'_>, than: Step, seed: &mut u64) -> Option<Step> {
    let position = recorder.position();
    let pawn = 6 * position.turn();
    let (mut own, mut pieces) = ([0; 16], 0);
    for square in 0..64 {
        own[pieces % 16] = square;
        pieces += usize::from((pawn..pawn + 6).contains(&position.kind_at(square)));
    }
    let is_other = |other: &Step| position.ends(*other) != position.ends(than);
    let drawn = (0..DRAWS).find_map(|_| {
        let random = splitmix64(seed);
        let (from, to) = (own[(random >> 32) as usize % pieces], random as u8 & 63);
        let promotion = (!(8..56).contains(&to) && position.kind_at(from) == pawn).then_some(QUEEN);
        let step = Step::Plain { from, to, promotion };
        (position.is_legal(step) && is_other(&step)).then_some(step)
    });
    drawn.or_else(|| {
        let position = recorder.board().position().expect("the position of a game");
        let mut others: Vec<Step> = position.legal_moves().into_iter().filter_map(Step::of).collect();
        others.retain(is_other);
        (!others.is_empty()).then(|| others[splitmix64(seed) as usize % others.len()])
    })
}

/// A variant of a game from the standard start.
pub fn variant(game: GameRef<'_>, seed: &mut u64) -> Game {
    let mut recorder = Recorder::new(GameStart::standard());
    let leave = 4 + splitmix64(seed) as usize % 26;
    let mut steps = Vec::with_capacity(game.ply_count() as usize);
    game.decode(|_, step| steps.extend(step)).expect("a sound game");
    for (ply, step) in steps.into_iter().enumerate() {
        if ply != leave && recorder.play(step).is_ok() {
            continue;
        }
        let Some(step) = other(&recorder, step, seed) else { break };
        recorder.play(step).expect("a legal move");
    }
    recorder.finish(game.result(), false)
}
