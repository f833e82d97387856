//! Openings by name: from the table of `chess-core`, the position that stands for a name, the names that match a text, and the name
//! of a code.

use std::collections::HashMap;
use std::sync::LazyLock;

use chess_core::board::fen;
use chess_core::facts::openings;
use chess_core::text::uci;

/// A line with a name.
pub struct Line {
    /// The code of the opening.
    pub eco: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its moves in UCI, separated by commas.
    pub play: String,
    /// The position after them, in FEN.
    board: String,
    plies: u32,
    /// The name in lower case.
    folded: String,
}

/// All lines, the shortest first.
static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let mut lines: Vec<Line> = openings::all()
        .filter_map(|(opening, game)| {
            let game = game.view();
            Some(Line {
                eco: opening.eco,
                name: opening.name,
                play: uci::write(game).ok()?.replace(' ', ","),
                board: fen::write(&game.board_at(game.ply_count()).ok()?.ok()?),
                plies: game.ply_count(),
                folded: opening.name.to_lowercase(),
            })
        })
        .collect();
    lines.sort_by(|a, b| (a.plies, a.name).cmp(&(b.plies, b.name)));
    lines
});

/// The position after the shortest line with a name, or of a variation of it; `None` if there is none.
pub fn board(name: &str) -> Option<String> {
    let folded = name.trim().to_lowercase();
    let is_of = |line: &&Line| {
        line.folded.strip_prefix(&folded).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ',']))
    };
    LINES.iter().find(is_of).map(|line| line.board.clone())
}

/// Lines whose code begins with a text, or whose name has all its words, the shortest first; each name once.
pub fn find(text: &str, most: usize) -> Vec<&'static Line> {
    let text = text.trim().to_lowercase();
    let words: Vec<&str> = text.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
    let mut found: Vec<&'static Line> = Vec::new();
    for line in LINES.iter() {
        let matches = line.eco.to_lowercase().starts_with(&text) || words.iter().all(|word| line.folded.contains(word));
        if matches && !found.iter().any(|other| other.name == line.name) {
            found.push(line);
            if found.len() == most {
                break;
            }
        }
    }
    found
}

/// The name of each code: that of its shortest line.
pub fn names() -> HashMap<&'static str, &'static str> {
    let mut names = HashMap::new();
    for line in LINES.iter() {
        names.entry(line.eco).or_insert(line.name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_positions_and_codes() {
        assert_eq!(
            board("sicilian defense").as_deref(),
            Some("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2")
        );
        assert!(board("Sicilian Def").is_none() && board("").is_none());
        let najdorf = find("najdorf", 5);
        assert_eq!((najdorf[0].eco, najdorf[0].name), ("B90", "Sicilian Defense: Najdorf Variation"));
        assert_eq!(najdorf[0].play, "e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6");
        assert!(find("b9", 500).iter().all(|line| line.eco.starts_with("B9") || line.folded.contains("b9")));
        assert!(find("defense sicilian dragon", 9).iter().all(|line| line.name.contains("Dragon")));
        assert_eq!((names()["C60"], names().len()), ("Ruy Lopez", 496), "four codes have no line of their own");
    }
}
