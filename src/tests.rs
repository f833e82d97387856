//! Tests in a running server, compared with shakmaty.
//!
//! In: a call of each test from SQL, by `cargo pgrx test`. Out: nothing, or an ERROR that describes the difference.
//! Generated games are stored as text, and every answer of SQL, with and without its index, is compared with a plain
//! replay. Each test creates its own table, which is rolled back.

use chess_gamegen::{Generator, splitmix64};
use pgrx::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

const GAMES: usize = 400;

/// A game: move text and all positions, including the start.
struct Played {
    text: String,
    positions: Vec<Chess>,
}

/// Generated games, and an equal number of random Chess960 games.
fn games() -> Vec<Played> {
    let mut random = 7;
    let generated = Generator::new(42).take(GAMES).map(|game| {
        let mut positions = vec![Chess::default()];
        for played in &game.moves {
            let mut next = positions[positions.len() - 1].clone();
            next.play_unchecked(*played);
            positions.push(next);
        }
        let sans: Vec<String> = game.sans.iter().map(ToString::to_string).collect();
        Played { text: format!("{} {}", sans.join(" "), game.result), positions }
    });
    let starts = [
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1",
        "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1",
        "nrbbkqrn/p1pppppp/8/1p6/1P6/8/P1PPPPPP/NRBBKQRN b GBgb b3 0 2",
    ];
    let from_960 = (0..GAMES).map(|n| {
        let fen = starts[n % starts.len()];
        let start: Fen = fen.parse().unwrap();
        let mut position: Chess = start.into_position(CastlingMode::Chess960).unwrap();
        let mut positions = vec![position.clone()];
        let mut text = format!("[Variant \"Chess960\"] [FEN \"{fen}\"]");
        for _ in 0..splitmix64(&mut random) % 60 {
            let mut legal: Vec<_> = position.legal_moves().into_iter().collect();
            legal.sort_by_key(|m| (m.from(), m.to(), m.promotion()));
            if legal.is_empty() {
                break;
            }
            let played = legal[splitmix64(&mut random) as usize % legal.len()];
            text.push_str(&format!(" {}", SanPlus::from_move_and_play_unchecked(&mut position, played)));
            positions.push(position.clone());
        }
        Played { text, positions }
    });
    generated.chain(from_960).collect()
}

fn fen(position: &Chess, mode: EnPassantMode) -> String {
    Fen::from_position(position, mode).to_string()
}

fn load(games: &[Played]) {
    Spi::run("CREATE TABLE games (id int, game chessgame)").unwrap();
    for (id, game) in games.iter().enumerate() {
        Spi::run_with_args(
            "INSERT INTO games VALUES ($1, $2::chessgame)",
            &[(id as i32).into(), game.text.as_str().into()],
        )
        .unwrap();
    }
    Spi::run("CREATE INDEX ON games (game); CREATE INDEX ON games USING gin (game); ANALYZE games").unwrap();
}

fn ids(query: &str, args: &[&str]) -> Vec<i32> {
    let args: Vec<_> = args.iter().map(|arg| (*arg).into()).collect();
    let aggregated = format!("SELECT coalesce(array_agg(id ORDER BY id), '{{}}') FROM games WHERE {query}");
    Spi::get_one_with_args::<Vec<i32>>(&aggregated, &args).unwrap().unwrap()
}

/// Runs a query by sequential scan and by index, asserts that both agree and that the plan uses the expected scan, and
/// returns the answer.
fn both_ways(query: &str, args: &[&str], index_scan: &str) -> Vec<i32> {
    Spi::run(
        "SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexscan = off;
              SET LOCAL enable_indexonlyscan = off",
    )
    .unwrap();
    let by_scan = ids(query, args);
    Spi::run("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_indexscan = on")
        .unwrap();
    let by_index = ids(query, args);
    assert_eq!(by_scan, by_index, "{query} {args:?}");
    let literal = args
        .iter()
        .enumerate()
        .fold(query.to_string(), |text, (i, arg)| text.replace(&format!("${}", i + 1), &format!("'{arg}'")));
    let plan = Spi::explain(&format!("SELECT id FROM games WHERE {literal}")).unwrap();
    let plan = serde_json::to_string(&plan.0).unwrap();
    assert!(plan.contains(index_scan), "{query} {args:?}: {plan}");
    by_index
}

