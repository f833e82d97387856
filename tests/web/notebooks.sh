#!/usr/bin/env bash
# In: CHESS_WEB_URL, the address of a chess-web with sessions over demo/famous.pgn; CHESS_WEB, the program; PSQL; the variables
# of libpq. Out: an error unless all of this is true. Every change of a notebook can be undone. A tree of moves is added as a
# whole or not at all. People with a link can read and copy a notebook, but cannot change it. Training asks the positions that
# are due. The program upgrades tables of an earlier version.
set -euo pipefail
. scripts/checks.sh
. tests/web/lock.sh
. tests/web/requests.sh
URL=${CHESS_WEB_URL%/}
work_here
cleanup() {
  stop_work
  query 'DROP DATABASE IF EXISTS older WITH (FORCE)' 2>/dev/null || true
}
at_end cleanup
go_on
JSON=(-H 'Content-Type: application/json')
# member EXPRESSION: of the last answer, a
member() { python3 -c "import json,sys; a = json.load(open(sys.argv[1])); print(($1))" "$WORK/body"; }
# visitor NAME: a new session; its cookie is in the array NAME
visitor() {
  local -n cookie=$1
  status "a session" 201 -X POST "${JSON[@]}" -d '{"name":"x","url":"/"}' "$URL/api/views"
  cookie=(-H "Cookie: __Host-chess=$(sed -n 's/^set-cookie: __Host-chess=\([0-9a-f]*\);.*/\1/ip' "$WORK/head")")
}
# ask WHAT STATUS METHOD PATH [JSON]: as the visitor mine
ask() { status "$1" "$2" -X "$3" "${mine[@]}" ${5:+"${JSON[@]}"} ${5:+-d "$5"} "$URL$4"; }
# moves: the moves of the notebook, each with its note and glyphs, in its order
moves() {
  ask "the notebook" 200 GET "/api/notebooks/$book"
  member "' '.join(n['uci'] + (':' + n['note'] if n['note'] else '') + ''.join('\$%d' % g for g in [n['glyph'] or 0] + n['glyphs'] if g) for n in a['nodes'][1:])"
}
undo() { ask "undo" "${1:-200}" POST "/api/notebooks/$book/undo"; }

visitor mine
visitor others
ask "a notebook" 201 POST /api/notebooks '{"name":"Spanish","color":"white"}'
book=$(member "a['id']")
ask "its root" 200 GET "/api/notebooks/$book"
root=$(member "a['nodes'][0]['id']")
is "nothing to undo" "$(member "a['changes']")" 0
undo 404

echo "changes and their undoing"
ask "a move" 201 POST "/api/notebooks/$book/nodes" "{\"parent\":$root,\"uci\":\"e2e4\"}"
e4=$(member "a['id']")
ask "a note" 200 PATCH "/api/notebooks/$book/nodes/$e4" '{"note":"b"}'
ask "typed on" 200 PATCH "/api/notebooks/$book/nodes/$e4" '{"note":"best"}'
tree='{"at":'$e4',"note":"of both","moves":[{"parent":null,"uci":"e7e5","note":"open","glyphs":[1,14]},{"parent":0,"uci":"g1f3"},{"parent":null,"uci":"c7c5"},{"parent":1,"uci":"b8c6"}]}'
ask "a tree" 200 POST "/api/notebooks/$book/moves" "$tree"
is "added" "$(member "a['added']")" 4
is "with notes and glyphs" "$(moves)" $'e2e4:best\nof both e7e5:open$1$14 g1f3 c7c5 b8c6'
ask "the same tree" 200 POST "/api/notebooks/$book/moves" "$tree"
is "is there already" "$(member "a['added']")" 0
e5=$(moves >/dev/null; member "[n['id'] for n in a['nodes'] if n['uci'] == 'e7e5'][0]")
is "no change is recorded" "$(member "a['changes']")" 3
ask "a glyph" 200 PATCH "/api/notebooks/$book/nodes/$e5" '{"glyph":null}'
ask "a branch cut" 204 DELETE "/api/notebooks/$book/nodes/$e5"
is "without it" "$(moves)" $'e2e4:best\nof both c7c5'
ask "a name and a colour" 200 PATCH "/api/notebooks/$book" '{"name":"Other","color":"black"}'
for wanted in 'Spanish white e2e4:best
of both c7c5' 'Spanish white e2e4:best
of both e7e5:open$14 g1f3 c7c5 b8c6' 'Spanish white e2e4:best
of both e7e5:open$1$14 g1f3 c7c5 b8c6' 'Spanish white e2e4:best' 'Spanish white e2e4' 'Spanish white '; do
  undo
  is "undone" "$(found=$(moves); member "a['name'] + ' ' + a['color'] + ' '"; echo "$found")" "$(sed '1s/^\(Spanish white \)/\1\n/' <<<"$wanted")"
