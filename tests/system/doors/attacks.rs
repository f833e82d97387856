//! What somebody else can have made or own in the schema of the games: each is a way to run code with the rights of others.

use crate::{Attack, closed, fresh};

/// Things that belong to somebody else.
const OWNED: [Attack; 6] = [
    Attack {
        name: "the schema",
        thing: "schema chess belongs to mallory",
        template: "base",
        statements: "ALTER SCHEMA chess OWNER TO mallory;
     SET ROLE mallory;
     CREATE FUNCTION chess.speed(varchar) RETURNS text LANGUAGE sql AS 'SELECT mallory.note(''speed'')::text';",
    },
    Attack {
        name: "a table",
        thing: "table chess.players belongs to mallory",
        template: "base",
        statements: "ALTER TABLE chess.players OWNER TO mallory;
     SET ROLE mallory;
     CREATE TRIGGER strike BEFORE INSERT ON chess.players FOR EACH ROW EXECUTE FUNCTION mallory.strike();",
    },
    Attack {
        name: "a partition",
        thing: "table chess.games_2 belongs to mallory",
        template: "parts",
        statements: "ALTER TABLE chess.games_2 OWNER TO mallory;
     SET ROLE mallory;
     CREATE TRIGGER strike BEFORE INSERT OR DELETE ON chess.games_2 FOR EACH ROW EXECUTE FUNCTION mallory.strike();",
    },
    Attack {
        name: "a child",
        thing: "table mallory.more belongs to mallory",
        template: "base",
        statements: "CREATE TABLE mallory.more () INHERITS (chess.games);
     ALTER TABLE mallory.more OWNER TO mallory;",
    },
    Attack {
        name: "a foreign partition",
        thing: "foreign table chess.games_far belongs to mallory",
        template: "parts",
        statements: "CREATE FOREIGN DATA WRAPPER far;
     CREATE SERVER far FOREIGN DATA WRAPPER far;
     ALTER TABLE chess.games DROP CONSTRAINT games_pkey CASCADE, DROP CONSTRAINT games_source_id_fkey,
       DROP CONSTRAINT games_event_id_fkey, DROP CONSTRAINT games_site_id_fkey, DROP CONSTRAINT games_white_id_fkey,
       DROP CONSTRAINT games_black_id_fkey;
     ALTER TABLE chess.games DETACH PARTITION chess.games_2;
     CREATE FOREIGN TABLE chess.games_far PARTITION OF chess.games FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER far;
     ALTER FOREIGN TABLE chess.games_far OWNER TO mallory;",
    },
    Attack {
        name: "the extension's schema",
        thing: "schema public belongs to mallory",
        template: "base",
        statements: "ALTER SCHEMA public OWNER TO mallory;",
    },
];

/// Views and functions, and what they call.
const VIEWS_AND_FUNCTIONS: [Attack; 6] = [
    Attack {
        name: "a view",
        thing: "view chess.pgn_view belongs to mallory",
        template: "base",
        statements: "ALTER VIEW chess.pgn_view RENAME TO real_view;
     GRANT CREATE ON SCHEMA chess TO mallory;
     GRANT SELECT ON chess.real_view TO mallory;
     SET ROLE mallory;
     CREATE VIEW chess.pgn_view AS SELECT * FROM chess.real_view WHERE mallory.strike(id);
     GRANT SELECT ON chess.pgn_view TO PUBLIC;",
    },
    Attack {
        name: "a view below a view",
        thing: "view mallory.names belongs to mallory",
        template: "base",
        statements: "GRANT SELECT ON chess.players TO mallory;
     SET ROLE mallory;
     CREATE VIEW mallory.names AS SELECT id, name FROM chess.players WHERE mallory.strike(id);
     GRANT SELECT ON mallory.names TO PUBLIC;
     RESET ROLE;
     CREATE OR REPLACE VIEW chess.pgn_view AS
     SELECT g.id, e.name AS event, s.name AS site, g.date, g.dates, g.round, w.name AS white, b.name AS black, g.result,
            g.white_elo, g.black_elo, g.time_control, g.eco, g.ply_count, g.tags, g.game, g.clocks, g.evals, o.name AS source,
            g.source_id, g.source_offset, g.error, g.annotated, g.shard, g.evals AS pgn_evals, w.name AS pgn_white,
            b.name AS pgn_black, e.name AS pgn_event, s.name AS pgn_site
     FROM chess.games g LEFT JOIN chess.sources o ON o.id = g.source_id LEFT JOIN chess.events e ON e.id = g.event_id
     LEFT JOIN chess.sites s ON s.id = g.site_id LEFT JOIN mallory.names w ON w.id = g.white_id
     LEFT JOIN mallory.names b ON b.id = g.black_id;",
    },
    Attack {
        name: "a function",
        thing: "function chess.mean_elo(integer,integer) belongs to mallory",
        template: "base",
        statements: "ALTER FUNCTION chess.mean_elo(integer, integer) OWNER TO mallory;
     GRANT CREATE ON SCHEMA chess TO mallory;
     SET ROLE mallory;
     CREATE OR REPLACE FUNCTION chess.mean_elo(white_elo integer, black_elo integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
       'BEGIN PERFORM mallory.note(''mean_elo''); RETURN (white_elo + black_elo) / 2; END';",
    },
    Attack {
        name: "a function of the same name",
        thing: "function chess.speed_number(character varying) belongs to mallory",
        template: "base",
        statements: "GRANT CREATE ON SCHEMA chess TO mallory;
     SET ROLE mallory;
     CREATE FUNCTION chess.speed_number(varchar) RETURNS smallint LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''speed''); RETURN 1; END';",
    },
    Attack {
        name: "a function that a view calls",
        thing: "function mallory.strike(anyelement) belongs to mallory … (rule _RETURN on view chess.pgn_view uses it)",
        template: "base",
        statements: "DROP VIEW chess.pgn_view CASCADE;
     CREATE VIEW chess.pgn_view AS SELECT g.id, g.white_id AS pgn_white FROM chess.games g WHERE mallory.strike(g.id);",
    },
    Attack {
        name: "a function that a function calls",
        thing: "function mallory.strike(anyelement) belongs to mallory",
        template: "base",
        statements: "CREATE OR REPLACE FUNCTION chess.rating_group(white_elo integer, black_elo integer) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
     RETURN CASE WHEN mallory.strike(white_elo) THEN 1 END::smallint;",
    },
];

