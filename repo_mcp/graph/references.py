"""The references of one program: which files may hold them, by which names, and what each means.

A name is searched for in the files that use it or import it, nearest to the symbol first. What a reference
means is for the resolver of its language; the type of its edge is decided here, by its role and its target.

Left out on purpose: the search itself; see `repo_mcp/graph/reference_search.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge

from repo_mcp.graph.hierarchy.dispatch import Dispatch
from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS, Hierarchy
from repo_mcp.graph.importers import (
    DEFAULT,
    INDEX,
    Importers,
    is_named_by_importers,
    is_whole,
    list_file_names,
)
from repo_mcp.graph.nodes import NamedProgram
from repo_mcp.graph.program import Declaration, Resolution, Target, order_by_nearness
from repo_mcp.graph.prototypes import Prototypes
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.graph.user_roles import find_user_role
from repo_mcp.graph.visibility.c import CVisibility
from repo_mcp.graph.visibility.go import GoVisibility
from repo_mcp.graph.visibility.linked_names import LinkedNames
from repo_mcp.graph.visibility.rust import RustVisibility
from repo_mcp.graph.visibility.swift import SwiftVisibility
from repo_mcp.graph.vocabulary import BASES, ROLE_EDGES, EdgeType, find_family, is_in_text
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind, SymbolRecord
from repo_mcp.text.roles import FileRole

MAX_FILES = 400  # scanned in one window
MAX_PARTS = 2_000  # of one namespace

_DEFINING_OUTSIDE = "c"  # the family of languages whose classes have members that are defined outside of them
# the family of languages whose files import the main file of a package by the name of the package
_NAMING_PACKAGES = "javascript"
_WITH_NAMESPACES = "csharp"  # the language whose files name namespaces, each declared in many files


class References:
    """Resolves the references of one program. Used by one call at a time; may raise IndexFormatError."""

    def __init__(self, program: NamedProgram, resolvers: Resolvers) -> None:
        self._program = program
        self._resolvers = resolvers
        self.bodies = resolvers.bodies
        self.prototypes = Prototypes(program)
        self.importers = Importers(program)
        self.hierarchy = Hierarchy(program, resolvers, self.prototypes, self.importers)
        self.dispatch = Dispatch(program, self.hierarchy, self.prototypes)
        self.c_visibility = CVisibility(program)
        self.rust_visibility = RustVisibility(program, self.resolve)
        self.go_visibility = GoVisibility(program)
        self.swift_visibility = SwiftVisibility(program)
        self.linked_names = LinkedNames(program, self.resolve)

    def resolve(self, path: str, record: SymbolRecord, row: int) -> Resolution:
        """Return the meaning of the reference in a row of the file's symbol record."""
        return self._resolvers.resolve(path, record, row)

    def resolve_module(self, path: str, record: SymbolRecord, row: int) -> Resolution:
        """Return the meaning of the module named by the import or export in a row."""
        return self._resolvers.resolve_module(path, record, row)

    def narrow(self, target: Declaration, paths: Sequence[str]) -> Sequence[str]:
        """Return the paths without those of files that cannot name the target, as far as that is known."""
        paths = self.rust_visibility.narrow(target, self.c_visibility.narrow(target, paths))
        return self.swift_visibility.narrow(target, self.go_visibility.narrow(target, paths))

    def could_mean(self, target: Declaration, record: SymbolRecord, row: int) -> bool:
        """Return False if the form of a use in a row rules out the target, as far as that is known."""
        judges = (self.rust_visibility, self.go_visibility, self.swift_visibility)
        return all(one.could_mean(target, record, row) for one in judges)

    def list_candidates(self, name: str, near: str, *, is_imported: bool) -> Sequence[str]:
        """Return the files that use a name, or import a file or module of that name; nearest first."""
        paths = self._program.list_using(name)
        if is_imported:
            paths = list(dict.fromkeys(merge(paths, self._program.list_importing(name))))
        return order_by_nearness(paths, near)

    def is_script(self, target: Declaration) -> bool:
        """Return whether a target is a whole file of JavaScript or TypeScript."""
        return target.ordinal == 0 and self.find_family(target.path) == _NAMING_PACKAGES

    def list_names(self, target: Declaration, record: SymbolRecord) -> list[str]:
        """Return the names under which other files may refer to the target."""
        names = list(_iter_names(target, record))
        for one in self.hierarchy.list_names(target):
            other = self._program.find_record(one.path)
            names += [other.get_name(one.ordinal)] if other is not None else []
        if self._is_namespace(target, record):
            names.append(names[0].rpartition(".")[2])  # enough for a file inside the one around it
        if self.is_script(target):
            return self.importers.list_names(target.path)
        if is_whole(record, target.ordinal):  # a getter of a module that requires it mostly has this name
            names += [one for one in list_file_names(target.path)[:1] if one not in names and one != INDEX]
        return names

    def list_parts(self, target: Declaration, record: SymbolRecord) -> list[Declaration]:
        """Return all declarations of a target that is a namespace of C#: a `using` means any of them."""
        if not self._is_namespace(target, record):
            return []
        name = record.get_name(target.ordinal)
        paths = self._program.list_declaring(name)[:MAX_PARTS]
        records = {path: one for path in paths if (one := self._program.find_record(path)) is not None}
        return [Declaration(path, one) for path, own in records.items() for one in own.find_symbols(name)]

    def _is_namespace(self, target: Declaration, record: SymbolRecord) -> bool:
        is_module = record.get_kind(target.ordinal) is SymbolKind.MODULE
        return is_module and self._program.find_language(target.path) == _WITH_NAMESPACES

    def find_family(self, path: str) -> str:
        """Return the family of a file's language: the languages that can name each other's symbols."""
        return find_family(self._program.find_language(path))

    def find_user_role(self, user: Declaration) -> FileRole:
        """Return the role of a symbol that uses another."""
        return find_user_role(self._program, user)

    def find_record(self, path: str) -> SymbolRecord | None:
        """Return the symbol record of a file, or None."""
        return self._program.find_record(path)

    def name_edge(
        self, path: str, record: SymbolRecord, reference: Reference, target: Target
    ) -> EdgeType | None:
        """Return the type of an edge from a file; for a base it depends on the kinds of both ends.

        An extension extends the type that it names, even a protocol. In C++ it only holds the definitions of
        members and is no type, so that naming the class is an ordinary use. None for an EXTENSION of
        Go, which holds methods of the very type that it names.
        """
        if reference.role not in BASES:
            return ROLE_EDGES[reference.role]
        own = record.get_kind(reference.symbol)
        if not is_in_text(self._program.find_language(path), own):
            return None
        if own is SymbolKind.EXTENSION and reference.role is ReferenceRole.EXTEND:
            return EdgeType.REFERENCES if self.find_family(path) == _DEFINING_OUTSIDE else EdgeType.EXTENDS
        other = self._program.find_record(target.declaration.path)
        kind = other.get_kind(target.declaration.ordinal) if other is not None else None
        if kind is SymbolKind.TYPE and reference.role is ReferenceRole.IMPLEMENT:
            return EdgeType.IMPLEMENTS  # another name of an object type
        if kind in ABSTRACT_KINDS:
            if own in ABSTRACT_KINDS:
                return EdgeType.EXTENDS
            may_satisfy = self.hierarchy.may_satisfy(Declaration(path, reference.symbol), target.declaration)
            return EdgeType.IMPLEMENTS if may_satisfy else EdgeType.INHERITS
        return EdgeType.EXTENDS if reference.role is ReferenceRole.EXTEND else EdgeType.INHERITS


def _iter_names(target: Declaration, record: SymbolRecord) -> Iterator[str]:
    """Yield the names by which other files may refer to the target, as far as its own file shows them."""
    symbol = record.get_symbol(target.ordinal)
    if symbol.kind is SymbolKind.FILE:
        yield from list_file_names(target.path)
        return
    if symbol.name != DEFAULT or not is_named_by_importers(record, target.ordinal):
        yield symbol.name
    if symbol.kind is SymbolKind.CONSTRUCTOR:
        yield record.get_name(symbol.parent)
