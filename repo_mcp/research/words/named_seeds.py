"""Find the declarations that a question names indirectly: by an action, or as a kind to be added to.

    "how do I add a custom lookup" -> functions such as `add_lookup` -> the base type `Lookup` and its kin

Where no type is the base of a kind, as in C, a table may list it. Where no parser knows the language, the
lines that declare types are read (written_kinds.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from repo_mcp.record_classes import replace
from repo_mcp.research.findings.named_symbols import VALUES
from repo_mcp.research.findings.reasons import NAMED_SO, Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import (
    find_base,
    find_guessed_base,
    find_likely_base,
    find_telling_noun,
    is_compound,
    join_name,
)
from repo_mcp.research.kinds.examples import LEAST_LISTED, find_tables
from repo_mcp.research.kinds.kin import list_kin
from repo_mcp.research.words.named_actions import find_actions
from repo_mcp.research.words.rated_seeds import PreferredKind, Seed, build_seed
from repo_mcp.research.words.written_kinds import find_written_kind
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.question_words import (
    find_action,
    find_described_action,
    names_kind,
    shares_word,
    spell_plural,
)

MOST_TABLES = 8  # best declarations among which a table of what is to be added is looked for
MOST_LIKELY = 6  # best declarations among which several may belong to the kind that is meant
ROWS_SHARE = 0.25  # of the lines of such a table, those that have the noun


def find_named(state: ResearchState, preferred: PreferredKind) -> list[Seed]:
    """Return the declarations that the question names indirectly.

    These are the functions named after its action, then the base type of what is to be added.
    """
    asked = find_action(state.request.query)
    action = asked or find_described_action(state.request.query)
    if action is None:
        return []
    seeds = [
        replace(build_seed(state, node, 1.0), reason=NAMED_SO)
        for node in ([] if action.is_kind else find_actions(state, action, is_described=asked is None))
    ]
    base = find_base(state, action) if preferred is PreferredKind.EXTENSION and asked is not None else None
    if base is not None:  # `addMimeMapping` adds no mapper
        seeds = [seed for seed in seeds if _holds_number(seed.name, action.nouns[-1])]
    compound = base is not None and is_compound(base, action.nouns)
    if compound:  # `AddSorter` adds no parcel sorter
        seeds = [seed for seed in seeds if shares_word(seed.name, action.nouns) == len(action.nouns)]
    if base is None and preferred is PreferredKind.EXTENSION and asked is not None:
        seeds += find_written_kind(state, asked)
    known = {seed.node for seed in seeds}
    named_by = 2 if compound or find_telling_noun(action) != action.nouns[-1] else 1
    kin = [] if base is None else list_kin(state, base, " ".join(action.nouns[-named_by:]))
    return [
        *seeds,
        *(replace(build_seed(state, node, 1.0), reason=why) for node, why in kin if node not in known),
    ]


def _holds_number(name: str, noun: str) -> bool:
    """Return True if a name has a noun, in the singular or in the plural."""
    joined = join_name(name)
    return noun.removesuffix("s") in joined or spell_plural(noun) in joined


def put_table_first(state: ResearchState, seeds: Sequence[Seed], nouns: Sequence[str]) -> list[Seed]:
    """Return the seeds; if a good one is a table of the kind, or else any constant is, it leads and says so.

    Where no type is the base of a kind, as in C, a table lists them. Its name consists of the nouns, or many
    of its lines have the last one: `INFIX_OPERATOR(PREC_TERM, "+")`.
    """
    noun = nouns[-1]
    named = (build_seed(state, node, 0.0) for node in find_tables(state, nouns))
    for seed in chain(seeds[:MOST_TABLES], named):
        kind = None if seed.node is None else seed.node.symbol.kind
        rows = range(seed.body.head_line + 1, seed.body.end_line) if kind in VALUES else ()
        own = [number for number in rows if number not in seed.body.comment_lines]
        held = sum(bool(shares_word(seed.body.lines[number - 1], (noun,))) for number in own)
        is_named = len(own) >= LEAST_LISTED and names_kind(seed.name, nouns)
        if is_named or held >= max(LEAST_LISTED, ROWS_SHARE * len(own)):
            listed = "the kind, by its name" if is_named else f"{held} of the kind"
            reason = Reason(f"lists {listed}, as it would a new {noun}", Role.TABLE)
            return [replace(seed, reason=reason), *(one for one in seeds if one.node != seed.node)]
    return [*seeds]


def put_likely_kind(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the kin of a kind to which several of the best seeds belong, and then the seeds; [] without one.

    Where no type is named after what is to be added, as for "a way of delivering alerts", a guessed name or
    the types that fit the words show of which kind it is.
    """
    fitting = [seed.node for seed in seeds[:MOST_LIKELY] if seed.node is not None]
    base = find_guessed_base(state) or find_likely_base(state, fitting)
    if base is None:
        return []
    kin = list_kin(state, base, base.symbol.name)
    known = {node for node, _ in kin}
    told = [(node, replace(why, about=node.symbol.name) if node is base else why) for node, why in kin]
    first = [replace(build_seed(state, node, 1.0), reason=why) for node, why in told]
    return [*first, *(seed for seed in seeds if seed.node not in known)]


def keep_with_noun(seeds: Sequence[Seed], noun: str) -> list[Seed]:
    """Return the seeds that have a noun: where others of its kind are known, what lacks it is noise."""
    return [seed for seed in seeds if _holds_noun(seed, noun)]


def _holds_noun(seed: Seed, noun: str) -> bool:
    """Return True for a declaration whose lines or name have a noun."""
    held = {term for terms in seed.body.terms.values() for term in terms}
    return not held.isdisjoint(get_word_terms(noun)) or bool(shares_word(seed.name, (noun,)))
