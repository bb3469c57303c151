"""The call of `repo.search`: ranked by words or names, or exact by text or expression, in one shape.

`detail` says what is returned: hits with snippets, the same as text, the files of the hits, or the total
alone. `repo_mcp/toolsets/repo/hit_rows.py` has the form of hits.

Of a question, records show the best declarations whole. Text only shows where they are, by the head of each
file's best one, and names no snapshot. Of pasted text, both show the lines that match best, and name other
declarations. Hits that show one line are brief in both: where to look, and no more.

The modes literal and regex are in `repo_mcp/toolsets/repo/exact_calls.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import dataclass
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_text
from repo_mcp.toolsets.pages import Page, keep_few
from repo_mcp.toolsets.repo.copies import ReadLines, find_copies, join_brief, name_joined
from repo_mcp.toolsets.repo.hit_rows import render_brief, render_hit, write_brief, write_hit
from repo_mcp.toolsets.repo.search_parts import (
    MOST_BEFORE,
    TEXT,
    count_wanted,
    draft_files,
    note_cut,
    note_hidden,
    note_query,
    say_total,
)
from repo_mcp.toolsets.shown_text import warn_of_escapes

if TYPE_CHECKING:
    from repo_mcp.model import Hit, SearchAnswer, SearchRequest
    from repo_mcp.repository import Repository

_NOT_RANKED = "Other chunks match less and are not listed: narrow file_glob, or add words."
_EXACT_ONLY = ("ignore_case", "whole_word", "context", "max_per_file")


def search(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.search` in all its modes. Raises RepoError with INVALID_ARGUMENT for an unusable query."""
    if arguments.get("mode") in ("literal", "regex"):
        from repo_mcp.toolsets.repo.exact_calls import search_exact  # here: tools are listed first

        return search_exact(repository, arguments, context)
    return _search_ranked(repository, arguments)


def _search_ranked(repository: Repository, arguments: Arguments) -> Draft:
    """Answer modes bm25 and symbol."""
    query = _read_query(arguments)
    page = Page("repo.search", arguments, MOST_BEFORE)
    detail = find_text(arguments, "detail") or "snippets"
    request = _build_request(query, page.start + count_wanted(repository, arguments), arguments, detail, page)
    read_lines = _Declarations(repository).read
    shows_each = detail in ("count", "files") or arguments.get("explain") is True
    count_copies = None if shows_each else partial(_count_copies, request, page.start, read_lines)
    answer = repository.search(request, count_copies)
    if request.symbols_only:
        from repo_mcp.toolsets.repo.graph_symbols import add_named

        answer = add_named(repository, request, answer)
    mode = find_text(arguments, "mode") or "bm25"
    warnings = note_query(query, mode, found=bool(answer.total)) + answer.warnings
    exact_only = [name for name in _EXACT_ONLY if arguments.get(name)]
    if exact_only:
        warnings += (f"Only the modes literal and regex take {', '.join(exact_only)}.",)
    result = say_total(answer, detail)
    result["snapshot"] = None if detail == TEXT else answer.snapshot
    if detail == "count":
        return Draft(lambda _: Part({"hits": [], **result, "truncated": False}, warnings))
    if detail == "files":
        files = Counter(hit.path for hit in answer.hits)  # in order of the best hit
        return draft_files(list(files.items()), result, warnings, arguments, None)
    return _draft_hits(read_lines, answer, result, warnings, arguments, page)


def _read_query(arguments: Arguments) -> str:
    """Return the query, in which a NUL counts as a blank: no person types one."""
    query = (find_text(arguments, "query") or "").replace("\0", " ")
    if not query.strip():
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "Argument query is empty: it must contain at least one word",
            "Give query as words or names to look for.",
        )
    return query


def _build_request(query: str, top_k: int, arguments: Arguments, detail: str, page: Page) -> SearchRequest:
    from repo_mcp.model import SearchRequest  # here: tools are listed before any is called

    return SearchRequest(
        query=query,
        top_k=top_k,
        file_glob=find_text(arguments, "file_glob"),
        language=find_text(arguments, "language"),
        include_tests=arguments.get("include_tests") is not False,
        symbols_only=arguments.get("mode") == "symbol",
        names_alone=True,
        shows_whole=detail != TEXT,
        ends_early=not page.start and "top_k" not in arguments and detail not in ("files", "count"),
        counts=detail == "count",
    )


def _count_copies(request: SearchRequest, start: int, read_lines: ReadLines, answer: SearchAnswer) -> int:
    """Return how many hits of a page are copies of others of it, if there are further hits."""
    most = min(answer.usual_hits or request.top_k, request.top_k) if request.ends_early else request.top_k
    if len(answer.hits) < most or not answer.truncated:
        return 0
    firsts = find_copies(answer.hits[start:most], read_lines)
    return len(firsts) - len(set(firsts))


