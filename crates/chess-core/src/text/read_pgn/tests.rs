//! Games are told apart, and kept as far as they can be read.

use super::*;
use crate::board::fen;
use crate::game::GameResult;
use crate::game::start::GameStart;
use crate::text::tags::StartTags;
use crate::text::tree::Tree;

fn plies(text: &str) -> Vec<Option<u32>> {
    games(text).map(|g| g.game.ok().map(|game| game.view().ply_count())).collect()
}

#[test]
fn games_are_told_apart() {
    let tags = "[Event \"a\"]\n[White \"b\"]\n";
    assert_eq!(plies(""), []);
    assert_eq!(plies(" \n; nothing\n% at all\n{ here }\n"), []);
    assert_eq!(plies("1. e4 *\n1. d4 d5 1-0 {ended} * 1. c4"), [Some(1), Some(2), Some(1)]);
    assert_eq!(plies("*\n*"), [Some(0), Some(0)]);
    // two blank lines before the moves, none before moves, none before the next game
    assert_eq!(plies(&format!("{tags}\n\n1. e4 e5 1-0\n{tags}1. d4 *\n\n{tags}\n*\n")), [Some(2), Some(1), Some(0)]);
    // without a result, without moves
    assert_eq!(plies(&format!("{tags}\n1. e4 e5\n\n{tags}\n\n{tags}\n1. d4 *")), [Some(2), Some(0), Some(1)]);
    let crlf = format!("{tags}\n\n1. e4 e5\n\n{tags}\n1. c4 *\n").replace('\n', "\r\n");
    assert_eq!(plies(&crlf), [Some(2), Some(1)]);
    // a blank line between tags
    assert_eq!(games("[Event \"a\"]\n\n[White \"b\"]\n\n1. e4 *").next().unwrap().tags.len(), 2);
}

/// Tags and half-moves of each game, and what is wrong with it.
fn told(text: &str) -> Vec<(Vec<String>, u32, String)> {
    let read = games(text).map(|read| {
        let tags = read.tags.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let error = read.game.as_ref().err().map(|error| error.to_string()).unwrap_or_default();
        let game = read.game.map_or_else(|error| error.prefix, Some);
        (tags, game.map_or(0, |game| game.view().ply_count()), error)
    });
    read.collect()
}

#[test]
fn text_between_tags_costs_no_other_tag() {
    for (between, error) in [
        ("]", ""),
        (",", ""),
        (" ;", ""),
        ("<br>", "<br>"),
        ("\nWhite: Kasparov", "White: Kasparov"),
        ("\n# note", "# note"),
        ("\r\nOpening \"Ruy Lopez\"\r\nby hand", "Opening \"Ruy Lopez\""),
        ("\nédité", "édité"),
    ] {
        for moves in ["\n\n1. e4 e5 1-0\n", "\n1. e4 e5 1-0\n"] {
            let game = format!("[Event \"A\"]{between}\n[White \"W\"]{between}\n[Result \"1-0\"]{moves}");
            let found = told(&format!("{game}\n{game}"));
            let tags = ["Event A", "White W", "Result 1-0"].map(String::from).to_vec();
            let error = if error.is_empty() { String::new() } else { format!("malformed tag: {error}") };
            assert_eq!(found, [(tags.clone(), 2, error.clone()), (tags, 2, error)], "{game}");
        }
    }
    let found = told("[Event \"The \"X\"] match\"]\n[Site \"S\"]\n\n1. d4 d5 0-1");
    let tags = vec!["Event The \"X".to_string(), "Site S".into()];
    assert_eq!(found, [(tags, 2, "malformed tag: match\"]".into())]);
    // what may be the start costs the moves
    assert_eq!(told("[Event \"A\"]\nFEN: 8/8\n[Site \"S\"]\n\n1. d4 d5 0-1")[0].1, 0);
    // moves, a blank line, and tags of another game
    for text in ["1. e4 *\n", "1-0\n", "e4 e5 *\n", "hello\n\n"] {
        assert_eq!(told(&format!("[Event \"A\"]\n{text}[Site \"S\"]\n\n1. d4 *")).len(), 2, "{text}");
    }
    assert_eq!(told("[Event \"A\"]\nhello\n[Event \"B\"]\n\n1. d4 *").len(), 2);
    assert_eq!(told("[Event \"C\" [Site \"D\"]\n\n1. e4 *")[0].0, ["Event C", "Site D"]);
}

#[test]
fn tags_in_any_spelling_begin_a_game() {
    let spellings: [fn(&str, &str) -> String; 5] = [
        |name, value| format!("[{name} \"{value}\"]"),
        |name, value| format!("[{name} {value}]"),
        |name, value| format!("[{name} = \"{value}\"]"),
        |name, value| format!("[{name}: \"{value}\"]"),
        |name, value| format!("\x1a\u{feff}\u{feff}[{name} \"{value}\"]"),
    ];
    for tag in spellings {
        for (moves, apart) in [("1. e4 e5 2. Nf3 Nc6", "\n\n"), ("1. e4 e5 2. Nf3 Nc6", "\n"), ("1. e4 {open", "\n")] {
            let text = format!(
                "{}\n{}\n\n{moves}{apart}{}\n{}\n\n1. d4 d6 {{x}} 2. Nc3 *",
                tag("Event", "A"),
                tag("White", "Morphy"),
                tag("Event", "B"),
                tag("White", "Anderssen")
            );
            let found = told(&text);
            assert_eq!(found.len(), 2, "{text}");
            assert_eq!(found[1], (vec!["Event B".into(), "White Anderssen".into()], 3, String::new()), "{text}");
        }
    }
    // a remark in brackets
    let text = "[Event \"A\"]\n\n1. e4 e5\n[White is better]\n2. Nf3\n\n[Black resigns]\n\n2... Nc6 1-0";
    assert_eq!(told(text), [(vec!["Event A".into()], 4, String::new())]);
}

#[test]
fn tags_that_repeat_begin_a_game() {
    let text = "[Event \"A\"]\n[White \"W1\"]\n[Result \"1-0\"]\n[Event \"B\"]\n[White \"W2\"]\n\n1. e4 e5 0-1";
    let found = told(text);
    assert_eq!((found.len(), found[0].0.len(), found[0].1, found[1].1), (2, 3, 0, 2));
    // moves without a dot behind their number are no remark between tags
    let text = "[White \"A\"]\n[Black \"B\"]\n1 e4 e5 1-0\n[Event \"X\"]\n[White \"C\"]\n\n1. d4 1-0";
    let found = told(text);
    assert_eq!((found.len(), found[0].1, found[1].1), (2, 2, 1));
    // a comment may quote tags
    let text = "[Event \"A\"]\n\n1. e4 {as in\n[Event \"X\"]\n[White \"C\"]\n1. d4} e5 1-0";
    assert_eq!(told(text).iter().map(|game| game.1).collect::<Vec<_>>(), [2]);
    // nor are two remarks in brackets tags
    let text = "[Event \"A\"]\n\n1. e4 e5\n[White is better]\n[Black resigns]\n2. Nf3 1-0";
    assert_eq!(told(text), [(vec!["Event A".into()], 3, String::new())]);
    // two events of one game
    assert_eq!(told("[Event \"A\"]\n[Event \"B\"]\n[White \"W\"]\n\n1. e4 e5 0-1").len(), 1);
}

#[test]
fn a_bad_game_stops_no_other() {
    for bad in ["1. e4 {open", "1. e4 (1. d4", "1. e4 e9", "1. e5", "(", "{", "1. e4 e5 [White \"x\"] x", "[x"] {
        let text =
            format!("[Event \"1\"]\n\n{bad}\n\n[Event \"2\"]\n\n1. e4 {{}} *\n\n[Event \"3\"]\n\n1. d4 d5 1-0\n");
        let read: Vec<_> = games(&text).collect();
        assert_eq!(read.len(), 3, "{bad}");
        assert!(read[0].game.is_err(), "{bad}");
        assert!(read[1].game.is_ok() && read[2].game.is_ok(), "{bad}");
    }
    let read: Vec<_> = games("[Event]\n[White \"w\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. d4 *").collect();
    assert_eq!(read[0].game.as_ref().unwrap_err().to_string(), "malformed tag: [Event]");
    assert_eq!((read[0].tags.len(), read[1].game.is_ok(), read.len()), (1, true, 2));
}

