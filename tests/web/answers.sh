#!/usr/bin/env bash
# In: CHESS_WEB_URL, the address of a chess-web over games in the schema chess; the variables of libpq; PSQL. Out: an error
# unless the same question again gets the same answer from memory as long as nothing was written, and another one as soon as
# something was: games, names, by whatever means; and unless no answer is kept where that cannot be told.
set -euo pipefail
. scripts/checks.sh
. tests/web/lock.sh
. tests/web/requests.sh
URL=${CHESS_WEB_URL%/}
work_here
go_on
# ask PATH CURL-ARGUMENTS...: status in $status, tag in $tag, the rest in $WORK/body
ask() {
  local path=$1
  shift
  : >"$WORK/body"
  status=$(curl -s -g -o "$WORK/body" -D "$WORK/head" -w '%{http_code}' --max-time $PATIENCE "$@" "$URL$path")
  tag=$(sed -n 's/^etag: *\([^\r]*\)\r*$/\1/ip' "$WORK/head")
}
games() { python3 -c 'import json,sys; a = json.load(open(sys.argv[1])); print(a.get("games") if isinstance(a.get("games"), int) else a["white"] + a["draws"] + a["black"])' "$WORK/body"; }
# quiet PATH: asks until the answer has a tag
quiet() { wait_for "an answer to $1 with a tag" tagged "$1"; }
tagged() {
  ask "$1"
  [ -n "$tag" ]
}

echo "the same again"
for path in "/api/explorer?play=e2e4&reached=1" "/masters?play=e4" "/lichess" "/api/games?limit=5" "/api/games/count?result=1-0" "/api/reports/player?player=Tal,+Mikhail" "/api/tournaments?event=London"; do
  quiet "$path"
  cp "$WORK/body" "$WORK/first"
  first=$tag
  is "$path has a tag" "${#first}" 26
  ask "$path" -H "If-None-Match: \"x\", $first"
  is "$path: not modified" "$status $tag" "304 $first"
  is "$path: nothing is sent" "$(wc -c <"$WORK/body")" 0
  ask "$path" -H 'If-None-Match: "x"'
  is "$path: another tag" "$status $tag" "200 $first"
  is "$path: the same answer" "$(cmp "$WORK/first" "$WORK/body" && echo same)" same
  ask "$path&orient=x"
  is "$path: another question has another answer" t "$([ "$tag" != "$first" ] && echo t)"
done
ask "/api/status"
is "the status is not kept" "$(grep -ci '^etag' "$WORK/head" || true) $(grep -ci '^cache-control: no-store' "$WORK/head")" "0 1"
ask "/api/explorer?fen=x"
is "an error is not kept" "$status $tag" "400 "

echo "what is written shows at once"
path="/api/games/count"
quiet "$path"
before=$(games)
for round in 1 2 3 4 5 6 7 8; do
  id=$(query "INSERT INTO chess.games (game, result, date) VALUES ('1. e4 e5 2. Ke2', '1-0', '2020.01.0$round') RETURNING id")
  ask "$path" -H "If-None-Match: $tag"
  is "round $round: after INSERT" "$status $(games)" "200 $((before + 1))"
  quiet "$path"
  is "round $round: after INSERT, again" "$(games)" $((before + 1))
  query "DELETE FROM chess.games WHERE id = $id"
  ask "$path" -H "If-None-Match: $tag"
  is "round $round: after DELETE" "$status $(games)" "200 $before"
  quiet "$path"
done
# A table can have such dates, although no PGN has them, and one of them must not make the whole history an error.
id=$(query "WITH odd AS (INSERT INTO chess.games (game, result, dates) SELECT '1. h4 h5', '1-0', d::daterange
  FROM unnest('{\"[2020-01-01,infinity)\",\"[-infinity,2020-01-01)\",\"(,)\",empty,\"[5874000-01-01,5874000-01-02)\",\"[2020-02-01,2020-02-02)\"}'::text[]) d RETURNING id)
  SELECT string_agg(id::text, ',') FROM odd")
ask "/lichess?play=h2h4,h7h5&history=1"
is "a history of days without end" "$status $(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["history"])' "$WORK/body")" \
  "200 [{'black': 0, 'draws': 0, 'month': '2020-02', 'white': 1}]"
query "DELETE FROM chess.games WHERE id IN ($id)"
# The locale of this server is C, which has no lower case beyond ASCII.
query "INSERT INTO chess.events (name) VALUES ('Österreich'); INSERT INTO chess.sites (name) VALUES ('İzmir'); INSERT INTO chess.players (name) VALUES ('Żak, A')"
for names in "events?prefix=%C3%96STER" "sites?prefix=%C4%B0z" "players?prefix=%C5%BB"; do
  ask "/api/$names"
  is "/api/$names" "$(python3 -c 'import json,sys; a = json.load(open(sys.argv[1])); print(len(a[sys.argv[2]]))' "$WORK/body" "${names%%\?*}")" 1
