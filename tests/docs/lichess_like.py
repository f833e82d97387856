"""Made-up games with the tags and clocks of lichess's dumps, for docs/data.md.

In: the path of chess-gamegen. Out: 2,000 of its games on standard output, always the same, with other tags and a clock after
each half-move.
"""

import random
import re
import subprocess
import sys

EVENTS = {"60+0": "Bullet", "180+0": "Blitz", "180+2": "Blitz", "300+0": "Blitz", "600+0": "Rapid"}


def main() -> None:
    chance = random.Random(64)
    command = [sys.argv[1], "--games", "2000", "--seed", "64"]
    games = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for n, game in enumerate(re.split(r"\n(?=\[Event )", games)):
        tags, _, text = game.partition("\n\n")
        named = dict(re.findall(r'\[(\w+) "(.*)"\]', tags))
        *moves, result = [word for word in text.split() if not re.fullmatch(r"\d+\.+", word)]
        control = chance.choice(list(EVENTS))
        base, increment = map(int, control.split("+"))
        left = [base, base]
        played, end = [], "Normal"
        for ply, move in enumerate(moves):
            side = ply % 2
            left[side] -= min(left[side], int(chance.expovariate(40 / base) * (0.3 + left[side] / base)))
            if left[side] == 0:
                result, end = ("0-1", "1-0")[side], "Time forfeit"
                break
            left[side] += increment
            number = f"{ply // 2 + 1}. " if side == 0 else f"{ply // 2 + 1}... "
            played.append(f"{number}{move} {{ [%clk 0:{left[side] // 60:02}:{left[side] % 60:02}] }}")
        elo = [chance.randrange(1000, 2500), 0]
        elo[1] = elo[0] + chance.randrange(-300, 300)
        change = chance.randrange(1, 12) * {"1-0": 1, "0-1": -1}.get(result, 0)
        second = int(chance.triangular(0, 86400, 68400))
        day = f"2026.10.{n % 31 + 1:02}"
        written = {
            "Event": f"Rated {EVENTS[control]} game",
            "Site": f"https://lichess.org/{n:08}",
            "Date": day,
            "Round": "-",
            "White": named["White"],
            "Black": named["Black"],
            "Result": result,
            "UTCDate": day,
            "UTCTime": f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}",
            "WhiteElo": elo[0],
            "BlackElo": elo[1],
            "WhiteRatingDiff": f"{change:+}",
            "BlackRatingDiff": f"{-change:+}",
            "TimeControl": control,
            "Termination": end,
        }
        print(*(f'[{name} "{value}"]' for name, value in written.items()), sep="\n")
        print("", " ".join([*played, result]), "", sep="\n")


main()