#[test]
fn a_game_is_kept_up_to_what_cannot_be_read() {
    let cases = [
        ("1. e4 e5 2. Ke3 Nf6 1-0", Some("1. e4 e5"), "half-move 3, \"Ke3\": illegal move in "),
        ("1. e4 -- 2. d4 *", Some("1. e4"), "half-move 2, \"--\": null moves are not supported"),
        ("1. e4 e5 {and so on 1-0", Some("1. e4 e5"), "half-move 3, \"{and so on 1-0\": the comment is"),
        ("1. e4 hello 1-0", Some("1. e4"), "half-move 2, \"hello\": not a move"),
        ("1. Ke3 *", None, "half-move 1, \"Ke3\""),
        ("{", None, "half-move 1, \"{\""),
        ("[Event]\n[White \"w\"]\n\n1. e4 1-0", Some("1. e4 1-0"), "malformed tag: [Event]"),
        // without its start, the moves would mean something else
        ("[FEN]\n\n1. e4 1-0", None, "malformed tag: [FEN]"),
        ("[FEN broken]\n\n1. e4 1-0", None, "tag FEN \"broken\": piece placement"),
        ("[Event]\n[Variant]\n\n1. e4 1-0", None, "malformed tag: [Event]"),
        ("[SetUp]\n\n1. e4 1-0", Some("1. e4 1-0"), "malformed tag: [SetUp]"),
        ("[Event]\n\n*", None, "malformed tag: [Event]"),
    ];
    for (text, moves, reason) in cases {
        let incomplete = games(text).next().unwrap().game.unwrap_err();
        let prefix = incomplete.prefix.as_ref().map(|prefix| movetext::write(prefix.view()).unwrap());
        assert_eq!(prefix.as_deref(), moves, "{text}");
        assert!(incomplete.to_string().starts_with(reason), "{text}: {incomplete}");
    }
}

/// Both knights can go to b5, but only one of them can be taken on d6 and leave the other for d5.
const TO_B5: &str = "1. Nf3 d5 2. Nc3 e6 3. Nd4 c5 4. Nb5 a6 5. Nd6+ Bxd6 6. Nxd5 1-0";

#[test]
fn an_ambiguous_move_is_understood_from_those_after_it() {
    let commented = TO_B5.replace("4. Nb5 a6", "4. Nb5!? {which} a6 (4... Nc6 5. Nxd5)");
    let spelled = TO_B5.replace("Nb5", "Sb5");
    let glued = TO_B5.replace(". ", ".").replace("Nb5 a6", "Nb5,a6");
    for text in [TO_B5, &commented, &spelled, &glued] {
        let read = games(text).next().unwrap();
        let understood = read.game.unwrap_err();
        let reason = understood.to_string();
        assert!(reason.starts_with("half-move 7, \"") && reason.contains("ambiguous move, read as Ndb5"), "{reason}");
        let game = understood.prefix.unwrap();
        assert_eq!(movetext::write(game.view()).unwrap(), TO_B5.replace("Nb5", "Ndb5"), "{text}");
        // Whoever reads the comments finds the same moves.
        let Some(annotated) = read.annotated else { continue };
        let main = crate::text::tree::Tree::read(crate::game::start::GameStart::standard(), false, &annotated);
        assert_eq!((main.game, main.end), (game, None));
        assert_eq!(annotated, text.replace("Nb5", "Ndb5").replace("Sb5", "Ndb5"));
    }
    assert_eq!(games(TO_B5).next().unwrap().annotated, None);
    // the type has no such tolerance
    let error = movetext::read(TO_B5).unwrap_err();
    assert!(error.to_string().starts_with("half-move 7, \"Nb5\": ambiguous move in "), "{error}");
}

/// `N` is a knight, or marks the move before as a novelty.
#[test]
fn a_letter_may_be_a_remark_on_the_move_before() {
    for (behind, understood, annotated) in [("3. c4 dxc4", "d5", Some("$146 d5")), ("3. c4 Nb6", "Nd5", None)] {
        let text = format!("1. Nf3 Nf6 2. d4 N d5 {behind} *");
        let read = games(&text).next().unwrap();
        let incomplete = read.game.unwrap_err();
        let reason = incomplete.to_string();
        let expected = format!("half-move 4, \"N d5\": ambiguous move, read as {understood},");
        assert!(reason.starts_with(&expected), "{reason}");
        let game = incomplete.prefix.unwrap();
        assert_eq!(movetext::write(game.view()).unwrap(), format!("1. Nf3 Nf6 2. d4 {understood} {behind}"));
        let expected = annotated.map(|other| text.replace("N d5", other));
        assert_eq!(read.annotated.as_deref(), expected.as_deref());
        if let Some(annotated) = expected {
            let again = games(&annotated).next().unwrap().game.unwrap();
            assert_eq!(again, game);
        }
    }
}

