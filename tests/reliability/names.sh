#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; LOADER and CHESS_WEB if they are already built; the word "extension" or "programs"
# for a part of the test.
# Out: an error if anything of the project calls a function or operator that its author did not mean: while the extension is
# created or upgraded in a schema of mallory's, in functions and views of the extension and of the loader's schema, in
# chess-pgn and in chess-web. For each name that they call there are decoys, with all argument types that PostgreSQL could
# take or prefer (decoys.sql). Also an error unless every function, subcommand and path was tried, and unless SECURITY.md
# names the functions that are SECURITY DEFINER.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8
PART=${1:-all}
PATH=$PATH:/usr/games

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
web=
cleanup() {
  [ -z "$web" ] || kill "$web" 2>/dev/null || true
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
server_init "$DIR" 'autovacuum = off' 'track_functions = all' "log_line_prefix = '%a %u %d: '"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres
psql() { "${CLIENT[@]}" -At "$@"; }
# with names of PostgreSQL's alone
safely() { PGOPTIONS='-c search_path=pg_catalog' psql "$@"; }
as_mallory() { "${CLIENT[@]}" -At -U mallory "$@"; }

# what earlier checks have seen of the log
seen=0
forget() { seen=$(as_server cat "$DIR/log" | wc -l); }
# no_decoy WHAT: no decoy has run since the last check
no_decoy() {
  equal "$1: decoys that have run" "" "$(as_server tail -n "+$((seen + 1))" "$DIR/log" | grep 'LOG:  decoy' | sort | uniq -c | head -n 20 || true)"
  forget
}

find_programs() {
  [ -n "${LOADER:-}" ] && [ -n "${CHESS_WEB:-}" ] || build_programs -q
  LOADER=${LOADER:-$TARGET/release/chess-pgn}
  CHESS_WEB=${CHESS_WEB:-$TARGET/release/chess-web}
}
# as USER COMMAND...: runs the command as that role
as() {
  local user=$1
  shift
  PGUSER=$user "$@"
}
# serve USER ARGUMENT...: starts a chess-web and stores its address in url
serve() {
  local user=$1
  shift
  : >"$WORK/web.out"
  PGUSER=$user "$CHESS_WEB" --listen 127.0.0.1:0 "$@" >"$WORK/web.out" 2>"$WORK/web.log" &
  web=$!
  until url=$(sed -n 's|^\(http://[^ ]*[0-9]\)/*$|\1|p' "$WORK/web.out") && [ -n "$url" ]; do
    kill -0 "$web" || die "chess-web does not start: $(cat "$WORK/web.log")"
    sleep 0.02
  done
}
unserve() {
  kill "$web"
  wait "$web" || true
  web=
}
# ask PATH CURL-ARGUMENTS...: prints the status; the body is in $WORK/body
ask() {
  local path=$1
  shift
  curl -s -g -o "$WORK/body" -w '%{http_code}' --max-time 60 "$@" "$url$path"
}

say "Decoys on PostgreSQL $MAJOR"
psql -d postgres -c "CREATE ROLE mallory LOGIN" -c "CREATE ROLE reader LOGIN" -c "CREATE DATABASE fresh"
# words of the scripts may be names of functions that these call
words=$(grep -ohE '[a-z_0-9]+\(' sql/*.sql | tr -d '(' | sort -u | paste -sd ,)
psql -d fresh -c "CREATE EXTENSION chess" -f tests/reliability/decoys.sql -c "SELECT decoys.collect('public', words => '{$words}')" >/dev/null
psql -d fresh -c "COPY decoys.targets TO STDOUT" >"$WORK/targets"
holds "there are names to imitate" [ "$(wc -l <"$WORK/targets")" -gt 200 ]

# shop: recreates the database shop, in which mallory has a schema of that name and knows all names
shop() {
  psql -d postgres -c "DROP DATABASE IF EXISTS shop WITH (FORCE)" -c "CREATE DATABASE shop" -c "GRANT CREATE ON DATABASE shop TO mallory"
  psql -d shop -f tests/reliability/decoys.sql -c "\\copy decoys.targets FROM '$WORK/targets'" \
    -c "CREATE SCHEMA shop AUTHORIZATION mallory" -c "ALTER DATABASE shop SET search_path = shop, pg_catalog"
}
# plant ARGUMENTS: makes mallory's decoys in the database shop, and prints their number
plant() { as_mallory -d shop -c "SELECT decoys.plant($1)"; }
# remove NAME: drops mallory's decoys of that name
remove() {
  as_mallory -d shop <<SQL
SET search_path = pg_catalog;
DO \$\$ DECLARE f record; BEGIN
  FOR f IN SELECT p.oid::regprocedure AS name FROM pg_proc p WHERE p.proname = '$1' AND p.proowner = 'mallory'::regrole LOOP
    EXECUTE 'DROP FUNCTION ' || f.name || ' CASCADE';
  END LOOP; END \$\$;
SQL
}
# insist WHAT STATEMENT: runs mallory's statement, which is refused as long as decoys are in the way of what it calls
insist() {
  local refused=0 name
  until as_mallory -d shop -v VERBOSITY=verbose -c "$2" >"$WORK/out" 2>&1; do
    name=$(sed -nE 's/^ERROR:  (55000: function|42723: function) "?(shop\.)?([a-z0-9_]+).*/\3/p' "$WORK/out")
    [ -n "$name" ] && [ $refused -lt 100 ] || die "$1: $(cat "$WORK/out")"
    refused=$((refused + 1))
    remove "$name"
  done
  holds "$1: refused while decoys are in the way" [ $refused -gt 0 ]
}
# What objects of the extension use beside each other and what belongs to PostgreSQL.
FOREIGN="WITH member AS (SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess')),
  part AS (TABLE member UNION SELECT d.classid, d.objid FROM member m JOIN pg_depend d ON (d.refclassid, d.refobjid) = (m.classid, m.objid) WHERE d.deptype = 'i')
  SELECT string_agg(pg_describe_object(d.classid, d.objid, 0) || ' uses ' || pg_describe_object(d.refclassid, d.refobjid, 0), ', ')
  FROM part p JOIN pg_depend d ON (d.classid, d.objid) = (p.classid, p.objid)
  WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_class'::regclass)
    AND d.refobjid >= 16384 AND (d.refclassid, d.refobjid) NOT IN (TABLE part)"
# use WHAT: a superuser uses the extension in mallory's schema, by exact calls
use() {
  psql -d shop >"$WORK/out" 2>&1 <<'SQL' && pass || fail "$1" "$(cat "$WORK/out")"
SET search_path = pg_catalog;
CREATE TEMP TABLE games AS
SELECT shop.getfirstmoves(shop.chessgame '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6', n % 9) AS game FROM generate_series(1, 1000) n;
CREATE INDEX ON games (game shop.chessgame_ops);
CREATE INDEX ON games USING gin (game shop.chessgame_ops);
ANALYZE games;
CREATE TEMP TABLE boards AS SELECT shop.getboard(shop.chessgame '1. e4 e5 2. Nf3', 3) AS board;
SET enable_seqscan = off;
SELECT count(*) FROM games g, boards b WHERE shop.hasboard(g.game, b.board);
SELECT count(*) FROM games g WHERE shop.hasboard(g.game, shop.getboard(shop.chessgame '1. e4 e5 2. Nf3', 3));
SELECT count(*) FROM games g WHERE shop.hasopening(g.game, shop.chessgame '1. e4 e5');
SELECT count(*) FROM games g, (SELECT shop.getfirstmoves(game, 3) AS game FROM games LIMIT 5) o WHERE shop.hasopening(g.game, o.game);
SELECT count(*) FROM games g, boards b WHERE shop.haspieces(g.game, b.board);
SELECT count(*) FROM games g WHERE shop.chessgame_hasallboards(g.game, (SELECT pg_catalog.array_agg(board) FROM boards));
SELECT count(*) FROM games g WHERE shop.chessgame_hasanyboard(g.game, ARRAY[shop.getboard(shop.chessgame '1. d4', 1)]);
SELECT count(*) FROM games g WHERE shop.hasmaterial(g.game, 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP'::pg_catalog.text);
SELECT count(*) FROM (SELECT DISTINCT game FROM games) g;
DROP TABLE games, boards;
SQL
}
# use_all WHAT: the same with what is new; all views, and the functions with bodies
use_all() {
  use "$1"
  psql -d shop >"$WORK/out" 2>&1 <<'SQL' && pass || fail "$1: what is new" "$(cat "$WORK/out")"
SET search_path = pg_catalog;
CREATE TEMP TABLE games AS SELECT shop.getfirstmoves(o.game, n) AS game, n AS elo, o.name FROM shop.chess_opening_table() o, generate_series(1, 8) n;
CREATE INDEX games_chess ON games USING chess (game shop.chessgame_ops, elo);
SET enable_seqscan = off;
SELECT count(*) FROM games g WHERE shop.haspattern(g.game, shop.chesspattern 'Nf3');
SELECT count(*) FROM games g WHERE shop.hasmaterial(g.game, 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP'::pg_catalog.text);
SELECT count(*), sum(g.elo) FILTER (WHERE g.elo > 0) FROM games g WHERE shop.hasboard(g.game, shop.startboard());
SELECT shop.chess_index_check('games_chess'::regclass, true);
SELECT pg_catalog.format('SELECT count(*) FROM (SELECT * FROM %s) v', c.oid::regclass) FROM pg_class c
WHERE c.relkind = 'v' AND c.relnamespace = 'shop'::regnamespace \gexec
DROP TABLE games;
SQL
}

extension() {
say "The extension in mallory's schema"
shop
made=$(plant "'shop', 'shop'")
holds "$made decoys before the extension" [ "$made" -gt 1000 ]
insist "CREATE EXTENSION" "CREATE EXTENSION chess SCHEMA shop"
equal "what it uses of others" "" "$(safely -d shop -c "$FOREIGN")"
made=$(plant "'shop', 'shop'")
holds "$made decoys beside the extension" [ "$made" -gt 5000 ]
forget
use_all "a new extension"
no_decoy "a new extension"

for from in $(earlier_versions); do
  say "The upgrade from $from"
  shop
  with_first_sql as_mallory -d shop -c "CREATE EXTENSION chess SCHEMA shop VERSION '$from'"
  # exact ones, too, of what this version lacks, but the library looks for
  made=$(plant "'shop', 'shop', true")
  holds "$from: $made decoys" [ "$made" -gt 1000 ]
  forget
  use "$from, before the upgrade"
  no_decoy "$from, before the upgrade"
  # as members of the extension
  name=$(safely -d shop -c "SELECT p.oid::regprocedure FROM pg_proc p WHERE p.proname = 'chess_index_answers' AND p.proowner = 'mallory'::regrole LIMIT 1")
  as_mallory -d shop -c "ALTER EXTENSION chess ADD FUNCTION $name" -c "ALTER EXTENSION chess DROP FUNCTION $name"
  as_mallory -d shop -c "ALTER EXTENSION chess ADD FUNCTION $name"
  if as_mallory -d shop -c "ALTER EXTENSION chess UPDATE" >"$WORK/out" 2>&1; then fail "$from: members of mallory's are not refused"; else pass; fi
  as_mallory -d shop -c "ALTER EXTENSION chess DROP FUNCTION $name"
  # an index of a class that goes, which the script looks for
  if as_mallory -d shop -c "CREATE TABLE shop.compact (game shop.chessgame)" -c "CREATE INDEX ON shop.compact USING gin (game shop.chessgame_compact_ops)" 2>/dev/null; then
    as_mallory -d shop -c "ALTER EXTENSION chess UPDATE" >"$WORK/out" 2>&1 || true
    no_decoy "$from, the upgrade with an index that goes"
    as_mallory -d shop -c "DROP TABLE shop.compact"
  fi
  # operators that are to be created
  as_mallory -d shop <<'SQL'
SET search_path = pg_catalog, decoys;
DO $$ DECLARE o record; BEGIN
  FOR o IN SELECT oid::regoperator AS name FROM pg_operator WHERE oprowner = 'mallory'::regrole AND oprname IN (SELECT name FROM decoys.targets)
           AND EXISTS (SELECT FROM decoys.targets t WHERE t.is_operator AND t.name = oprname
                       AND replace(t.arguments::text, '@', 'shop')::text[] = ARRAY[coalesce(pg_catalog.format_type(nullif(oprleft, 0), NULL), 'none'), pg_catalog.format_type(oprright, NULL)]) LOOP
    EXECUTE 'DROP OPERATOR ' || o.name;
  END LOOP; END $$;
SQL
  insist "ALTER EXTENSION UPDATE from $from" "ALTER EXTENSION chess UPDATE"
  equal "$from: what it uses of others" "" "$(safely -d shop -c "$FOREIGN")"
  no_decoy "$from, the upgrade"
  plant "'shop', 'shop'" >/dev/null
  forget
  use_all "$from, upgraded"
  no_decoy "$from, upgraded"
done
}
case $PART in
all) extension ;;
extension) extension && exit ;;
programs) ;;
*) die "usage: names.sh [extension|programs]" ;;
esac


