"""Find functions that a call ties to the best declarations so closely that one says little without the other.

    match = self._router.resolve(request)       asked for the router: `resolve` of its type does the work
    hit = this.pool.cache.find(key)             the one call of what `find` of a cache overrides

What the best three declarations call, and what calls them, is seldom wanted: of 5,128 such functions of 390
questions, one in 15 was, and one in 80 of those that an answer did not show anyway. A third of the functions
that are called on what the question names were, and half of those with a single caller and most of the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from repo_mcp.bodies.body import list_code
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.filled_functions import MOST_OVERRIDING, list_standing_in
from repo_mcp.research.findings.bounds import GLANCE, NARROW
from repo_mcp.research.findings.citing import shorten
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import admits_node, count_lines, list_statements, read_code
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_users, list_uses
from repo_mcp.research.seeds.seed import Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import list_shared, shares_word

LEADING = 3  # best declarations, whose calls are followed
LEAST_STATEMENTS = 10  # of a function that is added, its signature included
LEAST_HELD = 0.5  # of the weight of the question's words, for one with a single caller, or this caller
LINE_CHARS = 400  # read of a line with calls, so that none takes long
# What a member is called on, and the member: `_router` and `resolve` of `self._router.resolve(request)`
_CALLED_ON = re.compile(r"(?<![\w$@])([\w$@]++)(?:\(\))?[?!]?(?:\.|->)(\w++)\s*+[(<]")


def put_tied(
    state: ResearchState, seeds: Sequence[Seed], telling: Mapping[str, float], shown: int
) -> list[Seed]:
    """Return the seeds; behind each of the best come functions tied to it, if they are not `shown` anyway.

    So many of the first seeds are. `telling` has the weights of the words of the question. What had no other
    reason than its words is said to call, or to be called.
    """
    known = {seed.node: seed for seed in reversed(seeds) if seed.node is not None}
    met = {seed.node for seed in seeds[:shown]}
    behind: dict[int, list[Seed]] = {}  # by the position of what these are tied to
    for at, seed in enumerate(seeds[:LEADING]):
        if seed.node is None or seed.node.symbol.kind not in CALLABLE_KINDS:
            continue
        for node, reason in (
            *_list_called(state, seed.node, telling),
            *_list_callers(state, seed.node, telling),
        ):
            if node not in met:
                met.add(node)
                own = known.get(node) or build_seed(state, node, seed.worth, reason)
                told = replace(own, reason=reason) if own.reason.role is Role.HAS_WORDS else own
                behind.setdefault(at, []).append(told)
    added = {seed.node for own in behind.values() for seed in own}
    return [
        one
        for at, seed in enumerate(seeds)
        for one in (seed, *behind.get(at, ()))
        if one is not seed or seed.node is None or seed.node not in added
    ]


def _list_called(
    state: ResearchState, node: Node, telling: Mapping[str, float]
) -> Iterator[tuple[Node, Reason]]:
    """Yield what a function calls on what the question names, and what only it calls and has the words.

    What several functions override stands for none of them.
    """
    lines = state.source.read_lines(node.path)[node.symbol.start_line : node.symbol.end_line]
    called_on = [found.groups() for line in lines for found in _CALLED_ON.finditer(line[:LINE_CHARS])]
    named = {(on, name) for on, name in called_on if shares_word(on, [*telling])}
    reason = Reason(f"called by {shorten(node.qualified_name)}")
    for edge in list_uses(state, node, NARROW):
        called = state.get_node(edge.other)
        owner = _find_owner(called)
        is_named = owner != _find_owner(node) and any(
            name == called.symbol.name and on != owner.rpartition(".")[2] for on, name in named
        )  # on an object, and not on the type itself
        standing_in = list_standing_in(state, called)
        for one in standing_in if len(standing_in) <= MOST_OVERRIDING else ():
            if one == node or not _does_much(state, one):
                continue
            if is_named or (len(_list_calling(state, called)) == 1 and _holds(state, one, telling)):
                yield one, reason


def _list_callers(
    state: ResearchState, node: Node, telling: Mapping[str, float]
) -> Iterator[tuple[Node, Reason]]:
    """Yield the single function that calls what a function overrides, if it has the words.

    One that calls the function itself is a seed by its worth, or else not wanted: none of seven was.
    """
    for edge in state.graph.find_outgoing(node, (EdgeType.OVERRIDES,), GLANCE).edges:
        calling = [state.get_node(other) for other in _list_calling(state, state.get_node(edge.other))]
        caller = calling[0] if len(calling) == 1 else node
        if caller != node and _does_much(state, caller) and _holds(state, caller, telling):
            yield caller, Reason(f"calls {shorten(node.qualified_name)}")


def _list_calling(state: ResearchState, node: Node) -> list[Declaration]:
    """Return what calls a function in the program."""
    calling = dict.fromkeys(edge.other for edge in list_users(state, node, GLANCE) if edge.other.ordinal)
    return [one for one in calling if may_answer(one.path)]


def _find_owner(node: Node) -> str:
    return node.qualified_name.rpartition(".")[0]


def _does_much(state: ResearchState, node: Node) -> bool:
    """Return True for a function of the program with LEAST_STATEMENTS."""
    return (
        node.symbol.kind in CALLABLE_KINDS
        and count_lines(node) >= LEAST_STATEMENTS
        and admits_node(state, node)
        and len(list_statements(state, node)) >= LEAST_STATEMENTS
    )


def _holds(state: ResearchState, node: Node, telling: Mapping[str, float]) -> bool:
    """Return True for a function of which the code has LEAST_HELD of the weight of the words."""
    body = read_code(state, node)
    text = "\n".join(body.lines[at - 1] for at in list_code(body))
    held = sum(telling[word] for word in list_shared(text, [*telling]))
    return held >= LEAST_HELD * sum(telling.values()) > 0
