#!/usr/bin/env bash
# In: the installed extension; PG or PG_CONFIG; POSITIONS=n (default 200), how many questions are compared each time; SEED=n.
# Out: an error unless the opening explorer in SQL answers as a plain replay of the games does, with and without indexes,
# with every kind of filter, and lists the games in order.
set -euo pipefail
. "$(dirname "$0")/env.sh"
. scripts/cluster.sh
. scripts/checks.sh
find_postgres
export LC_ALL=C.UTF-8

cargo_build -q
LOADER=${LOADER:-$TARGET/release/chess-pgn}
GEN=${GEN:-$TARGET/release/chess-gamegen}

DIR=$(new_server_dir /tmp)
WORK=$(mktemp -d)
cleanup() {
  [ "$failed" = 0 ] || as_server tail -n 30 "$DIR/log" || true
  server_stop "$DIR"
  rm -rf "$DIR" "$WORK"
}
at_end cleanup
server_init "$DIR"
server_start "$DIR"
export PGHOST=$DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres

# the error that a statement raises
refused() { "${CLIENT[@]}" -d postgres -At -v VERBOSITY=sqlstate -c "$1" 2>&1 | grep -o '[0-9A-Z]\{5\}$' || true; }
# compare WHAT [SETTING...]: the explorer and the replay
compare() {
  local what=$1 compared
  shift
  compared=$(sql "${@/#/SET }" "SELECT setseed(0.${SEED:-5})" "SELECT replay.compare(${POSITIONS:-200})" 2>&1 | sed '/^$/d' | tail -n 3) || true
  [[ $compared =~ ^[0-9]+$ ]] || { fail "$what: $compared"; return 0; }
  equal "$what: moves were compared" t "$([ "$compared" -gt 50 ] && echo t)"
}

go_on
say "The explorer and a plain replay"
{ "$GEN" --games 1500 --seed 3; cat demo/famous.pgn; } >"$WORK/games.pgn"
"$LOADER" load "$WORK/games.pgn" >/dev/null 2>&1
PGOPTIONS='-c client_min_messages=warning' "${CLIENT[@]}" -d postgres -f tests/explorer/replay.sql
sql "SELECT setseed(0.${SEED:-5})" "SELECT replay.dress()" "SELECT replay.fill()" "ANALYZE chess.games" >/dev/null 2>&1
compare "without indexes"
"$LOADER" load --index "$WORK/games.pgn" >/dev/null 2>&1
compare "with indexes"
compare "by indexes alone" "enable_seqscan = off"
compare "by bitmaps alone" "enable_seqscan = off" "enable_indexscan = off"
compare "in parallel" "max_parallel_workers_per_gather = 4" "parallel_setup_cost = 0" "parallel_tuple_cost = 0" \
  "min_parallel_table_scan_size = 0" "enable_bitmapscan = off"

say "Castling, ends, and boards that no game has"
equal "castling is the king's move" "e1g1|O-O" "$(sql "SELECT uci, san FROM chess.explorer('r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -') WHERE san = 'O-O'")"
equal "a position where a game ends has a row without a move" "t" "$(sql "SELECT every(uci IS NULL AND reached IS NULL AND games = 1) FROM (SELECT (chess.explorer(finalBoard(game))).* FROM chess.games ORDER BY id DESC LIMIT 20) e WHERE san IS NULL")"
equal "a board without kings" 0 "$(sql "SELECT count(*) FROM chess.explorer('8/8/8/8/8/8/8/8 w - -')")"
equal "no board" 0 "$(sql "SELECT count(*) FROM chess.explorer(NULL)")"
equal "the speed of fractions" 'ultraBullet|10|blitz|unknown' "$(sql "SELECT chess.speed('6+0.06'), chess.time_control_seconds('6+0.1'), chess.speed('180.5+2'), chess.speed('1.+1')")"

say "Lists of games"
games=$(sql "SELECT count(*) FROM chess.games WHERE hasBoard(game, 'startpos')")
equal "page after page, every game once, in order" "t|$games|t" "$(sql "$(paged "'startpos'" 97)")"
for sort in date length; do
  key=$([ $sort = date ] && echo "coalesce(lower(dates), '-infinity')" || echo ply_count)
  equal "by $sort" t "$(sql "SELECT ARRAY(SELECT id FROM chess.explorer_games(sort => '$sort', count => 2000, result => '1-0')) =
    ARRAY(SELECT id FROM chess.games WHERE result = '1-0' ORDER BY $key DESC, id DESC)")"
