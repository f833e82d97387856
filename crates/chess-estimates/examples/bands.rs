use chess_core::{GameRef, distance::moved_pieces, key::position_key, pgn};
use chess_estimates::sample::{Gathering, Sample};
use std::collections::HashMap;
use std::time::Instant;
fn main() {
    let text = String::from_utf8_lossy(&std::fs::read(std::env::args().nth(1).unwrap()).unwrap()).into_owned();
    let games: Vec<Vec<u8>> = pgn::games(&text).filter_map(|g| g.game.ok().map(|g| g.into_bytes())).collect();
    let n = games.len();
    let target: usize = std::env::args().nth(2).map_or(100, |t| t.parse().unwrap());
    let mut picks: Vec<usize> = (0..n).collect();
    let mut x = 88172645463325252u64;
    let mut rnd = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    for i in 0..n {
        let j = i + (rnd() as usize) % (n - i);
        picks.swap(i, j);
    }
    picks.truncate(300 * target);
    let t = Instant::now();
    let mut g = Gathering::new(target, picks.len(), picks.len() == n);
    for i in &picks {
        g.first(GameRef::new(&games[*i]).unwrap()).unwrap();
    }
    let t1 = t.elapsed();
    g.choose();
    for i in &picks {
        g.second(GameRef::new(&games[*i]).unwrap());
    }
    let t2 = t.elapsed();
    let s = g.finish().unwrap();
    let t3 = t.elapsed();
    let parts = s.parts();
    println!(
        "{n} games, passes {t1:?} {t2:?} all {t3:?}; parts {:?}",
        parts.iter().map(|p| p.len()).collect::<Vec<_>>()
    );
    assert_eq!(Sample::read(parts.iter().map(|p| p.as_slice())), Some(s.clone()));
    println!(
        "openings {}; positions {} {}; coarse {} {}; material {} {}",
        s.openings.len(),
        s.positions.len(),
        s.positions.left_out(),
        s.coarse.len(),
        s.coarse.left_out(),
        s.material.len(),
        s.material.left_out()
    );
    // openings
    let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
    for bytes in &games {
        let g = GameRef::new(bytes).unwrap();
        for p in 1..=40.min(g.ply_count()) {
            let o = g.first_moves(p).unwrap().into_bytes();
            *counts.entry(o).or_insert(0) += 1;
        }
    }
    let bands = [
        (0.04, 1.0),
        (0.01, 0.04),
        (0.005, 0.01),
        (0.002, 0.005),
        (0.001, 0.002),
        (0.0005, 0.001),
        (0.0002, 0.0005),
        (0.00005, 0.0002),
    ];
    let report = |name: &str, items: Vec<(f64, f64)>| {
        for (lo, hi) in bands {
            let mut f: Vec<f64> = items
                .iter()
                .filter(|(_, a)| *a >= lo * n as f64 && *a < hi * n as f64)
                .map(|(e, a)| {
                    let e = e.round().max(1.0);
                    (e / a).max(a / e)
                })
                .collect();
            let low = items
                .iter()
                .filter(|(_, a)| *a >= lo * n as f64 && *a < hi * n as f64)
                .filter(|(e, _)| e.round() <= 2.0)
                .count();
            f.sort_by(f64::total_cmp);
            if f.is_empty() {
                continue;
            }
            println!(
                "{name} {:.3}-{:.3} %: {} asked, {low} at 1 or 2, median {:.2}, 90 % {:.2}, max {:.2}",
                lo * 100.,
                hi * 100.,
                f.len(),
                f[f.len() / 2],
                f[f.len() * 9 / 10],
                f[f.len() - 1]
            );
        }
    };
    report(
        "opening",
        counts.iter().map(|(o, c)| (s.openings.share_of(GameRef::new(o).unwrap()) * n as f64, f64::from(*c))).collect(),
    );
    drop(counts);
    let mut positions: HashMap<u64, (u32, u32)> = HashMap::new();
    let mut keys = Vec::new();
    for bytes in &games {
        keys.clear();
        chess_core::search::position_keys(GameRef::new(bytes).unwrap(), &mut keys).unwrap();
        keys.sort_unstable();
        keys.dedup();
        for k in &keys {
            positions.entry(*k).or_insert((0, 0)).0 += 1;
        }
    }
    let rare = f64::from(s.positions.left_out()) / 2.0 / f64::from(s.games);
    report(
        "position",
        positions
            .iter()
            .map(|(k, c)| {
                (
                    s.positions.count_of(*k).map_or(rare, |c| f64::from(c) / f64::from(s.games)) * n as f64,
                    f64::from(c.0),
                )
            })
            .collect(),
    );
    // unkept positions by moved pieces: size-biased mean
    let mut by: HashMap<u32, (u64, f64, Vec<u32>)> = HashMap::new();
    for i in (0..n).step_by(97) {
        let g = GameRef::new(&games[i]).unwrap();
        for p in (0..=g.ply_count()).step_by(3) {
            let b = g.board_at(p).unwrap().unwrap();
            let k = position_key(&b);
            if s.positions.count_of(k).is_some() {
                continue;
            }
            let e = by.entry(moved_pieces(&b)).or_default();
            e.0 += 1;
            e.1 += f64::from(positions[&k].0);
            e.2.push(positions[&k].0);
        }
    }
    let mut by: Vec<_> = by.into_iter().collect();
    by.sort_by_key(|e| e.0);
    for (m, (c, sum, mut v)) in by {
        v.sort();
        println!(
            "moved {m}: {c} mean {:.2} median {} 90% {} max {}",
            sum / c as f64,
            v[v.len() / 2],
            v[v.len() * 9 / 10],
            v[v.len() - 1]
        );
    }
    let mut sq: HashMap<Vec<u8>, u64> = HashMap::new();
    for bytes in &games {
        *sq.entry(GameRef::new(bytes).unwrap().first_moves(16).unwrap().into_bytes()).or_default() += 1;
    }
    println!("actual {}", sq.values().map(|c| c * c).sum::<u64>());
    let mut mats: HashMap<u64, u32> = HashMap::new();
    for bytes in &games {
        let mut b = None;
        chess_core::search::index_keys::all_keys(
            GameRef::new(bytes).unwrap(),
            |_| (),
            |_, m| {
                if b.replace(m) != Some(m) {
                    *mats.entry(m).or_default() += 1;
                }
            },
        )
        .unwrap();
    }
    report(
        "material",
        mats.iter()
            .map(|(k, c)| {
                (
                    f64::from(
                        s.material
                            .count_of(chess_estimates::sample::material_key(*k))
                            .map_or(f64::from(s.material.left_out()) / 4.0, f64::from),
                    ) / f64::from(s.games)
                        * n as f64,
                    f64::from(*c),
                )
            })
            .collect(),
    );
    let (mut a, mut b) = (0.0, 0.0);
    for (k, c) in &mats {
        if s.material.count_of(chess_estimates::sample::material_key(*k)).is_none() {
            a += f64::from(*c);
            b += f64::from(*c) * f64::from(*c);
        }
    }
    println!(
        "material unkept mean {}, bound {}",
        b / a,
        f64::from(s.material.left_out()) / f64::from(s.games) * n as f64
    );
    let plies = s.openings.average_over_first_moves(16, &s.openings, 1.0 / n as f64);
    println!("self join on 16: {:.0}", plies * n as f64 * n as f64);
}
