"""Functions and classes of Python that a program replaces: `Shape.area = other`, `module.run = wrapped`.

A use of a replaced function need not mean the declared one. Assignments to attributes of names that lead to a
class or a module count in any file, and assignments to methods of `self` in the class itself. A test replaces
something only for itself: its assignments count in its own file alone.

Left out on purpose: `setattr`, `mock.patch` and attributes of single objects.
"""

from __future__ import annotations

from collections.abc import Iterator

from repo_mcp.graph.program import Program
from repo_mcp.graph.python.classes import Class, PythonClasses
from repo_mcp.graph.python.scoping import Form, PythonScoping, Value
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.model import REPLACED
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.roles import is_test_path

MAX_KEPT = 50_000  # cached answers
MAX_FILES = 40  # files that assign an attribute of one name

_Store = tuple[str, str, int]  # the file of an assignment, and the class or (ordinal 0) module


class PythonReplacements:
    """The replaced functions and classes of one program."""

    def __init__(self, program: Program, scoping: PythonScoping, classes: PythonClasses) -> None:
        self._program = program
        self._scoping = scoping
        self._classes = classes
        self._stores: LruCache[str, list[_Store]] = LruCache(MAX_KEPT)
        self._files: LruCache[tuple[Value, tuple[str, int] | tuple[()]], frozenset[str]] = LruCache(MAX_KEPT)

    def is_replaced(self, reader: str, value: Value) -> bool:
        """Return whether something replaces a declared function or class, as seen from a file."""
        files = self._files.get((value, value.owner), lambda: self._find_files(value))
        return any(one == reader or not is_test_path(one) for one in files)

    def is_runnable(self, value: Value) -> bool:
        """Return whether a value is a declared function or class."""
        names = self._scoping.find_names_of(value)
        return names is not None and (
            names.kinds[value.ordinal] in CALLABLE_KINDS or names.is_class(value.ordinal)
        )

    def _find_files(self, value: Value) -> frozenset[str]:
        names = self._scoping.find_names_of(value)
        if names is None or not self.is_runnable(value):
            return frozenset()
        name = names.record.get_name(value.ordinal)
        parent = names.parents[value.ordinal]
        stores = self._stores.get(name, lambda: list(self._iter_stores(name)))
        if not parent:
            return frozenset(one[0] for one in stores if one[1:] == (value.path, 0))
        if not names.is_class(parent):
            return frozenset()
        holders = self._list_nearer((value.path, parent), value.owner)
        own = {one[0] for one in holders if self._is_assigned_by(one, name)}
        return frozenset(own | {one[0] for one in stores if one[1:] in holders})

    def _list_nearer(self, declaring: Class, owner: Class | tuple[()]) -> list[Class]:
        """Return the classes in which a member is looked up, up to the one that declares it."""
        if not owner or owner == declaring:
            return [declaring]
        order, _ = self._classes.list_order(owner)
        return order[: order.index(declaring) + 1] if declaring in order else [declaring]

    def _is_assigned_by(self, one: Class, name: str) -> bool:
        """Return whether a method of a class assigns an attribute of its object or its class."""
        names = self._scoping.find_names(one[0])
        bounds = names.replaced.get(name, ()) if names is not None else ()
        for bound in bounds:
            assert names is not None
            method = names.find_method(bound.symbol, bound.qualifier)
            if method and names.parents[method] == one[1]:
                return True
        return False

    def _iter_stores(self, name: str) -> Iterator[_Store]:
        for path in self._program.list_using(f"{REPLACED}{name}")[:MAX_FILES]:
            names = self._scoping.find_names(path)
            for bound in names.replaced.get(name, ()) if names is not None else ():
                for value in self._classes.find_dotted(path, bound.symbol, bound.qualifier):
                    if value.form is Form.MODULE:
                        yield path, value.path, 0
                    elif self._classes.is_class(value):
                        yield path, value.path, value.ordinal
