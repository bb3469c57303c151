"""Investigate a question: for each form, a function notes findings in an order that suits the form.

`investigate` is called once the reading is settled (settled_reading.py). `_INVESTIGATIONS`, at the end, has
the function of each form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import field

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.graph.vocabulary import CALLS, IMPLEMENTATIONS, NAMED
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.called_functions import show_called
from repo_mcp.research.claims.claims import build_claim
from repo_mcp.research.claims.relation_sentence import is_relation
from repo_mcp.research.claims.structure_sentence import describe_structure
from repo_mcp.research.comparison import note_compared
from repo_mcp.research.edges.chains import build_chains
from repo_mcp.research.edges.function_tables import note_tables
from repo_mcp.research.edges.hops import follow
from repo_mcp.research.edges.link_order import FOLDER_PARTS
from repo_mcp.research.edges.member_uses import note_member_uses
from repo_mcp.research.edges.named_dispatch import note_dispatched
from repo_mcp.research.edges.outside_uses import follow_outside, note_importers
from repo_mcp.research.edges.paths import find_paths
from repo_mcp.research.edges.shown_users import SHORT_LINES, show_implementers, show_users
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.edges.surroundings import gather_groups
from repo_mcp.research.edges.tested import note_tests
from repo_mcp.research.edges.traversals import CALLEES, CALLERS, CONFORMING, DEPENDENCIES, DEPENDENTS
from repo_mcp.research.edges.unparsed import note_unparsed, pair_unparsed
from repo_mcp.research.edges.written_names import note_written_name
from repo_mcp.research.errors.failing import find_failing
from repo_mcp.research.errors.raised import note_raised
from repo_mcp.research.findings.first_sentences import list_comment, read_comment
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.named_symbols import VALUES, show_body
from repo_mcp.research.findings.reasons import Reason, Role, explain_named, rank_recipe
from repo_mcp.research.findings.records import Chain, Focus, Form, Group, Reading, Shape, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, list_uses
from repo_mcp.research.question.asked_words import PreferredKind, find_error_kind
from repo_mcp.research.question.open_readings import is_about_shapes
from repo_mcp.research.question.phrase_names import is_whole_name
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.research.seeds.named_members import find_named_members
from repo_mcp.research.settings.configured import find_settings
from repo_mcp.research.settings.field_readers import find_fields, note_readers
from repo_mcp.research.settings.value_flow import show_value_flow
from repo_mcp.research.structure.architecture import Architecture, scan_architecture, scan_imports
from repo_mcp.research.structure.shapes import find_alike, find_families, find_shapes
from repo_mcp.research.structure.unparsed_folders import note_unparsed_folder
from repo_mcp.research.words.found_besides import note_besides
from repo_mcp.research.words.found_seeds import find_seeds
from repo_mcp.research.words.open_questions import connect
from repo_mcp.research.written.member_places import note_member_places, note_places_of_like
from repo_mcp.research.written.sections import note_documents, note_instructions
from repo_mcp.research.written.written_keys import note_keys
from repo_mcp.research.written.written_texts import note_written
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.product_name import leave_out_product

SUBJECT_CHARS = 700  # shown of a subject
WHOLE_CHARS = 3_000  # of the first one, if the question is how it works
CONNECTED = 8  # declarations that fit a question and from which edges are followed; others are only shown
UNIMPLEMENTED = "Nothing is known to implement or extend it; what depends on it is shown instead."
_ASKS_HOW = re.compile(r"\W*how\b", re.IGNORECASE)
MAX_OVERRIDING, OVERRIDING_CHARS = 4, 500  # declarations that override a subject, and characters of each
_CALLED_BOUNDS = Bounds(files=20, references=60)


@dataclass(slots=True)
class Gathered:
    """The result of an investigation besides the findings it notes."""

    chains: list[Chain] = field(default_factory=list)  # of calls
    architecture: Architecture | None = None  # None: not asked for
    shapes: tuple[Shape, ...] | None = None  # None: not asked for
    claim: str = ""  # the answer in a few sentences; "" if there is none
    groups: tuple[Group, ...] = ()  # what lies around the findings


def investigate(state: ResearchState, reading: Reading) -> Gathered:
    """Run the investigation of the question's form, then add what its focus asks for.

    Raises RepoError with CANCELLED.
    """
    gathered = Gathered()
    if reading.form is Form.DIFFERENCE:
        reading = pair_unparsed(state, reading)
    _note_unread(state, reading)
    unread = (TakenAs.UNDECLARED, *(() if reading.form is Form.RAISED else (TakenAs.UNPARSED,)))
    if all(subject.taken_as not in unread for subject in reading.subjects):
        _follow_form(state, reading, gathered)
        if reading.form is Form.CONFIGURED and not state.findings:
            reading = replace(reading, subjects=(_find_nearest(state, reading.subjects[0]),))
    elif reading.form is Form.DIFFERENCE and any(one.nodes for one in reading.subjects):
        known = replace(reading, subjects=tuple(one for one in reading.subjects if one.nodes))
        _note_subjects(state, known)
        _investigate_defined(state, known, gathered)
        gathered.groups = gather_groups(state, known)
    gathered.claim = gathered.claim or build_claim(state, reading, gathered.chains)
    note_besides(state, reading)
    return gathered


def _note_unread(state: ResearchState, reading: Reading) -> None:
    """Note what texts tell of the subjects that no parser knows."""
    if reading.form is not Form.RAISED:  # which asks texts of any language
        note_unparsed(state, reading)
    for subject in reading.subjects:
        if subject.owner is not None and subject.taken_as is TakenAs.UNDECLARED:
            state.add(subject.owner, explain_named(subject.asked.rpartition(".")[0]), 0)
        elif subject.taken_as is TakenAs.UNDECLARED:
            note_written_name(state, subject)


def _follow_form(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    """Note the subjects and what the form of the question and its focus ask of them."""
    wrapping = _list_wrapping(state, reading)
    if reading.form is not Form.DIFFERENCE:
        _note_subjects(state, reading, wrapping)
    _INVESTIGATIONS[reading.form](state, reading, gathered)
    for node, wrapped in wrapping.items():
        reason = Reason(f"overrides {wrapped.qualified_name} and calls it", Role.FILLS)
        state.add(node, reason, 1, shown=show_body(state, node, OVERRIDING_CHARS))
    if state.request.focus is not None and is_relation(reading.form):  # it adds what is related otherwise
        gathered.claim = build_claim(state, reading, gathered.chains)
    _add_focus(state, reading, gathered)
    gathered.groups = gather_groups(state, reading)


def _note_subjects(state: ResearchState, reading: Reading, later: Collection[Node] = ()) -> None:
    """Note the subjects of the question, but for some, as findings of hop 0."""
    for subject in reading.subjects:
        for node in (node for node in subject.nodes if node not in later):
            sure = Confidence.EXACT if _is_surely(subject, node) else Confidence.POSSIBLE
            asks_how = _asks_how_it_works(state, reading)
            fields = find_fields(state, node) if asks_how else {}
            room = WHOLE_CHARS if asks_how and node == reading.nodes[0] else SUBJECT_CHARS
            shown = () if _is_only_named(reading.form, node) else show_body(state, node, room, fields)
            if reading.form is Form.CONFIGURED and node.symbol.kind in VALUES:  # it often tells the default
                shown = (*list_comment(state, node), *shown)
            state.add(node, explain_named(subject.asked), 0, sure, shown=shown)
        if subject.left_out:
            least = "at least " if subject.left_out_is_least else ""
            followed = "one is" if len(subject.nodes) < 2 else f"{len(subject.nodes)} are"
            state.limit(
                f"{least}{subject.left_out:,} more declarations of {subject.asked}",
                f"{followed} followed; give a qualified name or a path",
            )


def _asks_how_it_works(state: ResearchState, reading: Reading) -> bool:
    return reading.form is Form.CALLEES and _ASKS_HOW.match(state.request.query) is not None


def _is_only_named(form: Form, node: Node) -> bool:
    """Return True for a subject whose body says nothing of what is asked."""
    size = node.symbol.end_line - node.symbol.start_line
    is_long_type = node.symbol.kind in TYPE_KINDS and size >= SHORT_LINES  # the members of a short one count
    return (
        node.symbol.kind is SymbolKind.FILE
        or form in (Form.TESTS, Form.CALLERS)
        or (form is Form.IMPLEMENTATIONS and is_long_type)
    )


def _list_wrapping(state: ResearchState, reading: Reading) -> dict[Node, Node]:
    """Return the subjects that override and call another one for a sister package, each with that one.

    They say less of a relation than the one that does the work, and are noted behind what is related to it.
    """
    nodes = reading.nodes if reading.form in (Form.CALLEES, Form.DEPENDENTS) else []
    links = [link for node in nodes for link in list_overriding(state, node)] if len(nodes) > 1 else []
    own = {node.declaration: node for node in nodes}
    return {
        own[link.source]: own[link.target]
        for link in links
        if link.source in own
        and _find_package(link.source.path) != _find_package(link.target.path)
        and any(edge.other == link.target for edge in list_uses(state, own[link.source], _CALLED_BOUNDS))
    }


def _find_package(path: str) -> list[str]:
    return path.split("/")[:-1][:FOLDER_PARTS]


def _is_surely(subject: Subject, node: Node) -> bool:
    """Return False for what words lead to, and for what has but a part of them as its name."""
    if subject.taken_as is TakenAs.WORDS:
        return False
    is_phrase = subject.taken_as is TakenAs.DECLARED_OTHERWISE and " " in subject.asked
    return not is_phrase or is_whole_name(node.symbol.name, subject.asked)


def _investigate_callers(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = reading.nodes
    if not nodes:
        follow_outside(state, reading.subjects[0], CALLS, CALLERS)
        return
    follow(state, nodes, CALLERS, state.depth)
    note_dispatched(state, nodes)
    show_users(state)
    gathered.chains = build_chains(state, nodes, upwards=True)


def _investigate_tests(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    note_tests(state, reading.nodes)


def _investigate_callees(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = reading.nodes
    if _asks_how_it_works(state, reading):
        note_readers(state, nodes, below=True)
    follow(state, nodes, CALLEES, state.depth)
    show_called(state, nodes)
    gathered.chains = build_chains(state, nodes, upwards=False)


def _investigate_implementations(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    nodes = reading.nodes
    if sum(note_tables(state, node) for node in nodes):
        return
    if nodes:
        follow(state, nodes, CONFORMING, state.depth)
        show_implementers(state)
        if len(state.findings) <= len(nodes):
            state.is_unimplemented = True
            state.warnings.append(UNIMPLEMENTED)
            follow(state, nodes, DEPENDENTS, 1)
    else:
        follow_outside(state, reading.subjects[0], IMPLEMENTATIONS, CONFORMING)


def _investigate_dependents(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    subject = reading.subjects[0]
    if subject.taken_as is TakenAs.FOLDER:
        note_importers(state, subject.name)
    elif not subject.nodes:
        follow_outside(state, subject, NAMED, DEPENDENTS)
    else:
        own = _note_overriding(state, subject.nodes)  # a change reaches them first
        if not sum(note_member_uses(state, node) for node in subject.nodes):
            follow(state, subject.nodes, DEPENDENTS, state.depth)
            note_dispatched(state, subject.nodes)
            show_users(state)
            if _ASKS_HOW.match(state.request.query) and all(
                node.symbol.kind in VALUES for node in subject.nodes
            ):
                show_value_flow(state, subject.nodes)
        else:
            follow(state, subject.nodes, DEPENDENTS, 1)
        if state.depth > 1 and own:
            follow(state, own, DEPENDENTS, 2, first_hop=2)
        note_readers(state, [node for node in subject.nodes if node.symbol.kind in CALLABLE_KINDS])


def _note_overriding(state: ResearchState, nodes: Sequence[Node]) -> list[Node]:
    """Note and return the declarations that override or implement the subjects, unless too many.

    Code that calls an implementation through its own type depends on the signature just as much.
    """
    links = [link for node in nodes for link in list_overriding(state, node)]
    own = [link for link in links if is_program(link.source.path)]
    if len(own) > MAX_OVERRIDING:
        return []
    for link in own:
        other = state.get_node(link.source)
        filled = state.get_node(link.target).qualified_name
        reason = Reason(f"overrides or implements {filled}", Role.FILLS)
        state.add(other, reason, 1, link.confidence, shown=show_body(state, other, OVERRIDING_CHARS))
        state.link(link)
    return [state.get_node(link.source) for link in own]


def _investigate_dependencies(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    subject = reading.subjects[0]
    if subject.taken_as is TakenAs.FOLDER:
        own = state.graph.scan.list_paths(subject.name)
        gathered.architecture = scan_imports(state, own, subject.name)
        return
    files = [node for node in subject.nodes if node.symbol.kind is SymbolKind.FILE]
    if files:
        gathered.architecture = scan_imports(state, [files[0].path], files[0].path)
        return
    follow(state, subject.nodes, DEPENDENCIES, state.depth)


def _investigate_configured(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    subject = reading.subjects[0]
    find_settings(state, subject)
    is_found = any(is_program(one.path) and one.hop for one in state.findings)
    if not (is_found or subject.nodes) and _find_nearest(state, subject) is subject:
        find_seeds(state, subject.asked)
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
            state.warnings.append("No path of calls leads there; these lead the other way.")
    if not gathered.chains:
        state.warnings.append(
            f"No path of calls was found within {state.depth} calls of either end;"
            " what the first calls and what calls the second is shown."
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
    nodes = reading.nodes
    follow(state, nodes, DEPENDENTS, 1)
    follow(state, nodes, DEPENDENCIES, state.depth - 1)  # its users say more of it


def _investigate_extension(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    text = leave_out_product(reading.subjects[0].asked, state.source.read_lines)
    note_instructions(state, text, 2)
    find_seeds(state, text, PreferredKind.EXTENSION)
    state.findings.sort(key=lambda one: rank_recipe(one.role))  # stable
    note_member_places(state)
    note_places_of_like(state)


def _investigate_errors(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    kind = find_error_kind(state.request.query)
    named, reasons = find_failing(state, reading.subjects[0].asked)
    if named and not kind:
        find_seeds(state, reading.subjects[0].asked, PreferredKind.FAILURES, named, reasons)
        return
    text = leave_out_product(reading.subjects[0].asked, state.source.read_lines)
    text = f"{text} {kind}".rstrip()
    connect(state, find_seeds(state, text, PreferredKind.FAILURES)[:CONNECTED], text)


def _investigate_raised(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    note_raised(state, reading.subjects[0])


def _investigate_written(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    if state.keys:
        note_keys(state, reading.subjects[0])
    else:
        note_written(state, reading.subjects[0])


def _investigate_difference(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    gathered.chains = note_compared(state, reading)


def _investigate_open(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    text = leave_out_product(reading.subjects[0].asked, state.source.read_lines)
    if is_about_shapes(state.request):
        return  # its words describe shapes of code, not a symbol
    named = find_named_members(state)
    seeds = find_seeds(state, text, first=[*named], reasons=named, follows=True)
    note_documents(state, text, 1)
    if state.word_match.lacks_most:
        return  # what lies around so little evidence is noise
    connect(state, seeds[:CONNECTED], text)
    callable_ones = [node for node in seeds if node.symbol.kind in CALLABLE_KINDS]
    gathered.chains = _build_both(state, seeds, callable_ones)  # the calls of a type are those of its methods


def _investigate_overview(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    name = reading.subjects[0].name
    folder = "" if name == "." else name
    gathered.claim = note_unparsed_folder(state, folder, read_comment)
    if gathered.claim:
        return
    structure = gathered.architecture = scan_architecture(state, folder)
    whole = name if folder else "The repository"
    gathered.claim = describe_structure(state, whole, structure.modules, structure.layers, structure.number)


def _add_focus(state: ResearchState, reading: Reading, gathered: Gathered) -> None:
    """Add what the focus asks for to what the form of the question gave."""
    nodes = reading.nodes
    focus = state.request.focus
    if focus is Focus.ARCHITECTURE and gathered.architecture is None and reading.form is not Form.OVERVIEW:
        gathered.architecture = scan_architecture(state, state.request.folder)
    elif focus is Focus.PATTERNS:
        if nodes:
            gathered.shapes = (*find_alike(state, nodes), *find_families(state, nodes))
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
    Form.RAISED: _investigate_raised,
    Form.WRITTEN: _investigate_written,
    Form.DIFFERENCE: _investigate_difference,
    Form.OPEN: _investigate_open,
    Form.OVERVIEW: _investigate_overview,
}
