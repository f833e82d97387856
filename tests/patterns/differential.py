"""Compares the program's matches of random patterns in random games with those of a reference in Python.

usage: differential.py PROGRAM SEED PATTERNS GAMES
       differential.py PROGRAM --say PATTERN FILE.pgn

PROGRAM is `patterns` of benches/core. The reference is reading.py and meaning.py, on python-chess. With --say, it prints
the matches of one pattern in the games of a file. Ends with an error if matches differ, if the program refuses a pattern
for a reason that is not listed, or if so few patterns match that the comparison says little.
"""
import random
import subprocess
import sys
import tempfile

import chess
import chess.pgn

import meaning
import random_patterns
import reading

# Patterns that the language excludes, and limits: the generator knows neither all rules nor the sizes.
REFUSED = {
    "a capture takes a piece of the other side", "a square alone is always there", "no square is on all of",
    "castling has no image", "has a direction cannot be rotated", "open files cannot be rotated", "cannot be shifted",
    "nothing is left that could stand there", "the transforms make more than", "parts to look at", "a pawn becomes one of",
    "which files are open changes with it", "parts in all",
}


def program_rows(program, path, patterns):
    """For each pattern a line of the program: the matches in each game that has one, or an error."""
    text = "".join(pattern + "\n" for pattern in patterns)
    ran = subprocess.run([program, "rows", path], input=text, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    return ran.stdout.splitlines()


def reference_rows(pattern, games):
    """The same line by the reference."""
    tree = reading.read(pattern)
    lines = []
    for number, moments in enumerate(games):
        rows = meaning.rows(tree, moments)
        if rows:
            lines.append(f"{number}:" + "".join(f" {first}-{last}" for first, last in rows) + ";")
    return "".join(lines)


def pgn_of(board, moves):
    game = chess.pgn.Game()
    if board.fen() != chess.STARTING_FEN:
        game.setup(board)
    node = game
    for move in moves:
        node = node.add_variation(move)
    return str(game)


def mistyped(source, text):
    """The text with one more character."""
    at = source.randrange(len(text) + 1)
    return text[:at] + source.choice("*+?.-,:|&()[]=x 0123456789abhKQRBNPkqrbnpv") + text[at:]


def compare(program, seed, patterns, games):
    source = random.Random(seed)
    played = [random_patterns.game(source) for _ in range(games)]
    texts = [random_patterns.pattern(source) for _ in range(patterns)]
    # What the program accepts, it must take for what the reference takes it for: nothing that is written is dropped.
    texts += [mistyped(source, text) for text in texts]
    moments = [meaning.moments_of(*game) for game in played]
    with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
        file.write("\n\n".join(pgn_of(*game) for game in played) + "\n")
        file.flush()
        lines = program_rows(program, file.name, texts)
    differences = refused = accepted = matching = 0
    for number, (text, line) in enumerate(zip(texts, lines, strict=True)):
        if number >= patterns:
            if line.startswith("ERROR"):
                continue
            accepted += 1
        elif line.startswith("ERROR") and any(reason in line for reason in REFUSED):
            refused += 1
            continue
        try:
            expected = reference_rows(text, moments)
        except reading.NotAPattern as error:
            expected = f"ERROR {error}"
        matching += bool(expected)
        if line != expected:
            differences += 1
            print(f"differs: {text}\n  reference: {expected[:300]}\n  program:   {line[:300]}")
    compared = patterns - refused + accepted
    print(f"seed {seed}: {compared} patterns in {games} games, {accepted} of them with a mistake, {matching} with matches, "
          f"{refused} refused, {differences} differ")
    return differences == 0 and refused < patterns // 4 and matching > compared // 4 and accepted > patterns // 20


def main():
    if sys.argv[2:3] == ["--say"]:
        program, _, pattern, path = sys.argv[1:]
        games = []
        with open(path) as file:
            while game := chess.pgn.read_game(file):
                games.append(meaning.moments_of(game.board(), game.mainline_moves()))
        print("reference:", reference_rows(pattern, games))
        print("program:  ", *program_rows(program, path, [pattern]))
        return True
    program, *numbers = sys.argv[1:]
    return compare(program, *map(int, numbers))


if __name__ == "__main__":
    sys.exit(not main())
