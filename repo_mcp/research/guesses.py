"""Choose which edges that are only possible are worth showing.

When several symbols share a name, one use may mean any of them. The use is shown for one of them only, and
for none when it is known which one is meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program.program import Confidence, Declaration
from repo_mcp.research.records import Link
from repo_mcp.research.research_state import ResearchState


def drop_guesses(
    state: ResearchState, links: Sequence[Link], guessed: set[Declaration], *, upwards: bool
) -> list[Link]:
    """Return the links without redundant guesses: those from a symbol that already has a guess at this level,
    and those where a symbol of the same name is surely meant.

    `guessed` holds the symbols with a guess at this level; this function adds to it.
    """
    kept = []
    for link in links:
        other = link.source if upwards else link.target
        if link.confidence is Confidence.POSSIBLE:
            if other in guessed or _has_surer(state, link):
                continue
            guessed.add(other)
        kept.append(link)
    return kept


def _has_surer(state: ResearchState, guess: Link) -> bool:
    """Return True when another symbol of this name is known to be meant there."""
    name = state.get_node(guess.target).symbol.name
    return any(
        link.source == guess.source
        and link.kind == guess.kind
        and link.confidence is not Confidence.POSSIBLE
        and state.get_node(link.target).symbol.name == name
        for link in state.links.values()
    )
