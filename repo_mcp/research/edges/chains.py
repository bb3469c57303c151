"""Build call chains from the edges that were found, from the outermost caller to the subject.

A chain ends where nothing further is known: at a symbol that nothing calls, at module-level code, at a guess,
at a symbol that only tests call, at the depth of the question, or at a symbol that it already contains (a
cycle, which is reported). When there are many chains, the first few of each direct caller are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.research.edges.traversals import CALLS_BY_LOCAL, THROUGH
from repo_mcp.research.findings.locating import CONFIDENCES, is_test_place, weaker
from repo_mcp.research.findings.records import Chain, Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.citations import write_citation

MAX_CHAINS = 12
MAX_STEPS = 2_000  # steps of the search for chains
MAX_OF_ONE = 4  # chains that begin with the same edge
CALLING = THROUGH | {CALLS_BY_LOCAL, "calls", "decorated_by", "references", "contains"}
_HANDED_ON = frozenset({"references", "contains"})
CYCLE = "cycle"
AT_DEPTH = "the depth limit"
ONLY_TESTS = "only tests are known to call it"


def build_chains(state: ResearchState, subjects: Sequence[Node], *, upwards: bool) -> list[Chain]:
    """Return call chains that end (or, downwards, begin) at the subjects, in the order of the findings."""
    edges = _list_edges(state, upwards)
    found: list[Chain] = []
    for subject in subjects:
        routes = [
            [
                _describe(state, route, upwards)
                for route in _take(state, _walk_chains(subject.declaration, link, edges, upwards))
            ]
            for link in edges.get(subject.declaration, ())
        ]
        found += [one for one in chain.from_iterable(zip_longest(*routes)) if one is not None]
    found = list(dict.fromkeys(found))
    if len(found) > MAX_CHAINS:
        state.limit(f"{len(found) - MAX_CHAINS} more call chains", f"{MAX_CHAINS} are shown")
    return found[:MAX_CHAINS]


def _take(state: ResearchState, routes: Iterator[tuple[list[Link], str]]) -> list[tuple[list[Link], str]]:
    """Return at most MAX_OF_ONE of the first chains found: the longest, with cycles after the others."""
    found = [route for _, route in zip(range(MAX_STEPS), routes, strict=False)]
    found.sort(key=lambda route: (route[1] == CYCLE, -len(route[0])))  # stable: equal ones stay in order
    if len(found) > MAX_OF_ONE:
        state.limit("further call chains", f"{MAX_OF_ONE} with the same first call are shown")
    return found[:MAX_OF_ONE]


def _list_edges(state: ResearchState, upwards: bool) -> Mapping[Declaration, list[Link]]:
    """Return the links that lead on from each symbol, the surest first, then in the order of discovery.

    Upwards, there are none from tests: those that lead to a subject stand around the findings.
    """
    found: dict[Declaration, list[Link]] = {}
    for link in state.links.values():
        if upwards and is_test_place(link.source.path):
            continue
        if link.kind in CALLING and not _names_type(state, link):
            found.setdefault(link.target if upwards else link.source, []).append(link)
    for links in found.values():
        links.sort(key=lambda link: CONFIDENCES[link.confidence])
    return found


def _names_type(state: ResearchState, link: Link) -> bool:
    return link.kind == "references" and state.get_node(link.target).symbol.kind not in CALLABLE_KINDS


def _walk_chains(
    subject: Declaration, first: Link, edges: Mapping[Declaration, list[Link]], upwards: bool
) -> Iterator[tuple[list[Link], str]]:
    """Yield the chains that start with a link, each with the reason why it ends."""
    waiting: list[tuple[list[Link], frozenset[Declaration]]] = [([first], frozenset({subject}))]
    while waiting:
        route, met = waiting.pop()
        end = route[-1].source if upwards else route[-1].target
        if end in met:
            yield route, CYCLE
            continue
        further = edges.get(end, [])
        if not further:
            yield route, ""
            continue
        waiting += [([*route, link], met | {end}) for link in reversed(further)]


def _describe(state: ResearchState, walked: tuple[list[Link], str], upwards: bool) -> Chain:
    route, reason = walked
    ordered = list(reversed(route)) if upwards else route
    ends = [ordered[0].source, *(link.target for link in ordered)]
    nodes = [state.get_node(one) for one in ends]
    confidence = Confidence.EXACT
    for link in route:
        confidence = weaker(confidence, weigh(link))
    outer = nodes[0] if upwards else nodes[-1]
    if reason == CYCLE:
        said = f"cycle: back to {outer.qualified_name}"
    elif outer.declaration in state.entry_points:
        said = state.entry_points[outer.declaration].why
    elif upwards and not outer.symbol.ordinal:
        said = "top-level code of a file"
    elif route[-1].confidence is Confidence.POSSIBLE:
        said = "a guess, not followed"
    elif upwards and any(_calls_in_test(one, outer.declaration) for one in state.links.values()):
        said = ONLY_TESTS  # any other caller would be in the chain
    else:
        said = AT_DEPTH if upwards else f"no further call into this repository, or {AT_DEPTH}"
    return Chain(
        tuple(node.qualified_name for node in nodes),
        tuple(cite(state, link) for link in ordered),
        confidence.value,
        said,
    )


def _calls_in_test(link: Link, called: Declaration) -> bool:
    return link.target == called and link.kind in CALLING and is_test_place(link.source.path)


def weigh(link: Link) -> Confidence:
    """Return how sure it is that a link means a call: at most probable for a symbol named as a value."""
    return weaker(link.confidence, Confidence.PROBABLE) if link.kind in _HANDED_ON else link.confidence


def cite(state: ResearchState, link: Link) -> str:
    """Return the citation of a link: its first line, or the first line of its source when it has none."""
    line = link.lines[0] if link.lines else state.get_node(link.source).symbol.start_line
    return write_citation(link.source.path, line, line)