done
query "DELETE FROM chess.events WHERE name = 'Österreich'; DELETE FROM chess.sites WHERE name = 'İzmir'; DELETE FROM chess.players WHERE name = 'Żak, A'"
# writes CHANGE UNDO PATH: a change is seen, and so is that it was taken back
writes() {
  local first
  quiet "$3"
  cp "$WORK/body" "$WORK/first"
  first=$tag
  query "$1"
  ask "$3" -H "If-None-Match: $first"
  is "$1" "$status $(cmp -s "$WORK/first" "$WORK/body" || echo other)" "200 other"
  query "$2"
  ask "$3" -H "If-None-Match: $first"
  is "$2" "$status $(cmp "$WORK/first" "$WORK/body" && echo same)" "200 same"
}
name=$(query "SELECT name FROM chess.players p JOIN chess.games g ON g.white_id = p.id ORDER BY g.id LIMIT 1")
writes "UPDATE chess.players SET name = name || '!' WHERE name = '${name//\'/\'\'}'" "UPDATE chess.players SET name = left(name, -1) WHERE name LIKE '%!'" "/api/games?limit=200"
writes "ALTER TABLE chess.games DISABLE TRIGGER ALL; UPDATE chess.games SET eco = 'Z' || eco WHERE eco IS NOT NULL; ALTER TABLE chess.games ENABLE TRIGGER ALL" \
  "UPDATE chess.games SET eco = substr(eco, 2) WHERE eco LIKE 'Z%'" "/api/explorer"
event=$(query "SELECT min(name) FROM chess.events WHERE name ~ '^[A-Za-z ]+\$'")
writes "BEGIN; ALTER TABLE chess.events RENAME TO events_; CREATE TABLE chess.events AS TABLE chess.events_; UPDATE chess.events SET name = name || '?'; GRANT SELECT ON chess.events TO PUBLIC; COMMIT" \
  "BEGIN; DROP TABLE chess.events; ALTER TABLE chess.events_ RENAME TO events; COMMIT" "/api/games/count?event=${event// /+}"
site=$(query "SELECT min(name) FROM chess.sites WHERE name ~ '^[A-Za-z ]+\$'")
writes "UPDATE chess.sites SET same_as = (SELECT id FROM chess.sites WHERE name = '$site') WHERE id = (SELECT max(id) FROM chess.sites)" \
  "UPDATE chess.sites SET same_as = NULL" "/api/games/count?site=${site// /+}"

echo "while others write"
query "CREATE TABLE chess.counted (n integer)" # a word of another table makes every answer forgotten
(for _ in $(seq 40); do query "INSERT INTO chess.counted VALUES (1)"; done) &
writer=$!
for _ in $(seq 20); do
  ask "$path"
  is "a count while something else is written" "$status $(games)" "200 $before"
done
wait $writer
query "DROP TABLE chess.counted"

echo "where a snapshot does not tell everything"
quiet "/lichess"
first=$tag
query "CREATE TABLE public.policed (); CREATE POLICY hours ON public.policed USING (now() > '2000-01-01')"
ask "/lichess" -H "If-None-Match: $first"
is "with a policy" "$status $tag" "200 "
query "DROP TABLE public.policed"
query "CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing; CREATE FOREIGN TABLE public.far () SERVER nowhere"
ask "/lichess" -H "If-None-Match: $first"
is "with a foreign table" "$status $tag" "200 "
query "SET client_min_messages = warning; DROP FOREIGN DATA WRAPPER nothing CASCADE"
quiet "/lichess"
is "without" t "$([ -n "$tag" ] && [ "$tag" != "$first" ] && echo t)"

echo "a server that crashes, and another process"
first=$tag
serve "$WORK/other" --no-sessions
is "tags of another process" "$(curl -s -o /dev/null -w '%{http_code}' -H "If-None-Match: $first" "$address/lichess")" 200
state="SELECT concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())"
was=$(query "$state")
as_server kill -9 "$(query "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'")"
another_state() {
  now=$(query "$state") && [ -n "$now" ] && [ "$now" != "$was" ]
}
wait_for "a server after its crash" another_state
is "a crash is another state" t "$([ "$(query "$state")" != "$was" ] && echo t)"
is_back() {
  ask "/lichess" -H "If-None-Match: $first"
  [ "$status" != 503 ]
}
wait_for "chess-web after the crash of the server" is_back
is "what was kept before a crash is forgotten" "$status" 200
