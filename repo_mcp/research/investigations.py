"""Investigate a question: for each form, a function notes findings in an order that suits the form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field

from repo_mcp.graph.edges import Bounds, Edges
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.questions import CALLS, IMPLEMENTATIONS, NAMED, EdgeType
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.claims.claims import build_claim
from repo_mcp.research.edges.hops import (
    CALLEES,
    CALLERS,
    DEPENDENCIES,
    DEPENDENTS,
    IMPLEMENTERS,
    WIDE,
    HopFindings,
    Traversal,
    follow,
)
from repo_mcp.research.edges.paths import build_chains, find_paths
from repo_mcp.research.edges.structural import gather_groups, list_overriding, list_structural
from repo_mcp.research.edges.tested import note_tests
from repo_mcp.research.edges.unparsed import note_unparsed
from repo_mcp.research.edges.written_calls import note_written
from repo_mcp.research.edges.written_names import names_setting, note_written_name
from repo_mcp.research.findings.locating import is_program, weaker
from repo_mcp.research.findings.reasons import BY_EXTENSION, FILLS, UNIMPLEMENTED
from repo_mcp.research.findings.records import Chain, Focus, Form, Group, Link, Reading, Shape, Subject
from repo_mcp.research.findings.research_state import ResearchState, relocate
from repo_mcp.research.question.grammar import Phrase, read_phrase
from repo_mcp.research.question.product_name import leave_out_product
from repo_mcp.research.question.subjects import Subjects, looks_like_name
from repo_mcp.research.question.understanding import build_reading, is_about_shapes
from repo_mcp.research.settings.configured import find_by_words, find_settings, is_written
from repo_mcp.research.settings.documented_settings import find_documented, read_description
from repo_mcp.research.settings.field_readers import note_readers
from repo_mcp.research.structure.architecture import Architecture, scan_architecture, scan_imports
from repo_mcp.research.structure.shapes import find_alike, find_shapes
from repo_mcp.research.words.failing import find_failing
from repo_mcp.research.words.indirect_names import read_body
from repo_mcp.research.words.open_questions import connect
from repo_mcp.research.words.rated_seeds import PreferredKind
from repo_mcp.research.words.sections import note_documents
from repo_mcp.research.words.seeds import find_seeds, show_body
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.question_words import count_words, list_words, shares_word

_BOUNDS = Bounds(files=20, references=60)
# Words that tell something: a phrase with so many is no name. Settings are often described in more.
SENTENCE_WORDS = {Form.DEFINED: 4, Form.FLOW: 3, Form.CONFIGURED: 6}
COMPARED = 3  # declarations of one name in a question for a difference
MAX_OVERRIDING, OVERRIDING_CHARS = 4, 500  # declarations that override a subject, and characters of each
IMPLEMENTING_CHARS = 3_600  # of the bodies of short types that implement a subject
MAX_BODIES, SHORT_LINES = 16, 24  # if at most so many types implement a subject, shorter ones show their body


def _expand(state: ResearchState, node: Node, bounds: Bounds) -> HopFindings:
    """Return links from the types that conform to a type; for an extension, also from the type it extends."""
    found = IMPLEMENTERS.expand(state, node, bounds)
    links: list[Link] = []
    for link in found.links:
        holder = state.get_node(link.source)
        if holder.symbol.kind is SymbolKind.EXTENSION and holder.symbol.name == node.symbol.name:
            continue  # an extension of the subject itself, which is not a conformance
        links.append(link)
        if holder.symbol.kind is SymbolKind.EXTENSION:
            links += _list_extended(state, holder, link)
    known = {link.source for link in links}
    links += [link for link in list_structural(state, node) if link.source not in known]
    return HopFindings(tuple(links), found.cut)


def _list_extended(state: ResearchState, holder: Node, link: Link) -> list[Link]:
    """Return links from the type that an extension extends, because that type conforms as well.

    In `extension Token: Authenticatable {}` (Swift) and `impl Authenticatable for Token {}` (Rust) the
    extension names the protocol, and `Token` conforms to it.
    """
    above = state.graph.find_outgoing(
        holder, (EdgeType.EXTENDS, EdgeType.INHERITS, EdgeType.IMPLEMENTS), _BOUNDS
    )
    extended = [edge for edge in above.edges if state.get_node(edge.other).symbol.name == holder.symbol.name]
    for edge in extended[:1]:
        state.link(Link(holder.declaration, edge.other, "extension_of", edge.confidence, edge.lines))
    return [
        Link(edge.other, link.target, "conforms_by_extension", weaker(edge.confidence, link.confidence))
        for edge in extended[:1]
    ]


CONFORMING = Traversal(_expand, True, IMPLEMENTERS.first_fan, IMPLEMENTERS.fan, IMPLEMENTERS.width)


@dataclass(slots=True)
class Gathered:
    """The result of an investigation besides the findings it notes."""

    chains: list[Chain] = field(default_factory=list)  # of calls
    architecture: Architecture | None = None  # None: not asked for
    shapes: tuple[Shape, ...] | None = None  # None: not asked for
    claim: str = ""  # the answer in a few sentences; "" if there is none
    groups: tuple[Group, ...] = ()  # what lies around the findings


def settle_reading(state: ResearchState, reading: Reading) -> Reading:
    """Return the reading, or an open one in its place if plain words in it only happen to be names.

    "How are messages sent to a room" is read as a question for a path from `messages` to `room`. If no path
    connects the two, the question is an open one. "What happens when the config changes" asks what runs then,
    and not what breaks if a symbol is another. "Where do I set how long results are kept" means the setting
    that a document describes so. "Where are services moved from the pending set to the ready set" asks not
    where `services` is declared.
    """
    asked = [subject.asked for subject in reading.subjects]
    least = SENTENCE_WORDS.get(reading.form)
    if least is not None and any(_is_sentence(one, least) for one in reading.subjects):
        return build_reading(Form.OPEN, (Subject(state.request.query, "words"),))
    if len(asked) == 1 and names_setting(state, reading):
        return build_reading(Form.CONFIGURED, (Subject(asked[0], "words"),))
    if reading.form is Form.CONFIGURED and " " in asked[0] and not is_written(state, reading.subjects[0]):
        return build_reading(Form.OPEN, (Subject(state.request.query, "words"),))
    if reading.form is not Form.CONFIGURED and (described := read_description(state.request.query)):
        return _settle_described(state, described)
    asks_path = _ASKS_PATH.search(state.request.query) is not None
    if reading.form is Form.DEPENDENTS and _ASKS_EVENT.match(state.request.query):
        is_named = any(looks_like_name(one) for one in asked)
        return reading if is_named else build_reading(Form.OPEN, (Subject(state.request.query, "words"),))
    if reading.form is not Form.FLOW or asks_path or any(map(looks_like_name, asked)):
        return reading
    starts, ends = reading.subjects[0].nodes, reading.subjects[-1].nodes
    if any(find_paths(state, *way) for way in ((starts, ends), (ends, starts))):
        return reading
    state.limits.clear()
    return build_reading(Form.OPEN, (Subject(state.request.query, "words"),))


def _is_sentence(subject: Subject, least: int) -> bool:
    """Return True for a phrase of at least `least` words, of which no name that it may mean has half.

    A name of several words in it, such as `maxRetries`, is meant by it.
    """
    words = list_words(subject.asked)
    names = {node.symbol.name for node in subject.nodes}
    if len(words) < least or any(word in names and count_words(word) > 1 for word in words):
        return False
    return all(2 * shares_word(name, words) < len(words) for name in names)


def _settle_described(state: ResearchState, text: str) -> Reading:
    """Return the reading of a question for a setting that it describes: open unless documents name it."""
    found = find_documented(state, text)
    if found is not None:
        subject = Subjects(state.graph, state.request.folder).find(Phrase(found.name), Form.CONFIGURED)
        if subject.how == "declared":
            state.documented = found.citation
            return build_reading(Form.CONFIGURED, (subject,))
    return build_reading(Form.OPEN, (Subject(state.request.query, "words"),))


def investigate(state: ResearchState, reading: Reading) -> Gathered:
    """Run the investigation of the question's form, then add what its focus asks for.

    Raises RepoError with CANCELLED.
    """
    gathered = Gathered()
    if reading.form is Form.DIFFERENCE:
        reading = pair_subjects(state, reading)
    note_unparsed(state, reading)
    for subject in reading.subjects:
        if subject.how == "undeclared":
            note_written_name(state, subject)
    if not any(subject.how in ("undeclared", "unparsed") for subject in reading.subjects):
        if reading.form is not Form.DIFFERENCE:
            _note_subjects(state, reading)
        _INVESTIGATIONS[reading.form](state, reading, gathered)
        _add_focus(state, reading, gathered)
        gathered.groups = gather_groups(state, reading)
        if reading.form is Form.CONFIGURED and not state.findings:
            reading = replace(reading, subjects=(_find_nearest(state, reading.subjects[0]),))
    gathered.claim = build_claim(state, reading, gathered.groups, gathered.chains)
    return gathered


def _note_subjects(state: ResearchState, reading: Reading) -> None:
    """Note the subjects of the question as findings of hop 0."""
    for subject in reading.subjects:
        sure = Confidence.POSSIBLE if subject.how == "words" else Confidence.EXACT
        for node in subject.nodes:
            is_named = node.symbol.kind is SymbolKind.FILE or reading.form is Form.TESTS
            shown = () if is_named else show_body(state, node, SUBJECT_CHARS)
            state.add(node, f'what "{subject.asked}" refers to', 0, sure, shown=shown)
        if subject.left_out:
            state.limit(
                f"{subject.left_out} more declarations of {subject.asked}",
                f"{len(subject.nodes) or 1} are followed; give a qualified name or a path",
            )


SUBJECT_CHARS = 700  # shown of a subject
_ASKS_PATH = re.compile(
    r"\b(?:reach|call|trigger|invok|lead|path|rout|chain|flow|trac|connect|relat|depend|arriv|ends? up)|->|→",
    re.IGNORECASE,
)
_ASKS_EVENT = re.compile(r"\W*what happens when (?!(?:i|we|you|someone)\b)", re.IGNORECASE)
_ASKS_HOW = re.compile(r"\W*how\b", re.IGNORECASE)


def _list_nodes(reading: Reading) -> list[Node]:
    return [node for subject in reading.subjects for node in subject.nodes]


def _investigate_callers(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = _list_nodes(reading)
    if not nodes:
        _follow_outside(state, reading.subjects[0], CALLS, CALLERS)
        return
    follow(state, nodes, CALLERS, state.depth)
    note_written(state, nodes)
    gathered.chains = build_chains(state, nodes, upwards=True)


def _investigate_tests(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    note_tests(state, _list_nodes(reading))


def _investigate_callees(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = _list_nodes(reading)
    if _ASKS_HOW.match(state.request.query):
        note_readers(state, nodes)
    follow(state, nodes, CALLEES, state.depth)
    gathered.chains = build_chains(state, nodes, upwards=False)


def _investigate_implementations(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = _list_nodes(reading)
    if nodes:
        follow(state, nodes, CONFORMING, state.depth)
        _show_short(state)
        if len(state.findings) <= len(nodes):
            state.warnings.append(UNIMPLEMENTED)
            follow(state, nodes, DEPENDENTS, 1)
    else:
        _follow_outside(state, reading.subjects[0], IMPLEMENTATIONS, CONFORMING)


def _show_short(state: ResearchState) -> None:
    """Show the bodies of short types, if few types implement the subject: their first lines say nothing."""
    near = [one for one in state.findings if one.hop]
    if len(near) > MAX_BODIES:
        return
    nodes = {node.node_id: node for node in state.nodes.values()}
    for position, one in enumerate(state.findings):
        is_short = one.hop and one.end_line - one.start_line < SHORT_LINES
        if is_short and one.node_id in nodes and BY_EXTENSION not in one.why:
            shown = show_body(state, nodes[one.node_id], IMPLEMENTING_CHARS // len(near))
            state.findings[position] = replace(one, shown=shown)


def _investigate_dependents(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    subject = reading.subjects[0]
    if subject.how == "folder":
        _find_importers(state, subject.name)
    elif not subject.nodes:
        _follow_outside(state, subject, NAMED, DEPENDENTS)
    else:
        follow(state, subject.nodes, DEPENDENTS, state.depth)
        _follow_overriding(state, subject.nodes)
        note_written(state, subject.nodes)


def _follow_overriding(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the declarations that override or implement the subjects, and their dependents, unless too many.

    Code that calls an implementation through its own type depends on the signature just as much.
    """
    links = [link for node in nodes for link in list_overriding(state, node)]
    own = [link for link in links if is_program(state.get_node(link.source).path)]
    if len(own) > MAX_OVERRIDING:
        return
    for link in own:
        other = state.get_node(link.source)
        why = f"{FILLS}{state.get_node(link.target).qualified_name}"
        state.add(other, why, 1, link.confidence, shown=show_body(state, other, OVERRIDING_CHARS))
        state.link(link)
    if state.depth > 1 and own:
        follow(state, [state.get_node(link.source) for link in own], DEPENDENTS, 2, first_hop=2)


