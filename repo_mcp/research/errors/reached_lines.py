"""Tell which lines of a function its known calls never reach, because their arguments rule it out.

Where the function itself gives a parameter another value, that parameter decides nothing further down.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.bodies.statements import is_branch
from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.branches import build_body, list_around, quote
from repo_mcp.research.errors.given_arguments import Given, decide, find_arguments, read_given
from repo_mcp.research.findings.named_symbols import list_statements
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolKind

CALL_LINES = 20  # read of one call, whose arguments may stand on lines of their own
CONDITION_CHARS = 400  # read of a condition
_ANY_OWNER = ("super", "base", "this")  # by which constructors call others


def read_call(state: ResearchState, caller: Node, lines: Sequence[int], called: Node) -> dict[str, Given]:
    """Return what all calls on some lines of a caller say of the parameters of a function."""
    if not called.symbol.parameters.strip("()"):
        return {}
    known: dict[str, Given] | None = None
    source = state.source.read_lines(caller.path)
    for at in lines:
        text = "\n".join(source[at - 1 : at - 1 + CALL_LINES])
        found = (find_arguments(text, name) for name in _list_names(called))
        arguments = next((one for one in found if one is not None), None)
        if arguments is None:
            return {}
        own = read_given(called.symbol.parameters, arguments, called.language)
        known = own if known is None else join_known(known, own)
    return known or {}


def join_known(first: dict[str, Given], second: dict[str, Given]) -> dict[str, Given]:
    """Return what two calls agree on."""
    return {name: given for name, given in first.items() if second.get(name) is given}


def _list_names(called: Node) -> list[str]:
    """Return the names by which a function is called: a constructor by that of its type."""
    name = called.symbol.name
    if called.symbol.kind is not SymbolKind.CONSTRUCTOR:
        return [name]
    owner = called.qualified_name.rpartition(".")[0].rpartition(".")[2]
    return [*dict.fromkeys(filter(None, (owner, name, *_ANY_OWNER)))]


def list_unreached(
    state: ResearchState, node: Node, known: dict[str, Given], numbers: Collection[int]
) -> set[int]:
    """Return those of some lines of a function that are never reached if its parameters are as known.

    Most functions have no branch with the name of one: their statements are not cut, which takes 1 ms.
    """
    body = build_body(state, node.path, node.symbol.start_line, node.symbol.end_line)
    branches = "\n".join(line for line in body.lines[body.start_line - 1 : body.end_line] if is_branch(line))
    if not (known and numbers and any(name in branches for name in known)):
        return set()
    statements = list_statements(state, node)
    given_at = {name: _find_given(state, node, name) for name in known}
    unreached = set()
    for at in numbers:
        own = next((one for one in statements if one.first <= at <= one.last), None)
        held = {name: given for name, given in known.items() if not 0 < given_at[name] < at}
        around = list_around(body, own, statements) if own is not None and held else ()
        for condition, otherwise in around:
            told = decide(quote(body, (otherwise or condition,), CONDITION_CHARS), held)
            if told is (otherwise is not None):
                unreached.add(at)
    return unreached


def _find_given(state: ResearchState, node: Node, name: str) -> int:
    """Return the first line below the head of a function that gives a parameter a value; 0 without one."""
    given = re.compile(rf"(?<![\w.$]){re.escape(name)}\s*(?:\?\?|\|\|)?:?=(?!=)[^,]*$")
    lines = state.source.read_lines(node.path)
    head = node.symbol.start_line + node.symbol.parameters.count("\n")
    own = range(head + 1, min(node.symbol.end_line, len(lines)) + 1)
    return next((at for at in own if given.search(lines[at - 1])), 0)
