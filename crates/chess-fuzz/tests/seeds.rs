//! Replays the fuzzer's seeds and random mutations of them, from a fixed seed, where no fuzzer is at hand.

use std::fs;
use std::path::{Path, PathBuf};

use chess_fuzz::TARGETS;
use chess_gamegen::splitmix64;

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// A random number below `n`.
fn below(state: &mut u64, n: usize) -> usize {
    (splitmix64(state) % n as u64) as usize
}

/// A few mutations: bits, bytes, and ranges that are removed, doubled, or copied from another seed.
fn changed(rng: &mut u64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut value = seeds[below(rng, seeds.len())].clone();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, value.len() + 1);
        let end = (at + 1 + below(rng, 16)).min(value.len());
        let other = &seeds[below(rng, seeds.len())];
        let from = below(rng, other.len() + 1);
        let piece = &other[from..(from + 1 + below(rng, 16)).min(other.len())];
        match below(rng, 5) {
            0 if at < value.len() => value[at] ^= 1 << below(rng, 8),
            1 if at < value.len() => value[at] = below(rng, 256) as u8,
            2 => drop(value.drain(at..end)),
            3 => {
                let piece = value[at..end].to_vec();
                value.splice(at..at, piece);
            }
            _ => drop(value.splice(at..end, piece.iter().copied())),
        }
    }
    value
}

#[test]
fn seeds_and_changed_seeds() {
    let rounds = if cfg!(debug_assertions) { 200 } else { 20_000 };
    for (n, (name, target)) in TARGETS.iter().enumerate() {
        let seeds = seeds(name);
        assert!(seeds.len() >= 3, "{name} has {} seeds", seeds.len());
        seeds.iter().for_each(|seed| target(seed));
        let mut rng = n as u64;
        // These texts are slow by design; tests/slow_patterns.rs searches for the slowest.
        let rounds = if *name == "slow_pattern" { rounds / 40 } else { rounds };
        for _ in 0..rounds {
            target(&changed(&mut rng, &seeds));
        }
    }
}

/// Each target has a folder of seeds and a program, and no others exist.
#[test]
fn nothing_is_left_out() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let names = |folder: &str| {
        let entries = fs::read_dir(fuzz.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let mut names: Vec<_> = entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string()).collect();
        names.sort();
        names
    };
    let mut targets: Vec<_> = TARGETS.iter().map(|(name, _)| name.to_string()).collect();
    targets.sort();
    assert_eq!(names("seeds"), targets);
    assert_eq!(names("fuzz_targets"), targets);
}
