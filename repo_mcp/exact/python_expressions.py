"""Writes an expression in RE2's syntax for Python's `re`, where there is no RE2.

What RE2 refuses is refused in its words, so whether a pattern is valid does not depend on what is installed.
What RE2 accepts finds the same matches: `\\w`, `\\d`, `\\s` and `\\b` mean ASCII, `$` without `(?m)` is only
the end of the text, and case is folded by Unicode's simple rules, with sets of characters instead of a flag.

Some things differ. General categories are those of this Python's version of Unicode. Classes of scripts
(`\\p{Greek}`) are refused with a reason, because Python knows no scripts; so is `\\C`, a part of a character.
The size that RE2 limits is estimated. RE2 also finds `\\B` between the bytes of one character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.exact.character_sets import (
    CATEGORIES,
    Ranges,
    find_category,
    fold,
    join,
    list_cases,
    remove_line_feed,
    write_set,
)
from repo_mcp.exact.expression_reader import MAX_REPEAT, ExpressionFault, ExpressionReader, Flags, Repetition
from repo_mcp.record_classes import dataclass

MAX_PROGRAM = 174_000  # instructions that fit into RE2's 8 MiB; here their number is estimated
NEEDS_RE2 = "without the package google-re2"
_NOTHING = "(?!)"  # matches nowhere
_NOT_BOUNDARY = r"(?!(?a:\b))"  # Python's own \B does not match an empty text before 3.14
_ASSERTIONS = {"^": "^", "$": "$", "A": r"\A", "z": r"\Z", "b": r"(?a:\b)", "B": _NOT_BOUNDARY}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the expression written for `re`, to which a repetition may be added."""

    text: str
    cost: int  # estimated number of RE2's instructions
    repeats: int = 1  # largest product of repetitions within each other


def translate(expression: str, *, ignores_case: bool, never_line_feed: bool, captures: bool) -> str:
    """Return the expression for `re.compile` with MULTILINE.

    With `never_line_feed` no match holds a line feed; with `captures` the first group is group 1, else there
    is none. Raises ExpressionFault for what RE2 refuses or `re` cannot do, and UnicodeEncodeError.
    """
    expression.encode()
    piece = _Translator(expression, Flags(ignores_case=ignores_case), never_line_feed, captures).read()
    if piece.cost > MAX_PROGRAM:
        raise ExpressionFault("pattern too large - compile failed")
    return piece.text


class _Translator(ExpressionReader[_Piece]):
    def __init__(self, expression: str, flags: Flags, never_line_feed: bool, captures: bool) -> None:
        super().__init__(expression, flags)
        self._never_line_feed = never_line_feed
        self._keeps_first = captures

    def make_char(self, char: str) -> _Piece:
        if char == "\n" and self._never_line_feed:
            return _Piece(_NOTHING, 1)
        cases = list_cases(char) if self.flags.ignores_case else (char,)
        if len(cases) == 1:
            return _Piece(re.escape(char), len(char.encode("utf-8", "surrogatepass")))
        return self.make_set(join((ord(case), ord(case)) for case in cases))

    def make_set(self, ranges: Ranges) -> _Piece:
        if self._never_line_feed:
            ranges = remove_line_feed(ranges)
        return _Piece(write_set(ranges) if ranges else _NOTHING, _estimate(ranges))

    def make_assertion(self, name: str) -> _Piece:
        return _Piece(f"(?:{_ASSERTIONS[name]})", 1)

    def make_byte(self) -> _Piece:
        raise ExpressionFault(rf"\C cannot be searched for {NEEDS_RE2}")

    def concatenate(self, parts: Sequence[_Piece]) -> _Piece:
        return _combine("", parts)

    def alternate(self, parts: Sequence[_Piece]) -> _Piece:
        return _combine("|", parts)

    def enclose(self, part: _Piece, capture: int) -> _Piece:
        opening = "(" if capture == 1 and self._keeps_first else "(?:"
        return _Piece(f"{opening}{part.text})", part.cost + 2, part.repeats)

    def repeat(self, part: _Piece, repetition: Repetition) -> _Piece:
        copies = repetition.least if repetition.most is None else repetition.most
        repeats = part.repeats
        if repetition.text[0] == "{":
            repeats *= max(1, copies)
            if copies >= 2 and repeats > MAX_REPEAT:
                raise ExpressionFault(f"invalid repetition size: {repetition.written}")
        mark = "?" if repetition.lazy != self.flags.lazy else ""
        return _Piece(f"(?:{part.text}){repetition.text}{mark}", part.cost * max(1, copies) + 1, repeats)

    def fold(self, ranges: Ranges) -> Ranges:
        return fold(ranges)

    def find_category(self, name: str) -> Ranges | None:
        if name in CATEGORIES:
            return find_category(name)
        if len(name) > 1 and name.replace("_", "").isalpha() and name.isascii():
            piece = rf"\p{{{name}}}"
            raise ExpressionFault(f"no general category, and classes of scripts need google-re2: {piece}")
        return None


def _estimate(ranges: Ranges) -> int:
    """Return about how many instructions RE2 needs for a set: ranges outside ASCII share some of them."""
    plain = sum(high < 128 for _, high in ranges)
    return 1 + 2 * plain + (len(ranges) - plain) // 2


def _combine(separator: str, pieces: Sequence[_Piece]) -> _Piece:
    return _Piece(
        separator.join(piece.text for piece in pieces),
        sum(piece.cost for piece in pieces) + len(separator) * len(pieces),
        max((piece.repeats for piece in pieces), default=1),
    )
