"""Read the condition under which a line of a function is reached."""

from __future__ import annotations

import re

from repo_mcp.bodies.body import list_code
from repo_mcp.bodies.statements import cut_statements, is_branch, list_alternatives, list_outer
from repo_mcp.record_classes import dataclass
from repo_mcp.research.errors.branches import BARE_ELSE, QUOTED_CHARS, build_body, quote, read_line
from repo_mcp.research.findings.research_state import ResearchState

# A condition with what it leads to on its line: `if (row == null) throw new RowException(`
_INLINE = re.compile(
    r"\s*+[})]*+\s*+((?:else\s++)?(?:if|elif|unless)\b.*?)\b(?:throw|raise|return|panic|reject)\b"
)


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition under which a line is reached; "" if none is known."""

    text: str = ""  # in the marks of code
    lines: tuple[int, ...] = ()  # on which it begins


def read_guard(state: ResearchState, path: str, first: int, last: int, at: int) -> Guard:
    """Return the condition under which a line of a function is reached, as far as indentation shows it."""
    body = build_body(state, path, first, last)
    statements = cut_statements(body, list_code(body))
    position = next((n for n, one in enumerate(statements) if one.first <= at <= one.last), 0)
    inline = _INLINE.match(read_line(body, statements[position])) if position else None
    if inline is not None:
        said = inline[1].rstrip(" \t:{").replace("`", "'")
        cut = said if len(said) <= QUOTED_CHARS else f"{said[: QUOTED_CHARS - 1].rpartition(' ')[0]} …"
        return Guard(f"`{cut}`", (statements[position].first,))
    for outer in list_outer(body, statements, position) if position else ():
        line = read_line(body, statements[outer])
        if not is_branch(line):
            continue
        is_else = BARE_ELSE.match(line) is not None
        above = list_alternatives(body, statements, outer) if is_else else [outer]
        if above:
            own = statements[above[0]]
            lines = tuple(sorted({own.first, statements[outer].first}))
            return Guard(f"{'else of ' if is_else else ''}`{quote(body, (own,))}`", lines)
    return Guard()
