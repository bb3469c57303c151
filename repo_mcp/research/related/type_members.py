"""Show what a type does, instead of its head and its constructor.

A type that is found by its name says little: its fields, and how they are set. What is asked is mostly done
by one of its functions, which needs none of the words of the question, since the type has them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from repo_mcp.blocks.block_worth import rate_work
from repo_mcp.bodies.body import Body, list_code
from repo_mcp.bodies.statements import cut_statements
from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.open_functions import LEAST_STATEMENTS
from repo_mcp.research.edges.shared_members import find_members
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.seeds.seed import Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.analysis import get_word_terms

_WORD = re.compile(r"\w+")
LEADING = 8  # best declarations among which types are looked at
MOSTLY = 0.6  # of the statements of a constructor; one that sets so many fields does little
# A statement that sets a field: `self.shelf = rescue`, `this.#open = false`, `@parcels = parcels`
_SETS_FIELD = re.compile(r"\s*(?:(?:this|self)\.|\$?this->|@)#?\w+(?:\s*:[^=]++)?\s*=(?!=)")
_TYPES = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT})


def put_working_members(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; of a type or a constructor among the best, the function that does most comes instead.

    The type itself comes last. One of which a function is among the best anyway stays behind these.
    """
    ordered: list[Seed] = []
    last: list[Seed] = []
    shown = {_find_owner(seed.node) for seed in seeds[:LEADING] if seed.node is not None and _does(seed.node)}
    for position, seed in enumerate(seeds):
        is_asked = seed.reason.role not in (Role.OTHER, Role.HAS_WORDS)  # by its name
        node = None if is_asked or position >= LEADING else seed.node
        owner = None if node is None else _find_type(state, node)
        if owner is None:
            ordered.append(seed)
            continue
        working = None if owner.qualified_name in shown else _find_working(state, owner, state.weights)
        if working is None and owner.qualified_name not in shown:
            ordered.append(seed)
            continue
        last.append(seed)
        shown.add(owner.qualified_name)
        if working is not None:
            reason = Reason(f"of {owner.symbol.name}, it has most words of the question")
            ordered.append(build_seed(state, working, seed.worth, reason))
    known = {seed.node for seed in ordered if seed.node is not None}
    return [*ordered, *(seed for seed in last if seed.node not in known)]


def _does(node: Node) -> bool:
    return node.symbol.kind in CALLABLE_KINDS and node.symbol.kind is not SymbolKind.CONSTRUCTOR


def _find_owner(node: Node) -> str:
    return node.qualified_name.rpartition(".")[0]


def _find_type(state: ResearchState, node: Node) -> Node | None:
    """Return a type, or that of a constructor that does little; None for any other symbol."""
    if node.symbol.kind is SymbolKind.CONSTRUCTOR and node.symbol.parent:
        body = build_seed(state, node, 0.0).body
        lines = [body.lines[at - 1] for at in list_code(body)]
        if rate_work(lines, 1.0, 0.0, 1) and not _mostly_sets(body):
            return None
        node = state.get_parent(node)
    return node if node.symbol.kind in _TYPES else None


def _mostly_sets(body: Body) -> bool:
    """Return True for the body of a constructor that mostly sets fields."""
    statements = cut_statements(body, list_code(body))[1:]  # without the signature
    setting = [one for one in statements if _SETS_FIELD.match(body.lines[one.first - 1])]
    return len(setting) >= MOSTLY * len(statements) > 0


def _find_working(state: ResearchState, owner: Node, weights: Mapping[str, float]) -> Node | None:
    """Return the function of a type that has most of the weight of the question's words; None without one."""
    worth = {node: _rate(state, node, weights) for node in find_members(state, owner).values() if _does(node)}
    fitting = [node for node, weight in worth.items() if weight]
    return max(fitting, key=lambda node: (worth[node], count_lines(node)), default=None)


def _rate(state: ResearchState, node: Node, weights: Mapping[str, float]) -> float:
    """Return the weight of the words that a function has; 0 for one that does little."""
    body = build_seed(state, node, 0.0).body
    code = list_code(body)
    if len(cut_statements(body, code)) < LEAST_STATEMENTS:
        return 0.0
    words = {word for at in code for word in _WORD.findall(body.lines[at - 1])}
    held = {term for word in words for term in get_word_terms(word)}
    return sum(weight for term, weight in weights.items() if term in held)  # never in a set's order
