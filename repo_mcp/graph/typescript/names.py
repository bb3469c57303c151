"""The meaning of a name in a TypeScript or JavaScript file: declared around it, or imported.

A meaning is a set of declarations (one, or several that the language merges into one thing) or the dotted
name of something external. The file itself (ordinal 0) stands for its module, as in `import * as ns`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typescript.literals import Literals
from repo_mcp.graph.typescript.modules import ModuleFinder
from repo_mcp.graph.typescript.owners import Bound, Written
from repo_mcp.languages.typescript.types import CUT
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.model import BLOCK, HELD, REST_OF_PARAMETERS, REST_OF_TYPE
from repo_mcp.symbols.symbol_record import (
    DeclaredSymbol,
    Reference,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    list_references,
    map_binds,
)

WHOLE = "export="
MAX_HOPS = 24  # between files
MAX_STARS = 400  # files behind `export *` searched for one name
MAX_PARENTS = 64
MAX_AUGMENTING = 40  # files that declare a type of one name
MAX_SUFFIXES = 3  # of a file, by which a module of any name is declared
MAX_AMBIENT = 8  # files that declare a module of one name
_BASES = (ReferenceRole.INHERIT, ReferenceRole.EXTEND, ReferenceRole.IMPLEMENT)
_SCRIPTS = (".js", ".cjs", ".jsx", ".mjs")
_COMMON_SUFFIXES = (".js", ".cjs")  # of files that may be CommonJS
_VALUES = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.FUNCTION})
_TYPE_ONLY = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.CONSTRUCTOR, SymbolKind.ENUM_MEMBER})


@dataclass(frozen=True, slots=True)
class Meaning:
    """The declarations, or the external name, that a name stands for."""

    declarations: tuple[Declaration, ...] = ()
    external: str = ""
    is_certain: bool = True  # False: what is declared outside may be meant instead
    is_guess: bool = False  # members of an argument of a call, not of its result
    bound: Bound = ()  # the type parameters that the owners of these members bind
    written: tuple[Written, ...] = ()  # the types of members that unnamed types have


UNKNOWN = Meaning()  # compared by identity; unlike other empty meanings: nothing was found
_ABSENT = Meaning()  # imported from a file in the repository that lacks it


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
        """Return a symbol with the whole texts of its type and parameters, which its record has cut."""
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

    @property
    def literals(self) -> Literals:
        """Return the objects that are passed to calls in the file."""
        return self._literals

    @cached_property
    def _literals(self) -> Literals:
        return Literals(self.binds)

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

    @cached_property
    def type_parameters(self) -> dict[int, dict[str, str]]:
        """Map a symbol to its type parameters in order, each with ":", its bound, " = " and its default."""
        found: dict[int, dict[str, str]] = {}
        for (ordinal, alias), rows in self.binds.items():
            if alias.startswith("<"):
                found.setdefault(ordinal, {})[alias[1:]] = rows[0].name
        return found

    def find_type_parameter(self, ordinal: int, name: str) -> int:
        """Return the symbol, at `ordinal` or around it, that has a type parameter of a name; -1 for none."""
        if self.type_parameters:
            for around in self.iter_around(ordinal):
                if name in self.type_parameters.get(around, ()):
                    return around
        return -1

    def keep_seen(self, symbols: list[DeclaredSymbol], line: int) -> list[DeclaredSymbol]:
        """Return the symbols of one name that a line sees (0: any line): those of the innermost block."""
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

    def iter_around(self, ordinal: int) -> Iterator[int]:
        """Yield a symbol and those around it, the file last."""
        for _ in range(MAX_PARENTS):
            yield ordinal
            if not ordinal:
                return
            ordinal = int(self.record.parents[ordinal])
        yield 0

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


def _is_seen_elsewhere(file: ScriptFile, symbol: DeclaredSymbol, line: int, is_inside: bool) -> bool:
    """Return whether a bare name on a line cannot mean a symbol, although it is in scope.

    A class expression is seen only inside itself, and a value assigned to `exports.name` only as a member.
    """
    is_member = bool(line) and _is_exported_member(file, symbol)
    if symbol.kind is not SymbolKind.CLASS:
        return is_member
    span = symbol.start_line, symbol.end_line
    return not is_inside and (is_member or file.blocks.get(symbol.ordinal) == span)


def _is_exported_member(file: ScriptFile, symbol: DeclaredSymbol) -> bool:
    """Return whether a symbol is only a member of the object that a CommonJS module is.

    It is a value that is assigned to `exports.name`, or listed in `module.exports`.
    """
    is_public = not symbol.parent and symbol.flags & SymbolFlag.PUBLIC_API
    rows = file.exports.get(symbol.name, ()) if is_public else ()
    return any(
        row.name == symbol.name and row.line == symbol.start_line and not row.qualifier for row in rows
    )


def _is_of_any_block(file: ScriptFile, symbols: list[DeclaredSymbol], line: int) -> bool:
    """Return whether several blocks declare a name, and no line tells which of them is meant."""
    return not line and len({file.blocks.get(one.ordinal) for one in symbols}) > 1


def list_exported_members(file: ScriptFile, name: str) -> list[int]:
    """Return the methods and accessors with a name of the object that a CommonJS module is."""
    lines = {row.line for row in file.exports.get(name, ()) if not row.qualifier and row.name == name}
    found = file.find_children(0, name) if lines else []
    return [one.ordinal for one in found if one.kind in _MEMBERS and one.start_line in lines]


class ScriptNames:
    """Looks up names, through any number of modules."""

    def __init__(self, program: Program, modules: ModuleFinder | None = None) -> None:
        """Read nothing yet. What `modules` has found is used."""
        self.program = program
        self.modules = modules or ModuleFinder(program)
        self._files: dict[str, ScriptFile | None] = {}
        self._exported: dict[tuple[str, str], Meaning] = {}
        self._augmenting: dict[Declaration, tuple[Declaration, ...]] = {}

    @property
    def file_count(self) -> int:
        """Return the number of files whose lookup tables are held."""
        return len(self._files)

    def find_file(self, path: str) -> ScriptFile | None:
        """Return the lookup tables of a file; None for one without a symbol record."""
        if path not in self._files:
            record = self.program.find_record(path)
            self._files[path] = None if record is None else ScriptFile(path, record)
        return self._files[path]

    def get_symbol(self, declaration: Declaration) -> DeclaredSymbol | None:
        """Return the declared symbol, or None when it is not there."""
        file = self.find_file(declaration.path)
        if file is None or declaration.ordinal >= file.record.symbol_count:
            return None
        return file.get_symbol(declaration.ordinal)

    def add_augmenting(self, declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
        """Return types with the interfaces that `declare module` of other files adds to them."""
        more: list[Declaration] = []
        for one in declarations:
            if one not in self._augmenting:
                self._augmenting[one] = tuple(self._iter_augmenting(one))
            more += self._augmenting[one]
        return (*declarations, *more) if more else declarations

    def _iter_augmenting(self, declaration: Declaration) -> Iterator[Declaration]:
        symbol = self.get_symbol(declaration)
        if symbol is None or symbol.kind is not SymbolKind.INTERFACE or symbol.parent:
            return
        for path in self.program.list_declaring(symbol.name)[:MAX_AUGMENTING]:
            file = self.find_file(path) if path != declaration.path else None
            for ordinal in file.record.find_symbols(symbol.name) if file is not None else ():
                if file is None or file.record.kinds[ordinal] != SymbolKind.INTERFACE:
                    continue
                around = file.get_symbol(int(file.record.parents[ordinal]))
                target = self.modules.find(path, around.name) if around.kind is SymbolKind.MODULE else None
                if target and declaration in self.find_export(target, symbol.name).declarations:
                    yield Declaration(path, int(ordinal))

    # -- names of a file -----------------------------------------------------------------------------------

    def look_up(
        self,
        file: ScriptFile,
        ordinal: int,
        name: str,
        line: int = 0,
        *,
        as_type: bool = False,
        hops: int = 0,
    ) -> Meaning:
        """Return the meaning of a name on a line inside a symbol; UNKNOWN if there is no declaration.

        Line 0 means where the symbol begins.
        """
        line = line or (file.get_symbol(ordinal).start_line if ordinal else 0)
        rows = file.imports.get(name, ())
        inner = -1
        for around in file.iter_around(ordinal):
            found = self._choose(file, around, name, line, as_type)
            found = [one for one in found if not _is_seen_elsewhere(file, one, line, one.ordinal == inner)]
            inner = around
            if found and not (as_type and rows and all(map(_gives_way, found))):
                held = any(one.arguments == HELD and one.line <= line for one in rows)
                is_open = held or _is_of_any_block(file, found, line)
                return Meaning(tuple(Declaration(file.path, one.ordinal) for one in found), "", not is_open)
        for row in rows:
            found_there = self.resolve_import(file, row, hops=hops)
            if found_there.declarations and any(one.arguments == HELD for one in rows):
                return replace(found_there, is_certain=False)
            return _ABSENT if found_there is UNKNOWN else found_there
        return UNKNOWN

    def _choose(
        self, file: ScriptFile, ordinal: int, name: str, line: int, as_type: bool
    ) -> list[DeclaredSymbol]:
        """Return the symbols with a name directly inside another that need no qualifier in a line."""
        if SymbolKind(int(file.record.kinds[ordinal])) in _TYPE_ONLY:
            return []
        found = [one for one in file.find_children(ordinal, name) if one.kind not in _MEMBERS]
        return prefer(file.keep_seen(found, line), as_type)

    def resolve_import(self, file: ScriptFile, row: Reference, *, hops: int = 0) -> Meaning:
        """Return the meaning of an imported name."""
        path = self.modules.find(file.path, row.qualifier)
        if path is None or self.program.find_record(path) is None:
            ambient = self._find_ambient(row)
            if ambient is not UNKNOWN:
                return ambient
        if path is None:
            name = row.name if row.name not in {"default", WHOLE} else ""
            return Meaning(external=f"{row.qualifier}.{name}" if name else row.qualifier)
        if not row.name or row.name == "*":
            return Meaning((Declaration(path, 0),))
        return self.find_export(path, row.name, hops=hops + 1)

    def _find_ambient(self, row: Reference) -> Meaning:
        """Return the meaning of a name imported from a module of `declare module "name"`, or `"*.suffix"`."""
        base = row.qualifier.partition("?")[0].rpartition("/")[2]
        parts = base.split(".")[1:][-MAX_SUFFIXES:]
        names = [row.qualifier, *("*." + ".".join(parts[at:]) for at in range(len(parts)))]
        for name in names:
            found: list[Declaration] = []
            for path in self.program.list_declaring(name)[:MAX_AMBIENT]:
                file = self.find_file(path)
                for module in file.find_children(0, name) if file is not None else ():
                    if file is not None and module.kind is SymbolKind.MODULE:
                        found += self._list_ambient(file, module, row.name)
            if found:
                return Meaning(tuple(found))
        return UNKNOWN

    def _list_ambient(self, file: ScriptFile, module: DeclaredSymbol, name: str) -> list[Declaration]:
        """Return what a `declare module` exports under a name; the module itself for "" and "*"."""
        if not name or name == "*":
            return [Declaration(file.path, module.ordinal)]
        for row in file.exports.get(name, ()):
            if row.symbol == module.ordinal and not row.qualifier:
                return list(self.look_up(file, module.ordinal, row.name).declarations)
        children = file.find_children(module.ordinal, name)
        return [Declaration(file.path, one.ordinal) for one in children]

    # -- exports -------------------------------------------------------------------------------------------

    def find_export(self, path: str, name: str, *, hops: int = 0) -> Meaning:
        """Return the meaning of a name that a module exports; UNKNOWN if it does not export it."""
        key = (path, name)
        if key not in self._exported:
            self._exported[key] = UNKNOWN  # the answer inside a cycle
            found = self._find_export(path, name, hops)
            if found is UNKNOWN and hops:
                del self._exported[key]  # cut by a cycle or MAX_HOPS; may be found from elsewhere
                return UNKNOWN
            self._exported[key] = found
        return self._exported[key]

    def _find_export(self, path: str, name: str, hops: int) -> Meaning:
        file = self.find_file(path)
        if file is None or hops > MAX_HOPS:
            return UNKNOWN
        found = self._find_own_export(file, name, hops)
        if found is not UNKNOWN:
            return found
        if name != "default":
            found = self._find_behind_stars(file, name, hops)
            if found is not UNKNOWN:
                return found
        return self._find_in_whole(file, name, hops)

    def _find_own_export(self, file: ScriptFile, name: str, hops: int) -> Meaning:
        flag = SymbolFlag.DEFAULT_EXPORT if name == "default" else SymbolFlag.PUBLIC_API
        if name == "default":
            flags = file.record.flags
            children = file.record.list_children(0)
            symbols = [file.record.get_symbol(one) for one in children if int(flags[one]) & flag]
        else:
            symbols = [one for one in file.find_children(0, name) if one.flags & flag]
        symbols = [one for one in symbols if one.kind not in _MEMBERS]
        if symbols:
            return Meaning(tuple(Declaration(file.path, one.ordinal) for one in symbols))
        for row in file.exports.get(name, ()):
            if row.qualifier:
                target = self.modules.find(file.path, row.qualifier)
                if target is None:
                    outside = f"{row.qualifier}.{row.name}" if row.name else row.qualifier
                    return Meaning(external=outside)
                if not row.name:
                    return Meaning((Declaration(target, 0),))
                return self.find_export(target, row.name, hops=hops + 1)
            found = self.look_up(file, 0, row.name, hops=hops + 1)
            listed = tuple(Declaration(file.path, one) for one in list_exported_members(file, name))
            return Meaning(listed) if found is UNKNOWN and listed else found
        return UNKNOWN

    def _find_behind_stars(self, file: ScriptFile, name: str, hops: int) -> Meaning:
        """Search through `export *`, breadth first."""
        waiting, seen = [file], {file.path}
        while waiting:
            one = waiting.pop(0)
            for row in one.exports.get("*", ()):
                target = self.modules.find(one.path, row.qualifier)
                if target is None or target in seen or len(seen) > MAX_STARS:
                    continue
                seen.add(target)
                other = self.find_file(target)
                if other is None:
                    continue
                found = self._find_own_export(other, name, hops + 1)
                if found is not UNKNOWN:
                    return found
                waiting.append(other)
        return UNKNOWN

    def _find_in_whole(self, file: ScriptFile, name: str, hops: int) -> Meaning:
        """Return the value assigned to `module.exports`, or a member of it."""
        whole = self.find_whole(file, hops)
        if whole is UNKNOWN and name == "default" and file.exports and file.path.endswith(_COMMON_SUFFIXES):
            return Meaning((Declaration(file.path, 0),))  # the object whose members are exported
        if whole is UNKNOWN or name in {"default", WHOLE}:
            return whole
        found: list[Declaration] = []
        for one in whole.declarations:
            other = self.find_file(one.path)
            if one.ordinal == 0 and one.path != file.path:
                return self.find_export(one.path, name, hops=hops + 1)
            if other is not None and one.ordinal:
                found += [
                    Declaration(one.path, child.ordinal) for child in other.find_children(one.ordinal, name)
                ]
        return Meaning(tuple(found)) if found else UNKNOWN

    def find_whole(self, file: ScriptFile, hops: int = 0) -> Meaning:
        """Return the meaning of a whole CommonJS module, `module.exports`; UNKNOWN if none is assigned.

        In a TypeScript file that also exports names, the assignment does not count.
        """
        rows = file.exports.get(WHOLE, ())
        if rows and not file.path.endswith(_SCRIPTS) and _exports_more(file):
            return UNKNOWN
        for row in rows:
            if row.qualifier:
                target = self.modules.find(file.path, row.qualifier)
                return Meaning((Declaration(target, 0),)) if target else Meaning(external=row.qualifier)
            return self.look_up(file, 0, row.name, hops=hops + 1)
        return UNKNOWN


def _exports_more(file: ScriptFile) -> bool:
    """Return whether a file that assigns the whole of a module exports names as well."""
    flags = int(SymbolFlag.PUBLIC_API) | int(SymbolFlag.DEFAULT_EXPORT)
    children = file.record.list_children(0)
    return len(file.exports) > 1 or any(int(file.record.flags[one]) & flags for one in children)


def prefer(symbols: list[DeclaredSymbol], as_type: bool) -> list[DeclaredSymbol]:
    """Return the declarations of one name that are meant as a type, or as a value; all when none is."""
    if len(symbols) < 2:
        return symbols
    kept = [one for one in symbols if (one.kind in _TYPE_ONLY) == as_type or _is_both(one)]
    if not as_type:  # a namespace merged with a class or function mostly holds types
        kept = [one for one in kept if one.kind is not SymbolKind.MODULE] or kept
    return kept or symbols


def is_value(symbol: DeclaredSymbol) -> bool:
    """Return True for a symbol that cannot be a type."""
    return symbol.kind in _VALUES or (symbol.kind is SymbolKind.COMPONENT and bool(symbol.parameters))


def _gives_way(symbol: DeclaredSymbol) -> bool:
    """Return True for a symbol beside which an imported type may have its name: a value, a namespace."""
    return is_value(symbol) or symbol.kind is SymbolKind.MODULE


def _is_both(symbol: DeclaredSymbol) -> bool:
    return symbol.kind in {SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.COMPONENT, SymbolKind.MODULE}
