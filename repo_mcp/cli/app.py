"""The commands and their options, and how every ending becomes an exit code and one line on stderr.

Each command opens the repository, asks it once and prints the answer: as text for people or,
with `--json`, as one JSON document on standard output. `search` needs no set-up: it brings the
index up to date first, whether there is one or not.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from enum import StrEnum
from typing import Annotated, cast

import typer

from repo_mcp.bundler.build import check_request
from repo_mcp.bundler.document import build_document
from repo_mcp.bundler.markdown import render_markdown
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.cli.plain import to_plain, write_json
from repo_mcp.cli.progress import show_progress
from repo_mcp.cli.render import Renderer
from repo_mcp.cli.structure import describe_structure, renew_structure
from repo_mcp.config import Config, load_config
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.model import ExactRequest, RefreshReport, SearchRequest
from repo_mcp.repository import Repository
from repo_mcp.tool_model import escape_text
from repo_mcp.version import find_version

EXIT_DONE = 0
EXIT_NOTHING_FOUND = 1
EXIT_USAGE = 2
EXIT_FAILURE = 3
EXIT_INTERRUPTED = 130

PROGRAM = "repo-mcp"
USAGE_CODES = frozenset(
    {ErrorCode.CONFIG_INVALID, ErrorCode.INVALID_ARGUMENT, ErrorCode.PATH_INVALID, ErrorCode.PATH_ESCAPE}
)
# The one error of its parser that typer names in public; the others share this base.
UsageError = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])

app = typer.Typer(
    name=PROGRAM,
    help="Search one code repository through its own index, for people and over MCP.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Mode(StrEnum):
    """How `search` matches."""

    BM25 = "bm25"  # ranked
    LITERAL = "literal"
    REGEX = "regex"
    SYMBOL = "symbol"  # ranked, names of declarations


EXACT_MODES = (Mode.LITERAL, Mode.REGEX)
EXACT_LIMIT = 200  # matches when no --top-k is given
Root = Annotated[str, typer.Option("--repo-root", metavar="ROOT", help="The repository.")]
DataDir = Annotated[
    str | None, typer.Option("--data-dir", metavar="DIR", help="Where the index is kept (ROOT/.repo_mcp).")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
MaxFileBytes = Annotated[
    int | None, typer.Option("--max-file-bytes", metavar="N", help="Leave out larger files (2,000,000).")
]


def run(arguments: Sequence[str]) -> int:
    """Run one command line; never raises."""
    try:
        code = typer.main.get_command(app).main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
    except UsageError as error:
        return complain(error.format_message(), f"See {PROGRAM} --help.", EXIT_USAGE)
    except RepoError as error:
        return complain(error.message, error.hint, exit_code_of(error))
    except (KeyboardInterrupt, typer.Abort):
        return complain("interrupted", "", EXIT_INTERRUPTED)
    except (BrokenPipeError, SystemExit):  # the parser and the console turn a broken pipe into an exit of 1
        return leave_pipe()
    except OSError as error:
        return complain(f"the system refused: {error.strerror}", "", EXIT_FAILURE)
    except Exception:
        traceback.print_exc()
        return complain("internal error, a defect of this program", "", EXIT_FAILURE)
    return code if isinstance(code, int) else EXIT_DONE


def leave_pipe() -> int:
    """Whoever read our output is gone. Closing it here keeps the interpreter from complaining at its end."""
    with suppress(BrokenPipeError):
        sys.stdout.close()
    return EXIT_DONE


def exit_code_of(error: RepoError) -> int:
    if error.code == ErrorCode.CANCELLED:
        return EXIT_INTERRUPTED
    return EXIT_USAGE if error.code in USAGE_CODES else EXIT_FAILURE


def complain(message: str, hint: str, code: int) -> int:
    """One line on stderr, whatever the message holds."""
    text = " ".join(message.split())
    if hint:
        text = f"{text}{'' if text.endswith(('.', '?', '!')) else '.'} {' '.join(hint.split())}"
    print(f"{PROGRAM}: {escape_text(text)}", file=sys.stderr)
    return code


def warn(message: str) -> None:
    complain(f"warning: {message}", "", EXIT_DONE)


@contextmanager
def opened(config: Config) -> Iterator[Repository]:
    """The repository for the length of one command; its warnings go to stderr."""
    with closing(Repository(config, report_warning=warn)) as repository:
        yield repository


def refresh(repository: Repository, *, force: bool, quiet: bool) -> RefreshReport:
    with show_progress(quiet=quiet) as progress:
        return repository.refresh(force=force, progress=progress)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"{PROGRAM} {find_version()}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(EXIT_USAGE)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)
def serve(context: typer.Context) -> int:
    """Serve the repository over MCP on standard input and output (see: repo-mcp serve --help)."""
    from repo_mcp import server

    return server.main(context.args)


@app.command()
def index(
    repo_root: Root = ".",
    data_dir: DataDir = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Processes to index with (0: choose).")
    ] = None,
    max_file_bytes: MaxFileBytes = None,
    force: Annotated[bool, typer.Option("--force", help="Build again from scratch.")] = False,
    structure: Annotated[
        bool | None,
        typer.Option("--structure/--no-structure", help="What files declare and use (if it is there)."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Build the index, or bring it up to date; then the structure of the files, where that is wanted."""
    config = load_config(
        repo_root, data_dir=data_dir, workers=workers, limits=chosen_limits(max_file_bytes=max_file_bytes)
    )
    with opened(config) as repository:
        report = refresh(repository, force=force, quiet=as_json)
        renew_structure(repository, structure, force=force, quiet=as_json, warn=warn)
        state = repository.structure.status()
        if as_json:
            write_json({**to_plain(report), "structure": to_plain(state)})
        else:
            Renderer().refreshed(report, repository.status(), describe_structure(state))
    return EXIT_DONE


