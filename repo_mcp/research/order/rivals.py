"""Tell which declarations are rated nearly as high as the best one, which is then not said to fit best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.research.findings.citing import name_briefly, shorten
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.text.citations import write_citation

RIVAL_SHARE = 0.7  # of the worth of the best declaration
MOST_RIVALS = 2  # that are named, and whose errors are
_BOUNDS = Bounds(files=20, references=60)

Rival = tuple[str, Node | None]  # name and citation; None without a symbol


def find_rivals(seeds: Sequence[Seed]) -> list[Rival]:
    """Return the declarations that are rated nearly as high as the best one, each name once.

    Without any the best one was right in 25 of 31 answers. Beside some it was in 24 of 43, one of up to three
    in 36.
    """
    best = next((seed for seed in seeds if seed.node is not None), seeds[0])
    if best.reason.role is Role.NAMED_SO:  # which says more than words
        return []
    near: dict[str, Rival] = {}
    for seed in seeds:
        if seed.name not in ("", best.name) and seed.worth >= RIVAL_SHARE * best.worth:
            citation = write_citation(seed.path, seed.body.head_line, seed.body.end_line)
            place = f"{shorten(seed.full_name)} ({citation})"
            near.setdefault(seed.name, (place if seed.node is None else name_briefly(seed.node), seed.node))
    return [*near.values()]


def list_rivals(state: ResearchState, best: Node) -> list[Rival]:
    """Return up to MOST_RIVALS declarations that may fit as well as the best one.

    What it calls or is called by, or lies in or around it, is a part of the same answer.
    """
    calling = _list_callers(state, best) if state.word_match.rivals else set()

    def is_part(node: Node) -> bool:
        first, last = sorted((one.symbol.start_line, one.symbol.end_line) for one in (best, node))
        is_nested = node.path == best.path and last[0] <= first[1]
        return is_nested or node.declaration in calling or best.declaration in _list_callers(state, node)

    return [
        *islice(
            (one for one in state.word_match.rivals if one[1] is None or not is_part(one[1])), MOST_RIVALS
        )
    ]


def _list_callers(state: ResearchState, node: Node) -> set[Declaration]:
    """Return what surely calls a symbol."""
    return {edge.other for edge in list_users(state, node, _BOUNDS)}
