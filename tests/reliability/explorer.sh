#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; ROUNDS=n (default 12), POSITIONS=n (default 300), SEED=n; QUICK=1 for a short version.
# Out: an error unless the cube of the opening explorer and the games are of one mind at any moment: after loads, two of them at
# once, after INSERT, UPDATE, DELETE, TRUNCATE and unload, after two builds at once, and after a build, a refresh, a load or the
# server is killed.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8
RANDOM=${SEED:-1}

[ -n "${LOADER:-}" ] || cargo_build -q
LOADER=${LOADER:-$TARGET/release/chess-pgn}
GEN=${GEN:-$TARGET/release/chess-gamegen}
POSITIONS=${POSITIONS:-${QUICK:+25}}
POSITIONS=${POSITIONS:-300}
ROUNDS=${ROUNDS:-${QUICK:+2}}
ROUNDS=${ROUNDS:-12}

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
cleanup() {
  [ "$failed" = 0 ] || { as_server tail -n 30 "$DIR/log"; cat "$WORK/log"; }
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
server_init "$DIR" "fsync = on" "wal_level = logical" "max_wal_senders = 4"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres

run() { "$LOADER" "$@" >>"$WORK/log" 2>&1; }
# same WHAT: the cube and the live answer to so many questions, in one snapshot
cat >"$WORK/functions.sql" <<'SQL'
CREATE SCHEMA test;
CREATE FUNCTION test.one(asked chessboard, filters text, cube boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE answer text[];
BEGIN
    EXECUTE format('SELECT array_agg(e::text ORDER BY e::text) FROM chess.explorer($1, cube => $2%s) e', filters)
        INTO answer USING asked, cube;
    IF filters = '' THEN -- lists with filters are not counted beforehand
        RETURN nullif(answer || ARRAY(SELECT g::text FROM chess.explorer_games(asked, sort => 'rating', cube => one.cube) g)
            || ARRAY(SELECT g::text FROM chess.explorer_games(asked, sort => 'date', count => 9, cube => one.cube) g), '{}');
    END IF;
    RETURN answer;
END
$$;
-- Positions of the cube and some that are not; how many questions had an answer.
CREATE FUNCTION test.compare(questions integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    q record;
    fast text[];
    slow text[];
    answered integer := 0;
BEGIN
    FOR q IN
        SELECT b.board, (ARRAY['', '', ', result => ''0-1''', ', dates => ''[2012-01-01,)''', ', speeds => ''{blitz,unknown}''',
                         ', rating => ''{[1400,2300)}''', ', rating => ''{[2000,)}'', result => ''1/2-1/2'''])[1 + (row_number() OVER ()) % 7] AS filters
        FROM (SELECT board FROM (SELECT board FROM chess.explorer_position ORDER BY random() LIMIT questions) p
              UNION ALL SELECT getBoard(game, (random() * 12)::int % (plyCount(game) + 1)) FROM (SELECT game FROM chess.games ORDER BY random() LIMIT questions / 4) g
              UNION ALL SELECT startBoard()) b
    LOOP
        fast := test.one(q.board, q.filters, true);
        slow := test.one(q.board, q.filters, false);
        IF fast IS DISTINCT FROM slow THEN
            RAISE EXCEPTION 'the cube differs from the games: %, %', q.board, q.filters
                USING DETAIL = format(E'cube: %s\ngames: %s', fast, slow);
        END IF;
        answered := answered + (fast IS NOT NULL)::int;
    END LOOP;
    RETURN answered;
END
$$;
SQL
same() {
  local found
  # games that come meanwhile are not to come between the two answers
  found=$(sql "SET default_transaction_isolation = 'repeatable read'" "SELECT test.compare($POSITIONS)" 2>&1 | tail -n 3) || true
  [[ $found =~ ^[0-9]+$ ]] || { fail "$1: $found"; return 0; }
  equal "$1: questions had answers" t "$([ "$found" -gt 0 ] && echo t)"
}
# state WHAT EXPECTED: built, stale, and the games that are pending
state() {
  equal "$1: built, stale, pending" "$2" "$(sql "SELECT (SELECT count(*) FROM chess.explorer_build),
    EXISTS (SELECT FROM chess.explorer_stale), (SELECT count(*) FROM chess.explorer_pending_games)")"
}

go_on
say "A cube, and what is loaded after it"
for n in 1 2 3 4; do "$GEN" --games 1500 --seed "$n" >"$WORK/$n.pgn"; done
cat demo/famous.pgn >>"$WORK/1.pgn"
run load --index "$WORK/1.pgn"
"${CLIENT[@]}" -d postgres -f "$WORK/functions.sql"
PGOPTIONS='-c client_min_messages=warning' "${CLIENT[@]}" -d postgres -f tests/system/explorer/replay.sql
sql "SELECT setseed(0.2)" "SELECT replay.dress()" >/dev/null
# stays until the end: it requires an identity for the rows of all tables
sql "CREATE PUBLICATION everything FOR ALL TABLES"
run explorer build --least 20
state "after a build" "1|f|0"
same "after a build"
"$LOADER" explorer check -n 1000 >"$WORK/out" 2>&1 || true
equal "a check finds nothing" "differ 0" "$(sed -n 's/.*checked, \([0-9]*\) differ/differ \1/p' "$WORK/out")"
run load "$WORK/2.pgn"
state "a load ends with a refresh" "1|f|0"
same "after a load"
equal "the cube is used" t "$(sql "SET track_functions = 'all'" "SELECT count(*) > 0 FROM chess.explorer(startBoard())" \
  "SELECT EXISTS (SELECT FROM chess.explorer_total t WHERE t.key = zobrist(startBoard()) AND t.move = -1 HAVING sum(games) = (SELECT count(*) FROM chess.games WHERE hasBoard(game, startBoard())))" | tail -n 1)"
explains "keys of lists" && equal "what it lists is found by its keys" "explorer_list_pkey explorer_position_pkey" \
  "$(plans "SET enable_seqscan = off" "SELECT count(*) FROM chess.explorer_games(startBoard())" | grep -o 'explorer_[a-z]*_pkey' | sort -u | paste -sd ' ')"

say "What is done by hand"
sql "INSERT INTO chess.pgn_view (event, white, black, date, game) VALUES ('mine', 'Player 1', 'Player 2', '2016.01.??', '1. a4 h5 2. Ra3')"
state "a game inserted by hand is pending" "1|f|1"
same "after an INSERT"
sql "INSERT INTO chess.games (game, dates, white_elo, black_elo, time_control) VALUES ('1. e4 e5 1-0', '[2001-05-01,2003-01-01)', 2147483647, 2147483647, '1+0'), ('1. e4 e5 0-1', 'empty', -5, 0, '99999999999/1'), ('1. d4 *', '[-infinity,infinity)', 1, 1, '')"
same "after an INSERT of oddities"
run explorer refresh
state "a refresh leaves those without a year to be looked up" "1|f|3"
same "after a refresh"
sql "UPDATE chess.pgn_view SET event = 'ours' WHERE event = 'mine'"
state "an UPDATE of what does not count" "1|f|3"
sql "UPDATE chess.games SET result = '1-0' WHERE id % 7 = 0"
state "an UPDATE of results" "1|t|3"
same "after an UPDATE"
run explorer refresh
state "a refresh then counts everything" "1|f|3"
same "after a refresh that counted everything"
sql "DELETE FROM chess.games WHERE id % 11 = 0 AND chess.explorer_year(dates) IS NOT NULL"
state "a DELETE" "1|t|3"
same "after a DELETE"
run explorer build --least 10
sql "DELETE FROM chess.games WHERE false" "UPDATE chess.games SET result = result"
state "a DELETE and an UPDATE of nothing" "1|f|3"
# visited STATEMENT...: prints the numbers of rows that triggers read from transition tables
visited() { plans "$@" | sed -n 's/.*Named Tuplestore Scan.*actual.* rows=\([0-9.]*\) loops=\([0-9]*\).*/\1 \2/p' | awk '{ sum += $1 * $2 } END { print sum + 0 }'; }
explains "rows that an UPDATE reads" && equal "an UPDATE looks at each game twice, whatever was updated before" "$((2 * $(sql "SELECT count(*) + 1 FROM chess.games")))" \
  "$(visited "UPDATE chess.games SET eco = eco WHERE id = (SELECT min(id) FROM chess.games)" "UPDATE chess.games SET eco = eco")"
run unload "$WORK/2.pgn"
same "after unload"
equal "after unload, the cube is not used" t "$(sql "SELECT EXISTS (SELECT FROM chess.explorer_stale)")"
run explorer refresh
same "after unload and refresh"
sql "CREATE ROLE editor" "GRANT USAGE ON SCHEMA chess TO editor" "GRANT SELECT, INSERT, UPDATE, DELETE ON chess.games TO editor"
sql "SET ROLE editor" "INSERT INTO chess.games (game) VALUES (public.chessgame '1. c4')" "UPDATE chess.games SET result = '0-1' WHERE id = (SELECT min(id) FROM chess.games)" "DELETE FROM chess.games WHERE id = (SELECT max(id) FROM chess.games)"
same "after changes by a role with rights on the games alone"
run explorer refresh

say "Rows of pieces that change by themselves"
# the state that a load leaves if it is killed before its refresh
loaded="INSERT INTO chess.sources (id, name, fingerprint) VALUES (999, 'pending', '\\x00');
  INSERT INTO chess.pieces (source_id, start_offset, end_offset, last, hash, games, stored, rejected, duplicates) VALUES (999, 0, 100, true, '', 3, 3, 0, 0);
  INSERT INTO chess.games (source_id, source_offset, game, result) SELECT 999, 20 * n, '1. e4 e5', '1-0' FROM generate_series(0, 2) n"
sql "BEGIN" "$loaded" "COMMIT"
pending=$(sql "SELECT count(*) FROM chess.explorer_pending_games")
state "a piece that is pending" "1|f|$pending"
while IFS='|' read -r stale change; do
  equal "$change" "$stale" "$(sql "BEGIN" "$change" "SELECT EXISTS (SELECT FROM chess.explorer_stale)")"
  compared=$(sql "BEGIN" "$change" "SELECT test.compare($POSITIONS) > 0" 2>&1 | tail -n 3) || true
  equal "$change: questions had answers" t "$compared"
done <<'CHANGES'
f|UPDATE chess.pieces SET stored = 2, duplicates = 1 WHERE source_id = 999
f|DELETE FROM chess.pieces WHERE source_id <> 999
t|DELETE FROM chess.pieces WHERE source_id = 999
t|UPDATE chess.pieces SET start_offset = 30 WHERE source_id = 999
t|UPDATE chess.pieces SET end_offset = 30 WHERE source_id = 999
t|UPDATE chess.pieces SET source_id = 1, start_offset = 1000000000, end_offset = 1000000100 WHERE source_id = 999
t|TRUNCATE chess.pieces
t|INSERT INTO chess.pieces SELECT source_id, start_offset + 1, end_offset, last, hash, games, stored, rejected, duplicates FROM chess.pieces WHERE source_id = 1
CHANGES
sql "DELETE FROM chess.pieces WHERE source_id = 999"
same "after the row of a pending piece has gone"
run explorer refresh
state "a refresh finds its games" "1|f|$((pending - 3))"
same "after the row of a pending piece has gone, and a refresh"
sql "DELETE FROM chess.games WHERE source_id = 999" "DELETE FROM chess.sources WHERE id = 999"
run explorer refresh

say "A key that two positions share"
sql "UPDATE chess.explorer_position SET board = 'k7/8/8/8/8/8/8/7K w - -' WHERE key = zobrist(getBoard('1. e4', 1))"
same "where the board is another one, the games are asked"
run explorer build --least 10

say "Two at once"
run load "$WORK/2.pgn" & first=$!
run load "$WORK/3.pgn" & second=$!
for _ in 1 2 3; do same "while two loads run"; done
wait $first
wait $second
state "after two loads at once" "1|f|3"
same "after two loads at once"
run explorer build --least 15 & first=$!
run explorer build --least 25 & second=$!
run explorer refresh & third=$!
same "while two builds run"
wait $first
wait $second
wait $third
state "after two builds at once" "1|f|3"
same "after two builds at once"
# once CONDITION: waits until the condition is true in the database DB
is_so() { [ "$(sql "SELECT $1")" = t ]; }
once() { wait_for "$1" is_so "$1"; }
# hurdle CONDITION: a statement that waits until the condition is true
hurdle() {
  echo "DO \$\$BEGIN
    FOR n IN 1 .. $PATIENCE * 100 LOOP
        EXIT WHEN $1;
        PERFORM pg_sleep(0.01);
    END LOOP;
END\$\$"
}
# a build holds a lock on the games from its first statement on
reads=$(hurdle "EXISTS (SELECT FROM pg_locks WHERE relation = 'chess.games'::regclass AND mode = 'AccessShareLock' AND pid <> pg_backend_pid())")
sql "BEGIN" "INSERT INTO chess.games (game) VALUES ('1. e4 c5')" "$reads" "DELETE FROM chess.games WHERE id = (SELECT min(id) FROM chess.games)" "COMMIT" >/dev/null & first=$!
once "EXISTS (SELECT FROM pg_locks WHERE relation = 'chess.games'::regclass AND mode = 'RowExclusiveLock')"
run explorer build --least 12
wait $first
equal "what is changed while a build runs is not forgotten" t "$(sql "SELECT EXISTS (SELECT FROM chess.explorer_stale)")"
same "after changes while a build ran"
run explorer refresh

say "Whoever deletes or loads while the triggers are made or removed"
# meets WHAT FIRST SECOND COMMAND...: a transaction has done FIRST when the command begins, and does SECOND when the command waits
meets() {
  local what=$1 first=$2 second=$3 pid command ended
  shift 3
  # shellcheck disable=SC2034  # its descriptors are used
  coproc OTHER { "${CLIENT[@]}" -d postgres -At 2>&1; }
  pid=$OTHER_PID
  printf '%s\n' 'BEGIN;' "$first;" '\echo done' >&"${OTHER[1]}"
  while read -r -t $PATIENCE line <&"${OTHER[0]}" && [ "$line" != done ]; do :; done
  run explorer "$@" & command=$!
  once "EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation IN ('chess.games'::regclass, 'chess.pieces'::regclass))"
  printf '%s\n' "$second;" 'COMMIT;' '\echo ended' '\q' >&"${OTHER[1]}"
  equal "$what: the transaction" ended "$(cat <&"${OTHER[0]}")"
  wait "$pid" || true
  wait "$command" && ended=0 || ended=$?
  equal "$what: the command" 0 "$ended"
}
run unload "$WORK/2.pgn"
run explorer drop
gone="source_id = (SELECT max(id) FROM chess.sources)"
come="INSERT INTO chess.pieces (source_id, start_offset, end_offset, last, hash, games, stored, rejected, duplicates) SELECT max(source_id), 1000000000, 1000000001, true, '', 0, 0, 0, 0 FROM chess.pieces"
game="INSERT INTO chess.games (game, result) VALUES ('1. e4 e5 2. Ke2', '*')"
run load "$WORK/2.pgn"
meets "a build, and games before pieces" "DELETE FROM chess.rejected WHERE $gone; DELETE FROM chess.games WHERE $gone" "DELETE FROM chess.pieces WHERE $gone" build --least 10
same "after a build that met a deleter"
meets "a drop, and games before pieces" "DELETE FROM chess.games WHERE id = (SELECT max(id) FROM chess.games)" "DELETE FROM chess.pieces WHERE false" drop
state "after a drop that met a deleter" "0|f|0"
meets "a build, and pieces before games" "$come" "$game" build --least 10
same "after a build that met a load"
meets "a drop, and pieces before games" "DELETE FROM chess.pieces WHERE start_offset = 1000000000" "$game" drop
run explorer build --least 10
# a drop that comes before a build which is waiting as well
two=$(hurdle "(SELECT count(*) = 2 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")
sql "SELECT pg_advisory_lock(hashtext('chess-pgn explorer'), hashtext('chess'))" "$two" >/dev/null & holder=$!
once "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted)"
run explorer drop & first=$!
once "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
run explorer build --least 10 & second=$!
wait $holder
wait $first
wait $second
pending=$(sql "SELECT count(*) FROM chess.explorer_pending_games")
sql "INSERT INTO chess.games (game, result) VALUES ('1. e4 c5', '1-0')"
state "a build after a drop that it waited for" "1|f|$((pending + 1))"
same "after a build and a drop at once"

say "Killed"
for round in $(seq 1 "$ROUNDS"); do
  "$GEN" --games 700 --seed $((100 + round)) >"$WORK/more.pgn"
  case $((round % 4)) in
    0) what="a load"; run load --batch 16 "$WORK/more.pgn" & ;;
    1) what="a build"; run explorer build --least $((10 + RANDOM % 20)) & ;;
    2) what="a refresh"; sql "INSERT INTO chess.games (game, result) SELECT game, result FROM chess.games ORDER BY random() LIMIT 300"; run explorer refresh & ;;
    3) what="a load"; run load --batch 16 "$WORK/more.pgn" & ;;
  esac
  pid=$!
  sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
  if [ $((round % 3)) = 0 ]; then
    what="the server during $what"
    as_server "$BINDIR/pg_ctl" stop -s -m immediate -D "$DIR/data"
    wait $pid 2>/dev/null || true
    server_start "$DIR"
  else
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
  fi
  same "after $what was killed"
  if [ $((round % 2)) = 0 ]; then
    run load --batch 16 "$WORK/more.pgn"
    same "after the load went on"
  fi
