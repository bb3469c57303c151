"""Follow edges level by level, with a fixed number of symbols at each level.

A path is only as sure as its weakest edge. Edges that are only possible are shown but not followed further,
because what a guess leads to is noise. Within a level, symbols outside tests come first, then the surest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter

from repo_mcp.graph.bulk_scan import HEAD_LINES
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.edges.structural import MATCHED
from repo_mcp.research.edges.traversals import CALLS_BY_LOCAL, NAMES_TYPE, THROUGH, HopFindings, Traversal
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import shorten, shorten_in, write_count
from repo_mcp.research.findings.locating import (
    CONFIDENCES,
    count_shared_folders,
    is_decorator,
    is_test_node,
    is_test_place,
    weaker,
)
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import MAX_DEPTH, Link
from repo_mcp.research.findings.research_state import MAX_EVIDENCE, ResearchState
from repo_mcp.research.question.phrase_names import split_parts
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.question_words import shares_word
from repo_mcp.text.roles import FileRole, find_role

FIRST_WIDTH = 6  # symbols of the first level that are followed
WIDE = Bounds(files=140, references=500)  # shared by all symbols of the first level
WHOLE = Bounds(files=400, references=6_000)  # shared, too, where those of WIDE show no user: 0.4 s
UNREAD = "further uses"
HELPING_FILES = 8  # that use the name of what helps everywhere
FOLDER_PARTS = 2  # of a path, by which users are spread if they are more than are shown
LEAST_FILES, LEAST_REFERENCES = 60, 240  # for each symbol of the first level, however many share WIDE

_Rank = tuple[int, int, int]  # what `_rank_link` returns


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


def _spread(ranked: Sequence[tuple[_Rank, Link]]) -> list[tuple[_Rank, Link]]:
    """Return the links of users of many folders, of each rank in turns one of each folder.

    The nearest ones alone would tell little of who uses a name that all do.
    """
    met: Counter[tuple[_Rank, str]] = Counter()
    turns = []
    for rank, link in ranked:
        folder = "/".join(link.source.path.split("/")[:-1][:FOLDER_PARTS])
        turns.append(met[rank, folder])
        met[rank, folder] += 1
    order = sorted(range(len(ranked)), key=lambda at: (ranked[at][0], turns[at]))  # stable
    return [ranked[at] for at in order]


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
    rank: _Rank  # what `_rank_link` returns
    position: int  # of that symbol in its level


def _take_hop(
    state: ResearchState,
    level: Sequence[Node],
    traversal: Traversal,
    hop: int,
    seen: set[Declaration],
    whole: Collection[Declaration],
) -> list[Node]:
    """Expand one level and return the next: symbols that are new and sure enough.

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
        bounds = share_bounds(many) if is_whole else NARROW
        fan = max(traversal.fan, wanted if is_whole else alone)
        found, read = expand_on(state, node, traversal, bounds, many if is_whole else 0)
        links = drop_guesses(state, sort_links(found.links, traversal), guessed, upwards=traversal.upwards)
        ranked = [(_rank_link(state, link, traversal), link) for link in links]
        ranked.sort(key=itemgetter(0))  # stable
        sure = [(rank, link) for rank, link in ranked if link.confidence is not Confidence.POSSIBLE]
        is_guess = state.confidences.get(node.declaration, Confidence.EXACT) is Confidence.POSSIBLE
        if not is_whole and (is_guess or sure):  # beside what is sure, a guess at a later hop is noise
            ranked = sure
        if is_whole:
            state.known_links[node.declaration] = [link for _, link in ranked]
        _note_cut(state, node, found, read, len(ranked) - fan, fan)
        if traversal.upwards and len(ranked) > fan:
            ranked = _spread(ranked)
        if traversal.finds_entries and not found.cut:
            _note_entry(state, node, [link for _, link in ranked])
        steps += [_Step(link, node, rank, position) for rank, link in ranked[:fan]]
    steps.sort(key=lambda step: (step.rank, step.position))
    reached: list[Node] = []
    for step in steps:
        other = _note_link(state, step.node, step.link, traversal, hop)
        if other is not None and other.declaration not in seen:
            seen.add(other.declaration)
            reached.append(other)
    return reached


