"""Say in a few sentences how the modules of a tree depend on one another."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.research.findings.citing import MAX_NAMED, join_names
from repo_mcp.research.findings.records import Layer, Module
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.structure.entries import USED_OUTSIDE
from repo_mcp.text.roles import is_side_file

LEAST_MODULES = 3  # of which it is said how they depend on one another
LEAST_IMPORTED = 2  # modules that import one of which it is said


def describe_structure(
    state: ResearchState, whole: str, modules: Sequence[Module], layers: Sequence[Layer], number: int
) -> str:
    """Return which modules the others rest on, which rest on them, and which import each other; "" for few.

    `whole` has them, and `number` counts all. Where only the strongest are given, all is said of these.
    """
    if not modules:
        return (
            f"{whole} has no code that a parser {'has read so far' if state.source.is_partial else 'reads'}."
        )
    if len(modules) < LEAST_MODULES:
        return ""
    is_part = number > len(modules)
    listed = f", of which the {len(modules)} strongest are listed" if is_part else ""
    sentences = [
        f"{whole} has {number} modules{listed}.",
        _describe_ground(modules),
        _describe_layers(modules, layers),
        _describe_cycle(modules, layers),
        *_describe_entries(state),
    ]
    return " ".join(filter(None, sentences))


def _describe_ground(modules: Sequence[Module]) -> str:
    most = sorted(modules, key=lambda one: -one.imported_by)  # stable
    imported = [one for one in most if one.imported_by >= LEAST_IMPORTED and one.citation]
    if not imported:
        by = "more than one other" if any(one.imported_by for one in modules) else "another"
        return f"None is known to be used by {by}."
    first, *others = imported[:MAX_NAMED]
    named = [f"{first.name} ({first.imported_by} of them, as at {first.citation})"]
    named += [f"{one.name} ({one.imported_by}, as at {one.citation})" for one in others]
    return f"The others depend most on {join_names(named)}."


def _describe_layers(modules: Sequence[Module], layers: Sequence[Layer]) -> str:
    """Return a sentence on the lowest and the highest layer, if there are several."""
    if len(layers) < 2:
        return ""
    imported = {one.name: one.imported_by for one in modules}
    lowest = sorted(layers[0].modules, key=lambda name: -imported[name])  # stable
    highest = join_names(layers[-1].modules)
    return f"They form {len(layers)} layers: the lowest is {join_names(lowest)}, and the highest {highest}."


def _describe_cycle(modules: Sequence[Module], layers: Sequence[Layer]) -> str:
    cycle = max((one for layer in layers for one in layer.cycles), key=len, default=())
    if not cycle:
        return ""
    if len(cycle) == len(modules):
        return f"All {len(cycle)} depend on each other, directly or through others."
    return f"{join_names(cycle)} depend on each other, directly or through others."


def _describe_entries(state: ResearchState) -> list[str]:
    """Return a sentence on where the program starts or, in a library, where others enter it; or nothing."""
    entries = [(node, one) for node, one in state.entry_points.items() if not is_side_file(one.citation)]
    # A file is named by its citation alone, which has its path.
    named = [one.citation if not node.ordinal else f"{one.symbol} ({one.citation})" for node, one in entries]
    if not named:
        return []
    if all(one.why.endswith(USED_OUTSIDE) for _, one in entries):
        return [f"Its tests and examples mostly enter it at {join_names(named)}."]
    return [f"It is entered at {join_names(named)}."]
