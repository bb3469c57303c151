"""Puts together the hits of a page that show the same lines in several files, such as copies of one example.

A hit is a copy of an earlier one if the earlier one shows all of its lines, each as far from the beginning of
the declaration, and both are about a declaration of the same name and length, or about none. Lines that
neither shows may differ: only what a page shows is said once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repo_mcp.model import Hit

_MIN_CHARS = 12  # of the lines of a hit without a declaration: a brace and the like are the same everywhere
WithCopies = tuple["Hit", list["Hit"]]  # a hit, and the later ones that show nothing else


def put_copies_together(hits: Sequence[Hit]) -> list[WithCopies]:
    """Return the hits in their order, each copy with the first hit that shows its lines."""
    grouped: list[WithCopies] = []
    alike: dict[str | None, list[WithCopies]] = {}
    for hit in hits:
        earlier = alike.setdefault(hit.symbol, [])
        if not earlier or not _join_copies(earlier, hit):
            earlier.append((hit, []))
            grouped.append(earlier[-1])
    return grouped


def _join_copies(earlier: Sequence[WithCopies], hit: Hit) -> bool:
    """Add a hit to the copies of an earlier one with a symbol of the same name; return whether it is one."""
    lines = _read_lines(hit)
    for first, copies in earlier:
        is_elsewhere = first.path != hit.path and _count_lines(first) == _count_lines(hit)
        if is_elsewhere and len(hit.snippet) >= _MIN_CHARS and lines.items() <= _read_lines(first).items():
            copies.append(hit)
            return True
    return False


def _count_lines(hit: Hit) -> int:
    """Return the number of lines of the declaration that a hit is about; 0 if it is about none."""
    return 0 if hit.symbol_lines is None else hit.symbol_lines[1] - hit.symbol_lines[0] + 1


def _read_lines(hit: Hit) -> dict[int, str]:
    """Return the lines of a hit by their distance from the beginning of its declaration, or of the hit."""
    begin = hit.start_line if hit.symbol_lines is None else hit.symbol_lines[0]
    numbered = [line.partition("\t") for line in hit.snippet.removesuffix("\n").split("\n")]
    return {int(number) - begin: text for number, _, text in numbered if number}
