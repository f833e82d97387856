-- In: {here}, a table of games; {reached}, that a game has the position after 1. e4, {e4}; {next}, the move from there, {groups},
-- their numbers; {other}, the position after 1. d4; {rated}, games with White's rating; {report}, the groups of a report; {ending},
-- that a game has a queen against a rook on either side. One query a line.

-- By the sums: one position.
SELECT count(*) FROM {here} WHERE {reached}
SELECT count(*) FROM {here} WHERE game @> '{e4}'
SELECT count(*) FROM {here} WHERE '{e4}' <@ game
SELECT count(1) + 1, -count(*), count(*)::int4, 2.5 * count(*) FROM {here} WHERE {reached}
SELECT count(*), random() < 2 FROM {here} WHERE {reached}
SELECT count(*) FROM {here} WHERE {reached} HAVING count(*) < 5
SELECT EXISTS (SELECT FROM {here} WHERE {reached} HAVING count(*) > 5)
SELECT count(*) FILTER (WHERE result IN ('1-0', '0-1')), sum(score(result, 'b')) FROM {here} WHERE {reached}
SELECT CASE WHEN count(*) > 10 THEN avg(score(result, 'w')) END FROM {here} WHERE {reached}
{groups} ORDER BY 2 DESC, 1 LIMIT 3
SELECT * FROM ({groups}) x WHERE n > 100 ORDER BY n, move
SELECT * FROM ({groups}) x WHERE move = 'c5'
SELECT * FROM ({groups}) x WHERE move IS NULL OR move LIKE 'N%' ORDER BY 1
{groups} HAVING count(*) > 3 AND {next} <> 'e5' ORDER BY 1
SELECT {next} || '!', count(*) FROM {here} WHERE {reached} GROUP BY {next} ORDER BY 1
SELECT {next} FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT result, count(*) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT result, {next}, count(*), sum(score(result, 'w')) FROM {here} WHERE {reached} GROUP BY 2, 1 ORDER BY 2, 1
SELECT {next} m, count(*), rank() OVER (ORDER BY count(*) DESC), round(100 * count(*) / sum(count(*)) OVER (), 2) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
WITH a AS (SELECT count(*) n FROM {here} WHERE {reached}), b AS MATERIALIZED ({groups}) SELECT move, b.n::float8 / a.n FROM a, b ORDER BY 1
SELECT m.san, n FROM legalMoves('{e4}') m LEFT JOIN ({groups}) g ON g.move = m.san ORDER BY 1
SELECT count(*) FROM {here} WHERE {reached} UNION ALL SELECT count(*) FROM {here} WHERE {reached} AND white_elo > 2000 ORDER BY 1
SELECT count(*) FROM ONLY {here} WHERE {reached}
SELECT * FROM counted
SELECT count(*) FROM games WHERE {reached}
SELECT count(*) FROM {here} WHERE hasBoard(game, (SELECT board FROM boards WHERE n = 2))
SELECT count(*) FROM {here} WHERE hasBoard(game, (SELECT NULL::chessboard))
SELECT n, (SELECT count(*) FROM {here} WHERE hasBoard(game, board) AND white_elo >= 1000 * n) FROM boards ORDER BY n
SELECT p.ply, x.n FROM positions('1. e4 c5 2. Nf3 d6') p, LATERAL (SELECT count(*) n FROM {here} WHERE hasBoard(game, p.board)) x ORDER BY 1
SELECT count(*) FROM {here} WHERE {reached} AND white_elo IS NULL
SELECT count(*) FROM {here} WHERE {reached} AND white_elo IS NOT NULL AND white_elo >= 1500 AND white_elo < 2000
SELECT count(*) FROM {here} WHERE {reached} AND white_elo >= 2000 AND white_elo < 1500
SELECT count(*) FROM {here} WHERE {reached} AND white_elo = ANY ('{1500,NULL,1501}'::bigint[])
SELECT count(*) FROM {here} WHERE {reached} AND result = '1-0' AND '0-1' <> '1-0'
SELECT count(*) FROM {here} WHERE {reached} AND lower(dates) >= '2000-01-01' AND chess.last_day(dates) < '2020-01-01'
SELECT count(*) FROM {here} WHERE {reached} AND NOT white_elo > 2000
SELECT count(*) FROM {here} WHERE ({reached}) = true AND lower(dates) < 'infinity' AND white_elo < 99999999999
SELECT count(*) FROM {here} WHERE hasBoard(game, CASE WHEN now() > '2000-01-01' THEN '{e4}'::chessboard END)
SELECT n, x.* FROM boards b LEFT JOIN LATERAL (SELECT nextMove(game, b.board) m, count(*) FROM {here} WHERE hasBoard(game, b.board) GROUP BY 1) x ON true ORDER BY 1, 2
SELECT {next}, count(*) FROM {here} WHERE {reached} GROUP BY GROUPING SETS (({next})) ORDER BY 1
SELECT DISTINCT ON (result) result, {next}, count(*) FROM {here} WHERE {reached} GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2
SELECT result, count(*), avg(avg(score(result, 'w'))) OVER (ORDER BY result ROWS 1 PRECEDING) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT result, count(*) FROM {here} WHERE {reached} GROUP BY 1 HAVING count(*) > (SELECT avg(n) FROM (SELECT count(*) n FROM {here} WHERE {reached} GROUP BY result) x) ORDER BY 1
WITH RECURSIVE t (i, n) AS (SELECT 1, count(*) FROM {here} WHERE {reached} UNION ALL SELECT i + 1, (SELECT count(*) FROM {here} WHERE {reached} AND white_elo > 1000 + 200 * i) FROM t WHERE i < 5) SELECT * FROM t ORDER BY 1

