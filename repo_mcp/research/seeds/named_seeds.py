"""Find the declarations that a question names indirectly: by an action, or as a kind to be added to.

    "how do I add a custom lookup" -> functions such as `add_lookup` -> the base type `Lookup` and its kin

Where no parser knows the language, the lines that declare types are read (written_kinds.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.reasons import ADDS_SO, NAMED_SO, PLACED_SO, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import (
    find_base,
    find_telling_noun,
    is_compound,
    is_enumeration,
    join_name,
)
from repo_mcp.research.kinds.folder_families import find_folder_family
from repo_mcp.research.kinds.found_families import find_found_base
from repo_mcp.research.kinds.kin import Kin, list_by_words, list_kin, list_of_folder
from repo_mcp.research.kinds.returned_types import list_made, list_made_kin, list_returning
from repo_mcp.research.question.asked_words import PreferredKind
from repo_mcp.research.seeds.named_actions import find_actions
from repo_mcp.research.seeds.seed import Seed, build_seed
from repo_mcp.research.seeds.written_kinds import find_written_kind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import (
    Action,
    count_words,
    find_action,
    find_described_action,
    names_action,
    shares_word,
    spell_plural,
)

CALLING = 0.3  # worth of what calls one of a kind, beside what the question names: it never leads


def find_named(state: ResearchState, preferred: PreferredKind, found: Sequence[Seed] = ()) -> list[Seed]:
    """Return the declarations that the question names indirectly.

    These are the functions named after its action, then the base type of what is to be added.
    """
    asked = find_action(state.request.query)
    action = asked or find_described_action(state.request.query)
    if action is None:
        return []
    seeds = [
        build_seed(state, node, 1.0, NAMED_SO if names_action(node.symbol.name, action) else PLACED_SO)
        for node in ([] if action.is_kind else find_actions(state, action, is_described=asked is None))
    ]
    if any(one.role is Role.TELLS_HOW for one in state.findings):  # which `add_call` does for no system call
        seeds = [seed for seed in seeds if shares_word(seed.name, action.nouns) == len(action.nouns)]
    telling = find_telling_noun(action)
    if telling != action.nouns[-1]:  # `addType` adds no notification type
        seeds = [seed for seed in seeds if shares_word(seed.name, (telling,))]
    if preferred is PreferredKind.EXTENSION and asked is not None:
        seeds, kin = _add_kind(state, action, seeds, found)
    else:
        kin = []
    known = {seed.node for seed in seeds}
    shown = {one.node: one for one in reversed(kin) if one.node not in known}
    own = [one for one in kin if one.node is None or shown.get(one.node) is one]
    return [*seeds, *(_build(state, one) for one in own)]


def _add_kind(
    state: ResearchState, action: Action, seeds: list[Seed], found: Sequence[Seed]
) -> tuple[list[Seed], list[Kin]]:
    """Return what is named after an action that adds one of a kind, as far as it may, and the kin of that."""
    base = find_base(state, action)
    made = [] if base is None else list_made(state, base)
    returning = [] if base is not None else list_returning(state, action)
    family = None if made or returning else find_folder_family(state, action.nouns, base)
    if family is not None:
        seeds = [seed for seed in seeds if count_words(seed.name) == 1 + len(action.nouns)]
        return seeds, list_of_folder(state, family, action.nouns[-1])
    if base is None:
        seeds = [*seeds, *find_written_kind(state, action)] or _find_adding(state, action)
        return seeds, returning or ([] if seeds else _list_found_kin(state, found, action))
    # `addMimeMapping` adds no mapper
    seeds = [seed for seed in seeds if _holds_number(seed.name, action.nouns[-1])]
    seeds = [] if is_enumeration(base) and base.symbol.name in state.request.query else seeds
    compound = is_compound(base, action.nouns)
    if compound:  # `AddSorter` adds no parcel sorter
        seeds = [seed for seed in seeds if shares_word(seed.name, action.nouns) == len(action.nouns)]
    named_by = 2 if compound or find_telling_noun(action) != action.nouns[-1] else 1
    noun = " ".join(action.nouns[-named_by:])
    return seeds, list_made_kin(state, base, made, noun) if made else list_kin(state, base, noun)


def _find_adding(state: ResearchState, action: Action) -> list[Seed]:
    """Return what adds a noun by its name if it is asked how to register one: `add_hook` for a hook."""
    if action.verb != "register":
        return []
    adding = find_actions(state, replace(action, verb="add"), is_described=False)
    return [build_seed(state, node, 1.0, ADDS_SO) for node in adding]


def _list_found_kin(state: ResearchState, found: Sequence[Seed], action: Action) -> list[Kin]:
    """Return the kin of a family that stands out among what was found, or else of a list by words."""
    nodes = [one.node for one in found]
    base = find_found_base(state, nodes, action.nouns, is_sure=True)
    kin = [] if base is not None else list_by_words(state, action.nouns)
    base = base if kin else base or find_found_base(state, nodes, action.nouns)
    return kin if base is None else list_kin(state, base, action.nouns[-1])


def _build(state: ResearchState, one: Kin) -> Seed:
    """Return what shows how one of a kind is added as a seed; what only calls one never leads."""
    if one.node is None:
        return Seed(one.path, one.body, "", one.path, None, 1.0, one.reason)
    worth = CALLING if one.reason.role is Role.CALLS_KIND else 1.0
    return replace(build_seed(state, one.node, worth), reason=one.reason, body=one.body)


def _holds_number(name: str, noun: str) -> bool:
    """Return True if a name has a noun, in the singular or in the plural."""
    joined = join_name(name)
    return noun.removesuffix("s") in joined or spell_plural(noun) in joined


def keep_with_noun(seeds: Sequence[Seed], noun: str) -> list[Seed]:
    """Return the seeds that have a noun: where others of its kind are known, what lacks it is noise."""
    return [seed for seed in seeds if _holds_noun(seed, noun)]


def _holds_noun(seed: Seed, noun: str) -> bool:
    """Return True for a declaration whose lines or name have a noun."""
    held = {term for terms in seed.body.terms.values() for term in terms}
    return not held.isdisjoint(get_word_terms(noun)) or bool(shares_word(seed.name, (noun,)))
