"""Find functions that join two of the best declarations: one of these calls them, and they call another one.

    def remove_observer(self):      def schedule(self):                 def remove_unused(self):
        self.schedule()                 later(self.remove_unused)           ...

Of 15 that are added to answers to 390 questions, four were wanted. Of those without a word of the question
in their names, or with fewer statements, none were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.research.findings.bounds import GLANCE, NARROW
from repo_mcp.research.findings.citing import shorten
from repo_mcp.research.findings.named_symbols import admits_node, list_statements
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_users, list_uses
from repo_mcp.research.seeds.seed import Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import shares_word

JOINED = 5  # best declarations, two of which are joined
LEAST_STATEMENTS = 6  # of what joins them, its signature included


def put_joining(
    state: ResearchState, seeds: Sequence[Seed], telling: Mapping[str, float], shown: int
) -> list[Seed]:
    """Return the seeds; what joins two of the best stands behind these, if it is not `shown` anyway.

    So many of the first seeds are. `telling` has the weights of the words of the question.
    """
    calling: dict[Node, int] = {}  # of each function, the first position that it calls
    called: dict[Node, int] = {}  # of each, the first position that calls it
    for at, seed in enumerate(seeds[:JOINED]):
        if seed.node is not None and seed.node.symbol.kind in CALLABLE_KINDS:
            for edge in list_uses(state, seed.node, NARROW):
                called.setdefault(state.get_node(edge.other), at)
            for node in _list_callers(state, seed.node):
                calling.setdefault(node, at)
    met = {seed.node for seed in seeds[:shown]}
    behind: dict[int, list[Seed]] = {}
    for node, at in called.items():
        joined = calling.get(node, at)
        if joined != at and node not in met and _may_answer(state, node, telling):
            reason = Reason(
                f"called by {shorten(seeds[at].full_name)}, and calls {shorten(seeds[joined].full_name)}",
                Role.BESIDE,
            )
            behind.setdefault(max(at, joined), []).append(build_seed(state, node, 0.0, reason))
    added = {seed.node for own in behind.values() for seed in own}
    kept = [(at, seed) for at, seed in enumerate(seeds) if seed.node is None or seed.node not in added]
    return [one for at, seed in kept for one in (seed, *behind.get(at, ()))]


def _list_callers(state: ResearchState, node: Node) -> list[Node]:
    """Return what calls a function, or a function that it overrides."""
    above = state.graph.find_outgoing(node, (EdgeType.OVERRIDES,), GLANCE).edges
    asked = (node, *(state.get_node(edge.other) for edge in above))
    return [state.get_node(edge.other) for one in asked for edge in list_users(state, one, GLANCE)]


def _may_answer(state: ResearchState, node: Node, telling: Mapping[str, float]) -> bool:
    """Return True for a function of the program that does several things, with a word in its own name."""
    return (
        node.symbol.kind in CALLABLE_KINDS
        and bool(shares_word(shorten(node.qualified_name), [*telling]))
        and admits_node(state, node)
        and len(list_statements(state, node)) >= LEAST_STATEMENTS
    )
