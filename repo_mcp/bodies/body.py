"""A declaration as lines to choose from, and what a line takes when it is shown.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from repo_mcp.record_classes import dataclass, replace

MAX_LINE_CHARS = 140  # of a line that is shown
NUMBER_CHARS = 6  # of a line's number, tab and line end
# A line for a preprocessor. It stands at the margin, so it would seem to enclose what follows.
_DIRECTIVE = re.compile(
    r"\s*#\s*(?:if|ifdef|ifndef|el(?:se|if)\w*|endif|pragma|region|endregion|line|nullable)\b"
)
_SAYS_NOTHING = re.compile(r"[\s\])};,{]*+(?:end)?[\s;]*$")
_IMPORT = re.compile(
    r"^[ \t]*(?:import|export|from|const|let|var)\b[^;'\"(]{0,2000}(?:from|require\()"
    r"\s*['\"][^'\"\n]*['\"]\)?;?"
    r"|^[ \t]*from\s+[\w.]+\s+import\s*\([^)]{0,2000}\)"
    r"|^[ \t]*(?:import|from|using|(?:pub )?use|package|namespace|mod|require(?:_relative)?|#include|<\?php)"
    r"\b.*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Body:
    """A declaration whose lines are chosen from."""

    lines: Sequence[str]  # of the whole file
    start_line: int  # 1-based, both included
    end_line: int
    head_line: int  # the first line of the declaration itself
    terms: Mapping[int, tuple[str, ...]]  # of the question, by line
    comment_lines: Set[int]  # lines of comments and docstrings

    @property
    def line_count(self) -> int:
        """Return the number of lines."""
        return self.end_line - self.start_line + 1


def only_imports(body: Body) -> bool:
    """Return True for lines that only import or include what others declare, and their comments."""
    numbers = range(body.start_line, min(body.end_line, len(body.lines)) + 1)
    code = "\n".join(body.lines[number - 1] for number in numbers if number not in body.comment_lines)
    return re.search(r"\w", _IMPORT.sub("", code)) is None


def says_nothing(line: str) -> bool:
    """Return True for a line that is blank or only closes something: brackets, commas, semicolons, `end`."""
    return _SAYS_NOTHING.match(line) is not None


def list_code(body: Body) -> list[int]:
    """Return the numbers of the lines of a declaration that are code and do not only close something."""
    numbers = range(body.head_line, min(body.end_line, len(body.lines)) + 1)
    return [at for at in numbers if at not in body.comment_lines and not says_nothing(body.lines[at - 1])]


def is_directive(line: str) -> bool:
    """Return True for a line for a preprocessor, such as `#ifdef`."""
    return _DIRECTIVE.match(line) is not None


def measure_indent(line: str) -> int:
    """Return the number of blanks before the text of a line."""
    return len(line) - len(line.lstrip())


def iter_enclosing(lines: Sequence[str], at: int, most: int) -> Iterator[str]:
    """Yield those of the lines above one that have less indentation than all below them, the nearest first.

    Blank lines, and such as only open a brace, are skipped.
    """
    indent = measure_indent(lines[at - 1]) if at <= len(lines) else 0
    for line in reversed(lines[max(0, at - 1 - most) : at - 1]):
        if measure_indent(line) < indent and line.strip() not in ("", "{"):
            indent = measure_indent(line)
            yield line


def find_margin(lines: Sequence[str]) -> int:
    """Return the number of characters of indentation that all lines share.

    Blank lines and those for a preprocessor do not count.
    """
    indented = (line for line in lines if line.strip() and not is_directive(line))
    margins = sorted({line[: len(line) - len(line.lstrip())] for line in indented})
    if not margins:
        return 0
    pairs = enumerate(zip(margins[0], margins[-1], strict=False))  # what these two share, all share
    return next((at for at, (one, other) in pairs if one != other), len(margins[0]))


def cut_margin(line: str, margin: int) -> str:
    """Return a line without a margin; one that begins in it, without all its indentation."""
    return line[margin:] if not line[:margin].strip() else line.lstrip()


def trim_margin(body: Body) -> Body:
    """Return a body without the indentation that its lines share."""
    first, last = body.start_line - 1, body.end_line
    own = body.lines[first:last]
    margin = find_margin(own)
    if not margin:
        return body
    return replace(
        body, lines=[*body.lines[:first], *(cut_margin(line, margin) for line in own), *body.lines[last:]]
    )


def are_twins(own: Set[str], others: Set[str], least: int, share: float) -> bool:
    """Return True if the shorter of two sets of lines has `least`, and the other has this share of them."""
    shorter = min(len(own), len(others))
    return shorter >= least and len(own & others) >= share * shorter


def measure(lines: Sequence[str], numbers: Sequence[int]) -> int:
    """Return the number of characters that lines take when shown with their numbers."""
    return sum(min(len(lines[number - 1].rstrip()), MAX_LINE_CHARS) + NUMBER_CHARS for number in numbers)
