"""The shapes of TypeScript classes and interfaces.

A member of a class can replace one of an interface if it is public and of a fitting kind, takes no more
parameters than the other one gets, and has no written type that plainly differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.shape import MEMBERS, Member, Shape, ShapeReader, is_optional
from repo_mcp.graph.typescript.modules import ModuleFinder
from repo_mcp.graph.typescript.names import UNKNOWN, ScriptNames
from repo_mcp.graph.typescript.plain_types import ANYTHING, OPEN, Head, Place, PlainTypes, count_parameters
from repo_mcp.graph.typescript.script_file import ScriptFile, find_type_parameter
from repo_mcp.graph.typescript.types import ScriptTypes
from repo_mcp.languages.typescript.types import (
    is_object_type,
    split_function,
    split_parameters,
    take_parameter,
)
from repo_mcp.languages.typescript.walk import RESULT
from repo_mcp.symbols.model import KEYLESS
from repo_mcp.symbols.symbol_record import Access, DeclaredSymbol, ReferenceRole, SymbolFlag, SymbolKind

LANGUAGES = frozenset({"typescript", "javascript"})
MAX_BASES = 64  # of one type
_HIDDEN = frozenset({Access.PRIVATE, Access.PROTECTED})
_MERGED = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE})


class _Signature(NamedTuple):
    """The parameters and the result of a function, as they are written."""

    parameters: str
    types: Sequence[str]
    result: str


def _read_signature(symbol: DeclaredSymbol) -> _Signature | None:
    """Return the signature of a method, or of a property whose type is a function's; None for any other."""
    if symbol.kind is SymbolKind.METHOD:
        parameters, result = symbol.parameters, symbol.return_type
    elif "=>" in symbol.return_type and (found := split_function(symbol.return_type)) is not None:
        parameters, result = found[0], found[1].strip()
    else:
        return None
    result = result or ("Promise" if symbol.flags & SymbolFlag.ASYNC else "")
    return _Signature(parameters, split_parameters(parameters), result)


def _drop_setters(members: list[Member]) -> list[Member]:
    """Return members without the setters of accessors, whose getters have the type."""
    return [one for one in members if one[1].kind is SymbolKind.METHOD or one[1].return_type] or members


