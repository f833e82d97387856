#!/usr/bin/env bash
# In: the installed extension; GAMES=n (20,000,000), variants of those of PGN=file.pgn or of generated games;
# BUDGET=seconds (3600); LIMIT=seconds for a question (30); BUFFERS=MB of shared_buffers (a sixth of the memory);
# KEEP=directory for the server and the measurements: the same command, run again, continues after the last complete step, and
# a load after its last complete game. Needs about 1.2 kB of disk per game in KEEP or /var/tmp, nearly half of it for the temporary
# files of the index, plus 4 GB. The program that makes up the games sends them to the loader through a pipe, not in a file.
# Out: one server with that many games, as `chess-pgn load --index` stores them, end to end: load and indexes, the
# explorer, rare boards, patterns, the 35 questions of tests/system/cluster/questions.sql, a report, INSERT, VACUUM, twins,
# and the explorer after a restart with nothing in memory. Each line is printed when it is known, and at the end all of
# them as a table in Markdown: time, peak of the private memory of all processes (without shared_buffers), peak of the
# disk, size. A step that fails or exceeds its time says so, and the next one begins.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
GAMES=${GAMES:-20000000} BUDGET=${BUDGET:-3600} LIMIT=${LIMIT:-30}
[ -z "${PGN:-}" ] || [ -r "$PGN" ] || die "cannot read PGN=$PGN"
BUFFERS=${BUFFERS:-$(awk '/^MemTotal/ { print int($2 / 6 / 1024) }' /proc/meminfo)}

cargo_build -q
if [ -n "${KEEP:-}" ]; then
  mkdir -p "$KEEP/work"
  DIR=$(realpath "$KEEP") WORK=$DIR/work
  own_by_server "$DIR"
else
  DIR=$(new_server_dir /var/tmp)
  WORK=$(mktemp -d /var/tmp/corpus-XXXXXX)
fi
SAMPLER=
cleanup() {
  [ -z "$SAMPLER" ] || kill "$SAMPLER" 2>/dev/null || true
  server_stop "$DIR"
  [ -n "${KEEP:-}" ] || rm -rf "$DIR" "$WORK"
}
trap cleanup EXIT
# autovacuum would disturb the measurements
SERVER_SETTINGS=("shared_buffers = ${BUFFERS}MB" "effective_cache_size = $((3 * BUFFERS))MB" "maintenance_work_mem = 1GB" "work_mem = 64MB"
  "max_wal_size = 2GB" "checkpoint_timeout = 1h" "autovacuum = off")
[ -d "$DIR/data" ] || server_init "$DIR" "${SERVER_SETTINGS[@]}"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess
[ "$("${CLIENT[@]}" -d postgres -At -c "SELECT 1 FROM pg_database WHERE datname = 'chess'")" = 1 ] ||
  "${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
sql() { "${CLIENT[@]}" -d chess -At -c "$1"; }
BEGAN=$EPOCHSECONDS
left() { echo $((BUDGET - (EPOCHSECONDS - BEGAN))); }

