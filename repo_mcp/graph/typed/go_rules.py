"""Where names lead in Go: files of one folder are one package; imports name folders by `go.mod`."""

from __future__ import annotations

import re

from repo_mcp.graph.program.program import Program
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import OUTSIDE, Path, Rules
from repo_mcp.symbols.symbol_record import SymbolKind

MAX_FOLDERS = 40  # above a file, looked through for go.mod
_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.M)


class GoRules(Rules):
    """Full paths begin with the folder of the package."""

    languages = frozenset({"go"})
    has_extensions = True

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._modules: dict[str, tuple[str, str] | None] = {}

    def find_home(self, scope: FileScope) -> Path:
        """The folder."""
        return (scope.folder,)

    def say_path(self, scope: FileScope, ordinal: int) -> Path:
        """Folder and names, without the package's own."""
        names = scope.say_names(ordinal)
        return (
            (scope.folder, *names[1:]) if scope.get_kind(1) is SymbolKind.MODULE else (scope.folder, *names)
        )

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """The package's folder, and the folders of `import . "path"`."""
        found = [self.find_home(scope)]
        for row in scope.wide_imports:
            folder = self.find_folder(scope, row.qualifier)
            if folder is not None:
                found.append((folder,))
        return found

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """The folder of an imported package."""
        for row in scope.find_imports(name):
            if row.name == "":
                folder = self.find_folder(scope, row.qualifier)
                return (*OUTSIDE, row.qualifier) if folder is None else (folder,)
        return None

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """What stands in an imported package; a member of what this package has."""
        bound = self.find_import(scope, ordinal, names[0])
        return [bound + names[1:]] if bound is not None else []

    def list_imported(self, scope: FileScope, qualifier: str, name: str) -> tuple[list[str], list[Path], str]:
        """The files of the package."""
        folder = self.find_folder(scope, qualifier)
        if folder is None:
            return [], [], qualifier
        names = (
            *(row.alias for row in scope.imports if row.qualifier == qualifier),
            folder.rpartition("/")[2],
        )
        for package in (*names, *(f"go-{one}" for one in names), "main"):
            files = [one for one in self.program.list_declaring(package) if self.may_hold(one, (folder,))]
            if files:
                return [one for one in files if not one.endswith("_test.go")] or files, [], ""
        return [], [], ""

    def may_hold(self, file_path: str, path: Path) -> bool:
        """Only files of the folder."""
        return file_path.rpartition("/")[0] == path[0]

    def is_same_type(self, scope: FileScope, ordinal: int, other: FileScope, extension: int) -> bool:
        """Methods stand in the package of their type."""
        return scope.folder == other.folder

    def read_result(self, text: str) -> str:
        """Of several results the first, without its name."""
        if not text.startswith("("):
            return text
        first = text[1:].partition(",")[0].rstrip(") ")
        name, _, named = first.partition(" ")
        return named if named and name.isidentifier() and name not in {"chan", "func", "map"} else first

    def find_folder(self, scope: FileScope, import_path: str) -> str | None:
        """The folder of an import path; None for what is elsewhere."""
        if import_path.startswith("."):
            return None
        module = self._find_module(scope.folder)
        if module is not None:
            root, name = module
            if import_path == name:
                return root
            if import_path.startswith(name + "/"):
                folder = f"{root}/{import_path[len(name) + 1 :]}".strip("/")
                return folder if self.program.has_folder(folder) else None
        return self._find_by_ending(import_path)

    def _find_by_ending(self, import_path: str) -> str | None:
        """A folder of the whole import path without its host: for several modules in one repository."""
        vendored = f"vendor/{import_path}"
        if self.program.has_folder(vendored):
            return vendored
        parts = import_path.split("/")
        if "." not in parts[0]:
            return None
        for start in (3, 2, 1):
            ending = "/".join(parts[start:])
            if ending and "/" in ending and self.program.has_folder(ending):
                return ending
        return None

    def _find_module(self, folder: str) -> tuple[str, str] | None:
        """The nearest go.mod above: its folder and the module's name."""
        if folder not in self._modules:
            path = f"{folder}/go.mod".lstrip("/")
            text = self.program.read_text(path) if self.program.has_file(path) else None
            found = _MODULE.search(text) if text else None
            if found is not None:
                self._modules[folder] = folder, found.group(1)
            else:
                above = folder.rpartition("/")[0]
                deep = folder.count("/") < MAX_FOLDERS
                self._modules[folder] = self._find_module(above) if folder and deep else None
        return self._modules[folder]
