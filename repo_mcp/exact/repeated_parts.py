"""Counts the parts of an expression that its repetitions may leave out: `a{2,50}` has 48.

RE2 compiles in time that is square in their number, and nothing else in the process runs meanwhile: no other
call, no limit of time, not even the end of the server. 32 times `a{0,1000}` took 5.6 seconds in a program of
1 MB. All else that was tried grows with the program, whose size RE2 limits itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.exact.character_sets import Ranges
from repo_mcp.exact.expression_reader import ExpressionFault, ExpressionReader, Flags, Repetition

MAX_OPTIONAL = 4_000  # take RE2 a tenth of a second


def count_optional(expression: str) -> int:
    """Return the number of optional parts, written out; 0 for an expression that RE2 refuses."""
    try:
        return _Counter(expression, Flags()).read()
    except ExpressionFault:
        return 0


class _Counter(ExpressionReader[int]):
    """Reads an expression; a part is the number of optional ones in it."""

    def make_char(self, char: str) -> int:
        return 0

    def make_set(self, ranges: Ranges) -> int:
        return 0

    def make_assertion(self, name: str) -> int:
        return 0

    def make_byte(self) -> int:
        return 0

    def concatenate(self, parts: Sequence[int]) -> int:
        return sum(parts)

    def alternate(self, parts: Sequence[int]) -> int:
        return sum(parts)

    def enclose(self, part: int, capture: int) -> int:
        return part

    def repeat(self, part: int, repetition: Repetition) -> int:
        most = max(repetition.least, 1) if repetition.most is None else repetition.most
        return most * part + max(0, most - max(repetition.least, 1))

    def fold(self, ranges: Ranges) -> Ranges:
        return ranges

    def find_category(self, name: str) -> Ranges | None:
        return ()
