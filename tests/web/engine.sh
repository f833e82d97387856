#!/usr/bin/env bash
# In: CHESS_WEB_URL, a chess-web with --engine over games of which an engine has analyzed the first; PLAIN_URL, one without.
# Out: an error unless /api/cloud-eval, the moves of the explorer and /api/engine return what is stored and what the engine
# finds, pages of other sites get no engine, and an engine is free again when its client disconnects.
set -euo pipefail
. scripts/checks.sh
work_here
events=$WORK/events
go_on
# json PYTHON: prints the expression's value; d is the JSON on standard input
json() { python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"; }
# event NAME PYTHON: the same; d is the data of the last event with this name
event() { python3 -c "
import json, sys
found = None
for part in sys.stdin.read().split('\n\n'):
    lines = dict(line.split(': ', 1) for line in part.split('\n') if ': ' in line)
    if lines.get('event') == '$1': found = json.loads(lines['data'])
d = found; print($2)"; }
url=$CHESS_WEB_URL
get() { curl -sS --max-time $PATIENCE "$@"; }

equal "status" True "$(get "$url/api/status" | json "d['engine']")"
equal "status without an engine" False "$(get "$PLAIN_URL/api/status" | json "d['engine']")"
equal "without an engine there is none" 404 "$(get -o /dev/null -w '%{http_code}' "$PLAIN_URL/api/engine")"
equal "an evaluation beside a move" True "$(get "$url/api/explorer?play=$STORED_PLAY" | json "[m['eval']['cp'] for m in d['moves'] if m['uci'] == '$STORED_MOVE'] == [$STORED_EVAL]")"
equal "an evaluation that is stored" "True True" "$(get "$url/api/cloud-eval?multiPv=1&variant=standard&fen=$STORED_FEN" | json "d['pvs'][0]['cp'] == $STORED_EVAL, d['depth'] > 0 and len(d['pvs'][0]['moves']) > 3" | tr -d '(),')"
game=$(python3 -c 'import sys; n = int(sys.argv[1]); d = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"; print("".join(d[n // 62**i % 62] for i in range(7, -1, -1)))' "$STORED_ID")
equal "moves that lost chances" "$STORED_MISTAKES" "$(get "$PLAIN_URL/api/games/$game" | json "', '.join(f\"{i + 1} {m['mistake']['judgement']} {m['mistake']['loss']} {m['mistake']['best'] or '-'}\" for i, m in enumerate(d['moves']) if m['mistake']) or 'none'")"
equal "one that is not" 404 "$(get -o /dev/null -w '%{http_code}' "$url/api/cloud-eval?fen=8/8/8/8/8/k7/8/1K5R_w_-_-_0_1")"
# stored with a half-move clock of 80 and without one
rook=8/8/8/8/8/8/k7/2K4R_w_-_-
equal "near the fifty-move rule" "80 0 0" "$(for clock in 80 60 0; do get "$url/api/cloud-eval?fen=${rook}_${clock}_100" | json "d['pvs'][0]['cp']"; done | paste -sd ' ')"
equal "with another clock" 404 "$(get -o /dev/null -w '%{http_code}' "$url/api/cloud-eval?fen=${rook}_81_100")"
equal "endgame tables before an engine" "19999 h2h3 0" "$(get "$url/api/cloud-eval?fen=8/8/8/8/8/k7/7Q/K7_w_-_-_0_1" | json "d['pvs'][0]['cp'], d['pvs'][0]['moves'], d['depth']" | tr -d "(),'")"
equal "also with more lines" 19999 "$(get "$url/api/cloud-eval?multiPv=3&fen=8/8/8/8/8/k7/7Q/K7_w_-_-_0_1" | json "d['pvs'][0]['cp']")"
equal "no position" 400 "$(get -o /dev/null -w '%{http_code}' "$url/api/engine?fen=8/8/8/8/8/8/8/8_w_-_-_0_1")"
equal "a page of others" 403 "$(get -o /dev/null -w '%{http_code}' -H 'Sec-Fetch-Site: cross-site' "$url/api/engine")"
mate="$url/api/engine?fen=7k/8/8/8/8/8/R7/1R4K1_w_-_-_0_1"
equal "mate in two" "2 a2a7 Ra7 True" "$(get "$mate" | event end "d['pvs'][0]['mate'], d['pvs'][0]['moves'][0], d['pvs'][0]['san'][0], d['engine'].startswith('Stockfish')" | tr -d "(),'")"
equal "what is over" "white wins" "$(get "$url/api/engine?fen=7k/6Q1/6K1/8/8/8/8/8_b_-_-_0_1" | event end "d['over']")"
equal "what is stored comes first" True "$(get -N "$url/api/engine?fen=$STORED_FEN" 2>/dev/null | sed '/^$/q' | event stored "d['pvs'][0]['cp'] == $STORED_EVAL")"
# the client of the search above has disconnected, so the engine is free
equal "the engine is free again" 2 "$(get --retry $PATIENCE --retry-delay 1 "$mate" | event end "d['pvs'][0]['mate']")"
# before its first event it is not certain that the other client has the engine
get -N "$url/api/engine" >"$events" 2>/dev/null &
wait_for "the first event" grep -q . "$events"
equal "an engine that is busy" 503 "$(get -o /dev/null -w '%{http_code}' "$url/api/engine")"
