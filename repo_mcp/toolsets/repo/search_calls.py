"""The call of `repo.search`: ranked by words or names, or exact by text or expression, in one shape.

`detail` says what is returned: hits with snippets, the same as text, the files of the hits, or the total
alone. `repo_mcp/toolsets/repo/hit_rows.py` has the form of hits.

Of a question, records show the best declarations whole. Text only shows where they are, by the head of each
file's best one, and names no snapshot. Of pasted text, both show the lines that match best, and name other
declarations. Hits that show one line are brief in both: where to look, and no more.

Exact matches are returned as one hit for each file. Files of the program come first, then configuration,
tests, documents, and foreign or built files; in each group they are sorted by path. They name no snapshot,
because no index decides what a file holds now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import replace
from repo_mcp.text.lines import HIDING, escape_text, says_little
from repo_mcp.toolsets.answers import (
    MAY_HIDE,
    Arguments,
    Draft,
    Part,
    Result,
    find_integer,
    find_text,
    warn_of_escapes,
)
from repo_mcp.toolsets.pages import Page, keep_few
from repo_mcp.toolsets.repo.copies import find_copies, join_brief, name_joined
from repo_mcp.toolsets.repo.hit_rows import (
    ShownFile,
    find_alike,
    name_alike,
    render_brief,
    render_file,
    render_hit,
    write_brief,
    write_file,
    write_hit,
)
from repo_mcp.toolsets.repo.search_notes import note_query

if TYPE_CHECKING:
    from repo_mcp.model import ExactAnswer, ExactMatch, ExactRequest, Hit, SearchAnswer, SearchRequest
    from repo_mcp.repository import Repository

_MOST_BEFORE = 1_000  # hits before a page: each page is searched for from the first hit on
_TEXT = "text"
_NOT_RANKED = "Other chunks match less and are not listed: narrow file_glob, or add words."
_EXACT_ONLY = ("ignore_case", "whole_word", "context", "max_per_file")
PAGE_LINES = 50  # matching lines, shared by the files of a page; about 3,000 characters
LEAST_PER_FILE = 5  # matching lines shown of each file, however many files there are
FEW_LINES = 25  # matching lines of all files of a page, of which none is left out


def search(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `repo.search` in all its modes. Raises RepoError with INVALID_ARGUMENT for an unusable query."""
    if arguments.get("mode") in ("literal", "regex"):
        return _search_exact(repository, arguments, context)
    return _search_ranked(repository, arguments)


def _search_ranked(repository: Repository, arguments: Arguments) -> Draft:
    """Answer modes bm25 and symbol. A NUL in the query counts as a blank: no person types one."""
    from repo_mcp.model import SearchRequest  # here: tools are listed before any is called

    query = (find_text(arguments, "query") or "").replace("\0", " ")
    if not query.strip():
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "Argument query is empty: it must contain at least one word",
            "Give query as words or names to look for.",
        )
    page = Page("repo.search", arguments, _MOST_BEFORE)
    detail = find_text(arguments, "detail") or "snippets"
    request = SearchRequest(
        query=query,
        top_k=page.start + _count_wanted(repository, arguments),
        file_glob=find_text(arguments, "file_glob"),
        language=find_text(arguments, "language"),
        include_tests=arguments.get("include_tests") is not False,
        symbols_only=arguments.get("mode") == "symbol",
        names_alone=True,
        shows_whole=detail != _TEXT,
        ends_early=not page.start and "top_k" not in arguments and detail not in ("files", "count"),
        counts=detail == "count",
    )
    shows_each = detail in ("count", "files") or arguments.get("explain") is True
    answer = repository.search(request) if shows_each else _search_distinct(repository, request, page.start)
    mode = find_text(arguments, "mode") or "bm25"
    warnings = note_query(query, mode, found=bool(answer.total)) + answer.warnings
    exact_only = [name for name in _EXACT_ONLY if arguments.get(name)]
    if exact_only:
        warnings += (f"Only the modes literal and regex take {', '.join(exact_only)}.",)
    result = _say_total(answer, detail)
    result["snapshot"] = None if detail == _TEXT else answer.snapshot
    if detail == "count":
        return Draft(lambda _: Part({"hits": [], **result, "truncated": False}, warnings))
    if detail == "files":
        files = Counter(hit.path for hit in answer.hits)  # in order of the best hit
        return _draft_files(list(files.items()), result, warnings, arguments, None)
    return _draft_hits(repository, answer, result, warnings, arguments, page)


