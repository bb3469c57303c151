"""Find symbols of the program by their names; tell what every investigation asks of one, and of a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from repo_mcp.bodies.body import Body, list_code, trim_margin
from repo_mcp.bodies.chosen_lines import choose_lines
from repo_mcp.bodies.statements import Statement, cut_statements
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import SymbolFilter
from repo_mcp.model import ExactMatch
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_program, is_test_symbol, may_answer, rank_role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.model import Access
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag, SymbolKind

MOST_ALIKE = 40  # symbols whose names are compared with the words
DOING = CALLABLE_KINDS - {SymbolKind.MACRO}  # a macro such as `COMMAND_ADD` names a thing
COMPUTING_LINES = 3  # of a property: it has a body
_OF_CPP = frozenset({"c", "cpp"})
_LEFT_OUT = re.compile(r"=\s*(?:delete|default)\s*(?:\([^()]*\)\s*)?;\s*$")
VALUES = frozenset({SymbolKind.CONSTANT, SymbolKind.VARIABLE, SymbolKind.PROPERTY})


def find_by_name(state: ResearchState, query: str, kind: str | None = None) -> list[Node]:
    """Return the symbols of the program, of a kind or of all, whose names fit a query best."""
    state.check()
    return [
        node
        for node, _ in state.graph.search(query, SymbolFilter(kind), MOST_ALIKE)[0]
        if admits_node(state, node)
    ]


def admits_node(state: ResearchState, node: Node) -> bool:
    """Return True for a symbol of the program, in the folder that was asked about."""
    return may_answer(node.path) and state.admits(node.path) and not is_test_symbol(node)


def is_program_line(state: ResearchState, one: ExactMatch) -> bool:
    """Return True for a line of the program that is no comment."""
    is_own = is_program(one.path) and state.admits(one.path)
    return is_own and one.start_line not in state.source.read_comment_lines(one.path)


def read_body(state: ResearchState, node: Node) -> Sequence[str]:
    """Return the lines of a symbol."""
    return state.source.read_lines(node.path)[node.symbol.start_line - 1 : node.symbol.end_line]


def read_code(state: ResearchState, node: Node) -> Body:
    """Return the lines of a symbol as a body without terms: only what its lines do tells them apart."""
    lines = state.source.read_lines(node.path) or ("",)  # gone or shorter since it was parsed
    start, end = (min(one, len(lines)) for one in (node.symbol.start_line, node.symbol.end_line))
    return Body(lines, start, end, start, {}, state.source.read_comment_lines(node.path))


def show_body(
    state: ResearchState, node: Node, room: int, terms: Mapping[int, tuple[str, ...]] = MappingProxyType({})
) -> tuple[int, ...]:
    """Return the numbers of the lines of a symbol to show, which have at most about `room` characters.

    `terms` has the terms of each line that counts for more; all terms weigh the same.
    """
    body = replace(trim_margin(read_code(state, node)), terms=terms)
    return tuple(choose_lines(body, {term: 1.0 for own in terms.values() for term in own}, room))


def list_statements(state: ResearchState, node: Node) -> list[Statement]:
    """Return the statements of a function, its signature first."""
    body = read_code(state, node)
    return cut_statements(body, list_code(body))


def is_left_out(state: ResearchState, node: Node) -> bool:
    """Return True for a member of C++ that is deleted, or left to the compiler: nobody wrote it."""
    return node.language in _OF_CPP and _LEFT_OUT.search(" ".join(read_body(state, node))) is not None


def computes(node: Node) -> bool:
    """Return True for a function, and for a property that computes what it gives."""
    kind = node.symbol.kind
    return kind in DOING or (kind is SymbolKind.PROPERTY and count_lines(node) >= COMPUTING_LINES)


def calls_its_name(node: Node, lines: Iterable[str]) -> bool:
    """Return True for a function whose lines below its head call its own name: most overloads hand on so."""
    name = re.escape(node.symbol.name)
    own = rf"(?:(?<![\w$.>:])|\b(?:this|self|super|cls|base)(?:\.|->|::)){name}\s*(?:<[^<>()]*>\s*)?\("
    return re.search(own, "\n".join(islice(lines, 1, None))) is not None


def is_deprecated(node: Node) -> bool:
    """Return True for what should not be used any more."""
    return bool(node.symbol.flags & SymbolFlag.DEPRECATED)


def rank_owner(state: ResearchState, of_name: Sequence[Sequence[Node]]) -> tuple[bool, int, int]:
    """Return a key by which types come first whose functions others can use, then those with the longest.

    `of_name` has the functions of one type or file, those of one name together.
    """
    first = of_name[0][0]
    around = state.get_parent(first)
    is_internal = around.symbol.kind in TYPE_KINDS and not around.symbol.flags & SymbolFlag.PUBLIC_API
    is_private = any(all(node.symbol.access is Access.PRIVATE for node in own) for own in of_name)
    return (
        is_internal or is_private,
        rank_role(first.path),
        -sum(max(map(count_lines, own)) for own in of_name),
    )


def count_lines(node: Node) -> int:
    """Return the number of lines of a symbol."""
    return node.symbol.end_line - node.symbol.start_line + 1
