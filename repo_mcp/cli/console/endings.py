"""The endings of a command: its exit codes, and one line on standard error for each fault."""

from __future__ import annotations

import sys
from contextlib import suppress

from repo_mcp.errors import ErrorCode, RepoError
from repo_mcp.protocol.tool_model import escape_text

EXIT_DONE = 0
EXIT_NOTHING_FOUND = 1
EXIT_USAGE = 2
EXIT_FAILURE = 3
EXIT_INTERRUPTED = 130

PROGRAM = "repo-mcp"
USAGE_CODES = frozenset(
    {ErrorCode.CONFIG_INVALID, ErrorCode.INVALID_ARGUMENT, ErrorCode.PATH_INVALID, ErrorCode.PATH_ESCAPE}
)


def exit_code_of(error: RepoError) -> int:
    """Return the exit code of an error."""
    if error.code == ErrorCode.CANCELLED:
        return EXIT_INTERRUPTED
    return EXIT_USAGE if error.code in USAGE_CODES else EXIT_FAILURE


def complain(message: str, hint: str, code: int) -> int:
    """Print a message on one line of stderr, and return `code`."""
    text = " ".join(message.split())
    if hint:
        text = f"{text}{'' if text.endswith(('.', '?', '!')) else '.'} {' '.join(hint.split())}"
    print(f"{PROGRAM}: {escape_text(text)}", file=sys.stderr)
    return code


def warn(message: str) -> None:
    """Print a warning on one line of stderr."""
    complain(f"warning: {message}", "", EXIT_DONE)


def leave_pipe() -> int:
    """Close standard output, whose reader is gone, so that the interpreter does not complain at exit."""
    with suppress(BrokenPipeError):
        sys.stdout.close()
    return EXIT_DONE
