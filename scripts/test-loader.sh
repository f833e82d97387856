#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG.
# Out: an error unless chess-pgn stores or rejects every game of generated and of broken PGN, in a private server:
# also when it or the server is killed, when two of them run at once, and when the disk is full.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
find_postgres
export LC_ALL=C.UTF-8
RANDOM=${SEED:-1}

cargo build -q --release -p chess-pgn -p chess-gamegen
LOADER=$TARGET/release/chess-pgn
GEN=$TARGET/release/chess-gamegen

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
MOUNT=
cleanup() {
  [ "${failed:-1}" = 0 ] || as_server tail -n 30 "$DIR/log" || true
  server_stop "$DIR"
  [ -z "$MOUNT" ] || umount -l "$MOUNT"
  rm -rf "$DIR" "$WORK"
}
trap cleanup EXIT
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres

passed=0
failed=
# equal WHAT EXPECTED ACTUAL
equal() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s:\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
  fi
}
# yes WHAT COMMAND...
yes() {
  local what=$1 status=0
  shift
  "$@" >"$WORK/out" 2>&1 || status=$?
  equal "$what (exit code)" 0 "$status"
  [ "$status" = 0 ] || sed 's/^/  /' "$WORK/out"
}
no() {
  local what=$1 status=0
  shift
  "$@" >"$WORK/out" 2>&1 || status=$?
  equal "$what must fail (exit code)" 1 "$status"
}
sql() { "${CLIENT[@]}" -d "${DB:-postgres}" -At -c "$1"; }
# all that a schema holds, but for the numbers that depend on the order of arrival
contents() {
  sql "SELECT count(*), md5(string_agg(md5((to_jsonb(v) - '{id,source_id,source}'::text[])::text), '' ORDER BY o.fingerprint, v.source_offset))
       FROM $1.pgn_view v JOIN $1.sources o ON o.id = v.source_id"
  sql "SELECT count(*), md5(string_agg(md5((to_jsonb(r) - '{id,source_id}'::text[])::text), '' ORDER BY o.fingerprint, r.source_offset))
       FROM $1.rejected r JOIN $1.sources o ON o.id = r.source_id"
  sql "SELECT sum(games), sum(stored), sum(rejected), sum(duplicates) FROM $1.pieces"
}

