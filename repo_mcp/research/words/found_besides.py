"""Add what the words of a question and its guessed names find to what its form found.

A form follows one reading of a question: what a setting reaches, what to copy for a new kind. If that is off,
so is all that it finds. The guessed names are a second reading, and what they find stands beside the form's.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.vocabulary import name_kind
from repo_mcp.record_classes import replace
from repo_mcp.research.errors.asked_functions import is_namesake
from repo_mcp.research.findings.locating import is_document_line
from repo_mcp.research.findings.named_symbols import is_deprecated
from repo_mcp.research.findings.reasons import LAST_RANK, RECIPE, Reason, Role, rank_recipe
from repo_mcp.research.findings.records import Finding, Form, Reading, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, begin_again
from repo_mcp.research.kinds.other_kin import leave_out_others
from repo_mcp.research.question.grammar import DESCRIBED_FORMS
from repo_mcp.research.words.found_seeds import find_seeds
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.product_name import leave_out_product

# Forms whose findings are chosen by words: the others stand among them in turns. Behind those of the forms
# that follow edges, they come last.
_BY_WORDS = frozenset({Form.ERRORS, Form.EXTENSION, Form.DIFFERENCE})
_BY_EDGES = frozenset({Form.DEPENDENTS, Form.CONFIGURED, Form.CALLEES, Form.FLOW})
# What decides by values that are compared, and what is compared.
_COMPARED = frozenset({Role.DECIDES_BY_ALL, Role.DECIDES_BY_ONE, Role.DEFAULT_OF_KIND, Role.NAMED})
_BUILT_KINDS = frozenset(map(name_kind, TYPE_KINDS | {SymbolKind.CONSTRUCTOR}))
FIRST, MOST_BESIDES = 6, 8  # findings next to a subject that come first, and others beside them
# What is shown with the lines that say so.
_CHOSEN = RECIPE | {
    Role.DECIDES_SETTING, Role.CALLS_MEMBER, Role.MAKES_SETTINGS
}  # fmt: skip
_MEMBER = name_kind(SymbolKind.ENUM_MEMBER)
_VALUES = ("constant", "property", "variable")
LEAST_SHOWN = 2  # lines of a finding; fewer show no more than its name


def note_besides(state: ResearchState, reading: Reading) -> None:
    """Note what the words of a question find, if it guesses names and its form follows one reading of it.

    Where a document says how something is added, words find nothing surer than the sections and the kin. What
    is found only below others is no answer where it is asked what depends on a subject.
    """
    roles = {one.role for one in state.findings}
    if Role.TELLS_HOW in roles and roles.isdisjoint(RECIPE):
        return
    is_missing = any(one.taken_as in (TakenAs.UNDECLARED, TakenAs.UNPARSED) for one in reading.subjects)
    if not state.request.guesses or is_missing or reading.form not in _BY_WORDS | _BY_EDGES:
        return
    places = {(one.path, one.start_line): one for one in _find_by_words(state, reading)}
    own = [
        _show_both(one, places.pop((one.path, one.start_line), one), reading.form) for one in state.findings
    ]
    near, far = [one for one in own if not one.hop], [one for one in own if one.hop]
    if reading.form in _BY_WORDS:
        state.findings[:] = [*_mix_near(near, [*places.values()], reading.form), *far]
    else:
        state.findings[:] = [*near, *_mix_far(far, [*places.values()])]


def _find_by_words(state: ResearchState, reading: Reading) -> list[Finding]:
    """Return what words find that the form may show, and note its symbols."""
    other = begin_again(state)
    text = reading.subjects[0].asked if reading.form in DESCRIBED_FORMS else state.request.query
    find_seeds(other, leave_out_product(text, state.source.read_lines))
    recipe = [(one.node, one.role) for one in state.findings if one.node is not None]
    shown = [(one, one.node) for one in other.findings if len(one.shown) >= LEAST_SHOWN]
    found = leave_out_others(state, shown, recipe)
    found = [one for one in found if not is_namesake(state, one.name, one.path)]
    for declaration, node in other.nodes.items():
        state.nodes.setdefault(declaration, node)
    return [one for one in found if reading.form is not Form.DEPENDENTS or one.role is not Role.BESIDE]


def _mix_near(near: Sequence[Finding], found: Sequence[Finding], form: Form) -> list[Finding]:
    """Return the findings next to a subject: the kin first, the others in turns with what words found."""
    kin = [
        one
        for one in near
        if rank_recipe(one.role) < LAST_RANK
        or (one.role in _COMPARED and form is Form.DIFFERENCE)
        or one.kind == _MEMBER
    ]
    turns = _take_turns([one for one in near if one not in kin], found)
    if kin:  # nobody copies what is deprecated
        turns.sort(key=lambda one: one.node is not None and is_deprecated(one.node))  # stable
    return [*kin, *turns]


def _mix_far(far: Sequence[Finding], found: Sequence[Finding]) -> list[Finding]:
    """Return the findings behind edges: the first direct ones, others in turns with what words found."""
    beside = [replace(one, hop=1, reason=Reason(one.why, Role.HAS_WORDS)) for one in found[:MOST_BESIDES]]
    documents = [one for one in far if is_document_line(one)]
    direct = [one for one in far if one.hop == 1 and one not in documents]
    first = max(FIRST, sum(one.role is Role.CALLS_MEMBER for one in direct))
    others = [*direct[first:], *(one for one in far if one.hop > 1 and one not in documents)]
    return [*direct[:first], *_take_turns(beside, others), *documents]


def _show_both(one: Finding, other: Finding, form: Form) -> Finding:
    """Return a finding with the lines that are shown of it or of another one at the same place.

    What shows how one of a kind is added, decides about a setting, calls the members of a type, or undoes
    what a function does, has the lines that say so already. Of what is called, the branches for the text that
    the call gives say more than all others; of a type that is compared and of its constructor, the fields.
    """
    is_table = one.role is Role.SETS and one.kind in _VALUES  # of which the asked lines say enough
    is_built = form is Form.DIFFERENCE and one.kind in _BUILT_KINDS
    is_called = one.role is Role.DEPENDED_ON and bool(one.lines)
    if one.role in _CHOSEN or is_table or is_built or is_called:
        return one
    return replace(one, shown=tuple(sorted({*one.shown, *other.shown})))


def _take_turns(first: Sequence[Finding], second: Sequence[Finding]) -> list[Finding]:
    """Return the findings of two lists in turns, then what the longer one has more."""
    turns = [one for pair in zip(first, second, strict=False) for one in pair]
    return [*turns, *first[len(second) :], *second[len(first) :]]
