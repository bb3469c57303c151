"""`search`: ranked or exact, as text that editors and pagers can follow, or as JSON.

PATHs, globs and a type, by which a person selects files, are converted to the filters of the engine.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from repo_mcp.cli.console import parameters
from repo_mcp.cli.console.endings import Command, note, warn
from repo_mcp.cli.console.opening import bring_up_to_date, load, opened
from repo_mcp.cli.console.working_root import find_working_root
from repo_mcp.config.command_parser import CommandParser
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exit_codes import EXIT_DONE, EXIT_NOTHING_FOUND
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import replace

if TYPE_CHECKING:
    from repo_mcp.cli.hits_page import HitsPage
    from repo_mcp.config.server_config import Config
    from repo_mcp.model import ExactRequest, Hit, SearchRequest
    from repo_mcp.repository import Repository


_SPECIAL = compile_late(r"[*?\[\]{}\\,!]")


def join_globs(globs: Sequence[str], paths: Iterable[str]) -> str | None:
    """Return one glob for the files that match one of `globs` and lie at or below one of `paths`.

    A glob that begins with `!` excludes what the rest of it matches, in any position. None lets every file
    through. Raises RepoError with PATH_ESCAPE for a path outside of the root, and with INVALID_ARGUMENT for a
    glob with a slash that names another folder than a path.
    """
    left_out = [glob for glob in globs if glob.startswith("!")]
    wanted = [glob for glob in globs if not glob.startswith("!")]
    below = [_escape_path(path) for path in paths]
    if "" in below:  # the root itself
        below = []
    if below and wanted:
        wanted = [_join_below(glob, folder) for folder in below for glob in wanted]
    elif below:
        wanted = [one for folder in below for one in (f"/{folder}", f"{folder}/**")]
    return _unite([*wanted, *left_out])


def _unite(globs: Sequence[str]) -> str | None:
    distinct = list(dict.fromkeys(globs))
    return f"{{{','.join(distinct)}}}" if len(distinct) > 1 else next(iter(distinct), None)


def _escape_path(path: str) -> str:
    """Return a path relative to the root, its special characters escaped; "" for the root."""
    plain = os.path.normpath(path).replace(os.sep, "/") if path else ""
    if not plain or plain.startswith(("../", "/")) or plain == "..":
        raise RepoError(
            ErrorCode.PATH_ESCAPE,
            f"{path or 'An empty PATH'} is not inside the repository.",
            "Give paths relative to it.",
        )
    return "" if plain == "." else _SPECIAL.sub(r"\\\g<0>", plain)


def _join_below(glob: str, folder: str) -> str:
    """Return the glob for files that match below a folder."""
    plain = glob.removeprefix("./").lstrip("/")
    if "/" not in plain.rstrip("/"):
        return f"{folder}/**/{plain}"
    if plain.startswith("**/"):
        return f"{folder}/{plain}"
    if plain.startswith(f"{folder}/"):
        return plain
    raise RepoError(
        ErrorCode.INVALID_ARGUMENT,
        f"--glob {glob} is not inside {folder}.",
        "Give a glob without a slash, such as *.py, or leave out the path.",
    )


def choose_language(name: str | None, extensions: Mapping[str, str]) -> str | None:
    """Return the language of a name or of a file extension: "python" for "py" and "Python"."""
    if name is None:
        return None
    from repo_mcp.languages.patterns.language_registry import LANGUAGES, find_language

    plain = name.lower().removeprefix(".")
    if plain in LANGUAGES:
        return plain
    found = find_language(f"x.{plain}", extensions).name
    return name if found == "unknown" else found


DESCRIPTION = """Search for the best hits, or for exact matches in order of path. The first
search of a repository builds its index; later ones bring it up to date.

A hit starts with its rank and PATH:LINE, which editors and terminals can open.
Below it, lines that match are marked LINE: and those around them LINE-. Exact
matches are printed as PATH:LINE:TEXT. Notes go to standard error.