say "The loader's schema and the programs"
find_programs
export PGDATABASE=games PGOPTIONS='-c search_path=mallory,public'
PGOPTIONS='' psql -d postgres -c "CREATE DATABASE games"
PGOPTIONS='' psql -d games -c "CREATE EXTENSION chess" -c "GRANT CREATE ON SCHEMA public TO PUBLIC" -c "CREATE SCHEMA mallory AUTHORIZATION mallory" \
  -c "GRANT USAGE ON SCHEMA mallory TO PUBLIC" -f tests/reliability/decoys.sql -c "SELECT decoys.collect('public')" >/dev/null
made=$(PGOPTIONS='-c search_path=pg_catalog' as_mallory -c "SELECT decoys.plant('public', 'public'), decoys.plant('mallory', 'public', true)")
holds "$made decoys" [ "${made%|*}" -gt 5000 ]
# tables of 0.3.0, and their upgrade
safely -f crates/chess-db/tests/schema-0.3.0.sql >/dev/null
yes "migrate" "$LOADER" migrate --schema old
printf '[Event "New"]\n[Site "New"]\n[White "New, A"]\n[Black "New, B"]\n[WhiteFideId "7"]\n[BlackFideId "8"]\n[ECO "A00"]\n\n1. a3 a6 *\n' >"$WORK/new.pgn"
for result in '*' 1-0; do
  printf '[White "Twin, A"]\n[Black "Twin, B"]\n[Date "1999.01.01"]\n[Round "1"]\n[Result "%s"]\n\n1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O 5. d3 d6 6. Nbd2 Nbd7 %s %s\n\n' \
    "$result" "$([ "$result" = '*' ] && echo '7. e4 e5')" "$result"
