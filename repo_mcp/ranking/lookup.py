"""Answers questions about a snapshot that are not searches: which files have a name, how common a term is.

Only live documents count, so that the answers depend on the tree and not on its history.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from index_format import LiveSegment, PostingList, Snapshot
from repo_mcp.text.schema import FIELDS, PATH


def find_paths(snapshot: Snapshot, terms: Iterable[str]) -> list[str]:
    """Return the paths that hold all terms, in byte order; none without terms. Raises IndexFormatError."""
    wanted = list(dict.fromkeys(terms))
    found: list[str] = []
    for segment in snapshot.segments if wanted else ():
        files = set.intersection(*(_find_files(segment, term) for term in wanted))
        found += [segment.reader.files.read_path(file) for file in files]
    return sorted(found, key=str.encode)


def _find_files(segment: LiveSegment, term: str) -> set[int]:
    """Return the live files of a segment whose path holds a term."""
    return {
        file
        for posting_list in segment.reader.find_lists(term.encode())
        if posting_list.field == PATH
        for file in _read_live(segment, posting_list).tolist()
    }


def count_units(snapshot: Snapshot, term: str) -> int:
    """Return the number of live units (or paths) with a term, in the field where it is most common."""
    counts = [0] * len(FIELDS)
    for segment in snapshot.segments:
        for posting_list in segment.reader.find_lists(term.encode()):
            counts[posting_list.field] += len(_read_live(segment, posting_list))
    return max(counts)


def _read_live(segment: LiveSegment, posting_list: PostingList) -> npt.NDArray[np.int64]:
    docs, _ = segment.reader.read_postings(posting_list)
    mask = segment.get_live_mask(FIELDS[posting_list.field].level)
    return docs if mask is None else docs[mask[docs]]
