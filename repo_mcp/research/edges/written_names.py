"""Find what nothing declares where it is written: a variable of the environment, a key, an event, a text."""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines

MAX_READ, MAX_SHOWN = 20, 5  # lines with a name, those that are shown
MOST_TEXTS = 3  # of a question, that are looked for
MOST_LINES = 40  # of a symbol that is shown as a whole for several of these
_TEXT = re.compile(r"[\w.:-]{3,80}")  # in quotes
_DOTTED = re.compile(r"(?<![\w./-])[a-z][\w-]*(?:\.[a-z][\w-]*)+(?![\w/.(-])")  # `post.orders`
_ASKS_WHERE = re.compile(r"\W*(?:where|which|what|who)\b", re.IGNORECASE)
_ASKS_USES = re.compile(r"\b(?:used|uses?|defined|declared)\b", re.IGNORECASE)


def find_holding(state: ResearchState, reading: Reading) -> Subject | None:
    """Return the constants whose value is a text that a question asks the uses of: code uses it by these."""
    text = reading.subjects[0].asked
    if reading.subjects[0].nodes or not _ASKS_USES.search(state.request.query) or not _TEXT.fullmatch(text):
        return None
    return _find_constants(state, text)


def find_dotted(state: ResearchState) -> Subject | None:
    """Return the constants that hold a text with dots of an open question for a place, or of its guesses.

    "Where are the orders kept (.storage post.orders)?": `STORAGE_KEY = "post.orders"` is used where they are.
    """
    if _ASKS_WHERE.match(state.request.query) is None:
        return None
    texts = dict.fromkeys(_DOTTED.findall(state.request.full_text))
    return next(filter(None, (_find_constants(state, text) for text in [*texts][:MOST_TEXTS])), None)


def _find_constants(state: ResearchState, text: str) -> Subject | None:
    """Return the constants of the program whose value is a text, if there are any."""
    holds = re.compile(rf"=\s*[\"']{re.escape(text)}[\"']\s*[;,]?\s*$")
    lines = [one for one in list_written(state, text) if holds.search(one.line)]
    around = (state.source.find_around(one.path, one.start_line) for one in lines)
    nodes = dict.fromkeys(node for node in around if node is not None and node.symbol.kind in VALUE_KINDS)
    return Subject(text, TakenAs.DECLARED_OTHERWISE, tuple(nodes)[:MAX_SHOWN]) if nodes else None


def note_written_name(state: ResearchState, subject: Subject) -> None:
    """Note the first lines of the program that have a name which nothing declares.

    A short symbol with several of them, such as the function whose parameter it is, is shown as a whole.
    """
    holders: dict[tuple[str, Node | None], list[int]] = {}
    for one in list_written(state, subject.asked)[:MAX_SHOWN]:
        around = state.source.find_around(one.path, one.start_line)
        holders.setdefault((one.path, around), []).append(one.start_line)
    reason = Reason(f"has the name {subject.asked}", Role.HAS_NAME, subject.asked)
    for (path, around), lines in holders.items():
        if around is not None and len(lines) > 1 and count_lines(around) <= MOST_LINES:
            shown = range(around.symbol.start_line, around.symbol.end_line + 1)
            state.add(around, reason, 0, shown=tuple(shown))
            continue
        symbol = "" if around is None else around.qualified_name
        for line in lines:
            note_lines(state, TextPlace(path, line, line, symbol), reason, 0)


def is_nowhere(state: ResearchState, name: str) -> bool:
    """Return True for a name that no file has as it is written, as far as all are known."""
    found = state.source.search_exact(ExactRequest(name, whole_word=True, limit=1))
    return not (found.matches or found.truncated or state.source.is_partial)


def list_written(state: ResearchState, name: str) -> list[ExactMatch]:
    """Return the first lines of the program that have a name as a whole word."""
    request = ExactRequest(name, whole_word=True, limit=MAX_READ, include_tests=False, by_role=True)
    found = state.source.search_exact(request).matches
    return [one for one in found if is_program(one.path) and state.admits(one.path)]
