"""Tell the settings beside one whose names begin with its own: `ratio_limit_enabled` beside `ratio_limit`.

Without them its value says too little: a limit of 2.0 that is not enabled limits nothing.
"""

from __future__ import annotations

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.research.findings.records import Subject
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.citations import write_citation

MOST_WORDS = 2  # behind the name of the setting
QUOTED_CHARS = 90


def describe_beside(state: ResearchState, subject: Subject) -> str:
    """Return a sentence with the lines of the settings beside a subject that are about it; "" for none."""
    beside = [one for node in subject.nodes if node.symbol.parent for one in list_beside(state, node)]
    found = dict.fromkeys(_quote(state, one) for one in beside)
    verb = "stands" if len(found) == 1 else "stand"
    return f" Beside it {verb} {join_names(found)}." if found else ""


def list_beside(state: ResearchState, node: Node) -> list[Node]:
    """Return the values that the type or file of a setting declares too, with its name in front."""
    name = node.symbol.name.strip("_")
    if node.symbol.kind not in VALUES or len(name) < 2:
        return []
    found = []
    for one in state.graph.outline(node.path):
        rest = one.symbol.name.strip("_")[len(name) :]
        is_about = one.symbol.name.strip("_").startswith(name) and (rest[:1] == "_" or rest[:1].isupper())
        is_near = one.symbol.parent == node.symbol.parent and one.symbol.kind in VALUES
        if is_about and is_near and rest.strip("_").count("_") < MOST_WORDS:
            found.append(one)
    return found


def _quote(state: ResearchState, node: Node) -> str:
    """Return the line of a value with its citation."""
    at = node.symbol.start_line
    line = next(iter(state.source.read_lines(node.path)[at - 1 : at]), "")
    return f"`{line.strip().rstrip(';,')[:QUOTED_CHARS]}` ({write_citation(node.path, at, at)})"
