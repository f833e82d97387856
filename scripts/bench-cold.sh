#!/usr/bin/env bash
# In: the installed extension; PGN=file.pgn or GAMES=n generated games (300,000), which are stored COPIES=n times (1); LATENCY=µs that
# the disk takes for a page (1000); TURNS=n (3).
# Out: questions by a server that has just been started, whose pages come from a disk that benches/server/slow_disk.c simulates:
# how many of the index and the table it reads, and the least time in ms without reading ahead, with one page and with ten.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
[ -z "${PGN:-}" ] || [ -r "$PGN" ] || die "cannot read PGN=$PGN"
export LATENCY_US=${LATENCY:-1000}

cargo_build -q
dir=$(new_server_dir /var/tmp)
trap 'server_stop "$dir"; rm -rf "$dir"' EXIT
cc -O2 -shared -fPIC -o "$dir/slow_disk.so" benches/server/slow_disk.c -ldl
server_init "$dir" "autovacuum = off"
server_start "$dir"
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
pgn=$dir/games.pgn
if [ -n "${PGN:-}" ]; then pgn=$PGN; else "$TARGET/release/chess-gamegen" --games "${GAMES:-300000}" --seed 1 >"$pgn"; fi
load() { "$TARGET/release/chess-pgn" load -d "host=$dir user=postgres dbname=chess" "$@" "$pgn"; }
load
columns="event_id, site_id, lichess_id, white_id, black_id, white_elo, black_elo, dates, date, round, result, time_control, eco, game"
"${CLIENT[@]}" -d chess -c "INSERT INTO chess.games ($columns) SELECT $columns FROM chess.games, generate_series(2, ${COPIES:-1}) n ORDER BY n, id"
load --index
"${CLIENT[@]}" -d chess -c "VACUUM (ANALYZE) chess.games"

# ask AHEAD QUESTION BOARD: the pages that a new server reads for it, and the milliseconds. The session has asked for a board that
# no game has, so that it knows the tables.
ask() {
  local none="'7k/8/8/8/8/8/8/KBN5 w - - 0 1'::chessboard"
  server_stop "$dir"
  LD_PRELOAD=$dir/slow_disk.so server_start "$dir"
  "${CLIENT[@]}" -d chess -At -c "SET effective_io_concurrency = $1" -c "SET maintenance_io_concurrency = $1" \
    -c "SELECT FROM (${2//BOARD/$none}) q" -c "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF) ${2//BOARD/$3}" |
    sed -nE '0,/Buffers:.* read=/s/.*Buffers:.* read=([0-9]+).*/\1/p; s/^Execution Time: ([0-9.]+) ms/\1/p' | paste -sd ' '
}
# line NAME QUESTION [BOARD]
line() {
  local turn ahead pages ms least=()
  for turn in $(seq "${TURNS:-3}"); do
    for ahead in 0 1 10; do
      read -r pages ms < <(ask "$ahead" "${@:2}")
      least[ahead]=$(sort -g <<<"$ms"$'\n'"${least[ahead]:-$ms}" | head -n 1)
    done
  done
  printf '| %s | %s | %s | %s | %s |\n' "$1" "$pages" "${least[@]}"
}

printf '%s, %s processors, load average %s, LATENCY=%s\n' "$("$PG_CONFIG" --version)" "$(nproc)" "$(cut -d ' ' -f 1-3 /proc/loadavg)" "$LATENCY_US"
printf '| ms | pages | 0 | 1 | 10 |\n|---|---|---|---|---|\n'
filtered="SELECT * FROM chess.explorer(BOARD, rating => '[2400,)', dates => '[2010-01-01,)', reached => false)"
line "the start position, with filters" "$filtered" "finalBoard('')"
# the first board of a game that so many games have
board() {
  "${CLIENT[@]}" -d chess -At -c "SELECT format('%L::chessboard', board) FROM (
      SELECT g.id, n, getBoard(g.game, n) AS board FROM (SELECT * FROM chess.games ORDER BY id LIMIT 100) g, generate_series(2, 20) n) b
    WHERE (SELECT count(*) FROM chess.games WHERE hasBoard(game, board)) BETWEEN $1 AND $2 ORDER BY id, n LIMIT 1"
}
for games in 2000 500 100 20; do
  board=$(board $games $((3 * games)))
  [ -z "$board" ] || line "a position of $games to $((3 * games)) games, with filters" "$filtered" "$board"
done
line "explorer_games, 1. e4" "SELECT * FROM chess.explorer_games(BOARD)" "finalBoard('1. e4')"
line "explorer_games, 1. e4, with filters" "SELECT * FROM chess.explorer_games(BOARD, rating => '[2400,)', dates => '[2010-01-01,)')" "finalBoard('1. e4')"
