"""The bodies of what `.d.ts` files declare: a class in one of the repository's scripts, and its members.

    types.d.ts     declare class Oven { bake(): Bread }
    lib/Oven.js    class Oven { bake() {} }

Both are one symbol. A class means the only other one of its name outside tests, or the one in a file of its
name; anything else at the top of a file means what the script beside that file declares. A member means that
of the class.

Left out on purpose: interfaces and types, which have no bodies.
"""

from __future__ import annotations

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import SymbolKind, SymbolRecord
from repo_mcp.text.roles import is_test_path

MAX_FILES = 60  # that declare a name; of a more common one no body is sought
CACHED_BODIES = 20_000
_SUFFIXES = (".d.ts", ".d.mts", ".d.cts")
_LANGUAGES = frozenset({"javascript", "typescript"})
_BODILESS = frozenset({SymbolKind.INTERFACE, SymbolKind.TYPE})
_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.FUNCTION})  # a function may make objects as a class does


class DeclaredBodies:
    """Joins the declarations of `.d.ts` files with their bodies. Used by one call at a time."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._bodies: LruCache[Declaration, Declaration | None] = LruCache(CACHED_BODIES)

    def find(self, declaration: Declaration) -> Declaration | None:
        """Return the body of a declaration; None for one that is none of a `.d.ts` file, or has no body."""
        if not declaration.ordinal or not declaration.path.endswith(_SUFFIXES):
            return None
        return self._bodies.get(declaration, lambda: self._find(declaration))

    def list_declared(self, body: Declaration) -> list[Declaration]:
        """Return the declarations of `.d.ts` files whose body is this one."""
        record = self._program.find_record(body.path)
        if record is None or self._program.find_language(body.path) not in _LANGUAGES:
            return []
        name = record.get_name(body.ordinal)
        paths = [path for path in self._program.list_declaring(name) if path.endswith(_SUFFIXES)]
        return [
            one
            for path in paths[:MAX_FILES]
            if (other := self._program.find_record(path)) is not None
            for one in (Declaration(path, ordinal) for ordinal in other.find_symbols(name))
            if self.find(one) == body
        ]

    def _find(self, declaration: Declaration) -> Declaration | None:
        record = self._program.find_record(declaration.path)
        if record is None or record.get_kind(declaration.ordinal) in _BODILESS:
            return None
        name, parent = record.get_name(declaration.ordinal), record.get_parent(declaration.ordinal)
        while record.get_kind(parent) is SymbolKind.MODULE:  # `declare module "oven" {`
            parent = record.get_parent(parent)
        if not parent:
            return self._find_outermost(declaration, name, record.get_kind(declaration.ordinal))
        owner = self.find(Declaration(declaration.path, parent))
        return None if owner is None else self._find_child(owner, name)

    def _find_child(self, owner: Declaration, name: str) -> Declaration | None:
        record = self._program.find_record(owner.path)
        found = [] if record is None else _list_inside(record, owner.ordinal, name)
        return Declaration(owner.path, found[0]) if found else None

    def _find_outermost(self, declaration: Declaration, name: str, kind: SymbolKind) -> Declaration | None:
        """Return the body of what is at the top of a file, among the scripts that declare its name."""
        paths = self._program.list_declaring(name)
        paths = [path for path in paths if self._may_have_body(path)] if len(paths) <= MAX_FILES else []
        stem = _cut_suffix(declaration.path)
        beside = [path for path in paths if _cut_suffix(path) == stem]
        named = [path for path in paths if _cut_suffix(path).rpartition("/")[2] == name]
        kinds = _CLASSES if kind is SymbolKind.CLASS else frozenset({kind})
        for chosen in (beside, paths, named) if kind is SymbolKind.CLASS else (beside,):
            found = [
                Declaration(path, ordinal)
                for path in chosen
                if (record := self._program.find_record(path)) is not None
                for ordinal in _list_inside(record, 0, name)
                if record.get_kind(ordinal) in kinds
            ]
            if len(found) == 1:
                return found[0]
        return None

    def _may_have_body(self, path: str) -> bool:
        is_script = self._program.find_language(path) in _LANGUAGES and not path.endswith(_SUFFIXES)
        return is_script and not is_test_path(path)


def _list_inside(record: SymbolRecord, parent: int, name: str) -> list[int]:
    """Return the symbols of a name directly inside another."""
    return [one for one in record.find_symbols(name) if one and record.get_parent(one) == parent]


def _cut_suffix(path: str) -> str:
    """Return a path without the suffixes of its language: `lib/Oven` for `lib/Oven.d.ts`."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(next((one for one in _SUFFIXES if name.endswith(one)), ""))
    stem = stem if stem != name else name.rpartition(".")[0]
    return f"{folder}/{stem}"
