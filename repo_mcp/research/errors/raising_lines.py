"""Tell which lines of a function make an error that leaves it, and thereby whether the function fails."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.bodies.statements import only_logs
from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.caught import list_caught
from repo_mcp.research.errors.lines import (
    LINE_CHARS,
    OF_ARGUMENT,
    RAISES_WORD,
    declares_type,
    find_errors,
    join_open,
    leave_out_heads,
    makes_error,
    name_made,
    says_error,
)
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, build_finding
from repo_mcp.research.question.error_types import is_no_error, is_of_error
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

MOST_DECLARED = 6  # types of one name
MESSAGE_LINES = 3  # below the name of an error, on which its text may begin
RETURNS_MADE = re.compile(
    r"\s*+return (?:new )?((?:[A-Z]\w{0,60}(?:::|\.)){0,3}[A-Z]\w{0,60}[a-z])\("
)  # in a helper
_KEEPS = re.compile(r"\s*(?:this|self)(?:\.|->)(\w+)\s*=(?![=>])(?!.*\b(?:throw|raise|\?\?)\b)")
_TRANSLATES = re.compile(r"translate_?\w*err|map_?\w*err|strerror", re.IGNORECASE)


def fails(state: ResearchState, node: Node) -> bool:
    """Return True for a function that raises or returns an error.

    The constructor of an error is none, nor is what gives the error of another system as ours: it holds every
    error. A function that only refuses a missing argument does so for its caller, who may well give one.
    """
    if (
        node.symbol.kind not in CALLABLE_KINDS
        or is_of_error(node.qualified_name, node.kind)
        or _TRANSLATES.search(node.symbol.name)
    ):
        return False
    lines = state.source.read_lines(node.path)
    raising = list_raising(state, build_finding(node))
    return any(not {*find_errors(lines[at - 1])} & OF_ARGUMENT for at in raising)


def list_raising(state: ResearchState, one: Finding, *, is_helper: bool = False) -> list[int]:
    """Return the numbers of those lines of a finding that make an error which leaves it, ascending.

    Of a helper, which makes an error for others to raise, what it returns counts.
    """
    path, first, last = one.path, one.start_line, one.end_line
    lines = state.source.read_lines(path)
    own = range(first, min(last, len(lines)) + 1)
    numbers = [at for at in own if _may_raise(lines, at, is_helper=is_helper)]
    if not numbers:
        return []
    kept = state.source.read_comment_lines(path) | list_caught(lines, first, last, path)
    kept |= {at for at in numbers if (path, at) in state.failures.unreached or _only_keeps(lines, at, own)}
    return [at for at in numbers if at not in kept and not _makes_no_error(state, lines[at - 1])]


def _makes_no_error(state: ResearchState, line: str) -> bool:
    """Return True for a line that only makes, perhaps for a caller, what cannot be raised."""
    names = [] if RAISES_WORD.search(line[:LINE_CHARS]) else find_errors(leave_out_heads(line[:LINE_CHARS]))
    given = None if names else RETURNS_MADE.match(line[:LINE_CHARS])
    names += [name_made(given[1])] if given else []
    return bool(names) and all(names_no_error(state, name) for name in names)


def names_no_error(state: ResearchState, name: str) -> bool:
    """Return True for the name of declared types of which none can be raised."""
    known = state.failures.no_errors.get(name)
    if known is None and state.source.graph is not None:
        declared = map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARED))
        types = [node for node in declared if node.symbol.kind in TYPE_KINDS]
        read = state.source.read_lines
        known = bool(types) and all(is_no_error(state.graph, node, read) for node in types)
        state.failures.no_errors[name] = known
    return bool(known)


def tell_held(state: ResearchState, name: str, statement: str) -> str:
    """Return the name of an error, or of what holds one: `throw response.ErrorException` raises any error."""
    is_made = re.search(rf"\b{re.escape(name)}\s*[({{<]|\bnew\s+[\w.]*\b{re.escape(name)}\b", statement)
    if is_made or state.source.graph is None or not name.isidentifier():
        return name
    declared = [state.get_node(one) for one in state.graph.scan.find_declared(name, MOST_DECLARED)]
    is_member = declared and all(node.symbol.kind is SymbolKind.PROPERTY for node in declared)
    return f"what {name} holds" if is_member else name


def _only_keeps(lines: Sequence[str], at: int, own: range) -> bool:
    """Return True for a line that makes an error for a field which none of some lines raises or returns."""
    kept = _KEEPS.match(lines[at - 1][:LINE_CHARS])
    if kept is None:
        return False
    given = re.compile(rf"\b(?:throw|raise|return|reject|Err|panic)\b.*\b{re.escape(kept[1])}\b")
    return not any(given.search(lines[number - 1][:LINE_CHARS]) for number in own)


def _may_raise(lines: Sequence[str], at: int, *, is_helper: bool) -> bool:
    line = lines[at - 1][:LINE_CHARS]
    if only_logs(line) or declares_type(line):
        return False
    if makes_error(line) or (is_helper and RETURNS_MADE.match(line)):
        return True
    return "_error" in line and says_error(line, join_open(lines[at - 1 : at + MESSAGE_LINES]))
