#!/usr/bin/env bash
# In: the extension, built and installed; PostgreSQL 18 or later.
# Out: an error unless the image of scripts/image.sh is whole and has lib/ and share/extension/ and nothing else, and a
# server that has no file of chess but these, mounted read-only elsewhere, creates the extension through
# extension_control_path, upgrades it from every version, and uses it. Earlier servers cannot: skipped.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
. scripts/oci.sh
find_postgres
if [ "$MAJOR" -lt 18 ]; then
  skip "the image for CloudNativePG: PostgreSQL $MAJOR has no extension_control_path" "PG=18 make test, where an 18 is"
  exit
fi

dir=$(new_server_dir /var/tmp)
at_end 'server_stop "$dir/server"; rm -rf "$dir"'
WORK=$dir

say "An image for CloudNativePG"
archive=$(BUILT=1 scripts/image.sh | tail -n 1)
first=$(sha256sum <"$archive")
equal "the same build gives other bytes" "$first" "$(BUILT=1 scripts/image.sh >/dev/null && sha256sum <"$archive")"
mkdir "$dir/image"
tar -C "$dir/image" -xf "$archive"
for blob in "$dir"/image/blobs/sha256/*; do
  equal "the digest of a blob" "${blob##*/}" "$(sha256sum <"$blob" | cut -d ' ' -f 1)"
done
manifest=$(oci_named "$dir/image" manifests "$dir/image/index.json")
config=$(oci_named "$dir/image" config "$manifest")
layer=$(oci_named "$dir/image" layers "$manifest")
holds "the image does not name its files" grep -q "\"diff_ids\":\[\"sha256:$(zcat "$layer" | sha256sum | cut -d ' ' -f 1)\"\]" "$config"
files=$(tar -tzf "$layer")
equal "the directories" "lib/ share/ share/extension/" "$(grep '/$' <<<"$files" | paste -sd ' ')"
equal "the files" "lib/chess.so
$(cd "$TARGET/release/chess-package-pg$MAJOR" && printf 'share/extension/%s\n' chess--*.sql chess.control | sort)" "$(grep -v '/$' <<<"$files" | sort)"

# as CloudNativePG mounts it: by its name, for reading alone, and for a user who owns none of it
mounted=$dir/extensions/chess
mkdir -p "$mounted"
tar -C "$mounted" --no-same-owner -xzf "$layer"
chmod -R a-w "$mounted"
copy_postgres "$dir/postgres"
PG_CONFIG=$dir/postgres$BINDIR/pg_config
find_postgres
rm -f "$("$PG_CONFIG" --pkglibdir)"/chess.so "$("$PG_CONFIG" --sharedir)"/extension/chess*
as_server mkdir "$dir/server"
server_init "$dir/server"
server_start "$dir/server"
no "a server without the path has the extension" sql "CREATE EXTENSION chess"
server_stop "$dir/server"
as_server tee -a "$dir/server/data/postgresql.conf" >/dev/null <<CONF
extension_control_path = '\$system:$mounted/share'
dynamic_library_path = '\$libdir:$mounted/lib'
CONF
server_start "$dir/server"
go_on
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
equal "the version on offer" "$version" "$(sql "SELECT default_version FROM pg_available_extensions WHERE name = 'chess'")"

say "The extension by an owner without privileges, on PostgreSQL $MAJOR"
sql "CREATE ROLE app LOGIN" "CREATE DATABASE app OWNER app"
DB=app
app() { "${CLIENT[@]}" -U app -d app -At "${@/#/-c}"; }
yes "CREATE EXTENSION" app "\\i scripts/games_table.sql"
load_pgn app scripts/games_load.sql <demo/famous.pgn >/dev/null
yes "indexes, built by workers" app "CREATE TABLE many AS SELECT game FROM games, generate_series(1, 400)" \
  "ALTER TABLE many SET (parallel_workers = 2)" "SET min_parallel_table_scan_size = 0" \
  "CREATE INDEX ON many USING chess (game)" "CREATE INDEX ON many (game)" "ANALYZE many"
question="SELECT count(*) FROM many WHERE hasBoard(game, finalBoard('1. e4 c5 2. Nf3'))"
found=$(app "SET enable_bitmapscan = off" "SET enable_indexscan = off" "$question")
holds "nothing is found" [ "$found" -gt 0 ]
# the question only counts, so the sums of the index answer it
holds "the index is not used" grep -q 'Index: many_game_idx' <<<"$(app "SET enable_seqscan = off" "EXPLAIN $question")"
equal "by the index" "$found" "$(app "SET enable_seqscan = off" "$question")"
server_stop "$dir/server"
server_start "$dir/server"
equal "after a restart" "$found" "$(app "SET enable_seqscan = off" "$question")"
equal "by workers" "$found" "$(app "SET parallel_setup_cost = 0" "SET parallel_tuple_cost = 0" "SET min_parallel_table_scan_size = 0" \
  "SET enable_bitmapscan = off" "SET enable_indexscan = off" "SET debug_parallel_query = on" "$question")"
yes "the library is not found by its name" sql "LOAD 'chess'" "SHOW chess.syzygy_path"

fresh=$(sql "CREATE DATABASE fresh" "\\connect fresh" "CREATE EXTENSION chess" "\\i tests/upgrade/catalog.sql")
EXTENSIONS=$mounted/share/extension
chmod u+w "$EXTENSIONS"
for from in $(earlier_versions); do
  yes "$from" with_first_sql sql "DROP DATABASE IF EXISTS upgraded" "CREATE DATABASE upgraded" "\\connect upgraded" \
    "CREATE EXTENSION chess VERSION '$from'"
  yes "$from" sql "\\connect upgraded" "ALTER EXTENSION chess UPDATE"
  holds "an upgrade from $from gives a different catalog" [ "$fresh" = "$("${CLIENT[@]}" -d upgraded -f tests/upgrade/catalog.sql)" ]
done
equal "the server has crashed" 0 "$(as_server grep -c 'was terminated by signal' "$dir/server/log")"
