#!/usr/bin/env bash
# In: the installed extension; WRITE=1 to add the golden file of this version, once, at its release.
# Out: an error unless values written by every version (tests/upgrade/VERSION.tsv) are read and written unchanged, in
# the same order and with the same hashes; and, for every upgrade script, the upgraded catalog equals that of a fresh
# installation (tests/upgrade/catalog.sql), and indexes of the earlier version answer as before, and as the table does, also
# after inserts.
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

upgrades=0
for script in sql/chess--*--*.sql; do
  [ -e "$script" ] || continue
  from=$(basename "$script" | sed 's/^chess--\(.*\)--.*/\1/')
  psql postgres -c "DROP DATABASE IF EXISTS upgraded" -c "CREATE DATABASE upgraded"
  psql upgraded -c "CREATE EXTENSION chess VERSION '$from'" -c "CREATE TABLE games (id bigint, game chessgame)"
  psql fresh -c "COPY games (id, game) TO STDOUT (FORMAT binary)" | psql upgraded -c "COPY games FROM STDIN (FORMAT binary)"
  psql upgraded -f tests/upgrade/indexes.sql
  before=$(answers upgraded off)
  equal "$from: questions" 13 "$(wc -l <<<"$before")"
  equal "$from: questions that find nothing" "" "$(grep '|0|' <<<"$before" || true)"
  psql upgraded -c "ALTER EXTENSION chess UPDATE"
  say "The catalog and the indexes of $from, upgraded"
  holds "an upgrade from $from gives a different catalog than a fresh installation" \
    diff <(psql fresh -f tests/upgrade/catalog.sql) <(psql upgraded -f tests/upgrade/catalog.sql)
  holds "the indexes of $from give different answers than before" diff <(echo "$before") <(answers upgraded off)
  holds "$from: the tables give different answers than before" diff <(echo "$before") <(answers upgraded on)
  psql upgraded -c "INSERT INTO indexed SELECT id + 1000, getfirstmoves(game, 30), getfirstmoves(game, 30), getfirstmoves(game, 30),
    board, hashed_board FROM indexed" -c "DELETE FROM indexed WHERE id % 7 = 0" -c "VACUUM indexed"
  holds "the indexes of $from do not find what was inserted" diff <(answers upgraded on) <(answers upgraded off)
  unused=$(psql upgraded -At -c "SELECT string_agg(indexrelname, ' ') FROM pg_stat_user_indexes WHERE relname = 'indexed' AND idx_scan = 0")
  equal "$from: not used by any question" "" "$unused"
  upgrades=$((upgrades + 1))
done
objects=$(psql fresh -f tests/upgrade/catalog.sql | wc -l)
holds "tests/upgrade/catalog.sql shows $objects lines only" [ "$objects" -gt 100 ]
echo "Upgrade: $values values of earlier versions read; $upgrades upgrades: catalog of a fresh installation, 13 questions to 6 indexes"
