//! Repertoires compared with the games: the answers of chess.repertoire_check and chess.repertoire_gaps are those of a walk by
//! shakmaty, which shares no code with the extension; ugly input has clear words.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use chess_system::{Database, Refusal, plans, skip};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position as _};

use crate::loaded;

/// A position as the rules compare it: the first four fields of its FEN.
fn key(position: &Chess) -> String {
    let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn play(position: &Chess, uci: &str) -> Chess {
    let step = uci.parse::<UciMove>().unwrap().to_move(position).unwrap();
    position.clone().play(step).unwrap()
}

fn san(position: &Chess, uci: &str) -> String {
    SanPlus::from_move(position.clone(), uci.parse::<UciMove>().unwrap().to_move(position).unwrap()).to_string()
}

/// A game: its number, first position, moves in UCI, and result.
struct Game {
    id: i64,
    start: Chess,
    ucis: Vec<String>,
    result: String,
}

/// The games of a condition, in order.
fn games(db: &Database<'_>, condition: &str) -> Vec<Game> {
    let rows = db.rows(&format!(
        "SELECT g.id, startBoard(g.game), array_to_string(ucis(g.game), ' '), g.result
         FROM chess.games g LEFT JOIN chess.players w ON w.id = g.white_id LEFT JOIN chess.players b ON b.id = g.black_id
         WHERE {condition} ORDER BY g.id"
    ));
    let game = |row: &String| {
        let [id, start, ucis, result] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        Game {
            id: id.parse().unwrap(),
            start: start.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap(),
            ucis: ucis.split_whitespace().map(str::to_owned).collect(),
            result: result.to_owned(),
        }
    };
    rows.iter().map(game).collect()
}

/// A tree of moves from the usual start.
#[derive(Default)]
struct Tree(BTreeMap<String, Tree>);

impl Tree {
    /// The first half-moves of these games; lines that come back to a position are left out.
    fn of<'a>(games: impl Iterator<Item = &'a Game>, plies: usize) -> Tree {
        let mut tree = Tree::default();
        for game in games.filter(|game| game.start == Chess::default()) {
            let mut position = Chess::default();
            let mut seen = BTreeSet::from([key(&position)]);
            let mut node = &mut tree;
            for uci in game.ucis.iter().take(plies) {
                position = play(&position, uci);
                if !seen.insert(key(&position)) {
                    break;
                }
                node = node.0.entry(uci.clone()).or_default();
            }
        }
        tree
    }

    /// Its moves as PGN with variations, behind what was written.
    fn write(&self, position: &Chess, pgn: &mut String) {
        let mut moves = self.0.iter();
        let Some((main, rest)) = moves.next() else { return };
        let say = |uci: &str, pgn: &mut String| {
            let dots = if position.turn() == Color::White { "." } else { "..." };
            write!(pgn, "{}{dots} {} ", position.fullmoves(), san(position, uci)).unwrap();
        };
        say(main, pgn);
        for (uci, tree) in moves {
            pgn.push('(');
            say(uci, pgn);
            tree.write(&play(position, uci), pgn);
            pgn.push(')');
        }
        rest.write(&play(position, main), pgn);
    }

    /// The positions with their moves.
    fn book(&self, position: &Chess, book: &mut HashMap<String, BTreeSet<String>>) {
        let moves = book.entry(key(position)).or_default();
        moves.extend(self.0.keys().cloned());
        for (uci, tree) in &self.0 {
            tree.book(&play(position, uci), book);
        }
    }
}

type Book = HashMap<String, BTreeSet<String>>;

/// What the check is to say of a game, without the brackets of an array.
fn checked(game: &Game, book: &Book, color: Color) -> String {
    let mut position = game.start.clone();
    let mut positions = vec![position.clone()];
    for uci in &game.ucis {
        position = play(&position, uci);
        positions.push(position.clone());
    }
    let last = (0..positions.len()).rev().find(|&ply| book.contains_key(&key(&positions[ply])));
    let Some(ply) = last else { return format!("{}|||not reached|||{}", game.id, game.result) };
    let position = &positions[ply];
    let moves = &book[&key(position)];
    let mut expected: Vec<String> = moves.iter().map(|uci| san(position, uci)).collect();
    expected.sort();
    let status = match game.ucis.get(ply) {
        None => "followed",
        Some(_) if moves.is_empty() => "followed",
        Some(_) if position.turn() == color => "left",
        Some(_) => "opponent left",
    };
    let played = game.ucis.get(ply).map(|uci| san(position, uci)).unwrap_or_default();
    format!("{}|{ply}|{}|{status}|{played}|{}|{}", game.id, key(position), expected.join(" "), game.result)
}

