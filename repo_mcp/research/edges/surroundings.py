"""List what surrounds the best findings, in groups: implementers, callers, tests, examples, documentation.

Findings are not named again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from repo_mcp.documentation.records import DocsHit, DocsRequest
from repo_mcp.graph.edges import Edges
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTATIONS
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.citing import name_briefly
from repo_mcp.research.findings.locating import is_aside, is_program, is_test_node, is_test_place
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import IMPLEMENTERS, Form, Group, Reading
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.citations import write_citation

AROUND = 3  # best findings whose surroundings are listed
MAX_IMPLEMENTERS = 16
MAX_PLACES = 5  # of one group
MAX_TESTS = 2  # of what words found: the findings need the room more
_WITH_FEW_TESTS = frozenset({Form.OPEN, Form.ERRORS, Form.EXTENSION, Form.DIFFERENCE})
_UNGROUPED = frozenset({Form.OVERVIEW, Form.FLOW, Form.CONFIGURED, Form.TESTS})
_WITHOUT_CALLERS = frozenset({Form.CALLERS, Form.RAISED, Form.CALLEES})  # found already, or not asked for
# Where it is asked how to add one of a kind: what others derive from, and what is given one.
_BASES, _TAKING = frozenset({Role.BASE, Role.INNER_BASE}), frozenset({Role.REGISTERS, Role.TAKES_ONE})
_SHAPED = re.compile(r"[a-z0-9][A-Z]|\w_\w")  # camelCase, snake_case


def gather_groups(state: ResearchState, reading: Reading) -> tuple[Group, ...]:
    """Return the groups around the best findings that are not empty, in the order in which they are shown."""
    beside = _list_nodes(state, {Role.BESIDE})
    leading = [node for node in state.nodes.values() if node not in beside]
    best = [one.node for one in state.open_types]  # what calls their members is found already
    best = best or [node for node in leading if not is_test_node(node)][:AROUND]
    if reading.form in _UNGROUPED or not best:
        return ()
    bases = _list_nodes(state, _BASES)
    edges = {node: _find_users(state, node) for node in (_list_nodes(state, _TAKING) if bases else best)}
    used = {node: [state.get_node(edge.other) for edge in found.edges] for node, found in edges.items()}
    is_cut = any(found.cut for found in edges.values())
    users = [user for own in used.values() for user in own]
    # What depends on a subject may be overridden, too, but that says nothing about the subject.
    subjects = reading.nodes
    filled = subjects if reading.form is Form.DEPENDENTS else bases or best
    groups = (
        (IMPLEMENTERS, _list_untold_implementers(state, reading, filled)),
        *(() if reading.form in _WITHOUT_CALLERS else _list_callers(used)),
        ("tests", [node for node in users if is_test_node(node)]),
        ("examples", [node for node in users if not (is_test_node(node) or is_program(node.path))]),
    )
    most = {IMPLEMENTERS: MAX_PLACES if bases else MAX_IMPLEMENTERS}  # one to copy is shown
    if reading.form in _WITH_FEW_TESTS:
        most["tests"] = MAX_TESTS
    whole = (
        {IMPLEMENTERS} if reading.form is Form.DEPENDENTS and not state.open_types else set()
    )  # who calls one may fill it in, too
    found = [
        Group(
            what,
            _name_places(
                state,
                nodes,
                most.get(what, MAX_PLACES),
                keeps_found=what in whole,
                at_least=is_cut and what != IMPLEMENTERS,
            ),
        )
        for what, nodes in groups
    ]
    if not any(one.kind == "section" for one in state.findings):
        found.append(Group("documentation", _list_sections(state, [best[0].symbol.name])))
    return tuple(one for one in found if one.places)


def _list_callers(used: Mapping[Node, Sequence[Node]]) -> Iterator[tuple[str, list[Node]]]:
    """Yield for each of some symbols the name of a group, and what uses it and none before, outside tests."""
    known: set[Node] = set()
    for node, users in used.items():
        own = [one for one in users if is_program(one.path) and not is_test_node(one) and one not in known]
        known.update(own)
        yield f"callers of {node.symbol.name}", own


def _list_nodes(state: ResearchState, roles: Set[Role]) -> list[Node]:
    """Return the symbols that are found in some roles."""
    found = {one.node for one in state.findings if one.role in roles}
    return [node for node in state.nodes.values() if node in found]


def _name_places(
    state: ResearchState, nodes: Iterable[Node], most: int, *, keeps_found: bool, at_least: bool
) -> tuple[str, ...]:
    """Return the places of symbols, those in tests last, and how many more there are, or `at_least` are.

    What is a finding already is left out, unless `keeps_found`.
    """
    new = dict.fromkeys(node for node in nodes if keeps_found or node.declaration not in state.nodes)
    new = dict.fromkeys(sorted(new, key=is_test_node))  # stable
    places = [name_briefly(node) for node in new if state.admits(node.path)]
    least = "at least " if at_least else ""
    more = [f"and {least}{len(places) - most} more"] if len(places) > most else []
    return (*places[:most], *more)


def _list_untold_implementers(state: ResearchState, reading: Reading, filled: Sequence[Node]) -> list[Node]:
    """Return what implements some symbols, without what the answer to the question names itself."""
    if reading.form is Form.IMPLEMENTATIONS:
        return []
    found = _list_implementers(state, filled)
    if reading.form is not Form.DEPENDENTS or state.open_types:
        return found
    return [one for one in found if is_test_node(one) or one.symbol.kind in TYPE_KINDS]


def _list_implementers(state: ResearchState, best: Sequence[Node]) -> list[Node]:
    if state.open_types:  # those in tests are counted in the answer itself
        return [one for open_type in state.open_types for one in open_type.implementers]
    found = []
    for node in best:
        state.check()
        found += [state.get_node(link.source) for link in list_overriding(state, node)]
        if node.symbol.kind in TYPE_KINDS:
            edges = state.graph.find_incoming(node, IMPLEMENTATIONS, NARROW).edges
            others = [state.get_node(edge.other) for edge in edges]
            found += [one for one in others if not _is_block_of(one, node)]
    return found


def _is_block_of(one: Node, of: Node) -> bool:
    """Return True for a block with members of a type, as in Rust: it does not derive from it."""
    return one.symbol.kind is SymbolKind.EXTENSION and one.symbol.name == of.symbol.name


def _find_users(state: ResearchState, node: Node) -> Edges:
    state.check()
    return state.graph.find_incoming(node, CALLS, NARROW)


def _names(text: str, name: str) -> bool:
    """Return True if a text names a symbol. A plain word such as `Available` must be written as a name."""
    word = rf"\b{re.escape(name)}\b"
    if not _SHAPED.search(name):
        word = rf"(?:[`.:]|^\#+ |(?<=[a-z,] )(?=[A-Z])){word}|{word}[`(]"
    return re.search(word, text, re.MULTILINE) is not None


def _read_section(state: ResearchState, hit: DocsHit) -> str:
    return "\n".join(state.source.read_lines(hit.path)[hit.section_start - 1 : hit.section_end])


def _list_sections(state: ResearchState, names: Sequence[str]) -> tuple[str, ...]:
    """Return the first two sections of documents that have all of some names."""
    return tuple(
        f"{hit.breadcrumb or hit.path} ({write_citation(hit.path, hit.start_line, hit.end_line)})"
        for hit in find_sections(state, names)[:2]
    )


def find_sections(state: ResearchState, names: Sequence[str]) -> list[DocsHit]:
    """Return the best sections of documents that have all of some names."""
    answer = state.source.search_docs(DocsRequest(" ".join(names), has_comments=False))
    return [
        hit
        for hit in answer.hits
        if all(_names(_read_section(state, hit) if len(names) > 1 else hit.snippet, name) for name in names)
        and not (is_aside(hit.path) or is_test_place(hit.path))
        and state.admits(hit.path)
    ]
