"""Find the functions around the best declarations: the few that call them, and short ones that they call.

    def restart_on_signal():              def restart():
        restart()                             check_idle()

The callers say when the best declaration runs, and a short callee says what it does, whatever words of the
question these have. Of many callers none says much, and neither does a callee that many others use.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.named_symbols import admits_node, count_lines
from repo_mcp.research.findings.reasons import BESIDE, Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_users, list_uses
from repo_mcp.research.kinds.derived_types import GLANCE
from repo_mcp.research.words.asked_decisions import read_decision
from repo_mcp.research.words.rated_seeds import MANY_USERS, Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import list_words, shares_word

LEADING = 2  # best declarations around which functions are looked for; they stand before those
MOST_CALLERS = 3
MOST_CALLEES = 2
SHORT_LINES, PART_LINES = 30, 45  # of a callee; of one that nothing else calls


def put_near_calls(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; the callers and short callees of the LEADING ones come right behind these.

    If a question asks how something is decided, only those of the best one do.
    """
    most = 1 if read_decision(state.request.query) else LEADING
    leading = [seed for seed in seeds if seed.reason.role not in BESIDE][:most]
    near: dict[Node, Reason] = {}
    for seed in leading:
        if seed.node is None or seed.node.symbol.kind not in CALLABLE_KINDS:
            continue
        for node in _list_callers(state, seed.node):
            near.setdefault(node, Reason(f"calls {seed.name}", Role.DECIDES))
        for node, has_word in _list_callees(state, seed.node):
            near.setdefault(node, Reason(f"called by {seed.name}", Role.DECIDES if has_word else Role.PART))
    if not near:
        return [*seeds]
    at = seeds.index(leading[-1]) + 1
    while at < len(seeds) and seeds[at].reason.role in BESIDE:
        at += 1
    for seed in seeds[:at]:
        if seed.node is not None:
            near.pop(seed.node, None)
    known = {seed.node: seed for seed in seeds if seed.node is not None}
    own = [
        known.get(node) or replace(build_seed(state, node, 0.0), reason=reason)
        for node, reason in near.items()
    ]
    rest = (seed for seed in seeds[at:] if seed.node is None or seed.node not in near)
    return [*seeds[:at], *own, *rest]


def _list_callers(state: ResearchState, node: Node) -> list[Node]:
    """Return what calls a function, or one that it overrides, unless these are many.

    A function of the same name only passes the call on.
    """
    above = state.graph.find_outgoing(node, (EdgeType.OVERRIDES,), GLANCE).edges
    called = [node, *(state.get_node(edge.other) for edge in above)]
    found = [state.get_node(edge.other) for one in called for edge in list_users(state, one, GLANCE)]
    own = [
        one
        for one in dict.fromkeys(found)
        if one.symbol.kind in CALLABLE_KINDS
        and one.symbol.name != node.symbol.name
        and admits_node(state, one)
    ]
    return own if len(own) <= MOST_CALLERS else []


def _list_callees(state: ResearchState, node: Node) -> list[tuple[Node, bool]]:
    """Return the short functions that a function calls with a word of the question or a guess in their names.

    A word that the function itself has in its name does not tell its callees apart. Behind these come those
    of its file that nothing else calls: they are parts of it. Each is returned with whether it has a word.
    """
    words = list_words(" ".join((state.request.query, *state.request.guesses)))
    telling = [word for word in words if not shares_word(node.symbol.name, (word,))]
    own: dict[Node, bool] = {}  # with a word
    for one in dict.fromkeys(state.get_node(edge.other) for edge in list_uses(state, node, GLANCE)):
        is_short = 1 < count_lines(one) <= PART_LINES and one.symbol.kind in CALLABLE_KINDS
        if one == node or not is_short or not admits_node(state, one):
            continue
        users = len(state.graph.find_incoming(one, CALLS, GLANCE).edges)
        has_word = bool(shares_word(one.symbol.name, telling)) and users <= MANY_USERS
        if (has_word and count_lines(one) <= SHORT_LINES) or (users == 1 and one.path == node.path):
            own[one] = has_word
    return sorted(own.items(), key=lambda one: not one[1])[:MOST_CALLEES]  # stable
