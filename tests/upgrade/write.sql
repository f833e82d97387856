-- In: a database with the extension and the demo's games (scripts/games_load.sql).
-- Out: what a version writes, for later ones to read: kind, binary form in hex, text, and what the order, the hash and
-- the GIN keys are made of: games, boards and positions in order, and patterns, with their hashes.
CREATE TEMP TABLE written AS
SELECT game FROM games
UNION SELECT unnest(ARRAY[
    '*', '1-0', '1. e4', '1. f3 e5 2. g4 Qh4# 0-1',
    '[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] 1. O-O O-O-O 1/2-1/2',
    '[FEN "7k/P6p/8/8/8/8/p6P/7K w - - 0 1"] 1. a8=N a1=B 2. Nb6 Be5',
    '[FEN "4k3/8/8/8/3pP3/8/8/4K3 b - e3 300 400"] 400... dxe3'])::chessgame
UNION SELECT openingupperbound('1. e4 e5')
UNION SELECT getfirstmoves(game, 11) FROM games;
COPY (
    SELECT 'game', encode(chessgame_send(game), 'hex'), game::text, chessgame_hash(game), chessgame_hash_extended(game, 7)
    FROM (SELECT game FROM written ORDER BY game) AS in_order
) TO STDOUT;
COPY (
    SELECT 'board', encode(chessboard_send(board), 'hex'), board::text, chessboard_hash(board), chessboard_hash_extended(board, 7)
    FROM (SELECT DISTINCT getboard(game, plycount(game) * part / 3) AS board FROM written, generate_series(0, 3) AS part
          UNION SELECT '8/8/8/8/8/8/8/8'::chessboard ORDER BY 1) AS in_order
) TO STDOUT;
COPY (
    SELECT 'position', encode(chessposition_send(position), 'hex'), position::text, chessposition_hash(position), chessposition_hash_extended(position, 7)
    FROM (SELECT DISTINCT getboard(game, plycount(game) * part / 3)::chessposition AS position FROM written, generate_series(0, 3) AS part
          ORDER BY 1) AS in_order
) TO STDOUT;
COPY (
    SELECT 'pattern', encode(chesspattern_send(pattern), 'hex'), pattern::text, chesspattern_hash(pattern), chesspattern_hash_extended(pattern, 7)
    FROM unnest(ARRAY[
        'Nd5', 'Pc3 Pd4 Pe3 Pf4 Kg1', 'KRP*vKRP* for 8', 'KRPPPvKRPPP', 'flip(Nd5 and not [bn] attacks d5)', 'isolated(Pd)',
        'outpost(N)', 'flip(oppositebishops and [QRN] = 0)', 'flip(shift(Pe4 Pf4 pe5 pf5))', 'Nf1-g3-f5', 'check and mate',
        'flip(imbalance vQ for 8)', 'flip(points(A) + 3 <= points(a) for 4 directly btm and mate)', 'Q = 2', 'line(R, _, q)',
        'islands(P) = 3', 'Bxh7 then within 4 Ng5', 'rotate(K[a1-b2])', 'castle(KQ) or not Ke1', 'O-O-O then within 10 Rx[bn]'
    ]) WITH ORDINALITY AS t (text, n), LATERAL (SELECT text::chesspattern AS pattern) AS p ORDER BY n
) TO STDOUT;
