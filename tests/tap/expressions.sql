-- Read by the other scripts with \ir. Out: the temporary table expressions, with calls of every function of the extension;
-- an ERROR if one is left out. They are of these columns: game, board, opening (a game), boards (two of a game), and what
-- else is read: movetext, fen, pgn, uci, codes, ocgdb, start, san; bits is a set of squares.
CREATE TEMP TABLE expressions AS SELECT unnest(ARRAY[
    -- of games
    'plycount(game)', 'result(game)', 'getboard(game, 8)', 'getfirstmoves(game, 8)', 'startboard(game)', 'finalboard(game)',
    'hasopening(game, opening)', 'openinglowerbound(game)', 'openingupperbound(game)',
    'hasboard(game, ''4k3/8/8/8/8/8/8/4K3 w - - 0 1'')', 'hasboard(game, board)', 'hasboard(game, board, 30)',
    'haspieces(game, board)', 'haspieces(game, board, 30)', 'chessboard_in_game(board, game)',
    'chessboard_pieces_in_game(board, game)', 'chessgame_hasallboards(game, boards)', 'chessgame_hasanyboard(game, boards)',
    'leastdistance(game, board)', 'plyofnearest(game, board)', 'leastpawndistance(game, board)', 'plyofnearestpawns(game, board)',
    'chessboard_leastdistance(board, game)', 'chessboard_leastpawndistance(board, game)',
    'chessboards_all_in_game(boards, game)', 'chessboards_any_in_game(boards, game)', 'plyof(game, board)',
    'reachedboard(game, boards)',
    'nextmove(game, startboard(game))', 'hasmaterial(game, ''KRPPvKR'')', 'hasmaterial(game, ''KRPPvKR'', 60)', 'status(game)',
    'coalesce(opening(game)::text, '''')', 'uci(game)', 'fromuci(uci)', 'pgn(game)', 'moves2(game)', 'frommoves2(codes)',
    'frommoves2(codes, start)', 'ocgdbmoves2(game)', 'fromocgdbmoves2(ocgdb)', 'fromocgdbmoves2(ocgdb, start)',
    '(SELECT count(*) FROM moves(game))', '(SELECT count(*) FROM positions(game))', '(SELECT count(*) FROM pgngames(pgn))',
    'ischess960(game)', 'coalesce(moveat(game, 9), '''')', 'coalesce(moveat(game, -1), '''')', 'getboard(game, -1)',
    'getfirstmoves(game, -1)', 'getmoves(game, 3, 8)', 'getmoves(game, -4, -1)', 'sans(game)', 'ucis(game)', 'takeback(game)',
    'withresult(game, ''1-0'')', 'play(getfirstmoves(game, 8), array_to_string((sans(game))[9:12], '' ''))', 'play(game, ''1-0'')',
    'coalesce(score(result(game), ''w''), 0)',
    'chessgame_send(game)', 'game::text', 'movetext::chessgame', 'chessgame_cmp(game, opening)', 'chessgame_eq(game, opening)',
    'chessgame_ne(game, opening)', 'chessgame_lt(game, opening)', 'chessgame_le(game, opening)', 'chessgame_gt(game, opening)',
    'chessgame_ge(game, opening)', 'chessgame_hash(game)', 'chessgame_hash_extended(game, 7)',
    'chessgame_smaller(game, opening)', 'chessgame_larger(game, opening)', '(SELECT min(g) FROM (VALUES (game), (opening)) AS v (g))',
    '(SELECT max(g) FROM (VALUES (game), (opening)) AS v (g))', '(SELECT count(*) FROM annotations(game, movetext))',
    '(SELECT count(*) FROM variations(game, movetext))',
    'haspattern(game, ''flip(isolated(Pd))'')', 'haspattern(game, ''N-f3 then castling'', 40)',
    'coalesce(plyofpattern(game, ''P-e4 then check''), 0)', '(SELECT count(*) FROM findpattern(game, ''capture directly recapture''))',
    '(SELECT count(*) FROM materials(game))',
    '(SELECT squarecounts(g) FROM (VALUES (game)) AS v (g))', '(SELECT squarecounts(g, 3, 40) FROM (VALUES (game)) AS v (g))',
    '(SELECT capturecounts(g) FROM (VALUES (game)) AS v (g))', '(SELECT capturecounts(g, 3, 40) FROM (VALUES (game)) AS v (g))',
    '(SELECT survival(g, ''d1'') FROM (VALUES (game)) AS v (g))', '(SELECT kingwalks(g) FROM (VALUES (game)) AS v (g))',
    'piecesquares_result(counts_combine(squarecounts_add(NULL, game), squarecounts_add(NULL, game, 3, 40)))',
    'capturecounts_add(capturecounts_add(NULL, game), game, 3, 40)', 'survival_result(survival_add(NULL, game, ''d1''))',
    'kingwalks_result(kingwalks_add(NULL, game))', 'gamefacts(game)',
    '(SELECT gamesums(r, 2000, 1900) FROM (VALUES (result(game))) AS v (r))', '(SELECT gamesums(s) FROM (VALUES (gamesums_add(NULL, result(game), 2000, NULL))) AS v (s))',
    'gamesums_add(gamesums_add(NULL, result(game), 2000, NULL), ''*'', -1, 1900)',
    '(SELECT cardinality(reportgroups(16383, 2, result(g), 2000, NULL, 1, NULL, NULL, plycount(g), 1, 2, NULL, gamefacts(g), NULL, g, true, true, true)) FROM (VALUES (game)) AS v (g))',
    'chesspattern_in_game(''KRP*vKRP* for 2'', game)',
    -- of boards
    'chessboard_smaller(board, boards[1])', 'chessboard_larger(board, boards[1])',
    '(SELECT min(b) FROM (VALUES (board), (boards[1])) AS v (b))', '(SELECT max(b) FROM (VALUES (board), (boards[1])) AS v (b))',
    'haspattern(board, ''flip(passed(P))'')', 'chesspattern_on_board(''A attacks k'', board)', 'squaresof(board, ''isolated(P)'')',
    'game ^@ ARRAY[game, NULL]', 'chessgame_isopening(game, game)', 'chessgame_hasanyopening(game, ARRAY[game])',
    'chessgame_isanyopening(ARRAY[game], game)', 'chessposition(board)', 'chessboard(chessposition(board))',
    'chessposition_cmp(board, boards[1])', 'chessposition_eq(board, boards[1])', 'chessposition_ne(board, boards[1])',
    'chessposition_lt(board, boards[1])', 'chessposition_le(board, boards[1])', 'chessposition_ge(board, boards[1])', 'chessposition_gt(board, boards[1])',
    'chessposition_send(board)', 'chessposition_hash(board)', 'chessposition_hash_extended(board, 7)', 'fen::chessposition::text',
    'epd(board)', 'board::text', 'fen::chessboard', 'chessboard_send(board)', 'chessboard_cmp(board, boards[1])',
    'chessboard_eq(board, boards[1])', 'chessboard_ne(board, boards[1])', 'chessboard_lt(board, boards[1])',
    'chessboard_le(board, boards[1])', 'chessboard_gt(board, boards[1])', 'chessboard_ge(board, boards[1])',
    'chessboard_hash(board)', 'chessboard_hash_extended(board, 7)', 'coalesce(pieceat(board, ''e4''), '''')', 'turn(board)',
    'castling(board)', 'coalesce(enpassant(board), '''')', 'halfmoveclock(board)', 'fullmovenumber(board)', 'play(board, san)', 'san(board, san)',
    'uci(board, san)', 'islegal(board, san)', 'newgame(board, san)',
    'status(board)', 'ischeck(board)', 'zobrist(board)', 'polyglotkey(board)', 'coalesce(polyglotmove(board, 796), '''')', 'distance(board, boards[1])',
    'coalesce(tablebase(board)::text, '''')', '(SELECT count(*) FROM tablebase_moves(board))', 'material(board)', 'mirror(board)', 'flip(board)',
    'symmetricboards(board)', 'symmetricmove(board, san, board)',
    'sameposition(board, boards[2])', 'samepieces(board, boards[2])', 'coalesce(opening(board)::text, '''')',
    '(SELECT count(*) FROM legalmoves(board))', 'asciiboard(board)', 'unicodeboard(board)', 'svgboard(board, ''e2e4'', 255)', 'svgboard(board, drawings => movetext)',
    'pieces(board, ''Pp'')', 'occupied(board)', 'occupied(board, ''w'')', 'attacks(board, ''e4'')', 'attackers(board, ''e4'', ''w'')',
    -- of neither
    'chesspattern_send(''Nd5'')', 'chesspattern_eq(''Nd5'', ''Nd5 and wtm'')', 'chesspattern_ne(''Nd5'', ''nd5'')', 'chesspattern_hash(''Nd5'')',
    'chesspattern_hash_extended(''Nd5'', 7)', 'chesspattern_material(''KRPvKR'')::text',
    '(SELECT count(*) FROM squares(bits))', 'squareset(ARRAY[''a1'', ''h8''])', 'squarecount(bits)', 'shl(bits, 8)', 'shr(bits, 8)',
    'squareshift(bits, 1, 1)', 'squareflip(bits)', 'squaremirror(bits)', 'squaretext(bits)', 'movecode(''e7e8q'')', 'codemove(1804)',
    'thinktimes(ARRAY[600, 590], ''60+1'')', 'timecontrolseconds(''G/60;d5'')', 'foldname(''Müller, K'')', 'isforfeit(''+:-'')', 'datebounds(''1997.05.??'')::text', 'ocgdbmovecode(''e7e8q'')', 'ocgdbcodemove(2356)', '(SELECT count(*) FROM chess_opening_table())',
    '(SELECT k.length FROM chess_kept(''SELECT length($2) WHERE $1 IS NOT NULL'', board, movetext) AS k (length integer))']) AS expression;
DO $$
DECLARE
    left_out text;
BEGIN
    SELECT string_agg(p.proname, ', ') INTO left_out
    FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension AS x ON x.oid = d.refobjid AND x.extname = 'chess'
    -- text input and output are called by casts; the planner's and the indexes' functions are in maintenance.sql; damage in
    -- indexes of the access method is in 009_chess_damage.pl
    WHERE 'internal'::regtype <> ALL (p.proargtypes) AND 'cstring'::regtype <> ALL (p.prorettype || p.proargtypes::oid[])
      AND p.proname !~ '^chess_index_'
      AND NOT EXISTS (SELECT FROM expressions AS e WHERE e.expression ~ ('\m' || p.proname || '\('));
    ASSERT left_out IS NULL, 'not called: ' || left_out;
END $$;
