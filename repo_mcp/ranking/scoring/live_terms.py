"""Looks terms up without a search: which paths hold them, and in how many units they are.

Only live documents count, so that the answers depend on the tree and not on its history.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from index_format import LiveSegment, PostingList, Snapshot, find_containing
from repo_mcp.arrays import I64
from repo_mcp.ranking.scoring.segment_search import find_among
from repo_mcp.text.analysis import DECLARED
from repo_mcp.text.schema import FIELDS, PATH

MOST_SCANNED = 100  # terms of a segment that hold a text


def find_paths(snapshot: Snapshot, terms: Iterable[str]) -> list[str]:
    """Return the paths that hold all terms, in byte order; none without terms. Raises IndexFormatError."""
    wanted = list(dict.fromkeys(terms))
    found: list[str] = []
    for segment in snapshot.segments if wanted else ():
        files, *others = sorted((_find_files(segment, term) for term in wanted), key=len)
        for other in others:
            files = files[find_among(other, files)]
        found += segment.reader.files.read_paths_of(files)
    return sorted(found, key=str.encode)


def _find_files(segment: LiveSegment, term: str) -> I64:
    """Return the live files of a segment whose path holds a term, ascending."""
    for posting_list in segment.reader.postings.find_lists(term.encode()):
        if posting_list.field == PATH:
            return _read_live(segment, posting_list)
    return np.zeros(0, dtype=np.int64)


def count_units(snapshot: Snapshot, term: str) -> int:
    """Return the number of live units (or paths) with a term, in the field where it is most common."""
    counts = [0] * len(FIELDS)
    for segment in snapshot.segments:
        for posting_list in segment.reader.postings.find_lists(term.encode()):
            counts[posting_list.field] += _count_live(segment, posting_list)
    return max(counts)


def list_holding(snapshot: Snapshot, part: str, most: int) -> list[str]:
    """Return the `most` commonest terms that contain a text, ties by letters. Raises IndexFormatError."""
    found: set[bytes] = set()
    for segment in snapshot.segments:
        found.update(find_containing(segment.reader.terms, part.encode(), MOST_SCANNED))
    terms = [raw.decode("utf-8", "replace") for raw in found if not raw.startswith(DECLARED.encode())]
    counts = {term: count_units(snapshot, term) for term in terms}
    return sorted(filter(counts.__getitem__, terms), key=lambda term: (-counts[term], term))[:most]


def _count_live(segment: LiveSegment, posting_list: PostingList) -> int:
    """Return the number of live documents of a list, which is read only where some are dead."""
    if segment.get_live_mask(FIELDS[posting_list.field].level) is None:
        return posting_list.frequency
    return len(_read_live(segment, posting_list))


def _read_live(segment: LiveSegment, posting_list: PostingList) -> I64:
    docs, _ = segment.reader.postings.read(posting_list)
    mask = segment.get_live_mask(FIELDS[posting_list.field].level)
    return docs if mask is None else docs[mask[docs]]
