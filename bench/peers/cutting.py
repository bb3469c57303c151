"""Reads from our index how each file is cut into ranking units, for the other engines (units.py)."""

from __future__ import annotations

import json
from pathlib import Path

from bench.engine import open_snapshot


def write_units(index_path: Path, position: Path) -> int:
    """Write how the live files of an index are cut, in path order. Returns the number of units."""
    snapshot = open_snapshot(index_path)
    rows, count = [], 0
    for segment in snapshot.segments:
        files = segment.reader.files
        firsts = files.first_units.tolist()
        table = segment.reader.chunks.read_units()
        sizes, lines = table.sizes.tolist(), table.lines.tolist()
        for file, live in enumerate(segment.live_file_mask.tolist()):
            if live:
                own = slice(firsts[file], firsts[file + 1])
                rows.append((files.read_path(file), sizes[own], lines[own]))
                count += len(sizes[own])
    snapshot.close()
    rows.sort(key=lambda row: row[0].encode())
    position.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return count
