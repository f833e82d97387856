#!/usr/bin/env bash
# In: the installed extension; LOAD_SECONDS=n (default 90) with GIN's pending list and the same without it, repeated if
# the load has done too little; CLIENTS=n.
# Out: an error unless, while games are inserted, deleted, updated and vacuumed, and indexes are built and rebuilt
# concurrently, each search by an index answers as the sequential scan of the same snapshot does; and at the end all
# indexes, also those made meanwhile, answer as it does and as shakmaty's replay of the games.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres

dir=$(new_server_dir /var/tmp)
at_end 'kill $(jobs -p) 2>/dev/null; server_stop "$dir"; rm -rf "$dir"'
server_init "$dir" gin_pending_list_limit=256kB max_connections=40
server_start "$dir"
cargo_build -q
prepare_games chess 3000 25
sql chess "INSERT INTO games SELECT n, supplied(n) FROM generate_series(1, 3000) AS n"
"${CLIENT[@]}" -d chess -f tests/reliability/indexes.sql
sql chess "CREATE FUNCTION compare(n int) RETURNS void LANGUAGE plpgsql AS \$\$
  DECLARE
    q questions = (SELECT q FROM questions AS q OFFSET n % (SELECT count(*) FROM questions) LIMIT 1);
  BEGIN
    IF answer(q.condition, q.index) <> answer(q.condition, NULL) THEN
      RAISE '% by % is not what a sequential scan answers', q.condition, q.index;
    END IF;
  END \$\$"
mkdir "$dir/load"
touch "$dir/load/built"
cat >"$dir/load/insert.sql" <<'SQL'
\set first random(1, 6000)
INSERT INTO games SELECT n, supplied(n) FROM generate_series(:first, :first + 20) AS n ON CONFLICT DO NOTHING;
SQL
cat >"$dir/load/delete.sql" <<'SQL'
\set first random(1, 6000)
DELETE FROM games WHERE id IN (SELECT id FROM games WHERE id BETWEEN :first AND :first + 25 ORDER BY id FOR UPDATE SKIP LOCKED);
SQL
cat >"$dir/load/update.sql" <<'SQL'
\set first random(1, 6000)
UPDATE games SET game = supplied(id + 1) WHERE id IN
  (SELECT id FROM games WHERE id BETWEEN :first AND :first + 10 ORDER BY id FOR UPDATE SKIP LOCKED);
SQL
cat >"$dir/load/search.sql" <<'SQL'
\set n random(1, 1000000)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT compare(:n);
COMMIT;
SQL
echo 'VACUUM games;' >"$dir/load/vacuum.sql"
# REINDEX CONCURRENTLY may take the index away after its name was looked up
cat >"$dir/load/clean.sql" <<'SQL'
DO $$ BEGIN
  PERFORM gin_clean_pending_list('games_gin'), gin_clean_pending_list('games_compact');
EXCEPTION WHEN undefined_table OR undefined_object OR internal_error THEN NULL;
END $$;
SQL

# An index of each kind made and dropped again, and each of the others made anew, in turn, while the load lasts.
rebuild() {
  local first index definition
  while [ -e "$dir/load/running" ]; do
    for index in btree gin compact; do
      [ -e "$dir/load/running" ] || return 0
      definition=$(sql chess "SELECT pg_get_indexdef('games_$index'::regclass)")
      sql chess "SET client_min_messages = warning" "DROP INDEX CONCURRENTLY IF EXISTS games_${index}_new" \
        "${definition/INDEX games_$index/INDEX CONCURRENTLY games_${index}_new}" \
        "REINDEX INDEX CONCURRENTLY games_$index" || return 1
      echo 2 >>"$dir/load/built"
    done
  done
}

say "Load on PostgreSQL $MAJOR"
searches=0
transactions=0
go_on
# load: runs the load for LOAD_SECONDS; the test repeats it, because a slow machine may not have done enough
load() {
  loads=$((loads + 1))
  (
    cd "$dir/load"
    "$BINDIR/pgbench" -n -h "$dir" -p 5432 -U postgres -c "${CLIENTS:-6}" -j 2 -T "${LOAD_SECONDS:-90}" --random-seed="$loads" \
      -f insert.sql@6 -f delete.sql@4 -f update.sql@4 -f search.sql@20 -f vacuum.sql@1 -f clean.sql@1 chess
  ) >"$dir/load/report" 2>"$dir/load/errors" && pass || die "a client was aborted" "$(cat "$dir/load/errors")"
  holds "failed transactions: $(cat "$dir/load/report")" grep -q 'failed transactions: 0 ' "$dir/load/report"
  transactions=$((transactions + $(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$dir/load/report")))
  searches=$((searches + $(sed -n '/search.sql/,/SQL script/s/^ - \([0-9]*\) transactions.*/\1/p' "$dir/load/report")))
}
built() { awk '{ sum += $1 } END { print sum + 0 }' "$dir/load/built"; }
for round in 1 2; do
  pending=$([ $round = 1 ] && echo on || echo off)
  sql chess "ALTER INDEX games_gin SET (fastupdate = $pending)" "ALTER INDEX games_compact SET (fastupdate = $pending)"
  touch "$dir/load/running"
  rebuild &
  builder=$!
  loads=0
  load
  until [ $searches -gt $((25 * round)) ] && [ "$(built)" -ge $((3 * round)) ] || [ $loads -ge 20 ]; do load; done
  rm "$dir/load/running"
  wait $builder && pass || fail "an index could not be built under load"
  holds "after the load, indexes answer otherwise than the table" sql chess "SELECT check_indexes()" >/dev/null
done
checked=$(sql chess "SELECT check_indexes()")
# the same questions to the indexes that were made under load
for index in btree gin compact; do
  equal "games_${index}_new is valid" t "$(sql chess "SELECT indisvalid FROM pg_index WHERE indexrelid = 'games_${index}_new'::regclass")"
  sql chess "DROP INDEX games_$index" "ALTER INDEX games_${index}_new RENAME TO games_$index"
done
holds "an index that was built under load answers otherwise than the table" sql chess "SELECT check_indexes()" >/dev/null
wrong=$(sql chess "SELECT count(*) FROM games WHERE chessgame_send(game) NOT IN (chessgame_send(supplied(id)), chessgame_send(supplied(id + 1)))")
equal "games that are not those that were written" 0 "$wrong"
amcheck "$dir" chess
sql chess "SELECT pgn(game) || E'\n' FROM games" >"$dir/load/games.pgn"
"$TARGET/release/answers" "$dir/load/games.pgn" 60 20 >"$dir/load/answers"
holds "the answers are not those of a replay" "${CLIENT[@]}" -d chess -f benches/server/verify.sql <"$dir/load/answers"
equal "backends that ended" 0 "$(deaths "$dir")"
holds "only $searches searches: they show too little" [ "$searches" -gt 50 ]
holds "only $(built) indexes built: they show too little" [ "$(built)" -ge 6 ]
echo "Concurrency: $transactions transactions, $searches searches in them compared with a sequential scan of the same" \
  "snapshot, $(built) indexes built concurrently meanwhile; $checked"
