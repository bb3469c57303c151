"""Text with styles, and the console that prints it: coloured, or the bare characters.

A style is words of `_CODES`, such as "bold red". Left out on purpose: wrapping, markup, themes.

There are colours on a terminal, and none in a pipe or when NO_COLOR is set. Contents of files and names are
shown with their control characters made visible, so that no file can move the cursor or rewrite what is on
the screen.
"""

from __future__ import annotations

import re
import sys
from enum import StrEnum

from repo_mcp.config.environment import wants_colour
from repo_mcp.text.lines import escape_text

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "magenta": "35",
    "cyan": "36",
}
PATH = "bold magenta"
NUMBER = "green"
MATCH = "bold red"
FAINT = "dim"


class Text:
    """Characters in order, each with a style."""

    def __init__(self, text: str = "", style: str = "") -> None:
        self._parts: list[tuple[str, str]] = [(text, style)] if text else []

    @classmethod
    def assemble(cls, *parts: str | Text | tuple[str, str]) -> Text:
        """Join parts: plain text, styled text, or characters with their style."""
        whole = cls()
        for part in parts:
            if isinstance(part, Text):
                whole._parts += part._parts
            else:
                whole._parts.append((part, "") if isinstance(part, str) else part)
        return whole

    @property
    def plain(self) -> str:
        """Return the characters without their styles."""
        return "".join(text for text, _ in self._parts)

    def append(self, text: str, style: str = "") -> Text:
        """Add characters at the end, and return the whole."""
        self._parts.append((text, style))
        return self

    def append_text(self, other: Text) -> Text:
        """Add another text at the end, and return the whole."""
        self._parts += other._parts
        return self

    def rstrip(self) -> Text:
        """Remove white space at the end, and return the whole."""
        while self._parts:
            text, style = self._parts.pop()
            if text := text.rstrip():
                return self.append(text, style)
        return self

    def highlight(self, pattern: re.Pattern[str], style: str) -> Text:
        """Give every match of a pattern a style, and return the whole. Matches lie within one part."""
        parts: list[tuple[str, str]] = []
        for text, own in self._parts:
            at = 0
            for match in pattern.finditer(text):
                parts += [(text[at : match.start()], own), (match.group(), style)]
                at = match.end()
            parts.append((text[at:], own))
        self._parts = parts
        return self

    def render(self, *, coloured: bool) -> str:
        """Return the characters, with the escape sequences of their styles if `coloured`."""
        if not coloured:
            return self.plain
        return "".join(_paint(text, style) if style and text else text for text, style in self._parts)


class Console:
    """Prints styled text on standard output, each with a line end."""

    def __init__(self, *, coloured: bool) -> None:
        self._coloured = coloured

    def print(self, text: Text) -> None:
        """Print one text."""
        sys.stdout.write(text.render(coloured=self._coloured) + "\n")


def _paint(text: str, style: str) -> str:
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m"


class Colour(StrEnum):
    """The choice of when to write colours."""

    AUTO = "auto"  # colours on a terminal, unless NO_COLOR is set
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
