"""Say of a name that nothing declares where it is written, and what is similar."""

from __future__ import annotations

from repo_mcp.graph.nodes import Node, normalise_name
from repo_mcp.research.edges.written_names import is_nowhere
from repo_mcp.research.findings.citing import cite, join_names, name_briefly, shorten
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolKind

MOST_MEMBERS = 8  # named of a type that lacks the one asked for


def describe_unknown(state: ResearchState, subject: Subject) -> str:
    """Return sentences on a name that nothing declares."""
    if subject.owner is not None:
        return _describe_lacked(subject, subject.owner)
    elsewhere = _describe_elsewhere(subject)
    if elsewhere:
        return f"{_describe_written(state, subject)} {elsewhere}"
    near = join_names(map(name_briefly, subject.near), len(subject.near))
    are = "A similar name is" if len(subject.near) == 1 else "Similar names are"
    similar = f" {are} {near}." if near else " No name here is similar to it."
    return f"{_describe_written(state, subject)}{similar}"


def _describe_elsewhere(subject: Subject) -> str:
    """Return a sentence that says in which other scope a qualified name is declared; "" if in none."""
    *around, last = normalise_name(subject.asked).split(".")
    named = [node for node in subject.near if around and node.symbol.name == last]
    named = [node for node in named if node.symbol.kind is not SymbolKind.CONSTRUCTOR]
    if not named:
        return ""
    places = join_names(f"{node.qualified_name} ({cite(node)})" for node in named)
    return f"But {places} {'is' if len(named) == 1 else 'are'}."


def _describe_lacked(subject: Subject, owner: Node) -> str:
    """Return that a type has no member of a name, with those that it has."""
    names = dict.fromkeys(f"{node.symbol.name} (:{node.symbol.start_line})" for node in subject.near)
    has = f"it declares {join_names(names, MOST_MEMBERS)}" if names else "it declares none"
    return f"{name_briefly(owner)} has no member {subject.asked.rpartition('.')[2]}; {has}."


def _describe_written(state: ResearchState, subject: Subject) -> str:
    """Return the beginning of a sentence: a name is not declared, but written at some places, if it is."""
    found = [one for one in state.findings if one.role is Role.HAS_NAME and one.reason.about == subject.asked]
    inside = join_names(f"{shorten(one.symbol)} ({one.citation})" for one in found if one.node)
    lines = join_names(one.citation for one in found if not one.node)
    places = " and ".join(filter(None, (inside and f"in {inside}", lines and f"at {lines}")))
    written = f"written {places}" if places else ""
    if state.source.is_partial and not state.source.is_absent(subject.asked):
        return f"No file parsed so far declares {subject.asked}{written and ', but it is '}{written}."
    if subject.asked.isupper() and is_nowhere(state, subject.asked):
        return f"{subject.asked} does not occur in this repository."
    if written:  # perhaps a parameter or a local name, which are no symbols
        return f"No symbol in this repository is called {subject.asked}, but it is {written}."
    return f"{subject.asked} is not declared in this repository."
