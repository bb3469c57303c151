"""The documents of a term in one field: live units or files, by segment and across all of them.

Results are cached, since words of names recur from query to query. Nothing is scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np

from index_format import Level, find_changes
from repo_mcp.arrays import I64, U32
from repo_mcp.lru_cache import SizeAdjustedCache
from repo_mcp.ranking.scoring.segment_search import SegmentSearch
from repo_mcp.ranking.scoring.term_scorers import TermScorers
from repo_mcp.text.schema import FIELDS

FILES_BYTES = 2 * 1024 * 1024  # for the cache of files by the terms they hold
DOCS_BYTES = 1024 * 1024  # for that of documents by terms: a query asks for those of its names twice
RECENT_SHARE = 0.5  # of the room of both is for those used last, as those of common words take long to read
NOTHING_KNOWN: Mapping[str, TermScorers] = MappingProxyType({})


class TermDocuments:
    """Looks up documents in the segments of one snapshot."""

    def __init__(self, segments: Sequence[SegmentSearch]) -> None:
        self._segments = segments
        counts = [part.reader.file_count for part in segments]
        # Each segment's first row in `find_files`.
        self.bases = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self._files: SizeAdjustedCache[tuple[str, int], U32] = SizeAdjustedCache(
            FILES_BYTES, lambda one: one.nbytes + 200, RECENT_SHARE
        )
        self._docs: SizeAdjustedCache[tuple[str, int], list[tuple[SegmentSearch, I64]]] = SizeAdjustedCache(
            DOCS_BYTES, _count_doc_bytes, RECENT_SHARE
        )

    def list_docs(
        self, term: str, field: int, known: TermScorers | None = None
    ) -> Sequence[tuple[SegmentSearch, I64]]:
        """Return the live documents of a term in one field, by segment. `known` are its scorers, if any.

        Without them only the posting list of that field is read, nothing is scored, and the result is cached.
        """
        if known is None:
            return self._docs.get((term, field), partial(self._read_docs, term, field))
        return [
            (part, part.drop_dead(one.read_docs(field), FIELDS[field].level))
            for part in self._segments
            for one in known.segments[part.position]
        ]

    def _read_docs(self, term: str, field: int) -> list[tuple[SegmentSearch, I64]]:
        return [
            (part, part.drop_dead(part.reader.postings.read(one)[0], FIELDS[field].level))
            for part in self._segments
            for one in part.reader.postings.find_lists(term.encode())
            if one.field == field
        ]

    def find_files(
        self, terms: Iterable[str], field: int, known: Mapping[str, TermScorers] = NOTHING_KNOWN
    ) -> list[I64]:
        """Return the live files that hold each term in one field: rows across all segments, ascending.

        Results are cached, since words of names recur from query to query. `known` are scorers of terms.
        """
        keys = [(term, field) for term in terms]
        rows = self._files.get_all(keys, lambda key: self._find_files(*key, known.get(key[0])))
        return [one.astype(np.int64) for one in rows]

    def _find_files(self, term: str, field: int, known: TermScorers | None) -> U32:
        rows = [np.zeros(0, dtype=np.int64)]
        for part, docs in self.list_docs(term, field, known):
            files = docs if FIELDS[field].level is Level.FILE else part.find_files(docs)
            rows.append(files[find_changes(files)] + self.bases[part.position])
        return np.concatenate(rows).astype(np.uint32)


def _count_doc_bytes(docs: Sequence[tuple[SegmentSearch, I64]]) -> int:
    return 200 + sum(own.nbytes for _, own in docs)