#[test]
fn moves_in_numbers() {
    for (text, moves) in [
        ("1. 5254 5755 2. 7163 2836 3. 6125 1716 1-0", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0"),
        ("1.5254 5755 2.7163 2836 0-1", "1. e4 e5 2. Nf3 Nc6 0-1"),
        ("1 5254 5755 2 7163 2836 3 6134 6835 4 5171! 7866 *", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6"),
    ] {
        let read = games(text).next().unwrap();
        assert_eq!(movetext::write(read.game.unwrap().view()).unwrap(), moves, "{text}");
    }
    let text = "[FEN \"3r3k/4P3/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. 57482 8877 *";
    assert!(movetext::write(games(text).next().unwrap().game.unwrap().view()).unwrap().ends_with("1. exd8=R+ Kg7"));
    // Numbers that are no moves stay in the text.
    let text = "1. e4 12 e5 15 2. Nf3 20 Nc6 123456";
    let read = games(text).next().unwrap();
    assert_eq!((read.game.unwrap().view().ply_count(), read.annotated.as_deref()), (4, Some(text)));
    let notes = crate::text::annotated::notes(crate::game::start::GameStart::standard(), text);
    let after: Vec<_> = notes.iter().map(|note| &*note.after).collect();
    assert_eq!(after, ["12", "15", "20", "123456"]);
    assert_eq!(games("1 e4 e5 2 Nf3 2 Nc6 3.").next().unwrap().annotated, None);
}

/// In Dutch it is a knight, and only the reader of the text can tell.
#[test]
fn the_text_of_moves_with_p_is_kept() {
    let text = "1. d4 Pf6 2. c4 e6 1/2-1/2";
    assert_eq!(games(text).next().unwrap().annotated.as_deref(), Some(text));
}

#[test]
fn an_open_bracket_hides_no_moves() {
    let text = "1. e4 e5 [ 2. Nf3 Nc6 {[%clk 0:01:00]} 3. Bc4 1-0";
    assert_eq!(told(text), [(Vec::new(), 5, String::new())]);
}

#[test]
fn text_behind_a_result_is_no_game() {
    for behind in
        [" 32", " 32 moves", " on time", " White wins on time", "\n\n2.", "\n\n17", "\n\n***", " (time) 2:05 / 1:59"]
    {
        let text =
            format!("[Event \"A\"]\n\n1. e4 e5 1-0{behind}\n[Event \"B\"]\n\n1. d4 1-0{behind}\n\n[Event \"C\"]\n\n*");
        let found: Vec<_> =
            told(&text).into_iter().map(|(tags, plies, error)| (tags[0].clone(), plies, error)).collect();
        let game = |name: &str, plies| (format!("Event {name}"), plies, String::new());
        assert_eq!(found, [game("A", 2), game("B", 1), game("C", 0)], "{text}");
        let kept = games(&text).next().unwrap().annotated.unwrap();
        assert!(kept.ends_with(behind.trim()), "{kept}");
    }
    // a heading, and moves that cannot be read, are of the next game
    for next in ["\n\nGame two\n1. d4 *", " 1. d4 *", "\n\n1. P-Q4 *", " d4 d5 *"] {
        assert_eq!(told(&format!("[Event \"A\"]\n\n1. e4 e5 1-0{next}")).len(), 2, "{next}");
    }
}

#[test]
fn what_stays_ambiguous_is_an_error() {
    let cases = [
        // a knight, or a pawn behind the mark of a novelty
        ("1. Nf3 Nf6 2. d4 N d5 3. c4 e6 *", 3),
        // either knight can stay where it came to
        ("1. Nf3 d5 2. Nc3 e6 3. Nd4 c5 4. Nb5 a6 1-0", 6),
        // neither can go on so
        ("1. Nf3 d5 2. Nc3 e6 3. Nd4 c5 4. Nb5 a6 5. Nd6+ Bxd6 6. Nxd5 exd5 7. Nf3 1-0", 6),
    ];
    for (text, plies) in cases {
        let incomplete = games(text).next().unwrap().game.unwrap_err();
        assert!(matches!(&incomplete.reason, PgnError::Movetext(error) if error.ply == plies + 1), "{incomplete}");
        assert_eq!(incomplete.prefix.unwrap().view().ply_count(), plies, "{text}");
    }
    // Knights that return leave more readings than are tried.
    let there_and_back = "Nb5 a6 2. Nc3 a5 3. ".repeat(40);
    let start = "[FEN \"4k3/p7/8/8/3N4/2N5/8/4K3 w - - 0 1\"]\n\n1. ";
    let text = format!("{start}{there_and_back}Kd1 a4 1-0");
    let incomplete = games(&text).next().unwrap().game.unwrap_err();
    assert!(matches!(&incomplete.reason, PgnError::Movetext(error) if error.ply == 1), "{incomplete}");
}

#[test]
fn several_ambiguous_moves_are_understood_together() {
    let text = "[FEN \"6k1/8/8/8/8/2N5/8/4K1N1 w - - 0 1\"]\n\n1. Ne2 Kf8 2. Nd5 Kg8 3. Nc3 Kf8 4. Nd4 1-0";
    let incomplete = games(text).next().unwrap().game.unwrap_err();
    let reason = incomplete.to_string();
    assert!(reason.contains("\"Ne2\": ambiguous move, read as Nge2") && reason.ends_with("; and 1 more"), "{reason}");
    let moves = movetext::write(incomplete.prefix.unwrap().view()).unwrap();
    assert!(moves.ends_with("1. Nge2 Kf8 2. Nd5 Kg8 3. Ndc3 Kf8 4. Nd4 1-0"), "{moves}");
}

#[test]
fn a_game_may_begin_on_the_line_of_a_result() {
    let results = [
        "1-0", "1-0 ", "*", "* ", "1/2-1/2", "1/2", "½-½", "1:0", "1 - 0", "0-1.", "{x}1-0", "e5 1-0", "e51-0",
        "1-0 {x}",
    ];
    for result in results {
        let text = format!("[Event \"a\"]\n\n1. e4 {result}[Event \"b\"]\n[White \"w\"]\n\n1. d4 d5 *\n");
        let read: Vec<_> = games(&text).collect();
        assert_eq!(read.len(), 2, "{result}");
        assert!(read.iter().all(|game| game.game.is_ok()), "{result}: {:?}", read[0].game);
        assert_eq!((read[1].tags.len(), read[1].tags[0].1.as_ref()), (2, "b"), "{result}");
    }
}

#[test]
fn a_file_may_be_cut_off() {
    let last = |text: &str| {
        let game = games(text).last().unwrap().ends_file();
        let kept =
            game.game.as_ref().map_or_else(|error| error.prefix.as_ref(), Some).map(|game| game.view().ply_count());
        (kept, game.game.err().map(|error| error.to_string()).unwrap_or_default())
    };
    let tags = "[Event \"a\"]\n\n1. e4\n\n[Event \"b\"]\n[Result \"1-0\"]\n\n";
    let without = "the file ends without the result 1-0 of the Result tag";
    for (text, kept, reason) in [
        ("1. e4 e5 1-0", 2, String::new()),
        ("1. e4 e5 1-0 {good", 0, "half-move 1, \"{good\": the comment is not terminated".into()),
        ("1. e4 e5 2. Nf3", 3, format!("half-move 4: {without}")),
        ("1. e4 e5 2. Nf3\n", 3, format!("half-move 4: {without}")),
        ("1. e4 e5 2. Nf3 {x} (2. f4)\n\n", 3, format!("half-move 4: {without}")),
        ("1. e4 e5 2.", 2, format!("half-move 3: {without}")),
        ("1. e4 e5 1", 2, format!("half-move 3: {without}")),
        ("1. e4 e5 {x", 2, "half-move 3, \"{x\": the comment is not terminated".into()),
        ("1. e4 e5 2. Nf", 2, "half-move 3, \"Nf\": not a move in standard algebraic notation".into()),
        ("", 0, "the file ends after the tags".into()),
    ] {
        let (found, why) = last(&format!("{tags}{text}"));
        assert_eq!((found.unwrap_or(0), why), (kept, reason), "{text}");
    }
    let word = |ply, word| format!("half-move {ply}, \"{word}\": the file ends with this word, which may be cut off");
    for (text, reason) in [
        ("[White \"x\"]\n\n1. e4 e5 2. Nf3", word(3, "Nf3")),
        ("1. e4 e5 2.", word(2, "2.")),
        ("1. e4 e5 ; a comm", word(2, "comm")),
        ("[Result \"?\"]\n\n1. e4 $1", word(1, "$1")),
        ("[White \"x\"]\n[Site \"y\"]\n", "the file ends after the tags".into()),
        ("1. e4 e5 2. Nf3\n", String::new()),
        ("[White \"x\"]\n\n1. e4 e5 {x}", String::new()),
        ("1. e4 e5 (1... c5)", String::new()),
        ("[Result \"1-0\"]\n\n*", String::new()),
    ] {
        assert_eq!(last(text).1, reason, "{text}");
    }
    // A missing result is accepted in earlier games of a file, and in text that is not a file.
    assert!(games(&format!("{tags}1. d4")).all(|game| game.game.is_ok()));
    let text = format!("{tags}1. d4 d5 2. c4");
    assert_eq!(games(&text).last().unwrap().ends_file().annotated.as_deref(), Some("1. d4 d5 2. c4"));
}

#[test]
fn castling_rights_that_cannot_be_are_left_out() {
    let start = |fen: &str| {
        let text = format!("[FEN \"{fen}\"]\n\n1. e4 *");
        let read = games(&text).next().unwrap();
        assert_eq!(read.tags[0].1, fen);
        read.game.map(|game| fen::write(&game.view().start_board().unwrap())).map_err(|error| error.to_string())
    };
    for (rights, possible) in [
        ("KQkq", "Kkq"),
        ("Kq", "Kq"),
        ("Qq", "q"),
        ("Q", "-"),
        ("HAha", "Kkq"),
        ("ABCDEFGHabcdefgh", "Kkq"),
        ("xyz", "-"),
        ("KQkqx", "Kkq"),
    ] {
        let fen = |rights| format!("r3k2r/8/8/8/8/8/4P3/4K2R w {rights} - 0 1");
        assert_eq!(start(&fen(rights)), Ok(fen(possible)), "{rights}");
        assert_eq!(movetext::read(&format!("[FEN \"{}\"] 1. e4", fen(rights))).is_ok(), rights == possible);
    }
    // Other errors in a FEN are not repaired.
    for fen in ["4k3/8/8/8/8/8/4P3/8 w KQkq - 0 1", "4k3/8/8/8/8/8/4P3/4K3 x KQkq - 0 1", "8/8 w KQkq"] {
        assert!(start(fen).is_err(), "{fen}");
    }
}

/// As in files of the classic Macintosh.
#[test]
fn lines_may_end_with_carriage_returns() {
    let text = "[Event \"a\"]\n[White \"open\n[Black \"b\"]\n\n1. e4 ; good (\n1... e5\n% { no move\n2. Nf3 *\n\n\
                [Event \"b\"]\n\n1. d4 {open\n\n[Event \"c\"]\n\n[Event \"d\"]\n\n% {\n1. c4 c5\n";
    let read = |text: &str| {
        let of = |game: PgnGame<'_>| {
            let tags: Vec<_> = game.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
            (game.line, game.offset, tags, game.game.map(|game| game.view().ply_count()).map_err(|e| e.to_string()))
        };
        games(text).map(of).collect::<Vec<_>>()
    };
    let lines = read(text);
    assert_eq!(lines.iter().map(|game| game.0).collect::<Vec<_>>(), [1, 10, 14, 16]);
    assert_eq!(lines[0].3, Ok(3));
    assert_eq!(read(&text.replace('\n', "\r")), lines);
}

#[test]
fn what_is_written_beside_the_moves_is_kept() {
    let annotated = |text: &str| games(text).next().unwrap().annotated.map(Cow::into_owned);
    for plain in [
        "1. e4 e5 2. Nf3+ d6 1/2-1/2\n",
        "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.O-O Nf6 5.d4 exd4 6.e5 d5 7.exd6 e.p. O-O *",
        "1) e4 e5 2) Nf3 *",
        "1e4 e5 2Nf3 *",
        "1. e2-e4 e7-e5 2. \u{2658}f3 Sc6 *",
        "1. e4 \0 e5 *",
        "*",
        "",
    ] {
        assert_eq!(annotated(&format!("[White \"x\"]\n\n{plain}")), None, "{plain}");
    }
    for text in [
        "1. e4!",
        "1. e4 e5!? 2. Nf3",
        "1. e4 {x}",
        "1. e4 (1. d4)",
        "1. e4 $1",
        "1. e4 ; x",
        "1. e4 +-",
        "1. e4+- e5",
        "1. e4 = e5",
        "1. e4 \u{b1}",
        "1. e4 N",
        "1. e4 e5 2. \u{2658}f3!",
        "1. e4\n% x\ne5",
        "1. e4 e9",
        "1. Ke3 *",
        "1. e4 -- 2. d4",
        "1. e4 1-0 {x}",
    ] {
        assert_eq!(annotated(&format!("[White \"x\"]\n\n{text}\n\n")).as_deref(), Some(text));
    }
    // A malformed tag is not part of the annotated text; the moves are, if their start is unknown.
    assert_eq!(annotated("[Event]\n\n1. e4 1-0"), None);
    assert_eq!(annotated("[Event]\n\n1. e4 e9 1-0").as_deref(), Some("1. e4 e9 1-0"));
    assert_eq!(annotated("[FEN]\n\n1. e4 1-0").as_deref(), Some("1. e4 1-0"));
    // comments before tags, or before moves without tags
    let before = "% no\n{By me,\n} ; in haste\n[White \"x\"]\n\n1. e4 *";
    assert_eq!(annotated(before).as_deref(), Some("{By me,\n}\n; in haste\n1. e4 *"));
    assert_eq!(annotated("{By me.} 1. e4 *").as_deref(), Some("{By me.}\n1. e4 *"));
    assert_eq!(annotated("{By me.}\n[White \"x\"]\n").as_deref(), Some("{By me.}"));
    let two: Vec<_> = games("1. e4 {x} * {y}\n\n{z} 1. d4 *").map(|game| game.annotated).collect();
    assert_eq!(two, [Some("1. e4 {x} * {y}\n\n{z}".into()), None]);
    // Text after a result belongs to the game before it, unless it contains an unclosed bracket.
    let behind = |text: &str| games(text).map(|game| game.annotated.map(Cow::into_owned)).collect::<Vec<_>>();
    let text = "1. e4 e5 1-0 $18 (1... c5 (1... e6) {x}) {y}";
    assert_eq!(behind(&format!("{text}\n\n1. d4 *")), [Some(text.into()), None]);
    assert_eq!(behind("1. e4 * (1. d4\n[White \"x\"]\n\n1. c4 *").len(), 3);
    assert_eq!(behind("1. e4 * ) (1. d4 {x\n\n[White \"x\"]\n\n1. c4 *").len(), 3);
}

#[test]
fn tags_and_places() {
    let text = "\u{feff}[Event \"The \\\"Big\\\" one\\\\\"]\n[Site \"un\"escaped\"] [Round \"\"]\n\n1. e4 {[%clk 1:00]\n[%eval 0.1] [Event \"no\"]} e5 *\n\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 *";
    let read: Vec<_> = games(text).collect();
    let tags: Vec<_> = read[0].tags.iter().map(|(n, v)| (*n, v.as_ref())).collect();
    assert_eq!(tags, [("Event", "The \"Big\" one\\"), ("Site", "un\"escaped"), ("Round", "")]);
    assert_eq!(read[0].game.as_ref().unwrap().view().ply_count(), 2);
    assert_eq!((read[0].line, read[1].line, read[1].offset), (1, 7, text.find("[FEN").unwrap()));
    assert!(read[1].game.as_ref().unwrap().view().has_custom_start());
    assert!(read[1].text.ends_with("1. e4 *"));
}

/// Names and values of tags, moves and result of each game; errors instead of moves.
fn read(text: &str) -> Vec<String> {
    let of = |game: PgnGame<'_>| {
        let tags: Vec<_> = game.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let moves = game.game.map_or_else(|error| error.to_string(), |game| movetext::write(game.view()).unwrap());
        format!("{}|{moves}|{}", tags.join(" "), game.outcome.map(|outcome| outcome.to_string()).unwrap_or_default())
    };
    games(text).map(of).collect()
}

