"""The owners of what a TypeScript file declares: of functions and their results, aliases, variables.

A declared type counts before a value. What a value without a type holds is followed from its assignments, and
what a function returns from its return statements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.members import OBJECTS, OWNERS
from repo_mcp.graph.typescript.names import SCRIPTS, UNKNOWN, ScriptNames
from repo_mcp.graph.typescript.owners import (
    MAX_NESTED,
    MAX_PARTS,
    NO_OWNERS,
    Bound,
    Owners,
    count_nested_texts,
    join_bound,
    mark_uncertain,
    unite_owners,
    unite_results,
)
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.graph.typescript.signatures import list_unbound
from repo_mcp.graph.typescript.variables import TypeEvaluator
from repo_mcp.languages.treesitter.scope_walk import CALLED, TYPE
from repo_mcp.languages.typescript.types import (
    ANYTHING,
    holds_object,
    is_object_type,
    read_function,
    split_type,
)
from repo_mcp.languages.typescript.values import OBJECT
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, DeclaredSymbol, Reference, SymbolKind

FollowBinds = Callable[[ScriptFile, Sequence[Reference], int, Bound], Owners]


class DeclaredOwners:
    """Finds the owners of declarations."""

    def __init__(self, names: ScriptNames, types: TypeEvaluator, follow_binds: FollowBinds) -> None:
        """Take `follow_binds`, which returns the owners of a variable by the rows that show its type."""
        self._names = names
        self._types = types
        self._follow_binds = follow_binds

    def find(self, declaration: Declaration, is_call: bool, steps: int, bound: Bound) -> Owners:
        """Return the owners of a declared value, or of the result of calling it."""
        symbol = self._names.get_symbol(declaration)
        file = self._names.find_file(declaration.path)
        if symbol is None or file is None:
            return NO_OWNERS
        kind = symbol.kind
        if kind is SymbolKind.FILE:
            whole = self._names.find_whole(file)
            return (
                self._types.get_owners(whole, is_call=is_call, steps=steps + 1)
                if whole != UNKNOWN
                else Owners((declaration,))
            )
        if kind in CALLABLE_KINDS and kind is not SymbolKind.COMPONENT:
            if is_call:
                return self._get_result(file, symbol, steps, bound)
            return Owners((declaration,), bound=bound)
        if kind in OWNERS:
            return Owners((declaration,), bound=bound)
        if kind is SymbolKind.TYPE:
            return self._get_alias(file, symbol, steps, bound)
        owners = self._get_value(file, symbol, steps, bound)
        return self._types.call(owners, steps + 1) if is_call else owners

    def _get_result(self, file: ScriptFile, symbol: DeclaredSymbol, steps: int, bound: Bound) -> Owners:
        """Return the owners of the result of a function: by its declared type, or by what it returns."""
        bound = join_bound(list_unbound(file, symbol), bound)
        if symbol.return_type:
            if symbol.return_type == "this":
                return self._types.find_receiver(file, symbol.parent, steps, bound)
            return self._types.read_written(file, symbol.ordinal, symbol.return_type, steps, bound)
        owners = self._follow_results(file, symbol, steps, bound)
        if owners != NO_OWNERS:
            return owners
        if not file.record.list_children(symbol.ordinal):
            return NO_OWNERS
        # Otherwise it returns an object, whose members are those of the function.
        is_guess = (symbol.ordinal, OBJECT) not in file.binds
        return Owners((Declaration(file.path, symbol.ordinal),), is_guess=is_guess, bound=bound)

    def _follow_results(self, file: ScriptFile, symbol: DeclaredSymbol, steps: int, bound: Bound) -> Owners:
        """Return the owners of the values that a function returns."""
        return self._follow_lines(file, file.binds.get((symbol.ordinal, "()"), ()), steps, bound)

    def _follow_lines(self, file: ScriptFile, rows: Sequence[Reference], steps: int, bound: Bound) -> Owners:
        """Return the owners of values on several lines; uncertain if these differ, as only one is meant."""
        lines = list(dict.fromkeys(row.line for row in rows))[:MAX_PARTS]
        each = (
            self._follow_binds(file, [row for row in rows if row.line == line], steps, bound)
            for line in lines
        )
        found = [one for one in each if one != NO_OWNERS]
        found = [one for one in found if self._has_members(one)] or found[:1]
        alike = [one for one in found if one.is_items == found[0].is_items]
        return unite_results(alike) if len(alike) == len(found) else mark_uncertain(unite_results(alike))

    def _has_members(self, owners: Owners) -> bool:
        """Return whether the owners are more than variables of unknown value."""
        symbols = [(one, self._names.get_symbol(one)) for one in owners.declarations]
        return bool(owners.functions or owners.external) or any(
            symbol is not None and (symbol.kind not in OBJECTS or self._has_children(one))
            for one, symbol in symbols
        )

    def _has_children(self, declaration: Declaration) -> bool:
        file = self._names.find_file(declaration.path)
        return file is not None and bool(file.record.list_children(declaration.ordinal))

    def _get_alias(self, file: ScriptFile, symbol: DeclaredSymbol, steps: int, bound: Bound) -> Owners:
        """Return a type alias itself and the owners of the types that it combines."""
        own = Owners((Declaration(file.path, symbol.ordinal),), bound=bound)
        if count_nested_texts(file.path, symbol.ordinal, bound) > MAX_NESTED:
            return own
        members = split_type(symbol.return_type, "|")
        is_function = read_function(symbol.return_type) is not None
        if is_function or " ? " in symbol.return_type:
            owners = self._types.read_written(file, symbol.ordinal, symbol.return_type, steps, bound)
            own = own if is_function else mark_uncertain(own)
            return owners if owners.mapped else unite_owners((own, owners))
        parts = [one for part in members for one in split_type(part, "&")]
        if any(map(holds_object, parts)) or any(one.lstrip().startswith("Promise<") for one in parts[1:]):
            # What it is given may be members of another type; `await` leaves one part alone.
            own = mark_uncertain(own)
        found = [own]
        for part in parts[:MAX_PARTS]:
            if is_object_type(part.strip()):
                continue  # the members are those of the alias
            owners = self._types.read_written(file, symbol.ordinal, part, steps, bound)
            if owners.is_items:
                if len(parts) == 1:
                    return owners
                continue
            if len(members) > 1 and owners.external:
                found.append(mark_uncertain(own))
            found.append(owners)
        owners = unite_owners(found)
        return mark_uncertain(owners) if ANYTHING & {one.strip() for one in members} else owners

    def _get_value(self, file: ScriptFile, symbol: DeclaredSymbol, steps: int, bound: Bound) -> Owners:
        """Return the owners of the value of a variable or property."""
        own = Owners((Declaration(file.path, symbol.ordinal),), bound=bound)
        if symbol.return_type:
            owners = self._types.read_written(file, symbol.ordinal, symbol.return_type, steps, bound)
            if any(is_object_type(one.strip()) for one in split_type(symbol.return_type, "&")):
                return unite_owners((own, owners))
            return owners if owners != NO_OWNERS else mark_uncertain(own)
        alias = f"this.{symbol.name}" if symbol.kind is SymbolKind.PROPERTY else symbol.name
        rows = file.binds.get((symbol.parent, alias), ())
        rows = [row for row in rows if row.name != symbol.name or row.qualifier]
        for at, row in enumerate(rows):
            owners = self._follow_binds(
                file, [one for one in rows[at:] if one.line == row.line], steps, bound
            )
            if row.arguments == CALLED or (row.arguments == TYPE and row.line == symbol.start_line):
                # `const api = make({ run() {} })` does not have the members of the object.
                if file.path.endswith(SCRIPTS) and owners.declarations:  # other assignments also count
                    return self._follow_lines(file, rows[at:], steps, bound)
                return owners if owners.declarations or owners.functions else replace(own, is_guess=True)
            if owners != NO_OWNERS:
                return unite_owners((own, owners))
        owners = self._follow_results(file, symbol, steps, bound)  # of a getter
        return unite_owners((own, owners))
