"""Local variables that hide others of their name: which variable a name means at a byte of the text.

A BIND row holds for its symbol from its line on, so a name must mean one variable in a symbol and the symbols
in it. If it means several, in different blocks or one after the other, each gets a number: rows and chains
call the second `one/2`. A variable of unknown type has a row that says so, since it hides whatever has its
name outside the function; with a number it needs none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import field
from itertools import pairwise

from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import Binding, ReferenceRole

# symbol, role, name, qualifier, alias, line, arguments
Row = tuple[int, ReferenceRole, str, str, str, int, int]

NUMBER = "/"  # between the name of a variable and its number
MAX_INSIDE = 100  # variables of one name inside a value that are compared to find the one that is its result
_NO_END = 1 << 62


@dataclass(slots=True)
class Bound:
    """A place that binds a variable."""

    start: int  # byte offset
    number: int
    line: int
    seen_from: int = 0  # byte offset from which its name means this variable
    end: int = _NO_END  # byte offset where its block ends
    block: int = -1  # its number
    # the variable in its value that is the result, and where that value ends
    result: tuple[str, int] | None = None
    rows: list[int] = field(default_factory=list)  # positions of the rows that show its type
    is_uncertain: bool = False  # a block binds it twice, between preprocessor directives


class Shadowing:
    """The places of a file that bind variables, by symbol and name."""

    def __init__(self) -> None:
        self._blocks: list[tuple[int, int]] = []
        self._delays: list[tuple[int, int, int]] = []
        self._places: dict[tuple[int, str], dict[int, Bound]] = {}
        self._count = 0
        self.names: frozenset[str] = frozenset()  # of all variables, when all are noted
        self._bound: dict[tuple[int, str], list[Bound]] = {}  # in order of start
        self._steps: dict[tuple[int, str], tuple[list[int], list[Bound | None]]] = {}

    def add_block(self, start: int, end: int) -> None:
        """Add a block: names bound in it mean something else after it."""
        self._blocks.append((start, end))

    def delay(self, start: int, end: int, until: int) -> None:
        """Make names bound between two bytes visible only from a later one, as in `let x = f(x)`."""
        self._delays.append((start, end, until))

    def note(self, ordinal: int, name: str, start: int, line: int) -> Bound:
        """Note that a symbol binds a name at a byte offset."""
        places = self._places.setdefault((ordinal, name), {})
        if start not in places:
            self._count += 1
            places[start] = Bound(start, self._count, line)
        return places[start]

    def finish(self) -> None:
        """Find out where each variable is visible, after all are noted."""
        everything = [one for places in self._places.values() for one in places.values()]
        everything.sort(key=_get_start)
        blocks = sorted(set(self._blocks), key=_order)
        for one, around in _iter_inside(everything, [(*span, at) for at, span in enumerate(blocks)]):
            one.block = around[-1] if around else -1
            one.end = blocks[one.block][1] if around else _NO_END
        for one, around in _iter_inside(everything, sorted(self._delays, key=_order)):
            one.seen_from = max([one.start, *around])
        self.names = frozenset(name for _, name in self._places)
        self._bound = {key: sorted(places.values(), key=_get_start) for key, places in self._places.items()}

    def weaken_twins(self, rows: list[Row]) -> None:
        """Mark variables as uncertain that a block declares twice with different types."""
        for found in self._bound.values():
            for one, other in pairwise(found):
                if one.block == other.block >= 0:
                    types = [[(rows[at][2:4], rows[at][6]) for at in each.rows] for each in (one, other)]
                    if types[0] != types[1]:
                        one.is_uncertain = other.is_uncertain = True

    def find_at(self, ordinal: int, name: str, first: int, last: int) -> Bound | None:
        """Return the first place between two bytes where a symbol binds a name."""
        exact = self._places[ordinal, name].get(first) if (ordinal, name) in self._places else None
        if exact is not None:
            return exact
        found = self._bound.get((ordinal, name), [])
        at = bisect_left(found, first, key=_get_start)
        return found[at] if at < len(found) and found[at].start < max(last, first + 1) else None

    def find_meant(self, ordinal: int, name: str, start: int) -> Bound | None:
        """Return the variable of a symbol that a name means at a byte offset."""
        key = (ordinal, name)
        if key not in self._bound:
            return None
        steps = self._steps.get(key)
        if steps is None:
            steps = self._steps[key] = _list_steps(self._bound[key])
        starts, meant = steps
        at = bisect_right(starts, start)
        return meant[at - 1] if at else None

    def binds(self, ordinal: int, name: str) -> bool:
        """Return whether a symbol binds a name anywhere."""
        return (ordinal, name) in self._bound

    def iter_bound(self) -> Iterator[tuple[int, str, Bound]]:
        """Yield each variable with its symbol and its name."""
        for (ordinal, name), found in self._bound.items():
            for one in found:
                yield ordinal, name, one

    def find_rows(self, ordinal: int, one: Bound) -> list[int]:
        """Return the rows that show the type of a variable, or that of the result of its value."""
        if one.rows or one.result is None:
            return one.rows
        inner, end = one.result
        places = self._bound.get((ordinal, inner), [])
        first = bisect_right(places, one.start, key=_get_start)
        inside = [other for other in places[first : first + MAX_INSIDE] if other.rows and other.start < end]
        widest = max((other.end for other in inside), default=0)  # an inner block may hide it again
        return next((other.rows for other in reversed(inside) if other.end == widest), [])


def _get_start(one: Bound) -> int:
    return one.start


def _order(span: tuple[int, ...]) -> tuple[int, int]:
    return span[0], -span[1]


def _iter_inside(places: list[Bound], spans: list[tuple[int, int, int]]) -> Iterator[tuple[Bound, list[int]]]:
    """Yield places in order, each with the last numbers of the spans around it, the innermost last."""
    open_spans: list[tuple[int, int, int]] = []
    coming = iter(spans)
    span = next(coming, None)
    for one in places:
        while span is not None and span[0] <= one.start:
            while open_spans and open_spans[-1][1] <= span[0]:
                open_spans.pop()
            open_spans.append(span)
            span = next(coming, None)
        while open_spans and open_spans[-1][1] <= one.start:
            open_spans.pop()
        yield one, [until for _, _, until in open_spans[-1:]]


def _list_steps(places: list[Bound]) -> tuple[list[int], list[Bound | None]]:
    """Return byte offsets, ascending, and the variable that a name means from each of them."""
    starts: list[int] = []
    meant: list[Bound | None] = []
    around: list[Bound] = []

    def close(until: int) -> None:
        while around and around[-1].end <= until:
            ended = around.pop()
            starts.append(ended.end)
            meant.append(around[-1] if around else None)

    for one in sorted(places, key=lambda each: each.seen_from):
        if one.seen_from < one.end:
            close(one.seen_from)
            starts.append(one.seen_from)
            meant.append(one)
            around.append(one)
    close(_NO_END - 1)
    return starts, meant


class Numbering:
    """Gives numbers to the variables of a file, and replaces names in its rows by names with numbers."""

    def __init__(
        self, shadowing: Shadowing, parents: list[int], declared: set[tuple[int, str]], walls: set[int]
    ) -> None:
        """`declared` holds (symbol, name) of declarations in types.

        `walls` are the symbols that see no variable of those around them.
        """
        self._shadowing = shadowing
        self._parents = parents
        self._declared = declared
        self._walls = walls
        # numbers; 0 for a name that the symbol does not bind
        self._meant: dict[tuple[int, str], set[int]] = {}
        self._seen: set[tuple[int, str, int]] = set()

    def note_use(self, ordinal: int, name: str, start: int) -> None:
        """Note that a chain begins with a name at a byte offset."""
        found = self._find(ordinal, name, start)
        number = found[1].number if found is not None else 0
        while (ordinal, name, number) not in self._seen:
            self._seen.add((ordinal, name, number))
            if self._shadowing.binds(ordinal, name):
                self._meant.setdefault((ordinal, name), set()).add(number)
            if not ordinal or (found is not None and found[0] == ordinal):
                break
            ordinal = self._parents[ordinal]

    def is_variable(self, ordinal: int, name: str, start: int) -> bool:
        """Return whether a name means a variable at a byte offset."""
        return self._find(ordinal, name, start) is not None

    def _find(self, ordinal: int, name: str, start: int) -> tuple[int, Bound] | None:
        while True:
            found = self._shadowing.find_meant(ordinal, name, start)
            if found is not None:
                return ordinal, found
            if not ordinal or ordinal in self._walls or (ordinal, name) in self._declared:
                return None
            ordinal = self._parents[ordinal]

    def rename(self, ordinal: int, chain: str, start: int) -> str:
        """Return a chain, in which the first name has its number if it needs one."""
        name = find_first_name(chain)
        found = self._find(ordinal, name, start) if name else None
        if found is None:
            return chain
        return self.spell(found[0], name, found[1]) + chain[len(name) :]

    def spell(self, ordinal: int, name: str, one: Bound) -> str:
        """Return the name of a variable; with a number if the name means several variables in its symbol."""
        is_plain = len(self._meant.get((ordinal, name), ())) < 2 and not one.is_uncertain
        return name if is_plain else f"{name}{NUMBER}{one.number}"

    def is_used(self, ordinal: int, name: str, one: Bound) -> bool:
        """Return whether a chain begins with a variable."""
        return one.number in self._meant.get((ordinal, name), ())


def find_first_name(chain: str) -> str:
    """Return the first name of a chain."""
    return chain.partition(".")[0].partition("(")[0].partition("[")[0]


def make_unknown(ordinal: int, name: str, line: int) -> Row:
    """Return the row of a variable whose type is not known."""
    return ordinal, ReferenceRole.BIND, UNKNOWN_TYPE, "", name, line, Binding.SAME