say "Traps"
make_traps() {
  local bom=$'\xef\xbb\xbf'
  printf '%s[Event "bom"]\n[White "first"]\n\n1. e4 e5 *\n\n' "$bom"
  printf '[Event "crlf"]\r\n[White "b"]\r\n\r\n1. e4 c5\r\n2. Nf3 1-0\r\n\r\n'
  printf '[Event "two blank lines"]\n\n\n1. d4 d5 1/2-1/2\n\n'
  printf '[Event "no blank line"]\n1. c4 *\n\n'
  printf '[Event "null move"]\n\n1. e4 -- 2. d4 *\n\n'
  printf '[Event "no moves"]\n[Result "1-0"]\n\n1-0\n\n'
  printf '[Event "no movetext"]\n\n[Event "escape lines"]\n\n1. e4 {one\n%% two }\n\n%% an escaped line ) } (\n1... e5 ; comment ( {\n2. Nf3 *\n\n'
  printf '[Event "variations"]\n\n1. e4 (1. d4 d5 (1... Nf6 2. c4 (2. Nf3)) 2. c4) 1... e5 $1 2. Nf3 *\n\n'
  printf '[Event "NUL in moves"]\n\n1. e4 \0 e5 *\n\n[Event "NUL in \0 tag"]\n\n1. e4 *\n\n[Event "NUL in comment"]\n\n1. e4 {\0} e5 *\n\n'
  printf '[Event "open comment"]\n\n1. e4 {never closed 1... e5\n\n[Event "after it"]\n\n1. d4 *\n\n'
  printf '[Event "open variation"]\n\n1. e4 (1. d4 *\n\n[Event "after that"]\n\n1. d4 d5 *\n\n'
  printf '[Event "illegal"]\n\n1. e4 e5 2. Ke3 *\n\n[Event broken tag]\n[White "x"]\n\n1. e4 *\n\n'
  printf '[Event "latin1"]\n[White "M\xfcller, J\xf6rg"]\n[Date "1851.06.??"]\n[Round "3.2"]\n[WhiteElo ""]\n[BlackElo "2400"]\n\n1. e4 *\n\n'
  printf '[Event "utf8"]\n[White "M\xc3\xbcller, J\xc3\xb6rg"]\n\n1. d4 *\n\n'
  printf '[Event "quotes \\"and\\" \\\\"]\n[Annotator "a"]\n[Annotator "b"]\n\n1. e4 *\n\n'
  printf '[Event "position"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40"]\n\n40... Kd7 41. e4 *\n\n'
  printf '[Event "960"]\n[Variant "Chess960"]\n[SetUp "1"]\n[FEN "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"]\n\n1. e4 e5 2. Bg4 Bg5 3. O-O O-O *\n\n'
  printf '[Event "other rules"]\n[Variant "Atomic"]\n\n1. e4 *\n\n'
  printf '[Event "long line"]\n\n1. e4 {'; head -c 1000000 /dev/zero | tr '\0' x; printf '} e5 *\n\n'
  printf '[Event "long name"]\n[White "'; head -c 1000000 /dev/zero | tr '\0' y; printf '"]\n\n1. e4 *\n\n'
  printf '[Event "clocks"]\n\n1. e4 {[%%clk 0:03:00] [%%eval 0.25]} e5 {[%%clk 0:02:59.5]} 2. Nf3 {[%%eval #3]} *\n\n'
  printf '%s[Event "joined file"]\n\n1. e4 e6 *\n\n' "$bom"
  printf '1. e4 d5 1-0\n1. d4 d6 *\n1. e9 *\n1. c4 c5\n'
}
make_traps >"$WORK/traps.pgn"
yes "loading the traps" "$LOADER" load --schema traps --clocks --evals "$WORK/traps.pgn"
equal "traps read, stored and rejected" "32|22|10|0" "$(sql 'SELECT sum(games), sum(stored), sum(rejected), sum(duplicates) FROM traps.pieces')"
equal "traps in the tables" "22|10" "$(sql 'SELECT (SELECT count(*) FROM traps.games), (SELECT count(*) FROM traps.rejected)')"
equal "why traps are rejected" "$(
  cat <<'WHY'
