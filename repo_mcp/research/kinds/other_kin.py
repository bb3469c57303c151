"""Tell what belongs to further types of a kind, which an answer lists beside its findings.

One to copy says what the others would say again. An interface has only heads, and comes last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeVar

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.reasons import RECIPE, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.derived_types import list_program_derived
from repo_mcp.research.kinds.examples import MOST_MODELS
from repo_mcp.research.kinds.open_members import list_overridable
from repo_mcp.text.guessed_names import list_own_names

Shown = TypeVar("Shown")  # what is shown of a symbol


def leave_out_others(
    state: ResearchState, shown: Iterable[tuple[Shown, Node | None]], recipe: Collection[tuple[Node, Role]]
) -> list[Shown]:
    """Return what is shown without further types of a kind and the members that these override.

    `recipe` has the base of the kind and one to copy: without both, everything is returned. A type that the
    question guesses stays.
    """
    base = next((node for node, role in recipe if role is Role.BASE), None)
    if base is None or all(role is not Role.MODEL for _, role in recipe):
        return [one for one, _ in shown]
    own = {node.declaration for node, role in recipe if role in RECIPE}
    names = {one.name for node, role in recipe if role in RECIPE for one in list_overridable(state, node)}
    level = list_program_derived(state, base)
    below = (two for one in level[:MOST_MODELS] for two in list_program_derived(state, one))
    kind = {node.declaration: node for node in (*level, *below) if node.declaration not in own}
    guessed = list_own_names(state.request.guesses)
    kept: list[Shown] = []
    last: list[Shown] = []
    for one, node in shown:
        if node is None or node.declaration in own:
            kept.append(one)
            continue
        owner = state.get_parent(node)
        is_open = node.symbol.kind in ABSTRACT_KINDS or owner.symbol.kind in ABSTRACT_KINDS
        overrides = node.symbol.name in names and owner.declaration not in own
        is_type = node.declaration in kind and node.symbol.name not in guessed
        if not is_type and not (overrides and (is_open or owner.declaration in kind)):
            (last if is_open else kept).append(one)
    return [*kept, *last]
