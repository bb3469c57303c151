"""The parsed files of one language with declared types: their scopes, and those that declare a name.

Left out on purpose: which of the declarations of a name is meant.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.rules import Path, Rules, count_common_folders
from repo_mcp.symbols.symbol_record import SymbolRecord

MAX_FILES = 60  # nearest declaring files examined for one use of a name


class ParsedFiles:
    """The files of one Program in the languages of some rules. Caches their scopes."""

    def __init__(self, program: Program, rules: Rules) -> None:
        self.program = program
        self.rules = rules
        rules.find_scope = self.find_scope
        self._scopes: dict[str, FileScope | None] = {}

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
        """Return the language of a file, given the one that its name says."""
        return language

    def iter_declaring(self, scope: FileScope, name: str, wanted: Path | None = None) -> Iterator[FileScope]:
        """Yield the files that declare a name, at most the MAX_FILES nearest to another one."""
        paths = self.program.list_declaring(name)
        if wanted is not None:
            paths = [one for one in paths if self.rules.may_hold(one, wanted)]
        if len(paths) > MAX_FILES:
            near = scope.path

            def measure(path: str) -> tuple[int, str]:
                return -count_common_folders(near, path), path

            paths = heapq.nsmallest(MAX_FILES, paths, key=measure)
        for path in paths:
            other = self.find_scope(path)
            if other is not None:
                yield other
