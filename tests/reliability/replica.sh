#!/usr/bin/env bash
# In: the installed extension. Out: an error unless a streaming replica, made by pg_basebackup before the indexes were
# there, answers every question as the primary does, by index and by sequential scan; and, promoted, takes writes.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres

dir=$(new_server_dir /var/tmp)
as_server mkdir "$dir/p" "$dir/r"
at_end 'server_stop "$dir/r"; server_stop "$dir/p"; rm -rf "$dir"'
server_init "$dir/p" wal_level=replica max_wal_senders=4 full_page_writes=on wal_keep_size=1GB
server_start "$dir/p"
PRIMARY=("${CLIENT[@]}")
prepare_games chess "${GAMES:-4000}" 12

say "A streaming replica on PostgreSQL $MAJOR"
as_server "$BINDIR/pg_basebackup" -h "$dir/p" -p 5432 -U postgres -D "$dir/r/data" -R -c fast
server_start "$dir/r"
REPLICA=("${CLIENT[@]}")
on_primary() { CLIENT=("${PRIMARY[@]}"); sql chess "$@"; }
on_replica() { CLIENT=("${REPLICA[@]}"); sql chess "$@"; }

# all that changes tables and indexes goes through the WAL: sorted builds, insertion, the pending list, VACUUM
insert() { echo "INSERT INTO games SELECT n, supplied(n) FROM generate_series($1, $2) AS n"; }
on_primary "$(insert 1 4000)"
CLIENT=("${PRIMARY[@]}")
"${CLIENT[@]}" -d chess -f tests/reliability/indexes.sql
on_primary "$(insert 4001 9000)" "DELETE FROM games WHERE id % 5 = 0" "VACUUM games" "$(insert 9001 9500)" \
  "UPDATE games SET game = supplied(id + 1) WHERE id % 7 = 0"
caught_up() {
  [ "$(on_replica "SELECT pg_last_wal_replay_lsn() >= '$1'")" = t ]
}
wait_for "the replica" caught_up "$(on_primary 'SELECT pg_current_wal_flush_lsn()')"

rows="SELECT count(*) || ' ' || md5(string_agg(id || encode(chessgame_send(game) || chessgame_send(again), 'hex'), ',' ORDER BY id)) FROM games"
answers="SELECT md5(string_agg(answer(condition, index), ',' ORDER BY index, condition)) FROM questions"
go_on
equal "the replica is in recovery" t "$(on_replica 'SELECT pg_is_in_recovery()')"
holds "the primary's indexes answer otherwise than its tables" on_primary 'SELECT check_indexes()' >/dev/null
checked=$(on_replica 'SELECT check_indexes()') && pass
for query in "$rows" "$answers"; do
  expected=$(on_primary "$query")
  holds "no answer: $query" [ -n "$expected" ]
  equal "the replica's answer: $query" "$expected" "$(on_replica "$query")"
done

server_stop "$dir/p"
as_server "$BINDIR/pg_ctl" promote -w -s -D "$dir/r/data"
on_replica "$(insert 20001 21000)" "DELETE FROM games WHERE id % 3 = 0" "VACUUM games" >/dev/null
holds "after promotion, indexes answer otherwise than tables" on_replica 'SELECT check_indexes()' >/dev/null
wrong=$(on_replica "SELECT count(*) FROM games WHERE id > 20000 AND chessgame_send(game) <> chessgame_send(supplied(id))")
equal "games written after promotion that are others" 0 "$wrong"
games=$(on_replica "SELECT count(*) FROM games")
amcheck "$dir/r" chess
equal "processes of the replica that died" 0 "$(deaths "$dir/r")"
echo "Replica: $checked; $games games after promotion"
