"""The members that TypeScript classes and interfaces inherit."""

from __future__ import annotations

from functools import cached_property

from repo_mcp.graph.program import Declaration
from repo_mcp.graph.typescript.members import OWNERS, find_own_member
from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptNames
from repo_mcp.graph.typescript.owners import MAX_STEPS, NO_OWNERS, Bound, Owners, join_bound, unite_owners
from repo_mcp.graph.typescript.script_file import ScriptFile
from repo_mcp.graph.typescript.variables import TypeEvaluator
from repo_mcp.languages.typescript.types import split_type
from repo_mcp.record_classes import replace
from repo_mcp.symbols.symbol_record import DeclaredSymbol, Reference, ReferenceRole, SymbolKind

MAX_BASES = 64
INHERITED = (ReferenceRole.INHERIT, ReferenceRole.EXTEND)
_PROMISED = (ReferenceRole.IMPLEMENT,)


class Inheritance:
    """Finds bases, and the members that are declared in them."""

    def __init__(self, names: ScriptNames, types: TypeEvaluator) -> None:
        self._names = names
        self._types = types

    @cached_property
    def window(self) -> Owners:
        """Return the repository's declarations of the global object's type, `Window`."""
        found = []
        for path in self._names.program.list_declaring("Window")[:MAX_BASES]:
            file = self._names.find_file(path)
            symbols = map(file.get_symbol, file.record.find_symbols("Window")) if file is not None else ()
            found += [
                Declaration(path, one.ordinal)
                for one in symbols
                if one.kind is SymbolKind.INTERFACE and (not one.parent or self._names.is_global(one, path))
            ]
        return Owners(tuple(found), "" if found else "window")

    def find_inherited(self, first: Declaration, name: str, steps: int, bound: Bound) -> Meaning:
        """Return the members of a name in one owner, or else in its bases.

        Interfaces that a class implements come last, because the class must declare each member itself.
        """
        outside, is_open = "", False
        waiting, promised, seen = [first], list[Declaration](), {first}
        while waiting or promised:
            is_promise = not waiting
            owner = (waiting or promised).pop(0)
            found = find_own_member(self._names, owner, name, steps)
            if found is not UNKNOWN:
                if is_open or (is_promise and outside):  # an external base may have it
                    found = replace(found, is_certain=False)
                return replace(found, bound=join_bound(found.bound, bound)) if bound else found
            file, symbol = self._names.find_file(owner.path), self._names.get_symbol(owner)
            if file is None or symbol is None or steps > MAX_STEPS:
                continue
            if self._names.is_global(symbol, owner.path):  # of which the environment may have a part
                outside = outside or symbol.name
            for roles, then in ((INHERITED, waiting), (_PROMISED, promised)):
                bases = self.list_bases(file, symbol, steps + 1, roles, bound)
                outside, is_open = outside or bases.external, is_open or bases.is_guess
                bound = join_bound(bases.bound, bound) if bases.bound else bound
                fresh = [one for one in bases.declarations if one not in seen]
                if len(seen) < MAX_BASES:
                    seen.update(fresh)
                    then.extend(fresh)
        return Meaning(external=f"{outside}.{name}") if outside else UNKNOWN

    def list_bases(
        self,
        file: ScriptFile,
        symbol: DeclaredSymbol,
        steps: int,
        roles: tuple[ReferenceRole, ...] = (*INHERITED, *_PROMISED),
        bound: Bound = (),
    ) -> Owners:
        """Return the bases of a class or an interface; an external one only if there is no other."""
        if symbol.kind not in OWNERS or not symbol.ordinal:
            return NO_OWNERS
        rows = [row for row in file.list_bases(symbol.ordinal) if row.role in roles]
        return unite_owners([self._find_base(file, symbol, row, steps + 1, bound) for row in rows])

    def _find_base(
        self, file: ScriptFile, symbol: DeclaredSymbol, row: Reference, steps: int, bound: Bound
    ) -> Owners:
        written = file.binds.get((symbol.ordinal, f"={row.name}"), ())
        type_arguments = [one.strip() for one in split_type(written[0].name[1:-1], ",")] if written else []
        around = symbol.ordinal if type_arguments else symbol.parent
        return self._types.find_type(
            file,
            around,
            row.name,
            row.qualifier,
            steps,
            row.line,
            bound=bound,
            type_arguments=type_arguments,
        )
