"""Nodes: symbols with their ids and qualified names.

A node id is 24 hexadecimal digits. The first 8 are a checksum of the path of the file, by which the file is
found. The other 16 are a hash of the path, the qualified name inside the file, the kind, and the position
among symbols that agree in all three. Line numbers play no part, so an edit above a symbol does not change
its id.

A qualified name joins the names of the enclosing symbols with dots; in Python it begins with the module. That
of an `impl` of Rust ends with its type as it is written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Protocol
from zlib import crc32

import numpy as np

from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.python.modules import qualified_module
from repo_mcp.graph.vocabulary import ALIAS, name_kind
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import DeclaredSymbol, ParseStatus, SymbolFlag, SymbolKind, SymbolRecord
from repo_mcp.titled_names import TITLE

PATH_DIGITS = 8
NODE_ID = re.compile(r"[0-9a-f]{24}")
_SEPARATORS = re.compile(r"::|->|[#/\\]")
MAX_DEPTH = 100  # enclosing names in a qualified name
MAX_NAMESAKES = 32  # in one file; with more, the ids of the whole file are computed at once
CACHED_FILES = 64  # files whose ids are cached: those of a large header take a megabyte


class NamedProgram(Program, Protocol):
    """A program whose files can be listed."""

    def list_paths(self) -> Sequence[str]:
        """Return the paths of all files with a symbol record, ascending."""

    def find_status(self, path: str) -> ParseStatus | None:
        """Return how much of a file was understood, or None for a file without a symbol record."""

    def read_lines(self, path: str) -> Sequence[str]:
        """Return the lines of a file if it is still the indexed version; else none."""

    def list_importing(self, name: str, may_mean: Callable[[str, str], bool] | None = None) -> Sequence[str]:
        """Return the files that import from a module whose name ends with `name`, ascending.

        Only those whose path and module `may_mean` accepts, if it is given.
        """

    def list_uses(self, name: str) -> Sequence[tuple[str, int]]:
        """Return the files in `list_using`, each with an upper bound of its references to the name."""

    def count_decoded(self) -> int:
        """Return the approximate bytes of all symbol records decoded so far, evicted ones included."""


@dataclass(frozen=True, slots=True)
class Node:
    """One symbol as answers name it."""

    node_id: str
    declaration: Declaration
    qualified_name: str
    name_inside: str  # the qualified name inside its file; for a file, its name without folders
    language: str
    symbol: DeclaredSymbol
    status: ParseStatus  # parse status of its file
    package: str = ""  # what holds all that its file declares, such as a namespace, with a dot behind

    @property
    def name_in_package(self) -> str:
        """Return the name inside the file without a package or namespace that its other symbols share."""
        return self.name_inside.removeprefix(self.package)

    @property
    def path(self) -> str:
        """Return the path of the declaring file."""
        return self.declaration.path

    @property
    def folder(self) -> str:
        """Return the folder of the declaring file; "" for the root."""
        return self.path.rpartition("/")[0]

    @property
    def kind(self) -> str:
        """Return the kind in the spelling of answers and arguments: "method", "enum_member"."""
        return ALIAS if self.is_alias else name_kind(self.symbol.kind, self.language)

    @property
    def is_alias(self) -> bool:
        """Return whether this is another name of a type of Go, `type A = B`."""
        is_forward = bool(self.symbol.flags & SymbolFlag.FORWARD)
        return is_forward and self.symbol.kind is SymbolKind.TYPE and self.language == "go"


def normalise_name(text: str) -> str:
    """Return a qualified name as a person writes it ("a::B#c") with dots as separators.

    A title in it is kept as it is: `app.get("/users")`.
    """
    name, opened, title = text.strip().partition(TITLE)
    return f"{_SEPARATORS.sub('.', name)}{opened}{title}".strip(".")


def list_names(record: SymbolRecord) -> list[str]:
    """Return the qualified name inside the file of each symbol, by ordinal; the file's own is empty."""
    names = [""]
    depths = [0]
    strings = record.strings
    for number, parent in zip(record.names[1:].tolist(), record.parents[1:].tolist(), strict=True):
        depth = depths[parent] + 1
        if depth > MAX_DEPTH + 1:  # the outermost name is dropped
            around = names[parent].partition(".")[2]
            depth -= 1
        else:
            around = names[parent]
        names.append(f"{around}.{strings[number]}" if around else strings[number])
        depths.append(depth)
    return names


