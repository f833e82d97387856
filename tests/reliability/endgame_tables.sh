#!/usr/bin/env bash
# In: the installed extension; POSITIONS, how many (default: 3000); SEED.
# Out: an error unless tablebase() says of random positions what python-chess says, only superusers can name
# directories, and files that are damaged, change or are missing never end a session. Without the tables
# (scripts/endgame-tables.sh) the test is counted as skipped.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres

tables=$(scripts/endgame-tables.sh) ||
  { skip "endgame tables: none" "apt-get install python3-venv, and a way to PyPI"; exit; }
python=$TARGET/endgame-tables/venv/bin/python

dir=$(new_server_dir /tmp)
at_end 'server_stop "$dir"; rm -rf "$dir"'
cp -r "$tables" "$dir/tables"
mkdir "$dir/damaged"
own_by_server "$dir"
server_init "$dir"
server_start "$dir"
sql "CREATE EXTENSION chess" "CREATE ROLE guest LOGIN" "CREATE ROLE trusted LOGIN" "GRANT CREATE ON DATABASE postgres TO guest"
go_on
# session USER STATEMENT...: one session
session() {
  local user=$1 statements=()
  shift
  for statement; do statements+=(-c "$statement"); done
  "${CLIENT[@]}" -U "$user" -d postgres -At "${statements[@]}" 2>&1
}
# going_on STATEMENT...: one session of a superuser, which goes on after an ERROR
going_on() {
  local statements=()
  for statement; do statements+=(-c "$statement"); done
  "${CLIENT[@]}" -v ON_ERROR_STOP=0 -d postgres -At "${statements[@]}" 2>&1
}
mate="tablebase('8/8/8/8/8/k7/7Q/K7 w - - 0 1')"

say "Endgame tables on PostgreSQL $MAJOR"
equal "without a directory nothing is known" "t" "$(session guest "SELECT $mate IS NULL")"
kings="tablebase('8/8/4k3/8/8/4K3/8/8 w - - 0 1')"
equal "without a directory nothing is known of two kings" "t" "$(session guest "SELECT $kings IS NULL")"

# the setting
refused() { holds "$1: $3" grep -q "$2" <<<"$3"; }
refused "a user can set the directory" 'permission denied to set parameter "chess.syzygy_path"' "$(session guest "SELECT $mate" "SET chess.syzygy_path = '$dir/tables'")"
refused "a user can set it before the library is loaded" 'permission denied to set parameter "chess.syzygy_path"' \
  "$(session guest "SET chess.syzygy_path = '$dir/tables'" "SELECT $mate")"
equal "what a user has set counts" "t" "$(session guest "SET chess.syzygy_path = '$dir/tables'" "SET client_min_messages = error" "SELECT $mate IS NULL" | tail -n 1)"
refused "a user can set it in a function" 'permission denied' \
  "$(session guest "SELECT $mate" "SET search_path = pg_temp, public" "CREATE FUNCTION pg_temp.f() RETURNS text LANGUAGE sql SET chess.syzygy_path = '/' AS 'SELECT 1::text'")"
refused "a user can read it" 'permission denied to examine\|must be superuser' "$(session guest "SELECT $mate" "SHOW chess.syzygy_path")"
sql "LOAD 'chess'" "GRANT SET ON PARAMETER chess.syzygy_path TO trusted"
equal "a superuser may grant it" "2" "$(session trusted "SET chess.syzygy_path = '$dir/tables'" "SELECT wdl FROM $mate")"
sql "LOAD 'chess'" "ALTER SYSTEM SET chess.syzygy_path = '$dir/none:$dir/tables'" "SELECT pg_reload_conf()" >/dev/null
wait_for "the new setting" sh -c '[ "$("$@")" = "$0" ]' "$dir/none:$dir/tables" "${CLIENT[@]}" -d postgres -At -c "LOAD 'chess'" -c "SHOW chess.syzygy_path"
answer=$(session guest "SELECT $mate" || true)
refused "a directory that is missing is passed over" 'could not read a directory of endgame tables' "$answer"
equal "users learn the directory" "$answer" "${answer//$dir/}"
sql "LOAD 'chess'" "ALTER SYSTEM SET chess.syzygy_path = '$dir/damaged:$dir/tables'" "SELECT pg_reload_conf()" >/dev/null
wait_for "the new setting" sh -c '[ "$("$@")" = "$0" ]' "$dir/damaged:$dir/tables" "${CLIENT[@]}" -d postgres -At -c "LOAD 'chess'" -c "SHOW chess.syzygy_path"
equal "a session has the new directory" "2" "$(session guest "SELECT wdl FROM $mate")"

# what they say
"$python" -B tests/reliability/endgame_tables.py "$tables" "${SEED:-1}" "${POSITIONS:-3000}" >"$dir/said"
sql "CREATE TABLE said (fen text, wdl int, dtz int, moves text)" "\\copy said FROM '$dir/said'"
equal "values differ from python-chess" "${POSITIONS:-3000}|0|" \
  "$(sql "SELECT count(*), count(*) FILTER (WHERE (t.wdl, t.dtz) IS DISTINCT FROM (s.wdl, s.dtz)),
     (array_agg(fen) FILTER (WHERE (t.wdl, t.dtz) IS DISTINCT FROM (s.wdl, s.dtz)))[1] FROM said s, tablebase(fen::chessboard) t")"
