#!/usr/bin/env bash
# In: the installed extension; PGN=file.pgn or GAMES=n generated games (default 184628) to start with; SIZES, the
# numbers of games in the tables (default "20000 184628 553884 1846280"; variants supplement the given games); MOST,
# the number of games up to which the table of half-moves is built, which takes 80 bytes per half-move, and indexes
# with 64 MB of maintenance_work_mem beside 1 GB (default 600000); RUNS=n. Two million games need about 8 GB of disk.
# Out: docs/growth.tsv (benches/server/growth.sql) and docs/growth.svg, plotted from it.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
[ -z "${PGN:-}" ] || [ -r "$PGN" ] || die "cannot read PGN=$PGN"
read -ra sizes <<<"${SIZES:-20000 184628 553884 1846280}"

cargo_build -q
dir=$(new_server_dir /var/tmp)
corpus=$(mktemp -d /var/tmp/corpus-XXXXXX)
trap 'server_stop "$dir"; rm -rf "$dir" "$corpus"' EXIT
if [ -z "${PGN:-}" ]; then
  "$TARGET/release/chess-gamegen" --games "${GAMES:-184628}" --seed 1 >"$corpus/pgn"
  PGN=$corpus/pgn
fi
"$TARGET/release/variants" "$PGN" "$(printf '%s\n' "${sizes[@]}" | sort -n | tail -n 1)" >"$corpus/games"

server_init "$dir"
server_start "$dir"
for games in "${sizes[@]}"; do
  say "$games games" >&2
  peer=on memory="'64MB', '1GB'"
  if [ "$games" -gt "${MOST:-600000}" ]; then peer=off memory="'1GB'"; fi
  "${CLIENT[@]}" -d postgres -c 'CREATE DATABASE growth'
  "${CLIENT[@]}" -d growth -v games="$games" -v corpus="$corpus/games" -v peer=$peer -v runs="${RUNS:-5}" \
    -v memory="ARRAY[$memory]" -f benches/server/growth.sql
  "${CLIENT[@]}" -d postgres -c 'DROP DATABASE growth'
done >"$corpus/growth.tsv"
mv "$corpus/growth.tsv" docs/growth.tsv
perl scripts/growth-plot.pl docs/growth.tsv >docs/growth.svg
echo "docs/growth.tsv, docs/growth.svg"
