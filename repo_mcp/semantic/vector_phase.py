"""The third phase of indexing: the vectors of the chunks that the lexical index holds.

A round embeds what is new or changed and drops what is gone. It commits a segment after every COMMIT_SECONDS
of work, so that a round that is killed goes on where it stopped. After a build, or when most was renewed,
everything is merged into one segment; its bytes depend on the vectors alone.

It has a directory and a lock of its own, as the structure of files has: nothing waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from index_format import (
    DiskDirectory,
    IndexFormatError,
    IndexLocked,
    IndexWriter,
    LiveSegment,
    MakeTag,
    Snapshot,
    compute_fingerprint,
    write_segment,
)
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.index.indexer import count_milliseconds, explain_write_error
from repo_mcp.index.known_files import KnownFiles
from repo_mcp.index.structure_lanes import ReadFile
from repo_mcp.index.structure_phase import StoppableDirectory, merge
from repo_mcp.index.structure_plan import Plan, WantedFile, plan_round
from repo_mcp.model import IndexProgress, ProgressCallback
from repo_mcp.parse_worker import BatchParser
from repo_mcp.semantic.chunk_texts import build_texts, find_task
from repo_mcp.semantic.vector_index import NO_FIELDS, EmbeddedFile, build_segment
from repo_mcp.semantic.vector_lanes import VectorLanes
from repo_mcp.textfile import decode_source

COMMIT_SECONDS = 20.0  # of work that a kill may cost
COMMIT_BYTES = 8 * 1024 * 1024  # of vectors that wait to be written
FULL_MERGE_SHARE = 0.5  # of the files, when renewed in one round
LANE_BYTES = 16 * 1024  # to embed, for each process worth starting: about ten units

Cancelled = Callable[[], bool]
MakeEmbedder = Callable[[], BatchParser]


@dataclass(frozen=True, slots=True)
class VectorReport:
    """What a round did."""

    embedded: int  # files whose vectors are new
    removed: int
    unchanged: int
    left: tuple[str, ...]  # paths that are not, or no longer, what is indexed: for the next round
    duration_ms: int


class VectorPhase:
    """The writing side of one root's vectors."""

    def __init__(
        self,
        path: str,
        make_tag: MakeTag,
        configuration: str,
        workers: int,
        dimensions: int,
        read: ReadFile,
        make_embedder: MakeEmbedder,
    ) -> None:
        """`path` is the directory of the index, which `make_tag` seals; `read` is the door's reading."""
        self._path = path
        self._make_tag = make_tag
        self._configuration = configuration
        self._workers = workers
        self._dimensions = dimensions
        self._read = read
        self._make_embedder = make_embedder

    def run(
        self,
        lexical: Snapshot,
        *,
        anew: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Cancelled = lambda: False,
    ) -> VectorReport:
        """Have the vectors of all files that the lexical index has. With `anew` none that are there are used.

        Raises BUSY when another process does it, CANCELLED, INDEX_UNAVAILABLE when nothing can be written,
        INTERNAL when nothing can embed; and IndexFormatError for a lexical index that is damaged.
        """
        directory = StoppableDirectory(self._path, partial(check, cancelled), self._make_tag, create=True)
        try:
            with _open_writer(directory, self._configuration) as writer:
                known = None if anew else _read_known(directory, writer)
                if known is None:
                    writer.discard_all()
                    known = KnownFiles(None)
                plan = plan_round(lexical, known, find_task)
                load = _Loader(lexical, self._read).load
                with self._start_lanes(plan, load) as lanes:
                    return _Round(directory, writer, known, plan, progress, cancelled).run(lanes)
        except OSError as error:
            raise explain_write_error(error) from error

    def _start_lanes(self, plan: Plan, load: Callable[[WantedFile], Sequence[str] | None]) -> VectorLanes:
        lanes = max(1, min(self._workers, plan.bytes // LANE_BYTES))
        return VectorLanes(lanes, self._dimensions, load, self._make_embedder)


class _Loader:
    """The texts of the chunks of files, as the lexical index cut them."""

    def __init__(self, lexical: Snapshot, read: ReadFile) -> None:
        self._known = KnownFiles(lexical)
        self._segments: dict[str, LiveSegment] = {one.name: one for one in lexical.segments}
        self._read = read

    def load(self, file: WantedFile) -> Sequence[str] | None:
        """None for a file that is not, or is no longer, the one that was indexed."""
        place = self._known.find(file.path)
        try:
            data = self._read(file.path).data
        except RepoError:
            return None
        if place is None or compute_fingerprint(data) != file.fingerprint:
            return None
        try:
            text = decode_source(data).data
        except RepoError:
            return None
        spans = self._segments[place.segment].reader.read_spans(place.file)
        return build_texts(file.path, text, [(one.start_line, one.end_line) for one in spans])


class _Round:
    """One round, from plan to commit."""

    def __init__(
        self,
        directory: DiskDirectory,
        writer: IndexWriter,
        known: KnownFiles,
        plan: Plan,
        progress: ProgressCallback | None,
        cancelled: Cancelled,
    ) -> None:
        self._directory = directory
        self._writer = writer
        self._known = known
        self._known_files = known.count
        self._plan = plan
        self._progress = progress
        self._cancelled = cancelled
        self._pending: list[EmbeddedFile] = []
        self._pending_bytes = 0
        self._flushed = time.monotonic()
        self._left: list[str] = []
        self._done_files, self._done_bytes = plan.done_files, plan.done_bytes

    def run(self, lanes: VectorLanes) -> VectorReport:
        started = time.monotonic()
        self._writer.delete_garbage()
        self._mark_dead(self._plan.gone)
        self._report("vectors")
        for file, vectors in lanes.iter_vectors(self._plan.files, partial(check, self._cancelled)):
            self._take(file, vectors)
        self._flush()
        embedded = self._done_files - self._plan.done_files
        self._report("merge")
        is_most = embedded > FULL_MERGE_SHARE * (self._known_files + embedded)
        merge(self._writer, self._cancelled, full=is_most)
        self._writer.commit()
        self._writer.delete_garbage()
        return VectorReport(
            embedded,
            len(self._plan.gone),
            self._plan.done_files,
            tuple(sorted(self._left)),
            count_milliseconds(started),
        )

    def _take(self, file: WantedFile, vectors: bytes | None) -> None:
        if vectors is None:
            self._left.append(file.path)
            return
        self._pending.append(EmbeddedFile(file.path, file.fingerprint, file.size, file.language, vectors))
        self._pending_bytes += len(vectors)
        self._done_files += 1
        self._done_bytes += file.size
        if self._pending_bytes >= COMMIT_BYTES or time.monotonic() - self._flushed >= COMMIT_SECONDS:
            self._flush()
        self._report("vectors")

    def _flush(self) -> None:
        """Commit what has come, in place of the versions that it supersedes."""
        if self._pending:
            content, run = build_segment(self._pending)
            entry = write_segment(self._directory, self._writer.reserve_temporary(), content, run)
            self._mark_dead([file.path for file in self._pending])
            self._writer.add(entry)
            self._writer.commit()
            self._pending, self._pending_bytes = [], 0
        self._flushed = time.monotonic()

    def _mark_dead(self, paths: Sequence[str]) -> None:
        for segment, files in self._known.take(paths).items():
            self._writer.mark_dead(segment, files)

    def _report(self, phase: str) -> None:
        if self._progress is not None:
            plan = self._plan
            self._progress(
                IndexProgress(phase, self._done_files, plan.total_files, self._done_bytes, plan.total_bytes)
            )


def check(cancelled: Cancelled) -> None:
    """Raises CANCELLED when it is."""
    if cancelled():
        raise RepoError(ErrorCode.CANCELLED, "Making vectors was cancelled.", "What was made so far is kept.")


def _open_writer(directory: DiskDirectory, configuration: str) -> IndexWriter:
    try:
        return IndexWriter(directory, configuration, NO_FIELDS)
    except IndexLocked as error:
        raise RepoError(
            ErrorCode.BUSY,
            "Another process is making vectors of this root.",
            "What it has committed can be asked meanwhile.",
        ) from error


def _read_known(directory: DiskDirectory, writer: IndexWriter) -> KnownFiles | None:
    """The live files of the committed generation; None when it cannot be read."""
    try:
        return KnownFiles(Snapshot.open(directory) if writer.segments else None)
    except IndexFormatError:
        return None
