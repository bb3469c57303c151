"""List what shows how to add one of a kind, each declaration with the reason why it is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.bodies.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.citing import shorten
from repo_mcp.research.findings.named_symbols import DOING, VALUES, admits_node, read_code
from repo_mcp.research.findings.reasons import BASES, MODEL, Reason, Role, explain_calling
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.kinds.base_types import is_enumeration
from repo_mcp.research.kinds.calling import list_calling
from repo_mcp.research.kinds.derived_types import is_left_open, list_many_derived, list_program_derived
from repo_mcp.research.kinds.examples import find_listing, find_model
from repo_mcp.research.kinds.folder_families import FolderFamily, find_folder_model
from repo_mcp.research.kinds.listings import find_built_in_types, find_listings
from repo_mcp.research.kinds.open_members import (
    FURTHER_CHARS,
    WHOLE_CHARS,
    find_outside,
    show_lines,
    show_open,
    show_overriding,
)
from repo_mcp.research.kinds.registering import find_call, find_registering, find_taking, list_alike
from repo_mcp.research.kinds.registries import find_registry
from repo_mcp.research.kinds.told_members import BaseTypes, iter_open_bases, read_base_types, tell_members
from repo_mcp.research.kinds.word_listings import find_callee, find_entry_model, find_word_listings
from repo_mcp.symbols.symbol_record import DeclaredSymbol, SymbolKind
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word

MOST_READ = 2  # places of which a user is shown
_DOES = Reason("does in the one to copy what all of the kind do", Role.MODEL)
_REGISTERS = Reason("takes one of the kind, and by its name registers it", Role.REGISTERS)
_CALLED = Reason("is called by each entry of the list", Role.REGISTERS)
_LOADS = Reason("finds them by the name of their folder", Role.READS_LIST)
_TAKES = Reason("can be given one of the kind", Role.TAKES_ONE)
_PART = re.compile(r"[A-Z]?[a-z]{2,}\d*|[A-Z]{2,}(?![a-z])\d*")  # of a name


@dataclass(frozen=True, slots=True)
class Kin:
    """A declaration that shows how one of a kind is added."""

    node: Node | None  # None for lines at the top level of a file
    reason: Reason
    body: Body  # the lines that may be shown of it
    path: str = ""  # of these lines, without a node


def list_kin(state: ResearchState, base: Node, noun: str) -> list[Kin]:
    """Return the declarations that show how to add one of a kind, in the order in which one needs them.

    These are the base type, one to copy, what registers or takes one of the kind, what calls the members to
    be overridden, and where its types are listed.
    """
    types = read_base_types(state, base, noun)
    own, shown = types.own.node, types.members
    kin = _list_base_types(state, types)
    telling = _list_telling(state, own, noun, types.list_names(state))
    members, wanted = {one.name for one in shown}, types.list_wanted(state.request.guesses)
    model = find_model(state, own, telling, members, wanted)
    outside = find_outside(state, model, shown) if model is not None else None
    if model is not None and outside is None and model.language == "go" and shown:
        model = None  # it embeds what has the members
    if model is not None:
        kin.append(Kin(model, MODEL, show_overriding(state, base, model, shown)))
        kin += [Kin(outside, _DOES, read_code(state, outside))] if outside is not None else []
    listings = _list_listings(state, types, model, noun)
    takers = _list_takers(state, base, model)
    if (
        listings
        and takers
        and takers[0].node is not None
        and takers[0].node.symbol.kind is SymbolKind.CONSTRUCTOR
    ):
        takers = []  # which only uses one
    return [*kin, *listings, *takers, *list_callers(state, base, types.base.members, noun)]


def _list_listings(state: ResearchState, types: BaseTypes, model: Node | None, noun: str) -> list[Kin]:
    """Return the places that list the types of a kind."""
    is_enum = is_enumeration(types.base.node)  # of which a member may be named as anything
    whole = [] if is_enum else _list_whole(state, types)
    found = list_places(state, types.own.node, whole, model, noun.split())
    if found:
        return found
    first = find_listing(state, types.own.node, types.kind)
    return [] if first is None else [Kin(first[0], _explain_listing(first[1]), read_code(state, first[0]))]


def list_places(
    state: ResearchState, base: Node, kind: Sequence[Node], model: Node | None, nouns: Sequence[str]
) -> list[Kin]:
    """Return the places that list some of a kind, and what uses these."""
    found = find_listings(state, base, kind, model, nouns)
    kin = [Kin(one.node, _explain_listing(one.count), one.body, one.path) for one in found]
    return [*kin, *list_readers(state, [one.node for one in found if one.node is not None])]


def list_of_folder(state: ResearchState, family: FolderFamily, noun: str) -> list[Kin]:
    """Return what shows how a file is added to the folder of a kind: its base, or what lists it, and one."""
    if family.base is not None:
        return list_kin(state, family.base, noun)
    kin = [Kin(one.node, _explain_listing(one.count), one.body, one.path) for one in family.listings]
    if family.loading is not None:
        kin.append(Kin(family.loading, _LOADS, read_code(state, family.loading)))
    path, node, body = find_folder_model(state, family)
    kin.append(Kin(node, replace(MODEL, about=family.folder), body, path))
    return [*kin, *list_readers(state, [one.node for one in family.listings if one.node is not None])]


def list_by_words(state: ResearchState, nouns: Sequence[str]) -> list[Kin]:
    """Return the lists with the nouns of a kind that has no base, an entry to copy, and what reads them."""
    built_in = find_built_in_types(state)
    if built_in:
        kin = [Kin(one.node, _explain_listing(one.count), one.body, one.path) for one in built_in]
        return [*kin, *list_readers(state, [one.node for one in built_in if one.node is not None])]
    found = find_word_listings(state, nouns)
    kin = []
    for one in found:
        about = "calls" if one.run.is_call else "entries"
        reason = Reason(f"has the words of the question and {len(one.run.lines)} {about} alike", Role.LISTS)
        kin.append(Kin(one.place.node, reason, one.body, one.place.path))
    model = find_entry_model(state, found[0]) if found else None
    callee = find_callee(state, found[0]) if found else None
    if callee is not None:
        kin += [Kin(callee, _CALLED, read_code(state, callee)), *_list_registry(state, [callee])]
    kin += [Kin(model, MODEL, read_code(state, model))] if model is not None and model != callee else []
    return [*kin, *list_readers(state, [one.place.node for one in found if one.place.node is not None])]


def list_readers(state: ResearchState, listings: Sequence[Node]) -> list[Kin]:
    """Return what uses the first places that list a kind, each with the lines that do."""
    kin = []
    known = {*listings}
    for node in [one for one in listings if one.symbol.kind in VALUES | DOING][:MOST_READ]:
        for edge in list_users(state, node, GLANCE, (*CALLS, EdgeType.REFERENCES)):
            other = state.get_node(edge.other)
            if other in known or not admits_node(state, other) or _is_outer(other, node):
                continue
            known.add(other)
            name = shorten(node.qualified_name)
            reason = Reason(
                f"{'calls' if node.symbol.kind in DOING else 'reads'} {name}", Role.READS_LIST, name
            )
            kin.append(Kin(other, reason, show_lines(state, other, edge.lines)))
            break
    return kin


def _is_outer(node: Node, inner: Node) -> bool:
    """Return True for what holds a symbol, and for the top level of a file."""
    return node.symbol.kind is SymbolKind.FILE or inner.qualified_name.startswith(f"{node.qualified_name}.")


def _explain_listing(count: int) -> Reason:
    return Reason(f"names {count} of the kind", Role.LISTS)


def _list_whole(state: ResearchState, types: BaseTypes) -> list[Node]:
    """Return the types of a kind from which no others derive, as far as they are known."""
    bases = (types.base, *types.inner_ones)
    level = [node for one in bases for node in list_many_derived(state, one.node)]
    below = [two for one in level if is_left_open(one) for two in list_program_derived(state, one)]
    whole = dict.fromkeys((*level, *below, *types.kind))
    inner = {one.node for one in types.inner_ones}
    closed = [node for node in whole if not is_left_open(node) and node not in inner]
    return closed or [*whole]  # interfaces, each a kind of node


def _list_base_types(state: ResearchState, types: BaseTypes) -> list[Kin]:
    """Return the base of a kind, then the types between it and most of the kind."""
    base = types.base
    reason = BASES[Role.ENUMERATION if is_enumeration(base.node) else Role.BASE]
    reason = replace(reason, about=tell_members(types))
    kin = [Kin(base.node, reason, show_open(state, base.node, base.members, types.settings))]
    for node in iter_open_bases(state, base.node):
        kin.append(
            Kin(node, Reason(f"{base.node.symbol.name} includes it", Role.BASE), read_code(state, node))
        )
    for one in types.inner_ones:
        members = one.members if one.filled == one.node else ()
        most = WHOLE_CHARS if one is types.own else FURTHER_CHARS
        body = show_open(state, one.node, members, whole_chars=most)
        kin.append(Kin(one.node, BASES[Role.INNER_BASE], body))
    for one in types.inner_ones:
        if one.filled not in (base.node, one.node):
            has = Reason(f"{one.node.symbol.name} has its members from it", Role.INNER_BASE)
            kin.append(Kin(one.filled, has, show_open(state, one.filled, one.members)))
    return kin


def _list_takers(state: ResearchState, base: Node, model: Node | None) -> list[Kin]:
    """Return what registers or takes one of a kind, what does its work, and what gives it the one to copy."""
    taking = find_registering(state, base)
    taker, reason = (taking, _REGISTERS) if taking is not None else (find_taking(state, base), _TAKES)
    if taker is None:
        return []
    kin = [Kin(node, reason, read_code(state, node)) for node in (taker, *list_alike(state, base, taker))]
    kin += _list_registry(state, [one.node for one in kin if one.node is not None])
    call = find_call(state, taker, model) if model is not None else None
    if call is not None and model is not None:
        node, at = call
        given = replace(reason, text=f"{shorten(taker.qualified_name)} is given {model.symbol.name} here")
        kin.append(Kin(node, given, show_lines(state, node, (at,))))
    return kin


def _list_registry(state: ResearchState, takers: Sequence[Node]) -> list[Kin]:
    """Return what keeps the one that some functions take, unless they do themselves, and what looks it up."""
    registry = next(filter(None, (find_registry(state, one) for one in takers)), None)
    if registry is None:
        return []
    keeps = Reason(f"keeps it in {registry.field}", Role.KEEPS)
    looks = Reason(f"looks one up in {registry.field}", Role.KEEPS)
    kin = [Kin(one, looks, read_code(state, one)) for one in registry.looking]
    if registry.keeping in takers:
        return kin
    return [Kin(registry.keeping, keeps, read_code(state, registry.keeping)), *kin]


def list_callers(state: ResearchState, base: Node, members: Sequence[DeclaredSymbol], noun: str) -> list[Kin]:
    """Return the functions that call members of a base, each with the lines that do."""
    return [
        Kin(one.node, explain_calling(one.name), one.body) for one in list_calling(state, base, members, noun)
    ]


def _list_telling(state: ResearchState, base: Node, noun: str, members: Collection[str]) -> list[str]:
    """Return the words of the question and of its guessed names that do not say what the whole kind is.

    The names of `members`, which all of the kind have, tell none of them.
    """
    own = [name for name in state.request.guesses if list_own_names((name,))[0] not in members]
    guessed = (word for name in own for word in (name, *_PART.findall(name)))
    words = dict.fromkeys((*list_words(state.request.query), *guessed))
    return [word for word in words if not shares_word(f"{base.symbol.name} {noun}", (word,))]