/// What the gaps are computed of: the games' moves where a position first arises, and points of White.
type Replies = HashMap<String, BTreeMap<String, Vec<Option<f64>>>>;

fn replies(games: &[Game]) -> Replies {
    let mut all = Replies::new();
    for game in games {
        let points = match game.result.as_str() {
            "1-0" => Some(1.0),
            "0-1" => Some(0.0),
            "1/2-1/2" => Some(0.5),
            _ => None,
        };
        let mut seen = BTreeSet::new();
        let mut position = game.start.clone();
        for ply in 0..=game.ucis.len() {
            let uci = game.ucis.get(ply);
            if seen.insert(key(&position)) {
                let name = uci.map(|uci| san(&position, uci)).unwrap_or_default();
                all.entry(key(&position)).or_default().entry(name).or_default().push(points);
            }
            if let Some(uci) = uci {
                position = play(&position, uci);
            }
        }
    }
    all
}

/// The gaps by kind, position and move: probability, games and score.
type Gaps = BTreeMap<(&'static str, String, String), (f64, usize, Option<f64>)>;

struct Walk<'a> {
    book: &'a Book,
    replies: &'a Replies,
    color: Color,
    gaps: Gaps,
}

impl Walk<'_> {
    fn add(&mut self, kind: &'static str, at: &Chess, name: &str, chance: f64, points: &[Option<f64>]) {
        let known: Vec<f64> = points.iter().flatten().copied().collect();
        let score = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
        let score = score.map(|score| if self.color == Color::White { score } else { 1.0 - score });
        let gap = self.gaps.entry((kind, key(at), name.to_owned())).or_insert((0.0, points.len(), score));
        gap.0 += chance;
    }

    /// Goes every way from here on, so that a position which several ways lead to is visited several times.
    fn visit(&mut self, at: &Chess, chance: f64, depth: u32) {
        assert!(depth < 100, "the repertoire goes in circles");
        let none = BTreeMap::new();
        let (book, replies) = (self.book, self.replies);
        let replies = replies.get(&key(at)).unwrap_or(&none);
        let moves = &book[&key(at)];
        let all: Vec<Option<f64>> = replies.values().flatten().copied().collect();
        if at.turn() == self.color {
            if moves.is_empty() && chance > 0.0 {
                self.add("unanswered", at, "", chance, &all);
            }
            for uci in moves {
                let (name, part) = (san(at, uci), chance / moves.len() as f64);
                if moves.len() > 1 {
                    self.add("conflict", at, &name, part, replies.get(&name).map_or(&[], Vec::as_slice));
                }
                self.visit(&play(at, uci), part, depth + 1);
            }
            return;
        }
        let moved = replies.iter().filter(|(name, _)| !name.is_empty()).map(|(_, games)| games.len()).sum::<usize>();
        if all.is_empty() && chance > 0.0 {
            self.add("unreached", at, "", chance, &[]);
        }
        for step in at.legal_moves() {
            let uci = UciMove::from_standard(step).to_string();
            let (name, after) = (san(at, &uci), play(at, &uci));
            let played = replies.get(&name).map_or(&[][..], Vec::as_slice);
            let part = if moved > 0 { chance * played.len() as f64 / moved as f64 } else { 0.0 };
            if book.contains_key(&key(&after)) {
                if played.is_empty() && moved > 0 && chance > 0.0 && moves.contains(&uci) {
                    self.add("unreached", at, &name, 0.0, &[]);
                }
                // also what nobody reaches may have two moves
                self.visit(&after, part, depth + 1);
            } else if part > 0.0 {
                self.add("missing", at, &name, part, played);
            }
        }
    }
}

