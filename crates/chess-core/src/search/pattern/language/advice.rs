//! What to write instead of what is written elsewhere: moves as in a score sheet, words of other programs,
//! signs of other languages.
//!
//! Takes the text of a pattern and the byte at which it stopped making sense; returns the sentence for the HINT, if it knows one.

use crate::board::fen;

/// Words of other languages, and what says the same.
const WORDS: &[(&[&str], &str)] = &[
    (&["checkmate", "checkmated", "mated"], "The word is mate."),
    (
        &["white", "black", "stm", "turn", "tomove"],
        "The side to move is wtm or btm; White's pieces are capital letters, Black's small ones.",
    ),
    (
        &["king", "queen", "rook", "bishop", "knight", "pawn"],
        "Pieces are letters: N is a knight of White, n one of Black.",
    ),
    (
        &["result", "elo", "whiteelo", "blackelo", "player", "event", "site", "date", "year", "eco"],
        "Players, results, ratings and dates are columns: WHERE game @@ '...' AND result = '1-0'.",
    ),
    (&["flipcolor", "flipcolour", "ignorecolors"], "The word is flip."),
    (&["flipvertical", "fliphorizontal", "reflect"], "The word is mirror, or flip for colours and ranks."),
    (&["rotate90", "rotate45"], "The word is rotate: all eight symmetries."),
    (&["shifthorizontal", "shiftvertical"], "The word is shift: everywhere on the board."),
    (
        &["passedpawns", "isolatedpawns", "doubledpawns", "connectedpawns"],
        "Of the pawns of a set: passed(P), isolated([Pp]), doubled(p), connected(P).",
    ),
    (&["power", "value"], "The worth of pieces is points(A)."),
    (&["ply", "plies", "plycount"], "The number of the half-move is halfmove."),
    (&["movenumber", "moveno"], "The number of the move is move."),
    (
        &["ray", "xray", "pin", "skewer", "battery"],
        "Pieces in a row are line(R, q, k); pinned(n) are those pinned against their king.",
    ),
    (
        &["sequence", "streak", "path", "find", "followedby"],
        "Steps are joined by then, or by directly for the next half-move.",
    ),
    (&["pass"], "Any half-move is any."),
    (&["castles", "castled"], "The move is castling, O-O or o-o-o; rights are castle(KQkq)."),
    (
        &["from", "to", "captures", "takes"],
        "A move is N-d5, a capture Nxd5; to the right stands what is taken, as in Bxph7.",
    ),
];

/// The hint for a sign at `at`, which other languages know.
fn sign_advice(text: &str, at: usize) -> Option<&'static str> {
    let signs = [
        ("==", "Equality is one sign: =."),
        ("||", "Conditions are joined by or, sets by |."),
        ("&&", "Conditions are joined by and, or stand side by side; sets are cut by &."),
        ("->", "Attacks are written A attacks k, the next half-move as directly."),
        ("!", "The opposite is not, for a set ~; comments on moves have no place here."),
        (",", "What holds at one moment stands side by side; what comes later follows then."),
        (";", "What holds at one moment stands side by side; what comes later follows then."),
        ("\u{2013}", "A move is written with a plain hyphen, as in N-d5."),
    ];
    // The lexer may have cut a sign in two: "=" and "=".
    let starts = |at: usize, sign: &str| text.get(at..).is_some_and(|rest| rest.starts_with(sign));
    let count = |sign: u8| text.as_bytes()[..at].iter().filter(|byte| **byte == sign).count();
    let is_open = count(b'(') > count(b')');
    let is_here = |(sign, _): &&(&str, &'static str)| match *sign {
        "," | ";" => starts(at, sign) && !is_open,
        "!" => starts(at, sign) && !starts(at, "!="),
        sign => starts(at, sign) || at > 0 && starts(at - 1, sign),
    };
    signs.iter().find(is_here).map(|(_, hint)| *hint)
}

