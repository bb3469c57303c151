"""The endings of a command: its exit codes, and one line on standard error for each fault or note."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress

from repo_mcp.config.command_parser import CommandParser
from repo_mcp.errors import ErrorCode, RepoError, shorten_message
from repo_mcp.exit_codes import EXIT_DONE, EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_USAGE
from repo_mcp.late_patterns import compile_late
from repo_mcp.record_classes import dataclass
from repo_mcp.text.lines import escape_text

PROGRAM = "repo-mcp"
USAGE_CODES = frozenset(
    {ErrorCode.CONFIG_INVALID, ErrorCode.INVALID_ARGUMENT, ErrorCode.PATH_INVALID, ErrorCode.PATH_ESCAPE}
)


# What messages say to models, and what people are told instead; the longer texts come first.
_WORDS = {
    "Ask the user for what you need from it; the operator can serve it with --allow-path.": "--allow-path"
    " serves it.",
    "Ask the user for what you need from it.": "--allow-path serves it.",
    "Ask the user to raise": "Raise",
    "; renaming changes a node_id": "",
    ", or add --any-root": "",
    "repo.status": "repo-mcp status",
    "repo.list_files": "repo-mcp search --files",
    "repo.open_file": "repo-mcp open",
    "repo.outline": "repo-mcp outline",
    "repo.search": "repo-mcp search",
    "repo.refresh_index": "repo-mcp index",
    "repo.build_context_bundle": "repo-mcp bundle",
    "repo.audit_log": "repo-mcp report",
    "search_symbols": "repo-mcp search --mode symbol",
    "lookup_symbol": "repo-mcp definition",
    "get_status": "repo-mcp status",
    "search_code": "repo-mcp search",
    "code_research": "repo-mcp research",
}
_NODE_ID = compile_late(r" \([0-9a-f]{24}\)")
_WORD = compile_late("|".join(map(re.escape, _WORDS)))


def exit_code_of(error: RepoError) -> int:
    """Return the exit code of an error."""
    if error.code == ErrorCode.CANCELLED:
        return EXIT_INTERRUPTED
    return EXIT_USAGE if error.code in USAGE_CODES else EXIT_FAILURE


def complain(message: str, hint: str, code: int) -> int:
    """Print a message on one line of stderr, and return `code`."""
    text = " ".join(shorten_message(message).split())
    if hint:
        text = f"{text}{'' if text.endswith(('.', '?', '!')) else '.'} {' '.join(hint.split())}"
    note(f"{PROGRAM}: {text}")
    return code


def complain_of(error: RepoError) -> int:
    """Print an error in people's words, and return its exit code."""
    return complain(name_commands(error.message), name_commands(error.hint), exit_code_of(error))


def name_commands(text: str) -> str:
    """Put a message for models in people's words: commands instead of tools, and no ids of symbols."""
    return _WORD.sub(lambda match: _WORDS[match.group()], _NODE_ID.sub("", text))


def warn(message: str) -> None:
    """Print a warning on one line of stderr."""
    complain(f"warning: {name_commands(message)}", "", EXIT_DONE)


def note(text: str) -> None:
    """Print a remark about the answer on one line of stderr, below what was printed of it so far.

    Standard output has only the answer, so that it can be piped.
    """
    sys.stdout.flush()
    print(escape_text(text), file=sys.stderr)


def close_broken_pipe() -> int:
    """Close standard output, whose reader is gone, so that the interpreter does not complain at exit."""
    with suppress(BrokenPipeError):
        sys.stdout.close()
    return EXIT_DONE


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the program."""

    build_parser: Callable[[], CommandParser]
    run: Callable[[Namespace], int]  # returns the exit code; raises RepoError
    takes_more: bool = False  # what its parser does not know is kept in `rest`: options of serve
