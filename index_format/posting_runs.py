"""Runs of posting lists, in term order: cut into parts, encoded, and joined again.

A `PostingRun` holds the doc ids and term frequencies as arrays, an `EncodedRun` the same lists as bytes of a
segment (postings.py). How lists are grouped into runs does not affect their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from index_format.postings import FieldLengths, encode_lists
from index_format.records import EncodedRun, PostingRun
from index_format.term_text import join_term_texts

PART_POSTINGS = 250_000  # encoded at a time: about 40 MB of working memory


def iter_parts(run: PostingRun) -> Iterator[PostingRun]:
    """Yield a run in parts of about PART_POSTINGS postings, each of whole terms."""
    ends = np.append(0, np.cumsum(run.frequencies))
    first_lists = np.searchsorted(run.list_terms, np.arange(len(run.terms) + 1))
    term_ends = ends[first_lists[1:]]
    low = 0
    while low < len(run.terms):
        before = int(term_ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(term_ends, before + PART_POSTINGS)))
        lists = slice(int(first_lists[low]), int(first_lists[high]))
        yield _cut_run(run, low, high, lists, slice(int(ends[lists.start]), int(ends[lists.stop])))
        low = high


def cut_run(run: PostingRun, low: int, high: int) -> PostingRun:
    """Return the part of a run with the terms [low, high)."""
    if (low, high) == (0, len(run.terms)):
        return run
    lists = slice(*np.searchsorted(run.list_terms, [low, high]).tolist())
    ends = np.concatenate([[0], np.cumsum(run.frequencies)])
    return _cut_run(run, low, high, lists, slice(int(ends[lists.start]), int(ends[lists.stop])))


def _cut_run(run: PostingRun, low: int, high: int, lists: slice, postings: slice) -> PostingRun:
    """Return the part of a run with the terms [low, high), given which lists and postings they have."""
    return PostingRun(
        run.terms.cut(low, high),
        run.list_terms[lists] - low,
        run.list_fields[lists],
        run.frequencies[lists],
        run.docs[postings],
        run.term_frequencies[postings],
    )


def encode_run(run: PostingRun, lengths: FieldLengths) -> EncodedRun:
    """Return the encoded posting lists."""
    if not len(run.terms):
        empty = np.zeros(0, dtype=np.int64)
        return EncodedRun(run.terms, empty, empty, empty, empty, b"", 0)
    encoded = encode_lists(run, lengths)
    first_lists = np.searchsorted(run.list_terms, np.arange(len(run.terms)))
    masks = np.bitwise_or.reduceat(np.left_shift(1, run.list_fields), first_lists)
    return EncodedRun(
        run.terms, masks, run.frequencies, encoded.sizes, encoded.singles, encoded.data, len(run.docs)
    )


def join_runs(runs: Sequence[EncodedRun]) -> EncodedRun:
    """Return the posting lists of consecutive runs as one run."""
    nothing = np.zeros(0, dtype=np.int64)
    return EncodedRun(
        join_term_texts([run.terms for run in runs]),
        np.concatenate([nothing, *(run.masks for run in runs)]),
        np.concatenate([nothing, *(run.frequencies for run in runs)]),
        np.concatenate([nothing, *(run.sizes for run in runs)]),
        np.concatenate([nothing, *(run.singles for run in runs)]),
        b"".join([run.data for run in runs]),
        sum(run.postings for run in runs),
    )
