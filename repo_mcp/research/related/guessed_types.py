"""Find the types of exactly the names that a question guesses, if they go with what is shown.

    "How is a parcel routed? (Router.route, RouteError)"  ->  RouteError with its base and comment, too

These are interfaces, enumerations and errors: of any other type, its functions say more. One that the best
declarations do not name only happens to have the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import NAMED
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.shared_members import find_members
from repo_mcp.research.findings.bounds import LOOK
from repo_mcp.research.findings.first_sentences import list_inside, read_description
from repo_mcp.research.findings.named_symbols import count_lines, find_by_name, read_body
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.question.error_types import is_error
from repo_mcp.research.seeds.seed import Seed, build_seed, skip_beside
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import find_action

LEADING = 2  # best declarations, which stand before types of guessed names
CONNECTING = 8  # best declarations, one of which names such a type
MOST_TYPES = 2
TEST_LINES = (2, 3)  # of a function such as `is`, without or with a line that closes it
SAID_LINES = 3  # of a docstring below the head
_TELLING = ABSTRACT_KINDS | {SymbolKind.ENUM}
_BEFORE = frozenset({Role.BESIDE, Role.FAILS, Role.NAMED})
_BASES = frozenset({Role.BASE, Role.INNER_BASE})


def put_guessed_types(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; types of guessed names come behind the best ones and what goes with these.

    Where one of a kind is to be added, they may be its base, unless the one that was found is guessed first.
    """
    guessed = _find_guessed(state)
    near = [seed.node for seed in seeds[:CONNECTING] if seed.node is not None]
    bases = {seed.node for seed in seeds if seed.reason.role in _BASES}
    if not bases and find_action(state.request.query) is not None:
        return [*seeds]
    guessed = [*takewhile(lambda node: node not in bases, guessed)]
    at = skip_beside(seeds, LEADING, _BEFORE)
    before = {seed.node for seed in seeds[:at]}
    own = [node for node in guessed if node not in before and _is_connected(state, node, near)][:MOST_TYPES]
    known = {seed.node: seed.reason for seed in seeds if seed.node is not None}
    rest = (seed for seed in seeds[at:] if seed.node not in own)
    return [*seeds[:at], *(_build(state, node, known.get(node)) for node in own), *rest]


def _find_guessed(state: ResearchState) -> list[Node]:
    """Return the types of guessed names that no other one of the program has, in the order of the guesses."""
    found = [
        [
            node
            for node in find_by_name(state, name)
            if node.symbol.name == name and node.symbol.kind in TYPE_KINDS
        ]
        for name in list_own_names(state.request.guesses)
        if name
    ]
    alone = (own[0] for own in found if len({node.path for node in own}) == 1)
    return [
        node
        for node in alone
        if node.symbol.kind in _TELLING or is_error(state.graph, node, state.source.read_lines)
    ]


def _is_connected(state: ResearchState, node: Node, near: Sequence[Node]) -> bool:
    """Return True for a type that one of the best declarations names, unless it declares one of them."""
    if any(one.qualified_name.startswith(f"{node.qualified_name}.") for one in near if _does(one)):
        return False
    name = node.symbol.name
    naming = (one for one in near if any(name in line for line in read_body(state, one)))  # edges take longer
    uses = (edge.other for one in naming for edge in list_uses(state, one, LOOK, NAMED))
    return any(one == node.declaration for one in uses)


def _does(node: Node) -> bool:
    """Return False for a constructor, and for a function so short that it may only test for the type."""
    return node.symbol.kind is not SymbolKind.CONSTRUCTOR and count_lines(node) not in TEST_LINES


def _build(state: ResearchState, node: Node, reason: Reason | None) -> Seed:
    """Return a type with its comment, its own lines and the heads of its functions."""
    seed = build_seed(state, node, 0.0)
    members = find_members(state, node).values()
    inner = {at for one in members for at in range(one.symbol.start_line + 1, one.symbol.end_line + 1)}
    docstring = list_inside(seed.body.lines, seed.body.comment_lines, seed.body.head_line)
    comments = (seed.body.comment_lines | inner) - {*docstring[:SAID_LINES]}
    said = read_description(state, node)
    text = f"guessed by name: {said}" if said else "has a name that the question guesses"
    reason = reason or Reason(text, Role.BESIDE)
    return replace(seed, body=replace(seed.body, comment_lines=comments), reason=reason)
