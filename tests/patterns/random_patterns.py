"""Random patterns from the grammar of docs/patterns.md, and random games to look for them.

In: a random.Random. Out: the text of a pattern (`pattern`), and a game as its first board and its moves (`game`).
"""
import chess

LETTERS = "KQRBNPAkqrbnpa"
STATES = "wtm btm check mate stalemate capture recapture castling promotion enpassant start end any oppositebishops samebishops".split()
# These sets have many squares on most boards.
BROAD = "_ . A a [Pp] [Aa] [^r] A[a1-d4] _[1-4] .[light]".split()
FUNCTIONS = "passed isolated doubled backward connected outpost pinned span beside".split()

# Positions in which promotions, castling, captures en passant, mate and stalemate are near.
STARTS = [
    "n1n1k3/PPP3PP/8/8/8/8/ppp3pp/N1N1K3 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1", "4k3/8/8/8/7b/5n2/8/q3K3 w - - 0 1",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 3 9", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
    "8/8/8/8/8/8/k7/2K5 b - - 0 1", "7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
    "8/2b1k3/4n3/8/3B4/2K5/4R3/8 w - - 0 60",
]
# Chess960. Some kings castle without leaving their square, some to where the rook was.
STARTS_960 = [
    "rkbbqnnr/pppppppp/8/8/8/8/PPPPPPPP/RKBBQNNR w KQkq - 0 1", "rnkbbqnr/pppppppp/8/8/8/8/PPPPPPPP/RNKBBQNR w KQkq - 0 1",
    "r1k4r/pppppppp/8/8/8/8/PPPPPPPP/R1K4R w KQkq - 0 1", "r5kr/pppppppp/8/8/8/8/PPPPPPPP/R5KR b KQkq - 0 1",
    "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w KQkq - 0 1", "2rkr3/8/8/8/8/8/8/2RKR3 w KQkq - 0 1",
]


def game(random):
    """A first board and moves: more castling, promotions and captures than in games of people."""
    kind = random.random()
    if kind < 0.25:
        board = chess.Board(random.choice(STARTS_960), chess960=True)
    else:
        board = chess.Board() if kind < 0.6 else chess.Board(random.choice(STARTS))
    start, moves = board.copy(), []
    for _ in range(random.choice([random.randint(0, 60)] * 6 + [random.randint(100, 200)])):
        legal = list(board.legal_moves)
        if not legal:
            break
        rare = [move for move in legal if move.promotion or board.is_castling(move) or board.is_en_passant(move)]
        captures = [move for move in legal if board.is_capture(move)]
        if rare and random.random() < 0.5:
            legal = rare
        elif captures and random.random() < 0.3:
            legal = captures
        moves.append(random.choice(legal))
        board.push(moves[-1])
    return start, moves


def pattern(random):
    """A pattern of one moment, or in time."""
    make = Maker(random)
    return make.condition(3) if random.random() < 0.6 else make.timed(3)


