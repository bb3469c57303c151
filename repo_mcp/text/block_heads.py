"""Finds the lines that begin the blocks around a line, by indentation: in any language, without a parser.

Left out: blocks of text that is not indented, and which keyword begins a block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.text.lines import COMMENT_STARTS

MOST_HEADS = 6  # of the blocks around a line: what has to hold for it to be reached
_GOES_ON = re.compile(r"\s*(?:[)\]}{]|else\b|el(?:s?if|sei)\b|except\b|catch\b|rescue\b|finally\b)")
_CONDITIONAL = re.compile(r"#\s*(?:if|el|endif|define|undef|pragma)")  # the preprocessor's, at any depth


def list_heads(lines: Sequence[str], most: int = MOST_HEADS) -> list[int]:
    """Return the places, from 0, of lines that begin the blocks around the last of some lines.

    A block begins at the nearest line above that is indented less. For `else` and the like, the line that it
    goes on from is returned as well, and so it is for a bracket alone and for the end of a signature, which
    are left out. At most so many are returned, the innermost first.
    """
    heads: list[int] = []
    depth = measure_depth(lines[-1])
    for at in range(len(lines) - 2, -1, -1):
        line = lines[at]
        own = measure_depth(line)
        if own < depth and _may_begin(line.strip()):
            heads += [] if line.strip() == "{" or line.lstrip().startswith(")") else [at]
            depth = own + 1 if _GOES_ON.match(line) else own
    return heads[:most]


def _may_begin(text: str) -> bool:
    return bool(text) and not text.startswith(COMMENT_STARTS) and not _CONDITIONAL.match(text)


def measure_depth(line: str) -> int:
    """Return by how many columns a line is indented; a tab reaches to the next multiple of four."""
    spread = line.expandtabs(4)
    return len(spread) - len(spread.lstrip())
