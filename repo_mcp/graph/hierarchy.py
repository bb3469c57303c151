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
    Symbol,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
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
            record = self._program.find_record(part.path)
            if record is None:
                continue
            for row in record.list_role(*_BASES):
                if int(record.ref_symbols[row]) == part.ordinal:
                    for target in self._resolvers.resolve(part.path, record, row).targets:
                        found.setdefault(target.declaration, target.confidence)
        return [Target(one, confidence) for one, confidence in found.items() if one != declaration]

    def list_derived(self, declaration: Declaration) -> list[Target]:
        """The types right below one, by path and line."""
        found: dict[Declaration, Confidence] = {}
        parts = set(self.list_parts(declaration))
        for path, record, row in self._iter_base_rows(declaration):
            for target in self._resolvers.resolve(path, record, row).targets:
                if target.declaration in parts:
                    below = Declaration(path, int(record.ref_symbols[row]))
                    found.setdefault(below, target.confidence)
        return [Target(one, found[one]) for one in sorted(found, key=lambda one: (one.path, one.ordinal))]

    def _iter_base_rows(self, declaration: Declaration) -> Iterator[tuple[str, SymbolRecord, int]]:
        """The references in a base list that name a type, or a local name by which it is imported."""
        own = self._program.find_record(declaration.path)
        if own is None:
            return
        name = own.strings[own.names[declaration.ordinal]]
        names = [name]
        if int(own.flags[declaration.ordinal]) & SymbolFlag.DEFAULT_EXPORT:
            names.append("default")
        for asked in names:
            paths = self._program.list_using(asked)
            self.is_cut = self.is_cut or len(paths) > MAX_FILES
            for path in paths[:MAX_FILES]:
                record = self._program.find_record(path)
                if record is None:
                    continue
                rows = record.find_references(asked)
                local = list_aliases(record, rows) | {asked}
                for row in record.list_role(*_BASES):
                    if record.strings[record.ref_names[row]] in local:
                        yield path, record, row

    def list_parts(self, declaration: Declaration) -> list[Declaration]:
        """All declarations of one type, where it has several (`partial`); else the one."""
        record = self._program.find_record(declaration.path)
        if record is None or not int(record.flags[declaration.ordinal]) & SymbolFlag.PARTIAL:
            return [declaration]
        symbol = record.get_symbol(declaration.ordinal)
        around = _list_around(record, declaration.ordinal)
        arity = count_arity(symbol.parameters)  # C# tells types apart by it
        parts = []
        for path in self._program.list_declaring(symbol.name)[:MAX_FILES]:
            other = self._program.find_record(path)
            if other is None or self._program.find_language(path) != self._program.find_language(
                declaration.path
            ):
                continue
            for ordinal in other.find_symbols(symbol.name):
                same = other.kinds[ordinal] == symbol.kind and int(other.flags[ordinal]) & SymbolFlag.PARTIAL
                same = same and count_arity(other.strings[other.parameters[ordinal]]) == arity
                if same and _list_around(other, ordinal) == around:
                    parts.append(Declaration(path, ordinal))
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
        record = self._program.find_record(member.path)
        assert record is not None
        symbol = record.get_symbol(member.ordinal)
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
        record = self._program.find_record(member.path)
        if record is None or SymbolKind(int(record.kinds[member.ordinal])) not in _MEMBER_KINDS:
            return None
        parent = int(record.parents[member.ordinal])
        if SymbolKind(int(record.kinds[parent])) not in TYPE_KINDS:
            return None
        return Declaration(member.path, parent)

    def _find_member(self, owner: Declaration, like: Symbol) -> list[Declaration]:
        """The members of a type that have the name of another: of several those with as many parameters,
        and of those the ones with parameters of the same types, where there are any.
        """
        found: list[tuple[Declaration, Symbol]] = []
        for part in self.list_parts(owner):
            record = self._program.find_record(part.path)
            if record is None:
                continue
            for ordinal in record.find_symbols(like.name):
                if int(record.parents[ordinal]) == part.ordinal:
                    found.append((Declaration(part.path, ordinal), record.get_symbol(ordinal)))
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


def _list_around(record: SymbolRecord, ordinal: int) -> list[str]:
    """The names of the symbols around one, from the inside out."""
    names = []
    ordinal = int(record.parents[ordinal])
    while ordinal:
        names.append(record.strings[record.names[ordinal]])
        ordinal = int(record.parents[ordinal])
    return names
