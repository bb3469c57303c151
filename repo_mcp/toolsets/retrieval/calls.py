"""The four calls of the `retrieval` toolset: arguments in, one call of a root's repository, one draft out.

A search of both roots asks one after the other, for one match more than is wanted, to know whether there are
more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from repo_mcp.errors import RepoError
from repo_mcp.model import DirectoryEntry, DirectoryListing, ExactMatch, ExactRequest, OpenedText
from repo_mcp.protocol.frames import encode_json
from repo_mcp.protocol.tool_model import CallContext
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.text.lines import HIDING, escape_text
from repo_mcp.toolsets.answers import Arguments, Draft, Part, Result, find_integer, find_text
from repo_mcp.toolsets.pages import Page, note_cut
from repo_mcp.toolsets.retrieval.failures import Code, Failure, explain
from repo_mcp.toolsets.retrieval.roots import Roots
from repo_mcp.toolsets.retrieval.schemas import BOTH, MAX_LINE_NUMBER, REPOS
from repo_mcp.toolsets.shown_text import MAY_HIDE, choose_line_chars, cut_line, name_some, warn_of_escapes

if TYPE_CHECKING:
    from repo_mcp.repository import Repository


MAX_ROWS_BEFORE = 100_000  # a cursor: its matches are found and held again for the page behind it
_BYTES_PER_CHAR = 8  # a control character takes six in JSON: so one line always fits into an answer


def search(roots: Roots, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `search`."""
    query = find_text(arguments, "query") or ""
    if not query.strip():
        raise Failure(
            Code.QUERY_EMPTY,
            "Argument query is blank: it must contain something to search for",
            "argument",
            argument="query",
            hint="Give query as the text to look for.",
        )
    page = Page("search", arguments, MAX_ROWS_BEFORE)
    wanted = page.start + (find_integer(arguments, "limit") or roots.limits.default_search_hits)
    repo = arguments.get("repo", BOTH)
    request = ExactRequest(
        query,
        regex=arguments.get("regex") is True,
        case_sensitive=arguments.get("case_sensitive") is True,
        file_glob=find_text(arguments, "path_glob") or None,
    )
    rows: list[tuple[str, ExactMatch]] = []
    warnings: list[str] = []
    truncated = False
    for name in REPOS if repo == BOTH else (str(repo),):
        before = max(0, page.start - len(rows))
        found = _search_root(roots, name, request, before, wanted - len(rows), context)
        rows += [(name, match) for match in found.matches]
        warnings += [f"{name}: {warning}" for warning in found.warnings]
        truncated = truncated or found.truncated
        if found.has_more:
            break
    keys = [f"{name} {match.start_line} {match.path}" for name, match in rows]
    page.check(keys)
    listed = _Listed(page, keys, found.has_more, truncated)
    return _draft_matches(rows[page.start :], listed, warnings, "" if repo == BOTH else str(repo))


@dataclass(frozen=True, slots=True)
class _FoundLines:
    """The matches in one root, at most as many as are wanted."""

    matches: Sequence[ExactMatch]
    has_more: bool  # there are others behind them
    truncated: bool  # so there are, or not everything was looked at
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Listed:
    """The position of a page's rows in the complete list."""

    page: Page
    keys: Sequence[str]  # of all rows, from the first
    has_more: bool
    truncated: bool


def _search_root(
    roots: Roots, name: str, request: ExactRequest, before: int, most: int, context: CallContext
) -> _FoundLines:
    """Return the first `most` matches. With 0, it only finds out whether there are any.

    `before` of them were on earlier pages: the limit of the root applies to a page.
    """
    repository = open_root(roots, name)
    most = min(most, before + repository.config.limits.max_search_hits)
    try:
        answer = repository.search_exact(replace(request, limit=most + 1), context.cancelled, scan=True)
    except RepoError as error:
        raise explain(error, "search", name, None) from error
    # One more than wanted was asked for: an answer that is cut although it has fewer is cut for its time.
    has_more = len(answer.matches) > most
    return _FoundLines(answer.matches[:most], has_more, has_more or answer.truncated, answer.warnings)


def _draft_matches(
    rows: list[tuple[str, ExactMatch]], listed: _Listed, warnings: list[str], asked: str
) -> Draft:
    """Draft a page of matches; `asked` is the only root that was searched, "" if both were."""

    def build(count: int) -> Part:
        is_cut = count < len(rows)
        notes = [*warnings, *note_cut(count, len(rows), "matches")]
        hiding = [place for place, (_, match) in enumerate(rows[:count], 1) if HIDING.search(match.line)]
        if hiding:
            notes.append(f"{MAY_HIDE}: {name_some(hiding, 'match', 'matches')}.")
        warn_of_escapes(notes, (match.path for _, match in rows[:count]))
        names = [name for name, _ in rows[:count]]
        matches = [
            _render_match("" if name == before else name, match)
            for before, (name, match) in zip([asked, *names], rows[:count], strict=False)
        ]
        follow = listed.page.follow(listed.keys, count, is_cut or listed.has_more)
        return Part({"matches": matches, **follow}, notes, is_cut or listed.truncated)

    return Draft(build, len(rows))


