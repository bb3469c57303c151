"""Derives from a pattern the runs of word characters that every match contains, for the term dictionary.

A pattern is read once, left to right, into a few texts that stand for everything it can match
(`repo_mcp.exact.pattern_texts`). `\\bfoo_(get|put)\\(` becomes the texts `~foo_get ` and `~foo_put `. From
these follow the runs `foo_get` or `foo_put`, each with STRANGE in front and SPACE behind. codesearch reads
patterns in this way for its trigrams (Russ Cox, "Regular Expression Matching with a Trigram Index"); here it
is done for words. The pattern is read a second time for the punctuation beside its words, without `\\b`.

RE2 has checked the pattern before. If it is not understood here all the same, any text may match.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from repo_mcp.exact.character_sets import ANY, CATEGORIES, LAST_CHAR, Ranges, fold_ascii, join, list_ascii
from repo_mcp.exact.expression_reader import ExpressionFault, ExpressionReader, Flags, Repetition
from repo_mcp.exact.pattern_texts import (
    ASCII_WORD,
    EDGE,
    HOLE,
    REST,
    SPACE,
    STRANGE,
    Piece,
    alternate,
    build_need,
    concatenate,
    join_all,
    keep_punctuation,
    mark_char,
    repeat,
)
from repo_mcp.exact.punctuation_bigrams import list_bigrams
from repo_mcp.exact.required_terms import CLASS_MARKS, All, Either, Need, PatternReading, Run, find_mark
from repo_mcp.model import ExactRequest
from repo_mcp.text.lines import unify_line_ends

MAX_SET_CHARS = 4  # most characters of a class that is read as alternatives; a larger one becomes a mark
_ASCII = tuple(map(chr, range(128)))
# The scripts that have ASCII characters.
_SCRIPTS = {"Latin": str.isalpha, "Common": lambda char: not char.isalpha()}
_OTHERS = ((LAST_CHAR, LAST_CHAR),)  # stands for all that are not ASCII
_CLASS_TEXTS = tuple((mark,) for mark in CLASS_MARKS)


def read_pattern(request: ExactRequest) -> PatternReading:
    """Return the needs of a request's pattern: a literal, or an expression that RE2 accepts."""
    read = read_expression if request.regex else read_literal
    pattern = request.pattern if request.regex else unify_line_ends(request.pattern)
    return read(pattern, case_sensitive=request.case_sensitive, whole_word=request.whole_word)


def read_literal(text: str, *, case_sensitive: bool, whole_word: bool) -> PatternReading:
    """Return the needs of a literal."""
    tokens, neighboured = (
        "".join(mark(char, not case_sensitive) for char in text) for mark in (mark_char, keep_punctuation)
    )
    return PatternReading(
        _conclude(Piece((tokens,)), whole_word),
        "\n" in text,
        bigrams=list_bigrams([text]),
        neighbours=None if "\n" in text else _keep_neighboured(_conclude(Piece((neighboured,)), whole_word)),
    )


def read_expression(pattern: str, *, case_sensitive: bool, whole_word: bool) -> PatternReading:
    """Return the needs of a regular expression that RE2 accepts."""
    reader = _NeedReader(pattern, not case_sensitive)
    spans_lines = "\n" in pattern
    try:
        piece = reader.read()
        spans_lines |= reader.names_line_feed
        neighboured = (
            None if spans_lines else _NeedReader(pattern, not case_sensitive, keep_punctuation).read()
        )
    except ExpressionFault:
        return PatternReading(None, spans_lines, needs_edges=True)
    literals = reader.list_literals()
    return PatternReading(
        _conclude(piece, whole_word),
        spans_lines,
        max(literals, key=len, default=""),
        list_bigrams(literals),
        reader.needs_edges,
        None if neighboured is None else _keep_neighboured(_conclude(neighboured, whole_word)),
        reader.open_quote,
    )


def _conclude(piece: Piece, whole_word: bool) -> Need | None:
    """Return everything that a file must meet to match a piece; None if it need not meet anything."""
    texts = tuple(f"{STRANGE}{text}{STRANGE}" for text in piece.texts) if whole_word else piece.texts
    return join_all([*piece.needs, build_need(texts)])


