"""Find the lines that take a variable of the environment by a constant that holds its name.

    const ENV_PORT: &str = "PORT";        the constant
    std::env::var(ENV_PORT)               takes PORT from the environment

Left out: names that are joined from several texts, and constants that are passed on to other functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from repo_mcp.model import ExactMatch
from repo_mcp.research.settings.line_use import GIVEN

MOST_CONSTANTS = 3  # of one name
_HOLDS = r"\b([A-Za-z_]\w{2,})\b(?:\s*:[^=\n]{1,60}|\s+string)?\s*:?=\s*[\"'`]NAME[\"'`]"
_TAKES = r"\b\w{0,40}env\w{0,40}[\w.:!]{0,80}\s{0,8}[(\[]\s{0,8}&?(?:\w{1,60}(?:\.|::)){0,4}NAME\b"


def list_by_constant(
    name: str, mentions: Iterable[ExactMatch], search: Callable[[str], Sequence[ExactMatch]]
) -> list[ExactMatch]:
    """Return the lines that take a variable by a constant, given those that mention it.

    `search` returns the lines of the program with a word.
    """
    holds = re.compile(_HOLDS.replace("NAME", re.escape(name)))
    held = (holds.search(one.line) for one in mentions)
    constants = dict.fromkeys(found[1] for found in held if found is not None)
    return [
        one
        for constant in list(constants)[:MOST_CONSTANTS]
        for one in search(constant)
        if re.search(_TAKES.replace("NAME", re.escape(constant)), one.line, re.IGNORECASE)
        and not GIVEN.search(one.line)
    ]
