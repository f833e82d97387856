-- In: {schema} and {chess}, as for tables.sql; the tables of book-tables.sql.
-- Out: the function that looks a position up in opening books. An existing one is replaced.

CREATE OR REPLACE FUNCTION {schema}.book_moves(board {chess}.chessboard, name text DEFAULT NULL)
RETURNS TABLE (book text, san text, uci text, weight integer, share double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT b.name, {chess}.san(book_moves.board, m.uci), m.uci, e.weight,
           coalesce(e.weight / nullif(sum(e.weight) OVER (PARTITION BY b.id), 0)::double precision, 0)
    FROM {schema}.books b
    JOIN {schema}.book_entries e ON e.book_id = b.id AND e.key = {chess}.polyglotkey(book_moves.board)
    CROSS JOIN LATERAL (SELECT {chess}.polyglotmove(book_moves.board, e.move)) m (uci)
    WHERE m.uci IS NOT NULL AND (book_moves.name IS NULL OR b.name = book_moves.name)
    ORDER BY b.name, e.weight DESC, e.number;
END;
COMMENT ON FUNCTION {schema}.book_moves({chess}.chessboard, text) IS
    'the moves that the books, or the one with this name, have for a position, each with its weight and its share in the weights of its book';
