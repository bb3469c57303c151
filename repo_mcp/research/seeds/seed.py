"""A seed, and how lists of seeds are put together: what leads, what is inserted, what goes along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from repo_mcp.bodies.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.named_symbols import read_code
from repo_mcp.research.findings.reasons import Reason, Role, explain_named
from repo_mcp.research.findings.research_state import ResearchState


@dataclass(frozen=True, slots=True)
class Seed:
    """One declaration that matches the words of a question."""

    path: str
    body: Body
    name: str  # of the declaration; "" for lines outside all declarations
    full_name: str  # with the names of what it is declared in
    node: Node | None
    worth: float
    reason: Reason
    goes_along: bool = False  # with the better place before it, though its own words found it, too


def build_seed(state: ResearchState, node: Node, worth: float, reason: Reason | None = None) -> Seed:
    """Return a symbol as a seed without terms, so that its lines are chosen only by what they do.

    Without another reason it is one for its name.
    A file that is gone, or has become shorter, since it was parsed gives a blank line or its last one.
    """
    body = read_code(state, node)
    name = node.symbol.name
    return Seed(node.path, body, name, node.qualified_name, node, worth, reason or explain_named(name))


def lead(seeds: Sequence[Seed], first: Seed, changed: Seed | None = None) -> list[Seed]:
    """Return the seeds; one of them leads, as it is or changed."""
    return [changed or first, *(seed for seed in seeds if seed is not first)]


def take_seeds(
    state: ResearchState, seeds: Sequence[Seed], reasons: Mapping[Node, Reason], worth: float = 0.0
) -> list[Seed]:
    """Return symbols as seeds for other reasons; those that are no seeds yet get the worth."""
    known = {seed.node: seed for seed in seeds}
    return [
        replace(known.get(node) or build_seed(state, node, worth), reason=why)
        for node, why in reasons.items()
    ]


def skip_beside(seeds: Sequence[Seed], at: int, roles: Set[Role] = frozenset({Role.BESIDE})) -> int:
    """Return the position behind the first seeds, of which the number is given, and what goes with these."""
    while at < len(seeds) and (seeds[at].goes_along or seeds[at].reason.role in roles):
        at += 1
    return at


def insert_seeds(
    state: ResearchState, seeds: Sequence[Seed], at: int, reasons: Mapping[Node, Reason]
) -> list[Seed]:
    """Return the seeds; symbols come at a position. Those that are seeds already keep their reasons."""
    known = {seed.node: replace(seed, goes_along=True) for seed in seeds}
    own = [known.get(node) or build_seed(state, node, 0.0, why) for node, why in reasons.items()]
    return [*seeds[:at], *own, *(seed for seed in seeds[at:] if seed.node not in reasons)]