done
if explains "indexes of lists"; then
  equal "the lists of popular positions come from their indexes" "games_latest_idx games_ratings_idx" "$(
    for sort in rating date; do
      plans "SET enable_sort = off" "SELECT count(*) FROM chess.explorer_games('startpos', sort => '$sort')"
    done | grep -o 'games_[a-z]*_idx' | sort | paste -sd ' ')"
fi

say "Bad questions"
for question in "chess.explorer('startpos', color => 'x', player => 'a')" "chess.explorer('startpos', color => 'w')" \
  "chess.explorer('startpos', result => 'won')" "chess.explorer('startpos', speeds => '{fast}')" \
  "chess.explorer('startpos', rating => '2500')" "chess.explorer_games(rating => '')" \
  "chess.explorer('startpos', speeds => '{NULL}')" "chess.explorer_games(sort => 'name')" "chess.explorer_games(after => -1)" "chess.explorer_games(count => -1)"; do
  equal "$question" 22023 "$(refused "SELECT * FROM $question")"
done
equal "a rating that is no range says how one is written" "HINT:  Write '[2200,2500)' or '[2500,)', and several ranges as '{[1600,1800),[2000,)}'." \
  "$(sql "SELECT * FROM chess.explorer('startpos', rating => '2500')" 2>&1 | grep HINT)"
