"""Say of a name that nothing declares where it is written or taken, what it decides, and what is similar.

limit is a parameter of Table.__init__ (table.py:4) and read at table.py:5. It decides _rows (table.py:5),
which is read by Table.add.
"""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.graph.nodes import Node, normalise_name
from repo_mcp.research.edges.written_names import is_nowhere
from repo_mcp.research.findings.citing import cite, join_names, name_briefly, name_findings, shorten
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.decided_fields import list_decided, list_taking
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.citations import write_citation

MOST_MEMBERS = 8  # named of a type that lacks the one asked for


def describe_unknown(state: ResearchState, subject: Subject) -> str:
    """Return sentences on a name that nothing declares."""
    if subject.owner is not None:
        return _describe_lacked(subject, subject.owner)
    known = _describe_parameter(state, subject)
    if known:
        return known
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
    inside = join_names(f"{shorten(one.symbol)} ({one.citation})" for one in found if one.node_id)
    lines = join_names(one.citation for one in found if not one.node_id)
    places = " and ".join(filter(None, (inside and f"in {inside}", lines and f"at {lines}")))
    written = f"written {places}" if places else ""
    if state.source.is_partial and not state.source.is_absent(subject.asked):
        return f"No file parsed so far declares {subject.asked}{written and ', but it is '}{written}."
    made = [one for one in state.findings if one.role is Role.DEFINES_BY_PATTERN]
    if made:
        places = join_names(f"{shorten(one.symbol)} ({one.citation})" for one in made)
        define = "defines" if len(made) == 1 else "define"
        return f"No line declares {subject.asked} as a whole, but {places} {define} such names."
    if subject.asked.isupper() and is_nowhere(state, subject.asked):
        return f"{subject.asked} does not occur in this repository."
    return f"{subject.asked} is not declared in this repository{written and ', but '}{written}."


def _describe_parameter(state: ResearchState, subject: Subject) -> str:
    """Return sentences on a name that functions take as a parameter: where it is read, and what it decides.

    Return "" for any other name.
    """
    taking = list_taking(state, subject.asked)
    if not taking:
        return ""
    whose = join_names(_cite(one.node.path, one.line, shorten(one.node.qualified_name)) for one in taking)
    read = join_names(_cite(one.node.path, at) for one in taking for at in one.uses)
    is_so = f"{subject.asked} is a parameter of {whose}{read and f' and read at {read}'}."
    return f"{is_so}{describe_decided(state, subject.asked, [one.node for one in taking])}"


def describe_decided(state: ResearchState, name: str, functions: Iterable[Node]) -> str:
    """Return a sentence on the fields that functions set by a name, and what reads them; "" for none."""
    fields = {
        field: _cite(node.path, at, field)
        for node in functions
        for field, at in list_decided(state, node, name).items()
    }
    readers = [one for one in state.findings if one.role is Role.READS_FIELD and one.reason.about == name]
    are = "is" if len(fields) == 1 else "are"
    by = f", which {are} read by {name_findings(readers)}" if readers else ""
    return f" It decides {join_names(fields.values())}{by}." if fields else ""


def _cite(path: str, at: int, name: str = "") -> str:
    place = write_citation(path, at, at)
    return f"{name} ({place})" if name else place
