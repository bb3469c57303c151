"""The modes literal and regex of `repo.search`: each file once, with the lines of it that match.

Files of the program come first, then configuration, tests, documents, and foreign or built files; in each
group they are sorted by path. They name no snapshot, because no index decides what a file holds now.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from operator import attrgetter

from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.live.index_report import is_about_age
from repo_mcp.model import ExactAnswer, ExactMatch, ExactRequest
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import replace
from repo_mcp.repository import Repository
from repo_mcp.text.lines import says_little
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer, find_text
from repo_mcp.toolsets.pages import Page
from repo_mcp.toolsets.repo.hit_rows import ShownFile, find_alike, name_alike, render_file, write_file
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

PAGE_LINES = 50  # matching lines, shared by the files of a page; about 3,000 characters
LEAST_PER_FILE = 5  # matching lines shown of each file, however many files there are
FEW_LINES = 25  # matching lines of all files of a page, of which none is left out
LEAST = "At least {}: not every file that may have more was read."


def search_exact(repository: Repository, arguments: Arguments, context: CallContext) -> Draft:
    """Answer modes literal and regex."""
    detail = find_text(arguments, "detail") or "snippets"
    page = Page("repo.search", arguments, MOST_BEFORE)
    wanted = count_wanted(repository, arguments)
    most = wanted
    if "top_k" not in arguments and detail in (TEXT, "snippets"):  # a second page would be short
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
        detail="snippets" if detail == TEXT else detail,
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
    result = say_total(answer, detail)
    if detail == "count":
        return Draft(lambda _: Part({"hits": [], **result}, answer.warnings))
    if detail == "files":
        return draft_files(answer.files, result, answer.warnings, arguments, page)
    if answer.total_is_lower_bound:
        least = () if detail == TEXT else _say_least(answer.total)
        warnings = (*answer.warnings, *least)
        answer = replace(answer, files=answer.files[: page.start + wanted], warnings=warnings)
    return _draft_matches(answer, result, arguments, page, as_text=detail == TEXT)


def _say_least(total: int) -> tuple[str, ...]:
    """Return a warning that a total is a lower bound; none if no line matches, as why is said already."""
    return (LEAST.format("1 line matches" if total == 1 else f"{total:,} lines match"),) if total else ()


def _explain_nothing(
    repository: Repository, request: ExactRequest, answer: ExactAnswer, context: CallContext
) -> ExactAnswer:
    """Say what would match in an answer without matches, or return what was saved meanwhile and does.

    Warnings say enough, unless they are about the moment of the call: no explanation depends on that.
    """
    from repo_mcp.repository.no_match import explain_no_match  # here: most literals are found

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
    # As text, whoever sees each matching line, and no other, needs no number of them.
    may_be_all = as_text and not (page.start or has_more or arguments.get("context"))

    def build(rows: int) -> Part:
        shown: dict[int, list[ShownFile]] = {}
        for file, first in zip(chosen[:rows], firsts, strict=False):
            shown.setdefault(first, []).append(file)
        hits = [
            f"{files[first]}\n{name_alike(others)}" if others else files[first]
            for first, (_, *others) in shown.items()
        ]
        notes = [*answer.warnings, *note_cut(rows, len(files), "hits"), *note_hidden(hits)]
        warn_of_escapes(notes, keys[page.start : page.start + rows])
        goes_on = answer.total_is_lower_bound or rows < len(files)
        is_cut = not as_text and (goes_on or has_more)
        cut: Result = {"truncated": is_cut, **page.follow(keys, rows, goes_on)}
        known: Result = {"total": None} if may_be_all and hits and not goes_on else result
        return Part({"hits": hits, **known, **cut}, notes)

    return Draft(build, len(files), "top_k" not in arguments)


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
    # In documents, the mark of a comment begins a heading or an item.
    is_prose = find_language(matches[0].path).kind == "docs"
    by_worth = matches if is_prose else sorted(matches, key=lambda one: says_little(one.line))
    shown, left = by_worth[:most], by_worth[most:]
    first = min((one.start_line for one in left), default=matches[-1].end_line + 1)
    last = [max(one.start_line for one in left)] if count == len(matches) else []
    return ShownFile(sorted(shown, key=attrgetter("start_line")), count - len(shown), (first, *last))
