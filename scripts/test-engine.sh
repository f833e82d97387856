#!/usr/bin/env bash
# In: the installed extension; a Stockfish; PG or PG_CONFIG.
# Out: an error unless chess-pgn analyze stores what the engine says, once and for all: also when it is killed, when the
# server or the engine fails, when two of them run at once; and unless chess-pgn play stores games that were played by the
# rules. In a private server.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8
PATH=$PATH:/usr/games
command -v stockfish >/dev/null || die "no stockfish: run scripts/setup.sh test"

cargo_build -q
LOADER=$TARGET/release/chess-pgn

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

# ends CODE WHAT COMMAND...
ends() {
  local code=$1 what=$2 status=0
  shift 2
  "$@" >"$WORK/out" 2>&1 || status=$?
  equal "$what (exit code)" "$code" "$status"
  [ "$status" = "$code" ] || sed 's/^/  /' "$WORK/out"
}
says() { equal "$1" "$2" "$(grep -q -- "$2" "$WORK/out" && echo "$2" || cat "$WORK/out")"; }
# what is stored, without numbers and times
rows() { sql "SELECT count(*), md5(string_agg(md5((to_jsonb(a) - '{engine_id,time_ms,at}'::text[])::text), '' ORDER BY key, halfmove_clock)) FROM $1.analysis a"; }
# how many engines of this test still run when they have had time to end
export ENGINE_TEST=$WORK
engines() {
  local pid
  for pid in $(grep -lzx "ENGINE_TEST=$WORK" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3); do
    case $(cat "/proc/$pid/comm" 2>/dev/null) in stockfish | perl | fake) echo "$pid" ;; esac
  done
}
no_engine() { [ -z "$(engines)" ]; }
left() {
  wait_for "the end of engines" no_engine >&2
  engines | wc -l
}

go_on
say "Twenty games, twice"
"$LOADER" load demo/famous.pgn >/dev/null 2>&1
reproducible=("$LOADER" analyze --where 'id <= 20' --nodes 5000 --reproducible)
ends 0 "twenty games" "${reproducible[@]}"
cat "$WORK/out"
distinct=$(sql "SELECT count(DISTINCT (epd(board), greatest(halfmoveclock(board), 60))) FROM chess.games, positions(game) WHERE id <= 20")
equal "a row for each position" "$distinct|0" "$(sql "SELECT count(*), count(*) FILTER (WHERE status = 'failed') FROM chess.analysis")"
equal "each game is gone through" 20 "$(sql 'SELECT count(*) FROM chess.analyzed_games')"
equal "keys are those of the boards" 0 "$(sql 'SELECT count(*) FROM chess.analysis WHERE key <> zobrist(board)')"
first=$(rows chess)
ends 0 "the same again" "${reproducible[@]}"
says "the second run asks nothing" '20 of 20 games: 0 positions asked, .* 0 failed'
equal "nor does it store anything" "$first" "$(rows chess)"
ends 0 "how far it is" "${reproducible[@]}" --status
says "all of it is stored" '20 of 20 games done; .* 0 open'
ends 0 "with fewer nodes" "$LOADER" analyze --where 'id <= 20' --nodes 1000 --reproducible
says "more nodes than asked for serve as well" ' 0 positions asked'
ends 0 "with another hash table" "$LOADER" analyze --where 'id = 1' --plies 10..12 --nodes 5000 --reproducible --hash 32
says "another engine is asked anew" ' 3 positions asked'
sql "DELETE FROM chess.analysis a USING chess.engines e WHERE e.id = a.engine_id AND e.options->>'Hash' = '32'"

say "Killed and resumed"
kills=0
"$LOADER" load --schema killed demo/famous.pgn >/dev/null 2>&1
hurdles killed.analysis
for round in 1 2 3; do
  stop_at 3
  "${reproducible[@]}" --schema killed >/dev/null 2>&1 &
  pid=$!
  stopped $pid
  if kill -9 $pid 2>/dev/null; then kills=$((kills + 1)); fi
  wait $pid 2>/dev/null || true
  go
  equal "no engine outlives kill -9" 0 "$(left)"