/// Whether a word is material without the `v` between the sides, such as `KRPKR`.
fn is_undivided_material(word: &str) -> bool {
    word.starts_with('K')
        && word.bytes().filter(|byte| *byte == b'K').count() == 2
        && word.bytes().all(|byte| b"KQRBNP0123456789*".contains(&byte))
}

/// The hint for a text that is not a pattern from `at` on.
pub(super) fn advice(text: &str, at: usize) -> Option<&'static str> {
    let bytes = text.as_bytes();
    if fen::read(text).is_ok() {
        return Some(
            "This is a FEN: games with its position are found by game @> '...'::chessboard; board(...) takes its placement.",
        );
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')');
    if bytes.get(at).is_some_and(u8::is_ascii_whitespace) && bytes[..at].contains(&b'/') {
        return Some(
            "Only the placement of a FEN belongs here, up to its first blank; the side to move is wtm or btm.",
        );
    }
    let at = at.min(bytes.len());
    let from = bytes[..at].iter().rposition(is_end).map_or(0, |before| before + 1);
    let len = bytes[from..].iter().position(is_end).unwrap_or(bytes.len() - from);
    let written = text.get(from..from + len)?;
    if let Some(hint) = sign_advice(text, at) {
        return Some(hint);
    }
    let is = |n: usize, range: std::ops::RangeInclusive<u8>| {
        written.as_bytes().get(n).is_some_and(|byte| range.contains(byte))
    };
    if text.get(at..).is_some_and(|rest| rest.starts_with(['\u{a0}', '\u{feff}'])) {
        return Some("Here is a blank that cannot be seen, as copied from a web page; write a plain one.");
    }
    let is_square = |n: usize| is(n, b'a'..=b'h') && is(n + 1, b'1'..=b'8');
    if is(0, b'a'..=b'h') && is(1, b'x'..=b'x') && is_square(2) {
        return Some("A pawn that takes is written Pexd5, or pexd5 for Black.");
    }
    if matches!(bytes.get(at), Some(b'0' | b'9')) && at > 0 && matches!(bytes[at - 1], b'a'..=b'h') {
        return Some("Squares are a1 to h8.");
    }
    // A material literal names both kings, in capital letters.
    if let Some((white, black)) = written.split_once('v')
        && [white, black].iter().all(|side| {
            side.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && side.bytes().all(|byte| b"KQRBNPkqrbnp0123456789*+?.[]".contains(&byte))
        })
    {
        if matches!(bytes.get(at), Some(b'*' | b'+' | b'?')) && bytes[at - 1].is_ascii_digit() {
            return Some("A piece has a number or a sign, not both: two or more are P2.., none to two P0..2.");
        }
        return Some("Material names the pieces of both sides in capital letters, one king each: KRPPvKR.");
    }
    if is_undivided_material(written) {
        return Some("A v stands between the sides of a material: KRPPvKR.");
    }
    let moves = written.contains(['x', '-']) || is(0, b'A'..=b'Z') && is_square(1);
    if moves && written.ends_with('+') {
        return Some("Check is a word: Nxd5 and check.");
    }
    if moves && written.ends_with('#') {
        return Some("Mate is a word: Qxf7 and mate.");
    }
    if ["0-0", "o-O", "O-o"].iter().any(|castles| written.starts_with(castles)) {
        return Some("Castling is O-O or O-O-O for White, o-o or o-o-o for Black, in letters.");
    }
    let digits = written.bytes().take_while(u8::is_ascii_digit).count();
    let dots = written[digits..].bytes().take_while(|byte| *byte == b'.').count();
    // Two dots are a range.
    if digits > 0 && dots > 0 && dots != 2 {
        return Some("Moves of a game are written one by one, without numbers: P-e4 directly p-e5 directly N-f3.");
    }
    let letters: String = written
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    WORDS.iter().find(|(words, _)| words.contains(&letters.as_str())).map(|(_, hint)| *hint)
}
