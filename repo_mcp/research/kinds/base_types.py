"""Find the base type of a kind: the type named after it from which others derive.

A custom lookup derives from `Lookup`, a formatter from `IMessagePackFormatter`. An enumeration is the base of
its own members.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.vocabulary import IMPLEMENTATIONS
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.named_symbols import MOST_ALIKE, find_by_name, is_deprecated
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.derived_types import (
    count_derived,
    is_left_open,
    is_unfilled,
    list_derived,
    list_program_derived,
    measure_derived,
)
from repo_mcp.research.kinds.siblings import OF_BASES, split_words
from repo_mcp.research.question.members_of_types import list_fields, list_symbols
from repo_mcp.research.question.phrase_names import list_names, looks_like_name
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolKind
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import Action, list_words, name_agent, shares_word

LEAST_COMMON = 3  # types that derive from the base of a kind, where they show it
LEAST_GUESSED = 4  # types that derive from a base that is only guessed
LEAST_CONFIRMED = 2  # of them, if one of these is guessed as well
MOST_INNER = 2  # types between the base and most of its kind
MOST_TYPES = 6  # types whose derived types are counted, interfaces and abstract ones first
_LIKE = re.compile(r"\b(?:such as|besides?|like|similar to|next to|alongside)\s+([^()?]+)", re.IGNORECASE)
_OF_KINDS = ("Type", "Kind")  # end the name of an enumeration of kinds
# What all kinds may be called.
_ANY_KIND = frozenset(
    {
        "algorithm",
        "backend",
        "class",
        "implementation",
        "kind",
        "mechanism",
        "scheme",
        "strategy",
        "type",
        "variant",
    }
)


def find_base(state: ResearchState, action: Action) -> Node | None:
    """Return the type named by the last nouns, or else the one with most derived types whose name ends so.

    Return None if no such type has derived types or is an enumeration so named. What is deprecated is no base
    of anything new. An enumeration that the question names is the base of a new member. A storage backend may
    be just a storage, a versioning scheme a versioner, and a two-factor provider a member of
    `TwoFactorProviderType`. Where types have the whole name of the kind, such as `TwoFactorProvider`, a type
    from which none of them derives is the base of another. A type that the question guesses is the base if
    more derive from it and the nouns name no other one, or if it is another base beside the one they name.
    """
    named = _find_named_enumeration(state)
    if named is not None:
        return named
    base = _find_asked_base(state, action)
    if base is not None and not _is_guessed(state, base):
        base = _find_guessed_sibling(state, base) or base
    if base is not None and _is_unguessed(state, base, action.nouns):
        base = None
    is_sure = base is not None and _is_meant(base, action.nouns)
    guessed = None if is_sure else _find_guessed_base(state, is_own=action.is_kind)
    if guessed is not None and action.is_kind and (base is None or _is_guessed(state, base)):
        return guessed
    found = [node for node in (base, guessed) if node is not None]
    return max(found, key=lambda node: count_derived(state, node) if len(found) > 1 else (0, 0), default=None)


def _find_named_enumeration(state: ResearchState) -> Node | None:
    """Return the one enumeration whose name the question has: "a new value for TrimMode"; None for none."""
    names = [name for name in list_names(state.request.query) if looks_like_name(name)]
    types = [node for name in names for node in search_types(state, name) if node.symbol.name == name]
    return types[0] if len(types) == 1 and is_enumeration(types[0]) else None


def _find_asked_base(state: ResearchState, action: Action) -> Node | None:
    """Return the base that the nouns of a question lead to, as `find_base` says."""
    base = _find_base_of(state, action.nouns)
    if base is not None and (
        _is_embedded(state, base)
        or is_of_another_kind(state, base, action.nouns)
        or _is_elsewhere(state, base, action.nouns)
    ):
        base = None
    if base is None and len(action.nouns) > 1:
        return _find_base_in_other_words(state, action.nouns)
    return base


def _is_embedded(state: ResearchState, node: Node) -> bool:
    """Return True for a struct of fields: what embeds it in Go is none of a kind."""
    return node.symbol.kind is SymbolKind.STRUCT and bool(list_fields(state.graph, node))


def _is_guessed(state: ResearchState, node: Node) -> bool:
    return node.symbol.name in list_own_names(state.request.guesses)


def _find_guessed_sibling(state: ResearchState, base: Node) -> Node | None:
    """Return the guessed type that is another base of the kind beside an asked one; None for none.

    A `PageFilter` beside the `Filter` for what is no page: both derive from one type, types derive from each,
    and the nouns say only the end of its name.
    """
    names = [one for one in list_own_names(state.request.guesses) if one.endswith(base.symbol.name)]
    types = [node for name in names for node in search_types(state, name) if node.symbol.name == name]
    above = list_bases(state, base) if types else []
    for node in types:
        bases = list_bases(state, node)
        is_base = base not in bases and (is_left_open(node) or bool(list_derived(state, node)))
        if is_base and any(one in above for one in bases):
            return node
    return None


def _find_guessed_base(state: ResearchState, *, is_own: bool = False) -> Node | None:
    """Return the type with a guessed name from which most derive, or None.

    It is left open for at least LEAST_GUESSED, or one of LEAST_CONFIRMED is guessed as well. Of somebody's
    own kind, "how do I write a custom gate", it need not be left open, and the first one guessed is meant:
    who guesses names what to derive from, then what is needed besides. If the question
    says what the new one is like, "such as those for bikes", a type that derives from the base must say so.
    If there is none, a guessed enumeration of kinds is the base: `FailureKind`.
    """
    names = list_own_names(state.request.guesses)
    types = dict.fromkeys(node for name in names for node in _search_interfaces_first(state, name))
    named = [node for node in types if node.symbol.name in names][:MOST_TYPES]
    derived = {node: list_derived(state, node) for node in named}
    counts = {node: measure_derived(own) for node, own in derived.items()}
    like = list_words(found[1]) if (found := _LIKE.search(state.request.query)) else []
    bases = [
        node
        for node, own in derived.items()
        if (
            (counts[node][0] >= LEAST_GUESSED and (is_own or is_left_open(node)))
            or (counts[node][0] >= LEAST_CONFIRMED and any(one.symbol.name in names for one in own))
        )
        and (not like or _has_alike(node, own, like))
    ]
    kinds = (node for node in named if is_enumeration(node) and node.symbol.name.endswith(_OF_KINDS))
    first = max(bases[:1] if is_own else bases, key=counts.__getitem__, default=None)
    return first or next(kinds, None)


def _has_alike(base: Node, derived: Sequence[Node], like: Sequence[str]) -> bool:
    """Return True if a type that derives from a base has one of some words and the base has not."""
    own = [word for word in like if not shares_word(base.symbol.name, (word,))]
    return any(shares_word(node.symbol.name, own) for node in derived)


def _is_unguessed(state: ResearchState, base: Node, nouns: Sequence[str]) -> bool:
    """Return True for a base that shares a noun with the question and no word with the names it guesses."""
    names = state.request.guesses
    is_guessed = any(shares_word(name, list_words(base.symbol.name)) for name in names)
    return bool(names) and not is_guessed and not _is_meant(base, nouns)


def _search_interfaces_first(state: ResearchState, query: str) -> list[Node]:
    """Return types that fit a query, interfaces by a search of their own: more classes have most nouns."""
    return [node for kind in ("interface", None) for node in search_types(state, query, kind)]


def _is_meant(base: Node, nouns: Sequence[str]) -> bool:
    """Return True for a type that has the last noun as its name, or more than one of the nouns in it."""
    return _is_named(base, nouns[-1].capitalize()) or is_compound(base, nouns)


def _find_base_in_other_words(state: ResearchState, nouns: Sequence[str]) -> Node | None:
    """Return the base of a storage backend or a versioning scheme, or the enumeration of a kind's types."""
    if nouns[-1] not in _ANY_KIND:
        name = "".join(map(str.capitalize, nouns))
        types = [node for ending in _OF_KINDS for node in search_types(state, f"{name}{ending}")]
        named = (node for node in types if join_name(node.symbol.name).startswith(name.lower()))
        return next(filter(is_enumeration, named), None)
    *first, last = nouns[:-1]
    agent = name_agent(last)
    base = None if agent is None else _find_base_of(state, (*first, agent))
    return _find_base_of(state, (*first, last)) if base is None else base


