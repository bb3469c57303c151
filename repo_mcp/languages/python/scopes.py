"""Scopes of a Python text: the bare names that are bound inside functions, and those bound outside.

During the walk a scope gathers the names that it binds and the bare names that it reads. After the walk,
`find_variables` decides for each scope which names are variables of it or of functions around it: those are
not references. A name that a function binds by `import`, `def` or `class` is no variable: its uses are
references, and the resolver finds their target. Builtins that are not rebound are dropped as well. Reads of
names that a function has already bound are not even gathered, until it declares a name or has `global` or
`nonlocal` names: a read between `x = 1` and a later `import x` in one function is not the import.

Left out on purpose: control flow. A name is bound in the whole of its scope, as in the language.
"""

from __future__ import annotations

import builtins
from collections.abc import Set
from enum import IntEnum

from repo_mcp.symbols.model import AROUND_CLASS, OF_CLASS, UNKNOWN_TYPE
from repo_mcp.symbols.record_builder import ReferenceKey
from repo_mcp.symbols.symbol_record import Binding, ReferenceRole

BUILTINS = frozenset(dir(builtins)) | {
    "__file__", "__path__", "__class__", "WindowsError", "unicode", "basestring", "xrange", "raw_input",
    "unichr", "reveal_type", "reveal_locals", "__annotations__", "__module__", "__qualname__", "__dict__",
}  # fmt: skip

NO_NAMES: frozenset[str] = frozenset()
BIND, SAME = int(ReferenceRole.BIND), int(Binding.SAME)


class ScopeKind(IntEnum):
    """The kind of node that opens a scope."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2  # a lambda as well
    COMPREHENSION = 3  # walruses in it bind in the scope around it


# Looking up a member of an enumeration takes 0.2 us, as long as adding a row.
MODULE, CLASS, FUNCTION, COMPREHENSION = ScopeKind


class Scope:
    """One scope of a text. Its parent is the scope around it, or the one with which it shares its names."""

    __slots__ = (
        "class_ordinal", "declared", "global_names", "hidden", "hiding", "kind", "line", "local",
        "nonlocal_names", "opaque", "owner", "parent", "reads", "self_name", "unbound", "variables",
    )  # fmt: skip

    def __init__(self, kind: ScopeKind, parent: Scope | None, owner: int, line: int) -> None:
        self.kind = kind
        self.line = line  # on which it begins
        self.parent = parent
        self.owner = owner  # ordinal of the symbol that it belongs to
        self.variables: set[str] = set()  # bound by assignment, as a parameter, by a loop, ...
        self.declared: set[str] = set()  # bound by import, def or class
        self.global_names: frozenset[str] = NO_NAMES
        self.nonlocal_names: frozenset[str] = NO_NAMES
        # A function's variables so far; their reads, three in five of all, are dropped at once.
        self.local: Set[str] = self.variables if kind >= FUNCTION else NO_NAMES
        self.reads: dict[ReferenceKey, int] = {}  # -> arguments
        self.hidden: Set[str] = NO_NAMES  # function variables visible here; may be another scope's set
        self.hiding: Set[str] = NO_NAMES  # of its variables those that hide one of a function around it
        # Parameters of lambdas around it, whose types are unknown, even if something else has their names.
        self.opaque: Set[str] = NO_NAMES if parent is None or owner != parent.owner else parent.opaque
        self.unbound: frozenset[str] = BUILTINS  # builtins that are not rebound here
        # First parameter of the method around it, and ordinal of that method's class; "" and 0 for none.
        self.self_name: str = "" if parent is None else parent.self_name
        self.class_ordinal: int = 0 if parent is None else parent.class_ordinal

    def share_names(self) -> Scope:
        """Return another scope of this module that shares its names but has reads of its own."""
        scope = Scope(self.kind, self, self.owner, self.line)
        scope.variables, scope.declared = self.variables, self.declared
        return scope

    def find_variables(self) -> None:
        """Find out which variables are visible here, after the same was done for the scopes around."""
        around = self.parent
        if self.kind is MODULE:
            self.unbound = BUILTINS - self.variables - self.declared if around is None else around.unbound
            return
        while around is not None and around.kind is CLASS:
            around = around.parent  # functions do not see the names of a class around them
        assert around is not None
        self.hidden, self.unbound = around.hidden, around.unbound
        if self.kind is CLASS:
            bound = self.variables | self.declared
            self.hidden = (self.hidden - bound) - self.global_names
            self.unbound -= bound
            return
        if self.global_names:
            self.hidden = self.hidden - self.global_names
        outside = self.global_names | self.nonlocal_names
        if self.declared:
            self.hidden = self.hidden - (self.declared - outside)
            self.unbound -= self.declared
        if self.variables:
            own = self.variables
            if self.declared or outside:
                own = own - self.declared - outside
            if self.hidden and self.owner != around.owner:
                self.hiding = own & self.hidden
            self.hidden = self.hidden | own if self.hidden else own

    def give(self, rows: dict[ReferenceKey, int]) -> None:
        """Add to `rows` the reads of names that are references, after `find_variables`."""
        hidden, unbound = self.hidden, self.unbound
        own = self.variables | self.declared if self.kind is CLASS else NO_NAMES
        unseen = self._list_unseen()
        for read, count in self.reads.items():
            name = read[2]
            if name in own and read[0] != self.owner:  # in the head of a method
                rows[(*read[:4], OF_CLASS, read[5])] = count
            elif name not in hidden and name not in unbound:
                is_unseen = name in unseen and read[0] == self.owner
                rows[(*read[:4], AROUND_CLASS, read[5]) if is_unseen else read] = count
        for name in sorted(self.hiding):
            rows[self.owner, BIND, "", UNKNOWN_TYPE, name, self.line] = SAME  # no other row may show its type

    def _list_unseen(self) -> Set[str]:
        """Return the names of the class around a lambda or a comprehension, which these do not see."""
        around = self.parent
        while self.kind >= FUNCTION and around is not None and around.owner == self.owner:
            if around.kind is CLASS:
                return around.variables | around.declared
            around = around.parent
        return NO_NAMES

    def declare(self, name: str) -> None:
        """Record a name that import, def or class binds."""
        self.declared.add(name)
        self.local = NO_NAMES

    def find_binder(self) -> Scope:
        """Return the scope in which a walrus binds: the nearest one that is no comprehension."""
        scope: Scope = self
        while scope.kind is COMPREHENSION and scope.parent is not None:
            scope = scope.parent
        return scope
