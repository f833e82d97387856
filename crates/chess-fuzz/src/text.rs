//! Entrances for text.

use chess_core::board::fen;
use chess_core::board::squares;
use chess_core::game::legality::Position as Ours;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::search::material::Material;
use chess_core::text::clocks_evals::{ClocksEvals, Commands};
use chess_core::text::movetext::{self, Incomplete};
use chess_core::text::one_move::{self, MoveError};
use chess_core::text::read_pgn::{PgnError, games};
use chess_core::text::tags::StartTags;
use chess_core::text::tree::Tree;
use chess_core::text::two_byte_moves;
use chess_core::text::uci;
use chess_core::text::{annotated, write_pgn};
use chess_core::{Board, Game, GameRef};
use shakmaty::san::{San, SanError};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position, Role, Setup};

use crate::{board, game, strict};

/// Input: PGN move text.
pub fn movetext(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match movetext::read(text) {
        Ok(read) => {
            game::check(&read);
            let written = movetext::write(read.view()).unwrap();
            assert!(written.is_ascii() && written == written.trim());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Input: a FEN on the first line, then moves. SAN and UCI are read as by shakmaty, alone and within a game.
pub fn san(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, words) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(mut board) = fen::read(first) else { return };
    let Ok(mut position) = board.position() else { return };
    for word in words.split_ascii_whitespace().take(64) {
        other_words(&board, word);
        let Ok(start) = GameStart::new(&board) else { return };
        let ours = one_move::read(&Ours::new(&start), word);
        if word.parse::<UciMove>().is_ok() {
            if let Some(theirs) = their_uci(&position, word) {
                assert_eq!(ours.ok(), theirs.and_then(Step::of), "{word} in {}", fen::write(&board));
            }
        } else if let Some(theirs) = their_san(&position, word) {
            assert_eq!(ours, theirs.map(|played| Step::of(played).unwrap()), "{word} in {}", fen::write(&board));
        }
        // leading digits are a move number within a game, and text that looks like UCI is SAN
        if two_byte_moves::BareMove::from_uci(word).is_none() && !word.starts_with(|first: char| first.is_ascii_digit())
        {
            let in_game = movetext::read(&format!("[FEN \"{}\"] {word}", fen::write(&board)));
            if let Some(theirs) = their_san(&position, word) {
                // games accept alternative spellings, too
                assert!(in_game.is_ok() || theirs.is_err(), "{word} in {}: {in_game:?}", fen::write(&board));
            }
            if let (Ok(game), Ok(step)) = (&in_game, ours)
                && game.view().ply_count() == 1
            {
                let mut played = Vec::new();
                game.view().decode(|_, step| played.extend(step)).unwrap();
                assert_eq!(played, [step], "{word}");
            }
        }
        if let Ok(step) = ours {
            let played = position.legal_moves().into_iter().find(|played| Step::of(*played) == Some(step));
            let after = chess_core::facts::rules::play(&board, word).unwrap();
            position.play_unchecked(played.unwrap_or_else(|| panic!("{word} in {}", fen::write(&board))));
            assert_eq!(after.kinds, Board::from_position(&position).kinds, "{word} in {}", fen::write(&board));
            board = after;
        }
    }
}

/// Other arguments of SQL functions: sets of pieces, squares, colours, material balances.
fn other_words(board: &Board, word: &str) {
    if let Some(material) = Material::read(word) {
        let _ = material.find(GameRef::new(&[0x20, 0, 0xff, 0xff, 32]).unwrap(), 0);
    }
    if let Some(square) = squares::from_name(word) {
        assert_eq!(squares::name(square), word);
    }
    if let Some(set) = squares::of_pieces(board, word) {
        assert_eq!(set & !board.occupied(), 0, "{word}");
    }
    let _ = (squares::color_from_name(word), write_pgn::is_tag_name(word));
}

/// How shakmaty reads a word that is SAN without check marks; `None` for any other word.
fn their_san(position: &Chess, word: &str) -> Option<Result<Move, MoveError>> {
    let san = San::from_ascii(word.as_bytes()).ok()?;
    match san {
        San::Put { .. } | San::Null | San::Normal { promotion: Some(Role::Pawn | Role::King), .. } => return None,
        _ => (),
    }
    Some(match san.to_move(position) {
        Ok(played) if position.is_legal(played) => Ok(played),
        Ok(_) | Err(SanError::IllegalSan) => Err(MoveError::Illegal),
        Err(SanError::AmbiguousSan) => Err(MoveError::Ambiguous),
    })
}

/// How shakmaty reads a word that is UCI but not castling; `None` for any other word.
fn their_uci(position: &Chess, word: &str) -> Option<Option<Move>> {
    let uci: UciMove = word.parse().ok()?;
    let UciMove::Normal { from, promotion, .. } = uci else { return None };
    let wrong_role = matches!(promotion, Some(Role::Pawn | Role::King));
    if wrong_role || position.board().role_at(from) == Some(Role::King) {
        return None;
    }
    // shakmaty alone accepts an en passant capture with a promotion
    Some(uci.to_move(position).ok().filter(|played| played.promotion() == promotion))
}

/// Input: a FEN. It is read as by shakmaty, wherever both accept it.
pub fn fen(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let theirs: Option<Setup> = text.parse::<shakmaty::fen::Fen>().ok().map(shakmaty::fen::Fen::into_setup);
    match fen::read(text) {
        Ok(read) => {
            board::check(&read);
            if let Some(theirs) = theirs {
                compare(&read, theirs, text);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn compare(read: &Board, theirs: Setup, text: &str) {
    let mut kinds = [chess_core::board::kinds::NO_KIND; 64];
    for (square, piece) in &theirs.board {
        kinds[square as usize] = u8::from(piece.color.is_black()) * 6 + (piece.role as u8 - 1);
    }
    assert_eq!(read.kinds, kinds, "{text}");
    assert_eq!(read.turn == 1, theirs.turn.is_black(), "{text}");
    // castling rights of legal positions are legal, and must name the same rooks
    let legal = theirs.clone().position::<Chess>(CastlingMode::Chess960);
    if let Ok(theirs) = legal {
        let ours = read.position().unwrap();
        assert_eq!(ours.castles().castling_rights(), theirs.castles().castling_rights(), "{text}");
        assert_eq!(ours.halfmoves(), theirs.halfmoves(), "{text}");
    }
}

/// Input: PGN. Every game is returned once and in order, and readable ones survive the round trip through text.
pub fn pgn(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // A text without LF is of an old Macintosh: its lines end with CR.
    let line_break = if text.contains('\n') { '\n' } else { '\r' };
    let mut end = 0;
    for (n, found) in games(text).enumerate() {
        assert_eq!(found.number as usize, n + 1);
        assert!(found.offset >= end && text[found.offset..].starts_with(found.text));
        assert_eq!(found.line as usize, 1 + text[..found.offset].matches(line_break).count());
        assert!(found.text.contains(found.movetext.trim()));
        end = found.offset + found.text.len().max(1);
        match &found.game {
            Ok(read) => {
                game::check(read);
                let tags: Vec<_> = found.tags.iter().map(|(name, value)| (*name, value.as_ref())).collect();
                if !tags.iter().any(|(name, _)| *name == "Result") {
                    let export = write_pgn::write(read.view(), &tags).unwrap();
                    let again: Vec<_> = games(&export).map(|game| game.game).collect();
                    assert_eq!(again, [Ok(read.clone())], "{export}");
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        let whole = !matches!(&found.game, Err(error) if !matches!(error.reason, PgnError::Ambiguous { .. }));
        let Some(game) = found.game.map_or_else(|error| error.prefix, Some) else { continue };
        let read = ClocksEvals::read(found.movetext, game.view());
        for list in [&read.clocks, &read.evals].into_iter().flatten() {
            assert_eq!(list.len(), game.view().ply_count() as usize);
        }
        // The annotated text has the same moves.
        if let Some(text) = found.annotated.as_deref().filter(|_| whole) {
            assert_eq!(text, text.trim());
            let start = GameStart::new(&game.view().start_board().unwrap()).unwrap();
            let main = Tree::read(&start, game.view().is_chess960(), text);
            assert_eq!((&main.game, main.end), (&game, None), "{text:?} out of {:?}", found.movetext);
        }
        if let Some(text) = found.annotated.as_deref() {
            exported(&game, text);
        }
    }
}

/// Whatever an annotated text has, its export has lines of legal moves in standard notation, and is read as the same tree;
/// the game behind it, too.
fn exported(game: &Game, text: &str) {
    let view = game.view();
    let start = GameStart::new(&view.start_board().unwrap()).unwrap();
    let export = write_pgn::write_annotated(view, &[], text).unwrap().expect("the text of this game");
    let (tags, moves) = export.split_once("\n\n").unwrap();
    assert!(!moves.trim_end().contains("\n\n"), "{export}");
    strict::check(&view.start_board().unwrap(), moves);
    let two = format!("{export}\n[Event \"next\"]\n\n1. e4 e5 *\n");
    let games: Vec<_> = games(&two).collect();
    assert_eq!((games.len(), games[0].tags.len()), (2, tags.lines().count()), "{two}");
    let read = games[0].game.as_ref().unwrap_or_else(|error| panic!("{error}: {two}")).view();
    assert_eq!((read.moves(), read.ply_count()), (view.moves(), view.ply_count()), "{two}");
    assert!(games[1].game.is_ok() && games[1].annotated.is_none(), "{two}");
    let (first, again) = (Tree::read(&start, view.is_chess960(), text), Tree::read(&start, view.is_chess960(), moves));
    assert_eq!(told(&first), told(&again), "{text}\n{moves}");
    assert_eq!(write_pgn::write_annotated(view, &[], moves).unwrap().as_ref(), Some(&export));
}

/// What a tree says, line by line, apart from characters that cannot be in a comment of PGN.
fn told(tree: &Tree<'_>) -> Vec<String> {
    let words = |comments: &[&str]| {
        let plain = comments.join(" ").replace('{', "(").replace('}', ")");
        let ends = |found: char| found.is_control() || matches!(found, ' ' | '\u{2028}' | '\u{2029}' | '\u{feff}');
        plain.split(ends).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let mut paths: Vec<String> = Vec::new();
    for node in &tree.nodes {
        let before = paths.get(node.parent as usize).map_or("", |path| path.split(" | ").next().unwrap_or_default());
        let path = format!("{before} {}{}", if node.begins_variation { "~" } else { "" }, node.uci);
        paths.push(format!("{path} | {} | {:?} | {}", words(&node.before), node.glyphs, words(&node.after)));
    }
    paths.sort();
    paths
}

/// Input: an annotated text. Its parts are in order, and it survives moving clocks and evaluations to columns and back.
pub fn annotated(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let start = GameStart::standard();
    let stream = annotated::stream(start, text);
    let main = Tree::read(start, false, text);
    game::check(&main.game);
    // The game reader, which skips variations, reads the same main line.
    match movetext::read_moves(&StartTags { forgives: true, ..StartTags::default() }, text) {
        Ok(read) => assert_eq!((&main.game, &main.end), (&read, &None), "{text}"),
        Err(Incomplete { prefix, .. }) => {
            let moves = |game: &Game| (game.view().ply_count(), game.view().moves().to_vec());
            assert_eq!(moves(&main.game), prefix.map_or((0, Vec::new()), |prefix| moves(&prefix)), "{text}");
        }
    }
    exported(&main.game, text);
    let mut number = 0;
    annotated::variations(start, false, text, |line| {
        number += 1;
        assert_eq!(line.number, number);
        // A line after a null move has a game that ends before that.
        assert!(line.parent < number && (line.end.is_some() || line.ply <= line.line.view().ply_count() + 1));
        game::check(&line.line);
    });
    for note in annotated::notes(start, text) {
        assert!(note.line <= number);
    }
    let nul = annotated::without_nul(text);
    assert!(!nul.contains('\0'));
    let commands = Commands::find(text, main.game.view());
    let columns = commands.values();
    for clocks in [true, false] {
        let columns = ClocksEvals { clocks: columns.clocks.clone().filter(|_| clocks), evals: columns.evals.clone() };
        let Some(without) = commands.text_without(&columns) else { continue };
        let with = Commands::find(&without, main.game.view()).text_with(&columns);
        assert_eq!(annotated::stream(start, &with), stream, "{without}\n{with}");
        let again = Commands::find(&with, main.game.view());
        assert_eq!(again.values(), commands.values(), "{with}");
        assert_eq!(again.text_without(&columns), Some(without), "{with}");
    }
}

/// Input: a game in UCI.
pub fn uci(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match uci::read(text) {
        Ok(read) => game::check(&read),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