def is_of_another_kind(state: ResearchState, base: Node, nouns: Sequence[str]) -> bool:
    """Return True if types are named by all nouns of a kind and none of them is a base or derives from it."""
    if len(nouns) < 2 or shares_word(base.symbol.name, nouns) > 1:
        return False
    ending = "".join(map(str.capitalize, nouns))
    named = [node for node in search_types(state, f"*{ending}") if is_program(node.path)]
    derived = list_derived(state, base)
    below = (two for one in derived[:MOST_TYPES] if is_left_open(one) for two in list_derived(state, one))
    return bool(named) and not {base, *derived, *below}.intersection(named)


def _is_elsewhere(state: ResearchState, base: Node, nouns: Sequence[str]) -> bool:
    """Return True for a base with a word before the last noun that is none of the question's.

    It is the base of another kind, `TimeFormat` of no serialization format, if neither its path nor what
    derives from it has one of the other nouns.
    """
    words = [word for word in split_words(base.symbol.name) if word not in OF_BASES]
    if len(nouns) < 2 or len(words) < 2 or shares_word(base.symbol.name, nouns) > 1:
        return False
    others = [base, *list_derived(state, base)]
    return not any(shares_word(f"{one.path} {one.qualified_name}", nouns[:-1]) for one in others)


def _find_base_of(state: ResearchState, nouns: Sequence[str]) -> Node | None:
    whole, *names = dict.fromkeys(
        "".join(map(str.capitalize, own)) for own in (nouns, nouns[-2:], nouns[-1:])
    )
    names = names or [whole]
    for name in dict.fromkeys((whole, *names)):
        named = [node for node in search_types(state, name) if _is_named(node, name)]
        if len(named) > MOST_TYPES:
            return _find_common_base(state, named)
        fitting = [node for node in named if _is_own_enumeration(node, nouns) or list_derived(state, node)]
        if fitting:  # of `Sorter` and `ISorter`, that from which more derive
            return max(fitting, key=lambda node: count_derived(state, node) if len(fitting) > 1 else (0, 0))
    for name in names:
        types = _search_interfaces_first(state, f"*{name}")
        compared = sorted(dict.fromkeys(types), key=lambda node: not is_left_open(node))[:MOST_TYPES]
        counts = [(count_derived(state, node), node) for node in compared]
        most, best = max(counts, key=lambda one: one[0], default=((0, 0), None))
        common = _find_common_base(state, types, LEAST_COMMON) if most[1] < LEAST_COMMON else None
        if common is not None and count_derived(state, common) >= most:
            return common
        if most[1]:
            return best
    return None


