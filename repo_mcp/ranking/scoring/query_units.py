"""The units that satisfy the operators of a query: those that hold, declare or lack what it says.

Left out on purpose: the filter of files, which is given as a mask.
"""

from __future__ import annotations

from itertools import chain
from operator import attrgetter

import numpy as np

from repo_mcp.arrays import I64, Mask
from repo_mcp.ranking.query.query import Query
from repo_mcp.ranking.scoring.segment_search import SegmentSearch, find_among
from repo_mcp.ranking.scoring.term_documents import TermDocuments
from repo_mcp.ranking.scoring.term_scorers import TermScorerReader, TermScorers
from repo_mcp.text.schema import BODY, SYMBOL

LOOKED_UP = 8  # a list with more units for each one in question is not decoded: they are looked up in it
LOOKED_UP_IN_BODY = 24  # the same where only the list of one field would be decoded


class QueryUnits:
    """Finds units in the segments of one snapshot."""

    def __init__(self, lists: TermScorerReader, documents: TermDocuments) -> None:
        self._lists = lists
        self._documents = documents

    def find(self, part: SegmentSearch, query: Query, files: Mask | None) -> Mask | None:
        """Return a mask of the units in `files` that satisfy the query's operators; None: all units."""
        if files is None and not (query.names_units or query.excluded):
            return None
        return self.mark(part, query, files, self.list_named(part, query, files))

    def mark(self, part: SegmentSearch, query: Query, files: Mask | None, named: I64 | None) -> Mask:
        """Return a mask of what `list_named` returned; if that is None, of all that are not excluded."""
        if named is not None:
            wanted = np.zeros(part.reader.unit_count, dtype=np.bool_)
            wanted[named] = True
            return wanted
        wanted = np.ones(part.reader.unit_count, dtype=np.bool_) if files is None else part.keep_files(files)
        for term in chain.from_iterable(query.excluded):
            wanted[part.list_holding(term)] = False
        return wanted

    def list_named(self, part: SegmentSearch, query: Query, files: Mask | None) -> I64 | None:
        """Return the units in `files`, ascending, that hold or declare what the query says they must, and
        nothing excluded; None if it says nothing of the kind.

        Arrays as long as the segment, which take a new page of memory for each 4,096 units, are only made for
        terms that are common.
        """
        named: I64 | None = None
        for term in chain.from_iterable(query.symbols):
            units = self._list_declaring(part, term)
            named = units if named is None else named[find_among(units, named)]
        for lists in sorted(self._lists.read(query.coded), key=attrgetter("frequency")):
            named = _find_in_body(lists, part.position, named)
        required = [*chain.from_iterable(query.required)]
        scorers = zip(self._lists.read(required), required, strict=True)
        for lists, term in sorted(scorers, key=lambda row: row[0].frequency):
            if named is None:
                named = part.list_holding(term)
            elif len(named) * LOOKED_UP < lists.frequency:
                held = {row for one in lists.segments[part.position] for row in one.hold(named)}
                named = named[sorted(held)]
            else:
                named = named[find_among(part.list_holding(term), named)]
        if named is None:
            return None
        if files is not None:
            named = named[files.take(part.find_files(named))]
        for term in chain.from_iterable(query.excluded):
            named = named[~find_among(part.list_holding(term), named)]
        return named

    def _list_declaring(self, part: SegmentSearch, term: str) -> I64:
        """Return the live units that declare a name with a term, ascending, by lists that are cached."""
        own = [units for one, units in self._documents.list_docs(term, SYMBOL) if one is part]
        return own[0] if own else np.zeros(0, dtype=np.int64)


def _find_in_body(lists: TermScorers, segment: int, units: I64 | None) -> I64:
    """Return those of some ascending units whose body holds a term; of all units, if None are given."""
    own = lists.segments[segment]
    if units is not None and len(units) * LOOKED_UP_IN_BODY < lists.frequency:
        for one in own:
            if one.field == BODY:
                return units[one.hold(units)]
    docs = max((one.read_docs(BODY) for one in own), key=len, default=np.zeros(0, dtype=np.int64))
    return docs if units is None else units[find_among(docs, units)]
