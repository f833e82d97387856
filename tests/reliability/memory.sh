#!/usr/bin/env bash
# In: the installed extension; MILLIONS=n (default 10) calls of each function, or as many as SECONDS_EACH=n (default 5)
# allow; PLIES=n (default 400) half-moves at most of a game, fewer for more calls; PLANNINGS=n (default 20000); ROUNDS=n
# (default 40, at least 25: growth counts from a fifth of them on, once indexes have been rebuilt) of work on indexes.
# Out: an error unless the memory of a backend (RssAnon) stays flat over the calls of one query, also where every call
# raises an ERROR; over plannings; over inserting, deleting, vacuuming, rebuilding and analyzing.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres
[ -r /proc/self/status ] || die "no /proc here to read memory from"
[ "${ROUNDS:=40}" -ge 25 ] || die "ROUNDS=$ROUNDS: at least 25"

dir=$(new_server_dir /tmp)
at_end 'server_stop "$dir"; rm -rf "$dir"'
server_init "$dir" autovacuum=off jit=off
server_start "$dir"
prepare_games chess 1100 10
go_on

say "Memory over up to ${MILLIONS:=10} million calls of each function on PostgreSQL $MAJOR"
holds "memory grows over calls of functions" "${CLIENT[@]}" -d chess -At -v calls="$((MILLIONS * 1000000))" -v seconds="${SECONDS_EACH:-5}" \
  -v plies="${PLIES:-400}" -f tests/reliability/memory.sql >"$dir/report"
grep -v '^$' "$dir/report"
PGOPTIONS="-c test.plannings=${PLANNINGS:=20000}" holds "memory grows over plannings and maintenance" "${CLIENT[@]}" -d chess -At -v rounds="$ROUNDS" \
  -f tests/reliability/maintenance.sql >"$dir/report"
grep -v '^$' "$dir/report"
echo "Memory over $PLANNINGS plannings, and over $ROUNDS rounds of insertion, VACUUM, REINDEX and ANALYZE with four indexes"
