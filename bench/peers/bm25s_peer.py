"""bm25s: precomputed scores, held in memory as a sparse matrix. It cannot be updated, only rebuilt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s

from bench.peers.engine_model import Updater
from bench.peers.job import TOP_K, Job, Mark
from bench.peers.units import CutFile, iter_units


class Bm25sEngine:
    """Builds with all text in memory."""

    def build(self, job: Job, position: Path, mark: Mark) -> None:
        """Write tokens, matrix and files."""
        texts = [unit.text for unit in iter_units(job.root, job.units)]
        model = bm25s.BM25()
        model.index(_tokenize(texts), show_progress=False)
        model.save(str(position), show_progress=False)
        mark("searchable")
        mark("merged")

    def open(self, job: Job, position: Path) -> Bm25sAnswerer:
        """Read everything into memory."""
        return Bm25sAnswerer(bm25s.BM25.load(str(position)))

    def open_updater(self, job: Job, position: Path, files: Sequence[CutFile]) -> Updater:
        """Refuse: bm25s has no updater."""
        raise NotImplementedError("bm25s cannot change an index")


def _tokenize(texts: list[str]) -> Any:
    return bm25s.tokenize(texts, stopwords=None, show_progress=False)


class Bm25sAnswerer:
    """Asks one question at a time."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def ask(self, text: str) -> int:
        """Count the units whose score is not zero."""
        _, scores = self._model.retrieve(_tokenize([text]), k=TOP_K, show_progress=False)
        return int((scores > 0).sum())

    def close(self) -> None:
        """Do nothing: nothing is held."""
