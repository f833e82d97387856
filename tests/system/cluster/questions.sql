-- In: :'rare', a board of one game; :'source' and :'place', where a game is.
-- Out: the table questions: what users ask of the table games, and which rows may come from other servers for it. few: not
-- more than each of them has to say in the answer; matching: those that meet the condition; all: every game.
\set e4 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'
\set najdorf 'rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6'
\set italian 'r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3'
CREATE TABLE questions (name text PRIMARY KEY, travels text CHECK (travels IN ('few', 'matching', 'all')), condition text, query text);
INSERT INTO questions
SELECT name, travels, replace(condition, '@najdorf', quote_literal(:'najdorf')),
       replace(replace(query, '@najdorf', quote_literal(:'najdorf')), '@italian', quote_literal(:'italian'))
FROM (VALUES
('open_count', 'matching', $$hasOpening(game, '1. e4 c5 2. Nf3 d6')$$,
    $$SELECT count(*) FROM games WHERE hasOpening(game, '1. e4 c5 2. Nf3 d6')$$),
('open_rows', 'matching', $$hasOpening(game, '1. e4 e5 2. f4 exf4 3. Nf3 g5')$$,
    $$SELECT source, source_offset, white, black, date FROM games WHERE hasOpening(game, '1. e4 e5 2. f4 exf4 3. Nf3 g5')$$),
('open_operator', 'matching', $$game ^@ '1. d4 Nf6 2. c4 e6 3. Nc3 Bb4'$$,
    $$SELECT count(*) FROM games WHERE game ^@ '1. d4 Nf6 2. c4 e6 3. Nc3 Bb4'$$),
('board_e4_count', 'matching', format('hasBoard(game, %L)', :'e4'), format('SELECT count(*) FROM games WHERE hasBoard(game, %L)', :'e4')),
('board_count', 'matching', 'hasBoard(game, @najdorf)', 'SELECT count(*) FROM games WHERE hasBoard(game, @najdorf)'),
('board_rows', 'matching', 'hasBoard(game, @najdorf)', 'SELECT source, source_offset, white, black FROM games WHERE hasBoard(game, @najdorf)'),
('board_games', 'matching', 'hasBoard(game, @najdorf)', 'SELECT source, source_offset, game FROM games WHERE hasBoard(game, @najdorf)'),
('board_rare', 'few', NULL, format('SELECT source, source_offset, white, black, game FROM games WHERE hasBoard(game, %L)', :'rare')),
('board_within', 'matching', 'hasBoard(game, @najdorf, 10)', 'SELECT count(*) FROM games WHERE hasBoard(game, @najdorf, 10)'),
('contains', 'matching', 'hasBoard(game, @najdorf)', 'SELECT count(*) FROM games WHERE game @> @najdorf::chessboard'),
('contained', 'matching', 'hasBoard(game, @najdorf)', 'SELECT count(*) FROM games WHERE @najdorf::chessboard <@ game'),
('all_boards', 'matching', 'hasBoard(game, @najdorf) AND hasBoard(game, getBoard(''1. e4 c5'', 2))',
    'SELECT count(*) FROM games WHERE game @>> ARRAY[getBoard(''1. e4 c5'', 2), @najdorf::chessboard]'),
('any_board', 'matching', 'hasBoard(game, @najdorf) OR hasBoard(game, getBoard(''1. d4 f5 2. g3'', 3))',
    'SELECT count(*) FROM games WHERE game && ARRAY[getBoard(''1. d4 f5 2. g3'', 3), @najdorf::chessboard]'),
('any_of_array', 'matching', 'hasBoard(game, @najdorf) OR hasBoard(game, getBoard(''1. d4 f5 2. g3'', 3))',
    'SELECT count(*) FROM games WHERE game @> ANY (ARRAY[getBoard(''1. d4 f5 2. g3'', 3), @najdorf::chessboard])'),
('pieces', 'matching', 'hasPieces(game, @najdorf)', 'SELECT count(*) FROM games WHERE hasPieces(game, @najdorf)'),
('pieces_operator', 'matching', 'hasPieces(game, @najdorf)', 'SELECT count(*) FROM games WHERE game @~ @najdorf::chessboard'),
('explorer_italian', 'matching', format('hasBoard(game, %L)', :'italian'),
    $$SELECT nextMove(game, @italian) AS move, count(*), round(100 * avg(CASE result WHEN '1-0' THEN 1 WHEN '0-1' THEN 0 ELSE 0.5 END)) AS score
      FROM games WHERE hasBoard(game, @italian) GROUP BY move ORDER BY count(*) DESC, move$$),
('explorer_najdorf', 'matching', 'hasBoard(game, @najdorf)',
    $$SELECT nextMove(game, @najdorf) AS move, count(*), avg(white_elo) FROM games WHERE hasBoard(game, @najdorf)
      GROUP BY 1 ORDER BY 2 DESC, 1$$),
('first_moves', 'all', NULL, $$SELECT getFirstMoves(game, 3) AS opening, count(*) FROM games GROUP BY opening ORDER BY count(*) DESC, opening LIMIT 10$$),
('positions', 'all', NULL,
    $$SELECT epd(getBoard(game, 4)) AS pos, count(*) FROM games WHERE plyCount(game) >= 4 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10$$),
('material', 'matching', $$hasMaterial(game, 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP')$$, $$SELECT count(*) FROM games WHERE hasMaterial(game, 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP')$$),
('next_move', 'all', NULL, $$SELECT count(*) FROM games WHERE nextMove(game, @italian) = 'Bb5'$$),
('result', 'matching', 'plyCount(game) > 150', $$SELECT count(*) FROM games WHERE result(game) = '1-0' AND plyCount(game) > 150$$),
('ply_of', 'matching', 'hasBoard(game, @najdorf)',
    'SELECT min(plyOf(game, @najdorf)), max(plyOf(game, @najdorf)) FROM games WHERE hasBoard(game, @najdorf)'),
('status', 'all', NULL, $$SELECT count(*) FROM games WHERE status(game) = 'stalemate'$$),
('moves', 'matching', 'hasBoard(game, @najdorf)',
    $$SELECT upper(piece) AS piece, count(*) FROM games, moves(game) WHERE is_mate AND hasBoard(game, @najdorf) GROUP BY 1 ORDER BY 2 DESC, 1$$),
('opening_name', 'matching', 'hasBoard(game, @najdorf)',
    'SELECT (opening(game)).eco, count(*) FROM games WHERE hasBoard(game, @najdorf) GROUP BY 1 ORDER BY 2 DESC, 1'),
('join_players', 'matching', 'hasBoard(game, @najdorf)',
    'SELECT p.country, count(*) FROM games AS g JOIN players AS p ON p.name = g.white WHERE hasBoard(game, @najdorf) GROUP BY 1 ORDER BY 1'),
('join_openings', 'all', NULL, 'SELECT o.id, count(*) FROM openings AS o JOIN games AS g ON hasOpening(g.game, o.opening) GROUP BY o.id ORDER BY 1'),
('join_boards', 'all', NULL, 'SELECT b.id, count(*) FROM boards AS b JOIN games AS g ON hasBoard(g.game, b.board) GROUP BY b.id ORDER BY 1'),
('self_join', 'all', NULL, format('SELECT h.source, h.source_offset FROM games AS g JOIN games AS h ON hasBoard(h.game, getBoard(g.game, 14))
    WHERE g.source = %L AND g.source_offset = %L', :'source', :'place')),
('sorted', 'few', NULL, 'SELECT source, source_offset, game FROM games ORDER BY game, source, source_offset LIMIT 10'),
('equal', 'few', NULL, format('SELECT source, source_offset FROM games WHERE game = (SELECT game FROM games WHERE source = %L AND source_offset = %L)',
    :'source', :'place')),
('duplicates', 'all', NULL,
    'SELECT game, count(*) FROM games WHERE plyCount(game) > 20 GROUP BY game HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 5'),
('by_place', 'few', NULL, format('SELECT white, black, getBoard(game, 20) FROM games WHERE source = %L AND source_offset = %L', :'source', :'place'))
) AS v (name, travels, condition, query);
