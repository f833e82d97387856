"""In: CHESS_WEB_URL, the address of a chess-web over demo/famous.pgn and games.pgn; the variables of libpq; PSQL.
Out: an error unless berserk, a client of lichess's own API, gets what SQL says from the paths of lichess."""

import datetime
import json
import os
import subprocess
import sys
import types
import typing
import urllib.request

import berserk
from berserk.types.opening_explorer import OpeningStatistic
from typing_extensions import get_args, get_origin, get_type_hints, is_typeddict

BASE = os.environ["CHESS_WEB_URL"].rstrip("/")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
GAMES = "chess.games"
passed = failed = 0


def equal(what, found, expected):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}\n  expected: {expected!r}\n  found:    {found!r}")


def refused(what, status, ask):
    try:
        ask()
    except berserk.exceptions.ResponseError as error:
        equal(what, error.status_code, status)
    else:
        equal(what, "an answer", status)


def sql(query):
    command = [os.environ.get("PSQL", "psql"), "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", query]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def expected(board, where="true"):
    """By UCI: White's wins, draws, Black's wins; by functions of the extension alone."""
    rows = sql(
        f"""SELECT uci(b, san), count(*) FILTER (WHERE result = '1-0'), count(*) FILTER (WHERE result = '1/2-1/2'),
                   count(*) FILTER (WHERE result = '0-1')
            FROM (SELECT nextMove(game, {board}) AS san, {board} AS b, result FROM chess.pgn_view
                  WHERE hasBoard(game, {board}) AND {where}) t
            WHERE san IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1"""
    )
    return {uci: tuple(map(int, counts)) for uci, *counts in rows}


def found(answer, castling=None):
    names = castling or {}
    return {names.get(m["uci"], m["uci"]): (m["white"], m["draws"], m["black"]) for m in answer["moves"]}


# The fields of the answers in lichess's documents, and what each may be. A list has one form, a dictionary its fields.
NONE = type(None)
NAMED = {"eco": str, "name": str}
PERSON = {"name": str, "rating": int}
GAME = {"id": str, "winner": {"white", "black", None}, "white": PERSON, "black": PERSON, "year": int, "month": (str, NONE)}
PLAYED = GAME | {
    "speed": {"ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence"},
    "mode": {"rated", "casual"},
}
COUNTS = {"white": int, "draws": int, "black": int, "opening": (NAMED, NONE)}
MOVE = COUNTS | {"uci": str, "san": str}


def listed(game):
    return [game | {"uci": str}]


FIELDS = {
    "masters": COUNTS | {
        "moves": [MOVE | {"averageRating": (int, NONE), "game": (GAME, NONE)}],
        "topGames": listed(GAME),
    },
    "lichess": COUNTS | {
        "moves": [MOVE | {"averageRating": (int, NONE), "game": (PLAYED, NONE)}],
        "topGames": listed(PLAYED),
        "recentGames": listed(PLAYED),
        "history": [{"month": str, "white": int, "draws": int, "black": int}],
    },
    "player": COUNTS | {
        "queuePosition": int,
        "moves": [MOVE | {"averageOpponentRating": (int, NONE), "performance": (int, NONE), "game": (PLAYED, NONE)}],
        "recentGames": listed(PLAYED),
    },
}


def unlike(value, form, where=""):
    """Where a value has not the documented form: fields that are missing, that nobody knows, or of another type."""
    if isinstance(form, tuple):
        found = [unlike(value, one, where) for one in form]
        return [] if [] in found else found[0]
    if isinstance(form, set):
        return [] if value in form else [f"{where}: {value!r}"]
    if isinstance(form, list):
        return [fault for item in value for fault in unlike(item, form[0], f"{where}[]")] if type(value) is list else [where]
    if isinstance(form, dict):
        if type(value) is not dict:
            return [f"{where}: {value!r}"]
        keys = [f"{where}.{key}: missing or unknown" for key in form.keys() ^ value.keys()]
        return keys + [fault for key in form.keys() & value.keys() for fault in unlike(value[key], form[key], f"{where}.{key}")]
    return [] if type(value) is form else [f"{where}: {value!r}"]


# null where lichess does not know it, although the models of berserk do not say so
UNKNOWN = {"month", "averageRating", "averageOpponentRating", "performance"}


def unlike_model(value, model, where=""):
    """Where a value has not the form of a model of berserk."""
    origin, args = get_origin(model), get_args(model)
    if is_typeddict(model):
        if type(value) is not dict:
            return [f"{where}: {value!r}"]
        faults = []
        for key, hint in get_type_hints(model).items():
            if key not in value:
                faults.append(f"{where}.{key}: missing")
            elif value[key] is not None or key not in UNKNOWN:
                faults += unlike_model(value[key], hint, f"{where}.{key}")
        return faults
    if origin in (typing.Union, types.UnionType):
        found = [unlike_model(value, one, where) for one in args]
        return [] if [] in found else found[0]
    if origin is typing.Literal:
        return [] if value in args else [f"{where}: {value!r}"]
    if origin is list:
        return [fault for item in value for fault in unlike_model(item, args[0], f"{where}[]")]
    return [] if type(value) is model else [f"{where}: {value!r}"]


