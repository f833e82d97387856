#!/usr/bin/env bash
# In: CHESS_WEB_URL, the address of a chess-web over demo/famous.pgn and games.pgn; CHESS_WEB, the program; the variables of
# libpq; PSQL. Out: an error unless bad requests get clear answers of the right status, nothing can be written through the
# reading role, other sites change nothing, secrets stay secret, and the rest goes on meanwhile.
set -euo pipefail
. scripts/checks.sh
. tests/web/lock.sh
. tests/web/requests.sh
URL=${CHESS_WEB_URL%/}
HOST=${URL#http://}
work_here
go_on

echo "names of hosts, and other sites"
status "this host" 200 "$URL/api/status"
status "localhost" 200 -H "Host: localhost:${HOST##*:}" "$URL/api/status"
for name in evil.example 127.0.0.1.evil.example "localhost.evil.example:80" "[::2]" ""; do
  status "host \"$name\"" 403 -H "Host: $name" "$URL/api/status"
done
view='{"name":"x","url":"/?fen="}'
post() { status "$1" "$2" -X POST -H 'Content-Type: application/json' -d "$view" "${@:3}" "$URL/api/views"; }
post "another origin" 403 -H 'Origin: https://evil.example'
post "a page without an origin" 403 -H 'Origin: null'
post "another site" 403 -H 'Sec-Fetch-Site: cross-site'
post "a neighbour" 403 -H 'Sec-Fetch-Site: same-site'
status "a form" 415 -X POST -H 'Content-Type: text/plain' -d "$view" "$URL/api/views"
post "this page" 201 -H "Origin: $URL" -H 'Sec-Fetch-Site: same-origin'
status "a preflight" 204 -X OPTIONS -H 'Origin: https://lichess.org' -H 'Access-Control-Request-Headers: authorization' "$URL/lichess"
has head 'access-control-allow-origin: *' "the explorer is open to other sites"
status "sessions are not" 200 -H 'Origin: https://lichess.org' "$URL/api/views"
is "no header that opens them" "$(grep -ci access-control "$WORK/head" || true)" 0
# from NAME STATUS SITE MODE DEST PATH: requests like a browser on a page of this or another site
from() { status "$1" "$2" -H "Sec-Fetch-Site: $3" -H "Sec-Fetch-Mode: $4" -H "Sec-Fetch-Dest: $5" "$URL$6"; }
for site in cross-site same-site; do
  for path in "/api/games/count?pattern=Nd5" /api/games /api/status /api/players /api/games/00000001 /api/games/00000001/pgn /; do
    from "a picture of a $site page, $path" 403 $site no-cors image "$path"
    from "a frame of a $site page, $path" 403 $site navigate iframe "$path"
  done
  has body '"hint"' "what a $site page may do"
  from "a link of a $site page to the page" 200 $site navigate document "/?play=e2e4"
  from "a link of a $site page to a game" 200 $site navigate document /api/games/00000001/pgn
  from "a link of a $site page to an answer" 403 $site navigate document "/api/games/count?pattern=Nd5"
  from "a $site page asks the explorer" 200 $site cors empty "/lichess?play=e2e4"
done
from "the page itself" 200 same-origin cors empty /api/games
from "an address that is typed" 200 none navigate document /api/games

echo "headers"
for path in / /app.js /api/status /api/nothing "/api/explorer?fen=x" "/lichess?fen=x"; do
  curl -s -o /dev/null -D "$WORK/head" "$URL$path"
  has head "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';" "$path has a policy"
  has head 'x-content-type-options: nosniff' "$path is not guessed at"
  is "$path allows nothing inline" "$(grep -c unsafe-inline "$WORK/head" || true)" 0
done

echo "questions that make no sense"
bad() { status "$1" 400 "$URL$2"; has body '"error"' "$1 is explained"; }
bad "no FEN" "/api/explorer?fen=nonsense"
bad "a long FEN" "/api/explorer?fen=$(printf '8%.0s' {1..200})"
bad "an illegal position" "/api/explorer?fen=8/8/8/8/8/8/8/8+w+-+-+0+1"
bad "an illegal move" "/api/explorer?play=e2e5"
bad "too many moves" "/api/explorer?play=$(printf 'g1f3,g8f6,f3g1,f6g8,%.0s' {1..200})"
bad "an unknown parameter" "/api/explorer?order=id%3BDROP+TABLE+chess.games"
bad "a parameter that comes twice" "/api/explorer?fen=startpos&fen=startpos"
bad "month 13" "/api/games?since=2015-13"
bad "30 February" "/api/games?until=2015-02-30"
bad "no rating" "/api/games?rating=1%20OR%201=1"
bad "a NUL" "/api/games?player=a%00b"
bad "a sort order" "/api/games?sort=id%3BSELECT+1"
bad "a cursor" "/api/games?after=2015-01-01'.00000001"
bad "a limit" "/api/games?limit=100000"
bad "no pattern" "/api/games?pattern=Nd5+and+Xe4"
has body '"at":8' "the place in a pattern"
bad "a pattern twice" "/api/games?pattern=Nd5&pattern=Nd5"
bad "a pattern of 5 kB" "/api/pattern?pattern=$(printf 'Nd5+%.0s' {1..1300})"
bad "a section" "/api/reports/player?player=A&sections=x%27%29%3BSELECT+1"
bad "sections of 500 bytes" "/api/reports/opening?sections=$(printf 'summary,%.0s' {1..63})"
bad "a report on nobody" "/api/reports/player"
bad "a kind of tournament" "/api/crosstable?event=London&kind=%27"
bad "deep nesting" "/api/pattern?pattern=$(printf 'flip(%.0s' {1..100})"
status "no such game" 404 "$URL/api/games/zzzzzzzz"
status "no number of a game" 404 "$URL/api/games/..%2f..%2fetc%2fpasswd"
status "no such path" 404 "$URL/api/nothing"
status "a file of the system" 404 --path-as-is "$URL/../../etc/passwd.txt"
status "another method" 405 -X DELETE "$URL/api/explorer"
status "text that is no UTF-8" 200 "$URL/api/games?player=%ff%fe"
status "a request that is none" 400 -X 'G T' "$URL/"

echo "names with quotes and marks are values and text"
for name in "O'Neil" "'; DROP TABLE chess.games; --" '<img src=x onerror=alert(1)>' '\'"' OR 1=1 --" '$1' '%' '{}' 'ß"%_'; do
  status "player $name" 200 -G --data-urlencode "player=$name" "$URL/api/games"
  status "explorer of $name" 200 -G --data-urlencode "player=$name" "$URL/api/explorer"
  status "report on $name" 200 -G --data-urlencode "player=$name" -d sections=summary "$URL/api/reports/player"
  status "tournaments of $name" 200 -G --data-urlencode "event=$name" "$URL/api/tournaments"
  status "table of $name" 404 -G --data-urlencode "event=$name" "$URL/api/crosstable"
  status "prefix $name" 200 -G --data-urlencode "prefix=$name" "$URL/api/players"
  # the query that is shown gives the same games when it is pasted
  curl -s -G --data-urlencode "player=$name" "$URL/api/games/count" >"$WORK/body"
  sql=$(python3 -c 'import json,sys; print(json.load(sys.stdin)["sql"])' <"$WORK/body")
  is "the SQL shown for $name" "$(query "$sql")" "$(python3 -c 'import json,sys; print(json.load(sys.stdin)["games"])' <"$WORK/body")"
done
curl -s -G --data-urlencode 'player=<img src=x onerror=alert(1)>' -D "$WORK/head" -o "$WORK/body" "$URL/api/games"
has head 'content-type: application/json' "a name with marks is JSON"
has body '<img src=x onerror=alert(1)>' "a name with marks is there as it is"
id=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["games"][0]["id"])' "$WORK/body")
status "its game" 200 "$URL/api/games/$id/pgn"
has head 'content-type: application/x-chess-pgn' "a download is no page"
has head "filename=\"game-$id.pgn\"" "the server names the file"

