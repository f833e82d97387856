#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; perhaps PGN files (default: the fuzzer's seeds with games, and texts that
# are mutations of them).
# Out: an error unless their games, exported and loaded again, have the same moves, and all words of their comments, and
# python-chess reads the export as the database has the games. If python-chess is missing, its part is counted as skipped.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8

build_programs -q
DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
cleanup() {
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
"${CLIENT[@]}" -d postgres -c 'CREATE EXTENSION chess'

files=("$@")
if [ $# = 0 ]; then
  files=(fuzz/seeds/pgn/*)
  # texts of moves alone become games between tags
  for seed in fuzz/seeds/annotated/* fuzz/seeds/movetext/*; do
    text=$WORK/${seed//\//-}
    { printf '[Event "%s"]\n\n' "${seed##*/}"; tr -d '\000' <"$seed"; printf '\n\n[Event "behind it"]\n\n1. e4 e5 *\n'; } >"$text"
    files+=("$text")
  done
fi
# what cannot be stored is rejected, and does not matter here
"$TARGET/release/chess-pgn" load --schema one "${files[@]}" >"$WORK/log" 2>&1 || true
"$TARGET/release/chess-pgn" export --schema one >"$WORK/exported.pgn"
"$TARGET/release/chess-pgn" load --schema two "$WORK/exported.pgn" >>"$WORK/log" 2>&1
# numbered SCHEMA: the games in the order of the export, with the words of their comments
numbered() {
  echo "SELECT row_number() OVER (ORDER BY source_id, source_offset, id) AS n, game, annotated, ARRAY(
    SELECT w FROM annotations(game, annotated) a, regexp_split_to_table(concat_ws(' ', a.before, a.after), '[(){} [:cntrl:]]+') w) AS words
    FROM $1.pgn_view"
}
compared=$("${CLIENT[@]}" -d postgres -At -c "SELECT count(*) = (SELECT count(*) FROM one.games),
    array_agg(n) FILTER (WHERE one.game IS DISTINCT FROM two.game), array_agg(n) FILTER (WHERE NOT one.words <@ two.words)
  FROM ($(numbered one)) one FULL JOIN ($(numbered two)) two USING (n)")
holds "as many games; those with other moves, and with fewer words in comments: $compared" [ "$compared" = "t||" ]
"${CLIENT[@]}" -d postgres -At -c "SELECT array_to_string(ucis(game), ' ') FROM ($(numbered one)) g ORDER BY n" >"$WORK/moves"
holds "more than a hundred games" [ "$(wc -l <"$WORK/moves")" -gt 100 ]

venv=$TARGET/patterns-venv
if "$venv/bin/python" -c 'import chess' 2>/dev/null ||
  { python3 -m venv "$venv" && "$venv/bin/pip" -q install 'chess>=1.10'; }; then
  holds "python-chess reads other moves" "$venv/bin/python" -B tests/readers/python_chess.py "$WORK/exported.pgn" "$WORK/moves"
else
  skip "exports as python-chess reads them: no python-chess" "apt-get install python3-venv, and a way to PyPI"
fi
