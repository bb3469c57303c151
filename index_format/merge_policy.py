"""Chooses the segments to merge, purely by their sizes and order, so that every machine chooses alike.

Each segment is to have at least GROWTH times the live units of all smaller ones together; a segment
without units counts its files instead. There are then at most 1 + log(units) / log(GROWTH + 1) segments,
and a unit is rewritten at most that often. A segment is also rewritten when more than a DEAD_SHARE of its
files are dead.

Of more than FAN_IN segments the smallest are merged first. For each window of a merge, at least one page of
the dictionary is read from every source, and with a thousand sources that took most of the time. A process
that may open few files merges fewer at once; merged fully, the bytes are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from index_format.records import SegmentEntry

GROWTH = 4
DEAD_SHARE = 0.25
FAN_IN = 160  # segments in one merge: as many as a process with 1,024 descriptors can well have open
# A build merges some of its segments when it has UNMERGED times the fan-in, which is more than the shards of
# the kernel. During that merge it may have up to MOST_UNMERGED times the fan-in.
UNMERGED = 2
MOST_UNMERGED = UNMERGED + 1
_LEAST_FAN_IN = 3
_OTHER_DESCRIPTORS = 32  # what else a server has open: streams, logs, locks, watches, pipes to its processes
# Descriptors for each segment of a merge: MOST_UNMERGED for searches, one for the merge itself, one for a
# search that began before the merge, and one to spare.
_OPEN_FOR_EACH = MOST_UNMERGED + 3


def find_fan_in(descriptors: int) -> int:
    """Return how many segments to merge at once in a process that may have `descriptors` files open."""
    return max(_LEAST_FAN_IN, min(FAN_IN, (descriptors - _OTHER_DESCRIPTORS) // _OPEN_FOR_EACH))


def choose_early_merge(segments: Sequence[SegmentEntry], fan_in: int = FAN_IN) -> tuple[SegmentEntry, ...]:
    """Return the segments to merge before a build continues; none while there are few enough."""
    return tuple(_order(segments)[:fan_in]) if len(segments) >= UNMERGED * fan_in else ()


def choose_merge(segments: Sequence[SegmentEntry], fan_in: int = FAN_IN) -> tuple[SegmentEntry, ...]:
    """Return the segments to merge into one now; none when no merge is due."""
    ordered = _order(segments)
    chosen = 0
    total = 0
    for position, entry in enumerate(ordered):
        if position and _estimate_live_units(entry) < GROWTH * total:
            chosen = position + 1
        total += _estimate_live_units(entry)
    if chosen:
        return _take_smallest(ordered[:chosen], fan_in)
    return tuple(entry for entry in ordered if len(entry.dead_files) > DEAD_SHARE * entry.files)[:1]


def choose_full_merge(segments: Sequence[SegmentEntry], fan_in: int = FAN_IN) -> tuple[SegmentEntry, ...]:
    """Return the segments to merge next on the way to one without dead files; none when done."""
    if len(segments) == 1 and not segments[0].dead_files:
        return ()
    return _take_smallest(_order(segments), fan_in)


def _order(segments: Sequence[SegmentEntry]) -> list[SegmentEntry]:
    """Return the segments with the smallest first."""
    return sorted(segments, key=lambda entry: (_estimate_live_units(entry), entry.name))


def _take_smallest(ordered: Sequence[SegmentEntry], fan_in: int) -> tuple[SegmentEntry, ...]:
    """Return the segments of the next merge: all if they fit into one, else some of the smallest.

    If two merges are enough, the first one takes only so many that the second has exactly `fan_in` sources.
    """
    more = len(ordered) - fan_in
    return tuple(ordered if more <= 0 else ordered[: min(fan_in, more + 1)])


def _estimate_live_units(entry: SegmentEntry) -> int:
    """Return about how many units are live, as if each file of the segment had the same number.

    For a segment without units it is the number of live files. It is at least 1, so that empty segments are
    merged too.
    """
    if not entry.units:
        return max(1, entry.live_files)
    return max(1, entry.units * entry.live_files // max(1, entry.files))