done
undo 404
ask "the same numbers again" 201 POST "/api/notebooks/$book/nodes" "{\"parent\":$root,\"uci\":\"e2e4\"}"
e4=$(member "a['id']")
status "somebody else undoes nothing" 404 -X POST "${others[@]}" "$URL/api/notebooks/$book/undo"

echo "trees that are wrong"
before=$(moves)
for wrong in '[{"parent":null,"uci":"e7e5"},{"parent":0,"uci":"e7e5"}]' '[{"parent":1,"uci":"e7e5"},{"parent":null,"uci":"c7c5"}]' '[{"parent":null,"uci":"nonsense"}]' \
  "[{\"parent\":null,\"uci\":\"e7e5\",\"note\":\"$(printf 'x%.0s' {1..8001})\"}]"; do
  ask "a wrong tree" 400 POST "/api/notebooks/$book/moves" "{\"at\":$e4,\"moves\":$wrong}"
done
ask "a glyph that is none" 422 POST "/api/notebooks/$book/moves" "{\"at\":$e4,\"moves\":[{\"parent\":null,\"uci\":\"e7e5\",\"glyphs\":[256]}]}"
ask "at a node of nobody" 404 POST "/api/notebooks/$book/moves" '{"at":0,"moves":[]}'
is "nothing of them is there" "$(moves)" "$before"
python3 - "$e4" >"$WORK/tree" <<'P'
import json, sys
line = ["g8f6", "g1f3", "f6g8", "f3g1"]
print(json.dumps({"at": int(sys.argv[1]), "moves": [{"parent": n - 1 if n else None, "uci": line[n % 4], "note": "", "glyphs": []} for n in range(9999)]}))
P
status "more than 10,000 positions" 400 -X POST "${mine[@]}" "${JSON[@]}" --data-binary "@$WORK/tree" "$URL/api/notebooks/$book/moves"
python3 -c 'import json,sys; a = json.load(open(sys.argv[1])); a["moves"].pop(); print(json.dumps(a))' "$WORK/tree" >"$WORK/fits"
status "10,000 positions" 200 -X POST "${mine[@]}" "${JSON[@]}" --data-binary "@$WORK/fits" "$URL/api/notebooks/$book/moves"
ask "all of them" 200 GET "/api/notebooks/$book"
is "are there" "$(member "len(a['nodes'])")" 10000
ask "trained" 200 GET "/api/notebooks/$book/training"
is "trained as three positions, of which each counts once" "$(member "a['total']")" 3
undo
is "undone at once" "$(moves)" e2e4

