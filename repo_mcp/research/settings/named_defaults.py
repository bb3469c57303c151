"""Find the values that are named as the default of a setting: `defaultMaxBodySize` for `maxBodySize`.

They hold what a setting is if nothing else is said, and may lie in another file than what is called as the
setting itself. Other words than these may stand in the name only if the question has them.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import cite_line, join_names
from repo_mcp.research.findings.locating import is_program, may_answer
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import write_snake
from repo_mcp.research.settings.noted_settings import note_matches, note_readers
from repo_mcp.research.settings.reading_lines import find_used, list_reading, reads_only
from repo_mcp.research.settings.setting_lines import search_mentions, search_setting
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import count_words, list_words

MOST_FOUND, MOST_NAMED = 60, 2  # values with the words that are looked at, defaults of one setting
_OF_DEFAULTS = frozenset({"default", "defaults", "fallback", "initial"})


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
    words = _split(name)
    if count_words(name) < 2 or words & _OF_DEFAULTS:
        return {}
    allowed = _OF_DEFAULTS | {word.lower() for word in list_words(state.request.query)}
    found = (
        node for node, _ in state.graph.search(f"default {' '.join(words)}", SymbolFilter(), MOST_FOUND)[0]
    )
    named: dict[str, list[Node]] = {}
    for node in found:
        own = _split(node.symbol.name)
        is_default = words < own and own & _OF_DEFAULTS and own - words <= allowed
        if (
            node.symbol.kind in VALUE_KINDS
            and may_answer(node.path)
            and is_default
            and state.admits(node.path)
        ):
            named.setdefault(node.symbol.name, []).append(node)
    return dict(list(named.items())[:MOST_NAMED])


def _split(name: str) -> set[str]:
    return set(filter(None, write_snake(name).split("_")))


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
            lines = [
                cite_line(one) for one in state.findings if one.role is role and one.reason.about == name
            ]
            told += [f"{verb} at {join_names(lines)}"] if lines else []
        sentences.append(f" {name} is {', '.join(told[:-1])}{' and ' if told[1:] else ''}{told[-1]}.")
    return "".join(sentences)