-- By the sums: any of several boards.
SELECT count(*) FROM {here} WHERE {reached} OR hasBoard(game, {other})
SELECT count(*) FROM {here} WHERE ({reached} OR game @~ {other} OR NULL::chessboard <@ game) AND white_elo > 2000
SELECT count(*) FROM {here} WHERE game && ARRAY[{other}, NULL, startBoard(), {other}]
SELECT result, count(*), sum(score(result, 'w')) FROM {here} WHERE ARRAY[{other}, '{e4}'] && game GROUP BY 1 ORDER BY 1
SELECT count(*) FROM {here} WHERE game @> ANY (ARRAY[{other}, finalBoard('1. d4 d5'), NULL]) OR hasPieces(game, '{e4}')
SELECT count(*), avg(score(result, 'b')) FROM {here} WHERE hasPieces(game, {other}) AND result IN ('1-0', '0-1')
SELECT count(*) FROM {here} WHERE {other} ~@ game
SELECT count(*) FROM {here} WHERE game && '{}'::chessboard[]
SELECT count(*) FROM {here} WHERE game && NULL::chessboard[] OR hasBoard(game, (SELECT NULL::chessboard))
SELECT count(*) FROM {here} WHERE game && (SELECT array_agg(board) FROM boards)
SELECT n, (SELECT count(*) FROM {here} WHERE hasPieces(game, board) OR game && ARRAY[board, startBoard()]) FROM boards ORDER BY n

-- By the rows: any of several boards.
SELECT {next}, count(*) FROM {here} WHERE {reached} OR hasBoard(game, {other}) GROUP BY 1 ORDER BY 1
SELECT {next}, count(*) FROM {here} WHERE hasPieces(game, '{e4}') GROUP BY 1 ORDER BY 1
SELECT count(*) FROM {here} WHERE {reached} OR white_elo > 2000
SELECT count(*) FROM {here} WHERE {reached} OR hasBoard(game, {other}, 4)
SELECT count(*) FROM {here} WHERE hasPieces(game, {other}, 4)
SELECT count(*) FROM {here} WHERE hasPieces(game, {other}) AND {reached}
SELECT count(*) FROM {here} WHERE game @>> ARRAY[{other}]
SELECT count(*) FROM {here} WHERE game @> ALL (ARRAY[{other}])
SELECT count(*) FROM {here} WHERE game @> ANY ((SELECT array_agg(board) FROM boards)::chessboard[])
SELECT count(*) FROM {here} WHERE game && array_fill({other}, ARRAY[65])
SELECT count(*) FROM {here} WHERE NOT (game && ARRAY[{other}])
SELECT count(*) FROM {here} WHERE hasOpening(game, '1. d4')

