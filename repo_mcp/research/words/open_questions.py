"""Connect the declarations that a question's words find, by callers and callees, hop by hop.

Calls are followed from each seed in both directions. Symbols linked to most of the seeds, or with words of
the question in their names, come first. Few of them answer anything: unless a depth is asked for, one hop is
followed, for what it tells of the seeds.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.record_classes import replace
from repo_mcp.research.edges.edge_reasons import explain
from repo_mcp.research.edges.link_order import sort_links
from repo_mcp.research.edges.traversals import CALLEES, CALLERS, Traversal
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.locating import is_test_node, weaker
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState, relocate
from repo_mcp.research.question.asked_words import MAX_WORDS
from repo_mcp.research.seeds.rated_seeds import MANY_USERS
from repo_mcp.symbols.symbol_record import TYPE_KINDS
from repo_mcp.text.question_words import list_words, shares_word
from repo_mcp.text.roles import is_side_file

REACHED = 10  # symbols noted at each hop
LINK_FAN = 16  # edges followed from one symbol in each direction


def connect(state: ResearchState, seeds: Sequence[Node], text: str) -> None:
    """Follow calls from the seeds in both directions, and note the symbols that connect them."""
    words = list_words(text)[:MAX_WORDS]
    level = list(seeds)
    for hop in range(1, state.depth + 1):
        links: dict[Declaration, list[tuple[Link, Node, Traversal]]] = {}
        for node in level:
            state.check()
            for traversal in (CALLEES, CALLERS):
                expanded = traversal.expand(state, node, NARROW).links
                if hop > 1 and traversal.upwards and len(expanded) > MANY_USERS:
                    continue  # a general function says nothing about those that use it
                found = sort_links(expanded, traversal)[:LINK_FAN]
                for link in _name_members(state, found, node, traversal):
                    if link.confidence is not Confidence.POSSIBLE:
                        other = link.source if traversal.upwards else link.target
                        links.setdefault(other, []).append((link, node, traversal))
        level = _note_reached(state, level, links, words, hop)
        state.report_hop(hop)
        if not level:
            break


def _name_members(
    state: ResearchState, links: Sequence[Link], node: Node, traversal: Traversal
) -> list[Link]:
    """Return links that name the calling symbol: the calls of a type become those of its methods."""
    if traversal.upwards or node.symbol.kind not in TYPE_KINDS:
        return list(links)
    return [
        replace(link, source=holder, lines=lines, count=0)
        for link in links
        for holder, lines in relocate(state, link.source, link.lines)
    ]


def _rank_reached(
    state: ResearchState,
    level: Sequence[Node],
    links: dict[Declaration, list[tuple[Link, Node, Traversal]]],
    words: Sequence[str],
) -> list[Declaration]:
    """Return the symbols that were reached and are not noted yet, the best first."""
    order = {node: number for number, node in enumerate(level)}

    def rank(declaration: Declaration) -> tuple[bool, int, int, str, int]:
        node, own = state.get_node(declaration), links[declaration]
        joined = len({one.declaration for _, one, _ in own}) + 2 * shares_word(node.symbol.name, words)
        nearest = min(order[one] for _, one, _ in own)  # reached from a better fit
        is_aside = is_test_node(node) or is_side_file(declaration.path)
        return is_aside, -joined, nearest, declaration.path, declaration.ordinal

    new = (one for one in links if one not in state.nodes and one.ordinal and state.admits(one.path))
    return sorted(new, key=rank)


def _note_reached(
    state: ResearchState,
    level: Sequence[Node],
    links: dict[Declaration, list[tuple[Link, Node, Traversal]]],
    words: Sequence[str],
    hop: int,
) -> list[Node]:
    """Note the best symbols that were reached, and every edge between noted symbols."""
    new = _rank_reached(state, level, links, words)
    if len(new) > REACHED:
        state.limit(
            f"{len(new) - REACHED} more symbols at hop {hop}", f"the {REACHED} most connected are shown"
        )
    reached = []
    for declaration in new[:REACHED]:
        link, node, traversal = links[declaration][0]
        confidence = weaker(state.confidences.get(node.declaration, Confidence.EXACT), link.confidence)
        other = state.get_node(declaration)
        near = state.get_node(link.target if traversal.upwards else link.source)
        if state.add(
            other, explain(link, near, traversal), hop, confidence, link.lines if traversal.upwards else ()
        ):
            reached.append(other)
    for declaration, own in links.items():
        if declaration in state.nodes:
            for link, _, _ in own:
                state.link(link)
    return reached
