#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG.
# Out: an error unless chess-pgn stores or rejects every game of generated and of broken PGN, in a private server:
# also when it or the server is killed, when two of them run at once, and when the disk is full.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8
RANDOM=${SEED:-1}

cargo_build -q
LOADER=$TARGET/release/chess-pgn
GEN=$TARGET/release/chess-gamegen

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
MOUNT=
cleanup() {
  [ "$failed" = 0 ] || as_server tail -n 30 "$DIR/log"
  server_stop "$DIR"
  [ -z "$MOUNT" ] || umount -l "$MOUNT"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres

# all that a schema holds, but for the numbers that depend on the order of arrival
contents() {
  sql "SELECT count(*), md5(string_agg(md5((to_jsonb(v) - '{id,source_id,source}'::text[])::text), '' ORDER BY o.fingerprint, v.source_offset))
       FROM $1.pgn_view v JOIN $1.sources o ON o.id = v.source_id"
  sql "SELECT count(*), md5(string_agg(md5((to_jsonb(r) - '{id,source_id,game_id}'::text[])::text || (game_id IS NULL)), '' ORDER BY o.fingerprint, r.source_offset))
       FROM $1.rejected r JOIN $1.sources o ON o.id = r.source_id"
  sql "SELECT sum(games), sum(stored), sum(rejected), sum(duplicates) FROM $1.pieces"
}

go_on
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
equal "traps read, stored, incomplete, rejected" "32|28|5|4|0" \
  "$(sql 'SELECT sum(games), sum(stored), sum(incomplete), sum(rejected), sum(duplicates) FROM traps.pieces')"
equal "traps in the tables" "28|5|9|5" "$(sql 'SELECT (SELECT count(*) FROM traps.games), (SELECT count(*) FROM traps.games WHERE error IS NOT NULL), count(*), count(game_id) FROM traps.rejected')"
equal "the text of an incomplete game is linked to it" "1. e4 e5|t" "$(sql "SELECT g.game, r.text LIKE '%2. Ke3 *' AND r.reason = g.error
  FROM traps.pgn_view g JOIN traps.rejected r ON r.game_id = g.id WHERE g.event = 'illegal'")"
equal "why traps are rejected" "$(
  cat <<'WHY'
5|2|half-move 2, "--": null moves are not supported
11||tag Event holds a NUL byte, which PostgreSQL cannot store
13|2|half-move 2, "{never closed 1... e5": the comment is not terminated
15|2|half-move 2, "(1. d4 *": the variation is not terminated
17|3|half-move 3, "Ke3": illegal move in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2
18||malformed tag: [Event broken tag]
24||variant "Atomic": only standard chess and Chess960 are supported
26||tag White is longer than 2000 bytes: 1000000
31|1|half-move 1, "e9": not a move in standard algebraic notation
WHY
)" "$(sql "SELECT number, ply, reason FROM traps.rejected ORDER BY number")"
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
yes "the traps, strictly" "$LOADER" load --schema strict --strict "$WORK/traps.pgn"
equal "traps in the tables, strictly" "23|0|9|0" "$(sql 'SELECT (SELECT count(*) FROM strict.games), (SELECT count(*) FROM strict.games WHERE error IS NOT NULL), count(*), count(game_id) FROM strict.rejected')"
sql 'DELETE FROM traps.games WHERE error IS NOT NULL'
equal "the text goes with its game" 4 "$(sql 'SELECT count(*) FROM traps.rejected')"
equal "foreign keys" 10 "$(sql "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'traps'::regnamespace")"

say "Export"
yes "exporting" "$LOADER" export --schema traps
cp "$WORK/out" "$WORK/export.pgn"
equal "lines of moves are at most 79 characters" "" "$("$LOADER" export --schema traps --where 'annotated IS NULL' | grep -vE '^\[' | awk 'length > 79' | head -1)"
yes "loading what was exported" "$LOADER" load --schema again --clocks --evals "$WORK/export.pgn"
rows() { sql "SELECT to_jsonb(v) - '{id,source,source_id,source_offset}'::text[] FROM $1.pgn_view v ORDER BY source_offset"; }
equal "the same rows again" "$(rows traps)" "$(rows again)"
equal "a condition" 2 "$("$LOADER" export --schema traps --where "white = 'Müller, Jörg' -- both" | grep -c '^\[Event ')"
no "a condition that is no SQL" "$LOADER" export --schema traps --where "white ="
equal "a year without quotes" "compare text with text, as in date >= '2015'" \
  "$("$LOADER" export --schema traps --where "date > 2015" 2>&1 | grep -o "text is compared.*'2015'")"
equal "an order" "bom utf8 latin1" \
  "$("$LOADER" export --schema traps --where "white IS NOT NULL -- all" --order 'white DESC, event DESC -- both' | sed -n 's/^\[Event "\(utf8\|latin1\|bom\)"\]/\1/p' | paste -sd ' ')"
no "an order that is no SQL" "$LOADER" export --schema traps --order 'white DESC,,'

sql "CREATE ROLE onlooker LOGIN; GRANT USAGE ON SCHEMA traps TO onlooker; GRANT SELECT ON traps.pgn_view TO onlooker"
equal "an export by who may read the view alone" "$("$LOADER" export --schema traps | cksum)" "$(PGUSER=onlooker "$LOADER" export --schema traps | cksum)"

say "Control characters"
# in names, tags and comments: each of the characters, line separators, quotes and backslashes, with tags and moves of
# other games
"$LOADER" schema --schema nasty >/dev/null
sql "INSERT INTO nasty.pgn_view (event, site, white, black, date, round, time_control, eco, tags, game, annotated)
  SELECT v, v, v, v, v, v, v, v, jsonb_build_object('Note', jsonb_build_array(v, 'second'), 'Other', v), '1. e4 e5 1-0',
    '1. e4 {' || replace(c || 'x' || c || c || 'y', '}', '') || '} e5 1-0'
  FROM (SELECT c, 'a' || c || '\"]' || c || c || '[Event \"forged\"]' || c || c || '1. d4 *' || c || c || 'b' AS v
    FROM (SELECT chr(i) AS c FROM generate_series(1, 159) i WHERE i < 32 OR i > 126
      UNION ALL SELECT unnest(ARRAY[chr(8232), chr(8233), chr(65279), '\"', '\\', ']', '\\\"', '{', ';', '%'])) c) n"
