#!/usr/bin/env bash
# In: the installed extension; PGN files with annotations, or a number of games to generate (chess-gamegen
# --annotated); PG or PG_CONFIG.
# Out: for each, in one run: the times of chess-pgn to load and export them with and without annotations, with pglz
# and with lz4, and its memory; the size of annotated text in the table with each, beside a packed form with the same
# compression (a byte for each half-move of a variation, two for each glyph, bracket and comment, and the words of the
# comments separately); the time to read the text.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
[ $# -gt 0 ] || die "usage: bench-annotated.sh FILE.pgn|GAMES..."
files=()
for file; do
  if [[ $file =~ ^[0-9]+$ ]]; then files+=("$file"); else files+=("$(realpath "$file")"); fi
done
find_postgres
build_programs -q
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
  if [[ $file != /* ]]; then
    input=$WORK/generated.pgn
    "$TARGET/release/chess-gamegen" --annotated --games "$file" >"$input"
  fi
  for kind in pglz lz4 --no-annotations; do
    sql "ALTER DATABASE postgres SET default_toast_compression = ${kind/--*/pglz}"
    sql 'DROP SCHEMA IF EXISTS chess CASCADE' 2>/dev/null
    sql CHECKPOINT
    load=("$LOADER" load --jobs 2)
    [[ $kind != --* ]] || load+=("$kind")
    [ ! -x /usr/bin/time ] || load=(/usr/bin/time -f '  memory of the loader %M kB, its processor time %U + %S s' "${load[@]}")
    start=$(now)
    "${load[@]}" "$input" >"$WORK/out" 2>&1 || { cat "$WORK/out"; die "the load failed"; }
    took "load, $kind" "$start"
    grep '^  memory' "$WORK/out" || true
    printf '  the table of games: %s kB\n' "$(sql "SELECT pg_table_size('chess.games') / 1024")"
    start=$(now)
    "$LOADER" export >"$WORK/exported.pgn"
    took "export, $kind, $(($(stat -c %s "$WORK/exported.pgn") / 1000000)) MB" "$start"
    [ $kind != pglz ] || "${CLIENT[@]}" -d postgres -c "SET client_min_messages = warning" -c "CREATE TABLE IF NOT EXISTS kept (id bigint, game chessgame, annotated text)" \
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
