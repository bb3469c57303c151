"""The vectors of one root as they are now: the model, the opened generation, and the phase that renews it.

Nothing is read before somebody asks: `start` for a server that was given a model, `build` for a person, a
question. From `start` on a thread embeds what is new after each refresh of the lexical index, and no call
waits for it. What is committed is answered from while it grows; how far it is stands in `status` and, for
answers, in `warn`.
"""

from __future__ import annotations

import hashlib
import threading
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from index_format import DiskDirectory, IndexFormatError, MakeTag, Snapshot, read_manifest
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.index.known_files import KnownFiles
from repo_mcp.index.live_index import LiveIndex
from repo_mcp.index.query import Query
from repo_mcp.index.ranking import rank
from repo_mcp.index.searcher import Filter, Ranking, Searcher
from repo_mcp.index.segment_search import Mask
from repo_mcp.index.structure_lanes import ReadFile
from repo_mcp.index.structure_plan import Plan, plan_round
from repo_mcp.model import IndexProgress, ProgressCallback
from repo_mcp.semantic.blend import NEAR_CHUNKS, rank_blended
from repo_mcp.semantic.chunk_texts import VERSION as TEXTS_VERSION
from repo_mcp.semantic.chunk_texts import find_task
from repo_mcp.semantic.embedding_process import QuestionEmbedder, make_embedder
from repo_mcp.semantic.model_folder import ModelFolder
from repo_mcp.semantic.vector_index import VERSION, NearChunks, VectorView
from repo_mcp.semantic.vector_phase import VectorPhase, VectorReport

CLOSE_WAIT_SECONDS = 1.5  # for a running round to stop
RETRY_SECONDS = 5.0  # after another process held the index
FIRST_QUESTION = "a"  # of nobody: so that the process for questions is there when somebody asks
NO_QUESTION = "The model gave no vector for the question: it was answered by words alone."


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """The vectors as a client may know them. No path."""

    state: str  # missing, building, partial, ready, degraded
    files_done: int  # source files whose vectors are those of the version that the lexical index holds
    files_total: int  # that should have some: code and documents
    chunks: int  # that have a vector
    index_bytes: int
    warnings: tuple[str, ...] = ()


class _Damaged(Exception):
    """The vectors cannot be read."""


