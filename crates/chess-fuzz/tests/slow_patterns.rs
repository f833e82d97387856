//! Searches for the text that is slowest to parse as a pattern, by hill climbing from random texts.

use chess_fuzz::slow_pattern::{MOST_STEPS, steps, text};
use chess_gamegen::splitmix64;

/// A random number below `n`.
fn below(state: &mut u64, n: usize) -> usize {
    (splitmix64(state) % n as u64) as usize
}

fn random(rng: &mut u64) -> Vec<u8> {
    (0..1 + below(rng, 40)).map(|_| below(rng, 256) as u8).collect()
}

fn changed(rng: &mut u64, choices: &[u8]) -> Vec<u8> {
    let mut choices = choices.to_vec();
    for _ in 0..1 + below(rng, 4) {
        let at = below(rng, choices.len());
        match below(rng, 4) {
            0 if choices.len() > 1 => drop(choices.remove(at)),
            1 => drop(choices.splice(at..at, [below(rng, 256) as u8])),
            2 => drop(choices.splice(at..at, [below(rng, 256) as u8, below(rng, 256) as u8])),
            _ => choices[at] = below(rng, 256) as u8,
        }
    }
    choices
}

/// The slowest texts come close to the limit; none exceeds it.
#[test]
fn no_text_takes_more_than_a_text_may() {
    let (climbs, rounds) = if cfg!(debug_assertions) { (2, 100) } else { (6, 250) };
    let (mut most, mut patterns) = (0, 0);
    for climb in 0..climbs {
        let mut rng = climb;
        let mut best = (0, random(&mut rng));
        for round in 0..rounds {
            let choices = if round < rounds / 8 { random(&mut rng) } else { changed(&mut rng, &best.1) };
            let text = text(&choices);
            let (taken, is_pattern) = steps(&text);
            assert!(taken <= MOST_STEPS, "{taken} steps: {text}");
            patterns += usize::from(is_pattern);
            if taken > best.0 {
                best = (taken, choices);
            }
        }
        if let Ok(folder) = std::env::var("SEEDS") {
            std::fs::write(format!("{folder}/example-{climb:02}"), &best.1).unwrap();
        }
        most = most.max(best.0);
    }
    assert!(most > MOST_STEPS / 8, "only {most} steps");
    assert!(patterns > climbs as usize * rounds / 20, "only {patterns} patterns");
    println!("{most} steps at most; {patterns} patterns");
}
