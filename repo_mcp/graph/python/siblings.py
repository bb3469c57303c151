"""Tells where `super()` may lead to a class that is no base of the class around it.

In `class Both(Left, Right)`, whose bases both derive from Top, `super()` in Left means Right if the object is
a Both, so that what looks like a member of Top may be Right's. Left out on purpose: classes that derive from
another one under an alias.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from repo_mcp.graph.program import Program
from repo_mcp.graph.python.classes import Class, PythonClasses
from repo_mcp.graph.python.scoping import Value
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import ReferenceRole

MAX_KEPT = 20_000  # classes for which the derived classes are cached
MAX_FILES = 100  # files that are examined for the classes that derive from one


class PythonSiblings:
    """Finds the classes that other classes of one program derive from together."""

    def __init__(self, program: Program, classes: PythonClasses) -> None:
        self._program = program
        self._classes = classes
        self._derived: LruCache[Class, list[Class]] = LruCache(MAX_KEPT, lambda found: 1 + len(found))
        self._below: LruCache[Class, tuple[int, list[Class]]] = LruCache(
            MAX_KEPT, lambda found: 1 + len(found[1])
        )

    def may_precede(self, around: Class, found: Value, name: str) -> bool:
        """Return whether a derived class puts a member of this name before the one that a class has."""
        record = self._program.find_record(found.path)
        declaring = (found.path, record.get_parent(found.ordinal)) if record is not None else around
        own, _ = self._classes.list_order(around)
        for below in self._derived.get(around, lambda: list(self._iter_derived(around))):
            order, _ = self._classes.list_order(below)
            if around in order and declaring in order:
                between = order[order.index(around) + 1 : order.index(declaring)]
                if any(one not in own and self._classes.declares(one, name) for one in between):
                    return True
        return False

    def _iter_derived(self, first: Class) -> Iterator[Class]:
        """Yield the classes that derive from one, directly or not, until MAX_FILES are examined."""
        waiting, seen, left = [first], {first}, MAX_FILES
        while waiting and left > 0:
            one = waiting.pop()
            files, found = self._below.get(one, partial(self._find_below, one))
            left -= files
            for below in found:
                if below not in seen:
                    seen.add(below)
                    waiting.append(below)
                    yield below

    def _find_below(self, above: Class) -> tuple[int, list[Class]]:
        """Return the number of files examined, and the classes in them that name a class as a base.

        It is the same class if it is in their lookup order.
        """
        path, ordinal = above
        record = self._program.find_record(path)
        name = record.get_name(ordinal) if record is not None else ""
        using = self._program.list_using(name)[:MAX_FILES]
        naming = (one for user in using for one in self._iter_naming(user, name))
        return len(using), [one for one in naming if above in self._classes.list_order(one)[0]]

    def _iter_naming(self, path: str, name: str) -> Iterator[Class]:
        """Yield the classes of a file with a base of a name."""
        record = self._program.find_record(path)
        for row in record.list_named_role(name, ReferenceRole.INHERIT) if record is not None else ():
            assert record is not None
            yield path, int(record.ref_symbols[row])
