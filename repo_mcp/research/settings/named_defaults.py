"""Find the values that are named as the default of a setting: `defaultMaxBodySize` for `maxBodySize`.

They hold what a setting is if nothing else is said, and may lie in another file than what is called as the
setting itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import cite_line, join_clauses, join_names
from repo_mcp.research.findings.locating import is_program, may_answer
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding, Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import OF_DEFAULTS, is_named_default, write_snake
from repo_mcp.research.settings.deciding import MAX_VALUE_CHARS, read_deciding
from repo_mcp.research.settings.given_values import find_value, tells_value
from repo_mcp.research.settings.noted_settings import note_matches, note_readers
from repo_mcp.research.settings.reading_lines import find_used, list_reading, reads_only
from repo_mcp.research.settings.setting_lines import search_mentions, search_setting
from repo_mcp.text.citations import write_citation
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import count_words, list_words, shares_word

MOST_FOUND, MOST_NAMED = 20, 2  # declarations of one name, defaults of one setting
_DOTTED = re.compile(r"(?:\w+(?:\.|::|->))*([A-Za-z_]\w*)")


def note_named_defaults(state: ResearchState, subject: Subject, name: str) -> None:
    """Note the values that are named as the default of a setting, with the lines that set and read them."""
    for own, nodes in _list_named(state, name).items():
        for node in nodes:
            state.add(node, Reason(f"is named as a default of {name}", Role.NAMED_DEFAULT, own), 1)
        setting, mentions = (
            [one for one in found if is_program(one.path) and own in one.line and not _declare(nodes, one)]
            for found in (search_setting(state, own), search_mentions(state, own))
        )
        used = find_used(state, replace(subject, nodes=tuple(nodes)))
        reading = list_reading(state, own, mentions, used, is_declared=True)
        setting = [one for one in setting if one not in reading or not reads_only(state, own, one)]
        note_matches(state, own, setting)
        note_readers(state, own, reading, Role.READS)


def _declare(nodes: Sequence[Node], match: ExactMatch) -> bool:
    """Return True for a line of some declarations."""
    own = (node.symbol for node in nodes if node.path == match.path)
    return any(one.start_line <= match.start_line <= one.end_line for one in own)


def _list_named(state: ResearchState, name: str) -> dict[str, list[Node]]:
    """Return, by name, the values of the program named as a setting with a word for a default."""
    named: dict[str, list[Node]] = {}
    spelled = _spell_defaults(name) if count_words(name) > 1 else []
    given = _list_given(state, name)
    sure = (*given, *spelled)
    for own in dict.fromkeys((*given, *_list_guessed(state, name), *spelled)):
        found = map(state.get_node, state.graph.scan.find_declared(own, MOST_FOUND))
        values = [
            node
            for node in found
            if node.symbol.kind in VALUE_KINDS
            and may_answer(node.path)
            and state.admits(node.path)
            and (own in sure or count_lines(node) == 1)  # a guessed table may have the defaults of others
        ]
        if values:
            named[own] = values
    return dict(list(named.items())[:MOST_NAMED])


def _list_given(state: ResearchState, name: str) -> list[str]:
    """Return the names of values that are given to a setting by default: `config.DefaultAddress`."""
    deciding = [
        read_deciding(state, name, one.node)
        for one in state.findings
        if one.role is Role.DECIDES_SETTING and one.reason.about == name and one.node
    ]
    values = [one.default[1] for one in deciding if one is not None and one.default is not None]
    named = (_DOTTED.fullmatch(value) for value in values)
    return [found[1] for found in named if found is not None and count_words(found[1]) > 1]


def _list_guessed(state: ResearchState, name: str) -> list[str]:
    """Return the guessed names that are called a default and have another word of the question."""
    asked = [word for word in list_words(state.request.query) if word not in OF_DEFAULTS]
    own = list_own_names(state.request.guesses)
    return [one for one in own if one != name and is_named_default(one) and shares_word(one, asked)]


def _spell_defaults(name: str) -> list[str]:
    """Return the names that the default of a setting may have: `DefaultMaxSize`, `DEFAULT_MAX_SIZE`."""
    if is_named_default(name):
        return []
    words = write_snake(name).strip("_").split("_")
    spelled: dict[str, None] = {}
    for word in sorted(OF_DEFAULTS):
        for first, *rest in ([word, *words], [*words, word]):
            camel = "".join(map(str.capitalize, rest))
            snake = "_".join((first, *rest))
            spelled |= dict.fromkeys((first + camel, first.capitalize() + camel, snake, snake.upper()))
    return list(spelled)


def read_named_default(state: ResearchState, one: Finding) -> str:
    """Return what a line gives to a value that is named as a default; "" if it tells nothing."""
    if one.role is not Role.NAMED_DEFAULT or one.start_line != one.end_line:
        return ""
    line = "".join(state.source.read_lines(one.path)[one.start_line - 1 : one.end_line])
    told = find_value(one.reason.about, line).rstrip(" ,;")
    return told if tells_value(told) and len(told) <= MAX_VALUE_CHARS else ""


def describe_named_defaults(state: ResearchState, said: str) -> str:
    """Return sentences on the values named as a default: what and where each is, and what sets and reads it.

    A value that is `said` already is not repeated.
    """
    named: dict[str, list[Finding]] = {}
    for one in state.findings:
        if one.role is Role.NAMED_DEFAULT:
            named.setdefault(one.reason.about, []).append(one)
    sentences = []
    for name, own in named.items():
        value = read_named_default(state, own[0]) if len(own) == 1 else ""
        is_said = f" {value} ({own[0].citation})" in said
        lead = f"{value}, " if value and not is_said else ""
        declared = (write_citation(one.path, one.start_line, one.start_line) for one in own)
        told = [f"{lead}declared at {join_names(declared)}"]
        for verb, role in (("set", Role.SETS), ("read", Role.READS)):
            found = [one for one in state.findings if one.role is role and one.reason.about == name]
            told += [f"{verb} at {join_names(map(cite_line, found))}"] if found else []
        sentences.append(f" {name} is {join_clauses(told)}.")
    return "".join(sentences)