done
equal "killed, not done" 3 "$kills"
stop_at 2
"${reproducible[@]}" --schema killed >/dev/null 2>&1 &
pid=$!
stopped $pid
kill -INT $pid
go
status=0
wait $pid || status=$?
equal "interrupted (exit code)" 130 "$status"
equal "no engine outlives an interrupt" 0 "$(left)"
ends 0 "after $kills kills" "${reproducible[@]}" --schema killed
equal "the rows of an unbroken run" "$first" "$(rows killed)"

say "Two at once, and a server that goes away"
"$LOADER" load --schema pair demo/famous.pgn >/dev/null 2>&1
"${reproducible[@]}" --schema pair --workers 1 >"$WORK/pair" 2>&1 &
pid=$!
ends 0 "the second of two" "${reproducible[@]}" --schema pair --workers 1
status=0
wait $pid || status=$?
equal "the first of two (exit code)" 0 $status
ends 0 "after both" "${reproducible[@]}" --schema pair
says "nothing was left out" ' 0 positions asked'
equal "the rows of a lone run" "$first" "$(rows pair)"
"$LOADER" load --schema gone demo/famous.pgn >/dev/null 2>&1
hurdles gone.analysis
stop_at 2
"${reproducible[@]}" --schema gone >"$WORK/gone" 2>&1 &
pid=$!
stopped $pid
as_server "$BINDIR/pg_ctl" stop -s -m immediate -D "$DIR/data"
status=0
wait $pid || status=$?
equal "the server is gone (exit code)" 1 $status
equal "and what to do is said" 1 "$(grep -c 'run the same command again' "$WORK/gone")"
equal "no engine outlives the server" 0 "$(left)"
server_start "$DIR"
go
ends 0 "after the crash" "${reproducible[@]}" --schema gone
equal "the rows of an unbroken run, again" "$first" "$(rows gone)"

say "What the engine says when it is asked by hand"
cat >"$WORK/special.pgn" <<'PGN'
[Event "mate in two"]
[SetUp "1"]
[FEN "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"]

1. Ra7 Kg8 2. Rb8# 1-0

[Event "stalemate"]
[SetUp "1"]
[FEN "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"]

1. Kg6 1/2-1/2

[Event "promotion"]
[SetUp "1"]
[FEN "6k1/P6r/8/8/8/8/8/K7 w - - 0 1"]

1. a8=N Kg7 *

[Event "underpromotion"]
[SetUp "1"]
[FEN "6br/5Ppk/6pp/8/8/8/8/K7 w - - 0 1"]

1. f8=N# 1-0

[Event "castling that only Chess960 has"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "6k1/6pp/8/8/8/8/PPP5/1RK1R3 w BE - 0 1"]

1. O-O Kf8 *

