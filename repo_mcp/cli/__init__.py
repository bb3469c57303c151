"""`repo-mcp`: the commands for people. Only this package prints.

`serve` passes to the server before anything made for people is imported, so that a client does not wait
for those imports.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 done, 1 nothing found, 2 usage or configuration, 3 index or repository error, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["serve"]:
        from repo_mcp import server

        return server.main(arguments[1:])
    from repo_mcp.config.server_config import choose_instructions

    choose_instructions()  # before numpy is imported
    if sys.platform == "win32":
        _write_utf8()
    from repo_mcp.cli.app import run

    return run(arguments)


def _write_utf8() -> None:
    """Let pipes and files get UTF-8, as consoles do: the code page of Windows has no character for a bar."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
