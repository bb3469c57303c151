"""Check what led to a declaration against the graph: a reason names a call or a use only if there is one.

    called by Client.setup   ->   called by Client.setup, perhaps called by Client.setup, or the words it has

Declarations are rated before any symbol is resolved, by the names in their lines: a `socket.close()` leads
to each `close`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.named_symbols import find_by_name
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.seeds.rated_seeds import describe_words
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.symbols.symbol_record import TYPE_KINDS

MOST_CHECKED = 12  # best declarations
_BOUNDS = Bounds(files=60, references=400)
_LINK = re.compile(r"(called by|used by|calls|uses) (\S+)")
_USES = (EdgeType.CALLS, EdgeType.REFERENCES, EdgeType.ACCEPTS, EdgeType.INHERITS, EdgeType.IMPLEMENTS)


def confirm_reasons(state: ResearchState, seeds: Sequence[Seed], weights: Mapping[str, float]) -> list[Seed]:
    """Return the seeds; those to which no edge of the graph leads as their reason says give their words."""
    checked = [_confirm(state, seed, weights) for seed in seeds[:MOST_CHECKED]]
    return [*checked, *seeds[MOST_CHECKED:]]


def _confirm(state: ResearchState, seed: Seed, weights: Mapping[str, float]) -> Seed:
    link = _LINK.fullmatch(seed.reason.text)
    if link is None or seed.node is None:
        return seed
    if seed.node.symbol.kind in TYPE_KINDS:
        is_another = link[1].endswith("by") and _uses_another(state, seed.node, link[2])
        words = Reason(describe_words(seed.body, weights), Role.HAS_WORDS)
        return replace(seed, reason=words) if is_another else seed
    is_around = f".{seed.node.qualified_name}".startswith(f".{link[2]}.")  # a namespace calls nothing
    found = None if is_around else _find_confidence(state, seed.node, link[1], link[2])
    if found is None:
        return replace(seed, reason=Reason(describe_words(seed.body, weights), Role.HAS_WORDS))
    if found is Confidence.POSSIBLE:
        return replace(seed, reason=replace(seed.reason, text=f"perhaps {seed.reason.text}"))
    return seed


def _uses_another(state: ResearchState, node: Node, name: str) -> bool:
    """Return whether what has a name uses something else that is called as a type, and not the type."""
    state.check()
    found = [state.graph.find_outgoing(user, _USES, _BOUNDS) for user in _find_named(state, name)]
    used = [state.get_node(edge.other) for edges in found for edge in edges.edges]
    others = [one for one in used if one.symbol.name == node.symbol.name]
    return bool(others) and all(one.path != node.path for one in others)


def _find_confidence(state: ResearchState, node: Node, verb: str, name: str) -> Confidence | None:
    """Return how sure it is that a symbol is called or used by a name, or uses it; None if nothing says so.

    Looked through is what the user refers to: a common name is used in more places than can be read.
    """
    state.check()
    if verb.endswith("by"):
        users, meant = _find_named(state, name), [node]
    else:
        users, meant = [node], _find_named(state, name)
    types = CALLS if verb.startswith("call") else _USES
    found = [state.graph.find_outgoing(user, types, _BOUNDS) for user in users]
    others = [(state.get_node(edge.other), edge.confidence) for edges in found for edge in edges.edges]
    known = [confidence for other, confidence in others if other in meant]
    if known:
        return Confidence.POSSIBLE if all(one is Confidence.POSSIBLE for one in known) else known[0]
    return Confidence.PROBABLE if any(edges.cut for edges in found) or not (users and meant) else None


def _find_named(state: ResearchState, name: str) -> list[Node]:
    """Return the symbols with a name, which may be qualified in part."""
    last = name.rpartition(".")[2]
    return [node for node in find_by_name(state, last) if f".{node.qualified_name}".endswith(f".{name}")]
