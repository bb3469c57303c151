"""The parsed files of one language with declared types, and what can be asked of each declaration in them.

Left out on purpose: which of the declarations of a name is meant.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import partial

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import Candidate, Path, Rules
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import SymbolKind, SymbolRecord
from repo_mcp.text.shared_parts import count_shared

MAX_FILES = 60  # nearest declaring files examined for one use of a name
CACHED_NEAREST = 4_000  # lists of these: 2 MB


class ParsedFiles:
    """The files of one Program in the languages of some rules. Caches their scopes."""

    def __init__(self, program: Program, rules: Rules) -> None:
        self.program = program
        self.rules = rules
        rules.find_scope = self.find_scope
        self._scopes: dict[str, FileScope | None] = {}
        # By a folder and a name.
        self._nearest: LruCache[tuple[str, str], Sequence[str]] = LruCache(CACHED_NEAREST)

    def find_scope(self, path: str) -> FileScope | None:
        """Return a parsed file in one of our languages; None for any other."""
        if path not in self._scopes:
            language = self.program.find_language(path)
            record = self.program.find_record(path) if language in self.rules.languages else None
            if record is not None:
                self._scopes[path] = FileScope(path, self._read_language(language, record), record)
            else:
                self._scopes[path] = None
        return self._scopes[path]

    def _read_language(self, language: str, record: SymbolRecord) -> str:
        """Return the language of a file; `language` is the one that the name of the file shows."""
        return language

    def get_kind(self, declaration: Declaration) -> SymbolKind:
        """Return the kind of a declaration; FILE in a file that is not one of ours."""
        scope = self.find_scope(declaration.path)
        return scope.get_kind(declaration.ordinal) if scope is not None else SymbolKind.FILE

    def get_parent(self, declaration: Declaration) -> Declaration:
        """Return the symbol that directly contains a declaration."""
        scope = self.find_scope(declaration.path)
        parent = scope.get_parent(declaration.ordinal) if scope is not None else 0
        return Declaration(declaration.path, parent)

    def get_parameters(self, declaration: Declaration) -> str:
        """Return the parameters of a declaration, as written; "" for none."""
        scope = self.find_scope(declaration.path)
        return scope.get_symbol(declaration.ordinal).parameters if scope is not None else ""

    def get_return_type(self, declaration: Declaration) -> str:
        """Return the type of a function's result or of a variable, as written; "" for none."""
        scope = self.find_scope(declaration.path)
        return scope.get_symbol(declaration.ordinal).return_type if scope is not None else ""

    def iter_declaring(self, scope: FileScope, name: str, wanted: Path | None = None) -> Iterator[FileScope]:
        """Yield the files that declare a name; of more than MAX_FILES, those nearest to another file."""
        paths = self.program.list_declaring(name)
        if wanted is not None and self.rules.folders_limit_paths:
            paths = [one for one in paths if self.rules.may_declare(one, wanted)]
            paths = _choose_nearest(paths, scope.path) if len(paths) > MAX_FILES else paths
        elif len(paths) > MAX_FILES:  # thousands of uses ask about a name such as `new`
            paths = self._nearest.get((scope.folder, name), partial(_choose_nearest, paths, scope.path))
        for path in paths:
            other = self.find_scope(path)
            if other is not None:
                yield other

    def iter_named(self, scope: FileScope, name: str, wanted: Path | None = None) -> Iterator[Candidate]:
        """Yield the symbols of a name in the files that `iter_declaring` yields, each with its file."""
        for other in self.iter_declaring(scope, name, wanted):
            for ordinal in other.find_named(name):
                yield other, ordinal

    def find_nearness(self, scope: FileScope, name: str) -> str:
        """Return the folder of a file if `iter_declaring` yields other files for other folders, else ""."""
        return scope.folder if len(self.program.list_declaring(name)) > MAX_FILES else ""


def _choose_nearest(paths: Sequence[str], near: str) -> list[str]:
    """Return the MAX_FILES paths that share most leading folders with another one, ties by path."""

    def measure(path: str) -> tuple[int, str]:
        return -count_shared(near.split("/")[:-1], path.split("/")[:-1]), path

    return heapq.nsmallest(MAX_FILES, paths, key=measure)