echo "texts of games"
# read_text NAME STATUS TEXT OPTION...: asks for the games of a text
read_text() {
  python3 -c 'import json,sys; json.dump({"pgn": sys.stdin.read()}, sys.stdout)' <<<"$3" >"$WORK/text"
  status "$1" "$2" -X POST -H 'Content-Type: application/json' --data-binary "@$WORK/text" "${@:4}" "$URL/api/pgn"
}
read_text "other notation" 200 $'[White "A"]\n\n1. e2e4 {x}\n\ne5 2. Sf3 (2. \u2657c4) *'
has body '"san":"Nf3"' "a German knight"
has body '{"parent":2,"san":"Bc4","uci":"f1c4","variation":true}' "a bishop's figurine"
read_text "no game" 200 ""
is "is none" "$(cat "$WORK/body")" '{"games":[]}'
read_text "nonsense" 200 "<script>alert(1)</script> ((( {{{ ;"
read_text "deep nesting" 200 "1. e4 $(printf '(1. d4 %.0s' {1..20000})"
read_text "too many moves" 400 "$(printf 'Nf3 Nf6 Ng1 Ng8 %.0s' {1..25001})"
read_text "too long" 413 "$(head -c 5000000 /dev/zero | tr '\0' x)"
read_text "of another site" 403 "1. e4" -H 'Sec-Fetch-Site: cross-site'
status "no JSON" 400 -X POST -H 'Content-Type: application/json' -d '{' "$URL/api/pgn"