[Event "a clock that counts"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/R3K3 w - - 80 90"]

1. Ra7 Kd8 2. e3 *
PGN
"$LOADER" load --schema special "$WORK/special.pgn" >/dev/null 2>&1
ends 0 "special positions" "$LOADER" analyze --schema special --nodes 20000 --reproducible
# by_hand FEN CHESS960: the best move and the last exact score, as White sees it
by_hand() {
  : >"$WORK/told"
  {
    printf '%s\n' uci 'setoption name UCI_ShowWDL value true' 'setoption name Threads value 1' 'setoption name Hash value 16' \
      "setoption name UCI_Chess960 value $2" isready ucinewgame isready "position fen $1" 'go nodes 20000'
    # the end of its input would end the search
    wait_for "a best move" grep -q ^bestmove "$WORK/told" >&2
  } | stockfish >"$WORK/told" 2>/dev/null
  awk -v turn="$(cut -d ' ' -f 2 <<<"$1")" '
    / score / && !/bound/ { for (i = 1; i < NF; i++) if ($i == "score") { kind = $(i + 1); value = $(i + 2) } }
    /^bestmove/ { sign = turn == "w" ? 1 : -1; if (kind == "mate") value = value > 0 ? 100000 - value : -100000 - value
      print $2 "|" sign * value }' "$WORK/told"
}
checked=0
while IFS='|' read -r fen chess960 stored; do
  equal "by hand: $fen" "$(by_hand "$fen" "$chess960")" "$stored"
  checked=$((checked + 1))
done < <(sql "SELECT board, castling(board) ~ '[^KQkq-]' OR board::text LIKE '%1RK1R3%', best || '|' || evals[1] FROM special.analysis WHERE status = 'done'")
equal "so many were compared" t "$([ $checked -ge 12 ] && echo t)"
equal "mate in two, mate in one" '99998|99999' "$(sql "SELECT string_agg(eval::text, '|' ORDER BY ply) FROM special.evaluations e JOIN special.pgn_view v ON v.id = e.game_id WHERE v.event = 'mate in two' AND ply IN (0, 2)")"
equal "mate and stalemate on the board" 'mate in two|over|100000
stalemate|over|0
underpromotion|over|100000' "$(sql "SELECT v.event, a.status, a.evals[1] FROM special.pgn_view v JOIN special.analysis a ON sameposition(a.board, finalBoard(v.game)) WHERE a.status = 'over' ORDER BY 1")"
equal "promotions in UCI" 'f7f8n|99999
a7a8q|t' "$(sql "SELECT best, CASE WHEN best = 'a7a8q' THEN CASE WHEN evals[1] > 200 THEN 't' END ELSE evals[1]::text END FROM special.analysis WHERE board::text ~ '^6(br/5P|k1/P)' ORDER BY evals[1] DESC")"
equal "a clock above 60 is part of the position" '80|81|82' "$(sql "SELECT string_agg(halfmove_clock::text, '|' ORDER BY halfmove_clock) FROM special.analysis WHERE halfmove_clock > 0")"
equal "and its games find it" '4|4' "$(sql "SELECT count(*), count(eval) FROM special.evaluations e JOIN special.pgn_view v ON v.id = e.game_id WHERE v.event = 'a clock that counts'")"
ends 0 "three lines" "$LOADER" analyze --schema special --nodes 5000 --multipv 3 --where "event = 'promotion'"
equal "three lines are stored" '3|3|t' "$(sql "SELECT cardinality(evals), cardinality(pvs), evals[1] > evals[2] AND pvs[1] ~ '^a7a8q' AND pvs[2] !~ '^a7a8q' FROM special.analysis WHERE multipv = 3 AND board::text LIKE '6k1/P6r/%'")"

say "Views and the export"
"$LOADER" export --where 'id = 1' >"$WORK/plain.pgn"
equal "an export without --analysis has none" 0 "$(grep -c eval "$WORK/plain.pgn" || true)"
equal "nor has pgn_evals" 20 "$(sql 'SELECT count(*) FROM chess.pgn_view WHERE evals IS NOT NULL AND pgn_evals IS NULL')"
"$LOADER" export --where 'id = 1' --analysis >"$WORK/analysis.pgn"
equal "an export with --analysis has one for each half-move" "$(sql 'SELECT ply_count FROM chess.games WHERE id = 1')" "$(grep -o '\[%eval' "$WORK/analysis.pgn" | wc -l)"
"$LOADER" load --schema again --evals "$WORK/analysis.pgn" >/dev/null 2>&1
equal "and they come back" "$(sql 'SELECT evals FROM chess.pgn_view WHERE id = 1')" "$(sql 'SELECT evals FROM again.games')"
equal "the views work on evaluations of the PGN as well" "$(sql 'SELECT count(*), sum(loss)::numeric(9, 3) FROM chess.losses WHERE game_id = 1 AND ply > 1')" "$(sql 'SELECT count(*), sum(loss)::numeric(9, 3) FROM again.losses')"
equal "pgn_view has them" 't' "$(sql "SELECT bool_and(evals IS NOT NULL = (id <= 20)) FROM chess.pgn_view")"
sql "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA chess TO reader; GRANT SELECT ON chess.pgn_view TO reader"
equal "also for who may read nothing else" 20 "$(PGUSER=reader "${CLIENT[@]}" -d postgres -U reader -At -c 'SELECT count(evals) FROM chess.pgn_view')"
equal "losses are those of the formula" '' "$(sql "WITH e AS (SELECT game_id, ply, eval, lag(eval) OVER (PARTITION BY game_id ORDER BY ply) AS before FROM chess.evaluations),
    w AS (SELECT game_id, ply, CASE WHEN ply % 2 = 1 THEN 1 ELSE -1 END * (50 + 50 * (2 / (1 + exp(-0.00368208::float8 * before)) - 1) - (50 + 50 * (2 / (1 + exp(-0.00368208::float8 * eval)) - 1))) AS loss FROM e WHERE ply > 0)
  SELECT w.*, l.loss FROM w FULL JOIN chess.losses l USING (game_id, ply) WHERE abs(greatest(w.loss, 0) - l.loss) > 1e-9 OR w.ply IS NULL OR l.ply IS NULL")"
equal "an accuracy is the mean of its moves" '' "$(sql "SELECT a.* FROM chess.accuracies a JOIN (SELECT game_id, color, count(*), avg(greatest(0, least(100, 103.1668 * exp(-0.04354::float8 * loss) - 3.1669))) AS mean FROM chess.losses GROUP BY 1, 2) m USING (game_id, color) WHERE abs(a.accuracy - m.mean) > 1e-6 OR a.moves <> m.count")"
for view in losses mistakes accuracies; do
  equal "$view has the player's name" 't|t' "$(sql "SELECT count(*) > 0, bool_and(l.player = CASE l.color WHEN 'w' THEN v.white ELSE v.black END AND l.player = p.name)
    FROM chess.$view l JOIN chess.pgn_view v ON v.id = l.game_id JOIN chess.players p ON p.id = l.player_id")"
done
equal "mistakes and what they are called" 't' "$(sql "SELECT bool_and(CASE judgement WHEN 'blunder' THEN loss >= 15 WHEN 'mistake' THEN loss >= 10 AND loss < 15 ELSE loss >= 5 AND loss < 10 END) FROM chess.mistakes")"
sql "UPDATE chess.pgn_view SET round = '7' WHERE id = 2"
for statement in "UPDATE chess.pgn_view SET pgn_evals = '{1}' WHERE id = 3" "INSERT INTO chess.pgn_view (game, pgn_evals) VALUES ('1. e4', '{1}')"; do
  equal "$statement" 1 "$(sql "$statement" 2>&1 | grep -c 'written through evals')"
done
equal "an UPDATE through the view leaves an engine's evaluations where they are" 't|7' "$(sql 'SELECT evals IS NULL, round FROM chess.games WHERE id = 2')"
sql "DELETE FROM chess.games WHERE id = 2"
equal "a game that goes takes its mark along" 19 "$(sql 'SELECT count(*) FROM chess.analyzed_games')"

say "An engine that does everything wrong"
cat >"$WORK/two.pgn" <<'PGN'
1. e4 e5 *
PGN
cat >"$WORK/fake" <<FAKE
#!/bin/sh
exec perl '$ROOT/crates/chess-uci/tests/fake-engine.pl' "\$@"
FAKE
chmod +x "$WORK/fake"
"$LOADER" load --schema fake "$WORK/two.pgn" >/dev/null 2>&1
# fault NAME CODE ROWS MESSAGE: analyzes three positions with a faulty engine. If the engine hangs, each position costs
# the full deadline of three seconds; if an answer is expected, the deadline is longer for slow machines.
fault() {
  sql 'DELETE FROM fake.analysis; DELETE FROM fake.analyzed_games'
  FAKE_FAULT=$1 FAKE_MARK=$WORK/mark-$1 ends "$2" "an engine that $1" timeout $PATIENCE "$LOADER" analyze --schema fake --engine "$WORK/fake" --workers 1 --nodes 10 --plies 0..1 \
    --deadline "$(case $1 in hangs | floods) echo 3 ;; once-hangs) echo 20 ;; *) echo $PATIENCE ;; esac)"
  equal "rows of an engine that $1" "$3" "$(sql "SELECT string_agg(status || coalesce(' ' || evals[1], ''), ', ' ORDER BY board::text COLLATE \"C\") FROM fake.analysis")"
  says "what is said of an engine that $1" "$4"
  equal "nothing is left of an engine that $1" 0 "$(left)"
}
# it knows a move for each of the two positions
fault '' 0 'done -30, done 30' '1 of 1 games: 2 positions asked, 0 known, 0 failed'
fault once-dies 0 'done -30, done 30' ' 0 failed'
fault once-hangs 0 'done -30, done 30' ' 0 failed'
fault half-lines 0 'failed, done 20' 'named "e2e4" as the best move, which is not legal'
fault dies-at-start 1 '' 'cannot open network file'
fault dies 1 'failed' 'Fake 1 ended (signal: 11'
fault hangs 1 'failed' 'nothing more is asked of it'
fault never-ready 1 '' 'did not answer in time (readyok)'
fault none 1 'failed' 'named no best move although there are legal moves, asked about .* (game 1, half-move 0)'
fault illegal 1 'failed' 'named "e1e8" as the best move, which is not legal, asked about .* (game 1, half-move 0)'
fault floods 1 'failed' '\(wrote more than 64 MiB about one position\|did not answer in time (bestmove)\), asked about .* (game 1, half-move 0)'
sql 'DELETE FROM fake.analysis'
ends 1 "no engine at all" "$LOADER" analyze --schema fake --engine /etc/passwd
ends 1 "a program that is not there" "$LOADER" analyze --schema fake --engine no-such-engine
says "what the matter is" 'engine no-such-engine was not found'
equal "no advice that does not help" "" "$(grep 'same command again' "$WORK/out" || true)"
ends 1 "an option that the engine does not have" "$LOADER" analyze --schema fake --engine "$WORK/fake" --option Skill=3
says "which one" 'has no option "Skill"'
sql "INSERT INTO fake.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, reason, board)
  SELECT zobrist(startboard()), 0, e.id, 1, 'nodes', 10, 'failed', 'once', startboard() FROM fake.engines e WHERE e.name = 'Fake 1' AND NOT e.reproducible"
ends 0 "what has failed" "$LOADER" analyze --schema fake --engine "$WORK/fake" --nodes 10 --plies 0..0
says "is not asked again" ' 0 positions asked'
ends 0 "what has failed, with --retry" "$LOADER" analyze --schema fake --engine "$WORK/fake" --nodes 10 --plies 0..0 --retry
equal "is asked again" 'done|30' "$(sql "SELECT status, evals[1] FROM fake.analysis WHERE key = zobrist(startboard())")"

say "Evaluations that nobody has"
equal "beyond every mate" '0|50|100|t' "$(sql "SELECT chess.win_percent(-2147483648), chess.win_percent(0), chess.win_percent(2147483647), chess.win_percent(NULL) IS NULL")"
equal "accuracies" '100|0|0|t' "$(sql "SELECT round(chess.move_accuracy(-1e300)), chess.move_accuracy(100), chess.move_accuracy(1e300), chess.move_accuracy(NULL) IS NULL")"

say "Games between engines"
ends 0 "two games" "$LOADER" play --schema play --nodes 300 --games 2 --swap --from '8/8/8/4k3/8/8/4P3/4K2R w K - 0 1'
equal "they end by the rules" '2|t|t' "$(sql "SELECT count(*), bool_and(status(game) <> 'in progress'), bool_and(result = result(game) AND result <> '*') FROM play.pgn_view")"
equal "an evaluation for each half-move, no clocks" 't|t' "$(sql "SELECT bool_and(cardinality(evals) = ply_count), bool_and(clocks IS NULL) FROM play.pgn_view")"
ends 0 "a game by the clock" "$LOADER" play --schema play --clock 0.05+0.02 --event blitz
equal "clocks for each half-move" 't|3+0.02|t' "$(sql "SELECT coalesce(cardinality(clocks), 0) = ply_count, time_control, coalesce(31 >= ALL (clocks), true) FROM play.pgn_view WHERE event = 'blitz'")"
ends 0 "an engine that cheats" env FAKE_FAULT=illegal "$LOADER" play --schema play --white "$WORK/fake" --black stockfish --nodes 100 --event cheat
equal "loses" '0-1|rules infraction' "$(sql "SELECT result, tags->>'Termination' FROM play.pgn_view WHERE event = 'cheat'")"
ends 1 "a start that is over" "$LOADER" play --schema play --from '7k/5Q2/6K1/8/8/8/8/8 b - - 0 1'
ends 1 "a start without kings" "$LOADER" play --schema play --from '8/8/8/8/8/8/8/8 w - - 0 1'
ends 0 "Chess960" "$LOADER" play --schema play --nodes 200 --event 960 --from 'bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1'
equal "Chess960 is marked" 't' "$(sql "SELECT isChess960(game) FROM play.pgn_view WHERE event = '960'")"
equal "no engine is left" 0 "$(left)"

say "A full disk"
# two tables in a tablespace of their own: it alone is full
mkdir "$DIR/small"
if is_root && mount -t tmpfs -o size=4m tmpfs "$DIR/small" 2>/dev/null; then
  MOUNT=$DIR/small
  own_by_server "$DIR/small"
  sql "CREATE TABLESPACE small LOCATION '$DIR/small'"
  "$LOADER" load --schema filled demo/famous.pgn >/dev/null 2>&1
  for table in analysis games; do sql "ALTER TABLE filled.$table SET TABLESPACE small"; done
  fill() { as_server dd if=/dev/zero of="$DIR/small/fill" bs=8k 2>/dev/null || true; }
  fill
  ends 1 "analyze on a full disk" "$LOADER" analyze --schema filled --where 'id <= 3' --nodes 2000 --reproducible
  says "which disk" 'No space left on device'
  says "whose answers, and of which positions" 'cannot store the analysis of game [123], half-moves 0 to [0-9]*, by Stockfish'
  says "and what to do" 'run the same command again'
  equal "no game is half stored" 0 "$(sql 'SELECT count(*) FROM filled.analyzed_games d WHERE EXISTS (SELECT FROM filled.games g, positions(g.game) p WHERE g.id = d.game_id AND NOT EXISTS (SELECT FROM filled.analysis a WHERE a.key = zobrist(p.board)))')"
  equal "no engine is left" 0 "$(left)"
  # a game that takes more than the last page has
  ends 1 "play on a full disk" "$LOADER" play --schema filled --nodes 20 --games 200 --from '8/8/8/4k3/8/8/4P3/4K2R w K - 0 1'
  says "which game" 'cannot store game [0-9]*'
  stored=$(sql "SELECT count(*) FROM filled.pgn_view WHERE source_id IS NULL")
  equal "the games before it are whole" "$(sed -n 's/.*cannot store game \([0-9]*\).*/\1/p' "$WORK/out")" "$((stored + 1))"
  equal "no engine is left of it" 0 "$(left)"
  rm "$DIR/small/fill"
  ends 0 "with room again" "$LOADER" analyze --schema filled --where 'id <= 3' --nodes 2000 --reproducible
  "$LOADER" load --schema roomy demo/famous.pgn >/dev/null 2>&1
  ends 0 "where there always was room" "$LOADER" analyze --schema roomy --where 'id <= 3' --nodes 2000 --reproducible
  equal "the same rows" "$(rows roomy)" "$(rows filled)"
else
  skip "a full disk: only root can mount a small one" "run the tests as root"
fi
