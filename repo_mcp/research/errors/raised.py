"""Note where errors of a type are raised, apart from where they are caught or only made.

A type stands for those that derive from it. What a line does with an error is told in uses.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import IMPLEMENTATIONS
from repo_mcp.research.errors.guards import read_guard
from repo_mcp.research.errors.uses import (
    ErrorUse,
    Use,
    find_required_late,
    find_written,
    follow_makers,
    follow_raising,
)
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import is_deprecated
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.raised_places import lies_in
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.question_words import list_words, shares_word

MAX_LATE = 8  # types whose uses without their names are looked for
MAX_TYPES = 40  # a type and those that derive from it
MOST_NOTED = 40  # functions that do the same with errors of a type
MOST_SHOWN, MAX_LINES_SHOWN = 12, 4  # of these with the conditions around their lines; lines of each
_BELOW = Bounds(files=100, references=300)
_ROLES = {
    Use.RAISES: (Role.RAISES, "raises {}"),
    Use.CATCHES: (Role.CATCHES, "catches {}"),
    Use.GIVES: (Role.GIVES_ERROR, "makes {} for what calls it"),
    Use.MAKES: (Role.MAKES_ERROR, "makes {} and does not raise it"),
}


def note_raised(state: ResearchState, subject: Subject) -> None:
    """Note the functions that raise the errors of a type, then those that catch them or only make them."""
    types = _list_types(state, [node for node in subject.nodes if node.symbol.kind in TYPE_KINDS])
    name = types[0].symbol.name if types else (subject.name or subject.asked).rpartition(".")[2]
    names = list(dict.fromkeys([name, *(node.symbol.name for node in types)]))
    own = {
        (node.path, at) for node in types for at in range(node.symbol.start_line, node.symbol.end_line + 1)
    }
    found = [one for one in find_written(state, names) if (one.path, one.number) not in own]
    found += [one for node in types[:MAX_LATE] for one in find_required_late(state, node)]
    found += follow_makers(state, [one for one in found if one.use is Use.GIVES])
    found += follow_raising(state, [one for one in found if one.use is Use.RAISES])
    found = _keep_asked(state, found)
    asked = list_words(state.request.full_text)
    words = [word for word in asked if not shares_word(name, (word,))]
    for use in _ROLES:
        used = (one for one in found if one.use is use)
        _note(state, sorted(used, key=lambda one: (one.name != name, *_rate(state, one, words))), name)
    state.report_hop(state.depth)


def _keep_asked(state: ResearchState, found: list[ErrorUse]) -> list[ErrorUse]:
    """Return the uses in the types in which the error is asked for; all if none of those raises it."""
    own = [one for one in found if lies_in(one.path, one.number, one.symbol, state.raising_types)]
    return own if any(one.use is Use.RAISES for one in own) else found


def _list_types(state: ResearchState, types: Sequence[Node]) -> list[Node]:
    """Return some types and those of the program that derive from them."""
    found = list(types)
    for one in found:  # which grows
        if len(found) < MAX_TYPES:
            state.check()
            edges = state.graph.find_incoming(one, IMPLEMENTATIONS, _BELOW).edges
            below = (state.get_node(edge.other) for edge in edges)
            found += [node for node in below if node not in found and may_answer(node.path)]
    return found[:MAX_TYPES]


def _rate(state: ResearchState, one: ErrorUse, words: Sequence[str]) -> tuple[int, bool]:
    """Return a key by which functions with words of the question come first, then what is not deprecated."""
    owner = one.node and state.get_parent(one.node)
    is_old = any(node is not None and is_deprecated(node) for node in (one.node, owner))
    return -shares_word(one.symbol, words), is_old


def _note(state: ResearchState, used: Iterable[ErrorUse], name: str) -> None:
    """Note the functions around lines that do the same with errors, each with its lines."""
    around: dict[tuple[str, int], list[ErrorUse]] = {}
    for one in used:
        around.setdefault((one.path, one.lines[0]), []).append(one)
    for position, own in enumerate(list(around.values())[:MOST_NOTED]):
        role, text = _ROLES[own[0].use]
        reason = Reason(text.format(own[0].name), role, "" if own[0].name == name else own[0].name)
        _note_one(state, own, reason, shows_guard=position < MOST_SHOWN)
    if len(around) > MOST_NOTED:
        state.unnoted[role] += len(around) - MOST_NOTED
        state.limit(f"{len(around) - MOST_NOTED} more functions", f"{MOST_NOTED} are noted that do the same")


def _note_one(state: ResearchState, own: Sequence[ErrorUse], reason: Reason, *, shows_guard: bool) -> None:
    path, node, (first, last) = own[0].path, own[0].node, own[0].lines
    lines = tuple(sorted({one.number for one in own}))
    told = lines[:MAX_LINES_SHOWN]
    guards = [read_guard(state, path, first, last, at) for at in told] if shows_guard else []
    shown = tuple(sorted({*told, *(at for one in guards for at in one.lines)}))
    if node is not None:
        state.add(node, reason, 1, lines=lines, shown=shown if shows_guard else ())
        return
    note_lines(state, TextPlace(path, first, last, own[0].symbol), reason, 1, lines, shown=shown)