/// Types and triggers.
const TYPES_AND_TRIGGERS: [Attack; 6] = [
    Attack {
        name: "a domain",
        thing: "type mallory.code belongs to mallory",
        template: "base",
        statements: "SET ROLE mallory;
     CREATE DOMAIN mallory.code AS text CHECK (mallory.strike(value));
     RESET ROLE;
     DROP VIEW chess.pgn_view CASCADE;
     ALTER TABLE chess.games ALTER eco TYPE mallory.code;",
    },
    Attack {
        name: "a domain in an array",
        thing: "type mallory.code belongs to mallory",
        template: "base",
        statements: "SET ROLE mallory;
     CREATE DOMAIN mallory.code AS text CHECK (mallory.strike(value));
     RESET ROLE;
     ALTER TABLE chess.players ADD titles mallory.code[];",
    },
    Attack {
        name: "a type",
        thing: "type chess.explorer_move belongs to mallory",
        template: "base",
        statements: "ALTER TYPE chess.explorer_move OWNER TO mallory;",
    },
    Attack {
        name: "a trigger",
        thing: "function mallory.strike() belongs to mallory … (trigger strike on table chess.players uses it)",
        template: "base",
        statements: "CREATE TRIGGER strike BEFORE INSERT ON chess.players FOR EACH ROW EXECUTE FUNCTION mallory.strike();",
    },
    Attack {
        name: "a trigger of the view",
        thing: "function mallory.strike() belongs to mallory",
        template: "base",
        statements: "CREATE OR REPLACE TRIGGER pgn_view_write INSTEAD OF INSERT ON chess.pgn_view FOR EACH ROW EXECUTE FUNCTION mallory.strike();",
    },
    Attack {
        name: "a trigger of all partitions",
        thing: "function mallory.strike() belongs to mallory",
        template: "parts",
        statements: "CREATE TRIGGER strike BEFORE INSERT OR DELETE ON chess.games FOR EACH ROW EXECUTE FUNCTION mallory.strike();",
    },
];

/// What is evaluated with rows.
const EXPRESSIONS: [Attack; 6] = [
    Attack {
        name: "a rule",
        thing: "function mallory.note(text) belongs to mallory … (rule strike on table chess.pieces uses it)",
        template: "base",
        statements: "CREATE RULE strike AS ON INSERT TO chess.pieces DO ALSO SELECT mallory.note('a rule');",
    },
    Attack {
        name: "a default",
        thing: "function mallory.note(text) belongs to mallory … (default value for column trusted of table chess.players uses it)",
        template: "base",
        statements: "ALTER TABLE chess.players ADD trusted boolean;
     ALTER TABLE chess.players ALTER trusted SET DEFAULT mallory.note('a default');",
    },
    Attack {
        name: "a check",
        thing: "function mallory.strike(anyelement) belongs to mallory … (constraint strike on table chess.players uses it)",
        template: "base",
        statements: "ALTER TABLE chess.players ADD CONSTRAINT strike CHECK (mallory.strike(name)) NOT VALID;",
    },
    Attack {
        name: "an index",
        thing: "function mallory.strike(anyelement) belongs to mallory … (index chess.strike uses it)",
        template: "base",
        statements: "CREATE INDEX strike ON chess.sites (id) WHERE id > 1000000 AND mallory.strike(id);",
    },
    Attack {
        name: "a policy",
        thing: "function mallory.strike(anyelement) belongs to mallory … (policy strike on table chess.games uses it)",
        template: "base",
        statements: "ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY;
     CREATE POLICY strike ON chess.games USING (mallory.strike(id));",
    },
    Attack {
        name: "an operator",
        thing: "operator mallory.===(integer,integer) belongs to mallory",
        template: "base",
        statements: "CREATE FUNCTION mallory.same(integer, integer) RETURNS boolean LANGUAGE sql AS 'SELECT $1 = $2';
     CREATE OPERATOR mallory.=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = mallory.same);
     ALTER OPERATOR mallory.=== (integer, integer) OWNER TO mallory;
     ALTER TABLE chess.players ADD CONSTRAINT strike CHECK (id OPERATOR(mallory.===) id) NOT VALID;",
    },
];

