"""Chooses the functions with titles that an outline lists: of hundreds of short tests, the longer ones.

All of them together would say what the file says, and take as many bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.record_classes import dataclass

BYTES_A_LINE = 32  # of code, on average
SHARE = 4  # the entries take at most one of so many parts of the file's bytes


@dataclass(frozen=True, slots=True)
class TitledRow:
    """An entry of an outline."""

    number: int
    name: str
    lines: int
    size: int  # bytes in the answer


def leave_out_short(rows: Sequence[TitledRow], file_lines: int) -> tuple[frozenset[int], str]:
    """Return the numbers of entries that are too many for a file, the shortest functions, and a note on them.

    Of functions of as many lines all are listed or none, so that the note can say which are not.
    """
    room = file_lines * BYTES_A_LINE // SHARE
    left_out: list[TitledRow] = []
    for row in sorted(rows, key=lambda row: row.lines, reverse=True):
        room -= row.size
        if room < 0:
            least = row.lines
            left_out = [one for one in rows if one.lines <= least]
            break
    if not left_out:
        return frozenset(), ""
    most, first = max(one.lines for one in left_out), left_out[0]
    listed = f"Functions with titles are left out if they have at most {most} lines: {len(left_out)}, such as"
    return frozenset(one.number for one in left_out), f"{listed} {first.name}."
