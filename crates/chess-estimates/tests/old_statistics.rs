//! What earlier versions have stored stays readable: after an upgrade, tables keep their statistics until the next ANALYZE.

use std::rc::Rc;

use chess_core::search::material::Material;
use chess_core::search::pattern::Pattern;
use chess_estimates::column::Column;
use chess_estimates::sample::Sample;

/// Of four games, ten times each; see the pieces of their moves below.
const STATISTICS: &str = include_str!("golden/0.3.0.hex");

fn bytes(line: &str) -> Vec<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).expect("a hexadecimal digit") as u8;
    line.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

#[test]
fn those_of_version_0_3_0() {
    let parts: Vec<Vec<u8>> = STATISTICS.lines().filter(|line| !line.starts_with('#')).map(bytes).collect();
    let sample = Sample::read(parts.iter().map(Vec::as_slice)).expect("statistics of forty games");
    assert_eq!((sample.games, sample.patterns.courses().games()), (40, 0));
    let column = Column::new(move || Some(Rc::new(sample)), 1.0, 40.0);
    // 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. Nxe5 Qd4; 1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5;
    // 1. d4 d5 2. c4 dxc4 3. e3 b5; 1. f3 e5 2. g4 Qh4#
    for (text, games) in
        [("qd4", 10.0), ("Pe4", 20.0), ("mate", 10.0), ("P = 7", 20.0), ("KvK", 1.0), ("flip(B = 1)", 10.0)]
    {
        let pattern = Pattern::read(text).expect("a pattern");
        let expected = column.pattern(&pattern, u32::MAX, usize::MAX) * 40.0;
        assert!((expected - games).abs() < 1e-6, "{text}: {expected}, not {games}");
    }
    let start = Material::read("KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP").expect("a material");
    assert!((column.material(start, u32::MAX) - 1.0).abs() < 1e-9);
}