def _search_distinct(repository: Repository, request: SearchRequest, start: int) -> SearchAnswer:
    """Search, and once more for as many hits further on as the page has copies of others."""
    answer = repository.search(request)
    most = min(answer.few or request.top_k, request.top_k) if request.ends_early else request.top_k
    hits = answer.hits[start:most]
    firsts = find_copies(hits, partial(_read_declaration, repository))
    copies = len(firsts) - len(set(firsts))
    if not copies or len(answer.hits) < most or not answer.truncated:
        return answer
    return repository.search(replace(request, top_k=request.top_k + copies, copies=copies))


def _read_declaration(repository: Repository, hit: Hit) -> Sequence[str]:
    """Return the lines of the declaration that a hit is about; none if they cannot be read."""
    assert hit.symbol_lines is not None
    try:
        return repository.open_file(hit.path, *hit.symbol_lines).lines
    except RepoError:  # the file has changed since
        return ()


def _draft_hits(
    repository: Repository,
    answer: SearchAnswer,
    result: Result,
    warnings: tuple[str, ...],
    arguments: Arguments,
    page: Page,
) -> Draft:
    explains, is_text = arguments.get("explain") is True, arguments.get("detail") == _TEXT
    if explains and is_text:
        warnings += ("Detail text does not take explain.",)
    keys = [hit.chunk_id for hit in answer.hits]
    page.check(keys)
    found, few = keep_few(answer.hits[page.start :], page, lacks_most=answer.lacks_most)
    if answer.few and not page.start and "top_k" not in arguments:
        found = found[: answer.few]
    is_left = page.start + len(found) < len(answer.hits)
    goes_on = is_left or (answer.truncated and not answer.is_last)
    firsts = list(range(len(found)))
    if not explains:
        firsts = find_copies(found, partial(_read_declaration, repository))
    near = len(answer.hits) if explains or not answer.near else answer.near
    names_also = answer.is_of_report and not explains
    firsts = join_brief(found, firsts, near - page.start, by_file=is_text or names_also, joins_all=is_text)

    def render(place: int, hit: Hit, others: Sequence[tuple[int, Hit]]) -> Result | str:
        copies: list[Hit] = []
        whole: list[Hit] = []
        if others:
            copies = [one for _, one in others if one.path != hit.path]
            joined = [(at, one) for at, one in others if one.path == hit.path]  # these are no copies
            whole = [one for at, one in joined if at < near]
            known = {one.symbol_lines for one in whole}
            brief = [one for at, one in joined if at >= near and one.symbol_lines not in known]
            hit = name_joined(hit, brief)
        if place >= near:
            return write_brief(hit, copies) if is_text else render_brief(hit, copies)
        if is_text:
            return write_hit(hit, copies, whole)
        return render_hit(hit, copies, explains=explains, names_also=names_also)

    def build(rows: int) -> Part:
        shown: dict[int, list[tuple[int, Hit]]] = {}
        for place, first in enumerate(firsts[:rows]):
            shown.setdefault(first, []).append((page.start + place, found[place]))
        hits = [render(*first, others) for first, *others in shown.values()]
        notes = [*warnings, *few, *_note_cut(rows, len(found), "hits"), *_note_hidden(hits)]
        warn_of_escapes(notes, map(attrgetter("path"), found[:rows]))
        has_next = goes_on or rows < len(found)
        if answer.truncated and not has_next:
            notes.append(_NOT_RANKED)
        is_cut = not is_text and (answer.truncated or has_next)
        cut = {"truncated": is_cut, **page.follow(keys, rows, has_next)}
        return Part({"hits": hits, **result, **cut}, notes)

    return Draft(build, len(found), "top_k" not in arguments)