done
run explorer refresh
same "at the end"

say "Games that a subscription brings"
sql "CREATE DATABASE copy"
copy() { "${CLIENT[@]}" -d copy -At -c "$1"; }
# copied WHAT CONDITION EXPECTED: what holds in the copy once the condition does; the cube is right there
copied() {
  DB=copy once "$2"
  equal "$1: stale, pending" "$3" "$(copy "SELECT EXISTS (SELECT FROM chess.explorer_stale), (SELECT count(*) FROM chess.explorer_pending_games)")"
  equal "$1: questions had answers" t "$(copy "SELECT test.compare($POSITIONS) > 0" 2>&1 | tail -n 3)"
}
run load -d copy --index "$WORK/1.pgn"
run explorer build -d copy --least 20
"${CLIENT[@]}" -d copy -f "$WORK/functions.sql"
sql "CREATE PUBLICATION games FOR TABLE chess.games"
sql "SELECT pg_create_logical_replication_slot('copy', 'pgoutput')" >/dev/null
copy "CREATE SUBSCRIPTION copy CONNECTION 'host=$DIR dbname=postgres user=postgres' PUBLICATION games WITH (create_slot = false, copy_data = false)"
pending=$(copy "SELECT count(*) FROM chess.explorer_pending_games")
sql "INSERT INTO chess.games (id, game, result) OVERRIDING SYSTEM VALUE SELECT n, '1. e4 e5 2. Nf3', '1-0' FROM generate_series(1000001, 1000003) n"
copied "games that were applied" "(SELECT count(*) FROM chess.games WHERE id > 1000000) = 3" "f|$((pending + 3))"
run explorer refresh -d copy
sql "UPDATE chess.games SET eco = 'C20' WHERE id = 1000001" "UPDATE chess.games SET result = '0-1' WHERE id = 1000002"
copied "an UPDATE that was applied" "(SELECT result = '0-1' FROM chess.games WHERE id = 1000002)" "t|$pending"
run explorer refresh -d copy
sql "DELETE FROM chess.games WHERE id = 1000003"
copied "a DELETE that was applied" "NOT EXISTS (SELECT FROM chess.games WHERE id = 1000003)" "t|$pending"
copy "ALTER SUBSCRIPTION copy DISABLE"
copy "ALTER SUBSCRIPTION copy SET (slot_name = NONE)"
copy "DROP SUBSCRIPTION copy"
sql "SELECT pg_drop_replication_slot('copy')" >/dev/null

