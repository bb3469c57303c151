"""Turns files into the vectors of their chunks: several threads, each with a process that embeds for it.

The work in progress is bounded: some texts per process, and the files they belong to. Files come out in the
order in which they went in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.indexing.derived_plan import WantedFile
from repo_mcp.languages.outline.adapter import ParserFailed
from repo_mcp.process.parse_worker import BatchParser
from repo_mcp.semantic.embedding_process import TASK

JOB_TEXTS = 8  # sent to a process at a time
JOBS_AHEAD = 3  # per process, waiting or finished
WAIT_SECONDS = 0.1  # between calls of `check`

LoadTexts = Callable[[WantedFile], Sequence[str] | None]
Job = Future[list[bytes]]


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
        return [
            self._pool.submit(self._embed, texts[start : start + JOB_TEXTS])
            for start in range(0, len(texts), JOB_TEXTS)
        ]

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