def expand_on(
    state: ResearchState,
    node: Node,
    traversal: Traversal,
    bounds: Bounds,
    subjects: int,
    *,
    tests: bool = False,
) -> tuple[HopFindings, Bounds]:
    """Return the edges of a symbol, and the bounds within which its references were read.

    If the bounds end before a sure user was found, in a test or outside of tests, more is read: nearer files
    may use a common name often and mean other symbols. That is done for a first level, of so many symbols;
    with 0 never.
    """
    found = traversal.expand(state, node, bounds)
    is_known = any(
        link.confidence is not Confidence.POSSIBLE
        and link.kind not in THROUGH
        and is_test_node(state.get_node(link.source)) is tests
        for link in found.links
    )
    if not found.cut or is_known or not subjects or not traversal.upwards:
        return found, bounds
    wider = Bounds(WHOLE.files // subjects, WHOLE.references // subjects)
    if wider.references <= bounds.references:
        return found, bounds
    return traversal.expand(state, node, wider), wider


def lacks_uses(state: ResearchState, names: Iterable[str]) -> bool:
    """Return whether not all references to one of some qualified names were read."""
    unread = {name for (what, _), noted in state.limits.items() if what == UNREAD for name in noted}
    return not unread.isdisjoint(names)


def note_unread(state: ResearchState, name: str, bounds: Bounds) -> None:
    """Note that a symbol may have more uses than those within the bounds."""
    state.limit(
        UNREAD,
        f"of a name used this often, {bounds.references:,} references in {bounds.files} files are read",
        name,
    )


def _rank_link(state: ResearchState, link: Link, traversal: Traversal) -> _Rank:
    """Return a sort key: program before examples and benchmarks, then tests; then by confidence and kind.

    A caller of the same name in another file counts as a use: it wraps what it calls, for another package.
    What is called everywhere for other things comes after what is called for this one.
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
    """Return True for what many files use, in another folder or file and with another subject by its name."""
    if other.path == own.path or state.graph.name_uses.count_using(other.symbol.name) < HELPING_FILES:
        return False
    return not shares_word(shorten(other.qualified_name), split_parts(shorten(own.qualified_name)))


def _rank_kind(link: Link, traversal: Traversal) -> int:
    """Return the rank of an edge's kind: uses after calls, imports last.

    An importer usually also uses the symbol, and that use says more.
    """
    return 2 if link.kind == "imports" else int(traversal.upwards and link.kind == "references")


def _note_cut(
    state: ResearchState, node: Node, found: HopFindings, bounds: Bounds, left: int, fan: int
) -> None:
    if found.cut:
        note_unread(state, node.qualified_name, bounds)
    if left > 0:
        state.limit("edges", f"at most {fan} per symbol are shown", f"{node.qualified_name} ({left} more)")


def share_bounds(subjects: int) -> Bounds:
    """Return the bounds for each symbol of a first level with so many symbols."""
    subjects = max(1, subjects)
    return Bounds(
        max(LEAST_FILES, WIDE.files // subjects), max(LEAST_REFERENCES, WIDE.references // subjects)
    )


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


def _note_link(state: ResearchState, node: Node, link: Link, traversal: Traversal, hop: int) -> Node | None:
    """Note an edge and the symbol at its other end. Return the symbol; None if it is not to be followed."""
    other = state.get_node(link.source if traversal.upwards else link.target)
    link = _name_decoration(state, link, other) if traversal.upwards else link
    confidence = weaker(state.confidences.get(node.declaration, Confidence.EXACT), link.confidence)
    lines = link.lines if traversal.upwards else ()
    reason = explain(link, node, traversal)
    state.add(other, reason, hop, confidence, lines)
    if other.declaration not in state.nodes:
        return None
    state.link(link)
    is_guess = link.confidence is Confidence.POSSIBLE and link.kind not in THROUGH
    return None if is_guess or other.symbol.kind is SymbolKind.FILE else other


_WORDS = {
    "calls": ("calls {}", "called by {}"),
    "inherits": ("inherits from {}", "base of {}"),
    "implements": ("implements {}", "implemented by {}"),
    "extends": ("extends {}", "extended by {}"),
    "imports": ("imports {}", "imported by {}"),
    "overrides": ("overrides {}", "overridden by {}"),
    "references": ("mentions {} as a value or type", "mentioned by {}"),
    "accepts": ("takes {} as a parameter", "type of a parameter of {}"),
    CALLS_BY_LOCAL: ("calls {} by a local name", "called by {} by a local name"),
    NAMES_TYPE: ("mentions the type of {}, and may have it created", "its type is mentioned by {}"),
    "contains": ("declares {} inside itself", "declared inside {}"),
    "decorated_by": ("is decorated with {}", "decorates {}"),
    "overridden_by": ("is overridden by {}, which its callers may reach", "overrides {}"),
    MATCHED: ("has the name and parameters of {}, which its callers may reach in a module", "matches {}"),
    "conforms_by_extension": ("conforms to {} by an extension", "conformed to by {}"),
    "has_methods_of": ("has all the methods of {}", "{} has all its methods"),
    "extension_of": ("is an extension of {}", "extended by {}"),
}


_UPWARD_ROLES = {
    "references": Role.MENTIONS,
    NAMES_TYPE: Role.MENTIONS,
    "contains": Role.HOLDS,
    "overridden_by": Role.OVERRIDDEN,
    MATCHED: Role.OVERRIDDEN,
    "conforms_by_extension": Role.BY_EXTENSION,
}


def find_upward_role(link: Link) -> Role:
    """Return the role of what depends on a symbol by an edge."""
    return _UPWARD_ROLES.get(link.kind, Role.OTHER)


def explain(link: Link, node: Node, traversal: Traversal) -> Reason:
    """Return why the symbol at the other end of an edge was found from `node`."""
    upward, downward = _WORDS.get(link.kind, (f"{link.kind} {{}}", f"{link.kind} of {{}}"))
    if link.kind == "references" and node.symbol.kind in CALLABLE_KINDS:
        upward = "mentions {} as a value, and may cause it to be called"
    text = (upward if traversal.upwards else downward).format(shorten_in(node.path, node.qualified_name))
    text += f", on {link.line_count} lines" if link.line_count > MAX_EVIDENCE else ""
    text += "" if link.confidence is Confidence.EXACT else f" ({link.confidence.value})"
    role = find_upward_role(link) if traversal.upwards else Role.DEPENDED_ON
    return Reason(text, role, node.qualified_name)


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
