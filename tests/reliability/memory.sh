#!/usr/bin/env bash
# In: the installed extension; MILLIONS=n (default 1) calls of each function.
# Out: an error unless the memory of a backend (RssAnon) stays flat over the calls of one query, also where every call
# raises an ERROR.
set -euo pipefail
. "$(dirname "$0")/../../scripts/env.sh"
. scripts/cluster.sh
. tests/reliability/games.sh
find_postgres
[ -r /proc/self/status ] || die "no /proc here to read memory from"

dir=$(new_server_dir /tmp)
trap 'server_stop "$dir"; rm -rf "$dir"' EXIT
server_init "$dir" autovacuum=off jit=off
server_start "$dir"
prepare_games chess 1100 10

say "Memory over $((${MILLIONS:=1})) million calls of each function on PostgreSQL $MAJOR"
"${CLIENT[@]}" -d chess -At -v calls="$((MILLIONS * 1000000))" -f tests/reliability/memory.sql >"$dir/report" || die "memory grows"
grep -v '^$' "$dir/report"
