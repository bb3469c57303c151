"""The contents of the indexes at one moment, as resolvers and searches see them.

These are the records and texts of files, and which files declare or use a name. What is decoded is cached, up
to a number of bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from heapq import merge

from index_format import compute_fingerprint
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.lru_cache import LruCache
from repo_mcp.symbol_index.precise_index import PreciseView
from repo_mcp.symbol_index.schema import DECLARES, MODULES, PARTS, USES
from repo_mcp.symbol_index.symbol_index import SymbolIndex, list_counts
from repo_mcp.symbols.symbol_record import (
    REFERENCE_COLUMNS,
    SYMBOL_COLUMNS,
    SymbolRecord,
    SymbolRecordError,
    decode_symbol_record,
)
from repo_mcp.text.lines import decode_source

CACHED_RECORD_BYTES = 24 * 1024 * 1024  # of decoded symbol records
_ENTRY_BYTES = 400
_STRING_BYTES = 160  # including its entry in the lookup table
CACHED_PATHS = 500_000  # in cached lists by name: 8 bytes each, as the view owns the strings
_LIST_PATHS = 40  # number of paths that weigh as much as an empty list and its name
CACHED_COUNTS = 16_384


class IndexProgram:
    """A program read from the indexes. Used by one call at a time. Calls may raise IndexFormatError."""

    def __init__(
        self,
        view: SymbolIndex,
        list_source_paths: Callable[[], Iterable[str]],
        read: Callable[[str], bytes],
        languages: Mapping[str, str],
        precise: PreciseView | None = None,
    ) -> None:
        """Take `read`, which returns a file's bytes or raises RepoError, and `languages` by extension.

        Records of `precise` replace those of the symbol index: they have further references.
        """
        self._view = view
        self._precise = precise
        self._read = read
        self._languages = languages
        self._records: LruCache[str, SymbolRecord | None] = LruCache(CACHED_RECORD_BYTES, _weigh)
        self._decoded_bytes = 0
        self._lists: LruCache[tuple[int, str], Sequence[str]] = LruCache(
            CACHED_PATHS, lambda paths: len(paths) + _LIST_PATHS
        )
        self._counts: LruCache[tuple[int, str], int] = LruCache(CACHED_COUNTS)
        self._list_source_paths = list_source_paths
        self.kept: dict[type, object] = {}
        self.names = DeclaredNames(view)

        def list_uses(name: str) -> Sequence[tuple[str, int]]:
            """Return the files in `list_using`, each with an upper bound of its references to the name."""
            found = dict(list_counts(view, USES, name)) if name else {}
            for path in self._list_naming(name):
                record = self.find_record(path)
                found[path] = 0 if record is None else len(record.find_references(name))
            return sorted(found.items())

        self.list_uses = list_uses
        self.list_including = partial(view.list_paths, MODULES)
        self.has_file = view.has_file
        self.find_status = view.find_status
        self.read_lines = partial(_read_lines, read, view.find_fingerprint)

    # Files

    def find_record(self, path: str) -> SymbolRecord | None:
        """Return a file's symbol record, or None when it has none or changed since it was parsed."""
        return self._records.get(path, lambda: self._decode(path))

    def _decode(self, path: str) -> SymbolRecord | None:
        found = self._decode_any(path)
        self._decoded_bytes += _weigh(found)
        return found

    def _decode_any(self, path: str) -> SymbolRecord | None:
        precise = None if self._precise is None else self._precise.find(path)
        if precise is not None:
            return precise.record
        record = self._view.find_record_bytes(path)
        if record is None:
            return None
        try:
            return decode_symbol_record(record)
        except SymbolRecordError:  # written by something else: treated as missing
            return None

    def count_decoded(self) -> int:
        """Return the approximate bytes of all symbol records decoded so far, evicted ones included."""
        return self._decoded_bytes

    def find_language(self, path: str) -> str:
        """Return the language of a file, judged by its name."""
        return find_language(path, self._languages).name

    def has_folder(self, path: str) -> bool:
        """Return whether a folder ("" for the root) holds a file with a symbol record, at any depth."""
        prefix = f"{path}/" if path else ""
        for files in self._view.files:
            position = bisect_left(files.paths, prefix)
            if position < len(files.paths) and files.paths[position].startswith(prefix):
                return True
        return False

    def read_text(self, path: str) -> str | None:
        """Return the present text of a source file, or None when it cannot be read."""
        try:
            return decode_source(self._read(path)).data.decode("utf-8", "replace")
        except RepoError:
            return None

    def list_paths(self) -> Sequence[str]:
        """Return the paths of all files with a symbol record, ascending."""
        return self._paths

    @cached_property
    def _paths(self) -> list[str]:
        return list(self._view.iter_paths())

    def list_source_paths(self) -> Sequence[str]:
        """Return all source files, with or without a symbol record, ascending."""
        return list(self._list_source_paths())

    # Names

    def list_declaring(self, name: str) -> Sequence[str]:
        """Return the files that declare, or are named, exactly this name, ascending."""
        return self._list_files(DECLARES, name)

    def list_using(self, name: str) -> Sequence[str]:
        """Return the files with a reference to exactly this name, ascending."""
        found, others = self._list_files(USES, name), self._list_naming(name)
        return list(dict.fromkeys(merge(found, others))) if others else found

    def _list_naming(self, name: str) -> Sequence[str]:
        return () if self._precise is None else self._precise.list_naming(name)

    def list_importing(self, name: str, may_mean: Callable[[str, str], bool] | None = None) -> Sequence[str]:
        """Return the files that import from a module whose name ends with `name`, ascending.

        Only those whose path and module `may_mean` accepts, if it is given.
        """
        ending = re.compile(rf"(?:.*\W)?{re.escape(name)}(?:\.\w+){{0,2}}/?")
        modules = [term for term in self._view.find_containing(name) if ending.fullmatch(term)]
        found = [self._list_files(MODULES, module) for module in modules]
        if may_mean is not None:
            pairs = zip(modules, found, strict=True)
            found = [[path for path in paths if may_mean(path, module)] for module, paths in pairs]
        return list(dict.fromkeys(merge(*found)))

    def count_using(self, name: str) -> int:
        """Return the number of files in `list_using`."""
        return self._count_files(USES, name)

    def list_rare(self, name: str, most: int) -> list[Sequence[str]]:
        """Return the files using a name and those declaring it, without lists longer than `most`."""
        return [
            self._list_files(field, name)
            for field in (USES, DECLARES)
            if 0 < self._count_files(field, name) <= most
        ]

    def _count_files(self, field: int, name: str) -> int:
        return self._counts.get((field, name), lambda: self._view.count_paths(field, name) if name else 0)

    def _list_files(self, field: int, name: str) -> Sequence[str]:
        return self._lists.get((field, name), lambda: self._view.list_paths(field, name) if name else [])


