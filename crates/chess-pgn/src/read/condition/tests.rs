//! Conditions and the games for which they hold.

use chess_core::text::read_pgn;

use super::test::Answer;
use super::*;

const GAME: &str = "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/abcdefgh\"]\n[Date \"2015.03.??\"]\n[White \"Anna\"]\n\
    [Black \"O'Neil, Bob\"]\n[Result \"1-0\"]\n[WhiteElo \"2001\"]\n[BlackElo \"1800\"]\n[WhiteTitle \"WGM\"]\n\
    [TimeControl \"180+2\"]\n[Termination \"Time forfeit\"]\n[Annotator \"X\"]\n[Annotator \"Nunn\"]\n\n\
    1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 1-0\n";

/// Whether the condition holds: by the tags alone, if they decide, and by all of the game.
fn holds(condition: &str, pgn: &str) -> (Option<bool>, bool) {
    let mut condition = Condition::read(condition).unwrap_or_else(|fault| panic!("{condition}: {fault}"));
    let read = read_pgn::games(pgn).next().unwrap();
    let game = read.game.as_ref().unwrap().view();
    let answer = condition
        .terms
        .iter_mut()
        .fold(Answer::of(true), |all, term| all.and(term.expression.answer(&read.tags, None)));
    let whole = condition.fails(&read.tags, Some(game)).is_none();
    let by_tags = (answer.can_hold != answer.can_fail).then_some(answer.can_hold);
    assert!(by_tags.is_none_or(|by_tags| by_tags == whole), "{}", condition.as_str());
    (by_tags, whole)
}

#[test]
fn every_word_is_compared() {
    for (text, by_tags, whole) in [
        ("rating > 1899 and rating < 1901 and rating <= 1900 and rating = 1900", true, true),
        ("rating>=1901", true, false),
        ("rating != 1900", true, false),
        ("rating in (1899, 1901)", true, false),
        ("white_elo > 2000 and black_elo <= 1800", true, true),
        ("least_elo = 1800 and greatest_elo = 2001 and difference = 201", true, true),
        ("date = 2015 and date = 2015-03 and date >= 2015-03-01 and date < 2015-04", true, true),
        ("date = 2015-03-28", true, false),
        ("date != 2015-03-28 and not date < 2015-03-28", true, true),
        ("date > 2015-02-28 and date <= 2015.03", true, true),
        ("speed = blitz and speed < rapid and speed in (bullet, blitz)", true, true),
        ("speed != blitz", true, false),
        ("time_control = 180+2 and termination = 'Time forfeit' and result = 1-0", true, true),
        ("player = Anna and player = 'O''Neil, Bob' and white = Anna and black != Anna", true, true),
        ("player != Anna", true, false),
        ("title = wgm and white_title = WGM and title != BOT and black_title = unknown", true, true),
        ("event ~ \"BLITZ\" and site ~ lichess.org and round = unknown", true, true),
        ("tag.Annotator = X and tag.Annotator = Nunn and tag.Nothing = unknown", true, true),
        ("variant = standard and ply_count = 10 and length = 5", false, true),
        ("ply_count < 10 or variant = chess960", false, false),
        ("eco = B90 and eco = B and eco >= B9 and eco < B91", false, true),
        ("opening = 'Sicilian Defense' and opening = 'sicilian defense: najdorf variation'", false, true),
        ("opening = 'Sicilian'", false, false),
        ("opening ~ najdorf", false, true),
        ("position = 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'", false, true),
        ("material = KQRRBBNNPPPPPPPvKQRRBBNNPPPPPPPP", false, true),
        ("material != KvK and pattern = 'Nd4 and Nc3'", false, true),
    ] {
        assert_eq!(holds(text, GAME), (by_tags.then_some(whole), whole), "{text}");
    }
}

#[test]
fn what_is_missing_compares_with_nothing() {
    let bare = "[White \"A\"]\n[WhiteElo \"0\"]\n[ECO \"?\"]\n\n1. a3 *\n";
    for word in ["rating", "white_elo", "black_elo", "difference", "date", "speed", "title", "event"] {
        assert_eq!(holds(&format!("{word} = unknown"), bare), (Some(true), true), "{word}");
        assert_eq!(holds(&format!("{word} != unknown"), bare), (Some(false), false), "{word}");
    }
    assert!(!holds("rating >= 0", bare).1);
    assert!(holds("not rating >= 0 and speed != blitz and date != 2015", bare).1);
    assert_eq!(holds("eco = A00 and eco != unknown", bare), (None, true), "the code of the opening");
    assert_eq!(holds("result = *", bare), (None, true), "the result of the moves");
}

