#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG.
# Out: an error unless chess-pgn loads the same games into tables of every layout of docs/scaling.md, in a private server:
# partitioned, made beforehand, foreign, and on each server by itself. The export of each is that of one plain table.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8

cargo_build -q
LOADER=$TARGET/release/chess-pgn
DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
at_end 'server_stop "$DIR"; rm -rf "$DIR" "$WORK"'
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres

# files of good games, of broken ones, and of some that are in another file, too
"$TARGET/release/chess-gamegen" --games 1500 --seed 31 >"$WORK/a.pgn"
{ "$TARGET/release/chess-gamegen" --games 1500 --seed 32
  printf '[Event "cut short"]\n[White "M\xfcller"]\n\n1. e4 e5 2. Ke3 *\n\n[Event "none"]\n\n1. e9 *\n\n[White "quoted \\"name\\""]\n[Date "????.??.??"]\n\n1. d4 *\n\n'
} >"$WORK/b.pgn"
head -c 100000 "$WORK/a.pgn" | perl -ne 'BEGIN { $/ = "" } push @all, $_; END { print "\n", @all[0 .. ($#all - 1 | 1) - 2] }' >"$WORK/c.pgn"
files=("$WORK/a.pgn" "$WORK/b.pgn" "$WORK/c.pgn")

go_on
export_of() { "$LOADER" export "$@" | md5sum; }
# what else the load says it has done, apart from the time
outcome() { sed -n 's/.* games\/s): //p' "$WORK/out"; }
yes "a plain table" "$LOADER" load --schema plain "${files[@]}"
plain=$(export_of --schema plain) plain_outcome=$(outcome)
equal "games of the plain table" t "$(sql "SELECT count(*) > 3000 AND count(error) = 1 FROM plain.games")"
yes "a plain table without equal games" "$LOADER" load --schema single --dedupe "${files[@]}"
single=$(export_of --schema single) single_outcome=$(outcome)
equal "there are equal games" t "$([ "$single" != "$plain" ] && echo t)"

say "Partitions"
# layout NAME LAYOUT PARTITIONS NOTES: PARTITIONS hold games; so many foreign keys cannot be
layout() {
  local schema=$1
  yes "tables: $2" "$LOADER" schema --schema "$schema" --partition-by "$2"
  yes "games: $2" "$LOADER" load --schema "$schema" --jobs 2 --index "${files[@]}"
  equal "$2: what is loaded" "$plain_outcome" "$(outcome)"
  equal "$2: keys that cannot be" "$4" "$(grep -c '^no foreign key' "$WORK/out" || true)"
  equal "$2: export" "$plain" "$(export_of --schema "$schema")"
  equal "$2: partitions with games" "$3" "$(sql "SELECT count(DISTINCT tableoid) FROM $schema.games")"
  equal "$2: indexes of positions" t "$(sql "SELECT count(*) = 1 + (SELECT count(*) FROM pg_partition_tree('$schema.games') WHERE isleaf)
    FROM pg_partition_tree('$schema.games_game_gin')")"
  yes "games again: $2" "$LOADER" load --schema "$schema" "${files[@]}"
  equal "$2: nothing new" "$plain" "$(export_of --schema "$schema")"
  sql "INSERT INTO $schema.pgn_view (white, game) VALUES ('by hand', '1. a3')"
  equal "$2: a row by hand" "1" "$(sql "DELETE FROM $schema.pgn_view WHERE white = 'by hand' RETURNING ply_count" | head -n 1)"
  yes "taking back: $2" "$LOADER" unload --schema "$schema" "$WORK/b.pgn"
  yes "what was taken back: $2" "$LOADER" load --schema "$schema" "$WORK/b.pgn"
  equal "$2: all of it again" "$(export_of --schema plain --order source)" "$(export_of --schema "$schema" --order source)"
  yes "tables for equal games: $2" "$LOADER" schema --schema "${schema}_single" --partition-by "$2"
  yes "equal games once: $2" "$LOADER" load --schema "${schema}_single" --dedupe "${files[@]}"
  equal "$2: what is loaded once" "$single_outcome" "$(outcome)"
  equal "$2: export of what is loaded once" "$single" "$(export_of --schema "${schema}_single")"
  equal "$2: several partitions have games that are there once" t "$(sql "SELECT count(DISTINCT tableoid) > 1 FROM ${schema}_single.games")"
}
layout by_id id:3 3 0
layout by_game game:3 3 2
layout by_source source:2 3 2
layout by_date 'date:1990-01-01, 2000-01-01' "$(sql "SELECT count(DISTINCT coalesce(width_bucket(lower(dates), ARRAY['1990-01-01', '2000-01-01']::date[]), 9)) FROM plain.games")" 2
layout by_opening 'opening:1. e4,1. d4,1. e4 c5' "$(sql "SELECT count(DISTINCT width_bucket(game, ARRAY['1. d4', '1. e4', '1. e4 c5']::chessgame[])) FROM plain.games")" 2
equal "no such layout" "no such layout: year; there are id, game, source, date and opening" \
  "$("$LOADER" schema --partition-by year:3 2>&1 | sed -n 's/.*: \(no such layout\)/\1/p')"