class LiveVectors:
    """What a blended search asks. Every method may be called from several threads at a time."""

    def __init__(
        self,
        folder: str,
        configuration: str,
        name: Callable[[str], tuple[str, MakeTag]],
        workers: int,
        index: LiveIndex,
        read: ReadFile,
    ) -> None:
        """`configuration` is that of the lexical index; `name` gives the directory of vectors of a
        configuration, and what seals them. CONFIG_INVALID unless `folder` holds a model.
        """
        self._folder = ModelFolder(folder)
        self._folder.check()
        self._folder_path = folder
        self._name = name
        self._lexical_configuration = configuration
        self._workers = workers
        self._index = index
        self._read = read
        self._questions = QuestionEmbedder(folder, self._folder.dimensions)
        self._opening = threading.Lock()  # guards the two below
        self._view: VectorView | None = None
        self._opened: tuple[int, int] | None = None  # generations: vectors, lexical
        self._running = threading.Lock()  # held while this process embeds
        self._progress: IndexProgress | None = None
        self._plan: tuple[tuple[int, int], Plan] | None = None  # of two generations
        self._fault = ""
        self._anew = False
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    @cached_property
    def _configuration(self) -> str:
        """Digest of all that decides a vector on this machine: numpy brings the code of the products along,
        Python the tables of characters."""
        facts = (
            self._lexical_configuration,
            self._folder.fingerprint,
            VERSION,
            TEXTS_VERSION,
            np.__version__,
            unicodedata.unidata_version,
        )
        return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()

    @cached_property
    def _place(self) -> tuple[str, MakeTag]:
        """The directory of the vectors, and what seals them."""
        return self._name(self._configuration)

    # Reading

    def find_view(self, searcher: Searcher) -> VectorView | None:
        """The committed vectors beside what a searcher has; None while there are none, or none readable."""
        try:
            path, make_tag = self._place
            directory = DiskDirectory(path, make_tag=make_tag)
            manifest = read_manifest(directory)
            if manifest is None or manifest.configuration != self._configuration:
                return None
            with self._opening:
                opened = (manifest.generation, searcher.snapshot.generation)
                if self._view is None or self._opened != opened:
                    snapshot = Snapshot.open(directory, self._view.snapshot if self._view else None)
                    if snapshot is None:
                        return None
                    self._view = VectorView(snapshot, searcher, self._folder.dimensions)
                    self._opened = opened
                return self._view
        except OSError:
            return None
        except IndexFormatError:
            self.report_damage()
            return None

    def report_damage(self) -> None:
        """The vectors could not be read: they are made anew in the background."""
        with self._opening:
            self._view = self._opened = None
        self._fault = "The vectors could not be read; they are made anew."
        self._anew = True
        self.start()

    def rank(
        self, searcher: Searcher, query: Query, weight: float, top_k: int, wanted: Filter | None = None
    ) -> Ranking:
        """The best chunks by words and, as much as `weight` says (0 to 1), by meaning; with their bound.

        By words alone while there are no vectors, or none of the question, as `warn` tells. IndexFormatError
        for a lexical index that is damaged.
        """
        view = self.find_view(searcher) if weight > 0.0 else None
        vector = None if view is None else self._questions.embed(query.text)
        if view is None or vector is None:
            self._fault = self._fault if view is None else NO_QUESTION
            return rank(searcher, query, top_k, wanted, bounded=True)
        if self._fault == NO_QUESTION:
            self._fault = ""

        def find_near(units: Sequence[Mask | None]) -> Sequence[NearChunks]:
            try:
                return view.find_nearest(vector, units, NEAR_CHUNKS)
            except IndexFormatError as error:
                raise _Damaged from error

        try:
            return rank_blended(searcher, query, find_near, weight, top_k, wanted)
        except _Damaged:
            self.report_damage()
            return rank(searcher, query, top_k, wanted, bounded=True)

    # How far it is

    def status(self) -> VectorStatus:
        """What is done of what there is to do, by what is committed and what runs in this process."""
        building = self._running.locked()
        warnings = (self._fault,) if self._fault else ()
        try:
            searcher = self._index.get_searcher()
            view = self.find_view(searcher)
            done, total = self._count_done(view, searcher)
        except (IndexFormatError, RepoError, OSError):
            return VectorStatus("building" if building else "missing", 0, 0, 0, 0, warnings)
        if view is None:
            state = "building" if building else "degraded" if warnings else "missing"
            return VectorStatus(state, done, total, 0, 0, warnings)
        state = "building" if building else "ready" if done >= total else "partial"
        size = sum(entry.file_bytes for entry in view.snapshot.manifest.segments)
        return VectorStatus(state, done, total, view.chunk_count, size, warnings)

    def warn(self) -> list[str]:
        """A warning for answers given while not every file has its vectors."""
        found = self.status()
        if found.warnings:
            return list(found.warnings)
        if found.files_done < found.files_total:
            return [
                f"Vectors are being made: {found.files_done} of {found.files_total} files have theirs;"
                " the others are ranked by their words alone."
            ]
        return []

    def _count_done(self, view: VectorView | None, searcher: Searcher) -> tuple[int, int]:
        """Files done, and files that should be."""
        progress = self._progress
        if progress is not None and progress.files_total:
            return progress.files_done, progress.files_total
        snapshot = None if view is None else view.snapshot
        generations = (0 if snapshot is None else snapshot.generation, searcher.snapshot.generation)
        kept = self._plan
        if kept is None or kept[0] != generations:  # to compare all files takes a moment in a large tree
            plan = plan_round(searcher.snapshot, KnownFiles(snapshot), find_task)
            kept = self._plan = (generations, plan)
        return kept[1].done_files, kept[1].total_files

    # Writing

    def start(self) -> None:
        """Embed in the background what is new, now and after each refresh of the lexical index to come."""
        with self._opening:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._follow, name="vectors", daemon=True)
                self._thread.start()
        self._wake.set()

    def note_refresh(self) -> None:
        """The lexical index has a new generation. Nothing is done unless it was started."""
        self._wake.set()

    def build(
        self,
        *,
        anew: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> VectorReport:
        """Embed what is new, here and now; with `anew` everything. Raises as `VectorPhase.run`, and BUSY."""

        def stop() -> bool:
            return self._closed.is_set() or (cancelled is not None and cancelled())

        if not self._running.acquire(blocking=False):
            raise RepoError(
                ErrorCode.BUSY,
                "Vectors are being made in the background already.",
                "The status tells how far it is.",
            )
        try:
            self._anew |= anew
            return self._run(self._index.get_searcher().snapshot, progress, stop)
        finally:
            self._running.release()

    def _run(
        self, lexical: Snapshot, progress: ProgressCallback | None, stop: Callable[[], bool]
    ) -> VectorReport:
        def report(now: IndexProgress) -> None:
            self._progress = now
            if progress is not None:
                progress(now)

        phase = VectorPhase(
            *self._place,
            self._configuration,
            self._workers,
            self._folder.dimensions,
            self._read,
            partial(make_embedder, self._folder_path),
        )
        anew, self._anew = self._anew, False
        try:
            done = phase.run(lexical, anew=anew, progress=report, cancelled=stop)
        except IndexFormatError as error:
            raise self._index.report_damage() from error
        finally:
            self._progress = None
        self._fault = ""
        return done

    def _follow(self) -> None:
        """Until closed: a round whenever there is a new generation of the lexical index."""
        done: int | None = None
        self._questions.embed(FIRST_QUESTION)
        while not self._closed.is_set():
            self._wake.wait()
            self._wake.clear()
            while not self._closed.is_set():
                searcher = self._index.find_searcher()
                if searcher is None or (searcher.snapshot.generation == done and not self._anew):
                    break
                if self._round(searcher.snapshot):
                    done = searcher.snapshot.generation
                else:
                    self._closed.wait(RETRY_SECONDS)

    def _round(self, lexical: Snapshot) -> bool:
        """False when another process is at it, and it should be tried again."""
        try:
            with self._running:
                self._run(lexical, None, self._closed.is_set)
        except RepoError as error:
            if error.code is ErrorCode.BUSY:
                return False
            if error.code is not ErrorCode.CANCELLED:
                self._fault = f"Making vectors failed: {error.message}"
        except Exception as error:  # a thread has nobody else to tell
            self._fault = f"Making vectors failed: {type(error).__name__}."
        return True

    def stop(self) -> None:
        """Have a running round stop, and begin no other."""
        self._closed.set()
        self._wake.set()
        self._questions.close()

    def close(self) -> bool:
        """Stop, and wait for it. False when a round has not stopped in CLOSE_WAIT_SECONDS."""
        self.stop()
        stopped = self._running.acquire(timeout=CLOSE_WAIT_SECONDS)
        with self._opening:
            self._view = None
        return stopped
