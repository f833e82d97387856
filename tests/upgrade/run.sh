#!/usr/bin/env bash
# In: the installed extension; WRITE=1 to add the golden file of this version, once, at its release.
# Out: an error unless values written by every version (tests/upgrade/VERSION.tsv; 0.2.0 wrote the bytes of 0.1.0) are read
# and written unchanged, in the same order and with the same hashes; the SQL of released versions is what it was
# (tests/upgrade/released.sha256); for every upgrade script, the upgraded catalog equals that of a fresh installation
# (tests/upgrade/catalog.sql), and indexes of the earlier version answer as before, and as the table does, also after
# inserts; and tables with indexes that 0.4.0 has removed (tests/upgrade/removed.sql) can be read, dumped and upgraded.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres

dir=$(new_server_dir /tmp)
at_end 'server_stop "$dir"; rm -rf "$dir"'
server_init "$dir"
server_start "$dir"
psql() { "${CLIENT[@]}" -d "$@"; }
# answers DATABASE on|off: by sequential scans, or by the indexes
answers() { psql "$1" -v scan="$2" -f tests/upgrade/answers.sql; }
psql postgres -c "CREATE DATABASE fresh"
psql fresh -f scripts/games_table.sql
load_pgn fresh scripts/games_load.sql <demo/famous.pgn >/dev/null
version=$(psql fresh -At -c "SELECT extversion FROM pg_extension WHERE extname = 'chess'")
if [ -n "${WRITE:-}" ]; then
  [ ! -e "tests/upgrade/$version.tsv" ] || die "tests/upgrade/$version.tsv is there: golden files are never rewritten"
  psql fresh -f tests/upgrade/write.sql >"tests/upgrade/$version.tsv"
fi

