"""Say where a text of the question stands: in which functions, on which lines, and under which conditions."""

from __future__ import annotations

import re
from itertools import groupby

from repo_mcp.research.errors.guards import read_guard
from repo_mcp.research.errors.made import MAX_ERRORS, list_errors, put_asked_first
from repo_mcp.research.findings.citing import cite_lines, join_names, name_findings, shorten_symbol
from repo_mcp.research.findings.handed_on import KeyUse
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.written.written_keys import is_emitted
from repo_mcp.text.citations import write_citation

_KEY_ROLES = frozenset({Role.TAKES_KEY, Role.DECIDES_BY_KEY, Role.EMITS_KEY, Role.WRITTEN})
_ASKS_ERRORS = re.compile(r"\b(?:errors?|exceptions?|failures?|fails?|raises?|throws?)\b", re.IGNORECASE)
MOST_KEYED = 3  # other places with a key
MOST_TOLD = 8  # functions
MOST_LINES = 3  # of one function
MOST_CHARS = 80  # of the text that are repeated


def describe_keys(state: ResearchState, subject: Subject) -> str:
    """Return what the program does with a key: what is given it and a function, decides by it, and has it.

    Users of a constant that holds the key are named last.
    """
    key, told = f'"{subject.asked}"', list[str]()
    found = [one for one in state.findings if one.role in _KEY_ROLES]
    for role, group in groupby(found, key=lambda one: one.role):
        own = list(group)
        most = MOST_KEYED if role is Role.WRITTEN and told else MOST_TOLD
        places = join_names(map(_cite_key, own), most)
        name = "it" if told else key
        if role is Role.TAKES_KEY:
            given = [one for one in state.findings if one.role is Role.GIVEN_WITH]
            function = name_findings(given) if given else "a function"
            told.append(f"{name} is given, with {function}, to {places}")
        elif role is Role.DECIDES_BY_KEY:
            told.append(f"{name} decides a branch in {places}")
        elif role is Role.EMITS_KEY:
            continue  # it may stand in a function that is found for something else
        else:
            told.append(f"{name} {'also ' if told else ''}occurs in {places}")
    emitting = [one for one in state.keys if is_emitted(one)]
    if emitting:
        places = join_names(f"`{one.used.called}` ({one.path}:{one.line})" for one in emitting)
        told.append(f"{'it' if told else key} is emitted by {places}")
    if _ASKS_ERRORS.search(state.request.query) and (errors := _list_errors(state)):
        told.insert(1, f"errors that arise there: {join_names(errors, MAX_ERRORS)}")
    taking = [one for one in state.findings if one.role is Role.TAKES_TEXT]
    told += [f"it is handed to {name_findings(taking)}"] if taking else []
    users = [one for one in state.findings if one.hop == 1]
    told += [f"what holds it is used by {name_findings(users)}"] if users else []
    return " ".join(f"{one[0].upper()}{one[1:]}." for one in told)


def _list_errors(state: ResearchState) -> list[str]:
    """Return the errors that the functions raise which are given a key, with their places."""
    given = [one for one in state.findings if one.role is Role.TAKES_KEY]
    spans = ((one.path, one.used) for one in state.keys if one.used.use is KeyUse.GIVEN)
    places = {(path, at) for path, used in spans for at in range(used.first, used.last + 1)}
    return put_asked_first(state, list_errors(state, given, places)[0]) if given else []


def _cite_key(one: Finding) -> str:
    """Return what has a key, with its lines; of a call that is given a function, what is called."""
    taking = f"`{one.reason.about}`" if one.role in (Role.TAKES_KEY, Role.EMITS_KEY) else ""
    if taking and (not one.name or '"' in one.name):  # the function is declared under the text
        return f"{taking} ({one.citation})"
    place = f"{shorten_symbol(one)} ({cite_lines(one)})" if one.name else cite_lines(one)
    return f"{taking} in {place}" if taking else place


def describe_written(state: ResearchState, subject: Subject) -> str:
    """Return where a text occurs, first where a word of the question follows it."""
    found = [one for one in state.findings if one.role is Role.WRITTEN]
    sentences: list[str] = []
    for word, own in groupby(found, key=lambda one: one.reason.about):
        places = [_describe_place(state, one) for one in own]
        told = join_names(places[:MOST_TOLD], MOST_TOLD, max(0, len(places) - MOST_TOLD))
        what = f'"{subject.asked[:MOST_CHARS]}{"…" if len(subject.asked) > MOST_CHARS else ""}"'
        does = f'is followed by "{word}"' if word else "occurs"
        sentences.append(f"{'It' if sentences else what} {does} in {told}.")
    return " ".join(sentences)


def _describe_place(state: ResearchState, one: Finding) -> str:
    """Return the function around a text, with the lines and the condition of each."""
    said: list[str] = []
    for at in one.lines[:MOST_LINES]:
        guard = read_guard(state, one.path, one.start_line, one.end_line, at)
        place = f":{at}" if said else write_citation(one.path, at, at)
        said.append(f"{place}, {guard.text}" if guard.text else place)
    told = "; ".join(said)
    return f"{shorten_symbol(one)} ({told})" if one.name else told
