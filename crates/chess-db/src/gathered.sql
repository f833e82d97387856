-- In: {schema} and {chess}, as for tables.sql; {servers}, the number of servers; {all NAME}, the rows of a table of all
-- servers.
-- Out: the tables and views of a schema of chess-pgn, over all servers. explorer.sql runs on them as on those of one
-- server.

-- Each server numbers its own names, so a name that several servers have appears several times, with different ids.
CREATE VIEW {schema}.players WITH (security_invoker = true) AS {all players};
CREATE VIEW {schema}.events WITH (security_invoker = true) AS {all events};
CREATE VIEW {schema}.sites WITH (security_invoker = true) AS {all sites};
CREATE VIEW {schema}.sources WITH (security_invoker = true) AS {all sources};

-- There is a cube if each of them has one; it holds the positions that all of them have counted.
CREATE VIEW {schema}.explorer_build WITH (security_invoker = true) AS
SELECT min(b.least) AS least, sum(b.games)::bigint AS games, min(b.positions) AS positions, min(b.built) AS built
FROM ({all explorer_build}) b HAVING count(*) = {servers};
CREATE VIEW {schema}.explorer_stale WITH (security_invoker = true) AS {all explorer_stale};
CREATE VIEW {schema}.explorer_known WITH (security_invoker = true) AS
SELECT k.key, (array_agg(k.board))[1] AS board, bool_and(k.complete) AS complete, bool_or(k.pending) AS pending
FROM ({all explorer_known}) k GROUP BY k.key, {chess}.epd(k.board) HAVING count(*) = {servers};
CREATE VIEW {schema}.explorer_cell WITH (security_invoker = true) AS {all explorer_cell};
CREATE VIEW {schema}.explorer_total WITH (security_invoker = true) AS {all explorer_total};
CREATE VIEW {schema}.explorer_listed WITH (security_invoker = true) AS {all explorer_listed};
CREATE VIEW {schema}.explorer_pending_games WITH (security_invoker = true) AS {all explorer_pending_games};

COMMENT ON TABLE {schema}.games IS 'the games of all servers';
COMMENT ON TABLE {schema}.pgn_view IS 'a row for each game of all servers, with the names filled in';
COMMENT ON VIEW {schema}.players IS 'the players of all servers; one that several of them know is there for each';
COMMENT ON VIEW {schema}.events IS 'the events of all servers; one that several of them know is there for each';
COMMENT ON VIEW {schema}.sites IS 'the sites of all servers; one that several of them know is there for each';
COMMENT ON VIEW {schema}.sources IS 'the files that the games of all servers came from';
COMMENT ON VIEW {schema}.explorer_build IS 'one row if each server has a cube';
COMMENT ON VIEW {schema}.explorer_stale IS 'transactions of all servers that have changed or removed games of a cube';
COMMENT ON VIEW {schema}.explorer_known IS
    'the positions that all cubes hold while they are used, and whether there are games that are not in them';
COMMENT ON VIEW {schema}.explorer_cell IS 'games of a position of the cubes by what was played and of which kind they are';
COMMENT ON VIEW {schema}.explorer_total IS 'the sums of explorer_cell over all years, ratings and speeds, for each server';
COMMENT ON VIEW {schema}.explorer_listed IS 'the games that explorer_games lists first, for each server';
COMMENT ON VIEW {schema}.explorer_pending_games IS 'the games that are in no cube';
