"""Finds the hits of a page that belong to earlier ones: copies, and brief hits about a file already on it.

An example that several directories hold makes copies, for instance. Two hits of different files are copies if
their declarations have one name and the same lines, or if they are about no declaration and show the same
lines. A head alone decides nothing: what is written for two systems often begins alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from repo_mcp.record_classes import replace

if TYPE_CHECKING:
    from repo_mcp.model import Hit

_MIN_CHARS = 12  # of what a hit without a declaration shows: a brace and the like are the same everywhere
ReadLines = Callable[["Hit"], Sequence[str]]  # of the declaration of a hit; none where it cannot be read


def find_copies(hits: Sequence[Hit], read_lines: ReadLines) -> list[int]:
    """Return for each hit the place of the first one that it is a copy of, or its own place."""
    firsts: dict[str | None, list[int]] = {}
    places: list[int] = []
    for place, hit in enumerate(hits):
        alike = firsts.setdefault(hit.symbol, [])
        found = next((one for one in alike if _is_copy(hits[one], hit, read_lines)), None) if alike else None
        if found is None:
            alike.append(place)
        places.append(place if found is None else found)
    return places


def join_brief(
    hits: Sequence[Hit], firsts: Sequence[int], near: int, *, by_file: bool, joins_all: bool
) -> list[int]:
    """Return `firsts` with the place of an earlier hit for each brief one, from place `near` on, that has the
    same declaration, or `by_file` for each of the same file; it must have a declaration.

    With `joins_all`, the others join by file as well. A copy of a hit that joined another is no copy of that
    other one, and stays by itself unless it joins one of its own file.
    """
    shown: dict[tuple[str, object], int] = {}
    joined: list[int] = []
    for place, (hit, first) in enumerate(zip(hits, firsts, strict=True)):
        key = hit.path, None if by_file else hit.symbol_lines
        is_copy = first < place and joined[first] == first
        at = first if is_copy else place
        is_brief = place >= near
        if not is_copy and (hit.symbol_lines is not None if is_brief else joins_all):
            at = shown.get(key, place)
        if at == place:
            shown.setdefault(key, place)
        joined.append(at)
    return joined


def name_joined(hit: Hit, others: Sequence[Hit]) -> Hit:
    """Return a hit that also names the declarations of brief hits of its file."""
    named = {hit.symbol_lines, *(lines for _, lines in hit.also)}
    new = {
        one.symbol_lines: (one.symbol, one.symbol_lines)
        for one in others
        if one.symbol is not None and one.symbol_lines is not None and one.symbol_lines not in named
    }
    return replace(hit, also=(*hit.also, *new.values()))


def _is_copy(first: Hit, later: Hit, read_lines: ReadLines) -> bool:
    if first.path == later.path or _count_lines(first) != _count_lines(later):
        return False
    if first.symbol_lines is None:
        shown = _read_shown(later)
        return sum(map(len, shown)) >= _MIN_CHARS and shown == _read_shown(first)
    lines = read_lines(first)
    return bool(lines) and lines == read_lines(later)


def _count_lines(hit: Hit) -> int:
    """Return the number of lines of the declaration that a hit is about; 0 if it is about none."""
    return 0 if hit.symbol_lines is None else hit.symbol_lines[1] - hit.symbol_lines[0] + 1


def _read_shown(hit: Hit) -> list[str]:
    return [line.partition("\t")[2] for line in hit.snippet.removesuffix("\n").split("\n")]
