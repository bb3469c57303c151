"""Which segments to merge: a pure choice by their sizes and order, so that every machine chooses alike.

Segments are kept so that each has at least GROWTH times the live units of all smaller ones
together (a segment without units counts a unit for each file); then there are at most
1 + log(units) / log(GROWTH + 1) of them, and a unit is rewritten that often at most. A segment is
also rewritten when more than a DEAD_SHARE of its files are dead.

Of more than FAN_IN segments the smallest are merged first. Each window of a merge is read from every source,
a page of the dictionary at least: what a thousand sources took was mostly that.
"""

from __future__ import annotations

from collections.abc import Sequence

from index_format.records import SegmentEntry

GROWTH = 4
DEAD_SHARE = 0.25
FAN_IN = 96  # segments of one merge; the kernel's 141 shards take 4 % longer than at once


def choose_merge(segments: Sequence[SegmentEntry]) -> tuple[SegmentEntry, ...]:
    """The segments to merge into one now; none when the index is in order."""
    ordered = _order(segments)
    chosen = 0
    total = 0
    for position, entry in enumerate(ordered):
        if position and _estimate_live_units(entry) < GROWTH * total:
            chosen = position + 1
        total += _estimate_live_units(entry)
    if chosen:
        return _take_smallest(ordered[:chosen])
    return tuple(entry for entry in ordered if len(entry.dead_files) > DEAD_SHARE * entry.files)[:1]


def choose_full_merge(segments: Sequence[SegmentEntry]) -> tuple[SegmentEntry, ...]:
    """All segments in the end, unless the index is one segment without a dead file already."""
    if len(segments) == 1 and not segments[0].dead_files:
        return ()
    return _take_smallest(_order(segments))


def _order(segments: Sequence[SegmentEntry]) -> list[SegmentEntry]:
    """The smallest first."""
    return sorted(segments, key=lambda entry: (_estimate_live_units(entry), entry.name))


def _take_smallest(ordered: Sequence[SegmentEntry]) -> tuple[SegmentEntry, ...]:
    """All of them, or as many as leave FAN_IN for the last merge, FAN_IN at most."""
    more = len(ordered) - FAN_IN
    return tuple(ordered if more <= 0 else ordered[: min(FAN_IN, more + 1)])


def _estimate_live_units(entry: SegmentEntry) -> int:
    """Units of the live files, taking dead files for average ones; at least 1, lest empty ones pile up.

    Where files are the only documents, they count.
    """
    if not entry.units:
        return max(1, entry.live_files)
    return max(1, entry.units * entry.live_files // max(1, entry.files))
