"""Choose what comes first behind the best declarations, where an answer has room to show more of them.

The order of these says little so far back. Of the eighth to twelfth declarations of 133 answers with room, 46
were called by one of the best three, and nine of these were wanted; of the others one in 20 was.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

CALLING = 3  # best declarations, whose calls count
NEXT = 5  # declarations behind those that are shown, among which the called ones move up


def put_called_further(state: ResearchState, seeds: Sequence[Seed], shown: int) -> list[Seed]:
    """Return the seeds; of those right behind the ones that are `shown`, what the best call comes first."""
    at = _find_further(seeds, shown)
    if at == len(seeds):
        return [*seeds]
    calling = [seed.node for seed in seeds[:CALLING] if seed.node is not None]
    called = {
        state.get_node(edge.other)
        for node in calling
        if node.symbol.kind in CALLABLE_KINDS
        for edge in list_uses(state, node, NARROW)
    }
    following = sorted(seeds[at : at + NEXT], key=lambda seed: _goes_along(seed) or seed.node not in called)
    return [*seeds[:at], *following, *seeds[at + NEXT :]]  # sorted stably


def _find_further(seeds: Sequence[Seed], shown: int) -> int:
    """Return the position behind those that are shown, of which some only go with others and do not count."""
    counted = [at for at, seed in enumerate(seeds) if not _goes_along(seed)]
    return counted[shown] if shown < len(counted) else len(seeds)


def _goes_along(seed: Seed) -> bool:
    """Return True for what takes nobody's place: further forward, it would take room from the best."""
    return seed.reason.role is Role.BESIDE
