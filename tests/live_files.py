"""Yields the live files of a snapshot: the program never needs all of them one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from index_format import Snapshot
from index_format.snapshot import LiveSegment


def iter_live_files(snapshot: Snapshot) -> Iterator[tuple[LiveSegment, int]]:
    """Yield each live file as its segment and number, segment by segment in path order."""
    for segment in snapshot.segments:
        for file in np.flatnonzero(segment.live_file_mask).tolist():
            yield segment, file
