"""One file of TypeScript or JavaScript: its symbols, imports, exports, blocks and rows of types, by name.

Left out on purpose: other files (`names.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from repo_mcp.graph.typescript.literals import Literals
from repo_mcp.languages.typescript.types import CUT
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import BLOCK, NOWHERE, OF_PARAMETER, REST_OF_PARAMETERS, REST_OF_TYPE
from repo_mcp.symbols.symbol_record import (
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    iter_around,
    list_references,
    map_binds,
)

_BASES = (ReferenceRole.INHERIT, ReferenceRole.EXTEND, ReferenceRole.IMPLEMENT)
MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CONSTRUCTOR, SymbolKind.ENUM_MEMBER})


class ScriptFile:
    """The lookup tables of one symbol record."""

    def __init__(self, path: str, record: SymbolRecord) -> None:
        self.path = path
        self.record = record
        self._symbols: dict[int, DeclaredSymbol] = {}
        self._named: dict[str, dict[int, list[int]]] = {}  # name -> parent -> ordinals

    def get_symbol(self, ordinal: int) -> DeclaredSymbol:
        """Return the symbol with an ordinal. Raises IndexError when there is none."""
        found = self._symbols.get(ordinal)
        if found is None:
            found = self.record.get_symbol(ordinal)
            if found.return_type.endswith(CUT) or found.parameters.endswith(CUT):
                found = self._complete(found)
            self._symbols[ordinal] = found
        return found

    def _complete(self, symbol: DeclaredSymbol) -> DeclaredSymbol:
        """Return a symbol with the whole texts of its type and parameters, which its record had to cut."""
        texts = []
        for alias, text in ((REST_OF_TYPE, symbol.return_type), (REST_OF_PARAMETERS, symbol.parameters)):
            rows = self.binds.get((symbol.ordinal, alias), ())
            rest = "".join(row.name for row in sorted(rows, key=lambda one: one.arguments))
            texts.append(text.removesuffix(CUT) + rest if rest else text)
        return replace(symbol, return_type=texts[0], parameters=texts[1])

    @cached_property
    def imports(self) -> dict[str, list[Reference]]:
        """Map a local name to the rows that import it."""
        found: dict[str, list[Reference]] = {}
        for reference in list_references(self.record, ReferenceRole.IMPORT):
            if reference.alias:
                found.setdefault(reference.alias, []).append(reference)
        return found

    @cached_property
    def exports(self) -> dict[str, list[Reference]]:
        """Map an exported name to the rows that export it; "*" holds those of whole modules."""
        found: dict[str, list[Reference]] = {}
        for reference in list_references(self.record, ReferenceRole.EXPORT):
            found.setdefault(reference.alias or "*", []).append(reference)
        return found

    @cached_property
    def binds(self) -> dict[tuple[int, str], list[Reference]]:
        """Map (symbol, variable) to the rows that show its type."""
        return map_binds(self.record)

    @cached_property
    def literals(self) -> Literals:
        """Return the objects that are passed to calls in the file."""
        return Literals(self.binds)

    def find_passed_classes(self, row: Reference) -> Mapping[int, str]:
        """Return what may be a class among the arguments of the call in a row, by position from 1.

        For the parameter of a function that is passed, the call is the last one that begins above it. Calls
        of local variables have no rows, unless a class is passed.
        """
        calls = self.literals.list_passed_classes(row)
        if not calls or row.arguments < OF_PARAMETER:
            return calls.get(row.line, {})
        rows = self.record.list_named_role(row.name.partition("<")[0], ReferenceRole.CALL)
        lines = {*calls, *(int(self.record.ref_lines[one]) for one in rows)}
        return calls.get(max((one for one in lines if one <= row.line), default=0), {})

    @cached_property
    def _bases(self) -> dict[int, list[Reference]]:
        found: dict[int, list[Reference]] = {}
        for row in list_references(self.record, *_BASES):
            found.setdefault(row.symbol, []).append(row)
        return found

    def list_bases(self, ordinal: int) -> list[Reference]:
        """Return the rows of the bases of a class or an interface."""
        return self._bases.get(ordinal, [])

    @cached_property
    def blocks(self) -> dict[int, tuple[int, int]]:
        """Map a symbol declared in a block or unnamed function to the first and last line of that block."""
        rows = (one for (_, alias), found in self.binds.items() if alias == BLOCK for one in found)
        return {one.symbol: (one.line, one.arguments) for one in rows}

    def is_unnamed(self, ordinal: int) -> bool:
        """Return whether a symbol has only the name of its file, which is no name in it."""
        return self.blocks.get(ordinal, (0, 1))[1] == NOWHERE

    @cached_property
    def type_parameters(self) -> dict[int, dict[str, str]]:
        """Map a symbol to its type parameters in order, each with ":", its bound, " = " and its default."""
        found: dict[int, dict[str, str]] = {}
        for (ordinal, alias), rows in self.binds.items():
            if alias.startswith("<"):
                found.setdefault(ordinal, {})[alias[1:]] = rows[0].name
        return found

    def keep_seen(self, symbols: list[DeclaredSymbol], line: int) -> list[DeclaredSymbol]:
        """Return those symbols of one name that a line sees (0: any line): those of the innermost block."""
        if not line or not symbols or not any(one.ordinal in self.blocks for one in symbols):
            return symbols
        whole = 0, self.get_symbol(0).end_line
        spans = [(one, self.blocks.get(one.ordinal, whole)) for one in symbols]
        around = [(last - first, one) for one, (first, last) in spans if first <= line <= last]
        least = min((lines for lines, _ in around), default=0)
        return [one for lines, one in around if lines == least]

    @cached_property
    def is_module(self) -> bool:
        """Return False for a script, whose names are global."""
        flags = int(SymbolFlag.PUBLIC_API) | int(SymbolFlag.DEFAULT_EXPORT)
        if self.imports or self.exports or self.record.list_role(ReferenceRole.IMPORT):
            return True
        return any(int(self.record.flags[ordinal]) & flags for ordinal in self.record.list_children(0))

    def find_children(self, ordinal: int, name: str) -> list[DeclaredSymbol]:
        """Return the symbols with a name directly inside another."""
        found = self._named.get(name)
        if found is None:
            parents = self.record.parents
            found = self._named[name] = {}
            for one in self.record.find_symbols(name):
                if one:
                    found.setdefault(int(parents[one]), []).append(one)
        return [self.get_symbol(one) for one in found.get(ordinal, ())]


def find_type_parameter(file: ScriptFile, ordinal: int, name: str) -> int:
    """Return the symbol, at `ordinal` or around it, with a type parameter of a name; -1 for none."""
    if file.type_parameters:
        for around in iter_around(file.record, ordinal):
            if name in file.type_parameters.get(around, ()):
                return around
    return -1


def is_seen_elsewhere(file: ScriptFile, symbol: DeclaredSymbol, line: int, is_inside: bool) -> bool:
    """Return whether a bare name on a line cannot mean a symbol, although it is in scope.

    A class expression is visible only inside itself, and a value assigned to `exports.name` only as a member.
    """
    is_member = bool(line) and _is_exported_member(file, symbol)
    if symbol.kind is not SymbolKind.CLASS:
        return is_member
    span = symbol.start_line, symbol.end_line
    return not is_inside and (is_member or file.blocks.get(symbol.ordinal) == span)


def _is_exported_member(file: ScriptFile, symbol: DeclaredSymbol) -> bool:
    """Return whether a symbol is only a member of the object that a CommonJS module exports.

    It is assigned to `exports.name`, or listed in `module.exports`.
    """
    is_public = not symbol.parent and symbol.flags & SymbolFlag.PUBLIC_API
    rows = file.exports.get(symbol.name, ()) if is_public else ()
    return any(
        row.name == symbol.name and row.line == symbol.start_line and not row.qualifier for row in rows
    )


def is_in_any_block(file: ScriptFile, symbols: list[DeclaredSymbol], line: int) -> bool:
    """Return whether several blocks declare a name, and the line does not show which one is meant."""
    return not line and len({file.blocks.get(one.ordinal) for one in symbols}) > 1


def list_exported_members(file: ScriptFile, name: str) -> list[int]:
    """Return the methods and accessors of a name in the object that a CommonJS module exports."""
    lines = {row.line for row in file.exports.get(name, ()) if not row.qualifier and row.name == name}
    found = file.find_children(0, name) if lines else []
    return [one.ordinal for one in found if one.kind in MEMBERS and one.start_line in lines]


def is_assigned(file: ScriptFile, symbol: DeclaredSymbol) -> bool:
    """Return whether a method is assigned to a class or object elsewhere: `made.run = () => {}`."""
    is_method = symbol.kind is SymbolKind.METHOD and symbol.parent != 0
    return is_method and symbol.start_line > file.get_symbol(symbol.parent).end_line


def exports_more(file: ScriptFile) -> bool:
    """Return whether a file that assigns `module.exports` exports names as well."""
    flags = int(SymbolFlag.PUBLIC_API) | int(SymbolFlag.DEFAULT_EXPORT)
    children = file.record.list_children(0)
    return len(file.exports) > 1 or any(int(file.record.flags[one]) & flags for one in children)