@app.command()
def compact(
    repo_root: Root = ".",
    data_dir: DataDir = None,
    full: Annotated[bool, typer.Option("--full", help="Merge everything into one segment.")] = False,
    as_json: AsJson = False,
) -> int:
    """Merge the segments of the index, and those of the structure of the files."""
    with opened(load_config(repo_root, data_dir=data_dir)) as repository:
        report = repository.compact(full=full)
        structure = repository.structure.compact(full=full) if repository.structure.exists else None
    if as_json:
        write_json({**to_plain(report), "structure": None if structure is None else to_plain(structure)})
    else:
        Renderer().compacted(report)
        if structure is not None:
            Renderer().compacted(structure)
    return EXIT_DONE


@app.command()
def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words, identifiers, a question; a text or expression.")
    ],
    repo_root: Root = ".",
    data_dir: DataDir = None,
    mode: Annotated[Mode, typer.Option("--mode", help="How to match.")] = Mode.BM25,
    literal: Annotated[bool, typer.Option("--literal", "-F", help="Exact text: --mode literal.")] = False,
    regex: Annotated[bool, typer.Option("--regex", "-E", help="RE2 expression: --mode regex.")] = False,
    ignore_case: Annotated[bool, typer.Option("--ignore-case", "-i", help="Exact, in any case.")] = False,
    word: Annotated[bool, typer.Option("--word", "-w", help="Exact, whole words only.")] = False,
    top_k: Annotated[
        int | None, typer.Option("--top-k", metavar="N", help="Hits to print (10; exact: 200).")
    ] = None,
    glob: Annotated[str | None, typer.Option("--glob", metavar="G", help="Only files that match.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="L", help="Only this language.")
    ] = None,
    tests: Annotated[bool, typer.Option("--tests/--no-tests", help="With files of tests.")] = True,
    explain: Annotated[bool, typer.Option("--explain", help="Say what each signal gave to a score.")] = False,
    max_file_bytes: MaxFileBytes = None,
    as_json: AsJson = False,
) -> int:
    """Search, best hits first, or exactly, by path and line. Indexes first what is not indexed yet."""
    config = load_config(repo_root, data_dir=data_dir, limits=chosen_limits(max_file_bytes=max_file_bytes))
    mode = choose_mode(mode, literal=literal, regex=regex, exactly=ignore_case or word)
    if mode in EXACT_MODES:
        exact = ExactRequest(
            query,
            mode is Mode.REGEX,
            not ignore_case,
            word,
            glob,
            None,
            language,
            tests,
            top_k or EXACT_LIMIT,
        )
        return search_exactly(config, exact, as_json=as_json)
    request = SearchRequest(
        query, chosen_top_k(config, top_k), glob, language, tests, symbols_only=mode is Mode.SYMBOL
    )
    if not query.strip():
        raise RepoError(ErrorCode.INVALID_ARGUMENT, "The query is empty.", "Give at least one word.")
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=as_json)
        answer = repository.search(request)
    if as_json:
        document = to_plain(answer)
        for row, hit in zip(document["hits"], answer.hits, strict=True):
            del row["explanation"]
            if explain:
                row["explanation"] = dict(hit.explanation)
        write_json(document)
    else:
        Renderer().found(answer, explain=explain)
        for message in answer.warnings:
            warn(message)
    return EXIT_DONE if answer.hits else EXIT_NOTHING_FOUND


