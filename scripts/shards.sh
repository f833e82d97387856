#!/usr/bin/env bash
# In: start or stop; for start the installed extension, BUILT=1 if the programs are built, NODES=n servers (4) and, optionally, PGN="file.pgn …".
# Out: this many private servers, each with a share of the games, and a coordinator that stores none and queries all
# of them by postgres_fdw, under target/cluster (or CLUSTER); docs/scaling.md describes the layout. They listen only
# on Unix sockets.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres

CLUSTER=${CLUSTER:-$TARGET/cluster}

stop() {
  local dir
  [ -L "$CLUSTER/servers" ] || return 0
  dir=$(readlink -f "$CLUSTER/servers")
  for server in "$dir"/*/; do server_stop "${server%/}"; done
  rm -rf "$dir" "$CLUSTER"
}

# on SERVER ARGUMENT...: runs psql
on() {
  local server=$1
  shift
  "$BINDIR/psql" -X -q -P pager=off -v ON_ERROR_STOP=1 -h "$DIR/$server" -p 5432 -U postgres -d chess "$@"
}

# Lists the files of each node, a line each, in shares.1 and so on. A single plain file is split between games; of
# several files, each node gets every n-th.
share() {
  local n
  # shellcheck disable=SC2086  # PGN is a list of files
  set -- ${PGN:-}
  if [ $# = 0 ]; then
    say "Generating $GAMES games"
    for n in $(seq "$NODES"); do
      "$TARGET/release/chess-gamegen" --games $((GAMES / NODES)) --seed "$n" >"$CLUSTER/generated-$n.pgn"
      echo "$CLUSTER/generated-$n.pgn" >"$CLUSTER/shares.$n"
    done
  elif [ $# = 1 ] && [ "$(head -c 4 "$1" | tr -d '\0' | LC_ALL=C grep -cE '^(\[|1\.|'$'\xef\xbb\xbf'')')" = 1 ]; then
    perl -e '
      my ($file, $to, $nodes) = @ARGV;
      open my $in, "<:raw", $file or die "$file: $!\n";
      my ($size, $n, $out, $blank) = (-s $in, 0, undef, 1);
      while (<$in>) {
        if (!$n || $n < $nodes && $blank && /^\[Event / && tell($in) > $size * $n / $nodes) {
          $n += 1;
          open $out, ">:raw", "$to-$n.pgn" or die "$to: $!\n";
        }
        print $out $_;
        $blank = /^\s*$/;
      }' "$1" "$CLUSTER/part" "$NODES"
    for n in $(seq "$NODES"); do
      [ ! -e "$CLUSTER/part-$n.pgn" ] || echo "$CLUSTER/part-$n.pgn" >"$CLUSTER/shares.$n"
    done
  else
    n=0
    for file; do
      realpath "$file" >>"$CLUSTER/shares.$((n % NODES + 1))"
      n=$((n + 1))
    done
  fi
}

case ${1:-} in
start)
  NODES=${NODES:-4} GAMES=${GAMES:-60000}
  [[ $NODES =~ ^[1-9][0-9]?$ ]] || die "NODES is a number of servers from 1 to 99"
  for file in ${PGN:-}; do [ -r "$file" ] || die "cannot read $file"; done
  stop
  build_programs -q
  mkdir -p "$CLUSTER"
  DIR=$(new_server_dir /var/tmp)
  ln -s "$DIR" "$CLUSTER/servers"
  say "Creating $NODES servers and a coordinator in $DIR"
  for server in coordinator $(seq -f 'node%g' "$NODES"); do
    as_server mkdir "$DIR/$server"
    server_init "$DIR/$server" "shared_buffers = 128MB" "max_wal_size = 1GB"
    server_start "$DIR/$server"
    "${CLIENT[@]}" -d postgres -c "CREATE DATABASE chess"
    on "$server" -c "CREATE EXTENSION chess"
  done
  share

  say "Loading, each server its own files"
  loads=()
  for n in $(seq "$NODES"); do
    mapfile -t files < <(cat "$CLUSTER/shares.$n" 2>/dev/null)
    load=("$TARGET/release/chess-pgn" schema)
    [ ${#files[@]} = 0 ] || load=("$TARGET/release/chess-pgn" load --jobs 2 --index)
    PGHOST=$DIR/node$n PGPORT=5432 PGUSER=postgres PGDATABASE=chess "${load[@]}" --shard "$n" "${files[@]}" \
      >"$CLUSTER/load-$n.log" 2>&1 &
    loads+=($!)
  done
  n=0
  for load in "${loads[@]}"; do
    n=$((n + 1))
    wait "$load" || { cat "$CLUSTER/load-$n.log" >&2; die "server $n could not load its games"; }
    on "node$n" -c "VACUUM" -At -c "SELECT 'server $n: ' || count(*) || ' games' FROM chess.games"
  done

  say "The coordinator"
  on coordinator -c "CREATE EXTENSION postgres_fdw"
  for n in $(seq "$NODES"); do
    on coordinator -v host="$DIR/node$n" -v server="node$n" -f scripts/shard.sql
  done
  PGHOST=$DIR/coordinator PGPORT=5432 PGUSER=postgres PGDATABASE=chess "$TARGET/release/chess-pgn" schema \
    --servers "$(seq -s , -f 'node%g' "$NODES")" >"$CLUSTER/gather.log" 2>&1 || { cat "$CLUSTER/gather.log" >&2; die "the coordinator cannot be made"; }
  on coordinator -c "ALTER DATABASE chess SET enable_partitionwise_aggregate = on" \
    -c "ALTER DATABASE chess SET search_path = chess, public"
  say "All servers keep running. Ask the coordinator:"
  echo "  $BINDIR/psql -h $DIR/coordinator -p 5432 -U postgres chess"
  echo "  SELECT * FROM chess.explorer(getBoard('1. e4 c5', 2));"
  echo "or look at all of them: chess-web -d 'host=$DIR/coordinator dbname=chess user=postgres'"
  echo "Stop them and remove their data with make cluster-stop"
  ;;
stop) stop ;;
*) die "usage: shards.sh start|stop" ;;
esac