# Every half second, records the private memory of the processes of the server and of this script, and the disk space in use.
perl -e '
  my ($postmaster, $group, $disk) = @ARGV;
  $| = 1;
  while (select(undef, undef, undef, 0.5), 1) {
    my $sum = 0;
    for my $pid (map { m{(\d+)} } glob "/proc/[0-9]*") {
      open my $stat, "<", "/proc/$pid/stat" or next;
      my ($name, $parent, $of) = (<$stat> // "") =~ /^\d+ \((.*)\) \S (\d+) (\d+)/ or next;
      next unless $pid == $postmaster || $parent == $postmaster || $of == $group && $name =~ /^(chess-pgn|variants|chess-gamegen)$/;
      open my $status, "<", "/proc/$pid/status" or next;
      $sum += $_ for map { /^RssAnon:\s+(\d+)/ } <$status>;
    }
    my (undef, $used) = `df --output=used -k "$disk"` =~ /(\S+)/g;
    print time, " $sum $used\n";
  }' "$(as_server head -n 1 "$DIR/data/postmaster.pid")" "$(ps -o pgid= -p $$)" "$DIR" >"$WORK/memory" &
SAMPLER=$!
# peak SINCE: the most memory since then, in MB; disk SINCE: the most disk space since then, in GB beyond that at the start
peak() { awk -v since="$1" '$1 >= since && $2 > most { most = $2 } END { printf "%d", most / 1024 }' "$WORK/memory"; }
disk() { awk -v since="$1" 'NR == 1 { before = $3 } $1 >= since && $3 > most { most = $3 } END { printf "%.1f", (most - before) / 1048576 }' "$WORK/memory"; }
seconds() { awk -v start="$1" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - start }'; }
line() {
  printf '%-40s %s\n' "$1" "$2"
  touch "$WORK/table"
  # an earlier run may have recorded that there was no answer; the new line replaces that one
  grep -vF -- "| ${1//|/\\|} | " "$WORK/table" >"$WORK/table.new" || true
  printf '| %s | %s |\n' "${1//|/\\|}" "${2//|/\\|}" >>"$WORK/table.new"
  mv "$WORK/table.new" "$WORK/table"
}
# known NAME: whether an earlier run in KEEP has measured it
known() {
  local found
  found=$(grep -F -m 1 -- "| ${1//|/\\|} | " "$WORK/table" 2>/dev/null) || return
  found=${found#"| ${1//|/\\|} | "}
  case $found in 'failed after'* | 'left out'* | 'not answered'*) return 1 ;; esac
  printf '%-40s %s, before\n' "$1" "${found% |}"
}

# step NAME COMMAND...: prints the time and memory of the command, and its last line of output
step() {
  local name=$1 start=$EPOCHREALTIME since=$EPOCHSECONDS status=0 out
  shift
  ! known "$name" || return 0
  if [ "$(left)" -le 0 ]; then
    line "$name" "left out: BUDGET=$BUDGET seconds are over"
    return
  fi
  out=$WORK/out-$BASHPID
  "$@" >"$out" 2>&1 </dev/null || status=$?
  if [ $status = 0 ]; then
    line "$name" "$(seconds "$start") s, memory $(peak "$since") MB, $(tail -n 1 "$out")"
  else
    line "$name" "failed after $(seconds "$start") s: $(grep -m 1 -i 'error\|chess-pgn:' "$out" || tail -n 1 "$out") (exit code $status)"
  fi
}
# psql and chess-pgn, limited to the rest of the budget
within() { timeout --foreground -k 10 "$(($(left) + 5))" "$@"; }
# limited to AT_MOST seconds, if set
statement() {
  local most
  most=$(left)
  [ "$most" -le "${AT_MOST:-$most}" ] || most=$AT_MOST
  within "${CLIENT[@]}" -d chess -At -c "SET statement_timeout = '${most}s'" "$@"
}
bytes_of="pg_size_pretty(%s) || ', ' || round(%s::numeric / (SELECT greatest(reltuples, 1) FROM pg_class WHERE oid = 'chess.games'::regclass)::numeric, 1) || ' bytes a game'"
# answer SELECT: a single value, or why there is none
answer() {
  "${CLIENT[@]}" -d chess -At -v VERBOSITY=terse -c "SET statement_timeout = '${LIMIT}s'" -c "SET search_path = asked, public" -c "$1" 2>&1 |
    tail -n 1 || true
}
timed() {
  local name=$1 found
  ! known "$name" || return 0
  if [ "$(left)" -le 0 ]; then
    line "$name" "left out: BUDGET=$BUDGET seconds are over"
    return
  fi
  found=$(answer "$2")
  case $found in
  *'statement timeout'*) found="not answered in $LIMIT s" ;;
  esac
  line "$name" "$found"
}

printf '%s, %s processors, %s MB of memory, load average %s\n' "$("$PG_CONFIG" --version)" "$(nproc)" \
  "$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)" "$(cut -d ' ' -f 1-3 /proc/loadavg)"
printf 'GAMES=%s BUDGET=%s LIMIT=%s; fsync = off' "$GAMES" "$BUDGET" "$LIMIT"
printf '; %s' "${SERVER_SETTINGS[@]}"
echo

