"""The conditions of the preprocessor: those around a line of C, and whether two lines exclude each other.

A name means a declaration for sure only where no condition stands around the declaration that does not hold
at the use as well. Declarations that exclude each other are alternatives: each is meant where it is compiled.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.platforms import ALL, read_condition, read_path
from repo_mcp.symbols.model import CONDITIONS
from repo_mcp.symbols.symbol_record import ReferenceRole


@dataclass(frozen=True, slots=True)
class Setting:
    """The conditions that hold where a line is compiled."""

    conditions: frozenset[str] = frozenset()  # as written
    platforms: int = ALL  # for which it may be compiled, by the conditions and by the path of the file
    told: int = ALL  # the same by the conditions alone


def read_setting(path: str, conditions: Iterable[str]) -> Setting:
    """Return what holds at lines of a file that have some conditions around them."""
    held = frozenset(conditions)
    told = ALL
    for one in held:
        told &= read_condition(one)[1]
    return Setting(held, told & read_path(path), told)


class Settings:
    """The conditions that hold at the lines of files. Keeps what it read."""

    def __init__(self) -> None:
        self._by_path: dict[str, tuple[list[int], list[Setting]]] = {}

    def find(self, scope: FileScope, line: int) -> Setting:
        """Return what holds where a line is compiled."""
        if scope.path not in self._by_path:
            self._by_path[scope.path] = _read_settings(scope)
        lines, settings = self._by_path[scope.path]
        return settings[bisect_right(lines, line)]

    def find_declared(self, scope: FileScope, ordinal: int) -> Setting:
        """Return what holds where a symbol begins."""
        return self.find(scope, int(scope.record.starts[ordinal]))


def _read_settings(scope: FileScope) -> tuple[list[int], list[Setting]]:
    """Return the lines from which on other conditions hold, and what holds there; before them none do."""
    record = scope.record
    binding = (
        map(record.get_reference, record.list_role(ReferenceRole.BIND))
        if CONDITIONS in record.strings
        else ()
    )
    rows = [row for row in binding if row.alias == CONDITIONS]
    known = {"": read_setting(scope.path, ())}
    for row in rows:
        if row.name not in known:
            known[row.name] = read_setting(scope.path, row.name.split(";"))
    return [row.line for row in rows], [known[""], *(known[row.name] for row in rows)]


def excludes(one: Setting, other: Setting) -> bool:
    """Return whether two lines are never compiled together."""
    return not one.platforms & other.platforms or excludes_surely(one, other)


def excludes_surely(one: Setting, other: Setting) -> bool:
    """Return whether conditions say so; what a path is called is no rule of the language."""
    if not one.told & other.told:
        return True
    return _contradicts(one.conditions, other.conditions) or _contradicts(other.conditions, one.conditions)


def _contradicts(conditions: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether some condition says that others do not hold."""
    for one in conditions:
        if one.startswith("!("):
            denied = one[2:-1]
            if denied in others or others.issuperset(denied.split(" && ")):
                return True
        elif one.startswith("!") and one[1:] in others:
            return True
    return False


def is_open(use: Setting, declared: Setting) -> bool:
    """Return whether a condition around a declaration is not known to hold where it is used."""
    return any(
        use.platforms & ~read_condition(one)[0] for one in declared.conditions if one not in use.conditions
    )


def is_special(one: Setting, other: Setting) -> bool:
    """Return whether one line is for some of the platforms of another, as a fallback and what replaces it."""
    both = one.platforms & other.platforms
    return one.platforms != other.platforms and both in {one.platforms, other.platforms}
