#!/usr/bin/env bash
# In: the installed extension; GAMES=n (10,000,000), variants of those of PGN=file.pgn or of generated games;
# BUDGET=seconds (2100); LIMIT=seconds for a question (30); BUFFERS=MB of shared_buffers (a sixth of the memory);
# KEEP=directory for the server and what was measured: the same command again goes on after the last whole step, a load
# after its last whole game. Needs about 1.5 kB of disk per game in KEEP or /var/tmp, and 8 GB: games go from the program
# that makes them up to the loader through pipes.
# Out: one server with that many games, end to end: load; the access method chess on a copy of the games: build, rare
# boards, VACUUM, half as many games again by INSERT; then B-tree, the explorer's index, VACUUM, the 35 questions of
# tests/system/cluster/questions.sql, ten patterns and a walk by the explorer; the most important ones first. Each line is
# printed when it is known, and at the end all of them as a table in Markdown: time, peak of the private memory of all
# processes (without shared_buffers), size. A step that fails or exceeds its time says so, and the next one begins.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
GAMES=${GAMES:-10000000} BUDGET=${BUDGET:-2100} LIMIT=${LIMIT:-30}
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
  "max_wal_size = 8GB" "checkpoint_timeout = 1h" "autovacuum = off")
[ -d "$DIR/data" ] || server_init "$DIR" "${SERVER_SETTINGS[@]}"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=chess
[ "$("${CLIENT[@]}" -d postgres -At -c "SELECT 1 FROM pg_database WHERE datname = 'chess'")" = 1 ] ||
  "${CLIENT[@]}" -d postgres -c 'CREATE DATABASE chess'
sql() { "${CLIENT[@]}" -d chess -At -c "$1"; }
BEGAN=$EPOCHSECONDS
left() { echo $((BUDGET - (EPOCHSECONDS - BEGAN))); }

# Every half second: the private memory of the server's processes and those of this script.
perl -e '
  my ($postmaster, $group) = @ARGV;
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
    print time, " $sum\n";
  }' "$(as_server head -n 1 "$DIR/data/postmaster.pid")" "$(ps -o pgid= -p $$)" >"$WORK/memory" &
SAMPLER=$!
# peak SINCE, in MB
peak() { awk -v since="$1" '$1 >= since && $2 > most { most = $2 } END { printf "%d", most / 1024 }' "$WORK/memory"; }
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
# index NAME DEFINITION [MB of maintenance_work_mem]
index() {
  statement ${3:+-c "SET maintenance_work_mem = '$3MB'"} -c "CREATE INDEX IF NOT EXISTS $1 ON chess.games USING $2" -c "SELECT $(sed "s/%s/pg_relation_size('chess.$1')/g" <<<"$bytes_of")"
}
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
# A process makes each part, while the loader reads it from a pipe.
load() {
  local part parts status=0 pipe making=()
  parts=$(nproc)
  for part in $(seq "$parts"); do
    pipe=$WORK/part-$part.pgn
    [ -p "$pipe" ] || mkfifo "$pipe"
    perl -e 'system(@ARGV) == 0 or exit 1; printf STDERR "%d\n", (times)[2] + (times)[3]' \
      "$TARGET/release/variants" "$WORK/base" "$GAMES" "$part" "$parts" >"$pipe" 2>"$WORK/cpu-$part" &
    making+=($!)
  done
  within "$TARGET/release/chess-pgn" load --jobs "$parts" "$WORK"/part-*.pgn || status=$?
  # The loader may have ended before it opened a pipe; the process behind it would wait for ever.
  [ $status = 0 ] || kill "${making[@]}" 2>/dev/null || true
  for part in "${making[@]}"; do wait "$part" || true; done
  [ $status = 0 ] || return $status
  echo "$(sql "SELECT sum(stored) FROM chess.pieces") games stored; $(cat "$WORK"/cpu-* | awk '{ sum += $1 } END { print sum + 0 }') s of processor time made them up"
}
step "\`chess-pgn load\`, foreign keys" load
known "\`chess-pgn load\`, foreign keys" >/dev/null || die "the load is not whole${KEEP:+: the same command goes on}"
line "its table" "$(sql "SELECT $(sed "s/%s/pg_table_size('chess.games')/g" <<<"$bytes_of")")"
for name in $("${CLIENT[@]}" -d chess -At -c "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 'chess.games'::regclass ORDER BY 1"); do
  line "its index \`${name#chess.}\`" "$(sql "SELECT $(sed "s/%s/pg_relation_size('$name')/g" <<<"$bytes_of")")"
done

step "tables to ask" statement -f benches/server/scale.sql -c "SELECT ''"

PATTERNS=(KRPPPvKRPPP 'KRP*vKRP*' 'Pc3 Pd4 Pe3 Pf4 Kg1' 'flip(isolated(Pd))' 'flip(Q = 2 and R = 0 and q = 1 and r = 2)' Nd5 'oppositebishops and [QRNqrn] = 0'
  'flip(Bxph7 and check directly kxh7 directly N-g5 and check)' 'rxNc3 directly Pxc3' 'flip(mirror(K-h1 then R-g1 then P-g4))' 'pa6 Bb3 Nf3')

