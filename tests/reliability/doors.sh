#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; LOADER and CHESS_WEB if they are already built.
# Out: an error unless every program refuses objects of every kind through which another role could run code with its
# rights, and unless owners, members, and the two roles of docs/explorer.md are let in.
#
# Mallory's objects write "caught" to the server's log if they run with rights other than mallory's.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
. tests/reliability/programs.sh
find_postgres
export LC_ALL=C.UTF-8

find_programs

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
web=
cleanup() {
  [ -z "$web" ] || kill "$web" 2>/dev/null || true
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
server_init "$DIR" 'autovacuum = off'
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGDATABASE=target PGUSER=postgres
export DB=target

# entries in the log that earlier checks have counted
known=0
caught() { echo $(($(as_server cat "$DIR/log" | grep -c 'LOG:  caught' || true) - known)); }
forget() { known=$((known + $(caught))); }
say "Who opens which door on PostgreSQL $MAJOR"
DB=postgres sql "CREATE ROLE mallory LOGIN" "CREATE ROLE writer LOGIN" "CREATE ROLE club LOGIN" "CREATE ROLE member LOGIN IN ROLE club" \
  "CREATE ROLE operator LOGIN NOINHERIT IN ROLE pg_execute_server_program" "CREATE ROLE chess_web_read LOGIN" \
  "CREATE ROLE chess_web LOGIN" "CREATE ROLE reader LOGIN" "CREATE ROLE deputy LOGIN NOINHERIT IN ROLE postgres" \
  "CREATE DATABASE base"
DB=base sql "CREATE EXTENSION chess" "GRANT CREATE ON DATABASE base TO mallory"
PGDATABASE=base yes "games" "$LOADER" load --index demo/famous.pgn tests/web/games.pgn
grants() { sql "GRANT USAGE ON SCHEMA chess TO PUBLIC" "GRANT SELECT ON ALL TABLES IN SCHEMA chess TO chess_web_read, reader, operator"; }
DB=base grants
"${CLIENT[@]}" -d base -U mallory <<'SQL'
CREATE SCHEMA mallory;
GRANT USAGE ON SCHEMA mallory TO PUBLIC;
CREATE FUNCTION mallory.note(what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'RESET ROLE';
  IF current_user <> 'mallory' THEN RAISE LOG 'caught % by %', current_user, what; END IF;
  RETURN true;
END $$;
CREATE FUNCTION mallory.strike() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mallory.note(TG_NAME);
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION mallory.strike(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN mallory.note(''a function''); END';
SQL
DB=postgres sql "CREATE DATABASE parts TEMPLATE base"
DB=parts sql "DROP SCHEMA chess CASCADE" 2>/dev/null
PGDATABASE=parts yes "partitions" "$LOADER" schema --partition-by id:2
PGDATABASE=parts yes "games in partitions" "$LOADER" load --index demo/famous.pgn tests/web/games.pgn
DB=parts grants
printf '[Event "New"]\n[Site "New"]\n[White "New, A"]\n[Black "New, B"]\n[ECO "A00"]\n\n1. a3 a6 *\n' >"$WORK/new.pgn"

# fresh [TEMPLATE]: recreates the database target from the template base
fresh() {
  DB=postgres sql "DROP DATABASE IF EXISTS target WITH (FORCE)" "CREATE DATABASE target TEMPLATE ${1:-base}" \
    "GRANT CREATE ON DATABASE target TO mallory, club, writer, chess_web" 2>/dev/null
}

keep() { ask /api/views -X POST -H 'Content-Type: application/json' -d '{"name":"x","url":"/?fen="}'; }
PAGES=("/api/games?rating=2000-" "/api/explorer" "/lichess" "/api/games/count" "/api/players?prefix=A")

writers=(load schema migrate players unload analyze play)
# write USER PROGRAM ARGUMENT...: runs a program that writes
write() {
  local user=$1 program=$2
  shift 2
  case $program in
  load) as "$user" "$LOADER" load --dedupe "$@" "$WORK/new.pgn" ;;
  schema | migrate | players) as "$user" "$LOADER" "$program" "$@" ;;
  unload) as "$user" "$LOADER" unload "$@" tests/web/games.pgn ;;
  analyze) as "$user" "$LOADER" analyze "$@" --status --engine /bin/false ;;
  play) as "$user" "$LOADER" play "$@" --white /bin/false --black /bin/false ;;
  esac
}
# shut NAME THING COMMAND...: checks that the command is refused because of that object, and that no code of mallory's
# has run
shut() {
  local name=$1 thing=$2
  shift 2
  no "$name" "$@"
  equal "$name: why" 1 "$(grep -E "^chess-pgn: .*$thing" "$WORK/out" | grep -c 'would run with your rights' || cat "$WORK/out")"
}
# web_shut NAME THING USER ARGUMENT...: the same for chess-web
web_shut() {
  local name=$1 thing=$2 page
  serve "${@:3}" --no-sessions
  for page in "${PAGES[@]}"; do
    equal "$name: $page" 503 "$(ask "$page")"
  done
  # for each page, and at the start if the database was quick enough to answer then
  holds "$name: why: $(cat "$WORK/web.log")" [ "$(grep -E "^chess-web: .*$thing" "$WORK/web.log" | grep -c 'would run with your rights')" -ge "${#PAGES[@]}" ]
  unserve
}
# closed NAME THING: checks that every program refuses, for every role that mallory's object could harm, and that a
# reader is let in
closed() {
  local name=$1 thing=$2 program user
  forget
  for program in "${writers[@]}"; do shut "$name: $program" "$thing" write postgres "$program"; done
  shut "$name: load by writer" "$thing" write writer load
  for user in postgres operator deputy; do
    shut "$name: export by $user" "$thing" as "$user" "$LOADER" export --where 'white_elo > 2000.5'
    web_shut "$name: web by $user" "$thing" "$user"
  done
  equal "$name: nothing has run" 0 "$(caught)"
  as reader "$LOADER" export >"$WORK/out" 2>&1 || true
  equal "$name: a reader is not kept out" 0 "$(grep -c 'your rights' "$WORK/out" || true)"
  forget
}
# attack NAME THING [TEMPLATE]: runs the statements on standard input, then checks that programs refuse the database
attack() {
  fresh "${3:-base}"
  "${CLIENT[@]}" -d target -v VERBOSITY=terse 2> >(grep -v NOTICE >&2)
  closed "$1" "$2"
}

