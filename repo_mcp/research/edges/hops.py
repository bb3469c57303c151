"""Follow edges level by level, with a fixed number of symbols at each level.

A path is only as sure as its weakest edge. Edges that are only possible are shown but not followed further,
because what a guess leads to is noise. Within a level, symbols outside tests come first, then the surest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import itemgetter

from repo_mcp.graph.bulk_scan import HEAD_LINES
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.edges.edge_reasons import explain
from repo_mcp.research.edges.link_order import Rank, rank_link, sort_links, spread
from repo_mcp.research.edges.read_edges import expand_on, note_unread, share_bounds
from repo_mcp.research.edges.traversals import NAMES_TYPE, THROUGH, HopFindings, Traversal
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import write_count
from repo_mcp.research.findings.locating import (
    is_decorator,
    is_test_node,
    weaker,
)
from repo_mcp.research.findings.records import MAX_DEPTH, Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind

FIRST_WIDTH = 6  # symbols of the first level that are followed


def drop_guesses(
    state: ResearchState, links: Sequence[Link], guessed: set[Declaration], *, upwards: bool
) -> list[Link]:
    """Return the links without redundant guesses.

    If several symbols share a name, a use of it may mean any of them. It is shown for one of them only, and
    for none if it is known which of them is meant. `guessed` holds the symbols at the other end of a guess of
    this level; this function adds to it.
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
    """Return True when the same symbol is known to use another symbol of this name."""
    name = state.get_node(guess.target).symbol.name
    return any(
        link.source == guess.source
        and link.kind == guess.kind
        and link.confidence is not Confidence.POSSIBLE
        and state.get_node(link.target).symbol.name == name
        for link in state.links.values()
    )


def follow(
    state: ResearchState, seeds: Sequence[Node], traversal: Traversal, depth: int, *, first_hop: int = 1
) -> None:
    """Note the symbols reached from the seeds, hop by hop. Raises RepoError with CANCELLED."""
    level = [node for node in seeds if state.admits(node.path)] or list(seeds)
    seen = {node.declaration for node in level}
    whole = set(seen)
    for hop in range(first_hop, depth + 1):
        width = FIRST_WIDTH if hop == 1 else traversal.width
        level.sort(key=lambda node: node.declaration not in whole)  # stable
        if len(level) > width:
            state.limit(
                f"{len(level) - width} more symbols at hop {hop} whose references were not followed",
                f"at most {width} are followed there",
            )
        reached = _take_hop(state, level[:width], traversal, hop, seen, whole)
        level, whole = reached, _list_bases(state, level) if hop == first_hop else set()
        state.report_hop(hop)
        if not level:
            return
    if depth == state.depth:
        state.limit(
            f"what {write_count(len(level), 'symbol')} at hop {depth} would lead to",
            f"depth is {depth}"
            + (f", and may be up to {MAX_DEPTH}" if depth < MAX_DEPTH else ", which is the most"),
        )


def _list_bases(state: ResearchState, nodes: Sequence[Node]) -> set[Declaration]:
    """Return the methods that some functions override or match: whoever calls one of them may mean these."""
    own = {node.declaration for node in nodes}
    links = state.links.values()
    return {link.source for link in links if link.kind in THROUGH and link.target in own}


@dataclass(frozen=True, slots=True)
class _Step:
    """One edge that a hop has found."""

    link: Link
    node: Node  # the symbol that was expanded
    rank: Rank  # what `rank_link` returns
    position: int  # of that symbol in its level


def _take_hop(
    state: ResearchState,
    level: Sequence[Node],
    traversal: Traversal,
    hop: int,
    seen: set[Declaration],
    whole: Collection[Declaration],
) -> list[Node]:
    """Expand one level and return the next: symbols that are new and sure enough."""
    steps = _find_steps(state, level, traversal, whole)
    steps.sort(key=lambda step: (step.rank, step.position))
    reached: list[Node] = []
    for step in steps:
        other = _note_link(state, step.node, step.link, traversal, hop)
        if other is not None and other.declaration not in seen:
            seen.add(other.declaration)
            reached.append(other)
    return reached


def _find_steps(
    state: ResearchState, level: Sequence[Node], traversal: Traversal, whole: Collection[Declaration]
) -> list[_Step]:
    """Return the edges of the symbols of a level, of each as many as are followed.

    Of those in `whole`, all edges are asked for: they are read further, and all that were read are kept.
    """
    many = sum(node.declaration in whole for node in level)
    wanted = max(traversal.first_fan, state.request.findings) // max(1, many)
    alone = traversal.first_fan // len(level) if traversal.upwards else 0  # few users may have many each
    steps: list[_Step] = []
    guessed: set[Declaration] = set()
    for position, node in enumerate(level):
        state.check()
        is_whole = node.declaration in whole
        fan = max(traversal.fan, wanted if is_whole else alone)
        ranked = _rank_edges(state, node, traversal, guessed, many if is_whole else 0, fan)
        steps += [_Step(link, node, rank, position) for rank, link in ranked[:fan]]
    return steps


