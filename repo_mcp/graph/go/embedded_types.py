"""The types of Go that embed others: what a type embeds, and what embeds it, under every name of both.

Left out on purpose: which of the methods are promoted (`method_sets.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from repo_mcp.graph.go.lookup import GoLookup
from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typed.file_scope import FileScope, split_name
from repo_mcp.graph.typed.rules import FoundDeclarations, Path
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind

MAX_FILES = 500  # examined for types with a method of one name, and as many for types that embed others
MAX_EMBEDDING = 200  # types that embed others with a method, for one interface

# the role of what a struct embeds, and of what an interface embeds
_EMBEDS = (ReferenceRole.INHERIT, ReferenceRole.EXTEND)
_OWN_KINDS = frozenset({SymbolKind.STRUCT, SymbolKind.TYPE})
_Find = Callable[[FileScope, int, Path], FoundDeclarations]


class EmbeddedTypes:
    """Finds embedded and embedding types for one question."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.lookup = GoLookup(program)
        self._examined: set[str] = set()  # files outside the package of the type that they may embed
        self.is_cut = False  # a limit was reached

    def find_types(self, owner: Declaration) -> list[Declaration]:
        """Return a type itself; for an extension or an alias, the type that it extends or stands for."""
        self.lookup.begin_question()
        is_extension = self.lookup.get_kind(owner) is SymbolKind.EXTENSION
        found = self.lookup.find_extended(owner) if is_extension else self.lookup.list_meant(owner)
        return [one for one in found if self.lookup.get_kind(one) in _OWN_KINDS]

    def list_with_method(self, paths: list[str], name: str) -> list[Declaration]:
        """Return the types that declare a method in some files, or that embed what declares it."""
        owners = [owner for _, owner in self._iter_owners(paths, name)]
        found = [
            one
            for owner in owners
            for one in ([owner] if self.is_interface(owner) else self.find_types(owner))
        ]
        return [one for one in self.add_embedding(found) if self.find_types(one) == [one]]

    def list_interfaces(self, paths: list[str], name: str) -> list[Declaration]:
        """Return the interfaces of some files that declare a method, and those that embed them."""
        owners = self._iter_owners(paths, name)
        found = [one for scope, one in owners if scope.get_kind(one.ordinal) is SymbolKind.INTERFACE]
        return [one for one in self.add_embedding(found) if self.is_interface(one)]

    def is_interface(self, one: Declaration) -> bool:
        """Return whether a type is an interface."""
        return self.lookup.get_kind(one) is SymbolKind.INTERFACE

    def add_embedding(self, declarations: list[Declaration]) -> list[Declaration]:
        """Return types with those that embed them, directly or through others, and the aliases of all."""
        found = dict.fromkeys(declarations)
        most = len(found) + MAX_EMBEDDING
        waiting = deque(found)
        while waiting and len(found) < most:
            for one in self._list_embedding(waiting.popleft()):
                if one not in found:
                    found[one] = None
                    waiting.append(one)
        self.is_cut = self.is_cut or bool(waiting)
        return [*found]

    def _iter_owners(self, paths: list[str], name: str) -> Iterator[tuple[FileScope, Declaration]]:
        for path in paths:
            scope = self.lookup.find_scope(path)
            for ordinal in scope.find_named(name) if scope is not None else ():
                assert scope is not None
                if scope.get_kind(ordinal) is SymbolKind.METHOD:
                    yield scope, Declaration(path, scope.get_parent(ordinal))

    def _list_embedding(self, embedded: Declaration) -> list[Declaration]:
        """Return the types that embed a type, under the name of this declaration, and its aliases."""
        record = self._program.find_record(embedded.path)
        if record is None:
            return []
        name, types = record.get_name(embedded.ordinal), {*self.lookup.list_meant(embedded)}
        found = []
        for path in self._list_naming(embedded.path, name):
            other = self.lookup.find_scope(path)
            if other is None:
                continue
            for row in other.record.list_named_role(name, *_EMBEDS):
                one = Declaration(path, int(other.record.ref_symbols[row]))
                found += [one] if not types.isdisjoint(self.list_embedded(one)) else []
            aliases = self.lookup.list_naming(path, name)
            found += [one for one in aliases if not types.isdisjoint(self.lookup.list_meant(one))]
        return found

    def _list_naming(self, declared_in: str, name: str) -> list[str]:
        """Return the files in which a name may mean a type of a package: its own and those that import it.

        Only the others are limited in number: a type that is not exported is embedded in its package alone.
        """
        paths, folder = self._program.list_using(name), declared_in.rpartition("/")[0]
        own = [one for one in paths if one.rpartition("/")[0] == folder]
        if not name[:1].isupper():
            return own
        imported = self.lookup.modules.list_import_paths(folder)
        importing = {one for each in imported for one in self._program.list_including(each)}
        others = [one for one in paths if one in importing or not imported]
        others = [one for one in others if one.rpartition("/")[0] != folder]
        return own + [one for one in others if self._may_examine(one)]

    def _may_examine(self, path: str) -> bool:
        """Return whether a file was examined for embedding types, or may still be."""
        if len(self._examined) < MAX_FILES:
            self._examined.add(path)
        is_examined = path in self._examined
        self.is_cut = self.is_cut or not is_examined
        return is_examined

    def list_embedded(self, owner: Declaration) -> list[Declaration]:
        """Return the types and interfaces of this repository that a type embeds."""
        return [one for found, _ in self.iter_embedded(owner) for one in found]

    def list_named(self, owner: Declaration) -> list[Declaration]:
        """Return the types, interfaces and aliases of this repository that a type embeds by their names."""
        found = self._iter_found(owner, self.lookup.find_named)
        return [one for named, _ in found for one in named.declarations]

    def iter_embedded(self, owner: Declaration) -> Iterator[tuple[tuple[Declaration, ...], str]]:
        """Yield the meaning of each embedded name: declarations, or an external name."""
        for found, name in self._iter_found(owner, self.lookup.find_type):
            yield found.declarations, found.external or name

    def _iter_found(self, owner: Declaration, find: _Find) -> Iterator[tuple[FoundDeclarations, str]]:
        """Yield what each embedded name leads to, with the name as it is written."""
        scope = self.lookup.find_scope(owner.path)
        for row in scope.list_bases(owner.ordinal) if scope is not None else ():
            assert scope is not None
            names = split_name(row)
            self.lookup.begin_question()
            yield find(scope, scope.get_parent(owner.ordinal), names), ".".join(names)