/// Compares both functions with the walk for a repertoire of these games' first half-moves: how many rows were compared.
fn compare(db: &Database<'_>, every: usize, plies: usize, color: Color, at_least: f64) -> usize {
    let all = games(db, "true");
    let tree = Tree::of(all.iter().step_by(every), plies);
    let mut pgn = String::new();
    tree.write(&Chess::default(), &mut pgn);
    let mut book = Book::new();
    tree.book(&Chess::default(), &mut book);
    let c = if color == Color::White { 'w' } else { 'b' };
    let me = if color == Color::White { "w.name = 'Player 1'" } else { "b.name = 'Player 1'" };

    let found = db.rows(&format!(
        "SELECT game_id, ply, epd(position), status, played, array_to_string(expected, ' '), result
         FROM chess.repertoire_check(chess.repertoire('{pgn}'), 'Player 1', '{c}')"
    ));
    let expected: Vec<String> = games(db, me).iter().map(|game| checked(game, &book, color)).collect();
    assert_eq!(found, expected, "{} positions", book.len());

    let replies = replies(&all);
    let mut walk = Walk { book: &book, replies: &replies, color, gaps: Gaps::new() };
    walk.visit(&Chess::default(), 1.0, 0);
    let is_seen = |kind: &str, chance: f64| ["conflict", "unreached"].contains(&kind) || chance >= at_least;
    let mut expected: Vec<String> = (walk.gaps.iter().filter(|((kind, ..), gap)| is_seen(kind, gap.0)))
        .map(|((kind, at, name), (chance, games, score))| {
            let score = score.map(|score| format!("{score:.6}")).unwrap_or_default();
            format!("{kind}|{at}|{name}|{chance:.9}|{games}|{score}")
        })
        .collect();
    let mut found = db.rows(&format!(
        "SELECT kind, epd(position), move, round(probability::numeric, 9), games, round(score::numeric, 6)
         FROM chess.repertoire_gaps(chess.repertoire('{pgn}'), '{c}', at_least => {at_least})"
    ));
    expected.sort();
    found.sort();
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
    found.len()
}

#[test]
#[ignore = "needs a server"]
fn a_repertoire_is_checked_as_by_another_walk() {
    let db = loaded("repertoires");
    let mut rows = 0;
    for (every, plies, color, at_least) in [
        (40, 8, Color::White, 0.0),
        (40, 7, Color::Black, 0.002),
        (300, 20, Color::White, 0.01),
        (1, 3, Color::Black, 0.0),
    ] {
        rows += compare(&db, every, plies, color, at_least);
    }
    assert!(rows > 200, "gaps were compared: {rows}");
}

#[test]
#[ignore = "needs a server"]
fn ten_thousand_positions_are_a_repertoire() {
    let db = loaded("large_repertoire");
    let all = games(&db, "true");
    let tree = Tree::of(all.iter(), 18);
    let mut pgn = String::new();
    tree.write(&Chess::default(), &mut pgn);
    let mut book = Book::new();
    tree.book(&Chess::default(), &mut book);
    assert!(book.len() > 10_000, "{}", book.len());
    db.sql(&format!("CREATE TABLE book AS SELECT r.* FROM unnest(chess.repertoire('{pgn}')) r"));
    let rows = "(SELECT array_agg((board, move)::chess.repertoire_move) FROM book)";
    assert_eq!(db.sql(&format!("SELECT count(*) FROM chess.repertoire_positions({rows})")), book.len().to_string());
    let own = all.iter().filter(|game| game.start == Chess::default()).count();
    let expected: usize = all.iter().filter(|game| checked(game, &book, Color::White).contains("|followed|")).count();
    assert!(own > 1000 && expected > 500, "{own} {expected}");
    let followed = format!("SELECT count(*) FROM chess.repertoire_check({rows}, NULL, 'w') WHERE status = 'followed'");
    assert_eq!(db.sql(&followed), expected.to_string());
    let shares = format!(
        "SELECT count(*) > 100 AND max(probability) <= 1 FROM chess.repertoire_gaps({rows}, 'w', at_least => 0)"
    );
    assert_eq!(db.sql(&shares), "t");
}