-- By the rows: one position.
SELECT {next}, count(*) FROM {here} WHERE {reached} GROUP BY ROLLUP (1) ORDER BY 1, 2
SELECT count(DISTINCT white_id) FROM {here} WHERE {reached}
SELECT count(*) FROM {here} WHERE {reached} AND ply_count > 50
SELECT count(*) FROM {here} WHERE {reached} AND result = 'x'
SELECT count(*) FROM {here} WHERE {reached} AND {next} = 'c5'
SELECT count(*) FROM {here} WHERE {reached} AND hasBoard(game, finalBoard('1. e4 e5'))
SELECT count(*) FROM {here} WHERE {reached} AND NOT hasBoard(game, finalBoard('1. e4 e5'))
SELECT count(*) FROM {here} WHERE hasBoard(game, '{e4}', 10)
SELECT nextMove(game, finalBoard('1. e4 e5')), count(*) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT count(*) FROM {here} g JOIN chess.players p ON p.id = g.white_id WHERE {reached}
SELECT count(*) FROM {here} TABLESAMPLE SYSTEM (50) REPEATABLE (1) WHERE {reached}
SELECT count(*) FROM {here} WHERE {reached} AND white_elo >= 1500 + (random() * 0)::int
SELECT count(*) FROM {here} WHERE {reached} AND now() > '2000-01-01'
SELECT count(*) FROM {here} WHERE {reached} AND ctid < '(10,1)'
SELECT count(*) FROM {here} WHERE white_elo > 2000
SELECT count(*) FROM {here}
SELECT {next}, result, count(*), grouping({next}, result) FROM {here} WHERE {reached} GROUP BY GROUPING SETS (({next}), (result), ()) ORDER BY 1, 2, 3
SELECT count(DISTINCT result), sum(DISTINCT score(result, 'w')) FROM {here} WHERE {reached}
SELECT avg(score(result, 'w') ORDER BY id), mode() WITHIN GROUP (ORDER BY result) FROM {here} WHERE {reached}
SELECT count(*) FROM {here} WHERE hasBoard(game, CASE WHEN random() < 2 THEN '{e4}'::chessboard END)
SELECT count(*) FROM {here} WHERE hasBoard(game, CASE WHEN white_elo > 2000 THEN '{e4}'::chessboard ELSE startBoard() END)
SELECT count(*) FROM {here} WHERE hasBoard(game, getBoard(game, 1))
SELECT count(*) FILTER (WHERE result COLLATE "C" = '1-0') FROM {here} WHERE {reached}
SELECT {next} COLLATE "C", count(*) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT sum(1), bool_and(true), count(NULL) FROM {here} WHERE {reached}
SELECT avg(score('1-0', 'w')), stddev(score(result, 'b')) FROM {here} WHERE {reached}
WITH g AS MATERIALIZED (SELECT * FROM {here}) SELECT count(*) FROM g WHERE {reached}