#[test]
fn results_behind_the_moves() {
    let next = "\n\n[Event \"next\"]\n\n1. c4 *";
    for (text, expected) in [
        // forfeits, points that are taken away, games that both lose
        ("[Result \"0-0\"]\n\n1. e4 e5 0-0", "Result=0-0|1. e4 e5|0-0"),
        ("[Result \"1/2-0\"]\n\n1. d4 d5 1/2-0", "Result=1/2-0|1. d4 d5|1/2-0"),
        ("1. d4 d5 ½-0", "|1. d4 d5|1/2-0"),
        ("1. d4 d5 0 - 1/2", "|1. d4 d5|0-1/2"),
        ("[White \"a\"]\n\n+:-", "White=a|1-0|+:-"),
        ("[White \"a\"]\n\n-:+", "White=a|0-1|-:+"),
        ("[White \"a\"]\n\n-:-", "White=a||-:-"),
        ("1. e4 +:-", "|1. e4 1-0|+:-"),
        ("1. e4 1-0F", "|1. e4 1-0|+:-"),
        ("1. e4 0F-0F", "|1. e4|-:-"),
        // what may be something else is the result that the tag says
        ("[Result \"+/-\"]\n\n+/-", "Result=+/-|1-0|+:-"),
        ("[Result \"+--\"]\n\n+ - -", "Result=+--|1-0|+:-"),
        ("[Result \"- - -\"]\n\n---", "Result=- - -||-:-"),
        ("[Result \"--\"]\n\n1. e4 --", "Result=--|1. e4|-:-"),
        ("[Result \"0-0\"]\n\n0-0", "Result=0-0||0-0"),
        ("[Result \"-:-\"]\n\n0-0 {nobody came}", "Result=-:-||0-0"),
        // castling, and then the result
        (
            "[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 0-0",
            "Result=0-0|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6|0-0",
        ),
        ("[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0", "Result=0-0|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5|0-0"),
        (
            "[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0",
            "Result=0-0|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O|",
        ),
        ("[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0", "Result=1-0|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O|"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0", "|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O|"),
        // castling before the result
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0 1-0", "|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O 1-0|1-0"),
        (
            "[Result \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0 {x} 1-0",
            "Result=?|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O 1-0|1-0",
        ),
        ("[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0 *", "Result=*|1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O|*"),
        // without a tag, castling is tried first
        ("1. d4 d5 0-0", "|1. d4 d5|0-0"),
        (
            "1. d4 d5 2. 0-0",
            "|half-move 3, \"0-0\": illegal move in rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq d6 0 2|",
        ),
        (
            "[Result \"1-0\"]\n\n1. d4 d5 0-0",
            "Result=1-0|half-move 3, \"0-0\": illegal move in rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq d6 0 2|",
        ),
        // twice, in brackets, with blanks, in words
        ("1. e4 e5 1/2-1/2 1/2-1/2", "|1. e4 e5 1/2-1/2|1/2-1/2"),
        ("1. d4 d5 {Black resigned} 1-0 *", "|1. d4 d5 1-0|1-0"),
        ("1. d4 d5 * 1-0", "|1. d4 d5 1-0|*"),
        ("1. d4 d5 1-0 {x} 1-0 {y}\n1-0", "|1. d4 d5 1-0|1-0"),
        ("1. c4 c5 0-1\n0-1", "|1. c4 c5 0-1|0-1"),
        ("1. c4 c5 1/2-1/2 draw agreed", "|1. c4 c5 1/2-1/2|1/2-1/2"),
        ("1. f4 e5 (1-0)", "|1. f4 e5 1-0|1-0"),
        ("1. e4 e5 1-0 (1-0)", "|1. e4 e5 1-0|1-0"),
        ("1. e4 e5 1-0 {x} (1-0) 1-0", "|1. e4 e5 1-0|1-0"),
        ("1. f4 e5 ( 1/2-1/2 ) {x}", "|1. f4 e5 1/2-1/2|1/2-1/2"),
        ("1. f4 e5 (1-0) 2. fxe5", "|1. f4 e5 2. fxe5|"),
        ("1. f4 e5 (1... d5 1-0)", "|1. f4 e5|"),
        ("1. e4 e5 1 / 2 - 1 / 2", "|1. e4 e5 1/2-1/2|1/2-1/2"),
        ("1. e4 e5 1 /2-1/ 2", "|1. e4 e5 1/2-1/2|1/2-1/2"),
        ("1. e4 e5 Draw", "|1. e4 e5 1/2-1/2|1/2-1/2"),
        ("1. e4 e5 Draw agreed.", "|1. e4 e5 1/2-1/2|1/2-1/2"),
        ("1. e4 e5 Remis", "|1. e4 e5 1/2-1/2|1/2-1/2"),
        ("1. e4 e5 White resigns", "|1. e4 e5 0-1|0-1"),
        ("1. e4 e5 Black resigned", "|1. e4 e5 1-0|1-0"),
        ("1. e4 e5 Draw 1-0", "|1. e4 e5 1-0|1-0"),
        ("Draw", "|1/2-1/2|1/2-1/2"),
        ("1. e4 (1-0) 1... e5", "|1. e4 e5|"),
        ("[Result \"1-0\"]\n\n1. e4 e5 +-", "Result=1-0|1. e4 e5|"),
        ("1. e4 e5 +-", "|1. e4 e5|"),
        ("1. e4 +- e5 -+ 1-0", "|1. e4 e5 1-0|1-0"),
    ] {
        assert_eq!(read(&format!("{text}{next}")), [expected, "Event=next|1. c4|*"], "{text}");
        assert_eq!(read(text), [expected], "{text}");
    }
    // A plain result stands in the annotated text for one that reads as a move.
    let text = "[Result \"0-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 {both} 0-0 {lose}";
    let annotated = games(text).next().unwrap().annotated;
    assert_eq!(annotated.as_deref(), Some("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 {both} * {lose}"));
    // Input of a single game is as strict as before.
    for strict in ["1. d4 d5 0-0", "1. d4 d5 1-0 1-0", "1. d4 d5 1-0 *"] {
        assert!(movetext::read(strict).is_err(), "{strict}");
    }
}

#[test]
fn comments_between_tags_stay_with_their_game() {
    for (text, expected) in [
        ("[White \"a\"]\n; x\n[Black \"b\"]\n\n1. e4 *", &["White=a Black=b|1. e4|*"][..]),
        ("[White \"a\"] ; x\n[Black \"b\"]\n1. e4 *", &["White=a Black=b|1. e4|*"]),
        ("[White \"a\"]\n{ x }\n[Black \"b\"]\n\n1. e4 *", &["White=a Black=b|1. e4|*"]),
        ("[White \"a\"]\n{ x\ny } {z}\n\n[Black \"b\"]\n\n1. e4 *", &["White=a Black=b|1. e4|*"]),
        ("[White \"a\"] {x} [Black \"b\"] 1. e4 *", &["White=a Black=b|1. e4|*"]),
        ("[White \"a\"]\n% x\n\n[Black \"b\"]\n\n1. e4 *", &["White=a Black=b|1. e4|*"]),
        // a comment instead of moves
        ("[White \"a\"]\n\n{x}\n\n[White \"b\"]\n\n1. e4 *", &["White=a||", "White=b|1. e4|*"]),
        ("[White \"a\"]\n{x}\n[Event \"b\"]\n\n1. e4 *", &["White=a||", "Event=b|1. e4|*"]),
        (
            "[White \"a\"]\n\n{x\n\n[Black \"b\"]\n\n1. e4 *",
            &["White=a|half-move 1, \"{x\": the comment is not terminated|", "Black=b|1. e4|*"],
        ),
    ] {
        assert_eq!(read(text), expected, "{text}");
        assert_eq!(read(&text.replace('\n', "\r\n")), expected, "{text}");
        assert_eq!(read(&text.replace('\n', "\r")), expected, "{text}");
    }
    let annotated = |text: &str| games(text).map(|game| game.annotated.map(Cow::into_owned)).collect::<Vec<_>>();
    for stray in ["", "\u{ff}\n", "\u{fffd}", "% x\n"] {
        let text = format!("[White \"a\"]\n{{c}}\n{stray}[Black \"b\"]\n\n1. e4 *");
        assert_eq!(annotated(&text), [Some("{c}\n1. e4 *".into())], "{stray:?}");
    }
    assert_eq!(annotated("[White \"a\"]\n; x\n[Black \"b\"]\n\n1. e4 *"), [Some("; x\n1. e4 *".into())]);
    assert_eq!(annotated("[White \"a\"]\n\n{x}\n\n[White \"b\"]\n\n1. e4 *"), [Some("{x}".into()), None]);
}

/// Both readers find the same moves behind a comment that stands before the tags.
#[test]
fn the_tree_begins_with_the_board_of_the_game() {
    for start in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/4k3/8/8/4K3/R7 w - - 90 120",
        "8/8/8/4k3/8/8/4K3/R7 b - - 7 1",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2",
        "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 40",
    ] {
        let text = format!("[FEN \"{start}\"]\n\n*");
        let read = games(&text).next().unwrap();
        let (board, _) = read.tree().unwrap();
        assert_eq!(Ok(&board), read.game.as_ref().unwrap().view().start_board().as_ref(), "{start}");
        assert_eq!(fen::write(&board), start);
    }
}