equal "bounds of ratings in the wrong order" 22000 "$(refused "SELECT * FROM chess.explorer('startpos', rating => '[2500,2200)')")"
equal "quotes in names find nothing and break nothing" "" \
  "$(sql "SELECT * FROM chess.explorer('startpos', player => 'a'' OR true --', event => '\\'' OR 1=1', time_control => ''';--')")"

say "Rights and names"
"$LOADER" load --schema "Ein 'Schema\"" "$WORK/games.pgn" >/dev/null 2>&1
equal "a schema with quotes" "7|1554" "$(sql "SELECT count(*), sum(games) FROM \"Ein 'Schema\"\"\".explorer('startpos', result => NULL)")"
sql "CREATE ROLE reader" "GRANT USAGE ON SCHEMA chess TO reader" "GRANT SELECT ON ALL TABLES IN SCHEMA chess TO reader"
equal "who may read may ask, whatever the search_path" "t|15" "$(sql "SET ROLE reader" "SET search_path = ''" \
  "SELECT sum(games) > 1000, (SELECT count(*) FROM chess.explorer_games(public.startboard())) FROM chess.explorer(public.startboard(), speeds => '{blitz,unknown,bullet,classical,correspondence}')")"
equal "who may not read may not ask" 42501 "$(refused "CREATE ROLE nobody; GRANT USAGE ON SCHEMA chess TO nobody; SET ROLE nobody; SELECT * FROM chess.explorer(public.startboard())")"
equal "nobody else attaches what counts with its owner's rights" 42501 "$(refused "GRANT CREATE ON SCHEMA public TO reader; SET ROLE reader;
  CREATE TABLE public.lure (id bigint); CREATE TRIGGER lure AFTER INSERT ON public.lure REFERENCING NEW TABLE AS new_games EXECUTE FUNCTION chess.explorer_games_come()")"

say "Policies"
# asked ROLE [SCHEMA]: prints the source of the answer, the number of games with the start position, and the listed
# games
asked() {
  local schema=${2:-chess}
  echo "SET ROLE $1; SELECT $schema.explorer_source(public.startBoard()),
    (SELECT coalesce(sum(games), 0) FROM $schema.explorer(public.startBoard())),
    ARRAY(SELECT id FROM $schema.explorer_games(public.startBoard()))"
}
# the expected answer: the same for the games that the role sees
seen() {
  echo "SET ROLE $1; SELECT '$2', count(*), (SELECT ARRAY(SELECT g.id FROM chess.games g WHERE public.hasBoard(g.game, 'startpos')
    ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 15)) FROM chess.games WHERE public.hasBoard(game, 'startpos')"
}
"$LOADER" explorer build --least 20 >/dev/null 2>&1
sql "CREATE ROLE pupil" "CREATE ROLE trusted BYPASSRLS" "GRANT USAGE ON SCHEMA chess TO pupil, trusted" \
  "GRANT SELECT ON ALL TABLES IN SCHEMA chess TO pupil, trusted" "CREATE POLICY few ON chess.games USING (id % 100 = 0)"
equal "a policy that is not enabled" "$(sql "$(seen pupil cube)")" "$(sql "$(asked pupil)")"
sql "ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY"
# one session, so that its plans are cached
for view in definer invoker; do
  [ $view = definer ] || for name in pgn_view evaluations losses mistakes accuracies; do sql "ALTER VIEW chess.$name SET (security_invoker = true)"; done
  equal "each role is told of the games it sees, views as $view" "$(sql "$(seen postgres cube)" "$(seen pupil live)" "$(seen trusted cube)" "$(seen pupil live)")" \
    "$(sql "$(asked postgres)" "$(asked pupil)" "$(asked trusted)" "$(asked pupil)")"
done
equal "what the role sees is some" "t" "$(sql "SET ROLE pupil" "SELECT count(*) BETWEEN 5 AND 20 FROM chess.games")"
equal "row_security = off" 42501 "$(refused "SET ROLE pupil; SET row_security = off; SELECT * FROM chess.explorer(public.startBoard())")"
hidden="explorer_build, chess.explorer_position, chess.explorer_cell, chess.explorer_total, chess.explorer_list, chess.explorer_known, chess.explorer_listed, chess.explorer_pending, chess.explorer_pending_game, chess.explorer_pending_games, chess.explorer_stale"
sql "REVOKE SELECT ON chess.$hidden FROM pupil"
equal "without rights on the cube" "$(sql "$(seen pupil live)")" "$(sql "$(asked pupil)")"
sql "GRANT SELECT ON chess.$hidden TO pupil"
sql "ALTER TABLE chess.games DISABLE ROW LEVEL SECURITY"
for table in pieces explorer_build explorer_position explorer_cell explorer_total explorer_list explorer_pending explorer_pending_game explorer_stale; do
  equal "row security of $table" "$(sql "$(seen pupil live)")" "$(sql "BEGIN" "ALTER TABLE chess.$table ENABLE ROW LEVEL SECURITY" "$(asked pupil)")"
done
equal "of tables that the cube does not need" "$(sql "$(seen pupil cube)")" \
  "$(sql "BEGIN" "ALTER TABLE chess.players ENABLE ROW LEVEL SECURITY" "ALTER TABLE chess.events ENABLE ROW LEVEL SECURITY" "$(asked pupil)")"
sql "CREATE ROLE keeper LOGIN" "GRANT CREATE ON DATABASE postgres TO keeper"
PGUSER=keeper "$LOADER" schema --schema kept --partition-by id:3 >/dev/null 2>&1
PGUSER=keeper "$LOADER" load --schema kept "$WORK/games.pgn" >/dev/null 2>&1
sql "CREATE POLICY few ON kept.games USING (id % 100 = 0)" "ALTER TABLE kept.games ENABLE ROW LEVEL SECURITY"
yes "an owner whom no policy concerns" env PGUSER=keeper "$LOADER" explorer build --schema kept --least 20
games=$(sql "SELECT count(*) FROM kept.games")
equal "partitions: the owner" "cube|$games" "$(sql "$(asked keeper kept)" | cut -d '|' -f 1-2)"
sql "ALTER TABLE kept.games FORCE ROW LEVEL SECURITY"
equal "partitions: an owner whom policies concern" "live|$((games / 100))" "$(sql "$(asked keeper kept)" | cut -d '|' -f 1-2)"
for command in build refresh check; do
  sql "INSERT INTO kept.games (id, game) VALUES (DEFAULT, '1. e4')"
  no "policies hide games from the role: explorer $command" env PGUSER=keeper "$LOADER" explorer $command --schema kept
  equal "explorer $command says why" 1 "$(grep -c 'row-level security policy for table "games"' "$WORK/out")"
done
"$GEN" --games 20 --seed 4 >"$WORK/more.pgn"
sql "CREATE POLICY new ON kept.games FOR INSERT WITH CHECK (true)"
no "a load that cannot count" env PGUSER=keeper "$LOADER" load --dedupe --schema kept "$WORK/more.pgn"
equal "it says that the games are loaded" 1 "$(grep -c 'the games are loaded, but not counted for the explorer: .*row-level security' "$WORK/out")"
equal "nothing was lost" "cube+live|$((games + 23))" "$(sql "$(asked postgres kept)" | cut -d '|' -f 1-2)"
