#!/usr/bin/env bash
# In: the installed extension; KILL_ROUNDS=n (default 3), each killing once per kind of work and of victim.
# Out: an error unless after every kill -9, of a backend and of the whole server, the table holds exactly what was
# committed (the clients' ledgers say) and every index answers as the sequential scan.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres
RANDOM=1

dir=$(new_server_dir /var/tmp)
ledgers=$(mktemp -d)
cleanup() {
  # shellcheck disable=SC2046
  kill $(jobs -p) 2>/dev/null || true
  server_stop "$dir"
  rm -rf "$dir" "$ledgers"
}
at_end cleanup
server_init "$dir" fsync=on full_page_writes=on wal_level=replica max_wal_size=128MB autovacuum=off \
  maintenance_work_mem=8MB gin_pending_list_limit=256kB
server_start "$dir"
prepare_games crash "${GAMES:-8000}" 12
sql crash "INSERT INTO games SELECT n, supplied(n) FROM generate_series(1, (SELECT max(id) FROM supply)) AS n" \
  "CREATE TABLE ledger (client int, batch int)" CHECKPOINT
"${CLIENT[@]}" -d crash -f tests/reliability/indexes.sql

# Batch B of client C inserts ten games and deletes half of those of the batch before. Its number comes out once the
# server has confirmed it.
for client in 1 2; do
  for batch in $(seq 1 20000); do
    first=$((client * 1000000 + batch * 10))
    echo "BEGIN;"
    echo "INSERT INTO games SELECT n, supplied(n) FROM generate_series($first, $first + 9) AS n;"
    echo "DELETE FROM games WHERE id BETWEEN $first - 10 AND $first - 1 AND id % 2 = 1;"
    echo "DO 'BEGIN PERFORM pg_sleep(0.02); END';"
    echo "COMMIT;"
    echo "\\echo $batch"
  done >"$ledgers/script.$client"
  echo 0 >"$ledgers/done.$client"
done
start_clients() {
  local client last
  for client in 1 2; do
    last=$(tail -n 1 "$ledgers/done.$client")
    tail -n +$((last * 6 + 1)) "$ledgers/script.$client" |
      "${CLIENT[@]}" -d crash >>"$ledgers/done.$client" 2>/dev/null &
  done
}

# What is there against what was confirmed: of each client all confirmed batches, and of the one after them, whose
# confirmation may have been lost, all or nothing.
check_ledger() {
  local client confirmed
  for client in 1 2; do
    confirmed=$(tail -n 1 "$ledgers/done.$client")
    sql crash "DO \$\$
      DECLARE
        confirmed int := $confirmed;
        first bigint := $client * 1000000;
        present bigint[] := ARRAY(SELECT id FROM games WHERE id BETWEEN first AND first + 999999 ORDER BY id);
      BEGIN
        FOR batches IN confirmed .. confirmed + 1 LOOP
          IF present = ARRAY(SELECT id FROM generate_series(first + 10, first + batches * 10 + 9) AS id
                             WHERE id % 2 = 0 OR id >= first + batches * 10 ORDER BY id) THEN
            INSERT INTO ledger VALUES ($client, batches);
            RETURN;
          END IF;
        END LOOP;
        RAISE 'client $client: % batches confirmed, but % games there', confirmed, cardinality(present);
      END \$\$"
    # the next run continues after what is there
    sql crash "SELECT max(batch) FROM ledger WHERE client = $client" >>"$ledgers/done.$client"
  done
  equal "games that have changed" 0 "$(sql crash "SELECT count(*) FROM games WHERE chessgame_send(game) <> chessgame_send(supplied(id))
                  OR chessgame_send(again) <> chessgame_send(game)")"
  equal "games of before" "$base" "$(sql crash "SELECT count(*) FROM games WHERE id < 1000000")"
}
base=$(sql crash "SELECT count(*) FROM games")

# kill_backend: the one that does the work; kill_server: the postmaster first, so that it cannot clean up
kill_backend() { [ "$1" != 0 ] && kill -9 "$1" 2>/dev/null; }
kill_server() {
  local postmaster children=()
  postmaster=$(as_server head -n 1 "$dir/data/postmaster.pid")
  mapfile -t children < <(ps -o pid= --ppid "$postmaster")
  kill -9 "$postmaster" "${children[@]}" 2>/dev/null || true
  gone() { ! kill -0 "$postmaster" "${children[@]}"; }
  wait_for "the server's processes to end" gone
}

