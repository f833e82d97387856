#!/usr/bin/env bash
# In: the installed extension; PGN=file.pgn or GAMES=n generated games (default 30000); RUNS=n repetitions of each
# query (default 5), BUILDS=n repetitions of each build (default 3).
# Out: the core's benchmark, its instruction counts if valgrind is installed, then the server's benchmarks in a
# private server, each with its peers in one run; at the end the server's answers are compared with a plain replay.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
[ -z "${PGN:-}" ] || [ -r "$PGN" ] || die "cannot read PGN=$PGN"
RUNS=${RUNS:-5} BUILDS=${BUILDS:-3}

cargo_build -q
dir=$(new_server_dir /var/tmp)
trap 'server_stop "$dir"; rm -rf "$dir" "$corpus"' EXIT
corpus=$(mktemp)
if [ -n "${PGN:-}" ]; then
  # the tools that read the corpus expect UTF-8
  iconv -f UTF-8 -t UTF-8 "$PGN" >"$corpus" 2>/dev/null || iconv -f LATIN1 -t UTF-8 "$PGN" >"$corpus"
else
  "$TARGET/release/chess-gamegen" --games "${GAMES:-30000}" --seed 1 >"$corpus"
fi
printf '%s, %s processors, load average %s\n' "$("$PG_CONFIG" --version)" "$(nproc)" "$(cut -d ' ' -f 1-3 /proc/loadavg)"

say "The core against shakmaty"
"$TARGET/release/chess-bench-core" "$corpus" "$RUNS"

say "Instructions of the core"
if command -v valgrind >/dev/null; then
  "$TARGET/release/chess-bench-instructions" "$corpus"
else
  echo "left out: they are counted by valgrind, which is not installed (apt-get install valgrind)"
fi

server_init "$dir"
server_start "$dir"
"${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
bench() { "${CLIENT[@]}" -d chess -v runs="$RUNS" -v builds="$BUILDS" "$@"; }
say "Stored bytes, load, text, indexes"
bench -f scripts/games_table.sql
load_pgn chess scripts/games_load.sql <"$corpus" | tail -n 1
bench -f benches/server/build.sql
say "Searches"
bench -f benches/server/search.sql

# one query per transaction, alternating; the time includes the client, the socket and planning
say "Rare positions as a client sees them (pgbench)"
if [ -x "$BINDIR/pgbench" ]; then
  for subject in 'half-move 30' 'half-move 70' never; do
    for method in default positions; do
      bench -At -c "SELECT statement FROM questions WHERE subject = 'hasBoard: $subject' AND method = '$method'" >"$dir/$method.sql"
    done
    for mode in simple prepared; do
      rm -f "$dir"/*.ms
      for ((run = 0; run < RUNS; run++)); do
        for method in default positions; do
          "$BINDIR/pgbench" -n -M "$mode" -T 2 -f "$dir/$method.sql" -h "$dir" -p 5432 -U postgres chess |
            sed -n 's/^latency average = \([0-9.]*\) ms$/\1/p' >>"$dir/$method.ms"
        done
      done
      for method in default positions; do
        printf '%-14s %-9s %-10s' "$subject" "$mode" "$method"
        sort -n "$dir/$method.ms" | awk '{ ms[NR] = $1 } END { printf "%s ms (%s-%s)\n", ms[int((NR + 1) / 2)], ms[1], ms[NR] }'
      done
    done
  done
else
  echo "left out: this PostgreSQL has no pgbench"
fi

say "Searches right after a start of the server"
for ((run = 0; run < RUNS; run++)); do
  for subject in 'hasBoard: 1. e4' 'rows: 1. e4' 'hasBoard: half-move 30'; do
    for method in scan default positions; do
      server_stop "$dir"
      server_start "$dir"
      bench -v subject="$subject" -v method="$method" -f benches/server/cold.sql
    done
  done
done
bench -c 'SELECT subject, method, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS ms,
  round(min(ms), 2) AS least, round(max(ms), 2) AS greatest,
  round(percentile_cont(0.5) WITHIN GROUP (ORDER BY elapsed)::numeric, 2) AS elapsed FROM cold GROUP BY 1, 2 ORDER BY 1, 2'

# the library is in the memory of one process, as if nobody else used it; its own part is what each further backend adds
say "The first call of a new backend"
for ((run = 0; run < 10 * RUNS; run++)); do
  bench -f benches/server/first_call.sql | awk '/^KiB:/ { pss[++k] = $2; own[k] = $3 } /^Time:/ { ms[++t] = $2 }
    END { print ms[1], "ms\n" ms[2], "ms, the next call\n" pss[2] - pss[1], "KiB (PSS)\n" own[2] - own[1], "KiB, its own" }'
done >"$dir/calls"
for unit in ms 'ms, the next call' 'KiB (PSS)' 'KiB, its own'; do
  sed -n "s/ $unit\$//p" "$dir/calls" | sort -n | awk -v unit="$unit" '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)], unit, "(" all[1] " to " all[NR] ")" }'
done

say "Moves, positions and the opening explorer"
bench -c 'DROP TABLE positions'
bench -f benches/server/vocabulary.sql

say "The access method chess beside GIN"
bench -f benches/server/chess_index.sql

say "Patterns: an index of them, scans and the index"
bench -f benches/server/patterns.sql
say "Patterns: what they cost, and how long planning takes"
bench -f benches/server/pattern_costs.sql

say "Index or scan: what is picked, and what is faster"
bench -f benches/server/index_choice.sql

say "The explorer and aggregates, by the index of chess-pgn's tables"
"$TARGET/release/chess-pgn" load -d "host=$dir dbname=chess user=postgres" --index "$corpus" >"$dir/load"
bench -c 'VACUUM (ANALYZE) chess.games' -v questions=100 -f benches/server/explorer.sql
bench -f benches/server/aggregates.sql
bench -f benches/server/lists.sql

say "Estimates"
bench -f benches/server/estimates.sql

say "Answers against those of a plain replay"
"$TARGET/release/answers" "$corpus" "${QUESTIONS:-200}" 50 | bench -f benches/server/verify.sql
