"""The variables that a piece of a Python text binds, and the BIND rows that depend on all of the piece.

A row says what a variable is from a line on. If its value has no known type, or is bound in one branch only,
a further row must say that the variable may be something else. Names that several functions, classes or
imports of one scope bind also have rows of their blocks, since the last one that runs is meant.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from repo_mcp.languages.python.branches import Branches, iter_rows, list_branches
from repo_mcp.languages.python.types import SAME
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.model import DECLARED, UNBOUND
from repo_mcp.symbols.record_builder import ReferenceKey
from repo_mcp.symbols.symbol_record import ReferenceRole

BIND = int(ReferenceRole.BIND)
STAR = "*"


@dataclass(slots=True)
class BoundVariables:
    """The bindings of a piece, in the order in which the walk over its statements meets them."""

    # (symbol, variable) -> lines of its BIND rows
    lines: dict[tuple[int, str], set[int]] = field(default_factory=dict)
    # Symbol, variable and line of what functions assign; where methods assign `self.x`, also its class.
    assigned: list[tuple[int, str, int, int]] = field(default_factory=list)
    attributes: set[tuple[int, str]] = field(default_factory=set)  # (class, attribute) of known type
    # Symbol, variable, and the first and last lines of comprehensions that bind it for themselves.
    comprehended: set[tuple[int, str, int]] = field(default_factory=set)
    branching: list[tuple[int, ast.stmt]] = field(default_factory=list)  # symbol, a statement with blocks
    declared: dict[tuple[int, str], list[int]] = field(default_factory=dict)  # lines; "*" for a star
    declaring: list[tuple[int, Branches, list[str]]] = field(default_factory=list)  # names declared in blocks

    def add_rows(self, rows: dict[ReferenceKey, int]) -> None:
        """Add the rows that are only known after the whole piece."""
        self._add_branches(rows)
        self._add_others(rows)
        self._list_declaring()
        self.branching.clear()  # frees the memory of a piece

    def _list_declaring(self) -> None:
        """Note which names the blocks of statements declare."""
        placed: dict[int, list[tuple[int, str]]] = {}
        for (symbol, name), lines in self.declared.items() if self.branching else ():
            placed.setdefault(symbol, []).extend((line, name) for line in lines)
        for each in placed.values():
            each.sort()
        for symbol, statement in self.branching:
            branches = list_branches(statement) if symbol in placed else None
            if branches is not None:
                first = bisect_left(placed[symbol], (branches.blocks[0].first, ""))
                last = bisect_left(placed[symbol], (branches.last + 1, ""))
                names = sorted({name for _, name in placed[symbol][first:last]})
                self.declaring += [(symbol, branches, names)] if names else []

    def _add_branches(self, rows: dict[ReferenceKey, int]) -> None:
        """Add rows of the blocks that bind a variable of known type which is also bound elsewhere."""
        several = self._list_rebound() if self.branching else {}
        placed = {  # so that each statement only looks at the lines that it binds
            symbol: sorted((line, name) for name, bound in names.items() for line in bound)
            for symbol, names in several.items()
        }
        for symbol, statement in self.branching:
            branches = list_branches(statement) if several.get(symbol) else None
            if branches is None:
                continue
            first = bisect_left(placed[symbol], (branches.blocks[0].first, ""))
            last = bisect_left(placed[symbol], (branches.last + 1, ""))
            for name in sorted({name for _, name in placed[symbol][first:last]}):
                for row in iter_rows(branches, several[symbol][name]):
                    key = (symbol, BIND, str(row.length), str(row.hidden), name, row.line)
                    rows.setdefault(key, row.form)

    def _list_rebound(self) -> dict[int, dict[str, list[int]]]:
        """Return the lines, ascending, that bind each variable of known type, if there are several."""
        lines: dict[int, dict[str, set[int]]] = {}  # by symbol and variable
        for (symbol, name), bound_lines in self.lines.items():
            assigned = {line for line in bound_lines if (symbol, name, line) not in self.comprehended}
            if assigned and name.isidentifier():
                lines.setdefault(symbol, {})[name] = assigned
        for symbol, name, line, owner in self.assigned if lines else ():
            if not owner and name in lines.get(symbol, ()):
                lines[symbol][name].add(line)
        return {
            symbol: {name: sorted(bound) for name, bound in names.items() if len(bound) > 1}
            for symbol, names in lines.items()
        }

    def _add_others(self, rows: dict[ReferenceKey, int]) -> None:
        """Add BIND rows for values of unknown type, for variables whose type other rows show.

        These are variables of functions, and attributes of `self`. A variable may have another type from such
        a line on, an attribute anywhere.
        """
        known = self.lines
        for symbol, name, line, owner in self.assigned:
            lines = known.get((symbol, name), ())
            is_typed = (
                (owner, name.removeprefix("self.")) in self.attributes if owner else (symbol, name) in known
            )
            if is_typed and line not in lines:
                rows[symbol, BIND, UNBOUND, "", name, line] = SAME


def add_declaring_blocks(pieces: Sequence[tuple[BoundVariables, dict[ReferenceKey, int]]]) -> None:
    """Add to the rows of each piece those of blocks with names that are also declared elsewhere."""
    counts: Counter[tuple[int, str]] = Counter()
    for bound, _ in pieces:
        counts.update({key: len(lines) for key, lines in bound.declared.items()})
        for lines in bound.declared.values():
            lines.sort()
    for bound, rows in pieces:
        for symbol, branches, names in bound.declaring:
            for name in names:
                if counts[symbol, name] > 1 or counts[symbol, STAR]:
                    for row in iter_rows(branches, bound.declared[symbol, name]):
                        key = (symbol, BIND, str(row.length), str(row.hidden), f"{DECLARED}{name}", row.line)
                        rows.setdefault(key, row.form)