echo "links"
ask "a link" 200 POST "/api/notebooks/$book/share"
key=$(member "a['key']")
is "128 random bits" "${#key}" 32
ask "the same again" 200 POST "/api/notebooks/$book/share"
is "is the same link" "$(member "a['key']")" "$key"
status "somebody else makes none" 404 -X POST "${others[@]}" "$URL/api/notebooks/$book/share"
status "read by everybody" 200 "$URL/api/shared/$key"
is "the notebook" "$(member "a['kind'], a['name'], a['color'], len(a['nodes'])")" "('notebook', 'Spanish', 'white', 2)"
status "a copy" 201 -X POST "${others[@]}" "$URL/api/shared/$key"
copy=$(member "a['id']")
status "belongs to who made it" 200 "${others[@]}" "$URL/api/notebooks/$copy"
is "with its moves" "$(member "[n['uci'] for n in a['nodes']]")" "[None, 'e2e4']"
ask "not to the owner of the first" 404 GET "/api/notebooks/$copy"
ask "and stays when that goes on" 201 POST "/api/notebooks/$book/nodes" "{\"parent\":$e4,\"uci\":\"e7e5\"}"
status "as it was" 200 "${others[@]}" "$URL/api/notebooks/$copy"
is "as it was" "$(member "len(a['nodes'])")" 2
status "somebody else takes no link back" 404 -X DELETE "${others[@]}" "$URL/api/notebooks/$book/share"
ask "the owner does" 204 DELETE "/api/notebooks/$book/share"
status "it leads to nothing" 404 "$URL/api/shared/$key"
has body 'its owner has taken it back' "why"
status "nor does a copy of it" 404 -X POST "${others[@]}" "$URL/api/shared/$key"
for guess in 0 '%00' "' OR true --" "$(printf '0%.0s' {1..32})"; do status "a guess" 404 "$URL/api/shared/${guess// /%20}"; done
ask "a board" 201 POST /api/boards '{"name":"b","pgn":"1. e4 (1. d4) e5 *"}'
ask "its link" 200 POST "/api/boards/$(member "a['id']")/share"
status "a copy of a board" 201 -X POST "$URL/api/shared/$(member "a['key']")"
is "for who has no session yet" "$(member "a['kind']") $(grep -ci '^set-cookie: __Host-chess=' "$WORK/head")" "board 1"

echo "training"
training="/api/notebooks/$book/training"
ask "what is asked" 200 GET "$training"
is "the start" "$(member "a['total'], a['due'], a['new'], a['next']['node'] == $root, a['soonest']")" "(1, 0, 1, True, None)"
ask "a wrong answer" 200 POST "$training" "{\"node\":$root,\"uci\":\"d2d4\"}"
is "is asked again" "$(member "a['right'], a['moves'], a['days'], a['training']['due'], a['training']['next']['node'] == $root")" "(False, ['e2e4'], 0, 1, True)"
ask "an illegal one" 400 POST "$training" "{\"node\":$root,\"uci\":\"e2e5\"}"
ask "of the other side" 404 POST "$training" "{\"node\":$e4,\"uci\":\"e7e5\"}"
ask "a right answer" 200 POST "$training" "{\"node\":$root,\"uci\":\"e4\"}"
is "is asked another day" "$(member "a['right'], a['days'] >= 1, a['training']['due'], a['training']['next']")" "(True, True, 0, None)"
query "UPDATE chess_web.training SET due = now() - interval '1 day', answered = now() - interval '10 days' WHERE notebook_id = $book"
ask "when its day has come" 200 GET "$training"
is "it is due" "$(member "a['due'], a['next']['node'] == $root")" "(1, True)"
ask "an answer after ten days" 200 POST "$training" "{\"node\":$root,\"uci\":\"e2e4\"}"
is "it comes later than the first time" "$(member "a['days'] > 2")" True
ask "given up" 200 POST "$training" "{\"node\":$root}"
is "is wrong" "$(member "a['right']")" False
status "somebody else's" 404 "${others[@]}" "$URL$training"
ask "a branch that is cut" 204 DELETE "/api/notebooks/$book/nodes/$e4"
ask "is not asked" 200 GET "$training"
is "is not asked" "$(member "a['total'], a['due'], a['next']")" "(0, 0, None)"
ask "an answer about it" 404 POST "$training" "{\"node\":$root,\"uci\":\"e2e4\"}"
undo
ask "and is remembered when it is back" 200 GET "$training"
is "and is remembered when it is back" "$(member "a['total'], a['due'], a['new']")" "(1, 1, 0)"
ask "from scratch" 200 DELETE "$training"
is "from scratch" "$(member "a['total'], a['due'], a['new']")" "(1, 0, 1)"
ask "no colour" 200 PATCH "/api/notebooks/$book" '{"color":null}'
for path in training check gaps; do
  ask "$path for both sides" 400 GET "/api/notebooks/$book/$path"
  has body 'choose the colour' "what to do"
done
undo

