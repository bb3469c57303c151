"""Describe the subject of a question in words."""

from __future__ import annotations

from collections import Counter

from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.records import Subject, TakenAs


def is_declared_nowhere(subject: Subject) -> bool:
    """Return True for a name that neither the graph nor a text that is not parsed declares."""
    return subject.taken_as is TakenAs.UNDECLARED


def is_unparsed(subject: Subject) -> bool:
    """Return True for a name that a text declares which no parser reads."""
    return subject.taken_as is TakenAs.UNPARSED


def is_several(subject: Subject) -> bool:
    """Return True for a subject that is described by more than one name."""
    return len({(node.qualified_name, node.kind) for node in subject.nodes}) > 1


def describe_subject(subject: Subject) -> str:
    """Describe a subject in words."""
    if subject.taken_as is TakenAs.FOLDER:
        return f"the folder {subject.name}"
    if subject.taken_as is TakenAs.OUTSIDE:
        return f"{subject.name} (declared outside this repository)"
    if subject.taken_as is TakenAs.UNDECLARED:
        return f"{subject.asked} (not declared in this repository)"
    if subject.taken_as is TakenAs.UNPARSED:
        return f"{subject.asked} (declared in a language without a symbol parser)"
    if not subject.nodes:
        return f'"{subject.asked}" (not declared here)'
    counts = Counter(node.qualified_name for node in subject.nodes)
    names = [
        f"{node.qualified_name} ({node.kind}{f' in {node.path}' if counts[node.qualified_name] > 1 else ''})"
        for node in subject.nodes
    ]
    listed = join_names(names)  # overloads say the same
    if subject.taken_as is TakenAs.DECLARED_OTHERWISE:
        return f'{listed} ("{subject.asked}" itself is not declared)'
    if subject.taken_as is TakenAs.WORDS:
        return f'{listed} (taken for "{subject.asked}", which is not declared)'
    return listed
