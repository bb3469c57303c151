"""How one symbol leads to another: the shortest ways along calls, searched from both ends.

Each side goes as many levels as the question is deep; the side with fewer symbols goes first. Where a method
overrides another, calls of that one may reach it. Edges that are only possible are followed when there is no
way without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.research.hops import CALLEES, CALLERS, Way, explain, sort_links
from repo_mcp.research.notebook import Notebook
from repo_mcp.research.places import weaker
from repo_mcp.research.records import Chain, Link
from repo_mcp.structure import TYPE_KINDS, SymbolKind

SIDE_WIDTH = 16  # symbols of one level of one side that are followed
SIDE_FAN = 24  # edges of one of them
MAX_PATHS = 5
MAX_MEMBERS = 12  # of a type that stand for it
_SIDE = Bounds(files=80, references=400)


@dataclass(slots=True)
class _Side:
    """What is reached from one end."""

    way: Way
    level: list[Node]
    guesses: bool
    reached: dict[Declaration, list[Link]] = field(default_factory=dict)  # with the links that lead to it
    hop: int = 0

    def __post_init__(self) -> None:
        self.reached = {node.declaration: [] for node in self.level}


def find_paths(
    book: Notebook, starts: Sequence[Node], ends: Sequence[Node], *, guesses: bool = False
) -> list[Chain]:
    """The shortest ways from any of the starts to any of the ends; notes what stands on them.

    With `guesses` edges that are only possible count as well.
    """
    down = _Side(CALLEES, _list_doers(book, starts), guesses)
    up = _Side(CALLERS, _list_doers(book, ends), guesses)
    depth = book.depth
    meeting = _meet(down, up)
    for done in range(2 * depth):
        if meeting:
            break
        side = _choose_side(down, up, depth)
        if side is None:
            break
        _take_level(book, side)
        meeting = _meet(down, up)
        book.tell(
            (done + 1) / 2, f"{len(down.reached)} symbols from the start, {len(up.reached)} from the end"
        )
    ways = _join(down, up, meeting)
    return [_note(book, way) for way in ways[:MAX_PATHS]]


def _choose_side(down: _Side, up: _Side, depth: int) -> _Side | None:
    """The side to go on with: the one with fewer symbols; None when neither leads on."""
    able = [side for side in (down, up) if side.level and side.hop < depth]
    return min(able, key=lambda side: len(side.level), default=None)


def _list_doers(book: Notebook, nodes: Iterable[Node]) -> list[Node]:
    """The nodes, and of types their methods, which call and are called."""
    found: dict[Declaration, Node] = {}
    for node in nodes:
        found[node.declaration] = node
        if node.symbol.kind in TYPE_KINDS:
            members = [
                one
                for one in book.graph.outline(node.path)
                if one.symbol.parent == node.symbol.place
                and one.symbol.kind in (SymbolKind.METHOD, SymbolKind.CONSTRUCTOR)
            ]
            if len(members) > MAX_MEMBERS:
                book.limit(
                    f"{len(members) - MAX_MEMBERS} methods of {node.qualified_name}",
                    f"{MAX_MEMBERS} methods stand for a type",
                )
            found.update((one.declaration, one) for one in members[:MAX_MEMBERS])
    return list(found.values())


def _take_level(book: Notebook, side: _Side) -> None:
    side.hop += 1
    if len(side.level) > SIDE_WIDTH:
        left = len(side.level) - SIDE_WIDTH
        book.limit(
            f"{left} symbols at level {side.hop} of the search for a way", f"{SIDE_WIDTH} are followed"
        )
    following: list[Node] = []
    for node in side.level[:SIDE_WIDTH]:
        book.check()
        links = sort_links(side.way.expand(book, node, _SIDE).links, side.way)
        if not side.guesses:
            links = [link for link in links if link.confidence is not Confidence.POSSIBLE]
        for link in links[:SIDE_FAN]:
            other = link.source if side.way.upwards else link.target
            known = side.reached.get(other)
            if known is None:
                side.reached[other] = [link]
                following.append(book.get_node(other))
            elif known and len(known) < 3:
                known.append(link)
    side.level = [node for node in following if node.symbol.kind is not SymbolKind.FILE]


def _meet(down: _Side, up: _Side) -> list[Declaration]:
    """The symbols that both sides have reached, in the order of the side from the start."""
    return [one for one in down.reached if one in up.reached]


def _join(down: _Side, up: _Side, meeting: Sequence[Declaration]) -> list[list[Link]]:
    """The ways over the symbols where the sides meet, the shortest first."""
    ways = []
    for middle in meeting:
        before = _trace(down, middle)
        after = _trace(up, middle)
        ways.append([*reversed(before), *after])
    ways = [way for way in ways if way]
    ways.sort(key=lambda way: (len(way), [(link.source.path, link.source.place) for link in way]))
    unique = {tuple((link.source, link.target) for link in way): way for way in reversed(ways)}
    return list(reversed(unique.values()))


def _trace(side: _Side, place: Declaration) -> list[Link]:
    """The links from a symbol back to the end that a side began at."""
    links: list[Link] = []
    met: set[Declaration] = set()
    while side.reached.get(place) and place not in met:
        met.add(place)
        link = side.reached[place][0]
        links.append(link)
        place = link.target if side.way.upwards else link.source
    return links


def _note(book: Notebook, way: Sequence[Link]) -> Chain:
    """The way as a chain; its symbols are findings, in its order."""
    confidence = Confidence.EXACT
    nodes = [book.get_node(way[0].source)]
    for hop, link in enumerate(way, 1):
        node = book.get_node(link.target)
        confidence = weaker(confidence, link.confidence)
        book.add(node, explain(link, nodes[-1], CALLEES), hop, confidence)
        book.link(link)
        nodes.append(node)
    return Chain(
        tuple(node.qualified_name for node in nodes),
        tuple(
            f"{link.source.path}:{link.lines[0] if link.lines else 1}-{link.lines[0] if link.lines else 1}"
            for link in way
        ),
        confidence.value,
        "a way along calls",
    )