def _render_match(name: str, match: ExactMatch) -> Result:
    """Return a match as a row, with the name of its root unless a row before has it."""
    row: dict[str, object] = {"repo": name} if name else {}
    row |= {"path": escape_text(match.path), "line": match.start_line}
    if match.end_line != match.start_line:
        row["end_line"] = match.end_line
    return row | {"preview": match.line.strip()}


def open_file(roots: Roots, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `open_file`."""
    return _read_lines(roots, "open_file", arguments, (1, MAX_LINE_NUMBER), cuts_lines=False)


def get_snippet(roots: Roots, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `get_snippet`."""
    start, end = find_integer(arguments, "start_line"), find_integer(arguments, "end_line")
    assert start is not None
    assert end is not None
    return _read_lines(roots, "get_snippet", arguments, (start, end), cuts_lines=True)


def _read_lines(
    roots: Roots, tool: str, arguments: Arguments, lines: tuple[int, int], *, cuts_lines: bool
) -> Draft:
    name, path = str(arguments["repo"]), find_text(arguments, "path") or ""
    repository = open_root(roots, name)
    try:
        opened = repository.open_file(path, *lines)
    except RepoError as error:
        raise explain(error, tool, name, path) from error
    limits = repository.config.limits
    fitting = _choose_fitting_chars(opened.lines, limits.max_total_bytes_per_response)
    most = min(limits.max_line_chars, fitting)
    if cuts_lines:
        most = min(most, choose_line_chars(repository.config, opened.lines))
    return Draft(lambda rows: _build_lines(opened, rows, most), len(opened.lines))


def _choose_fitting_chars(lines: Sequence[str], max_bytes: int) -> int:
    """Return how many characters of each line are shown so that any one line fits into an answer."""
    longest, most = max(map(len, lines), default=0), max_bytes // _BYTES_PER_CHAR
    if longest <= most:
        return most
    fits = all(len(line) <= most or len(encode_json(line).encode()) <= max_bytes * 7 // 8 for line in lines)
    return longest if fits else most


def _build_lines(opened: OpenedText, rows: int, max_chars: int) -> Part:
    lines = opened.lines[:rows]
    numbered = list(enumerate(lines, opened.start_line))
    long = [number for number, line in numbered if len(line) > max_chars]
    hiding = [number for number, line in numbered if HIDING.search(line)]
    end_line = opened.start_line + rows - 1
    cut = opened.truncated or rows < len(opened.lines)
    warnings = list(opened.warnings)
    if long:
        named = name_some(long)
        warnings.append(
            f"Lines are cut at {max_chars:,} characters: {named}; search shows the text around a match."
        )
    if hiding:
        warnings.append(f"{MAY_HIDE}: {name_some(hiding)}.")
    if cut:
        warnings.append(
            f"The answer was cut to keep it short; continue with get_snippet from line {end_line + 1}."
        )
    warn_of_escapes(warnings, [opened.path])
    result = {
        "path": escape_text(opened.path),
        "start_line": opened.start_line,
        "end_line": end_line,
        "total_lines": opened.total_lines,
        "content": "".join(f"{number}\t{cut_line(line, max_chars)}\n" for number, line in numbered),
    }
    return Part(result, warnings, cut or bool(long))


def list_dir(roots: Roots, arguments: Arguments, context: CallContext) -> Draft:
    """Answer `list_dir`."""
    name, path = str(arguments["repo"]), find_text(arguments, "path") or ""
    page = Page("list_dir", arguments)
    repository = open_root(roots, name)
    try:
        listing = repository.tree.list_directory(path)
    except RepoError as error:
        raise explain(error, "list_dir", name, path) from error
    page.check([entry.path for entry in listing.entries])
    rows = min(len(listing.entries) - page.start, repository.config.limits.max_list_results)
    return Draft(lambda count: _build_listing(listing, page, count), rows)


def _build_listing(listing: DirectoryListing, page: Page, rows: int) -> Part:
    end, total = page.start + rows, len(listing.entries)
    entries, is_cut = listing.entries[page.start : end], end < total
    warnings = list(listing.warnings)
    if is_cut:
        warnings.append(
            f"These are entries {page.start + 1:,} to {end:,} of {total:,}; continue with cursor."
        )
    warn_of_escapes(warnings, (entry.path for entry in entries))
    result = {
        "path": escape_text(listing.path),
        "entries": [_render_entry(entry) for entry in entries],
        "left_out": dict(listing.left_out),
        **page.follow([entry.path for entry in listing.entries], rows, is_cut),
    }
    return Part(result, warnings, is_cut)


def _render_entry(entry: DirectoryEntry) -> Result:
    row: dict[str, object] = {
        "path": escape_text(entry.path),
        "type": "directory" if entry.is_directory else "file",
    }
    return row if entry.size is None else row | {"size": entry.size}


def open_root(roots: Roots, name: str) -> Repository:
    """Return the repository of a root. Raises Failure with CONFIG_INVALID when the root is gone."""
    repository = roots.get(name)
    try:
        repository.tree.check_root()
    except RepoError:
        message = f"The root of {name} was moved, replaced or deleted."
        raise Failure(Code.CONFIG_INVALID, message, "missing") from None
    return repository