say "What earlier versions have written"
values=0
for golden in tests/upgrade/*.tsv; do
  psql fresh -c "CREATE TABLE golden (line serial, kind text, bytes text, form text, hash int, hash_extended bigint)"
  psql fresh -c "COPY golden (kind, bytes, form, hash, hash_extended) FROM STDIN" <"$golden"
  # the bytes are copied by COPY, which reads binary formats
  # The end of an opening, which 0.1.0 and 0.2.0 accepted as a value: input now refuses it, but stored values are
  # read.
  psql fresh -c "CREATE TABLE bound AS SELECT * FROM golden WHERE form LIKE '%~'" -c "DELETE FROM golden WHERE form LIKE '%~'" \
    -c "CREATE CAST (bytea AS chessgame) WITHOUT FUNCTION"
  wrong=$(psql fresh -At -c "SELECT count(*) FROM bound, LATERAL (SELECT substr(decode(bytes, 'hex'), 2)::chessgame AS value) AS v
    WHERE (form, hash, hash_extended) IS DISTINCT FROM (value::text, chessgame_hash(value), chessgame_hash_extended(value, 7))
       OR value <= trim(trailing ' ~' from form)::chessgame OR value >= openingupperbound(value)")
  equal "$golden: ends of openings that are read as other values" 0 "$wrong"
  psql fresh -c "DROP CAST (bytea AS chessgame)" -c "DROP TABLE bound"
  for kind in game board position pattern; do
    psql fresh -c "CREATE TABLE ${kind}_read (line int, value chess$kind)"
    psql fresh -c "COPY (SELECT line, decode(bytes, 'hex') FROM golden WHERE kind = '$kind') TO STDOUT (FORMAT binary)" |
      psql fresh -c "COPY ${kind}_read FROM STDIN (FORMAT binary)"
    wrong=$(psql fresh -At -c "SELECT string_agg(line::text, ' ') FROM golden LEFT JOIN ${kind}_read AS r USING (line)
      WHERE kind = '$kind' AND (bytes, form, hash, hash_extended) IS DISTINCT FROM
        (encode(chess${kind}_send(value), 'hex'), value::text, chess${kind}_hash(value), chess${kind}_hash_extended(value, 7))")
    equal "$golden: lines of a $kind that are read as other values" "" "$wrong"
    wrong=$(psql fresh -At -c "SELECT count(*) FROM golden JOIN ${kind}_read AS r USING (line)
      WHERE kind = '$kind' AND form::chess$kind <> value")
    equal "$golden: texts of a $kind that are read as other values" 0 "$wrong"
    values=$((values + $(psql fresh -At -c "SELECT count(*) FROM ${kind}_read")))
    [ $kind != pattern ] || continue # patterns have no order
    wrong=$(psql fresh -At -c "SELECT count(*) FROM (SELECT line, row_number() OVER (ORDER BY value) - row_number() OVER (ORDER BY line) AS moved
      FROM ${kind}_read) AS r WHERE moved <> 0")
    equal "$golden: values of a $kind with another place in the order" 0 "$wrong"
  done
  psql fresh -c "DROP TABLE golden, game_read, board_read, position_read, pattern_read"
done
holds "no golden file in tests/upgrade" [ $values -gt 0 ]

holds "the SQL of a released version has changed: begin the next version" sha256sum --quiet --check tests/upgrade/released.sha256
upgrades=0
for from in $(earlier_versions); do
  psql postgres -c "DROP DATABASE IF EXISTS upgraded" -c "CREATE DATABASE upgraded"
  with_first_sql psql upgraded -c "CREATE EXTENSION chess VERSION '$from'" -c "CREATE TABLE games (id bigint, game chessgame)"
  psql fresh -c "COPY games (id, game) TO STDOUT (FORMAT binary)" | psql upgraded -c "COPY games FROM STDIN (FORMAT binary)"
  psql upgraded -f tests/upgrade/indexes.sql
  before=$(answers upgraded off)
  equal "$from: questions" 11 "$(wc -l <<<"$before")"
  equal "$from: questions that find nothing" "" "$(grep '|0|' <<<"$before" || true)"
  psql upgraded -c "ALTER EXTENSION chess UPDATE"
  say "The catalog and the indexes of $from, upgraded"
  holds "an upgrade from $from gives a different catalog than a fresh installation" \
    diff <(psql fresh -f tests/upgrade/catalog.sql) <(psql upgraded -f tests/upgrade/catalog.sql)
  holds "the indexes of $from give different answers than before" diff <(echo "$before") <(answers upgraded off)
  holds "$from: the tables give different answers than before" diff <(echo "$before") <(answers upgraded on)
  psql upgraded -c "INSERT INTO indexed SELECT id + 1000, getfirstmoves(game, 30), getfirstmoves(game, 30), board, hashed_board FROM indexed" -c "DELETE FROM indexed WHERE id % 7 = 0" -c "VACUUM indexed"
  holds "the indexes of $from do not find what was inserted" diff <(answers upgraded on) <(answers upgraded off)
  unused=$(psql upgraded -At -c "SELECT string_agg(indexrelname, ' ') FROM pg_stat_user_indexes WHERE relname = 'indexed' AND idx_scan = 0")
  equal "$from: not used by any question" "" "$unused"
  upgrades=$((upgrades + 1))
done

say "Indexes that 0.4.0 has removed"
TABLES=(plain compact wide patterns material opening parted 'other."Games"' chess.games)
REMOVED=(compact_gin wide_gin patterns_gin material_gin opening_gin parted_gin 'other."Its index"' chess.games_game_compact_gin chess.games_game_pattern_gin)
HINT='run ALTER EXTENSION chess UPDATE'
# sqlstate DATABASE STATEMENT
sqlstate() { printf '%s;\n\\echo :SQLSTATE\n' "$2" | "${CLIENT[@]}" -d "$1" -v ON_ERROR_STOP=0 2>"$dir/said" | tail -n 1; }
# refused DATABASE STATEMENT: with 55000, and the way out
refused() {
  equal "$2" 55000 "$(sqlstate "$1" "$2")"
  holds "$2: $(cat "$dir/said")" grep -q "$HINT" "$dir/said"
}
psql postgres -c "CREATE DATABASE removed"
with_first_sql psql removed -c "CREATE EXTENSION chess VERSION '0.3.0'" -c "CREATE TABLE games (id bigint, game chessgame)"
psql fresh -c "COPY (SELECT id, game FROM games) TO STDOUT (FORMAT binary)" | psql removed -c "COPY games FROM STDIN (FORMAT binary)"
psql removed -f tests/upgrade/removed.sql
asked="count(*) || ' ' || coalesce(sum(id), 0) FROM %s WHERE hasBoard(game, getboard('1. e4 e5 2. Nf3', 3)) AND id > 3"
# ask DATABASE TABLE SETTING: a search of the table
ask() { psql "$1" -At -c "SET $3" -c "SELECT $(printf "$asked" "$2")"; }
right=$(ask removed games "enable_bitmapscan = off")
equal "games that are looked for" 1 "$([ "${right% *}" -gt 1 ] && echo 1)"
for table in "${TABLES[@]}"; do
  equal "$table, old catalog: rows" "$right" "$(ask removed "$table" "enable_bitmapscan = off")"
  equal "$table, old catalog: by an index" "$right" "$(ask removed "$table" "enable_seqscan = off")"
  insert="INSERT INTO $table SELECT id + 1000, game FROM games LIMIT 3"
  if [[ $table == plain || $table == opening ]]; then equal "$insert" 00000 "$(sqlstate removed "$insert")"; else refused removed "$insert"; fi
done
# An index with max_ply has no keys of later positions, so it gives all games.
holds "max_ply, old catalog: not all games are candidates" grep -q "Bitmap Index Scan on opening_gin .*rows=$(psql removed -At -c "SELECT count(*) FROM opening") " < <(psql removed \
  -c "SET enable_seqscan = off" -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT FROM opening WHERE game @>> ARRAY[getboard('1. a4', 1)]")
for condition in "@>> ARRAY[getboard('1. a4', 1)]" "&& ARRAY[getboard('1. a4', 1), getboard('1. e4', 1)]" "&& '{}'" "@>> '{NULL}'"; do
  query="SELECT count(*) FROM opening WHERE game $condition"
  equal "max_ply, old catalog: $query" "$(psql removed -At -c "SET enable_bitmapscan = off" -c "$query")" \
    "$(psql removed -At -c "SET enable_seqscan = off" -c "$query")"
done
for condition in "@>~ getboard('1. e4', 1)" "@>>~ ARRAY[getboard('1. e4', 1)]" "&&~ ARRAY[getboard('1. e4', 1)]" "@>~~ getboard('1. e4', 1)" \
  "@>>~~ ARRAY[getboard('1. e4', 1)]" "&&~~ ARRAY[getboard('1. e4', 1)]" "@@~ 'Nd5'"; do
  refused removed "SELECT count(*) FROM compact WHERE game $condition"
done
psql removed -c "CREATE TABLE dropped (LIKE plain)" -c "CREATE INDEX dropped_gin ON dropped USING gin (game chessgame_compact_ops)" \
  -c "CREATE INDEX dropped_too ON dropped USING gin (game chessgame_pattern_ops)" -c "CREATE INDEX dropped_last ON dropped USING gin (game chessgame_ops (max_ply = 9))" \
  -c "VACUUM ANALYZE" -c "DROP INDEX dropped_gin" -c "DROP INDEX dropped_too, dropped_last" -c "DROP TABLE dropped"
holds "an old catalog cannot be dumped" "$BINDIR/pg_dump" -h "$dir" -U postgres -f "$dir/dump" removed
# Into 0.4.0 a dump of 0.3.0 brings everything but these indexes.
psql postgres -c "CREATE DATABASE restored"
"${CLIENT[@]}" -d restored -v ON_ERROR_STOP=0 -f "$dir/dump" >/dev/null 2>"$dir/said"
equal "errors of a dump of 0.3.0" "" "$(grep ERROR: "$dir/said" | grep -vE 'operator class "public\.chessgame_(compact|pattern)_ops" does not exist|chessgame_ops has no options|relation "public\.parted(_[01]_game_idx|_gin)" does not exist')"
for table in "${TABLES[@]}"; do
  equal "$table, restored: rows" "$(ask removed "$table" "enable_bitmapscan = off")" "$(ask restored "$table" "enable_seqscan = off")"
done
# The upgrade names them, and its hint is the way.
equal "ALTER EXTENSION with such indexes" 55000 "$(sqlstate removed "ALTER EXTENSION chess UPDATE")"
sed -n '/^HINT:/,$p' "$dir/said" >"$dir/hint"
for index in "${REMOVED[@]}"; do
  qualified=$index
  [[ $index == *.* ]] || qualified=public.$index
  holds "ALTER EXTENSION does not name $qualified" grep -qF "$qualified: chessgame_" "$dir/said"
done
equal "ALTER EXTENSION names an index that stays, or that of a partition" "" "$(grep -E 'plain|parted_[01]' "$dir/said" || true)"
equal "the way for the loader's tables" 1 "$(grep -cx 'chess-pgn migrate --index --schema chess' "$dir/hint")"
grep ';$' "$dir/hint" >"$dir/way" || true
holds "the way does not work" psql removed -f "$dir/way"
equal "version after the way" "$version" "$(psql removed -At -c "SELECT extversion FROM pg_extension WHERE extname = 'chess'")"
psql removed -c "CREATE INDEX ON chess.games USING chess (game)"
holds "after the way the catalog differs" diff <(psql fresh -f tests/upgrade/catalog.sql) <(psql removed -f tests/upgrade/catalog.sql)
for table in "${TABLES[@]}"; do
  psql removed -c "INSERT INTO $table SELECT id + 2000, game FROM games"
  equal "$table, upgraded: by its index" "$(ask removed "$table" "enable_bitmapscan = off")" "$(ask removed "$table" "enable_seqscan = off")"
  [[ $table == wide || $table == compact ]] || equal "$table, upgraded: not by an index" 1 "$(psql removed -At -c "SET enable_seqscan = off" \
    -c "EXPLAIN SELECT $(printf "$asked" "$table")" | grep -c 'Index Scan' | sed 's/[2-9]/1/')"
done
# It also names what else would keep it from dropping operators.
psql postgres -c "CREATE DATABASE users"
with_first_sql psql users -c "CREATE EXTENSION chess VERSION '0.3.0'" -c "CREATE TABLE games (game chessgame, CONSTRAINT openings CHECK (game @>~ getboard('1. e4', 1)))" \
  -c "CREATE MATERIALIZED VIEW kept AS SELECT FROM games WHERE game @@~ 'Nd5' WITH NO DATA" -c "CREATE INDEX partial ON games (game) WHERE game &&~ ARRAY[getboard('1. e4', 1)]"
equal "ALTER EXTENSION with what uses operators" 55000 "$(sqlstate users "ALTER EXTENSION chess UPDATE")"
for object in 'constraint openings on table public.games' 'rule _RETURN on materialized view public.kept' 'index public.partial'; do
  holds "ALTER EXTENSION does not name $object" grep -qF "$object" "$dir/said"
done
psql users -c "DROP MATERIALIZED VIEW kept" -c "DROP INDEX partial" -c "ALTER TABLE games DROP CONSTRAINT openings" -c "ALTER EXTENSION chess UPDATE"
objects=$(psql fresh -f tests/upgrade/catalog.sql | wc -l)
holds "tests/upgrade/catalog.sql shows $objects lines only" [ "$objects" -gt 100 ]
echo "Upgrade: $values values of earlier versions read; $upgrades upgrades: catalog of a fresh installation, 11 questions to 5 indexes"
