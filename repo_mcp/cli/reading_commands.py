"""`open`, `outline` and `bundle`: text of the repository for a person to read."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from repo_mcp.bundler.build import check_request
from repo_mcp.bundler.document import build_document
from repo_mcp.bundler.markdown import render_markdown
from repo_mcp.bundler.records import BundleRequest
from repo_mcp.cli.console.endings import EXIT_DONE, EXIT_NOTHING_FOUND, warn
from repo_mcp.cli.console.opening import bring_up_to_date, opened
from repo_mcp.cli.console.parameters import AllowPath, AsJson, DataDir, Root
from repo_mcp.cli.console.place import find_place
from repo_mcp.cli.console.plain import to_plain, write_json
from repo_mcp.cli.console.render import Renderer
from repo_mcp.config.server_config import load_config
from repo_mcp.errors import ErrorCode, RepoError


def open_lines(
    target: Annotated[str, typer.Argument(metavar="PATH[:START[-END]]", help="File, and its lines.")],
    symbol: Annotated[
        str | None, typer.Option("--symbol", metavar="NAME", help="The declaration of this name instead.")
    ] = None,
    around: Annotated[
        int | None,
        typer.Option("--around", metavar="LINE", min=1, help="The declaration around a line instead."),
    ] = None,
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    as_json: AsJson = False,
) -> int:
    """Print lines of a file, with their numbers.

    PATH alone prints the first 200 lines, PATH:START 200 lines from START, PATH:START-END exactly those.

    \b
    Examples:
      repo-mcp open README.md
      repo-mcp open src/checksum.c:10-25
      repo-mcp open src/ledger/accounts.py --symbol Account.post
    """
    path, start_line, end_line = parse_target(target)
    ways = [one for one in (symbol, around, start_line) if one is not None]
    if len(ways) > 1:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT,
            "Lines, --symbol and --around exclude each other.",
            "Give PATH:START-END, or PATH and one of the options.",
        )
    place = find_place(repo_root)
    with opened(load_config(place.root, data_dir=data_dir, allow_paths=allow_path)) as repository:
        text = repository.open_file(place.read(path), start_line, end_line, symbol=symbol, around=around)
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


def parse_target(target: str) -> tuple[str, int | None, int | None]:
    """Split `PATH[:START[-END]]` into path, first and last line. Raises RepoError with INVALID_ARGUMENT."""
    match = re.fullmatch(r"(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?)?", target, re.DOTALL)
    if match is None:
        raise RepoError(
            ErrorCode.INVALID_ARGUMENT, "The path is empty.", "Give PATH, PATH:START or PATH:START-END."
        )
    first, last = match.group(2), match.group(3)
    return match.group(1), int(first) if first else None, int(last) if last else None


def outline_file(
    path: Annotated[str, typer.Argument(metavar="PATH", help="File.")],
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    as_json: AsJson = False,
) -> int:
    """Print what a file declares, with line numbers: functions, classes, headings, keys.

    \b
    Examples:
      repo-mcp outline src/checksum.c
      repo-mcp outline README.md
    """
    place = find_place(repo_root)
    with opened(load_config(place.root, data_dir=data_dir, allow_paths=allow_path)) as repository:
        found = repository.outline(place.read(path))
    if as_json:
        write_json(to_plain(found))
    else:
        Renderer().outlined(found)
        for message in found.warnings:
            warn(message)
    return EXIT_DONE


def bundle(
    prompt: Annotated[
        str, typer.Argument(metavar="PROMPT", help="A task or question; - reads standard input.")
    ],
    repo_root: Root = None,
    data_dir: DataDir = None,
    allow_path: AllowPath = None,
    max_files: Annotated[int | None, typer.Option("--max-files", metavar="N", help="Files (8).")] = None,
    max_total_lines: Annotated[
        int | None, typer.Option("--max-total-lines", metavar="N", help="Lines of all excerpts (400).")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", help="Estimated tokens (no limit).")
    ] = None,
    tests: Annotated[bool, typer.Option("--tests/--no-tests", help="Include test files.")] = True,
    last_bundle: Annotated[
        bool, typer.Option("--last-bundle/--no-last-bundle", help="Keep a copy in the data directory.")
    ] = True,
    as_json: AsJson = False,
) -> int:
    """Collect cited excerpts for a task or question, as Markdown. Indexes first if it has to.

    \b
    Examples:
      repo-mcp bundle "Why does a transfer fail without an account?"
      repo-mcp bundle "Add a checksum" --max-files 4 --max-total-lines 120
      repo-mcp bundle - < README.md
    """
    text = sys.stdin.read() if prompt == "-" else prompt
    request = BundleRequest(text, max_files, max_total_lines, max_tokens, include_tests=tests)
    root = find_place(repo_root).root
    config = load_config(root, data_dir=data_dir, allow_paths=allow_path, last_bundle=last_bundle)
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
