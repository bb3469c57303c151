"""Tell a condition of a query from an assignment: both may be written as the key of an object. Pure.

findAll({ where: { lostAt: null } })    a condition         update({ lostAt: null })    an assignment
rows.filter(lost_at=None)               a condition         Row(lost_at=None)           an assignment
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.research.findings.open_brackets import QUOTED, list_open_brackets
from repo_mcp.research.settings.line_use import HEAD_LINES

LINE_CHARS = 400  # read of a line before the name and of each line above, so that none takes long
MOST_AROUND = 8  # open brackets around the name; a query has fewer between it and its conditions
HEAD_CHARS = 120  # read before a bracket
# What takes conditions, as a key or a function; `find_or_create_by` and `findOneAndUpdate` set something.
_ASKS = re.compile(
    r"\b(?:where|having|filter|filterBy|filter_by|exclude|whereNot|rewhere"
    r"|find|findBy|find_by|findOne|findAll|findMany|findFirst|findUnique|count|exists|order_by|orderBy)"
    r"[\"']?(?:\s*:\s*|!?)$"
    r"|\b(?:where|having|filters?|conditions?)(?:\s*:[^=;\n]{1,80})?\s*=\s*$"
)
# Values that only compare: `{ [Op.is]: null }`, `{ $gt: 3 }`, `{ not: null }`
_COMPARES = re.compile(
    r"\{\s*(?:\[\w*Op\.\w+\]|[\"']?\$\w+[\"']?|(?:gte?|lte?|not|notIn|equals|startsWith|endsWith|contains))\s*:"
)
_ENDS_HEAD = re.compile(r"(?:\)|=>|\bdo|\belse)\s*$")  # before the bracket of a block


def is_condition(lines: Sequence[str], at: int, name: str) -> bool:
    """Return True if a name on a line is the key of a condition of a query."""
    line = lines[at - 1]
    found = re.search(rf"(?<![\w.]){re.escape(name)}[\"']?\s*(?::(?!:)|=(?![=>]))\s*", line)
    if found is None:
        return False
    if _COMPARES.match("\n".join((line[found.end() :][:LINE_CHARS], *lines[at : at + 1]))):
        return True
    above = (one[:LINE_CHARS] for one in lines[max(0, at - 1 - HEAD_LINES) : at - 1])
    text = QUOTED.sub('""', "\n".join((*above, line[: found.start()][-LINE_CHARS:])))
    for position in list_open_brackets(text)[: -1 - MOST_AROUND : -1]:
        before = text[max(0, position - HEAD_CHARS) : position].rstrip()
        if _ENDS_HEAD.search(before):
            return False
        if _ASKS.search(before):
            return True
    return False
