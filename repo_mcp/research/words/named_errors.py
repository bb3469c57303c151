"""Find the functions that make an error which a question about errors names, or a guess of its names.

Where it is made says when it comes up, however few words of the question stand there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import VALUES, admits_node
from repo_mcp.research.findings.progress import Place
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.error_types import is_error
from repo_mcp.research.words.error_uses import MAKING, ErrorUse, find_used, find_written
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MAX_DECLARING = 4  # files that declare one error
MOST_MAKING = 4  # functions that make one error, if each is shown for it
# The name of an error, or the last part of one.
_CAPITAL = re.compile(r"\b[A-Z]\w*[a-z]\w*|\b(?:[A-Z0-9]+_){0,4}ERR(?:_[A-Z0-9]+)+\b")


def find_makers(state: ResearchState) -> dict[Node, Reason]:
    """Return the functions of the program that make an error named by the question or a guess, with reasons.

    If many functions make it, those count that make another one that is named, unless it is declared here as
    a value, such as `ErrClosed`: that is one error and no kind of errors. Set where such values are made, and
    what uses named errors otherwise.
    """
    made: dict[str, dict[Node, None]] = {}
    using: dict[Node, None] = {}
    values: dict[Node, list[Place]] = {}
    for name in dict.fromkeys(_CAPITAL.findall(" ".join((state.request.query, *state.request.guesses)))):
        found: list[tuple[Node, ErrorUse]] = []
        for node in _list_errors(state, name):
            used = _keep_in_functions(state, find_used(state, node))
            places = sorted({(one.path, one.number) for _, one in used if one.use in MAKING})
            values |= {node: places} if places and _is_value(node) else {}
            found += used
        if name.isupper() and not any(one.use in MAKING for _, one in found):
            found += _keep_in_functions(state, find_written(state, [name]))
        made[name] = {node: None for node, one in found if one.use in MAKING}
        using |= {node: None for node, _ in found}
    counts = Counter(node for own in made.values() for node in own)
    state.failures.values = values
    state.failures.testing = [node for node in using if node not in counts]
    whole = {node.symbol.name for node in values}
    making: dict[Node, Reason] = {}
    for name, own in made.items():
        is_whole = len(own) <= MOST_MAKING or name in whole
        for node in own if is_whole else (node for node in own if counts[node] > 1):
            making.setdefault(node, Reason(f"makes {name}", Role.MAKES_ERROR))
    return making


def _is_value(node: Node) -> bool:
    """Return True for an error that is declared as a value, which is returned as it is."""
    return node.symbol.kind in VALUES and node.symbol.name.startswith("Err")


def _list_errors(state: ResearchState, name: str) -> list[Node]:
    """Return what can be raised of the declarations with a name."""
    nodes = map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARING))
    return [node for node in nodes if is_error(state.graph, node, state.source.read_lines)]


def _keep_in_functions(state: ResearchState, uses: Sequence[ErrorUse]) -> list[tuple[Node, ErrorUse]]:
    """Return the uses in functions of the program, each behind its function."""
    around = ((state.source.find_around(one.path, one.number), one) for one in uses)
    return [
        (node, one)
        for node, one in around
        if node is not None and node.symbol.kind in CALLABLE_KINDS and admits_node(state, node)
    ]
