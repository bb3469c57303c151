"""The files that can name a given symbol of Go: others that use its name mean something else.

What a package declares outside its types is named in its own files and in those that import it or link a
symbol of theirs with it. Left out on purpose: methods and fields, which any file may reach through a value.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.go.rules import may_accept
from repo_mcp.graph.nodes import NamedProgram
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.visibility.linked_names import list_linking
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbols.symbol_record import ReferenceRole, SymbolKind, SymbolRecord, get_role

CACHED_PATHS = 20_000  # of files, in lists of those that import a package
_AROUND = frozenset({SymbolKind.FILE, SymbolKind.MODULE})


class GoVisibility:
    """The files that can name symbols of one program."""

    def __init__(self, program: NamedProgram) -> None:
        self._program = program
        self._importing: LruCache[str, frozenset[str]] = LruCache(CACHED_PATHS, lambda found: 1 + len(found))

    def narrow(self, target: Declaration, paths: Sequence[str]) -> Sequence[str]:
        """Return the paths without the files that neither belong to the target's package nor import it, nor
        link a symbol with it."""
        folder = target.path.rpartition("/")[0]
        last = folder.rpartition("/")[2]
        # the index finds the last name of an import if that is one word
        if not last.isidentifier() or not self._is_of_package(target) or self._is_module(folder):
            return paths
        importing = self._importing.get(last, lambda: frozenset(self._program.list_importing(last)))
        record = self._program.find_record(target.path)
        assert record is not None
        linking = list_linking(self._program, record.get_name(target.ordinal))
        return [
            one for one in paths if one in importing or one in linking or one.rpartition("/")[0] == folder
        ]

    def could_mean(self, target: Declaration, record: SymbolRecord, row: int) -> bool:
        """Return False for a call with another number of arguments than a function of Go takes."""
        is_go = self._program.find_language(target.path) == "go"
        if not is_go or get_role(record, row) is not ReferenceRole.CALL:
            return True
        own = self._program.find_record(target.path)
        return own is None or may_accept(own.get_symbol(target.ordinal), record.get_reference(row))

    def _is_of_package(self, target: Declaration) -> bool:
        record = self._program.find_record(target.path)
        if record is None or not target.ordinal or self._program.find_language(target.path) != "go":
            return False
        kind, around = record.get_kind(target.ordinal), record.get_kind(record.get_parent(target.ordinal))
        return kind is not SymbolKind.MODULE and around in _AROUND

    def _is_module(self, folder: str) -> bool:
        """Return whether a folder is a whole module, which imports name as its go.mod does."""
        return not folder or self._program.has_file(f"{folder}/go.mod")
