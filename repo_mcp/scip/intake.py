"""Imports the SCIP index of a precise indexer. The operator names it, and it is not trusted.

The frame of the whole file is checked first: if it is not an index, or cut short, nothing changes. Then it is
read document by document. A document counts if its path is exactly that of an indexed file with a symbol
record, and if it fits the file's text (`repo_mcp/scip/matching.py`). Every other one is left out and counted.
So no file is opened because a document names it, and paths that lead out of the root mean nothing.

A file that was saved after the index was made is left out, too: its names may still be where the index says,
and mean something else.

Time and memory grow with the bytes of the index, never with a number that it contains.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

from index_format import DiskDirectory, IndexFormatError, Snapshot, compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.record_classes import dataclass
from repo_mcp.scip.matching import OtherText, match_document
from repo_mcp.scip.messages import ReadableFile, decode_document, decode_path, iter_documents
from repo_mcp.scip.wire import WireError
from repo_mcp.symbol_index.live_symbol_index import LiveSymbolIndex
from repo_mcp.symbol_index.precise_documents import PreciseFile
from repo_mcp.symbol_index.precise_index import PreciseIndex
from repo_mcp.symbols.symbol_record import SymbolRecord
from repo_mcp.text.lines import decode_source
from repo_mcp.workspace.live_tree import LiveTree

NOT_INDEXED = "no indexed source file has this path"
NAMED_TWICE = "it is named twice"
SAVED_LATER = "it was saved after the index was made"
CHANGED = "it changed while the index was imported"
DAMAGED = "its document is damaged"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An indexed file with a symbol record."""

    fingerprint: bytes
    language: str
    record: SymbolRecord


@dataclass(frozen=True, slots=True)
class IntakeSources:
    """The repository, as far as it is needed here."""

    find: Callable[[str], SourceFile | None]
    read: Callable[[str], bytes]  # a file's bytes; may raise RepoError
    find_saved: Callable[[str], int | None]  # when a file was saved last, in nanoseconds


@dataclass(slots=True)
class IntakeReport:
    """The counts of what was imported, and of what was left out."""

    files: int = 0
    symbols: int = 0  # declarations with a meaning
    references: int = 0  # with a meaning
    left_out: Counter[str] = field(default_factory=Counter)  # documents by reason

    def describe(self) -> str:
        """Return the report in one line."""
        counts = f"{self.files:,} files, {self.symbols:,} symbols, {self.references:,} references"
        parts = [f"{count:,} left out: {reason}" for reason, count in sorted(self.left_out.items())]
        return "; ".join([counts, *parts])

    def to_document(self) -> Mapping[str, object]:
        """Return the report as one JSON object."""
        return {
            "files": self.files,
            "symbols": self.symbols,
            "references": self.references,
            "left_out": dict(sorted(self.left_out.items())),
        }


class Intake:
    """The intake of one index."""

    def __init__(self, index: ReadableFile, made: int, sources: IntakeSources) -> None:
        """`made` is the time, in nanoseconds, at which the index was written.

        Raises RepoError with INVALID_ARGUMENT if the frame of the index is broken.
        """
        self._index = index
        self._made = made
        self._sources = sources
        self.report = IntakeReport()
        try:
            if not sum(1 for _ in iter_documents(index, reads=False)):
                raise WireError("it has no document")
        except WireError as error:
            raise RepoError(
                ErrorCode.INVALID_ARGUMENT,
                f"The file of --scip is not a SCIP index: {error}.",
                "Make it again with a SCIP indexer, such as scip-python or scip-typescript.",
            ) from error

    def iter_files(self) -> Iterator[PreciseFile]:
        """Yield the statements of the index about each file. May raise IndexFormatError."""
        self.report = IntakeReport()
        seen: set[str] = set()  # indexed files: not more than there are
        for data in iter_documents(self._index):
            try:
                found = self._read(data, seen)
            except (WireError, OtherText) as error:
                self.report.left_out[str(error) if isinstance(error, OtherText) else DAMAGED] += 1
                continue
            yield found

    def _read(self, data: bytes, seen: set[str]) -> PreciseFile:
        """Return the statements of a document about its file. Raises WireError, OtherText."""
        path = decode_path(data)
        source = self._sources.find(path)
        if source is None:
            raise OtherText(NOT_INDEXED)
        if path in seen:
            raise OtherText(NAMED_TWICE)
        seen.add(path)
        saved = self._sources.find_saved(path)
        if saved is None or saved > self._made:
            raise OtherText(SAVED_LATER)
        try:
            raw = self._sources.read(path)
            text = decode_source(raw).data.decode("utf-8", "replace")
        except RepoError:
            raise OtherText(CHANGED) from None
        if compute_fingerprint(raw) != source.fingerprint:
            raise OtherText(CHANGED)
        matched = match_document(decode_document(data), source.record, text)
        self.report.files += 1
        self.report.symbols += len(matched.meanings)
        self.report.references += matched.resolved
        return PreciseFile(
            path,
            source.fingerprint,
            len(raw),
            source.language,
            matched.record,
            matched.meanings,
            matched.names,
        )


def take_index(
    path: str, lexical: Snapshot, sources: IntakeSources, precise: PreciseIndex, *, anew: bool
) -> IntakeReport:
    """Import the index in a file, replacing earlier records of the same source files.

    With `anew` no other records stay. Raises RepoError with INVALID_ARGUMENT for a file that is not an index,
    and as `PreciseIndex.take` does.
    """
    above, name = os.path.split(os.path.abspath(path))
    try:
        index = DiskDirectory(above).open(name)
        made = os.stat(os.path.join(above, name)).st_mtime_ns
    except (IndexFormatError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a regular file"
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            f"The file of --scip cannot be read ({reason}).",
            "Give the file that a SCIP indexer wrote.",
        ) from None
    try:
        intake = Intake(index, made, sources)
        precise.take(lexical, intake.iter_files, anew=anew)
    finally:
        index.close()
    return intake.report


class LiveScip:
    """The SCIP indexes of one opened root."""

    def __init__(
        self,
        tree: LiveTree,
        index: LiveIndex,
        symbol_index: LiveSymbolIndex,
        precise: PreciseIndex,
        extensions: Mapping[str, str],
    ) -> None:
        """`extensions` maps file extensions to languages other than the built-in ones."""
        self._tree = tree
        self._index = index
        self._symbol_index = symbol_index
        self._precise = precise
        self._extensions = extensions

    def take(self, path: str, *, anew: bool) -> IntakeReport:
        """Import the SCIP index in a file that the operator names.

        Earlier imports stay; `anew` replaces them. The symbol index must be up to date. Raises as
        `take_index` does.
        """
        lexical, find_record = self._index.get_searcher().snapshot, self._symbol_index.open_finder()
        known = KnownFiles(lexical)

        def find(path: str) -> SourceFile | None:
            fingerprint, record = known.find_fingerprint(path), find_record(path)
            if fingerprint is None or record is None:
                return None
            return SourceFile(fingerprint, find_language(path, self._extensions).name, record)

        def find_saved(path: str) -> int | None:
            status = self._tree.reader.lstat(path)
            return None if status is None else status.st_mtime_ns

        sources = IntakeSources(find, self._tree.read_bytes, find_saved)
        return take_index(path, lexical, sources, self._precise, anew=anew)

    def count_files(self) -> int:
        """Return the number of files that a SCIP index covers; some may have been edited since."""
        searcher = self._index.find_searcher()
        view = None if searcher is None else self._precise.find_view(searcher.snapshot)
        return 0 if view is None else view.file_count