def _search_exact(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer modes literal and regex."""
    from repo_mcp.model import ExactRequest

    detail = find_text(arguments, "detail") or "snippets"
    page = Page("repo.search", arguments, _MOST_BEFORE)
    wanted = _count_wanted(repository, arguments)
    most = wanted
    if "top_k" not in arguments and detail in (_TEXT, "snippets"):  # a second page would be short
        most = min(wanted + wanted // 2, repository.config.limits.max_search_hits)
    request = ExactRequest(
        pattern=find_text(arguments, "query") or "",
        regex=arguments.get("mode") == "regex",
        case_sensitive=arguments.get("ignore_case") is not True,
        whole_word=arguments.get("whole_word") is True,
        file_glob=find_text(arguments, "file_glob"),
        language=find_text(arguments, "language"),
        include_tests=arguments.get("include_tests") is not False,
        limit=page.start + most,
        detail="snippets" if detail == _TEXT else detail,
        context_lines=find_integer(arguments, "context") or 0,
        max_per_file=max(find_integer(arguments, "max_per_file") or 0, PAGE_LINES),  # to choose from
        with_symbols=True,
        by_role=True,
    )
    answer = repository.search_exact(request, context.cancelled, scan=True)  # no file is missed
    notes = note_query(request.pattern, str(arguments["mode"]), found=bool(answer.total))
    if not (answer.total or answer.truncated or request.regex or notes):
        answer = _explain_nothing(repository, request, answer, context)
    answer = replace(answer, warnings=(*notes, *answer.warnings)) if notes else answer
    if arguments.get("explain"):
        answer = replace(answer, warnings=(*answer.warnings, "Only the modes bm25 and symbol take explain."))
    result = _say_total(answer, detail)
    if detail == "count":
        return Draft(lambda _: Part({"hits": [], **result}, answer.warnings))
    if detail == "files":
        return _draft_files(answer.files, result, answer.warnings, arguments, page)
    if answer.total_is_lower_bound:
        answer = replace(answer, files=answer.files[: page.start + wanted])
    return _draft_matches(answer, result, arguments, page, as_text=detail == _TEXT)


def _explain_nothing(
    repository: Repository, request: ExactRequest, answer: ExactAnswer, context: CallContext
) -> ExactAnswer:
    """Say what would match in an answer without matches, or return what was saved meanwhile and does.

    Warnings say enough, unless they are about the moment of the call: no explanation depends on that.
    """
    from repo_mcp.live.index_report import is_about_age  # here: most literals are found
    from repo_mcp.repository.no_match import explain_no_match

    if not all(map(is_about_age, answer.warnings)):
        return answer
    said = explain_no_match(repository, request, context.cancelled)
    if not said:
        return answer
    again = repository.search_exact(request, context.cancelled, scan=True)
    return again if again.total else replace(answer, warnings=(said, *answer.warnings))


def _draft_matches(
    answer: ExactAnswer, result: Result, arguments: Arguments, page: Page, *, as_text: bool
) -> Draft:
    keys = [path for path, _ in answer.files]
    page.check(keys)
    chosen = choose_matches(answer, find_integer(arguments, "max_per_file"), page.start)
    has_more = any(file.left for file in chosen)
    render: Callable[[ShownFile], Result | str] = write_file if as_text else render_file
    files = [*map(render, chosen)]
    firsts = find_alike(chosen) if as_text else [*range(len(chosen))]

    def build(rows: int) -> Part:
        shown: dict[int, list[ShownFile]] = {}
        for file, first in zip(chosen[:rows], firsts, strict=False):
            shown.setdefault(first, []).append(file)
        hits = [
            f"{files[first]}\n{name_alike(others)}" if others else files[first]
            for first, (_, *others) in shown.items()
        ]
        notes = [*answer.warnings, *_note_cut(rows, len(files), "hits"), *_note_hidden(hits)]
        warn_of_escapes(notes, keys[page.start : page.start + rows])
        goes_on = answer.total_is_lower_bound or rows < len(files)
        is_cut = not as_text and (goes_on or has_more)
        cut: Result = {"truncated": is_cut, **page.follow(keys, rows, goes_on)}
        return Part({"hits": hits, **result, **cut}, notes)

    return Draft(build, len(files), "top_k" not in arguments)


def _draft_files(
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
        notes = [*warnings, *_note_cut(rows, len(listed), "files", goes_on=page is not None)]
        warn_of_escapes(notes, (path for path, _ in listed[:rows]))
        named = [{"path": escape_text(path), "hits": count} for path, count in listed[:rows]]
        is_cut = bool(result["truncated"]) or rows < len(listed)
        cut: Result = {"truncated": is_cut}
        if page is not None:
            cut |= page.follow(keys, rows, is_cut)
        return Part({"hits": [], **result, **cut, "files": named}, notes)

    return Draft(build, len(listed), "top_k" not in arguments)


def _note_cut(rows: int, count: int, what: str, *, goes_on: bool = True) -> list[str]:
    if rows >= count:
        return []
    advice = "continue with cursor" if goes_on else "ask for fewer with top_k"
    return [f"The answer was cut to {rows} {what} to keep it short; {advice}, or narrow file_glob."]


def _note_hidden(hits: Iterable[Result | str]) -> list[str]:
    texts = (hit if isinstance(hit, str) else str(hit["snippet"]) for hit in hits)
    hiding = [str(place) for place, text in enumerate(texts, 1) if HIDING.search(text)]
    if not hiding:
        return []
    return [f"{MAY_HIDE}: hit {', '.join(hiding)}."]


def _say_total(answer: SearchAnswer | ExactAnswer, detail: str) -> Result:
    """Return how many match. Text has no lower bound: its `cursor` says that there are more."""
    is_least = answer.total_is_lower_bound
    if detail == _TEXT:
        return {"total": None if is_least else answer.total}
    return {"total": answer.total, "truncated": answer.truncated, "total_is_lower_bound": is_least}


def _count_wanted(repository: Repository, arguments: Arguments) -> int:
    return find_integer(arguments, "top_k") or repository.config.limits.default_search_hits


def choose_matches(answer: ExactAnswer, max_per_file: int | None, start: int) -> list[ShownFile]:
    """Return what to show of each file from the one at `start`, in order.

    Without `max_per_file`, all lines are shown if they are few; else, the fewer files there are, the more
    lines each shows. If there are too many lines, the first are shown, and last those that say little, such
    as comments and imports.
    """
    counts = dict(answer.files[start:])
    share = max(LEAST_PER_FILE, PAGE_LINES // max(1, len(counts)))
    most = max_per_file or (FEW_LINES if sum(counts.values()) <= FEW_LINES else share)
    files = groupby(answer.matches, key=attrgetter("path"))
    return [_keep_first(list(own), most, counts[path]) for path, own in files if path in counts]


def _keep_first(matches: list[ExactMatch], most: int, count: int) -> ShownFile:
    """Return at most `most` of the `matches` of a file, which has `count`."""
    if count <= len(matches) <= most:
        return ShownFile(matches)
    from repo_mcp.languages.patterns.language_registry import find_language  # here: tools are listed first

    # In documents, the mark of a comment begins a heading or an item.
    is_prose = find_language(matches[0].path).kind == "docs"
    by_worth = matches if is_prose else sorted(matches, key=lambda one: says_little(one.line))
    shown, left = by_worth[:most], by_worth[most:]
    first = min((one.start_line for one in left), default=matches[-1].end_line + 1)
    last = [max(one.start_line for one in left)] if count == len(matches) else []
    return ShownFile(sorted(shown, key=attrgetter("start_line")), count - len(shown), (first, *last))
