-- In: tables text_games, text_boards, binary_games, binary_boards (n, value) with the changed values that were accepted, and these
-- as the table accepted (target, n, bytes in hex).
-- Out: an ERROR unless all of them are there, written as they came, the same after a way through their text, and of use to functions
-- and indexes.
DO $$
DECLARE
    bad bigint;
BEGIN
    SELECT count(*) INTO bad FROM (
        SELECT target, n FROM accepted
        EXCEPT ALL (SELECT 'text_games', n FROM text_games UNION ALL SELECT 'text_boards', n FROM text_boards
        UNION ALL SELECT 'binary_games', n FROM binary_games UNION ALL SELECT 'binary_boards', n FROM binary_boards)) AS d;
    ASSERT bad = 0, format('%s accepted values are not there', bad);
    SELECT count(*) INTO bad FROM accepted AS a JOIN binary_games AS g USING (n)
    WHERE target = 'binary_games' AND bytes <> encode(chessgame_send(value), 'hex');
    ASSERT bad = 0, format('%s games are not sent as they were received', bad);
    SELECT count(*) INTO bad FROM accepted AS a JOIN binary_boards AS g USING (n)
    WHERE target = 'binary_boards' AND bytes <> encode(chessboard_send(value), 'hex');
    ASSERT bad = 0, format('%s boards are not sent as they were received', bad);
    SELECT count(*) INTO bad FROM (TABLE text_games UNION ALL TABLE binary_games) AS g
    WHERE chessgame_send(value) <> chessgame_send(value::text::chessgame)
       OR plycount(getfirstmoves(value, plycount(value))) <> plycount(value)
       OR NOT hasboard(value, getboard(value, plycount(value)))
       OR NOT haspieces(value, getboard(value, 0), 0) OR NOT hasopening(value, getfirstmoves(value, 9));
    ASSERT bad = 0, format('%s games do not come back from their text, or contradict themselves', bad);
    SELECT count(*) INTO bad FROM (TABLE text_boards UNION ALL TABLE binary_boards) AS b
    WHERE chessboard_send(value) <> chessboard_send(value::text::chessboard) OR epd(value) IS NULL;
    ASSERT bad = 0, format('%s boards do not come back from their text', bad);
END $$;
CREATE INDEX ON text_games (value);
CREATE INDEX ON text_games USING gin (value);
CREATE INDEX ON text_games USING chess (value);
CREATE INDEX ON binary_games (value);
CREATE INDEX ON binary_games USING gin (value);
CREATE INDEX ON binary_games USING chess (value);
ANALYZE;
