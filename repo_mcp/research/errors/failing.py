"""Find the functions that a question about errors names, and those below them that fail.

Which functions a name means is decided in errors/asked_functions.py; what they call is followed in
errors/followed_calls.py. Functions found by the name of an error are in errors/named_errors.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.ranking.query.asked_name import split_qualified
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.errors.asked_functions import find_named_functions
from repo_mcp.research.errors.asked_types import list_leading
from repo_mcp.research.errors.followed_calls import find_below
from repo_mcp.research.errors.made import iter_errors
from repo_mcp.research.errors.named_errors import MAX_DECLARING
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.named_symbols import admits_node
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, build_finding, list_uses
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import shares_word

MAX_FAILING = 10  # functions shown for a question about the errors of a function
MOST_BELOW = 40  # functions whose errors are told for such a question
LEAST_BELOW = 2  # of these, functions below the named ones, however many overloads have the name
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])")  # of a name


def find_failing(state: ResearchState, text: str) -> tuple[list[Node], dict[Node, Reason]]:
    """Return the functions that a question names and those below them that fail.

    The mapping has the reason for each of the latter. Callees are searched level by level while few functions
    are found. Declarations without a body are left out if one has a body; if none has, the functions that
    override or implement them are added. Types of errors that are guessed and raised come behind the first
    functions that fail, and are in the mapping, too. Both results are empty if the question names no
    function, and no type that fails itself. All that fail are noted in the state.
    """
    named = state.failures.asked = find_named_functions(state, text)
    if named and named[0].symbol.kind in TYPE_KINDS:
        return named, {}
    bodies = [node for node in named if _has_body(state, node)]
    state.failures.followed = bodies or [
        state.get_node(link.source) for node in named for link in list_overriding(state, node)
    ]
    named = bodies or [*named, *state.failures.followed]
    below = find_below(state, named, MOST_BELOW) if named else {}
    words = [word for node in named for word in _WORD.findall(node.symbol.name)]

    def rank(node: Node) -> tuple[bool, int]:
        return node.symbol.kind is SymbolKind.CONSTRUCTOR, -shares_word(node.symbol.name, words)

    best = state.failures.failing = sorted(below, key=rank)
    room = max(MAX_FAILING - len(named), LEAST_BELOW)
    leading = list_leading(state, named)[: max(1, MAX_FAILING - min(len(best), room))]
    shown = [*leading, *best][:MAX_FAILING]
    guessed = _find_guessed_types(state, [*named, *best])
    first = len(leading) + LEAST_BELOW
    return [*shown[:first], *guessed, *shown[first:]], below | guessed


def _has_body(state: ResearchState, node: Node) -> bool:
    """Return True for a function of several lines, and for one of a single line that calls something.

    What an interface of TypeScript declares has none, on however many lines.
    """
    if node.symbol.parent and state.get_parent(node).symbol.kind is SymbolKind.INTERFACE:
        last = "".join(state.source.read_lines(node.path)[node.symbol.end_line - 1 : node.symbol.end_line])
        if not last.rstrip().endswith("}"):
            return False
    return node.symbol.end_line > node.symbol.start_line or bool(list_uses(state, node, GLANCE))


def _find_guessed_types(state: ResearchState, functions: Sequence[Node]) -> dict[Node, Reason]:
    """Return the types of errors that a question guesses and some functions raise, each with the reason."""
    raised: dict[str, Node] = {}
    guessed = list_own_names(state.request.guesses)
    for node in functions if any(name[:1].isupper() for name in guessed) else ():
        for _, errors in iter_errors(state, build_finding(node)):
            for name in (split_qualified(name)[-1] for name, _ in errors if name):
                raised.setdefault(name, node)
    return {
        node: Reason(f"{raised[name].symbol.name} raises it", Role.OTHER)
        for name in guessed
        if name in raised
        for node in map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARING))
        if node.symbol.kind in TYPE_KINDS and admits_node(state, node)
    }
