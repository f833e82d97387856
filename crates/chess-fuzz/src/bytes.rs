//! Entrances for bytes: binary input, stored bytes, two-byte codes, records of Scid.

use chess_core::text::two_byte_moves::{self, BareMove, Numbering};
use chess_core::text::{movetext, scid};
use chess_core::{Board, Game, GameResult};

use crate::{board, game};

/// Input: a game in binary format without its version byte.
pub fn game_bytes(data: &[u8]) {
    if let Ok(read) = Game::from_bytes(data) {
        assert_eq!(read.as_bytes(), data);
        game::check(&read);
    }
}

/// Input: a board in binary format without its version byte.
pub fn board_bytes(data: &[u8]) {
    if let Ok(read) = Board::from_bytes(data) {
        assert_eq!(read.to_bytes(), data);
        board::check(&read);
    }
}

/// Input: two bytes for a half-move, and unchecked bytes as storage may hold them.
pub fn stored(data: &[u8]) {
    if let Some((ply, bytes)) = data.split_first_chunk::<2>() {
        game::survive(bytes, u16::from_le_bytes(*ply).into());
    }
}

/// Input: a byte for numbering and result, a board, and the codes of a game.
pub fn codes(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let (start, codes) = match Board::unpack(rest) {
        Ok((board, used)) => (board, &rest[used..]),
        Err(_) => (Board::default(), rest),
    };
    let numbering = if choice & 1 == 0 { Numbering::Plain } else { Numbering::Ocgdb };
    let result = GameResult::OF_PGN[usize::from(choice >> 1 & 3)];
    for pair in codes.as_chunks::<2>().0 {
        let code = u16::from_le_bytes(*pair);
        if let Some(bare) = BareMove::from_code(code, numbering) {
            assert_eq!(bare.to_code(numbering), code & !(u16::from(choice & 1) << 15));
            assert_eq!(BareMove::from_uci(&bare.to_string()), Some(bare));
        }
    }
    match two_byte_moves::read(codes, &start, result, choice & 8 != 0, numbering) {
        Ok(read) => {
            assert_eq!(read.view().ply_count() as usize * 2, codes.len());
            game::check(&read);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Input: the record of a game in a database of Scid. What is read of it is read as PGN once the result, which stands
/// elsewhere in such a database, is added.
pub fn scid(data: &[u8]) {
    let Ok(record) = scid::read(data) else { return };
    let mut text = String::new();
    let done = record.write_moves(&mut text, |bytes| String::from_utf8_lossy(bytes).into_owned());
    if done.is_ok() && record.fen.is_none() && !text.contains("-- ") {
        text.push('*');
        let read = movetext::read(&text);
        assert!(read.is_ok(), "{text}: {read:?}");
    }
}
