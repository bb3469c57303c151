"""tantivy through its Python package: one body field with the default tokenizer, 2 threads, 512 MB.

The words of a query are alternatives, as in ours; special characters are escaped. To its tokenizer `foo_bar`
is two words, of which its parser makes a phrase if positions are stored.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tantivy

from bench.peers.engine_model import Answerer, Updater
from bench.peers.job import HEAP_BYTES, THREADS, TOP_K, Job, Mark
from bench.peers.units import CutFile, Unit, iter_units, read_units

BODY, PATH, LINE = "body", "path", "line"
UPDATE_HEAP_BYTES = 64_000_000
_SPECIAL = re.compile(r"([^\w\s])")
_NO_WORD = re.compile(r"[\W_]+")


class TantivyEngine:
    """Stores positions ("position", the default) or only frequencies ("freq"); may count all matches."""

    def __init__(self, index_option: str = "position", *, counts: bool = True) -> None:
        self._index_option = index_option
        self._counts = counts

    def build(self, job: Job, position: Path, mark: Mark) -> None:
        """Add all units in one commit, and wait for the merges that it started."""
        index = tantivy.Index(self._build_schema(), path=str(position))
        writer = index.writer(heap_size=HEAP_BYTES, num_threads=THREADS)
        for unit in iter_units(job.root, job.units):
            writer.add_document(self._make_document(unit))
        writer.commit()
        index.reload()
        mark("searchable")
        writer.wait_merging_threads()
        mark("merged")

    def _build_schema(self) -> Any:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field(BODY, stored=False, index_option=self._index_option)
        builder.add_text_field(PATH, stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field(LINE, stored=True)
        return builder.build()

    def _make_document(self, unit: Unit) -> Any:
        return make_document(unit)

    def open(self, job: Job, position: Path) -> Answerer:
        """Open the index and its searcher."""
        phrases = self._index_option == "position"
        return TantivyAnswerer(tantivy.Index.open(str(position)), phrases=phrases, counts=self._counts)

    def open_updater(self, job: Job, position: Path, files: Sequence[CutFile]) -> Updater:
        """Open a writer that stays open."""
        return TantivyUpdater(job.root, tantivy.Index.open(str(position)), files)


def make_document(unit: Unit) -> Any:
    """Return a unit as tantivy takes it."""
    document = tantivy.Document()
    document.add_text(BODY, unit.text)
    document.add_text(PATH, unit.path)
    document.add_unsigned(LINE, unit.line)
    return document


class TantivyAnswerer:
    """Asks as the package's guide shows it."""

    def __init__(self, index: Any, *, phrases: bool, counts: bool) -> None:
        self._index = index
        self._searcher = index.searcher()
        self._phrases = phrases
        self._counts = counts

    def ask(self, text: str) -> int:
        """Ask in lower case, so that no word is an operator; the tokenizer does the same to the text."""
        text = _SPECIAL.sub(r"\\\1", text) if self._phrases else _NO_WORD.sub(" ", text)
        query = self._index.parse_query(text.lower(), [BODY])
        return len(self._searcher.search(query, limit=TOP_K, count=self._counts).hits)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class TantivyUpdater:
    """Deletes by path and adds again."""

    def __init__(self, root: Path, index: Any, files: Sequence[CutFile]) -> None:
        self._root, self._index, self._files = root, index, files
        self._writer = index.writer(heap_size=UPDATE_HEAP_BYTES, num_threads=1)

    def update(self) -> float:
        """Replace the units of the files in one commit, and reload the reader."""
        started = time.perf_counter()
        for file in self._files:
            self._writer.delete_documents_by_term(PATH, file.path)
            for unit in read_units(self._root, file):
                self._writer.add_document(make_document(unit))
        self._writer.commit()
        self._index.reload()
        self._index.searcher()
        return time.perf_counter() - started

    def close(self) -> None:
        """Wait for running merges."""
        self._writer.wait_merging_threads()
