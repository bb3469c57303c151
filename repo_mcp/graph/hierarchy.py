"""Types above and below a type, and what a member overrides there.

Every walk is breadth first, meets a type once, and ends after MAX_TYPES: cycles of inheritance end nowhere.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator

from repo_mcp.graph.program.program import Confidence, Declaration, Program, Target
from repo_mcp.graph.resolution import Resolvers
from repo_mcp.languages.csharp.types import count_arity
from repo_mcp.languages.treesitter.written_lists import split_signature
from repo_mcp.symbols.symbol_record import (
    TYPE_KINDS,
    ReferenceRole,
    Structure,
    Symbol,
    SymbolFlag,
    SymbolKind,
    list_aliases,
)

MAX_TYPES = 200  # of one walk
MAX_FILES = 500  # that are looked through for types below one
_BASES = (ReferenceRole.INHERIT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND)
_ORDER = {Confidence.EXACT: 0, Confidence.PROBABLE: 1, Confidence.POSSIBLE: 2}
# Where a member of the same name and another number of parameters is another member.
_BY_SIGNATURE = frozenset({"csharp", "java", "cpp"})
_LAST_NAME = re.compile(r"\w+\s*$")
_MEMBER_KINDS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.EVENT, SymbolKind.FUNCTION})


class Hierarchy:
    """The types of one program. Used by one call at a time."""

    def __init__(self, program: Program, resolvers: Resolvers) -> None:
        self._program = program
        self._resolvers = resolvers
        self.is_cut = False  # since whoever asks last made it so: a limit was reached

    def list_bases(self, declaration: Declaration) -> list[Target]:
        """The types right above one; those of its other parts as well, where a type has several."""
        found: dict[Declaration, Confidence] = {}
        for part in self.list_parts(declaration):
            structure = self._program.find_structure(part.path)
            if structure is None:
                continue
            for row in structure.list_role(*_BASES):
                if int(structure.ref_symbols[row]) == part.place:
                    for target in self._resolvers.resolve(part.path, structure, row).targets:
                        found.setdefault(target.declaration, target.confidence)
        return [Target(one, confidence) for one, confidence in found.items() if one != declaration]

    def list_derived(self, declaration: Declaration) -> list[Target]:
        """The types right below one, by path and line."""
        found: dict[Declaration, Confidence] = {}
        parts = set(self.list_parts(declaration))
        for path, structure, row in self._iter_base_rows(declaration):
            for target in self._resolvers.resolve(path, structure, row).targets:
                if target.declaration in parts:
                    below = Declaration(path, int(structure.ref_symbols[row]))
                    found.setdefault(below, target.confidence)
        return [Target(one, found[one]) for one in sorted(found, key=lambda one: (one.path, one.place))]

    def _iter_base_rows(self, declaration: Declaration) -> Iterator[tuple[str, Structure, int]]:
        """The references in a base list that name a type, or a local name by which it is imported."""
        own = self._program.find_structure(declaration.path)
        if own is None:
            return
        name = own.strings[own.names[declaration.place]]
        names = [name]
        if int(own.flags[declaration.place]) & SymbolFlag.DEFAULT_EXPORT:
            names.append("default")
        for asked in names:
            paths = self._program.list_using(asked)
            self.is_cut = self.is_cut or len(paths) > MAX_FILES
            for path in paths[:MAX_FILES]:
                structure = self._program.find_structure(path)
                if structure is None:
                    continue
                rows = structure.find_references(asked)
                local = list_aliases(structure, rows) | {asked}
                for row in structure.list_role(*_BASES):
                    if structure.strings[structure.ref_names[row]] in local:
                        yield path, structure, row

    def list_parts(self, declaration: Declaration) -> list[Declaration]:
        """All declarations of one type, where it has several (`partial`); else the one."""
        structure = self._program.find_structure(declaration.path)
        if structure is None or not int(structure.flags[declaration.place]) & SymbolFlag.PARTIAL:
            return [declaration]
        symbol = structure.get_symbol(declaration.place)
        around = _list_around(structure, declaration.place)
        arity = count_arity(symbol.parameters)  # C# tells types apart by it
        parts = []
        for path in self._program.list_declaring(symbol.name)[:MAX_FILES]:
            other = self._program.find_structure(path)
            if other is None or self._program.find_language(path) != self._program.find_language(
                declaration.path
            ):
                continue
            for place in other.find_symbols(symbol.name):
                same = other.kinds[place] == symbol.kind and int(other.flags[place]) & SymbolFlag.PARTIAL
                same = same and count_arity(other.strings[other.parameters[place]]) == arity
                if same and _list_around(other, place) == around:
                    parts.append(Declaration(path, place))
        return parts

    def find_overridden(self, member: Declaration) -> list[Target]:
        """The members of types above that one overrides: the nearest on each way up."""
        return self._find_namesakes(member, self.list_bases, ends_at_match=True)

    def find_overriding(self, member: Declaration) -> list[Target]:
        """The members of types below that override one."""
        return self._find_namesakes(member, self.list_derived, ends_at_match=False)

    def _find_namesakes(
        self, member: Declaration, step: Callable[[Declaration], list[Target]], *, ends_at_match: bool
    ) -> list[Target]:
        owner = self._find_owner(member)
        if owner is None:
            return []
        structure = self._program.find_structure(member.path)
        assert structure is not None
        symbol = structure.get_symbol(member.place)
        found: list[Target] = []
        waiting = deque((target, target.confidence) for target in step(owner))
        met = {owner}
        while waiting and len(met) < MAX_TYPES:
            target, confidence = waiting.popleft()
            if target.declaration in met:
                continue
            met.add(target.declaration)
            same = self._find_member(target.declaration, symbol)
            found += [Target(one, confidence) for one in same]
            if same and ends_at_match:
                continue
            for further in step(target.declaration):
                surest = max(confidence, further.confidence, key=_ORDER.__getitem__)
                waiting.append((further, surest))
        self.is_cut = self.is_cut or bool(waiting)
        return found

    def _find_owner(self, member: Declaration) -> Declaration | None:
        structure = self._program.find_structure(member.path)
        if structure is None or SymbolKind(int(structure.kinds[member.place])) not in _MEMBER_KINDS:
            return None
        parent = int(structure.parents[member.place])
        if SymbolKind(int(structure.kinds[parent])) not in TYPE_KINDS:
            return None
        return Declaration(member.path, parent)

    def _find_member(self, owner: Declaration, like: Symbol) -> list[Declaration]:
        """The members of a type that have the name of another: of several those with as many parameters,
        and of those the ones with parameters of the same types, where there are any.
        """
        found: list[tuple[Declaration, Symbol]] = []
        for part in self.list_parts(owner):
            structure = self._program.find_structure(part.path)
            if structure is None:
                continue
            for place in structure.find_symbols(like.name):
                if int(structure.parents[place]) == part.place:
                    found.append((Declaration(part.path, place), structure.get_symbol(place)))
        fitting = [one for one in found if one[1].parameter_count == like.parameter_count]
        if self._program.find_language(owner.path) not in _BY_SIGNATURE:
            fitting = fitting if len(found) > 1 and fitting else found
        types = list_types(like.parameters)
        typed = [one for one in fitting if list_types(one[1].parameters) == types]
        return [declaration for declaration, _ in typed or fitting]


def list_types(parameters: str) -> list[str]:
    """The types of written parameters: what stands behind a colon, or before the name."""
    types = []
    for one in split_signature(parameters).parameters:
        text = one.partition("=")[0].strip()
        before, colon, behind = text.partition(":")
        types.append(behind.strip() if colon and before.strip() else _LAST_NAME.sub("", text).strip())
    return types


def _list_around(structure: Structure, place: int) -> list[str]:
    """The names of the symbols around one, from the inside out."""
    names = []
    place = int(structure.parents[place])
    while place:
        names.append(structure.strings[structure.names[place]])
        place = int(structure.parents[place])
    return names
