"""repo-mcp, built as its command builds it and asked in process."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.edits import time_plain_walk
from bench.engine import find_index_path, open_searcher
from bench.peers.engine_model import Answerer
from bench.peers.job import THREADS, TOP_K, Job, Mark
from bench.peers.units import CutFile
from repo_mcp.config.server_config import Config, Limits
from repo_mcp.model import IndexProgress, SearchRequest, WalkReport
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.repository import Repository

LAST_SHARD_COMMITTED = "merge"  # the phase that begins once the last shard is committed
FULL_RANKING = "repo_mcp.ranking.files.ranking"
REFRESH_ROUNDS = 5


def configure(job: Job, position: Path) -> Config:
    """Return the program's defaults, with as many workers as the other engines have threads."""
    return Config(str(job.root), data_dir=str(position), workers=THREADS)


class OurEngine:
    """Walk, read, cut, analyse, commit, merge."""

    def build(self, job: Job, position: Path, mark: Mark) -> None:
        """Index the tree. A shard can be searched once it is committed, so all can when merging begins."""
        reported: set[str] = set()

        def report(progress: IndexProgress) -> None:
            if progress.phase == LAST_SHARD_COMMITTED and not reported:
                reported.add(progress.phase)
                mark("searchable")

        with closing(Repository(configure(job, position))) as repository:
            repository.refresh(progress=report)
        if not reported:
            mark("searchable")
        mark("merged")

    def open(self, job: Job, position: Path) -> Answerer:
        """Open the committed generation, ranked plainly."""
        return OurAnswerer(open_searcher(find_index_path(position)), _rank_plainly)

    def open_updater(self, job: Job, position: Path, files: Sequence[CutFile]) -> OurUpdater:
        """Open the root, which finds the changed files by itself."""
        return OurUpdater(TimedRepository(configure(job, position)), len(files))


class OurFullEngine(OurEngine):
    """The same index with the ranking that searches use."""

    def open(self, job: Job, position: Path) -> Answerer:
        """Open it with the full ranking. Raises ModuleNotFoundError in versions with only plain BM25F."""
        ranking: Any = importlib.import_module(FULL_RANKING)
        return OurAnswerer(open_searcher(find_index_path(position)), ranking.rank)


class OurSearchEngine(OurEngine):
    """The same index, and whole answers."""

    def open(self, job: Job, position: Path) -> Answerer:
        """Open the root with its index."""
        return SearchAnswerer(Repository(configure(job, position)))


def _rank_plainly(searcher: Searcher, query: Any, count: int) -> Any:
    return searcher.rank(query, count)


class OurAnswerer:
    """Turns the text of a query into ranked chunks with paths and lines, without reading their text."""

    def __init__(self, searcher: Searcher, rank: Callable[[Searcher, Any, int], Any]) -> None:
        self._searcher = searcher
        self._rank = rank
        self._words = Limits().max_query_words

    def ask(self, text: str) -> int:
        """Rank the units that have any of the words of a query."""
        return len(self._rank(self._searcher, parse_query(text, self._words), TOP_K).chunks)

    def close(self) -> None:
        """Give the files back."""
        self._searcher.snapshot.close()


class SearchAnswerer:
    """A whole answer with snippets of the live files, as the server gives it."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def ask(self, text: str) -> int:
        """Do what `repo.search` does between reading a request and writing the answer."""
        return len(self._repository.search(SearchRequest(text, TOP_K)).hits)

    def close(self) -> None:
        """Close the root."""
        self._repository.close()


class TimedRepository(Repository):
    """A repository that measures its walks."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.walk_seconds = 0.0
        walk = self.tree.walk

        def walk_timed(*arguments: Any) -> WalkReport:
            started = time.perf_counter()
            try:
                return walk(*arguments)
            finally:
                self.walk_seconds += time.perf_counter() - started

        self._index.look.walk = walk_timed


class OurUpdater:
    """Measures a refresh without its walk."""

    def __init__(self, repository: TimedRepository, files: int) -> None:
        self._repository = repository
        self._files = files
        repository.refresh()  # whatever was done to the tree before

    def update(self) -> float:
        """Find the changed files, index them, commit. Raises RuntimeError when others were found."""
        before, started = self._repository.walk_seconds, time.perf_counter()
        report = self._repository.refresh()
        seconds = time.perf_counter() - started - (self._repository.walk_seconds - before)
        if report.updated != self._files or report.added or report.removed:
            raise RuntimeError(f"{report.updated} files were updated, {self._files} changed")
        return seconds

    def close(self) -> None:
        """Close the root."""
        self._repository.close()


def measure_refresh(job: Job, position: Path) -> dict[str, float]:
    """Return the seconds of a refresh that finds nothing changed, and of a plain walk with stat."""
    refreshes, walks = [], []
    with closing(Repository(configure(job, position))) as repository:
        repository.refresh()
        repository.refresh()  # the first may read files again that were written just before they were indexed
        for _ in range(REFRESH_ROUNDS):
            walks.append(time_plain_walk(job.root))
            started = time.perf_counter()
            repository.refresh()
            refreshes.append(time.perf_counter() - started)
    return {"refresh": statistics.median(refreshes), "walk": statistics.median(walks)}
