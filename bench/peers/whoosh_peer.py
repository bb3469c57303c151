"""Whoosh with its own storage: the usual choice of a project in pure Python."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whoosh import index
from whoosh.fields import ID, STORED, TEXT, Schema
from whoosh.qparser import OrGroup, QueryParser, plugins

from bench.peers.job import HEAP_BYTES, TOP_K, Job, Mark
from bench.peers.units import CutFile, Unit, iter_units, read_units

HEAP_MEGABYTES = HEAP_BYTES // 1_000_000


class WhooshEngine:
    """Builds in one process: the writer with several was slower on everything tried."""

    def build(self, job: Job, position: Path, mark: Mark) -> None:
        """Index all units in one commit."""
        schema = Schema(body=TEXT, path=ID(stored=True), line=STORED)
        writer = index.create_in(str(position), schema).writer(limitmb=HEAP_MEGABYTES)
        _add(writer, iter_units(job.root, job.units))
        writer.commit()
        mark("searchable")
        mark("merged")

    def open(self, job: Job, position: Path) -> WhooshAnswerer:
        """Open the index and its searcher."""
        return WhooshAnswerer(index.open_dir(str(position)))

    def open_updater(self, job: Job, position: Path, files: Sequence[CutFile]) -> WhooshUpdater:
        """Open the index; each update opens a writer, since that is how Whoosh commits."""
        return WhooshUpdater(job.root, index.open_dir(str(position)), files)


def _add(writer: Any, units: Any) -> None:
    unit: Unit
    for unit in units:
        writer.add_document(body=unit.text, path=unit.path, line=unit.line)


class WhooshAnswerer:
    """Asks for any of the words."""

    def __init__(self, opened: Any) -> None:
        self._searcher = opened.searcher()
        self._parser = QueryParser("body", opened.schema, plugins=[plugins.WhitespacePlugin()], group=OrGroup)

    def ask(self, text: str) -> int:
        """Ask for the words alone, without operators."""
        return len(self._searcher.search(self._parser.parse(text), limit=TOP_K).top_n)

    def close(self) -> None:
        """Close its files."""
        self._searcher.close()


class WhooshUpdater:
    """Deletes by path and adds again."""

    def __init__(self, root: Path, opened: Any, files: Sequence[CutFile]) -> None:
        self._root, self._index, self._files = root, opened, files

    def update(self) -> float:
        """Replace the units of the files in one commit, and open a new searcher."""
        started = time.perf_counter()
        writer = self._index.writer()
        for file in self._files:
            writer.delete_by_term("path", file.path)
            _add(writer, read_units(self._root, file))
        writer.commit()
        self._index.searcher().close()
        return time.perf_counter() - started

    def close(self) -> None:
        """Close its files."""
        self._index.close()
