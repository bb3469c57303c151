"""Tell of a type that holds settings: its fields with their defaults, and what makes one.

class PoolLimits:                        the type
    largest: int = 10                    a field and its default
limits = limits or PoolLimits()          what makes one
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.body import measure
from repo_mcp.bodies.chosen_lines import keep_around
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import cite, cite_lines, join_names, shorten, shorten_symbol
from repo_mcp.research.findings.named_symbols import admits_node, show_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.question.members_of_types import list_fields
from repo_mcp.research.settings.given_values import find_value
from repo_mcp.research.settings.noted_settings import FUNCTION_CHARS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.citations import write_citation

MOST_MAKING = 3  # places shown that make one
MOST_TOLD = 6  # fields whose defaults are told
MOST_LINES = 6  # of one function
MAX_VALUE_CHARS = 60
_USED = (EdgeType.CALLS, EdgeType.REFERENCES, EdgeType.ACCEPTS)
_MADE = r"\b{0}(?:<[^<>]*>)?\s*(?:\(|\{{|::(?:default|new|builder)\b|\.(?:builder|create|default|new)\b)"
_NO_ARGUMENTS = re.compile(r"\(\s*\)|\{\s*\}|::default\b|default", re.IGNORECASE)


def note_settings_type(state: ResearchState, subject: Subject) -> bool:
    """Note what makes a type that holds settings. Return False for any other subject."""
    held = {node: list_fields(state.graph, node) for node in subject.nodes}
    if not held or not all(held.values()):
        return False
    for node, fields in held.items():
        _show_fields(state, node, fields)
        _note_making(state, node)
    return True


def _show_fields(state: ResearchState, node: Node, fields: Sequence[Node]) -> None:
    """Show of a type that is noted its head and all its fields."""
    numbers = {node.symbol.start_line, *(one.symbol.start_line for one in fields)}
    for position, one in enumerate(state.findings):
        if one.node == node:
            state.findings[position] = replace(one, shown=tuple(sorted({*numbers, *one.shown})))


def _note_making(state: ResearchState, node: Node) -> None:
    """Note the places that make an instance of a type: without arguments, as a default, first."""
    made = re.compile(_MADE.format(re.escape(node.symbol.name)))
    found: dict[Node, tuple[int, ...]] = {}
    defaults: set[Node] = set()
    for edge in list_users(state, node, NARROW, _USED):
        user = state.get_node(edge.other)
        lines = state.source.read_lines(user.path)
        own = tuple(at for at in edge.lines if at <= len(lines) and made.search(lines[at - 1]))
        if own and admits_node(state, user) and user != node:
            found[user] = tuple(sorted({*found.get(user, ()), *own}))
            texts = [lines[at - 1] for at in own]
            defaults.update([user] if any(map(_NO_ARGUMENTS.search, texts)) else [])
    reason = Reason(f"makes a {node.symbol.name}", Role.MAKES_SETTINGS, node.symbol.name)
    for user in sorted(found, key=lambda one: one not in defaults)[:MOST_MAKING]:  # stable
        _note_lines(state, user, found[user], reason)


def _note_lines(state: ResearchState, user: Node, lines: tuple[int, ...], reason: Reason) -> None:
    """Note lines of a function or a value."""
    text = state.source.read_lines(user.path)
    # The file may be shorter since it was parsed.
    lines = shown = tuple(at for at in lines if at <= len(text))
    if lines and user.symbol.kind in CALLABLE_KINDS:
        room = FUNCTION_CHARS + measure(text, lines[1:MOST_LINES])
        shown = show_body(state, user, room, dict.fromkeys(lines, (reason.about,)))
        shown = keep_around(text, {*shown, *lines[:MOST_LINES]}, lines)
    state.add(user, reason, 1, lines=lines, shown=shown)


def describe_settings_type(state: ResearchState, subject: Subject) -> str:
    """Return sentences on a type that holds settings: its defaults, and what makes one."""
    sentences = []
    for node in subject.nodes:
        fields = list_fields(state.graph, node)
        if not fields:
            return ""
        told = list(filter(None, (_tell_default(state, one) for one in fields)))
        by_default = f", by default {join_names(told, MOST_TOLD)}" if told else ""
        sentences.append(f"{shorten(node.qualified_name)} ({cite(node)}) holds it{by_default}.")
    making = [one for one in state.findings if one.role is Role.MAKES_SETTINGS]
    made = join_names(f"{shorten_symbol(one)} ({cite_lines(one)})" for one in making)
    sentences += [f"One is made in {made}."] if made else []
    return " ".join(sentences)


def _tell_default(state: ResearchState, field: Node) -> str:
    """Return a field with the value that its declaration gives it; "" for none."""
    at = field.symbol.start_line
    line = "".join(state.source.read_lines(field.path)[at - 1 : at])  # none of a file that became shorter
    comment = r"\s#\s" if field.language == "python" else r"\s(?:#|//)\s"  # two slashes divide in Python
    value = re.split(comment, find_value(field.symbol.name, line))[0].rstrip(" ,;")
    told = value and len(value) <= MAX_VALUE_CHARS
    return f"{field.symbol.name} = {value} ({write_citation(field.path, at, at)})" if told else ""