fresh
sql "SET ROLE mallory" "SELECT mallory.note('a control')" >/dev/null
equal "mallory's code is heard of" 1 "$(caught)"
forget

say "Everybody who should get in"
# open_to USER ARGUMENT...: checks that an owner of the tables may write
open_to() {
  local user=$1 program
  shift
  for program in schema migrate load players unload; do
    yes "$program by $user" write "$user" "$program" "$@"
  done
  for program in analyze play; do
    no "$program by $user comes to the engine" write "$user" "$program" "$@"
    equal "$program by $user" 1 "$(grep -c 'engine' "$WORK/out" || cat "$WORK/out")"
  done
  yes "export by $user" as "$user" "$LOADER" export "$@"
}
fresh
open_to postgres
for template in base parts; do
  fresh $template
  sql "ALTER SCHEMA chess OWNER TO club" "GRANT ALL ON SCHEMA chess TO writer"
  sql "DO \$\$ DECLARE r record; BEGIN
    FOR r IN SELECT oid::regclass AS name FROM pg_class WHERE relnamespace = 'chess'::regnamespace AND relkind IN ('r', 'v', 'p') LOOP
      EXECUTE format('ALTER TABLE %s OWNER TO club', r.name); END LOOP;
    FOR r IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'chess'::regnamespace LOOP
      EXECUTE format('ALTER FUNCTION %s OWNER TO club', r.name); END LOOP;
    ALTER TYPE chess.explorer_move OWNER TO club; ALTER TYPE chess.explorer_game OWNER TO club; END \$\$"
  open_to club
  yes "load by a member" write member load
  yes "export by a member" as member "$LOADER" export
done

say "The owner of the games, named by whoever exports or serves them"
closed "games of a club" "belongs to club"
shut "the role of a session is not the login" "belongs to club" env PGOPTIONS='-c role=club' "$LOADER" load "$WORK/new.pgn"
for user in postgres operator; do
  sql "GRANT USAGE ON SCHEMA chess TO operator" "GRANT SELECT ON ALL TABLES IN SCHEMA chess TO operator"
  yes "export by $user, who trusts the club" as "$user" "$LOADER" export --owner club --where "white_elo > 2000.5 OR hasOpening(game, '1. e4')"
  serve "$user" --no-sessions --owner club
  for page in "${PAGES[@]}"; do equal "web by $user, who trusts the club: $page" 200 "$(ask "$page")"; done
  unserve