#[test]
fn comments_before_the_tags_are_read_with_the_moves() {
    for (text, moves) in [
        ("{a {b}\n[White \"x\"]\n\n1. e4 foo } e5 *", "1. e4 e5"),
        ("{a {b}\n[White \"x\"]\n\n} 1. e4 e5 *", "1. e4 e5"),
        ("{b}\n[White \"x\"]\n[Result \"0-0\"]\n\n1. e4 e5 0-0", "1. e4 e5"),
        ("{b}\n[White \"x\"]\n\n1. e4 e5 0-0", "1. e4 e5"),
    ] {
        let read = games(text).next().unwrap();
        let game = read.game.as_ref().unwrap();
        assert_eq!(movetext::write(game.view()).unwrap(), moves, "{text}");
        assert_eq!(read.tree().unwrap().1.game.view().moves(), game.view().moves(), "{text}");
    }
    // An ambiguous move has its place behind the comment.
    let text = format!("{{before}}\n[White \"x\"]\n\n{TO_B5}");
    let read = games(&text).next().unwrap();
    let reason = read.game.unwrap_err().to_string();
    assert!(reason.starts_with("half-move 7, \"Nb5\": ambiguous move, read as Ndb5"), "{reason}");
    assert_eq!(read.annotated.unwrap(), format!("{{before}}\n{}", TO_B5.replace("Nb5", "Ndb5")));
}

#[test]
fn a_damaged_tag_costs_that_tag_at_most() {
    for (tag, value) in [
        ("[White 'Morphy']", "Morphy"),
        ("[White `Morphy']", "Morphy"),
        ("[White ``Morphy'']", "Morphy"),
        ("[White 'O'Kelly']", "O'Kelly"),
        ("[White Morphy]", "Morphy"),
        ("[White Morphy, Paul ]", "Morphy, Paul"),
        ("[White Morphy\"]", "Morphy"),
        ("[White: \"Morphy\"]", "Morphy"),
        ("[White=\"Morphy\"]", "Morphy"),
        ("[White \"Morphy\")", "Morphy"),
        ("[White \"O'", "O'"),
        ("White \"Morphy\"]", "Morphy"),
        ("  [White \"Morphy\"]", "Morphy"),
        ("\t[ White  \"Morphy\" ]", "Morphy"),
        ("[White \"Paul\nMorphy\"]", "Paul Morphy"),
        ("[White \"Paul \n  Morphy\n(USA)\" ]", "Paul Morphy (USA)"),
        ("[White \"Paul\nMorphy]", "Paul Morphy"),
        ("[White \"\\\"Paul\\\"\nMorphy\"]", "\"Paul\" Morphy"),
    ] {
        for end in ["1. e4 *", "1. e4", "*"] {
            let game = format!("[Event \"e\"]\n{tag}\n[Black \"b\"]\n\n{end}\n\n");
            let moves = end.trim_end_matches('*').trim();
            let expected =
                format!("Event=e White={value} Black=b|{moves}|{}", if end.contains('*') { "*" } else { "" });
            let text = game.repeat(2);
            for text in [text.replace('\n', "\r\n"), text.replace('\n', "\r"), text] {
                assert_eq!(read(&text), [expected.clone(), expected.clone()], "{text:?}");
            }
        }
    }
    for (tag, name) in
        [("[White-Elo \"2000\"]", "e"), ("[White Elo \"2000\"]", "e"), ("[\"x\"]", "e"), ("[White \"a [b", "e")]
    {
        let text = format!("[Event \"{name}\"]\n{tag}\n[Black \"b\"]\n\n1. e4 1-0\n\n[Event \"2\"]\n\n1. d4 *");
        let found: Vec<_> = games(&text).collect();
        assert_eq!((found.len(), found[0].tags.len()), (2, 2), "{tag}");
        let prefix = found[0].game.as_ref().unwrap_err().prefix.as_ref().unwrap();
        assert_eq!(movetext::write(prefix.view()).unwrap(), "1. e4 1-0", "{tag}");
    }
}