def choose_mode(mode: Mode, *, literal: bool, regex: bool, exactly: bool) -> Mode:
    """The mode that the options mean together. INVALID_ARGUMENT when they contradict each other."""
    asked = {Mode.LITERAL: literal, Mode.REGEX: regex, mode: mode is not Mode.BM25}
    modes = [one for one, is_asked in asked.items() if is_asked] or [Mode.LITERAL if exactly else mode]
    if len(modes) > 1 or (exactly and modes[0] not in EXACT_MODES):
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "These ways to match exclude each other.",
            "Give --literal or --regex, either with --ignore-case and --word, or another --mode without.",
        )
    return modes[0]


def search_exactly(config: Config, request: ExactRequest, *, as_json: bool) -> int:
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=as_json)
        answer = repository.search_exact(request, scan=True)
    if as_json:
        write_json(to_plain(answer))
    else:
        Renderer().matched(answer)
        for message in answer.warnings:
            warn(message)
    return EXIT_DONE if answer.total else EXIT_NOTHING_FOUND


def bring_up_to_date(repository: Repository, *, quiet: bool) -> None:
    """Refresh; where another process is at it, the index that is there has to do."""
    try:
        refresh(repository, force=False, quiet=quiet)
    except RepoError as error:
        if error.code != ErrorCode.BUSY or not repository.index_exists:
            raise
        warn(f"{error.message} The answer is from the index as it is.")


def chosen_limits(**given: int | None) -> dict[str, int]:
    return {name: value for name, value in given.items() if value is not None}


def chosen_top_k(config: Config, top_k: int | None) -> int:
    """The number of hits asked for, or the default; refused outside 1 to the limit."""
    if top_k is None:
        return config.limits.default_search_hits
    if not 1 <= top_k <= config.limits.max_search_hits:
        limit = config.limits.max_search_hits
        raise RepoError(ErrorCode.INVALID_ARGUMENT, f"--top-k is {top_k}.", f"Give 1 to {limit}.")
    return top_k