/// A step that looks at all moves for each position would scan them with a filter.
#[test]
#[ignore = "needs a server"]
fn the_work_for_a_position_does_not_grow_with_the_repertoire() {
    let db = small("repertoire_work", &[("Me", "A", "1-0", "1. e4 e5")]);
    let mut session = db.session();
    let question = "SELECT count(*) FROM chess.repertoire_gaps(ARRAY(
        SELECT (b.board, n.uci)::chess.repertoire_move
        FROM legalMoves(startBoard()) m CROSS JOIN LATERAL (SELECT play(startBoard(), m.uci)) b (board)
        CROSS JOIN LATERAL legalMoves(b.board) n), 'b')";
    let Some(plans) = plans(&mut session, question) else {
        return skip(
            "the work for a repertoire: this server has no auto_explain",
            "in a PostgreSQL that is built from source: make -C contrib install",
        );
    };
    let scans: Vec<&str> = plans.split("CTE Scan on edge").skip(1).collect();
    assert!(!scans.is_empty(), "{plans}");
    let is_filtered = |scan: &&str| scan.lines().take(3).any(|line| line.contains("Rows Removed by Filter"));
    assert_eq!(scans.iter().copied().find(is_filtered), None);
}

/// A schema with these games, from White's name, Black's, the result and the moves.
fn small(name: &str, games: &[(&str, &str, &str, &str)]) -> Database<'static> {
    let db = Database::new(name);
    let pgn: String = (games.iter())
        .map(|(white, black, result, moves)| {
            format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
        })
        .collect();
    db.pgn("load --index").arg(db.file("games.pgn", pgn)).succeeds();
    db
}

/// The check of White's games of Me: number, half-moves, status, move played, moves expected.
fn check(db: &Database<'_>, pgn: &str, more: &str) -> Vec<String> {
    db.rows(&format!(
        "SELECT game_id, ply, status, played, expected FROM chess.repertoire_check(chess.repertoire($${pgn}$$), 'Me', {more})"
    ))
}

#[test]
#[ignore = "needs a server"]
fn positions_count_and_not_orders_of_moves() {
    let db = small(
        "transposing",
        &[
            ("Me", "A", "1-0", "1. d4 d5 2. Nf3 Nf6 3. c4 e6"),
            ("Me", "B", "0-1", "1. Nf3 Nf6 2. d4 d5 3. c4 e6"),
            ("Me", "C", "*", "1. d4 d5 2. c4"),
            ("Me", "C", "*", "1. d4 f5 2. c4"),
            ("Me", "D", "1/2-1/2", "1. d4 d5 2. Nf3"),
            ("B", "Me", "1-0", "1. d4 d5 2. Bf4"),
            ("Me", "Me", "*", "1. d4 d5 2. Nf3 Nc6"),
            // comes into the book at its eighth half-move
            ("Me", "E", "*", "1. Nf3 d5 2. Ng1 Nf6 3. Nf3 e6 4. d4 Ng8 5. Ng1 e5"),
        ],
    );
    let book = "1. d4 {mine} d5 2. Nf3 Nf6 (2... e6 3. c4) 3. c4 *";
    let white = [
        "1|5|followed|e6|{}",
        "2|5|followed|e6|{}",
        "3|2|left|c4|{Nf3}",
        "4|1|opponent left|f5|{d5}",
        "5|3|followed||{Nf6,e6}",
        "7|3|opponent left|Nc6|{Nf6,e6}",
        "8|8|left|Ng1|{c4}",
    ];
    assert_eq!(check(&db, book, "'w'"), white);
    assert_eq!(check(&db, book, "'b'"), ["6|2|opponent left|Bf4|{Nf3}", "7|3|left|Nc6|{Nf6,e6}"]);
    // the filters of the explorer
    assert_eq!(check(&db, book, "'w', opponent => 'C'"), white[2..4]);
    assert_eq!(check(&db, book, "'w', result => '1-0', rating => NULL"), white[..1]);
    // from a position that few games reach
    let later =
        "[SetUp \"1\"]\n[FEN \"rnbqkb1r/ppp1pppp/5n2/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 2 3\"]\n\n3. c4 e6 *";
    assert_eq!(
        check(&db, later, "'w'"),
        [
            "1|6|followed||{}",
            "2|6|followed||{}",
            "3||not reached||",
            "4||not reached||",
            "5||not reached||",
            "7||not reached||",
            "8||not reached||"
        ]
    );
    // rows in SAN or UCI, with other clocks, in any order; the games of everybody
    let rows = db.rows(
        "SELECT game_id, ply, status, played FROM chess.repertoire_check(
             (SELECT array_agg((b, m)::chess.repertoire_move) FROM (VALUES
                 ('rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq d6 7 9'::chessboard, 'c2c4'), (startBoard(), 'd4'),
                 (finalBoard('1. d4'), 'd5')) v (b, m)), NULL, 'w') WHERE game_id IN (3, 4, 5, 6)",
    );
    assert_eq!(rows, ["3|3|followed|", "4|1|opponent left|f5", "5|2|left|Nf3", "6|2|left|Bf4"]);
    // in parts, each of which goes on after the last game of the one before
    for (filters, games) in [("'w'", &white[..]), ("'w', opponent => 'C'", &white[2..4])] {
        let (mut after, mut found) = (i64::MIN, Vec::new());
        loop {
            let part = check(&db, book, &format!("{filters}, after => {after}, at_most => 2"));
            let Some(last) = part.last() else { break };
            after = last.split('|').next().unwrap().parse().unwrap();
            found.extend(part);
        }
        assert_eq!(found, games, "{filters}");
    }
    assert_eq!(check(&db, book, "'w', after => 5"), white[5..]);
    assert_eq!(check(&db, book, "'w', at_most => 100"), white);
    assert_eq!(check(&db, book, "'w', at_most => 0"), [""; 0]);
}