say "Games"
base() {
  if [ -n "${PGN:-}" ]; then
    iconv -f UTF-8 -t UTF-8 "$PGN" >"$WORK/base" 2>/dev/null || iconv -f LATIN1 -t UTF-8 "$PGN" >"$WORK/base"
  else
    "$TARGET/release/chess-gamegen" --games $((GAMES < 100000 ? GAMES : 100000)) --seed 1 >"$WORK/base"
  fi
  du -h "$WORK/base" | cut -f 1
}
step "games to vary" base
load() {
  local status=0 pipe=$WORK/games.pgn making
  [ -p "$pipe" ] || mkfifo "$pipe"
  perl -e 'system(@ARGV) == 0 or exit 1; printf STDERR "%d\n", (times)[2] + (times)[3]' \
    "$TARGET/release/variants" "$WORK/base" "$GAMES" >"$pipe" 2>"$WORK/made" &
  making=$!
  within "$TARGET/release/chess-pgn" load --index "$pipe" 2>&1 | tee "$WORK/load" || status=$?
  # If the loader ended before it opened the pipe, the process that writes to the pipe would wait for ever.
  [ $status = 0 ] || kill "$making" 2>/dev/null || true
  wait "$making" || true
  [ $status = 0 ] || return $status
  echo "$(sql "SELECT sum(stored) FROM chess.pieces") games stored; $(cat "$WORK/made") s of processor time made them up"
}
step "\`chess-pgn load --index\`" load
known "\`chess-pgn load --index\`" >/dev/null || die "the load is not whole${KEEP:+: the same command goes on}"
sed -nE 's/^[0-9]+ games (read in .*)/of it, games|\1/p; s/^index .*: (\S+) \((\S+)\) in (.*)/of it, `\1`|\2 in \3/p' "$WORK/load" |
  while IFS='|' read -r name stage; do line "$name" "$stage"; done
line "most of the disk meanwhile" "$(disk 0) GB; the server's temporary files $(sql "SELECT pg_size_pretty(temp_bytes) FROM pg_stat_database WHERE datname = 'chess'")"
line "the table" "$(sql "SELECT $(sed "s/%s/pg_table_size('chess.games')/g" <<<"$bytes_of")")"
for name in $("${CLIENT[@]}" -d chess -At -c "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'chess.games'::regclass ORDER BY 1"); do
  line "its index \`${name#chess.}\`" "$(sql "SELECT $(sed "s/%s/pg_relation_size('$name')/g" <<<"$bytes_of")")"
done
line "the table and all of them" "$(sql "SELECT $(sed "s/%s/pg_total_relation_size('chess.games')/g" <<<"$bytes_of")")"
line "segments" "$(sql "SELECT count(*) FROM chess_index_info('chess.games_chess_idx') WHERE part = 'segment'")"

step "tables to ask" statement -f benches/server/scale.sql -c "SELECT ''"

say "The explorer"
walk() { statement -c "SET search_path = asked, public" -c "SELECT walk($1, $((3 * LIMIT)))"; }
step "explorer, a walk" walk 2000
for moves in '' '1. e4' '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'; do
  board="finalBoard('$moves')" name="explorer, ${moves:-the start}"
  timed "$name" "SELECT timed(\$q\$SELECT * FROM chess.explorer($board)\$q\$)"
  timed "$name, ratings from 2400, days from 2010" "SELECT timed(\$q\$SELECT * FROM chess.explorer($board, rating => '[2400,)', dates => '[2010-01-01,)')\$q\$)"
  timed "$name, ratings from 2450" "SELECT timed(\$q\$SELECT * FROM chess.explorer($board, rating => '[2450,)')\$q\$)"
  timed "$name, its best games" "SELECT timed(\$q\$SELECT * FROM chess.explorer_games($board)\$q\$)"
  timed "$name, its latest games" "SELECT timed(\$q\$SELECT * FROM chess.explorer_games($board, sort => 'date')\$q\$)"
done
compared() { AT_MOST=$((20 * LIMIT)) statement -c "SET search_path = asked, public" -c "SELECT compared(finalBoard('1. e4 c5'))"; }
step "explorer, 1. e4 c5, also from the games" compared

say "Positions and patterns"
timed "rare boards, half-moves 4-10" "SELECT rare_boards(4, 10, 60)"
timed "rare boards, half-moves 12-28" "SELECT rare_boards(12, 28, 60)"
timed "rare boards, half-moves 30-59" "SELECT rare_boards(30, 59, 200)"
timed "Najdorf, in the index" "SELECT in_index(finalBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'))"
timed "ten games of a board that 0.05 % have" "SELECT timed(format('SELECT FROM chess.games WHERE hasBoard(game, %L) LIMIT 10', board_of_share(0.0005)))"
since=$EPOCHSECONDS
for pattern in KRPPPvKRPPP 'KRP*vKRP*' 'Pc3 Pd4 Pe3 Pf4 Kg1' 'flip(isolated(Pd))' 'flip(Q = 2 and R = 0 and q = 1 and r = 2)' Nd5 'oppositebishops and [QRNqrn] = 0' \
  'flip(Bxph7 and check directly kxh7 directly N-g5 and check)' 'rxNc3 directly Pxc3' 'flip(mirror(K-h1 then R-g1 then P-g4))' 'pa6 Bb3 Nf3'; do
  timed "\`$pattern\`" "SELECT timed(\$q\$SELECT FROM chess.games WHERE game @@ '$pattern'\$q\$)"
