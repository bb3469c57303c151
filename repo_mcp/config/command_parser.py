"""The parser of a command line: help within 80 columns, and one line for a fault.

Every command of `repo-mcp` has one, `serve` included, so that all of them look alike.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Sequence
from typing import Any, NoReturn

from repo_mcp.errors import shorten_message
from repo_mcp.exit_codes import EXIT_USAGE

HELP_COLUMNS = 80
TOO_MANY = "unexpected argument; a repository is named with --repo-root"


class CommandParser(argparse.ArgumentParser):
    """Reads the arguments of one command."""

    def __init__(
        self,
        program: str,
        usage: str,
        description: str,
        examples: Sequence[str],
        *,
        abbreviates: bool = False,
    ) -> None:
        """`usage` is what follows the program's name; each example is a whole command line.

        Where options may be abbreviated, a new one can change what an old command line means.
        """
        super().__init__(
            prog=program,
            usage=f"{program} {usage}",
            description=description,
            epilog="\n  ".join(["examples:", *examples]),
            formatter_class=_Help,
            allow_abbrev=abbreviates,
            add_help=False,
        )
        self._positionals.title = "arguments"
        self.add_argument("-h", "--help", action="help", help="print this help")

    def error(self, message: str) -> NoReturn:
        """Print the fault on one line, and exit with EXIT_USAGE."""
        shown = re.sub(r"^the following arguments are required: (.*)$", r"\1 is missing", message)
        shown = re.sub(r"^unrecognized arguments: ([^-].*)$", rf"\1: {TOO_MANY}", shown)
        shown = re.sub(
            r"^unrecognized arguments: (\S+).*$",
            r"there is no option \1; after --, a word may begin with -",
            shown,
        )
        shown = re.sub(r"^argument (\S+): ", r"\1: ", shown)
        shown = re.sub(r"invalid int value: (.*)$", r"\1 is not a whole number", shown)
        shown = re.sub(r"invalid float value: (.*)$", r"\1 is not a number", shown)
        shown = re.sub(r"invalid choice: (.*) \(choose from (.*)\)$", r"\1 is none of \2", shown)
        shown = re.sub(r"expected one argument$", "a value is missing", shown)
        self.exit(EXIT_USAGE, f"{self.prog}: {shorten_message(shown)}. See {self.prog} --help.\n")


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, **more: Any) -> None:
        width = min(HELP_COLUMNS, shutil.get_terminal_size().columns)
        super().__init__(prog, max_help_position=26, width=width, **more)