yes "exporting control characters" "$LOADER" export --schema nasty
cp "$WORK/out" "$WORK/nasty.pgn"
yes "loading them again" "$LOADER" load --schema nasty2 --batch 1 "$WORK/nasty.pgn"
blanked() { sql "SELECT regexp_replace((to_jsonb(v) - '{id,source,source_id,source_offset,annotated}'::text[])::text, '\\\\([bfnrt]|u00[0189].)|[\x7f-\x9f]', ' ', 'g'),
  regexp_replace(v.annotated, '^$(printf '\xef\xbb\xbf')', '') FROM $1.pgn_view v ORDER BY source_offset, id"; }
equal "as many games, and the same with blanks for control characters" "$(blanked nasty)" "$(blanked nasty2)"
equal "there are some" 74 "$(sql 'SELECT count(*) FROM nasty2.games')"
equal "pgn() forges none either" "74|74|74" "$(sql "SELECT count(*), count(*) FILTER (WHERE tags->>'White' LIKE '%forged%'), count(*) FILTER (WHERE game = '1. e4 e5 1-0')
  FROM pgngames((SELECT string_agg(pgn(game, tags || jsonb_build_object('White', white, 'Event', event), annotated), chr(10)) FROM nasty.pgn_view))")"

say "Odd rows"
"$LOADER" schema --schema odd >/dev/null
sql "ALTER TABLE odd.games ALTER game DROP NOT NULL"
sql "INSERT INTO odd.pgn_view (white, game, clocks, evals, tags, annotated, dates) VALUES
  ('two dimensions', '1. e4 e5', '{{1,2},{3,4}}', '{{1}}', NULL, NULL, 'empty'),
  ('from 0', '1. e4 e5', '[0:1]={10,20}', '[2:2]={7}', NULL, NULL, '(,)'),
  ('from the end', '1. e4 e5', '[2147483000:2147483001]={10,20}', NULL, NULL, NULL, NULL),
  ('out of range', '1. e4 e5', '{-5,2147483647}', '{200000,-90000}', NULL, NULL, NULL),
  ('too long', '1. e4 e5', '{600,600,NULL,600}', '{1}', NULL, NULL, NULL),
  ('nothing in them', '1. e4 e5', '{}', '{NULL,NULL,NULL}', '{}', ' ', NULL),
  ('no object', '1. e4 e5', NULL, NULL, '[1]', NULL, NULL),
  ('no tag', '1. e4 e5', NULL, NULL, '{\"a b\": 1, \"N\": [1e400, null, {\"x\": 1}]}', NULL, NULL),
  ('another game', '1. e4 e5', NULL, NULL, NULL, '1. d4 {x}', NULL)"
sql "INSERT INTO odd.games (game, result) VALUES (NULL, '1-0')" "INSERT INTO odd.pgn_view (white, game) VALUES ('the last', '1. d4')"
status=0
"$LOADER" export --schema odd >"$WORK/odd.pgn" 2>"$WORK/err" || status=$?
equal "an export of odd rows (exit code)" 1 "$status"
equal "what they are written without" 'chess-pgn: game 1 is written without its clocks: the array has 2 dimensions
chess-pgn: game 1 is written without its evaluations: the array has 2 dimensions
chess-pgn: game 2 is written without 1 of its clocks: they belong to none of its 2 half-moves
chess-pgn: game 3 is written without 2 of its clocks: they belong to none of its 2 half-moves
chess-pgn: game 4 is written without 1 of its clocks: out of range
chess-pgn: game 4 is written without 2 of its evaluations: out of range
chess-pgn: game 5 is written without 1 of its clocks: they belong to none of its 2 half-moves
chess-pgn: game 7 is written without its tags: they are not a JSON object
chess-pgn: game 8 is written without its tag "a b": a name has only ASCII letters, digits and "_"
chess-pgn: game 9 is written without its annotations: they belong to another game
chess-pgn: game 10 is written without its moves: there are none
chess-pgn: 9 of 11 games were written incompletely; see the messages above' "$(cat "$WORK/err")"
yes "loading odd rows" "$LOADER" load --schema odd2 --clocks --evals "$WORK/odd.pgn"
equal "every game, with what can be written" "$(
  cat <<'ROWS'
two dimensions|1. e4 e5|||
from 0|1. e4 e5|{20,NULL}|{NULL,7}|
from the end|1. e4 e5|||
out of range|1. e4 e5|{NULL,2147483647}||
too long|1. e4 e5|{600,600}|{1,NULL}|
nothing in them|1. e4 e5|||
no object|1. e4 e5|||
no tag|1. e4 e5|||["1ZEROS", "{\"x\": 1}"]
another game|1. e4 e5|||
|1-0|||
the last|1. d4|||
ROWS
)" "$(sql "SELECT white, game, clocks, evals, replace(tags->>'N', repeat('0', 400), 'ZEROS') FROM odd2.pgn_view ORDER BY source_offset")"

say "Annotations"
perl tests/annotated/make-ugly.pl >"$WORK/ugly.pgn"
cp tests/annotated/famous.pgn "$WORK/famous.pgn"
{ printf '\xef\xbb\xbf{Two games,\none of them short.}\n'; cat "$WORK/famous.pgn"; } >"$WORK/preface.pgn"
stream() { perl scripts/pgn-stream.pl "$@"; }
for file in ugly famous; do
  for flags in '' '--clocks --evals' --clocks --evals; do
    schema=${file}_$(tr -d ' -' <<<"$flags")
    # shellcheck disable=SC2086
    yes "$file.pgn $flags" "$LOADER" load --schema "$schema" $flags "$WORK/$file.pgn"
    "$LOADER" export --schema "$schema" >"$WORK/$schema.pgn"
    equal "$file.pgn $flags comes back but for layout" "" "$(diff <(stream "$WORK/$file.pgn") <(stream "$WORK/$schema.pgn") | head -n 20)"
    # shellcheck disable=SC2086
    yes "$file.pgn $flags again" "$LOADER" load --schema "${schema}_again" $flags "$WORK/$schema.pgn"
    equal "$file.pgn $flags, every column" "$(rows "$schema")" "$(rows "${schema}_again")"
    "$LOADER" export --schema "${schema}_again" | cmp - "$WORK/$schema.pgn" || equal "$file.pgn $flags, the export of the export" same other
  done
done
equal "how much there is in famous.pgn" 'game: 4
move: 185
comment: 16
characters: 609
glyph: 19
open: 11
close: 11
result: 4' "$(stream --counts "$WORK/famous_.pgn")"
equal "all of famous.pgn has annotations" "4|4" "$(sql 'SELECT count(*), count(annotated) FROM famous_.games')"
equal "clocks of ugly.pgn are not kept twice" "" "$(sql "SELECT id, annotated FROM ugly_clocksevals.pgn_view WHERE event = 'clocks' AND annotated IS NOT NULL")"
equal "clocks beside words" '1. e4! {best} e5 {[%clk] so} 2. Nf3 {so} {[%clk]} Nc6 $1 {[%clk]} $2 *' \
  "$(sql "SELECT annotated FROM ugly_clocksevals.pgn_view WHERE event = 'clocks and more'")"
equal "none without clocks in columns" 0 "$(sql 'SELECT count(clocks) + count(evals) FROM ugly_.games')"
yes "without annotations" "$LOADER" load --schema unannotated --no-annotations --clocks "$WORK/ugly.pgn"
equal "no annotations, but clocks" "0|t" "$(sql 'SELECT count(annotated), count(clocks) > 0 FROM unannotated.games')"

