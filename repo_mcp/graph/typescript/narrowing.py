"""Narrows the type of a value by the conditions around its use, as TypeScript does.

    if (x instanceof Cat) { x.name() }      Cat.name, whatever else x may be
    if (x.kind === "cat") { x.name() }      a member of Cat or of Dog: neither is sure
    if (isCat(x)) { x.name() }              what the signature `x is Cat` says, or what x was before

After any other condition about a value, the members of a union are not sure for the rest of the function.
"""

from __future__ import annotations

from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptNames
from repo_mcp.graph.typescript.owners import Owners
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.graph.typescript.types import ScriptTypes
from repo_mcp.languages.typescript.conditions import TESTED
from repo_mcp.languages.typescript.uses import GUARDED
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import Reference, ReferenceRole, SymbolKind, iter_around, list_references

Rows = dict[str, list[Reference]]  # by the value that they are about


class Narrowing:
    """The conditions around uses in one file at a time."""

    def __init__(self, names: ScriptNames, types: ScriptTypes) -> None:
        self._names = names
        self._types = types
        self._known: tuple[ScriptFile | None, Rows, Rows] = None, {}, {}

    def find_tested_member(self, file: ScriptFile, row: Reference) -> Meaning | None:
        """Return the members of the class that a condition around a use names, or None."""
        for test in reversed(self._list_tests(file, row)):
            if not test.name or row.line > test.arguments:
                continue
            named = self._names.look_up(file, test.symbol, test.name, test.line).declarations
            symbols = [self._names.get_symbol(one) for one in named]
            is_class = bool(symbols) and all(one and one.kind is SymbolKind.CLASS for one in symbols)
            found = self._types.find_member(Owners(named), row.name) if is_class else UNKNOWN
            if found.declarations:
                return found
        return None

    def narrow(self, file: ScriptFile, meaning: Meaning, row: Reference) -> Meaning:
        """Return those members that a value may have, given the conditions above its use."""
        for call in self._list(file)[0].get(_get_chain(row), ()):
            if call.line <= row.line and call.symbol in iter_around(file.record, row.symbol):
                meaning = self._narrow_by_call(file, meaning, row, call)
        if meaning.is_certain and self._list_tests(file, row) and self._count_owners(meaning) > 1:
            meaning = replace(meaning, is_certain=False)
        return meaning

    def _narrow_by_call(self, file: ScriptFile, meaning: Meaning, row: Reference, call: Reference) -> Meaning:
        """Return those members that a value may have if a call in a condition returns `value is T`."""
        if call.qualifier:
            outer = self._types.evaluate(file, call.symbol, call.qualifier, call.line)
            guard = self._types.find_member(outer, call.name)
        else:
            guard = self._names.look_up(file, call.symbol, call.name, call.line)
        for one in guard.declarations:
            other, symbol = self._names.find_file(one.path), self._names.get_symbol(one)
            _, separator, text = symbol.return_type.partition(" is ") if symbol is not None else ("", "", "")
            if other is None or not separator:
                continue
            owners = self._types.read_written(other, one.ordinal, text, 0, ())
            both = (*meaning.declarations, *self._types.find_member(owners, row.name).declarations)
            meaning = replace(meaning, declarations=tuple(dict.fromkeys(both)), is_certain=False)
        return meaning

    def _count_owners(self, meaning: Meaning) -> int:
        """Return the number of types that the members belong to."""
        owners = set[tuple[str, int]]()
        for one in meaning.declarations:
            symbol = self._names.get_symbol(one)
            owners.add((one.path, symbol.parent if symbol is not None else one.ordinal))
        return len(owners)

    def _list_tests(self, file: ScriptFile, row: Reference) -> list[Reference]:
        """Return the conditions above a use, in the functions around it, that narrow its type."""
        tests = self._list(file)[1].get(row.qualifier, ())
        around = {*iter_around(file.record, row.symbol)} if tests else ()
        return [one for one in tests if one.line <= row.line and one.symbol in around]

    def _list(self, file: ScriptFile) -> tuple[Rows, Rows]:
        """Return two maps from values: to the calls that test them, and to their comparisons."""
        if self._known[0] is not file:
            guards: Rows = {}
            tests: Rows = {}
            for row in list_references(file.record, ReferenceRole.CALL, ReferenceRole.BIND):
                if row.role is ReferenceRole.CALL and row.alias.startswith(GUARDED):
                    guards.setdefault(row.alias.removeprefix(GUARDED), []).append(row)
                elif row.role is ReferenceRole.BIND and row.alias == TESTED:
                    tests.setdefault(row.qualifier, []).append(row)
            self._known = file, guards, tests
        return self._known[1:]


def _get_chain(row: Reference) -> str:
    """Return the receiver of a member as it is spelled in the rows of conditions."""
    first, _, rest = row.qualifier.partition("/")
    return first + rest.lstrip("0123456789")
