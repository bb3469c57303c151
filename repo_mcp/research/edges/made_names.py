"""Find what defines a function whose name no line has as a whole, because it is made of parts.

define_method "#{turn}_parcel" do |*names|     load_parcel, send_parcel
def #{name}_with_log(*args)                  in a text that is evaluated
# :method: load_parcel                       a comment that stands for such a declaration
"""

from __future__ import annotations

import re

from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.locating import find_inner_span, is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState, note_lines

MAX_READ = 1_000  # lines that define functions whose names are made of parts
MAX_MADE = 3  # shown
LEAST_CHARS = 3  # of a name that the line itself has
LINES_AROUND = 3  # shown above such a line, which often tell the names, and below it
_LANGUAGES = frozenset({"crystal", "elixir", "ruby"})  # with such texts
_MADE = re.compile(
    r"\bdefine_(?:singleton_)?method\b\s*\(?\s*:?[\"'](?P<quoted>[^\"']*#\{[^\"']*)[\"']"
    r"|\bdef\s+(?:self\.)?(?P<plain>\w*#\{[^}]*\}[\w?!=]*(?:#\{[^}]*\}[\w?!=]*)*)"
)
_PART = re.compile(r"#\{[^}]*\}")


def note_made_names(state: ResearchState, subject: Subject) -> None:
    """Note the lines that define functions of such a name, those that have most of it themselves first."""
    if _LANGUAGES.isdisjoint(state.source.present):
        return
    name = subject.asked
    fitting = [
        (_count_fitting(one.line, name), one) for one in _search(state, r"(?:define_\w+|\bdef)\b.*#\{")
    ]
    fitting = [(count, one) for count, one in fitting if count >= LEAST_CHARS and is_program(one.path)]
    for _, one in sorted(fitting, key=lambda pair: (-pair[0], pair[1].path))[:MAX_MADE]:
        reason = Reason(f"defines functions with names such as {name}", Role.DEFINES_BY_PATTERN, name)
        _note(state, one, reason, LINES_AROUND)
    for one in _search(state, rf":method: {re.escape(name)}$")[:1]:
        _note(state, one, Reason(f"documents the method {name}", Role.OTHER, name), 0)


def is_described(state: ResearchState, subject: Subject) -> bool:
    """Return True for a name that comments alone declare, for what is made at run time."""
    lines = [state.source.read_lines(hit.path)[hit.start_line - 1] for hit in subject.places]
    return bool(lines) and all(line.lstrip().startswith("#") for line in lines)


def _search(state: ResearchState, pattern: str) -> list[ExactMatch]:
    found = state.source.search_exact(ExactRequest(pattern, regex=True, limit=MAX_READ)).matches
    return [one for one in found if state.admits(one.path)]


def _note(state: ResearchState, match: ExactMatch, reason: Reason, around: int) -> None:
    """Note a line with those around it, and the declaration that holds it."""
    line, count = match.start_line, len(state.source.read_lines(match.path))
    inner = find_inner_span(state.source.find_layout(match.path).spans, line)
    symbol = match.path if inner is None else inner.qualified_name
    shown = tuple(range(max(1, line - around), min(count, line + around) + 1))
    note_lines(state, match.path, (line, line), symbol, reason, 0, shown=shown)


def _count_fitting(line: str, name: str) -> int:
    """Return how many characters of a name a line has that may define it; 0 if it cannot."""
    found = _MADE.search(line)
    if found is None:
        return 0
    text = found["quoted"] or found["plain"]
    own = _PART.split(text)
    fits = re.fullmatch(r"\w+".join(map(re.escape, own)), name)
    return len("".join(own)) if fits is not None else 0
