//! Games that are broken in every way we know of.

use chess_system::Database;

/// One file of them, 32 games.
pub(crate) fn traps() -> Vec<u8> {
    let long = |what: u8| vec![what; 1_000_000];
    [
        b"\xef\xbb\xbf[Event \"bom\"]\n[White \"first\"]\n\n1. e4 e5 *\n\n".to_vec(),
        b"[Event \"crlf\"]\r\n[White \"b\"]\r\n\r\n1. e4 c5\r\n2. Nf3 1-0\r\n\r\n".to_vec(),
        b"[Event \"two blank lines\"]\n\n\n1. d4 d5 1/2-1/2\n\n".to_vec(),
        b"[Event \"no blank line\"]\n1. c4 *\n\n".to_vec(),
        b"[Event \"null move\"]\n\n1. e4 -- 2. d4 *\n\n".to_vec(),
        b"[Event \"no moves\"]\n[Result \"1-0\"]\n\n1-0\n\n".to_vec(),
        b"[Event \"no movetext\"]\n\n".to_vec(),
        b"[Event \"escape lines\"]\n\n1. e4 {one\n% two }\n\n% an escaped line ) } (\n1... e5 ; comment ( {\n2. Nf3 *\n\n".to_vec(),
        b"[Event \"variations\"]\n\n1. e4 (1. d4 d5 (1... Nf6 2. c4 (2. Nf3)) 2. c4) 1... e5 $1 2. Nf3 *\n\n".to_vec(),
        b"[Event \"NUL in moves\"]\n\n1. e4 \0 e5 *\n\n".to_vec(),
        b"[Event \"NUL in \0 tag\"]\n\n1. e4 *\n\n".to_vec(),
        b"[Event \"NUL in comment\"]\n\n1. e4 {\0} e5 *\n\n".to_vec(),
        b"[Event \"open comment\"]\n\n1. e4 {never closed 1... e5\n\n[Event \"after it\"]\n\n1. d4 *\n\n".to_vec(),
        b"[Event \"open variation\"]\n\n1. e4 (1. d4 *\n\n[Event \"after that\"]\n\n1. d4 d5 *\n\n".to_vec(),
        b"[Event \"illegal\"]\n\n1. e4 e5 2. Ke3 *\n\n".to_vec(),
        b"[Event]\n[White \"x\"]\n\n1. e4 *\n\n".to_vec(),
        b"[Event \"latin1\"]\n[White \"M\xfcller, J\xf6rg\"]\n[Date \"1851.06.??\"]\n[Round \"3.2\"]\n[WhiteElo \"\"]\n[BlackElo \"2400\"]\n\n1. e4 *\n\n".to_vec(),
        b"[Event \"utf8\"]\n[White \"M\xc3\xbcller, J\xc3\xb6rg\"]\n\n1. d4 *\n\n".to_vec(),
        b"[Event \"quotes \\\"and\\\" \\\\\"]\n[Annotator \"a\"]\n[Annotator \"b\"]\n\n1. e4 *\n\n".to_vec(),
        b"[Event \"position\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n\n40... Kd7 41. e4 *\n\n".to_vec(),
        b"[Event \"960\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n\n1. e4 e5 2. Bg4 Bg5 3. O-O O-O *\n\n".to_vec(),
        b"[Event \"other rules\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n".to_vec(),
        b"[Event \"long line\"]\n\n1. e4 {".to_vec(), long(b'x'), b"} e5 *\n\n".to_vec(),
        b"[Event \"long name\"]\n[White \"".to_vec(), long(b'y'), b"\"]\n\n1. e4 *\n\n".to_vec(),
        b"[Event \"clocks\"]\n\n1. e4 {[%clk 0:03:00] [%eval 0.25]} e5 {[%clk 0:02:59.5]} 2. Nf3 {[%eval #3]} *\n\n".to_vec(),
        b"\xef\xbb\xbf[Event \"joined file\"]\n\n1. e4 e6 *\n\n".to_vec(),
        b"1. e4 d5 1-0\n1. d4 d6 *\n1. e9 *\n1. c4 c5\n".to_vec(),
    ]
    .concat()
}

