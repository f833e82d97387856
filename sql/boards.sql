-- The status of a game or a board under the rules, and the pieces of a board.

CREATE FUNCTION status(game chessgame) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_status' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION status(chessgame) IS
    'what the rules say of the last position of the game, repetitions counted';

CREATE FUNCTION pieceat(board chessboard, square text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_pieceat' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5
    SUPPORT textarguments_support;
COMMENT ON FUNCTION pieceat(chessboard, text) IS
    'the letter in FEN of the piece on the square; NULL if it is empty';

CREATE FUNCTION turn(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_turn' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION turn(chessboard) IS
    'the side to move: w or b';

CREATE FUNCTION castling(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_castling' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION castling(chessboard) IS
    'the castling rights as FEN writes them: KQkq, or -';

CREATE FUNCTION enpassant(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_enpassant' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION enpassant(chessboard) IS
    'the square behind a pawn that has just made a double push, or NULL';

CREATE FUNCTION halfmoveclock(board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessboard_halfmoveclock' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION halfmoveclock(chessboard) IS
    'half-moves since the last capture or pawn move';

CREATE FUNCTION fullmovenumber(board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessboard_fullmovenumber' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fullmovenumber(chessboard) IS
    'the number of the move';

CREATE FUNCTION status(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_status' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION status(chessboard) IS
    'what the rules say of the board, which has no history but its clock';

CREATE FUNCTION ischeck(board chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_ischeck' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ischeck(chessboard) IS
    'is the side to move in check?';

CREATE FUNCTION zobrist(board chessboard) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_zobrist' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION zobrist(chessboard) IS
    'the key of the position in the Polyglot book format';

CREATE FUNCTION polyglotkey(board chessboard) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_polyglotkey' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION polyglotkey(chessboard) IS
    'the key under which a Polyglot book has the position: zobrist, but a pawn beside the pushed one counts even if it may not capture';

CREATE FUNCTION polyglotmove(board chessboard, code integer) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_polyglotmove' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION polyglotmove(chessboard, integer) IS
    'the move in UCI that a code of a Polyglot book means on the board; NULL if there is no such legal move';

CREATE FUNCTION material(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_material' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION material(chessboard) IS
    'all pieces of the board, White first: KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP at the start';

CREATE FUNCTION mirror(board chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessboard_mirror' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION mirror(chessboard) IS
    'the board with its files exchanged, a for h';

CREATE FUNCTION flip(board chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessboard_flip' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION flip(chessboard) IS
    'the board with colours and ranks exchanged: the same position for the other side';

CREATE FUNCTION symmetricboards(board chessboard) RETURNS chessboard[]
    AS 'MODULE_PATHNAME', 'chessboard_symmetricboards' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION symmetricboards(chessboard) IS
    'the boards that are the same position but for a symmetry, the board itself first: 2 with castling rights, 4 with pawns, up to 16 without';

CREATE FUNCTION symmetricmove(board chessboard, move text, other chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_symmetricmove' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT textarguments_support;
COMMENT ON FUNCTION symmetricmove(chessboard, text, chessboard) IS
    'a move of the board, in SAN or UCI, as the same move of another of its symmetricBoards, in SAN';

CREATE FUNCTION sameposition(a chessboard, b chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_sameposition' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sameposition(chessboard, chessboard) IS
    'are the boards the same position? (placement, side to move, castling rights, legal en passant; clocks do not count)';

CREATE FUNCTION samepieces(a chessboard, b chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_samepieces' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION samepieces(chessboard, chessboard) IS
    'do the boards have the same placement of pieces?';

CREATE FUNCTION distance(a chessboard, b chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessboard_distance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION distance(chessboard, chessboard) IS
    'on how many squares the boards differ';
