"""Cut the lines that are too long for an answer, and word the warnings about what a text may hide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.config.server_config import Config
from repo_mcp.text.lines import is_plain

ORDINARY_CHARS = 19_000  # every client passes on so many; an answer has more only if the arguments ask for it
LONG_LINE_CHARS = 2_000  # shown of a longer line
MAY_HIDE = "Control or bidirectional characters may hide text"  # a warning; where they are follows
_NAMED = 5  # how many numbers a warning lists


def warn_of_escapes(warnings: list[str], paths: Iterable[str]) -> None:
    """Add a warning when an answer shows some of the paths with escapes."""
    if not is_plain("".join(paths)):
        warnings.append(
            "A path has control, bidirectional or zero-width characters, shown as \\uXXXX: give it as shown."
        )


def name_some(numbers: Sequence[int], one: str = "line", several: str = "lines") -> str:
    """Return the first few numbers as a warning names them: "line 7", "lines 1, 2, 3, 5, 8 and 4 more"."""
    named = ", ".join(map(str, numbers[:_NAMED]))
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return f"{several if len(numbers) > 1 else one} {named}{more}"


def choose_line_chars(config: Config, lines: Iterable[str]) -> int:
    """Return how many characters of each line are shown by a tool that gives lines whole.

    All, unless a limit was set, or no client would pass one of the lines on: it is data, or minified code.
    """
    most = config.limits.max_line_chars
    if "max_line_chars" in config.given or most < LONG_LINE_CHARS:
        return most
    longest = max(map(len, lines), default=0)
    return longest if longest <= ORDINARY_CHARS else LONG_LINE_CHARS


def cut_line(line: str, most: int) -> str:
    """Return a line, or its first `most` characters with a mark that says how many it has."""
    return line if len(line) <= most else f"{line[:most]}… [cut: the line has {len(line):,} characters]"