done >"$WORK/twins.pgn"
yes "load" "$LOADER" load --index demo/famous.pgn demo/annotated.pgn tests/web/games.pgn
# Decoys of the schema's functions belong to its owner, because programs refuse those of others there.
safely -c "TRUNCATE decoys.targets" -c "SELECT decoys.collect('chess')" >/dev/null
made=$(safely -c "SELECT decoys.plant('chess', 'public')")
holds "$made decoys in the schema of the tables" [ "$made" -gt 5000 ]
no_decoy "migrate and load"

# run SUBCOMMAND ARGUMENT...: a program, and that its subcommand was tried
go_on
tried=
run() {
  tried+=" $1"
  yes "$*" "$LOADER" "$@"
}
run load --dedupe "$WORK/new.pgn"
run load --dedupe --schema parts tests/web/games.pgn
run schema
run schema --schema openings --partition-by "opening:e4,d4"
run migrate --index
if command -v stockfish >/dev/null; then
  run analyze --where "ply_count > 40 AND id < 30" --nodes 500 --multipv 2
  run analyze --where "id < 30" --nodes 300 --multipv 2 --puzzles
  run analyze --status
  run play --white stockfish --black stockfish --games 2 --nodes 50
else
  tried+=" analyze play"
  skip "analyze and play" stockfish
