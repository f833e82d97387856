-- In: schema; names, an expression: the other tables that refer to a game g; range, the condition of the games that are read anew;
-- $1 to $3, its parameters. Out: earlier_games has those of them to which other tables refer, as if somebody had kept them without
-- a change. No role has an empty name: by that mark_finished knows these rows, which are nobody's change.
INSERT INTO {schema}.earlier_games (game_id, changed_by, game)
SELECT g.id, '', {schema}.lock_game(g.id, NULL::text)
FROM {schema}.games g WHERE {range} AND {names} <> ''