#[test]
#[ignore = "needs a server"]
fn every_game_is_stored_or_rejected_with_its_reason_and_place() {
    let db = Database::with_extension("traps");
    let file = db.file("traps.pgn", traps());
    db.pgn("load --schema traps --clocks --evals").arg(&file).succeeds();
    let pieces =
        db.sql("SELECT sum(games), sum(stored), sum(incomplete), sum(rejected), sum(duplicates) FROM traps.pieces");
    assert_eq!(pieces, "32|28|5|4|0", "read, stored, incomplete, rejected, duplicates");
    let tables = "SELECT (SELECT count(*) FROM traps.games), (SELECT count(*) FROM traps.games WHERE error IS NOT NULL), count(*), count(game_id) FROM traps.rejected";
    assert_eq!(db.sql(tables), "28|5|9|5", "in the tables");

    let linked = "SELECT g.game, r.text LIKE '%2. Ke3 *' AND r.reason = g.error
        FROM traps.pgn_view g JOIN traps.rejected r ON r.game_id = g.id WHERE g.event = 'illegal'";
    assert_eq!(db.sql(linked), "1. e4 e5|t", "the text of an incomplete game is linked to it");
    let reasons = [
        "5|2|half-move 2, \"--\": null moves are not supported",
        "11||tag Event holds a NUL byte, which PostgreSQL cannot store",
        "13|2|half-move 2, \"{never closed 1... e5\": the comment is not terminated",
        "15|2|half-move 2, \"(1. d4 *\": the variation is not terminated",
        "17|3|half-move 3, \"Ke3\": illegal move in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
        "18||malformed tag: [Event]",
        "24||variant \"Atomic\": only standard chess and Chess960 are supported",
        "26||tag White is longer than 2000 bytes: 1000000",
        "31|1|half-move 1, \"e9\": not a move in standard algebraic notation",
    ];
    assert_eq!(db.rows("SELECT number, ply, reason FROM traps.rejected ORDER BY number"), reasons);
    let places =
        "SELECT source_offset, line, encode(coalesce(raw, convert_to(text, 'UTF8')), 'hex') FROM traps.rejected";
    for place in db.rows(places) {
        let mut columns = place.split('|');
        let mut next = || columns.next().unwrap();
        let offset: usize = next().parse().unwrap();
        let line: usize = next().parse().unwrap();
        let text: Vec<u8> = next()
            .as_bytes()
            .chunks(2)
            .map(|hex| u8::from_str_radix(str::from_utf8(hex).unwrap(), 16).unwrap())
            .collect();
        let traps = traps();
        assert!(traps[offset..].starts_with(&text), "the rejected game at byte {offset}");
        assert_eq!(
            line,
            1 + traps[..offset].iter().filter(|&&byte| byte == b'\n').count(),
            "the line of byte {offset}"
        );
    }

    let moves = "SELECT white, game FROM traps.pgn_view
        WHERE event IN ('bom', 'escape lines', 'variations', 'latin1', 'utf8') ORDER BY white COLLATE \"C\", event DESC";
    let expected =
        ["Müller, Jörg|1. d4", "Müller, Jörg|1. e4", "first|1. e4 e5", "|1. e4 e5 2. Nf3", "|1. e4 e5 2. Nf3"];
    assert_eq!(db.rows(moves), expected);
    let latin1 = db.sql("SELECT date, dates, white_elo, black_elo, tags FROM traps.pgn_view WHERE event = 'latin1'");
    assert_eq!(latin1, "1851.06.??|[1851-06-01,1851-07-01)||2400|{\"WhiteElo\": \"\"}", "an honest date, and ratings");
    assert_eq!(
        db.sql("SELECT count(*) FROM traps.players WHERE name LIKE 'M%ller%'"),
        "1",
        "a name in two encodings is one"
    );
    let clocks = db.sql("SELECT clocks, evals FROM traps.pgn_view WHERE event = 'clocks'");
    assert_eq!(clocks, "{1800,1795,NULL}|{25,NULL,99997}");

    db.sql("DELETE FROM traps.games WHERE error IS NOT NULL");
    assert_eq!(db.sql("SELECT count(*) FROM traps.rejected"), "4", "the text goes with its game");
    let keys =
        db.sql("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'traps'::regnamespace");
    assert_eq!(keys, "16", "foreign keys");
}

#[test]
#[ignore = "needs a server"]
fn a_strict_load_rejects_incomplete_games() {
    let db = Database::with_extension("strict");
    db.pgn("load --schema strict --strict").arg(db.file("traps.pgn", traps())).succeeds();
    let tables = "SELECT (SELECT count(*) FROM strict.games), (SELECT count(*) FROM strict.games WHERE error IS NOT NULL), count(*), count(game_id) FROM strict.rejected";
    assert_eq!(db.sql(tables), "23|0|9|0");
}

#[test]
#[ignore = "needs a server"]
fn incomplete_games_of_a_new_file_are_found_by_their_place() {
    let db = Database::with_extension("incomplete");
    let cut = |name: &str| db.file(name, format!("[White \"{name}\"]\n\n1. e4 e9\n\n").repeat(3000));
    db.pgn("load").args([cut("one.pgn"), cut("two.pgn")]).succeeds();
    // From now on the statistics know two files, but not the third one.
    db.sql("ANALYZE chess.games, chess.rejected");
    db.pgn("load").arg(cut("three.pgn")).succeeds();
    assert_eq!(db.sql("SELECT count(game_id) FROM chess.rejected"), "9000", "the text of each is with its game");
    // The load reads a few entries of indexes for each game. A nested loop would read one for each pair of games.
    let read = "SELECT sum(idx_tup_read) < 1000000 FROM pg_stat_user_indexes WHERE relname IN ('games', 'rejected')";
    assert_eq!(db.sql(read), "t", "entries of indexes that were read");
}
