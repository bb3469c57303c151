"""The bases of TypeScript classes that are made by functions: `class A extends Named(Aged(Base))`.

Such a class has the members that each mixin adds, the outermost first, and those of the class that is passed
in. What a mixin adds is named in the type of its result beside the type of its parameter; without a written
type, it is the class that the mixin declares. A function that is no mixin gives only its result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.names import ScriptNames
from repo_mcp.graph.typescript.owners import MAX_STEPS, NO_OWNERS, Bound, Owners, Written, unite_owners
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.graph.typescript.signatures import choose_signatures
from repo_mcp.graph.typescript.variables import TypeEvaluator
from repo_mcp.languages.treesitter.scope_walk import CALLED
from repo_mcp.languages.typescript.mixins import MIXED
from repo_mcp.languages.typescript.types import makes_objects, read_function
from repo_mcp.languages.typescript.values import RESULT
from repo_mcp.record_classes import replace
from repo_mcp.symbols.model import UNKNOWN_TYPE
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, DeclaredSymbol, Reference, SymbolKind, iter_around

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_FIRST_TYPE = re.compile(r"\(\s*[\w$]+\??: (\w+)\b")  # of a function's parameters
_NOTHING = "never"  # stands for the class that is passed to a mixin, while only what it adds is read
_UNNAMED = "class"  # the name of a class that has none
_WITH_MEMBERS = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TYPE})


class TypeReader(TypeEvaluator, Protocol):
    """Finds the owners of types by their names and texts, and of variables."""

    def follow_binds(
        self, file: ScriptFile, rows: Sequence[Reference], steps: int, bound: Bound = ()
    ) -> Owners:
        """Return the owners of a variable, by the rows that show its type."""


class Mixins:
    """Finds what a class has from functions that make its base."""

    def __init__(self, names: ScriptNames, types: TypeReader) -> None:
        self._names = names
        self._types = types
        # By path, ordinal and steps: functions that apply one another often are read once.
        self._read: dict[tuple[str, int, int], tuple[Owners, bool]] = {}

    def list_bases(self, file: ScriptFile, symbol: DeclaredSymbol, steps: int) -> Owners:
        """Return the bases of a class that are not named: those of nested calls, or of a parameter."""
        rows = file.binds.get((symbol.ordinal, MIXED), ())
        return self._follow(file, rows, steps)[0] if rows else NO_OWNERS

    def find_made_class(self, file: ScriptFile, ordinal: int, name: str, line: int, steps: int) -> Owners:
        """Return the class that a constant holds because functions make it; NO_OWNERS for another name."""
        for one in self._names.look_up(file, ordinal, name, line, as_type=True).declarations:
            other, symbol = self._names.find_file(one.path), self._names.get_symbol(one)
            if other is None or symbol is None or symbol.kind is not SymbolKind.CONSTANT:
                continue
            rows = other.binds.get((symbol.parent, MIXED + symbol.name), ())
            if rows and not symbol.return_type:
                return self._follow(other, rows, steps)[0]
        return NO_OWNERS

    def make(self, owners: Owners, steps: int) -> Owners:
        """Return owners in which what a class makes replaces it: `new () => A` becomes A."""
        made = [one for one in owners.functions if makes_objects(one.text)]
        if not made:
            return owners
        results = [(one, found[1], one.bound) for one in made if (found := read_function(one.text))]
        left = [one for one in owners.declarations if self._get_kind(one) is not SymbolKind.TYPE]
        others = replace(
            owners,
            declarations=tuple(left),
            functions=tuple(one for one in owners.functions if one not in made),
        )
        return unite_owners((others, self._types.read_each(results, steps)))

    def _follow(self, file: ScriptFile, rows: Sequence[Reference], steps: int) -> tuple[Owners, bool]:
        """Return the owners that rows of nested calls name, and whether they extend the class passed in."""
        found: list[Owners] = []
        if steps > MAX_STEPS:
            return NO_OWNERS, False
        for row in rows:
            if row.arguments == CALLED:
                owners, passes_on = self._find_added(file, row, steps + 1)
                found.append(owners)
                if not passes_on:
                    return unite_owners(found), False
            elif row.name != UNKNOWN_TYPE:
                found.append(self._find_given(file, row, steps + 1))
        return unite_owners(found), True

    def _find_given(self, file: ScriptFile, row: Reference, steps: int) -> Owners:
        """Return the class that is passed to the innermost mixin, or the type of a parameter."""
        around = iter_around(file.record, row.symbol)
        holders = (one for one in around if one and (one, row.name) in file.binds)
        holder = -1 if row.qualifier else next(holders, -1)
        if holder >= 0:
            return self.make(self._types.follow_binds(file, file.binds[holder, row.name], steps), steps)
        held = NO_OWNERS
        if not row.qualifier:
            held = self.find_made_class(file, row.symbol, row.name, row.line, steps)
        if held != NO_OWNERS:
            return held
        owners = self._types.find_type(file, row.symbol, row.name, row.qualifier, steps, row.line)
        kept = tuple(one for one in owners.declarations if self._get_kind(one) in _WITH_MEMBERS)
        return self.make(replace(owners, declarations=kept), steps)

    def _find_added(self, file: ScriptFile, row: Reference, steps: int) -> tuple[Owners, bool]:
        """Return what a function adds to the class that is passed to it, and whether it extends that class.

        An external mixin may replace any member, and of several overloads another one may be called, so that
        the result is uncertain.
        """
        name = row.name
        if row.qualifier:
            return Owners(external=f"{row.qualifier}.{name}", is_guess=True), True
        meaning = self._names.look_up(file, row.symbol, name, row.line)
        functions = [one for one in meaning.declarations if self._get_kind(one) in CALLABLE_KINDS]
        signatures = choose_signatures(self._names, tuple(functions))
        for one in signatures[:1]:
            other, symbol = self._names.find_file(one.path), self._names.get_symbol(one)
            if other is not None and symbol is not None:
                key = one.path, one.ordinal, steps
                if key not in self._read:
                    self._read[key] = self._read_function(other, symbol, steps)
                owners, passes_on = self._read[key]
                return replace(owners, is_guess=owners.is_guess or len(signatures) > 1), passes_on
        return Owners(external=meaning.external or name, is_guess=True), True

    def _read_function(self, file: ScriptFile, symbol: DeclaredSymbol, steps: int) -> tuple[Owners, bool]:
        ordinal, text = symbol.ordinal, symbol.return_type
        if text:
            parameters = file.type_parameters.get(ordinal, {})
            nothing = Written(file.path, ordinal, _NOTHING)
            bound = tuple(((file.path, ordinal, one), nothing) for one in parameters)
            owners = self._types.read_written(file, ordinal, text, steps, bound)
            given = _FIRST_TYPE.match(symbol.parameters)
            passes_on = given is not None and given[1] in parameters and given[1] in _WORD.findall(text)
            return self.make(owners, steps), passes_on
        rows = file.binds.get((ordinal, MIXED + RESULT), ())
        if rows:
            return self._follow(file, rows, steps)
        declared = _list_returned_classes(file, ordinal)
        made = tuple(Declaration(file.path, one) for one in declared)
        return Owners(made, is_guess=len(made) > 1), bool(made)

    def _get_kind(self, declaration: Declaration) -> SymbolKind | None:
        symbol = self._names.get_symbol(declaration)
        return symbol.kind if symbol is not None else None


def _list_returned_classes(file: ScriptFile, ordinal: int) -> list[int]:
    """Return the classes in a function that extend the class passed in, and that it may return."""
    declared = [one for one in file.record.list_children(ordinal) if _extends_given(file, one)]
    named = {row.name for row in file.binds.get((ordinal, RESULT), ()) if not row.qualifier} | {_UNNAMED}
    return [one for one in declared if file.get_symbol(one).name in named] if len(named) > 1 else declared


def _extends_given(file: ScriptFile, ordinal: int) -> bool:
    """Return whether a symbol is a class that extends the first parameter of the function around it."""
    return any(row.name == UNKNOWN_TYPE for row in file.binds.get((ordinal, MIXED), ()))
