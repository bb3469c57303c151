"""Reads the posting lists of a span of terms from all sources of a merge at once, renumbered.

A window of three megabytes has twenty kilobytes of each of 141 sources. Parsed one by one, these take more
time in calls than in arithmetic: merging 127 sources took 1.4 times as long as 36 of the same content. So the
pages of all dictionaries are parsed together, and the lists of so many sources as have GROUP_BYTES, which
stay in a core's cache.

All terms are ranked together, and beside them the ends of the span: that tells which terms lie in it, and
whether those of each source ascend.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from index_format.doc_id_map import DROPPED, Numbers, Source
from index_format.errors import CorruptIndex
from index_format.postings import ListTable, decode_lists
from index_format.records import I64, MAX_FIELDS, Field, Level
from index_format.runs import find_changes, spread_runs
from index_format.segment_writer import POST
from index_format.term_text import TermText, build_term_text, join_term_texts, rank_terms
from index_format.terms import RawPages, parse_pages

GROUP_BYTES = 512 * 1024  # of posting lists


class DocIdMaps:
    """The new doc ids of all sources, source after source, for each level."""

    def __init__(self, sources: Sequence[Source], fields: Sequence[Field]) -> None:
        self.levels = np.array([int(field.level) for field in fields])
        self.maps: dict[Level, Numbers] = {}
        bases, limits = [], []
        for level in Level:
            maps = [source.get_map(level) for source in sources]
            sizes = np.array([len(one) for one in maps], dtype=np.int64)
            self.maps[level] = np.concatenate(maps)
            bases.append(np.cumsum(sizes) - sizes)
            limits.append(sizes)
        self.bases, self.limits = np.array(bases), np.array(limits)  # [level, source]
        self.keeps_all = bool((self.maps[Level.FILE] != DROPPED).all())
        self.largest_doc = max(int(one.max(initial=0)) for one in self.maps.values())

    def renumber(self, docs: I64, levels: I64, frequencies: I64) -> I64:
        """Return the new doc ids of lists, given their levels and numbers of postings."""
        is_file = levels == Level.FILE
        if is_file.all():
            return self.maps[Level.FILE].take(docs).astype(np.int64)
        found = self.maps[Level.UNIT].take(docs, mode="clip").astype(np.int64)  # there may be more files
        if is_file.any():
            counts = frequencies[is_file]
            in_files = spread_runs(np.cumsum(frequencies)[is_file] - counts, counts)
            found[in_files] = self.maps[Level.FILE].take(docs.take(in_files))
        return found


@dataclass(frozen=True, slots=True)
class WindowPostings:
    """Postings of some sources in one window, in the order of the sources."""

    lists: I64  # for each posting: rank of its term in the window * MAX_FIELDS + field
    docs: I64  # new doc ids
    counts: I64  # term frequencies


@dataclass(frozen=True, slots=True)
class _Lists:
    """Posting lists of all sources in one window, source after source."""

    sources: I64
    ranks: I64  # of the terms
    terms: I64  # numbers of the terms, those of each source apart
    fields: I64
    frequencies: I64
    sizes: I64
    singles: I64  # see ListTable
    offsets: I64  # in the source's POST


class Window:
    """The dictionary pages of one window, read from all sources, and what lies in it of their lists."""

    def __init__(self, sources: Sequence[Source], maps: DocIdMaps, first: bytes, end: bytes | None) -> None:
        """Read the terms [first, end). Raises CorruptIndex, OSError."""
        self._sources, self._maps = sources, maps
        spans = [source.reader.terms.find_pages(first, end) for source in sources]
        self._present = [number for number, (start, stop) in enumerate(spans) if start < stop]
        parts = [sources[number].reader.terms.read_raw(*spans[number]) for number in self._present]
        self.terms, self._lists = self._parse(parts, first, end)

    def _parse(self, parts: Sequence[RawPages], first: bytes, end: bytes | None) -> tuple[TermText, _Lists]:
        """Return the distinct terms of the window, and the lists of each source."""
        nothing = np.zeros(0, dtype=np.int64)
        if not parts:
            return build_term_text([]), _Lists(*[nothing] * 8)
        pages = parse_pages(parts)
        ends = [first] if end is None else [first, end]
        joined = join_term_texts([pages.terms, build_term_text(ends)])
        ranks, positions = rank_terms(joined)
        count = len(pages.terms)
        low, high = int(ranks[count]), int(ranks[count + 1]) if end is not None else len(positions)
        term_counts = np.array([part.text.count(b"\n") for part in parts], dtype=np.int64)
        own, others = ranks[:count], np.cumsum(term_counts)[:-1]
        falls = np.flatnonzero(own[1:] <= own[:-1]) + 1
        if not np.isin(falls, others).all():
            raise CorruptIndex(f"{parts[0].where}: terms of the dictionary that do not ascend")
        wanted = np.zeros(len(positions), dtype=np.bool_)
        wanted[own] = True
        wanted[:low] = wanted[high:] = False
        numbers = np.cumsum(wanted) - 1
        term_sources = np.array(self._present).repeat(term_counts)
        bits = np.flatnonzero(np.unpackbits(pages.masks.astype(np.uint8), bitorder="little"))
        terms, fields = np.divmod(bits, MAX_FIELDS)
        if int(fields.max(initial=0)) >= len(self._maps.levels):
            raise CorruptIndex(f"{parts[0].where}: field {int(fields.max())} of {len(self._maps.levels)}")
        offsets = np.cumsum(pages.sizes) - pages.sizes
        list_sources = term_sources[terms]
        begins = np.flatnonzero(find_changes(list_sources))
        starts = np.array([int(part.postings[0]) for part in parts])
        offsets += (starts - offsets[begins]).repeat(np.diff(begins, append=len(terms)))
        kept = np.flatnonzero(wanted[own[terms]])
        return joined.gather(positions[wanted]), _Lists(
            list_sources[kept],
            numbers[own[terms[kept]]],
            terms[kept],
            fields[kept],
            pages.frequencies[kept],
            pages.sizes[kept],
            pages.singles[kept],
            offsets[kept],
        )

    def iter_postings(self) -> Iterator[WindowPostings]:
        """Yield the live postings, of some sources at a time. Raises CorruptIndex, OSError."""
        lists = self._lists
        firsts = np.searchsorted(lists.sources, self._present)
        weights = np.append(0, np.cumsum(lists.sizes))[np.append(firsts, len(lists.sources))]
        low = 0
        while low < len(firsts):
            reached = int(np.searchsorted(weights, weights[low] + GROUP_BYTES, side="right")) - 1
            high = min(max(low + 1, reached), len(firsts))
            bounds = firsts[low], firsts[high] if high < len(firsts) else len(lists.sources)
            if bounds[0] < bounds[1]:
                yield self._decode(slice(*map(int, bounds)))
            low = high

    def _decode(self, rows: slice) -> WindowPostings:
        """Return the live postings of some adjacent lists."""
        lists, maps = self._lists, self._maps
        sources, frequencies = lists.sources[rows], lists.frequencies[rows]
        levels = maps.levels[lists.fields[rows]]
        table = ListTable(
            lists.terms[rows],
            frequencies,
            lists.sizes[rows],
            lists.singles[rows],
            maps.limits[levels, sources],
        )
        docs, counts = decode_lists(self._read(rows), table, "POST")
        docs += maps.bases[levels, sources].repeat(frequencies)
        new_docs = maps.renumber(docs, levels, frequencies)
        numbers = (lists.ranks[rows] * MAX_FIELDS + lists.fields[rows]).repeat(frequencies)
        if maps.keeps_all:
            return WindowPostings(numbers, new_docs, counts)
        kept = np.flatnonzero(new_docs != DROPPED)
        return WindowPostings(numbers.take(kept), new_docs.take(kept), counts.take(kept))

    def _read(self, rows: slice) -> bytes:
        """Return the bytes of some adjacent lists; those of a source lie one after the other."""
        sources, offsets, sizes = (
            column[rows] for column in (self._lists.sources, self._lists.offsets, self._lists.sizes)
        )
        firsts = np.flatnonzero(find_changes(sources))
        lasts = np.append(firsts[1:], len(sources)) - 1
        begins, ends = offsets[firsts], offsets[lasts] + sizes[lasts]
        return b"".join(
            self._sources[source].reader.frame.read(POST, begin, size)
            for source, begin, size in zip(
                sources[firsts].tolist(), begins.tolist(), (ends - begins).tolist(), strict=True
            )
        )