equal "notes and variations of stored games" "$(cat <<'NOTES'
Réti, Richard|{3,3}||2
Levitsky, Stepan|||0
NOTES
)" "$(sql "SELECT white, a.glyphs, a.before, (SELECT count(*) FROM variations(g.game, g.annotated)) FROM famous_.pgn_view g
  LEFT JOIN LATERAL annotations(g.game, g.annotated) a ON a.line = 0 AND a.ply = 17 WHERE white IN ('Réti, Richard', 'Levitsky, Stepan') ORDER BY g.id")"
yes "comments before the first tags" "$LOADER" load --schema preface "$WORK/preface.pgn"
equal "they belong to the first game" "{Two games,
one of them short.}
{A game for" "$(sql 'SELECT left(annotated, 43) FROM preface.games ORDER BY source_offset LIMIT 1')"
yes "annotated games from standard input" "$LOADER" load --schema annotated_stdin - <"$WORK/ugly.pgn"
equal "the same from standard input" "$(rows ugly_)" "$(rows annotated_stdin)"
yes "annotated games in small pieces" "$LOADER" load --schema annotated_pieces --batch 1 --jobs 3 "$WORK/ugly.pgn"
equal "the same in small pieces" "$(rows ugly_)" "$(rows annotated_pieces)"
sed 's/{[^}]*}/{other words}/g' "$WORK/famous.pgn" >"$WORK/other.pgn"
yes "equal games with other words" "$LOADER" load --schema famous_ --dedupe "$WORK/other.pgn"
equal "the first ones stay as they are" "4|4|0" "$(sql "SELECT count(*), (SELECT sum(duplicates) FROM famous_.pieces), count(*) FILTER (WHERE annotated LIKE '%other words%') FROM famous_.games")"
yes "taking annotated games back" "$LOADER" unload --schema famous_ "$WORK/famous.pgn"
equal "none is left" 0 "$(sql 'SELECT count(*) FROM famous_.games')"
printf '[White "A"]\n\n1. e4 {half} e5 (1... c5) 2. Ke3 {lost?} (2. Nf3) Nf6 1-0\n\n[White "B"]\n\n1. d4 {open\n\n[White "C"]\n\n1. c4 (1. c3\n\n' >"$WORK/cut.pgn"
yes "annotated games that are cut short" "$LOADER" load --schema cut_short "$WORK/cut.pgn"
equal "they keep all of their text" "A|1. e4 e5|1. e4 {half} e5 (1... c5) 2. Ke3 {lost?} (2. Nf3) Nf6 1-0|t|t
B|1. d4|1. d4 {open|t|t
C|1. c4|1. c4 (1. c3|t|t" "$(sql "SELECT white, g.game, annotated, error IS NOT NULL, r.text LIKE '%' || annotated FROM cut_short.pgn_view g JOIN cut_short.rejected r ON r.game_id = g.id ORDER BY g.id")"
"$LOADER" export --schema cut_short >"$WORK/cut2.pgn"
yes "games that are cut short, again" "$LOADER" load --schema cut_short2 "$WORK/cut2.pgn"
equal "they are cut short again" "$(rows cut_short)" "$(rows cut_short2)"
sql "UPDATE cut_short.games SET game = '1. e4 c5' WHERE error LIKE '%Ke3%'"
status=0
"$LOADER" export --schema cut_short >"$WORK/out" 2>"$WORK/err" || status=$?
equal "annotations of a game that has been changed are left out, and that is said" "1|1|1" \
  "$status|$(grep -c '1. e4 c5' "$WORK/out")|$(grep -c 'without its annotations' "$WORK/err")"
sql "UPDATE famous_clocks.pgn_view SET annotated = '1. e4 {mine} *', game = '1. e4' WHERE white LIKE 'Morphy%'"
equal "annotations of one's own" "1. e4 {mine} *" "$(sql "SELECT annotated FROM famous_clocks.games ORDER BY source_offset LIMIT 1")"

say "Results"
printf '%s\n\n' '[Result "?"]' '1. e4 1-0' '[Result "1/2"]' '1. d4 *' '[Result "won"]' '1. c4 0-1' '[Result ""]' '1. b4 *' \
  '[Result "0-1"]' '1. f4 1-0' >"$WORK/results.pgn"
yes "results" "$LOADER" load --schema results "$WORK/results.pgn"
equal "results of four kinds, the others among the tags" '1-0|
1/2-1/2|{"Result": "1/2"}
0-1|{"Result": "won"}
*|{"Result": ""}
0-1|' "$(sql 'SELECT result, tags FROM results.games ORDER BY source_offset')"
"$LOADER" export --schema results >"$WORK/results2.pgn"
yes "results that were exported" "$LOADER" load --schema results2 "$WORK/results2.pgn"
equal "the same results" "$(sql 'SELECT result, tags FROM results.games ORDER BY source_offset')" \
  "$(sql 'SELECT result, tags FROM results2.games ORDER BY source_offset')"

say "Castling rights that cannot be"
printf '[FEN "r3k2r/8/8/8/8/8/4P3/4K2R w KQkq - 0 1"]\n[SetUp "1"]\n\n1. O-O *\n' >"$WORK/rights.pgn"
yes "a start with a right that cannot be" "$LOADER" load --schema rights "$WORK/rights.pgn"
equal "the game is kept, and the tag as it was" 'r3k2r/8/8/8/8/8/4P3/4K2R w Kkq - 0 1|1|{"FEN": "r3k2r/8/8/8/8/8/4P3/4K2R w KQkq - 0 1"}|' \
  "$(sql 'SELECT startBoard(game), ply_count, tags, error FROM rights.pgn_view')"
"$LOADER" export --schema rights >"$WORK/rights2.pgn"
yes "the same exported" "$LOADER" load --schema rights2 "$WORK/rights2.pgn"
equal "the same row" "$(rows rights)" "$(rows rights2)"

say "Unknown values"
printf '%s\n' '[Event "??"]' '[Site "-"]' '[Date "?"]' '[Round "-"]' '[White ""]' '[Black " "]' '[Result "*"]' '[TimeControl "?"]' '[ECO "?"]' '' '1. e4 *' '' \
  '[Event "?"]' '[Site ""]' '[Date "????-??-??"]' '[Round "?"]' '[White "?"]' '[White "-"]' '[TimeControl "-"]' '[ECO "-"]' '[ECO "B00"]' '' '1. e4 *' >"$WORK/unknown.pgn"
yes "unknown values" "$LOADER" load --schema unknown "$WORK/unknown.pgn"
equal "they are NULL, and what was written for them is among the tags" '||||-||||||{"ECO": "?", "Date": "?", "Site": "-", "Black": " ", "Event": "??", "White": "", "TimeControl": "?"}
||||||||-||{"ECO": ["-", "B00"], "Date": "????-??-??", "Site": "", "White": "-"}' \
  "$(sql 'SELECT event, site, date, dates, round, white, black, NULL, time_control, eco, tags FROM unknown.pgn_view ORDER BY source_offset')"
"$LOADER" export --schema unknown >"$WORK/unknown2.pgn"
equal "they are written as they were" "$(grep '^\[Event\|^\[White\|^\[Date\|^\[ECO\|^\[Black' "$WORK/unknown.pgn" | grep -v '"?"' | sort)" \
  "$(grep '^\[Event\|^\[White\|^\[Date\|^\[ECO\|^\[Black' "$WORK/unknown2.pgn" | grep -v '"?"' | sort)"
yes "unknown values that were exported" "$LOADER" load --schema unknown2 "$WORK/unknown2.pgn"
equal "the same rows" "$(rows unknown)" "$(rows unknown2)"

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
yes "packed otherwise" "$LOADER" load --schema plain "$WORK/gen.pgn.gz"
equal "nothing new from what is packed otherwise" "4000 games had been loaded before" "$(grep before "$WORK/out")"
{ echo; cat "$WORK/moved.pgn"; } >"$WORK/again.pgn"
yes "equal games once" "$LOADER" load --schema plain --dedupe "$WORK/again.pgn"
equal "all duplicates" "4000|0|0|4000" "$(sql "SELECT sum(games), sum(stored), sum(rejected), sum(duplicates)
  FROM plain.pieces JOIN plain.sources o ON o.id = source_id WHERE o.name LIKE '%/again.pgn'")"
perl -pe 'tr/1-8/2-81/ if $. == 50000' "$WORK/moved.pgn" >"$WORK/gen.pgn"
no "a file that has changed in the middle" "$LOADER" load --schema plain "$WORK/gen.pgn"
equal "the way to load it is named" 1 "$(grep -c -- --changed "$WORK/out")"
yes "a file that has changed, as a new source" "$LOADER" load --schema plain --changed "$WORK/gen.pgn"
equal "without what is there" "4001|1" "$(sql "SELECT count(*), (SELECT sum(stored) FROM plain.pieces WHERE source_id = (SELECT max(id) FROM plain.sources)) FROM plain.games")"
yes "a file that has changed, again" "$LOADER" load --schema plain --changed "$WORK/gen.pgn"
equal "nothing new from a changed file" "4001" "$(sql 'SELECT count(*) FROM plain.games')"
head -c 1200000 "$WORK/moved.pgn" >"$WORK/cut.pgn"
{ cat "$WORK/traps.pgn"; "$GEN" --games 3000 --seed 12; cat "$WORK/traps.pgn"; "$GEN" --games 3000 --seed 13; } | gzip >"$WORK/whole.pgn.gz"
head -c "$(($(stat -c %s "$WORK/whole.pgn.gz") - 1000))" "$WORK/whole.pgn.gz" >"$WORK/torn.pgn.gz"
no "a truncated file, and another one" "$LOADER" load --schema cut --jobs 3 "$WORK/torn.pgn.gz" "$WORK/traps.pgn"
equal "the other file is loaded whole, with its rejected games" "28|9" "$(sql "SELECT (SELECT count(*) FROM cut.games WHERE source_id = o.id), (SELECT count(*) FROM cut.rejected WHERE source_id = o.id) FROM cut.sources o WHERE name LIKE '%/traps.pgn' AND finished IS NOT NULL")"
equal "rejected games of the truncated file are there" t "$(sql "SELECT count(*) > 0 FROM cut.rejected r JOIN cut.sources o ON o.id = r.source_id WHERE name LIKE '%.gz'")"
equal "what could be read of it is stored" t "$(sql 'SELECT count(*) > 0 FROM cut.games')"
no "a file that is not there" "$LOADER" load --schema cut "$WORK/none.pgn" "$WORK/cut.pgn"
equal "it is named once" 1 "$(grep -o 'none\.pgn' "$WORK/out" | wc -l)"
equal "the other file is loaded" 1 "$(sql "SELECT count(*) FROM cut.sources WHERE finished IS NOT NULL AND name LIKE '%/cut.pgn'")"
equal "no advice that does not help" "" "$(grep 'same command again' "$WORK/out" || true)"
equal "it says first where it loads" "loading into database postgres, schema cut, as postgres" "$(head -n 1 "$WORK/out")"
no "a file that holds no games" "$LOADER" load --schema cut /etc/passwd
no "an empty file" "$LOADER" load --schema cut /dev/null
: >"$WORK/empty.pgn"
no "an empty file of its own" "$LOADER" load --schema cut "$WORK/empty.pgn"
# the same noise each time: other noise might hold a move
head -c 20000000 /dev/zero | openssl enc -aes-128-ctr -nosalt -K 0123456789abcdef0123456789abcdef -iv 00000000000000000000000000000000 >"$WORK/random.pgn"
# of which a sign may be read as a result: a game without moves
yes "random bytes" "$LOADER" load --schema noise "$WORK/random.pgn"
equal "hold no half-move" 0 "$(sql 'SELECT sum(ply_count) FROM noise.games')"
{ printf '[Event "endless"]\n\n1. e4 {'; head -c 30000000 /dev/zero | tr '\0' x; printf '\n\n[Event "next"]\n\n1. d4 *\n'; } |
  tee "$WORK/endless.pgn" | "$LOADER" load --schema endless - >/dev/null
"$LOADER" load --schema endless - <"$WORK/endless.pgn" >"$WORK/out"
equal "an endless game that is known" "2 games had been loaded before" "$(grep before "$WORK/out")"
equal "after an endless game" "1|1|next" "$(sql "SELECT (SELECT count(*) FROM endless.rejected), count(*), min(event) FROM endless.pgn_view")"
yes "indexes" "$LOADER" load --schema plain --index "$WORK/moved.pgn"
equal "eleven indexes" 11 "$(sql "SELECT count(*) FROM pg_indexes WHERE schemaname = 'plain' AND tablename = 'games' AND indexname ~ '(idx|gin)\$'")"
yes "the compact index" "$LOADER" load --schema gz --index=compact "$WORK/gen.pgn.gz"
equal "eleven indexes, one of them compact" "11|1" "$(sql "SELECT count(*), count(*) FILTER (WHERE indexdef LIKE '%chessgame_compact_ops%') FROM pg_indexes WHERE schemaname = 'gz' AND tablename = 'games' AND indexname ~ '(idx|gin)\$'")"
yes "an index of patterns" "$LOADER" load --schema gz --index=patterns "$WORK/gen.pgn.gz"
equal "one more, of patterns" "12|1" "$(sql "SELECT count(*), count(*) FILTER (WHERE indexdef LIKE '%chessgame_pattern_ops%') FROM pg_indexes WHERE schemaname = 'gz' AND tablename = 'games' AND indexname ~ '(idx|gin)\$'")"
yes "an index for the explorer" "$LOADER" load --schema gz --index=opening "$WORK/gen.pgn.gz"
equal "one more, exact in the opening" "13|1" "$(sql "SELECT count(*), count(*) FILTER (WHERE indexdef LIKE '%max_ply=''30''%') FROM pg_indexes WHERE schemaname = 'gz' AND tablename = 'games' AND indexname ~ '(idx|gin)\$'")"
"$LOADER" load --schema gz --index=patterns "$WORK/gen.pgn.gz" >"$WORK/out" 2>&1
equal "indexes that are there are not made again, and that is said" "1|0" \
  "$(grep -c '^indexes that are there already: .*games_game_pattern_gin' "$WORK/out" || true)|$(grep -c '^index [0-9]* of' "$WORK/out" || true)"

# gins SCHEMA: prints the names of the GIN indexes
gins() { sql "SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes WHERE schemaname = '$1' AND indexdef LIKE '%USING gin%'"; }
yes "the compact index of other games" "$LOADER" load --schema bz --index=compact "$WORK/gen.pgn.bz2"
yes "indexes where positions have one" "$LOADER" load --schema bz --index "$WORK/gen.pgn.bz2"
equal "no second index of positions" games_game_compact_gin "$(gins bz)"
equal "what is there and what another costs is said" 1 "$(grep -cE '^positions are indexed already: games_game_compact_gin \(chessgame_compact_ops, [0-9]+ kB\); --index=default .* about 10 MB more' "$WORK/out")"
yes "an index of positions that is asked for" "$LOADER" load --schema bz --index=default "$WORK/gen.pgn.bz2"
equal "it is beside the other one" "games_game_compact_gin games_game_gin" "$(gins bz)"
equal "its cost is said before" "1|index games_game_gin beside games_game_compact_gin" "$(grep -c 'about 10 MB more' "$WORK/out")|$(grep -o '^index games_game_gin beside games_game_compact_gin' "$WORK/out")"
"$LOADER" load --schema bz --index "$WORK/gen.pgn.bz2" >"$WORK/out" 2>&1
equal "once it is there, nothing is said of costs" 0 "$(grep -c 'MB more' "$WORK/out")"
sql "DROP INDEX bz.games_game_compact_gin"
yes "an index of patterns beside any index of positions" "$LOADER" load --schema bz --index=patterns "$WORK/gen.pgn.bz2"
equal "no index of positions comes with it" "games_game_gin games_game_pattern_gin" "$(gins bz)"

say "Pipes and archives"
mkfifo "$WORK/pipe"
cat "$WORK/moved.pgn" >"$WORK/pipe" &
yes "a named pipe" "$LOADER" load --schema pipe "$WORK/pipe"
wait $!
yes "the same file by its name" "$LOADER" load --schema plain2 "$WORK/moved.pgn"
equal "the same rows through a pipe" "$(contents plain2)" "$(contents pipe)"
yes "a process's output" "$LOADER" load --schema procsub <(cat "$WORK/whole.pgn.gz")
"$LOADER" load --schema whole "$WORK/whole.pgn.gz" >/dev/null
equal "the same rows through a process's output" "$(contents whole)" "$(contents procsub)"
perl -e '
  use IO::Compress::Zip qw($ZipError :constants);
  my ($to, @files) = @ARGV;
  my $zip = IO::Compress::Zip->new($to, Name => "read me.txt") or die $ZipError;
  $zip->print("1. e4 is no game here\n");
  for (@files) {
    my ($name, $file) = split /=/;
    $zip->newStream(Name => $name, Method => $name =~ /stored/ ? ZIP_CM_STORE : ZIP_CM_DEFLATE);
    open my $in, "<", $file or die "$file: $!"; binmode $in; local $/; $zip->print(<$in>);
  }
  $zip->close' "$WORK/two.zip" "a/one.pgn=$WORK/moved.pgn" "__MACOSX/a/._one.pgn=/etc/passwd" "stored.PGN=$WORK/traps.pgn"
yes "an archive" "$LOADER" load --schema zipped "$WORK/two.zip"
equal "a source for each member" "4000|$WORK/two.zip: a/one.pgn
28|$WORK/two.zip: stored.PGN" "$(sql "SELECT sum(stored), name FROM zipped.pieces JOIN zipped.sources o ON o.id = source_id GROUP BY name ORDER BY 1 DESC")"
yes "an archive again" "$LOADER" load --schema zipped "$WORK/two.zip"
equal "nothing new from an archive" "4032 games had been loaded before" "$(grep before "$WORK/out")"
head -c 100000 "$WORK/two.zip" >"$WORK/torn.zip"
no "a torn archive" "$LOADER" load --schema zipped "$WORK/torn.zip"
no "an archive in a stream" "$LOADER" load --schema zipped - <"$WORK/two.zip"
yes "taking an archive back" "$LOADER" unload --schema zipped "$WORK/two.zip"
equal "all of it" "0|0|0|0" "$(sql 'SELECT (SELECT count(*) FROM zipped.games), (SELECT count(*) FROM zipped.rejected), (SELECT count(*) FROM zipped.pieces), (SELECT count(*) FROM zipped.sources)')"
no "taking back what is not there" "$LOADER" unload --schema zipped "$WORK/two.zip"
yes "an archive once more" "$LOADER" load --schema zipped "$WORK/two.zip"
equal "all of it again" 4028 "$(sql 'SELECT count(*) FROM zipped.games')"
rm "$WORK/two.zip"
yes "taking back what is gone by its name" "$LOADER" unload --schema zipped "$WORK/two.zip"
equal "nothing is left" 0 "$(sql 'SELECT count(*) FROM zipped.games')"

say "Files that have grown"
"$GEN" --games 3000 --seed 20 >"$WORK/grows.pgn"
yes "a file" "$LOADER" load --schema grown --batch 256 "$WORK/grows.pgn"
cp "$WORK/grows.pgn" "$WORK/young.pgn"
"$GEN" --games 1000 --seed 21 >>"$WORK/grows.pgn"
yes "the file with more games" "$LOADER" load --schema grown --batch 256 "$WORK/grows.pgn"
equal "the same source, and only the new games" "1|4000|3000 games had been loaded before" \
  "$(sql 'SELECT count(*), (SELECT count(*) FROM grown.games) FROM grown.sources')|$(grep before "$WORK/out")"
yes "the file as it was" "$LOADER" load --schema grown --batch 256 "$WORK/young.pgn"
equal "nothing new from the file as it was" "1|4000" "$(sql 'SELECT count(*), (SELECT count(*) FROM grown.games) FROM grown.sources')"
gzip -c "$WORK/grows.pgn" >"$WORK/grows.pgn.gz"
yes "the same file packed" "$LOADER" load --schema grown "$WORK/grows.pgn.gz"
equal "nothing new from the packed file" "1|4000" "$(sql 'SELECT count(*), (SELECT count(*) FROM grown.games) FROM grown.sources')"
"$LOADER" load --schema grown2 "$WORK/grows.pgn" >/dev/null
moves() { sql "SELECT md5(string_agg(concat_ws('|', event, white, game, error), '' ORDER BY source_offset)) FROM $1.pgn_view"; }
equal "the same games as at once" "$(moves grown2)" "$(moves grown)"
printf '[Event "live"]\n\n1. e4 e5 2. Nf3' >"$WORK/live.pgn"
for more in '' ' Nc6 3. Bb' '5 a6 1-0\n' '\n[Event "live"]\n[Round "2"]\n\n1. d4 ' '{a comment' ' with its end} d5 *\n'; do
  printf "$more" >>"$WORK/live.pgn"
  yes "a live game" "$LOADER" load --schema live "$WORK/live.pgn"
  "$LOADER" load --schema live - <"$WORK/live.pgn" >"$WORK/out"
  "$LOADER" load --schema "live${#more}" "$WORK/live.pgn" >"$WORK/out"
  equal "what is read of a live game after '$more'" "$(sql "SELECT game, error FROM live${#more}.pgn_view ORDER BY source_offset")" \
    "$(sql "SELECT game, error FROM live.pgn_view v ORDER BY source_offset")"
  sql "DROP SCHEMA live${#more} CASCADE" 2>/dev/null
done
equal "every piece adds up" "1|0" "$(sql 'SELECT (SELECT count(*) FROM live.sources), (SELECT sum(stored) FROM live.pieces) - (SELECT count(*) FROM live.games)')"
equal "no text is left of what was incomplete" 0 "$(sql 'SELECT count(*) FROM live.rejected')"
# a file that is truncated at each of these lengths and grows from one to the next
printf '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5\n\n[Event "b"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 {so} Qh4# (2... d5) 0-1\n\n[Event "c"]\n[Result "*"]\n\n1. O-O-O\n[Event "d"]\n[Result "1-0"]\n\n1. d4 d5\n\n' >"$WORK/cut.pgn"
ends() { sql "SELECT event, game, error FROM $1.pgn_view ORDER BY source_offset" "SELECT number, reason FROM $1.rejected ORDER BY source_offset"; }
for len in 30 31 32 36 37 38 53 65 68 74 75 77 80 83 85 89 90 93 99 101 102 104 105 106 120 135 140 143 145 150 160 170 175 177 178 179; do
  head -c $len "$WORK/cut.pgn" >"$WORK/cut_growing.pgn"
  "$LOADER" load --schema cut_growing "$WORK/cut_growing.pgn" >"$WORK/out" 2>&1 || true
  "$LOADER" load --schema cut_fresh "$WORK/cut_growing.pgn" >"$WORK/out" 2>&1 || true
  equal "what is read of the first $len bytes" "$(ends cut_fresh)" "$(ends cut_growing)"
  sql "DROP SCHEMA cut_fresh CASCADE" 2>/dev/null
done
equal "a missing result means something at the end alone" 'a|1. e4 e5|
b|1. f3 e5 2. g4 Qh4# 0-1|
d|1. d4 d5|half-move 3: the file ends without the result 1-0 of the Result tag
3|half-move 1, "O-O-O": illegal move in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
4|half-move 3: the file ends without the result 1-0 of the Result tag' "$(ends cut_growing)"
printf '[Event "e"]\n\n1. c4 *\n' >>"$WORK/cut_growing.pgn"
yes "a file whose last game was cut off, with one more" "$LOADER" load --schema cut_growing "$WORK/cut_growing.pgn"
equal "the game before it is whole now, and there once" 'a|1. e4 e5|
b|1. f3 e5 2. g4 Qh4# 0-1|
d|1. d4 d5|
e|1. c4|
3|half-move 1, "O-O-O": illegal move in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' "$(ends cut_growing)"
equal "every piece of it adds up" "5|4|1|0" "$(sql 'SELECT sum(games), sum(stored), sum(rejected), sum(incomplete) FROM cut_growing.pieces')"
# loads truncated files like whole ones
head -c 74 "$WORK/cut.pgn" >"$WORK/end.pgn"
gzip -k "$WORK/end.pgn"; bzip2 -k "$WORK/end.pgn"
# two gzip members, the second missing
{ gzip -c "$WORK/end.pgn"; tail -c +75 "$WORK/cut.pgn" | gzip -c; } >"$WORK/members.pgn.gz"
head -c "$(stat -c %s "$WORK/end.pgn.gz")" "$WORK/members.pgn.gz" >"$WORK/member.pgn.gz"
perl -e 'use IO::Compress::Zip; my $zip = IO::Compress::Zip->new(shift, Name => "a.pgn"); my $more; for (@ARGV) { $zip->newStream(Name => "b.pgn") if $more++; open my $in, "<", $_; local $/; $zip->print(<$in>) } $zip->close' \
  "$WORK/ends.zip" "$WORK/end.pgn" <(printf '[Event "z"]\n\n1. a3\n')
for way in end.pgn end.pgn.gz end.pgn.bz2 member.pgn.gz ends.zip; do
  yes "a file that is cut off, as $way" "$LOADER" load --schema cut_way "$WORK/$way"
  equal "the last game of $way" "b|1. f3 e5|half-move 3: the file ends without the result 0-1 of the Result tag" \
    "$(sql "SELECT event, game, error FROM cut_way.pgn_view WHERE error IS NOT NULL")"
  sql "DROP SCHEMA cut_way CASCADE" 2>/dev/null
done
"$LOADER" load --schema cut_pipe - <"$WORK/end.pgn" >"$WORK/out"
"$LOADER" load --schema cut_pipe - <"$WORK/cut_growing.pgn" >"$WORK/out"
equal "a pipe that was cut off, and then was not" "$(ends cut_growing)" "$(ends cut_pipe)"
"$LOADER" load --schema cut_strict --strict "$WORK/end.pgn" >"$WORK/out"
equal "strictly" "a|1. e4 e5|
2|half-move 3: the file ends without the result 0-1 of the Result tag" "$(ends cut_strict)"
yes "strictly, when it has grown" "$LOADER" load --schema cut_strict --strict "$WORK/cut_growing.pgn"
equal "the same, strictly" "$(ends cut_growing)" "$(ends cut_strict)"

yes "what is the same file twice in one run" "$LOADER" load --schema twice "$WORK/young.pgn" "$WORK/grows.pgn" "$WORK/grows.pgn.gz"
equal "it is one source" "1|4000" "$(sql 'SELECT count(*), (SELECT count(*) FROM twice.games) FROM twice.sources')"

say "ocgdb"
if python3 -c 'import sqlite3' 2>/dev/null; then
  # ocgdb FILE FIRST LAST [keep]: games with these numbers; "keep" leaves them in the write-ahead log
  ocgdb() {
    python3 - "$@" <<'PYTHON'
import os, sqlite3, sys
name, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
db = sqlite3.connect(name)
db.execute("PRAGMA journal_mode = WAL")
db.executescript("""CREATE TABLE IF NOT EXISTS Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
    CREATE TABLE IF NOT EXISTS Events (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
    CREATE TABLE IF NOT EXISTS Sites (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
    CREATE TABLE IF NOT EXISTS Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
    INSERT OR IGNORE INTO Players VALUES (1, 'A', NULL), (2, 'B', NULL);
    CREATE TABLE IF NOT EXISTS Games (ID INTEGER PRIMARY KEY, EventID INTEGER, SiteID INTEGER, Date TEXT, WhiteID INTEGER,
        BlackID INTEGER, Result INTEGER, Moves TEXT)""")
for id in range(first, last + 1):
    moves = "1. e4 e5 2. Ke3" if id % 1000 == 7 else "1. e4 e5 2. Nf3 Nc6" if id % 2 else "1. d4 d5"
    db.execute("INSERT INTO Games VALUES (?, 1, 1, '1999-01-01', 1, 2, '1-0', ?)", (id, moves))
db.commit()
if len(sys.argv) > 4:
    os._exit(0)
PYTHON
  }
  ocgdb "$WORK/games.db3" 1 5000
  yes "a database" "$LOADER" load --schema ocgdb "$WORK/games.db3"
  equal "its games" "5000|5" "$(sql 'SELECT count(*), count(error) FROM ocgdb.games')"
  before=$(cksum "$WORK/games.db3")
  ocgdb "$WORK/games.db3" 5001 5010 keep
  equal "its main file is as it was" "$before" "$(cksum "$WORK/games.db3")"
  yes "rows in a write-ahead log" "$LOADER" load --schema ocgdb "$WORK/games.db3"
  equal "they are loaded" "5010" "$(sql 'SELECT count(*) FROM ocgdb.games')"
  ocgdb "$WORK/games.db3" 5011 10000
  yes "a database that has grown" "$LOADER" load --schema ocgdb "$WORK/games.db3"
  equal "it is the same source" "10000|1" "$(sql 'SELECT count(*), (SELECT count(*) FROM ocgdb.sources) FROM ocgdb.games')"
  python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute("UPDATE Games SET Moves = ?1 WHERE ID = 4500", ["1. c4"]); db.commit()' "$WORK/games.db3"
  yes "a database that is another one now" "$LOADER" load --schema ocgdb --dedupe "$WORK/games.db3"
  equal "what has changed is loaded" "10001|2" "$(sql 'SELECT count(*), (SELECT count(*) FROM ocgdb.sources) FROM ocgdb.games')"
  # as ocgdb writes it: no text of the moves, comments in a table of their own, in the order of its threads
  python3 - "$WORK/comments.ocgdb.db3" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("""CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
    INSERT INTO Info (Name, Value) VALUES ('Version', '0.1'), ('Variant', 'standard'), ('License', 'free');
    CREATE TABLE Events (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
    INSERT INTO Events (Name) VALUES (''), ('Club');
    CREATE TABLE Sites (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
    INSERT INTO Sites (Name) VALUES ('');
    CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
    INSERT INTO Players (ID, Name) VALUES (1, ''), (2, 'A'), (3, 'B');
    CREATE TABLE Games (ID INTEGER PRIMARY KEY AUTOINCREMENT, EventID INTEGER, SiteID INTEGER, Date TEXT, Round INTEGER,
        WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, BlackElo INTEGER, Result INTEGER, Timer TEXT, ECO TEXT,
        PlyCount INTEGER, FEN TEXT, Moves2 BLOB DEFAULT NULL);
    CREATE TABLE Comments (ID INTEGER PRIMARY KEY AUTOINCREMENT, GameID INTEGER, Ply INTEGER, Comment TEXT);""")
square = lambda name: ord(name[0]) - 97 + 8 * (8 - int(name[1]))
code = lambda move: square(move[:2]) | square(move[2:4]) << 6
for id in range(1, 9001):
    moves = ["e2e4", "e7e5", "g1f3", "b8c6"]
    blob = b"".join(code(move).to_bytes(2, "little") for move in moves)
    db.execute("INSERT INTO Games VALUES (?, 2, 1, '2024-01-31', 1, 2, 2000, 3, NULL, '1-0', '300+3', 'C44', 4, NULL, ?)", (id, blob))
for id in range(9000, 0, -1):
    if id % 3 == 0:
        db.execute("INSERT INTO Comments (GameID, Ply, Comment) VALUES (?, 3, ?), (?, 0, '[%clk 0:04:58] [%emt 0:00:02]')", (id, "game %d" % id, id))
    if id % 1000 == 0:
        db.execute("INSERT INTO Comments (GameID, Ply, Comment) VALUES (?, -1, 'before')", (id,))
db.commit()
PYTHON
  yes "comments of ocgdb" "$LOADER" load --schema ocgdb_comments --clocks "$WORK/comments.ocgdb.db3"
  equal "each is at its place" "9000|3006|{before} 1. e4 {[%clk] [%emt 0:00:02]} 1... e5 2. Nf3 Nc6 {game 9000} 1-0" \
    "$(sql "SELECT count(*), count(annotated), max(annotated) FILTER (WHERE source_offset = 9000) FROM ocgdb_comments.games")"
  equal "and says of which game it is" "3000|3000" "$(sql "SELECT count(*), count(*) FILTER (WHERE annotated LIKE '%{game ' || source_offset || '}%' AND clocks[1] = 2980) FROM ocgdb_comments.games WHERE clocks IS NOT NULL")"
  equal "comments of games alone" "{before} 1. e4 e5 2. Nf3 Nc6 1-0" "$(sql "SELECT min(annotated) FROM ocgdb_comments.games WHERE clocks IS NULL")"
  yes "comments of ocgdb again" "$LOADER" load --schema ocgdb_comments --clocks "$WORK/comments.ocgdb.db3"
  equal "nothing new" 9000 "$(sql 'SELECT count(*) FROM ocgdb_comments.games')"
  "$LOADER" export --schema ocgdb_comments >"$WORK/comments.pgn"
  equal "elapsed times are written as they were" "3000|3000" "$(grep -c '{\[%clk 0:04:58\] \[%emt 0:00:02\]}' "$WORK/comments.pgn")|$(grep -c '{game' "$WORK/comments.pgn")"
  yes "what was exported of ocgdb" "$LOADER" load --schema ocgdb_again --clocks "$WORK/comments.pgn"
  equal "the same from PGN" "$(rows ocgdb_comments)" "$(rows ocgdb_again)"
else
  skip "databases of ocgdb: no python3 with sqlite3" "apt-get install python3"
fi

say "Rows of one's own"
sql "INSERT INTO grown.pgn_view (white, black, event, date, game) VALUES ('Me', 'You', 'Club', '2026.01.??', '1. e4 e5 2. Qh5 1-0')"
equal "an INSERT makes names and what follows from the game" "Me|You|Club|?|2026.01.??|[2026-01-01,2026-02-01)|1-0|3|" \
  "$(sql "SELECT white, black, event, coalesce(site, '?'), date, dates, result, ply_count, source_id FROM grown.pgn_view WHERE source_id IS NULL")"
sql "UPDATE grown.pgn_view SET game = '1. e4 e5 2. Qh5 Ke7 3. Qxe5# 0-1', black = 'Me', date = '2026' WHERE white = 'Me'"
equal "an UPDATE, and no name twice" "Me|Me|[2026-01-01,2027-01-01)|0-1|5|1" \
  "$(sql "SELECT white, black, dates, result, ply_count, (SELECT count(*) FROM grown.players WHERE name = 'Me') FROM grown.pgn_view WHERE white = 'Me'")"
equal "a number of half-moves that is none" 1 "$(sql "INSERT INTO grown.pgn_view (game, ply_count) VALUES ('1. e4', 2)" 2>&1 | grep -c 'ply_count follows from the game')"
yes "a load beside rows of one's own" "$LOADER" load --schema grown --dedupe "$WORK/gen.pgn"
equal "an export of them" 1 "$("$LOADER" export --schema grown --where 'source IS NULL' | grep -c 'Qxe5#')"
sql "INSERT INTO grown.games (game) VALUES ('1. a3')"
equal "a row of the table itself" "*|1" "$(sql "SELECT result, ply_count FROM grown.games WHERE source_id IS NULL AND white_id IS NULL")"
# while_open STATEMENT OTHER: the other is asked while the first is done and not committed
kept_open() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%/* kept open */%' AND state = 'active' AND pid <> pg_backend_pid()")" = 1 ]; }
while_open() {
  local blocked="EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
  sql BEGIN "$1" "DO 'BEGIN /* kept open */ WHILE NOT $blocked LOOP PERFORM pg_sleep(0.01); END LOOP; END'" COMMIT >/dev/null &
  wait_for "a change that is not committed" kept_open
  sql "$2"
  wait $!
}
while_open "UPDATE grown.pgn_view SET round = '7', event = 'Cup' WHERE white = 'Me'" "UPDATE grown.pgn_view SET eco = 'C20' WHERE white = 'Me'"
equal "two who change one game through the view" "7|Cup|C20" "$(sql "SELECT round, event, eco FROM grown.pgn_view WHERE white = 'Me'")"
equal "a game that is gone meanwhile" "" "$(while_open "DELETE FROM grown.pgn_view WHERE white = 'Me'" "UPDATE grown.pgn_view SET eco = 'C21' WHERE white = 'Me' RETURNING eco")"
sql "DELETE FROM grown.pgn_view WHERE source_id IS NULL"
equal "a DELETE" 0 "$(sql 'SELECT count(*) FROM grown.games WHERE source_id IS NULL')"
yes "taking a file back" "$LOADER" unload --schema grown "$WORK/young.pgn"
equal "the other files stay" 4000 "$(sql 'SELECT count(*) FROM grown.games')"
equal "dates as the loader reads them" "" "$(sql "SELECT date, dates, grown.pgn_dates(date) FROM (VALUES
    ('2000.01.01', daterange '[2000-01-01,2000-01-02)'), ('2004.02.29', '[2004-02-29,2004-03-01)'), ('1999.12.??', '[1999-12-01,2000-01-01)'),
    ('2000.??.12', '[2000-01-01,2001-01-01)'), (' 2000 ', '[2000-01-01,2001-01-01)'), ('2000-3-1', '[2000-03-01,2000-03-02)'), ('?', NULL), ('????.05.12', NULL),
    ('2003.02.29', NULL), ('2004.13.01', NULL), ('2004.01.00', NULL), ('0000.01.01', NULL), ('1950.11.11.', NULL), ('50.1.1', NULL), ('May 2004', NULL)) t (date, dates)
  WHERE dates IS DISTINCT FROM grown.pgn_dates(date)")"

say "Equal games"
printf '[White "A"]\n[Result "1-0"]\n\n1. e4 e5 %s\n\n' '*' >"$WORK/equal1.pgn"
printf '[White "A"]\n[Result "1-0"]\n\n1. e4 e5 %s\n\n' '1-0' '1/2-1/2' >"$WORK/equal2.pgn"
yes "games that end otherwise" "$LOADER" load --schema equal --dedupe "$WORK/equal1.pgn" "$WORK/equal2.pgn"
equal "are equal if their results are" "1|2" "$(sql 'SELECT sum(stored), sum(duplicates) FROM equal.pieces')"

say "Tables of an earlier version"
sql "CREATE SCHEMA old" && sed 's/{schema}/old/g; s/{chess}/public/g; s/^CREATE SCHEMA.*//' crates/chess-db/tests/schema-0.2.0.sql | "${CLIENT[@]}" -d postgres
"${CLIENT[@]}" -d postgres -f crates/chess-db/tests/rows-0.2.0.sql
yes "moving on" "$LOADER" migrate --schema old
equal "it says so" 'schema old upgraded from version 1 to version 2
schema old is at version 2' "$(grep version "$WORK/out")"
yes "moving on what has moved" "$LOADER" migrate --schema old
no "moving on what is not there" "$LOADER" migrate --schema nowhere
shape() { sql "SELECT table_name, column_name, data_type, is_nullable, column_default IS NULL, is_generated FROM information_schema.columns WHERE table_schema = '$1' ORDER BY 1, 2"
  sql "SELECT conrelid::regclass::text, replace(pg_get_constraintdef(oid), '$1.', '') FROM pg_constraint WHERE connamespace = '$1'::regnamespace ORDER BY replace(conrelid::regclass::text, '$1.', ''), 2" | sed "s/^$1\.//"
  sql "SELECT replace(indexdef, '$1.', '') FROM pg_indexes WHERE schemaname = '$1' ORDER BY 1"
  sql "SELECT obj_description(c.oid), c.relname, d.objsubid, d.description FROM pg_class c JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass WHERE c.relnamespace = '$1'::regnamespace AND d.objsubid = 0 ORDER BY 2"
  sql "SELECT replace(pg_get_viewdef('$1.pgn_view'::regclass), '$1.', '')"; }
equal "a view on the view" "1|A|2" "$(sql 'SELECT * FROM old.mine WHERE id = 1')"
sql "DROP VIEW old.mine; DROP INDEX old.games_ply_count_idx"
yes "foreign keys of moved tables" "$LOADER" load --schema old "$WORK/results.pgn"
equal "the shape of new tables" "$(shape results)" "$(shape old)"
equal "a moved view takes annotations" "1. b4! *" "$(sql "INSERT INTO old.pgn_view (game, annotated) VALUES ('1. b4', '1. b4! *') RETURNING annotated")"
sql "DELETE FROM old.pgn_view WHERE annotated IS NOT NULL"
equal "rows of the earlier version" '1|A|B|1-0|2||1. e4 e5 1-0|
2||C|*|1|{"Result": ["won", "lost"]}|1. d4|
3|||1-0|1||1. c4 1-0|' "$(sql "SELECT id, white, black, result, ply_count, tags, game, error FROM old.pgn_view WHERE id <= 3 ORDER BY id")"
sql "UPDATE old.info SET value = '99' WHERE name = 'schema version'"
no "tables of a later version" "$LOADER" load --schema old "$WORK/results.pgn"

say "Without the extension"
# a separate database, so that the other tables keep their games
sql "CREATE DATABASE without"
PGDATABASE=without yes "games in another database" "$LOADER" load "$WORK/results.pgn"
DB=without sql "SET client_min_messages = warning; DROP EXTENSION chess CASCADE"
for command in load unload; do
  PGDATABASE=without no "$command without the column of games" "$LOADER" $command "$WORK/results.pgn"
  equal "what $command says of it" 1 "$(grep -c 'has lost its column game.*moves of all games.*DROP SCHEMA "chess" CASCADE' "$WORK/out")"
done
DB=without sql "SET client_min_messages = warning; DROP SCHEMA chess CASCADE"
PGDATABASE=without yes "games once more" "$LOADER" load "$WORK/results.pgn"
equal "they are there" 5 "$(DB=without sql 'SELECT count(*) FROM chess.games')"

say "Rights"
sql "CREATE ROLE loader LOGIN; CREATE ROLE mallory LOGIN; GRANT CREATE ON DATABASE postgres TO loader, mallory; GRANT CREATE ON SCHEMA public TO mallory"
"${CLIENT[@]}" -d postgres -U mallory -c "CREATE SCHEMA theirs"
for user in loader postgres; do
  PGUSER=$user no "a schema of somebody else" "$LOADER" load --schema theirs "$WORK/results.pgn"
  equal "whose it is" 1 "$(grep -c 'schema theirs belongs to mallory' "$WORK/out")"
done
PGUSER=mallory yes "their own schema" "$LOADER" load --schema theirs "$WORK/results.pgn"
PGUSER=mallory yes "their own schema again" "$LOADER" load --schema theirs "$WORK/results2.pgn"
sql "CREATE SCHEMA mixed" && "${CLIENT[@]}" -d postgres -c "GRANT CREATE ON SCHEMA mixed TO mallory"
"${CLIENT[@]}" -d postgres -U mallory -c "CREATE TABLE mixed.players (id integer, name text)"
no "a table of somebody else" "$LOADER" load --schema mixed "$WORK/results.pgn"
"${CLIENT[@]}" -d postgres -U mallory <<'SQL'
CREATE FUNCTION public.caught(text, text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''mallory''; END';
CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.caught);
CREATE FUNCTION public.hashtext(text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''mallory''; END';
CREATE FUNCTION public.to_regclass(text) RETURNS regclass LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''mallory''; END';
SQL
for path in public,pg_catalog pg_catalog,public; do
  PGOPTIONS="-c search_path=$path" yes "functions of others on the path $path" "$LOADER" load --schema path --dedupe "$WORK/results.pgn"
done
sql "DROP OPERATOR public.= (text, text); DROP FUNCTION public.caught(text, text), public.hashtext(text), public.to_regclass(text)"

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
yes "tables to be killed at" "$LOADER" schema --schema killed
hurdles killed.games killed.pieces
for round in $(seq 10); do
  stop_at $((RANDOM % 30 + 2))
  "$LOADER" load --schema killed --batch 64 --jobs 3 "$WORK/big.pgn.bz2" >/dev/null 2>&1 &
  pid=$!
  stopped $pid
  if kill -9 $pid 2>/dev/null; then kills=$((kills + 1)); fi
  wait $pid 2>/dev/null || true
  go
done
echo "killed $kills times, $(sql 'SELECT count(*) FROM killed.games') games stored so far"
equal "killed each time" 10 "$kills"
"$LOADER" load --schema killed --batch 64 "$WORK/big.pgn.bz2" >"$WORK/out"
equal "the same rows after $kills kills" "$(contents calm)" "$(contents killed)"
yes "tables for a crash" "$LOADER" schema --schema crashed
hurdles crashed.games crashed.pieces
stop_at 20
"$LOADER" load --schema crashed --batch 64 "$WORK/big.pgn.bz2" >"$WORK/out" 2>&1 &
pid=$!
stopped $pid
as_server "$BINDIR/pg_ctl" stop -s -m immediate -D "$DIR/data"
status=0
wait $pid || status=$?
equal "the server crashed (exit code)" 1 $status
server_start "$DIR"
go
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
  skip "a full disk: only root can mount a small one" "run the tests as root"
fi

say "Connections"
if [[ $("$PG_CONFIG" --configure) != *ssl* ]]; then
  skip "connections with TLS: this server is built without it" "another PostgreSQL by PG_CONFIG"
  exit 0
fi
server_stop "$DIR"
KEYS=$WORK/keys
mkdir "$KEYS"
HOME_BEFORE=$HOME
export HOME=$WORK/home
mkdir -p "$HOME"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout "$KEYS/ca.key" -out "$KEYS/ca.crt" 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout "$KEYS/other.key" -out "$KEYS/other.crt" 2>/dev/null
# certificate NAME SUBJECT [EXTENSION]
certificate() {
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$2" -keyout "$KEYS/$1.key" -out "$KEYS/$1.csr" 2>/dev/null
  openssl x509 -req -in "$KEYS/$1.csr" -CA "$KEYS/ca.crt" -CAkey "$KEYS/ca.key" -CAcreateserial -days 2 -out "$KEYS/$1.crt" \
    -extfile <(echo "${3:-basicConstraints=CA:FALSE}") 2>/dev/null
  chmod 600 "$KEYS/$1.key"
}
certificate server localhost 'subjectAltName=DNS:localhost'
certificate client loader
openssl rsa -aes128 -passout pass:geheim -in "$KEYS/client.key" -out "$KEYS/locked.key" 2>/dev/null
chmod 600 "$KEYS/locked.key"
PORT=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
cp "$KEYS/ca.crt" "$KEYS/server.crt" "$KEYS/server.key" "$DIR/data/"
as_server true && own_by_server "$DIR/data/ca.crt" "$DIR/data/server.crt" "$DIR/data/server.key"
as_server tee -a "$DIR/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = '127.0.0.1'
ssl = on
ssl_ca_file = 'ca.crt'
CONF
as_server tee "$DIR/data/pg_hba.conf" >/dev/null <<'CONF'
local all postgres trust
hostssl all loader 127.0.0.1/32 cert
hostssl all secret 127.0.0.1/32 scram-sha-256
hostnossl all plain 127.0.0.1/32 trust
hostssl all tls 127.0.0.1/32 trust
CONF
as_server "$BINDIR/pg_ctl" start -w -s -D "$DIR/data" -l "$DIR/log" -o "-p $PORT -k $DIR" </dev/null
PGPORT=$PORT "$BINDIR/psql" -X -q -h "$DIR" -U postgres -d postgres -c "CREATE ROLE plain LOGIN; CREATE ROLE tls LOGIN; CREATE ROLE secret LOGIN PASSWORD 'se:cret'; GRANT CREATE ON DATABASE postgres TO plain, tls, secret"
unset PGHOST PGUSER PGDATABASE PGPORT
there="host=localhost hostaddr=127.0.0.1 port=$PORT dbname=postgres"
try() { "$LOADER" load -d "$there $1" --schema "${2:-s}" "$WORK/results.pgn"; }
for mode in disable allow prefer; do yes "a server that refuses TLS, sslmode $mode" try "user=plain sslmode=$mode" bare; done
for mode in require verify-ca; do no "a server that refuses TLS, sslmode $mode" try "user=plain sslmode=$mode sslrootcert=$KEYS/ca.crt" bare; done
for mode in allow prefer require; do yes "a server that wants TLS, sslmode $mode" try "user=tls sslmode=$mode" tls; done
no "a server that wants TLS, sslmode disable" try "user=tls sslmode=disable" tls
for mode in require verify-ca verify-full; do
  yes "sslmode $mode with the right root" try "user=tls sslmode=$mode sslrootcert=$KEYS/ca.crt" tls
  no "sslmode $mode with another root" try "user=tls sslmode=$mode sslrootcert=$KEYS/other.crt" tls
done
no "sslmode verify-full without a root" try "user=tls sslmode=verify-full" tls
no "a root of the system that is not ours" try "user=tls sslrootcert=system" tls
there="host=127.0.0.1 port=$PORT dbname=postgres"
no "sslmode verify-full under another name" try "user=tls sslmode=verify-full sslrootcert=$KEYS/ca.crt" tls
yes "sslmode verify-ca under another name" try "user=tls sslmode=verify-ca sslrootcert=$KEYS/ca.crt" tls
there="host=localhost hostaddr=127.0.0.1 port=$PORT dbname=postgres"
no "no certificate of the client" try "user=loader sslmode=require" loader
yes "a certificate of the client" try "user=loader sslmode=verify-full sslrootcert=$KEYS/ca.crt sslcert=$KEYS/client.crt sslkey=$KEYS/client.key" loader
yes "a locked key" try "user=loader sslcert=$KEYS/client.crt sslkey=$KEYS/locked.key sslpassword=geheim" loader
no "a locked key with another password" try "user=loader sslcert=$KEYS/client.crt sslkey=$KEYS/locked.key sslpassword=other" loader
no "a certificate that is not asked for" try "user=loader sslcert=$KEYS/client.crt sslkey=$KEYS/client.key sslcertmode=disable" loader
chmod 644 "$KEYS/client.key"
no "a key that others can read" try "user=loader sslcert=$KEYS/client.crt sslkey=$KEYS/client.key" loader
chmod 600 "$KEYS/client.key"
mkdir "$HOME/.postgresql"
cp "$KEYS/ca.crt" "$HOME/.postgresql/root.crt"
cp "$KEYS/client.crt" "$HOME/.postgresql/postgresql.crt"
cp "$KEYS/client.key" "$HOME/.postgresql/postgresql.key"
yes "certificates in ~/.postgresql" try "user=loader sslmode=verify-full" loader
rm -r "$HOME/.postgresql"
no "no password" try "user=secret" secret
yes "a password and channel binding" try "user=secret password=se:cret channel_binding=require sslmode=require" secret
echo "localhost:$PORT:*:secret:se\\:cret" >"$HOME/.pgpass"
no "a password file that others can read" try "user=secret" secret
chmod 600 "$HOME/.pgpass"
yes "a password file" try "user=secret" secret
mv "$HOME/.pgpass" "$WORK/pass"
PGPASSFILE=$WORK/pass yes "PGPASSFILE" try "user=secret" secret
PGPASSWORD=se:cret yes "PGPASSWORD" try "user=secret" secret
printf '[games]\nhost=localhost\nhostaddr=127.0.0.1\nport=%s\ndbname=postgres\nuser=secret\npassword=se:cret\nsslmode=verify-full\nsslrootcert=%s\n' "$PORT" "$KEYS/ca.crt" >"$HOME/.pg_service.conf"
PGSERVICE=games yes "a service" "$LOADER" load --schema secret "$WORK/results.pgn"
yes "a service that is named" "$LOADER" load -d service=games --schema secret "$WORK/results.pgn"
PGHOST=localhost PGHOSTADDR=127.0.0.1 PGPORT=$PORT PGDATABASE=postgres PGUSER=tls PGSSLMODE=verify-full PGSSLROOTCERT=$KEYS/ca.crt \
  yes "all of it in the environment" "$LOADER" load --schema tls "$WORK/results.pgn"
yes "a URL" "$LOADER" load -d "postgresql://secret:se%3Acret@localhost:$PORT/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=$KEYS/ca.crt" --schema secret "$WORK/results.pgn"
yes "the second of two hosts" "$LOADER" load -d "host=localhost,localhost hostaddr=127.0.0.1,127.0.0.1 port=1,$PORT dbname=postgres user=tls" --schema tls "$WORK/results.pgn"
no "a promise that cannot be kept" try "user=tls require_auth=scram-sha-256" tls
export HOME=$HOME_BEFORE
