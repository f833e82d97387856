"""Reads a pattern as docs/patterns.md defines the language.

In: the text of a pattern. Out: a tree of tuples, whose first element names the node. Transforms are written out: each is
the `or` of its images, and the union of them if it is a set.

Sets of squares:
    ("pieces", contents, parts)         what stands there, a set of letters; a square must be in one item of each part
    ("|", set, ...) ("&", set, ...) ("~", set)
    ("attacks", set, set) ("attackedby", set, set) ("between", set, set)
    ("moved",) ("vacated",)
    (FUNCTION, set) (DISTANCE, set, least, most)
Numbers:
    ("number", n) ("size", set) ("+", number, ...) ("points", set) ("islands", set) ("halfmove",) ("move",)
Conditions of one moment:
    ("some", set) ("and", condition, ...) ("or", condition, ...) ("not", condition)
    ("compare", sign, number, number) ("compare", sign, number, ("range", least, most))
    ("step", pieces, takes, pieces, promoted)
    ("castles", "O-O") ("rights", letters) ("material", groups, groups) ("imbalance", differences)
    ("board", (pieces, ...), is_pawns) ("line", direction, set, ...) (STATE,)
Patterns in time:
    ("for", condition, n) ("trip", pieces, ((takes, pieces), ...)) ("or", pattern, ...)
    ("then", pattern, least, most, condition while or None, pattern)

`most` is None where there is no upper limit.
"""
import itertools
import re

LETTERS = frozenset("PNBRQKpnbrqk_")
LETTERS_OF = {"A": frozenset("PNBRQK"), "a": frozenset("pnbrqk"), ".": LETTERS} | {letter: frozenset(letter) for letter in LETTERS}
STATES = """wtm btm check mate stalemate capture recapture castling promotion enpassant start end any oppositebishops
    samebishops""".split()
FUNCTIONS = "passed isolated doubled backward connected outpost pinned span beside".split()
DISTANCES = "ahead behind near".split()
LINES = "line file rank diagonal".split()
TRANSFORMS = "flip mirror rotate shift".split()
NUMBERS = "halfmove move".split()
JOINING = "and or not then within while directly for attacks attackedby".split()
WORDS = (STATES + FUNCTIONS + DISTANCES + LINES + TRANSFORMS + NUMBERS + JOINING
         + "points islands moved vacated between imbalance castle board pawns".split())
