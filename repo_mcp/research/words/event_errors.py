"""Put first what fails when something happens that a question about errors describes.

    "Which errors are raised when the depth is exceeded?"
        ->  the function with `throw new ReadError("The depth of {0} is exceeded.")`

The statement that fails says the event, or the conditions around it do: other words of a function, and its
name, may be about anything else that it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.bundler.body import measure_indent
from repo_mcp.bundler.statements import is_branch
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.progress import Place
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.error_lines import LINE_CHARS, join_open
from repo_mcp.research.words.errors_made import MESSAGE_LINES, list_raising
from repo_mcp.research.words.lacking_words import weigh_words
from repo_mcp.research.words.rated_seeds import Seed
from repo_mcp.text.question_words import list_shared, list_words, shares_word

NAMED_FOR = 3  # best declarations that may be named for the event
LOOKED_AT = 30  # best declarations
LEAST_SHARE = 0.5  # of the weight of the event's words, in the statement that fails and its conditions
OF_CONDITIONS = 0.5  # the worth of a word in a condition, where one in the statement counts 1
NEARLY = 0.65  # times the share of the best line, for another one to fit as well
MOST_CONDITIONS, MOST_ABOVE = 2, 60  # around a statement; lines above it in which they are looked for
_HAPPENS = re.compile(r"\b(?:when|whenever|if|while|unless|without|because|after)\b\s+(.+)", re.IGNORECASE)
_NOT = re.compile(r"\b(?:un|non-?)(?=[a-z]{4})", re.IGNORECASE)  # "unsupported" is "not supported"


def weigh_event(state: ResearchState) -> dict[str, float]:
    """Return the weights of the words of the event that a question describes; none for another question."""
    found = _HAPPENS.search(state.request.query)
    words = list_words(found[1]) if found is not None else []
    return weigh_words(words, state.weights) if len(words) > 1 else {}


def rate_line(lines: Sequence[str], first: int, at: int, event: Mapping[str, float]) -> float:
    """Return the share of an event's words which the failing statement at a line and its conditions have."""
    statement = join_open(lines[at - 1 : at + MESSAGE_LINES])
    said = _list_said(statement, event)
    under = [word for word in _list_said(_read_conditions(lines, first, at), event) if word not in said]
    held = sum(event[word] for word in said) + OF_CONDITIONS * sum(event[word] for word in under)
    return held / (sum(event.values()) or 1.0)


def rate_fitting(state: ResearchState, functions: Iterable[Finding]) -> dict[Place, float]:
    """Return the failing lines of some functions that say the question's event best, with what they share."""
    event = weigh_event(state)
    rated: dict[Place, float] = {}
    for one in functions if event else ():
        lines = state.source.read_lines(one.path)
        for at in list_raising(state, one.path, one.start_line, one.end_line):
            rated[one.path, at] = rate_line(lines, one.start_line, at, event)
    least = max(LEAST_SHARE, NEARLY * max(rated.values(), default=0.0))
    return {place: share for place, share in rated.items() if share >= least}


def put_event_first(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds, the one first whose failing statement has most words of the question's event.

    The others stay in their order. Without such a seed, all do, and also if one of the best is named for the
    event: then that is what it does, "when a parcel is sent".
    """
    event = weigh_event(state)
    if any(shares_word(seed.name, [*event]) == len(event) for seed in seeds[:NAMED_FOR]):
        return [*seeds]
    rated = [(_rate(state, seed, event), -at) for at, seed in enumerate(seeds[:LOOKED_AT])] if event else []
    share, at = max(rated, default=(0.0, 0))
    if share < LEAST_SHARE:
        return [*seeds]
    best = seeds[-at]
    reason = Reason("fails with words of the question in its message or condition", Role.SAYS_EVENT)
    return [replace(best, reason=reason), *(seed for seed in seeds if seed is not best)]


def _rate(state: ResearchState, seed: Seed, event: Mapping[str, float]) -> float:
    if seed.node is None or is_test_node(seed.node):
        return 0.0
    lines = state.source.read_lines(seed.path)
    first, last = seed.node.symbol.start_line, seed.node.symbol.end_line
    raising = list_raising(state, seed.path, first, last)
    return max((rate_line(lines, first, at, event) for at in raising), default=0.0)


def _list_said(text: str, event: Mapping[str, float]) -> list[str]:
    return list_shared(_NOT.sub("", text), [*event])


def _read_conditions(lines: Sequence[str], first: int, at: int) -> str:
    """Return the conditions around a line, the nearest ones, found by their indentation."""
    indent = measure_indent(lines[at - 1])
    found: list[str] = []
    for number in range(at - 1, max(first, at - MOST_ABOVE) - 1, -1):
        line = lines[number - 1][:LINE_CHARS]
        if line.strip() and measure_indent(line) < indent and len(found) < MOST_CONDITIONS:
            is_opening = line.strip() == "{"
            indent = indent if is_opening else measure_indent(line)
            found += [line] if is_branch(line) else []
    return "\n".join(found)
