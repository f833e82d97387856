#!/usr/bin/env bash
# In: the installed extension; PGN=file.pgn or GAMES=n generated games (default 30000); RUNS=n (default 5).
# Out: the core's benchmark, then the server's in a private server, each beside its peers in one run; first the
# server's answers are compared with those of a plain replay.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
[ -z "${PGN:-}" ] || [ -r "$PGN" ] || die "cannot read PGN=$PGN"

cargo build -q --release -p chess-gamegen -p chess-bench-core
dir=$(new_server_dir /var/tmp)
trap 'server_stop "$dir"; rm -rf "$dir" "$corpus"' EXIT
corpus=$(mktemp)
if [ -n "${PGN:-}" ]; then
  # the tools that read the corpus take UTF-8
  iconv -f UTF-8 -t UTF-8 "$PGN" >"$corpus" 2>/dev/null || iconv -f LATIN1 -t UTF-8 "$PGN" >"$corpus"
else
  "$TARGET/release/chess-gamegen" --games "${GAMES:-30000}" --seed 1 >"$corpus"
fi

say "The core beside shakmaty"
"$TARGET/release/chess-bench-core" "$corpus" "${RUNS:-5}"

say "The server"
server_init "$dir"
server_start "$dir"
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
"${CLIENT[@]}" -d chess -f demo/tables.sql
load_pgn chess demo/load.sql <"$corpus" | tail -n 1
"${CLIENT[@]}" -d chess -v runs="${RUNS:-5}" -f benches/server/bench.sql

say "Moves, positions and the opening explorer"
"${CLIENT[@]}" -d chess -f benches/server/vocabulary.sql

say "Answers beside those of a plain replay"
"$TARGET/release/answers" "$corpus" "${QUESTIONS:-200}" 50 | "${CLIENT[@]}" -d chess -f benches/server/verify.sql
