"""The files that can name a given symbol of Rust: most uses of a name such as `new` mean something else.

What is not `pub` is seen in its own crate alone; a test or an example is a crate of its own. A function of a
type without `self` is reached through the name of the type, or through another name for it.

Left out on purpose: members that implement a trait, which are called wherever the trait is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.graph.program import Declaration, Program, Resolution
from repo_mcp.graph.rust.crates import Crates
from repo_mcp.graph.rust.rules import get_crate_root, is_after_type, takes_arguments
from repo_mcp.languages.treesitter.type_names import read_type
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import (
    ACCESS_SHIFT,
    CALLABLE_KINDS,
    Access,
    ReferenceRole,
    SymbolFlag,
    SymbolKind,
    SymbolRecord,
    get_role,
    list_aliases,
)

FEW = 4  # so few files are all searched
MAX_NAMING = 400  # files with the name of a type that are read for other names of it
CACHED_PATHS = 20_000  # of files, in lists of those that name a type
CACHED_NAMES = 256  # of types, whose other names are kept

Resolve = Callable[[str, SymbolRecord, int], Resolution]


class RustVisibility:
    """The files that can name symbols of one program."""

    def __init__(self, program: Program, resolve: Resolve) -> None:
        """Take `resolve`, which returns the meaning of a reference: of a file, its record and a row."""
        self._program = program
        self._resolve = resolve
        self._crates = Crates(program)
        self._naming: LruCache[str, frozenset[str]] = LruCache(CACHED_PATHS, lambda found: 1 + len(found))
        self._other_names: LruCache[str, frozenset[str]] = LruCache(CACHED_NAMES)

    def narrow(self, target: Declaration, paths: Sequence[str]) -> Sequence[str]:
        """Return the paths without those of files that cannot name the target, unless they are FEW."""
        record = self._program.find_record(target.path)
        is_rust = self._program.find_language(target.path) == "rust"
        if len(paths) <= FEW or record is None or not target.ordinal or not is_rust:
            return paths
        owner = record.get_parent(target.ordinal)
        is_block = record.get_kind(owner) is SymbolKind.EXTENSION
        if is_block and _has_trait(record, owner):
            return paths
        types = self._list_types(target.path, record, owner) if is_block else []
        if not all(map(_is_public, [(record, target.ordinal), *types, *_list_owner(record, owner)])):
            own = get_crate_root(self._crates.get_home(target.path))
            paths = [one for one in paths if get_crate_root(self._crates.get_home(one)) == own]
        if is_block and int(record.flags[target.ordinal]) & SymbolFlag.STATIC:
            name = record.get_name(owner)
            naming = self._naming.get(name, lambda: self._list_naming(name))
            paths = [one for one in paths if one in naming or one == target.path]
        return paths

    def _list_types(self, path: str, record: SymbolRecord, block: int) -> list[tuple[SymbolRecord, int]]:
        """Return the types that an `impl` is for."""
        found = []
        for row in record.list_own_role(block, ReferenceRole.EXTEND):
            for target in self._resolve(path, record, row).targets:
                other = self._program.find_record(target.declaration.path)
                found += [] if other is None else [(other, target.declaration.ordinal)]
        return found

    def _list_naming(self, name: str) -> frozenset[str]:
        """Return the files that name a type, or use another name that one of them gives it."""
        names = (name, *self._list_other_names(name))
        return frozenset(path for one in names for path in self._program.list_using(one))

    def _list_other_names(self, name: str) -> frozenset[str]:
        return self._other_names.get(name, lambda: self._read_other_names(name))

    def _read_other_names(self, name: str) -> frozenset[str]:
        """Return the names that imports and aliases give to a type."""
        found: set[str] = set()
        for path in self._program.list_using(name)[:MAX_NAMING]:
            record = self._program.find_record(path)
            if record is not None:
                found |= list_aliases(record, record.find_references(name)) | _list_type_aliases(record, name)
        return frozenset(found)

    def could_mean(self, target: Declaration, record: SymbolRecord, row: int) -> bool:
        """Return False if the form of a call rules out a function of a type: its path or its arguments."""
        is_rust = self._program.find_language(target.path) == "rust"
        own = self._program.find_record(target.path)
        if own is None or not is_rust or get_role(record, row) is not ReferenceRole.CALL:
            return True
        symbol, call = own.get_symbol(target.ordinal), record.get_reference(row)
        is_static = bool(symbol.flags & SymbolFlag.STATIC)
        takes = takes_arguments(call, symbol.parameter_count, is_static=is_static)
        if symbol.kind in CALLABLE_KINDS and not takes:
            return False
        owner, last = symbol.parent, call.qualifier.rpartition(".")[2]
        is_own_block = own.get_kind(owner) is SymbolKind.EXTENSION and not _has_trait(own, owner)
        if not is_after_type(call) or not is_own_block or last == "Self":
            return True
        name = own.get_name(owner)
        return last == name or last in self._list_other_names(name)


def _has_trait(record: SymbolRecord, block: int) -> bool:
    return bool(record.list_own_role(block, ReferenceRole.IMPLEMENT))


def _list_owner(record: SymbolRecord, owner: int) -> list[tuple[SymbolRecord, int]]:
    """Return the trait around a method, which is seen no further than its trait."""
    return [(record, owner)] if record.get_kind(owner) is SymbolKind.TRAIT else []


def _is_public(symbol: tuple[SymbolRecord, int]) -> bool:
    record, ordinal = symbol
    return Access(int(record.flags[ordinal]) >> ACCESS_SHIFT) is Access.PUBLIC


def _list_type_aliases(record: SymbolRecord, name: str) -> set[str]:
    """Return the aliases that a file declares for a type."""
    types = (record.kinds == int(SymbolKind.TYPE)).nonzero()[0].tolist()
    symbols = map(record.get_symbol, types)
    return {one.name for one in symbols if read_type(one.return_type).name == name}
