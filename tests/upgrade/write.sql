-- In: a database with the extension and the demo's games (scripts/games_load.sql).
-- Out: what a version writes, for later ones to read: kind, binary form in hex, text, and what the order, the hash and
-- the GIN keys are made of: games in order with their hashes.
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