-- By the sums: ratings, days, the only game.
SELECT count(*) {rated}, sum(white_elo) {rated}, avg(white_elo) {rated}, count(black_elo) FILTER (WHERE 1 <= black_elo) FROM {here} WHERE {reached}
SELECT {next}, count(*) {rated}, round(avg(white_elo) {rated}), sum(black_elo) FILTER (WHERE black_elo > 0 AND result <> '*'), max(lower(dates)), max(lower(dates)) FILTER (WHERE result = '1-0') FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT result, max(chess.last_day(dates)) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT max(white_elo), max(white_elo) FILTER (WHERE result NOT IN ('1-0', '*')) FROM {here} WHERE {reached}
SELECT avg(white_elo), count(white_elo), sum(white_elo) FROM {here} WHERE {reached} AND white_elo BETWEEN 1500 AND 2200
SELECT avg(white_elo) FROM {here} WHERE {reached} AND int4range(1, 2200) @> white_elo
SELECT count(*) FILTER (WHERE result <> '*'), count(*) FILTER (WHERE result NOT IN ('1-0', NULL)), count(*) FILTER (WHERE result IS NOT NULL) FROM {here} WHERE {reached}
SELECT count(*) FROM {here} WHERE {reached} AND result <> '1-0' AND result IS NOT NULL
SELECT count(*) FROM {here} WHERE {reached} AND white_elo <@ '{[1500,1800),(2000,)}'::int4multirange AND lower(dates) <@ '[2000-01-01,2010-12-31]'::daterange
SELECT count(*) FROM {here} WHERE {reached} AND 'empty'::int4range @> white_elo
SELECT n, (SELECT count(*) FROM {here} WHERE {reached} AND white_elo <@ int4range(1000, 900 + 500 * n)) FROM boards ORDER BY n
SELECT {next}, CASE WHEN count(*) = 1 THEN min(id) END, CASE WHEN count(*) = 1 THEN max(white_elo) END, CASE WHEN count(*) = 1 THEN min(source_id) END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, result, CASE WHEN count(*) = 1 THEN min(id) END FROM {here} WHERE {reached} AND white_elo > 1900 GROUP BY 1, 2 ORDER BY 1, 2

-- By the rows: ratings, days, the only game.
SELECT avg(white_elo) FROM {here} WHERE {reached}
SELECT count(*) FROM {here} WHERE {reached} AND white_elo <@ reversed(2000, 1500)
SELECT avg(white_elo) FROM {here} WHERE {reached} AND black_elo > 0
SELECT avg(white_elo) FROM {here} WHERE {reached} AND white_elo >= 0
SELECT count(white_elo) FROM {here} WHERE {reached}
SELECT count(*) FILTER (WHERE white_elo > 2000) FROM {here} WHERE {reached}
SELECT count(*) FILTER (WHERE white_elo > 0 AND black_elo > 0) FROM {here} WHERE {reached}
SELECT avg(black_elo) {rated} FROM {here} WHERE {reached}
SELECT max(black_elo) {rated} FROM {here} WHERE {reached}
SELECT max(white_elo), max(black_elo) FROM {here} WHERE {reached}
SELECT min(white_elo) FROM {here} WHERE {reached}
SELECT count(*) FILTER (WHERE result <> 'x') FROM {here} WHERE {reached}
SELECT {next}, min(id) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, min(id), CASE WHEN count(*) = 1 THEN min(id) END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, CASE WHEN count(*) = 2 THEN min(id) END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, CASE WHEN count(*) = 1 THEN min(id) ELSE 0 END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, CASE WHEN count(*) FILTER (WHERE result = '1-0') = 1 THEN min(id) END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, CASE WHEN count(*) = 1 THEN min(id) FILTER (WHERE id > 9) END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, CASE WHEN count(*) = 1 THEN sum(id) END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT {next}, CASE WHEN count(*) = 1 THEN min(time_control) END FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1

