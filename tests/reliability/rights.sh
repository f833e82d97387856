#!/usr/bin/env bash
# In: the installed extension.
# Out: an error unless the owner of a database, who is not a superuser, can create the extension and use all of it; others
# can use it; nobody can alter it or make it read what it should not: a function, an estimator with foreign types.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres

dir=$(new_server_dir /tmp)
at_end 'server_stop "$dir"; rm -rf "$dir"'
server_init "$dir"
server_start "$dir"
sql postgres "CREATE ROLE owner LOGIN" "CREATE ROLE guest LOGIN" "CREATE DATABASE club OWNER owner"
as_user() {
  local user=$1
  shift
  "${CLIENT[@]}" -U "$user" -d club -At -v VERBOSITY=sqlstate "$@"
}
go_on
# allowed USER STATEMENT...; refused USER SQLSTATE STATEMENT
allowed() {
  local user=$1
  shift
  for statement; do
    holds "$user may not: $statement" as_user "$user" -c "$statement" >/dev/null
  done
}
refused() {
  local answer
  if answer=$(as_user "$1" -c "$3" 2>&1); then
    fail "$1 may: $3"
  else
    holds "$1, $3: $answer" grep -qx "ERROR:  $2" <<<"$answer"
  fi
}

say "Rights on PostgreSQL $MAJOR"
refused guest 42501 "CREATE EXTENSION chess"
allowed owner "CREATE SCHEMA tools" "CREATE EXTENSION chess SCHEMA tools" "GRANT USAGE ON SCHEMA tools TO guest" \
  "ALTER DATABASE club SET search_path = public, tools" "CREATE TABLE games (game chessgame)" \
  "INSERT INTO games SELECT game FROM generate_series(1, 100), pgngames('1. e4 e5 2. Nf3 * 1. d4 d5 1-0')" \
  "CREATE INDEX ON games (game)" "CREATE INDEX ON games USING gin (game)" \
  "ANALYZE games" "GRANT SELECT ON games TO guest"
allowed guest "SELECT count(*) FROM games WHERE hasopening(game, '1. e4') AND hasboard(game, getboard('1. e4', 1))" \
  "SELECT epd(getboard(game, 1)), result(game), plycount(game), game::text FROM games GROUP BY game"

# the objects are the superuser's, the extension is the owner's
refused owner 42501 "ALTER TYPE chessgame SET (ANALYZE = NONE)"
refused owner 42501 "CREATE OR REPLACE FUNCTION tools.plycount(game chessgame) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT 1'"
refused owner 42501 "CREATE FUNCTION mine(int) RETURNS int AS '\$libdir/chess', 'chessgame_plycount' LANGUAGE c"
refused guest 42501 "DROP EXTENSION chess"
# no SQL function reaches for files, programs or the network: none is more than immutable, but for planning and the
# table of openings, which a release may change, the functions that read an index of the access method, and tablebase(),
# which reads directories that superusers name; pgn() writes a game without what is NULL, and aggregates leave out NULL
extra=$(sql club "SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc AS p, pg_extension AS e, pg_depend AS d
  WHERE e.extname = 'chess' AND d.refobjid = e.oid AND d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND p.prokind = 'f'
    AND (p.prosecdef OR NOT p.proisstrict AND p.proname !~ '^(pgn|(squarecounts|capturecounts|survival|kingwalks|gamesums|chess_index_(sums|counts))_add|(piecesquares|survival|kingwalks|reportgroups)_result|reportgroups_(add|combine))\$'
      OR p.provolatile <> 'i' AND 'internal'::regtype <> ALL (p.proargtypes) AND p.proname !~ '^(tablebase|chess_(opening_table|index_(info|check|merge|moves|games|top|answers|(sums|counts)_add)))\$')")
equal "functions that are not strict, not immutable, or with the rights of another" "" "$extra"

# An operator of anybody's may name our estimators, and hands them constants of its own types. The minor versions since
# February 2026 reserve this to superusers (CVE-2026-2004), so that one creates them here.
names=$(sql club "SELECT replace(proname, 'chessgame_', '') FROM pg_proc WHERE proname ~ '^chessgame_.*_sel$'")
holds "hardly any estimators: $names" [ "$(wc -w <<<"$names")" -ge 6 ]
joins=$(sql club "SELECT proname FROM pg_proc WHERE proname ~ '^chessgame_.*_joinsel$'")
for estimator in $names; do
  # Some have one for joins; the others are asked with that of boards.
  join=chessgame_${estimator%_sel}_joinsel
  grep -qx "$join" <<<"$joins" || join=chessgame_board_joinsel
  for type in integer bigint text "integer[]" chessboard "chessboard[]" chessgame; do
    constant=$(case $type in
      *'[]') echo "'{}'::$type" ;;
      chessboard) echo "getboard('', 0)" ;;
      chessgame) echo "'1. e4'::chessgame" ;;
      *) echo "'7'::$type" ;;
    esac)
    sql club "SET search_path = public, tools; DROP SCHEMA IF EXISTS hostile CASCADE; CREATE SCHEMA hostile" \
      2>/dev/null
    "${CLIENT[@]}" -d club -At >/dev/null 2>"$dir/error" <<SQL && pass || fail "$estimator, $type" "$(cat "$dir/error")"
SET search_path = hostile, public, tools;
CREATE FUNCTION f(chessgame, $type) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION f(integer, $type) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE OPERATOR @@@ (LEFTARG = chessgame, RIGHTARG = $type, FUNCTION = f, RESTRICT = chessgame_$estimator, JOIN = $join);
CREATE OPERATOR @@@ (LEFTARG = integer, RIGHTARG = $type, FUNCTION = f, RESTRICT = chessgame_$estimator, JOIN = $join);
EXPLAIN SELECT * FROM games WHERE game @@@ $constant;
CREATE TABLE numbers AS SELECT n FROM generate_series(1, 100) AS n;
ANALYZE numbers;
EXPLAIN SELECT * FROM numbers WHERE n @@@ $constant;
CREATE TABLE others AS SELECT $constant AS other FROM generate_series(1, 100);
ANALYZE others;
EXPLAIN SELECT * FROM games, others WHERE game @@@ other;
EXPLAIN SELECT * FROM numbers, others WHERE n @@@ other;
SQL
  done
done
equal "backends that ended" 0 "$(deaths "$dir")"
