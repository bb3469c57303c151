"""Which edges that are only possible are worth showing.

Where several symbols have a name, each of them may be meant by the same use: it is shown for one of them, and
for none where it is known which is meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.program.program import Confidence, Declaration
from repo_mcp.research.records import Link
from repo_mcp.research.research_state import ResearchState


def drop_guesses(
    state: ResearchState, links: Sequence[Link], guessed: set[Declaration], *, upwards: bool
) -> list[Link]:
    """Without guesses from where another symbol of the level has one, or one of its name is surely meant.

    `guessed` is where the level has guesses; it grows.
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
    """True when another symbol of this name is known to be meant there."""
    name = state.get_node(guess.target).symbol.name
    return any(
        link.source == guess.source
        and link.kind == guess.kind
        and link.confidence is not Confidence.POSSIBLE
        and state.get_node(link.target).symbol.name == name
        for link in state.links.values()
    )
