"""Answer in a few sentences, each with its citation, from what an investigation has noted.

The sentences state only findings and the edges between them: what a subject is, its callees, its users, where
it is set.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.research.claims.best_claim import (
    describe_best,
    describe_places,
    is_doubtful,
    leads_unparsed,
    name_words,
)
from repo_mcp.research.claims.differences import (
    describe_calls,
    describe_compared,
    describe_deciding,
    describe_default,
    describe_deriving,
    describe_making,
    describe_members,
    describe_passing,
    describe_running,
)
from repo_mcp.research.claims.errors_by_function import describe_errors
from repo_mcp.research.claims.errors_claim import describe_function, list_named
from repo_mcp.research.claims.overriding_sentence import lead_with_overriding
from repo_mcp.research.claims.raised_sentence import describe_raised
from repo_mcp.research.claims.recipe_sentences import describe_recipe, describe_tables, describe_told
from repo_mcp.research.claims.relation_sentence import describe_relation, is_relation, name_subjects
from repo_mcp.research.claims.settings_sentence import describe_settings
from repo_mcp.research.claims.undeclared_names import describe_unknown
from repo_mcp.research.claims.unparsed_names import describe_unparsed
from repo_mcp.research.claims.written_sentence import describe_keys, describe_written
from repo_mcp.research.edges.shared_members import list_shared_members
from repo_mcp.research.edges.tested import describe_tests
from repo_mcp.research.findings.citing import MAX_NAMED, join_names, name_briefly, shorten
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Chain, Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbol_index.unread_uses import describe_uses, may_be_used
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.question_words import list_shared, list_words

NO_KIND = "No type or list was found to which one more would belong."
_USED_IN = frozenset({Form.CALLERS, Form.DEPENDENTS, Form.IMPLEMENTATIONS, Form.TESTS})
_PATHS = frozenset({SymbolKind.FILE, SymbolKind.MODULE})
_SO_FAR = " among the files that are parsed so far"
_QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:\.|::|#)\w+")


def build_claim(state: ResearchState, reading: Reading, chains: Sequence[Chain]) -> str:
    """Return the answer in a few sentences; "" if there is none for its form.

    `chains` lead from one subject to another.
    """
    if reading.form is Form.RAISED and reading.subjects[0].taken_as is not TakenAs.UNDECLARED:
        return describe_raised(state, reading)
    undeclared = [one for one in reading.subjects if one.taken_as is TakenAs.UNDECLARED]
    unparsed = [one for one in reading.subjects if one.is_unparsed]
    if undeclared or unparsed:
        unknown = [describe_unknown(state, one) for one in undeclared]
        known = [one for one in reading.subjects if one.nodes]  # of a comparison, the other half
        unread = describe_unparsed(state, unparsed, reading.form)
        return " ".join([*unknown, *unread, *describe_compared(state, known)])
    if is_relation(reading.form):
        related = lead_with_overriding(state, reading, describe_relation(state, reading))
        return f"{_describe_undeclared(reading)}{related}{_describe_unread(state, reading)}"
    if reading.form is Form.TESTS:
        tests = describe_tests(state, reading.nodes)
        return f"{_describe_part(reading.subjects[0])}{tests}{_describe_unread(state, reading)}"
    if reading.form is Form.FLOW:
        return _describe_path(reading, chains)
    if reading.form is Form.CONFIGURED:
        return describe_settings(state, reading.subjects[0])
    if reading.form is Form.WRITTEN:
        describe = describe_keys if state.keys else describe_written
        return describe(state, reading.subjects[0])
    if reading.form is Form.DEFINED:
        return " ".join(describe_compared(state, [one for one in reading.subjects if one.nodes]))
    if reading.described is not None:
        return _describe_half(state, reading, reading.described)
    if reading.form is Form.DIFFERENCE and all(subject.nodes for subject in reading.subjects):
        return _describe_difference(state, reading.subjects)
    return _describe_found(state, reading)


def _describe_found(state: ResearchState, reading: Reading) -> str:
    """Return what was found by the words of a question, or that no file has these."""
    own = [node for node in state.nodes.values() if is_test_node(node) is state.wants_tests]
    if state.word_match.lacks_most or (state.word_match.absent and not state.findings):
        return f"This repository may have no answer: no file has the {name_words(state.word_match.absent)}."
    if reading.form is Form.ERRORS and (named := list_named(state)):
        return describe_function(state, named)
    errors = describe_errors(state, reading.subjects[0].asked) if reading.form is Form.ERRORS else None
    if reading.form is not Form.DIFFERENCE and leads_unparsed(state):
        own = []
    if reading.form is Form.EXTENSION:
        return _describe_addition(state, own)
    return _describe_fitting(state, reading.form, own, errors)


def _describe_addition(state: ResearchState, own: Sequence[Node]) -> str:
    """Return where something is added. What only has words of the question is not said if others tell."""
    roles = {one.role for one in state.findings}
    told, recipe = describe_told(state), describe_recipe(state)
    is_doubtful = state.word_match.lacking or state.word_match.is_guessed
    if recipe:
        return recipe
    is_told = Role.TELLS_HOW in roles
    fitting = "" if is_told and is_doubtful else _describe_fitting(state, Form.EXTENSION, own, None)
    is_known = is_told or Role.NAMED_SO in roles or Role.TABLE in roles
    fitting = f"{NO_KIND} {fitting}" if own and fitting and not is_known else fitting
    return " ".join(filter(None, [*told, fitting]))


def _describe_difference(state: ResearchState, subjects: Sequence[Subject]) -> str:
    """Return sentences on declared subjects that are compared: what each is, and what only some have."""
    first = [subject.nodes[0] for subject in subjects]
    passing = describe_passing(state, subjects)
    told = [
        *describe_compared(state, subjects, counts=False),
        *describe_deriving(state, first),
        *describe_making(state),
        *describe_deciding(state),
        *describe_default(state),
        *passing,
        *(describe_members(state, first) or ([] if passing else describe_calls(state, subjects))),
        *describe_running(state, list_shared_members(state, first)[:2]),
    ]
    if state.also_declaring:
        others = join_names(map(name_briefly, state.also_declaring))
        told += [f"All of these names are declared in {others}, too."]
    return " ".join(told)


def _describe_half(state: ResearchState, reading: Reading, described: Subject) -> str:
    """Return what the name is that is compared with something described, and what fits the words for that."""
    named = [one for one in reading.subjects if one.nodes]
    said = describe_compared(state, named)
    known = {node for one in named for node in one.nodes}
    own = [node for node in state.nodes.values() if node not in known and not is_test_node(node)]
    lead = f'"{described.asked}" is no name here, and was looked for by its words:'
    if state.word_match.lacks_most or not own:
        return " ".join([*said, lead, "nothing fits them."])
    best = Subject(own[0].symbol.name, TakenAs.DECLARED, (own[0],))
    passing = describe_passing(state, [*named, best])
    return " ".join([*said, lead, describe_best(state, own, None, is_doubted=is_doubtful(own[0])), *passing])


def _describe_fitting(state: ResearchState, form: Form, own: Sequence[Node], errors: str | None) -> str:
    """Return what fits the words of the question best; `errors` is None unless they are asked for."""
    if form not in (Form.OPEN, Form.ERRORS, Form.EXTENSION, Form.DIFFERENCE):
        return ""
    if own:
        best = describe_best(state, own, errors, is_doubted=form is Form.OPEN and is_doubtful(own[0]))
        return f"{best}{describe_tables(state)}"
    if form is Form.DIFFERENCE:
        return ""
    if state.rated and not state.findings:
        return f"Nothing{state.inside} fits the words of the question{_SO_FAR * state.source.is_partial}."
    none = "No test is among the best matches. " if state.wants_tests else ""
    return f"{none}{errors or ''}{describe_places(state)}"


def _describe_undeclared(reading: Reading) -> str:
    """Return a sentence that says that a member is meant by a name which nothing else has; "" for none."""
    otherwise = [
        one.asked
        for one in reading.subjects
        if one.taken_as is TakenAs.DECLARED_OTHERWISE and _QUALIFIED.fullmatch(one.asked)
    ]
    is_not = "itself is not" if len(set(otherwise)) == 1 else "themselves are not"
    return f"{join_names(otherwise)} {is_not} declared here. " if otherwise else ""


def _describe_part(subject: Subject) -> str:
    """Return a sentence that says that only some of several plain words name what is shown; "" for none."""
    words = list_words(subject.asked)
    names = [f"{node.path} {node.qualified_name}" for node in subject.nodes]
    if subject.taken_as is not TakenAs.DECLARED_OTHERWISE or len(words) < 2 or not names:
        return ""
    held = max((list_shared(one, words) for one in names), key=len)
    return f'Of "{subject.asked}", only {join_names(held)} is a name here. ' if len(held) < len(words) else ""


def _describe_path(reading: Reading, chains: Sequence[Chain]) -> str:
    """Return the surest and shortest path of calls between two subjects, each call with its citation."""
    nodes = reading.nodes
    if not nodes:
        return ""
    if not chains:
        return f"No path of calls is known between {name_subjects([nodes[0], nodes[-1]])}."
    first = chains[0]
    steps = [
        f"{shorten(name)} ({citation})"
        for name, citation in zip(first.symbols[1:], first.citations, strict=False)
    ]
    sure = "" if first.confidence == Confidence.EXACT.value else f", which is only {first.confidence}"
    return f"{shorten(first.symbols[0])} calls {', which calls '.join(steps)}{sure}."


def _describe_unread(state: ResearchState, reading: Reading) -> str:
    """Return sentences on files that no parser reads and that may use the subjects; "" for none.

    Nothing is said of what the subjects use, or of files and modules, which code names by their paths.
    """
    if reading.form not in _USED_IN:
        return ""
    nodes = reading.nodes
    named = [node for node in nodes if node.symbol.kind not in _PATHS]
    named = [node for node in named if may_be_used(node.symbol.kind, node.language)]
    asked = dict.fromkeys((node.symbol.name, node.language) for node in named)
    present, search = state.source.present, state.source.search_exact
    said = (describe_uses(*one, present, search) for one in [*asked][:MAX_NAMED])
    return "".join(f" {one}" for one in said if one)