def _investigate_dependencies(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    subject = reading.subjects[0]
    if subject.how == "folder":
        own = state.graph.scan.list_paths(subject.name)
        gathered.architecture = scan_imports(state, own, subject.name)
        return
    files = [node for node in subject.nodes if node.symbol.kind is SymbolKind.FILE]
    if files:
        gathered.architecture = scan_imports(state, [files[0].path], files[0].path)
        return
    follow(state, subject.nodes, DEPENDENCIES, state.depth)


CONNECTED = 8  # declarations that fit a question and from which edges are followed; others are only shown
MAX_IMPORTED = 60  # files of a folder whose importers are searched for


def _find_importers(state: ResearchState, folder: str) -> None:
    """Note the files outside a folder that import a file in it."""
    paths = state.graph.scan.list_paths(folder)
    if len(paths) > MAX_IMPORTED:
        state.limit(f"importers of {len(paths) - MAX_IMPORTED} files", f"{MAX_IMPORTED} files are followed")
    for path in paths[:MAX_IMPORTED]:
        state.check()
        file = state.source.find_file(path)
        if file is None:
            continue
        for edge in state.graph.find_incoming(file, (EdgeType.IMPORTS,), WIDE).edges:
            if not edge.other.path.startswith(f"{folder}/"):
                state.add(state.get_node(edge.other), f"imports {path}", 1, edge.confidence, edge.lines)
    state.report_hop(state.depth)


def _follow_outside(
    state: ResearchState, subject: Subject, types: Sequence[EdgeType], traversal: Traversal
) -> None:
    """Note the users of a name declared outside the repository as the first hop, and follow on from them."""
    _, found = state.graph.scan.find_outside(subject.name, types, WIDE)
    nodes = _note_users(state, subject, found)
    state.report_hop(1)
    if nodes and traversal is not DEPENDENTS:
        follow(state, nodes, traversal, state.depth, first_hop=2)


def _note_users(state: ResearchState, subject: Subject, found: Edges) -> list[Node]:
    words = {"calls": "calls", "inherits": "inherits from", "implements": "implements", "extends": "extends"}
    nodes = []
    if found.cut:
        state.limit(
            f"uses of {subject.name}", f"{WIDE.references:,} references in {WIDE.files} files are looked at"
        )
    for edge in found.edges:
        for holder, lines in relocate(state, edge.other, edge.lines):
            node = state.get_node(holder)
            why = f"{words.get(edge.type.value, edge.type.value)} {subject.name}, which is declared outside"
            if state.add(node, why, 1, edge.confidence, lines) and node.symbol.kind is not SymbolKind.FILE:
                nodes.append(node)
    return nodes


def _investigate_configured(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    subject = reading.subjects[0]
    find_settings(state, subject)
    is_found = any(is_program(one.path) and one.hop for one in state.findings)
    if not is_found and _find_nearest(state, subject) is subject:
        find_by_words(state, subject.asked)
    state.report_hop(state.depth)


def _find_nearest(state: ResearchState, subject: Subject) -> Subject:
    """Return a setting that no file has as an undeclared subject, which holds the names nearest to it.

    Return any other setting as it is.
    """
    if subject.nodes or not state.source.is_absent(subject.asked):
        return subject
    subjects = Subjects(state.graph, state.request.folder)
    return subjects.find_undeclared(read_phrase(subject.asked), state.source.is_absent) or subject


def _investigate_flow(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    starts, ends = reading.subjects[0].nodes, reading.subjects[-1].nodes
    gathered.chains = find_paths(state, starts, ends)
    if not gathered.chains:
        gathered.chains = find_paths(state, starts, ends, guesses=True)
    if not gathered.chains:
        gathered.chains = find_paths(state, ends, starts)
        if gathered.chains:
            state.warnings.append("no path of calls leads there; these lead the other way")
    if not gathered.chains:
        state.warnings.append(
            f"no path of calls was found within {state.depth} calls of either end;"
            " what the first calls and what calls the second is shown"
        )
        follow(state, starts, CALLEES, 1)
        follow(state, ends, CALLERS, 1)
    else:
        on_the_way = {end for link in state.links.values() for end in (link.source, link.target)}
        for node in (*starts, *ends):
            if node.declaration not in on_the_way:
                state.drop(node)
    state.report_hop(state.depth)


def _investigate_defined(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = _list_nodes(reading)
    follow(state, nodes, DEPENDENTS, 1)
    follow(state, nodes, DEPENDENCIES, state.depth - 1)


def _investigate_extension(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    text = leave_out_product(state, reading.subjects[0].asked)
    note_documents(state, text, 2, beside="custom")
    find_seeds(state, text, PreferredKind.EXTENSION)


def _investigate_errors(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    named, whys = find_failing(state, reading.subjects[0].asked)
    if named:
        find_seeds(state, reading.subjects[0].asked, PreferredKind.FAILURES, named, whys)
        return
    text = leave_out_product(state, reading.subjects[0].asked)
    connect(state, find_seeds(state, text, PreferredKind.FAILURES)[:CONNECTED], text)


def _investigate_difference(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = _list_nodes(reading)
    text = " ".join(subject.asked for subject in reading.subjects)
    find_seeds(state, text, first=nodes, only_near=True)
    gathered.chains = find_paths(state, nodes[:1], nodes[-1:]) if len(nodes) > 1 else []


def pair_subjects(state: ResearchState, reading: Reading) -> Reading:
    """Return a reading whose subjects have at most COMPARED declarations each, the fitting ones first.

    Of many overloads, one compares those in a file that declares the others too, with the same parameters.
    """
    paired = []
    for subject in reading.subjects:
        others = [node for one in reading.subjects if one is not subject for node in one.nodes]
        paths, parameters = {node.path for node in others}, {_read_parameters(state, node) for node in others}
        ordered = sorted(  # stable
            subject.nodes,
            key=lambda node: (node.path not in paths, _read_parameters(state, node) not in parameters),
        )
        left_out = subject.left_out + max(0, len(ordered) - COMPARED)
        paired.append(replace(subject, nodes=tuple(ordered[:COMPARED]), left_out=left_out))
    return replace(reading, subjects=tuple(paired))


def _read_parameters(state: ResearchState, node: Node) -> str:
    """Return what stands in the round brackets behind the name of a declaration; "" for none."""
    head = next(iter(read_body(state, node)), "")
    return head.partition(f"{node.symbol.name}(")[2].partition(")")[0]


def _investigate_open(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    text = leave_out_product(state, reading.subjects[0].asked)
    if is_about_shapes(state.request):
        return  # its words describe shapes of code, not a symbol
    seeds = find_seeds(state, text)
    note_documents(state, text, 1)
    if state.lacks_most:
        return  # what lies around so little evidence is noise
    connect(state, seeds[:CONNECTED], text)
    callable_ones = [node for node in seeds if node.symbol.kind in CALLABLE_KINDS]
    gathered.chains = _build_both(state, seeds, callable_ones)  # the calls of a type are those of its methods


def _investigate_overview(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    name = reading.subjects[0].name
    gathered.architecture = scan_architecture(state, "" if name == "." else name)


def _add_focus(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    """Add what the focus asks for to what the form of the question gave."""
    nodes = _list_nodes(reading)
    focus = state.request.focus
    if focus is Focus.ARCHITECTURE and gathered.architecture is None:
        gathered.architecture = scan_architecture(state, state.request.folder)
    elif focus is Focus.PATTERNS:
        if nodes:
            gathered.shapes = (*find_alike(state, nodes), *_find_families(state, nodes))
        else:
            gathered.shapes = find_shapes(state, state.request.query)
    elif focus is Focus.DEPENDENCIES and nodes and reading.form is not Form.DEPENDENCIES:
        follow(state, nodes, DEPENDENCIES, state.depth)
    elif focus is Focus.FLOW and nodes and reading.form is not Form.FLOW:
        follow(state, nodes, CALLERS, state.depth)
        follow(state, nodes, CALLEES, state.depth)
        gathered.chains = _build_both(state, nodes, nodes)


def _build_both(state: ResearchState, ends: Sequence[Node], starts: Sequence[Node]) -> list[Chain]:
    """Return the chains that end at `ends`, then those that begin at `starts`."""
    above = build_chains(state, ends, upwards=True)
    below = build_chains(state, starts, upwards=False)
    return list(dict.fromkeys([*above, *below]))


def _find_families(state: ResearchState, nodes: Sequence[Node]) -> tuple[Shape, ...]:
    """Return a shape for each subject that is a base of other symbols, and note those symbols."""
    shapes = []
    for node in nodes:
        found = state.graph.find_implementations(node)
        ordinals = []
        for edge in found.edges:
            other = state.get_node(edge.other)
            state.add(other, f"{edge.type.value} {node.qualified_name}", 1, edge.confidence, edge.lines)
            ordinals.append(f"{other.path}:{other.symbol.start_line}-{other.symbol.end_line}")
        if ordinals:
            note = "symbols that have it as a base, or override it"
            shapes.append(Shape("family", node.qualified_name, len(ordinals), tuple(ordinals[:5]), note))
    return tuple(shapes)


_INVESTIGATIONS: dict[Form, Callable[[ResearchState, Reading, Gathered], None]] = {
    Form.CALLERS: _investigate_callers,
    Form.CALLEES: _investigate_callees,
    Form.TESTS: _investigate_tests,
    Form.IMPLEMENTATIONS: _investigate_implementations,
    Form.DEPENDENTS: _investigate_dependents,
    Form.DEPENDENCIES: _investigate_dependencies,
    Form.CONFIGURED: _investigate_configured,
    Form.FLOW: _investigate_flow,
    Form.DEFINED: _investigate_defined,
    Form.EXTENSION: _investigate_extension,
    Form.ERRORS: _investigate_errors,
    Form.DIFFERENCE: _investigate_difference,
    Form.OPEN: _investigate_open,
    Form.OVERVIEW: _investigate_overview,
}
