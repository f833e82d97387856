#!/usr/bin/env bash
# In: the installed extension; PGN files with annotations; PG or PG_CONFIG; GAMES=n repeats the games of a file up to that
# number. Out: for each file, in one run, what annotated text takes in the table, compressed by pglz and by lz4, beside a
# packed form (a byte for each half-move of a variation, two for each glyph, bracket and comment, and the words of the
# comments apart), compressed likewise; how long it takes to load the file with and without, and to read it.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
[ $# -gt 0 ] || die "usage: bench-annotated.sh FILE.pgn..."
files=()
for file; do files+=("$(realpath "$file")"); done
find_postgres
cargo build -q --release -p chess-pgn
LOADER=$TARGET/release/chess-pgn
DIR=$(new_server_dir /var/tmp)
WORK=$(mktemp -d)
trap 'server_stop "$DIR"; rm -rf "$DIR" "$WORK"' EXIT
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
sql() { "${CLIENT[@]}" -d postgres -At -c "$1"; }
now() { date +%s.%N; }
took() { awk -v name="$1" -v start="$2" -v end="$(now)" 'BEGIN { printf "  %-52s %8.2f s\n", name, end - start }'; }

for file in "${files[@]}"; do
  say "$(basename "$file")"
  input=$file
  if [ -n "${GAMES:-}" ]; then
    input=$WORK/$(basename "$file")
    # told apart by their numbers, so that no game is as another
    awk -v games="$GAMES" -v file="$file" 'BEGIN { while (n < games) { before = n
      while ((getline line < file) > 0) { if (line ~ /^\[Event /) { if (++n > games) exit; print line; print "[Board \"" n "\"]" } else print line }
      close(file); if (n == before) exit } }' >"$input"
  fi
  for flags in '' --no-annotations; do
    sql 'DROP SCHEMA IF EXISTS chess CASCADE' 2>/dev/null
    sql CHECKPOINT
    start=$(now)
    # shellcheck disable=SC2086
    "$LOADER" load --jobs 2 $flags "$input" >"$WORK/out" 2>&1 || { cat "$WORK/out"; die "the load failed"; }
    took "load${flags:+ $flags}" "$start"
    [ -n "$flags" ] || "${CLIENT[@]}" -d postgres -c "SET client_min_messages = warning" -c "CREATE TABLE IF NOT EXISTS kept (id bigint, game chessgame, annotated text)" \
      -c "TRUNCATE kept" -c "INSERT INTO kept SELECT id, game, annotated FROM chess.games"
  done
  sql "SELECT format('  %s games, %s annotated, %s MB of text', count(*), count(annotated), round(sum(octet_length(annotated)) / 1e6, 1)) FROM kept"
  sql "COPY (SELECT id, annotated FROM kept WHERE annotated IS NOT NULL ORDER BY id) TO STDOUT" |
    perl scripts/pgn-stream.pl --packed >"$WORK/packed"
  for method in pglz lz4; do
    sql "DROP TABLE IF EXISTS texts, packed;
      CREATE TABLE texts (id bigint, annotated text COMPRESSION $method); CREATE TABLE packed (id bigint, packed bytea COMPRESSION $method)" 2>/dev/null
    sql "INSERT INTO texts SELECT id, annotated || '' FROM kept WHERE annotated IS NOT NULL"
    "${CLIENT[@]}" -d postgres -c "COPY packed FROM STDIN" <"$WORK/packed"
    for table in texts packed; do
      sql "SELECT format('  %-7s %-5s %8s kB in the table, %8s kB of values', '$table', '$method', pg_table_size('$table') / 1024, sum(pg_column_size(t.*)) / 1024) FROM $table t"
    done
    start=$(now)
    sql "SELECT sum(length(annotated)) FROM texts" >/dev/null
    took "reading all texts, $method" "$start"
  done
  start=$(now)
  sql "SELECT count(*) FROM kept, annotations(game, annotated)" >/dev/null
  took "annotations() of all games" "$start"
  start=$(now)
  sql "SELECT count(*) FROM kept, variations(game, annotated)" >/dev/null
  took "variations() of all games" "$start"
done
