#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; ROUNDS=n (default 12), POSITIONS=n (default 300), SEED=n.
# Out: an error unless the opening explorer says the same by the index of the games as from the games, in every snapshot: under
# loads, INSERT, UPDATE, DELETE, TRUNCATE and unload, their rollbacks and two-phase commits, VACUUM, merges and new indexes, in
# partitions, after a load or the server is killed, and where a subscription brings the games.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8
RANDOM=${SEED:-1}

[ -n "${LOADER:-}" ] || build_programs -q
LOADER=${LOADER:-$TARGET/release/chess-pgn}
GEN=${GEN:-$TARGET/release/chess-gamegen}
POSITIONS=${POSITIONS:-300}
ROUNDS=${ROUNDS:-12}

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
cleanup() {
  [ "$failed" = 0 ] || { as_server tail -n 30 "$DIR/log"; cat "$WORK/log"; }
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
server_init "$DIR" "fsync = on" "wal_level = logical" "max_wal_senders = 4" "max_prepared_transactions = 4"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres

run() { "$LOADER" "$@" >>"$WORK/log" 2>&1; }
cat >"$WORK/functions.sql" <<'SQL'
CREATE SCHEMA test;
CREATE FUNCTION test.one(asked chessboard, filters text, by_index boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    answer text[];
    listed text[];
BEGIN
    EXECUTE format('SELECT array_agg(e::text ORDER BY e::text) FROM chess.explorer($1, by_index => $2%s) e', filters)
        INTO answer USING asked, by_index;
    EXECUTE format('SELECT ARRAY(SELECT g::text FROM chess.explorer_games($1, sort => ''rating'', by_index => $2%1$s) g)
        || ARRAY(SELECT g::text FROM chess.explorer_games($1, sort => ''date'', count => 9, by_index => $2%1$s) g)', filters)
        INTO listed USING asked, by_index;
    RETURN nullif(answer || listed, '{}');
END
$$;
-- Positions of games, each with one of the filters, in the snapshot of the caller: how many questions had an answer.
CREATE FUNCTION test.compare(questions integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    q record;
    fast text[];
    slow text[];
    answered integer := 0;
BEGIN
    FOR q IN
        SELECT b.board, (ARRAY['', '', ', result => ''0-1''', ', dates => ''[2012-01-01,)''', ', speeds => ''{blitz,unknown}''',
                         ', rating => ''{[1400,2300)}''', ', rating => ''{[2000,),[,1000]}'', result => ''1/2-1/2''',
                         ', dates => ''(,2011-05-07]'', result => ''*''', ', dates => ''(,)''', ', speeds => ''{}''', ', rating => ''{}''',
                         ', dates => ''empty''', ', dates => ''[2011-05-07,2018-02-12)'', speeds => ''{blitz,rapid,classical}'', rating => ''[500,)''',
                         ', player => ''Player 1''', ', with_evals => true, result => ''1-0''', ', dates => ''[-infinity,infinity)'''])[1 + (row_number() OVER ()) % 16] AS filters
        FROM (SELECT getBoard(game, (random() * 14)::int % (plyCount(game) + 1)) AS board FROM (SELECT game FROM chess.games ORDER BY random() LIMIT questions * 3 / 4) g
              UNION ALL SELECT getBoard(game, (random() * 90)::int % (plyCount(game) + 1)) FROM (SELECT game FROM chess.games ORDER BY random() LIMIT questions / 4) g
              UNION ALL SELECT startBoard() UNION ALL SELECT startBoard() UNION ALL SELECT finalBoard('1. e4')) b
    LOOP
        fast := test.one(q.board, q.filters, true);
        slow := test.one(q.board, q.filters, false);
        IF fast IS DISTINCT FROM slow THEN
            RAISE EXCEPTION 'the index differs from the games: %, %', q.board, q.filters
                USING DETAIL = format(E'index: %s\ngames: %s', fast, slow);
        END IF;
        answered := answered + (fast IS NOT NULL)::int;
    END LOOP;
    RETURN answered;
END
$$;
SQL
# same WHAT [STATEMENT...]: both answers to so many questions in one snapshot, after the statements of its transaction
same() {
  local found what=$1
  shift
  found=$(sql "BEGIN ISOLATION LEVEL REPEATABLE READ" "$@" "SELECT test.compare($POSITIONS)" "ROLLBACK" 2>&1 | tail -n 3) || true
  [[ $found =~ ^[0-9]+$ ]] || { fail "$what: $found"; return 0; }
  equal "$what: questions had answers" t "$([ "$found" -gt 0 ] && echo t)"
}
source_is() { equal "$1: the answer is from the" "$2" "$(sql "SELECT chess.explorer_source(startBoard())")"; }
sound() { equal "$1: the index" "" "$(sql "SELECT chess_index_check(index, heap => true) FROM chess.explorer_indexes()" 2>&1)"; }

go_on
say "Games and what is loaded after them"
for n in 1 2 3 4; do "$GEN" --games 1500 --seed "$n" >"$WORK/$n.pgn"; done
cat demo/famous.pgn >>"$WORK/1.pgn"
run load --index "$WORK/1.pgn"
# Few games, so that lists have sums only if they may be short.
sql "ALTER INDEX chess.games_chess_idx SET (sums = 20)" "REINDEX INDEX chess.games_chess_idx"
equal "lists with sums" t "$(sql "SELECT lists > 5 FROM chess_index_info('chess.games_chess_idx') WHERE part = 'sums'")"
"${CLIENT[@]}" -d postgres -f "$WORK/functions.sql"
PGOPTIONS='-c client_min_messages=warning' "${CLIENT[@]}" -d postgres -f tests/system/explorer/replay.sql
sql "SELECT setseed(0.2)" "SELECT replay.dress()" >/dev/null
source_is "after a load with an index" index
same "after UPDATE of all games"
sql "VACUUM ANALYZE chess.games"
same "after VACUUM"
run load "$WORK/2.pgn"
same "after a load into the index"

say "What is done by hand"
# dates that are empty, endless, or before all others; ratings and results of every kind
odd="INSERT INTO chess.games (game, dates, white_elo, black_elo, time_control, result)
  SELECT '1. e4 e5', d::daterange, (ARRAY[2147483647, -5, 1, NULL])[1 + (n + k) % 4], (ARRAY[2147483647, 0, 1, 1500])[1 + n * k % 4],
         (ARRAY['1+0', '99999999999/1', '', NULL])[1 + n % 4], (ARRAY['1-0', '0-1', '*', '1/2-1/2'])[1 + (n + 2 * k) % 4]
  FROM unnest(ARRAY['[2001-05-01,2003-01-01)', 'empty', '[-infinity,infinity)', '(,)', '(,2012-01-01)', '[2012-01-01,)', '(-infinity,2011-01-01)',
      '[2012-01-01,infinity]', '[-infinity,-infinity]', '(,-infinity]', '(,4714-11-24 BC)', '[infinity,)', '[2012-01-01,2012-01-01]', NULL])
      WITH ORDINALITY o (d, n), generate_series(1, 4) k"
insert="INSERT INTO chess.pgn_view (event, white, black, date, game) VALUES ('mine', 'Player 1', 'Player 2', '2016.01.??', '1. a4 h5 2. Ra3')"
update="UPDATE chess.games SET result = '1-0', white_elo = nullif(white_elo, 2147483647) + 1, dates = NULL WHERE id % 7 = 0"
rename="UPDATE chess.pgn_view SET event = 'ours' WHERE id % 5 = 0"
moves="UPDATE chess.games SET game = '1. e4 c5 2. Nf3' WHERE id % 13 = 0"
delete="DELETE FROM chess.games WHERE id % 11 = 0"
for change in "$insert" "$odd" "$update" "$rename" "$moves" "$delete"; do
  name=${change%% WHERE*}
  name="${name:0:50}…"
  same "the transaction that does $name" "$change"
  same "after its rollback"
  same "after a savepoint of it" "SAVEPOINT one" "$change" "ROLLBACK TO one"
  sql "BEGIN" "$change" "PREPARE TRANSACTION 'two'" >/dev/null
  same "while $name is prepared"
  if [ $((RANDOM % 2)) = 0 ]; then
    sql "ROLLBACK PREPARED 'two'" "$change"
  else
    sql "COMMIT PREPARED 'two'"
  fi
  same "after $name"
done
source_is "after changes" index
sql "VACUUM chess.games"
same "after VACUUM of changes"
sql "SELECT chess_index_merge('chess.games_chess_idx')" >/dev/null
same "after a merge"
run unload "$WORK/2.pgn"
same "after unload"
run load "$WORK/2.pgn"
sound "after loads and changes"

say "Indexes come and go"
attributes="CREATE INDEX games_chess_idx ON chess.games USING chess (game, white_elo, black_elo, (chess.result_code(result)), (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control)))"
sql "DROP INDEX chess.games_chess_idx"
source_is "without an index" games
same "without an index"
sql "CREATE INDEX other ON chess.games USING chess (game, black_elo, white_elo, (chess.result_code(result)), (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control)))" \
  "CREATE INDEX part ON chess.games USING chess (game, white_elo, black_elo, (chess.result_code(result)), (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control))) WHERE id > 100"
source_is "with indexes of other columns and of some games" games
run migrate --index
source_is "after migrate --index" index
same "after migrate --index"
sql "ALTER INDEX chess.games_chess_idx RENAME TO named" "REINDEX INDEX CONCURRENTLY chess.named"
source_is "an index of any name" index
same "after REINDEX"
# A transaction that began before an index was dropped, and asks later.
coproc OTHER { "${CLIENT[@]}" -d postgres -At 2>&1; }
# shellcheck disable=SC2153  # coproc sets it
other=$OTHER_PID
ask_other() {
  printf '%s\n' "$1" '\echo done' >&"${OTHER[1]}"
  while read -r -t "$PATIENCE" line <&"${OTHER[0]}" && [ "$line" != done ]; do echo "$line"; done
}
ask_other "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;" >/dev/null
sql "DROP INDEX chess.named" "DELETE FROM chess.games WHERE id % 17 = 0"
same "after DROP INDEX"
sql "$attributes"
equal "an old snapshot, after its index was dropped" t "$(ask_other "SELECT test.compare(20) > 0;")"
equal "and what it has is not forgotten" t "$(ask_other "SELECT sum(games) > 0 FROM chess.explorer(startBoard());")"
ask_other "COMMIT;" >/dev/null
equal "the latest, of the same session" "t|index" "$(ask_other "SELECT test.compare(20) > 0, chess.explorer_source(startBoard());")"
printf '%s\n' '\q' >&"${OTHER[1]}"
wait "$other" || true
# rows that were changed in place before their index was made, and a snapshot that sees them as they were
sql "DROP INDEX chess.games_chess_idx"
coproc OTHER { "${CLIENT[@]}" -d postgres -At 2>&1; }
other=$OTHER_PID
ask_other "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;" >/dev/null
sql "ALTER TABLE chess.games SET (fillfactor = 50)" "VACUUM FULL chess.games" "DROP INDEX chess.games_white_elo_idx, chess.games_ratings_idx" \
  "UPDATE chess.games SET white_elo = 1700 WHERE id % 3 = 0"
sql "$attributes"
equal "a snapshot older than changes and index" "t" "$(ask_other "SELECT test.compare(20) > 0;")"
ask_other "COMMIT;" >/dev/null
printf '%s\n' '\q' >&"${OTHER[1]}"
wait "$other" || true
source_is "when no old snapshot is left" index
same "when no old snapshot is left"

say "Two at once"
run load "$WORK/3.pgn" & first=$!
run load "$WORK/4.pgn" & second=$!
for _ in 1 2 3; do same "while two loads run"; done
wait $first
wait $second
same "after two loads at once"
# changes, VACUUM and merges while questions are asked
(
  for n in $(seq 1 "$ROUNDS"); do
    sql "UPDATE chess.games SET result = '0-1' WHERE id % 19 = $n" "DELETE FROM chess.games WHERE id % 37 = $n" \
      "INSERT INTO chess.games (game, result, dates) SELECT game, result, dates FROM chess.games WHERE id % 23 = $n" "VACUUM chess.games"
    sql "SELECT chess_index_merge('chess.games_chess_idx')"
  done
) >>"$WORK/log" 2>&1 & changes=$!
while kill -0 $changes 2>/dev/null; do same "while games change, with VACUUM and merges"; done
wait $changes
same "after changes, VACUUM and merges"
sound "after changes, VACUUM and merges"

say "Killed"
for round in $(seq 1 "$ROUNDS"); do
  "$GEN" --games 700 --seed $((100 + round)) >"$WORK/more.pgn"
  case $((round % 3)) in
    0) what="a load"; run load --batch 16 "$WORK/more.pgn" & ;;
    1) what="a merge"; sql "INSERT INTO chess.games (game, result) SELECT game, result FROM chess.games ORDER BY random() LIMIT 300" "SELECT chess_index_merge('chess.games_chess_idx')" >>"$WORK/log" 2>&1 & ;;
    2) what="an UPDATE"; sql "UPDATE chess.games SET dates = '[2012-01-01,2012-01-02)' WHERE id % 3 = 1" >>"$WORK/log" 2>&1 & ;;
  esac
  pid=$!
  sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
  if [ $((round % 2)) = 0 ]; then
    what="the server during $what"
    as_server "$BINDIR/pg_ctl" stop -s -m immediate -D "$DIR/data"
    wait $pid 2>/dev/null || true
    server_start "$DIR"
  else
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
  fi
  same "after $what was killed"
done
run load --batch 16 "$WORK/more.pgn"
same "at the end"
sound "at the end"

say "Partitions"
sql "CREATE DATABASE parts"
run schema -d parts --partition-by id:3
run load -d parts --index "$WORK/1.pgn"
"${CLIENT[@]}" -d parts -f "$WORK/functions.sql"
PGOPTIONS='-c client_min_messages=warning' "${CLIENT[@]}" -d parts -f tests/system/explorer/replay.sql
DB=parts sql "SELECT setseed(0.3)" "SELECT replay.dress()" "VACUUM chess.games" >/dev/null
export DB=parts
source_is "partitions" index
same "partitions"
same "partitions, in the transaction that changes them" "$update" "$delete"
sql "ALTER TABLE chess.games DETACH PARTITION chess.games_3"
source_is "one partition fewer" index
same "one partition fewer"
sql "ALTER TABLE chess.games ATTACH PARTITION chess.games_3 FOR VALUES WITH (MODULUS 3, REMAINDER 2)"
same "that partition again"
sql "DROP INDEX chess.games_chess_idx" "CREATE INDEX ON chess.games_1 USING chess (game, white_elo, black_elo, (chess.result_code(result)), (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control)))"
source_is "one partition has an index" games
same "one partition has an index"

say "Games that a subscription brings"
unset DB
sql "CREATE DATABASE copy"
copy() { "${CLIENT[@]}" -d copy -At -c "$1"; }
# copied WHAT CONDITION: both answers in the copy once the condition holds there
is_so() { [ "$(sql "SELECT $1")" = t ]; }
copied() {
  DB=copy wait_for "$2" is_so "$2"
  DB=copy same "$1"
}
run load -d copy --index "$WORK/1.pgn"
"${CLIENT[@]}" -d copy -f "$WORK/functions.sql"
sql "CREATE PUBLICATION games FOR TABLE chess.games"
sql "SELECT pg_create_logical_replication_slot('copy', 'pgoutput')" >/dev/null
copy "CREATE SUBSCRIPTION copy CONNECTION 'host=$DIR dbname=postgres user=postgres' PUBLICATION games WITH (create_slot = false, copy_data = false)"
sql "INSERT INTO chess.games (id, game, result) OVERRIDING SYSTEM VALUE SELECT n, '1. e4 e5 2. Nf3', '1-0' FROM generate_series(1000001, 1000003) n"
copied "games that were applied" "(SELECT count(*) FROM chess.games WHERE id > 1000000) = 3"
sql "UPDATE chess.games SET result = '0-1' WHERE id = 1000002"
copied "an UPDATE that was applied" "(SELECT result = '0-1' FROM chess.games WHERE id = 1000002)"
sql "DELETE FROM chess.games WHERE id = 1000003"
copied "a DELETE that was applied" "NOT EXISTS (SELECT FROM chess.games WHERE id = 1000003)"
copy "ALTER SUBSCRIPTION copy DISABLE"
copy "ALTER SUBSCRIPTION copy SET (slot_name = NONE)"
copy "DROP SUBSCRIPTION copy"
sql "SELECT pg_drop_replication_slot('copy')" >/dev/null

say "Gone"
sql "TRUNCATE chess.games CASCADE" 2>/dev/null
equal "nothing after TRUNCATE" 0 "$(sql "SELECT count(*) FROM chess.explorer(startBoard())")"
"$GEN" --games 300 --seed 9 >"$WORK/9.pgn"
run load "$WORK/9.pgn"
same "after a load into the empty index"
