"""Derives from a pattern the runs of word characters that every match contains, for the term dictionary.

A pattern is read once, left to right, into `texts`: a few strings that represent everything it can match.
Three marks in them stand for anything except a known word character:

    SPACE   one or more characters at which every word ends, or the edge of a line
    STRANGE a character outside ASCII, or anything that SPACE stands for: RE2's `\\b` and `\\W` allow both
    HOLE    anything, or nothing

A large class of word characters becomes a mark, too (`repo_mcp.exact.required_terms`).

`\\bfoo_(get|put)\\(` becomes the texts `~foo_get ` and `~foo_put `. From these follow the runs `foo_get` or
`foo_put`, each with STRANGE in front and SPACE behind. If there were more than MAX_TEXTS texts, those read so
far become a need of their own, and a HOLE takes their place. Then it is no longer known how they join, but
no match is lost. codesearch reads patterns in this way for its trigrams (Russ Cox, "Regular Expression
Matching with a Trigram Index"); here it is done for words.

The pattern is read a second time for the punctuation beside its words (`repo_mcp.exact.neighbour_bloom`).
Then `\\b` is left out, and texts can also contain:

    U+E0xx  a punctuation character or the edge of a line, moved there so that it is not a mark
    BLANK   one or more blanks, where nothing else that ends a word is possible
    REST    word characters, or none

RE2 has checked the pattern before, so it is valid here. Anything that is not understood becomes a HOLE.
Terms are in lower case, and so are runs. Two characters outside ASCII have an ASCII letter as another case.
The lower case of the Kelvin sign is `k`, also in terms. The long s has no other lower case, so a run with an
`s` in any case may occur in a term with a long s, and is marked accordingly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import product

from repo_mcp.exact.neighbour_bloom import BLANKS, INDENT, LINE_EDGE
from repo_mcp.exact.punctuation_bigrams import PUNCTUATION, list_bigrams
from repo_mcp.exact.required_terms import (
    CLASS_MARKS,
    MAX_ATOMS,
    MIN_ATOMS,
    MORE,
    All,
    Edge,
    Either,
    Need,
    PatternReading,
    Run,
    cut_shape,
    find_literal_part,
    find_mark,
    has_classes,
)
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import dataclass

SPACE, STRANGE, HOLE, LONG_S = " ", "~", "*", "\u017f"
BLANK, REST = "\t", "\x06"
_CHARACTER_BASE = 0xE000  # of private characters, which are never in a run
_EDGE = chr(_CHARACTER_BASE + ord(LINE_EDGE))
MAX_TEXTS = 16
MAX_TEXT_CHARS = 512
MAX_RUNS = 24  # of one text; of more, the longest are looked up
MIN_OPEN_CHARS = 3  # of a run that may be part of a longer word: shorter runs are in most files
MAX_SET_CHARS = 4  # of a character class that is read as alternatives; a larger one becomes a mark
_SIGMA = "\u03a3"  # its lower case depends on what follows
_ESCAPED_CHARS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_ASCII_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_ASCII = frozenset(map(chr, range(128)))
_DIGITS = frozenset("0123456789")
_SPACES = frozenset("\t\n\f\r ")
_POSIX = {
    "alnum": _ASCII_WORD - {"_"},
    "alpha": _ASCII_WORD - {"_"} - _DIGITS,
    "ascii": _ASCII,
    "blank": frozenset("\t "),
    "cntrl": frozenset(char for char in _ASCII if char < " " or char == "\x7f"),
    "digit": _DIGITS,
    "graph": frozenset(char for char in _ASCII if "!" <= char <= "~"),
    "lower": frozenset("abcdefghijklmnopqrstuvwxyz"),
    "print": frozenset(char for char in _ASCII if " " <= char <= "~"),
    "punct": frozenset(char for char in _ASCII if "!" <= char <= "~") - _ASCII_WORD | {"_"},
    "space": _SPACES | {"\v"},
    "upper": frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "word": _ASCII_WORD,
    "xdigit": frozenset("0123456789abcdefABCDEF"),
}
_PERL = {"d": _DIGITS, "s": _SPACES, "w": _ASCII_WORD}
_REPEAT = re.compile(r"\{(\d+)(,?)(\d*)\}")
_GROUP = re.compile(r"\?(?:P?<\w+>|([imsU]*)(?:-([imsU]*))?([:)]))")
_OCTAL = re.compile(r"[0-7]{1,3}")
_HEX = re.compile(r"x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))")
_UNICODE_CLASS = re.compile(r"[pP](?:\{[^}]*\}|.)", re.DOTALL)
_SIGN_MARKS = "\ue000-\ue07f"
_RUN = re.compile(rf"[^{SPACE}{STRANGE}\{HOLE}{BLANK}{_SIGN_MARKS}]+")
_CHARACTER_BEFORE = re.compile(rf"([{_SIGN_MARKS}])({BLANK}*)$")
_CHARACTER_BEHIND = re.compile(rf"{BLANK}*([{_SIGN_MARKS}])")
_CLASSED_PARTS = re.compile(rf"[{CLASS_MARKS}{MORE}{REST}]+")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a pattern: what it matches is one of `texts`, and the searched text meets all `needs`."""

    texts: tuple[str, ...]
    needs: tuple[Need, ...] = ()