def name_inside(record: SymbolRecord, ordinal: int) -> str:
    """Return the qualified name of one symbol inside its file; equal to its entry in `list_names`."""
    names: list[str] = []
    while ordinal and len(names) <= MAX_DEPTH:
        names.append(record.get_name(ordinal))
        ordinal = record.get_parent(ordinal)
    return ".".join(reversed(names))


def _name_as_written(record: SymbolRecord, ordinal: int) -> str:
    """Return the qualified name of a symbol inside its file; an `impl` of Rust has its whole type in it."""
    inside = name_inside(record, ordinal)
    if record.get_kind(ordinal) is not SymbolKind.EXTENSION:
        return inside
    symbol = record.get_symbol(ordinal)
    return inside.removesuffix(symbol.name) + (symbol.return_type or symbol.name)


def name_shortly(record: SymbolRecord, ordinal: int) -> str:
    """Return the name of a symbol with those of the types and functions around it.

    It has no packages and namespaces, except that a file or a namespace has its own name.
    """
    names = [record.get_symbol(ordinal).name]
    ordinal = record.get_parent(ordinal) if ordinal else 0
    while ordinal and len(names) <= MAX_DEPTH and record.get_kind(ordinal) is not SymbolKind.MODULE:
        names.append(record.get_name(ordinal))
        ordinal = record.get_parent(ordinal)
    return ".".join(reversed(names))


