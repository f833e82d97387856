#!/usr/bin/env bash
# In: the installed extension; a PGN file, optionally compressed; optionally a number of jobs. PG or PG_CONFIG.
# Out: the speed of chess-pgn loading it into an empty schema without indexes, beside COPY of the same rows with the
# moves as plain text, in one run; the loader's memory; the speed of an export, and of skipping what is loaded
# already.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
FILE=${1:-}
[ -r "$FILE" ] || die "usage: bench-loader.sh FILE.pgn[.zst] [JOBS]"
FILE=$(realpath "$FILE")
JOBS=${2:-$(nproc)}
find_postgres

build_programs -q
LOADER=$TARGET/release/chess-pgn
DIR=$(new_server_dir /var/tmp)
trap 'server_stop "$DIR"; rm -rf "$DIR"' EXIT
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
sql() { "${CLIENT[@]}" -d postgres -At -c "$1"; }
now() { date +%s.%N; }
# rate NAME GAMES START
rate() { awk -v name="$1" -v games="$2" -v start="$3" -v end="$(now)" \
  'BEGIN { printf "%-44s %7.2f s  %9.0f games/s\n", name, end - start, games / (end - start) }'; }

COLUMNS="source_offset, source_id, event_id, site_id, lichess_id, white_id, black_id, white_elo, black_elo, ply_count, dates, date, round, result, time_control, eco, tags"
printf 'file %s, %s, %s processors, load average %s\n' "$(basename "$FILE")" "$(du -h "$FILE" | cut -f 1)" "$(nproc)" "$(cut -d ' ' -f 1-3 /proc/loadavg)"
for round in 1 2 3; do
  sql 'DROP SCHEMA IF EXISTS chess CASCADE' 2>/dev/null
  sql CHECKPOINT
  start=$(now)
  if [ -x /usr/bin/time ]; then
    /usr/bin/time -f 'memory of the loader: %M kB; its processor time: %U s + %S s' "$LOADER" load --jobs "$JOBS" "$FILE" >"$DIR.out"
  else
    "$LOADER" load --jobs "$JOBS" "$FILE" >"$DIR.out"
  fi
  games=$(sql 'SELECT sum(games) FROM chess.pieces')
  rate "$round. chess-pgn load, $JOBS jobs, foreign keys included" "$games" "$start"
  head -n 1 "$DIR.out"
  rm -f "$DIR.out"
  if [ $round = 1 ]; then
    sql "CREATE TABLE peer (LIKE chess.games INCLUDING DEFAULTS INCLUDING IDENTITY); ALTER TABLE peer ALTER game TYPE text; ALTER TABLE peer DROP clocks, DROP evals"
    sql "COPY (SELECT $COLUMNS, game::text FROM chess.games ORDER BY id) TO '$DIR/peer.txt'"
  fi
  sql 'TRUNCATE peer'
  sql CHECKPOINT
  start=$(now)
  sql "COPY peer ($COLUMNS, game) FROM '$DIR/peer.txt'"
  rate "$round. COPY of the same rows, moves as text" "$games" "$start"
done
start=$(now)
"$LOADER" load "$FILE" >/dev/null
rate "passing over what is loaded already" "$games" "$start"
start=$(now)
"$LOADER" export >/dev/null
rate "chess-pgn export" "$games" "$start"
sql "SELECT format('games: %s, moves as text: %s', pg_size_pretty(pg_table_size('chess.games')), pg_size_pretty(pg_table_size('peer')))"
