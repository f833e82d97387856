-- In: the extension. Out: two-byte moves, in our numbering and in that of ocgdb.
SELECT movecode('e2e4'), movecode('e7e8q'), movecode('h7h8n'), codemove(1804), codemove(7988), codemove(20471);
SELECT ocgdbmovecode('e2e4'), ocgdbmovecode('e7e8q'), ocgdbcodemove(2356), ocgdbcodemove(2356 | 32768);
SELECT p, codemove(p * 4096) FROM generate_series(0, 4) p;
SELECT codemove(5 * 4096);
SELECT codemove(6 * 4096);
SELECT codemove(7 * 4096);
SELECT codemove(32768);
SELECT codemove(-1);
SELECT ocgdbcodemove(4096);
SELECT movecode('e2e9');
SELECT movecode('O-O');
-- two bytes that are a move and half of a multibyte character
SELECT movecode('eۋ3');
-- games
SELECT moves2('1. e4 e5 2. Nf3'), ocgdbmoves2('1. e4 e5 2. Nf3'), moves2('');
SELECT frommoves2(moves2('1. e4 e5 2. Nf3 1-0')), fromocgdbmoves2(ocgdbmoves2('1. e4 e5 2. Nf3 1-0'));
-- castling to the g-file, and onto the rook
SELECT frommoves2(m || '\x8401'), frommoves2(m || '\xc401')
FROM (VALUES (moves2('1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5'))) v (m);
-- a promotion, also with ocgdb's comment mark, and with squares numbered from a1
SELECT fromocgdbmoves2(ocgdbmoves2(g)), fromocgdbmoves2(set_byte(ocgdbmoves2(g), 1, get_byte(ocgdbmoves2(g), 1) | 128)),
       fromocgdbmoves2('\x0c07f308')
FROM (VALUES ('1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Nd5 5. bxa8=N'::chessgame)) v (g);
-- other starts, and Chess960 with castling that could also be a plain move
SELECT frommoves2(moves2(g), getboard(g, 0)), fromocgdbmoves2(ocgdbmoves2(g), getboard(g, 0))
FROM unnest(ARRAY['[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40"] 40... Kd7 41. e4',
                  '[FEN "1k6/8/8/8/8/8/8/5K1R w H - 0 1"] 1. O-O', '[FEN "1k6/8/8/8/8/8/8/5K1R w H - 0 1"] 1. Kg1']::chessgame[]) g;
-- bytes that are not a game
SELECT frommoves2('\x0c070c07');
SELECT frommoves2('\x0c57');
SELECT frommoves2('\x0c');
SELECT fromocgdbmoves2('\x0c170c07');
-- a start from which there is no game has the same code as in newGame
\set VERBOSITY sqlstate
SELECT frommoves2('\x', '8/8/8/8/8/8/8/8 w - - 0 1');
SELECT fromocgdbmoves2('\x', '8/8/8/8/8/8/8/8 w - - 0 1');
SELECT newGame('8/8/8/8/8/8/8/8 w - - 0 1', '');
