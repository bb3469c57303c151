"""List what shows how to add one of a kind, each declaration with the reason why it is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.bodies.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.citing import shorten
from repo_mcp.research.findings.named_symbols import read_code
from repo_mcp.research.findings.reasons import BASES, MODEL, Reason, Role, explain_calling
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import is_enumeration
from repo_mcp.research.kinds.calling import list_calling
from repo_mcp.research.kinds.examples import find_listing, find_model
from repo_mcp.research.kinds.open_members import (
    FURTHER_CHARS,
    WHOLE_CHARS,
    find_outside,
    show_line,
    show_open,
    show_overriding,
)
from repo_mcp.research.kinds.registering import find_call, find_registering, find_taking, list_alike
from repo_mcp.research.kinds.told_members import BaseTypes, iter_open_bases, read_base_types, tell_members
from repo_mcp.symbols.symbol_record import DeclaredSymbol
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word

_DOES = Reason("does in the one to copy what all of the kind do", Role.MODEL)
_REGISTERS = Reason("takes one of the kind, and by its name registers it", Role.REGISTERS)
_TAKES = Reason("can be given one of the kind", Role.TAKES_ONE)
_PART = re.compile(r"[A-Z]?[a-z]{2,}\d*|[A-Z]{2,}(?![a-z])\d*")  # of a name


@dataclass(frozen=True, slots=True)
class Kin:
    """A declaration that shows how one of a kind is added."""

    node: Node
    reason: Reason
    body: Body  # the lines that may be shown of it


def list_kin(state: ResearchState, base: Node, noun: str) -> list[Kin]:
    """Return the declarations that show how to add one of a kind, in the order in which one needs them.

    These are the base type, one to copy, what registers or takes one of the kind, what calls the members to
    be overridden, and where its types are listed.
    """
    types = read_base_types(state, base, noun)
    kind, own, shown = types.kind, types.own.node, types.members
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
    kin += _list_takers(state, base, model)
    kin += list_callers(state, base, types.base.members, noun)
    found = find_listing(state, own, kind)
    if found is not None:
        listing, count = found
        names = Reason(f"names {count} of the kind", Role.LISTS)
        kin.append(Kin(listing, names, read_code(state, listing)))
    return kin


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
    call = find_call(state, taker, model) if model is not None else None
    if call is not None and model is not None:
        node, at = call
        given = replace(reason, text=f"{shorten(taker.qualified_name)} is given {model.symbol.name} here")
        kin.append(Kin(node, given, show_line(state, node, at)))
    return kin


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
