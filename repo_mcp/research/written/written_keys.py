"""Find a key of the question, such as an event or a route, where the program has it as a text in quotes.

    what happens when POST parcels.send is called?      ->  router.post("parcels.send", async (ctx) => {
    which listeners handle the event parcels.send?      ->  case "parcels.send":

A key is a path with dots, slashes or colons that names no symbol, and no file unless it begins with a slash.
Where the question asks for what some noun says, such as "listeners", what is called so comes first, then the
function that the key is given, then what decides by it, and then other lines. Comments do not count, nor
imports, as far as one line tells them (key_uses.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.chosen_lines import choose_lines
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.hops import follow
from repo_mcp.research.edges.named_dispatch import EMITTING
from repo_mcp.research.edges.traversals import DEPENDENTS
from repo_mcp.research.errors.branches import READ_CHARS, build_body
from repo_mcp.research.errors.guards import read_guard
from repo_mcp.research.findings.excerpts import find_name
from repo_mcp.research.findings.handed_on import KeyPlace, KeyUse
from repo_mcp.research.findings.locating import rank_role
from repo_mcp.research.findings.named_symbols import is_program_line, show_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import MAX_EVIDENCE, ResearchState, TextPlace, note_lines
from repo_mcp.research.question.phrase_names import is_abbreviation
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.readings import build_reading
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.research.written.key_uses import is_imported, read_use
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_shared, list_words, shares_word

MOST_READ = 120  # lines with a key; one that more have says little
MOST_BESIDE = 14  # words of the question beside it: a longer one asks more
MOST_NOTED = 14  # places
MOST_HOLDING = 3  # constants with a key as their value
MOST_SAME = 8  # files that declare one function
GIVEN_CHARS, DECIDING_CHARS = 1_700, 520  # shown of the lines around a key
_KEY = re.compile(
    r"(?<![\w./:@$-])(?:/[\w$-]+|[A-Za-z_$][\w$-]*)(?:(?:[./]|:{1,2})[:{]?[\w$-]+\}?){1,8}(?![\w/(-])"
)
# `the event "ready"`, "the `ready` event": what else is in quotes may be any text.
_EVENT = re.compile(
    r"\b(?:events?|signals?|hooks?|messages?|topics?|channels?|notifications?)(?: named| called)? "
    r"[`'\"]([\w:./-]+)[`'\"]|[`'\"]([\w:./-]+)[`'\"] (?:event|signal|hook|message|topic|channel)s?\b",
    re.IGNORECASE,
)
_EMITS = rf"(?:{EMITTING}|raise)\w*$"
_OF_EVENT = re.compile(
    rf"(?:^|[.>:_])(?:{_EMITS}|(?:on|once|off|connect|subscribe|wait_?for|listen)$)|[Ll]istener$",
    re.IGNORECASE,
)
_EMITTING = re.compile(rf"(?:^|[.>:_]){_EMITS}", re.IGNORECASE)
_PARTS = re.compile(r"[./:]")
_MOUNTED = re.compile(r"/[\w-]+(?=/)")  # before the path of what is mounted there: `/api` of `/api/users/:id`
_PROSE = re.compile(r"\w+/\w+")  # "and/or", "client/server"
_ASKS_WHICH = re.compile(r"\W*(?:which|what|list|find|show)(?: all| the| of the)* (\w{3,})", re.IGNORECASE)
_HAS_KEY = frozenset(
    {
        Form.CALLERS,
        Form.CALLEES,
        Form.DEFINED,
        Form.DEPENDENTS,
        Form.DEPENDENCIES,
        Form.ERRORS,
        Form.FLOW,
        Form.OPEN,
    }
)
_ROLES = {
    KeyUse.GIVEN: (Role.TAKES_KEY, "gives {} this text and a function"),
    KeyUse.DECIDES: (Role.DECIDES_BY_KEY, "decides by this text"),
    KeyUse.HAS: (Role.WRITTEN, "has this text"),
}
_PLACES = frozenset({TakenAs.FILE, TakenAs.FOLDER})


def read_key(state: ResearchState, reading: Reading) -> Reading | None:
    """Return the reading of a question for a key, if the program has it as a text in quotes; or None.

    What the program does with it is kept in the state.
    """
    events = _list_events(state.request.query)
    keys = events or _list_keys(state.request.query)
    if len(keys) != 1 or len(state.request.query.split()) > MOST_BESIDE:
        return None
    is_outside_file = keys[0].startswith("/")  # or a route; no file of the repository is called so
    if reading.form not in _HAS_KEY and not (reading.form is Form.CONFIGURED and is_outside_file):
        return None
    is_other = find_language(keys[0]).name != "unknown" and not is_outside_file
    if not events and (is_other or _names_symbol(state, keys[0])):
        return None  # a file or a symbol
    key, is_outside = keys[0], not events and any(one.taken_as is TakenAs.OUTSIDE for one in reading.subjects)
    while key:
        places = _list_places(state, key, is_event=bool(events))
        places = [one for one in places if _tells_event(one)] if events else places
        is_given = any(one.used.use is KeyUse.GIVEN for one in places)
        is_said = places and key == keys[0] and not (is_outside or _PROSE.fullmatch(key))
        if is_given or is_said:
            state.keys = places
            return build_reading(Form.WRITTEN, (Subject(key, TakenAs.WORDS),))
        key = _MOUNTED.sub("", key, count=1) if _MOUNTED.match(key) else ""
    return None


def _list_keys(query: str) -> list[str]:
    """Return what may be keys of a question, each once: no "e.g.", and beside others no "and/or"."""
    found = [one for one in dict.fromkeys(_KEY.findall(query)) if not is_abbreviation(one)]
    return [one for one in found if not _PROSE.fullmatch(one)] or found


def _list_events(query: str) -> list[str]:
    """Return the name of an event that a question calls so, in quotes; none for several."""
    found = [next(filter(None, one.groups())) for one in _EVENT.finditer(query)]
    return found if len(found) == 1 else []


def _tells_event(place: KeyPlace) -> bool:
    """Return True for a place that gives a text a function, decides by it or hands it to what emits it."""
    return place.used.use is not KeyUse.HAS or _OF_EVENT.search(place.used.called) is not None


def is_emitted(place: KeyPlace) -> bool:
    """Return True for a place that hands a text to what emits events."""
    return place.used.use is KeyUse.HAS and _EMITTING.search(place.used.called) is not None


def _names_symbol(state: ResearchState, key: str) -> bool:
    """Return True for the whole name of a symbol, a file or a folder."""
    subjects = Subjects(state.graph, state.request.folder, state.source.read_lines)
    found = subjects.find(read_phrase(key), Form.DEFINED)
    last = _PARTS.split(key)[-1]
    is_whole = not key.startswith("/") and any(node.symbol.name == last for node in found.nodes)
    return found.taken_as in _PLACES or (found.taken_as is TakenAs.DECLARED and is_whole)


def _list_places(state: ResearchState, key: str, *, is_event: bool) -> list[KeyPlace]:
    """Return the places of the program that have a key as a text in quotes; none if too many lines do."""
    slash = "/?" if is_event or _PARTS.search(key.strip("/")) else "/"  # a word alone is no path
    pattern = rf"[\"'`]{slash}{re.escape(key.strip('/'))}/?[\"'`]"
    request = ExactRequest(pattern, regex=True, include_tests=False, limit=MOST_READ, by_role=True)
    found = state.source.search_exact(request)
    if found.truncated:
        return []
    places = (_read_place(state, one, pattern, key) for one in found.matches if is_program_line(state, one))
    return [one for one in places if one is not None]


def _read_place(state: ResearchState, match: ExactMatch, pattern: str, key: str) -> KeyPlace | None:
    """Return a place with a key; None for a line that only names a module."""
    lines, at = state.source.read_lines(match.path), match.start_line
    found = re.search(pattern, lines[at - 1]) if at <= len(lines) else None
    if found is None or is_imported(lines[at - 1], found.start()):
        return None
    used = read_use(lines, at, found.start(), len(found[0]))
    names = tuple(name for name in used.names if _list_functions(state, name, match.path))
    used = replace(used, use=KeyUse.GIVEN if names else used.use, names=names)
    called = f"{match.path} {state.source.find_holder(match.path, at).symbol}"
    asks = _ASKS_WHICH.match(state.request.query)
    words = list_words(state.request.query.replace(key, ""))
    shared = shares_word(f"{called} {used.called}", words)
    return KeyPlace(
        match.path, at, used, asks is not None and bool(shares_word(called, asks.groups())), shared
    )


def _follow_holding(state: ResearchState, subject: Subject) -> None:
    """Note what uses the constants whose value is a key: code has it by their names."""
    holds = re.compile(rf"[=:]\s*[\"'`]/?{re.escape(subject.asked.strip('/'))}/?[\"'`]\s*[;,)]?\s*$")
    lines = [(one, state.source.read_lines(one.path)[one.line - 1]) for one in state.keys]
    around = [state.source.find_around(one.path, one.line) for one, line in lines if holds.search(line)]
    constants = dict.fromkeys(node for node in around if node and node.symbol.kind in VALUE_KINDS)
    if 0 < len(constants) <= MOST_HOLDING:
        follow(state, [*constants], DEPENDENTS, 1)


def _list_functions(state: ResearchState, name: str, path: str) -> list[Node]:
    """Return the functions with a name in the folder of a file; or all, if nothing else is called so."""
    nodes = [state.get_node(one) for one in state.graph.scan.find_declared(name, MOST_SAME)]
    functions = [node for node in nodes if node.symbol.kind in CALLABLE_KINDS]
    near = [node for node in functions if node.folder == path.rpartition("/")[0]]
    return near or (functions if len(functions) == len(nodes) else [])


def note_keys(state: ResearchState, subject: Subject) -> None:
    """Note the places with a key, those that tell most first, with the lines of the call or the branch."""
    ordered = sorted(  # stable
        state.keys, key=lambda one: (not one.is_asked, one.used.use, rank_role(one.path), -one.shared)
    )
    joined: dict[tuple[str, int, KeyUse], list[KeyPlace]] = {}
    for one in ordered:
        around = state.source.find_holder(one.path, one.line)
        joined.setdefault((one.path, around.first or one.line, one.used.use), []).append(one)
    for places in [*joined.values()][:MOST_NOTED]:
        _note(state, places)
    _note_taking(state, subject)
    _follow_holding(state, subject)
    if len(joined) > MOST_NOTED:
        state.limit(f"{len(joined) - MOST_NOTED} more places with {subject.asked}", f"{MOST_NOTED} are noted")
    state.report_hop(state.depth)


def _note_taking(state: ResearchState, subject: Subject) -> None:
    """Note the functions that are called with a key and named by a guess, or with the path of any file."""
    is_file, guesses = find_language(subject.asked).name != "unknown", list_own_names(state.request.guesses)
    for one in state.keys:
        name = re.split(r"\W+", one.used.called)[-1]
        if one.used.use is KeyUse.HAS and (is_file or name in guesses):
            for node in _list_functions(state, name, one.path)[:1]:
                shown = show_body(state, node, GIVEN_CHARS)
                state.add(node, Reason("is called with this text", Role.TAKES_TEXT), 0, shown=shown)


def _note(state: ResearchState, places: Sequence[KeyPlace]) -> None:
    """Note the places of one function that do the same with a key, then the functions that it is given."""
    used, path, lines = places[0].used, places[0].path, tuple(one.line for one in places)
    role, told = _ROLES[used.use]
    if is_emitted(places[0]):
        role, told = Role.EMITS_KEY, "hands {} this text"
    reason = Reason(told.format(used.called), role, used.called)
    shown = {at for one in places for at in _list_shown(state, one)}
    around = state.source.find_holder(path, lines[0])
    if around.first:
        shown.add(
            find_name(state.source.read_lines(path), around.name, around.first, around.last) or lines[0]
        )
        for line in lines:
            shown.update(read_guard(state, path, around.first, around.last, line).lines)
    if around.node is None:
        first, last = around.first or used.first, around.last or used.last
        place = TextPlace(path, first, last, around.symbol, around.name)
        note_lines(state, place, reason, 0, lines, shown=tuple(sorted(shown)))
    else:
        if used.called.startswith("@"):
            shown.update(show_body(state, around.node, GIVEN_CHARS))
        state.add(around.node, reason, 0, lines=lines[:MAX_EVIDENCE], shown=tuple(sorted(shown)))
    for name in dict.fromkeys(name for one in places for name in one.used.names):
        for given in _list_functions(state, name, path)[:1]:
            why = Reason(f"{used.called} is given it with this text", Role.GIVEN_WITH)
            state.add(given, why, 0, Confidence.PROBABLE, shown=show_body(state, given, GIVEN_CHARS))


def _list_shown(state: ResearchState, place: KeyPlace) -> list[int]:
    """Return the lines to show of the call or the branch around a key."""
    used = place.used
    body = build_body(state, place.path, used.first, used.last)
    room = GIVEN_CHARS if used.use is KeyUse.GIVEN else DECIDING_CHARS
    terms = list_words(state.request.query)
    held = {
        at: tuple(own)
        for at in range(used.first, used.last + 1)
        if (own := list_shared(body.lines[at - 1][:READ_CHARS], terms))
    }
    return [place.line, *choose_lines(replace(body, terms=held), dict.fromkeys(terms, 1.0), room)]
