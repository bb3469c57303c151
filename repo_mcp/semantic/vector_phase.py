"""The third phase of indexing: the vectors of the chunks that the lexical index holds.

A round embeds new and changed files, and commits a segment after every COMMIT_SECONDS of work; the rest is
as in every phase that follows the lexical index. One difference: files that are gone are purged at once, with
all their vectors, since nothing tells which of them may no longer be served. The bytes of the final merged
segment depend on the vectors alone.

Several threads turn files into vectors, each with an embedding process of its own. The work in progress is
bounded: some texts per process, and the files they belong to. Files come out in the order in which they went
in.

The text of a chunk for the model is the path of its file, then as many of its lines as fit. A model reads
some 250 tokens, 25 lines of code. A chunk begins at a declaration where there is one, so the part that is
read shows what the chunk is about.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from queue import SimpleQueue

from index_format import IndexFormatError, LiveSegment, Snapshot, compute_fingerprint
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived.phase import (
    Cancelled,
    DerivedStorage,
    PhaseMessages,
    PhaseStore,
    SegmentRound,
    purge_gone,
)
from repo_mcp.indexing.derived.plan import Plan, WantedFile, plan_round
from repo_mcp.indexing.known_files import KnownFiles
from repo_mcp.indexing.outcome import count_milliseconds
from repo_mcp.languages.outline.adapter import ParserFailed
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.model import ProgressCallback
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.semantic.embedding_process import TASK
from repo_mcp.semantic.vector_index import NO_FIELDS, EmbeddedFile, build_segment
from repo_mcp.symbol_index.phase import ReadFile
from repo_mcp.text.lines import decode_source
from repo_mcp.text.roles import FileRole, find_role
from repo_mcp.threads import REFUSED

COMMIT_SECONDS = 20.0  # seconds of work between commits, which a kill can lose
COMMIT_BYTES = 8 * 1024 * 1024  # most bytes of vectors waiting to be written
LANE_BYTES = 16 * 1024  # bytes of source for which a process is worth starting: about ten units

MESSAGES = PhaseMessages(
    "vectors",
    "Another process is computing vectors for this root.",
    "Computing vectors was cancelled.",
    "What was computed so far is kept.",
)

MakeEmbedder = Callable[[], BatchParser]
JOB_TEXTS = 8  # texts sent to a process at a time
JOBS_AHEAD = 3  # jobs for each process, waiting or finished
WAIT_SECONDS = 0.1  # time between calls of `check`

LoadTexts = Callable[[WantedFile], Sequence[str] | None]
Job = Future[list[bytes]]
VERSION = 1  # raise it when chunks get another text
MAX_CHUNK_CHARS = 8_000  # more than the tokens that a model reads, except in lines of nothing but space
TASK_NAME = "embed"


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
        storage: DerivedStorage,
        workers: int,
        dimensions: int,
        read: ReadFile,
        make_embedder: MakeEmbedder,
    ) -> None:
        """`read` is the repository reader's."""
        self._store = PhaseStore(storage, NO_FIELDS, MESSAGES)
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

        With `anew` no existing vectors are used; without `embeds` files are only removed. Unless `is_whole`,
        files may still be missing from the lexical index, so nothing is removed for their absence. Raises
        RepoError with BUSY when another process writes, CANCELLED, INDEX_UNAVAILABLE when nothing can be
        written, INTERNAL when nothing can embed; and IndexFormatError for a damaged lexical index.
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
    """The lexical index is damaged; that is not a reason to rebuild all vectors."""

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
        segments.begin(MESSAGES.name)
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
        self._segments.report(MESSAGES.name)


class VectorWorkers:
    """The embedding threads and processes of one round. A context manager: at its end they are gone."""

    def __init__(
        self, workers: int, dimensions: int, load: LoadTexts, make_embedder: Callable[[], BatchParser]
    ) -> None:
        """`load` returns the texts of a file's chunks, or None when the file is not the indexed version."""
        self._workers = workers
        self._dimensions = dimensions
        self._load = load
        self._embedders = [make_embedder() for _ in range(workers)]
        self._free: SimpleQueue[BatchParser] = SimpleQueue()
        for embedder in self._embedders:
            self._free.put(embedder)
        self._pool = ThreadPoolExecutor(workers, "vectors")

    def __enter__(self) -> VectorWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        for embedder in self._embedders:
            embedder.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for embedder in self._embedders:
            embedder.close()

    def iter_vectors(
        self, files: Sequence[WantedFile], check: Callable[[], None]
    ) -> Iterator[tuple[WantedFile, bytes | None]]:
        """Yield each file with the concatenated vectors of its chunks; None where `load` returned None.

        `check` may raise to cancel. Raises RepoError with INTERNAL when no process can be started.
        """
        coming: deque[tuple[WantedFile, list[Job] | None]] = deque()
        jobs = 0
        for file in files:
            check()
            texts = self._load(file)
            own = None if texts is None else self._submit(texts)
            coming.append((file, own))
            jobs += len(own or ())
            while jobs > JOBS_AHEAD * self._workers:
                done, found = coming.popleft()
                jobs -= len(found or ())
                yield done, self._collect(found, check)
        for done, found in coming:
            yield done, self._collect(found, check)

    def _submit(self, texts: Sequence[str]) -> list[Job]:
        try:
            return [
                self._pool.submit(self._embed, texts[start : start + JOB_TEXTS])
                for start in range(0, len(texts), JOB_TEXTS)
            ]
        except RuntimeError as error:
            raise RepoError(ErrorCode.INTERNAL, f"{REFUSED.capitalize()}.") from error

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text; zeros for one that ended its process, so that it is not retried."""
        none = bytes(self._dimensions)
        embedder = self._free.get()
        try:
            requests = [(TASK, text.encode()) for text in texts]
            answers = list(embedder.parse(requests))
        finally:
            self._free.put(embedder)
        return [none if answer is None or len(answer) != self._dimensions else answer for answer in answers]

    def _collect(self, jobs: Sequence[Job] | None, check: Callable[[], None]) -> bytes | None:
        if jobs is None:
            return None
        while wait(jobs, WAIT_SECONDS).not_done:
            check()
        try:
            return b"".join(vector for job in jobs for vector in job.result())
        except ParserFailed as error:
            raise RepoError(
                ErrorCode.INTERNAL,
                "No process could be started to compute vectors.",
                "What was computed so far is kept; the next refresh tries again.",
            ) from error


def find_task(path: str, language: str) -> str | None:
    """Return the task for code and documents; None for files that nobody describes in words.

    These are data, configuration, and generated or third-party files.
    """
    known = LANGUAGES.get(language)
    if known is None or known.kind not in ("code", "docs") or find_role(path) is FileRole.FOREIGN:
        return None
    return TASK_NAME


def build_texts(path: str, text: bytes, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the texts of a file's chunks, given by their first and last lines."""
    lines = text.decode("utf-8", "replace").split("\n")
    texts = ("\n".join(lines[first - 1 : last]) for first, last in spans)
    return [f"{path}\n{one[:MAX_CHUNK_CHARS]}" for one in texts]
