"""Quote what stands behind the names that the shown lines of the best findings use as values.

    while attempts < self._limit:     ->   _limit = 10
    for one in HANDLERS:              ->   HANDLERS = {"zip": ZipHandler, ...
    delay = self.delay_for(attempt)   ->   def delay_for(attempt): return 2 ** attempt

Without them, a reader knows that there is a limit, and not which. Names with words of the question come
first, then those that decide something: in a condition, as what a loop goes over, or returned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from repo_mcp.bodies.body import cut_margin, find_margin, says_nothing
from repo_mcp.bodies.statements import decides, only_logs
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.excerpts import MAX_LINE_CHARS
from repo_mcp.research.findings.locating import is_program, is_test
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding, ResearchRequest
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.settings.deciding import read_deciding
from repo_mcp.research.settings.traced_values import LINE_CHARS, Place, list_keys, may_stand, trace_value
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.lines import escape_text
from repo_mcp.text.question_words import list_words, shares_word

LOOKED_AT = 3  # best findings whose lines are looked at
MOST_VALUES, MOST_TRIED = 3, 8  # names of one finding whose values are quoted; that are traced
# Characters of all values of an answer, and the least worth of a name; for a question that asks for values.
MOST_CHARS, LEAST_WORTH = 350, 1.5
CHARS_IF_ASKED, WORTH_IF_ASKED = 700, 0.5
CHARS_OF_PART = 350  # at least, of each part of a question
MOST_USERS = 6  # functions whose lines a finding shows
MOST_TELLING = 2  # words of the question, in a name
CALLED = 0.5  # factor of the words of a function, which is rather an action than a value
DECIDES = 0.6  # of the worth of such a word, for a name that decides something
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ASKS = re.compile(
    r"\b(?:when|which|where|how (?:long|many|much|often|big|large|fast)|limits?|defaults?|maximum|minimum)\b",
    re.IGNORECASE,
)
# What a table or a list is asked for.
_LOOKS_UP = r"(?i:get|items|values|keys|includes|contains\w*|has|iter|count|length|size|trygetvalue)\b"
_NUMBER = re.compile(r"^(\d+)\t", re.MULTILINE)


def quote_values(state: ResearchState, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings; the best have the lines that give values to the names in their excerpts."""
    words = _list_asked(state.request)
    state.room.quoted.update((one.path, at) for one in findings for at in _list_shown(one))
    quoted, looked = [], 0
    is_asked = _ASKS.search(state.request.query) is not None
    least = WORTH_IF_ASKED if is_asked else LEAST_WORTH
    left = max(CHARS_OF_PART, (CHARS_IF_ASKED if is_asked else MOST_CHARS) // state.room.parts)
    for one in findings:
        texts: dict[str, dict[int, str]] = {}  # by path and line
        is_best = looked < LOOKED_AT and _may_use(one)
        looked += is_best
        for place in _list_places(state, one, words, least) if is_best else ():
            text = _quote(state, place)
            size = len(text) + (0 if place.path in texts else len(place.path))
            if size <= left and not state.room.quoted.issuperset(_list_lines(place)):
                left -= size
                state.room.quoted.update(_list_lines(place))
                texts.setdefault(place.path, {})[place.first] = text
        values = tuple(
            "\n".join((escape_text(path), *(own[at] for at in sorted(own)))) for path, own in texts.items()
        )
        quoted.append(replace(one, values=values))
    return quoted


def _list_asked(request: ResearchRequest) -> list[str]:
    """Return the words of a question and all those of its guessed names, each stem once."""
    words = [*list_words(request.query), *(word for one in request.guesses for word in _WORD.findall(one))]
    return [*{min(get_word_terms(word), key=len, default=word): word for word in words}.values()]


def _list_shown(one: Finding) -> list[int]:
    return [int(number) for number in _NUMBER.findall(one.excerpt)]


def _may_use(one: Finding) -> bool:
    """Return True for code of the program of which several lines are shown."""
    is_code = is_program(one.path) and not is_test(one.path, one.symbol)
    return is_code and one.excerpt.count("\n") > 1


def _list_lines(place: Place) -> set[tuple[str, int]]:
    """Return the first and the last line of a place."""
    return {(place.path, place.first), (place.path, place.last)}


def _list_places(state: ResearchState, one: Finding, words: Sequence[str], least: float) -> list[Place]:
    """Return the places that give values to the best names in the lines of a finding."""
    found: list[Place] = []
    traced = 0
    least = 0.0 if one.role is Role.DECIDES_SETTING else least  # a default, whatever its name
    for other in _list_used(state, one.path, _list_telling(state, one), words, least)[:MOST_TRIED]:
        if isinstance(other, Node) and other.symbol.name == one.reason.about:
            continue  # the setting, about which the finding says all
        places = trace_value(state, other)
        traced += any(not state.room.quoted.issuperset(_list_lines(place)) for place in places)
        found += places
        if traced >= MOST_VALUES:
            break
    return found


def _list_telling(state: ResearchState, one: Finding) -> frozenset[int]:
    """Return the lines of a finding whose names may be quoted.

    Of what decides about a setting, that is the line with its default, and of what uses it beside that, none.
    """
    if one.role is Role.READS and not one.hop:
        return frozenset()
    if one.role is not Role.DECIDES_SETTING:
        return frozenset(_list_shown(one))
    deciding = None if one.node is None else read_deciding(state, one.reason.about, one.node)
    return frozenset() if deciding is None or deciding.default is None else frozenset({deciding.default[0]})


def _list_used(
    state: ResearchState, path: str, lines: Set[int], words: Sequence[str], least: float
) -> list[Node | str]:
    """Return the values and keys that some lines of a file use, if they are worth enough, the best first."""
    text = state.source.read_lines(path)
    around = dict.fromkeys(filter(None, (state.source.find_around(path, at) for at in sorted(lines))))
    users = [one for one in around if one.symbol.kind in CALLABLE_KINDS][:MOST_USERS]
    worth: dict[Node | str, float] = {}
    for node, edge in (
        (one, edge) for one in users for edge in list_uses(state, one, NARROW, (*CALLS, EdgeType.REFERENCES))
    ):
        own = [text[at - 1][:LINE_CHARS] for at in edge.lines if at in lines and at <= len(text)]
        own = [line for line in own if not only_logs(line)]
        other = state.get_node(edge.other)
        if own and other != node and may_stand(state, other) and not _is_receiver(other, own):
            worth[other] = max(_rate(other, own, words), worth.get(other, 0.0))
    for line in (text[at - 1][:LINE_CHARS] for at in sorted(lines) if at <= len(text)):
        for key in [] if only_logs(line) else list_keys(line):
            named = min(MOST_TELLING, shares_word(key, words))
            worth[key] = max(named + DECIDES * decides(key, [line]) if named else 0.0, worth.get(key, 0.0))
    return sorted((one for one in worth if worth[one] >= least), key=lambda one: -worth[one])  # stable


def _rate(node: Node, texts: Sequence[str], words: Sequence[str]) -> float:
    """Return the worth of a name that some lines use; 0.0 for a field without a word of the question."""
    name = node.symbol.name
    named = min(MOST_TELLING, shares_word(name, words))
    if not named and node.symbol.kind is SymbolKind.PROPERTY:
        return 0.0
    is_called = node.symbol.kind in CALLABLE_KINDS
    return named * (CALLED if is_called else 1.0) + DECIDES * decides(name, texts)


def _is_receiver(node: Node, texts: Sequence[str]) -> bool:
    """Return True for a field of which only members are used: it is no value, but does something."""
    if node.symbol.kind is not SymbolKind.PROPERTY:
        return False
    used = re.compile(
        rf"\b{re.escape(node.symbol.name)}\b(?!\s*[?!]?(?:\.|->|::)\s*(?!{_LOOKS_UP})[A-Za-z_])"
    )
    return not any(map(used.search, texts))


def _quote(state: ResearchState, place: Place) -> str:
    """Return the numbered lines of a place, without comments."""
    lines = state.source.read_lines(place.path)
    code = {*range(place.first, place.last + 1)} - state.source.read_comment_lines(place.path)
    numbers = [at for at in sorted(code) if not says_nothing(lines[at - 1])]
    margin = find_margin([lines[at - 1] for at in numbers])
    texts = [f"{at}:{cut_margin(lines[at - 1].rstrip(), margin)[:MAX_LINE_CHARS]}" for at in numbers]
    return "\n".join(texts)
