"""Name rules of Swift: all files of a module see each other; a module is a folder in `Sources`."""

from __future__ import annotations

from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import OUTSIDE, Path, Rules
from repo_mcp.graph.typed.swift_labels import accepts_labels
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, Reference, Symbol

_ONLY_FOLDERS = ("Source", "src")
_SOURCE_FOLDERS = frozenset({"Sources", "Tests", *_ONLY_FOLDERS})


def _accepts(symbol: Symbol, call: Reference) -> bool:
    return symbol.kind not in CALLABLE_KINDS or accepts_labels(symbol.parameters, call.alias)


class SwiftRules(Rules):
    """The rules of Swift. Full paths begin with the module."""

    languages = frozenset({"swift"})
    has_implicit_members = True
    has_overloads = True
    inherits_overloads = True
    has_labels = True
    accepts = staticmethod(_accepts)
    has_extensions = True
    checks_extensions = True
    own_words = frozenset({"self", "Self"})
    base_words = frozenset({"super"})
    constructor_name = "init"

    def find_home(self, scope: FileScope) -> Path:
        """Return the target's folder, directly below `Sources` or `Tests`; else the path's first folder."""
        return (self._find_module(scope.path),)

    def _find_module(self, path: str) -> str:
        folders = path.split("/")[:-1]
        for at, one in enumerate(folders[:-1]):
            if one in _SOURCE_FOLDERS:
                return one if one in _ONLY_FOLDERS else folders[at + 1]
        return folders[0] if folders else ""

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Return the module and the imported modules."""
        imported = [(self._find_folder(row),) for row in scope.imports if not row.name]
        return [self.find_home(scope), *imported]

    def _find_folder(self, row: Reference) -> str:
        """Return what paths of an imported module begin with: its name, or the only folder of sources, for
        what tests import as ours and no folder has the name of."""
        if row.arguments and not self._is_here(row.qualifier):
            return next((one for one in _ONLY_FOLDERS if self.program.has_folder(one)), row.qualifier)
        return row.qualifier

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the path that `import struct Module.Name` binds, or an imported module by its name."""
        for row in scope.find_imports(name):
            folder = self._find_folder(row)
            path = (folder, row.name) if row.name else (folder,)
            return path if self._is_here(folder) else OUTSIDE + path
        return None

    def _is_here(self, module: str) -> bool:
        folders = (f"Sources/{module}", f"Tests/{module}", module)
        return any(self.program.has_folder(folder) for folder in folders)

    def list_imported(self, scope: FileScope, qualifier: str, name: str) -> tuple[list[str], list[Path], str]:
        """Return the path of an imported declaration; nothing for a module itself, which is no file."""
        if not self._is_here(qualifier):
            return [], [], ".".join(filter(None, (qualifier, name)))
        return [], ([(qualifier, name)] if name else []), ""

    def may_hold(self, file_path: str, path: Path) -> bool:
        """Return whether a file belongs to the module of a path."""
        return self._find_module(file_path) == path[0]
