"""Say what overrides or implements the subject of a question before what uses it: that breaks first."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.claims.relation_sentence import name_subjects
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.findings.citing import cite, drop_paths, join_names, name_briefly, shorten, write_count
from repo_mcp.research.findings.locating import count_shared_folders, is_test_node, is_test_place
from repo_mcp.research.findings.records import Form, Reading
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.roles import is_side_file

MOST_OVERRIDING = 24  # named: each must change as the subject does


def lead_with_overriding(state: ResearchState, reading: Reading, related: str) -> str:
    """Return the sentences of `related`, behind one on what overrides or implements the subjects.

    Return them alone unless dependents are asked for. A subject that overrides another subject is not counted
    again.
    """
    if reading.form is not Form.DEPENDENTS or state.open_types:
        return related
    subjects = reading.nodes
    found = [
        state.get_node(link.source)
        for node in subjects
        for link in list_overriding(state, node)
        if state.admits(link.source.path)
    ]
    others = [node for node in dict.fromkeys(found) if node not in subjects]
    if not others:
        return f"{related}{_describe_inner(state, subjects)}"
    named = name_subjects(subjects)
    is_one = len({shorten(node.qualified_name) for node in subjects}) == 1
    lead = (
        f"{named} {'is' if is_one else 'are'} overridden or implemented by {_name(others, subjects[0].path)}."
    )
    rest = f"It{related.removeprefix(named)}" if is_one and related.startswith(f"{named} ") else related
    rest = rest.replace(f" {named}", " it", 1) if is_one and rest is related else rest
    return f"{lead}{_describe_inner(state, subjects)} {rest}"


def _name(others: Sequence[Node], path: str) -> str:
    """Return the names of what overrides the subjects, the nearest to a path first; of tests, the number."""
    own = [node for node in others if not (is_test_node(node) or is_test_place(node.path))]
    own.sort(key=lambda node: (is_side_file(node.path), -count_shared_folders(node.path, path)))  # stable
    tests = len(others) - len(own)
    named = [join_names(drop_paths(map(name_briefly, own)), MOST_OVERRIDING)] if own else []
    return ", and by ".join([*named, *([f"{write_count(tests, 'declaration')} in tests"] if tests else [])])


def _describe_inner(state: ResearchState, subjects: Sequence[Node]) -> str:
    """Return a sentence on each subject that others of them override; "" for none."""
    told = ""
    for node in subjects if len(subjects) > 1 else ():
        own = [state.get_node(link.source) for link in list_overriding(state, node)]
        own = [one for one in own if one in subjects]
        told += (
            f" The one at {cite(node)} is overridden at {join_names(map(cite, own), MOST_OVERRIDING)}."
            if own
            else ""
        )
    return told
