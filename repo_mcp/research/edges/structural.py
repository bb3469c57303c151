"""Find types that have all the methods of an interface without naming it, and list what surrounds findings.

Such interfaces are those of Go, and classes of Python that derive from `typing.Protocol`. Methods are
compared by name and number of parameters, in Go by their results as well. In Go the methods of a type may be
in several files of its folder. A type's embedded and inherited methods are not considered, so a type that
needs one is missed, and every type found is only probable.

The surroundings of findings are listed in groups: implementers, callers, tests, examples, documentation.
Findings are not named again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from repo_mcp.documentation.records import DocsHit, DocsRequest
from repo_mcp.graph.edges import Bounds, Edge
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTATIONS, EdgeType
from repo_mcp.research.findings.citing import name_briefly
from repo_mcp.research.findings.locating import is_aside, is_program, is_test_node, is_test_place, weaker
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import IMPLEMENTERS, Form, Group, Link, Reading
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolFlag, SymbolKind, SymbolRecord
from repo_mcp.text.citations import write_citation

MAX_FILES = 300  # files that declare the rarest method
MAX_EMBEDDED = 8  # interfaces read: one and those it embeds
BOUNDS = Bounds(files=20, references=60)
_ABOVE = (EdgeType.EXTENDS, EdgeType.INHERITS, EdgeType.IMPLEMENTS)
_NO_OWNERS = frozenset({SymbolKind.FILE, SymbolKind.MODULE, SymbolKind.INTERFACE})
Shape = tuple[int, str]  # number of parameters, result
Owner = tuple[str, str]  # folder or path, name of the type
AROUND = 3  # best findings whose surroundings are listed
MAX_IMPLEMENTERS = 16
MAX_PLACES = 5  # of one group
MAX_TESTS = 2  # of what words found: the findings need the room more
GROUP_BOUNDS = Bounds(files=30, references=120)
_OF_WORDS = frozenset({Form.OPEN, Form.ERRORS, Form.EXTENSION, Form.DIFFERENCE})
_ALONE = frozenset({Form.OVERVIEW, Form.FLOW, Form.CONFIGURED, Form.TESTS})  # reported without groups


def list_structural(state: ResearchState, node: Node) -> list[Link]:
    """Return links from the types that have all the methods of a Go interface or a Python protocol."""
    if not _is_structural(state, node):
        return []
    wanted = _list_wanted(state, node)
    if not wanted:
        return []
    scan = state.graph.scan
    rarest = min(wanted, key=lambda name: (len(scan.list_declaring(name)), name))
    links: list[Link] = []
    seen: set[Owner] = set()
    for ordinal in scan.find_declared(rarest, MAX_FILES):
        owner = _find_owner(state, ordinal, node.language)
        if owner is None or owner in seen:
            continue
        seen.add(owner)
        if all(_has_method(state, owner, name, shape, node.language) for name, shape in wanted.items()):
            holder = _choose_holder(state, ordinal, owner, node.language)
            if holder != node.declaration:
                links.append(Link(holder, node.declaration, "has_methods_of", Confidence.PROBABLE))
    return links


def _is_structural(state: ResearchState, node: Node) -> bool:
    if node.language == "go":
        return node.symbol.kind is SymbolKind.INTERFACE
    if node.language != "python" or node.symbol.kind is not SymbolKind.CLASS:
        return False
    above = state.graph.find_outgoing(node, _ABOVE, BOUNDS)
    return any(
        one.name.endswith(("typing.Protocol", "typing_extensions.Protocol")) for one in above.externals
    )


def _list_wanted(state: ResearchState, node: Node) -> dict[str, Shape]:
    """Return the shapes of the required methods by name, including those of embedded interfaces."""
    wanted: dict[str, Shape] = {}
    waiting = [node]
    for _ in range(MAX_EMBEDDED):
        if not waiting:
            break
        one = waiting.pop()
        record = state.graph.scan.find_record(one.path)
        if record is None:
            continue
        for ordinal in record.list_children(one.symbol.ordinal):
            name = record.strings[record.names[ordinal]]
            is_special = name.startswith("__") and name.endswith("__")
            if int(record.kinds[ordinal]) == SymbolKind.METHOD and not is_special:
                wanted[name] = _read_shape(record, ordinal, node.language)
        if one.language == "go":
            above = state.graph.find_outgoing(one, _ABOVE, BOUNDS)
            waiting += [state.get_node(edge.other) for edge in above.edges]
    return wanted


def _read_shape(record: SymbolRecord, ordinal: int, language: str) -> Shape:
    result = record.strings[record.types[ordinal]] if language == "go" else ""
    return int(record.parameter_counts[ordinal]), result


def _find_owner(state: ResearchState, ordinal: Declaration, language: str) -> Owner | None:
    """Return the type that declares a method, in Go by its folder; None for a method of an interface."""
    record = state.graph.scan.find_record(ordinal.path)
    if record is None or state.graph.scan.find_language(ordinal.path) != language:
        return None
    parent = int(record.parents[ordinal.ordinal])
    kind = SymbolKind(int(record.kinds[parent]))
    if int(record.kinds[ordinal.ordinal]) != SymbolKind.METHOD or kind in _NO_OWNERS:
        return None
    name = record.strings[record.names[parent]]
    return (ordinal.path.rpartition("/")[0] if language == "go" else ordinal.path), name


def _has_method(state: ResearchState, owner: Owner, name: str, shape: Shape, language: str) -> bool:
    scan = state.graph.scan
    for path in scan.list_declaring(name):
        inside = path.rpartition("/")[0] == owner[0] if language == "go" else path == owner[0]
        record = scan.find_record(path) if inside else None
        for ordinal in record.find_symbols(name) if record is not None else ():
            assert record is not None
            parent = int(record.parents[ordinal])
            is_own = record.strings[record.names[parent]] == owner[1]
            is_own = is_own and int(record.kinds[parent]) not in _NO_OWNERS
            if is_own and _read_shape(record, ordinal, language) == shape:
                return True
    return False


def _choose_holder(state: ResearchState, ordinal: Declaration, owner: Owner, language: str) -> Declaration:
    """Return the type that holds a method: its own declaration, even if the method is in another file."""
    record = state.graph.scan.find_record(ordinal.path)
    assert record is not None
    parent = Declaration(ordinal.path, int(record.parents[ordinal.ordinal]))
    if language != "go" or int(record.kinds[parent.ordinal]) != SymbolKind.EXTENSION:
        return parent
    for one in state.graph.scan.find_declared(owner[1], MAX_FILES):
        other = state.graph.scan.find_record(one.path)
        same = one.path.rpartition("/")[0] == owner[0] and other is not None
        if same and other is not None and int(other.kinds[one.ordinal]) != SymbolKind.EXTENSION:
            return one
    return parent


def list_overriding(state: ResearchState, node: Node) -> list[Link]:
    """Return links from methods that override or implement a method, also in types found structurally."""
    if node.symbol.kind not in _MEMBERS:
        return []
    links = [
        Link(edge.other, node.declaration, "overrides", edge.confidence)
        for edge in state.graph.find_implementations(node).edges
    ]
    around = state.get_node(Declaration(node.path, node.symbol.parent))
    owners = {link.source for link in list_structural(state, around)} if node.symbol.parent else set()
    known = {link.source for link in links}
    for one in state.graph.scan.find_declared(node.symbol.name, MAX_FILES) if owners else ():
        owner = _find_owner(state, one, node.language)
        is_own = owner is not None and _choose_holder(state, one, owner, node.language) in owners
        if is_own and one not in known:
            links.append(Link(one, node.declaration, "overrides", Confidence.PROBABLE))
    return links


_MEMBERS = frozenset({SymbolKind.METHOD, SymbolKind.PROPERTY})
_OPEN_TYPES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})


def list_filling(state: ResearchState, node: Node, bounds: Bounds) -> tuple[list[Link], bool]:
    """Return links to the methods that a call of an abstract one may run, and whether the search was cut."""
    if node.symbol.kind not in _MEMBERS or not _is_left_open(state, node):
        return [], False
    found = state.graph.find_incoming(node, (EdgeType.OVERRIDES,), bounds)
    links = [
        Link(node.declaration, edge.other, "overridden_by", weaker(edge.confidence, Confidence.PROBABLE))
        for edge in found.edges
    ]
    return links, found.cut


def _is_left_open(state: ResearchState, node: Node) -> bool:
    around = state.get_node(Declaration(node.path, node.symbol.parent))
    return bool(node.symbol.flags & SymbolFlag.ABSTRACT) or around.symbol.kind in _OPEN_TYPES


_SHAPED = re.compile(r"[a-z0-9][A-Z]|\w_\w")  # camelCase, snake_case


def gather_groups(state: ResearchState, reading: Reading) -> tuple[Group, ...]:
    """Return the groups around the best findings that are not empty, in the order in which they are shown."""
    deciding = {one.node_id for one in state.findings if one.role is Role.DECIDES}
    leading = [node for node in state.nodes.values() if node.node_id not in deciding]
    best = [node for node in leading if not is_test_node(node)][:AROUND]
    if reading.form in _ALONE or not best:
        return ()
    used = {node: [state.get_node(edge.other) for edge in _find_users(state, node)] for node in best}
    users = [user for own in used.values() for user in own]
    # What depends on a subject may be overridden, too, but that says nothing about the subject.
    subjects = [node for subject in reading.subjects for node in subject.nodes]
    filled = subjects if reading.form is Form.DEPENDENTS else _list_bases(state) or best
    groups = (
        (IMPLEMENTERS, [] if reading.form is Form.IMPLEMENTATIONS else _list_implementers(state, filled)),
        *(() if reading.form is Form.CALLERS else _list_callers(used)),
        ("tests", [node for node in users if is_test_node(node)]),
        ("examples", [node for node in users if not (is_test_node(node) or is_program(node.path))]),
    )
    most = {IMPLEMENTERS: MAX_IMPLEMENTERS}
    if reading.form in _OF_WORDS:
        most["tests"] = MAX_TESTS
    whole = {IMPLEMENTERS} if reading.form is Form.DEPENDENTS else set()  # who calls one may fill it in, too
    found = [
        Group(what, _name_places(state, nodes, most.get(what, MAX_PLACES), keeps_found=what in whole))
        for what, nodes in groups
    ]
    if not any(one.kind == "section" for one in state.findings):
        found.append(Group("documentation", list_sections(state, [best[0].symbol.name])))
    return tuple(one for one in found if one.places)


def _list_callers(used: Mapping[Node, Sequence[Node]]) -> Iterator[tuple[str, list[Node]]]:
    """Yield for each of some symbols the name of a group, and what uses it and none before, outside tests."""
    known: set[Node] = set()
    for node, users in used.items():
        own = [one for one in users if is_program(one.path) and not is_test_node(one) and one not in known]
        known.update(own)
        yield f"callers of {node.symbol.name}", own


def _list_bases(state: ResearchState) -> list[Node]:
    """Return the types that others of a kind derive from, if it is asked how to add one of the kind."""
    ids = {one.node_id for one in state.findings if one.role in (Role.BASE, Role.INNER_BASE)}
    return [node for node in state.nodes.values() if node.node_id in ids]


def _name_places(
    state: ResearchState, nodes: Iterable[Node], most: int, *, keeps_found: bool
) -> tuple[str, ...]:
    """Return the places of symbols, those in tests last, and how many more there are.

    What is a finding already is left out, unless `keeps_found`.
    """
    new = dict.fromkeys(node for node in nodes if keeps_found or node.declaration not in state.nodes)
    new = dict.fromkeys(sorted(new, key=is_test_node))  # stable
    places = [name_briefly(node) for node in new if state.admits(node.path)]
    more = [f"and {len(places) - most} more"] if len(places) > most else []
    return (*places[:most], *more)


def _list_implementers(state: ResearchState, best: Sequence[Node]) -> list[Node]:
    found = []
    for node in best:
        state.check()
        found += [state.get_node(link.source) for link in list_overriding(state, node)]
        if node.symbol.kind in TYPE_KINDS:
            edges = state.graph.find_incoming(node, IMPLEMENTATIONS, GROUP_BOUNDS).edges
            others = [state.get_node(edge.other) for edge in edges]
            found += [one for one in others if not _is_block_of(one, node)]
    return found


def _is_block_of(one: Node, of: Node) -> bool:
    """Return True for a block with members of a type, as in Rust: it does not derive from it."""
    return one.symbol.kind is SymbolKind.EXTENSION and one.symbol.name == of.symbol.name


def _find_users(state: ResearchState, node: Node) -> Sequence[Edge]:
    state.check()
    return state.graph.find_incoming(node, CALLS, GROUP_BOUNDS).edges


def _names(text: str, name: str) -> bool:
    """Return True if a text names a symbol. A plain word such as `Available` must be written as a name."""
    word = rf"\b{re.escape(name)}\b"
    if not _SHAPED.search(name):
        word = rf"(?:[`.:]|^\#+ |(?<=[a-z,] )(?=[A-Z])){word}|{word}[`(]"
    return re.search(word, text, re.MULTILINE) is not None


def _read_section(state: ResearchState, hit: DocsHit) -> str:
    return "\n".join(state.source.read_lines(hit.path)[hit.section_start - 1 : hit.section_end])


def list_sections(state: ResearchState, names: Sequence[str]) -> tuple[str, ...]:
    """Return the first two sections of documents that have all of some names."""
    answer = state.source.search_docs(DocsRequest(" ".join(names), has_comments=False))
    named = [
        hit
        for hit in answer.hits
        if all(_names(_read_section(state, hit) if len(names) > 1 else hit.snippet, name) for name in names)
        and not (is_aside(hit.path) or is_test_place(hit.path))
    ]
    shown = [hit for hit in named if state.admits(hit.path)][:2]
    return tuple(
        f"{hit.breadcrumb or hit.path} ({write_citation(hit.path, hit.start_line, hit.end_line)})"
        for hit in shown
    )
