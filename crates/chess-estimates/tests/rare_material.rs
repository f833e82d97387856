//! Patterns of material that many games have and no single material shows: the estimates from a sample of generated games
//! beside the truth in all of them.

use std::rc::Rc;

use chess_core::Game;
use chess_core::search::pattern::Pattern;
use chess_estimates::column::Column;

use crate::common;

const GAMES: usize = 6000;
const TARGET: usize = 20;

/// Numbers of pieces, endings with any number of pawns, what one side has more.
fn patterns() -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for kind in ["Q", "R", "B", "N", "P", "[BN]", "[QR]", "[Qq]", "[Rr]"] {
        patterns.extend((0..9).map(|number| format!("flip({kind} = {number})")));
    }
    let pieces = ["", "Q", "R", "B", "N", "[BN]", "RB", "RN", "R[BN]", "BN"];
    for own in pieces {
        patterns.extend(pieces.iter().map(|other| format!("flip(K{own}P*vK{other}P*)")));
        patterns.extend(["", "P", "PP", "R", "[BN]"].iter().map(|less| format!("flip(imbalance {own}Pv{less})")));
    }
    patterns.extend(["Q = 2", "flip(KQP*vK[BN]P*)", "KQP*vKBP*"].map(String::from));
    patterns.retain(|text| Pattern::read(text).is_ok());
    patterns
}

#[test]
fn what_is_made_of_many_rare_signatures_is_near() {
    let games = common::games(GAMES);
    let sample = common::sample(&games, TARGET);
    let column = Column::new(move || Some(Rc::new(sample)), 1.0, GAMES as f64);
    let mut factors = Vec::new();
    for text in patterns() {
        let pattern = Pattern::read(&text).expect("a pattern");
        let mut matcher = pattern.matcher();
        let is_in = |game: &&Game| matcher.find(game.view(), u32::MAX).expect("a sound game").is_some();
        let actual = games.iter().filter(is_in).count() as f64;
        let expected = column.pattern(&pattern, u32::MAX, usize::MAX) * GAMES as f64;
        if actual >= 0.003 * GAMES as f64 {
            factors.push(((expected / actual).max(actual / expected), text));
        } else {
            assert!(expected < 0.01 * GAMES as f64, "{text}: {expected}, not {actual}");
        }
    }
    factors.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The courses of two thirds of the sample: of 18 games six on average, at the edge.
    assert!(factors.len() > 100, "{}", factors.len());
    let (ninety, worst) = (&factors[factors.len() * 9 / 10], &factors[factors.len() - 1]);
    assert!(ninety.0 <= 1.7 && worst.0 <= 5.0, "{ninety:?} {worst:?}");
}
