"""Puts together the hits of a page that show the same lines in several files, such as copies of one example.

A hit is a copy of an earlier one if the earlier one shows all of its lines, each as far from the beginning of
the declaration, and both are about a declaration of the same name and length, or about none. Lines that
neither shows may differ: only what a page shows is said once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.record_classes import dataclass

if TYPE_CHECKING:
    from repo_mcp.model import Hit

_MIN_CHARS = 12  # of the lines of a hit without a declaration: a brace and the like are the same everywhere


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit of a page, and the later ones that show nothing else."""

    hit: Hit
    copies: tuple[Hit, ...]


def put_copies_together(hits: Sequence[Hit]) -> list[ShownHit]:
    """Return the hits in their order, each copy with the first hit that shows its lines."""
    groups: list[tuple[Hit, dict[int, str], list[Hit]]] = []
    for hit in hits:
        lines = _read_lines(hit)
        for first, shown, copies in groups:
            if _is_alike(first, hit) and lines.items() <= shown.items():
                copies.append(hit)
                break
        else:
            groups.append((hit, lines, []))
    return [ShownHit(hit, tuple(copies)) for hit, _, copies in groups]


def _is_alike(first: Hit, later: Hit) -> bool:
    """Return True if the hits, of different files, are about declarations of one name and length, or none."""
    if first.path == later.path or first.symbol != later.symbol:
        return False
    if first.symbol_lines is None or later.symbol_lines is None:
        return first.symbol_lines is later.symbol_lines and len(later.snippet) >= _MIN_CHARS
    return _count_lines(*first.symbol_lines) == _count_lines(*later.symbol_lines)


def _count_lines(first: int, last: int) -> int:
    return last - first + 1


def _read_lines(hit: Hit) -> dict[int, str]:
    """Return the lines of a hit by their distance from the beginning of its declaration, or of the hit."""
    begin = hit.start_line if hit.symbol_lines is None else hit.symbol_lines[0]
    numbered = (line.partition("\t") for line in hit.snippet.removesuffix("\n").split("\n"))
    return {int(number) - begin: text for number, _, text in numbered if number}