# the best moves are legal, keep the result, and no legal move does better
equal "best moves" "t|t|t" "$(sql "SELECT bool_and(t.best IS NOT NULL),
     bool_and((SELECT count(*) FROM unnest(t.best) m WHERE -(tablebase(play(fen::chessboard, m))).wdl <> s.wdl) = 0),
     bool_and((SELECT coalesce(max(-(tablebase(play(fen::chessboard, l.uci))).wdl), s.wdl) FROM legalMoves(fen::chessboard) l) = s.wdl)
   FROM said s, tablebase(fen::chessboard) t")"
equal "moves differ from python-chess" "$((${POSITIONS:-3000} / 8))|0|" \
  "$(sql "SELECT count(*), count(*) FILTER (WHERE found IS DISTINCT FROM moves), (array_agg(fen) FILTER (WHERE found IS DISTINCT FROM moves))[1]
   FROM said, LATERAL (SELECT coalesce(string_agg(concat_ws(':', uci, m.wdl, m.dtz), ' ' ORDER BY uci COLLATE \"C\"), '') AS found
     FROM tablebase_moves(fen::chessboard) m) f WHERE moves IS NOT NULL")"
equal "the best moves come first, and none is missing" "t|t|t" "$(sql "SELECT bool_and(m.first = t.best), bool_and(m.known), bool_and(m.named)
   FROM said, tablebase(fen::chessboard) t, LATERAL (SELECT ARRAY(SELECT uci FROM tablebase_moves(fen::chessboard)
       WITH ORDINALITY AS v (san, uci, wdl, dtz, value, zeroing, missing, n) WHERE n <= cardinality(t.best) ORDER BY uci COLLATE \"C\") AS first,
     bool_and(missing IS NULL AND san = san(fen::chessboard, uci)) AS known,
     bool_and(value = (ARRAY['loss', 'blessed loss', 'draw', 'cursed win', 'win'])[wdl + 3]) AS named FROM tablebase_moves(fen::chessboard)) m
   WHERE moves <> ''")"
equal "by workers" "$(sql "SELECT sum(wdl) FROM said")" \
  "$(session postgres "SET min_parallel_table_scan_size = 0" "SET parallel_setup_cost = 0" "SELECT sum((tablebase(fen::chessboard)).wdl) FROM said")"
equal "castling rights, too many men, illegal boards" "t|t" "$(sql "SELECT tablebase('4k3/8/8/8/8/8/8/4K2R w K - 0 1') IS NULL, tablebase(startboard()) IS NULL")"
refused "an illegal board has a value" 'illegal position' "$(session guest "SELECT tablebase('8/8/8/8/8/8/8/8 w - - 0 1')")"

# files that are not what they seem: the session answers or raises an ERROR, and goes on
for name in KQvK KRvK KPvK KBNvK KQvKR KPvKP; do
  rm -f "$dir/damaged"/*
  "$python" - "$dir" "$name" <<'PY'
import random, sys, os
directory, name = sys.argv[1:]
rng = random.Random(name)
for suffix in ("rtbw", "rtbz"):
    data = bytearray(open(f"{directory}/tables/{name}.{suffix}", "rb").read())
    for _ in range(1 + len(data) // 200):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    open(f"{directory}/damaged/{name}.{suffix}", "wb").write(data)
PY
  answer=$(going_on "SELECT count((tablebase(fen::chessboard)).wdl) FROM said WHERE material(fen::chessboard) = '$name'" "SELECT 'alive'")
  holds "$name with other bytes: $answer" grep -qx alive <<<"$answer"
done
rm -f "$dir/damaged"/*
head -c 80 "$tables/KQvK.rtbw" >"$dir/damaged/KQvK.rtbw"
refused "a truncated table is passed over" 'endgame table KQvK is damaged' "$(session guest "SELECT $mate")"
refused "a truncated table is passed over for moves" 'endgame table KQvK is damaged' "$(session guest "SELECT * FROM tablebase_moves('8/8/8/8/8/k7/7Q/K7 w - - 0 1')")"
printf 'other' >"$dir/damaged/KQvK.rtbw"
equal "a file that cannot be a table, before a table" "2" "$(session guest "SELECT wdl FROM $mate")"
rm "$dir/tables"/KQvK.rtbw
refused "a file that cannot be a table is passed over" 'endgame table KQvK.rtbw is damaged' "$(session guest "SELECT $mate")"
cp "$tables"/KQvK.rtbw "$dir/tables"
rm -f "$dir/damaged"/*
equal "two kings need no table" "0" "$(session postgres "LOAD 'chess'" "SET chess.syzygy_path = '$dir/damaged'" "SELECT wdl FROM $kings" | tail -n 1)"
rm "$dir/tables"/KQvK.rtbz
moves="tablebase_moves('8/8/8/8/8/k7/7Q/K7 w - - 0 1')"
equal "the moves without its distances" "22|0|KQvK" "$(session guest "SELECT count(wdl), count(dtz), min(missing) FROM $moves")"
equal "without its distances" "2|t|t" "$(session guest "SELECT wdl, dtz IS NULL, best IS NULL FROM $mate")"
rm "$dir/tables"/KQvK.rtbw
equal "a missing table" "t" "$(session guest "SELECT $mate IS NULL")"
equal "the moves without a table" "22|0|KQvK" "$(session guest "SELECT count(*), count(wdl), min(missing) FROM $moves")"
# a file that shrinks while it is open
cp "$tables"/KQvK.rtb? "$dir/tables"
answer=$(going_on "SELECT wdl FROM $mate" "COPY (SELECT 1) TO PROGRAM 'for t in $dir/tables/*; do : >\$t; done'" \
  "SELECT count(tablebase(fen::chessboard)) FROM said" "SELECT 'alive'")
holds "tables that shrink end the session: $answer" grep -qx alive <<<"$answer"
equal "the server has crashed" 0 "$(grep -c 'was terminated by signal' "$dir/log")"
