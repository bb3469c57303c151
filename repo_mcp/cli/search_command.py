"""`search`: ranked or exact, as text that editors and pagers can follow, or as JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import typer

from repo_mcp.cli.console.endings import EXIT_DONE, EXIT_NOTHING_FOUND, warn
from repo_mcp.cli.console.opening import bring_up_to_date, opened
from repo_mcp.cli.console.parameters import AllowPath, AsJson, DataDir, MaxFileBytes, Root, chosen_limits
from repo_mcp.cli.console.place import Place, find_place
from repo_mcp.cli.console.plain import to_plain, write_json
from repo_mcp.cli.console.terminal import Colour, open_console
from repo_mcp.cli.hits_page import HitsPage
from repo_mcp.config.server_config import Config, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exact.search import MAX_CONTEXT_LINES
from repo_mcp.model import ExactRequest, Hit, SearchRequest
from repo_mcp.repository import Repository


class Mode(StrEnum):
    """The ways in which `search` matches."""

    BM25 = "bm25"  # ranked
    LITERAL = "literal"
    REGEX = "regex"
    SYMBOL = "symbol"  # ranked, names of declarations


Glob = Annotated[str | None, typer.Option("--glob", metavar="G", help="Only files whose path matches.")]
Language = Annotated[str | None, typer.Option("--language", metavar="L", help="Only this language.")]
TopK = Annotated[
    int | None, typer.Option("--top-k", metavar="N", help="Hits to print (10; exact search: 200).")
]
EXACT_MODES = (Mode.LITERAL, Mode.REGEX)
EXACT_LIMIT = 200  # matches when no --top-k is given


@dataclass(frozen=True, slots=True)
class _Display:
    """How the answer is shown."""

    place: Place  # where the person who reads it stands
    as_json: bool
    explain: bool
    context: int  # lines
    colour: Colour


def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words, names or a question; exact text or regex.")
    ],
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    mode: Annotated[Mode, typer.Option("--mode", help="How to match.")] = Mode.BM25,
    literal: Annotated[bool, typer.Option("--literal", "-F", help="Exact text (--mode literal).")] = False,
    regex: Annotated[bool, typer.Option("--regex", "-E", help="RE2 expression (--mode regex).")] = False,
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", "-i", help="Exact search, ignoring case.")
    ] = False,
    word: Annotated[bool, typer.Option("--word", "-w", help="Exact search, whole words only.")] = False,
    top_k: TopK = None,
    context: Annotated[
        int, typer.Option("--context", "-C", metavar="N", help="Lines to show around each hit.")
    ] = 0,
    glob: Glob = None,
    language: Language = None,
    tests: Annotated[bool, typer.Option("--tests/--no-tests", help="Include test files.")] = True,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each signal adds to a score, and ids of chunks.")
    ] = False,
    colour: Annotated[
        Colour, typer.Option("--color", help="Use colours (auto: on a terminal).")
    ] = Colour.AUTO,
    max_file_bytes: MaxFileBytes = None,
    as_json: AsJson = False,
) -> int:
    """Search for the best hits, or for exact matches in order of path. Indexes first if it has to.

    A hit starts with its rank and PATH:LINE. Below it, lines that match are marked LINE: and those around
    them LINE-. Exact matches are printed as PATH:LINE:TEXT. Paths are relative to the working directory;
    with --repo-root or --json, and in --glob, to the root.

    \b
    Examples:
      repo-mcp search "where is a transfer posted"
      repo-mcp search Account --mode symbol
      repo-mcp search -F "checksum(" --glob "*.c" --context 2
      repo-mcp search -E "def \\w+_funds" --language python
      repo-mcp search "checksum" --no-tests --color always | less -R
    """
    place = find_place(repo_root)
    config = load_config(
        place.root,
        data_dir=data_dir,
        allow_paths=allow_path,
        limits=chosen_limits(max_file_bytes=max_file_bytes),
    )
    mode = choose_mode(mode, literal=literal, regex=regex, exactly=ignore_case or word)
    display = _Display(place, as_json, explain, check_context(context), colour)
    if mode in EXACT_MODES:
        is_regex, limit = mode is Mode.REGEX, top_k or EXACT_LIMIT
        exact = ExactRequest(query, is_regex, not ignore_case, word, glob, None, language, tests, limit)
        return search_exactly(config, replace(exact, context_lines=context, with_symbols=as_json), display)
    most = chosen_top_k(config, top_k)
    request = SearchRequest(query, most, glob, language, tests, symbols_only=mode is Mode.SYMBOL)
    return search_ranked(config, request, display)


def choose_mode(mode: Mode, *, literal: bool, regex: bool, exactly: bool) -> Mode:
    """Return the mode that the options mean. Raises RepoError with INVALID_ARGUMENT for a conflict."""
    asked = {Mode.LITERAL: literal, Mode.REGEX: regex, mode: mode is not Mode.BM25}
    modes = [one for one, is_asked in asked.items() if is_asked] or [Mode.LITERAL if exactly else mode]
    if len(modes) > 1 or (exactly and modes[0] not in EXACT_MODES):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "These options cannot be combined.",
            "--ignore-case and --word go with --literal or --regex; give only one mode.",
        )
    return modes[0]


def check_context(lines: int) -> int:
    """Return the number of lines. Raises RepoError with INVALID_ARGUMENT outside 0 to MAX_CONTEXT_LINES."""
    if not 0 <= lines <= MAX_CONTEXT_LINES:
        hint = f"Give 0 to {MAX_CONTEXT_LINES}."
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"--context is {lines}.", hint)
    return lines


def chosen_top_k(config: Config, top_k: int | None) -> int:
    """Return the number of hits, or the default. Raises RepoError with INVALID_ARGUMENT outside the limit."""
    if top_k is None:
        return config.limits.default_search_hits
    if not 1 <= top_k <= config.limits.max_search_hits:
        limit = config.limits.max_search_hits
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"--top-k is {top_k}.", f"Give 1 to {limit}.")
    return top_k


def search_ranked(config: Config, request: SearchRequest, display: _Display) -> int:
    """Run a ranked search, print it and return the exit code. Raises RepoError."""
    if not request.query.strip():
        raise RepoError(ErrorCode.INVALID_ARGUMENT, "The query is empty.", "Give at least one word.")
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=display.as_json)
        answer = repository.search(request)
        if display.context:
            hits = tuple(widen(repository, hit, display.context) for hit in answer.hits)
            answer = replace(answer, hits=hits)
    if display.as_json:
        document = to_plain(answer)
        for row, hit in zip(document["hits"], answer.hits, strict=True):
            if display.explain:
                row["explanation"] = dict(hit.explanation)
            else:
                del row["explanation"], row["chunk_id"], row["chunk_lines"]
        write_json(document)
    else:
        hits = tuple(replace(hit, path=display.place.show(hit.path)) for hit in answer.hits)
        HitsPage(open_console(display.colour)).show(replace(answer, hits=hits), explain=display.explain)
        for message in answer.warnings:
            warn(message)
    return EXIT_DONE if answer.hits else EXIT_NOTHING_FOUND


def widen(repository: Repository, hit: Hit, lines: int) -> Hit:
    """Return a hit with `lines` more before and after its snippet, from the live file.

    The hit stays unchanged when the file has become shorter or unreadable.
    """
    rows = hit.snippet.split("\n")  # only "\n" ends a line: a form feed may stand inside one
    numbers = [int(row.partition("\t")[0]) for row in rows if row]
    if not numbers:
        return hit
    try:
        text = repository.open_file(hit.path, max(1, numbers[0] - lines), numbers[-1] + lines)
    except RepoError:
        return hit
    numbered = (f"{number}\t{line}\n" for number, line in enumerate(text.lines, text.start_line))
    return replace(hit, snippet="".join(numbered))


def search_exactly(config: Config, request: ExactRequest, display: _Display) -> int:
    """Run an exact search, print it and return the exit code. Raises RepoError."""
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=display.as_json)
        answer = repository.search_exact(request, scan=True)
    if display.as_json:
        write_json(to_plain(answer))
    else:
        matches = tuple(replace(match, path=display.place.show(match.path)) for match in answer.matches)
        HitsPage(open_console(display.colour)).list_matches(replace(answer, matches=matches))
        for message in answer.warnings:
            warn(message)
    return EXIT_DONE if answer.total else EXIT_NOTHING_FOUND
