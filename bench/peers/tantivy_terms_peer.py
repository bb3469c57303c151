"""tantivy with the terms of our index: what its format and its search cost for the same postings.

Its own terms are whole words in lower case; ours are words and the stems of their parts. Here each unit is
given as our terms, separated by spaces, in one field with frequencies and without positions. A query is its
terms by our analysis, as alternatives. Updates are left out, since they would measure our analysis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import tantivy

from bench.peers.engine_model import Answerer, Updater
from bench.peers.job import TOP_K, Job
from bench.peers.tantivy_peer import BODY, LINE, PATH, TantivyEngine
from bench.peers.units import CutFile, Unit
from repo_mcp.config.server_config import Limits
from repo_mcp.ranking.query.query import parse_query
from repo_mcp.text.analysis import get_word_terms

_WORD = re.compile(r"\w+")
MOST_KEPT_WORDS = 1_000_000  # some 150 MB


@lru_cache(maxsize=MOST_KEPT_WORDS)
def _join_terms(word: str) -> str:
    return " ".join(get_word_terms(word))


class TantivyTermsEngine(TantivyEngine):
    """One field of our terms with frequencies. Counts all matches, as tantivy does by default."""

    def __init__(self) -> None:
        super().__init__("freq")

    def _build_schema(self) -> Any:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field(BODY, stored=False, tokenizer_name="whitespace", index_option="freq")
        builder.add_text_field(PATH, stored=True, tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field(LINE, stored=True)
        return builder.build()

    def _make_document(self, unit: Unit) -> Any:
        text = " ".join(map(_join_terms, _WORD.findall(unit.text)))
        return super()._make_document(Unit(unit.path, unit.line, text))

    def open(self, job: Job, position: Path) -> Answerer:
        """Open the index and its searcher."""
        return TermsAnswerer(tantivy.Index.open(str(position)))

    def open_updater(self, job: Job, position: Path, files: Sequence[CutFile]) -> Updater:
        """Raise NotImplementedError: updates are not measured."""
        raise NotImplementedError


class TermsAnswerer:
    """Asks for any of our terms of a query."""

    def __init__(self, index: Any) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self._words = Limits().max_query_words

    def ask(self, text: str) -> int:
        """Parse the query as we do, and ask for its terms."""
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, BODY, term, "freq"))
            for term in parse_query(text, self._words).terms
        ]
        return len(self._searcher.search(tantivy.Query.boolean_query(terms), limit=TOP_K).hits)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