def _rank_edges(
    state: ResearchState,
    node: Node,
    traversal: Traversal,
    guessed: set[Declaration],
    sharing: int,
    fan: int,
) -> list[tuple[Rank, Link]]:
    """Return the edges of a symbol, best first, and note what was left out beyond `fan` of them.

    `sharing` is the number of symbols that share the bounds of a first level, or 0: then less is read.
    """
    bounds = share_bounds(sharing) if sharing else NARROW
    found, read = expand_on(state, node, traversal, bounds, sharing)
    links = drop_guesses(state, sort_links(found.links, traversal), guessed, upwards=traversal.upwards)
    ranked = [(rank_link(state, link, traversal), link) for link in links]
    ranked.sort(key=itemgetter(0))  # stable
    ranked = [one for one in ranked if not _is_bare_import(one[1], links)] if traversal.upwards else ranked
    sure = [(rank, link) for rank, link in ranked if link.confidence is not Confidence.POSSIBLE]
    is_guess = state.confidences.get(node.declaration, Confidence.EXACT) is Confidence.POSSIBLE
    if not sharing and (is_guess or sure):  # beside what is sure, a guess at a later hop is noise
        ranked = sure
    if sharing:
        state.known_links[node.declaration] = [link for _, link in ranked]
    _note_cut(state, node, found, read, len(ranked) - fan, fan)
    if traversal.upwards and len(ranked) > fan:
        ranked = spread(ranked)
    if traversal.finds_entries and not found.cut:
        _note_entry(state, node, [link for _, link in ranked])
    return ranked


def _is_bare_import(link: Link, links: Sequence[Link]) -> bool:
    """Return True for an import of a symbol into a file that uses it otherwise: that alone says enough.

    A list in its own file of what others may import from there counts as one.
    """
    if link.kind != "imports" or link.source.ordinal:
        return False
    return link.source.path == link.target.path or any(
        one.source.path == link.source.path and one.kind != "imports" for one in links
    )


def _note_cut(
    state: ResearchState, node: Node, found: HopFindings, bounds: Bounds, left: int, fan: int
) -> None:
    if found.cut:
        note_unread(state, node.qualified_name, bounds)
    if left > 0:
        state.limit("edges", f"at most {fan} per symbol are shown", f"{node.qualified_name} ({left} more)")


def _note_link(state: ResearchState, node: Node, link: Link, traversal: Traversal, hop: int) -> Node | None:
    """Note an edge and the symbol at its other end. Return the symbol; None if it is not to be followed."""
    other = state.get_node(link.source if traversal.upwards else link.target)
    link = _name_decoration(state, link, other) if traversal.upwards else link
    confidence = weaker(state.confidences.get(node.declaration, Confidence.EXACT), link.confidence)
    lines = link.lines if traversal.upwards else ()
    reason = explain(link, node, traversal, _read_lines(state, link))
    state.add(other, reason, hop, confidence, lines)
    if other.declaration not in state.nodes:
        return None
    state.link(link)
    is_guess = link.confidence is Confidence.POSSIBLE and link.kind not in THROUGH
    return None if is_guess or other.symbol.kind is SymbolKind.FILE else other


def _read_lines(state: ResearchState, link: Link) -> list[str]:
    """Return the lines of an edge, or none of one that only a list of a file tells."""
    lines = state.source.read_lines(link.source.path) if link.kind == "references" else ()
    return [lines[at - 1] for at in link.lines if at <= len(lines)]


def _note_entry(state: ResearchState, node: Node, links: Sequence[Link]) -> None:
    """Note a symbol that nothing leads to as an entry point."""
    if any(link.kind != NAMES_TYPE for link in links) or node.declaration not in state.nodes:
        return
    if is_test_node(node):
        state.enter(node, "a test")
    elif node.symbol.kind in CALLABLE_KINDS:
        state.enter(node, "no call of it was found in the repository")


def _name_decoration(state: ResearchState, link: Link, other: Node) -> Link:
    """Return a call as `decorated_by` when all its lines begin a decorator, and any other link unchanged."""
    is_head = link.kind == "calls" and link.lines and link.lines[-1] < other.symbol.start_line + HEAD_LINES
    if is_head and all(is_decorator(state.source.read_lines(other.path), line) for line in link.lines):
        return replace(link, kind="decorated_by")
    return link