def check_shape(what, answer):
    equal(f"{what}: the documented fields", unlike(answer, FIELDS[what]), [])
    # berserk has one model for all three, with fields that only /lichess has
    faults = [fault for fault in unlike_model(answer, OpeningStatistic) if what == "lichess" or not fault.endswith(": missing")]
    equal(f"{what}: berserk's model", faults, [])
    games = answer.get("topGames", []) + answer.get("recentGames", [])
    yes = all(len(game["id"]) == 8 and game["id"].isalnum() for game in games)
    equal(f"{what}: ids of games, {len(games)}", (yes, bool(games)), (True, True))


client = berserk.Client(explorer_url=BASE)
explorer = client.opening_explorer
board = f"'{START}'::chessboard"

masters = explorer.get_masters_games(position=START, moves=100)
equal("masters: moves", found(masters), expected(board))
equal("masters: the sum", masters["white"], sum(white for white, _, _ in expected(board).values()))
equal("masters: no recent games", "recentGames" in masters, False)
check_shape("masters", masters)
equal("masters: as many as asked for", len(explorer.get_masters_games(position=START, moves=2, top_games=3)["moves"]), 2)

after = "getBoard('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6', 8)"
ruy = explorer.get_masters_games(play=["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"])
equal("castling is the king's move to its rook", "e1h1" in found(ruy), True)
equal("castling: the same games", found(ruy, {"e1h1": "e1g1"}), expected(after))
castled = explorer.get_masters_games(play="e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1h1".split())
equal("castling as lichess writes it is read", castled["white"] + castled["draws"] + castled["black"] > 0, True)

lichess = explorer.get_lichess_games(position=START, moves=100, history=True)
equal("lichess: moves", found(lichess), expected(board))
check_shape("lichess", lichess)
equal("a field too few is noticed", unlike({**lichess, "moves": [{}]}, FIELDS["lichess"]) != [], True)
equal("and by the model", unlike_model({**lichess, "moves": [{}]}, OpeningStatistic) != [], True)
equal("a field of another type is noticed by both", (unlike({**lichess, "white": "1"}, FIELDS["lichess"]), unlike_model({**lichess, "white": "1"}, OpeningStatistic)), ([".white: '1'"], [".white: '1'"]))
equal("lichess: a history", all(len(month["month"]) == 7 for month in lichess["history"]), True)
rated = explorer.get_lichess_games(position=START, moves=100, ratings=["2200", "2500"])
mean = "white_elo > 0 AND black_elo > 0 AND (white_elo + black_elo) / 2 >= 2200"
equal("lichess: groups of ratings", found(rated), expected(board, mean))
blitz = explorer.get_lichess_games(position=START, moves=100, speeds=["blitz"])
equal("lichess: speeds", found(blitz), expected(board, "time_control ~ '^(180|300)([+][0-9])?$'"))
late = explorer.get_lichess_games(position=START, moves=100, since="2024-6")
equal("lichess: months", found(late), expected(board, "dates <@ '[2024-06-01,)'::daterange"))

player = explorer.get_player_games(player="Fischer, Robert James", color="white", position=START)
equal("player: moves", found(player), expected(board, "white = 'Fischer, Robert James'"))
equal("player: no top games", "topGames" in player, False)
check_shape("player", player)
lines = list(explorer.stream_player_games(player="O'Neil, \"Tip\" & Söhne", color="black", position=START))
equal("player: one line", len(lines), 1)
equal("player: a name with quotes", found(lines[0]), expected(board, "black = 'O''Neil, \"Tip\" & Söhne'"))

top = masters["topGames"][0]
pgn = explorer.get_otb_master_game(top["id"])
equal("pgn: of that game", f'[White "{top["white"]["name"]}"]'.replace("\\", "") in pgn.replace("\\", ""), True)

export = berserk.Client(base_url=BASE).games.export(top["id"], as_pgn=True)
equal("export: the same game", export, pgn)

refused("an illegal move", 400, lambda: explorer.get_masters_games(play=["e2e5"]))
refused("no FEN", 400, lambda: explorer.get_masters_games(position="nonsense"))
refused("month 13", 400, lambda: explorer.get_lichess_games(position=START, since="2015-13"))
refused("no such game", 404, lambda: explorer.get_otb_master_game("zzzzzzzz"))
refused("a variant", 400, lambda: explorer.get_lichess_games(variant="atomic", position=START))

body = json.dumps({"positions": [{"fen": START}, {"play": "e2e4"}, {"fen": "nonsense"}]}).encode()
request = urllib.request.Request(BASE + "/api/explorer/batch", body, {"Content-Type": "application/json"})
batch = json.load(urllib.request.urlopen(request))["answers"]
equal("batch: the first", {key: batch[0][key] for key in ("white", "draws", "black")},
      {key: lichess[key] for key in ("white", "draws", "black")})
equal("batch: an error in its place", "error" in batch[2], True)
# the form of En Croissant: a FEN with + for spaces, a month of one digit
plain = urllib.request.urlopen(f"{BASE}/lichess?fen={START.replace(' ', '+')}&since=1800-1&speeds=&ratings=").read()
equal("a FEN with +", found(json.loads(plain)), expected(board, "dates <@ '[1800-01-01,)'::daterange"))

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
