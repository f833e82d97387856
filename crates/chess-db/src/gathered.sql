-- In: {schema}, as for tables.sql; {all NAME}, the rows of a table of all servers.
-- Out: the tables and views of a schema of chess-pgn, over all servers. explorer.sql runs on them as on those of one
-- server.

-- Each server numbers its own names, so a name that several servers have appears several times, with different ids.
CREATE VIEW {schema}.players WITH (security_invoker = true) AS {all players};
CREATE VIEW {schema}.events WITH (security_invoker = true) AS {all events};
CREATE VIEW {schema}.sites WITH (security_invoker = true) AS {all sites};
CREATE VIEW {schema}.sources WITH (security_invoker = true) AS {all sources};

COMMENT ON TABLE {schema}.games IS 'the games of all servers';
COMMENT ON TABLE {schema}.pgn_view IS 'a row for each game of all servers, with the names filled in';
COMMENT ON VIEW {schema}.players IS 'the players of all servers; one that several of them know is there for each';
COMMENT ON VIEW {schema}.events IS 'the events of all servers; one that several of them know is there for each';
COMMENT ON VIEW {schema}.sites IS 'the sites of all servers; one that several of them know is there for each';
COMMENT ON VIEW {schema}.sources IS 'the files that the games of all servers came from';
