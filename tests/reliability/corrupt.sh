#!/usr/bin/env bash
# In: the installed extension; GAMES=n (default 3000), SEED=n.
# Out: an error unless values whose bytes were changed in the table's file give an answer or ERROR XX001 from every
# function, index build and ANALYZE; and no backend ends.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres

dir=$(new_server_dir /tmp)
at_end 'server_stop "$dir"; rm -rf "$dir"'
server_init "$dir" autovacuum=off
# from PostgreSQL 18 on a page's checksum would refuse what this test is about
as_server "$BINDIR/pg_checksums" --disable -D "$dir/data" >/dev/null 2>&1 || true
server_start "$dir"
prepare_games chess "${GAMES:-3000}" 10
sql chess "CREATE TABLE damaged_games (id serial PRIMARY KEY, value chessgame)" \
  "ALTER TABLE damaged_games ALTER value SET STORAGE PLAIN" \
  "CREATE TABLE damaged_boards (id serial PRIMARY KEY, value chessboard)" \
  "ALTER TABLE damaged_boards ALTER value SET STORAGE PLAIN" \
  "INSERT INTO damaged_games (value) SELECT game FROM supply WHERE plycount(game) < 2000
   UNION ALL SELECT '[Variant \"Chess960\"][FEN \"r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1\"] 1. O-O O-O-O'
   FROM generate_series(1, 300)
   UNION ALL SELECT '[FEN \"7k/P6p/8/8/8/8/p6P/7K w - - 0 1\"] 1. a8=N a1=B 2. Nb6 Be5' FROM generate_series(1, 300)" \
  "INSERT INTO damaged_boards (value) SELECT getboard(game, (plycount(game) * (id % 8) / 7)::int) FROM supply"

say "Bytes changed on disk on PostgreSQL $MAJOR"
damaged=0
for table in games boards; do
  file=$dir/data/$(sql chess "SELECT pg_relation_filepath('damaged_$table')")
  # all but the version of the binary form is what is stored
  values=$(sql chess "SELECT substr(encode(chess${table%s}_send(value), 'hex'), 3) FROM damaged_$table ORDER BY id")
  server_stop "$dir"
  damaged=$((damaged + $(perl tests/reliability/corrupt.pl "$file" "${SEED:-1}" <<<"$values")))
  server_start "$dir"
done
holds "only $damaged values were found in the files" [ "$damaged" -gt 3000 ]
go_on
started=$(sql chess "SELECT pg_postmaster_start_time()")
holds "a function, a statement or an index build gives another answer" "${CLIENT[@]}" -d chess -At -o "$dir/report" -f tests/reliability/corrupt.sql
grep -v '^[0-9]*$' "$dir/report"
alive "$dir" chess "$started"
echo "Corrupt storage: $damaged values changed on disk"
