"""`open`, `outline` and `bundle`: text of the repository for a person to read."""

from __future__ import annotations

import re
from argparse import BooleanOptionalAction, Namespace

from repo_mcp.cli.console import parameters
from repo_mcp.cli.console.endings import Command, warn
from repo_mcp.cli.console.opening import bring_up_to_date, load, opened
from repo_mcp.cli.console.working_root import find_working_root
from repo_mcp.config.command_parser import CommandParser
from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.exit_codes import EXIT_DONE, EXIT_NOTHING_FOUND


def build_open_parser() -> CommandParser:
    """Build the parser of `open`."""
    parser = CommandParser(
        "repo-mcp open",
        "[options] PATH[:START[-END]]",
        """Print lines of a file, with their numbers.

PATH alone prints the first 200 lines, PATH:START 200 lines from START, and
PATH:START-END exactly those.""",
        (
            "repo-mcp open README.md",
            "repo-mcp open src/checksum.c:10-25",
            "repo-mcp open src/ledger/accounts.py --symbol Account.post",
        ),
    )
    parser.add_argument("target", metavar="PATH[:START[-END]]", help="file, and its lines")
    parser.add_argument("--symbol", metavar="NAME", help="the declaration of this name instead")
    parser.add_argument("--around", metavar="LINE", type=int, help="the declaration around a line instead")
    parameters.add_max_file_bytes(parser)
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def open_lines(options: Namespace) -> int:
    """Print lines of a file. Raises RepoError."""
    from repo_mcp.cli.console.plain import to_plain, write_json
    from repo_mcp.cli.console.render import Renderer

    given, start_line, end_line = parse_target(options.target)
    path = find_working_root(options.repo_root).read(given)
    ways = [one for one in (options.symbol, options.around, start_line) if one is not None]
    if len(ways) > 1:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "Lines, --symbol and --around exclude each other.",
            "Give PATH:START-END, or PATH and one of the options.",
        )
    with opened(load(options)) as repository:
        text = repository.open_file(path, start_line, end_line, symbol=options.symbol, around=options.around)
    if options.json:
        document = to_plain(text)
        lines = document.pop("lines")
        numbered = (f"{number}\t{line}\n" for number, line in enumerate(lines, text.start_line))
        write_json({**document, "content": "".join(numbered)})
    else:
        Renderer().opened(text)
        for message in text.warnings:
            warn(message)
    return EXIT_DONE


def parse_target(target: str) -> tuple[str, int | None, int | None]:
    """Split `PATH[:START[-END]]` into path, first and last line. Raises RepoError with INVALID_ARGUMENT.

    Also reads what other programs print: `PATH:LINE:COLUMN`, `PATH:LINE:` and `PATH#L10-L25`.
    """
    match = re.fullmatch(r"(.+?)(?:(?::|#L)(\d{1,9})(?:-L?(\d{1,9})|:\d{0,9}:?)?)?", target, re.DOTALL)
    if match is None:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT, "The path is empty.", "Give PATH, PATH:START or PATH:START-END."
        )
    first, last = match.group(2), match.group(3)
    return match.group(1), int(first) if first else None, int(last) if last else None


def build_outline_parser() -> CommandParser:
    """Build the parser of `outline`."""
    parser = CommandParser(
        "repo-mcp outline",
        "[options] PATH",
        "Print what a file declares, with line numbers: functions, classes, headings, ...",
        ("repo-mcp outline src/checksum.c", "repo-mcp outline README.md"),
    )
    parser.add_argument("path", metavar="PATH", help="file")
    parameters.add_max_file_bytes(parser)
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def outline_file(options: Namespace) -> int:
    """Print what a file declares. Raises RepoError."""
    from repo_mcp.cli.console.plain import to_plain, write_json
    from repo_mcp.cli.console.render import Renderer

    with opened(load(options)) as repository:
        found = repository.outline(find_working_root(options.repo_root).read(options.path))
    if options.json:
        write_json(to_plain(found))
    else:
        Renderer().outlined(found)
        for message in found.warnings:
            warn(message)
    return EXIT_DONE


def build_bundle_parser() -> CommandParser:
    """Build the parser of `bundle`."""
    parser = CommandParser(
        "repo-mcp bundle",
        "[options] PROMPT",
        """Collect cited excerpts for a task or question, as Markdown. The index is built
or brought up to date first.""",
        (
            'repo-mcp bundle "Why does a transfer fail without an account?"',
            'repo-mcp bundle "Add a checksum" --max-files 4 --max-total-lines 120',
            "repo-mcp bundle - < README.md",
        ),
    )
    add = parser.add_argument
    add("prompt", metavar="PROMPT", help="a task or question; - reads standard input")
    add("--max-files", metavar="N", type=int, help="files (default: 8)")
    add("--max-total-lines", metavar="N", type=int, help="lines of all excerpts (default: 400)")
    add("--max-tokens", metavar="N", type=int, help="estimated tokens (default: no limit)")
    parameters.add_tests(parser)
    add(
        "--last-bundle",
        action=BooleanOptionalAction,
        default=True,
        help="keep a copy in the data directory (default: yes)",
    )
    parameters.add_json(parser)
    parameters.add_place(parser)
    return parser


def bundle(options: Namespace) -> int:
    """Print the excerpts for a prompt. Raises RepoError."""
    from repo_mcp.bundler.build import check_request
    from repo_mcp.bundler.document import build_document
    from repo_mcp.bundler.markdown import render_markdown
    from repo_mcp.bundler.records import BundleRequest
    from repo_mcp.cli.console.plain import write_json

    request = BundleRequest(
        parameters.read_text(options.prompt),
        options.max_files,
        options.max_total_lines,
        options.max_tokens,
        include_tests=options.tests,
    )
    config = load(options, last_bundle=options.last_bundle)
    check_request(request, config.limits)
    with opened(config) as repository:
        bring_up_to_date(repository, quiet=options.json)
        built = repository.engines.bundles.build(request)
    if options.json:
        write_json(build_document(built) | {"warnings": list(built.warnings)})
    else:
        print(render_markdown(built), end="")
        for message in built.warnings:
            warn(message)
    return EXIT_DONE if built.selections else EXIT_NOTHING_FOUND


OPEN = Command(build_open_parser, open_lines)
OUTLINE = Command(build_outline_parser, outline_file)
BUNDLE = Command(build_bundle_parser, bundle)
