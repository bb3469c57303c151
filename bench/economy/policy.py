"""An agent that uses our tools: it searches, opens the symbol of each hit in turn, then reads on.

It goes by what the server's tool list offers, so that servers of different ages can be compared: a hit is
opened by the lines of its symbol where it has them, else by its own, and where all of these were shown by the
declaration around them, if `repo.open_file` takes `around`. Nothing else is opened that was shown.

When all pages are used up, the files of the hits are read from their beginnings. A name alone is asked for as
a symbol first, for ripgrep's policy looks for its declaration first too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bench.economy.client import Answer, Client
from bench.economy.evidence import Line, Step

SEARCH, OPEN = "repo.search", "repo.open_file"
MOST_PAGES = 5
MOST_HITS = 50  # of a page, without a cursor: what every server takes
MOST_LINES = 200  # of a symbol that are opened at once, as `repo.open_file` does where no end is given

Hit = Mapping[str, Any]


def follow_server(client: Client, query: str) -> Iterator[Step]:
    """Yield the answers of one task, until there is nothing more to open."""
    seen: set[Line] = set()
    paths: dict[str, None] = {}
    for page in _iter_pages(client, query):
        step = page.to_step()
        seen.update(step.lines)
        yield step
        for hit in list_hits(page):
            paths.setdefault(hit["path"])
            for answer in _open(client, hit, seen):
                step = answer.to_step()
                seen.update(step.lines)
                yield step
    for path in paths:
        yield from _read_whole(client, path, seen)


def list_hits(page: Answer) -> list[Hit]:
    """Return the hits of a page; none of an error."""
    result = page.record.get("result") or {}
    return list(result.get("hits") or ())


def _iter_pages(client: Client, query: str) -> Iterator[Answer]:
    """Yield the first page by default, then by the cursor; without one the longest page that there is."""
    if query.isidentifier():
        yield client.call(SEARCH, query=query, mode="symbol")
    page = client.call(SEARCH, query=query)
    yield page
    if not client.takes(SEARCH, "cursor"):
        if (page.record.get("result") or {}).get("truncated"):
            yield client.call(SEARCH, query=query, top_k=MOST_HITS)
        return
    for _ in range(MOST_PAGES - 1):
        cursor = (page.record.get("result") or {}).get("cursor")
        if not cursor:
            return
        page = client.call(SEARCH, query=query, cursor=cursor)
        yield page


def _open(client: Client, hit: Hit, seen: set[Line]) -> Iterator[Answer]:
    """Yield the answer that opens a hit; nothing where it was shown already."""
    path, first, last = hit["path"], hit["start_line"], hit["end_line"]
    span = read_span(hit.get("symbol_lines"))
    if span:
        first, last = choose_window(span, (first + last) // 2)
    if any((path, number) not in seen for number in range(first, last + 1)):
        yield client.call(OPEN, path=path, start_line=first, end_line=last)
    elif not span and client.takes(OPEN, "around"):
        yield client.call(OPEN, path=path, around=(first + last) // 2)


def choose_window(span: tuple[int, int], line: int) -> tuple[int, int]:
    """Return a span whole, or the lines around one of its lines where it is longer than an agent opens."""
    first = max(span[0], min(line - MOST_LINES // 2, span[1] - MOST_LINES + 1))
    return first, min(span[1], first + MOST_LINES - 1)


def read_span(given: object) -> tuple[int, int] | None:
    """Return the first and last line of `3-9`, `[3, 9]` or an object; None without two numbers."""
    numbers = [int(number) for number in re.findall(r"\d+", json.dumps(given))]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _read_whole(client: Client, path: str, seen: set[Line]) -> Iterator[Step]:
    start = 1
    while True:
        step = client.call(OPEN, path=path, start_line=start).to_step()
        yield step
        if not step.lines:
            return
        seen.update(step.lines)
        start = max(number for _, number in step.lines) + 1
        while (path, start) in seen:
            start += 1