say "One index: the access method chess, on a copy of the games"
one="pg_size_pretty(pg_relation_size('asked.one_chess')) || ', ' || round(pg_relation_size('asked.one_chess')::numeric / count(*), 1) || ' bytes a game' FROM asked.one"
copy() { statement -c "DROP TABLE IF EXISTS asked.one" -c "CREATE TABLE asked.one AS SELECT id, game FROM chess.games" -c "ALTER TABLE asked.one ADD PRIMARY KEY (id)" -c "VACUUM (ANALYZE) asked.one" -c "SELECT 'its copy'"; }
step "the games alone" copy
one_index() { statement -c "SET maintenance_work_mem = '$1MB'" -c "DROP INDEX IF EXISTS asked.one_chess" -c "CREATE INDEX one_chess ON asked.one USING chess (game)" -c "SELECT $one"; }
step "\`USING chess\`, maintenance_work_mem 64 MB" one_index 64
step "\`USING chess\`, maintenance_work_mem 1 GB" one_index 1024
timed "rare boards, half-moves 4-10" "SELECT rare_boards('one', 4, 10, 60)"
timed "rare boards, half-moves 12-28" "SELECT rare_boards('one', 12, 28, 60)"
timed "rare boards, half-moves 30-59" "SELECT rare_boards('one', 30, 59, 200)"
timed "Najdorf, in the index" "SELECT in_index('one', finalBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'))"
timed "1. e4, in the index" "SELECT in_index('one', finalBoard('1. e4'))"
timed "ten games of a board that 0.05 % have" "SELECT timed(format('SELECT FROM one WHERE hasBoard(game, %L) LIMIT 10', board_of_share(0.0005)))"
for pattern in "${PATTERNS[@]}"; do
  timed "\`$pattern\`, one index" "SELECT timed(\$q\$SELECT FROM one WHERE game @@ '$pattern'\$q\$)"
done
fewer() { statement -c "WITH gone AS (DELETE FROM asked.one WHERE id % 100 = 0 RETURNING 1) SELECT count(*) || ' games' FROM gone"; }
step "\`DELETE\` of one game in 100" fewer
clean() { statement -c "VACUUM (INDEX_CLEANUP ON) asked.one" -c "SELECT $one"; }
step "\`VACUUM\` of what they leave, a B-tree too" clean
more() { statement -c "INSERT INTO asked.one SELECT id + $GAMES, game FROM chess.games WHERE id <= $GAMES / 2" -c "SELECT count(*) || ' segments' FROM chess_index_info('asked.one_chess') WHERE part = 'segment'"; }
step "\`INSERT\` of half as many games, a B-tree too" more
timed "rare boards, half-moves 30-59, then" "SELECT rare_boards('one', 30, 59, 200)"
sound() { statement -c "SELECT chess_index_check('asked.one_chess', false) IS NULL" -c "SELECT 'sound'"; }
step "\`chess_index_check\`" sound
sql "DROP TABLE IF EXISTS asked.one"

say "Indexes"
step "B-tree" index games_game_idx "btree (game)"
step "its index" index games_chess_idx "chess (game, white_elo, black_elo, (chess.result_code(result)), (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control)), (chess.mean_elo(white_elo, black_elo)))"
vacuum() { statement -c "VACUUM (ANALYZE) chess.games" -c "SELECT $1"; }
indexes="'with ' || count(*) || ' indexes' FROM pg_index WHERE indrelid = 'chess.games'::regclass"
step "\`VACUUM ANALYZE\`" vacuum "$indexes"

say "Questions"
since=$EPOCHSECONDS
IFS='|' read -r source place rare < <(answer "SELECT source, source_offset, getBoard(game, 30) FROM games WHERE id =
  (SELECT id FROM chess.games WHERE plyCount(game) > 60 AND id > $GAMES / 2 ORDER BY id LIMIT 1)") || true
if statement -c "SET search_path = asked, public" -v source="$source" -v place="$place" -v rare="$rare" -f tests/system/cluster/questions.sql; then
  for name in $(answer "SELECT string_agg(name, ' ') FROM questions"); do
    timed "\`$name\`" "SELECT timed(query) FROM questions WHERE name = '$name'"
  done
fi
line "memory of questions" "$(peak "$since") MB"
since=$EPOCHSECONDS
for pattern in "${PATTERNS[@]}"; do
  timed "\`$pattern\`" "SELECT timed(\$q\$SELECT FROM chess.games WHERE game @@ '$pattern'\$q\$)"
done
line "memory of patterns" "$(peak "$since") MB"

say "The explorer"
for moves in '' '1. e4' '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'; do
  board="finalBoard('$moves')"
  timed "explorer, ${moves:-the start}" "SELECT timed(\$q\$SELECT * FROM chess.explorer($board)\$q\$)"
  timed "the same, from the games" "SELECT timed(\$q\$SELECT * FROM chess.explorer($board, reached => false, by_index => false)\$q\$)"
done
walk() { statement -c "SET search_path = asked, public" -c "SELECT walk(2000, $((3 * LIMIT)))"; }
step "explorer, a walk" walk
say "VACUUM"
deleted() {
  AT_MOST=$((4 * LIMIT)) statement -c "WITH gone AS (DELETE FROM chess.games WHERE id % 100 = 0 RETURNING 1) SELECT count(*) || ' games' FROM gone"
}
step "\`DELETE\` of one game in 100" deleted
AT_MOST=$((15 * LIMIT)) step "\`VACUUM\` of what they leave" vacuum "$indexes"

line "this run" "$((EPOCHSECONDS - BEGAN)) s, memory at most $(peak 0) MB beside shared_buffers, $(du -sh "$DIR/data" | cut -f 1) of disk"

say "As a table"
printf '| | |\n|---|---|\n'
cat "$WORK/table"
