"""Pages of term dictionaries, decoded many at a time: for merging segments and for reading all of one.

`terms.py` says what a page is. Whatever the bytes, the columns returned here fit each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from index_format import varints
from index_format.errors import CorruptIndex
from index_format.records import I64, NO_SINGLE
from index_format.runs import count_true, spread_runs
from index_format.term_text import TermText, parse_term_text

PAGE_TERMS = 128


class RawPages(NamedTuple):
    """Consecutive pages of one dictionary, at least one, as they were read."""

    where: str  # file and section, for errors
    text: bytes  # the terms, each followed by a line feed
    lists: bytes  # the bytes of LIST for these pages
    text_bounds: I64  # where each page begins in `text`, and where the last one ends
    list_bounds: I64  # where each page begins in `lists`, and where the last one ends
    # Where the lists of each page begin in POST, and those of the following page; -1: there is none.
    postings: I64
    first_terms: bytes  # the first term of each page, each followed by a line feed
    following: bytes | None  # the first term after these pages; None: there is none


class TermPages(NamedTuple):
    """Decoded pages of one or more dictionaries, one after the other."""

    terms: TermText
    masks: I64  # field bits of each term
    frequencies: I64  # document frequency of each list
    sizes: I64  # bytes of each list
    singles: I64  # the only doc id of a list without bytes, else NO_SINGLE
    postings_start: int  # where the first list begins in POST


def parse_pages(parts: Sequence[RawPages]) -> TermPages:
    """Return the pages of one or more dictionaries, at least one, as if they were of one.

    Raises CorruptIndex for gaps and for pages that do not begin with their first terms; the message names the
    first dictionary, even if the fault is in another. Does not check that the terms ascend.
    """
    where = parts[0].where
    terms = parse_term_text(b"".join([part.text for part in parts]))
    positions = _join_bounds([part.text_bounds for part in parts])
    bounds = np.searchsorted(terms.ends, positions, side="right")
    if (np.append(0, terms.ends)[bounds] != positions).any():
        raise CorruptIndex(f"{where}: pages of the dictionary that do not end with a term")
    counts = np.diff(bounds)
    if (counts < 1).any() or (counts > PAGE_TERMS).any():
        raise CorruptIndex(f"{where}: pages of the dictionary with none or more than {PAGE_TERMS} terms")
    if terms.gather(bounds[:-1]).text != b"".join([part.first_terms for part in parts]):
        raise CorruptIndex(f"{where}: pages of the dictionary that do not begin with their first terms")
    for part in parts:
        if part.following is not None and part.text[part.text.rfind(b"\n", 0, -1) + 1 : -1] >= part.following:
            raise CorruptIndex(f"{part.where}: the terms of two pages of the dictionary do not ascend")
    edges = _join_bounds([part.list_bounds for part in parts])
    lists = _parse_lists(b"".join([part.lists for part in parts]), edges, counts, where)
    begins = np.concatenate([part.postings[:-1] for part in parts])
    following = np.concatenate([part.postings[1:] for part in parts])
    if ((following >= 0) & (following != begins + lists.page_sizes)).any():
        raise CorruptIndex(f"{where}: the lists of a page do not begin where those before end")
    return TermPages(terms, lists.masks, lists.frequencies, lists.sizes, lists.singles, int(begins[0]))


def _join_bounds(parts: Sequence[I64]) -> I64:
    """Return the bounds of spans that lie one after the other; those of each part begin at 0."""
    sizes = [int(bounds[-1]) for bounds in parts]
    begins = accumulate(sizes[:-1], initial=0)
    joined = [bounds[:-1] + begin for bounds, begin in zip(parts, begins, strict=True)]
    return np.append(np.concatenate(joined), sum(sizes))


def find_laid(heads: I64) -> npt.NDArray[np.bool_]:
    """Return a mask of the lists that have bytes, by their heads: even ones above 0."""
    is_laid: npt.NDArray[np.bool_] = (heads & 1) < (heads != 0)
    return is_laid


class _PageLists(NamedTuple):
    """The lists of some pages. See `TermPages`."""

    masks: I64
    frequencies: I64
    sizes: I64
    singles: I64
    page_sizes: I64  # bytes of each page's lists


def _parse_lists(data: bytes, edges: I64, terms: I64, where: str) -> _PageLists:
    """Return the lists of the pages between `edges`, of `terms` terms each. Raises CorruptIndex."""
    raw = np.frombuffer(data, dtype=np.uint8)
    if (np.diff(edges) < terms).any() or int(edges[-1]) != len(raw):
        raise CorruptIndex(f"{where}: pages of the dictionary that are shorter than their terms")
    is_mask = np.zeros(len(raw), dtype=np.bool_)
    is_mask[spread_runs(edges[:-1], terms)] = True
    masks = raw[is_mask].astype(np.int64)
    term_lists = np.bitwise_count(masks).astype(np.int64)
    lists = np.add.reduceat(term_lists, np.cumsum(terms) - terms)
    values, ends = varints.decode(raw[~is_mask], f"{where}: LIST")
    byte_ends = np.cumsum(np.diff(edges) - terms)
    value_ends = np.searchsorted(ends, byte_ends, side="right")
    counts = np.diff(value_ends, prepend=0)
    if (masks == 0).any() or (counts < lists).any():
        raise CorruptIndex(
            f"{where}: pages of the dictionary have {len(values)} values for {lists.sum()} lists,"
            " or a term without a list"
        )
    if (ends[value_ends - 1] != byte_ends).any():
        raise CorruptIndex(f"{where}: values of a page of the dictionary that lie in the next one")
    heads = values[spread_runs(value_ends - counts, lists)]
    is_laid = find_laid(heads)
    laid = values[spread_runs(value_ends - counts + lists, counts - lists)]
    if (count_true(is_laid, np.cumsum(lists)) != counts - lists).any() or (laid == 0).any():
        raise CorruptIndex(f"{where}: pages of the dictionary with other sizes than lists that have bytes")
    sizes = np.zeros_like(heads)
    sizes[is_laid] = laid
    singles = np.where(heads & 1, heads >> 1, NO_SINGLE)
    frequencies = np.where(is_laid, heads >> 1, heads & 1)
    firsts = np.repeat(np.cumsum(term_lists) - term_lists, term_lists)
    repeated = np.flatnonzero(heads == 0)
    frequencies[repeated] = frequencies[firsts[repeated]]  # 0 if that repeats another too, which is an error
    page_sizes = np.add.reduceat(sizes, np.cumsum(lists) - lists)
    return _PageLists(masks, frequencies, sizes, singles, page_sizes)