echo "the reading role writes nothing"
for statement in 'CREATE TABLE chess.x ()' 'CREATE TEMP TABLE x ()' 'DELETE FROM chess.games' 'UPDATE chess.games SET eco = NULL' \
  "SELECT pg_read_file('/etc/passwd')" 'COPY chess.games TO PROGRAM $$cat$$' 'SELECT * FROM chess_web.sessions'; do
  if PGOPTIONS='-c role=chess_web_read' query "$statement" >/dev/null 2>&1; then is "$statement" "done" "refused"; else pass; fi
done
is "the reader reads" "$(PGOPTIONS='-c role=chess_web_read' query 'SELECT count(*) > 0 FROM chess.games')" t

echo "sessions"
status "a session" 201 -X POST -H 'Content-Type: application/json' -d "$view" "$URL/api/views"
secret=$(sed -n 's/^set-cookie: __Host-chess=\([0-9a-f]*\);.*/\1/ip' "$WORK/head")
is "256 random bits" "${#secret}" 64
for part in HttpOnly SameSite=Lax Secure 'Path=/'; do has head "$part" "the cookie"; done
mine=(-H "Cookie: __Host-chess=$secret")
id=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["id"])' "$WORK/body")
status "my views" 200 "${mine[@]}" "$URL/api/views"
has body '"name":"x"' "my view"
has head "__Host-chess=$secret; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure" "the cookie for another year"
status "a stranger's" 200 "$URL/api/views"
is "sees nothing of mine" "$(cat "$WORK/body")" '{"views":[]}'
status "a stranger deletes" 404 -X DELETE -H "Cookie: __Host-chess=${secret//[0-9]/7}" "$URL/api/views/$id"
status "a guess" 200 -H "Cookie: __Host-chess=' OR true --" "$URL/api/views"
status "another site's address" 400 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{"name":"x","url":"//evil.example"}' "$URL/api/views"
status "a script as an address" 400 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{"name":"x","url":"javascript:alert(1)"}' "$URL/api/views"
status "a NUL in JSON" 400 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{"name":"a\u0000b","url":"/"}' "$URL/api/views"
status "no JSON" 400 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{' "$URL/api/views"
status "another field" 422 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{"name":"x","url":"/","session_id":1}' "$URL/api/views"
status "a notebook" 201 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{"name":"Mine","color":"white"}' "$URL/api/notebooks"
book=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["id"])' "$WORK/body")
status "a stranger's look at it" 404 "$URL/api/notebooks/$book"
status "its owner's" 200 "${mine[@]}" "$URL/api/notebooks/$book"
root=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["nodes"][0]["id"])' "$WORK/body")
node() { status "$1" "$2" -X POST "${mine[@]}" -H 'Content-Type: application/json' -d "$3" "$URL/api/notebooks/$book/nodes"; }
node "a move" 201 "{\"parent\":$root,\"uci\":\"e2e4\"}"
first=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["id"])' "$WORK/body")
node "the same again" 200 "{\"parent\":$root,\"uci\":\"e2e4\"}"
node "an illegal one" 400 "{\"parent\":$root,\"uci\":\"e2e5\"}"
node "from nowhere" 404 '{"parent":1000000,"uci":"e2e4"}'
status "a note" 200 -X PATCH "${mine[@]}" -H 'Content-Type: application/json' -d '{"note":"<b>best</b>","glyph":1}' "$URL/api/notebooks/$book/nodes/$first"
status "no glyph" 400 -X PATCH "${mine[@]}" -H 'Content-Type: application/json' -d '{"glyph":9999}' "$URL/api/notebooks/$book/nodes/$first"
status "a glyph taken away" 200 -X PATCH "${mine[@]}" -H 'Content-Type: application/json' -d '{"glyph":null}' "$URL/api/notebooks/$book/nodes/$first"
has body '"glyph":null' "a glyph taken away"
has body '"note":"<b>best</b>"' "the note stays"
status "a branch cut" 204 -X DELETE "${mine[@]}" "$URL/api/notebooks/$book/nodes/$first"
status "the root" 400 -X DELETE "${mine[@]}" "$URL/api/notebooks/$book/nodes/$root"
status "a board" 201 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{"name":"b","pgn":"1. e4 (1. d4) e5 *"}' "$URL/api/boards"
status "a board that is none" 400 -X POST "${mine[@]}" -H 'Content-Type: application/json' -d '{"name":"b","pgn":"1. e5"}' "$URL/api/boards"
is "no secret in the database" "$(query "SELECT count(*) FROM chess_web.sessions s WHERE s::text LIKE '%$secret%'")" 0