ALL_SQUARES = frozenset(range(64))
NAMED = {
    "light": frozenset(square for square in range(64) if (square // 8 + square % 8) % 2 == 1),
    "dark": frozenset(square for square in range(64) if (square // 8 + square % 8) % 2 == 0),
    "edge": frozenset(square for square in range(64) if square // 8 in (0, 7) or square % 8 in (0, 7)),
    "corner": frozenset({0, 7, 56, 63}),
    "centre": frozenset({27, 28, 35, 36}),
    # Which files are open is a matter of the moment.
    "open": ALL_SQUARES,
    "halfopen": ALL_SQUARES,
}
TIMED = ("for", "trip", "then")


class NotAPattern(Exception):
    """The text is not in the language."""


def read(text):
    """The tree of a pattern; NotAPattern if it is none."""
    reader = Reader(text)
    tree = reader.as_pattern(reader.sequence())
    if reader.peek() is not None:
        raise NotAPattern(f"it goes on after its end: {reader.rest()}")
    return tree


def is_timed(tree):
    return tree[0] in TIMED or tree[0] == "or" and any(is_timed(part) for part in tree[1:])


def squares_of_item(item):
    kind, value = item
    if kind == "files":
        return {square for square in range(64) if square % 8 in value}
    if kind == "ranks":
        return {square for square in range(64) if square // 8 in value}
    return NAMED[value] if kind == "named" else value


def squares_of_parts(parts):
    """The squares that designators name, as far as the moment does not decide."""
    squares = set(ALL_SQUARES)
    for part in parts:
        squares &= set().union(*(squares_of_item(item) for item in part))
    return squares


class Reader:
    """One method for each level of precedence, from the weakest to the strongest."""

    def __init__(self, text):
        self.text, self.at = text, 0

    # Characters and words.

    def rest(self):
        return self.text[self.at:]

    def take(self, regex, blanks=r"\s*"):
        """The text that a regular expression matches here, after blanks."""
        found = re.compile(blanks + "(" + regex + ")").match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group(1)

    def need(self, regex, blanks=r"\s*"):
        found = self.take(regex, blanks)
        if found is None:
            raise NotAPattern(f"{regex} expected: {self.rest()}")
        return found

    def take_here(self, regex):
        """The same within pieces, moves, material and boards, which contain no blanks."""
        return self.take(regex, "")

    def need_here(self, regex):
        return self.need(regex, "")

    def peek(self):
        """What comes next: a word in lower case, a sign, or "" for anything else; None at the end."""
        at = self.at
        found = self.take(r"[A-Za-z]+(?![-_\[0-9A-Za-z])|<=|>=|<>|!=|[<>=+&|~(),]|\S|$")
        self.at = at
        if found == "":
            return None
        if found.lower() in WORDS or found in "<=>=<>!=+&|~(),":
            return found.lower()
        return ""

    def take_word(self, *words):
        word = self.peek()
        if word not in words:
            return None
        self.need(re.escape(word) if not word.isalpha() else "(?i:" + word + ")")
        return word

    def need_sign(self, sign):
        if not self.take_word(sign):
            raise NotAPattern(f'"{sign}" expected: {self.rest()}')

    # Types: a set is a number where a number is expected, and a condition where a condition is.

    SETS = ["pieces", "|", "&", "~", "attacks", "attackedby", "between", "moved", "vacated"] + FUNCTIONS + DISTANCES
    NUMBER_NODES = ["number", "size", "+", "points", "islands"] + NUMBERS

    def as_set(self, tree):
        if tree[0] not in self.SETS:
            raise NotAPattern("pieces or squares expected")
        return tree

    def as_number(self, tree):
        if tree[0] in self.SETS:
            return ("size", tree)
        if tree[0] not in self.NUMBER_NODES:
            raise NotAPattern("a number expected")
        return tree

    def as_pattern(self, tree):
        if tree[0] in self.SETS:
            return ("some", tree)
        if tree[0] in self.NUMBER_NODES or tree[0] == "range":
            raise NotAPattern("a condition expected")
        return tree

    def as_condition(self, tree):
        if is_timed(tree):
            raise NotAPattern("a condition of one moment expected")
        return self.as_pattern(tree)

    # Levels.

    def sequence(self):
        tree = self.either()
        while word := self.take_word("then", "directly"):
            least, most = (1, 1) if word == "directly" else self.delay()
            guard = self.as_condition(self.negation()) if self.take_word("while") else None
            tree = ("then", self.as_pattern(tree), least, most, guard, self.as_pattern(self.either()))
        return tree

    def delay(self):
        if self.take_word("within"):
            return 1, int(self.need(r"\d+"))
        range_ = self.range()
        return range_ if range_ else (1, None)

    def range(self):
        """`3`, `2..4`, `2..` or `..4`."""
        found = self.take(r"\d+\.\.\d*|\.\.\d+|\d+")
        if found is None:
            return None
        if ".." not in found:
            return int(found), int(found)
        least, most = found.split("..")
        return int(least or 0), int(most) if most else None

    def either(self):
        tree = self.lasting()
        if self.peek() != "or":
            return tree
        parts = [self.as_pattern(tree)]
        while self.take_word("or"):
            parts.append(self.as_pattern(self.lasting()))
        return ("or", *parts)

    def lasting(self):
        tree = self.both()
        if self.take_word("for"):
            return ("for", self.as_condition(tree), int(self.need(r"\d+")))
        return tree

    def both(self):
        tree = self.negation()
        parts = [tree]
        while self.take_word("and") or self.begins():
            parts.append(self.negation())
        return tree if len(parts) == 1 else ("and", *map(self.as_condition, parts))

    def begins(self):
        """Whether something begins here, so that it is joined by "and"."""
        word = self.peek()
        if word is None:
            return False
        return word in ("", "(", "~", "not") or word in WORDS and word not in JOINING

    def negation(self):
        if self.take_word("not"):
            return ("not", self.as_condition(self.negation()))
        return self.comparison()

    def comparison(self):
        left = self.sum()
        sign = self.take_word("=", "<>", "!=", "<", "<=", ">", ">=")
        if sign is None:
            return left
        right = self.sum()
        if right[0] != "range":
            right = self.as_number(right)
        return ("compare", "<>" if sign == "!=" else sign, self.as_number(left), right)

    def sum(self):
        tree = self.relation()
        parts = [tree]
        while self.take_word("+"):
            parts.append(self.relation())
        return tree if len(parts) == 1 else ("+", *map(self.as_number, parts))

    def relation(self):
        left = self.joined("|", lambda: self.joined("&", self.inverse))
        word = self.take_word("attacks", "attackedby")
        if word is None:
            return left
        return (word, self.as_set(left), self.as_set(self.set()))

    def set(self):
        return self.as_set(self.joined("|", lambda: self.joined("&", self.inverse)))

    def joined(self, sign, read_part):
        tree = read_part()
        parts = [tree]
        while self.take_word(sign):
            parts.append(read_part())
        return tree if len(parts) == 1 else (sign, *map(self.as_set, parts))

    def inverse(self):
        if self.take_word("~"):
            return ("~", self.as_set(self.inverse()))
        return self.primary()

    def primary(self):
        word = self.peek()
        if self.take_word("("):
            tree = self.sequence()
            self.need_sign(")")
            return tree
        if word:
            if not word.isalpha():
                raise NotAPattern(f"a condition expected: {self.rest()}")
            self.take_word(word)
            return self.word(word)
        if range_ := self.range():
            least, most = range_
            return ("number", least) if least == most else ("range", least, most)
        if castling := self.take(r"(O-O-O|O-O|o-o-o|o-o)(?![\w-])"):
            return ("castles", castling)
        if re.match(r"\s*K[QRBNP\[\]*+?.\d]*v", self.rest()):
            return self.material()
        return self.move_or_pieces()

    def word(self, word):
        if word in STATES or word in NUMBERS or word in ("moved", "vacated"):
            return (word,)
        if word == "imbalance":
            return self.imbalance()
        if word == "castle":
            return ("rights", frozenset(self.need(r"\(\s*[KQkq]+\s*\)").strip("( )")))
        if word in ("board", "pawns"):
            return self.board(word == "pawns")
        self.need_sign("(")
        if word in TRANSFORMS:
            tree = self.sequence()
            tree = written_out(word, tree if tree[0] in self.SETS else self.as_pattern(tree))
        elif word in DISTANCES:
            tree = (word, self.set(), *((1, 1) if not self.take_word(",") else self.range()))
        elif word in LINES:
            tree = ("line", word, *self.arguments())
        else:
            tree = (word, *self.arguments())
        self.need_sign(")")
        return tree

    def arguments(self):
        sets = [self.set()]
        while self.take_word(","):
            sets.append(self.set())
        return sets

    # Pieces on squares, and moves.

    def move_or_pieces(self):
        self.take("")
        first = self.pieces()
        moves = []
        while self.rest()[:1] in ("-", "x"):
            takes = self.need_here("[-x]") == "x"
            moves.append((takes, self.pieces()))
        if not moves:
            return first
        promoted = None
        if re.match(r"=[A-Za-z\[]", self.rest()):
            self.need_here("=")
            promoted = self.contents()
        if len(moves) > 1:
            return ("trip", first, tuple(moves))
        return ("step", first, *moves[0], promoted)

    def pieces(self):
        if re.match(r"[a-h][1-8](?![A-Za-wyz0-9_])", self.rest()):
            return ("pieces", LETTERS, (self.items(self.need_here("..")),))
        contents = self.contents()
        parts = []
        while re.match(r"[a-h1-8\[]", self.rest()):
            part = self.need_here(r"[a-h1-8]|\[[^\]]*\]")
            parts.append(self.items(part.strip("[]")))
        if not squares_of_parts(parts):
            raise NotAPattern(f"no square: {self.text}")
        return ("pieces", contents, tuple(parts))

    def contents(self):
        found = re.match(r"[KQRBNPAkqrbnpa_.]|\[\^?[KQRBNPAkqrbnpa_]+\]", self.rest())
        if found is None:
            raise NotAPattern(f"pieces expected: {self.rest()}")
        self.at += found.end()
        letters = found.group().strip("[]")
        contents = frozenset().union(*(LETTERS_OF[letter] for letter in letters.lstrip("^")))
        return LETTERS - contents if letters.startswith("^") else contents

    def items(self, text):
        return tuple(self.item(item.strip()) for item in text.split(","))

    def item(self, text):
        if text.lower() in NAMED:
            return ("named", text.lower())
        least, _, most = text.partition("-")
        files = ["abcdefgh".index(corner[0]) for corner in (least, most or least) if corner[0] in "abcdefgh"]
        ranks = ["12345678".index(corner[-1]) for corner in (least, most or least) if corner[-1] in "12345678"]
        files = frozenset(range(files[0], files[1] + 1)) if files else None
        ranks = frozenset(range(ranks[0], ranks[1] + 1)) if ranks else None
        if ranks is None:
            return ("files", files)
        if files is None:
            return ("ranks", ranks)
        return ("squares", frozenset(8 * rank + file for file in files for rank in ranks))

    # Material and boards.

    def material(self):
        self.take("")
        white = self.side()
        self.need_here("v")
        return ("material", white, self.side())

    def side(self):
        """Groups of kinds, each with its least and most number. Equal groups add up."""
        self.need_here("K")
        groups = {}
        while kinds := self.take_here(r"[QRBNP]|\[[QRBNP]+\]"):
            many = self.take_here(r"\d+\.\.\d*|\d+|[*+?]") or "1"
            signs = {"*": (0, None), "+": (1, None), "?": (0, 1)}
            if many in signs:
                least, most = signs[many]
            else:
                least, dots, most = many.partition("..")
                least, most = int(least), (int(most) if most else None) if dots else int(least)
            before = groups.get(frozenset(kinds.strip("[]")), (0, 0))
            most = None if most is None or before[1] is None else before[1] + most
            groups[frozenset(kinds.strip("[]"))] = (before[0] + least, most)
        return tuple(groups.items())

    def imbalance(self):
        """Groups of kinds, and how many more of them White has; None for no matter."""
        self.take("")
        groups = {}
        for sign in (1, -1):
            while kinds := self.take_here(r"(?:[QRBNP]|\[[QRBNP]+\])(?:\*|[0-9]+)?"):
                number = int(re.sub("[^0-9]", "", kinds) or 1)
                if not 1 <= number <= 15:
                    raise NotAPattern(f"1 to 15 pieces expected: {kinds}")
                group = frozenset(re.sub("[^QRBNP]", "", kinds))
                before = groups.get(group, 0)
                groups[group] = None if kinds.endswith("*") or before is None else before + sign * number
            if sign == 1:
                self.need_here("v")
        return ("imbalance", tuple(groups.items()))

    def board(self, is_pawns):
        self.need(r"\(\s*")
        squares = []
        for rank in range(7, -1, -1):
            file = 0
            while file < 8:
                if digit := self.take_here("[1-8]"):
                    file += int(digit)
                elif self.take_here(r"\?"):
                    file += 1
                else:
                    item = ("squares", frozenset({8 * rank + file}))
                    squares.append(("pieces", self.contents(), ((item,),)))
                    file += 1
            self.need_here(r"\s*\)" if rank == 0 else "/")
        return ("board", tuple(squares), is_pawns)


# Transforms.

def written_out(transform, tree):
    """All images of a tree: joined by "or", or by "|" if the tree is a set."""
    images = []
    for change in CHANGES[transform]:
        found = image(tree, change)
        if found is not None and found not in images:
            images.append(found)
    return ("|" if tree[0] in Reader.SETS else "or", *images)


class Change:
    """What one image does to the squares, the names of squares and the colours of a tree."""
    exchanges_colours = False

    def item(self, item):
        """The image of an item of a designator; None if nothing of it is left on the board."""
        raise NotImplementedError


class Symmetry(Change):
    """Exchanges colours, files, ranks, or files for ranks."""

    def __init__(self, colours, files, ranks, diagonal):
        self.exchanges_colours, self.files, self.ranks, self.diagonal = colours, files, ranks, diagonal

    def square(self, square):
        rank, file = divmod(square, 8)
        file, rank = (7 - file if self.files else file), (7 - rank if self.ranks else rank)
        return 8 * file + rank if self.diagonal else 8 * rank + file

    def item(self, item):
        kind, value = item
        if kind == "named":
            # Files stay open or half-open; of the others the squares decide.
            images = {name for name in NAMED if set(NAMED[name]) == {self.square(square) for square in NAMED[value]}}
            return ("named", value if value in ("open", "halfopen") else images.pop())
        if kind == "squares":
            return ("squares", frozenset(self.square(square) for square in value))
        is_turned = self.files if kind == "files" else self.ranks
        kind = {"files": "ranks", "ranks": "files"}[kind] if self.diagonal else kind
        return (kind, frozenset(7 - line for line in value) if is_turned else value)


class Shift(Change):
    """Moves squares by files and ranks."""

    def __init__(self, files, ranks):
        self.by_files, self.by_ranks = files, ranks

    def item(self, item):
        kind, value = item
        if kind == "named":
            other = {"light": "dark", "dark": "light"}
            return ("named", other.get(value, value) if (self.by_files + self.by_ranks) % 2 else value)
        if kind == "squares":
            moved = {(square % 8 + self.by_files, square // 8 + self.by_ranks) for square in value}
            left = frozenset(8 * rank + file for file, rank in moved if file in range(8) and rank in range(8))
        else:
            by = self.by_files if kind == "files" else self.by_ranks
            left = frozenset(line + by for line in value if line + by in range(8))
        return (kind, left) if left else None


CHANGES = {
    "flip": [Symmetry(False, False, False, False), Symmetry(True, False, True, False)],
    "mirror": [Symmetry(False, False, False, False), Symmetry(False, True, False, False)],
    "rotate": [Symmetry(False, *how) for how in itertools.product((False, True), repeat=3)],
    "shift": [Shift(files, ranks) for files in range(-7, 8) for ranks in range(-7, 8)],
}


def image(tree, change):
    """The image of a tree without transforms; None if a part of it leaves the board."""
    kind, *values = tree
    if kind == "pieces":
        return image_of_pieces(*values, change)
    if kind in ("or", "|"):
        # Those that stay are looked for.
        parts = [found for part in values if (found := image(part, change)) is not None]
        return (kind, *parts) if parts else None
    if change.exchanges_colours:
        if kind in ("wtm", "btm"):
            return ({"wtm": "btm", "btm": "wtm"}[kind],)
        if kind == "castles":
            return (kind, values[0].swapcase())
        if kind == "rights":
            return (kind, other_side(values[0]))
        if kind == "material":
            return (kind, values[1], values[0])
        if kind == "imbalance":
            return (kind, tuple((group, None if more is None else -more) for group, more in values[0]))
    if kind == "step":
        first, takes, second, promoted = values
        if promoted is not None and change.exchanges_colours:
            promoted = other_side(promoted)
        return whole((kind, image(first, change), takes, image(second, change), promoted))
    if kind == "trip":
        moves = tuple((takes, image(to, change)) for takes, to in values[1])
        return whole((kind, image(values[0], change), moves)) if all(to is not None for _, to in moves) else None
    if kind == "board":
        squares = tuple(image(pieces, change) for pieces in values[0])
        return (kind, squares, values[1]) if all(pieces is not None for pieces in squares) else None
    if kind in ("castles", "rights", "material", "imbalance"):
        return tree
    # The rest is made of trees, numbers, words, and None where there is no "while" or no limit.
    changed = [image(value, change) if isinstance(value, tuple) and value[0] != "range" else value for value in values]
    is_left = all(new is not None for old, new in zip(values, changed) if isinstance(old, tuple))
    return (kind, *changed) if is_left else None


def whole(tree):
    """A step or a trip, if its pieces are still on the board."""
    return None if tree[1] is None or tree[0] == "step" and tree[3] is None else tree


def image_of_pieces(contents, parts, change):
    if change.exchanges_colours:
        contents = other_side(contents)
    changed = tuple(tuple(change.item(item) for item in part) for part in parts)
    if any(item is None for part in changed for item in part):
        return None
    if isinstance(change, Shift) and parts:
        squares = squares_of_parts(changed)
        is_pawn_off = contents <= {"P", "p"} and all(square // 8 in (0, 7) for square in squares)
        if not squares or is_pawn_off:
            return None
    return ("pieces", contents, changed)


def other_side(letters):
    return frozenset(letter.swapcase() for letter in letters)