/// What the server finds from a table, a type or an operator, and not the other way round.
const HUNG: [Attack; 6] = [
    Attack {
        name: "statistics",
        thing: "function mallory.strike(anyelement) belongs to mallory … (statistics object chess.strike uses it)",
        template: "base",
        statements: "CREATE STATISTICS chess.strike ON (mallory.strike(white_elo)) FROM chess.games;",
    },
    Attack {
        name: "an event trigger",
        thing: "function mallory.event() belongs to mallory … (event trigger strike uses it)",
        template: "base",
        statements: "CREATE FUNCTION mallory.event() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''an event''); END';
     ALTER FUNCTION mallory.event() OWNER TO mallory;
     CREATE EVENT TRIGGER strike ON ddl_command_end EXECUTE FUNCTION mallory.event();",
    },
    Attack {
        name: "a cast",
        thing: "function mallory.moves(chess.explorer_move) belongs to mallory … (cast from chess.explorer_move to integer uses it)",
        template: "base",
        statements: "CREATE FUNCTION mallory.moves(chess.explorer_move) RETURNS integer LANGUAGE sql AS 'SELECT mallory.note(''a cast'')::integer';
     ALTER FUNCTION mallory.moves(chess.explorer_move) OWNER TO mallory;
     CREATE CAST (chess.explorer_move AS integer) WITH FUNCTION mallory.moves(chess.explorer_move) AS IMPLICIT;",
    },
    Attack {
        name: "an operator class",
        thing: "function mallory.compare(integer,integer) belongs to mallory",
        template: "base",
        statements: "CREATE FUNCTION mallory.compare(integer, integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
       'BEGIN PERFORM mallory.note(''a comparison''); RETURN pg_catalog.btint4cmp($1, $2); END';
     ALTER FUNCTION mallory.compare(integer, integer) OWNER TO mallory;
     CREATE OPERATOR CLASS chess.strange FOR TYPE integer USING btree AS
       OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 mallory.compare(integer, integer);
     CREATE INDEX strike ON chess.sites (id chess.strange);",
    },
    Attack {
        name: "a commutator",
        thing: "operator mallory.<<<(integer,integer) belongs to mallory",
        template: "base",
        statements: "CREATE FUNCTION mallory.less(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT mallory.note(''a commutator'')';
     CREATE OPERATOR mallory.<<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = mallory.less);
     CREATE OPERATOR mallory.>>> (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4gt, COMMUTATOR = OPERATOR(mallory.<<<));
     ALTER FUNCTION mallory.less(integer, integer) OWNER TO mallory;
     ALTER OPERATOR mallory.<<< (integer, integer) OWNER TO mallory;
     ALTER TABLE chess.players ADD CONSTRAINT strike CHECK (id OPERATOR(mallory.>>>) 0) NOT VALID;",
    },
    Attack {
        name: "a collation",
        thing: "collation mallory.letters belongs to mallory",
        template: "base",
        statements: "CREATE COLLATION mallory.letters FROM \"C\";
     ALTER COLLATION mallory.letters OWNER TO mallory;
     ALTER TABLE chess.players ADD notes text COLLATE mallory.letters;",
    },
];

#[track_caller]
fn attacked(name: &str, attacks: &[Attack]) {
    for (n, attack) in attacks.iter().enumerate() {
        let db = fresh(&format!("{name}_{n}"), attack.template);
        db.session().sql(attack.statements);
        closed(&db, attack.name, attack.thing);
    }
}

#[test]
#[ignore = "needs a server"]
fn owned_of_others() {
    attacked("owned", &OWNED);
}

#[test]
#[ignore = "needs a server"]
fn views_and_functions_of_others() {
    attacked("views_and_functions", &VIEWS_AND_FUNCTIONS);
}

#[test]
#[ignore = "needs a server"]
fn types_and_triggers_of_others() {
    attacked("types_and_triggers", &TYPES_AND_TRIGGERS);
}

#[test]
#[ignore = "needs a server"]
fn expressions_of_others() {
    attacked("expressions", &EXPRESSIONS);
}

#[test]
#[ignore = "needs a server"]
fn what_others_hang_on_objects() {
    attacked("hung", &HUNG);
}