5|2|half-move 2, "--": null moves are not supported
10|2|half-move 2, "?": not a move in standard algebraic notation
11||tag Event holds a NUL byte, which PostgreSQL cannot store
13|2|half-move 2, "{never closed 1... e5": the comment is not terminated
15|2|half-move 2, "(1. d4 *": the variation is not terminated
17|3|half-move 3, "Ke3": illegal move in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2
18||malformed tag: [Event broken tag]
24||variant "Atomic": only standard chess and Chess960 are supported
26||tag White is longer than 2000 bytes: 1000000
31|1|half-move 1, "e9": not a move in standard algebraic notation
WHY
)" "$(sql "SELECT number, ply, translate(reason, U&'\FFFD', '?') FROM traps.rejected ORDER BY number")"
sql "SELECT source_offset, line, encode(coalesce(raw, convert_to(text, 'UTF8')), 'hex') FROM traps.rejected" >"$WORK/places"
equal "the places of rejected games" "" "$(perl -F'\|' -lane '
  BEGIN { local $/; open my $file, "<", shift or die; binmode $file; $all = <$file> }
  my $raw = pack "H*", $F[2];
  my $line = 1 + (substr($all, 0, $F[0]) =~ tr/\n//);
  print "$F[0], line $F[1]" unless substr($all, $F[0], length $raw) eq $raw && $line == $F[1]' \
  "$WORK/traps.pgn" "$WORK/places")"
equal "moves of the traps" "Müller, Jörg|1. d4
Müller, Jörg|1. e4
first|1. e4 e5
|1. e4 e5 2. Nf3
|1. e4 e5 2. Nf3" "$(sql "SELECT white, game FROM traps.pgn_view
  WHERE event IN ('bom', 'escape lines', 'variations', 'latin1', 'utf8') ORDER BY white COLLATE \"C\", event DESC")"
equal "an honest date, and ratings" "1851.06.??|[1851-06-01,1851-07-01)||2400|{\"WhiteElo\": \"\"}" \
  "$(sql "SELECT date, dates, white_elo, black_elo, tags FROM traps.pgn_view WHERE event = 'latin1'")"
equal "names are unique" 1 "$(sql "SELECT count(*) FROM traps.players WHERE name LIKE 'M%ller%'")"
equal "clocks and evaluations" "{1800,1795,NULL}|{25,NULL,99997}" \
  "$(sql "SELECT clocks, evals FROM traps.pgn_view WHERE event = 'clocks'")"
equal "foreign keys" 7 "$(sql "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'traps'::regnamespace")"

say "Export"
yes "exporting" "$LOADER" export --schema traps
cp "$WORK/out" "$WORK/export.pgn"
equal "lines of moves are at most 79 characters" "" "$(grep -vE '^\[' "$WORK/export.pgn" | awk 'length > 79' | head -1)"
yes "loading what was exported" "$LOADER" load --schema again --clocks --evals "$WORK/export.pgn"
rows() { sql "SELECT to_jsonb(v) - '{id,source,source_id,source_offset}'::text[] FROM $1.pgn_view v ORDER BY source_offset"; }
equal "the same rows again" "$(rows traps)" "$(rows again)"
equal "a condition" 2 "$("$LOADER" export --schema traps --where "white = 'Müller, Jörg' -- both" | grep -c '^\[Event ')"
no "a condition that is no SQL" "$LOADER" export --schema traps --where "white ="

say "Ways in"
"$GEN" --games 4000 --seed 7 >"$WORK/gen.pgn"
yes "plain" "$LOADER" load --schema plain "$WORK/gen.pgn"
gzip -k "$WORK/gen.pgn"
bzip2 -k "$WORK/gen.pgn"
cat "$WORK/gen.pgn.gz" | "$LOADER" load --schema gz - >/dev/null
yes "bzip2" "$LOADER" load --schema bz "$WORK/gen.pgn.bz2"
for schema in gz bz; do
  equal "the same rows through $schema" "$(contents plain)" "$(contents $schema)"
done
yes "loading again" "$LOADER" load --schema plain "$WORK/gen.pgn"
equal "nothing new" "4000 games had been loaded before" "$(grep before "$WORK/out")"
cat "$WORK/gen.pgn.gz" | "$LOADER" load --schema gz - >/dev/null
equal "nothing new from standard input" 4000 "$(sql 'SELECT count(*) FROM gz.games')"
mv "$WORK/gen.pgn" "$WORK/moved.pgn"
yes "a file that was moved" "$LOADER" load --schema plain "$WORK/moved.pgn"
equal "nothing new from a moved file" 4000 "$(sql 'SELECT count(*) FROM plain.games')"
yes "equal games once" "$LOADER" load --schema plain --dedupe "$WORK/gen.pgn.gz"
equal "all duplicates" "4000|0|0|4000" "$(sql "SELECT sum(games), sum(stored), sum(rejected), sum(duplicates)
  FROM plain.pieces JOIN plain.sources o ON o.id = source_id WHERE o.name LIKE '%.gz'")"
perl -pe 'tr/1-8/2-81/ if $. == 50000' "$WORK/moved.pgn" >"$WORK/gen.pgn"
no "a file that has changed in the middle" "$LOADER" load --schema plain "$WORK/gen.pgn"
head -c 1200000 "$WORK/moved.pgn" >"$WORK/cut.pgn"
head -c 400000 "$WORK/gen.pgn.gz" >"$WORK/cut.pgn.gz"
no "a truncated file" "$LOADER" load --schema cut "$WORK/cut.pgn.gz"
equal "what could be read of it is stored" t "$(sql 'SELECT count(*) > 0 FROM cut.games')"
no "a file that is not there" "$LOADER" load --schema cut "$WORK/none.pgn" "$WORK/cut.pgn"
equal "the other file is loaded" 1 "$(sql 'SELECT count(*) FROM cut.sources WHERE finished IS NOT NULL')"
head -c 20000000 /dev/urandom >"$WORK/random.pgn"
yes "random bytes" "$LOADER" load --schema noise "$WORK/random.pgn"
{ printf '[Event "endless"]\n\n1. e4 {'; head -c 30000000 /dev/zero | tr '\0' x; printf '\n\n[Event "next"]\n\n1. d4 *\n'; } |
  "$LOADER" load --schema endless - >/dev/null
equal "after an endless game" "1|1|next" "$(sql "SELECT (SELECT count(*) FROM endless.rejected), count(*), min(event) FROM endless.pgn_view")"
yes "indexes" "$LOADER" load --schema plain --index "$WORK/moved.pgn"
equal "nine indexes" 9 "$(sql "SELECT count(*) FROM pg_indexes WHERE schemaname = 'plain' AND tablename = 'games' AND indexname ~ '(idx|gin)\$'")"

say "Two loaders at once"
"$GEN" --games 6000 --seed 8 >"$WORK/one.pgn"
"$GEN" --games 6000 --seed 9 >"$WORK/two.pgn"
"$LOADER" load --schema alone "$WORK/one.pgn" "$WORK/two.pgn" >/dev/null
"$LOADER" load --schema pair --batch 64 "$WORK/one.pgn" "$WORK/two.pgn" >/dev/null &
first=$!
yes "the second of two" "$LOADER" load --schema pair --batch 100 "$WORK/two.pgn" "$WORK/one.pgn"
status=0
wait $first || status=$?
equal "the first of two (exit code)" 0 $status
equal "the same rows by two loaders" "$(contents alone)" "$(contents pair)"

say "Killed and resumed"
{ "$GEN" --games 9000 --seed 10; cat "$WORK/traps.pgn"; "$GEN" --games 9000 --seed 11; } | bzip2 -1 >"$WORK/big.pgn.bz2"
"$LOADER" load --schema calm "$WORK/big.pgn.bz2" >/dev/null
kills=0
for _ in $(seq 10); do
  "$LOADER" load --schema killed --batch 64 --jobs 3 "$WORK/big.pgn.bz2" >/dev/null 2>&1 &
  pid=$!
  sleep "0.$((RANDOM % 100 + 100))"
  if kill -9 $pid 2>/dev/null; then kills=$((kills + 1)); fi
  wait $pid 2>/dev/null || true
done
echo "killed $kills times, $(sql 'SELECT count(*) FROM killed.games') games stored so far"
equal "killed often enough" t "$([ $kills -ge 5 ] && echo t)"
"$LOADER" load --schema killed --batch 64 "$WORK/big.pgn.bz2" >"$WORK/out"
equal "the same rows after $kills kills" "$(contents calm)" "$(contents killed)"
"$LOADER" load --schema crashed --batch 64 "$WORK/big.pgn.bz2" >"$WORK/out" 2>&1 &
pid=$!
sleep 0.6
as_server "$BINDIR/pg_ctl" stop -s -m immediate -D "$DIR/data"
status=0
wait $pid || status=$?
equal "the server crashed (exit code)" 1 $status
server_start "$DIR"
yes "after the crash of the server" "$LOADER" load --schema crashed "$WORK/big.pgn.bz2"
equal "the same rows after a crash" "$(contents calm)" "$(contents crashed)"

say "A full disk"
mkdir "$DIR/small"
if is_root && mount -t tmpfs -o size=3m tmpfs "$DIR/small" 2>/dev/null; then
  MOUNT=$DIR/small
  own_by_server "$DIR/small"
  sql "CREATE TABLESPACE small LOCATION '$DIR/small'"
  sql "CREATE DATABASE small" && sql "ALTER DATABASE small SET default_tablespace = small"
  export PGDATABASE=small
  no "a full disk" "$LOADER" load --schema filled "$WORK/big.pgn.bz2"
  equal "what the matter is" t "$(grep -qi 'no space left' "$WORK/out" && echo t)"
  mount -o remount,size=200m "$DIR/small"
  yes "with room again" "$LOADER" load --schema filled "$WORK/big.pgn.bz2"
  equal "the same rows with room again" "$(contents calm)" "$(DB=small contents filled)"
  export PGDATABASE=postgres
else
  echo "1 skipped: only root can make a small file system"
fi

failed=$((failed))
echo "$passed passed, $failed failed"
[ $failed = 0 ]
