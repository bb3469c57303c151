"""Write the place of some lines for a reader: `a.py:12-20`, or `a.py:12` for one line.

Left out: fields that programs read have both numbers always.
"""

from __future__ import annotations


def write_span(first: int, last: int) -> str:
    """Return the first and the last of some lines, which is one number if they are the same."""
    return str(first) if first == last else f"{first}-{last}"


def write_citation(path: str, first: int, last: int) -> str:
    """Return the citation of some lines of a file."""
    return f"{path}:{write_span(first, last)}"
