"""Find where an error is read that a function has caught and only keeps in a field.

catch (cause) {                     const failure = row.scanError
    scanError = cause               if (failure) refuse(row, failure)
}
return { label, scanError }         what is done about it is said here
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.model import ExactRequest
from repo_mcp.research.errors.variables import list_fields
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.progress import KeptError
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, build_finding
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MOST_READ = 40  # lines with the name of a field; more are of many fields
MOST_READERS = 4  # functions that read one; more say nothing of what follows


def find_kept(state: ResearchState, one: Finding) -> list[KeptError]:
    """Return the fields in which a function keeps what it has caught, if few others read them."""
    place = (one.path, one.start_line)
    if place not in state.failures.kept:  # each field is searched for in all files
        fields = list_fields(state.source.read_lines(one.path), one.start_line, one.end_line)
        found = [KeptError(name, tuple(at), _find_readers(state, one, name)) for name, at in fields.items()]
        few = [kept for kept in found if 0 < len(kept.readers) <= MOST_READERS]
        state.failures.kept[place] = few
    return state.failures.kept[place]


def list_readers(state: ResearchState, making: Sequence[Node]) -> dict[Node, Reason]:
    """Return the functions that read errors which others keep in a field, with the reasons."""
    return {
        node: Reason(f"reads {kept.name}", Role.OTHER)
        for one in making
        for kept in reversed(find_kept(state, build_finding(one)))
        for node in kept.readers
    }


def _find_readers(state: ResearchState, one: Finding, name: str) -> dict[Node, int]:
    reads = rf"\.{name}\b(?!\s*(?:\?\?|\|\|)?=(?!=))"
    request = ExactRequest(rf"\.{name}\b", regex=True, include_tests=False, limit=MOST_READ)
    answer = state.source.search_exact(request)
    readers: dict[Node, int] = {}
    for match in () if answer.truncated else answer.matches:
        path, at = match.path, match.start_line
        line = state.source.read_lines(path)[at - 1]
        if not is_program(path) or at in state.source.read_comment_lines(path) or not re.search(reads, line):
            continue
        node = state.source.find_around(path, at)
        if node is not None and node.symbol.kind in CALLABLE_KINDS and node != one.node:
            readers.setdefault(node, at)
    return readers
