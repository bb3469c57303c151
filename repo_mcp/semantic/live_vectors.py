"""The live vectors of one root: the model, the opened generation, and the phase that renews it.

Vectors are derived from the lexical index. Nothing is read until a server that was given a model calls
`start`, a person runs `build`, or a question arrives. While they are computed, queries use those that are
committed; `status` reports the progress, and `warn` adds it to answers.

    score = (1 - weight) * points + weight * nearness

Points come from the ranking by words (repo_mcp/ranking/files/ranking.py): about 1 for a good file, a few at
most. Nearness is the cosine of the file's nearest chunk, plus decreasing parts of further ones, times the
share of its points that a file of this role keeps. Both are absolute measures, not relative to the other
files of the answer, so they are added without scaling. Files that only one of the two finds are included.

Weight 0 ranks by words alone, weight 1 by meaning alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from index_format import IndexFormatError, Snapshot
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.errors import RepoError
from repo_mcp.indexing.derived.phase import DerivedStorage
from repo_mcp.live.derived_index import DerivedIndex, DerivedIndexMessages
from repo_mcp.live.live_index import LiveIndex
from repo_mcp.model import IndexProgress, ProgressCallback
from repo_mcp.ranking.files.closer_look import look_closer
from repo_mcp.ranking.files.page_units import fill_page
from repo_mcp.ranking.files.ranked_file import RankedFile, add_up
from repo_mcp.ranking.files.ranking import BEST_UNITS, bound_scores, choose_files, rank, rate_files
from repo_mcp.ranking.files.ranking_weights import WEIGHTS
from repo_mcp.ranking.files.signals import find_role_in_tree, list_role_shares, sum_text
from repo_mcp.ranking.query.intent import understand
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import DECIMALS
from repo_mcp.ranking.scoring.file_masks import Filter
from repo_mcp.ranking.scoring.searcher import BestUnits, Ranking, Searcher
from repo_mcp.ranking.scoring.segment_search import Matches
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.semantic.embedding_process import QuestionEmbedder, make_embedder
from repo_mcp.semantic.model_folder import ModelFolder
from repo_mcp.semantic.vector_index import VERSION, NearChunks, VectorView
from repo_mcp.semantic.vector_phase import VERSION as TEXTS_VERSION
from repo_mcp.semantic.vector_phase import VectorPhase, VectorReport, find_task
from repo_mcp.storage.donors import derive_configuration
from repo_mcp.symbol_index.phase import ReadFile
from repo_mcp.text.roles import FileRole
from repo_mcp.threads import stops_when

FIRST_QUESTION = "a"  # a question that starts the process before the first real one
NO_QUESTION = "The model gave no vector for the question, so only its words were used."
UNREADABLE_VECTORS = "The vectors could not be read, so they are being rebuilt."
MESSAGES = DerivedIndexMessages(
    "vectors",
    "Vectors are already being computed in the background.",
    "Computing vectors failed",
    "Vectors are being computed: {} of {} files are done; the rest are ranked only by words.",
)
NEAR_CHUNKS = 500  # number of nearest chunks over which nearness is summed
MOST_FILES = 10_000  # more files than the few hundred candidates of the ranking by words
NEXT_CHUNK = 0.2  # each further chunk of a file counts for this share of the one before
MOST_NEARNESS = 1.0 / (1.0 - NEXT_CHUNK)  # nearness of a file whose every chunk equals the question
SIGNAL = "meaning"

FindNear = Callable[[Sequence[Mask | None]], Sequence[NearChunks]]
Nearness = dict[tuple[int, int], float]  # (segment, file) -> nearness


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """The progress and size of the vectors, for clients. Holds no path."""

    state: str  # missing, building, partial, ready, degraded
    files_done: int  # source files with vectors of the version that the lexical index holds
    files_total: int  # source files that should have vectors: code and documents
    chunks: int  # chunks with a vector
    index_bytes: int
    warnings: tuple[str, ...] = ()


class _Damaged(Exception):
    """The vectors cannot be read."""


class LiveVectors(DerivedIndex[VectorView]):
    """The vectors that a blended search queries. Every method may be called from several threads at once."""

    def __init__(
        self,
        folder: str,
        configuration: str,
        name: Callable[[str], DerivedStorage],
        workers: int,
        index: LiveIndex,
        read: ReadFile,
    ) -> None:
        """`configuration` is that of the lexical index; `name` returns the storage for one of vectors.

        Raises RepoError with CONFIG_INVALID unless `folder` holds a model.
        """
        super().__init__(index, find_task, MESSAGES)
        self._folder = ModelFolder(folder)
        self._folder.check()
        self._folder_path = folder
        self._name = name
        self._lexical_configuration = configuration
        self._workers = workers
        self._read = read
        self._questions = QuestionEmbedder(folder, self._folder.dimensions)
        self._purged = 0  # number of the lexical index's purges already followed

    @cached_property
    def _configuration(self) -> str:
        """Return the digest of everything that decides a vector on this machine.

        That includes numpy, which contains the code of the products, and Python with its character tables.
        """
        return derive_configuration(
            self._lexical_configuration,
            self._folder.fingerprint,
            VERSION,
            TEXTS_VERSION,
            np.__version__,
            unicodedata.unidata_version,
        )

    @cached_property
    def _storage(self) -> DerivedStorage:
        """Return where the vectors are stored."""
        return self._name(self._configuration)

    # Reading

    def find_view(self, searcher: Searcher) -> VectorView | None:
        """Return the committed vectors for a searcher's snapshot; None if there are none, or damaged ones."""

        def make(snapshot: Snapshot, _before: VectorView | None) -> VectorView:
            return VectorView(snapshot, searcher, self._folder.dimensions)

        try:
            directory = self._storage.open()
            return self._open_view(directory, self._configuration, searcher.snapshot, make)
        except OSError:
            return self._find_opened(searcher.snapshot)
        except IndexFormatError:
            self.report_damage()
            return None

    def report_damage(self) -> None:
        """Drop vectors that could not be read; they are rebuilt in the background."""
        self._drop_view(UNREADABLE_VECTORS)
        self.start()

    def rank(
        self, searcher: Searcher, query: Query, weight: float, top_k: int, wanted: Filter | None = None
    ) -> Ranking:
        """Return the best chunks by words and by meaning, mixed by `weight` (0 to 1), with an upper bound.

        Without vectors, or without one for the question, words alone rank, and `warn` says so. Raises
        IndexFormatError for a damaged lexical index.
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

    # Progress

    def status(self) -> VectorStatus:
        """Return the progress and size, by what is committed and what runs in this process."""
        building = self._running.locked()
        warnings = (self._fault,) if self._fault else ()
        try:
            searcher = self._index.get_searcher()
            view = self.find_view(searcher)
            done, total = self._count_done(view, searcher.snapshot)
        except (IndexFormatError, RepoError, OSError):
            return VectorStatus("building" if building else "missing", 0, 0, 0, 0, warnings)
        if view is None:
            state = "building" if building else "degraded" if warnings else "missing"
            return VectorStatus(state, done, total, 0, 0, warnings)
        state = "building" if building else "ready" if done >= total else "partial"
        size = sum(entry.file_bytes for entry in view.snapshot.manifest.segments)
        return VectorStatus(state, done, total, view.chunk_count, size, warnings)

    def warn(self) -> list[str]:
        """Return warnings for answers while not every file has its vectors."""
        found = self.status()
        return self._describe_reach(found.files_done, found.files_total)

    # Writing

    def note_refresh(self) -> None:
        """React to a new generation of the lexical index.

        Before `start` nothing is embedded, but the vectors of text that may no longer be served are purged at
        once.
        """
        super().note_refresh()
        purges = self._index.refresher.purges
        if self._thread is None and purges != self._purged and self._running.acquire(blocking=False):
            try:
                self._purge()
                self._purged = purges
            except (RepoError, OSError):  # the next round, in any process, drops what is gone
                pass
            finally:
                self._running.release()

    def _purge(self) -> None:
        """Purge what is gone. Raises OSError where there are no vectors."""
        self._storage.open()
        searcher = self._index.find_searcher()
        if searcher is not None:
            self._run(searcher.snapshot, None, self._closed.is_set, embeds=False)

    def build(
        self,
        *,
        anew: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> VectorReport:
        """Embed what is new, synchronously; with `anew` everything. Raises as `VectorPhase.run`, and BUSY."""
        stop = stops_when(self._closed, cancelled)
        with self._run_alone(begun=self._running.acquire(blocking=False)):
            self._anew |= anew
            return self._run(self._index.get_searcher().snapshot, progress, stop)

    def _run(
        self,
        lexical: Snapshot,
        progress: ProgressCallback | None,
        stop: Callable[[], bool],
        *,
        embeds: bool = True,
    ) -> VectorReport:
        def report(now: IndexProgress) -> None:
            self._progress = now
            if progress is not None:
                progress(now)

        phase = VectorPhase(
            self._storage,
            self._workers,
            self._folder.dimensions,
            self._read,
            partial(make_embedder, self._folder_path),
        )
        return self._renew(
            lambda anew: phase.run(
                lexical,
                anew=anew,
                progress=report,
                cancelled=stop,
                embeds=embeds,
                is_whole=self._index.generation.is_whole(lexical),
            )
        )

    def _follow(self) -> None:
        self._questions.embed(FIRST_QUESTION)
        super()._follow()

    def _run_round(self, lexical: Snapshot) -> float | None:
        with self._running:
            self._run(lexical, None, self._closed.is_set)
        return None

    def stop(self) -> None:
        """Stop the running round, start no other, and embed no more questions."""
        super().stop()
        self._questions.close()


def rank_blended(
    searcher: Searcher, query: Query, find_near: FindNear, weight: float, top_k: int, wanted: Filter | None
) -> Ranking:
    """Return the best `top_k` chunks by words and meaning, with an upper bound on any score.

    `find_near` receives one mask of units per segment and returns the near chunks that hold a unit of it, per
    segment. Raises IndexFormatError, OSError, and what `find_near` raises.
    """
    best = searcher.find_best_units(query, BEST_UNITS, wanted or Filter())
    parts = zip(searcher.segments, best.masks, strict=True)
    near = find_near([searcher.units.find(part, query, mask) for part, mask in parts])
    rated = rate_files(searcher, query, best, WEIGHTS)
    worded: list[RankedFile] = []
    if weight < 1.0:
        worded, _ = look_closer(searcher, query, best, choose_files(rated, MOST_FILES), WEIGHTS)
    shares = list_role_shares(understand(query.text, query.code).roles, WEIGHTS)
    nearness = _sum_nearness(searcher, near) if weight > 0.0 else {}
    files = _blend_files(searcher, worded, nearness, shares, weight)[:top_k]
    joined = _blend_units(searcher, best, near, weight)
    page = fill_page(joined, files, top_k, WEIGHTS)
    chunks = searcher.describe(query, joined, [unit for unit, _ in page])
    explained = (replace(chunk, explanation=points) for chunk, (_, points) in zip(chunks, page, strict=True))
    unknown = (term for term, lists in zip(query.terms, best.terms, strict=True) if not lists.frequency)
    bound = (1.0 - weight) * bound_scores(searcher, query, best, rated, WEIGHTS) + weight * MOST_NEARNESS
    return Ranking(tuple(explained), searcher.count_best_chunks(joined), tuple(unknown), bound)


def _sum_nearness(searcher: Searcher, near: Sequence[NearChunks]) -> Nearness:
    """Return the nearness of each file that has a near chunk, before its role is applied."""
    found: Nearness = {}
    for part, own in zip(searcher.segments, near, strict=True):
        if len(own.chunks):
            owners = part.find_files(part.find_first_units(own.chunks))
            files, sums = sum_text(owners, own.cosines, NEXT_CHUNK)
            found |= zip(((part.position, file) for file in files.tolist()), sums.tolist(), strict=True)
    return found


def _blend_files(
    searcher: Searcher,
    worded: Sequence[RankedFile],
    nearness: Nearness,
    shares: Mapping[FileRole, float],
    weight: float,
) -> list[RankedFile]:
    """Return the files of both rankings with their combined points, in order of scores; ties by path."""
    known = {(one.part.position, one.file): one for one in worded}
    ranked = []
    for position, file in {**known, **nearness}:
        path = searcher.read_path(position, file)
        one = known.get((position, file))
        given = () if one is None else one.points
        points = [(name, round((1.0 - weight) * value, DECIMALS)) for name, value in given]
        share = shares[find_role_in_tree(searcher, path)]
        near = round(weight * nearness.get((position, file), 0.0) * share, DECIMALS)
        if near:
            points.append((SIGNAL, near))
        ranked.append(RankedFile(path, searcher.segments[position], file, add_up(points), (), tuple(points)))
    return sorted(ranked, key=lambda file: (-file.score, file.path.encode()))


def _blend_units(searcher: Searcher, best: BestUnits, near: Sequence[NearChunks], weight: float) -> BestUnits:
    """Return the scored units that decide which chunks and lines of a file are shown.

    They are the units that match words, and the first unit of each other near chunk. Their score is that by
    words plus the cosine of their chunk, each relative to the best one.
    """
    most = max((float(one.scores.max(initial=0.0)) for one in best.segments), default=0.0) or 1.0
    nearest = max((float(one.cosines.max(initial=0.0)) for one in near), default=0.0) or 1.0
    joined = []
    for part, words, own in zip(searcher.segments, best.segments, near, strict=True):
        units = words.units if weight < 1.0 else words.units[:0]
        scores = (1.0 - weight) / most * words.scores[: len(units)]
        chunks = part.find_chunks(units)
        others = np.setdiff1d(own.chunks, chunks)
        units = np.concatenate([units, part.find_first_units(others)])
        scores = np.concatenate([scores, np.zeros(len(others))])
        scores += weight / nearest * _look_up(own, np.concatenate([chunks, others]))
        order = np.argsort(units)
        joined.append(Matches(units[order], np.round(scores[order], DECIMALS)))
    return replace(best, segments=tuple(joined))


def _look_up(near: NearChunks, chunks: I64) -> F64:
    """Return the cosine of each chunk, 0 for one that is not near."""
    if not len(near.chunks):
        return np.zeros(len(chunks))
    positions = np.minimum(np.searchsorted(near.chunks, chunks), len(near.chunks) - 1)
    return np.where(near.chunks[positions] == chunks, near.cosines[positions], 0.0)