fi
run puzzles --min-loss 5
run puzzles --min-loss 5 --player "Tal, Mikhail"
run puzzles --problems --where "id < 5"
run puzzles --export "$WORK/puzzles.csv"
run puzzles --import "$WORK/puzzles.csv"
run players
run players --apply
run names events --apply
run names sites
run book make --max-ply 10 --out "$WORK/book.bin"
run book load "$WORK/book.bin"
run book drop book
run load "$WORK/twins.pgn"
run twins
run twins --keep best
run twins --undo
run export --where 'white_elo > 2000.5'
equal "what is left out of the path" 2 "$(grep -c 'is left out of the search path: others have functions or tables in it, or may create some' "$WORK/out")"
run export
run convert --pgn "$WORK/converted.pgn" --where "pattern = 'Nd5'" demo/famous.pgn
# what it finds on this server is no matter here
tried+=" doctor"
"$LOADER" doctor >"$WORK/doctor" 2>&1 || true
holds "doctor comes to its end" grep -qE '(thing|things) (is|are) wrong$|^nothing is wrong$' "$WORK/doctor"
run replace --game 5 "$WORK/new.pgn"
run replace --game 5 --undo
run unload "$WORK/new.pgn"
for name in $("$LOADER" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  [ "$name" = help ] || holds "$name was tried" grep -qw "$name" <<<"$tried"
done
no_decoy "chess-pgn"

# what the pages ask, by superusers and by readers
psql -c "GRANT USAGE ON SCHEMA chess TO PUBLIC" -c "GRANT SELECT ON ALL TABLES IN SCHEMA chess TO PUBLIC"
# A directory without tables is enough: what is asked of tables is asked, and two kings are a draw.
psql -c "LOAD 'chess'" -c "DO \$\$BEGIN EXECUTE pg_catalog.format('ALTER DATABASE %I SET chess.syzygy_path = %L', pg_catalog.current_database(), '/usr/share'); END\$\$"
asked=
# visit PATH CURL-ARGUMENTS...: a page
visit() {
  asked+=$1$'\n'
  local status
  status=$(ask "$@")
  holds "$1: $status: $(head -c 200 "$WORK/body")" [ "${status:0:1}" = 2 ]
}
member() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$WORK/body" "$1"; }
JSON=(-H 'Content-Type: application/json')
for user in postgres reader; do
  serve $user --sessions user=postgres
  visit /api/status
  visit /healthz
  for filters in "" "&player=Tal,+Mikhail&color=w" "&white=Tal,+Mikhail&rating=1000-2900" "&since=1900&until=2100&result=1-0" "&speeds=blitz,unknown" \
    "&event=London" "&eco=C" "&pattern=Nd5" "&evals=1"; do
    for path in "/api/explorer?play=e2e4&reached=1" "/api/games?limit=5" "/api/games/count?x=" "/api/explorer?play=e2e4,e7e5" "/api/games/pgn?x="; do
      ask "$path$filters" >/dev/null
    done
  done
  visit "/api/explorer?play=e2e4&reached=1&rating=1000-2000"
  visit "/api/explorer?play=e2e4&pattern=Nd5"
  visit "/api/games?fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR+b+KQkq+-+0+1&limit=5"
  visit "/api/games?near=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR+b+KQkq+-+0+1&limit=5"
  visit "/api/games/count?pattern=Nd5"
  visit "/api/games/count?material=KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP"
  visit "/api/games/count?pieces=8/8/8/8/4P3/8/8/8"
  visit "/api/games/pgn?result=1-0"
  visit /api/games
  game=$(grep -o '"id":"[^"]*"' "$WORK/body" | head -n 1 | cut -d '"' -f 4)
  visit "/api/games/$game"
  visit "/api/games/$game?pattern=Nd5"
  visit "/api/games/$game/pgn"
  visit "/api/games/$game/novelty"
  visit "/api/pattern?pattern=Nd5"
  visit "/api/explorer?play=e2e4&symmetries=1&length=1-"
  visit "/api/games?play=e2e4&symmetries=1"
  visit "/api/games/$game?play=e2e4&symmetries=1"
  visit "/api/players?prefix=T"
  visit "/api/players?prefix=Tal"
  visit "/api/events?prefix=L"
  visit "/api/sites?prefix=L"
  visit "/api/sites?prefix=https://lichess.org/AbCd1234"
  visit "/api/games?site=https://lichess.org/AbCd1234"
  visit "/api/openings"
  visit "/api/reports/player?player=Tal,+Mikhail"
  visit "/api/reports/player?player=Tal,+Mikhail&sections=summary,phase,clock&count=3&atLeast=1&plies=6"
  visit "/api/reports/opening?play=e2e4"
  visit "/api/reports/opening?play=e2e4&result=1-0&sections=summary,line,novelty&plies=4"
  visit "/api/reports/ending?ending=KRP*vKRP*"
  visit "/api/reports/ending?ending=KRPvKR&result=1-0&sections=summary,length&sample=9"
  visit "/api/endings"
  visit "/api/tablebase?fen=8/8/4k3/8/8/4K3/8/8_w_-_-"
  visit "/api/tablebase/map?fen=8/8/4k3/8/8/4K3/8/8_w_-_-&square=e3"
  visit "/api/endings/thrown?player=Tal,+Mikhail&color=white"
  visit "/api/tournaments?event=Vienna"
  visit "/api/tournaments?event=Vienna&since=1800&until=2100"
  visit "/api/crosstable?event=Corus+C"
  visit "/api/crosstable?event=Corus+C&kind=swiss"
  visit "/api/explorer/batch" -X POST "${JSON[@]}" -d '{"positions":[]}'
  ask "/api/puzzles" >/dev/null
  asked+=/api/puzzles$'\n'
  visit "/api/puzzles/themes"
  ask "/api/puzzles/1" >/dev/null
  asked+=/api/puzzles/1$'\n'
  ask "/api/cloud-eval?fen=$(psql -c "SELECT replace(public.chessboard_out(a.board)::text, ' ', '_') FROM chess.analysis a LIMIT 1")" >/dev/null
  asked+=/api/cloud-eval$'\n'
  ask /api/engine >/dev/null
  asked+=/api/engine$'\n'
  for path in /masters /master /lichess; do visit "$path?play=e2e4"; done
  for path in /player /personal; do visit "$path?player=Tal,+Mikhail&color=white&play="; done
  visit "/masters/pgn/$game"
  visit "/master/pgn/$game"
  visit "/game/export/$game"
  visit /api/views -X POST -D "$WORK/head" "${JSON[@]}" -d '{"name":"x","url":"/?fen="}'
  view=$(member id)
  cookie=(-H "Cookie: $(sed -n 's/^set-cookie: \(chess\.[0-9a-f]*=[0-9a-f]*\);.*/\1/ip' "$WORK/head")")
  visit /api/views "${cookie[@]}"
  visit "/api/views/$view" -X DELETE "${cookie[@]}"
  visit /api/notebooks -X POST "${cookie[@]}" "${JSON[@]}" -d '{"name":"n","color":"white"}'
  book=$(member id)
  visit "/api/notebooks/$book" "${cookie[@]}"
  root=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["nodes"][0]["id"])' "$WORK/body")
  visit "/api/notebooks/$book/moves" -X POST "${cookie[@]}" "${JSON[@]}" -d '{"at":'"$root"',"note":"","moves":[{"parent":null,"uci":"e2e4"},{"parent":0,"uci":"e7e5"},{"parent":1,"uci":"g1f3"},{"parent":0,"uci":"c7c5"}]}'
  for path in /check /gaps "/check?player=Tal,+Mikhail&limit=5&after=00000001" "/gaps?result=1-0&downTo=0.1&opponent=Tal,+Mikhail" /training /training/remembered; do
    visit "/api/notebooks/$book$path" "${cookie[@]}"
  done
  unserve
