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
from repo_mcp.research.findings.citing import cite_line, join_names, shorten_symbol
from repo_mcp.research.findings.locating import is_program, may_answer
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import write_snake
from repo_mcp.research.settings.deciding import read_deciding
from repo_mcp.research.settings.noted_settings import note_matches, note_readers
from repo_mcp.research.settings.reading_lines import find_used, list_reading, reads_only
from repo_mcp.research.settings.setting_lines import search_mentions, search_setting
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import count_words

MOST_FOUND, MOST_NAMED = 20, 2  # declarations of one name, defaults of one setting
_DOTTED = re.compile(r"(?:\w+(?:\.|::|->))*([A-Za-z_]\w*)")
_OF_DEFAULTS = ("default", "fallback", "initial")


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
    for own in dict.fromkeys((*_list_given(state, name), *spelled)):
        found = map(state.get_node, state.graph.scan.find_declared(own, MOST_FOUND))
        values = [
            node
            for node in found
            if node.symbol.kind in VALUE_KINDS and may_answer(node.path) and state.admits(node.path)
        ]
        if values:
            named[own] = values
    return dict(list(named.items())[:MOST_NAMED])


def _list_given(state: ResearchState, name: str) -> list[str]:
    """Return the names of values that are given to a setting by default: `config.DefaultAddress`."""
    by_id = {node.node_id: node for node in state.nodes.values()}
    deciding = [
        read_deciding(state, name, by_id[one.node_id])
        for one in state.findings
        if one.role is Role.DECIDES_SETTING and one.reason.about == name and one.node_id in by_id
    ]
    values = [one.default[1] for one in deciding if one is not None and one.default is not None]
    named = (_DOTTED.fullmatch(value) for value in values)
    return [found[1] for found in named if found is not None and count_words(found[1]) > 1]


def _spell_defaults(name: str) -> list[str]:
    """Return the names that the default of a setting may have: `DefaultMaxSize`, `DEFAULT_MAX_SIZE`."""
    words = write_snake(name).strip("_").split("_")
    if not set(words).isdisjoint(_OF_DEFAULTS):
        return []
    spelled: dict[str, None] = {}
    for word in _OF_DEFAULTS:
        for first, *rest in ([word, *words], [*words, word]):
            camel = "".join(map(str.capitalize, rest))
            snake = "_".join((first, *rest))
            spelled |= dict.fromkeys((first + camel, first.capitalize() + camel, snake, snake.upper()))
    return list(spelled)


def describe_named_defaults(state: ResearchState) -> str:
    """Return sentences on the values named as a default: where each is declared, set and read; or ""."""
    names: dict[str, list[str]] = {}
    for one in state.findings:
        if one.role is Role.NAMED_DEFAULT:
            names.setdefault(one.reason.about, []).append(
                write_citation(one.path, one.start_line, one.start_line)
            )
    sentences = []
    for name, declared in names.items():
        told = [f"declared at {join_names(declared)}"]
        for verb, role in (("set", Role.SETS), ("read", Role.READS)):
            found = [one for one in state.findings if one.role is role and one.reason.about == name]
            is_within = role is Role.SETS and all(one.node_id for one in found)
            places = [
                f"{shorten_symbol(one)} ({cite_line(one)})" if is_within else cite_line(one) for one in found
            ]
            told += [f"{verb} {'in' if is_within else 'at'} {join_names(places)}"] if places else []
        sentences.append(f" {name} is {', '.join(told[:-1])}{' and ' if told[1:] else ''}{told[-1]}.")
    return "".join(sentences)