echo "compared with the games"
pgn='1. e4 e5 (1... c5 2. Nf3 d6 3. d4) 2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5 a6 4. Ba4 *'
ask "the repertoire of docs/training.md" 201 POST /api/notebooks '{"name":"Docs","color":"white"}'
book=$(member "a['id']")
ask "has no moves" 400 GET "/api/notebooks/$book/check"
has body 'no moves yet' "why"
ask "its root" 200 GET "/api/notebooks/$book"
ask "its moves" 200 POST "/api/notebooks/$book/moves" "{\"at\":$(member "a['nodes'][0]['id']"),\"moves\":[{\"parent\":null,\"uci\":\"e2e4\"},{\"parent\":0,\"uci\":\"e7e5\"},{\"parent\":0,\"uci\":\"c7c5\"},{\"parent\":2,\"uci\":\"g1f3\"},{\"parent\":3,\"uci\":\"d7d6\"},{\"parent\":4,\"uci\":\"d2d4\"},{\"parent\":1,\"uci\":\"g1f3\"},{\"parent\":6,\"uci\":\"b8c6\"},{\"parent\":6,\"uci\":\"d7d6\"},{\"parent\":8,\"uci\":\"d2d4\"},{\"parent\":7,\"uci\":\"f1b5\"},{\"parent\":10,\"uci\":\"a7a6\"},{\"parent\":11,\"uci\":\"b5a4\"}]}"
for filters in "" "result=1-0" "since=1950" "player=Fischer%2C+Robert+James" "opponent=Spassky%2C+Boris+V"; do
  ask "check $filters" 200 GET "/api/notebooks/$book/check?$filters"
  case $filters in
  result*) arguments="NULL, 'w', result => '1-0'" ;;
  since*) arguments="NULL, 'w', dates => '[1950-01-01,)'" ;;
  player*) arguments="'Fischer, Robert James', 'w'" ;;
  opponent*) arguments="NULL, 'w', opponent => 'Spassky, Boris V'" ;;
  *) arguments="NULL, 'w'" ;;
  esac
  is "check $filters: as in SQL" "$(member "' '.join('%s:%d' % (s, a['totals'][s]) for s in sorted(a['totals']) if a['totals'][s])")" \
    "$(query "SELECT string_agg(status || ':' || n, ' ' ORDER BY status COLLATE \"C\") FROM (SELECT status, count(*) AS n FROM chess.repertoire_check(chess.repertoire('$pgn'), $arguments) GROUP BY status) s")"
  is "check $filters: its positions" "$(member "sum(p['games'] for p in a['positions'])")" "$(member "a['totals']['left'] + a['totals']['opponent left']")"
done
sql=$(member "a['sql']")
is "the SQL that is shown" "$(query "$sql" | awk -F'|' '{ n += $5 } END { print n + 0 }')" "$(member "sum(a['totals'].values())")"
ask "gaps" 200 GET "/api/notebooks/$book/gaps"
is "gaps: as in SQL" "$(member "' '.join('%s,%s,%.6f' % (g['kind'], g['move'] or '', g['probability']) for g in a['gaps'])")" \
  "$(query "SELECT string_agg(concat_ws(',', kind, coalesce(move, ''), to_char(probability, 'FM0.000000')), ' ') FROM (SELECT * FROM chess.repertoire_gaps(chess.repertoire('$pgn'), 'w') LIMIT 200) g")"
echo "compared in parts"
# parts LIMIT FILTERS: the totals of all parts, then the games of all their positions
parts() {
  local after=""
  : >"$WORK/parts"
  while :; do
    ask "a part" 200 GET "/api/notebooks/$book/check?limit=$1&after=$after$2"
    member "json.dumps(a)" >>"$WORK/parts"
    after=$(member "a['next'] or ''")
    [ -n "$after" ] || break
  done
  python3 -c 'import json,sys; a = [json.loads(line) for line in open(sys.argv[1])]; t = {s: sum(p["totals"][s] for p in a) for s in sorted(a[0]["totals"])}
print((len(a) > 1, t, sum(p["games"] for q in a for p in q["positions"]), sum(p["decided"] for q in a for p in q["positions"])))' "$WORK/parts"
}
for filters in "" "&since=1950"; do
  ask "the whole" 200 GET "/api/notebooks/$book/check?${filters#&}"
  whole=$(member "True, {s: a['totals'][s] for s in sorted(a['totals'])}, sum(p['games'] for p in a['positions']), sum(p['decided'] for p in a['positions'])")
  is "the parts of $filters are the whole" "$(parts 10 "$filters")" "$whole"
