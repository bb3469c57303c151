"""The console for text for people: coloured on a terminal, plain in a pipe or when NO_COLOR is set.

Contents of files and names are shown with their control characters made visible, so that no file can
move the cursor or rewrite what is on the screen.
"""

from __future__ import annotations

import sys
from enum import StrEnum

from repo_mcp.cli.console.text import Console
from repo_mcp.config.server_config import wants_colour
from repo_mcp.text.escapes import escape_text

PATH = "bold magenta"
NUMBER = "green"
MATCH = "bold red"
FAINT = "dim"


class Colour(StrEnum):
    """The choice of when to write colours."""

    AUTO = "auto"  # on a terminal, unless NO_COLOR is set
    ALWAYS = "always"
    NEVER = "never"


def open_console(colour: Colour = Colour.AUTO) -> Console:
    """Open a console on standard output. Long lines are not wrapped."""
    is_auto = colour is Colour.AUTO
    return Console(
        coloured=wants_colour(is_terminal=sys.stdout.isatty()) if is_auto else colour is Colour.ALWAYS
    )


def visible(text: str) -> str:
    """Replace tabs by spaces, and everything else that a terminal would interpret by its code."""
    return escape_text(text.expandtabs(4))


def show_size(size: int) -> str:
    """Render a number of bytes in a suitable unit."""
    if size < 1_000:
        return f"{size} byte{'' if size == 1 else 's'}"
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"
