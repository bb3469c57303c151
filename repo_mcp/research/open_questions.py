"""Answer questions in words: what the words find in names and in text, and what connects it.

Two searches are joined, one over declared names and one over the text, and the symbols they find are the
seeds. Calls are followed from each seed in both directions. Symbols linked to most of the seeds, or with
words of the question in their names, come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program.program import Confidence, Declaration
from repo_mcp.graph.questions import SymbolFilter
from repo_mcp.model import Hit
from repo_mcp.research.configured import build_hit_address, choose_line
from repo_mcp.research.fitting import DECIMALS, Fit, fit_all, list_words, shares_word
from repo_mcp.research.hops import CALLEES, CALLERS, Way, explain, sort_links
from repo_mcp.research.locating import find_innermost, is_test_place, rank_role, weaker
from repo_mcp.research.records import Link
from repo_mcp.research.research_state import ResearchState, relocate, search_words
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag
from repo_mcp.text.roles import FileRole, find_role

TEXT_HITS, NAME_HITS = 50, 48
FOLDER_NAME_HITS = 400  # more, because hits outside of the folder are left out afterwards
SEEDS = 8
MAX_WORDS = 32  # of a question
NO_WORD = "The question has no word to search for."
LEAST_SHARE = 0.4  # of the points of the best symbol, to be a seed
MAX_DOCUMENTS = 3  # hits in documents that are noted
REACHED = 10  # symbols noted at each hop
HIT_POINTS, HIT_RANK = 4.0, 8.0  # a hit of the text search adds HIT_POINTS / (HIT_RANK + rank)
MAX_CANDIDATES = 300
BOUNDS = Bounds(files=30, references=120)
LINK_FAN = 16
_WANTED = CALLABLE_KINDS | TYPE_KINDS
_ABOUT_TESTS = frozenset({"test", "tests", "tested", "testing"})


def find_seeds(state: ResearchState, text: str) -> list[Node]:
    """Note the symbols that a question in words is most about, and a few hits in documents."""
    words = _choose_words(state, text)
    if not words:
        state.warnings.append(NO_WORD)
    wants_tests = not _ABOUT_TESTS.isdisjoint(word.lower() for word in words)
    hits = search_words(state, " ".join(words), TEXT_HITS, include_tests=wants_tests)
    extra: dict[Declaration, float] = {}
    for rank, hit in enumerate(hits):
        for declaration in _list_inside(state, hit):
            extra.setdefault(declaration, HIT_POINTS / (HIT_RANK + rank))
    most = NAME_HITS if not state.request.folder else FOLDER_NAME_HITS
    named = state.graph.search(" ".join(words), SymbolFilter(), most)
    declarations = [*dict.fromkeys([*extra, *(node.declaration for node, _ in named)])][:MAX_CANDIDATES]
    nodes = [state.get_node(declaration) for declaration in declarations]
    nodes = drop_prototypes([node for node in nodes if _is_wanted(state, node, wants_tests)])
    fits = fit_all(state.source, nodes, words)

    def rank_node(node: Node) -> tuple[float, str, int]:
        points = fits[node].points + extra.get(node.declaration, 0.0)
        return -round(points, DECIMALS), node.path, node.symbol.ordinal

    best = max((fit.points for fit in fits.values()), default=0.0)
    fitting = [node for node in nodes if fits[node].points > LEAST_SHARE * best]
    seeds = sorted(fitting, key=rank_node)[:SEEDS]
    for node in seeds:
        state.add(node, _say_fit(fits[node]), 0, Confidence.PROBABLE)
    _note_documents(state, hits)
    state.tell(0.5, f"{len(seeds)} symbols fit the words")
    return seeds


def _choose_words(state: ResearchState, text: str) -> list[str]:
    """Return at most MAX_WORDS words of a question: each is compared with every candidate's text."""
    words = list_words(text)
    if len(words) > MAX_WORDS:
        state.limit(
            f"{len(words) - MAX_WORDS} words of the question", f"the first {MAX_WORDS} are looked for"
        )
    return words[:MAX_WORDS]