Paths are relative to the working directory. With --repo-root or --json, and in
--glob, they are relative to the root."""
EXAMPLES = (
    'repo-mcp search "where is a transfer posted"',
    "repo-mcp search Account --mode symbol",
    'repo-mcp search -F "checksum(" --context 2',
    'repo-mcp search -E "def \\w+_funds" src tests -t py',
    "repo-mcp search -F checksum -g '*.c' -g '!drivers/**'",
    'repo-mcp search -l "checksum" --no-tests',
    "repo-mcp search --files src",
)
RANKED, LITERAL, REGEX, SYMBOL = MODES = ("bm25", "literal", "regex", "symbol")
EXACT_MODES = (LITERAL, REGEX)
EXACT_LIMIT = 200  # matches when no --top-k is given
NOTHING = "Nothing found."
PATHS_BEHIND = "What follows QUERY are paths: put quotes around several words."


def build_parser() -> CommandParser:
    """Build the parser of `search`."""
    parser = CommandParser(
        "repo-mcp search", "[options] QUERY [PATH ...]\n       repo-mcp search [options] --files [PATH ...]",
        DESCRIPTION, EXAMPLES,
    )  # fmt: skip
    add = parser.add_argument
    add(
        "query",
        metavar="QUERY",
        nargs="?",
        help="words, names or a question; exact text or a regular expression",
    )
    add("paths", metavar="PATH", nargs="*", default=[], help="files and directories to search (default: all)")
    add("-F", "--literal", action="store_true", help="exact text (--mode literal)")
    add("-E", "--regex", action="store_true", help="RE2 expression (--mode regex)")
    add("-i", "--ignore-case", action="store_true", help="exact search, ignoring case")
    add("-w", "--word", action="store_true", help="exact search, whole words only")
    add("--mode", choices=MODES, default=RANKED, metavar="MODE", help=f"{', '.join(MODES)} (default: bm25)")
    add(
        "-g", "--glob", metavar="GLOB", action="append", default=[],
        help="only files that match; with !GLOB only files that do not; repeatable",
    )  # fmt: skip
    add(
        "-t", "--type", "--language", dest="language", metavar="TYPE", help="only this language: python or py"
    )
    parameters.add_tests(parser)
    add("-l", "--files-with-matches", action="store_true", help="print only the paths of files")
    add("-c", "--count", action="store_true", help="exact search: print PATH:COUNT of matching lines")
    add("--files", action="store_true", help="list the files that would be searched")
    add("--top-k", metavar="N", type=int, help="hits to print (default: 10; exact search: 200)")
    add("-C", "--context", metavar="N", type=int, default=0, help="lines to show around each hit")
    add("--explain", action="store_true", help="show what each signal adds to a score, and the ids of chunks")
    parameters.add_color(parser)
    parameters.add_json(parser)
    parameters.add_place(parser)
    parameters.add_max_file_bytes(parser)
    return parser


def search(options: Namespace) -> int:
    """Run one search, print it and return the exit code. Raises RepoError."""
    from repo_mcp.model import SearchRequest

    config, root = load(options), find_working_root(options.repo_root)
    if options.files:
        given = [options.query] if options.query is not None else []
        below = map(root.read_inside, [*given, *options.paths])
        return list_files(config, join_globs(options.glob, below), options)
    if options.query is None:
        raise RepoError(ErrorCode.INVALID_ARGUMENT, "QUERY is missing.", "See repo-mcp search --help.")
    mode, glob = choose_mode(options), join_globs(options.glob, map(root.read_inside, options.paths))
    language = choose_language(options.language, dict(config.extensions))
    check_context(options.context)
    if mode in EXACT_MODES:
        return search_exactly(config, _build_exact(options, mode, glob, language), options)
    request = SearchRequest(
        options.query,
        choose_top_k(config, options.top_k),
        glob,
        language,
        options.tests,
        symbols_only=mode == SYMBOL,
        names_snapshot=options.json,
    )
    return search_ranked(config, request, options)


def _build_exact(options: Namespace, mode: str, glob: str | None, language: str | None) -> ExactRequest:
    from repo_mcp.model import ExactRequest

    return ExactRequest(
        options.query,
        mode == REGEX,
        not options.ignore_case,
        options.word,
        glob,
        None,
        language,
        options.tests,
        EXACT_LIMIT if options.top_k is None else parameters.check_top_k(options.top_k),
        context_lines=options.context,
        with_symbols=options.json,
        names_snapshot=options.json,
    )


def choose_mode(options: Namespace) -> str:
    """Return the mode that the options mean. Raises RepoError with INVALID_ARGUMENT for a conflict."""
    exactly = options.ignore_case or options.word or options.count
    asked = {LITERAL: options.literal, REGEX: options.regex, options.mode: options.mode != RANKED}
    modes = [one for one, is_asked in asked.items() if is_asked] or [LITERAL if exactly else options.mode]
    if len(modes) > 1 or (exactly and modes[0] not in EXACT_MODES):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "These options cannot be combined.",
            "-i, -w and -c go with -F or -E; give only one mode.",
        )
    return str(modes[0])


def check_context(lines: int) -> None:
    """Raise RepoError with INVALID_ARGUMENT for lines outside 0 to MAX_CONTEXT_LINES."""
    from repo_mcp.model import MAX_CONTEXT_LINES

    if not 0 <= lines <= MAX_CONTEXT_LINES:
        hint = f"Give 0 to {MAX_CONTEXT_LINES}."
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"--context is {lines}.", hint)


def choose_top_k(config: Config, top_k: int | None) -> int:
    """Return the number of ranked hits, cut to what one search may return. Raises as `check_top_k` does."""
    if top_k is None:
        return config.limits.default_search_hits
    most = config.limits.max_search_hits
    if parameters.check_top_k(top_k) > most:
        warn(f"--top-k is {top_k:,}, but one search returns at most {most} hits.")
    return min(top_k, most)


def list_files(config: Config, glob: str | None, options: Namespace) -> int:
    """List the files of the tree that pass the filters."""
    from repo_mcp.cli.console.plain import write_json
    from repo_mcp.languages.patterns.language_registry import find_language
    from repo_mcp.text.lines import escape_text
    from repo_mcp.text.roles import is_test_path

    extensions = dict(config.extensions)
    language = choose_language(options.language, extensions)
    with opened(config) as repository:
        listing = repository.list_files(glob, MOST_FILES, include_hidden=False)
    paths = [
        one.path
        for one in listing.files
        if language in (None, find_language(one.path, extensions).name)
        and (options.tests or not is_test_path(one.path))
    ]
    if options.json:
        write_json({"files": paths})
    else:
        root = find_working_root(options.repo_root)
        print("".join(f"{escape_text(root.show(path))}\n" for path in paths), end="")
    for message in listing.warnings:
        warn(message)
    return EXIT_DONE if paths else EXIT_NOTHING_FOUND


def search_ranked(config: Config, request: SearchRequest, options: Namespace) -> int:
    """Run a ranked search, print it and return the exit code. Raises RepoError."""
    if not request.query.strip():
        raise RepoError(ErrorCode.INVALID_ARGUMENT, "The query is empty.", "Give at least one word.")
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=options.json)
        answer = repository.search(request)
        if options.context:
            hits = tuple(widen(repository, hit, options.context) for hit in answer.hits)
            answer = replace(answer, hits=hits)
        missing = find_missing(repository, options)
    if options.json:
        from repo_mcp.cli.console.plain import to_plain, write_json

        document = to_plain(answer)
        # Only the page of the tool needs these.
        for name in ("is_last", "lacks_most", "usual_hits", "near_hits", "is_of_report"):
            del document[name]
        for row, hit in zip(document["hits"], answer.hits, strict=True):
            del row["symbol_name"], row["heads"]  # `symbol` ends with it; `also` has the lines
            if options.explain:
                row["explanation"] = dict(hit.explanation)
            else:
                del row["explanation"], row["chunk_id"], row["chunk_lines"]
        write_json(document)
        return EXIT_DONE if answer.hits else EXIT_NOTHING_FOUND
    page, root = open_page(options), find_working_root(options.repo_root)
    hits = tuple(replace(hit, path=root.show(hit.path)) for hit in answer.hits)
    if options.files_with_matches:
        page.list_paths(dict.fromkeys(hit.path for hit in hits))
    else:
        page.show(hits, explain=options.explain)
    if not answer.hits:
        note(f"{NOTHING} {PATHS_BEHIND}" if missing else NOTHING)
    elif answer.truncated and not answer.is_last:
        least = "at least " if answer.total_is_lower_bound else ""
        note(f"{len(answer.hits)} of {least}{answer.total:,} matches; more with --top-k.")
    warn_of_paths(answer.warnings, missing, request.file_glob, options)
    return EXIT_DONE if answer.hits else EXIT_NOTHING_FOUND


def find_missing(repository: Repository, options: Namespace) -> list[str]:
    """Return the paths behind QUERY at which there is nothing that may be searched."""
    root, reader = find_working_root(options.repo_root), repository.tree.reader
    missing = []
    for path in options.paths:
        with suppress(RepoError):
            inside = reader.normalise(root.read_inside(path))
            if inside and reader.lstat(inside) is None:
                missing.append(path)
    return missing


def warn_of_paths(
    warnings: Iterable[str], missing: Sequence[str], glob: str | None, options: Namespace
) -> None:
    """Print the warnings of an answer, and which paths are missing: nobody wrote the glob made of them."""
    for path in missing:
        warn(f"There is no file or directory {path} to search.")
    for message in warnings:
        if not (missing and glob and f"`{glob}`" in message):
            written = " ".join([*options.glob, *options.paths])
            warn(message.replace(f"`{glob}`", f"`{written}`") if glob else message)


def open_page(options: Namespace) -> HitsPage:
    """Open the page on which hits are printed, with colours as the options say."""
    from repo_mcp.cli.console.text import Colour, open_console
    from repo_mcp.cli.hits_page import HitsPage

    return HitsPage(open_console(Colour(options.color)))


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
    near = {one for number in numbers for one in range(number - lines, number + lines + 1)}
    numbered = (
        f"{number}\t{line}\n" for number, line in enumerate(text.lines, text.start_line) if number in near
    )
    return replace(hit, snippet="".join(numbered))


def search_exactly(config: Config, request: ExactRequest, options: Namespace) -> int:
    """Run an exact search, print it and return the exit code. Raises RepoError."""
    names_files = options.files_with_matches or options.count
    if names_files:
        request = replace(
            request, detail="files", limit=MOST_FILES if options.top_k is None else request.limit
        )
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=options.json)
        answer = repository.search_exact(request, scan=True)
        missing = find_missing(repository, options)
    if options.json:
        from repo_mcp.cli.console.plain import to_plain, write_json

        document = to_plain(answer)
        for row in document["matches"]:
            del row["symbol_name"]  # `symbol` ends with it
        write_json(document)
        return EXIT_DONE if answer.total else EXIT_NOTHING_FOUND
    page, root = open_page(options), find_working_root(options.repo_root)
    if names_files:
        counts = {root.show(path): count for path, count in answer.files}
        page.list_paths(counts, with_counts=options.count)
    else:
        page.list_matches(tuple(replace(one, path=root.show(one.path)) for one in answer.matches))
    if not answer.total:
        note(f"{NOTHING} {PATHS_BEHIND}" if missing else NOTHING)
    elif answer.truncated:
        least = "at least " if answer.total_is_lower_bound else ""
        shown = f"{len(answer.files):,} files" if names_files else f"{len(answer.matches):,}"
        note(f"{shown} of {least}{answer.total:,} lines; more with --top-k.")
    warn_of_paths(answer.warnings, missing, request.file_glob, options)
    return EXIT_DONE if answer.total else EXIT_NOTHING_FOUND


MOST_FILES = 1_000_000  # most files that -l, -c and --files print: as many as there are
SEARCH = Command(build_parser, search)