done
no_decoy "chess-web"

say "Every function and view of the schema"
psql >/dev/null <<'SQL'
SET search_path = pg_catalog;
INSERT INTO decoys.values VALUES
  ('board', 'public.startboard()'), ('boards', 'ARRAY[public.startboard()]'), ('bounds', $$'{}'$$), ('player', $$'Tal, Mikhail'$$), ('color', $$'w'$$),
  ('rating', $$'[100,3000)'$$), ('dates', $$'[1000-01-01,2100-01-01)'$$), ('result', $$'1-0'$$), ('speeds', $$'{blitz,unknown}'$$),
  ('sort', $$'rating'$$), ('count', '5'), ('most', '1000'), ('at_least', '1'), ('plies', '8'), ('by_index', 'true'), ('reached', 'true'),
  ('repertoire', $$chess.repertoire('1. e4 e5 2. Nf3 Nc6'::text)$$), ('pgn', $$'1. e4 e5 2. Nf3 (2. f4 exf4) Nc6'$$), ('ids', 'ARRAY(SELECT g.id FROM chess.games g)'),
  ('games', 'ARRAY(SELECT g.id FROM chess.games g)'), ('name', $$'Tal, Mikhail'$$), ('problems', 'true'), ('solution', $$'{e2e4}'$$),
  ('themes', $$'{mate}'$$), ('evals', $$'{30,20}'$$), ('white_elo', '2000'), ('black_elo', '2000'), ('time_control', $$'180+2'$$), ('date', $$'1851.06.??'$$),
  ('of_game', '(SELECT min(g.id) FROM chess.games g)'), ('expected', 'NULL'), ('opponents', '2000'), ('score', '0.5'), ('own', '2000'), ('opponent', '2000'), ('tags', $$'{}'$$), ('facts', '1'), ('termination', $$'time'$$),
  ('sections', 'NULL'), ('known', $$'{summary}'$$), ('of_table', $$'events'$$), ('of_name', $$'New name'$$), ('id', '1'), ('done', $$'merged'$$),
  ('kind', 'NULL'), ('eval', '30'), ('loss', '5'), ('tb_wdl', '2'), ('min_loss', '5'), ('fen', $$'r3k3/8/8/3N4/8/8/8/4K3 b - - 0 1'$$), ('moves', $$'e8e7 d5c7'$$),
  ('after', 'NULL'), ('url', 'NULL'), ('down_to', '0'), ('rating integer', '1500'), ('event', $$'Corus C'$$),
  ('ending', $$'KRP*vKRP*'$$), ('sample', '20'), ('lichess_id', '7');
