"""Tell which of the lines that mention a setting read it: by the graph, or as they ask a record for it.

A line that gives the name a value sets it, even if the value is another setting of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from repo_mcp.bodies.statements import is_branch
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.model import ExactMatch
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.settings.line_use import (
    LineUse,
    classify_match,
    reads_in_call,
    reads_key,
    stands_in_text,
    takes_out,
)
from repo_mcp.symbol_index.unread_declarations import has_parser
from repo_mcp.text.question_words import count_words

_BOUNDS = Bounds(files=60, references=300)  # of one declaration
_ASKS_READERS = re.compile(
    r"\b(?:reads?|consult(?:s|ed)?|look(?:s|ed)? (?:at|up)|hono(?:u)?r(?:s|ed)?)\b", re.IGNORECASE
)
_ASKS_SETTERS = re.compile(r"\b(?:configur|set\b|sets\b|assign|initiali|default|declar|defin)", re.IGNORECASE)
_READING_CALL = r"\b(?:get|fetch|read|env|dig)\w*"
_READ = frozenset({LineUse.READS, LineUse.PASSES_ON})


def asks_for_readers(question: str) -> bool:
    """Return True for a question that asks what reads something, and not also what sets it."""
    return _ASKS_READERS.search(question) is not None and _ASKS_SETTERS.search(question) is None


def find_used(state: ResearchState, subject: Subject) -> frozenset[tuple[str, int]]:
    """Return the lines that the graph knows to use a declared setting, each with its path."""
    nodes = [node for node in subject.nodes if node.symbol.kind in VALUE_KINDS]
    edges = [edge for node in nodes for edge in list_users(state, node, _BOUNDS, (EdgeType.REFERENCES,))]
    return frozenset((state.get_node(edge.other).path, at) for edge in edges for at in edge.lines)


def list_reading(
    state: ResearchState,
    name: str,
    mentions: Iterable[ExactMatch],
    used: Collection[tuple[str, int]],
    *,
    is_declared: bool = False,
    is_only: bool = False,
) -> list[ExactMatch]:
    """Return those of some lines that read a setting, conditions first, and last what also gives it a value.

    For one that `is_declared`, they are those that the graph knows to use it. While files are parsed, and if
    its name of several words `is_only` that of one member, all lines with the name as a member count.
    """
    quoted = re.escape(name)
    member = re.compile(rf"[\w)\]]\??(?:\.|->){quoted}\b")
    keyed = re.compile(rf"{_READING_CALL}\(\s*[\"'](?:\w+\.)+{quoted}[\"']")
    is_member = is_declared and (state.source.is_partial or (is_only and count_words(name) > 1))
    mentions = [*mentions]
    unpacked = _list_unpacked(state, name, mentions) if is_declared or count_words(name) > 1 else ()
    found = [
        one
        for one in mentions
        if (
            (one.path, one.start_line) in used
            or reads_key(name, one.line)
            or reads_in_call(state, name, one)
            or one in unpacked
            or (is_member and member.search(one.line) is not None)
            or (not has_parser(one.path) and (member.search(one.line) or keyed.search(one.line)))
        )
    ]
    reading = [one for one in found if reads_only(state, name, one)]
    copying = [one for one in found if one not in reading and _hands_on(name, one)]
    reading.sort(key=lambda one: not is_branch(one.line))  # stable
    return [*reading, *copying]


def _list_unpacked(state: ResearchState, name: str, mentions: Sequence[ExactMatch]) -> list[ExactMatch]:
    """Return the lines that take a setting out of an object, and those behind them that have it then."""
    taking = {one for one in mentions if takes_out(state, name, one)}
    if not taking:
        return []
    around = {one: state.source.find_around(one.path, one.start_line) for one in mentions}
    holding = {around[one] for one in taking} - {None}
    return [
        one
        for one in mentions
        if one in taking
        or (
            around[one] in holding
            and one.start_line not in state.source.read_comment_lines(one.path)
            and not stands_in_text(one.line, one.line.find(name))
        )
    ]


def reads_only(state: ResearchState, name: str, match: ExactMatch) -> bool:
    """Return False for a line that gives the name a value, or takes it from the environment."""
    if takes_out(state, name, match):
        return True
    use = classify_match(state, name, match)
    return use in _READ or (use is LineUse.SETS and _split_given(name, match) is None)


def _hands_on(name: str, match: ExactMatch) -> bool:
    """Return True for a line that gives the name a value made of a member or a key of the same name."""
    given = _split_given(name, match) or ""
    return re.search(rf"(?:\.|->){re.escape(name)}\b", given) is not None or reads_key(name, given)


def _split_given(name: str, match: ExactMatch) -> str | None:
    """Return what stands behind the sign with which a line gives the name a value; None if it gives none."""
    quoted = re.escape(name)
    sign = r"(?:\[\w{0,40}\])?[\"'\]]*\s*(?:(?:\?\?|\|\||&&|[-+*/|&])?=(?![=>])|:(?!:)|(?<=[\"']),)"
    found = re.search(rf"\b{quoted}\b{sign}", match.line)
    return None if found is None else match.line[found.end() :]