def _read_lines(
    read: Callable[[str], bytes], find_fingerprint: Callable[[str], bytes | None], path: str
) -> Sequence[str]:
    """Return the lines of a file if it is still the indexed version; else none."""
    try:
        data = read(path)
    except RepoError:
        return ()
    if compute_fingerprint(data) != find_fingerprint(path):
        return ()
    return decode_source(data).data.decode("utf-8", "replace").split("\n")


def _weigh(record: SymbolRecord | None) -> int:
    """Return the approximate size in bytes of a fully decoded symbol record."""
    if record is None:
        return _ENTRY_BYTES
    rows = SYMBOL_COLUMNS * record.symbol_count + REFERENCE_COLUMNS * record.reference_count
    return _ENTRY_BYTES + 4 * rows + _STRING_BYTES * record.string_table.count


class DeclaredNames:
    """The declared names of one program and their parts. Calls may raise IndexFormatError."""

    def __init__(self, view: SymbolIndex) -> None:
        self._view = view
        self._counts: LruCache[str, int] = LruCache(CACHED_COUNTS)

    def iter_declared(
        self, prefix: str, pattern: re.Pattern[bytes] | None = None, literal: str = ""
    ) -> Iterable[str]:
        """Yield declared names with a prefix that `pattern` matches, if given, in UTF-8 byte order."""
        return self._view.iter_terms(DECLARES, prefix, pattern, literal)

    def iter_parts(self, prefix: str) -> Iterable[str]:
        """Yield parts of declared names with a prefix, in byte order."""
        return self._view.iter_terms(PARTS, prefix)

    def rank_files(
        self, parts: Sequence[str], limit: int, needed: Sequence[Sequence[str]] = ()
    ) -> Sequence[str]:
        """Return the files whose declared names fit the parts best, best first."""
        return [path for path, _ in self._view.rank_files(parts, limit, needed)]

    def count_declaring(self, part: str) -> int:
        """Return the number of files that declare a name with this part."""
        return self._counts.get(part, lambda: self._view.count_paths(PARTS, part))
