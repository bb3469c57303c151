"""Investigate a question: for each form, a function notes findings in an order that suits the form.

`investigate` is called once the reading is settled (settled_reading.py). `_INVESTIGATIONS`, at the end, has
the function of each form; those that follow relations are in followed_relations.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import replace
from repo_mcp.research.claims.claims import build_claim
from repo_mcp.research.claims.relation_sentence import is_relation
from repo_mcp.research.claims.structure_sentence import describe_structure
from repo_mcp.research.comparison import note_compared
from repo_mcp.research.edges.chains import build_chains
from repo_mcp.research.edges.hops import follow
from repo_mcp.research.edges.surroundings import gather_groups
from repo_mcp.research.edges.tested import note_tests
from repo_mcp.research.edges.traversals import CALLEES, CALLERS, DEPENDENCIES
from repo_mcp.research.edges.unparsed import note_unparsed, pair_unparsed
from repo_mcp.research.edges.written_names import note_written_name
from repo_mcp.research.errors.failing import find_failing
from repo_mcp.research.errors.raised import note_raised
from repo_mcp.research.findings.first_sentences import read_comment
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import explain_named, rank_recipe
from repo_mcp.research.findings.records import Chain, Finding, Focus, Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.followed_relations import (
    follow_callees,
    follow_callers,
    follow_defined,
    follow_dependencies,
    follow_dependents,
    follow_flow,
    follow_implementations,
)
from repo_mcp.research.gathered import Gathered
from repo_mcp.research.noted_subjects import list_wrappers, note_subjects, note_wrappers
from repo_mcp.research.question.asked_words import PreferredKind, find_error_kind
from repo_mcp.research.question.open_readings import is_about_shapes
from repo_mcp.research.question.phrases import read_phrase
from repo_mcp.research.question.subjects import Subjects
from repo_mcp.research.seeds.named_members import find_named_members
from repo_mcp.research.settings.configured import add_options, find_settings
from repo_mcp.research.structure.architecture import scan_architecture
from repo_mcp.research.structure.shapes import find_alike, find_families, find_shapes
from repo_mcp.research.structure.unparsed_folders import note_unparsed_folder
from repo_mcp.research.words.found_besides import note_besides
from repo_mcp.research.words.found_seeds import NamedFirst, find_seeds
from repo_mcp.research.words.open_questions import connect
from repo_mcp.research.written.member_places import note_member_places, note_places_of_like
from repo_mcp.research.written.sections import note_documents, note_instructions
from repo_mcp.research.written.written_keys import note_keys
from repo_mcp.research.written.written_texts import note_written
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.product_name import leave_out_product

BEHIND = 3  # hops of what is only near to a setting: it comes last
FEW_PLACES = 5  # with a setting that a question describes; beside them, other declarations are shown
CONNECTED = 8  # declarations that fit a question and from which edges are followed; others are only shown


def investigate(state: ResearchState, reading: Reading) -> Gathered:
    """Run the investigation of the question's form, then add what its focus asks for.

    Raises RepoError with CANCELLED.
    """
    gathered = Gathered()
    if reading.form is Form.DIFFERENCE:
        reading = pair_unparsed(state, reading)
    if reading.form is Form.CONFIGURED:
        reading = replace(reading, subjects=(add_options(state, reading.subjects[0]),))
    _note_unread(state, reading)
    unread = (TakenAs.UNDECLARED, *(() if reading.form is Form.RAISED else (TakenAs.UNPARSED,)))
    if all(subject.taken_as not in unread for subject in reading.subjects):
        gathered = _follow_form(state, reading)
        if reading.form is Form.CONFIGURED and not state.findings:
            reading = replace(reading, subjects=(_find_nearest(state, reading.subjects[0]),))
    elif reading.form is Form.DIFFERENCE and any(one.nodes for one in reading.subjects):
        known = replace(reading, subjects=tuple(one for one in reading.subjects if one.nodes))
        note_subjects(state, known)
        follow_defined(state, known)
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


def _follow_form(state: ResearchState, reading: Reading) -> Gathered:
    """Note the subjects and what the form of the question and its focus ask of them."""
    wrappers = list_wrappers(state, reading)
    if reading.form is not Form.DIFFERENCE:
        note_subjects(state, reading, wrappers)
    gathered = _INVESTIGATIONS[reading.form](state, reading) or Gathered()
    note_wrappers(state, wrappers)
    if state.request.focus is not None and is_relation(reading.form):  # which adds other relations
        gathered.claim = build_claim(state, reading, gathered.chains)
    _add_focus(state, reading, gathered)
    gathered.groups = gather_groups(state, reading)
    return gathered


def _investigate_tests(state: ResearchState, reading: Reading) -> None:
    note_tests(state, reading.nodes)


def _investigate_configured(state: ResearchState, reading: Reading) -> None:
    subject = reading.subjects[0]
    find_settings(state, subject)
    is_found = any(is_program(one.path) and one.hop for one in state.findings)
    is_unknown = not (is_found or subject.nodes) and _find_nearest(state, subject) is subject
    if is_unknown:
        find_seeds(state, subject.asked)
    elif " " in subject.asked and len(state.findings) < FEW_PLACES:
        _add_near(state, subject.asked)
    state.report_hop(state.depth)


def _add_near(state: ResearchState, described: str) -> None:
    """Note what the words of a description find, behind the setting; what they lack is no matter here.

    What holds a place of the setting is told with that.
    """
    warnings, own = [*state.warnings], [*state.findings]
    find_seeds(state, described)
    state.warnings[:] = warnings
    near = [replace(one, hop=BEHIND) for one in state.findings if one not in own and not _holds(one, own)]
    state.findings[:] = [*own, *near]


def _holds(outer: Finding, places: Sequence[Finding]) -> bool:
    """Return True if one of some places lies in a finding."""
    return any(
        one.path == outer.path and outer.start_line <= one.start_line <= outer.end_line for one in places
    )


def _find_nearest(state: ResearchState, subject: Subject) -> Subject:
    """Return a setting that no file has as an undeclared subject, which holds the names nearest to it.

    Return any other setting as it is.
    """
    if subject.nodes or not state.source.is_absent(subject.asked):
        return subject
    subjects = Subjects(state.graph, state.request.folder)
    return subjects.find_undeclared(read_phrase(subject.asked), state.source.is_absent) or subject


def _investigate_extension(state: ResearchState, reading: Reading) -> None:
    text = leave_out_product(reading.subjects[0].asked, state.source.read_lines)
    note_instructions(state, text, 2)
    find_seeds(state, text, PreferredKind.EXTENSION)
    state.findings.sort(key=lambda one: rank_recipe(one.role))  # stable
    note_member_places(state)
    note_places_of_like(state)


def _investigate_errors(state: ResearchState, reading: Reading) -> None:
    kind = find_error_kind(state.request.query)
    named, reasons = find_failing(state, reading.subjects[0].asked)
    if named and not kind:
        find_seeds(state, reading.subjects[0].asked, PreferredKind.FAILURES, NamedFirst(named, reasons))
        return
    text = leave_out_product(reading.subjects[0].asked, state.source.read_lines)
    text = f"{text} {kind}".rstrip()
    connect(state, find_seeds(state, text, PreferredKind.FAILURES)[:CONNECTED], text)


def _investigate_raised(state: ResearchState, reading: Reading) -> None:
    note_raised(state, reading.subjects[0])


def _investigate_written(state: ResearchState, reading: Reading) -> None:
    if state.keys:
        note_keys(state, reading.subjects[0])
    else:
        note_written(state, reading.subjects[0])


def _investigate_difference(state: ResearchState, reading: Reading) -> Gathered:
    return Gathered(note_compared(state, reading))


def _investigate_open(state: ResearchState, reading: Reading) -> Gathered:
    text = leave_out_product(reading.subjects[0].asked, state.source.read_lines)
    if is_about_shapes(state.request):
        return Gathered()  # its words describe shapes of code, not a symbol
    named = find_named_members(state)
    seeds = find_seeds(state, text, first=NamedFirst([*named], named, are_followed=True))
    note_documents(state, text, 1)
    if state.word_match.lacks_most:
        return Gathered()  # what lies around so little evidence is noise
    connect(state, seeds[:CONNECTED], text)
    callable_ones = [node for node in seeds if node.symbol.kind in CALLABLE_KINDS]
    return Gathered(_build_both(state, seeds, callable_ones))  # the calls of a type are those of its methods


def _investigate_overview(state: ResearchState, reading: Reading) -> Gathered:
    name = reading.subjects[0].name
    folder = "" if name == "." else name
    claim = note_unparsed_folder(state, folder, read_comment)
    if claim:
        return Gathered(claim=claim)
    structure = scan_architecture(state, folder)
    whole = name if folder else "The repository"
    claim = describe_structure(state, whole, structure.modules, structure.layers, structure.number)
    return Gathered(architecture=structure, claim=claim)


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


_INVESTIGATIONS: dict[Form, Callable[[ResearchState, Reading], Gathered | None]] = {
    Form.CALLERS: follow_callers,
    Form.CALLEES: follow_callees,
    Form.TESTS: _investigate_tests,
    Form.IMPLEMENTATIONS: follow_implementations,
    Form.DEPENDENTS: follow_dependents,
    Form.DEPENDENCIES: follow_dependencies,
    Form.CONFIGURED: _investigate_configured,
    Form.FLOW: follow_flow,
    Form.DEFINED: follow_defined,
    Form.EXTENSION: _investigate_extension,
    Form.ERRORS: _investigate_errors,
    Form.RAISED: _investigate_raised,
    Form.WRITTEN: _investigate_written,
    Form.DIFFERENCE: _investigate_difference,
    Form.OPEN: _investigate_open,
    Form.OVERVIEW: _investigate_overview,
}
