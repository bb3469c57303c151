"""Read the edges of a symbol within bounds, which the symbols of a first level share; say what is unread."""

from __future__ import annotations

from collections.abc import Iterable

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.research.edges.traversals import THROUGH, HopFindings, Traversal
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.research_state import ResearchState

WIDE = Bounds(files=140, references=500)  # shared by all symbols of the first level
WHOLE = Bounds(files=400, references=6_000)  # shared, too, where those of WIDE show no user: 0.4 s
UNREAD = "further uses"
LEAST_FILES, LEAST_REFERENCES = 60, 240  # for each symbol of the first level, however many share WIDE


def expand_on(
    state: ResearchState,
    node: Node,
    traversal: Traversal,
    bounds: Bounds,
    subjects: int,
    *,
    tests: bool = False,
) -> tuple[HopFindings, Bounds]:
    """Return the edges of a symbol, and the bounds within which its references were read.

    If the bounds end before a sure user was found, in tests or outside of them as `tests` says, more is read:
    nearer files may use a common name often and mean other symbols. The wider bounds are divided by
    `subjects`, the number of symbols on the first level; if it is 0, no more is read.
    """
    found = traversal.expand(state, node, bounds)
    is_known = any(
        link.confidence is not Confidence.POSSIBLE
        and link.kind not in THROUGH
        and is_test_node(state.get_node(link.source)) is tests
        for link in found.links
    )
    if not found.cut or is_known or not subjects or not traversal.upwards:
        return found, bounds
    wider = Bounds(WHOLE.files // subjects, WHOLE.references // subjects)
    if wider.references <= bounds.references:
        return found, bounds
    return traversal.expand(state, node, wider), wider


def lacks_uses(state: ResearchState, names: Iterable[str]) -> bool:
    """Return True if some references to one of the qualified names were not read."""
    unread = {name for (what, _), noted in state.limits.items() if what == UNREAD for name in noted}
    return not unread.isdisjoint(names)


def note_unread(state: ResearchState, name: str, bounds: Bounds) -> None:
    """Note that a symbol may have more uses than those within the bounds."""
    state.limit(
        UNREAD,
        f"of a name used this often, {bounds.references:,} references in {bounds.files} files are read",
        name,
    )


def share_bounds(subjects: int) -> Bounds:
    """Return the bounds for each symbol of a first level with so many symbols."""
    subjects = max(1, subjects)
    return Bounds(
        max(LEAST_FILES, WIDE.files // subjects), max(LEAST_REFERENCES, WIDE.references // subjects)
    )