#[test]
fn sections_may_be_indented() {
    let text = "[White \"a\"]\n\n1. e4 e5 2. Nf3\n\n [White \"b\"]\n\n 1. d4 d5\n\n\t\u{a0}[White \"c\"]\n\n    1. c4 {[%x \"y\"]} c5\n  [White \"d\"]\n  1. f4";
    let expected = ["White=a|1. e4 e5 2. Nf3|", "White=b|1. d4 d5|", "White=c|1. c4 c5|", "White=d|1. f4|"];
    for line_break in ["\n", "\r\n", "\r"] {
        assert_eq!(read(&text.replace('\n', line_break)), expected, "{line_break:?}");
    }
}

#[test]
fn a_start_forgives_what_it_can_do_without() {
    let start = |fen: &str| {
        let text = format!("[FEN \"{fen}\"]\n\n*");
        let read = games(&text).next().unwrap();
        assert_eq!(read.tags[0].1, fen, "the tag stays as it is");
        read.game.map(|game| fen::write(&game.view().start_board().unwrap())).map_err(|error| error.to_string())
    };
    let pawn = "4k3/8/8/8/4P3/8/8/4K3";
    for (given, board) in [
        // no pawn, a pawn of the side that moves, a piece in the way, no square, other ranks
        ("4k3/8/8/8/8/8/4P3/4K3 b - e3 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"),
        (
            "rnbqkbnr/pppppppp/8/8/P7/8/1PPPPPPP/RNBQKBNR w KQkq a3 0 1",
            "rnbqkbnr/pppppppp/8/8/P7/8/1PPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        ("4k3/8/4n3/4p3/8/8/8/4K3 w - e6 0 1", "4k3/8/4n3/4p3/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e9 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - ? 3 9", "4k3/8/8/8/4P3/8/8/4K3 b - - 3 9"),
        // the pawn's own square
        ("4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 B KQkq E3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"),
        // clocks, and what follows them
        ("4k3/8/8/8/4P3/8/8/4K3 b - - - -", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - -1 7", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 7"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - 5 99999999999", "4k3/8/8/8/4P3/8/8/4K3 b - - 5 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - bm Kd7; id \\\"x\\\";", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 black KQ e6 0 1 more", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3_b_KQkq_e3_4_5", "4k3/8/8/8/4P3/8/8/4K3 b - e3 4 5"),
        // both at once
        ("r3k2r/8/8/8/4P3/8/8/4K2R b KQkq d3 0 1", "r3k2r/8/8/8/4P3/8/8/4K2R b Kkq - 0 1"),
    ] {
        let given = given.replace("\\\"", "");
        assert_eq!(start(&given).as_deref(), Ok(board), "{given}");
        assert!(movetext::read(&format!("[FEN \"{given}\"]")).is_err(), "a single game forgives nothing: {given}");
    }
    for wrong in [format!("{pawn} x - - 0 1"), "4k3/8 w - - 0 1".into(), "4k3/8/8/8/8/8/4P3/8 w - e3 0 1".into()] {
        assert!(start(&wrong).is_err(), "{wrong}");
    }
    // Other spellings of the tag's name.
    let moves = games("[Fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SETUP \"1\"]\n\n1. e4 Kd7 *").next().unwrap().game;
    assert_eq!(moves.unwrap().view().ply_count(), 2);
}

/// Tags, moves and result of the games of a text, and what is wrong with each: one line for each game.
fn lines(text: &str) -> Vec<String> {
    let of = |game: PgnGame<'_>| {
        let tags: Vec<_> = game.tags.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        let error = game.game.as_ref().err().map(|error| error.to_string());
        let error = error.map(|error| format!(" | {}", error.split(" in ").next().unwrap_or_default()));
        // Whoever reads the comments finds the same moves.
        if let (Ok(read), Ok((_, tree))) = (&game.game, game.tree()) {
            assert_eq!(tree.game.view().moves(), read.view().moves(), "{text}");
        }
        let moves = game.game.map_or_else(|error| error.prefix, Some);
        let moves = moves.map(|game| movetext::write(game.view()).unwrap()).unwrap_or_default();
        tags.concat() + &moves + &error.unwrap_or_default()
    };
    games(text).map(of).collect()
}

#[test]
fn a_move_in_numbers_is_never_left_out() {
    for (text, expected) in [
        ("1. 5254 5755 2. 7164 2836 1-0", "1. e4 e5 | half-move 3, \"7164\": illegal move"),
        ("1. 5254 5755 {x} 2. 71634 1-0", "1. e4 e5 | half-move 3, \"71634\": illegal move"),
        ("1. 5254 5755 2. 7109 1-0", "1. e4 e5 | half-move 3, \"7109\": illegal move"),
        ("1. 5255 5755 1-0", " | half-move 1, \"5255\": illegal move"),
        ("52545755 1-0", " | half-move 1, \"52545755\": illegal move"),
        ("1. 5254 (1. 4244 4745) 5755 1-0", "1. e4 e5 1-0"),
        // in other games numbers are remarks
        ("1. e4 e5 (1... c5 2. 7163) 1234 2. Nf3 1-0", "1. e4 e5 2. Nf3 1-0"),
        ("1858 1. e4 e5 1-0", "1. e4 e5 1-0"),
    ] {
        assert_eq!(
            lines(text),
            [expected.trim_start()].map(|one| if expected.starts_with(' ') { expected } else { one }),
            "{text}"
        );
    }
}

#[test]
fn a_game_goes_on_behind_a_star() {
    let whole = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0";
    for text in [
        "1. e4 e5 2. Nf3* Nc6 3. Bb5 a6 1-0",
        "1. e4 e5 2. Nf3!* Nc6 3. Bb5 a6 1-0",
        "1. e4 e5 2. Nf3 Nc6 {sealed} * 3. Bb5 a6 1-0",
        "1. e4 e5 2. Nf3 * Nc6 3. * Bb5 a6 1-0",
        "1. e4 e5 2. Nf3 Nc6 * {sealed} (3. Bc4)\n3. Bb5 * 3... a6 1-0",
        "1. e4 e5 2. Nf3 * 2...Nc6 3. Bb5 a6 1-0",
    ] {
        assert_eq!(lines(text), [whole], "{text}");
        let read = games(text).next().unwrap();
        assert_eq!(
            (read.annotated.as_deref(), read.outcome.map(|found| found.to_string())),
            (Some(text), Some("1-0".into()))
        );
        assert!(movetext::read(text).is_err(), "a single game forgives nothing");
    }
    for ornament in ["*", "* * *", "***"] {
        let text = format!("[White \"a\"]\n\n{ornament}\n\n{whole}\n\n[White \"b\"]\n\n*\n\n[White \"c\"]\n\n*");
        let expected = [format!("White=a {whole}"), "White=b ".into(), "White=c ".into()];
        assert_eq!(lines(&text), expected, "{ornament}");
    }
    // Other results, and numbers that do not fit, leave the rest in the game.
    for (text, expected) in [
        ("1. e4 e5 1-0 2. Nf3 Nc6 1-0", "1. e4 e5 | half-move 3, \"2.\": text after the result"),
        ("1. e4 e5 1/2 {x} 2. Nf3 Nc6 1-0", "1. e4 e5 | half-move 3, \"2.\": text after the result"),
        ("1. e4 e5 1-0 * 2. Nf3 Nc6 1-0", "1. e4 e5 | half-move 3, \"2.\": text after the result"),
        ("1. e4 e5 * 15. Nf3 Nc6 1-0", "1. e4 e5 | half-move 3, \"15.\": text after the result"),
    ] {
        assert_eq!(lines(text), [expected], "{text}");
    }
    for text in ["1. e4 e5 *\n1. d4 d5 *", "1. e4 e5*\n1. d4 d5*", "1. e4 e5 * 1. d4 d5 *", "e4 e5 * d4 d5 *"] {
        assert_eq!(lines(text), ["1. e4 e5", "1. d4 d5"], "{text}");
    }
}

#[test]
fn brackets_within_brackets_show_no_moves() {
    let whole = "1. d4 d5 2. c4 e6 1-0";
    for inside in [
        "[2. Nf3 [2. Bf4] Nf6 3. e3]",
        "[2. Nf3 {good} Nf6]",
        "[2. Nf3 {]} Nf6]",
        "[see also \"A\" [2. Nf3]]",
        "<2. Nf3 <b> Nf6>",
    ] {
        let text = format!("1. d4 d5 2. c4 {inside} e6 1-0");
        assert_eq!(lines(&text), [whole], "{text}");
        assert_eq!(games(&text).next().unwrap().annotated.as_deref(), Some(&*text));
    }
    assert_eq!(
        lines("1. e4 [ e5 [x] 2. Nf3"),
        ["1. e4 | half-move 2, \"[\": not a move"]
            .map(|one| format!("{one} in standard algebraic notation"))
            .map(|one| one.split(" in ").next().unwrap().to_owned())
    );
}