done
line "memory of patterns" "$(peak "$since") MB"

say "Questions"
since=$EPOCHSECONDS
IFS='|' read -r source place rare < <(answer "SELECT source, source_offset, getBoard(game, 30) FROM games WHERE id =
  (SELECT id FROM chess.games WHERE plyCount(game) > 60 AND id > $GAMES / 2 ORDER BY id LIMIT 1)") || true
if statement -c "SET search_path = asked, public" -v source="$source" -v place="$place" -v rare="$rare" -f tests/system/cluster/questions.sql; then
  for name in $(answer "SELECT string_agg(name, ' ') FROM questions"); do
    timed "\`$name\`" "SELECT timed(query) FROM questions WHERE name = '$name'"
  done
fi
report() { AT_MOST=$((10 * LIMIT)) statement -c "SELECT count(*) || ' lines' FROM chess.opening_report(startBoard())"; }
step "\`opening_report\` of the start position" report
line "memory of questions" "$(peak "$since") MB"

say "Changes"
columns="event_id, site_id, white_id, black_id, white_elo, black_elo, dates, date, round, result, time_control, eco, game"
more() { statement -c "INSERT INTO chess.games ($columns) SELECT $columns FROM chess.games WHERE id <= $((GAMES < 1000000 ? GAMES : 1000000))" -c "SELECT count(*) || ' segments' FROM chess_index_info('chess.games_chess_idx') WHERE part = 'segment'"; }
step "\`INSERT\` of a million, all indexes" more
timed "rare boards, half-moves 30-59, then" "SELECT rare_boards(30, 59, 200)"
fewer() { statement -c "WITH gone AS (DELETE FROM chess.games WHERE id % 100 = 0 AND id <= 20000000 RETURNING 1) SELECT count(*) || ' games' FROM gone"; }
AT_MOST=$((10 * LIMIT)) step "\`DELETE\` of one in 100 of the first 20 million" fewer
clean() { statement -c "VACUUM (ANALYZE, INDEX_CLEANUP ON) chess.games" -c "SELECT count(*) || ' segments' FROM chess_index_info('chess.games_chess_idx') WHERE part = 'segment'"; }
AT_MOST=$((20 * LIMIT)) step "\`VACUUM (ANALYZE)\` of what they leave" clean
sound() { statement -c "SELECT chess_index_check('chess.games_chess_idx', false) IS NULL" -c "SELECT 'sound'"; }
AT_MOST=$((20 * LIMIT)) step "\`chess_index_check\`" sound

say "After a restart"
# the operating system's cache of the server's files is emptied, too
forget() {
  server_stop "$DIR"
  find "$DIR/data" -type f -size +1M -exec dd if={} iflag=nocache count=0 status=none \;
  server_start "$DIR"
  walk 300
}
step "explorer, a walk with nothing in memory" forget

say "Twins"
moves() { statement -c "CREATE INDEX IF NOT EXISTS games_moves ON chess.games (game)" -c "SELECT $(sed "s/%s/pg_relation_size('chess.games_moves')/g" <<<"$bytes_of")"; }
AT_MOST=$((20 * LIMIT)) step "B-tree on the games" moves
twins() {
  "$TARGET/release/variants" "$WORK/base" 1000 "$GAMES" >"$WORK/new.pgn"
  within "$TARGET/release/chess-pgn" load --twins "$WORK/new.pgn"
}
step "\`chess-pgn load --twins\` of 1,000 games more" twins

line "this run" "$((EPOCHSECONDS - BEGAN)) s, memory at most $(peak 0) MB beside shared_buffers, $(du -sh "$DIR/data" | cut -f 1) of disk, at most $(disk 0) GB"

say "As a table"
printf '| | |\n|---|---|\n'
cat "$WORK/table"
