#!/usr/bin/env bash
# In: the installed extension; MEGABYTES=n (default 100) of PGN, PLIES=n (default 1000000) of one game.
# Out: an error unless the private memory of a backend (RssAnon, its peak) stays within what work_mem and
# maintenance_work_mem leave it: functions of many rows, index builds, ANALYZE; and pgngames needs about what a function
# of PostgreSQL over the same text does.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres
[ -r /proc/self/status ] || die "no /proc here to read memory from"

dir=$(new_server_dir /var/tmp)
at_end 'server_stop "$dir"; rm -rf "$dir"'
server_init "$dir" autovacuum=off jit=off max_parallel_workers_per_gather=0 max_parallel_maintenance_workers=0
server_start "$dir"
prepare_games chess 6000 10
sql chess "CREATE TABLE many AS SELECT s.game FROM supply AS s, generate_series(1, 10)" \
  "CREATE TABLE texts (value text)" "ALTER TABLE texts ALTER value SET STORAGE EXTERNAL" \
  "INSERT INTO texts SELECT string_agg(E'[White \"A\"]\n\n' || game::text || E' *\n', E'\n') FROM supply" \
  "UPDATE texts SET value = repeat(value, 1 + ${MEGABYTES:=100} * 1000000 / length(value))" \
  "CREATE TABLE long_games AS SELECT repeat('Nf3 Nf6 Ng1 Ng8 ', ${PLIES:=1000000} / 4)::chessgame AS game" \
  "CREATE TABLE long_columns AS SELECT s.game AS game FROM long_games AS s, generate_series(1, 30)" \
  "CHECKPOINT"

# peak SETTING STATEMENT: the greatest private memory of a backend in MB, in the variable peak. The backend waits before
# and after the statement, so a short one is measured on a busy machine, too.
mkfifo "$dir/begin" "$dir/end"
last=0
peak() {
  local pid worker kb over='' most=0
  PGAPPNAME=worker "${CLIENT[@]}" -d chess -o /dev/null -c "SELECT" -c "\\! cat '$dir/begin'" -c "SET $1" -c "$2" \
    -c "\\! touch '$dir/over'; cat '$dir/end'" 2>"$dir/error" &
  worker=$!
  until pid=$(sql chess "SELECT pid FROM pg_stat_activity WHERE application_name = 'worker' AND backend_type = 'client backend'
    AND pid <> $last") &&
    [ -n "$pid" ]; do :; done
  echo >"$dir/begin"
  last=$pid
  until [ "$over" ]; do
    [ ! -e "$dir/over" ] || over=yes
    # VmHWM, the peak of all memory, also counts files and shared memory; those seldom shrink
    kb=$(awk '{ kb[$1] = $2 } END { anon = kb["RssAnon:"]; peak = kb["VmHWM:"] - kb["RssFile:"] - kb["RssShmem:"]
      print (anon > peak ? anon : peak) }' "/proc/$pid/status" 2>/dev/null) || break
    [ "$kb" -le $most ] || most=$kb
    sleep 0.01
  done
  [ -z "$over" ] || echo >"$dir/end"
  rm -f "$dir/over"
  wait $worker || fail "$2: $(cat "$dir/error")"
  [ $most -gt 0 ] || fail "$2: its memory was not seen"
  peak=$((most / 1024))
}
# at_most MB WHAT SETTING STATEMENT
at_most() {
  peak "$3" "$4"
  printf '  %-54s %s: %s MB\n' "$2" "$3" "$peak"
  holds "$2: $peak MB with $3, more than $1" [ "$peak" -le "$1" ]
}
spilled() { sql chess "SELECT temp_bytes / 1000000 FROM pg_stat_database WHERE datname = 'chess'"; }

go_on
say "Memory against its settings on PostgreSQL $MAJOR"
for call in "moves(game)" "positions(game)"; do
  at_most 40 "rows of ${call%(*} of $PLIES half-moves" "work_mem = '64kB'" "SELECT count(*) FROM long_games, $call"
done
# the text itself is in memory, once; a hundred megabytes and some for the rest
at_most $((MEGABYTES * 3 / 2 + 40)) "string_to_table of $MEGABYTES MB of PGN" "work_mem = '64kB'" \
  "SELECT count(*) FROM texts, string_to_table(value, E'\n\n')"
theirs=$peak
at_most $((theirs + 20)) "pgngames of the same" "work_mem = '64kB'" "SELECT count(*) FROM texts, pgngames(value)"
# statistics arrive with a delay
enough() { [ "$(spilled)" -ge 50 ]; }
wait_for "50 MB of rows that went to disk: fewer show too little" enough
at_most 20 "sorting 60,000 games" "work_mem = '1MB'" "SELECT count(*) FROM (SELECT game FROM many ORDER BY game OFFSET 0) AS g"

# what an index build takes is bounded by the setting: with more of it, it takes more
for index in "(game)" "USING gin (game)"; do
  at_most 48 "CREATE INDEX $index" "maintenance_work_mem = '16MB'" "CREATE INDEX ON many $index"
done
peak "maintenance_work_mem = '1GB'" "CREATE INDEX ON many USING gin (game)"
printf '  %-54s %s: %s MB\n' "CREATE INDEX USING gin (game)" "maintenance_work_mem = '1GB'" "$peak"
holds "an index build takes no more with more memory: $peak MB" [ "$peak" -gt 48 ]
sql chess "DELETE FROM many WHERE random() < 0.5"
at_most 48 "VACUUM after deletion" "maintenance_work_mem = '16MB'" "VACUUM many"
at_most 64 "ANALYZE" "default_statistics_target = 100" "ANALYZE many"
at_most 320 "ANALYZE" "default_statistics_target = 1000" "ANALYZE many"
at_most 40 "ANALYZE of games of $PLIES half-moves" "default_statistics_target = 100" "ANALYZE long_columns"
echo "Limits: $(spilled) MB of rows went to disk; pgngames of $MEGABYTES MB compared with string_to_table ($theirs MB)"
