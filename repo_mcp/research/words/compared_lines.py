"""Tell which lines of a type that is compared with another one count most: its fields with defaults. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

LINE_CHARS = 400  # read of a field, so that none takes long
# `this[kDepth] = depth != null ? depth : 1`, `self.depth = depth or 1`, `private int depth = 1;`
_DEFAULT = re.compile(
    r"\s*+(?:this\b|self\b|@)[\w.#\[\]$]*+\s*+(?::[^=]{1,60})?=(?!=)\s*+\S.*"
    r"(?:\?\?|\|\||\?.*:|\bor\b|\bif\b.*\belse\b)"
    r"|\s*+(?:(?:public|private|protected|internal|static|readonly|final|volatile)\s++){1,6}"
    r"[\w<>\[\]?,. ]++=(?![=>])\s*+[^;(]++;"
)


def match_defaults(text: str) -> Sequence[str]:
    """Return a text that gives a field its default; nothing for others."""
    return [text] if _DEFAULT.match(text[:LINE_CHARS]) else ()
