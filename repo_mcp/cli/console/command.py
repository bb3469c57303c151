"""A command: how its command line is read, and what it does."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from repo_mcp.config.command_parser import CommandParser


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the program."""

    build_parser: Callable[[], CommandParser]
    run: Callable[[Namespace], int]  # returns the exit code; raises RepoError
    takes_more: bool = False  # what its parser does not know is kept in `rest`: options of serve
