"""Find how one symbol leads to another: the shortest paths along calls, searched from both ends.

Each side goes as many levels as the question is deep, and the side with fewer symbols takes the next one.
When a method overrides another, calls of the overridden method may reach it. Edges that are only possible are
followed only when no path exists without them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import islice

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.record_classes import dataclass
from repo_mcp.research.edges.chains import cite, weigh
from repo_mcp.research.edges.edge_reasons import explain
from repo_mcp.research.edges.link_order import sort_links
from repo_mcp.research.edges.traversals import CALLEES, CALLERS, Traversal
from repo_mcp.research.findings.locating import CONFIDENCES, weaker
from repo_mcp.research.findings.records import Chain, Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.members_of_types import list_members
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind

SIDE_WIDTH = 16  # symbols of one level of one side that are followed
SIDE_FAN = 24  # edges of each of them
MAX_PATHS = 5
LONGER = 2  # calls by which a longer path may exceed the shortest one
MAX_WALKED = 20_000  # steps along the edges found
MAX_MEMBERS = 12  # methods that stand for one type
_SIDE = Bounds(files=80, references=400)


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
            doers = (SymbolKind.METHOD, SymbolKind.CONSTRUCTOR)
            members = [one for one in list_members(state.graph, node) if one.symbol.kind in doers]
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
        if not side.traversal.upwards:
            links = _drop_nested(state, node, links)
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


def _drop_nested(state: ResearchState, node: Node, links: list[Link]) -> list[Link]:
    """Return the links of a type without those of its nested types only: making it runs none of these."""
    if node.symbol.kind not in TYPE_KINDS:
        return links
    nested = [
        one.symbol
        for one in state.graph.outline(node.path)
        if one.symbol.parent == node.symbol.ordinal and one.symbol.kind in TYPE_KINDS
    ]

    def is_nested(line: int) -> bool:
        return any(one.start_line <= line <= one.end_line for one in nested)

    return [link for link in links if not link.lines or not all(map(is_nested, link.lines))]


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