def _keep_neighboured(need: Need | None) -> Need | None:
    """Return the part of a need that is about runs with punctuation beside them; None if there is none."""
    if need is None or isinstance(need, Run):
        return need if need is not None and (need.before or need.behind) else None
    kept = [_keep_neighboured(part) for part in need.parts]
    if isinstance(need, All):
        return join_all(kept)
    neighboured = tuple(dict.fromkeys(part for part in kept if part is not None))
    if None in kept:
        return None
    return neighboured[0] if len(neighboured) == 1 else Either(neighboured)


class _NeedReader(ExpressionReader[Piece]):
    """Reads one expression into the texts that stand for what it matches.

    Sets of characters are exact in ASCII; of the others only whether a set may have any is known.
    """

    def __init__(
        self, pattern: str, ignores_case: bool, mark: Callable[[str, bool], str] = mark_char
    ) -> None:
        super().__init__(pattern, Flags(ignores_case, multi_line=True))
        self._mark = mark
        self._keeps_punctuation = mark is keep_punctuation
        self._literals = [""]  # runs of adjacent characters outside groups; the last one may still grow
        self._has_choice = False  # there are alternatives outside groups
        self.needs_edges = False  # see PatternReading

    def list_literals(self) -> list[str]:
        """Return texts that every match contains verbatim."""
        return [] if self._has_choice else list(filter(None, self._literals))

    def make_char(self, char: str) -> Piece:
        if self.depth or self.flags.ignores_case:
            self._literals.append("")
        else:
            self._literals[-1] += char
        return Piece((self._mark(char, self.flags.ignores_case),))

    def make_set(self, ranges: Ranges) -> Piece:
        self._literals.append("")
        chars = list_ascii(ranges)
        has_others = bool(ranges) and ranges[-1][1] >= len(_ASCII)
        tokens = tuple(dict.fromkeys(self._mark(char, self.flags.ignores_case) for char in sorted(chars)))
        if not chars & ASCII_WORD:
            characters = tokens if self._keeps_punctuation and 0 < len(tokens) <= MAX_SET_CHARS else (SPACE,)
            return Piece((STRANGE,) if has_others else characters)
        if has_others or (len(tokens) > MAX_SET_CHARS and not chars <= ASCII_WORD):
            tokens = (HOLE,)
        elif len(tokens) > MAX_SET_CHARS:
            tokens = (find_mark(chars),)
        return Piece(tokens)

    def make_assertion(self, name: str) -> Piece:
        self._literals.append("")
        self.needs_edges |= name in "Az"
        if name == "b":
            return Piece(("" if self._keeps_punctuation else STRANGE,))
        if name == "B":
            return Piece((HOLE,))
        return Piece((EDGE if self._keeps_punctuation and name in "^$" else SPACE,))

    def make_byte(self) -> Piece:
        self._literals.append("")
        return Piece((HOLE,))

    def concatenate(self, parts: Sequence[Piece]) -> Piece:
        return concatenate(parts)

    def alternate(self, parts: Sequence[Piece]) -> Piece:
        self._has_choice |= not self.depth and len(parts) > 1
        return alternate(parts)

    def enclose(self, part: Piece, capture: int) -> Piece:
        self._literals.append("")
        return part

    def repeat(self, part: Piece, repetition: Repetition) -> Piece:
        self._literals[-1] = self._literals[-1][:-1]  # the last character may be absent, or repeated
        self._literals.append("")
        if self._keeps_punctuation and repetition.least == 0 and part.texts in _CLASS_TEXTS:
            return Piece((REST,))
        return repeat(part, repetition.least, repetition.most)

    def fold(self, ranges: Ranges) -> Ranges:
        return fold_ascii(ranges)

    def find_category(self, name: str) -> Ranges | None:
        if name == "Any":
            return ANY
        if name in CATEGORIES:
            is_in = [unicodedata.category(char).startswith(name) for char in _ASCII]
        else:
            is_in = list(map(_SCRIPTS.get(name, lambda char: False), _ASCII))
        return join([*((code, code) for code, held in enumerate(is_in) if held), *_OTHERS])
