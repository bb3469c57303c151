"""The control: a bundle that forty lines of code make from `repo.search` and `repo.outline`. Never tuned.

Files get fixed shares of the lines, in the order of `repo.search`. A file that fits into its share is shown
whole, any other by the functions that have most words of the query in their names and bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from bench.economy.client import Client
from bench.quality.questions import Line

SHARES = (0.5, 0.25, 0.15, 0.1)
NAME_POINTS = 3  # of a word in the name; one in the body
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COMMON = frozenset(
    (
        "the",
        "and",
        "are",
        "for",
        "how",
        "what",
        "when",
        "where",
        "which",
        "why",
        "with",
        "does",
        "that",
        "this",
    )
)


def show_control(client: Client, root: Path, query: str, budget_lines: int) -> set[Line]:
    """Return the lines that the control shows for a query."""
    hits = (client.call("repo.search", query=query).record.get("result") or {}).get("hits") or ()
    shown: set[Line] = set()
    for path, share in zip(dict.fromkeys(hit["path"] for hit in hits), SHARES, strict=False):
        lines = (root / path).read_text("utf-8", "replace").splitlines()
        room = int(budget_lines * share)
        if len(lines) <= room:
            shown |= {(path, number) for number in range(1, len(lines) + 1)}
            continue
        words = split_words(query)
        functions = sorted(_iter_functions(client, path), key=lambda one: -_score(one, lines, words))
        for first, last in ((one["start_line"], one["end_line"]) for one in functions):
            if last - first < room and _score_body(lines[first - 1 : last], words):
                shown |= {(path, number) for number in range(first, last + 1)}
                room -= last - first + 1
    return shown


def split_words(text: str) -> set[str]:
    """Return the words of a text and the parts of names, in lower case, without short and common ones."""
    return {word.lower() for word in _WORD.findall(text) if len(word) > 2} - _COMMON


def _score(function: Mapping[str, Any], lines: list[str], words: Set[str]) -> int:
    body = lines[function["start_line"] - 1 : function["end_line"]]
    return NAME_POINTS * len(words & split_words(function["name"])) + _score_body(body, words)


def _score_body(body: list[str], words: Set[str]) -> int:
    return len(words & split_words("\n".join(body)))


def _iter_functions(client: Client, path: str) -> Iterator[Mapping[str, Any]]:
    more: dict[str, str] = {}
    while True:
        result = client.call("repo.outline", path=path, **more).record.get("result") or {}
        symbols = result.get("symbols") or ()
        yield from (one for one in symbols if one["kind"].endswith(("function", "method", "constructor")))
        if not (cursor := result.get("cursor")):
            return
        more = {"cursor": cursor}