-- By the sums: patterns.
SELECT count(*) FROM {here} WHERE game @@ 'K[QRBN]P*vK[QRBN]P*'
SELECT count(*) FROM {here} WHERE hasMaterial(game, 'KRvK')
SELECT count(*) FROM {here} WHERE game @@ 'KRPvKR'
SELECT count(*) FROM {here} WHERE game @@ 'KQQQQvKQQQQ'
SELECT count(*), count(*) FILTER (WHERE result = '1-0') FROM {here} WHERE game @@ 'KRP*vKRP*' AND white_elo > 1500 AND lower(dates) > '2000-01-01'
SELECT result, count(*), sum(score(result, 'w')) FROM {here} WHERE {ending} GROUP BY 1 ORDER BY 1
SELECT count(*), max(lower(dates)), avg(white_elo) {rated}, CASE WHEN count(*) = 1 THEN min(id) END FROM {here} WHERE {ending} AND game @@ 'flip(KP*vKRP*)'
SELECT game @@ 'KQP*vKRP*', count(*) FROM {here} WHERE {ending} GROUP BY 1 ORDER BY 1
SELECT result, game @@ 'KQP*vKRP*' AS own, avg(score(result, 'b')), count(*) {rated} FROM {here} WHERE {ending} AND black_elo IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 2
SELECT own, count(*) FROM (SELECT true OR game @@ 'KRvK' AS own FROM {here} WHERE {ending}) x GROUP BY 1
SELECT g.* FROM (SELECT {report} AS groups FROM {here} WHERE {ending}) x, unnest(groups) g ORDER BY part, number
SELECT g.* FROM (SELECT {report} AS groups FROM {here} WHERE {ending} AND white_elo > 99999) x, unnest(groups) g ORDER BY part, number
SELECT own, n, g.* FROM (SELECT game @@ 'KQP*vKRP*' AS own, count(*) AS n, {report} AS groups FROM {here} WHERE {ending} AND result <> '*' GROUP BY 1) x, unnest(groups) g ORDER BY own, part, number
SELECT move, g.* FROM (SELECT {next} AS move, {report} AS groups FROM {here} WHERE {reached} GROUP BY 1) x, unnest(groups) g ORDER BY move, part, number
SELECT g.* FROM (SELECT {report} AS groups FROM {here} WHERE {reached} OR hasBoard(game, {other})) x, unnest(groups) g ORDER BY part, number

-- By the rows: patterns.
SELECT count(*) FROM {here} WHERE game @@ 'KRP*vKRP* for 4'
SELECT count(*) FROM {here} WHERE game @@ 'Qxf7'
SELECT count(*) FROM {here} WHERE game @@ 'Ke1 and KRP*vKRP*'
SELECT count(*) FROM {here} WHERE game @@ 'KRPvKR' OR game @@ 'KRvK'
SELECT count(*) FROM {here} WHERE NOT game @@ 'KRPvKR'
SELECT count(*) FROM {here} WHERE {ending} AND {reached}
SELECT count(*) FROM {here} WHERE {ending} AND ply_count > 50
SELECT n, (SELECT count(*) FROM {here} WHERE game @@ CASE n WHEN 1 THEN 'KRPvKR' ELSE 'KRvK' END::chesspattern) FROM boards ORDER BY n
SELECT game @@ 'KQP*vKRP* for 4', count(*) FROM {here} WHERE {ending} GROUP BY 1 ORDER BY 1
SELECT game @@ 'KQP*vKRP*', game @@ 'KRP*vKQP*', count(*) FROM {here} WHERE {ending} GROUP BY 1, 2 ORDER BY 1, 2
SELECT game @@ 'KQP*vKRP*', count(*) FROM {here} WHERE {reached} GROUP BY 1 ORDER BY 1
SELECT result, g.* FROM (SELECT result, {report} AS groups FROM {here} WHERE {ending} GROUP BY 1) x, unnest(groups) g ORDER BY result, part, number
SELECT cardinality({report} FILTER (WHERE result = '1-0')) FROM {here} WHERE {ending}
SELECT cardinality(reportGroups(8, 0, result, white_elo, black_elo, NULL, lower(dates), upper(dates), NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL, NULL)) FROM {here} WHERE {ending}
SELECT cardinality(reportGroups(8, 3, result, white_elo, black_elo, id, lower(dates), chess.last_day(dates) + 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL, NULL)) FROM {here} WHERE {ending}
SELECT cardinality(reportGroups(16, 0, result, white_elo, black_elo, NULL, lower(dates), chess.last_day(dates) + 1, NULL, NULL, NULL, time_control, NULL, NULL, NULL, true, NULL, NULL)) FROM {here} WHERE {ending}
