"""What names of TypeScript and JavaScript mean: through scopes, modules and written types, or by name alone.

EXACT is what scopes, imports and written types lead to. Of a member whose owner is not known the name alone
is left: where the repository declares one member of that name it is PROBABLE, of several each is POSSIBLE;
names that the language's own types have are never guessed.
"""

from __future__ import annotations

from repo_mcp.graph.program.program import NOTHING, Confidence, Declaration, Program, Resolution, Target
from repo_mcp.graph.typescript.common_names import COMMON_MEMBERS
from repo_mcp.graph.typescript.names import UNKNOWN, Meaning, ScriptFile, ScriptNames, prefer
from repo_mcp.graph.typescript.types import NOBODY, ScriptTypes
from repo_mcp.symbols.symbol_record import (
    Reference,
    ReferenceRole,
    Symbol,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
)

MAX_GUESSES = 8
MAX_GUESSED_FILES = 40
LANGUAGES = frozenset({"typescript", "javascript"})
_TYPE_ROLES = frozenset(
    {ReferenceRole.TYPE, ReferenceRole.ACCEPT, ReferenceRole.IMPLEMENT, ReferenceRole.EXTEND}
)
_NOT_MERGED = frozenset(
    {
        SymbolKind.FUNCTION,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.CLASS,
        SymbolKind.COMPONENT,
        SymbolKind.TYPE,
    }
)
_MEMBER_KINDS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})


