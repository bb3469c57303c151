"""Chooses the segments to merge, purely by their sizes and order, so that every machine chooses alike.

Each segment is to have at least GROWTH times the live units of all smaller ones together; a segment
without units counts its files instead. There are then at most 1 + log(units) / log(GROWTH + 1) segments,
and a unit is rewritten at most that often. A segment is also rewritten when more than a DEAD_SHARE of its
files are dead.

Of more than FAN_IN segments the smallest are merged first. For each window of a merge, at least one page of
the dictionary is read from every source, and with a thousand sources that took most of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

from index_format.records import SegmentEntry

GROWTH = 4
DEAD_SHARE = 0.25
FAN_IN = 96  # segments in one merge; this makes merging the kernel's 141 shards 4 % slower than all at once


def choose_merge(segments: Sequence[SegmentEntry]) -> tuple[SegmentEntry, ...]:
    """Return the segments to merge into one now; none when the index is in order."""
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
    """Return the segments to merge next on the way to one without dead files; none when done."""
    if len(segments) == 1 and not segments[0].dead_files:
        return ()
    return _take_smallest(_order(segments))


def _order(segments: Sequence[SegmentEntry]) -> list[SegmentEntry]:
    """Return the segments with the smallest first."""
    return sorted(segments, key=lambda entry: (_estimate_live_units(entry), entry.name))


def _take_smallest(ordered: Sequence[SegmentEntry]) -> tuple[SegmentEntry, ...]:
    """Return all segments, or enough of the smallest to leave FAN_IN for the last merge; FAN_IN at most."""
    more = len(ordered) - FAN_IN
    return tuple(ordered if more <= 0 else ordered[: min(FAN_IN, more + 1)])


def _estimate_live_units(entry: SegmentEntry) -> int:
    """Return the units of the live files, taking dead files as average.

    Returns the live files where there are no units, and at least 1, so that empty segments do not pile up.
    """
    if not entry.units:
        return max(1, entry.live_files)
    return max(1, entry.units * entry.live_files // max(1, entry.files))
