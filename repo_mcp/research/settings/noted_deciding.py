"""Note what decides about a setting before all that declares and sets it, and mere keys after these."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.chosen_lines import keep_around
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import shorten_symbol
from repo_mcp.research.findings.named_symbols import admits_node, show_body
from repo_mcp.research.findings.reasons import Reason, Role, explain_named
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.deciding import is_key, list_deciding, read_deciding
from repo_mcp.research.settings.named_defaults import read_named_default
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.citations import write_citation
from repo_mcp.text.guessed_names import list_own_names

MOST_DECIDING, MOST_APPLYING, MOST_DECLARED = 2, 2, 20
DECIDING_CHARS = 900  # of a function that decides
MOST_GIVEN = 3  # values in a sentence
_ASKS_DEFAULT = re.compile(r"\bdefaults?\b", re.IGNORECASE)


def note_deciding(state: ResearchState, subject: Subject, name: str, mentions: Sequence[ExactMatch]) -> None:
    """Note what decides about a setting, and what uses it beside that, if a default is asked for."""
    if not subject.nodes or not _ASKS_DEFAULT.search(state.request.query):
        return
    found = list_deciding(state, name, mentions)[:MOST_DECIDING]
    for one in found:
        default = f", {one.default[1]} by default" if one.default is not None else ""
        _note(
            state, one.node, Reason(f"decides about {name}{default}", Role.DECIDES_SETTING, name), one.lines
        )
    if found and len(found[0].given) > 1:
        _note_applying(state, name, found[0].node, mentions)
    if found:
        _note_declared(state, name)


def _note_applying(state: ResearchState, name: str, node: Node, mentions: Sequence[ExactMatch]) -> None:
    lines: dict[Node, list[int]] = {}
    for one in mentions:
        around = state.source.find_around(one.path, one.start_line) if one.path == node.path else None
        if around is not None and around.symbol.kind in CALLABLE_KINDS:
            lines.setdefault(around, []).append(one.start_line)
    reason = Reason(f"uses {name} beside what decides about it", Role.READS, name)
    for other in sorted(lines, key=lambda one: -len(lines[one]))[:MOST_APPLYING]:  # stable
        _note(state, other, reason, tuple(lines[other]))


def _note_declared(state: ResearchState, name: str) -> None:
    """Note the declarations of a name in types that the question guesses."""
    guessed = list_own_names(state.request.guesses)
    for node in map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARED)):
        owner = node.qualified_name.split(".")[-2:][0]
        if owner in guessed and node.symbol.kind in VALUE_KINDS and admits_node(state, node):
            state.add(node, explain_named(name), 0)


def _note(state: ResearchState, node: Node, reason: Reason, lines: tuple[int, ...]) -> None:
    """Note a function with some of its lines and what encloses these, or the whole of a short one."""
    shown = {*show_body(state, node, DECIDING_CHARS, dict.fromkeys(lines, (reason.about,))), *lines}
    if reason.role is Role.DECIDES_SETTING and node.symbol.kind in CALLABLE_KINDS:
        shown = {*keep_around(state.source.read_lines(node.path), shown, lines)}
    state.add(node, reason, 0, Confidence.PROBABLE, lines, shown=tuple(sorted(shown)))


def put_keys_last(state: ResearchState) -> None:
    """Order the findings where something decides about a setting: that comes first, and mere keys last."""
    if all(one.role is not Role.DECIDES_SETTING for one in state.findings):
        return
    keys = {node for node in state.nodes.values() if is_key(state, node)}
    deciding = [one for one in state.findings if one.role is Role.DECIDES_SETTING]
    using = [one for one in state.findings if one.role is Role.READS and not one.hop]
    first = [*deciding, *using]
    later = [one for one in state.findings if one not in first]
    last = [replace(one, hop=2) for one in later if one.node in keys]
    others = [one for one in later if one.node not in keys]
    state.findings[:] = [*first, *others, *last]


def describe_deciding_setting(state: ResearchState) -> str:
    """Return a sentence on what decides about a setting: its default, and what it takes in which order."""
    for one in state.findings:
        node = one.node if one.role is Role.DECIDES_SETTING else None
        deciding = None if node is None else read_deciding(state, one.reason.about, node)
        if deciding is None:
            continue
        default, at = ("", 0)
        if deciding.default is not None:
            at, value = deciding.default
            given = _describe_given(state, value)
            default = (
                f"The default of {one.reason.about} is {value} ({write_citation(one.path, at, at)}){given}"
            )
        values = [f"{value} (line {line})" for line, value in deciding.given if line != at][:MOST_GIVEN]
        what = "it" if default else one.reason.about
        told = f"{shorten_symbol(one)} ({one.citation}) gives {what} {', then '.join(values)}"
        said = "; ".join(filter(None, (default, told if len(values) > 1 or not default else "")))
        return f"{said}."
    return ""


def _describe_given(state: ResearchState, value: str) -> str:
    """Return what the name that a setting is given by default stands for: ", which is 80 (post.go:3)"."""
    name = re.split(r"\W+", value)[-1]
    named = ((read_named_default(state, one), one) for one in state.findings if one.reason.about == name)
    return next((f", which is {told} ({one.citation})" for told, one in named if told), "")