done
no "nobody of that name" "$LOADER" export --owner nobody
equal "nobody of that name: why" 'chess-pgn: role "nobody" does not exist: --owner names the role that owns the tables' "$(cat "$WORK/out")"
sql "ALTER FUNCTION chess.speed(text) OWNER TO mallory"
shut "trust in the club is none in mallory" 'function chess.speed\(text\) belongs to mallory' "$LOADER" export --owner club
web_shut "trust in the club is none in mallory: web" 'function chess.speed\(text\) belongs to mallory' postgres --owner club

say "The two roles of docs/explorer.md"
fresh
serve postgres -d "user=chess_web_read" --sessions "user=chess_web"
for page in "${PAGES[@]}"; do equal "the reader: $page" 200 "$(ask "$page")"; done
equal "the keeper of sessions" 201 "$(keep)"
unserve
serve postgres
equal "a superuser keeps sessions beside those of a role" 404 "$(keep)"
equal "why" 1 "$(grep -c 'schema chess_web belongs to chess_web, whose code would run with your rights' "$WORK/web.log")"
unserve
sql "DROP SCHEMA chess_web CASCADE" 2>/dev/null
serve postgres
equal "a superuser keeps sessions of its own" 201 "$(keep)"
unserve
serve postgres
equal "and finds them again" 201 "$(keep)"
unserve

say "What somebody else can have made"
attack "the schema" "schema chess belongs to mallory" <<'SQL'
ALTER SCHEMA chess OWNER TO mallory;
SET ROLE mallory;
CREATE FUNCTION chess.speed(varchar) RETURNS text LANGUAGE sql AS 'SELECT mallory.note(''speed'')::text';
SQL
attack "a table" "table chess.players belongs to mallory" <<'SQL'
ALTER TABLE chess.players OWNER TO mallory;
SET ROLE mallory;
CREATE TRIGGER strike BEFORE INSERT ON chess.players FOR EACH ROW EXECUTE FUNCTION mallory.strike();
SQL
attack "a partition" "table chess.games_2 belongs to mallory" parts <<'SQL'
ALTER TABLE chess.games_2 OWNER TO mallory;
SET ROLE mallory;
CREATE TRIGGER strike BEFORE INSERT OR DELETE ON chess.games_2 FOR EACH ROW EXECUTE FUNCTION mallory.strike();
SQL
attack "a child" "table mallory.more belongs to mallory" <<'SQL'
CREATE TABLE mallory.more () INHERITS (chess.games);
ALTER TABLE mallory.more OWNER TO mallory;
SQL
attack "a foreign partition" "foreign table chess.games_far belongs to mallory" parts <<'SQL'
CREATE FOREIGN DATA WRAPPER far;
CREATE SERVER far FOREIGN DATA WRAPPER far;
ALTER TABLE chess.games DROP CONSTRAINT games_pkey CASCADE, DROP CONSTRAINT games_source_id_fkey,
  DROP CONSTRAINT games_event_id_fkey, DROP CONSTRAINT games_site_id_fkey, DROP CONSTRAINT games_white_id_fkey,
  DROP CONSTRAINT games_black_id_fkey;
