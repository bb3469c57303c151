"""The functions, classes and imports of one name in a Python scope, of which the last that has run counts.

The lines of the scope run in order. What is declared in a block that need not run, such as a branch of `if`,
hides nothing above it; see `repo_mcp/graph/python/branches.py`. Where another scope reads the name, all lines
of its own scope have run.

Left out on purpose: variables, which hide no function, as `work = wrapped(work)` mostly runs it. A name that
a scope declares more than MAX_DECLARED times may mean any of its declarations anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from repo_mcp.graph.python.branches import list_reaching
from repo_mcp.graph.python.names import MAX_DECLARED, Bound, Imported, PythonNames
from repo_mcp.symbols.model import DECLARED
from repo_mcp.symbols.symbol_record import Binding, SymbolKind

STAR = "*"
# a line after all lines of a file, but before the end of `branches.HIDDEN` lines after any of them
END = 900_000


class Declared(NamedTuple):
    """The declarations of one name in a scope."""

    ordinals: list[int]  # of symbols
    imports: list[Imported]  # stars, too


def keep_in_effect(names: PythonNames, scope: int, name: str, found: Declared, line: int) -> Declared:
    """Return the declarations that may count on a line of their scope (0: at its end)."""
    if not 1 < len(found.ordinals) + len(found.imports) <= MAX_DECLARED:
        return found
    starts = names.record.starts
    hiding = [one for one in found.ordinals if _hides(names, one)]
    lines = [*(int(starts[one]) for one in hiding), *(one.line for one in found.imports)]
    values = [Bound(scope, at, "", str(place), Binding.SAME, False) for place, at in enumerate(lines)]
    blocks: list[Bound] = [*names.bounds.get((scope, f"{DECLARED}{name}"), ())]
    blocks += names.bounds.get((scope, f"{DECLARED}{STAR}"), ())
    if not line and names.is_function(scope) and any(int(one.qualifier) > END for one in blocks):
        # a function inside a block that ends by `return` or `raise` sees what that block declared
        return found
    reaching = list_reaching([*blocks, *sorted(values, key=_get_line)], line or END)
    if not reaching:
        return found
    kept = {int(one.name) for one in reaching}
    run = {one for place, one in enumerate(hiding) if place in kept}
    return Declared(
        [one for one in found.ordinals if one in run or one not in hiding],
        [one for place, one in enumerate(found.imports, len(hiding)) if place in kept],
    )


def _hides(names: PythonNames, ordinal: int) -> bool:
    """Return whether a symbol replaces earlier ones: no variable and no accessor of a property does."""
    is_property = names.kinds[ordinal] == SymbolKind.PROPERTY
    return (names.is_function(ordinal) and not is_property) or names.is_class(ordinal)


def _get_line(bound: Bound) -> int:
    return bound.line


def list_later_stars(names: PythonNames, found: Sequence[int], imports: Sequence[Imported]) -> list[Imported]:
    """Return the star imports of a module after all declarations of a name; all without declarations."""
    lines = [*(int(names.record.starts[one]) for one in found), *(one.line for one in imports)]
    return [
        one
        for one in names.imports.get((0, STAR), ())
        if one.name == STAR and one.line > max(lines, default=0)
    ]
