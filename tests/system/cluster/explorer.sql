-- In: asking.sql has run. Out: the table places, of boards; the view explored, what the explorer says of them with filters.
CREATE TABLE places (board chessboard);
CREATE VIEW explored AS
SELECT epd(p.board) AS board, f.filters, (answer(format($$
           SELECT uci, san, games, white, draws, black, unknown, score, rated, average_rating, opponent_rating, performance,
                  last_played, reached, reached_white, reached_draws, reached_black, reached_score, reached_average_rating FROM chess.explorer(%L%s)$$, p.board, f.filters))).*,
       (answer(format('SELECT coalesce(white_elo, 0) + coalesce(black_elo, 0) FROM chess.explorer_games(%L%s)', p.board, f.filters))).hash AS top,
       (answer(format($$SELECT date FROM chess.explorer_games(%L, sort => 'date'%s)$$, p.board, f.filters))).hash AS latest
FROM places p, unnest(ARRAY['', $$, rating => '{[2200,2400),[2600,)}'$$, $$, result => '1-0'$$, $$, dates => '[2000-01-01,2010-01-01)'$$,
    $$, white => 'Varnholt, Edda'$$, $$, player => 'Kestrelin, Ivor'$$, $$, event => 'Northern League'$$]) f (filters)
ORDER BY 1, 2;