kills=0
midway=0
# strike WORK VICTIM DELAY STATEMENT
strike() {
  local work=$1 victim=$2 delay=$3 pid worker hit=yes status=0
  start_clients
  if [ "$work" = insert ]; then
    client() {
      pid=$(sql crash "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                       AND query ~ 'games' AND query !~ 'pg_stat_activity' ORDER BY pid LIMIT 1") && [ -n "$pid" ]
    }
    wait_for "a client" client
    sleep "$delay"
  else
    PGAPPNAME=worker "${CLIENT[@]}" -d crash -c "$4" >/dev/null 2>&1 &
    worker=$!
    until pid=$(sql crash "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name = 'worker' AND state = 'active'") &&
      [ -n "$pid" ] || ! kill -0 $worker 2>/dev/null; do :; done
    sleep "$delay"
  fi
  if [ -z "$pid" ]; then pid=0; fi
  if [ "$victim" = server ]; then kill_server; else kill_backend "$pid" || hit=; fi
  # the clients insert without a pause until they are killed
  [ "$work" = insert ] || wait $worker || status=$?
  if [ $hit ]; then kills=$((kills + 1)); fi
  if [ $hit ] && [ "$work" = insert ] || [ $status != 0 ]; then midway=$((midway + 1)); fi
  if [ "$victim" = server ]; then
    wait
    # pg_ctl remarks that another server might be running; what matters stands in the log
    (server_start "$dir") 2>/dev/null || die "no start after a crash" "$(as_server tail "$dir/log")"
  elif [ ! $hit ] || [ $status = 0 ] && [ "$work" != insert ]; then
    # the work was done before the blow, or nobody was there: nothing crashed, the clients still run
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>/dev/null || true
  fi
  wait
  wait_for "recovery" sql crash "SELECT 1"
  check_ledger
}

# takes STATEMENT: prints how long the statement takes here, in ms, so that the kill can come before its end
takes() {
  local begin
  begin=$(date +%s%3N)
  sql crash "$1" >/dev/null
  echo $(($(date +%s%3N) - begin + 1))
}
declare -A TAKES
TAKES[vacuum]=$(takes "VACUUM games")
for index in btree gin compact; do
  definition=$(sql crash "SELECT pg_get_indexdef('games_$index'::regclass)")
  sql crash "DROP INDEX games_$index"
  TAKES[$index]=$(takes "$definition")
done
# indexes: checks that every index agrees with the table
indexes() { holds "indexes answer otherwise than the table after $1" sql crash "SELECT check_indexes()" >/dev/null; }

say "kill -9 during inserts, index builds and VACUUM on PostgreSQL $MAJOR"
for round in $(seq 1 "${KILL_ROUNDS:-3}"); do
  for victim in backend server; do
    concurrently=
    if [ "$victim" = server ]; then concurrently=CONCURRENTLY; fi
    delay() {
      local ms=$((RANDOM % $1))
      printf '%d.%03d' $((ms / 1000)) $((ms % 1000))
    }
    strike insert $victim "$(delay 900)"
    indexes "inserts"
    strike vacuum $victim "$(delay "${TAKES[vacuum]}")" "VACUUM games"
    indexes "VACUUM"
    for index in btree gin compact; do
      definition=$(sql crash "SELECT pg_get_indexdef('games_$index'::regclass)")
      sql crash "DROP INDEX games_$index"
      strike build $victim "$(delay "${TAKES[$index]}")" "${definition/INDEX/INDEX $concurrently}"
      # what a killed build has left is invalid at most
      [ "$(sql crash "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('games_$index')")" = t ] ||
        sql crash "SET client_min_messages = warning; DROP INDEX IF EXISTS games_$index" "$definition"
      indexes "the build of $index"
    done
  done
  echo "round $round: $kills kills so far"
done
indexes "the last round"
committed=$(sql crash "SELECT sum(max) * 10 FROM (SELECT max(batch) FROM ledger GROUP BY client) AS l")
holds "hardly any kill came during the work: $midway of $kills" [ $((midway * 2)) -ge $kills ]
holds "nothing was killed" [ $kills -gt 0 ]
echo "$kills kills (-9), $midway of them during the work: $committed games committed meanwhile"