@app.command("open")
def open_lines(
    target: Annotated[str, typer.Argument(metavar="PATH[:START[-END]]", help="File and lines.")],
    repo_root: Root = ".",
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> int:
    """Print lines of a file, with their numbers."""
    path, start_line, end_line = parse_target(target)
    with opened(load_config(repo_root, data_dir=data_dir)) as repository:
        text = repository.open_file(path, start_line, end_line)
    if as_json:
        document = to_plain(text)
        lines = document.pop("lines")
        numbered = (f"{number}\t{line}\n" for number, line in enumerate(lines, text.start_line))
        write_json({**document, "content": "".join(numbered)})
    else:
        Renderer().opened(text)
        for message in text.warnings:
            warn(message)
    return EXIT_DONE


@app.command("outline")
def outline_file(
    path: Annotated[str, typer.Argument(metavar="PATH", help="File.")],
    repo_root: Root = ".",
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> int:
    """Print what a file declares: functions, classes, headings, keys, with their lines."""
    with opened(load_config(repo_root, data_dir=data_dir)) as repository:
        found = repository.outline(path)
    if as_json:
        write_json(to_plain(found))
    else:
        Renderer().outlined(found)
        for message in found.warnings:
            warn(message)
    return EXIT_DONE


@app.command()
def bundle(
    prompt: Annotated[
        str, typer.Argument(metavar="PROMPT", help="A task or question; - reads standard input.")
    ],
    repo_root: Root = ".",
    data_dir: DataDir = None,
    max_files: Annotated[int | None, typer.Option("--max-files", metavar="N", help="Files (8).")] = None,
    max_total_lines: Annotated[
        int | None, typer.Option("--max-total-lines", metavar="N", help="Lines of all excerpts (400).")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", help="Tokens, estimated (no limit).")
    ] = None,
    tests: Annotated[bool, typer.Option("--tests/--no-tests", help="With files of tests.")] = True,
    last_bundle: Annotated[
        bool, typer.Option("--last-bundle/--no-last-bundle", help="Keep a copy in the data directory.")
    ] = True,
    as_json: AsJson = False,
) -> int:
    """Collect cited excerpts for a task or question, as Markdown. Indexes first what is not indexed yet."""
    text = sys.stdin.read() if prompt == "-" else prompt
    request = BundleRequest(text, max_files, max_total_lines, max_tokens, include_tests=tests)
    config = load_config(repo_root, data_dir=data_dir, last_bundle=last_bundle)
    check_request(request, config.limits)
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=as_json)
        built = repository.bundle(request)
    if as_json:
        write_json(build_document(built) | {"warnings": list(built.warnings)})
    else:
        print(render_markdown(built), end="")
        for message in built.warnings:
            warn(message)
    return EXIT_DONE if built.selections else EXIT_NOTHING_FOUND


def parse_target(target: str) -> tuple[str, int | None, int | None]:
    """Path, first and last line of `PATH[:START[-END]]`; one number alone is that line and what follows."""
    match = re.fullmatch(r"(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?)?", target, re.DOTALL)
    if match is None:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT, "The path is empty.", "Give PATH, PATH:START or PATH:START-END."
        )
    first, last = match.group(2), match.group(3)
    return match.group(1), int(first) if first else None, int(last) if last else None


@app.command()
def status(repo_root: Root = ".", data_dir: DataDir = None, as_json: AsJson = False) -> int:
    """Say what is indexed, what was left out, and how old the index is."""
    with opened(load_config(repo_root, data_dir=data_dir)) as repository:
        state = repository.status()
        structure = repository.structure.status()
        root_name = repository.root_name
    if as_json:
        document = {"root": root_name, "version": find_version(), **to_plain(state)}
        write_json(document | {"structure": to_plain(structure)})
    else:
        Renderer().told(root_name, state, describe_structure(structure))
    return EXIT_DONE


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)
def doctor(context: typer.Context) -> int:
    """Check configuration, data directory, index, key and clients; say what to do (options as for serve)."""
    from repo_mcp.cli.doctor import examine

    return examine(context.args)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)
def config(context: typer.Context) -> int:
    """Show every key of the configuration, its value and who set it (--show; options as for serve)."""
    from repo_mcp.cli.configuration import show_config

    return show_config(context.args, warn)
