"""The meaning of a name in a TypeScript or JavaScript file: declared around it, or imported.

A meaning is a set of declarations (one, or several that the language merges into one thing) or the dotted
name of something external. The file itself (ordinal 0) stands for its module, as in `import * as ns`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typescript.modules import ModuleFinder
from repo_mcp.graph.typescript.owners import Bound, Written
from repo_mcp.graph.typescript.script_file import (
    MEMBERS,
    ScriptFile,
    exports_more,
    is_in_any_block,
    is_seen_elsewhere,
    list_exported_members,
)
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.symbols.model import GLOBAL, HELD
from repo_mcp.symbols.symbol_record import DeclaredSymbol, Reference, SymbolFlag, SymbolKind, iter_around

WHOLE = "export="
MAX_HOPS = 24  # between files
MAX_STARS = 400  # files behind `export *` searched for one name
MAX_AUGMENTING = 40  # files that declare a type of one name
MAX_SUFFIXES = 3  # wildcard modules of one file: `declare module "*.css"`
MAX_AMBIENT = 8  # files that declare a module of one name
SCRIPTS = (".js", ".cjs", ".jsx", ".mjs")
_COMMON_SUFFIXES = (".js", ".cjs")  # of files that may be CommonJS
_VALUES = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.FUNCTION})
_TYPE_ONLY = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})


@dataclass(frozen=True, slots=True)
class Meaning:
    """The declarations, or the external name, that a name stands for."""

    declarations: tuple[Declaration, ...] = ()
    external: str = ""
    is_certain: bool = True  # False: something external may be meant instead
    is_guess: bool = False  # members of an argument of a call: its result may lack them
    bound: Bound = ()  # the type parameters that the owners of these members bind
    written: tuple[Written, ...] = ()  # the types of members that unnamed types have
    is_open: bool = False  # external, and a member of a value: its type is not known
    # The classes on which an external static method is called: it mostly gives objects of them.
    made: tuple[Declaration, ...] = ()


UNKNOWN = Meaning()  # nothing was found; compared by identity, unlike other empty meanings
_ABSENT = Meaning()  # imported from a file of the repository that does not declare it


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
        """Return types together with the interfaces that `declare module` in other files adds to them."""
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
                around = file.get_symbol(file.record.get_parent(ordinal))
                target = self.modules.find(path, around.name) if around.kind is SymbolKind.MODULE else None
                if target and declaration in self.find_export(target, symbol.name).declarations:
                    yield Declaration(path, int(ordinal))

    # Names of a file

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
        for around in iter_around(file.record, ordinal):
            found = self._choose(file, around, name, line, as_type)
            found = [one for one in found if not is_seen_elsewhere(file, one, line, one.ordinal == inner)]
            inner = around
            if found and not (as_type and rows and all(map(_gives_way, found))):
                held = any(one.arguments == HELD and one.line <= line for one in rows)
                is_open = held or is_in_any_block(file, found, line)
                return Meaning(tuple(Declaration(file.path, one.ordinal) for one in found), "", not is_open)
        for row in rows:
            found_there = self.resolve_import(file, row, hops=hops)
            if found_there.declarations and any(one.arguments == HELD for one in rows):
                return replace(found_there, is_certain=False)
            return _ABSENT if found_there is UNKNOWN else found_there
        return self._find_global(name, as_type)

    def _find_global(self, name: str, as_type: bool) -> Meaning:
        """Return what `declare global` in any file declares; the environment may have it, too."""
        found: list[Declaration] = []
        for path, block in self._global_blocks:
            file = self.find_file(path)
            symbols = self._choose(file, block, name, 0, as_type) if file is not None else ()
            found += [
                Declaration(path, one.ordinal) for one in symbols if as_type or one.kind not in _TYPE_ONLY
            ]
        return Meaning(tuple(found), is_certain=False) if found else UNKNOWN

    @cached_property
    def _global_blocks(self) -> list[tuple[str, int]]:
        """Return the path and the symbol of each `declare global`."""
        found = []
        for path in self.program.list_declaring(GLOBAL)[:MAX_AUGMENTING]:
            file = self.find_file(path)
            blocks = file.find_children(0, GLOBAL) if file is not None else ()
            found += [(path, one.ordinal) for one in blocks if one.kind is SymbolKind.MODULE]
        return found

    def is_global(self, symbol: DeclaredSymbol, path: str) -> bool:
        """Return whether `declare global` declares a symbol of a file."""
        return (path, symbol.parent) in self._global_blocks

    def _choose(
        self, file: ScriptFile, ordinal: int, name: str, line: int, as_type: bool
    ) -> list[DeclaredSymbol]:
        """Return the symbols with a name directly inside another one that need no qualifier on a line."""
        if file.record.get_kind(ordinal) in _TYPE_ONLY:
            return []
        found = [one for one in file.find_children(ordinal, name) if one.kind not in MEMBERS]
        return prefer(file.keep_seen(found, line), as_type)

    def resolve_import(self, file: ScriptFile, row: Reference, *, hops: int = 0) -> Meaning:
        """Return the meaning of an imported name."""
        path = self.modules.find(file.path, row.qualifier)
        if path is None or self.program.find_record(path) is None:
            ambient = self._find_ambient(row)
            if ambient is not UNKNOWN:  # the package of a JavaScript file says where its types are declared
                return replace(ambient, is_certain=self.program.find_language(file.path) == "typescript")
        if path is None:
            name = row.name if row.name not in {"default", WHOLE} else ""
            return Meaning(external=f"{row.qualifier}.{name}" if name else row.qualifier)
        if not row.name or row.name == "*":
            return Meaning((Declaration(path, 0),))
        found = self.find_export(path, row.name, hops=hops + 1)
        is_lazy = row.name == "default" and not row.alias  # `lazy(() => import("./page"))`
        return Meaning((Declaration(path, 0),)) if found is UNKNOWN and is_lazy else found

    def _find_ambient(self, row: Reference) -> Meaning:
        """Return the meaning of a name imported from `declare module "name"`, or `"*.suffix"`."""
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
        """Return what a `declare module` exports under a name; for "" and "*" the module itself."""
        if not name or name == "*":
            return [Declaration(file.path, module.ordinal)]
        for row in file.exports.get(name, ()):
            if row.symbol == module.ordinal and not row.qualifier:
                return list(self.look_up(file, module.ordinal, row.name).declarations)
        children = file.find_children(module.ordinal, name)
        return [Declaration(file.path, one.ordinal) for one in children]

    # Exports

    def find_export(self, path: str, name: str, *, hops: int = 0) -> Meaning:
        """Return the meaning of a name that a module exports; UNKNOWN if it does not export it."""
        key = (path, name)
        if key not in self._exported:
            self._exported[key] = UNKNOWN  # the answer inside a cycle
            found = self._find_export(path, name, hops)
            if found is UNKNOWN and hops:
                del self._exported[key]  # cut by a cycle or MAX_HOPS, so the answer is not cached
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
            symbols = [one for one in symbols if not file.is_unnamed(one.ordinal)]
        symbols = [one for one in symbols if one.kind not in MEMBERS]
        if symbols:
            each = tuple(Declaration(file.path, one.ordinal) for one in symbols)
            return self._join_assigned(file, file.exports.get(name, ()), Meaning(each), hops)
        rows = file.exports.get(name, ())
        for row in rows:
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
            found = Meaning(listed) if found is UNKNOWN and listed else found
            return self._join_assigned(file, rows, found, hops)
        return UNKNOWN

    def _join_assigned(
        self, file: ScriptFile, rows: Sequence[Reference], found: Meaning, hops: int
    ) -> Meaning:
        """Return what is assigned to `exports.name` in several places, or before `module.exports` is."""
        if not rows or not file.path.endswith(SCRIPTS):
            return found
        others = [self.look_up(file, 0, one.name, hops=hops + 1) for one in rows[1:] if not one.qualifier]
        declarations = tuple(dict.fromkeys(one for each in (found, *others) for one in each.declarations))
        wholes = [one.line for one in file.exports.get(WHOLE, ())]
        if len(declarations) > len(found.declarations) or (wholes and rows[-1].line < min(wholes)):
            return replace(found, declarations=declarations, is_certain=False)
        return found

    def _find_behind_stars(self, file: ScriptFile, name: str, hops: int) -> Meaning:
        """Search the modules of `export *`, breadth first."""
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
            return Meaning((Declaration(file.path, 0),))  # an object, whose members are exported
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
        """Return the meaning of a whole CommonJS module, `module.exports`; UNKNOWN if it is not assigned.

        In a TypeScript file that also exports names, the assignment does not count.
        """
        rows = file.exports.get(WHOLE, ())
        if rows and not file.path.endswith(SCRIPTS) and exports_more(file):
            return UNKNOWN
        for row in rows:
            if row.qualifier:
                target = self.modules.find(file.path, row.qualifier)
                return Meaning((Declaration(target, 0),)) if target else Meaning(external=row.qualifier)
            return self.look_up(file, 0, row.name, hops=hops + 1)
        return UNKNOWN


def prefer(symbols: list[DeclaredSymbol], as_type: bool) -> list[DeclaredSymbol]:
    """Return the declarations of one name that are meant as a type, or as a value; all when none is."""
    if len(symbols) < 2:
        return symbols
    kept = [one for one in symbols if (one.kind in _TYPE_ONLY) == as_type or _is_both(one)]
    if not as_type:  # a namespace that is merged with a class or function mostly has types
        kept = [one for one in kept if one.kind is not SymbolKind.MODULE] or kept
    return kept or symbols


def is_value(symbol: DeclaredSymbol) -> bool:
    """Return whether a symbol cannot be a type."""
    return symbol.kind in _VALUES or (symbol.kind is SymbolKind.COMPONENT and bool(symbol.parameters))


def _gives_way(symbol: DeclaredSymbol) -> bool:
    """Return whether an imported type may have the name of a symbol: of a value or a namespace."""
    return is_value(symbol) or symbol.kind is SymbolKind.MODULE


def _is_both(symbol: DeclaredSymbol) -> bool:
    return symbol.kind in {SymbolKind.CLASS, SymbolKind.ENUM, SymbolKind.COMPONENT, SymbolKind.MODULE}
