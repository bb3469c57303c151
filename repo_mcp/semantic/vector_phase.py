"""The third phase of indexing: the vectors of the chunks that the lexical index holds.

A round embeds new and changed files, and commits a segment after every COMMIT_SECONDS of work; the rest is
as in every phase that follows the lexical index. One difference: files that are gone are purged at once, with
all their vectors, since nothing tells which of them may no longer be served. The bytes of the final merged
segment depend on the vectors alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from index_format import (
    IndexFormatError,
    LiveSegment,
    Snapshot,
    compute_fingerprint,
)
from repo_mcp.errors import RepoError
from repo_mcp.indexing.derived_phase import (
    Cancelled,
    DerivedPlace,
    PhaseStore,
    PhaseWords,
    SegmentRound,
    purge_gone,
)
from repo_mcp.indexing.derived_plan import Plan, WantedFile, plan_round
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.indexing.reports import count_milliseconds
from repo_mcp.model import ProgressCallback
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.semantic.chunk_texts import build_texts, find_task
from repo_mcp.semantic.vector_index import NO_FIELDS, EmbeddedFile, build_segment
from repo_mcp.semantic.vector_workers import VectorWorkers
from repo_mcp.symbol_index.phase import ReadFile
from repo_mcp.text.lines import decode_source

COMMIT_SECONDS = 20.0  # of work that a kill can lose
COMMIT_BYTES = 8 * 1024 * 1024  # of vectors waiting to be written
LANE_BYTES = 16 * 1024  # of source per process that is worth starting: about ten units

WORDS = PhaseWords(
    "vectors",
    "Another process is computing vectors for this root.",
    "Computing vectors was cancelled.",
    "What was computed so far is kept.",
)

MakeEmbedder = Callable[[], BatchParser]


@dataclass(frozen=True, slots=True)
class VectorReport:
    """The result of a round."""

    embedded: int  # files whose vectors are new
    removed: int
    unchanged: int
    left: tuple[str, ...]  # paths that are not (or no longer) the indexed version, for the next round
    duration_ms: int


class VectorPhase:
    """The writing side of one root's vectors."""

    def __init__(
        self,
        place: DerivedPlace,
        configuration: str,
        workers: int,
        dimensions: int,
        read: ReadFile,
        make_embedder: MakeEmbedder,
    ) -> None:
        """`read` is the repository reader's."""
        self._store = PhaseStore(
            place.directory, configuration, NO_FIELDS, place.make_tag, WORDS, place.list_donors
        )
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
        embeds: bool = True,
        is_whole: bool = True,
    ) -> VectorReport:
        """Embed all files of the lexical index, and remove those that are gone.

        With `anew` no existing vectors are used; without `embeds` files are only removed. While the
        lexical index is not `is_whole` others stay: their files may come. Raises RepoError
        with BUSY when another process writes, CANCELLED, INDEX_UNAVAILABLE when nothing can be written,
        INTERNAL when nothing can embed; and IndexFormatError for a damaged lexical index.
        """
        check = partial(self._store.check, cancelled)
        with self._store.open_writer(cancelled) as target:

            def run(known: KnownFiles | None) -> VectorReport:
                there = KnownFiles(None) if known is None else known
                plan = plan_round(lexical, there, find_task)
                if not embeds:
                    plan = replace(plan, files=(), bytes=0)
                if embeds and not is_whole:
                    plan = replace(plan, gone=())
                if plan.gone:
                    there = purge_gone(target, there, plan.gone, check)
                segments = SegmentRound(target, there, plan, build_segment, progress, check)
                with self._start_workers(plan, _Loader(lexical, self._read).load) as workers:
                    return _Round(segments, plan).run(workers)

            try:
                return self._store.run_round(target, run, anew=anew)
            except _LexicalDamage as damage:
                raise damage.error from damage

    def _start_workers(self, plan: Plan, load: Callable[[WantedFile], Sequence[str] | None]) -> VectorWorkers:
        workers = max(1, min(self._workers, plan.bytes // LANE_BYTES))
        return VectorWorkers(workers, self._dimensions, load, self._make_embedder)


class _LexicalDamage(Exception):
    """The lexical index is damaged; that is no reason to rebuild all vectors."""

    def __init__(self, error: IndexFormatError) -> None:
        super().__init__()
        self.error = error


class _Loader:
    """Reads the texts of the chunks of files, as cut by the lexical index."""

    def __init__(self, lexical: Snapshot, read: ReadFile) -> None:
        self._known = KnownFiles(lexical)
        self._segments: dict[str, LiveSegment] = {one.name: one for one in lexical.segments}
        self._read = read

    def load(self, file: WantedFile) -> Sequence[str] | None:
        """Return the texts of a file's chunks; None when the file is not the indexed version."""
        position = self._known.find(file.path)
        try:
            data = self._read(file.path).data
        except RepoError:
            return None
        if position is None or compute_fingerprint(data) != file.fingerprint:
            return None
        try:
            text = decode_source(data).data
        except RepoError:
            return None
        try:
            spans = self._segments[position.segment].reader.read_spans(position.file)
        except IndexFormatError as error:
            raise _LexicalDamage(error) from error
        return build_texts(file.path, text, [(one.start_line, one.end_line) for one in spans])


class _Round:
    """One round, from plan to commit."""

    def __init__(self, segments: SegmentRound[EmbeddedFile], plan: Plan) -> None:
        self._segments = segments
        self._plan = plan
        self._pending_bytes = 0
        self._flushed = time.monotonic()

    def run(self, workers: VectorWorkers) -> VectorReport:
        started = time.monotonic()
        segments = self._segments
        segments.begin(WORDS.name)
        for file, vectors in workers.iter_vectors(self._plan.files, segments.check):
            self._take(file, vectors)
        segments.flush()
        segments.merge()
        segments.end()
        return VectorReport(
            segments.taken,
            len(self._plan.gone),
            self._plan.done_files,
            tuple(sorted(segments.left)),
            count_milliseconds(started),
        )

    def _take(self, file: WantedFile, vectors: bytes | None) -> None:
        if vectors is None:
            self._segments.left.append(file.path)
            return
        self._segments.take(EmbeddedFile(file.path, file.fingerprint, file.size, file.language, vectors))
        self._pending_bytes += len(vectors)
        if self._pending_bytes >= COMMIT_BYTES or time.monotonic() - self._flushed >= COMMIT_SECONDS:
            self._segments.flush()
            self._pending_bytes, self._flushed = 0, time.monotonic()
        self._segments.report(WORDS.name)
