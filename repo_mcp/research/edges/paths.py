"""Find how one symbol leads to another: the shortest paths along calls, searched from both ends.

Each side goes as many levels as the question is deep, and the side with fewer symbols takes the next one.
When a method overrides another, calls of the overridden method may reach it. Edges that are only possible are
followed only when no path exists without them.

Call chains are built from the edges that were found, from the outermost caller to the subject. A chain ends
where nothing further is known: at a symbol that nothing calls, at module-level code, at a guess, at the depth
of the question, or at a symbol that it already contains (a cycle, which is reported). When there are many
chains, the first few of each direct caller are shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, islice, zip_longest

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.record_classes import dataclass
from repo_mcp.research.edges.hops import explain, sort_links
from repo_mcp.research.edges.traversals import CALLEES, CALLERS, Traversal
from repo_mcp.research.findings.locating import CONFIDENCES, is_test_place, weaker
from repo_mcp.research.findings.records import Chain, Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.citations import write_citation

SIDE_WIDTH = 16  # symbols of one level of one side that are followed
SIDE_FAN = 24  # edges of each of them
MAX_PATHS = 5
LONGER = 2  # calls by which a longer path may exceed the shortest one
MAX_WALKED = 20_000  # steps along the edges found
MAX_MEMBERS = 12  # methods that stand for one type
_SIDE = Bounds(files=80, references=400)
MAX_CHAINS = 12
MAX_STEPS = 2_000  # steps of the search for chains
MAX_OF_ONE = 4  # chains that begin with the same edge
CALLING = frozenset({"calls", "overridden_by", "decorated_by", "references", "contains"})
_HANDED_ON = frozenset({"references", "contains"})
CYCLE = "cycle"
AT_DEPTH = "the depth limit"


def build_chains(state: ResearchState, subjects: Sequence[Node], *, upwards: bool) -> list[Chain]:
    """Return call chains that end (or, downwards, begin) at the subjects, in the order of the findings."""
    edges = _list_edges(state, upwards)
    if upwards:  # the tests that lead to a subject stand around the findings
        edges = {
            target: [link for link in links if not is_test_place(link.source.path)]
            for target, links in edges.items()
        }
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
    """Return the links that lead on from each symbol, the surest first, then in the order of discovery."""
    found: dict[Declaration, list[Link]] = {}
    for link in state.links.values():
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
    else:
        said = AT_DEPTH if upwards else f"no further call into this repository, or {AT_DEPTH}"
    return Chain(
        tuple(node.qualified_name for node in nodes),
        tuple(cite(state, link) for link in ordered),
        confidence.value,
        said,
    )


def weigh(link: Link) -> Confidence:
    """Return how sure it is that a link means a call: at most probable for a symbol named as a value."""
    return weaker(link.confidence, Confidence.PROBABLE) if link.kind in _HANDED_ON else link.confidence


def cite(state: ResearchState, link: Link) -> str:
    """Return the citation of a link: its first line, or the first line of its source when it has none."""
    line = link.lines[0] if link.lines else state.get_node(link.source).symbol.start_line
    return write_citation(link.source.path, line, line)


@dataclass(slots=True)
class _Side:
    """The symbols and links reached from one end."""

    traversal: Traversal
    level: list[Node]  # symbols to expand next
    guesses: bool  # whether edges that are only possible are followed
    reached: dict[Declaration, None] = field(default_factory=dict)
    links: dict[tuple[Declaration, Declaration], Link] = field(default_factory=dict)  # every link found
    hop: int = 0

    def __post_init__(self) -> None:
        self.reached = dict.fromkeys(node.declaration for node in self.level)


def find_paths(
    state: ResearchState, starts: Sequence[Node], ends: Sequence[Node], *, guesses: bool = False
) -> list[Chain]:
    """Return the shortest paths from any start to any end, and note the symbols on them.

    When none of the shortest paths is sure, paths up to LONGER calls longer are searched too. With `guesses`,
    edges that are only possible are followed, and longer paths are not searched.
    """
    down = _Side(CALLEES, _list_doers(state, starts), guesses)
    up = _Side(CALLERS, _list_doers(state, ends), guesses)
    firsts, lasts = list(down.reached), list(up.reached)
    depth, left = state.depth, 0 if guesses else LONGER
    routes: list[list[Link]] = []
    for done in range(2 * depth):
        side = _choose_side(down, up, depth)
        if side is None or (routes and (not left or _is_sure(routes[0]))):
            break
        left -= bool(routes)
        _take_level(state, side)
        if not down.reached.keys().isdisjoint(up.reached):
            routes = list_routes(
                firsts, lasts, [*down.links.values(), *up.links.values()], 0 if guesses else LONGER
            )
        state.report_progress(
            (done + 1) / 2, f"{len(down.reached)} symbols from the start, {len(up.reached)} from the end"
        )
    if len(routes) > MAX_PATHS:
        state.limit(
            f"{len(routes) - MAX_PATHS} more paths of calls",
            f"{MAX_PATHS} are shown, the most certain and shortest",
        )
    if routes and not _is_sure(routes[0]) and down.level and up.level:
        state.limit(
            "longer paths of calls", f"{down.hop} calls from the start and {up.hop} from the end are followed"
        )
    return [_note(state, route) for route in routes[:MAX_PATHS]]


def _choose_side(down: _Side, up: _Side, depth: int) -> _Side | None:
    """Return the side to extend, the one with fewer symbols; None if neither can be extended."""
    able = [side for side in (down, up) if side.level and side.hop < depth]
    return min(able, key=lambda side: len(side.level), default=None)


def _list_doers(state: ResearchState, nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes and, for those that are types, their methods, because methods make the calls."""
    found: dict[Declaration, Node] = {}
    for node in nodes:
        found[node.declaration] = node
        if node.symbol.kind in TYPE_KINDS:
            members = [
                one
                for one in state.graph.outline(node.path)
                if one.symbol.parent == node.symbol.ordinal
                and one.symbol.kind in (SymbolKind.METHOD, SymbolKind.CONSTRUCTOR)
            ]
            if len(members) > MAX_MEMBERS:
                state.limit(
                    f"{len(members) - MAX_MEMBERS} methods of {node.qualified_name}",
                    f"{MAX_MEMBERS} methods of a type are followed",
                )
            found.update((one.declaration, one) for one in members[:MAX_MEMBERS])
    return list(found.values())