_CLASS_TEXTS = tuple((mark,) for mark in CLASS_MARKS)
_EMPTY = _Piece(("",))
_ANYTHING = _Piece((HOLE,))


def read_pattern(request: ExactRequest) -> PatternReading:
    """Return the needs of a request's pattern: a literal, or an expression that RE2 accepts."""
    read = read_expression if request.regex else read_literal
    pattern = request.pattern if request.regex else unify_line_ends(request.pattern)
    return read(pattern, case_sensitive=request.case_sensitive, whole_word=request.whole_word)


def unify_line_ends(text: str) -> str:
    """Return a literal with the line ends of normalised text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_literal(text: str, *, case_sensitive: bool, whole_word: bool) -> PatternReading:
    """Return the needs of a literal."""
    tokens, neighboured = (
        "".join(tokenise(char, not case_sensitive) for char in text)
        for tokenise in (_tokenise, _keep_punctuation)
    )
    return PatternReading(
        _conclude(_Piece((tokens,)), whole_word),
        "\n" in text,
        bigrams=list_bigrams([text]),
        neighbours=None if "\n" in text else _keep_neighboured(_conclude(_Piece((neighboured,)), whole_word)),
    )


def read_expression(pattern: str, *, case_sensitive: bool, whole_word: bool) -> PatternReading:
    """Return the needs of a regular expression that RE2 accepts."""
    reader = _Reader(pattern, not case_sensitive)
    piece = reader.read()
    literals = reader.list_literals()
    neighbours = None
    if not reader.spans_lines:
        neighbours = _keep_neighboured(
            _conclude(_Reader(pattern, not case_sensitive, _keep_punctuation).read(), whole_word)
        )
    return PatternReading(
        _conclude(piece, whole_word),
        reader.spans_lines,
        max(literals, key=len, default=""),
        list_bigrams(literals),
        reader.needs_edges,
        neighbours,
        reader.open_quote,
    )


def _conclude(piece: _Piece, whole_word: bool) -> Need | None:
    """Return everything that a file must meet to match a piece; None if it need not meet anything."""
    texts = tuple(f"{STRANGE}{text}{STRANGE}" for text in piece.texts) if whole_word else piece.texts
    return _join_all([*piece.needs, _need_texts(texts)])


def _tokenise(char: str, ignores_case: bool) -> str:
    """Return the representation of a character in a text."""
    if char.isascii():
        if char not in _ASCII_WORD:
            return SPACE
        return LONG_S if ignores_case and char in "sS" else char.lower()
    # Letters of Unicode 3.2 are letters for any Python that built the index; case follows simple rules only.
    category = unicodedata.ucd_3_2_0.category(char)
    if category in ("Lo", "Lm") or (category in ("Lu", "Ll") and not ignores_case and char != _SIGMA):
        lowered = char.lower()
        if len(lowered) == 1 and lowered != LONG_S and not lowered.isascii():
            return lowered
    return HOLE


def _keep_punctuation(char: str, ignores_case: bool) -> str:
    """Return the representation of a character in a text that keeps punctuation."""
    if char in BLANKS or char in "\r\n":  # no match within a line contains a line end
        return BLANK
    return chr(_CHARACTER_BASE + ord(char)) if char in PUNCTUATION else _tokenise(char, ignores_case)


def _keep_neighboured(need: Need | None) -> Need | None:
    """Return the part of a need that is about runs with punctuation beside them; None if there is none."""
    if need is None or isinstance(need, Run):
        return need if need is not None and (need.before or need.behind) else None
    kept = [_keep_neighboured(part) for part in need.parts]
    if isinstance(need, All):
        return _join_all(kept)
    neighboured = tuple(dict.fromkeys(part for part in kept if part is not None))
    if None in kept:
        return None
    return neighboured[0] if len(neighboured) == 1 else Either(neighboured)


def _need_texts(texts: Sequence[str]) -> Need | None:
    """Return the need for one of the texts; None when one of them requires nothing."""
    needs: list[Need] = []
    for text in dict.fromkeys(texts):
        runs = sorted(dict.fromkeys(_iter_runs(text)), key=lambda run: -len(run.text))[:MAX_RUNS]
        if not runs:
            return None
        needs.append(runs[0] if len(runs) == 1 else All(tuple(runs)))
    return needs[0] if len(needs) == 1 else Either(tuple(needs))


def _iter_runs(text: str) -> Iterator[Run]:
    """Yield the runs of a text that are worth looking up."""
    for found in _RUN.finditer(text):
        run = found[0]
        left = _edge(text[found.start() - 1 : found.start()], run[0])
        right = _edge(text[found.end() : found.end() + 1], run[-1])
        before, behind = (
            _CHARACTER_BEFORE.search(text, 0, found.start()),
            _CHARACTER_BEHIND.match(text, found.end()),
        )
        if before or behind:
            characters = [chr(ord(one[1]) - _CHARACTER_BASE) if one else "" for one in (before, behind)]
            if before and before[2] and characters[0] == LINE_EDGE:
                characters[0] = INDENT
            yield from _iter_neighboured(run, left, right, *characters)
        elif REST in run:
            continue  # the text keeps punctuation, but there is none beside this run
        elif has_classes(run):
            yield from _iter_shaped(run, left, right)
        elif len(run) >= MIN_OPEN_CHARS or Edge.OPEN not in (left, right):
            yield Run(run.replace(LONG_S, "s"), left, right, LONG_S in run)


def _iter_neighboured(run: str, left: Edge, right: Edge, before: str, behind: str) -> Iterator[Run]:
    """Yield the longest part of a run without classes, if it is worth looking up, with its punctuation."""
    part = max(_CLASSED_PARTS.split(run), key=len)
    if part != run:
        left, right = (left, Edge.OPEN) if run.startswith(part) else (Edge.OPEN, Edge.OPEN)
    if len(part) >= MIN_OPEN_CHARS or (part and Edge.OPEN not in (left, right)):
        yield Run(part.replace(LONG_S, "s"), left, right, LONG_S in part, "", before, behind)


def _iter_shaped(run: str, left: Edge, right: Edge) -> Iterator[Run]:
    """Yield a run with classes, if it is worth looking up."""
    shape = cut_shape(run)
    part = find_literal_part(shape)
    if len(part) >= MIN_OPEN_CHARS or len(shape.replace(MORE, "")) >= MIN_ATOMS:
        edge = right if shape == run else Edge.OPEN
        yield Run(part.replace(LONG_S, "s"), left, edge, LONG_S in shape, shape.replace(LONG_S, "s"))


def _edge(mark: str, neighbour: str) -> Edge:
    """Return the edge of a run at a mark; "" is the end of the text.

    Beside a letter outside ASCII, `\\b` means the opposite, so nothing is known there.
    """
    if mark in (SPACE, BLANK) or mark >= chr(_CHARACTER_BASE):
        return Edge.CLOSED
    return Edge.STRANGE if mark == STRANGE and (neighbour.isascii() or neighbour == LONG_S) else Edge.OPEN


def _join_all(needs: Iterable[Need | None]) -> Need | None:
    kept = tuple(dict.fromkeys(need for need in needs if need is not None))
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else All(kept)


def _concatenate(pieces: Iterable[_Piece]) -> _Piece:
    """Return the piece that matches the pieces one after the other."""
    texts: tuple[str, ...] = ("",)
    needs: list[Need | None] = []
    for piece in pieces:
        needs += piece.needs
        longest = max(map(len, texts)) + max(map(len, piece.texts))
        if len(texts) * len(piece.texts) > MAX_TEXTS or longest > MAX_TEXT_CHARS:
            needs.append(_need_texts(texts))
            texts = (HOLE,)
        texts = tuple(dict.fromkeys(_tidy(one + other) for one, other in product(texts, piece.texts)))
    return _Piece(texts, tuple(need for need in needs if need is not None))


def _tidy(text: str) -> str:
    return text.replace(HOLE + HOLE, HOLE)


def _alternate(pieces: Sequence[_Piece]) -> _Piece:
    """Return the piece that matches any one of the pieces."""
    if len(pieces) == 1:
        return pieces[0]
    texts = tuple(dict.fromkeys(text for piece in pieces for text in piece.texts))
    if len(texts) <= MAX_TEXTS and not any(piece.needs for piece in pieces):
        return _Piece(texts)
    needs = [_join_all([*piece.needs, _need_texts(piece.texts)]) for piece in pieces]
    if None in needs:
        return _ANYTHING
    return _Piece((HOLE,), (Either(tuple(need for need in needs if need is not None)),))


def _repeat(piece: _Piece, least: int, most: int | None) -> _Piece:
    """Return a piece for `least` to `most` repetitions of a piece; a `most` of None means no limit."""
    if most == 0:
        return _EMPTY
    only_space = all(text and not text.strip(SPACE + BLANK) for text in piece.texts)
    space = SPACE if any(SPACE in text for text in piece.texts) else BLANK
    if least == 0:
        if only_space and not piece.needs:
            return _Piece(("", space))
        if most == 1 and not piece.needs and len(piece.texts) < MAX_TEXTS:
            return _Piece(tuple(dict.fromkeys(("", *piece.texts))))
        return _ANYTHING
    if only_space or (least == most == 1):
        return _Piece((space,), piece.needs) if only_space else piece
    mark = piece.texts[0]
    if len(piece.texts) == len(mark) == 1 and mark in CLASS_MARKS and not piece.needs:
        return _Piece((mark * min(least, MAX_ATOMS) + (MORE if least != most or least > MAX_ATOMS else ""),))
    if least == most and least * max(map(len, piece.texts)) <= MAX_TEXTS:
        return _concatenate([piece] * least)
    ends = _concatenate([piece, _ANYTHING, piece])
    return _alternate([piece, ends]) if least == 1 else ends


@dataclass(slots=True)
class _Level:
    """A group whose reading has begun."""

    ignores_case: bool
    pieces: list[_Piece] = field(default_factory=list)  # of the current alternative
    alternatives: list[_Piece] = field(default_factory=list)


class _Reader:
    """Reads one expression, with a stack of its own: groups may be a thousand deep."""

    def __init__(
        self, pattern: str, ignores_case: bool, tokenise: Callable[[str, bool], str] = _tokenise
    ) -> None:
        self._pattern = pattern
        self._tokenise = tokenise
        self._keeps_punctuation = tokenise is _keep_punctuation
        edge = _EDGE if self._keeps_punctuation else SPACE
        self._at = 0
        self._levels = [_Level(ignores_case)]
        self.spans_lines = "\n" in pattern
        self._literals = [""]  # runs of adjacent characters outside groups; the last one may still grow
        self._has_choice = False  # whether there are alternatives outside groups
        self.open_quote = False  # as in PatternReading
        self.needs_edges = False  # as in PatternReading
        self._actions: dict[str, Callable[[], None]] = {
            "\\": self._read_escape,
            "[": self._read_class,
            "(": self._open_group,
            ")": self._close_group,
            "|": self._begin_alternative,
            "*": lambda: self._repeat_last(0, None),
            "+": lambda: self._repeat_last(1, None),
            "?": lambda: self._repeat_last(0, 1),
            "{": self._read_repeat,
            ".": lambda: self._add(HOLE),
            "^": lambda: self._add(edge),
            "$": lambda: self._add(edge),
        }

    def read(self) -> _Piece:
        """Return the piece that the whole expression matches."""
        while self._at < len(self._pattern):
            char = self._pattern[self._at]
            self._at += 1
            action = self._actions.get(char)
            if action is not None:
                action()
            else:
                self._add_char(char)
        while len(self._levels) > 1:  # RE2 would have refused it
            self._close_group()
        self._end_alternative()
        return _alternate(self._levels[0].alternatives)

    def list_literals(self) -> list[str]:
        """Return texts that every match contains verbatim."""
        return [] if self._has_choice else list(filter(None, self._literals))

    def _add(self, *texts: str) -> None:
        self._literals.append("")
        self._levels[-1].pieces.append(_Piece(texts))

    def _add_char(self, char: str) -> None:
        level = self._levels[-1]
        self.spans_lines |= char == "\n"
        level.pieces.append(_Piece((self._tokenise(char, level.ignores_case),)))
        if len(self._levels) == 1 and not level.ignores_case:
            self._literals[-1] += char
        else:
            self._literals.append("")

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of `pattern` at the current position and move past it; None without a match."""
        found = pattern.match(self._pattern, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _open_group(self) -> None:
        self._literals.append("")
        ignores_case = self._levels[-1].ignores_case
        found = self._take(_GROUP)
        if found is None:
            self.needs_edges |= self._pattern.startswith("?", self._at)  # unknown syntax of RE2
        elif found[3]:
            self.needs_edges |= "m" in (found[2] or "")
            if "i" in (found[2] or ""):
                ignores_case = False
            elif "i" in found[1]:
                ignores_case = True
            self.spans_lines |= "s" in found[1]
            if found[3] == ")":
                self._levels[-1].ignores_case = ignores_case
                self._levels[-1].pieces.append(_EMPTY)
                return
        self._levels.append(_Level(ignores_case))

    def _close_group(self) -> None:
        if len(self._levels) > 1:
            self._end_alternative()
            level = self._levels.pop()
            self._levels[-1].pieces.append(_alternate(level.alternatives))

    def _begin_alternative(self) -> None:
        self._has_choice |= len(self._levels) == 1
        self._end_alternative()

    def _end_alternative(self) -> None:
        level = self._levels[-1]
        level.alternatives.append(_concatenate(level.pieces))
        level.pieces = []

    def _repeat_last(self, least: int, most: int | None) -> None:
        if self._pattern[self._at : self._at + 1] == "?":
            self._at += 1  # greedy or lazy does not matter
        self._literals[-1] = self._literals[-1][:-1]  # the last character may be absent, or repeated
        self._literals.append("")
        pieces = self._levels[-1].pieces
        if pieces and self._keeps_punctuation and least == 0 and pieces[-1].texts in _CLASS_TEXTS:
            pieces[-1] = _Piece((REST,))
        elif pieces:
            pieces[-1] = _repeat(pieces[-1], least, most)

    def _read_repeat(self) -> None:
        self._at -= 1
        found = self._take(_REPEAT)
        if found is None:
            self._at += 1
            self._add_char("{")
            return
        least = int(found[1])
        self._repeat_last(least, int(found[3]) if found[3] else (None if found[2] else least))

    def _read_escape(self) -> None:
        """Read an escape, after its backslash."""
        if self._pattern.startswith("Q", self._at):
            self._read_quote()
            return
        set_or_char = self._take_escaped()
        if isinstance(set_or_char, str):
            self._add_char(set_or_char)
        elif set_or_char is not None:
            self._add_set(*set_or_char)
        else:
            char = self._pattern[self._at : self._at + 1]
            self._at += 1
            self.needs_edges |= char not in "bB"
            boundary = "" if self._keeps_punctuation else STRANGE
            self._add({"b": boundary, "A": SPACE, "z": SPACE}.get(char, HOLE))

    def _read_quote(self) -> None:
        end = self._pattern.find("\\E", self._at)
        self.open_quote = end < 0
        for char in self._pattern[self._at + 1 : len(self._pattern) if end < 0 else end]:
            self._add_char(char)
        self._at = len(self._pattern) if end < 0 else end + 2

    def _take_escaped(self) -> str | tuple[frozenset[str], bool] | None:
        """Return a character, or a set of ASCII characters and whether other characters belong to it.

        Return None for any other escape, and do not move past it.
        """
        char = self._pattern[self._at : self._at + 1]
        if char.lower() in _PERL and char:
            self._at += 1
            chars = _PERL[char.lower()]
            return (chars, False) if char.islower() else (_ASCII - chars, True)
        if self._take(_UNICODE_CLASS):
            return _ASCII, True
        found = self._take(_HEX)
        if found is not None:
            return chr(int(found[1] or found[2], 16))
        found = self._take(_OCTAL)
        if found is not None:
            return chr(int(found[0], 8))
        if char in _ESCAPED_CHARS or (char and char not in _ASCII_WORD):
            self._at += 1
            return _ESCAPED_CHARS.get(char, char)
        return None

    def _add_set(self, chars: frozenset[str], has_others: bool) -> None:
        """Add a piece for one character of a set; `has_others` if characters outside ASCII belong to it."""
        level = self._levels[-1]
        if level.ignores_case:
            chars = chars | {char.lower() for char in chars} | {char.upper() for char in chars}
            has_others = has_others or not chars.isdisjoint("kKsS")
        tokens = tuple(dict.fromkeys(self._tokenise(char, level.ignores_case) for char in sorted(chars)))
        if not chars & _ASCII_WORD:
            characters = tokens if self._keeps_punctuation and 0 < len(tokens) <= MAX_SET_CHARS else (SPACE,)
            self._add(*((STRANGE,) if has_others else characters))
            return
        if has_others or (len(tokens) > MAX_SET_CHARS and not chars <= _ASCII_WORD):
            tokens = (HOLE,)
        elif len(tokens) > MAX_SET_CHARS:
            tokens = (find_mark(chars),)
        self._add(*tokens)

    def _read_class(self) -> None:
        """Read a bracket expression."""
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        chars: set[str] = set()
        has_others = names_line_feed = False
        first = True
        while first or not self._pattern.startswith("]", self._at):
            first = False
            if self._at >= len(self._pattern):  # RE2 would have refused it
                break
            item = self._take_class_item()
            if isinstance(item, str):
                last = self._take_range_end()
                names_line_feed |= "\n" in (item, last)
                chars.update(map(chr, range(ord(item), min(ord(last or item), 127) + 1)))
                has_others |= not (last or item).isascii()
            else:
                chars |= item[0]
                has_others |= item[1]
        self._at += 1
        self.spans_lines |= names_line_feed and not negated
        if negated:
            if self._levels[-1].ignores_case:
                chars = {case for char in chars for case in (char.lower(), char.upper())}
            self._add_set(_ASCII - chars, True)
        else:
            self._add_set(frozenset(chars & _ASCII), has_others)

    def _take_class_item(self) -> str | tuple[frozenset[str], bool]:
        """Return the next character or set within brackets, as `_take_escaped` does."""
        if self._pattern.startswith("[:", self._at):
            end = self._pattern.find(":]", self._at)
            name = self._pattern[self._at + 2 : max(end, 0)]
            if name.removeprefix("^") in _POSIX:
                self._at = end + 2
                chars = _POSIX[name.removeprefix("^")]
                return (_ASCII - chars, True) if name.startswith("^") else (chars, False)
        char = self._pattern[self._at]
        self._at += 1
        if char != "\\":
            return char
        escaped = self._take_escaped()
        if escaped is None:
            self._at += 1
            return _ASCII, True
        return escaped

    def _take_range_end(self) -> str | None:
        """Return the last character of a range whose first has been read; None if there is no range."""
        if not self._pattern.startswith("-", self._at) or self._pattern.startswith("-]", self._at):
            return None
        before = self._at
        self._at += 1
        item = self._take_class_item() if self._at < len(self._pattern) else "-"
        if isinstance(item, str):
            return item
        self._at = before
        return None