no "no such day" "$LOADER" schema --schema none --partition-by date:2001-02-30
no "no such opening" "$LOADER" schema --schema none --partition-by 'opening:1. e5'
equal "which one" 1 "$(grep -c '"e5": illegal move' "$WORK/out")"
equal "nothing is left of it" "" "$(sql "SELECT to_regclass('none.games')")"
no "a layout for tables that are there" "$LOADER" schema --schema plain --partition-by id:3
equal "equal games are in one partition" 0 "$(sql 'SELECT count(*) FROM (SELECT FROM by_game.games GROUP BY game HAVING count(DISTINCT tableoid) > 1) g')"
range='game >= openingLowerBound($1) AND game < openingUpperBound($1)'
equal "an opening by its range is in one partition" 1 "$(sql "EXPLAIN SELECT FROM by_opening.games WHERE ${range//\$1/\'1. e4 e5\'}" | grep -c 'on games_')"
equal "and where it is a parameter" "Subplans Removed: 3" "$(sql "SET plan_cache_mode = force_generic_plan; PREPARE asked (chessgame) AS SELECT FROM by_opening.games WHERE $range;
  EXPLAIN EXECUTE asked ('1. e4 e5')" | grep -o 'Subplans Removed.*')"
equal "the range holds the games of the opening" "0|t" "$(sql "SELECT count(*) FILTER (WHERE hasOpening(game, '1. e4 e5') <> (${range//\$1/\'1. e4 e5\'})),
  count(*) FILTER (WHERE hasOpening(game, '1. e4 e5')) > 100 FROM by_opening.games")"

say "Tables made beforehand"
sql "CREATE SCHEMA mine; CREATE TABLE mine.games (club text DEFAULT 'ours', LIKE plain.games INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY)
       PARTITION BY RANGE (lower(dates));
     CREATE TABLE mine.some PARTITION OF mine.games FOR VALUES FROM ('1995-01-01') TO ('2005-01-01');
     CREATE TABLE mine.others PARTITION OF mine.games DEFAULT PARTITION BY HASH (id);
     CREATE TABLE mine.others_0 PARTITION OF mine.others FOR VALUES WITH (MODULUS 2, REMAINDER 0);
     CREATE TABLE mine.others_1 PARTITION OF mine.others FOR VALUES WITH (MODULUS 2, REMAINDER 1)"
yes "a table of one's own" "$LOADER" load --schema mine --index=compact "${files[@]}"
equal "its export" "$plain" "$(export_of --schema mine)"
equal "its own column" "ours" "$(sql 'SELECT DISTINCT club FROM mine.games')"
# refused CHANGE WORDS: the table with that change is refused in these words
refused() {
  sql "DROP SCHEMA IF EXISTS wrong CASCADE; CREATE SCHEMA wrong;
       CREATE TABLE wrong.games (LIKE plain.games INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY); ALTER TABLE wrong.games $1" 2>/dev/null
  no "a table with $1" "$LOADER" load --schema wrong "${files[@]}"
  equal "why: $1" 1 "$(grep -cF "$2" "$WORK/out" || cat "$WORK/out")"
  equal "nothing is made beside it" "" "$(sql "SELECT to_regclass('wrong.info')")"
}
refused "DROP COLUMN eco" "has no column eco, which must be of type text"
refused "ALTER COLUMN round TYPE integer USING 1" "has a column round of type integer, which must be of type text"
refused "ALTER COLUMN ply_count DROP EXPRESSION" "has a column ply_count that should be generated"
refused "ALTER COLUMN id DROP IDENTITY" "has a column id without a default"
sql "DROP SCHEMA wrong CASCADE; CREATE SCHEMA wrong; CREATE VIEW wrong.games AS SELECT 1 AS id" 2>/dev/null
no "a view" "$LOADER" load --schema wrong "${files[@]}"

say "Shards"
yes "a shard" "$LOADER" load --schema shard --shard 7 "$WORK/a.pgn"
yes "the shard again" "$LOADER" load --schema shard --shard 7 "$WORK/b.pgn"
yes "the shard without its number" "$LOADER" load --schema shard "$WORK/c.pgn"
equal "its number" "7" "$(sql 'SELECT DISTINCT shard FROM shard.pgn_view')"
equal "games and names are numbered from where no other shard's are" t \
  "$(sql 'SELECT (SELECT min(id) FROM shard.games) = (7::bigint << 41) + 1 AND (SELECT min(id) FROM shard.players) = (7 << 25) + 1 AND (SELECT min(id) FROM shard.sources) = (7 << 25) + 1')"
equal "which is written down" 7 "$(sql "SELECT value FROM shard.info WHERE name = 'shard'")"
equal "its export" "$plain" "$(export_of --schema shard)"
no "another number" "$LOADER" load --schema shard --shard 8 "$WORK/a.pgn"
equal "which it has" 1 "$(grep -c 'schema shard is shard 7, not 8' "$WORK/out")"
yes "a number for games that are there" "$LOADER" schema --schema single --shard 0
equal "the number of games that were there" "0" "$(sql 'SELECT DISTINCT shard FROM single.games')"
equal "they keep theirs" "" "$(sql "SELECT value FROM single.info WHERE name = 'shard'")"
status=0
"$LOADER" schema --schema great --shard 64 >"$WORK/out" 2>&1 || status=$?
equal "too great a number" "2 1" "$status $(grep -c '64 is not in 0..=63' "$WORK/out")"
sql "INSERT INTO shard.pgn_view (game) VALUES ('1. a3')"
equal "a row by hand" "7" "$(sql 'SELECT shard FROM shard.games WHERE source_id IS NULL')"
equal "a row of another shard" 1 "$(sql "UPDATE shard.pgn_view SET shard = 8 WHERE source_id IS NULL" 2>&1 | grep -c games_shard_check)"
yes "a partitioned shard" "$LOADER" schema --schema parts --shard 3 --partition-by game:2
yes "games of a partitioned shard" "$LOADER" load --schema parts "${files[@]}"
equal "its number and export" "3 $plain" "$(sql 'SELECT DISTINCT shard FROM parts.games') $(export_of --schema parts)"
equal "the numbers of its games" t "$(sql 'SELECT min(id) = (3::bigint << 41) + 1 FROM parts.games')"

if [ "$(sql "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'")" = 0 ]; then
  skip "foreign tables: this server has no extension postgres_fdw" "in a PostgreSQL that is built from source: make -C contrib install"
else
  say "Foreign tables"
  for n in 1 2 3; do sql "CREATE DATABASE node$n"; PGDATABASE=node$n "$LOADER" schema >/dev/null 2>&1; done
  sql "CREATE EXTENSION postgres_fdw"
  for n in 1 2 3; do
    sql "CREATE SERVER node$n FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$DIR', port '5432', dbname 'node$n', extensions 'chess', batch_size '1000');
         CREATE USER MAPPING FOR PUBLIC SERVER node$n OPTIONS (user 'postgres')"
  done
  sql "CREATE SCHEMA far; CREATE TABLE far.games (LIKE plain.games INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY) PARTITION BY HASH (id)"
  for n in 1 2; do
    sql "CREATE FOREIGN TABLE far.games_$n PARTITION OF far.games FOR VALUES WITH (MODULUS 2, REMAINDER $((n - 1)))
         SERVER node$n OPTIONS (schema_name 'chess', table_name 'games')"
  done
  yes "foreign partitions" "$LOADER" load --schema far --index "${files[@]}"
  equal "what is loaded into them" "$plain_outcome" "$(outcome)"
  equal "keys that cannot be" 7 "$(grep -c '^no foreign key' "$WORK/out")"
  equal "their export" "$plain" "$(export_of --schema far)"
  equal "each has some" t "$(sql 'SELECT count(*) > 1000 FROM far.games_1')"
  yes "foreign partitions again" "$LOADER" load --schema far "${files[@]}"
  equal "nothing new" "$plain" "$(export_of --schema far)"
  yes "taking back" "$LOADER" unload --schema far "$WORK/b.pgn"
  yes "what was taken back" "$LOADER" load --schema far "$WORK/b.pgn"
  equal "all of it again" "$(export_of --schema plain --order source)" "$(export_of --schema far --order source)"

  say "Each server by itself"
  for n in 1 2 3; do
    PGDATABASE=node$n "$LOADER" load --schema own --shard $n --index "${files[n - 1]}" >/dev/null 2>&1
  done
  yes "one schema over all of them" "$LOADER" schema --schema every --servers node1,node2,node3 --remote-schema own
  equal "the export of all of them" "$plain" "$(export_of --schema every --order shard)"
  equal "a number is that of one game" t "$(sql 'SELECT count(*) = count(DISTINCT id) FROM every.pgn_view')"
  equal "a shard is found by its number" 1 "$(sql "EXPLAIN SELECT FROM every.pgn_view WHERE shard = 2" | grep -c 'Foreign Scan')"
fi
