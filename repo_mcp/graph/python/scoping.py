"""Meanings of bare names and module members: scopes, imports, re-exports and stars, across files.

Every name is followed to its declaration, through any `__init__` files but at most MAX_HOPS modules. A cycle
of imports ends where it began.

Each meaning of an expression is a small record, a `Value`.
"""

from __future__ import annotations

import builtins
from enum import IntEnum
from typing import NamedTuple

from repo_mcp.graph.program import Program
from repo_mcp.graph.python.declared import STAR, Declared, keep_in_effect, list_later_stars
from repo_mcp.graph.python.modules import PythonModules
from repo_mcp.graph.python.names import Imported, PythonNames, find_scope
from repo_mcp.lru_cache import LruCache

MAX_FILES = 2_000  # files whose tables are cached
MAX_KEPT = 200_000  # cached answers
MAX_HOPS = 12  # from one module to the next
MAX_VALUES = 8  # meanings of one name
_BUILTINS = frozenset(dir(builtins))
OUTER = -1  # ordinal of an external value, in any form but OUTSIDE


class Form(IntEnum):
    """The kinds of values that an expression can have."""

    OBJECT = 0  # the declared thing itself: a class, a function, a variable
    INSTANCE = 1  # of the class with that ordinal
    MODULE = 2  # path is a module's; ordinal 0
    OUTSIDE = 3  # something external; path is its dotted name
    ITEMS = 4  # holds instances of that class, or of an external one, whose ordinal is OUTER
    VALUES = 5  # a mapping whose values are instances of it
    PARENT = 6  # super() in a method of that class
    GIVES_ITEM = 7  # a method that returns one of the items
    GIVES_ITEMS = 8  # a method that returns several of them
    MAKES = 9  # the `__new__` of `object`, looked up on that class


class Value(NamedTuple):
    """One meaning of an expression."""

    form: Form
    path: str
    ordinal: int = 0
    # False if inferred from return statements or items: likely, not certain.
    is_certain: bool = True
    # For a member's OBJECT: path and ordinal of the class it was looked up on. Otherwise empty.
    owner: tuple[str, int] | tuple[()] = ()
    is_open: bool = False  # True for the result of one of several overloads, if it is unknown which
    is_choice: bool = (
        False  # True if a variable may have another value instead: sure only if both lead to one
    )

    def like(self, other: Value) -> Value:
        """Return the same value, no surer than another one that leads to it."""
        if other.is_certain and not other.is_open and not other.is_choice:
            return self
        return self._replace(
            is_certain=self.is_certain and other.is_certain,
            is_open=self.is_open or other.is_open,
            is_choice=self.is_choice or other.is_choice,
        )

    def guessed(self) -> Value:
        """Return the same value, marked as merely likely."""
        return self._replace(is_certain=False) if self.is_certain else self


def take_item(value: Value) -> Value:
    """Return the value of one of the items that a value holds."""
    if value.ordinal == OUTER:
        return make_external(value.path + "()")
    return value._replace(form=Form.INSTANCE, is_certain=False)


def make_external(name: str) -> Value:
    """Return the value of something external."""
    return Value(Form.OUTSIDE, name)


def merge_values(groups: list[list[Value]]) -> list[Value]:
    """Return all values in order without duplicates, at most MAX_VALUES."""
    found: dict[tuple[int, str, int], Value] = {}
    for group in groups:
        for value in group:
            found.setdefault(value[:3], value)
    return list(found.values())[:MAX_VALUES]


def _list_scopes(names: PythonNames, ordinal: int, skip_own: bool) -> tuple[list[int], list[int]]:
    """Return the scopes around a symbol that it sees, innermost first, and the other classes."""
    around = list(names.iter_around(ordinal))
    scopes: list[int] = []
    classes: list[int] = []
    for scope in around[1:] if skip_own and ordinal else around:
        is_open = not names.is_class(scope) or scope == ordinal or (skip_own and scope == around[1])
        (scopes if not scope or is_open else classes).append(scope)
    return scopes, classes


