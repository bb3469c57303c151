"""Read the condition under which a line of a function is reached."""

from __future__ import annotations

import re

from repo_mcp.bundler.body import Body, list_code
from repo_mcp.bundler.statements import cut_statements, is_branch, list_alternatives, list_outer
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.error_lines import LINE_CHARS

GUARD_CHARS = 90  # shown of a condition
BARE_ELSE = re.compile(r"\s*+[})]*\s*+else\s*+[:{]?\s*+$")  # an `else` without a condition of its own


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition under which a line is reached; "" if none is known."""

    text: str = ""  # in the marks of code
    lines: tuple[int, ...] = ()  # on which it begins


def read_guard(state: ResearchState, path: str, first: int, last: int, at: int) -> Guard:
    """Return the condition under which a line of a function is reached, as far as indentation shows it."""
    text = state.source.read_lines(path)
    body = Body(text, first, min(last, len(text)), first, {}, state.source.read_comment_lines(path))
    statements = cut_statements(body, list_code(body))
    position = next((n for n, one in enumerate(statements) if one.first <= at <= one.last), 0)
    for outer in list_outer(body, statements, position) if position else ():
        line = text[statements[outer].first - 1][:LINE_CHARS]
        if not is_branch(line):
            continue
        is_else = BARE_ELSE.match(line) is not None
        above = list_alternatives(body, statements, outer)[:1] if is_else else [outer]
        for one in above:
            own = statements[one]
            said = " ".join(" ".join(text[own.first - 1 : own.last]).split()).replace("`", "'")
            said = said.strip("{} ").rstrip(":").strip()
            said = said if len(said) <= GUARD_CHARS else f"{said[: GUARD_CHARS - 1]}…"
            lines = tuple(sorted({own.first, statements[outer].first}))
            return Guard(f"{'else of ' if is_else else ''}`{said}`", lines)
    return Guard()
