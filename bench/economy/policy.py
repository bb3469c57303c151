"""An agent that uses our tools: it searches, opens the symbols of the first hits, and reads their files.

It uses what the server's tool list offers, so that older servers can be compared with newer ones: hits are
requested as text where that is possible. A hit is opened by the lines of its symbol, or else by its own
lines; if all of these were shown already, by the declaration around them, if `repo.open_file` takes `line`.
Further declarations that one of the first hits names are opened at their beginnings. Otherwise nothing that
was shown is opened again.

After the first hits the agent reads their files, opens the other hits of the page, and requests the next
page; in the end it reads the files of all hits from the top. A query that is a name is first asked for as a
symbol, because ripgrep's policy also looks for its declaration first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bench.economy.client import Answer, Client
from bench.economy.evidence import Line, Step, read_lines

SEARCH, OPEN = "repo.search", "repo.open_file"
MOST_PAGES = 5
READ_ON = 3  # hits whose files are read before other hits are opened, as in ripgrep's policy
MOST_HITS = 50  # of a page, without a cursor: what every server takes
MOST_LINES = 200  # of a symbol that are opened at once, as `repo.open_file` does where no end is given

AROUND = ("line", "around")  # the argument for the declaration around a line; older servers have the second
ALSO_LINES = 40  # of a declaration that a hit only names; ripgrep's windows have as many

_NAMED = re.compile(r"(\d+)-(\d+)[ :]")  # a row of a hit as text, or what such a row names
_SPAN = re.compile(r"(\d+)-(\d+)")  # several stand before the name of overloads: `30-41,50-61 .open`
Hit = Mapping[str, Any]


def follow_server(client: Client, query: str) -> Iterator[Step]:
    """Yield the answers of one task, until there is nothing more to open."""
    seen: set[Line] = set()
    unread: dict[str, None] = {}  # files of hits
    for page in _iter_pages(client, query):
        yield _remember(page.to_step(), seen)
        hits = list_hits(page)
        unread.update(dict.fromkeys(hit["path"] for hit in hits))
        most = len(hits) if query.isidentifier() else READ_ON
        for hit in hits[:most]:
            yield from _open(client, hit, seen)
            for further in _iter_further(hit):
                yield from _open(client, further, seen)
        for hit in hits[:READ_ON] if most == READ_ON else ():
            if hit["path"] in unread:
                del unread[hit["path"]]
                yield from _read_whole(client, hit["path"], seen)
        for hit in hits[most:]:
            yield from _open(client, hit, seen)
    for path in unread:
        yield from _read_whole(client, path, seen)


def _remember(step: Step, seen: set[Line]) -> Step:
    seen.update(step.lines)
    return step


def list_hits(page: Answer) -> list[Hit]:
    """Return the hits of a page; none of an error."""
    result = page.record.get("result") or {}
    return [_read_text(hit) if isinstance(hit, str) else hit for hit in result.get("hits") or ()]


def _read_text(hit: str) -> Hit:
    """Return the path, lines and symbol's lines of a hit that is text.

    Declarations below the first count as named beside it.
    """
    path, *rows = hit.split("\n")
    spans = [span for span in map(_NAMED.match, rows) if span]
    lines = [int(spans[0][1]), int(spans[0][2])] if spans else []
    numbers = [number for _, number in read_lines([hit])] or lines
    also = next((row for row in rows if row.startswith("also ")), "")
    return {
        "path": path,
        "start_line": min(numbers),
        "end_line": max(numbers),
        "symbol_lines": lines or None,
        "also": [*(span[0] for span in spans[1:]), *also.removeprefix("also ").split(", ")],
    }


def _iter_further(hit: Hit) -> Iterator[Hit]:
    """Yield the beginnings of the declarations that a hit names beside its own."""
    for row in hit.get("also", ()):
        for span in _SPAN.finditer(row.partition(" ")[0]):
            first, last = int(span[1]), int(span[2])
            yield {"path": hit["path"], "start_line": first, "end_line": min(last, first + ALSO_LINES - 1)}


def _iter_pages(client: Client, query: str) -> Iterator[Answer]:
    """Yield the first page by default, then by the cursor; without one the longest page that there is."""
    shape = {"detail": "text"} if client.takes(SEARCH, "detail", "text") else {}
    if query.isidentifier():
        yield client.call(SEARCH, query=query, mode="symbol", **shape)
    page = client.call(SEARCH, query=query, **shape)
    yield page
    if not client.takes(SEARCH, "cursor"):
        if (page.record.get("result") or {}).get("truncated"):
            yield client.call(SEARCH, query=query, top_k=MOST_HITS)
        return
    for _ in range(MOST_PAGES - 1):
        cursor = (page.record.get("result") or {}).get("cursor")
        if not cursor:
            return
        page = client.call(SEARCH, query=query, cursor=cursor, **shape)
        yield page


def _open(client: Client, hit: Hit, seen: set[Line]) -> Iterator[Step]:
    """Yield the calls that open a hit; none if it was shown already."""
    path, first, last = hit["path"], hit["start_line"], hit["end_line"]
    span = read_span(hit.get("symbol_lines"))
    if span:
        first, last = choose_window(span, (first + last) // 2)
    if any((path, number) not in seen for number in range(first, last + 1)):
        answer = client.call(OPEN, path=path, start_line=first, end_line=last)
    elif not span and any(client.takes(OPEN, name) for name in AROUND):
        name = next(name for name in AROUND if client.takes(OPEN, name))
        answer = client.call(OPEN, path=path, **{name: (first + last) // 2})
    else:
        return
    yield _remember(answer.to_step(), seen)


def choose_window(span: tuple[int, int], line: int) -> tuple[int, int]:
    """Return a whole span, or the lines around one of its lines if an agent would not open so many."""
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
        yield _remember(step, seen)
        if not step.lines:
            return
        start = max(number for _, number in step.lines) + 1
        while (path, start) in seen:
            start += 1