class Maker:
    """One method for each thing of the language; `depth` limits what is inside of it."""

    def __init__(self, random):
        self.random, self.choice = random, random.choice

    def some(self, *parts):
        """One of several texts or functions, each with its weight."""
        made = self.random.choices([part for _, part in parts], [weight for weight, _ in parts])[0]
        return made if isinstance(made, str) else made()

    # Pieces on squares.

    def square(self):
        return self.choice("abcdefgh") + self.choice("12345678")

    def contents(self):
        return self.some(
            (14, lambda: self.choice(LETTERS)),
            (4, lambda: "[" + "".join(self.random.sample(LETTERS + "_", self.random.randint(1, 3))) + "]"),
            (1, lambda: "[^" + "".join(self.random.sample("KQRBNPkqrbnp_", self.random.randint(1, 2))) + "]"),
            (1, "_"),
        )

    def run(self, lines):
        first = self.random.randint(0, 7)
        return lines[first] + "-" + lines[self.random.randint(first, 7)]

    def rectangle(self):
        files, ranks = (sorted(self.random.choices(range(8), k=2)) for _ in range(2))
        return "-".join("abcdefgh"[file] + str(rank + 1) for file, rank in zip(files, ranks))

    def item(self):
        return self.some(
            (6, self.square), (4, lambda: self.run("abcdefgh")), (4, lambda: self.run("12345678")), (3, self.rectangle),
            (3, lambda: self.choice(["light", "dark", "edge", "corner", "centre"])),
        )

    def places(self, contents):
        """Contents with the squares on which they stand."""
        return self.some(
            (6, contents), (6, lambda: contents + self.square()), (3, lambda: contents + self.choice("abcdefgh")),
            # A letter with a rank would be a square.
            (2, lambda: (contents if len(contents) > 1 else f"[{contents}]") + self.choice("12345678")),
            (3, lambda: f"{contents}[{','.join(self.item() for _ in range(self.random.randint(1, 2)))}]"),
            (1, lambda: f"{contents}[{self.run('abcdefgh')}][{self.run('12345678')}]"),
        )

    def pieces(self):
        return self.some(
            (6, lambda: self.places(self.contents())), (1, self.square),
            (1, lambda: self.contents() + self.choice(["[open]", "[halfopen]"]) + self.choice(["", "d", "[a-d]", "[light]"])),
            (1, lambda: "." + self.choice(["[open]", "[halfopen]", "[light]d", "[a1-c3,e5]"])),
        )

    # Sets and numbers.

    def set(self, depth):
        if depth <= 0:
            return self.pieces()
        one = lambda: self.set(depth - 1)
        closed = lambda: f"({one()})"
        range_ = lambda: self.choice(["", ", 2", ", 1..3", ", 0..1", ", 2..", ", ..2", ", 0"])
        return self.some(
            (45, self.pieces), (10, lambda: self.choice(BROAD)),
            (6, lambda: f"({one()} | {one()})"), (6, lambda: f"({one()} & {one()})"),
            (4, lambda: "~" + closed()), (9, lambda: f"({closed()} {self.choice(['attacks', 'attackedby'])} {closed()})"),
            (4, lambda: self.choice(["moved", "vacated"])), (16, lambda: f"{self.choice(FUNCTIONS)}({one()})"),
            (6, lambda: f"{self.choice(['ahead', 'behind', 'near'])}({one()}{range_()})"),
            (3, lambda: f"between({one()}, {one()})"),
            (3, lambda: f"{self.choice(['flip', 'mirror'])}({one()})"),
            (1, lambda: f"{self.choice(['shift', 'rotate'])}({self.turnable_set()})"),
        )

    def turnable_set(self):
        """A set without a direction and without squares that have a name of their own."""
        piece = lambda: self.contents() + self.choice([self.square(), self.choice("abcdefgh"), "[" + self.rectangle() + "]"])
        return self.some(
            (3, piece), (1, lambda: f"({piece()} | {piece()})"), (1, lambda: f"({piece()} attacks {piece()})"),
            (1, lambda: f"near({piece()})"), (1, lambda: f"between({piece()}, {piece()})"), (1, lambda: f"pinned({piece()})"),
        )

    def number(self, depth):
        return self.some(
            (6, lambda: str(self.random.randint(0, 4))), (8, lambda: f"({self.set(depth - 1)})"),
            (2, lambda: f"{self.number(depth - 1)} + {self.number(depth - 1)}"),
            (2, lambda: f"points({self.set(depth - 1)})"), (1, lambda: f"islands({self.set(depth - 1)})"),
            (2, lambda: self.choice(["halfmove", "move"])),
        )

    def comparison(self, depth):
        sign = self.choice("= <> < <= > >=".split())
        if sign in ("=", "<>") and self.random.random() < 0.4:
            return f"({self.number(depth)} {sign} {self.choice(['1..3', '2..', '..2', '4..20'])})"
        return f"({self.number(depth)} {sign} {self.number(depth)})"

    # Moves, material, boards.

    def mover(self):
        return self.some((3, "."), (6, self.contents), (5, lambda: self.places(self.contents())))

    def target(self):
        return self.some((3, "."), (4, self.square), (4, self.contents), (5, lambda: self.places(self.contents())))

    def moves(self, count):
        text = self.mover()
        for _ in range(count):
            text += self.choice("-x") + self.target()
        return text

    def move(self):
        return self.moves(1) + self.choice(["", "", "", "", "=Q", "=[RBN]", "=[qn]"])

    def trip(self):
        return self.moves(self.random.randint(2, 3))

    def kinds(self):
        return self.some((4, lambda: self.choice("QRBNP")), (1, lambda: "[" + "".join(self.random.sample("QRBNP", 2)) + "]"))

    def material(self):
        def side():
            many = lambda: self.choice(["", "", "*", "*", "+", "?", "2", "1..3", "2..", "0..8"])
            # Few sides have no pawns.
            return "K" + "".join(self.kinds() + many() for _ in range(self.random.randint(0, 4))) + self.choice(["", "P*", "[QRBN]*P*"])
        return side() + "v" + side()

    def imbalance(self):
        side = lambda: "".join(self.kinds() + self.choice(["", "", "", "*"]) for _ in range(self.random.randint(0, 2)))
        return f"imbalance {side()}v{side()}{self.choice(['', '', 'P*', 'P*N*B*'])}"

    def board(self):
        """Some squares of a board of the standard start, with what stands there or something else."""
        at_home = chess.Board()
        ranks = []
        for rank in range(7, -1, -1):
            text = ""
            for file in range(8):
                piece = at_home.piece_at(8 * rank + file)
                text += self.some(
                    (6, "1"), (1, "?"), (3, piece.symbol() if piece else "_"), (0.3, self.contents))
            ranks.append(text)
        return f"board({'/'.join(ranks)})"

    def pawns(self):
        ranks = ["8"] * 8
        for rank, letter in (self.choice([(1, "p"), (2, "p")]), self.choice([(6, "P"), (5, "P")])):
            ranks[rank] = "".join(self.choice([letter, letter, letter, "1", "[Pp]"]) for _ in range(8))
        return self.choice(["pawns(8/pppppppp/8/8/8/8/PPPPPPPP/8)", f"pawns({'/'.join(ranks)})"])

    # Conditions.

    def condition(self, depth):
        if depth <= 0:
            return self.pieces_of_a_side()
        one = lambda: self.condition(depth - 1)
        closed = lambda: f"({one()})"
        set_ = lambda: self.set(depth - 1)
        return self.some(
            (20, self.pieces_of_a_side), (10, lambda: f"({one()} {self.choice(['and', ''])} {one()})"),
            (8, lambda: f"({one()} or {one()})"), (7, lambda: f"not {closed()}"), (12, lambda: self.comparison(depth - 1)),
            (8, self.move), (10, lambda: self.choice(STATES + ["O-O", "o-o", "O-O-O", "o-o-o"])),
            (2, lambda: f"castle({''.join(self.random.sample('KQkq', self.random.randint(1, 2)))})"),
            (3, self.material), (3, self.imbalance), (2, self.board), (1, self.pawns),
            (5, lambda: f"{self.choice(['line', 'file', 'rank', 'diagonal'])}({set_()}, {set_()}{self.choice(['', ', ' + set_()])})"),
            (6, lambda: f"{self.choice(['flip', 'mirror'])}({one()})"),
            (3, lambda: f"{self.choice(['rotate', 'shift'])}({self.turnable(2)})"),
            (3, lambda: f"({set_()})"),
        )

    def pieces_of_a_side(self):
        """Pieces on squares, as a condition: a square alone is none."""
        return self.places(self.contents())

    def turnable(self, depth):
        """A condition that rotate and shift take."""
        one = lambda: self.turnable(depth - 1)
        return self.some(
            (4, self.turnable_set), (2, lambda: f"{self.contents()}-{self.contents()}{self.square()}"),
            (1, lambda: f"line({self.turnable_set()}, {self.turnable_set()})"), (1, lambda: self.choice(["wtm", "check", "capture"])),
            (1, lambda: f"({self.turnable_set()}) >= {self.random.randint(1, 3)}"),
            *([(2, lambda: f"({one()} and {one()})"), (1, lambda: f"({one()} or {one()})"), (1, lambda: f"not ({one()})"),
               (1, lambda: f"{self.choice(['flip', 'mirror'])}({one()})")] if depth > 0 else []),
        )

    def timed(self, depth):
        if depth <= 0:
            return self.condition(1)
        one = lambda: self.timed(depth - 1)
        link = lambda: self.choice(["then", "then", "directly", "then within 4", "then 2", "then 2..5", "then 3.."])
        guard = lambda: self.choice(["", "", f" while ({self.condition(1)})"])
        return self.some(
            (20, lambda: self.condition(1)), (15, lambda: f"({self.condition(1)}) for {self.random.randint(1, 4)}"),
            (10, self.trip), (10, lambda: f"({one()} or {one()})"),
            (5, lambda: f"{self.choice(['flip', 'mirror'])}({one()})"),
            (2, lambda: f"{self.choice(['rotate', 'shift'])}({self.turnable(1)} {self.choice(['then', 'directly'])} {self.turnable(1)})"),
            (40, lambda: f"({one()}) {link()}{guard()} ({one()})"),
        )