say "A subscription to all tables"
run explorer refresh -d copy
copy "CREATE PUBLICATION everything FOR ALL TABLES"
copy "SELECT pg_create_logical_replication_slot('whole', 'pgoutput')" >/dev/null
sql "CREATE DATABASE whole"
run schema -d whole
whole() { "${CLIENT[@]}" -d whole -At "${@/#/-c}"; }
whole "DELETE FROM chess.info" "CREATE SUBSCRIPTION whole CONNECTION 'host=$DIR dbname=copy user=postgres' PUBLICATION everything WITH (create_slot = false)"
DB=whole once "NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r')"
"${CLIENT[@]}" -d whole -f "$WORK/functions.sql"
# brought WHAT EXPECTED: checks that the answer is right once all games are there, and where it comes from
brought() {
  DB=whole once "(SELECT count(*) FROM chess.games) = $(copy "SELECT count(*) FROM chess.games") AND
    (SELECT count(*) FROM chess.explorer_pending_games) = $(copy "SELECT count(*) FROM chess.explorer_pending_games")"
  equal "$1" "$2" "$(whole "SELECT chess.explorer_source(startBoard())")"
  equal "$1: questions had answers" t "$(whole "SELECT test.compare($POSITIONS) > 0" 2>&1 | tail -n 3)"
}
brought "the cube comes with the games" cube
copy "INSERT INTO chess.games (game, result) VALUES ('1. e4 e5 2. Nf3', '1-0')"
brought "what is pending comes as well" cube+live
run load -d copy "$WORK/3.pgn"
brought "after a load and its refresh" cube
whole "ALTER SUBSCRIPTION whole DISABLE" "ALTER SUBSCRIPTION whole SET (slot_name = NONE)" "DROP SUBSCRIPTION whole"
copy "SELECT pg_drop_replication_slot('whole')" >/dev/null

say "Gone"
sql "TRUNCATE chess.games CASCADE" 2>/dev/null
equal "nothing after TRUNCATE" 0 "$(sql "SELECT count(*) FROM chess.explorer(startBoard())")"
run explorer build --least 10
equal "nothing after a build of nothing" 0 "$(sql "SELECT count(*) FROM chess.explorer(startBoard())")"
run explorer drop
state "after drop" "0|f|0"
equal "no triggers after drop" 0 "$(sql "SELECT count(*) FROM pg_trigger WHERE tgname ~ '^explorer_'")"
