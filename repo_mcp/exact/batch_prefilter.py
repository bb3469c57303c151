"""Finds the files of a batch that may match, in their raw bytes and before decoding them.

Most candidates hold no match. ASCII without carriage returns is its own normalised text, so such files are
joined, separated by line feeds, and searched at once. That costs a third of decoding and searching each file
alone, and the engine works longer outside Python's lock.

A match in one file is also one in the joined text, at the same position, unless the pattern tests the edges
of the text. Such patterns, and other files, are searched file by file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from repo_mcp.errors import RepoError
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.text.lines import decode_source

JOINED_BYTES = 1 << 18  # fits in a core's cache; a larger file is searched alone, without a copy


def iter_texts(matcher: LineMatcher, raws: Sequence[bytes | None]) -> Iterator[tuple[int, bytes]]:
    """Yield index and normalised text of each file that may match, in order; a None in `raws` is no file."""
    left: set[int] = set()  # plain files that cannot match
    plain: list[int] = []
    if not matcher.needs_edges:
        for position, raw in enumerate(raws):
            if raw is not None and raw.isascii():
                plain.append(position)
        left = set(plain)
        for group in _group(plain, raws):
            left.difference_update(_sift(matcher, group, raws))
    for position, raw in enumerate(raws):
        if raw is None or position in left:
            continue  # deleted, or no longer to be searched
        try:
            yield position, decode_source(raw).data
        except RepoError:
            continue  # no longer text


def _group(positions: Sequence[int], raws: Sequence[bytes | None]) -> Iterator[list[int]]:
    """Yield the positions in groups of at most JOINED_BYTES, or of one file."""
    group: list[int] = []
    size = 0
    for position in positions:
        grown = size + len(raws[position] or b"")
        if group and grown > JOINED_BYTES:
            yield group
            group, grown = [], grown - size
        group.append(position)
        size = grown
    if group:
        yield group


def _sift(matcher: LineMatcher, group: Sequence[int], raws: Sequence[bytes | None]) -> Iterator[int]:
    """Yield those of a group of ASCII files that may match."""
    texts = [raws[position] or b"" for position in group]
    joined = texts[0] if len(texts) == 1 else b"\n".join(texts)
    if b"\r" in joined or b"\0" in joined:
        yield from group
        return
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    found = matcher.find_first(joined, 0)
    while found is not None:
        number = bisect_right(starts, found) - 1
        yield group[number]
        found = matcher.find_first(joined, starts[number + 1]) if number + 1 < len(group) else None
