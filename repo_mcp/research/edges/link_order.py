"""Put the edges of a symbol in an order: the program before tests, the surest first, then the nearest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.traversals import Traversal
from repo_mcp.research.findings.citing import shorten
from repo_mcp.research.findings.locating import CONFIDENCES, count_shared_folders, is_test_node, is_test_place
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import split_parts
from repo_mcp.text.question_words import shares_word
from repo_mcp.text.roles import FileRole, find_role

HELPING_FILES = 8  # that use a name, if it is that of a helper
FOLDER_PARTS = 2  # of a path, which make the folder among which users are spread
Rank = tuple[int, int, int]  # what `rank_link` returns


def spread(ranked: Sequence[tuple[Rank, Link]]) -> list[tuple[Rank, Link]]:
    """Return the links, those of one rank with a user from each folder in turn.

    Of a name that is used everywhere, the nearest users alone would tell little.
    """
    met: Counter[tuple[Rank, str]] = Counter()
    turns = []
    for rank, link in ranked:
        folder = "/".join(link.source.path.split("/")[:-1][:FOLDER_PARTS])
        turns.append(met[rank, folder])
        met[rank, folder] += 1
    order = sorted(range(len(ranked)), key=lambda at: (ranked[at][0], turns[at]))  # stable
    return [ranked[at] for at in order]


def rank_link(state: ResearchState, link: Link, traversal: Traversal) -> Rank:
    """Return a sort key: program before examples and benchmarks, then tests; then by confidence and kind.

    A caller of the same name in another file counts as a use: it wraps what it calls, for another package.
    A helper that is called everywhere comes after what is called for this symbol.
    """
    other, own = (
        state.get_node(one) for one in (link.source, link.target)[:: 1 if traversal.upwards else -1]
    )
    wraps = other.symbol.name == own.symbol.name and other.path != own.path
    is_lesser = wraps if traversal.upwards else is_helper(state, other, own)
    kind = max(_rank_kind(link, traversal), int(is_lesser))
    place = 2 if is_test_node(other) else int(find_role(other.path) is FileRole.DOCS)
    return place, CONFIDENCES[link.confidence], kind


def is_helper(state: ResearchState, other: Node, own: Node) -> bool:
    """Return True for what many files use, in another file and without a word of the subject's name."""
    if other.path == own.path or state.graph.name_uses.count_using(other.symbol.name) < HELPING_FILES:
        return False
    return not shares_word(shorten(other.qualified_name), split_parts(shorten(own.qualified_name)))


def _rank_kind(link: Link, traversal: Traversal) -> int:
    """Return the rank of an edge's kind: uses after calls, imports last.

    An importer usually also uses the symbol, and that use says more.
    """
    return 2 if link.kind == "imports" else int(traversal.upwards and link.kind == "references")


def sort_links(links: Sequence[Link], traversal: Traversal) -> list[Link]:
    """Sort links: outside of tests first, then the surest, then the nearest, then by path and ordinal."""

    def rank(link: Link) -> tuple[bool, int, int, int, str, int, str]:
        other, own = (link.source, link.target) if traversal.upwards else (link.target, link.source)
        return (
            is_test_place(other.path),
            CONFIDENCES[link.confidence],
            _rank_kind(link, traversal),
            -count_shared_folders(other.path, own.path),
            other.path,
            other.ordinal,
            link.kind,
        )

    return sorted(links, key=rank)
