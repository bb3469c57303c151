"""Find the declarations that a question in words is most about, each with its deciding lines.

    question -> its words (question/asked_words.py)
        -> seeds/: what it names indirectly (named_seeds.py), then declarations rated by its words
           (rated_seeds.py)
        -> order/: by what they do (seed_order.py), first what returns a decision (asked_decisions.py) or does
           what may fail (leading_failure.py); which of them leads (leading_seed.py), and what that lacks
           (best_seed.py)
        -> related/: members that do most of what their type does (type_members.py), what does a part of
           the best one's work (called_parts.py), functions and types of guessed names
           (guessed_declarations.py, guessed_types.py), tables (read_tables.py)
        -> reasons that the graph bears out (seeds/confirmed_reasons.py)
        -> of an open question, the order of all but the leading one (order/followers.py)
        -> what a call ties to the best of these (related/tied_functions.py), and what joins two of them
           (related/joining_functions.py); what the best ones call comes first behind those that are shown
           (related/further_functions.py)
        -> the lines of each that are shown (shown_lines.py)

Words that only form the question ("how", "add", "happens") are not searched for. Tests are left out unless
they are asked for. Sections of documents are found separately (written/sections.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from repo_mcp.blocks.best_blocks import RatedBlock
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.record_classes import dataclass
from repo_mcp.research.errors.asked_functions import is_namesake
from repo_mcp.research.errors.raising_lines import fails
from repo_mcp.research.findings.bounds import NARROW
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, rate_words
from repo_mcp.research.kinds.base_types import find_telling_noun
from repo_mcp.research.kinds.other_kin import leave_out_others
from repo_mcp.research.order.asked_decisions import put_predicate_first
from repo_mcp.research.order.best_seed import judge_best
from repo_mcp.research.order.followers import order_followers
from repo_mcp.research.order.lacking_words import list_idioms, weigh_words
from repo_mcp.research.order.leading_failure import put_doers_first, put_handling_first
from repo_mcp.research.order.seed_order import (
    drop_prototypes,
    keep_near,
    put_denying,
    put_failing,
    put_makers_first,
    put_named_by_verb,
    put_quiet_last,
    put_sources_first,
)
from repo_mcp.research.order.twins import put_twins_last
from repo_mcp.research.question.asked_words import PreferredKind, asks_deed, choose_words, includes_tests
from repo_mcp.research.related.called_parts import put_called_parts
from repo_mcp.research.related.called_seeds import put_called
from repo_mcp.research.related.further_functions import put_called_further
from repo_mcp.research.related.guessed_declarations import put_guessed_declarations
from repo_mcp.research.related.guessed_types import put_guessed_types
from repo_mcp.research.related.joining_functions import put_joining
from repo_mcp.research.related.read_tables import put_tables
from repo_mcp.research.related.tied_functions import put_tied
from repo_mcp.research.related.type_members import put_working_members
from repo_mcp.research.seeds.confirmed_reasons import confirm_reasons
from repo_mcp.research.seeds.named_seeds import find_named, keep_with_noun
from repo_mcp.research.seeds.rated_seeds import choose_seeds
from repo_mcp.research.seeds.seed import Seed, build_seed
from repo_mcp.research.words.shown_lines import MOST_BODIES, note_seeds
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import (
    find_action,
    leave_out_form,
    list_base_forms,
    list_words,
    lower_plain_names,
    shares_word,
)
from repo_mcp.text.stop_words import STOP_WORDS

NO_WORD = "The question has no word to search for."
GUESS_NAMES = "Ask again with names that the code may use, in brackets after the question: (retry, backoff)."
# Shown by words alone if most of the words are in no file, a document tells more, or the functions are named
# whose errors are asked for.
FEW_SEEDS = 3
_WORD = re.compile(r"\w+")
_ASKS_DOER = re.compile(r"\W*(?:what|who|which(?: \w+)?) (\w+s)\b(?! (?:is|are|was|were)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedFirst:
    """Symbols that come before declarations which only match the words of a question."""

    nodes: Sequence[Node] = ()
    # of those that the question does not name itself
    reasons: Mapping[Node, Reason] = field(default_factory=dict)
    # Others must have a name and lie in the folder of one of these: elsewhere the words mean something else.
    only_near: bool = False
    are_followed: bool = False  # what they call comes before others that only have words of the question


NONE_NAMED = NamedFirst()


def find_seeds(
    state: ResearchState,
    text: str,
    preferred: PreferredKind = PreferredKind.NOTHING,
    first: NamedFirst = NONE_NAMED,
) -> list[Node]:
    """Note the declarations that a question is most about, best first, and return their symbols."""
    words, guessed = choose_words(state, text), _list_guessed(state)
    if not any(_WORD.search(word) for word in words):
        state.warnings.append(NO_WORD)
        return []
    idioms = {} if guessed else list_idioms(state, text)
    rated = _rate(state, words, idioms, guessed)
    absent = _note_absent(state, words, idioms)
    is_named = bool(first.nodes)
    if not (guessed or is_named) and _lacks_deed(state):
        state.word_match.lacks_most = True
        state.warnings += [*absent, GUESS_NAMES]
        return []
    seeds = _gather(state, rated, preferred, first)
    seeds = seeds if is_named else _put_asked_first(state, seeds, preferred, words)
    state.word_match.lacks_most = state.word_match.lacks_most and not (guessed and seeds)
    if state.word_match.lacks_most:
        seeds = seeds[:FEW_SEEDS]
    if seeds:
        seeds = judge_best(
            state,
            seeds,
            weigh_words(words, state.weights),
            idioms,
            is_named=is_named,
            is_followed=is_named and first.are_followed,
            is_open=preferred is PreferredKind.NOTHING,
            is_deed=not is_named and asks_deed(state.request.query, preferred),
            guessed=guessed,
        )
    if preferred is PreferredKind.EXTENSION and _is_told(state):
        seeds = seeds[:FEW_SEEDS]
    _warn_of_words(state, absent, is_named=is_named)
    seeds = put_guessed_types(state, _put_related(state, seeds, preferred))
    seeds = put_called(state, seeds, first.nodes if first.are_followed else ())
    seeds = confirm_reasons(state, seeds, state.weights)
    seeds = seeds if is_named else _order_followers(state, seeds, words, preferred)
    note_seeds(state, seeds, preferred, is_named=is_named)
    state.report_progress(0.5, f"{len(seeds)} declarations match the words")
    return list(dict.fromkeys(seed.node for seed in seeds if seed.node is not None))


def _warn_of_words(state: ResearchState, absent: Sequence[str], *, is_named: bool) -> None:
    """Warn of words that no file or the best declaration lacks, and ask for names unless some are given."""
    match = state.word_match
    state.warnings += () if match.is_guessed else absent
    if (match.absent or match.lacking) and not (state.request.guesses or is_named):
        state.warnings.append(GUESS_NAMES)


def _gather(
    state: ResearchState, rated: Sequence[RatedBlock], preferred: PreferredKind, first: NamedFirst
) -> list[Seed]:
    """Return what is named, then the rated declarations that are worth showing beside it."""
    named = [build_seed(state, node, 1.0, first.reasons.get(node)) for node in first.nodes]
    found = _choose_found(state, rated, preferred, first.nodes if first.only_near else ())
    indirect = find_named(state, preferred, found)
    given = [*named, *(seed for seed in indirect if seed.node not in first.nodes)]
    beside = found[: _count_beside(state, first.nodes, preferred)]
    return drop_prototypes(_join(given, _choose_of_kind(state, beside, given)))


def _choose_found(
    state: ResearchState, rated: Sequence[RatedBlock], preferred: PreferredKind, near: Sequence[Node]
) -> list[Seed]:
    """Return the rated declarations that are worth showing, without those that only share a name.

    If there are symbols to be `near`, only those in their folders are.
    """
    found = choose_seeds(state, rated, preferred, includes_tests(state), state.weights)
    found = [seed for seed in found if not is_namesake(state, seed.name, seed.path)]
    return keep_near(found, near) if near else found


def _count_beside(state: ResearchState, first: Sequence[Node], preferred: PreferredKind) -> int | None:
    """Return how many declarations are shown that only have words of the question; None for all.

    Beside functions whose errors are asked for and known, others say nothing of what these raise.
    """
    if not first or preferred is not PreferredKind.FAILURES:
        return None
    return 0 if state.failures.failing or any(fails(state, node) for node in first) else FEW_SEEDS


def _lacks_deed(state: ResearchState) -> bool:
    """Return True for one of several questions for what does something, if no file has the verb.

    What has the other words takes room from the other questions, and does something else.
    """
    asked = _ASKS_DOER.match(state.request.query) if state.room.parts > 1 else None
    return asked is not None and asked[1] in state.word_match.absent


def _is_told(state: ResearchState) -> bool:
    """Return True if a document says how one is added, and no declaration is known to be of the kind."""
    is_told = any(one.role is Role.TELLS_HOW for one in state.findings)
    return is_told and bool(state.word_match.lacking)


def _put_asked_first(
    state: ResearchState, seeds: list[Seed], preferred: PreferredKind, words: Sequence[str]
) -> list[Seed]:
    """Return the seeds; first comes what fails, if that is asked for, or what a verb or a source names."""
    if leave_out_form(state.request.query) != state.request.query:  # it asks for errors
        seeds = put_doers_first(seeds, words)
    if preferred is PreferredKind.FAILURES:
        return put_failing(state, seeds)
    if preferred is PreferredKind.NOTHING:
        seeds = put_sources_first(state, put_named_by_verb(seeds, state.request.query))
        seeds = put_handling_first(state, put_makers_first(state, put_denying(state, seeds)))
        return put_predicate_first(state, seeds)
    return seeds


def _put_related(state: ResearchState, seeds: list[Seed], preferred: PreferredKind) -> list[Seed]:
    """Return the seeds with what does the work or is near, or with tables."""
    if preferred is PreferredKind.FAILURES:
        return seeds
    if preferred is PreferredKind.EXTENSION:
        recipe = [(seed.node, seed.reason.role) for seed in seeds if seed.node is not None]
        return put_tables(state, leave_out_others(state, [(seed, seed.node) for seed in seeds], recipe))
    return put_guessed_declarations(state, put_called_parts(state, put_working_members(state, seeds)))


def _order_followers(
    state: ResearchState, seeds: list[Seed], words: Sequence[str], preferred: PreferredKind
) -> list[Seed]:
    """Return the seeds; for an open question, behind the first one come those that promise most."""
    if preferred is not PreferredKind.NOTHING:
        return seeds
    best = seeds[0].node if seeds else None
    edges = () if best is None else state.graph.find_outgoing(best, CALLS, NARROW).edges
    called = {state.get_node(edge.other) for edge in edges}
    guesses = frozenset(list_own_names(state.request.guesses))
    telling = weigh_words(words, state.weights)
    ordered = order_followers(seeds, telling, called, guesses)
    ordered = put_quiet_last(state, ordered) if asks_deed(state.request.query, preferred) else ordered
    ordered = put_tied(state, ordered, telling, MOST_BODIES)
    ordered = put_twins_last(put_joining(state, ordered, telling, MOST_BODIES), guesses)
    return put_called_further(state, ordered, MOST_BODIES)


def _list_guessed(state: ResearchState) -> list[str]:
    """Return the words of the names that the question guesses, without those that no file has."""
    words = list_words(" ".join(state.request.guesses))
    return [word for word in words if word.lower() not in STOP_WORDS and not state.source.is_absent(word)]


def _note_absent(
    state: ResearchState, words: Sequence[str], idioms: Mapping[str, Sequence[str]]
) -> list[str]:
    """Set which words no file has, and return warnings about them."""
    replaced = {word for said in idioms for word in _WORD.findall(said)}
    state.word_match.absent, warnings, state.word_match.lacks_most = state.source.find_absent(
        " ".join(words), replaced
    )
    return warnings


def _rate(
    state: ResearchState,
    words: Sequence[str],
    idioms: Mapping[str, Sequence[str]],
    guessed: Sequence[str],
) -> list[RatedBlock]:
    """Return the declarations rated by words, by their base forms, by what idioms mean and by guessed names.

    Set the weights of all terms.
    """
    plain = [word for own in idioms.values() for word in own]
    plain += [word for word in list_base_forms(words) if not state.source.is_absent(word)]
    prompt = " ".join((lower_plain_names(" ".join((*words, *plain))), *guessed))
    rated, state.weights = rate_words(state, prompt, include_tests=includes_tests(state))
    return rated


def _choose_of_kind(state: ResearchState, found: list[Seed], given: Sequence[Seed]) -> list[Seed]:
    """Return the declarations found by words; for what is to be added, only those of its kind, if known.

    The noun does not tell the kind if its base has a guessed name without the noun.
    """
    asked = find_action(state.request.query)
    bases = [seed.name for seed in given if seed.reason.role in (Role.ENUMERATION, Role.BASE)]
    if asked is None or not bases:
        return found
    noun = find_telling_noun(asked)
    guessed = list_own_names(state.request.guesses)
    is_guessed = any(name in guessed and not shares_word(name, (noun,)) for name in bases)
    return found if is_guessed else keep_with_noun(found, noun)


def _join(given: Sequence[Seed], found: Sequence[Seed]) -> list[Seed]:
    """Return the given declarations, then the other ones that were found."""
    known = {seed.node.declaration for seed in given if seed.node is not None}
    return [*given, *(seed for seed in found if seed.node is None or seed.node.declaration not in known)]