ALTER TABLE chess.games DETACH PARTITION chess.games_2;
CREATE FOREIGN TABLE chess.games_far PARTITION OF chess.games FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER far;
ALTER FOREIGN TABLE chess.games_far OWNER TO mallory;
SQL
attack "a view" "view chess.pgn_view belongs to mallory" <<'SQL'
ALTER VIEW chess.pgn_view RENAME TO real_view;
GRANT CREATE ON SCHEMA chess TO mallory;
GRANT SELECT ON chess.real_view TO mallory;
SET ROLE mallory;
CREATE VIEW chess.pgn_view AS SELECT * FROM chess.real_view WHERE mallory.strike(id);
GRANT SELECT ON chess.pgn_view TO PUBLIC;
SQL
attack "a view below a view" "view mallory.names belongs to mallory" <<'SQL'
GRANT SELECT ON chess.players TO mallory;
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
LEFT JOIN mallory.names b ON b.id = g.black_id;
SQL
attack "a function" 'function chess.mean_elo\(integer,integer\) belongs to mallory' <<'SQL'
ALTER FUNCTION chess.mean_elo(integer, integer) OWNER TO mallory;
GRANT CREATE ON SCHEMA chess TO mallory;
SET ROLE mallory;
CREATE OR REPLACE FUNCTION chess.mean_elo(white_elo integer, black_elo integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS
  'BEGIN PERFORM mallory.note(''mean_elo''); RETURN (white_elo + black_elo) / 2; END';
SQL
attack "a function of the same name" 'function chess.speed_number\(character varying\) belongs to mallory' <<'SQL'
GRANT CREATE ON SCHEMA chess TO mallory;
SET ROLE mallory;
CREATE FUNCTION chess.speed_number(varchar) RETURNS smallint LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''speed''); RETURN 1; END';
SQL
attack "a function that a view calls" 'function mallory.strike\(anyelement\) belongs to mallory.*\(rule _RETURN on view chess.pgn_view uses it\)' <<'SQL'
DROP VIEW chess.pgn_view CASCADE;
CREATE VIEW chess.pgn_view AS SELECT g.id, g.white_id AS pgn_white FROM chess.games g WHERE mallory.strike(g.id);
SQL
attack "a function that a function calls" 'function mallory.strike\(anyelement\) belongs to mallory' <<'SQL'
CREATE OR REPLACE FUNCTION chess.rating_group(white_elo integer, black_elo integer) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN mallory.strike(white_elo) THEN 1 END::smallint;
SQL
attack "a domain" "type mallory.code belongs to mallory" <<'SQL'
SET ROLE mallory;
CREATE DOMAIN mallory.code AS text CHECK (mallory.strike(value));
RESET ROLE;
DROP VIEW chess.pgn_view CASCADE;
ALTER TABLE chess.games ALTER eco TYPE mallory.code;
SQL
forget
attack "a domain in an array" "type mallory.code belongs to mallory" <<'SQL'
SET ROLE mallory;
CREATE DOMAIN mallory.code AS text CHECK (mallory.strike(value));
RESET ROLE;
ALTER TABLE chess.players ADD titles mallory.code[];
SQL
attack "a type" "type chess.explorer_move belongs to mallory" <<'SQL'
ALTER TYPE chess.explorer_move OWNER TO mallory;
SQL
attack "a trigger" 'function mallory.strike\(\) belongs to mallory.*\(trigger strike on table chess.players uses it\)' <<'SQL'
CREATE TRIGGER strike BEFORE INSERT ON chess.players FOR EACH ROW EXECUTE FUNCTION mallory.strike();
SQL
attack "a trigger of the view" 'function mallory.strike\(\) belongs to mallory' <<'SQL'
CREATE OR REPLACE TRIGGER pgn_view_write INSTEAD OF INSERT ON chess.pgn_view FOR EACH ROW EXECUTE FUNCTION mallory.strike();
SQL
attack "a trigger of all partitions" 'function mallory.strike\(\) belongs to mallory' parts <<'SQL'
CREATE TRIGGER strike BEFORE INSERT OR DELETE ON chess.games FOR EACH ROW EXECUTE FUNCTION mallory.strike();
SQL
attack "a rule" 'function mallory.note\(text\) belongs to mallory.*\(rule strike on table chess.pieces uses it\)' <<'SQL'
CREATE RULE strike AS ON INSERT TO chess.pieces DO ALSO SELECT mallory.note('a rule');
SQL
attack "a default" 'function mallory.note\(text\) belongs to mallory.*\(default value for column trusted of table chess.players uses it\)' <<'SQL'
ALTER TABLE chess.players ADD trusted boolean;
ALTER TABLE chess.players ALTER trusted SET DEFAULT mallory.note('a default');
SQL
attack "a check" 'function mallory.strike\(anyelement\) belongs to mallory.*\(constraint strike on table chess.players uses it\)' <<'SQL'
ALTER TABLE chess.players ADD CONSTRAINT strike CHECK (mallory.strike(name)) NOT VALID;
SQL
attack "an index" 'function mallory.strike\(anyelement\) belongs to mallory.*\(index chess.strike uses it\)' <<'SQL'
CREATE INDEX strike ON chess.sites (id) WHERE id > 1000000 AND mallory.strike(id);
SQL
attack "a policy" 'function mallory.strike\(anyelement\) belongs to mallory.*\(policy strike on table chess.games uses it\)' <<'SQL'
ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY;
CREATE POLICY strike ON chess.games USING (mallory.strike(id));
SQL
attack "an operator" 'operator mallory.===\(integer,integer\) belongs to mallory' <<'SQL'
CREATE FUNCTION mallory.same(integer, integer) RETURNS boolean LANGUAGE sql AS 'SELECT $1 = $2';
CREATE OPERATOR mallory.=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = mallory.same);
ALTER OPERATOR mallory.=== (integer, integer) OWNER TO mallory;
ALTER TABLE chess.players ADD CONSTRAINT strike CHECK (id OPERATOR(mallory.===) id) NOT VALID;
SQL
attack "the extension's schema" "schema public belongs to mallory" <<'SQL'
ALTER SCHEMA public OWNER TO mallory;
SQL