def _take_level(state: ResearchState, side: _Side) -> None:
    side.hop += 1
    if len(side.level) > SIDE_WIDTH:
        left = len(side.level) - SIDE_WIDTH
        state.limit(
            f"paths over {left} more symbols",
            f"{SIDE_WIDTH} are followed at each step of the search for a path",
        )
    following: list[Node] = []
    for node in side.level[:SIDE_WIDTH]:
        state.check()
        links = sort_links(side.traversal.expand(state, node, _SIDE).links, side.traversal)
        if not side.guesses:
            links = [link for link in links if link.confidence is not Confidence.POSSIBLE]
        if len(links) > SIDE_FAN:
            state.limit("edges", f"at most {SIDE_FAN} per symbol are followed", node.qualified_name)
        for link in links[:SIDE_FAN]:
            side.links.setdefault((link.source, link.target), link)
            other = link.source if side.traversal.upwards else link.target
            if other not in side.reached:
                side.reached[other] = None
                following.append(state.get_node(other))
    side.level = [node for node in following if node.symbol.kind is not SymbolKind.FILE]


def _is_sure(route: Sequence[Link]) -> bool:
    return all(weigh(link) is Confidence.EXACT for link in route)


def list_routes(
    starts: Sequence[Declaration], ends: Sequence[Declaration], links: Iterable[Link], longer: int
) -> list[list[Link]]:
    """Return the paths from a start to an end that repeat no symbol, the surest first, then the shortest.

    When none of the shortest is sure, paths up to `longer` links longer are included.
    """
    onwards: dict[Declaration, dict[Declaration, Link]] = {}
    for link in links:
        onwards.setdefault(link.source, {}).setdefault(link.target, link)
    left = _measure(ends, onwards)  # links from a symbol to the nearest end
    shortest = min((left[one] for one in starts if left.get(one)), default=0)
    for more in (0, longer) if longer else (0,):
        found = _walk(starts, set(ends), onwards, left, shortest + more)
        if any(map(_is_sure, found)):
            break

    def rank(route: list[Link]) -> tuple[int, int, list[tuple[str, int]]]:
        unsure = max(CONFIDENCES[weigh(link)] for link in route)
        return unsure, len(route), [(link.source.path, link.source.ordinal) for link in route]

    return sorted(found, key=rank)


def _measure(
    ends: Iterable[Declaration], onwards: Mapping[Declaration, Mapping[Declaration, Link]]
) -> dict[Declaration, int]:
    """Return the number of links from each symbol to the nearest end."""
    backwards: dict[Declaration, list[Declaration]] = {}
    for source, targets in onwards.items():
        for target in targets:
            backwards.setdefault(target, []).append(source)
    left = dict.fromkeys(ends, 0)
    waiting = list(left)
    for one in waiting:  # the list grows in the loop
        for source in backwards.get(one, ()):
            if source not in left:
                left[source] = left[one] + 1
                waiting.append(source)
    return left


def _walk(
    starts: Iterable[Declaration],
    ends: Collection[Declaration],
    onwards: Mapping[Declaration, Mapping[Declaration, Link]],
    left: Mapping[Declaration, int],
    most: int,
) -> list[list[Link]]:
    """Return the paths of at most `most` links, the shortest first, found within MAX_WALKED steps."""
    found: list[list[Link]] = []
    waiting: list[tuple[tuple[Declaration, ...], list[Link]]] = [((one,), []) for one in starts]
    for symbols, route in islice(waiting, MAX_WALKED):  # the list grows in the loop
        for target, link in onwards.get(symbols[-1], {}).items():
            if target in symbols or len(symbols) + left.get(target, most) > most:
                continue
            if target in ends:
                found.append([*route, link])
            else:
                waiting.append(((*symbols, target), [*route, link]))
    return found


def _note(state: ResearchState, route: Sequence[Link]) -> Chain:
    """Return a path as a chain, and note its symbols as findings in order."""
    confidence = Confidence.EXACT
    nodes = [state.get_node(route[0].source)]
    for hop, link in enumerate(route, 1):
        node = state.get_node(link.target)
        confidence = weaker(confidence, weigh(link))
        state.add(node, explain(link, nodes[-1], CALLEES), hop, confidence)
        state.link(link)
        nodes.append(node)
    return Chain(
        tuple(node.qualified_name for node in nodes),
        tuple(cite(state, link) for link in route),
        confidence.value,
        "a path of calls",
    )
