"""The objects, functions and classes that are passed to the calls of a TypeScript file, and what is in them.

An object or a function is named by EXPECTED and its offset, as in the rows of the file, a class by EXPECTED
and its name. A text such as "@120.a.b()" is a path: the member `a` of the object at 120, and then the result
of its function `b`. "@120.()" is what the function at 120 gives, and "@120.().[]" an item of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.languages.treesitter.scope_walk import CALLED, TYPE
from repo_mcp.languages.typescript.contextual_types import GIVEN
from repo_mcp.languages.typescript.walk import EXPECTED
from repo_mcp.symbols.model import ITSELF, OF_PARAMETER, RESULT, read_parameter
from repo_mcp.symbols.symbol_record import Reference

Binds = Mapping[tuple[int, str], list[Reference]]


def is_class_name(text: str) -> bool:
    """Return whether a text names what is passed to a call and may be a class: "@Box"."""
    return text.startswith(EXPECTED) and text[1:2].isalpha()


class Literals:
    """Finds the objects that are passed to the calls of a file, and what is known of their members."""

    def __init__(self, binds: Binds) -> None:
        self._passed: dict[tuple[str, str, int], dict[int, str]] = {}
        # the classes that are passed to each call: line -> position -> name
        self._classes: dict[tuple[str, str], dict[int, dict[int, str]]] = {}
        self._members: dict[str, dict[str, str]] = {}  # of an object: the object that a member is
        self._results: dict[str, dict[str, str]] = {}  # the object that a member returns
        self._calls: dict[str, dict[str, list[Reference]]] = {}  # the call whose result a member is
        self._given: dict[str, list[Reference]] = {}  # what a passed function gives
        for (_, alias), rows in binds.items():
            if is_class_name(alias):
                self._add_class(alias, rows)
            elif alias.startswith(EXPECTED):
                self._add(alias, rows)

    def _add_class(self, alias: str, rows: list[Reference]) -> None:
        for one in rows:
            calls = self._classes.setdefault((one.name, one.qualifier), {})
            calls.setdefault(one.line, {})[read_parameter(one.arguments)[0]] = alias

    def _add(self, alias: str, rows: list[Reference]) -> None:
        owner, _, name = alias.partition(".")
        row = rows[0]
        if name == GIVEN:
            self._given[owner] = rows
        elif name:
            if row.arguments == CALLED:
                self._calls.setdefault(owner, {})[name] = rows
        elif row.arguments >= OF_PARAMETER:
            position, index = read_parameter(row.arguments)
            if index == ITSELF:
                for one in rows:
                    self._passed.setdefault((one.name, one.qualifier, one.line), {})[position] = alias
            elif index == RESULT and not position and row.qualifier.startswith(EXPECTED):
                self._results.setdefault(row.qualifier, {})[row.name] = alias.removesuffix("r")
        elif row.arguments == TYPE and row.qualifier.startswith(EXPECTED):
            self._members.setdefault(row.qualifier, {})[row.name] = alias

    def find_passed_objects(self, row: Reference) -> Mapping[int, str]:
        """Return the objects that are passed to the call in a row, by argument position, counted from 1."""
        return self._passed.get((row.name.partition("<")[0], row.qualifier, row.line), {})

    def list_passed_classes(self, row: Reference) -> Mapping[int, Mapping[int, str]]:
        """Return what may be a class among the arguments of the calls of a name, by line and position."""
        return self._classes.get((row.name.partition("<")[0], row.qualifier), {})

    def list_given(self, literal: str) -> Sequence[Reference]:
        """Return the rows of what a passed function gives; nothing for an object."""
        return self._given.get(literal, ())

    def list_members(self, literal: str) -> Iterable[str]:
        """Return the names of the members of an object whose values are known."""
        known = self._members, self._results, self._calls
        return dict.fromkeys(name for each in known for name in each.get(literal, ()))

    def step(self, literal: str, name: str) -> str:
        """Return the object that a member is, or returns for a name with "()"; "" for none."""
        found = self._results if name.endswith("()") else self._members
        return found.get(literal, {}).get(name.removesuffix("()"), "")

    def find_call(self, literal: str, name: str) -> list[Reference]:
        """Return the rows of the call whose result a member of an object is."""
        return self._calls.get(literal, {}).get(name, [])
