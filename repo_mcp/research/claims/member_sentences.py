"""Say what implements the types that a question is about, and what calls their members through them."""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.research.findings.citing import join_names, name_briefly, write_count
from repo_mcp.research.findings.handed_on import MemberUses, OpenType
from repo_mcp.text.citations import write_citation

MOST_CALLED = 5  # members of which calls are cited


def describe_open_types(types: Iterable[OpenType]) -> str:
    """Return sentences on what implements some types, and where the program calls which of their members."""
    return " ".join(f"{_describe_implementers(one)} {_describe_calls(one)}" for one in types)


def _describe_implementers(one: OpenType) -> str:
    by = [f"by {join_names(map(name_briefly, one.implementers))}"] if one.implementers else []
    by += [f"by {write_count(one.in_tests, 'type')} in tests"] if one.in_tests else []
    verb = "implemented" if one.node.symbol.kind in ABSTRACT_KINDS else "extended"
    return f"{name_briefly(one.node)} is {verb} {', and '.join(by) or 'by nothing here'}."


def _describe_calls(one: OpenType) -> str:
    """Return a sentence on the lines that call the members of a type, those called most first."""
    called = sorted((use for use in one.uses if use.places), key=lambda use: -len(use.places))  # stable
    others = [use.name for use in called[MOST_CALLED:]]
    uncalled = [use.name for use in one.uses if not (use.places or use.is_least)]
    unread = [use.name for use in one.uses if use.is_least and not use.places]
    told = [f"{use.name} is called at {_cite(use)}" for use in called[:MOST_CALLED]]
    told += [f"{join_names(others, MOST_CALLED)} elsewhere"] if others else []
    told += [f"{join_names(uncalled, MOST_CALLED)} by nothing in the program"] if uncalled else []
    told += [f"{join_names(unread, MOST_CALLED)} by nothing in the uses that were read"] if unread else []
    return f"Of its members, {'; '.join(told)}."


def _cite(use: MemberUses) -> str:
    return join_names((write_citation(path, line, line) for path, line in use.places), at_least=use.is_least)