#[test]
#[ignore = "needs a server"]
fn gaps_come_by_how_likely_they_are() {
    let db = small(
        "gaps",
        &[
            ("A", "B", "1-0", "1. e4 e5 2. Nf3 Nc6"),
            ("A", "B", "1-0", "1. e4 e5 2. Nf3 Nf6"),
            ("A", "C", "0-1", "1. e4 c5 2. Nf3 d6"),
            ("A", "C", "1/2-1/2", "1. e4 c6"),
            ("A", "C", "*", "1. e4"),
            ("A", "D", "1-0", "1. d4 d5"),
        ],
    );
    let gaps = |pgn: &str, more: &str| {
        db.rows(&format!(
            "SELECT kind, line, move, probability, games, score FROM chess.repertoire_gaps(chess.repertoire('{pgn}'), {more})"
        ))
    };
    let book = "1. e4 e5 (1... c5 2. Nf3 (2. c3)) (1... e6 2. d4 d5) 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *";
    let missing = ["missing|e4|c6|0.25|1|0.5", "missing|e4 e5 Nf3|Nf6|0.25|1|1"];
    let others = [
        "missing|e4 c5 Nf3|d6|0.125|1|0",
        "conflict|e4 c5|Nf3|0.125|1|0",
        "conflict|e4 c5|c3|0.125|0|",
        "unreached|e4 e5 Nf3 Nc6 Bb5||0.25|0|",
        "unreached|e4 c5 c3||0.125|0|",
        "unreached|e4|e6|0|0|",
    ];
    assert_eq!(gaps(book, "'w'"), [&missing[..], &others[..]].concat());
    assert_eq!(gaps(book, "'w', at_least => 0.2"), [&missing[..], &others[1..]].concat());
    let of_c = ["missing|e4|c6|0.5|1|0.5", "missing|e4 c5 Nf3|d6|0.25|1|0"];
    assert_eq!(gaps(book, "'w', opponent => 'C'")[..2], of_c);
    // positions below 0.3 are not looked up
    let unexplored = [
        "conflict|e4 c5|Nf3|0.125||",
        "conflict|e4 c5|c3|0.125||",
        "unreached|e4|e6|0|0|",
        "unexplored|e4 e5 Nf3 Nc6 Bb5||0.25||",
        "unexplored|e4 c5 Nf3||0.125||",
        "unexplored|e4 c5 c3||0.125||",
    ];
    assert_eq!(gaps(book, "'w', down_to => 0.3"), [&missing[..], &unexplored[..]].concat());
    // for Black: White's second moves have no answer
    let black = [
        "missing||d4|0.16666666666666666|1|0",
        "unanswered|e4 c5 Nf3||0.8333333333333334|1|1",
        "unreached|e4 c5|c3|0|0|",
    ];
    assert_eq!(gaps("1. e4 c5 2. Nf3 (2. c3) *", "'b'"), black);
    let first = [black[0], "unexplored|e4 c5||0.8333333333333334||"];
    assert_eq!(gaps("1. e4 c5 2. Nf3 (2. c3) *", "'b', down_to => 0.9"), first);
    // moves that come back to the start, and a repertoire that is a circle
    let circle = "1. Nf3 Nf6 2. Ng1 Ng8 3. e4 *";
    assert_eq!(
        gaps(circle, "'w'"),
        [
            "missing|e4|e5|0.25|2|1",
            "missing|e4|c5|0.125|1|0",
            "missing|e4|c6|0.125|1|0.5",
            "conflict||Nf3|0.5|0|",
            "conflict||e4|0.5|5|0.625",
            "unreached|Nf3||0.5|0|"
        ]
    );
}

