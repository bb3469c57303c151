"""Local variables that blocks shadow: which type a name has until its block ends, and which it has then.

A BIND row holds from its line on, until another row of the same variable. So a variable whose type is not
known has a row that says so, and after the block of a variable the rows of the outer one are repeated if it
is used again. Left out: uses on the line on which the block ends.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import field

from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import UNBOUND, UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Binding, ReferenceRole

# symbol, role, name, qualifier, alias, line, arguments
Row = tuple[int, ReferenceRole, str, str, str, int, int]

MAX_INSIDE = 100  # variables of a name inside a value, looked at for the one that is the value


@dataclass(slots=True)
class Bound:
    """A place that binds a variable."""

    start: int  # byte offset
    line: int
    end: int  # byte offset where its block ends
    end_line: int
    given: tuple[str, int] | None = None  # a variable inside its value, which is the value; where that ends
    rows: list[Row] = field(default_factory=list)  # that show its type


class Shadowing:
    """The places of a file that bind variables, by symbol and name."""

    def __init__(self) -> None:
        self._blocks: list[tuple[int, int]] = []  # end and last line of the open ones
        self._bound: dict[tuple[int, str], list[Bound]] = {}

    def open_block(self, start: int, end: int, end_line: int) -> None:
        """Open a block: names bound in it mean something else after it."""
        self._close(start)
        self._blocks.append((end, end_line))

    def _close(self, start: int) -> None:
        while self._blocks and self._blocks[-1][0] <= start:
            self._blocks.pop()

    def note(self, ordinal: int, name: str, start: int, line: int) -> None:
        """Note that a symbol binds a name at a byte offset."""
        self._close(start)
        end, end_line = self._blocks[-1] if self._blocks else (1 << 62, 1 << 30)
        found = self._bound.setdefault((ordinal, name), [])
        if not found or found[-1].start != start:
            found.append(Bound(start, line, end, end_line))

    def note_type(self, row: Row) -> None:
        """Note a row that shows the type of the variable that was bound last under its name."""
        found = self._bound.get((row[0], row[4]))
        if found:
            found[-1].rows.append(row)

    def postpone(self, ordinal: int, name: str, line: int, given: tuple[str, int] | None = None) -> None:
        """Let a variable without a type begin on a later line, as in `let x = f(x)`.

        In `let x = match y { Some(z) => z, .. }` it is `given` by a variable inside its value."""
        found = self._bound.get((ordinal, name))
        if found:
            found[-1].line, found[-1].given = line, given

    def iter_rows(self, uses: Iterable[tuple[int, str, int]], parents: list[int]) -> Iterator[Row]:
        """Yield the rows that are missing: of variables without a type, and after blocks.

        `uses` are the symbol, the first name and the line of chains."""
        last: dict[tuple[int, str], int] = {}
        for symbol, name, line in uses:
            ordinal = symbol
            while last.get((ordinal, name), 0) < line:
                last[ordinal, name] = line
                ordinal = parents[ordinal]
        for (ordinal, name), places in self._bound.items():
            used = last.get((ordinal, name), 0)
            around: list[Bound] = []
            for one in places:
                while around and around[-1].end <= one.end:
                    around.pop()
                self._take_given(ordinal, one)
                if one.line <= used and (not one.rows or one.given is not None):
                    yield from self._iter_again(ordinal, name, one.line, one)
                if one.end_line < used:
                    outer = around[-1] if around else None
                    yield from self._iter_again(ordinal, name, one.end_line + 1, outer)
                around.append(one)

    def _take_given(self, ordinal: int, one: Bound) -> None:
        """Give a variable the type of the one inside its value that it is given by."""
        if one.given is not None and not one.rows:
            inner, end = one.given
            places = self._bound.get((ordinal, inner), [])
            first = bisect_right(places, one.start, key=_get_start)
            inside = [
                other for other in places[first : first + MAX_INSIDE] if other.rows and other.start < end
            ]
            widest = max((other.end for other in inside), default=0)  # inner blocks may shadow it again
            one.rows = next((other.rows for other in reversed(inside) if other.end == widest), [])

    def _iter_again(self, ordinal: int, name: str, line: int, outer: Bound | None) -> Iterator[Row]:
        if outer is None or not outer.rows:
            yield self._make_row(ordinal, name, line, UNBOUND if outer is None else UNKNOWN_TYPE)
        else:
            for row in outer.rows:
                yield (*row[:5], line, row[6])

    def _make_row(self, ordinal: int, name: str, line: int, said: str) -> Row:
        return ordinal, ReferenceRole.BIND, said, "", name, line, Binding.SAME


def _get_start(one: Bound) -> int:
    return one.start


def iter_uses(rows: list[Row]) -> Iterator[tuple[int, str, int]]:
    """Yield the symbol, the first name and the line of each chain of names, from the last on."""
    for ordinal, role, _, qualifier, _, line, _ in reversed(rows):
        if qualifier and role is not ReferenceRole.IMPORT:
            yield ordinal, qualifier.partition(".")[0].partition("(")[0], line