done
ask "the whole" 200 GET "/api/notebooks/$book/check?since=1950"
ask "as many games as there are" 200 GET "/api/notebooks/$book/check?limit=$(member "sum(a['totals'].values())")&since=1950"
ask "and nothing after them" 200 GET "/api/notebooks/$book/check?limit=5&since=1950&after=$(member "a['next']")"
is "and nothing after them" "$(member "sum(a['totals'].values()), a['next']")" "(0, None)"
ask "gaps of likely positions" 200 GET "/api/notebooks/$book/gaps?downTo=0.5"
is "others are counted" "$(member "a['unexplored'] > 0 and a['total'] == len(a['gaps']) > 0")" True
is "but not listed" "$(member "[g for g in a['gaps'] if g['kind'] == 'unexplored']")" "[]"
ask "gaps of all" 200 GET "/api/notebooks/$book/gaps?downTo=0"
is "gaps of all" "$(member "a['unexplored']")" 0
long=$(printf 'x%.0s' {1..2000})
for path in "check?player=$long" "check?opponent=$long" "gaps?opponent=$long"; do ask "a long name" 200 GET "/api/notebooks/$book/$path"; done
for path in "/api/puzzles?player=$long" "/api/players?prefix=$long" "/api/events?prefix=$long"; do ask "a long name" 200 GET "$path"; done
for wrong in "check?limit=0" "check?limit=20001" "check?after=x" "gaps?downTo=2" "gaps?downTo=nan" "gaps?downTo=x" "gaps?limit=5" "check?player=${long}x" "check?color=white" "check?white=A" "gaps?player=A" "check?evals=1" "check?eco=B90" "check?nonsense=1" "gaps?rating=x"; do
  ask "$wrong" 400 GET "/api/notebooks/$book/$wrong"
done
status "somebody else's" 404 "${others[@]}" "$URL/api/notebooks/$book/check"

echo "a cancelled check ends on the server"
hold chess.games
curl -s --max-time $PATIENCE "${mine[@]}" "$URL/api/notebooks/$book/check?player=Tal%2C+Mikhail" >/dev/null &
asking=$!
wait_for "a check that waits" waiting 1
kill $asking
wait_for "its end on the server" waiting 0
release

echo "tables of an earlier version"
query 'CREATE DATABASE older'
PGDATABASE=older query "
  CREATE SCHEMA chess_web;
  CREATE TABLE chess_web.sessions (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id_hash bytea NOT NULL UNIQUE CHECK (octet_length(id_hash) = 32),
    created timestamptz NOT NULL DEFAULT now(), seen timestamptz NOT NULL DEFAULT now(), expires timestamptz NOT NULL DEFAULT now() + interval '1 year');
  CREATE TABLE chess_web.notebooks (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, session_id bigint NOT NULL REFERENCES chess_web.sessions ON DELETE CASCADE,
    name text NOT NULL, color text CHECK (color IN ('white', 'black')), updated timestamptz NOT NULL DEFAULT now());
  CREATE TABLE chess_web.notebook_nodes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, notebook_id bigint NOT NULL REFERENCES chess_web.notebooks ON DELETE CASCADE,
    parent bigint REFERENCES chess_web.notebook_nodes ON DELETE CASCADE, uci text, fen text NOT NULL, note text NOT NULL DEFAULT '', glyph smallint,
    CHECK ((parent IS NULL) = (uci IS NULL)), UNIQUE (notebook_id, parent, uci));
  INSERT INTO chess_web.sessions (id_hash) VALUES (sha256('$(printf 'a%.0s' {1..64})'));
  INSERT INTO chess_web.notebooks (session_id, name, color) VALUES (1, 'Old', 'white');
  INSERT INTO chess_web.notebook_nodes (notebook_id, parent, uci, fen) VALUES (1, NULL, NULL, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'),
    (1, 1, 'e2e4', 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1');"
serve "$WORK/older" --sessions "dbname=older"
mine=(-H "Cookie: __Host-chess=$(printf 'a%.0s' {1..64})")
URL=$address book=1
is "their notebook" "$(moves)" e2e4
ask "is changed" 204 DELETE /api/notebooks/1/nodes/2
undo
is "and undone" "$(moves)" e2e4
ask "and trained" 200 GET /api/notebooks/1/training
is "and trained" "$(member "a['new']")" 1
