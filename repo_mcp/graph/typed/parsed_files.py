"""The parsed files of languages with declared types: their scopes and rules, and those that declare a name.

Left out on purpose: which of the declarations of a name is meant.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping

from repo_mcp.graph.program import Program
from repo_mcp.graph.typed.c_rules import CRules
from repo_mcp.graph.typed.file_scope import FileScope
from repo_mcp.graph.typed.go_rules import GoRules
from repo_mcp.graph.typed.java_rules import JavaRules
from repo_mcp.graph.typed.rules import Path, Rules, count_common_folders
from repo_mcp.graph.typed.rust_rules import RustRules
from repo_mcp.graph.typed.swift_rules import SwiftRules
from repo_mcp.symbols.symbol_record import SymbolKind

MAX_FILES = 60  # nearest declaring files examined for one use of a name
_CPP_KINDS = frozenset({SymbolKind.CLASS, SymbolKind.CONSTRUCTOR, SymbolKind.MODULE})  # not in C
_RULES: Mapping[str, Callable[[Program], Rules]] = {
    "go": GoRules,
    "java": JavaRules,
    "rust": RustRules,
    "c": CRules,
    "cpp": CRules,
    "swift": SwiftRules,
}


class ParsedFiles:
    """The files of one Program. Caches scopes and rules."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._scopes: dict[str, FileScope | None] = {}
        self._rules: dict[str, Rules] = {}

    def find_scope(self, path: str) -> FileScope | None:
        """Return a parsed file in one of our languages; None for any other."""
        if path not in self._scopes:
            language = self.program.find_language(path)
            record = self.program.find_record(path) if language in _RULES else None
            if record is not None and language == "c" and not _CPP_KINDS.isdisjoint(map(int, record.kinds)):
                language = "cpp"  # a header, whose name may mean either
            self._scopes[path] = FileScope(path, language, record) if record is not None else None
        return self._scopes[path]

    def get_rules(self, scope: FileScope) -> Rules:
        """Return the rules of a file's language."""
        family = "c" if scope.language == "cpp" else scope.language
        if family not in self._rules:
            rules = self._rules[family] = _RULES[family](self.program)
            rules.find_scope = self.find_scope
        return self._rules[family]

    def iter_declaring(self, scope: FileScope, name: str, wanted: Path | None = None) -> Iterator[FileScope]:
        """Yield the files of the same languages that declare a name, at most the nearest MAX_FILES."""
        rules = self.get_rules(scope)
        paths = self.program.list_declaring(name)
        if wanted is not None:
            paths = [one for one in paths if rules.may_hold(one, wanted)]
        if len(paths) > MAX_FILES:
            near = scope.path

            def measure(path: str) -> tuple[int, str]:
                return -count_common_folders(near, path), path

            paths = heapq.nsmallest(MAX_FILES, paths, key=measure)
        for path in paths:
            other = self.find_scope(path)
            if other is not None and other.language in rules.languages:
                yield other