class ProgramNodes:
    """The nodes of one program."""

    def __init__(self, program: NamedProgram) -> None:
        self._program = program
        self._files: LruCache[str, _FileNodes | None] = LruCache(CACHED_FILES)

    def get(self, declaration: Declaration) -> Node:
        """Return the node of a declaration. Raises KeyError when there is no such symbol."""
        file = self._find_file(declaration.path)
        if file is None or declaration.ordinal >= file.record.symbol_count:
            raise KeyError(declaration)
        return Node(
            file.get_id(declaration.ordinal),
            declaration,
            self._qualify(declaration.path, file, declaration.ordinal),
            _name_as_written(file.record, declaration.ordinal) or declaration.path.rpartition("/")[2],
            file.language,
            file.record.get_symbol(declaration.ordinal),
            file.record.status,
            file.package,
        )

    def find(self, node_id: str) -> Declaration | None:
        """Return the declaration with an id, or None, also when `node_id` is not shaped like an id."""
        if not NODE_ID.fullmatch(node_id):
            return None
        for path in self.find_paths(node_id):
            file = self._find_file(path)
            if file is not None and node_id in file.ids:
                return Declaration(path, file.ids.index(node_id))
        return None

    def find_paths(self, node_id: str) -> list[str]:
        """Return the files that share an id's path digits: one, or several on a checksum collision."""
        if not NODE_ID.fullmatch(node_id):
            return []
        wanted = int(node_id[:PATH_DIGITS], 16)
        sums, order = self._path_sums
        first, end = np.searchsorted(sums, [wanted, wanted + 1]).tolist()
        paths = self._program.list_paths()
        return [paths[int(ordinal)] for ordinal in order[first:end]]

    @cached_property
    def _path_sums(
        self,
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """Return the paths' checksums, ascending, and the ordinal of each path (both int64, one per path)."""
        sums = np.array([crc32(path.encode()) for path in self._program.list_paths()], dtype=np.int64)
        order = np.argsort(sums, kind="stable")
        return sums[order], order

    def list_file(self, path: str) -> list[Declaration]:
        """Return the declarations of a file in line order; empty for a file without a symbol record."""
        file = self._find_file(path)
        if file is None:
            return []
        return [Declaration(path, ordinal) for ordinal in range(1, file.record.symbol_count)]

    def list_nodes(self, path: str) -> list[Node]:
        """Return the nodes of a file's declarations in the order of `list_file`."""
        file = self._find_file(path)
        if file is not None:
            _ = file.ids  # compute all ids at once: one by one they take quadratic time
        return [self.get(declaration) for declaration in self.list_file(path)]

    def name(self, declaration: Declaration) -> str:
        """Return the qualified name of a declaration. Raises KeyError when there is no such symbol."""
        file = self._find_file(declaration.path)
        if file is None or declaration.ordinal >= file.record.symbol_count:
            raise KeyError(declaration)
        return self._qualify(declaration.path, file, declaration.ordinal)

    def _qualify(self, path: str, file: _FileNodes, ordinal: int) -> str:
        if not ordinal:
            return path
        inside = _name_as_written(file.record, ordinal)
        if file.language != "python":
            return inside
        if file.module is None:
            file.module = qualified_module(path, self._program)
        return f"{file.module}.{inside}" if file.module else inside

    def _find_file(self, path: str) -> _FileNodes | None:
        return self._files.get(path, lambda: self._read_file(path))

    def _read_file(self, path: str) -> _FileNodes | None:
        record = self._program.find_record(path)
        return None if record is None else _FileNodes(path, self._program.find_language(path), record)


class _FileNodes:
    """The names and ids of one file's symbols, computed on first use."""

    def __init__(self, path: str, language: str, record: SymbolRecord) -> None:
        self.path = path
        self.language = language
        self.record = record
        self.module: str | None = None  # Python module name; None until it is looked up

    @cached_property
    def names(self) -> list[str]:
        """Return the qualified names inside the file, by ordinal."""
        return list_names(self.record)

    @cached_property
    def package(self) -> str:
        """Return the name of the modules around all symbols of the file, with a dot behind each."""
        parents, names, outer = self.record.parents, list[str](), 0
        while len(inner := np.flatnonzero(parents[1:] == outer)) == 1 and len(names) < MAX_DEPTH:
            outer = int(inner[0]) + 1
            if self.record.get_kind(outer) is not SymbolKind.MODULE:
                break
            names.append(f"{self.record.get_name(outer)}.")
        return "".join(names)

    @cached_property
    def ids(self) -> list[str]:
        """Return the node ids, by ordinal."""
        seen: dict[tuple[str, int], int] = {}
        ids = []
        for name, kind in zip(self.names, self.record.kinds.tolist(), strict=True):
            overload = seen.get((name, kind), 0)
            seen[name, kind] = overload + 1
            ids.append(self._build_id(name, kind, overload))
        return ids

    def get_id(self, ordinal: int) -> str:
        """Return one id without computing all: for a large file all of them take milliseconds."""
        if "ids" in self.__dict__:
            return self.ids[ordinal]
        record = self.record
        same = np.flatnonzero(
            (record.names == record.names[ordinal]) & (record.kinds == record.kinds[ordinal])
        )
        before = same[: np.searchsorted(same, ordinal)]
        if len(before) > MAX_NAMESAKES:
            return self.ids[ordinal]
        name = name_inside(record, ordinal) if ordinal else ""
        overload = sum(name_inside(record, one) == name for one in before.tolist())
        return self._build_id(name, int(record.kinds[ordinal]), overload)

    def _build_id(self, name: str, kind: int, overload: int) -> str:
        path = self.path.encode()
        facts = b"\0".join((path, name.encode(), b"%d" % kind, b"%d" % overload))
        return f"{crc32(path):08x}{hashlib.blake2b(facts, digest_size=8).hexdigest()}"


def find_paths_of(node_id: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that share an id's path digits; none for a text that is not shaped like an id."""
    if not NODE_ID.fullmatch(node_id):
        return []
    wanted = int(node_id[:PATH_DIGITS], 16)
    return [path for path in paths if crc32(path.encode()) == wanted]