say "What only writers must look at"
# closed_to_writers NAME WHY: checks that programs that write refuse
closed_to_writers() {
  local program
  for program in "${writers[@]}"; do shut "$1: $program" "$2" write postgres "$program"; done
  shut "$1: load by writer" "$2" write writer load
  yes "$1: export" as postgres "$LOADER" export
  equal "$1: nothing has run" 0 "$(caught)"
  forget
}
fresh
sql "GRANT TRIGGER ON chess.games TO mallory"
closed_to_writers "the right to create triggers" "mallory may create triggers on table chess.games"
fresh
sql "GRANT TRIGGER ON chess.sites TO PUBLIC"
closed_to_writers "the right of all to create triggers" "PUBLIC may create triggers on table chess.sites"
fresh
sql "CREATE TABLE mallory.favourites (id bigint REFERENCES chess.games ON DELETE CASCADE)" "ALTER TABLE mallory.favourites OWNER TO mallory" \
  "INSERT INTO mallory.favourites SELECT id FROM chess.games" \
  "CREATE TRIGGER strike AFTER DELETE ON mallory.favourites FOR EACH ROW EXECUTE FUNCTION mallory.strike()"
closed_to_writers "rows that go with games" "table mallory.favourites belongs to mallory"
fresh
sql "CREATE TABLE club (id bigint REFERENCES chess.games)" "ALTER TABLE club OWNER TO club"
yes "rows that only refer to games" write postgres load

say "What is there before the tables"
# before NAME THING STATEMENT...: runs mallory's statements in a schema of another name, which no program fills
before() {
  local name=$1 thing=$2
  shift 2
  fresh
  sql "CREATE SCHEMA early" "GRANT CREATE, USAGE ON SCHEMA early TO mallory"
  sql "SET ROLE mallory" "$@"
  for user in postgres writer; do
    for program in load schema play; do shut "$name: $program by $user" "$thing" write "$user" "$program" --schema early; done
  done
  equal "$name: nothing is made" "" "$(sql "SELECT to_regclass('early.info')")"
}
before "a function" 'function early.pgn_dates\(text\) belongs to mallory' \
  "CREATE FUNCTION early.pgn_dates(date text) RETURNS daterange LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''adopted''); RETURN NULL; END'"
before "a trigger function" 'function early.pgn_view_write\(\) belongs to mallory' \
  "CREATE FUNCTION early.pgn_view_write() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''adopted''); RETURN NEW; END'"
before "a table" "table early.twins belongs to mallory" "CREATE TABLE early.twins (a bigint)"
before "a view" "view early.pgn_view belongs to mallory" "CREATE VIEW early.pgn_view AS SELECT 1 AS id"
before "a type" "type early.explorer_game belongs to mallory" "CREATE TYPE early.explorer_game AS (id bigint)"
before "a domain" "type early.explorer_game belongs to mallory" "CREATE DOMAIN early.explorer_game AS text"
fresh
sql "CREATE SCHEMA early AUTHORIZATION mallory"
for user in postgres writer; do shut "an empty schema: load by $user" "schema early belongs to mallory" write "$user" load --schema early; done
fresh
sql "CREATE SCHEMA early AUTHORIZATION writer"
yes "an empty schema of one's own" write writer load --schema early
sql "CREATE FUNCTION early.more() RETURNS integer LANGUAGE sql AS 'SELECT 1'" "ALTER FUNCTION early.more() OWNER TO mallory"
yes "a function of somebody else that no program calls" write writer load --schema early
fresh
sql "CREATE SCHEMA early AUTHORIZATION writer" "SET ROLE writer" "CREATE FUNCTION early.pgn_dates(date text) RETURNS text LANGUAGE sql AS 'SELECT 1'"
no "nothing that is there is replaced" write writer load --schema early
equal "why" 1 "$(grep -c 'function "pgn_dates" already exists with same argument types' "$WORK/out")"
DB=postgres sql "DROP DATABASE target WITH (FORCE)" "CREATE DATABASE target" "GRANT CREATE ON DATABASE target TO mallory, writer"
sql "SET ROLE mallory" "CREATE SCHEMA postgres"
shut "a new extension goes to mallory's schema" "schema postgres belongs to mallory" write postgres load
equal "and leaves nothing there" 0 "$(sql "SELECT count(*) FROM pg_extension WHERE extname = 'chess'")"
sql "ALTER DATABASE target OWNER TO mallory" "DROP SCHEMA postgres" "CREATE EXTENSION chess"
shut "mallory's database" "schema public belongs to mallory" write postgres load
yes "somebody's own games in it" write writer load