def drop_prototypes(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes without prototypes whose definition is among them."""
    defined = {node.symbol.name for node in nodes if not node.symbol.flags & SymbolFlag.FORWARD}
    return [
        node for node in nodes if not (node.symbol.flags & SymbolFlag.FORWARD and node.symbol.name in defined)
    ]


def _say_fit(fit: Fit) -> str:
    said = []
    if fit.in_name:
        said.append(f"its name or path has words like {', '.join(fit.in_name)}")
    if fit.in_text:
        said.append(f"its text has words like {', '.join(fit.in_text)}")
    return "; ".join(said)


def _is_wanted(state: ResearchState, node: Node, wants_tests: bool) -> bool:
    if node.symbol.kind not in _WANTED or not state.admits(node.path):
        return False
    return wants_tests or not is_test_place(node.path)


def _list_inside(state: ResearchState, hit: Hit) -> list[Declaration]:
    """Return the symbol around the best line of a hit, then the functions and types that begin in it."""
    record = state.graph.scan.find_record(hit.path)
    if record is None:
        return []
    starts = record.starts
    first, last = hit.chunk_lines
    begun = np.flatnonzero((starts >= first) & (starts <= last))
    around = find_innermost(record, choose_line(hit))
    ordinals = [around, *begun.tolist()]
    return [
        Declaration(hit.path, ordinal)
        for ordinal in ordinals
        if ordinal and int(record.kinds[ordinal]) in _WANTED
    ]


def _note_documents(state: ResearchState, hits: Sequence[Hit]) -> None:
    documents = [hit for hit in hits if find_role(hit.path) is FileRole.DOCS]
    unparsed = [hit for hit in documents if state.graph.find_status(hit.path) is None]
    for hit in unparsed[:MAX_DOCUMENTS]:
        state.add_place(build_hit_address(state, hit, "documentation with these words", 0))


def connect(state: ResearchState, seeds: Sequence[Node], text: str, first_hop: int = 1) -> None:
    """Follow calls from the seeds in both directions, and note the symbols that connect them."""
    words = _choose_words(state, text)
    level = list(seeds)
    for hop in range(first_hop, state.depth + 1):
        links: dict[Declaration, list[tuple[Link, Node, Way]]] = {}
        for node in level:
            state.check()
            for way in (CALLEES, CALLERS):
                found = sort_links(way.expand(state, node, BOUNDS).links, way)[:LINK_FAN]
                for link in _name_members(state, found, node, way):
                    if link.confidence is not Confidence.POSSIBLE:
                        other = link.source if way.upwards else link.target
                        links.setdefault(other, []).append((link, node, way))
        level = _note_reached(state, level, links, words, hop)
        state.tell_hop(hop)
        if not level:
            break


def _name_members(state: ResearchState, links: Sequence[Link], node: Node, way: Way) -> list[Link]:
    """Return links that name the calling symbol: the calls of a type become those of its methods."""
    if way.upwards or node.symbol.kind not in TYPE_KINDS:
        return list(links)
    return [
        replace(link, source=holder, lines=lines, count=0)
        for link in links
        for holder, lines in relocate(state, link.source, link.lines)
    ]


def _note_reached(
    state: ResearchState,
    level: Sequence[Node],
    links: dict[Declaration, list[tuple[Link, Node, Way]]],
    words: Sequence[str],
    hop: int,
) -> list[Node]:
    """Note the best symbols that were reached, and every edge between noted symbols."""

    order = {node: number for number, node in enumerate(level)}

    def rank(declaration: Declaration) -> tuple[bool, bool, int, int, int, str, int]:
        node = state.get_node(declaration)
        shared = shares_word(node.symbol.name, words)
        joined = len({one.declaration for _, one, _ in links[declaration]})
        joined += hop > 1 and any(shares_word(one.symbol.name, words) for _, one, _ in links[declaration])
        calls = hop == 1 and any(way.upwards for _, _, way in links[declaration])  # calls a seed
        return (
            is_test_place(declaration.path),
            all(link.kind == "references" for link, _, _ in links[declaration]),
            -(joined + 2 * shared + calls),
            rank_role(declaration.path),
            min(order[one] for _, one, _ in links[declaration]),  # reached from a better fit
            declaration.path,
            declaration.ordinal,
        )

    new = [
        declaration
        for declaration in links
        if declaration not in state.nodes and declaration.ordinal and state.admits(declaration.path)
    ]
    ranks = {declaration: rank(declaration) for declaration in new}
    new.sort(key=ranks.__getitem__)
    if len(new) > REACHED:
        state.limit(
            f"{len(new) - REACHED} more symbols at hop {hop}", f"the {REACHED} most connected are shown"
        )
    reached = []
    for declaration in new[:REACHED]:
        link, node, way = links[declaration][0]
        confidence = weaker(state.get_confidence(node.declaration), link.confidence)
        other = state.get_node(declaration)
        near = state.get_node(link.target if way.upwards else link.source)
        if state.add(other, explain(link, near, way), hop, confidence, link.lines if way.upwards else ()):
            reached.append(other)
    for declaration, own in links.items():
        if declaration in state.nodes:
            for link, _, _ in own:
                state.link(link)
    return reached