SQL
safely -c "SELECT decoys.call_all('chess')" >"$WORK/errors"
equal "functions that raise errors" "" "$(cat "$WORK/errors")"
psql <<'SQL' >"$WORK/out" 2>&1 && pass || fail "views" "$(cat "$WORK/out")"
SET search_path = pg_catalog;
SELECT format('SELECT count(*) FROM (SELECT * FROM %s OFFSET 0) v', c.oid::regclass) FROM pg_class c
WHERE c.relkind = 'v' AND c.relnamespace = 'chess'::regnamespace AND c.relname NOT IN ('losses', 'mistakes', 'accuracies') \gexec
SELECT public.material(public.startboard()); -- which a report on an ending asks of games that tables know
SELECT count(*) FROM chess.losses WHERE game_id < 30;
SELECT count(*) FROM chess.mistakes WHERE game_id < 30;
SELECT count(*) FROM chess.accuracies WHERE game_id < 30;
SELECT count(*) FROM chess.explorer(public.startboard(), symmetries => true);
SELECT count(*) FROM chess.explorer_games(public.startboard(), symmetries => true);
INSERT INTO chess.pgn_view (event, site, white, black, date, game) VALUES ('E', 'S', 'W', 'B', '2000.01.01', public.chessgame '1. e4 e5 1-0') RETURNING id AS new \gset
UPDATE chess.pgn_view SET white = 'X', game = public.chessgame '1. d4 0-1', event = 'F', site = 'https://lichess.org/AbCd1234' WHERE id = :new;
DELETE FROM chess.pgn_view WHERE id = :new;
UPDATE chess.players SET same_as = (SELECT min(p.id) FROM chess.players p WHERE p.same_as IS NULL) WHERE name = 'X';
UPDATE chess.players SET name = name || '!' WHERE id = (SELECT min(p.id) FROM chess.players p WHERE p.same_as IS NULL);
SQL
no_decoy "functions and views of the schema"
equal "functions that were not called" "" "$(safely -c "SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p
  LEFT JOIN pg_stat_user_functions s ON s.funcid = p.oid
  WHERE p.pronamespace = 'chess'::regnamespace AND p.prosrc !~ 'RAISE LOG ''decoy' AND p.prokind = 'f' AND p.prolang <> (SELECT oid FROM pg_language WHERE lanname = 'sql')
    AND coalesce(s.calls, 0) = 0")"
