"""Find the tests of a symbol: those that use it, have its name or use what uses it, and files named after it.

Tests that use the symbol itself come first, or that import a file which is asked about. What is only possible
is neither shown nor followed, and of the tests that use a property which uses it, few are shown: they may use
it for something else. Left out: which of them fail if the symbol does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.research.edges.edge_reasons import explain
from repo_mcp.research.edges.importing_tests import note_importing
from repo_mcp.research.edges.link_order import sort_links
from repo_mcp.research.edges.naming_tests import strip_mark
from repo_mcp.research.edges.read_edges import expand_on, lacks_uses, note_unread, share_bounds
from repo_mcp.research.edges.traversals import CALLERS, DEPENDENTS, WIDTH
from repo_mcp.research.edges.written_in_tests import (
    describe_titled,
    describe_writing,
    note_titled,
    note_writing,
)
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import join_names, name_briefly, name_findings
from repo_mcp.research.findings.locating import is_test, is_test_place, weaker
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.phrase_names import fold_signs
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind

MOST_NAMED = 3  # files named after it
MOST_ALIKE = 12  # files of tests that are called alike: more say nothing, as `index.js` does
MOST_BY_PROPERTY = 3  # tests that use a property which uses the subject


def note_tests(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the tests of symbols, the nearest first. Raises RepoError with CANCELLED."""
    seen = {node.declaration for node in nodes}
    level = list(nodes)
    for hop in range(1, state.depth + 1):
        if len(level) > WIDTH:
            state.limit(
                f"{len(level) - WIDTH} more symbols at hop {hop} whose tests were not looked for",
                f"at most {WIDTH} are followed there",
            )
        users: list[Node] = []
        for node in level[:WIDTH]:
            users += _note_users(state, node, hop, is_first=hop == 1, many=len(level))
        level = [node for node in dict.fromkeys(users) if node.declaration not in seen]
        seen |= {node.declaration for node in level}
        if hop == 1:
            is_used = any(one.hop for one in state.findings)
            note_importing(state, () if is_used else nodes)
            note_titled(state, nodes)
            if not is_used or all(node.symbol.kind in VALUE_KINDS for node in nodes):
                note_writing(state, nodes)
        state.report_hop(hop)
    _note_named_after(state, nodes)


def _note_users(state: ResearchState, node: Node, hop: int, *, is_first: bool, many: int) -> list[Node]:
    """Note the tests that use a symbol. Return its other users."""
    state.check()
    traversal = CALLERS if node.symbol.kind in CALLABLE_KINDS else DEPENDENTS
    bounds, subjects = (share_bounds(many), many) if is_first else (NARROW, 0)
    found, read = expand_on(state, node, traversal, bounds, subjects, tests=True)
    if found.cut and is_first:
        note_unread(state, node.qualified_name, read)
    own = state.confidences.get(node.declaration, Confidence.EXACT)
    others = []
    for link in sort_links(found.links, traversal):
        other = state.get_node(link.source)
        if link.confidence is Confidence.POSSIBLE:
            continue
        if not is_test(other.path, other.qualified_name):
            others.append(other)
        elif link.kind != "imports" or other.symbol.kind is not SymbolKind.FILE:  # which says less than a use
            reason = explain(link, node, traversal)
            if hop > 1 and _gives_several(node):
                if sum(one.role is Role.BY_PROPERTY for one in state.findings) >= MOST_BY_PROPERTY:
                    continue
                reason = Reason(reason.text, Role.BY_PROPERTY, node.qualified_name)
            if state.add(other, reason, hop, weaker(own, link.confidence), link.lines):
                state.link(link)
    return others


def _gives_several(node: Node) -> bool:
    """Return True for what may be used for something else: a property, a module, a value of several lines."""
    is_long = node.symbol.end_line > node.symbol.start_line
    is_several = node.symbol.kind in (SymbolKind.PROPERTY, SymbolKind.MODULE)
    return is_several or (is_long and node.symbol.kind in VALUE_KINDS)


def _note_named_after(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the files of tests that are named after the file of a symbol, or after a type."""
    named = {strip_mark(node.path) for node in nodes} | {fold_signs(node.symbol.name) for node in nodes}
    known, endings = {one.path for one in state.findings}, tuple({_end(node.path) for node in nodes})
    paths = [path for path in state.graph.scan.list_paths("") if path.endswith(endings)]
    tests = [path for path in paths if is_test_place(path) and path not in known]
    alike = Counter(map(strip_mark, tests))
    telling = {name for name in named if alike[name] <= MOST_ALIKE}
    for path in [path for path in tests if strip_mark(path) in telling][:MOST_NAMED]:
        file = state.source.find_file(path)
        if file is not None:
            reason = Reason(f"is named after {nodes[0].symbol.name} or its file", Role.NAMED_AFTER)
            state.add(file, reason, 1, Confidence.PROBABLE)


def _end(path: str) -> str:
    return path[path.rfind(".") :]


def _name_classes(state: ResearchState, tests: Sequence[Finding]) -> list[str]:
    """Return the names of tests with their citations, in place of several of one class that class."""
    around = [None if one.node is None else _find_class(state, one.node) for one in tests]
    counts = Counter(around)
    return [
        name_briefly(owner) if owner is not None and counts[owner] > 1 else name_findings([one])
        for one, owner in zip(tests, around, strict=True)
    ]


def _find_class(state: ResearchState, node: Node) -> Node | None:
    """Return the class in which a test is declared, or which it is."""
    around = node if node.symbol.kind in TYPE_KINDS else state.get_parent(node)
    return around if around.symbol.kind in TYPE_KINDS else None


def describe_tests(state: ResearchState, nodes: Sequence[Node]) -> str:
    """Return which tests use symbols, which reach them, and which files are named after theirs."""
    subjects = join_names(dict.fromkeys(map(name_briefly, nodes)))
    named = [one for one in state.findings if one.role is Role.NAMED_AFTER]
    by_name = [one for one in state.findings if one.role in (Role.TITLED, Role.WRITES_NAME)]
    weak = [one for one in state.findings if one.role is Role.BY_PROPERTY]
    tests = [one for one in state.findings if one.hop and one not in (*named, *by_name, *weak)]
    direct = [one for one in tests if one.hop == 1]
    lacks = lacks_uses(state, [node.qualified_name for node in nodes])
    users = join_names(_name_classes(state, direct), at_least=lacks)
    sentences = [f"{subjects} {'is' if len(nodes) == 1 else 'are'} used by {users}."]
    if not direct:
        so_far = "So far no" if state.source.is_partial else "No"
        themselves = "itself" if len(nodes) == 1 else "themselves"
        read = " that was read" if lacks else ""
        sentences = [f"{so_far} test{state.inside}{read} is known to use {subjects} {themselves}."]
        sentences.insert(0, describe_titled(by_name))
    else:
        sentences.append(describe_titled(by_name))
    sentences.append(describe_writing(by_name))
    further = [one for one in tests if one not in direct]
    if further:
        sentences.append(f"Indirectly, it is used by {join_names(_name_classes(state, further))}.")
    if weak:
        through = join_names(dict.fromkeys(one.reason.about for one in weak))
        sentences.append(
            f"Others use {through}, perhaps for something else: {join_names(_name_classes(state, weak))}."
        )
    if named:
        sentences.append(f"Files named after it: {join_names(one.path for one in named)}.")
    return " ".join(filter(None, sentences))
