"""Check how a question was understood against what the repository has.

The grammar reads a phrase as a name if something is declared so. Plain words, such as `messages` and `room`,
may only happen to be names: then the question is read as an open one, or as one for a setting.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import partial

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTATIONS, NAMED, EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.build_options import read_option
from repo_mcp.research.edges.paths import find_paths
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.edges.written_names import find_dotted, find_holding
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.handed_on import KeyUse
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.named_symbols import admits_node, count_lines
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import search_types
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.question.phrase_names import looks_like_name
from repo_mcp.research.question.readings import build_reading, read_as_open
from repo_mcp.research.settings.asked_settings import (
    find_key,
    find_option,
    find_written_setting,
    is_written,
)
from repo_mcp.research.settings.described_settings import find_described
from repo_mcp.research.settings.rated_settings import find_rated, read_asked_setting
from repo_mcp.research.settings.reading_lines import asks_for_readers
from repo_mcp.research.settings.setting_owners import keep_settings
from repo_mcp.research.written.schema_changes import read_schema_change
from repo_mcp.research.written.written_keys import read_key
from repo_mcp.research.written.written_texts import read_written_text
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import count_words, list_words, shares_word

# Telling words: a phrase with this many is not a name. Settings are often described in more.
SENTENCE_WORDS = {Form.DEFINED: 4, Form.DIFFERENCE: 4, Form.FLOW: 3, Form.CONFIGURED: 6}
_ASKS_PATH = re.compile(
    r"\b(?:reach|call|trigger|invok|lead|path|rout|chain|flow|trac|connect|relat|depend|arriv|ends? up)|->|→",
    re.IGNORECASE,
)
_ASKS_DIFFERENCE = re.compile(r"\bdiffer(?:ence|s|ent)?\b.*\b(?:between|from|than)\b", re.IGNORECASE)
_ASKS_DEFAULT = re.compile(
    r"\W*what (?:is|are) the default (?!values? (?:of|for)\b)([^?]{3,200})", re.IGNORECASE
)
# Asks what is done, and for no place.
_HOW_IS = re.compile(r"\W*how (?:is|are|does|do)\b(?! (?:i|we|you|one)\b)", re.IGNORECASE)
_ACCESSES, MOST_ACCESSING = ("get", "is", "has"), 20  # verbs, and files that declare one such function
_IMPLEMENTED = re.compile(r"\bimplemented\b", re.IGNORECASE)
_OF_KEYS = frozenset({Form.CONFIGURED, Form.DEFINED, Form.OPEN})
_OF_OPTIONS = _OF_KEYS | {Form.DEPENDENTS}
_OF_EVENTS = (Form.DEPENDENTS, Form.CALLERS)
_ASKS_EVENT = re.compile(
    r"\W*what (?:happens|becomes)(?: (?:to|of) .+?)? (?:when|if|after) (?!(?:i|we|you|someone)\b)",
    re.IGNORECASE,
)


def settle_reading(state: ResearchState, reading: Reading) -> Reading:
    """Return the reading, or another in its place: mostly an open one, where words happen to be names.

    "How are messages sent to a room" is read as a question for a path from `messages` to `room`. If no path
    connects the two, it is an open question. "What happens when the config changes" asks what runs then, not
    what breaks if a symbol changes. "Where are services moved from the pending set to the ready set" does
    not ask where `services` is declared. What a value does is what those do that read it, and where a setting
    is read asks for a setting. Where an abstract type is implemented asks for what does so. An option of a
    build or of the command line is one, wherever its name is declared, too, and so is a key of a
    configuration file. Of two types that are only described, the guessed names may tell the two.
    """
    stated = (
        _find_stated(state, reading)
        or read_schema_change(state, reading)
        or _find_key(state, reading)
        or read_written_text(state, reading)
        or _compare_keys(state, reading)
    )
    if stated is not None:
        return stated
    if _is_described(reading):
        return _settle_words(state) or read_as_open(state.request.query)
    if reading.form is Form.OPEN:
        return _settle_words(state) or reading
    return _settle_names(state, reading)


def _is_described(reading: Reading) -> bool:
    """Return True if the question describes a subject in a sentence, though something has its name."""
    least = SENTENCE_WORDS.get(reading.form)
    named = [one for one in reading.subjects if one is not reading.described]
    return least is not None and any(_is_sentence(one, least) for one in named)


def _settle_words(state: ResearchState) -> Reading | None:
    """Return what a question in words asks for: two types, a setting, what uses a text; None for others."""
    if _ASKS_DIFFERENCE.search(state.request.query):
        pair = _find_guessed_pair(state)
        if pair:
            return build_reading(Form.DIFFERENCE, pair)
    return _find_described(state) or _find_held(state)


def _settle_names(state: ResearchState, reading: Reading) -> Reading:
    """Return the reading of a question whose subjects are names, or may only happen to be."""
    question, asked = state.request.query, [subject.asked for subject in reading.subjects]
    is_one = len(asked) == 1 and reading.form is not Form.DIFFERENCE
    written = _find_written(state, reading) if is_one else None
    if written is not None:
        return written
    if reading.form is Form.CONFIGURED and " " in asked[0]:
        subject = reading.subjects[0]
        is_named = is_written(state, subject)
        described = _find_described(state) if subject.taken_as is TakenAs.WORDS or not is_named else None
        if described is not None or not is_named:
            return described or read_as_open(question)
    is_said = any(looks_like_name(one) and one in question for one in asked)  # a guessed name is not
    if reading.form in _OF_EVENTS and _ASKS_EVENT.match(question) and not is_said:
        return read_as_open(question)
    reading = _keep_overridden(state, reading)
    setting = _find_setting(reading, question)
    if setting is not None:
        return build_reading(Form.CONFIGURED, (setting,))
    nodes = reading.nodes
    if reading.form is Form.CALLEES and nodes and all(node.symbol.kind in VALUE_KINDS for node in nodes):
        return build_reading(Form.DEPENDENTS, reading.subjects)  # a value does nothing: who reads it does
    if reading.form is Form.DEFINED and _IMPLEMENTED.search(question) and _is_filled(state, nodes):
        return build_reading(Form.IMPLEMENTATIONS, reading.subjects)
    return _settle_path(state, reading) if reading.form is Form.FLOW else reading


def _settle_path(state: ResearchState, reading: Reading) -> Reading:
    """Return the reading of a question for a path: an open one if no path joins what are plain words."""
    question, subjects = state.request.query, reading.subjects
    if _ASKS_PATH.search(question) or any(looks_like_name(one.asked) for one in subjects):
        return reading
    starts, ends = subjects[0].nodes, subjects[-1].nodes
    if any(find_paths(state, *way) for way in ((starts, ends), (ends, starts))):
        return reading
    state.limits.clear()
    return read_as_open(question)


_OF_ROOTS = frozenset({Form.CALLERS, Form.DEPENDENTS})


def _keep_overridden(state: ResearchState, reading: Reading) -> Reading:
    """Return the reading of a question for users without methods that override another of its subjects.

    Calls reach these through the one that they override, and a change of that one reaches them. One that is
    surely called by its own type stays, behind the others; of several, those that the program calls so.
    """
    if reading.form not in _OF_ROOTS or len(reading.subjects) != 1 or len(reading.nodes) < 2:
        return reading
    subject = reading.subjects[0]
    own = {node.declaration for node in subject.nodes}
    roots = tuple(
        node
        for node in subject.nodes
        if own.isdisjoint(
            edge.other for edge in state.graph.find_outgoing(node, (EdgeType.OVERRIDES,), GLANCE).edges
        )
    )
    if not roots or len(roots) == len(subject.nodes):
        return reading
    others = [node for node in subject.nodes if node not in roots]
    called = [node for node in others if _is_called(state, node, own)]
    if not called and len(others) == 1:
        called = [node for node in others if _is_called(state, node, own, tests=True)]
    return build_reading(reading.form, (replace(subject, nodes=(*roots, *called)),))


def _is_called(
    state: ResearchState, node: Node, namesakes: Collection[Declaration], *, tests: bool = False
) -> bool:
    """Return True for a method that something calls by its own type, apart from its namesakes and `tests`."""
    return any(
        edge.confidence is not Confidence.POSSIBLE
        and edge.other not in namesakes
        and (tests or not is_test_place(edge.other.path))
        for edge in state.graph.find_incoming(node, CALLS, GLANCE).edges
    )


def _is_filled(state: ResearchState, nodes: Sequence[Node]) -> bool:
    """Return True for types that only others implement, of which some are known."""
    return bool(nodes) and all(
        (node.symbol.kind in ABSTRACT_KINDS or node.symbol.flags & SymbolFlag.ABSTRACT)
        and state.graph.find_incoming(node, IMPLEMENTATIONS, GLANCE).edges
        for node in nodes
    )


def _find_key(state: ResearchState, reading: Reading) -> Reading | None:
    """Return the reading of a question for a key that the program has in quotes; it may be a setting."""
    found = read_key(state, reading)
    is_given = any(one.used.use is KeyUse.GIVEN for one in state.keys)  # a function, which no setting is
    is_name = bool(state.keys) and not is_given and reading.form is not Form.OPEN
    written = _find_written(state, reading) if is_name and len(reading.subjects) == 1 else None
    if written is not None:
        state.keys.clear()
    return written or found


def _compare_keys(state: ResearchState, reading: Reading) -> Reading | None:
    """Return the reading of a comparison of what is named only by keys that handle it; None for any other."""
    if reading.form is not Form.DIFFERENCE:
        return None
    if not all(_are_only_keys(state, one) for one in reading.subjects):
        return None
    accessors = tuple(map(partial(_find_accessors, state), reading.subjects))
    is_whole = all(one.nodes for one in accessors)
    return build_reading(Form.DIFFERENCE, accessors) if is_whole else read_as_open(state.request.query)


def _are_only_keys(state: ResearchState, subject: Subject) -> bool:
    """Return True for a plain name that only keys of tables have which nothing surely uses.

    They print the thing, or handle it, and are not the thing itself.
    """
    if "." in subject.asked or not subject.nodes:
        return False
    around = (state.get_parent(node) for node in subject.nodes)
    if not all(one.symbol.kind in VALUE_KINDS for one in around):
        return False
    edges = (edge for node in subject.nodes for edge in state.graph.find_incoming(node, NAMED, GLANCE).edges)
    return all(edge.confidence is Confidence.POSSIBLE for edge in edges)


def _find_accessors(state: ResearchState, subject: Subject) -> Subject:
    """Return a subject as the functions that give or ask for what it names: `getRows` for "rows"."""
    name = subject.asked
    names = [f"{verb}{name[:1].upper()}{name[1:]}" for verb in _ACCESSES]
    names += [f"{verb}_{name}" for verb in _ACCESSES]
    nodes = [
        state.get_node(one) for own in names for one in state.graph.scan.find_declared(own, MOST_ACCESSING)
    ]
    own = [node for node in nodes if node.symbol.kind in CALLABLE_KINDS and admits_node(state, node)]
    own.sort(key=lambda node: -count_lines(node))  # stable; others only pass it on
    return Subject(name, TakenAs.DECLARED, tuple(own))


def _find_stated(state: ResearchState, reading: Reading) -> Reading | None:
    """Return the reading of a question for an option, of a build or not, a key or a number, or None."""
    built = read_option(state, reading)
    if built is not None:
        return build_reading(built[0], (built[1],))
    option = find_option(state) if reading.form in _OF_OPTIONS else None
    if option is not None:
        return Reading(Form.CONFIGURED, f"where the option {option.asked} is declared", (option,))
    is_place = reading.form is not Form.OPEN
    key = find_key(state, is_place=is_place) if reading.form in _OF_KEYS else None
    return None if key is None else build_reading(Form.CONFIGURED, (key,))


def _find_described(state: ResearchState) -> Reading | None:
    """Return the reading of a question for a setting that it describes by most words of its name; or None."""
    parsed = parse_question(state.request.query)
    asked = [one.phrases[0].text for one in parsed if one.form is Form.CONFIGURED]
    default = _ASKS_DEFAULT.match(state.request.query)
    asked = [*asked, *(default.groups() if default else ())]
    found = (find_described(state, one) for one in asked)
    setting = next(filter(None, found), None)
    if setting is None:
        is_place = not _HOW_IS.match(state.request.query)
        described = read_asked_setting(state.request.query) or next(iter(asked if is_place else ()), "")
        setting = find_rated(state, described) if described else None
    return None if setting is None else build_reading(Form.CONFIGURED, (setting,))


def _find_held(state: ResearchState) -> Reading | None:
    """Return the reading of an open question with a text that a constant holds: what uses this; or None."""
    held = find_dotted(state)
    return None if held is None else build_reading(Form.DEPENDENTS, (held,))


def _find_written(state: ResearchState, reading: Reading) -> Reading | None:
    """Return the reading for a name that the program holds as a text or writes as a setting; or None."""
    held = find_holding(state, reading)
    if held is not None:
        return build_reading(Form.DEPENDENTS, (held,))
    setting = find_written_setting(state, reading)
    return None if setting is None else build_reading(Form.CONFIGURED, (setting,))


def _find_guessed_pair(state: ResearchState) -> tuple[Subject, ...]:
    """Return the first two guessed names if they are types and one derives from the other, else nothing.

    Then the two that the question describes are surely these.
    """
    names = list_own_names(state.request.guesses)[:2]
    found = [[node for node in search_types(state, name) if node.symbol.name == name] for name in names]
    if [len(own) for own in found] != [1, 1]:
        return ()
    first, second = found[0][0], found[1][0]
    if second not in list_bases(state, first) and first not in list_bases(state, second):
        return ()
    return tuple(Subject(node.symbol.name, TakenAs.DECLARED, (node,)) for node in (first, second))


def _find_setting(reading: Reading, question: str) -> Subject | None:
    """Return the subject of a question for the readers of a value, or of any question for a setting.

    A type that has the name of a property is no setting: it is the type of its values. Of several fields,
    those count that configure something: the same name stands in what a program answers or logs.
    """
    asks_readers = reading.form is Form.DEPENDENTS and asks_for_readers(question)
    if len(reading.subjects) != 1 or not (asks_readers or reading.form is Form.CONFIGURED):
        return None
    subject = reading.subjects[0]
    if not any(node.symbol.kind in VALUE_KINDS for node in subject.nodes):
        return None
    nodes = tuple(node for node in subject.nodes if node.symbol.kind not in TYPE_KINDS)
    return replace(subject, nodes=keep_settings(nodes))


def _is_sentence(subject: Subject, least: int) -> bool:
    """Return True for a phrase that is too long to be a name: it has `least` words or more.

    It is no sentence if it begins or ends with a name of several words, such as `maxRetries`, and perhaps
    one word behind it, or if a name that it may mean has half of its words. "The number that countFailure
    keeps on the host" is not the name.
    """
    words = list_words(subject.asked)
    names = {node.symbol.name for node in subject.nodes}
    if len(words) < least or any(word in names and count_words(word) > 1 for word in (words[0], *words[-2:])):
        return False
    return all(2 * shares_word(name, words) < len(words) for name in names)
