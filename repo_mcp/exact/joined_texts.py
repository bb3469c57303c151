"""The texts of files that may hold a match: all that are read, but for most of those that hold none.

Most candidates hold no match. ASCII without carriage returns is its own normalised text, so such files are
joined by line feeds and searched together. That takes a third of the time of decoding and searching each file
alone, and the engine works longer outside Python's lock. What matches in a file also matches there in the
joined text, unless the pattern tests the edges of the text. Such patterns, and other files, are searched file
by file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from repo_mcp.errors import RepoError
from repo_mcp.exact.line_matcher import LineMatcher
from repo_mcp.text.lines import decode_source

JOINED_BYTES = 1 << 18  # bytes joined at a time, which fit a core's cache; a larger file is searched alone


def iter_texts(matcher: LineMatcher, raws: Sequence[bytes | None]) -> Iterator[tuple[int, bytes]]:
    """Yield the position and the normalised text of each file that may match, in order.

    `raws` has the bytes of each file, or None for one that cannot be read.
    """
    plain: list[int] = []
    if not matcher.needs_edges:
        plain = [position for position, raw in enumerate(raws) if raw is not None and raw.isascii()]
    left = set(plain)  # plain files that cannot match
    for group in _group(plain, raws):
        left.difference_update(_prefilter(matcher, group, raws))
    for position, raw in enumerate(raws):
        if raw is None or position in left:
            continue
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


def _prefilter(matcher: LineMatcher, group: Sequence[int], raws: Sequence[bytes | None]) -> Iterator[int]:
    """Yield the positions of the files that may match, in a group of ASCII files."""
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