#[test]
#[ignore = "needs a server"]
fn what_is_no_repertoire_is_told_in_words() {
    let db = small("no_repertoire", &[("Me", "A", "1-0", "1. d4 d5 2. Nf3")]);
    let told = |refusal: Refusal| format!("{} {}", refusal.code, refusal.message);
    let refused = |question: &str| told(db.refuses(&format!("SELECT * FROM {question}")));
    for empty in ["chess.repertoire('')", "chess.repertoire('*')", "'{}'", "NULL"] {
        for function in ["repertoire_check({}, 'Me', 'w')", "repertoire_gaps({}, 'b')"] {
            let said = refused(&format!("chess.{}", function.replace("{}", empty)));
            assert_eq!(said, "22023 the repertoire has no moves", "{function} {empty}");
        }
    }
    for wrong in [
        "1. e4 e5 2. Ke3 *",
        "1. e4 e5 (1... Ke7) 2. Nf3 *",
        "1. e4 *\n\n[White \"x\"]\n\n1. d4 d4 *",
        "1. e4 -- 2. d4",
    ] {
        assert_eq!(
            refused(&format!("chess.repertoire($${wrong}$$)")),
            "22P02 the repertoire cannot be read",
            "{wrong}"
        );
    }
    let detail = "DO $$ DECLARE said text; BEGIN PERFORM chess.repertoire('1. e4 *  1. d4 d5 (1... Nf6 2. Ke5) *');
        EXCEPTION WHEN invalid_text_representation THEN GET STACKED DIAGNOSTICS said = PG_EXCEPTION_DETAIL; RAISE '%', said; END $$";
    assert_eq!(db.refuses(detail).message, "Game 2: half-move 3, \"Ke5\": illegal move.");
    let row = |board: &str, step: &str| {
        format!("chess.repertoire_check(ARRAY[({board}, {step})::chess.repertoire_move], 'Me', 'w')")
    };
    assert_eq!(refused(&row("startBoard()", "'e5'"))[..5], *"22023");
    assert_eq!(refused(&row("startBoard()", "NULL"))[..5], *"22004");
    assert_eq!(refused(&row("NULL", "'e4'"))[..5], *"22004");
    for color in ["'red'", "NULL", "''"] {
        assert_eq!(
            refused(&format!("chess.repertoire_check(chess.repertoire('1. e4'), 'Me', {color})"))[..5],
            *"22023"
        );
        assert_eq!(refused(&format!("chess.repertoire_gaps(chess.repertoire('1. e4'), {color})"))[..5], *"22023");
    }
    for filter in [
        "result => 'won'",
        "speeds => '{fast}'",
        "rating => '2000'",
        "at_least => 2",
        "at_least => 'nan'",
        "down_to => -0.1",
        "down_to => NULL",
    ] {
        let said = refused(&format!("chess.repertoire_gaps(chess.repertoire('1. e4'), 'w', {filter})"));
        assert_eq!(said[..5], *"22023", "{filter}: {said}");
    }
    // one move, a player whom nobody knows, quotes in names
    assert_eq!(check(&db, "1. e4", "'w'"), ["1|0|left|d4|{e4}"]);
    let nobody =
        "SELECT count(*) FROM chess.repertoire_check(chess.repertoire('1. e4'), 'O''Kelly $1 <condition>', 'w')";
    assert_eq!(db.sql(nobody), "0");
    db.sql("CREATE ROLE trainee; GRANT USAGE ON SCHEMA chess TO trainee; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO trainee");
    let mut session = db.session();
    session.sql("SET ROLE trainee; SET search_path = ''");
    let asked = "SELECT (SELECT count(*) FROM chess.repertoire_check(chess.repertoire('1. e4'), 'Me', 'w')),
                        (SELECT count(*) FROM chess.repertoire_gaps(chess.repertoire('1. e4'), 'w'))";
    assert_eq!(session.sql(asked), "1|1", "whatever the search_path, with rights to read alone");
}