#[test]
fn and_binds_more_than_or() {
    for (text, whole) in [
        ("white = Anna or white = B and black = C", true),
        ("(white = Anna or white = B) and black = C", false),
        ("not white = B and black = C", false),
        ("not (white = B and black = C)", true),
        ("NOT NOT white = Anna AND white NOT IN (B, C)", true),
        ("white = B or ply_count = 10", true),
        // decided by the tags, whatever the moves are
        ("white = Anna or ply_count = 9", true),
        ("not (white = Anna or ply_count = 10)", false),
    ] {
        assert_eq!(holds(text, GAME).1, whole, "{text}");
    }
    assert_eq!(holds("white = Anna or ply_count = 9", GAME).0, Some(true));
}

#[test]
fn the_first_part_that_fails_is_named() {
    let mut condition =
        Condition::read("rating  >= 1000 and ply_count>40 and (speed = rapid or speed=bullet)").unwrap();
    assert_eq!(condition.as_str(), "rating >= 1000 and ply_count > 40 and ( speed = rapid or speed = bullet )");
    let parts: Vec<_> = condition.parts().map(str::to_owned).collect();
    assert_eq!(parts, ["rating >= 1000", "ply_count > 40", "( speed = rapid or speed = bullet )"]);
    let read = read_pgn::games(GAME).next().unwrap();
    assert_eq!(condition.fails(&read.tags, None), Some(2), "before the moves are read");
    assert_eq!(condition.fails(&read.tags, Some(read.game.as_ref().unwrap().view())), Some(1));
}

#[test]
fn errors_point_at_the_place() {
    for (text, at, reason) in [
        ("", 1, "expected a condition, found the end"),
        ("ratng >= 2000", 1, "\"ratng\" is not a word of conditions; \"rating\" is"),
        ("white = A and Rating >= 2000", 15, "\"rating\" is"),
        ("rating >= high", 11, "\"high\" is not a whole number"),
        ("rating ~ 2000", 8, "\"rating\" is not compared by \"~\", but by = != < <= > >= in"),
        ("rating", 7, "expected a comparison of \"rating\", found the end"),
        ("rating >=", 10, "expected a value, found the end"),
        ("rating >= 2000 speed = blitz", 16, "expected \"and\", \"or\" or the end, found \"speed\""),
        ("event = Titled Arena", 16, "found \"Arena\""),
        ("(rating >= 2000", 16, "expected \")\", found the end"),
        ("rating >= 2000)", 15, "found \")\""),
        ("speed in blitz", 10, "expected a list in parentheses"),
        ("speed in ()", 11, "expected a value, found \")\""),
        ("speed = fast", 9, "\"fast\" is not a speed: ultraBullet, bullet"),
        ("speed >= unknown", 10, "\"unknown\" is not a speed"),
        ("date = 2015-13", 8, "\"2015-13\" is not a day, a month or a year"),
        ("date = 15.3.2015", 8, "is not a day"),
        ("eco = F00", 7, "is not a code of an opening"),
        ("eco = é", 7, "is not a code of an opening"),
        ("result = 2-0", 10, "is not a result"),
        ("variant = atomic", 11, "is not a variant: standard or chess960"),
        ("white = \"Anna", 9, "the quote \" is not closed"),
        ("opening = Nonsense", 11, "is not how the name of an opening begins"),
        ("position = 8/8", 12, "is not a FEN"),
        ("material = KRP", 12, "is not material"),
        ("material = RvR", 12, "each side has its king"),
        ("pattern = 'Nd9'", 11, "the value of \"pattern\": "),
        ("tag. = x", 1, "is not a word"),
    ] {
        let fault = Condition::read(text).map(|_| ()).unwrap_err().to_string();
        let first = fault.lines().next().unwrap();
        assert!(first.contains(reason) && first.ends_with(&format!(", at character {at}")), "{text}: {fault}");
    }
    let deep = format!("{}white = A{}", "(".repeat(100), ")".repeat(100));
    assert!(Condition::read(&deep).unwrap_err().to_string().starts_with("more than 64 parentheses"));
    assert_eq!(
        Condition::read("rating >= 2000 and sped = blitz").unwrap_err().to_string().lines().take(3).collect::<Vec<_>>(),
        [
            "\"sped\" is not a word of conditions; \"speed\" is, at character 20",
            "  rating >= 2000 and sped = blitz",
            "                     ^"
        ]
    );
}
