"""Find what is near the best declarations: the few callers of each, and what does a part of its work.

    def restart_on_signal():              def restart():
        restart()                             if not is_idle(): ...

The callers say when the best declaration runs, and what it calls says what it does or decides by, whatever
words of the question these have. Of many callers none says much, and neither does what many others use. Of
some 380 functions that the two best ones of 44 questions call, one in five was part of an answer if the file
has it for the best one alone, if that branches on it, or if it has a word of the question; one in 30 of the
others was. Of 101 with a single statement, one was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from repo_mcp.bodies.statements import decides, only_logs
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.research.edges.filled_functions import fill
from repo_mcp.research.edges.open_functions import LEAST_STATEMENTS, is_open
from repo_mcp.research.findings.bounds import GLANCE, NARROW
from repo_mcp.research.findings.named_symbols import admits_node, list_statements
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_users, list_uses
from repo_mcp.research.order.asked_decisions import read_decision
from repo_mcp.research.seeds.rated_seeds import MANY_USERS
from repo_mcp.research.seeds.seed import Seed, insert_seeds, skip_beside
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.question_words import list_words, shares_word
from repo_mcp.text.roles import is_test_path

LEADING = 2  # best declarations around which functions are looked for; they stand before those
MOST_CALLERS = 3
MOST_PARTS = 3  # of the best one


def put_near_calls(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; parts of the best one and callers of the LEADING ones come right behind these.

    If a question asks how something is decided, only the callers of the best one do.
    """
    most = 1 if read_decision(state.request.query) else LEADING
    leading = [seed for seed in seeds if seed.reason.role is not Role.BESIDE][:most]
    functions = [
        seed.node for seed in leading if seed.node is not None and seed.node.symbol.kind in CALLABLE_KINDS
    ]
    near: dict[Node, Reason] = {}
    for node in functions[:1]:
        for part in _list_parts(state, node):
            near.setdefault(part, Reason(f"called by {node.symbol.name}", Role.BESIDE))
    for node in functions:
        for caller in _list_callers(state, node):
            near.setdefault(caller, Reason(f"calls {node.symbol.name}", Role.BESIDE))
    if not near:
        return [*seeds]
    at = skip_beside(seeds, seeds.index(leading[-1]) + 1)
    before = {seed.node for seed in seeds[:at]}
    return insert_seeds(state, seeds, at, {node: why for node, why in near.items() if node not in before})


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


def _list_parts(state: ResearchState, node: Node) -> list[Node]:
    """Return the functions that are likely to do a part of another one, of those that it uses.

    A word that this one has in its own name does not tell them apart.
    """
    words = list_words(state.request.full_text)
    telling = [word for word in words if not shares_word(node.symbol.name, (word,))]
    lines = state.source.read_lines(node.path)
    own = lines[node.symbol.start_line : node.symbol.end_line]
    is_wrapper = len(list_statements(state, node)) < LEAST_STATEMENTS
    rated: dict[Node, int] = {}
    for other, at in _list_used(state, node).items():
        one = state.get_node(other)
        calling = state.graph.find_incoming(one, CALLS, GLANCE).edges
        users = sum(not is_test_path(edge.other.path) for edge in calling)
        called = (lines[line - 1] for line in at if line <= len(lines))
        texts = [text for text in called if not only_logs(text)]
        if one == node or users > MANY_USERS or not texts or not _may_do_part(state, one):
            continue
        is_beside = one.path == node.path
        rated[one] = (
            bool(shares_word(one.symbol.name, telling))
            + (is_beside and users == 1)
            + ((is_beside or is_wrapper) and _is_decided_by(one.symbol.name, texts, own))
        )
    best = sorted((one for one in rated if rated[one]), key=lambda one: -rated[one])  # stable
    return [filled for one in best[:MOST_PARTS] for filled in fill(state, one)]


def _list_used(state: ResearchState, node: Node) -> Mapping[Declaration, Set[int]]:
    """Return what a function calls or names, with the lines, in the order of these."""
    used: dict[Declaration, set[int]] = {}
    for edge in list_uses(state, node, NARROW, (*CALLS, EdgeType.REFERENCES)):
        used.setdefault(edge.other, set()).update(edge.lines)
    order = sorted(used, key=lambda one: (min(used[one], default=0), one.path, one.ordinal))
    return {one: used[one] for one in order}


def _may_do_part(state: ResearchState, node: Node) -> bool:
    """Return True for a function of the program that does several things, or is left to others."""
    return (
        node.symbol.kind in CALLABLE_KINDS
        and admits_node(state, node)
        and (is_open(state, node) or len(list_statements(state, node)) >= LEAST_STATEMENTS)
    )


def _is_decided_by(name: str, texts: Sequence[str], own: Sequence[str]) -> bool:
    """Return True if lines decide by what has a name, or by the variable that its call sets."""
    sets = re.compile(rf"\b(\w+)\s*:?=(?![=>]).*\b{re.escape(name)}\s*\(")
    made = {found[1] for found in map(sets.search, texts) if found is not None}
    return decides(name, texts) or any(decides(variable, own) for variable in made)
