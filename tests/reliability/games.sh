# Sourced after env.sh and cluster.sh, with find_postgres done. In: a started server and its CLIENT.
# Out: the functions below, shared by the scripts in this directory.
# shellcheck shell=bash

# prepare_games DATABASE N QUESTIONS: a database with N supplied games (tables.sql) and questions to the table games
prepare_games() {
  cargo_build -q
  "${CLIENT[@]}" -d postgres -c "CREATE DATABASE $1"
  "${CLIENT[@]}" -d "$1" -f scripts/games_table.sql
  { cat demo/famous.pgn && "$TARGET/release/chess-gamegen" --games "$2" --seed 1; } |
    load_pgn "$1" scripts/games_load.sql >/dev/null
  "${CLIENT[@]}" -d "$1" -v questions="$3" -f tests/reliability/tables.sql
}

# sql DATABASE STATEMENT...: each in its own transaction, output without headings
sql() {
  local database=$1 commands=()
  shift
  for statement; do commands+=(-c "$statement"); done
  "${CLIENT[@]}" -d "$database" -At "${commands[@]}"
}

# The lines of the server's log that tell of a backend's end by a signal, or of a panic
deaths() { as_server grep -cE 'terminated by signal|PANIC|TRAP' "$1/log" || true; }

# amcheck DIR DATABASE: the B-trees of the database in the server's directory, and their heaps
amcheck() {
  if [ "$(sql "$2" "SELECT count(*) FROM pg_extension WHERE extname = 'amcheck'")" = 0 ]; then
    echo "1 skipped: pg_amcheck: this server has no extension amcheck"
  else
    as_server "$BINDIR/pg_amcheck" -h "$1" -p 5432 -U postgres --heapallindexed -d "$2"
  fi
}

# wait_for WHAT COMMAND...: until the command succeeds, a minute at most
wait_for() {
  local what=$1 tries=0
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || die "waited a minute for nothing: $what"
    sleep 0.1
  done
}
