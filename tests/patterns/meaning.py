"""What a pattern means: a reference that is slow, plain, and follows docs/patterns.md sentence by sentence.

In: the tree of a pattern (reading.py), and a game as its first board and its moves, of python-chess. Out: the rows of
findPattern: for each half-move at which a match ends, the latest half-move at which such a match begins.

A match is a pair of half-moves. Sets of squares are Python sets of python-chess's numbers, 0 for a1 and 63 for h8.
"""
import chess

FILES = range(8)
WHITE, BLACK = frozenset("PNBRQK"), frozenset("pnbrqk")
POINTS = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}
DIRECTIONS = {"file": [(0, 1), (0, -1)], "rank": [(1, 0), (-1, 0)], "diagonal": [(1, 1), (1, -1), (-1, 1), (-1, -1)]}
DIRECTIONS["line"] = DIRECTIONS["file"] + DIRECTIONS["rank"] + DIRECTIONS["diagonal"]
COMPARE = {
    "=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}


def rows(tree, moments):
    """(first, last) of each half-move at which a match ends, in the order of last."""
    found = matches(tree, moments)
    return [(max(found[last]), last) for last in sorted(found) if found[last]]


# Moments.

class Played:
    """A half-move."""

    def __init__(self, before, move, last):
        """Takes the board before it, the move, and the half-move that led to that board."""
        self.mover = before.piece_at(move.from_square).symbol()
        self.from_square, self.to_square = move.from_square, move.to_square
        self.is_en_passant = before.is_en_passant(move)
        self.promoted = chess.Piece(move.promotion, before.turn).symbol() if move.promotion else None
        self.castling = self.rook_from = self.rook_to = self.taken = self.taken_at = None
        if before.is_castling(move):
            is_short = before.is_kingside_castling(move)
            rank = chess.square_rank(move.from_square)
            name = "O-O" if is_short else "O-O-O"
            self.castling = name if before.turn else name.lower()
            self.to_square = chess.square(6 if is_short else 2, rank)
            self.rook_to = chess.square(5 if is_short else 3, rank)
            # python-chess names the rook's square in Chess960, and the king's otherwise.
            self.rook_from = move.to_square if before.chess960 else chess.square(7 if is_short else 0, rank)
        elif before.is_capture(move):
            self.taken_at = move.to_square
            if self.is_en_passant:
                self.taken_at = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
            self.taken = before.piece_at(self.taken_at).symbol()
        self.is_recapture = bool(self.taken and last and last.taken and last.to_square == self.to_square)

    def is_step(self, first, takes, second, promoted=None):
        """Whether this is a move of a piece of `first` to `second`, which is what stood there, or was taken."""
        _, movers, from_parts = first
        _, stood, to_parts = second
        met = "_" if self.is_en_passant and not takes else self.taken or "_"
        return ((self.taken is not None or not takes)
                and self.mover in movers and met in stood
                and all(is_on(self.from_square, part) for part in from_parts)
                and all(is_on(self.to_square, part) for part in to_parts)
                and (promoted is None or self.promoted in promoted))


def is_on(square, part, open_=(), half_open=()):
    """Whether a square is on one of the items of a part of a designator, given the files that are open."""
    file, rank = square % 8, square // 8
    for kind, value in part:
        if kind == "files" and file in value or kind == "ranks" and rank in value or kind == "squares" and square in value:
            return True
        if kind == "named" and (
                value == "light" and (file + rank) % 2 == 1
                or value == "dark" and (file + rank) % 2 == 0
                or value == "edge" and (file in (0, 7) or rank in (0, 7))
                or value == "corner" and file in (0, 7) and rank in (0, 7)
                or value == "centre" and file in (3, 4) and rank in (3, 4)
                or value == "open" and file in open_
                or value == "halfopen" and file in half_open):
            return True
    return False


class Moment:
    """A board and the half-move that led to it."""

    def __init__(self, board, number, played, is_last):
        self.board, self.half_move, self.played, self.is_last = board, number, played, is_last
        symbols = {square: piece.symbol() for square, piece in board.piece_map().items()}
        self.at = [symbols.get(square, "_") for square in chess.SQUARES]
        self.white_pawns = [square for square in chess.SQUARES if self.at[square] == "P"]
        self.black_pawns = [square for square in chess.SQUARES if self.at[square] == "p"]
        files_of_white, files_of_black = ({pawn % 8 for pawn in pawns} for pawns in (self.white_pawns, self.black_pawns))
        self.open_files = set(FILES) - files_of_white - files_of_black
        self.only_white, self.only_black = files_of_white - files_of_black, files_of_black - files_of_white
        self.known = {}

    def count(self, letters):
        return sum(letter in letters for letter in self.at)

    # Sets.

    def set(self, tree):
        if tree not in self.known:
            self.known[tree] = frozenset(self.new_set(tree))
        return self.known[tree]

    def new_set(self, tree):
        kind, *values = tree
        if kind == "pieces":
            contents, parts = values
            return {square for square in chess.SQUARES if self.at[square] in contents and self.is_on_all(square, parts)}
        if kind == "moved":
            return {self.played.to_square} if self.played else set()
        if kind == "vacated":
            return {self.played.from_square} if self.played else set()
        sets = [self.set(value) for value in values if isinstance(value, tuple)]
        if kind == "|":
            return set().union(*sets)
        if kind == "&":
            return set.intersection(*map(set, sets))
        if kind == "~":
            return set(chess.SQUARES) - sets[0]
        if kind == "attacks":
            return {square for square in sets[0] if self.attacked_from(square) & sets[1]}
        if kind == "attackedby":
            return {square for square in sets[0] if any(square in self.attacked_from(piece) for piece in sets[1])}
        if kind == "between":
            return {square for a in sets[0] for b in sets[1] for square in chess.SquareSet.between(a, b)}
        if kind == "near":
            return {square for square in chess.SQUARES if any(
                is_within(chess.square_distance(square, center), *values[1:]) for center in sets[0])}
        if kind in ("ahead", "behind"):
            return {square for piece in sets[0] if self.at[piece] != "_" for square in chess.SQUARES
                    if square % 8 == piece % 8 and is_within(self.ranks_ahead(piece, square, kind), *values[1:])}
        if kind == "beside":
            return {square + step for square in sets[0] for step in (-1, 1) if square % 8 + step in FILES}
        if kind == "pinned":
            return {square for square in sets[0]
                    if self.at[square] != "_" and self.board.is_pinned(self.board.color_at(square), square)}
        if kind == "outpost":
            return {square for square in sets[0] if self.at[square] != "_" and self.is_outpost(square)}
        # The others are about pawns.
        pawns = [square for square in sets[0] if self.at[square] in "Pp"]
        if kind == "span":
            return {square for pawn in pawns for square in chess.SQUARES if self.may_attack(pawn, square)}
        return {pawn for pawn in pawns if getattr(self, "is_" + kind)(pawn)}

    def is_on_all(self, square, parts):
        half_open = self.half_open_files(self.at[square])
        return all(is_on(square, part, self.open_files, half_open) for part in parts)

    def half_open_files(self, letter):
        """Files with pawns of the other side only; an empty square counts as Black's."""
        return self.only_black if letter in WHITE else self.only_white

    def attacked_from(self, square):
        """What the piece on a square attacks, whatever is pinned and whoever is to move."""
        return set(self.board.attacks(square))

    # Structure. Each pawn is judged by its own colour.

    def own_pawns(self, square):
        return self.white_pawns if self.at[square] in WHITE else self.black_pawns

    def other_pawns(self, square):
        return self.black_pawns if self.at[square] in WHITE else self.white_pawns

    def ranks_ahead(self, piece, square, way="ahead"):
        """How many ranks a square is ahead of a piece, as its side sees the board."""
        up = square // 8 - piece // 8
        return up if (self.at[piece] in WHITE) == (way == "ahead") else -up

    def neighbours(self, pawns, square):
        """Those of the pawns that are on a neighbouring file."""
        return [pawn for pawn in pawns if abs(pawn % 8 - square % 8) == 1]

    def may_attack(self, pawn, square):
        """Whether a pawn attacks a square, or may do so after it has advanced."""
        return abs(pawn % 8 - square % 8) == 1 and self.ranks_ahead(pawn, square) >= 1

    def is_passed(self, pawn):
        return not any(abs(other % 8 - pawn % 8) <= 1 and self.ranks_ahead(pawn, other) >= 1
                       for other in self.other_pawns(pawn))

    def is_isolated(self, pawn):
        return not self.neighbours(self.own_pawns(pawn), pawn)

    def is_doubled(self, pawn):
        return any(other % 8 == pawn % 8 for other in self.own_pawns(pawn) if other != pawn)

    def is_connected(self, pawn):
        return any(chess.square_distance(pawn, other) == 1 for other in self.neighbours(self.own_pawns(pawn), pawn))

    def is_backward(self, pawn):
        own = self.neighbours(self.own_pawns(pawn), pawn)
        ahead = pawn + 8 if self.at[pawn] == "P" else pawn - 8
        is_stopped = any(ahead in self.attacked_from(other) for other in self.other_pawns(pawn))
        return bool(own) and all(self.ranks_ahead(pawn, other) >= 1 for other in own) and is_stopped

    def is_outpost(self, piece):
        rank = piece // 8 + 1 if self.at[piece] in WHITE else 8 - piece // 8
        return (4 <= rank <= 7
                and any(piece in self.attacked_from(pawn) for pawn in self.own_pawns(piece))
                and not any(self.may_attack(pawn, piece) for pawn in self.other_pawns(piece)))

    # Numbers.

    def number(self, tree):
        kind, *values = tree
        if kind == "number":
            return values[0]
        if kind == "size":
            return len(self.set(values[0]))
        if kind == "+":
            return sum(self.number(value) for value in values)
        if kind == "points":
            return sum(POINTS.get(self.at[square].lower(), 0) for square in self.set(values[0]))
        if kind == "islands":
            files = {square % 8 for square in self.set(values[0])}
            return sum(file - 1 not in files for file in files)
        if kind == "halfmove":
            return self.half_move
        assert kind == "move", kind
        return (self.half_move + 1) // 2

    # Conditions.

    def holds(self, tree):
        if tree not in self.known:
            self.known[tree] = self.is_true(tree)
        return self.known[tree]

    def is_true(self, tree):
        kind, *values = tree
        if kind == "some":
            return bool(self.set(values[0]))
        if kind == "and":
            return all(self.holds(value) for value in values)
        if kind == "or":
            return any(self.holds(value) for value in values)
        if kind == "not":
            return not self.holds(values[0])
        if kind == "compare":
            sign, left, right = values
            if right[0] == "range":
                return is_within(self.number(left), *right[1:]) == (sign == "=")
            return COMPARE[sign](self.number(left), self.number(right))
        if kind == "step":
            return self.played is not None and self.played.is_step(*values)
        if kind == "castles":
            return self.played is not None and self.played.castling == values[0]
        if kind == "rights":
            return all(self.has_right(letter) for letter in values[0])
        if kind == "material":
            return self.is_material(WHITE, values[0]) and self.is_material(BLACK, values[1])
        if kind == "imbalance":
            return self.is_imbalance(dict(values[0]))
        if kind == "board":
            return self.is_board(*values)
        if kind == "line":
            return any(self.is_line([square], DIRECTIONS[values[0]], values[2:]) for square in self.set(values[1]))
        return self.is_state(kind)

    def is_state(self, word):
        played = self.played
        if word in ("capture", "recapture", "castling", "promotion", "enpassant") and played is None:
            return False
        bishops = [square for square in chess.SQUARES if self.at[square] in "Bb"]
        has_one_each = sorted(self.at[square] for square in bishops) == ["B", "b"]
        colours = {(square // 8 + square % 8) % 2 for square in bishops}
        return {
            "wtm": lambda: self.board.turn == chess.WHITE,
            "btm": lambda: self.board.turn == chess.BLACK,
            "check": self.board.is_check,
            "mate": self.board.is_checkmate,
            "stalemate": self.board.is_stalemate,
            "capture": lambda: played.taken is not None,
            "recapture": lambda: played.is_recapture,
            "castling": lambda: played.castling is not None,
            "promotion": lambda: played.promoted is not None,
            "enpassant": lambda: played.is_en_passant,
            "start": lambda: self.half_move == 0,
            "end": lambda: self.is_last,
            "any": lambda: True,
            "oppositebishops": lambda: has_one_each and len(colours) == 2,
            "samebishops": lambda: has_one_each and len(colours) == 1,
        }[word]()

    def has_right(self, letter):
        colour = chess.WHITE if letter.isupper() else chess.BLACK
        if letter in "Kk":
            return self.board.has_kingside_castling_rights(colour)
        return self.board.has_queenside_castling_rights(colour)

    def is_material(self, side, groups):
        """Whether a side has exactly one king and these groups; of kinds in no group it has none."""
        def count(kinds):
            return self.count({letter for letter in side if letter.upper() in kinds})
        named = frozenset().union(*(kinds for kinds, _ in groups))
        return (count("K") == 1 and count(frozenset("QRBNP") - named) == 0
                and all(is_within(count(kinds), *many) for kinds, many in groups))

    def is_imbalance(self, groups):
        def more(kinds):
            return self.count(kinds) - self.count({kind.lower() for kind in kinds})
        named = frozenset().union(*groups)
        return (all(difference is None or more(kinds) == difference for kinds, difference in groups.items())
                and all(more({kind}) == 0 for kind in "QRBNP" if kind not in named))

    def is_board(self, squares, is_pawns):
        """Whether what is written stands there; of pawns, each of them and no other."""
        if not all(self.set(pieces) for pieces in squares):
            return False
        # what stands on the squares is a pawn each
        return not is_pawns or self.count({"P", "p"}) == len(squares)

    def is_line(self, line, directions, sets):
        """Whether squares of the sets follow on a line in this order, with only empty squares between. Each set takes the first
        of its squares on the way."""
        for files, ranks in directions:
            file, rank = line[-1] % 8, line[-1] // 8
            left = list(sets)
            while left:
                file, rank = file + files, rank + ranks
                if file not in FILES or rank not in FILES:
                    break
                square = 8 * rank + file
                if square in self.set(left[0]):
                    left.pop(0)
                elif self.at[square] != "_":
                    break
            if not left:
                return True
        return False


def is_within(number, least, most):
    return number >= least and (most is None or number <= most)


def moments_of(board, moves):
    """The moments of a game, from its start on."""
    board = board.copy(stack=False)
    moves = list(moves)
    played = None
    moments = []
    for number, move in enumerate([None] + moves):
        if move is not None:
            before = board.copy(stack=False)
            board.push(move)
            played = Played(before, move, played)
        moments.append(Moment(board.copy(stack=False), number, played, number == len(moves)))
    return moments


# Time.

def matches(tree, moments):
    """For each half-move at which matches end, those at which they begin."""
    kind, *values = tree
    everywhere = range(len(moments))
    if kind == "for":
        condition, times = values
        holds = [moment.holds(condition) for moment in moments]
        return {last: {last - times + 1} for last in everywhere
                if last + 1 >= times and all(holds[last - times + 1:last + 1])}
    if kind == "trip":
        ends = {}
        for first in everywhere:
            last = end_of_trip(*values, moments, first)
            if last is not None:
                ends.setdefault(last, set()).add(first)
        return ends
    if kind == "then":
        return sequence(*values, moments)
    if kind == "or" and any(is_in_time(value) for value in values):
        found = {}
        for value in values:
            for last, firsts in matches(value, moments).items():
                found.setdefault(last, set()).update(firsts)
        return found
    return {number: {number} for number in everywhere if moments[number].holds(tree)}


def is_in_time(tree):
    return tree[0] in ("for", "trip", "then") or tree[0] == "or" and any(map(is_in_time, tree[1:]))


def sequence(before, least, most, guard, after, moments):
    """Matches of `before`, then of `after` that begin `least` to `most` half-moves later; `guard` holds strictly between."""
    befores, found = matches(before, moments), {}
    reached = {}
    for last, begins in matches(after, moments).items():
        for begin in begins:
            if begin not in reached:
                reached[begin] = set().union(*(
                    firsts for end, firsts in befores.items()
                    if begin > end and is_within(begin - end, least, most)
                    and (guard is None or all(moments[number].holds(guard) for number in range(end + 1, begin)))))
            if reached[begin]:
                found.setdefault(last, set()).update(reached[begin])
    return found


def end_of_trip(first, moves, moments, begin):
    """The half-move of the last of a piece's moves, of which the first leads to a moment; None if there is no trip."""
    (takes, to), *rest = moves
    anything = ("pieces", WHITE | BLACK, ())
    played = moments[begin].played
    if played is None or not played.is_step(first, takes, to):
        return None
    square = played.to_square
    for moment in moments[begin + 1:]:
        if not rest:
            break
        played = moment.played
        if played.from_square == square:
            # The next move of this piece.
            (takes, to), *rest = rest
            if not played.is_step(anything, takes, to):
                return None
            begin, square = moment.half_move, played.to_square
        elif played.taken_at == square:
            return None
        elif played.rook_from == square:
            # The jump of the rook is no move of it.
            square = played.rook_to
    return None if rest else begin