# what SQL of the schema and of the programs names
safely -c "SELECT p.prosrc FROM pg_proc p WHERE p.pronamespace = 'chess'::regnamespace AND p.prosrc !~ 'RAISE LOG ''decoy'" >"$WORK/sources"
find crates/chess-pgn/src crates/chess-web/src crates/chess-db/src -name '*.rs' -exec cat {} + >>"$WORK/sources"
find crates/chess-pgn/src crates/chess-web/src -name '*.sql' -exec cat {} + >>"$WORK/sources"
names=$(grep -oE '(public|\{(chess|extension|0)\})\.[A-Za-z0-9_]+\(' "$WORK/sources" | sed 's/.*\.//; s/($//' | tr A-Z a-z | sort -u | paste -sd ,)
equal "functions of the extension that were not called" "" "$(safely -c "SELECT string_agg(DISTINCT n, ', ') FROM unnest('{$names}'::text[]) n
  WHERE EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = n AND p.prosrc !~ 'RAISE LOG ''decoy' AND p.prokind = 'f'
      -- the planner replaces others by operators
      AND p.prosupport IN (0, 'public.textarguments_support'::regproc))
    AND NOT EXISTS (SELECT FROM pg_stat_user_functions s WHERE s.schemaname = 'public' AND s.funcname = n)")"
for path in $(grep -oE '\.route\("[^"]+"' crates/chess-web/src/routes.rs | cut -d '"' -f 2); do
  case $path in
  # they have no SQL that names a function of these schemas
  /api/pgn | /api/uploads* | /api/sources* | /api/corrections* | */nodes* | */undo | */share | */analysis | /api/boards* | /api/shared* | /api/devices* | /api/invitations*) continue ;;
  esac
  holds "$path was asked" grep -qE "^$(sed 's/{[a-z]*}/[^\/]+/g' <<<"$path")(\?|$)" <<<"$asked"
done

say "Functions with the rights of their owner"
found=$(safely -c "SELECT p.oid::regprocedure FROM pg_proc p WHERE p.prosecdef AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) ORDER BY 1")
told=$(sed -n '/^## Functions with the rights of their owner/,/^## /s/^| `\([^`]*\)` |.*/\1/p' SECURITY.md | sort)
equal "what SECURITY.md says" "$found" "$told"
