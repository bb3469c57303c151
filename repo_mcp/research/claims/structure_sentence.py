"""Say in a few sentences how the modules of a tree depend on one another."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.records import Layer, Module
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.roles import is_side_file

LEAST_MODULES = 3  # of which it is said how they depend on one another
LEAST_IMPORTED = 2  # modules that import one of which it is said


def describe_structure(
    state: ResearchState, modules: Sequence[Module], layers: Sequence[Layer], number: int
) -> str:
    """Return which modules the others rest on, which rest on them, and which import each other; "" for none.

    `number` counts all modules. Where only the strongest are given, all is said of these.
    """
    if len(modules) < LEAST_MODULES:
        return ""
    is_part = number > len(modules)
    of = f"Of the {len(modules)} strongest of {number} modules" if is_part else f"Of {number} modules"
    sentences = [
        _describe_ground(modules, of),
        _describe_layers(modules, layers, "their " if is_part else ""),
        _describe_cycle(modules, layers),
    ]
    entries = [one for one in state.entry_points.values() if not is_side_file(one.citation)]
    begins = join_names(f"{one.symbol} ({one.citation})" for one in entries)
    sentences += [f"It is entered at {begins}."] if begins else []
    return " ".join(filter(None, sentences))


def _describe_ground(modules: Sequence[Module], of: str) -> str:
    most = sorted(modules, key=lambda one: -one.imported_by)  # stable
    imported = [one for one in most if one.imported_by >= LEAST_IMPORTED and one.citation]
    if not imported:
        by = "more than one other" if any(one.imported_by for one in modules) else "another"
        return f"{of}, none is known to be imported by {by}."
    named = [f"{one.name} (by {one.imported_by}, as at {one.citation})" for one in imported[:3]]
    are = "is" if len(named) == 1 else "are"
    return f"{of}, {join_names(named)} {are} imported by the most others."


def _describe_layers(modules: Sequence[Module], layers: Sequence[Layer], whose: str) -> str:
    """Return a sentence on the lowest and the highest layer, if there are several."""
    if len(layers) < 2:
        return ""
    imported = {one.name: one.imported_by for one in modules}
    lowest = sorted(layers[0].modules, key=lambda name: -imported[name])  # stable
    highest = join_names(layers[-1].modules)
    return f"The lowest of {whose}{len(layers)} layers has {join_names(lowest)}, and the highest {highest}."


def _describe_cycle(modules: Sequence[Module], layers: Sequence[Layer]) -> str:
    cycle = max((one for layer in layers for one in layer.cycles), key=len, default=())
    if not cycle:
        return ""
    if len(cycle) == len(modules):
        return f"All {len(cycle)} import each other, directly or through others."
    return f"{join_names(cycle)} import each other, directly or through others."