#[test]
fn numbers_that_begin_again_begin_a_game() {
    let text = "[White \"a\"]\n\n1. e4 e5 2. Nf3 Nc6\n\n1. d4 d5 2. c4\n1.c4 e5\n1. e4";
    assert_eq!(lines(text), ["White=a 1. e4 e5 2. Nf3 Nc6", "1. d4 d5 2. c4", "1. c4 e5", "1. e4"]);
    for whole in
        ["1. e4\n1... e5", "1. e4\n1. ... e5", "1. e4\n1. e5", "1. e4 {x\n1. d4} e5", "1. e4 (1. d4 d5\n1. c4) e5"]
    {
        assert_eq!(lines(whole), ["1. e4 e5"], "{whole}");
    }
}

#[test]
fn an_event_begins_a_game_anywhere() {
    let next = "[Event \"B\"]\n[White \"b\"]\n\n1. d4 d5 0-1";
    for before in [
        "e5",
        "e5 ",
        "e5 \u{feff}",
        "e5{x}\u{feff}",
        "e5\u{1a}",
        "e5 1-0",
        "e5 1-0 ; comment\u{feff}",
        "e5 {open \u{feff}",
    ] {
        let text = format!("[Event \"A\"]\n\n1. e4 {before}{next}");
        let found = lines(&text);
        assert!(found[0].starts_with("Event=A 1. e4"), "{before}: {found:?}");
        assert_eq!(found[1..], ["Event=B White=b 1. d4 d5 0-1"], "{before}");
    }
    assert_eq!(lines(&format!("<PRE>{next}"))[1], "Event=B White=b 1. d4 d5 0-1");
    let one = "[Event \"B\"] 1. d4 d5 [Event \"C\"] [White \"c\"] [Result \"0-1\"] 1. c4 0-1";
    assert_eq!(lines(one), ["Event=B 1. d4 d5", "Event=C White=c Result=0-1 1. c4 0-1"]);
    // what a tag says within a line is no result
    let found = lines("1. d4 d5 [White \"c\"] [Result \"0-1\"] 2. c4 0-1");
    assert_eq!(found, ["1. d4 d5 | half-move 3, \"[White\": not a move"].map(|one| one.to_owned()));
    let quoted = "1. d4 {[Event \"x\"] [White \"y\"]} d5 0-1";
    assert_eq!(lines(quoted), ["1. d4 d5 0-1"]);
}

#[test]
fn what_says_nothing_of_a_game_is_none() {
    for text in ["{\"id\":\"a\",\"clock\":{\"initial\":300},\"moves\":\"e4\"}\n{\"id\":\"b\"}", "<html>", "[x]", "17."]
    {
        assert!(games(text).all(|read| read.game.is_err()), "{text}");
    }
    assert_eq!(lines("[White \"a\"]\n\n{a {b} c}"), ["White=a "]);
}

#[test]
fn words_behind_a_result_are_no_moves() {
    for remark in ["ff", "ab", "de facto", "ed"] {
        let text = format!("[White \"a\"]\n\n1. e4 e5 1-0 {remark}\n\n[White \"b\"]\n\n1. d4 1-0");
        assert_eq!(lines(&text), ["White=a 1. e4 e5 1-0", "White=b 1. d4 1-0"], "{remark}");
    }
    // however long, wherever it is cut
    let long =
        "the winner of this long fight was called by the arbiter who found nothing wrong with his clock ".repeat(40);
    for start in 0..8 {
        let text =
            format!("[White \"a\"]\n\n1. e4 e5 1-0 {}{long}\n\n[White \"b\"]\n\n1. d4 1-0", &"zzzzzzzz"[start..]);
        assert_eq!(lines(&text), ["White=a 1. e4 e5 1-0", "White=b 1. d4 1-0"]);
    }
}

#[test]
fn pages_and_signs_may_be_glued_to_a_result() {
    for (result, known) in [
        ("1-0<br>", "1-0"),
        ("1-0</pre>", "1-0"),
        ("½-½<br>", "1/2-1/2"),
        ("**1-0**", "1-0"),
        ("1-0*", "1-0"),
        ("1-0—", "1-0"),
        ("1-0=", "1-0"),
    ] {
        let text = format!("[White \"a\"]\n\n1. e4 e5 {result}\n\n[White \"b\"]\n\n1. d4 1-0");
        assert_eq!(lines(&text), [&*format!("White=a 1. e4 e5 {known}"), "White=b 1. d4 1-0"], "{result}");
    }
}

#[test]
fn castling_with_zeros_may_be_glued_to_its_number() {
    let before = "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7";
    for white in ["4…0-0", "4-0-0", "4:0-0", "4,0-0", "4_0-0", "4.-0-0", "40-0", "4)0-0", "4.0-0", "4-5171", "4…0–0"]
    {
        let text = format!("{before} {white} 4…0-0 1-0");
        assert_eq!(lines(&text), [format!("{before} 4. O-O O-O 1-0")], "{text}");
    }
}

/// A mark that belongs to no game, wherever it stands among the moves, changes no move: it gives the same moves, the first of
/// them with an error, or those of two games.
#[test]
fn no_odd_mark_changes_a_move() {
    let words: Vec<_> = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 d6 1-0".split(' ').collect();
    let numbers: Vec<_> = "1. 5254 5755 2. 7163 2836 3. 6134 6835 4. 5171 7866 5. 4243 4746 1-0".split(' ').collect();
    let moves = "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d3 d6";
    let played = |text: &str| {
        let is_move = |word: &&str| !word.ends_with('.') && GameResult::from_token(word).is_none();
        text.split(' ').filter(is_move).collect::<Vec<_>>().join(" ")
    };
    for mark in [
        "*",
        "* *",
        "1/2-1/2",
        "5255",
        "[2. d4 [2. f4] d5]",
        "[2. d4 {x} d5]",
        "<a <b> e4>",
        "[White \"x\"]",
        "<br>",
        "=",
        "+0.3",
    ] {
        for words in [&words, &numbers] {
            for (at, glued) in (0..words.len()).flat_map(|at| [(at, ""), (at, " ")]) {
                let text = format!("{}{glued}{mark} {}", words[..at].join(" "), words[at..].join(" "));
                let mut rest = moves;
                for game in games(&text) {
                    let is_ok = game.game.is_ok();
                    let found = game.game.map_or_else(|error| error.prefix, Some);
                    let found = found.map(|game| played(&movetext::write(game.view()).unwrap())).unwrap_or_default();
                    assert!(rest.starts_with(&found), "{text}: {found}");
                    rest = rest[found.len()..].trim_start();
                    if !is_ok {
                        rest = "";
                    }
                }
                assert_eq!(rest, "", "{text}");
            }
        }
    }
}

/// Whoever reads the moves of a text stops where the text is cut into games, whatever stands beside them.
#[test]
fn moves_end_where_games_are_cut() {
    let marks = [
        "*",
        "* *",
        "*.",
        "*!",
        "(*)",
        "* {x}",
        "* (1. d4)",
        "* $1",
        "1-0",
        "1/2",
        "{x}",
        "}",
        "\u{a0}",
        "\n",
        "resigned",
        "ff",
        "on time",
        "15.",
        "2...",
        "[x]",
        "$1",
        "(1. d4)",
        "; x\n",
        "\nwhite lost on time",
        "* adjourned",
        "+0.3",
    ];
    let words: Vec<_> = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0 1. d4 d5 2. c4 e6 0-1".split(' ').collect();
    let start = StartTags { forgives: true, ..StartTags::default() };
    let mut state = 71;
    let mut below = |n: usize| (chess_gamegen::splitmix64(&mut state) % n as u64) as usize;
    let (mut cut, mut gone_on) = (0, 0);
    for _ in 0..20_000 {
        let mut text = String::new();
        let places = [below(words.len()), below(words.len()), below(words.len())];
        for (at, word) in words.iter().enumerate() {
            text.push_str(word);
            text.push_str(["", " "][usize::from(!places.contains(&at) || below(4) > 0)]);
            if places.contains(&at) {
                text.push_str(marks[below(marks.len())]);
                text.push_str(["", " "][usize::from(below(4) > 0)]);
            }
        }
        let pgn = format!("[White \"a\"]\n\n{text}");
        let pieces: Vec<_> = games(&pgn).collect();
        let Some(_) = pieces[0].outcome else { continue };
        let of = |read: Result<Game, Option<Game>>| {
            let is_whole = read.is_ok();
            let moves = read.map_or_else(|prefix| prefix, Some);
            (moves.map_or(Vec::new(), |game| game.view().moves().to_vec()), is_whole)
        };
        let (first, is_whole) = of(pieces[0].game.clone().map_err(|error| error.prefix));
        let read = movetext::read_written(&start, &text).map(|written| written.game);
        let (moves, reads_on) = of(read.map_err(|error| error.prefix));
        assert_eq!(moves, first, "{text:?}");
        assert_eq!(reads_on, is_whole && pieces.len() == 1, "{text:?}");
        let tree = Tree::read(GameStart::standard(), false, &text);
        assert_eq!((tree.game.view().moves(), tree.end.is_none()), (&moves[..], reads_on), "{text:?}");
        cut += usize::from(pieces.len() > 1);
        gone_on += usize::from(pieces[0].movetext.matches('*').count() > 0 && is_whole);
    }
    assert!(cut > 1000 && gone_on > 100, "{cut} {gone_on}");
}

