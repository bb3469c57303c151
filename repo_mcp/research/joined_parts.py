"""Join the answers to the parts of a question: what is told once, what each part is about, one report.

Each part keeps its own report, so that each gets its share of the room. The sentences of an answer say first
which part they answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.claims.parts_claim import write_question
from repo_mcp.research.errors.lines import LINE_CHARS
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.records import (
    Finding,
    Form,
    Group,
    Reading,
    Report,
    ResearchRequest,
    RunControl,
)
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.gathered import Gathered
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.text.question_words import list_shared, list_words, shares_word

LEAST_HELD = 2  # words of a part, which a line has together by no chance
HELD_LINES = 400  # read of what answers the part before: 12 ms
MAX_PLACES = 2  # of one group around the findings of all parts


@dataclass(frozen=True, slots=True)
class AnsweredPart:
    """One part of a question, and what its investigation noted."""

    asked: str  # as written
    request: ResearchRequest
    state: ResearchState
    reading: Reading
    gathered: Gathered
    claim: str  # behind the question


def follow_part(control: RunControl, position: int, count: int) -> RunControl:
    """Return a control of one part that reports progress in parts of the question."""
    report = control.report
    if report is None:
        return control

    def tell(done: float, total: float, said: str) -> None:
        report(position + done / total, count, said)

    return RunControl(control.cancelled, tell)


def name_topic(answered: AnsweredPart) -> tuple[str, str]:
    """Return the declared name in a part, and the name of the symbol that fits it best; "" for none."""
    state = answered.state
    named = [
        one.asked for one in answered.reading.subjects if (one.nodes and one.is_declared) or one.is_unparsed
    ]
    own = [node for node in state.nodes.values() if is_test_node(node) is state.wants_tests]
    return next(iter(named), ""), own[0].qualified_name if own else ""


def list_told(answered: Iterable[AnsweredPart]) -> Mapping[str, frozenset[int]]:
    """Return, by path, the lines that were chosen to be shown."""
    told: defaultdict[str, set[int]] = defaultdict(set)
    for part in answered:
        for one in part.state.findings:
            told[one.path].update(one.shown)
    return {path: frozenset(lines) for path, lines in told.items()}


def choose_guesses(guesses: tuple[str, ...], part: str, answered: Iterable[AnsweredPart]) -> tuple[str, ...]:
    """Return the guessed names for a part: those with a word of it, then those that no best finding has yet.

    Return all if each is used and none has such a word.
    """
    best = " ".join(one.symbol for own in answered for one in own.state.findings[:1])
    words = list_words(part)
    near = [one for one in guesses if best and shares_word(one, words)]
    unused = [one for one in guesses if not shares_word(best, list_words(one))]
    return tuple(dict.fromkeys((*near, *unused))) or guesses


def find_held(answered: Sequence[AnsweredPart], part: str) -> tuple[str, ...]:
    """Return the name of what answers the part before, if one of its lines has all words of an open part.

    "Where is KILN_FLAGS parsed", "what happens with an unknown flag" asks for a flag of these.
    """
    best = answered[-1].state.findings[:1] if answered else []
    words = list_words(part)
    if not best or len(words) < LEAST_HELD or parse_question(part)[0].form is not Form.OPEN:
        return ()
    lines = answered[-1].state.source.read_lines(best[0].path)[best[0].start_line - 1 : best[0].end_line]
    read = (line[:LINE_CHARS] for line in lines[:HELD_LINES])
    is_held = any(len(list_shared(line, words)) == len(words) for line in read)
    return (best[0].name,) if is_held and best[0].name else ()


def drop_repeated(states: Sequence[ResearchState]) -> None:
    """Leave each place that several parts found to the one where it comes soonest, with the lines of all."""
    best: dict[tuple[str, int, int, str], tuple[int, int]] = {}  # the position, and the part
    lines: defaultdict[tuple[str, int, int, str], set[int]] = defaultdict(set)
    for part, state in enumerate(states):
        for position, one in enumerate(state.findings):
            key = _get_place(one)
            lines[key].update(one.shown)
            best[key] = min(best.get(key, (position, part)), (position, part))
    for part, state in enumerate(states):
        kept = [one for one in state.findings if best[_get_place(one)][1] == part]
        state.findings = [replace(one, shown=tuple(sorted(lines[_get_place(one)]))) for one in kept]


def _get_place(one: Finding) -> tuple[str, int, int, str]:
    return one.path, one.start_line, one.end_line, one.symbol


def join_reports(
    request: ResearchRequest, answered: Sequence[AnsweredPart], reports: Sequence[Report]
) -> Report:
    """Return one report on the parts of a question, each with its own."""
    parts = [
        replace(report, asked=write_question(part.asked), claim=part.claim)
        for part, report in zip(answered, reports, strict=True)
    ]
    first = parts[0]
    taken = [
        one.request.query for own, one in zip(answered, parts, strict=True) if own.asked != one.request.query
    ]
    text = "; ".join(taken) or "several questions, each answered by itself"
    subjects = dict.fromkeys(subject for one in parts for subject in one.reading.subjects)
    return Report(
        request,
        Reading(first.reading.form, text, tuple(subjects)),
        max(one.depth for one in parts),
        " ".join(one.claim for one in parts),
        _join_groups(parts),
        tuple(finding for one in parts for finding in one.findings),
        tuple({node.key: node for one in parts for node in one.map_nodes}.values()),
        tuple(dict.fromkeys(edge for one in parts for edge in one.map_edges)),
        tuple(dict.fromkeys(chain for one in parts for chain in one.chains)),
        tuple(dict.fromkeys(entry for one in parts for entry in one.entry_points)),
        next((one.modules for one in parts if one.modules is not None), None),
        next((one.layers for one in parts if one.layers is not None), None),
        next((one.shapes for one in parts if one.shapes is not None), None),
        next((one.outside for one in parts if one.outside is not None), None),
        tuple(dict.fromkeys(limit for one in parts for limit in one.limits)),
        tuple(dict.fromkeys(warning for one in parts for warning in one.warnings)),
        parts=tuple(parts),
    )


def _join_groups(parts: Sequence[Report]) -> tuple[Group, ...]:
    """Return the groups of all parts, those of one kind as one, in turn the best place of each part."""
    places: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for part, report in enumerate(parts):
        for group in report.groups:
            places[group.what] += [(position, part, place) for position, place in enumerate(group.places)]
    shown = {place for one in parts for finding in one.findings for place in [f"({finding.citation})"]}
    return tuple(
        Group(what, listed)
        for what, own in places.items()
        if (listed := _choose_places((place for _, _, place in sorted(own)), shown))
    )


def _choose_places(places: Iterable[str], shown: set[str]) -> tuple[str, ...]:
    """Return the first places that no finding shows."""
    left = (one for one in dict.fromkeys(places) if not any(map(one.endswith, shown)))
    return tuple(left)[:MAX_PLACES]