class _Declarations(dict[tuple[str, int, int], Sequence[str]]):
    """The lines of the declarations that the hits of an answer are about, each read once."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def __missing__(self, place: tuple[str, int, int]) -> Sequence[str]:
        try:
            lines = self._repository.open_file(*place).lines
        except RepoError:  # the file has changed since
            lines = ()
        self[place] = lines
        return lines

    def read(self, hit: Hit) -> Sequence[str]:
        """Return the lines of the declaration that a hit is about; none if they cannot be read."""
        assert hit.symbol_lines is not None
        return self[hit.path, *hit.symbol_lines]


def _draft_hits(
    read_lines: ReadLines,
    answer: SearchAnswer,
    result: Result,
    warnings: tuple[str, ...],
    arguments: Arguments,
    page: Page,
) -> Draft:
    """Draft a page of hits; those that copy others, or are brief beside others, are shown with these."""
    explains, is_text = arguments.get("explain") is True, arguments.get("detail") == TEXT
    if explains and is_text:
        warnings += ("Detail text does not take explain.",)
    keys = [hit.chunk_id for hit in answer.hits]
    page.check(keys)
    found, left_out = keep_few(answer.hits[page.start :], page, lacks_most=answer.lacks_most)
    if answer.usual_hits and not page.start and "top_k" not in arguments:
        found = found[: answer.usual_hits]
    page_rows = _arrange(read_lines, answer, found, page.start, explains=explains, is_text=is_text)
    goes_on = page.start + len(found) < len(answer.hits) or (answer.truncated and not answer.is_last)

    def build(rows: int) -> Part:
        hits = page_rows.render(rows)
        notes = [*warnings, *left_out, *note_cut(rows, len(found), "hits"), *note_hidden(hits)]
        warn_of_escapes(notes, map(attrgetter("path"), found[:rows]))
        has_next = goes_on or rows < len(found)
        if answer.truncated and not has_next:
            notes.append(_NOT_RANKED)
        is_cut = not is_text and (answer.truncated or has_next)
        cut = {"truncated": is_cut, **page.follow(keys, rows, has_next)}
        return Part({"hits": hits, **result, **cut}, notes)

    return Draft(build, len(found), "top_k" not in arguments)


@dataclass(frozen=True, slots=True)
class _PageRows:
    """The hits of a page in the form in which they are shown."""

    hits: Sequence[Hit]
    firsts: Sequence[int]  # of each hit, the position of the one with which it is shown: mostly its own
    near: int  # hits from this position on are brief
    is_text: bool
    explains: bool
    names_also: bool

    def render(self, rows: int) -> list[Result | str]:
        """Return the rows of the first so many hits: a hit, and with it those that belong to it."""
        shown: dict[int, list[tuple[int, Hit]]] = {}
        for place, first in enumerate(self.firsts[:rows]):
            shown.setdefault(first, []).append((place, self.hits[place]))
        return [self._render_row(*first, others) for first, *others in shown.values()]

    def _render_row(self, place: int, hit: Hit, others: Sequence[tuple[int, Hit]]) -> Result | str:
        copies: list[Hit] = []
        whole: list[Hit] = []
        if others:
            copies = [one for _, one in others if one.path != hit.path]
            joined = [(at, one) for at, one in others if one.path == hit.path]  # these are no copies
            whole = [one for at, one in joined if at < self.near]
            known = {one.symbol_lines for one in whole}
            brief = [one for at, one in joined if at >= self.near and one.symbol_lines not in known]
            hit = name_joined(hit, brief)
        if place >= self.near:
            return write_brief(hit, copies) if self.is_text else render_brief(hit, copies)
        if self.is_text:
            return write_hit(hit, copies, whole)
        return render_hit(hit, copies, explains=self.explains, names_also=self.names_also)


def _arrange(
    read_lines: ReadLines,
    answer: SearchAnswer,
    found: Sequence[Hit],
    start: int,
    *,
    explains: bool,
    is_text: bool,
) -> _PageRows:
    """Return the hits of a page that begins at the hit `start`, each with those that are shown with it."""
    firsts: Sequence[int] = range(len(found))
    if not explains:
        firsts = find_copies(found, read_lines)
    near = (len(answer.hits) if explains or not answer.near_hits else answer.near_hits) - start
    names_also = answer.is_of_report and not explains
    firsts = join_brief(found, firsts, near, by_file=is_text or names_also, joins_all=is_text)
    return _PageRows(found, firsts, near, is_text, explains, names_also)