class ScriptShapes(ShapeReader):
    """Reads the shapes of one program's TypeScript classes and interfaces, each once."""

    def __init__(self, program: Program, modules: ModuleFinder | None = None) -> None:
        """Read nothing yet. What `modules` has found is used."""
        super().__init__(program)
        self._names = ScriptNames(program, modules)
        self._types = ScriptTypes(self._names)
        self._plain = PlainTypes(self._find_name, self._may_replace, self._may_have)

    def count_held(self) -> int:
        """Return the number of files that are held in memory."""
        return self._names.file_count

    def is_interface(self, one: Declaration) -> bool:
        """Return whether a symbol is an interface, or another name for an object type."""
        file = self._names.find_file(one.path)
        kind = int(file.record.kinds[one.ordinal]) if file is not None else SymbolKind.FILE
        if file is None or kind != SymbolKind.TYPE:
            return kind == SymbolKind.INTERFACE
        return is_object_type(file.get_symbol(one.ordinal).return_type)

    def is_callable(self, symbol: DeclaredSymbol) -> bool:
        """Return whether a member is a method, or a property whose type is a function's."""
        return _read_signature(symbol) is not None

    # Shapes

    def _build(self, owner: Declaration) -> Shape:
        found = Shape(above={owner})
        waiting, promised = [owner], list[Declaration]()
        while waiting and len(found.above) <= MAX_BASES:
            own: dict[str, list[Member]] = {}
            for file, symbol in self._iter_parts(waiting.pop(0)):
                self._add_members(file, symbol, own, found)
                self._add_bases(file, symbol, waiting, promised, found)
            for name, members in own.items():
                found.members.setdefault(name, members)
        while promised and len(found.above) <= MAX_BASES:
            for file, symbol in self._iter_parts(promised.pop(0)):
                self._add_bases(file, symbol, promised, promised, found)
        return found

    def _iter_parts(self, owner: Declaration) -> Iterator[tuple[ScriptFile, DeclaredSymbol]]:
        """Yield a type and the declarations that are merged with it."""
        for one in self._names.add_augmenting((owner,)):
            file, symbol = self._names.find_file(one.path), self._names.get_symbol(one)
            if file is None or symbol is None:
                continue
            yield file, symbol
            twins = file.find_children(symbol.parent, symbol.name) if symbol.kind in _MERGED else []
            for twin in file.keep_seen(twins, symbol.start_line):
                if twin.ordinal != symbol.ordinal and twin.kind in _MERGED:
                    yield file, twin

    def _add_members(
        self, file: ScriptFile, owner: DeclaredSymbol, own: dict[str, list[Member]], found: Shape
    ) -> None:
        for ordinal in file.record.list_children(owner.ordinal):
            member = file.get_symbol(int(ordinal))
            if member.kind in MEMBERS and not member.flags & SymbolFlag.STATIC:
                own.setdefault(member.name, []).append((file.path, member))
        if owner.kind is not SymbolKind.CLASS:
            rows = file.binds.get((owner.ordinal, KEYLESS), ())
            found.is_keyless |= any(row.name != ":any" for row in rows)
            found.is_keyless |= (owner.ordinal, RESULT) in file.binds

    def _add_bases(
        self,
        file: ScriptFile,
        owner: DeclaredSymbol,
        waiting: list[Declaration],
        promised: list[Declaration],
        found: Shape,
    ) -> None:
        for row in file.list_bases(owner.ordinal):
            owners = self._types.find_type(file, owner.parent, row.name, row.qualifier, 1, row.line)
            fresh = [one for one in owners.declarations if one not in found.above]
            found.above.update(fresh)
            if row.role is ReferenceRole.IMPLEMENT:
                promised += fresh
                continue
            waiting += fresh
            is_known = any(self.is_class(one) or self.is_interface(one) for one in owners.declarations)
            if not is_known or owners.limits or owners.is_mixed:
                found.outside.add(f"{row.qualifier}.{row.name}")

    # Satisfaction

    def _can_replace(self, own: list[Member], wanted: list[Member]) -> bool:
        if any(symbol.access in _HIDDEN for _, symbol in (*own, *wanted)):
            return False
        if is_optional(own) and not is_optional(wanted):
            return False
        seen = [one for one in own if one[1].flags & SymbolFlag.FORWARD] or own
        seen = _drop_setters(seen)
        return all(any(self._fits(one, other) for one in seen) for other in _drop_setters(wanted))

    def _fits(self, own: Member, wanted: Member) -> bool:
        (path, one), (there, other) = own, wanted
        at, place = Place(path, one.ordinal), Place(there, other.ordinal)
        signature, asked = _read_signature(one), _read_signature(other)
        if signature is None and asked is None:
            return self._plain.fits(one.return_type, at, other.return_type, place)
        if signature is not None and asked is not None:
            return self._may_be_called(signature, at, asked, place)
        text, where = (other.return_type, place) if asked is None else (one.return_type, at)
        return any(head.name in ("function", "") for head in self._plain.read(text, where))

    def _may_be_called(self, own: _Signature, at: Place, wanted: _Signature, there: Place) -> bool:
        """Return whether a function accepts the calls of another one."""
        if count_parameters(own.parameters).least > count_parameters(wanted.parameters).most:
            return False
        for position in range(min(len(own.types), len(wanted.types))):
            mine, theirs = take_parameter(own.types, position), take_parameter(wanted.types, position)
            fits = self._plain.fits(mine, at, theirs, there) or self._plain.fits(theirs, there, mine, at)
            if not fits:
                return False
        return wanted.result == "void" or self._plain.fits(own.result, at, wanted.result, there)

    def _find_name(self, at: Place, name: str) -> tuple[Head, str, Place]:
        """Return what a name means as a type: a declaration, a type of the language, or an alias."""
        file = self._names.find_file(at.path)
        holder = find_type_parameter(file, at.ordinal, name) if file is not None else -1
        if file is None or holder >= 0:
            return Head(OPEN) if holder == at.ordinal else ANYTHING, "", at
        meaning = self._names.look_up(file, at.ordinal, name, as_type=True)
        if meaning is UNKNOWN:
            return Head(name), "", at
        for one in meaning.declarations:
            symbol = self._names.get_symbol(one)
            if symbol is not None and symbol.kind is SymbolKind.TYPE and symbol.return_type:
                return ANYTHING, symbol.return_type, Place(one.path, one.ordinal)
            if symbol is not None and symbol.kind in _MERGED:
                return ANYTHING if symbol.parameters else Head(declaration=one), "", at
        return ANYTHING, "", at

    def _may_replace(self, own: Declaration, wanted: Declaration) -> bool:
        """Return whether an object of one type may replace one of another: it has the required members."""
        shape, other = self.read(own), self.read(wanted)
        if wanted in shape.above or shape.outside:
            return True
        return shape.members.keys() >= set(other.list_required())

    def _may_have(self, owner: Declaration, name: str) -> bool:
        """Return whether an object of a type has a member, or may have it from an external base."""
        shape = self.read(owner)
        return name in shape.members or bool(shape.outside) or shape.is_keyless
