-- In: {schema} and {chess}, as for tables.sql. Out: the types of the rows that functions take and return. A version that changes
-- one drops it first, with the functions that have it.

CREATE TYPE {schema}.explorer_move AS (
    uci             text,
    san             text,
    games           bigint,
    white           bigint,
    draws           bigint,
    black           bigint,
    unknown         bigint,
    score           double precision,
    rated           bigint,
    average_rating  double precision,
    opponent_rating double precision,
    performance     double precision,
    last_played     date,
    reached         bigint,
    reached_white   bigint,
    reached_draws   bigint,
    reached_black   bigint,
    reached_score   double precision,
    reached_average_rating double precision,
    game_id         bigint
);
COMMENT ON TYPE {schema}.explorer_move IS 'a move of the explorer; without uci and san, the games that end in the position';
COMMENT ON COLUMN {schema}.explorer_move.games IS 'the games that play it where the position first arises';
COMMENT ON COLUMN {schema}.explorer_move.score IS 'of the side that moves, from 0 to 1, over the games with a result';
COMMENT ON COLUMN {schema}.explorer_move.rated IS 'the games in which the side that moves has a rating';
COMMENT ON COLUMN {schema}.explorer_move.average_rating IS 'of the side that moves';
COMMENT ON COLUMN {schema}.explorer_move.opponent_rating IS 'the mean rating of the other side, over the games with a result';
COMMENT ON COLUMN {schema}.explorer_move.performance IS
    'of the side that moves, over the games with a result and a rated opponent';
COMMENT ON COLUMN {schema}.explorer_move.last_played IS 'the first day that the date of the latest game can mean';
COMMENT ON COLUMN {schema}.explorer_move.reached IS 'the games in which the position after the move arises, by any order of moves';
COMMENT ON COLUMN {schema}.explorer_move.reached_white IS 'of these games, those that White wins';
COMMENT ON COLUMN {schema}.explorer_move.reached_draws IS 'of these games, those that are drawn';
COMMENT ON COLUMN {schema}.explorer_move.reached_black IS 'of these games, those that Black wins';
COMMENT ON COLUMN {schema}.explorer_move.reached_score IS 'as score, over the games in reached';
COMMENT ON COLUMN {schema}.explorer_move.reached_average_rating IS 'as average_rating, over the games in reached';
COMMENT ON COLUMN {schema}.explorer_move.game_id IS 'the game, if it is only one';

CREATE TYPE {schema}.explorer_game AS (
    id        bigint,
    uci       text,
    white     text,
    black     text,
    white_elo integer,
    black_elo integer,
    result    text,
    date      text,
    event     text,
    site      text,
    round     text,
    eco       text,
    time_control text,
    ply_count integer,
    given_id  text
);
COMMENT ON TYPE {schema}.explorer_game IS 'a game of the explorer; uci is what it played in the position asked for';
COMMENT ON COLUMN {schema}.explorer_game.given_id IS 'the id that it has elsewhere, by its tag GameId';

CREATE TYPE {schema}.report_row AS (
    section  text,
    item     text,
    games    bigint,
    white    bigint,
    draws    bigint,
    black    bigint,
    score    double precision,
    expected double precision,
    detail   jsonb
);
COMMENT ON TYPE {schema}.report_row IS 'a row of a report: what a section says of one item';
COMMENT ON COLUMN {schema}.report_row.score IS
    'from 0 to 1, over the games with a result: of the player in the report on a player, of White in that on an opening, of the player in its lists of players';
COMMENT ON COLUMN {schema}.report_row.expected IS 'the mean score that both ratings promise, over the games that have these and a result';

CREATE TYPE {schema}.repertoire_move AS (
    board {chess}.chessboard,
    move  text
);
COMMENT ON TYPE {schema}.repertoire_move IS 'a move of a repertoire, of either side, in SAN or UCI, and the board before it';

CREATE TYPE {schema}.repertoire_game AS (
    game_id    bigint,
    ply        integer,
    "position" {chess}.chessboard,
    status     text,
    played     text,
    expected   text[],
    result     text
);
COMMENT ON TYPE {schema}.repertoire_game IS 'how far a game followed a repertoire';
COMMENT ON COLUMN {schema}.repertoire_game.ply IS 'the half-moves after which the last position of the repertoire stood on the board';
COMMENT ON COLUMN {schema}.repertoire_game.status IS 'followed, left, opponent left or not reached';
COMMENT ON COLUMN {schema}.repertoire_game.played IS 'the move of the game there; NULL at its end';
COMMENT ON COLUMN {schema}.repertoire_game.expected IS 'the moves of the repertoire there; none at the end of a line';

CREATE TYPE {schema}.repertoire_gap AS (
    "position"  {chess}.chessboard,
    move        text,
    probability double precision,
    games       bigint,
    score       double precision,
    kind        text,
    line        text
);
COMMENT ON TYPE {schema}.repertoire_gap IS 'what a repertoire lacks, or has in vain';
COMMENT ON COLUMN {schema}.repertoire_gap.probability IS
    'of the move on this board, if the owner plays the repertoire: the product of the shares of the opponents'' moves; without a move, of the position';
COMMENT ON COLUMN {schema}.repertoire_gap.games IS 'the games that play the move there; without a move, those that reach the position; NULL where nothing was looked up';
COMMENT ON COLUMN {schema}.repertoire_gap.score IS 'of the owner in these games, from 0 to 1, over those with a result';
COMMENT ON COLUMN {schema}.repertoire_gap.kind IS 'missing, unanswered, conflict, unreached or unexplored';
COMMENT ON COLUMN {schema}.repertoire_gap.line IS 'the likeliest moves to the position';