/// What a game is exported with that has this text behind its first move; or the error.
fn exported(text: &str) -> String {
    let pgn = format!("[White \"a\"]\n\n{text}");
    let mut read: Vec<_> = games(&pgn).collect();
    assert_eq!(read.len(), 1, "{text}");
    let found = read.remove(0);
    let game = match found.game {
        Ok(game) => game,
        Err(error) => return error.reason.to_string().split(" in ").next().unwrap_or_default().to_owned(),
    };
    assert_eq!(movetext::write(game.view()).unwrap(), "1. e4 e5 2. Nf3", "{text}");
    let Some(annotated) = found.annotated else { return movetext::write(game.view()).unwrap() };
    let written = crate::text::write_pgn::write_annotated(game.view(), &[], &annotated).unwrap().unwrap();
    let (_, moves) = written.split_once("\n\n").unwrap();
    moves.replace('\n', " ").trim_end().strip_suffix(" *").unwrap().to_owned()
}

/// What is no move becomes a glyph, a comment or an error; only what separates words, or marks a check, is left out.
#[test]
fn nothing_beside_the_moves_is_lost() {
    // the glyphs or the comment behind the move
    for (beside, kept) in [
        ("+0.23", "{ +0.23 }"),
        ("-0.51", "{ -0.51 }"),
        ("−0.51", "{ −0.51 }"),
        ("0.31", "{ 0.31 }"),
        (".31", "{ .31 }"),
        ("0.00", "{ 0.00 }"),
        ("2.5", "{ 2.5 }"),
        ("+0,3", "{ +0,3 }"),
        ("+0.30/12", "{ +0.30/12 }"),
        ("+12.34/12 5.3", "{ +12.34/12 5.3 }"),
        ("0:05", "{ 0:05 }"),
        ("1:23:45", "{ 1:23:45 }"),
        ("2004.05.12", "{ 2004.05.12 }"),
        ("12.05.2004", "{ 12.05.2004 }"),
        ("12", "{ 12 }"),
        ("(+0.3)", "{ (+0.3) }"),
        ("(0.31)", "{ (0.31) }"),
        ("(1)", "{ (1) }"),
        ("(12)", "{ (12) }"),
        ("(12.5)", "{ (12.5) }"),
        ("(0:05)", "{ (0:05) }"),
        ("(#)", "{ (#) }"),
        ("(–)", "{ (–) }"),
        ("(☺)", "{ (☺) }"),
        ("(+/-)", "{ (+/-) }"),
        ("= +0.3", "$10 { +0.3 }"),
        ("⩲0.3", "$14 { 0.3 }"),
        ("🔥", "{ 🔥 }"),
        ("★", "{ ★ }"),
        ("• ¶", "{ • ¶ }"),
        ("! ★", "$1 { ★ }"),
        ("★!", "$1 { ★ }"),
        ("&", "{ & }"),
        ("<>", "{ <> }"),
        ("<x>", "{ <x> }"),
        ("[x]", "{ [x] }"),
        ("¹", "{ ¹ }"),
        ("[#]", "$220"),
        ("D!", "$220 $1"),
        ("N!?", "$146 $5"),
        ("±", "$16"),
        ("+/-", "$16"),
        ("$255", "$255"),
        ("$999", "$999"),
        ("$0", "$0"),
        ("$99999999999", "{ $99999999999 }"),
        ("$", "{ $ }"),
        ("; x\n", "{ x }"),
        ("{ {} }", "{ ( }"),
        ("{a {b} c}", "{ a (b } { c }"),
        ("{a {b} }", "{ a (b }"),
        ("check", "{ check }"),
        ("mate", "{ mate }"),
        ("ch", "{ ch }"),
    ] {
        let expected = if kept.starts_with('{') || kept.contains(" {") {
            format!("1. e4 {kept} 1... e5 2. Nf3")
        } else {
            format!("1. e4 {kept} e5 2. Nf3")
        };
        // attached to the move, too, unless it reads as a part of it
        let glued = !beside.starts_with(|first: char| first.is_ascii_alphanumeric() || matches!(first, '.' | '='));
        for text in [format!("1. e4 {beside} e5 2. Nf3"), format!("1. e4{beside} e5 2. Nf3")]
            .iter()
            .take(1 + usize::from(glued))
        {
            let order = |text: &str| {
                let mut words: Vec<_> = text.split(' ').map(str::to_owned).collect();
                words.sort();
                words
            };
            assert_eq!(order(&exported(text)), order(&expected), "{text}: {}", exported(text));
        }
    }
    for layout in
        ["", "\u{feff}", "...", "1...", "+", "#", "++", "-", "–", "|", "\"", "“”", "()", "( )", "\n%x\n", "]", "}", ":"]
    {
        assert_eq!(exported(&format!("1. e4 {layout} e5 2. Nf3")), "1. e4 e5 2. Nf3", "{layout:?}");
    }
    for (wrong, at) in
        [("--", "--"), ("Z0", "Z0"), ("#3", "#3"), ("M5", "M5"), ("@", "@"), ("%", "%"), ("{a {x} e5}", "}")]
    {
        let found = exported(&format!("1. e4 {wrong} e5 2. Nf3"));
        assert!(found.contains(&format!("\"{at}\": ")), "{wrong}: {found}");
    }
    assert_eq!(exported("1. e4 e5 2. Nf3 *🔥"), "1. e4 e5 2. Nf3 { 🔥 }");
}

/// Signs stand before and behind the words that are attached to a move.
#[test]
fn signs_stand_around_other_marks() {
    let before = "1. e4 a6 2. e5 d5 3.";
    for (last, glyphs) in [
        ("exd6!e.p.", "$1"),
        ("exd6 e.p.!", "$1"),
        ("exd6 ep!?", "$5"),
        ("exd6e.p.!", "$1"),
        ("exd6!? e.p.", "$5"),
        ("exd6 e.p. !", "$1"),
        ("e:d6!e.p.", "$1"),
        ("exd6!N", "$1 $146"),
        ("exd6e.p.!N", "$1 $146"),
        ("exd6 e.p.", ""),
        ("exd6e.p.", ""),
    ] {
        let text = format!("[White \"a\"]\n\n{before} {last} *");
        let read = games(&text).next().unwrap();
        let game = read.game.unwrap();
        let annotated = read.annotated.unwrap_or(Cow::Borrowed(read.movetext));
        let written = crate::text::write_pgn::write_annotated(game.view(), &[], &annotated).unwrap().unwrap();
        let expected = format!("{before} exd6 {glyphs}{}*", if glyphs.is_empty() { "" } else { " " });
        assert_eq!(written.split_once("\n\n").unwrap().1.trim_end(), expected, "{last}");
    }
    for (last, glyphs) in
        [("b8=Q!+", &[1][..]), ("b8Q+!?", &[5]), ("b8=Q+!N", &[1, 146]), ("b8=N", &[]), ("b8=Q!ch", &[1])]
    {
        let text = format!("[FEN \"4k3/1P6/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. {last} *");
        let read = games(&text).next().unwrap();
        let (_, tree) = read.tree().unwrap();
        assert_eq!((tree.nodes[1].glyphs.as_slice(), tree.end), (glyphs, None), "{last}");
    }
}

/// However long a line between tags is, it is no game.
#[test]
fn lines_between_tags_may_be_long() {
    for len in [10, 200, 300, 5000] {
        let text = format!("[Event \"x\"]\n{}\n[White \"a\"]\n\n1. e4 *", "some words ".repeat(len));
        let read: Vec<_> = games(&text).collect();
        assert_eq!((read.len(), read[0].tags.len()), (1, 2), "{len}");
        assert!(matches!(&read[0].game, Err(Incomplete { prefix: Some(_), reason: PgnError::Tag(_) })), "{len}");
    }
}
