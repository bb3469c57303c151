"""Find what tells members of one enumeration apart: what branches on each, and which is the default.

if strategy is not Strategy.JOINED:                  a branch
field.strategy = Strategy.SELECT if all else hint    a choice
DEFAULTS = {"strategy": Strategy.BALANCED}           the default, which may be a third one
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from repo_mcp.bodies.statements import decides
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.research.findings.bounds import SHORT
from repo_mcp.research.findings.named_symbols import VALUES, admits_node, count_lines
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.question.members_of_types import list_members
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

MOST_CHOOSING = 2  # functions that branch on one member, or on all
MOST_MEMBERS = 40  # of an enumeration, whose uses are looked at
MOST_DEFAULTS = 2  # values that hold a member as a default
MAX_LINE_CHARS = 400
# A line that compares with a member, takes it under a condition, or has a case for it.
_CHOOSES = (
    r"(?:[=!]==?|\bis(?: not)?|\bin \(?|\?|(?:^|\?.*)\s*:|\bcase|\bwhen|\|)\s*(?:\w+(?:\.|::))*{0}\b"
    r"|\b{0}\s*(?:[=!]=|=>|->|\bif\b|\?)"
)
DECIDING_ALL = Reason("decides by all that is compared", Role.DECIDES_BY_ALL)
_DEFAULT = re.compile("default", re.IGNORECASE)


def list_enum_members(subject: Subject) -> list[Node]:
    """Return the members of enumerations that a subject is."""
    return [node for node in subject.nodes if node.symbol.kind is SymbolKind.ENUM_MEMBER]


def name_value(subject: Subject) -> str:
    """Return the name of a value that a subject is, or that is bound to it."""
    return split_qualified(subject.name or subject.asked)[-1]


def list_choosing(state: ResearchState, subjects: Sequence[Subject]) -> dict[Node, Reason]:
    """Return the functions that branch on members that are compared, on all of them or on one, with reasons.

    Those with most such lines come first, of these the shortest: others do more than that.
    """
    held = [_count_choosing(state, list_enum_members(one)) for one in subjects]
    both = {node: sum(own[node] for own in held) for node in held[0] if all(node in own for own in held)}
    found = dict.fromkeys(_choose_best(both), DECIDING_ALL)
    for subject, own in zip(subjects, held, strict=True):
        name = name_value(subject)
        alone = {node: own[node] for node in own if node not in both}
        found |= dict.fromkeys(_choose_best(alone), Reason(f"decides by {name}", Role.DECIDES_BY_ONE, name))
    return found


def _choose_best(counts: Mapping[Node, int]) -> list[Node]:
    return sorted(counts, key=lambda node: (-counts[node], count_lines(node)))[:MOST_CHOOSING]


def _count_choosing(state: ResearchState, members: Sequence[Node]) -> dict[Node, int]:
    """Return the functions of the program that branch on one of some members, with the number of lines."""
    held: dict[Node, int] = {}
    for member in members:
        for edge in list_users(state, member, SHORT, (EdgeType.REFERENCES,)):
            node = state.get_node(edge.other)
            lines = state.source.read_lines(node.path)
            count = sum(chooses(member.symbol.name, lines[at - 1]) for at in edge.lines if at <= len(lines))
            if count and node.symbol.kind in CALLABLE_KINDS and admits_node(state, node):
                held[node] = count
    return held


def chooses(name: str, line: str) -> bool:
    """Return True for a line that branches on a member of an enumeration, or returns it."""
    line = line[:MAX_LINE_CHARS]
    return decides(name, [line]) or re.search(_CHOOSES.format(re.escape(name)), line) is not None


def note_default(state: ResearchState, subjects: Sequence[Subject]) -> None:
    """Note the values called a default that hold a member of the enumeration whose members are compared."""
    members = [node for subject in subjects for node in list_enum_members(subject)]
    owners = {(node.path, node.symbol.parent) for node in members}
    if len(members) < len(subjects) or len(owners) != 1:
        return
    owner = state.get_node(Declaration(*owners.pop()))
    noted = 0
    for member in list_members(state.graph, owner)[:MOST_MEMBERS]:
        for edge in list_users(state, member, SHORT, (EdgeType.REFERENCES,)):
            node = state.get_node(edge.other)
            is_default = node.symbol.kind in VALUES and _DEFAULT.search(node.qualified_name)
            if not is_default or not admits_node(state, node) or noted >= MOST_DEFAULTS:
                continue
            name = member.qualified_name
            reason = Reason(f"has {name} as a default", Role.DEFAULT_OF_KIND, name)
            noted += state.add(node, reason, 0, lines=edge.lines, shown=tuple(edge.lines))
