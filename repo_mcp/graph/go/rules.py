"""Name rules of Go: the files in one folder are one package; imports name folders (`modules.py`)."""

from __future__ import annotations

from repo_mcp.graph.go.builds import Builds
from repo_mcp.graph.go.modules import GoModules
from repo_mcp.graph.program import Program, accepts_call
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import OUTSIDE, Candidate, Path, Rules
from repo_mcp.languages.go.declarations import BUILTIN
from repo_mcp.symbols.symbol_record import DeclaredSymbol, Reference, SymbolKind

# Methods of interfaces and containers of the standard library, such as `http.Header` and `url.Values`.
_LIBRARY_TEXT = """
Add Bytes Close Cookies Decode Del Deadline Done Encode Flush Format Get Has Header Load Lock Next Parse
Range Read Reset Scan Seek Set Size Store Swap Sync Unlock Unwrap Value Values Wait Write WriteHeader
WriteString ServeHTTP MarshalJSON UnmarshalJSON MarshalText UnmarshalText
"""
_LIBRARY = frozenset(_LIBRARY_TEXT.split())
_ONE = 2  # `arguments` of a reference that has one
_TESTS = " tests"  # after the folder, in the path of a package `a_test`


class GoRules(Rules):
    """The rules of Go. Full paths begin with the folder of the package."""

    languages = frozenset({"go"})
    folders_limit_paths = True
    declares_before_use = True
    has_extensions = True
    library_members = _LIBRARY

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.modules = GoModules(program)
        self._homes: dict[str, Path] = {}

    def find_home(self, scope: FileScope) -> Path:
        """Return the folder of a file as a path; a package `a_test` has a path of its own."""
        home = self._homes.get(scope.path)
        if home is None:
            home = (f"{scope.folder}{_TESTS}" if _is_test_package(scope) else scope.folder,)
            self._homes[scope.path] = home
        return home

    def get_full_path(self, scope: FileScope, ordinal: int) -> Path:
        """Return the folder and the names, without the package's own name."""
        names = scope.get_qualified_names(ordinal)
        return self.find_home(scope) + (names[1:] if scope.get_kind(1) is SymbolKind.MODULE else names)

    def list_visible(self, scope: FileScope, ordinal: int) -> list[Path]:
        """Return the package's folder, and the folders of `import . "path"`."""
        found = [self.find_home(scope)]
        for row in scope.wildcard_imports:
            folder = self.find_folder(scope, row.qualifier)
            if folder is not None:
                found.append((folder,))
        return found

    def is_reachable(self, scope: FileScope, other: FileScope, ordinal: int) -> bool:
        """Return False for a name of another package that is a program, or that does not export it."""
        if self.find_home(scope) == self.find_home(other):
            return True
        return other.get_name(1) != "main" and other.get_name(ordinal)[:1].isupper()

    def find_import(self, scope: FileScope, ordinal: int, name: str) -> Path | None:
        """Return the folder of an imported package."""
        for row in scope.find_imports(name):
            if row.name == "":
                folder = self.find_folder(scope, row.qualifier)
                return (*OUTSIDE, row.qualifier) if folder is None else (folder,)
        return None

    def list_paths(self, scope: FileScope, ordinal: int, names: Path) -> list[Path]:
        """Return the path into an imported package; empty if the first name is not an import.

        Predeclared names such as `error` are in the package "builtin", as in Go's documentation."""
        if names[0] == BUILTIN:
            return [OUTSIDE + names]
        bound = self.find_import(scope, ordinal, names[0])
        return [bound + names[1:]] if bound is not None else []

    def list_imported(self, scope: FileScope, row: Reference) -> tuple[list[str], list[Path], str]:
        """Return the file that stands for an imported package: the one with its name, or the first one."""
        qualifier = row.qualifier
        folder = self.find_folder(scope, qualifier)
        if folder is None:
            return [], [], qualifier
        names = (
            *(row.alias for row in scope.imports if row.qualifier == qualifier),
            folder.rpartition("/")[2],
        )
        for package in (*names, *(f"go-{one}" for one in names), "main"):
            files = [one for one in self.program.list_declaring(package) if self.may_declare(one, (folder,))]
            if files:
                named = [f"{folder}/{one}.go".lstrip("/") for one in ("doc", package)]
                return [min(files, key=lambda one: (one.endswith("_test.go"), one not in named, one))], [], ""
        return [], [], ""

    def may_declare(self, file_path: str, path: Path) -> bool:
        """Return whether a file lies in the folder of a path."""
        return file_path.rpartition("/")[0] == path[0].removesuffix(_TESTS)

    def is_same_type(self, scope: FileScope, ordinal: int, other: FileScope, extension: int) -> bool:
        """Return whether methods are in the package of their type."""
        return self.find_home(scope) == self.find_home(other)

    def choose(self, scope: FileScope, found: list[Candidate]) -> tuple[list[Candidate], bool]:
        """Return those declarations whose files are built together with the file of the use.

        That of a plain build comes first.
        """
        if len(found) > 1:
            paths = dict.fromkeys(other.path for other, _ in found)
            built = Builds.find(self.program).list_built_with(scope.path, paths)
            found = [one for path in built for one in found if one[0].path == path] or found
        return found, True

    def read_result(self, text: str) -> str:
        """Return the first of several results, without its name."""
        if not text.startswith("("):
            return text
        first = text[1:].partition(",")[0].rstrip(") ")
        name, _, named = first.partition(" ")
        return named if named and name.isidentifier() and name not in {"chan", "func", "map"} else first

    def find_folder(self, scope: FileScope, import_path: str) -> str | None:
        """Return the folder of an import path, or None when it is outside the repository."""
        return self.modules.find_folder(scope.folder, import_path)


def _is_test_package(scope: FileScope) -> bool:
    if not scope.path.endswith("_test.go") or scope.record.symbol_count < 2:
        return False
    return scope.get_kind(1) is SymbolKind.MODULE and scope.get_name(1).endswith("_test")


def may_accept(symbol: DeclaredSymbol, call: Reference) -> bool:
    """Return whether a declaration may take the arguments of a call.

    A single one may be a call itself, with several results.
    """
    return call.arguments == _ONE or accepts_call(symbol, call)