def _is_own_enumeration(node: Node, nouns: Sequence[str]) -> bool:
    """Return True for an enumeration whose name or path has one of several nouns beside the last."""
    is_whole = len(nouns) < 2 or shares_word(f"{node.path} {node.qualified_name}", nouns[:-1]) > 0
    return is_whole and is_enumeration(node)


def _is_named(node: Node, name: str) -> bool:
    """Return True for a type with a name, or for the interface of what has it."""
    joined = join_name(node.symbol.name)
    is_interface = node.symbol.kind is SymbolKind.INTERFACE and joined == f"i{name.lower()}"
    return joined == name.lower() or is_interface


def _find_common_base(state: ResearchState, named: Sequence[Node], least: int = 1) -> Node | None:
    """Return the type from which most types of one name derive, and at least so many; None without one."""
    bases: Counter[Declaration] = Counter()
    for node in named[:MOST_ALIKE]:
        state.check()
        bases.update({edge.other for edge in state.graph.find_outgoing(node, IMPLEMENTATIONS, GLANCE).edges})
    found = max(bases, key=lambda one: (bases[one], one.path, one.ordinal), default=None)
    return state.get_node(found) if found is not None and bases[found] >= least else None


def search_types(state: ResearchState, query: str, kind: str | None = None) -> list[Node]:
    """Return the types that `find_by_name` finds and that are not deprecated."""
    return [
        node
        for node in find_by_name(state, query, kind)
        if node.symbol.kind in TYPE_KINDS and not is_deprecated(node)
    ]


def list_inner_bases(state: ResearchState, base: Node) -> list[Node]:
    """Return types below a base that are bases themselves, from each of which more derive than from the base.

    Such a type is abstract, leaves members to what derives from it, or has none of its own. The first one has
    most; another one has at least half as many, or is guessed.
    """
    level = list_program_derived(state, base)
    counts: dict[Node, int] = {}
    inner_ones = level[:MOST_TYPES]
    for _ in range(2):
        derived = {node: list_program_derived(state, node) for node in inner_ones if _is_inner(state, node)}
        counts |= {node: len(own) for node, own in derived.items() if node not in counts}
        below = [node for one, own in derived.items() if len(own) <= len(level) for node in own]
        inner_ones = below[:MOST_TYPES]
    found = [node for node in counts if counts[node] > len(level)]
    most = max((counts[node] for node in found), default=0)
    told = [node for node in found if 2 * counts[node] >= most or _is_guessed(state, node)]
    return sorted(told, key=lambda node: -counts[node])[:MOST_INNER]  # stable


def _is_inner(state: ResearchState, node: Node) -> bool:
    return is_left_open(node) or is_unfilled(state, node) or not list_symbols(state.graph, node)


def find_filled(state: ResearchState, node: Node) -> Node:
    """Return a type, or if it has no members of its own, the one above it that has most."""
    counts = {one: len(list_symbols(state.graph, one)) for one in (node, *list_bases(state, node))}
    return node if counts[node] else max(counts, key=counts.__getitem__)


def is_enumeration(node: Node) -> bool:
    """Return True for a type whose kinds are its own members."""
    return node.symbol.kind is SymbolKind.ENUM


def is_compound(node: Node, nouns: Sequence[str]) -> bool:
    """Return True for a type that is named by more than one of the nouns of a kind."""
    name = node.symbol.name
    return shares_word(name, nouns) > 1 or (len(nouns) > 1 and join_name(name) == "".join(nouns[-2:]))


def find_telling_noun(action: Action) -> str:
    """Return the last noun of an action, or the one before if all kinds are called so, such as "backend"."""
    return next((noun for noun in reversed(action.nouns) if noun not in _ANY_KIND), action.nouns[-1])


def join_name(name: str) -> str:
    """Return a name as one word: a content view may be a `ContentView`, `Contentview` or `content_view`."""
    return name.replace("_", "").lower()
