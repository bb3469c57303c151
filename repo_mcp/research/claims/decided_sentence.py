"""Say what a name decides that no symbol has: where functions take and read it, and the fields set by it.

limit is a parameter of Table.__init__ (table.py:4) and read at table.py:5. It decides _rows (table.py:5),
which is read by Table.add.
"""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.citing import join_names, name_findings, shorten
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.settings.decided_fields import list_decided, list_taking
from repo_mcp.text.citations import write_citation


def describe_parameter(state: ResearchState, subject: Subject) -> str:
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
