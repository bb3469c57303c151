"""The program that the two indexes of one root hold at one moment, as resolvers and searches see it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import merge

from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbol_index.schema import DECLARES, MODULES, PARTS, USES
from repo_mcp.symbol_index.symbol_index import SymbolIndex
from repo_mcp.symbols.symbol_record import (
    REFERENCE_COLUMNS,
    SYMBOL_COLUMNS,
    SymbolRecord,
    SymbolRecordError,
    decode_symbol_record,
)
from repo_mcp.text.lines import decode_source

MAX_KEPT_BYTES = 24 * 1024 * 1024  # of decoded structures
_ENTRY_BYTES = 400
_STRING_BYTES = 160  # with its place in the table that finds it
KEPT_PATHS = 500_000  # in lists by name: 8 bytes each, for their texts are the view's
_LIST_PATHS = 40  # that an empty list weighs as much as, with its name
KEPT_COUNTS = 16_384
MAX_TEXT_BYTES = 2_000_000


class IndexProgram:
    """See `repo_mcp.graph.program.program`. Used by one call at a time. Calls may raise IndexFormatError."""

    def __init__(
        self,
        view: SymbolIndex,
        list_source_paths: Callable[[], Iterable[str]],
        read: Callable[[str], bytes],
        languages: Mapping[str, str],
    ) -> None:
        """`read` gives the bytes of a live file or raises RepoError; `languages` maps extensions."""
        self._view = view
        self._read = read
        self._languages = languages
        self._records: LruCache[str, SymbolRecord | None] = LruCache(MAX_KEPT_BYTES, _weigh)
        self._decoded_bytes = 0
        self._lists: LruCache[tuple[int, str], Sequence[str]] = LruCache(
            KEPT_PATHS, lambda paths: len(paths) + _LIST_PATHS
        )
        self._counts: LruCache[tuple[int, str], int] = LruCache(KEPT_COUNTS)
        self._list_source_paths = list_source_paths
        self.names = DeclaredNames(view)
        self.has_file = view.has_file
        self.find_status = view.find_status

    # Files

    def find_record(self, path: str) -> SymbolRecord | None:
        """The structure of a file; None when it has none, or changed since it was parsed."""
        return self._records.get(path, lambda: self._decode(path))

    def _decode(self, path: str) -> SymbolRecord | None:
        found = self._decode_any(path)
        self._decoded_bytes += _weigh(found)
        return found

    def _decode_any(self, path: str) -> SymbolRecord | None:
        record = self._view.find_record_bytes(path)
        if record is None:
            return None
        try:
            return decode_symbol_record(record)
        except SymbolRecordError:  # of a writer that is not ours: as good as none
            return None

    def count_decoded(self) -> int:
        """About the bytes of memory that structures took which were decoded so far, forgotten ones too."""
        return self._decoded_bytes

    def find_language(self, path: str) -> str:
        """The language of a file by its name."""
        return find_language(path, self._languages).name

    def has_folder(self, path: str) -> bool:
        """True for a folder that holds a file with a structure, however deep. The root is ""."""
        prefix = f"{path}/" if path else ""
        for files in self._view.files:
            ordinal = bisect_left(files.paths, prefix)
            if ordinal < len(files.paths) and files.paths[ordinal].startswith(prefix):
                return True
        return False

    def read_text(self, path: str) -> str | None:
        """The text of a source file as it is now; None when it cannot be read."""
        try:
            return decode_source(self._read(path)).data.decode("utf-8", "replace")
        except RepoError:
            return None

    def list_paths(self) -> Sequence[str]:
        """Every file with a structure, ascending."""
        return self._paths

    @cached_property
    def _paths(self) -> list[str]:
        return list(self._view.iter_paths())

    def list_source_paths(self) -> Sequence[str]:
        """Every source file, with or without a structure, ascending."""
        return list(self._list_source_paths())

    # Names

    def list_declaring(self, name: str) -> Sequence[str]:
        """The files that declare a symbol of exactly this name, or are called so, ascending."""
        return self._list_files(DECLARES, name)

    def list_using(self, name: str) -> Sequence[str]:
        """Paths of the files with a reference to exactly this name, ascending."""
        return self._list_files(USES, name)

    def list_importing(self, name: str) -> Sequence[str]:
        """The files that import from a module whose name ends with this one, ascending."""
        ending = re.compile(rf"(?:.*\W)?{re.escape(name)}(?:\.\w+)?")
        modules = [term for term in self._view.find_containing(name) if ending.fullmatch(term)]
        return list(dict.fromkeys(merge(*(self._list_files(MODULES, module) for module in modules))))

    def count_using(self, name: str) -> int:
        """How many files `list_using` gives."""
        return self._count_files(USES, name)

    def list_rare(self, name: str, most: int) -> list[Sequence[str]]:
        """The files that use a name, and those that declare it; without a list of more than `most`."""
        return [
            self._list_files(field, name)
            for field in (USES, DECLARES)
            if 0 < self._count_files(field, name) <= most
        ]

    def _count_files(self, field: int, name: str) -> int:
        return self._counts.get((field, name), lambda: self._view.count_paths(field, name) if name else 0)

    def _list_files(self, field: int, name: str) -> Sequence[str]:
        return self._lists.get((field, name), lambda: self._view.list_paths(field, name) if name else [])


def _weigh(record: SymbolRecord | None) -> int:
    """About the bytes of memory that a structure takes when all of it was asked for."""
    if record is None:
        return _ENTRY_BYTES
    rows = SYMBOL_COLUMNS * record.symbol_count + REFERENCE_COLUMNS * record.reference_count
    return _ENTRY_BYTES + 4 * rows + _STRING_BYTES * record.string_count


class DeclaredNames:
    """The declared names of one program and their parts. Calls may raise IndexFormatError."""

    def __init__(self, view: SymbolIndex) -> None:
        self._view = view
        self._counts: LruCache[str, int] = LruCache(KEPT_COUNTS)

    def iter_declared(self, prefix: str, pattern: re.Pattern[bytes] | None = None) -> Iterable[str]:
        """The names that are declared and begin so, in order of their bytes; those that `pattern` finds."""
        return self._view.iter_terms(DECLARES, prefix, pattern)

    def iter_parts(self, prefix: str, pattern: re.Pattern[bytes] | None = None) -> Iterable[str]:
        """The parts of declared names that begin so, in order of their bytes; those that `pattern` finds."""
        return self._view.iter_terms(PARTS, prefix, pattern)

    def rank_files(
        self, parts: Sequence[str], limit: int, needed: Sequence[Sequence[str]] = ()
    ) -> Sequence[str]:
        """The files whose declared names fit the parts best, best first (BM25); see `SymbolIndex`."""
        return [path for path, _ in self._view.rank_files(parts, limit, needed)]

    def count_declaring(self, part: str) -> int:
        """Files that declare a name with a part."""
        return self._counts.get(part, lambda: self._view.count_paths(PARTS, part))
