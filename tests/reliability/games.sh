# Sourced after env.sh and cluster.sh, with find_postgres done. In: a started server and its CLIENT.
# Out: the functions below, shared by the scripts in this directory, and those of scripts/checks.sh.
# shellcheck shell=bash

. scripts/checks.sh

# prepare_games DATABASE N QUESTIONS: a database with N supplied games (tables.sql) and questions to the table games
prepare_games() {
  build_programs -q
  "${CLIENT[@]}" -d postgres -c "CREATE DATABASE $1"
  "${CLIENT[@]}" -d "$1" -f scripts/games_table.sql
  { cat demo/famous.pgn && "$TARGET/release/chess-gamegen" --games "$2" --seed 1; } |
    load_pgn "$1" scripts/games_load.sql >/dev/null
  "${CLIENT[@]}" -d "$1" -v questions="$3" -f tests/tap/tables.sql
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

# alive DIR DATABASE STARTED: checks that the server has run since then without a crash
alive() {
  [ "$(deaths "$1")" = 0 ] && [ "$(sql "$2" "SELECT pg_postmaster_start_time()")" = "$3" ] && pass ||
    fail "a backend ended" "$(as_server tail "$1/log")"
}
