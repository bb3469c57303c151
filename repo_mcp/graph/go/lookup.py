"""Looks up names in Go, by its rules; an alias stands for another type, as in `type Alert = alert.Alert`.

What the text names is the alias itself. Whoever asks for a type, its members, what it embeds or which methods
it has, is given the type for which the alias stands.

A field or a variable of an unnamed struct has the members of that struct.
"""

from __future__ import annotations

import re

import numpy as np

from repo_mcp.graph.go.rules import GoRules
from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.lookup import NamedLookup
from repo_mcp.graph.typed.member_lookup import MAX_EXTENSIONS
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.typed.rules import Candidate, FoundDeclarations, Path
from repo_mcp.languages.go.declarations import BUILTIN, BUILTINS
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolFlag, SymbolKind

MAX_ALIASES = 8  # of aliases, one after the other, that lead to one type
_NAMED = re.compile(r"(?:(\w+)\.)?(\w+)(?:\[.*\])?")  # a type that an alias names, with its type arguments


class GoLookup(NamedLookup):
    """Looks up names in files of Go."""

    def __init__(self, program: Program) -> None:
        rules = GoRules(program)
        super().__init__(program, rules)
        self.modules = rules.modules
        self._aliases: dict[Declaration, tuple[Declaration, ...]] = {}
        self._in_file: dict[str, frozenset[int]] = {}

    def is_wanted(self, scope: FileScope, kind: SymbolKind, role: ReferenceRole) -> bool:
        """Return whether a name can mean a symbol: what `new(...)` takes may be a type or a value."""
        return super().is_wanted(scope, kind, role) or (role is ReferenceRole.TYPE and kind in VALUE_KINDS)

    def find_type(self, scope: FileScope, ordinal: int, names: Path) -> FoundDeclarations:
        """Return the type that dotted names lead to, through aliases."""
        return self._follow(self.find_named(scope, ordinal, names))

    def find_named(self, scope: FileScope, ordinal: int, names: Path) -> FoundDeclarations:
        """Return the type or the alias that dotted names lead to."""
        return super().find_type(scope, ordinal, names)

    def find_linked(self, scope: FileScope, package: str, name: str) -> FoundDeclarations:
        """Return what a line `//go:linkname` names by an import path, even if its package hides it."""
        folder = self.modules.find_folder(scope.folder, package)
        if folder is None:
            return FoundDeclarations((), True, f"{package}.{name}")
        return self._choose(scope, self._list_at_path(scope, (folder, name)))

    def list_meant(self, declaration: Declaration) -> tuple[Declaration, ...]:
        """Return the types for which an alias stands, none if these are external; any other symbol itself."""
        return self._follow(FoundDeclarations((declaration,))).declarations

    def is_alias(self, declaration: Declaration) -> bool:
        """Return whether a symbol is another name for a type."""
        return declaration.ordinal in self._find_aliases(declaration.path)

    def _find_aliases(self, path: str) -> frozenset[int]:
        """Return the aliases that a file declares."""
        if path not in self._in_file:
            record = self.program.find_record(path)
            found: list[int] = []
            if record is not None:
                is_type = record.kinds == int(SymbolKind.TYPE)
                found = np.flatnonzero(is_type & ((record.flags & int(SymbolFlag.FORWARD)) != 0)).tolist()
            self._in_file[path] = frozenset(found)
        return self._in_file[path]

    def list_aliases(self, declaration: Declaration) -> tuple[Declaration, ...]:
        """Return the aliases of a type in its package, whose methods are methods of the type."""
        scope = self.find_scope(declaration.path)
        if scope is not None and declaration not in self._aliases:
            name, package = scope.get_name(declaration.ordinal), (scope.folder,)
            paths = [one for one in self.program.list_using(name) if self.rules.may_declare(one, package)]
            found = (one for path in paths[:MAX_EXTENSIONS] for one in self.list_naming(path, name))
            self._aliases[declaration] = tuple(one for one in found if declaration in self.list_meant(one))
        return self._aliases.get(declaration, ())

    def list_naming(self, path: str, name: str) -> list[Declaration]:
        """Return the aliases in a file that name a type."""
        aliases, record = self._find_aliases(path), self.program.find_record(path)
        if not aliases or record is None:
            return []
        symbols = dict.fromkeys(int(record.ref_symbols[row]) for row in record.find_references(name))
        return [Declaration(path, symbol) for symbol in symbols if symbol in aliases]

    def _search_own_members(self, owner: Declaration, name: str, role: ReferenceRole) -> list[Declaration]:
        scope = self.find_scope(owner.path)
        if scope is not None and scope.get_kind(owner.ordinal) in VALUE_KINDS:
            return [Declaration(owner.path, one) for one in scope.find_children(owner.ordinal, name)]
        found = super()._search_own_members(owner, name, role)
        for alias in self.list_aliases(owner):
            found += super()._search_own_members(alias, name, role)
        return found

    def _find_bases(self, owner: Declaration) -> list[Declaration]:
        """Return what a type embeds; of a field or a variable, what its unnamed struct embeds."""
        scope = self.find_scope(owner.path)
        if scope is None or scope.get_kind(owner.ordinal) not in VALUE_KINDS:
            return super()._find_bases(owner)
        found: dict[Declaration, None] = {}
        for ordinal in scope.record.list_children(owner.ordinal):
            written = read_type(scope.get_symbol(ordinal).return_type)
            if written.name == scope.get_name(ordinal):  # an embedded type is a field of its name
                found |= dict.fromkeys(self.find_type(scope, owner.ordinal, written.names).declarations)
        return list(found)

    def _follow(self, found: FoundDeclarations) -> FoundDeclarations:
        """Return the types for which aliases among some declarations stand, with the others."""
        for _ in range(MAX_ALIASES):
            steps = [self._read_alias(one) for one in found.declarations]
            if not any(steps):
                break
            pairs = zip(found.declarations, steps, strict=True)
            parts = [(one,) if step is None else step.declarations for one, step in pairs]
            external = next((one.external for one in steps if one is not None), "")
            found = replace(
                found,
                declarations=tuple(dict.fromkeys(each for part in parts for each in part)),
                is_certain=found.is_certain and all(one is None or one.is_certain for one in steps),
                external=external,
            )
        return found

    def _read_alias(self, alias: Declaration) -> FoundDeclarations | None:
        """Return what the name in an alias means; None for other symbols, and if the alias names no type."""
        scope = self.find_scope(alias.path)
        if scope is None or not self.is_alias(alias):
            return None
        named = _NAMED.fullmatch(scope.get_symbol(alias.ordinal).return_type)
        if named is None:
            return None
        package, name = named.groups()
        if package is None and name in BUILTINS:
            package = BUILTIN
        names = (name,) if package is None else (package, name)
        found = self.find_named(scope, scope.get_parent(alias.ordinal), names)
        return found if found.declarations or found.external else None

    def _is_meant(self, inner: list[Candidate], call: Reference | None) -> bool:
        """Return True: an alias in a function hides what has its name outside, as any other type does."""
        return True