/// The status of the last position under shakmaty's rules.
fn status(positions: &[Chess]) -> &'static str {
    let last = &positions[positions.len() - 1];
    let times = positions.iter().filter(|position| *position == last).count();
    match (last.is_checkmate(), last.halfmoves()) {
        (true, _) if last.turn().is_black() => "white wins",
        (true, _) => "black wins",
        _ if last.is_stalemate() => "stalemate",
        _ if last.is_insufficient_material() => "insufficient material",
        _ if times >= 5 => "fivefold repetition",
        (_, 150..) => "seventy-five-move rule",
        _ if times >= 3 => "threefold repetition",
        (_, 100..) => "fifty-move rule",
        _ => "in progress",
    }
}

#[pg_schema]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::removed;
    use crate::server::fmgr::SIGNATURES;

    /// Every C function of the extension has one signature, which agrees with `pg_proc`.
    #[pg_test]
    fn signatures_are_those_of_the_catalog() {
        let mut declared = BTreeMap::new();
        Spi::connect(|client| {
            let query = "SELECT p.prosrc::text, array(SELECT t.typname::text FROM unnest(p.proargtypes::oid[])
                       WITH ORDINALITY AS a (type, n) JOIN pg_type t ON t.oid = a.type ORDER BY n),
                       CASE WHEN p.proretset THEN 'setof ' ELSE '' END || r.typname
                     FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
                     JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
                     JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'chess'
                     WHERE p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'c')
                       AND p.pronamespace <> 'tests'::regnamespace";
            for row in client.select(query, None, &[]).unwrap() {
                let name: String = row.get(1).unwrap().unwrap();
                let arguments: Vec<String> = row.get(2).unwrap().unwrap();
                let result: String = row.get(3).unwrap().unwrap();
                declared.entry(name).or_insert_with(Vec::new).push((arguments, result));
            }
        });
        let mut stated = 0;
        for signature in SIGNATURES.iter().filter(|signature| !removed::NAMES.contains(&signature.name)) {
            let arguments = signature.arguments.iter().map(ToString::to_string).collect::<Vec<_>>();
            let own = (arguments, signature.result.to_string());
            let of_catalog = declared.remove(signature.name).unwrap_or_default();
            // several SQL functions may share a symbol
            assert!(!of_catalog.is_empty(), "{} is declared nowhere", signature.name);
            assert!(
                of_catalog.iter().all(|declared| *declared == own),
                "{}: {of_catalog:?}, not {own:?}",
                signature.name
            );
            stated += 1;
        }
        assert!(declared.is_empty(), "declared without a signature: {declared:?}");
        assert!(stated > 100, "only {stated} functions");
    }

    #[pg_test]
    fn boards_are_found_where_a_replay_has_them() {
        let games = games();
        load(&games);
        let mut random = 1;
        for round in 0..150 {
            let from = &games[splitmix64(&mut random) as usize % games.len()];
            let limit = if round % 3 == 0 { 12 } else { 500 };
            let ply = splitmix64(&mut random) as usize % from.positions.len().min(limit);
            let wanted = &from.positions[ply];
            // The en passant square must not matter if no capture is legal.
            let mode = if round % 2 == 0 { EnPassantMode::Always } else { EnPassantMode::Legal };
            let text = fen(wanted, mode);
            let expected = |matches: &dyn Fn(&Chess) -> bool, plies: usize| -> Vec<i32> {
                let has = |game: &Played| game.positions.iter().take(plies + 1).any(matches);
                (0..games.len()).filter(|id| has(&games[*id])).map(|id| id as i32).collect()
            };
            let same_position = |position: &Chess| position == wanted;
            let same_pieces = |position: &Chess| position.board() == wanted.board();
            let gin = "Bitmap Index Scan";
            assert_eq!(both_ways("hasBoard(game, $1::chessboard)", &[&text], gin), expected(&same_position, 9999));
            assert_eq!(both_ways("game @> $1::chessboard", &[&text], gin), expected(&same_position, 9999));
            assert_eq!(both_ways("hasPieces(game, $1::chessboard)", &[&text], gin), expected(&same_pieces, 9999));
            for plies in [ply.saturating_sub(1), ply, ply + 3] {
                let within = |function: &str| format!("{function}(game, $1::chessboard, {plies})");
                assert_eq!(both_ways(&within("hasBoard"), &[&text], gin), expected(&same_position, plies));
                assert_eq!(both_ways(&within("hasPieces"), &[&text], gin), expected(&same_pieces, plies));
            }
        }
    }

    #[pg_test]
    fn arrays_of_boards_mean_all_and_any() {
        let games = games();
        load(&games);
        let mut random = 3;
        for _ in 0..40 {
            let from = &games[splitmix64(&mut random) as usize % games.len()];
            let mut pick = || from.positions[splitmix64(&mut random) as usize % from.positions.len().min(20)].clone();
            let (a, b) = (pick(), pick());
            let (first, second) = (fen(&a, EnPassantMode::Legal), fen(&b, EnPassantMode::Legal));
            let expected = |matches: &dyn Fn(&Played) -> bool| -> Vec<i32> {
                (0..games.len()).filter(|id| matches(&games[*id])).map(|id| id as i32).collect()
            };
            let all = both_ways("game @>> ARRAY[$1, $2]::chessboard[]", &[&first, &second], "Bitmap Index Scan");
            assert_eq!(all, expected(&|game| game.positions.contains(&a) && game.positions.contains(&b)));
            let any = both_ways("game && ARRAY[$1, $2]::chessboard[]", &[&first, &second], "Bitmap Index Scan");
            assert_eq!(any, expected(&|game| game.positions.contains(&a) || game.positions.contains(&b)));
        }
    }

    #[pg_test]
    fn openings_are_found_where_the_moves_begin_so() {
        let games = games();
        load(&games);
        let mut random = 5;
        for _ in 0..60 {
            let from = &games[splitmix64(&mut random) as usize % games.len()];
            let plies = splitmix64(&mut random) as usize % from.positions.len().min(16);
            let id = games.iter().position(|game| std::ptr::eq(game, from)).unwrap();
            let text = Spi::get_one::<String>(&format!(
                "SELECT getFirstMoves(game, {plies})::text || ' 1-0' FROM games WHERE id = {id}"
            ));
            let opening = text.unwrap().unwrap();
            let prefix: Vec<String> = from.positions[..=plies].iter().map(|p| fen(p, EnPassantMode::Always)).collect();
            let begins_so = |game: &Played| {
                game.positions.len() > plies
                    && game
                        .positions
                        .iter()
                        .zip(&prefix)
                        .all(|(p, fen_text)| fen(p, EnPassantMode::Always) == *fen_text)
            };
            let expected: Vec<i32> = (0..games.len()).filter(|id| begins_so(&games[*id])).map(|id| id as i32).collect();
            assert_eq!(both_ways("hasOpening(game, $1::chessgame)", &[&opening], "Index"), expected, "{opening}");
            assert_eq!(both_ways("game ^@ $1::chessgame", &[&opening], "Index"), expected, "{opening}");
        }
    }

    #[pg_test]
    fn every_board_is_the_one_of_a_replay() {
        let games = games();
        load(&games);
        for (id, game) in games.iter().enumerate().step_by(5) {
            let boards = Spi::get_one::<Vec<String>>(&format!(
                "SELECT array_agg(getBoard(game, n)::text ORDER BY n)
             FROM games, generate_series(0, plyCount(game)) AS n WHERE id = {id}"
            ));
            let expected: Vec<String> = game.positions.iter().map(|p| fen(p, EnPassantMode::Always)).collect();
            assert_eq!(boards.unwrap().unwrap(), expected);
        }
    }

    #[pg_test]
    fn grouping_by_epd_is_grouping_by_position() {
        let games = games();
        load(&games);
        let mut expected: BTreeMap<String, i64> = BTreeMap::new();
        for game in &games {
            if let Some(position) = game.positions.get(6) {
                let text = fen(position, EnPassantMode::Legal);
                let fields: Vec<&str> = text.split(' ').take(4).collect();
                *expected.entry(fields.join(" ")).or_default() += 1;
            }
        }
        let (groups, games) = Spi::get_two::<i64, i64>(
            "SELECT count(*), sum(n)::bigint FROM (SELECT epd(getBoard(game, 6)), count(*) AS n FROM games
         WHERE plyCount(game) >= 6 GROUP BY 1) AS g",
        )
        .unwrap();
        assert_eq!(groups, Some(expected.len() as i64));
        assert_eq!(games, Some(expected.values().sum()));
    }

    #[pg_test]
    fn moves_positions_and_status_are_those_of_shakmaty() {
        let games = games();
        load(&games);
        for (id, game) in games.iter().enumerate() {
            let mut sans = Vec::new();
            let mut ucis = Vec::new();
            for pair in game.positions.windows(2) {
                let legal = pair[0].legal_moves();
                let played = legal.iter().find(|m| {
                    let mut after = pair[0].clone();
                    after.play_unchecked(**m);
                    after == pair[1]
                });
                let played = *played.unwrap();
                sans.push(SanPlus::from_move(pair[0].clone(), played).to_string());
                // Chess960 games are the second half.
                let mode = if id < GAMES { CastlingMode::Standard } else { CastlingMode::Chess960 };
                ucis.push(UciMove::from_move(played, mode).to_string());
            }
            let columns = |query: &str| Spi::get_one::<Vec<String>>(&format!("{query} WHERE id = {id}")).unwrap();
            let of_moves = |column: &str| {
                columns(&format!("SELECT coalesce(array_agg({column} ORDER BY ply), '{{}}') FROM games, moves(game)"))
            };
            assert_eq!(of_moves("san").unwrap(), sans);
            assert_eq!(of_moves("uci").unwrap(), ucis);
            let fens: Vec<String> = game.positions.iter().map(|p| fen(p, EnPassantMode::Always)).collect();
            let boards = columns("SELECT array_agg(board::text ORDER BY ply) FROM games, positions(game)");
            assert_eq!(boards.unwrap(), fens);
            let played_again = columns(
                "SELECT array_agg(play(board, uci)::text ORDER BY p.ply) FROM games, positions(game) AS p,
             LATERAL (SELECT uci FROM moves(game) WHERE ply = p.ply + 1) AS m",
            );
            assert_eq!(played_again.unwrap_or_default(), fens[1..]);
            let query = format!("SELECT status(game) FROM games WHERE id = {id}");
            assert_eq!(Spi::get_one::<&str>(&query).unwrap().unwrap(), status(&game.positions), "{}", game.text);
        }
    }

    /// Between the metapage and the pages that it lists, everything that they held is merged, and their blocks are used again.
    #[pg_test]
    fn a_scan_begins_anew_where_its_pages_are_replaced() {
        load(&games());
        Spi::run("CREATE TABLE kept AS TABLE games").unwrap();
        Spi::run("CREATE INDEX games_chess ON games USING chess (game) WITH (pending_games = 64)").unwrap();
        let index = Spi::get_one::<pg_sys::Oid>("SELECT 'games_chess'::regclass::oid").unwrap().unwrap();
        for pending in [false, true] {
            if pending {
                Spi::run("INSERT INTO games SELECT * FROM kept LIMIT 40").unwrap();
            }
            let (attempts, rows) = crate::access_method::rows_while(index, || {
                Spi::run("SELECT chess_index_merge('games_chess')").unwrap();
                Spi::run("INSERT INTO games SELECT * FROM kept").unwrap();
                Spi::run("SELECT chess_index_merge('games_chess')").unwrap();
                Spi::run("INSERT INTO games SELECT * FROM kept").unwrap();
            });
            assert!(attempts > 1, "no page was replaced");
            let count = Spi::get_one::<i64>("SELECT count(*) FROM games").unwrap().unwrap();
            assert_eq!(rows as i64, count);
            Spi::run("SELECT chess_index_check('games_chess', true)").unwrap();
        }
    }

    /// A plain index scan has returned some rows when everything is merged and the blocks are used again, in every part of the
    /// index and with any memory: it returns each row that was there once.
    #[pg_test]
    fn a_scan_that_begins_anew_returns_no_row_twice() {
        load(&games());
        Spi::run("CREATE TABLE kept AS TABLE games").unwrap();
        Spi::run("CREATE INDEX games_chess ON games USING chess (game) WITH (pending_games = 64)").unwrap();
        let index = Spi::get_one::<pg_sys::Oid>("SELECT 'games_chess'::regclass::oid").unwrap().unwrap();
        let places = "SELECT array_agg(split_part(trim('()' from ctid::text), ',', 1)::bigint << 16 |
        split_part(trim('()' from ctid::text), ',', 2)::bigint) FROM games";
        let (much, little, hardly_any) = (1 << 20, 3000, 64);
        let mut anew = 0;
        for (memory, moments) in [
            (much, &[0][..]),
            (much, &[1]),
            (much, &[700]),
            (much, &[3, 40, 800, 810]),
            (little, &[3, 180, 300]),
            (hardly_any, &[2, 9]),
        ] {
            Spi::run("TRUNCATE games; INSERT INTO games SELECT * FROM kept").unwrap();
            Spi::run("INSERT INTO games SELECT * FROM kept LIMIT 40").unwrap();
            let wanted = Spi::get_one::<Vec<i64>>(places).unwrap().unwrap();
            let (rows, is_anew) = crate::access_method::tuples_while(index, memory, |count| {
                if moments.contains(&count) {
                    Spi::run("SELECT chess_index_merge('games_chess')").unwrap();
                    Spi::run("INSERT INTO games SELECT * FROM kept").unwrap();
                    Spi::run("SELECT chess_index_merge('games_chess')").unwrap();
                    Spi::run("INSERT INTO games SELECT * FROM kept").unwrap();
                }
            });
            let mut rows: Vec<i64> =
                rows.iter().map(|row| i64::from(row.block) << 16 | i64::from(row.offset)).collect();
            rows.sort_unstable();
            assert!(
                rows.windows(2).all(|pair| pair[0] < pair[1]),
                "a row twice: memory {memory}, changes at {moments:?}"
            );
            let missing = wanted.iter().filter(|row| rows.binary_search(row).is_err()).count();
            assert_eq!(missing, 0, "of {}: memory {memory}, changes at {moments:?}", wanted.len());
            anew += u32::from(is_anew);
        }
        // not where the blocks that are used again are others than those that are still to be read
        assert!(anew >= 3, "a scan has begun anew only {anew} times");
        Spi::run("SELECT chess_index_check('games_chess', true)").unwrap();
    }

    /// An index of more games than a segment can have is built of several segments. The limit, of two billion games, is
    /// lowered.
    #[pg_test]
    fn a_build_writes_as_many_segments_as_it_needs() {
        let lower = |most| crate::access_method::MOST_GAMES.store(most, std::sync::atomic::Ordering::Relaxed);
        Spi::run("CREATE TABLE filled AS SELECT '1. e4'::chessgame AS game FROM generate_series(1, 250)").unwrap();
        lower(100);
        Spi::run("CREATE INDEX filled_chess ON filled USING chess (game)").unwrap();
        lower(chess_index::segment::MOST_GAMES);
        let games = || {
            let query = "SELECT string_agg(games::text, ' ' ORDER BY number) FROM chess_index_info('filled_chess') WHERE part = 'segment'";
            Spi::get_one::<String>(query).unwrap().unwrap()
        };
        assert_eq!(games(), "100 100 50");
        Spi::run("SELECT chess_index_check('filled_chess', true)").unwrap();
        Spi::run("SELECT chess_index_merge('filled_chess')").unwrap();
        assert_eq!(games(), "250");
    }
}
