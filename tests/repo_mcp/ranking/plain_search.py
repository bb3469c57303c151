"""The slow, plain ranking: every posting of every query term is scored and added up. The tests' oracle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from index_format import Level, LiveSegment
from repo_mcp.arrays import F64, I64
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.bm25f import TermScorer
from repo_mcp.ranking.scoring.searcher import Searcher
from repo_mcp.ranking.scoring.segment_search import Matches
from repo_mcp.text.schema import FIELDS


@dataclass(frozen=True, slots=True)
class Postings:
    """The live postings of one term in one field of a segment, for units."""

    segment: int  # place in the snapshot
    units: I64
    counts: I64
    lengths: I64


def score_units(searcher: Searcher, query: Query) -> list[Matches]:
    """Return for each segment the units that match and their scores, before they are rounded."""
    segments = searcher.snapshot.segments
    sums = [np.zeros(segment.reader.unit_count) for segment in segments]
    for term in query.terms:
        for field in range(len(FIELDS)):
            read = list(iter_postings(searcher, term, field))
            frequency = sum(len(one.units) for one in read)
            for one in read:
                sums[one.segment][one.units] += score(searcher, one, term, field, frequency)
    found = [np.flatnonzero(own) for own in sums]
    return [Matches(units, own[units]) for units, own in zip(found, sums, strict=True)]


def score(searcher: Searcher, one: Postings, term: str, field: int, frequency: int) -> F64:
    """Return the score of each posting of a term, by Whoosh's model."""
    units = searcher.snapshot.unit_count
    scorer = TermScorer(FIELDS[field].name, term, units, frequency, searcher.average_lengths[field])
    return scorer.score(one.counts, one.lengths)


def iter_postings(searcher: Searcher, term: str, field: int) -> Iterator[Postings]:
    """Yield the live postings of a term in a field, segment by segment; a file's are those of its units."""
    for position, segment in enumerate(searcher.snapshot.segments):
        for posting_list in segment.reader.postings.find_lists(term.encode()):
            if posting_list.field == field:
                docs, counts = segment.reader.postings.read(posting_list)
                lengths = segment.reader.norms.read_lengths(field)[docs]
                units, rows = spread(segment, docs, FIELDS[field].level)
                live = segment.live_unit_mask[units]
                units, rows = units[live], rows[live]
                if len(units):
                    yield Postings(position, units, counts[rows], lengths[rows])


def spread(segment: LiveSegment, docs: I64, level: Level) -> tuple[I64, I64]:
    """Return the units of documents, and for each the row of its document."""
    if level is Level.UNIT:
        return docs, np.arange(len(docs))
    firsts = segment.reader.files.first_units
    units = [np.arange(firsts[doc], firsts[doc + 1]) for doc in docs.tolist()]
    rows = np.repeat(np.arange(len(docs)), [len(own) for own in units])
    return np.concatenate([np.zeros(0, dtype=np.int64), *units]), rows
