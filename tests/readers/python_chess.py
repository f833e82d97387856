"""In: a file of exported PGN, and a file with the moves of each game in UCI, a line for each. Out: an error unless
python-chess finds exactly these games, without an error, each with these moves."""

import sys

import chess.pgn


def main(exported, expected):
    with open(expected, encoding="utf-8") as lines:
        wanted = [line.split() for line in lines.read().splitlines()]
    wrong = 0
    with open(exported, encoding="utf-8") as pgn:
        for number, moves in enumerate(wanted, 1):
            game = chess.pgn.read_game(pgn)
            if game is None:
                sys.exit(f"{number - 1} games instead of {len(wanted)}")
            found = [move.uci() for move in game.mainline_moves()]
            if found != moves or game.errors:
                wrong += 1
                print(f"game {number}: {found} instead of {moves} {game.errors}\n{game.headers}")
        if chess.pgn.read_game(pgn) is not None:
            sys.exit(f"more games than {len(wanted)}")
    if wrong or not wanted:
        sys.exit(f"{wrong} of {len(wanted)} games differ")
    print(f"python-chess reads {len(wanted)} games as the database has them")


main(*sys.argv[1:])