echo "too much, too long, too many"
head -c 1000000 /dev/zero | tr '\0' x >"$WORK/large"
status "a body of 1 MB" 413 -X POST -H 'Content-Type: application/json' --data-binary "@$WORK/large" "$URL/api/views"
status "one that does not say how long it is" 413 -X POST -H 'Content-Type: application/json' -H 'Transfer-Encoding: chunked' --data-binary "@$WORK/large" "$URL/api/views"
status "a head of 100 kB" 431 -H "X-Large: $(head -c 100000 "$WORK/large")" "$URL/"

# launch NAME ARGUMENT...: starts another chess-web and stores its address in address and in $WORK/NAME
launch() { serve "$WORK/$1" "${@:2}"; }
# a list of games, which waits for the lock on the players' names
slow="/api/games?sort=plies&limit="
launch brief --timeout 1 --no-sessions
brief=$address
launch patient --timeout 600 --no-sessions
# a first answer takes more than a second on a slow machine
status "the games, before" 200 "$address${slow}20"
wait_for "an answer within a second" curl -sf -o /dev/null "$brief${slow}20"
hold chess.players
status "a question that takes too long" 504 "$brief${slow}1"
has body '"hint"' "what would make it faster"
asking=()
for n in {1..6}; do
  curl -s -o /dev/null -w '%{http_code}\n' --max-time $PATIENCE "$address${slow}$n" >"$WORK/flood$n" &
  asking+=($!)
done
wait_for "six questions" waiting 6
status "others are answered meanwhile" 200 "$address/api/pattern?pattern=Nd5"
release
wait "${asking[@]}"
is "then those are answered" "$(cat "$WORK"/flood? | paste -sd ' ')" "200 200 200 200 200 200"
hold chess.players
asking=()
for n in {1..6}; do
  curl -s -o /dev/null -w '%{http_code}\n' --max-time $PATIENCE "$address${slow}7" >"$WORK/same$n" &
  asking+=($!)
done
# connected NUMBER: checks that NUMBER clients are connected to the server
connected() { [ "$(printf -v port '%04X' "${address##*:}"; awk -v port=":$port\$" '$3 ~ port && $4 == "01"' /proc/net/tcp | wc -l)" = "$1" ]; }
wait_for "six clients" connected 6
# their queries came first
status "six clients and another one" 200 "$address/api/pattern?pattern=Nd5"
wait_for "their question" waiting 1
is "the same question six times at once is asked once" "$(query "SELECT count(*) FROM ($WAITING) w")" 1
release
wait "${asking[@]}"
is "and answered six times" "$(cat "$WORK"/same? | paste -sd ' ')" "200 200 200 200 200 200"
hold chess.players
curl -s -o /dev/null --max-time $PATIENCE "$address${slow}8" &
leaves=$!
wait_for "a question" waiting 1
kill $leaves
wait_for "no question, once nobody waits for the answer" waiting 0
is "who leaves has the query cancelled" "$(query "SELECT count(*) FROM ($WAITING) w")" 0
release

launch few --connections 20 --no-sessions
is "of 1,000 connections those that are too many are told" "$(python3 tests/web/crowd.py "${address#http://}" "$web" 1000 20)" well
# the server hears a moment later that they have gone
wait_for "the next answer" curl -sf -o /dev/null "$address/api/status"
status "and then all is well" 200 "$address/api/status"

echo "beyond this machine"
if "$CHESS_WEB" -l 0.0.0.0:0 >"$WORK/out" 2>&1; then is "listening everywhere" "done" "refused"; else has out "--password-file" "listening everywhere is refused"; fi
echo geheim >"$WORK/password"
launch locked --password-file "$WORK/password" --no-sessions
status "no password" 401 "$address/"
has head 'www-authenticate: Basic' "a password is asked for"
status "a wrong one" 401 -u any:wrong "$address/"
status "the right one" 200 -u any:geheim "$address/api/status"

echo "a database that is not there, empty, or without tables"
launch gone -d "host=/nonexistent user=nobody password=geheim123" --no-sessions
status "no server: a status" 200 "$address/api/status"
has body '"hint"' "no server: what to do"
status "no server: a question" 503 "$address/api/explorer"
status "no server: the page" 200 "$address/"
is "no password in the log" "$(cat "$WORK"/*.log | grep -c geheim || true)" 0
query 'CREATE DATABASE bare'
launch bare -d "dbname=bare" --no-sessions
status "no extension" 503 "$address/api/explorer"
has body 'chess-pgn load' "no extension: what to do"
PGDATABASE=bare query 'CREATE EXTENSION chess'
launch bare -d "dbname=bare" --no-sessions
status "no tables" 503 "$address/api/games"
has body 'chess-pgn load' "no tables: what to do"
query 'DROP DATABASE bare WITH (FORCE)'

is "the games are all there" "$(query "SELECT count(*) > 50 FROM chess.games")" t
status "the server answers as before" 200 "$URL/api/explorer"