class TypeScriptResolver:
    """Resolves the references of TypeScript and JavaScript files."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._names = ScriptNames(program)
        self._types = ScriptTypes(self._names)

    def resolve(self, path: str, record: SymbolRecord, reference: Reference) -> Resolution:
        """What a reference means. An import of a whole module means its file."""
        file = self._names.find_file(path)
        if file is None or file.record is not record:
            file = ScriptFile(path, record)
        role = reference.role
        if role is ReferenceRole.IMPORT:
            return self._say(self._names.resolve_import(file, reference), reference)
        if role is ReferenceRole.EXPORT:
            return self._resolve_export(file, reference)
        if role is ReferenceRole.BIND:
            return NOTHING
        if not reference.qualifier:
            return self._resolve_name(file, reference)
        return self._resolve_member(file, reference)

    def _resolve_export(self, file: ScriptFile, row: Reference) -> Resolution:
        if row.qualifier:
            return self._say(self._names.resolve_import(file, row), row)
        return self._say(self._names.look_up(file, 0, row.name), row)

    def _resolve_name(self, file: ScriptFile, row: Reference) -> Resolution:
        as_type = row.role in _TYPE_ROLES
        meaning = self._names.look_up(file, row.symbol, row.name, as_type=as_type)
        if meaning is not UNKNOWN:
            return self._say(self._choose_nearest(file, meaning, row), row)
        return self._find_global(row) or Resolution(external=row.name)

    def _choose_nearest(self, file: ScriptFile, meaning: Meaning, row: Reference) -> Meaning:
        """Of functions of one name in callbacks, which have no names, the last above the use."""
        if len(meaning.declarations) < 2 or meaning.declarations[0].path != file.path:
            return meaning
        symbols = [file.get_symbol(one.ordinal) for one in meaning.declarations]
        if any(one.kind not in _NOT_MERGED or one.flags & SymbolFlag.FORWARD for one in symbols):
            return meaning
        above = [one for one in symbols if one.start_line <= row.line] or symbols[:1]
        return Meaning((Declaration(file.path, above[-1].ordinal),))

    def _find_global(self, row: Reference) -> Resolution | None:
        """A name that scripts and ambient declarations give to everybody."""
        found: list[Target] = []
        for path in self._program.list_declaring(row.name)[:MAX_GUESSED_FILES]:
            file = self._names.find_file(path)
            if file is None or self._program.find_language(path) not in LANGUAGES:
                continue
            for symbol in file.find_children(0, row.name):
                if not file.is_module and symbol.kind not in _MEMBER_KINDS and path.endswith(".d.ts"):
                    found.append(Target(Declaration(path, symbol.ordinal), Confidence.PROBABLE))
        return _limit(found) if found else None

    def _resolve_member(self, file: ScriptFile, row: Reference) -> Resolution:
        if row.qualifier != "?":
            owners = self._types.evaluate(file, row.symbol, row.qualifier, row.line)
            if owners.external:
                return Resolution(external=f"{owners.external}.{row.name}")
            if owners != NOBODY:
                if row.name == "constructor" and row.qualifier == "super":
                    return self._say(Meaning(owners.declarations), row)
                meaning = self._types.find_member(owners, row.name)
                return self._say(meaning, row)
        return self._guess(row)

    # -- answers -------------------------------------------------------------------------------------------

    def _say(self, meaning: Meaning, row: Reference) -> Resolution:
        """A meaning as targets, that which is meant first."""
        if meaning.external:
            return Resolution(external=meaning.external)
        ordinals = list(meaning.declarations)
        if row.role is not ReferenceRole.IMPORT and row.role is not ReferenceRole.EXPORT:
            ordinals = [one for ordinal in ordinals for one in self._look_through(ordinal)]
        symbols = [(ordinal, self._names.get_symbol(ordinal)) for ordinal in dict.fromkeys(ordinals)]
        known = [(ordinal, symbol) for ordinal, symbol in symbols if symbol is not None]
        if row.role not in {ReferenceRole.IMPORT, ReferenceRole.EXPORT}:
            meant = {id(one) for one in prefer([symbol for _, symbol in known], row.role in _TYPE_ROLES)}
            known = [(ordinal, symbol) for ordinal, symbol in known if id(symbol) in meant]
        kept = _choose(known, row)
        if row.role is ReferenceRole.CALL:
            kept = [one for ordinal in kept for one in (*self._list_constructors(ordinal), ordinal)]
        return Resolution(tuple(Target(ordinal, Confidence.EXACT) for ordinal in kept[:MAX_GUESSES]))

    def _list_constructors(self, ordinal: Declaration) -> list[Declaration]:
        """Of a class what is run when it is made; the implementation where there are overloads."""
        file, symbol = self._names.find_file(ordinal.path), self._names.get_symbol(ordinal)
        if file is None or symbol is None or symbol.kind is not SymbolKind.CLASS:
            return []
        found = [
            one
            for one in file.find_children(ordinal.ordinal, "constructor")
            if one.kind is SymbolKind.CONSTRUCTOR
        ]
        whole = [one for one in found if not one.flags & SymbolFlag.FORWARD]
        return [Declaration(ordinal.path, one.ordinal) for one in whole or found]

    def _look_through(self, ordinal: Declaration) -> tuple[Declaration, ...]:
        """Of a module of CommonJS what it is as a whole."""
        if ordinal.ordinal:
            return (ordinal,)
        file = self._names.find_file(ordinal.path)
        whole = self._names.find_whole(file) if file is not None else UNKNOWN
        return whole.declarations or (ordinal,)

    def _guess(self, row: Reference) -> Resolution:
        """By name alone: members of that name, and what takes as many arguments."""
        name = row.name
        if name in COMMON_MEMBERS or len(name) < 3:
            return NOTHING
        found: list[Target] = []
        paths = self._program.list_declaring(name)
        if len(paths) > MAX_GUESSED_FILES:
            return NOTHING
        for path in paths:
            file = self._names.find_file(path)
            if file is None or self._program.find_language(path) not in LANGUAGES:
                continue
            for ordinal in file.record.find_symbols(name):
                symbol = file.get_symbol(ordinal)
                if symbol.kind in _MEMBER_KINDS and _takes(symbol, row):
                    found.append(Target(Declaration(path, ordinal), Confidence.PROBABLE))
        return _limit(found)


def _limit(found: list[Target]) -> Resolution:
    """One is probable; several are possible, too many say nothing."""
    if len(found) > MAX_GUESSES:
        return NOTHING
    if len(found) > 1:
        found = [Target(one.declaration, Confidence.POSSIBLE) for one in found]
    return Resolution(tuple(found))


def _takes(symbol: Symbol, row: Reference) -> bool:
    """False for a method that is called with more arguments than it has parameters."""
    if row.role is not ReferenceRole.CALL or symbol.kind is not SymbolKind.METHOD or row.arguments == 0:
        return True
    return bool(symbol.flags & SymbolFlag.VARIADIC) or row.arguments - 1 <= symbol.parameter_count


def _choose(known: list[tuple[Declaration, Symbol]], row: Reference) -> list[Declaration]:
    """Of several declarations of one thing those that are meant, the one that is run first."""
    if row.role is not ReferenceRole.CALL or len(known) < 2:
        return [ordinal for ordinal, _ in known]
    run = [(ordinal, symbol) for ordinal, symbol in known if not symbol.flags & SymbolFlag.FORWARD]
    if run:
        return [ordinal for ordinal, _ in run]
    fitting = [
        ordinal for ordinal, symbol in known if row.arguments and symbol.parameter_count == row.arguments - 1
    ]
    return fitting or [ordinal for ordinal, _ in known]
