"""Say of a page of hits what its ranked and its exact modes both say: totals, lists of files, and notes.

A note says what was cut, or that another call is meant: one in mode regex, or of `repo.open_file`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from repo_mcp.late_patterns import compile_late
from repo_mcp.text.lines import HIDING, escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer
from repo_mcp.toolsets.pages import Page
from repo_mcp.toolsets.shown_text import MAY_HIDE, warn_of_escapes

if TYPE_CHECKING:
    from repo_mcp.model import ExactAnswer, SearchAnswer
    from repo_mcp.repository import Repository

MOST_BEFORE = 1_000  # hits before a page: each page is searched for from the first hit on
TEXT = "text"
_CITED = compile_late(r"\S*[\w-]\.\w{1,12}:[1-9]\d{0,8}")  # a line of a file
# What nobody writes in a name or in code: `.*`, `\w+`, alternatives, anchors.
_PATTERN = compile_late(r"\.[*+]|\\[wWsSdDbB.(]|\w\|\w|^\^\w|\w\$$|\w\*$|\*\w")


def say_total(answer: SearchAnswer | ExactAnswer, detail: str) -> Result:
    """Return how many match. Text has no lower bound: its `cursor` says that there are more."""
    is_least = answer.total_is_lower_bound
    if detail == TEXT:
        return {"total": None if is_least else answer.total}
    return {"total": answer.total, "truncated": answer.truncated, "total_is_lower_bound": is_least}


def count_wanted(repository: Repository, arguments: Arguments) -> int:
    """Return how many hits a page has at most."""
    return find_integer(arguments, "top_k") or repository.config.limits.default_search_hits


def draft_files(
    files: Sequence[tuple[str, int]],
    result: Result,
    warnings: tuple[str, ...],
    arguments: Arguments,
    page: Page | None,
) -> Draft:
    """Draft the files of hits. Ranked hits have no `page`, because later hits may be in the same files."""
    keys = [path for path, _ in files]
    if page is not None:
        page.check(keys)
    listed = files if page is None else files[page.start :]

    def build(rows: int) -> Part:
        notes = [*warnings, *note_cut(rows, len(listed), "files", goes_on=page is not None)]
        warn_of_escapes(notes, (path for path, _ in listed[:rows]))
        named = [{"path": escape_text(path), "hits": count} for path, count in listed[:rows]]
        is_cut = bool(result["truncated"]) or rows < len(listed)
        cut: Result = {"truncated": is_cut}
        if page is not None:
            cut |= page.follow(keys, rows, is_cut)
        return Part({"hits": [], **result, **cut, "files": named}, notes)

    return Draft(build, len(listed), "top_k" not in arguments)


def note_query(query: str, mode: str, *, found: bool) -> tuple[str, ...]:
    """Return a warning if a query of `mode` is meant for another one, or for another tool."""
    if mode == "literal" and not found and _PATTERN.search(query):
        return ("No line has exactly this text; mode regex takes it as a pattern.",)
    if mode == "symbol" and _PATTERN.search(query):
        return ("Mode symbol takes a name, not a pattern; mode regex finds the lines that match one.",)
    if mode == "bm25" and _CITED.fullmatch(query.strip()):
        arguments = json.dumps({"path": query.strip()}, ensure_ascii=False)
        return (f"repo.open_file shows that line: {arguments}.",)
    return ()


def note_cut(rows: int, count: int, what: str, *, goes_on: bool = True) -> list[str]:
    """Return a note if fewer rows than there are have room."""
    if rows >= count:
        return []
    advice = "continue with cursor" if goes_on else "ask for fewer with top_k"
    return [f"The answer was cut to {rows} {what} to keep it short; {advice}, or narrow file_glob."]


def note_hidden(hits: Iterable[Result | str]) -> list[str]:
    """Return a note if the text of hits has characters that may hide others."""
    texts = [hit if isinstance(hit, str) else str(hit["snippet"]) for hit in hits]
    hiding = [str(place) for place, text in enumerate(texts, 1) if HIDING.search(text)]
    if not hiding:
        return []
    return [f"{MAY_HIDE}: hit {', '.join(hiding)}."]