say "Sessions"
# sessions NAME THING STATEMENT...: the same for the schema of chess-web's sessions
sessions() {
  local name=$1 thing=$2 user
  shift 2
  fresh
  sql "$@"
  for user in postgres chess_web; do
    serve "$user" -d "user=chess_web_read" --sessions "user=$user"
    equal "$name, $user: nothing is kept" 404 "$(keep)"
    equal "$name, $user: again" 404 "$(ask /api/views -H "Cookie: __Host-chess=$(printf '0%.0s' {1..64})")"
    equal "$name, $user: why" 2 "$(grep -E "^chess-web: .*$thing" "$WORK/web.log" | grep -c 'would run with your rights' || cat "$WORK/web.log")"
    equal "$name, $user: games are shown" 200 "$(ask /api/games)"
    unserve
  done
  equal "$name: nothing has run" 0 "$(caught)"
  forget
}
TABLE="CREATE TABLE chess_web.sessions (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id_hash bytea NOT NULL UNIQUE,
  created timestamptz DEFAULT now(), seen timestamptz DEFAULT now(), expires timestamptz DEFAULT now() + interval '1 year')"
TRIGGER="CREATE TRIGGER strike BEFORE INSERT OR UPDATE OR DELETE ON chess_web.sessions EXECUTE FUNCTION mallory.strike()"
sessions "the schema" "schema chess_web belongs to mallory" "SET ROLE mallory" "CREATE SCHEMA chess_web" "GRANT ALL ON SCHEMA chess_web TO PUBLIC" \
  "$TABLE" "$TRIGGER" "GRANT SELECT, INSERT, UPDATE, DELETE, REFERENCES ON chess_web.sessions TO PUBLIC"
sessions "a table" "table chess_web.sessions belongs to mallory" "CREATE SCHEMA chess_web" "GRANT ALL ON SCHEMA chess_web TO PUBLIC" "SET ROLE mallory" \
  "$TABLE" "$TRIGGER" "GRANT SELECT, INSERT, UPDATE, DELETE, REFERENCES ON chess_web.sessions TO PUBLIC"
sessions "a trigger" 'function mallory.strike\(\) belongs to mallory' "CREATE SCHEMA chess_web" "GRANT ALL ON SCHEMA chess_web TO PUBLIC" "$TABLE" "$TRIGGER"
sessions "a default" 'function mallory.note\(text\) belongs to mallory' "CREATE SCHEMA chess_web" "GRANT ALL ON SCHEMA chess_web TO PUBLIC" "$TABLE" \
  "ALTER TABLE chess_web.sessions ADD x boolean, ALTER x SET DEFAULT mallory.note('a default')"
sessions "the right to create triggers" "mallory may create triggers on table chess_web.sessions" "CREATE SCHEMA chess_web" "GRANT ALL ON SCHEMA chess_web TO PUBLIC" "$TABLE" \
  "GRANT TRIGGER ON chess_web.sessions TO mallory"
sessions "rows that go with sessions" "table mallory.more belongs to mallory" "CREATE SCHEMA chess_web" "GRANT ALL ON SCHEMA chess_web TO PUBLIC" "$TABLE" \
  "CREATE TABLE mallory.more (id bigint REFERENCES chess_web.sessions ON DELETE CASCADE)" "ALTER TABLE mallory.more OWNER TO mallory"
fresh
serve postgres
equal "sessions are kept" 201 "$(keep)"
sql "DROP SCHEMA chess_web CASCADE" "SET ROLE mallory" "CREATE SCHEMA chess_web" "$TABLE" "$TRIGGER" 2>/dev/null
equal "until somebody else has made the schema again" 404 "$(keep)"
equal "nothing has run" 0 "$(caught)"
unserve