class PythonScoping:
    """The names in the modules of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.modules = PythonModules(program)
        self._names: LruCache[str, PythonNames | None] = LruCache(MAX_FILES)
        self._members: LruCache[tuple[str, str], list[Value]] = LruCache(MAX_KEPT)
        self._asked: set[tuple[str, str]] = set()  # in the current question: each module once per name

    def find_names(self, path: str) -> PythonNames | None:
        """Return the tables of a file, or None for one without a symbol record."""
        return self._names.get(path, lambda: self._read_names(path))

    def find_names_of(self, value: Value) -> PythonNames | None:
        """Return the tables of the file that declares an object; None for any other value."""
        return self.find_names(value.path) if value.form is Form.OBJECT else None

    def _read_names(self, path: str) -> PythonNames | None:
        record = None if path.endswith("/") else self.program.find_record(path)
        return None if record is None else PythonNames(record)

    def look_up(
        self,
        path: str,
        ordinal: int,
        name: str,
        skip_own: bool = False,
        is_head: bool = False,
        line: int = 0,
        *,
        as_type: bool = False,
    ) -> list[Value]:
        """Return the meanings of a bare name that a symbol reads on a line.

        With `skip_own` it is looked up from outside the symbol. With `is_head` it is in the head of a method
        whose class binds it: a method that is declared there, or one whose name is written as a type, is not
        meant.
        """
        names = self.find_names(path)
        if names is None:
            return []
        ordinal = find_scope(names, ordinal)
        if skip_own and ordinal:
            own, line = names.parents[ordinal], int(names.record.starts[ordinal]) - 1
        else:
            own = ordinal
        if is_head:
            found = self._look_in(path, names, names.find_class(names.parents[ordinal]), name)
            found = self._keep_earlier(found, path, ordinal, as_type)
            if found:
                return found
        scopes, classes = _list_scopes(names, ordinal, skip_own)
        for scope in scopes:
            found = self._look_in(path, names, scope, name, line if scope == own else 0)
            if found:
                return found
        # The annotations, defaults and decorators of a method are evaluated in the scope of its class, its
        # body is not. Which of both has the name is not recorded.
        for scope in classes if (ordinal, name) in names.heads or skip_own else ():
            found = self._look_in(path, names, scope, name)
            found = found if skip_own else self._keep_earlier(found, path, ordinal, as_type)
            if found:
                return found
        return [make_external(f"builtins.{name}")] if name in _BUILTINS else []

    def _keep_earlier(self, found: list[Value], path: str, ordinal: int, as_type: bool) -> list[Value]:
        """Return meanings in a class without methods from a symbol on; for a type, without any method."""
        kept = []
        for one in found:
            names = self.find_names_of(one)
            is_method = names is not None and names.is_function(one.ordinal)
            if not is_method or not (as_type or (one.path == path and one.ordinal >= ordinal)):
                kept.append(one)
        return kept

    def _look_in(self, path: str, names: PythonNames, scope: int, name: str, line: int = 0) -> list[Value]:
        if not scope:
            return self._find_at(path, name, line) if line else self.find_member(path, name)
        declared = Declared(names.list_declared(scope, name), names.imports.get((scope, name), []))
        declared = keep_in_effect(names, scope, name, declared, line)
        groups = [[Value(Form.OBJECT, path, ordinal) for ordinal in declared.ordinals]]
        for imported in declared.imports:
            groups.append(self.follow(path, imported, name))
        found = merge_values(groups)
        if len(found) > 1 and names.is_function(scope):
            # Branches of a function import or declare it differently; the text does not show which one ran.
            return [one.guessed() for one in found]
        return found

    def find_member(self, module: str, name: str, hops: int = 0) -> list[Value]:
        """Return the meanings of a name in a module: declared there, imported, or a submodule."""
        key = (module, name)
        known = self._members.find(key)
        if known is not None:
            return known
        if not hops:
            self._asked.clear()
        if hops > MAX_HOPS or key in self._asked:
            return []
        self._asked.add(key)
        found = self._find_member(module, name, hops)
        if not hops:
            self._members.put(key, found)
        return found

    def _find_at(self, module: str, name: str, line: int) -> list[Value]:
        """Return the meanings of a name on a line of a module itself."""
        names = self.find_names(module)
        if names is None or not names.binds_again(name):
            return self.find_member(module, name)
        self._asked.clear()
        return self._find_member(module, name, 0, line)

    def _find_member(self, module: str, name: str, hops: int, line: int = 0) -> list[Value]:
        names = self.find_names(module)
        groups: list[list[Value]] = []
        if names is not None:
            declared = Declared(names.list_declared(0, name), names.imports.get((0, name), []))
            stars = list_later_stars(names, *declared) if any(declared) else []
            starred = {one: self._follow_star(module, one, name, hops) for one in stars}
            stars = [one for one in stars if starred[one]]
            declared = Declared(declared.ordinals, [*declared.imports, *stars])
            declared = keep_in_effect(names, 0, name, declared, line)
            groups.append([Value(Form.OBJECT, module, ordinal) for ordinal in declared.ordinals])
            for imported in declared.imports:
                found = starred.get(imported)
                groups.append(self.follow(module, imported, name, hops + 1) if found is None else found)
            if len({one[:3] for group in groups for one in group}) > 1:
                # `try: from a import x`, `except ImportError: def x()`: the text does not show which one
                # holds.
                groups = [[one.guessed() for one in group] for group in groups]
            if not any(groups):
                groups.append(self._find_starred(module, names, name, hops))
        if not any(groups):
            below = self.modules.find_submodule(module, name)
            groups.append([] if below is None else [Value(Form.MODULE, below)])
        return merge_values(groups)

    def _find_starred(self, module: str, names: PythonNames, name: str, hops: int) -> list[Value]:
        """Return the meanings that a name has by star imports: those of the last one that has it."""
        found = []
        for imported in names.imports.get((0, STAR), ()):
            if imported.name == STAR and (values := self._follow_star(module, imported, name, hops)):
                found.append((imported, values))
        kept = keep_in_effect(names, 0, STAR, Declared([], [imported for imported, _ in found]), 0).imports
        groups = [values for imported, values in found if imported in kept]
        merged = merge_values(groups)
        return merged if len(merged) < 2 or len(groups) < 2 else [one.guessed() for one in merged]

    def _follow_star(self, module: str, imported: Imported, name: str, hops: int) -> list[Value]:
        source = self.modules.find_module(module, imported.module)
        if source is None or source == module or not self.is_exported(source, name, hops):
            return []
        return self.find_member(source, name, hops + 1)

    def is_exported(self, module: str, name: str, hops: int) -> bool:
        """Return whether a star import of a module binds a name, provided the module has it."""
        names = self.find_names(module)
        key = (module, f"{name} exported")
        if names is None or hops > MAX_HOPS or key in self._asked:
            return False
        self._asked.add(key)
        if not names.exports:
            return not name.startswith("_")
        if ("", name) in names.exports:
            return True
        for qualifier, exported in names.exports:
            if exported == "*":
                for value in self.find_member(module, qualifier, hops + 1):
                    if value.form is Form.MODULE and self.is_exported(value.path, name, hops + 1):
                        return True
        return False

    def follow(self, path: str, imported: Imported, alias: str, hops: int = 0) -> list[Value]:
        """Return the meanings that an import binds to a local name."""
        if not imported.name:
            top, dot, _ = imported.module.partition(".")
            name = top if dot and top == alias else imported.module
            module = self.modules.find_module(path, name)
            return [make_external(name) if module is None else Value(Form.MODULE, module)]
        if imported.name == "*":
            return []
        module = self.modules.find_module(path, imported.module)
        if module is None:
            if imported.module.startswith("."):
                return []
            return [make_external(f"{imported.module}.{imported.name}")]
        if module == path and hops:
            below = self.modules.find_submodule(module, imported.name)
            return [] if below is None else [Value(Form.MODULE, below)]
        return self.find_member(module, imported.name, hops)
