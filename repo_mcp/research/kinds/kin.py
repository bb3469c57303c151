"""List what shows how to add one of a kind, each declaration with the reason why it is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from repo_mcp.bundler.body import Body
from repo_mcp.graph.nodes import Node
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.named_symbols import read_code
from repo_mcp.research.findings.reasons import Reason, Role, explain_base, explain_calling, explain_model
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import find_inner_base, is_enumeration
from repo_mcp.research.kinds.calling import list_calling
from repo_mcp.research.kinds.defaults import list_defaults
from repo_mcp.research.kinds.derived_types import list_program_derived
from repo_mcp.research.kinds.examples import find_listing, find_model, list_kind
from repo_mcp.research.kinds.making import find_making, find_mark
from repo_mcp.research.kinds.open_members import (
    find_outside,
    is_required,
    list_open_members,
    list_overridable,
    show_line,
    show_open,
    show_overriding,
)
from repo_mcp.research.kinds.registering import find_registering, find_taking
from repo_mcp.symbols.symbol_record import DeclaredSymbol
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word

MOST_TOLD, MOST_BESIDE = 4, 2  # members that others of the kind override; of those that not each must
_DOES = Reason("does in the one to copy what all of the kind do", Role.MODEL)
_REGISTERS = Reason("takes one of the kind, and by its name registers it", Role.REGISTERS)
_TAKES = Reason("can be given one of the kind", Role.TAKES_ONE)
_MARKS = Reason("most of the kind are marked with it", Role.MARKS)
_DEFAULTS = Reason("says which of the kind are used by default", Role.SAYS_DEFAULT)
_MAKES = Reason("makes one of the kind, by what it is given", Role.MAKES_ONE)
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
    be overridden, what marks one and makes one by its name, where its types are listed, and which of them
    are used by default.
    """
    inner = find_inner_base(state, base)
    own = base if inner is None else inner
    kind = list_kind(state, own, noun)
    members = list_open_members(state, base, dict.fromkeys((*list_program_derived(state, base), *kind)))
    reason = explain_base(Role.ENUMERATION if is_enumeration(base) else Role.BASE, noun)
    reason = replace(reason, about=_tell_members(state, base, members))
    kin = [Kin(base, reason, show_open(state, base, members))]
    if inner is not None:
        kin.append(Kin(inner, explain_base(Role.INNER_BASE, noun), read_code(state, inner)))
    names = {one.name for node in (base, own) for one in list_overridable(state, node)}
    model = find_model(state, own, _list_telling(state, own, noun, names), {one.name for one in members})
    if model is not None:
        kin.append(Kin(model, explain_model(noun), show_overriding(state, base, model, members)))
        outside = find_outside(state, model, members)
        kin += [Kin(outside, _DOES, read_code(state, outside))] if outside is not None else []
    taking = find_registering(state, base)
    taker, reason = (taking, _REGISTERS) if taking is not None else (find_taking(state, base), _TAKES)
    kin += [Kin(taker, reason, read_code(state, taker))] if taker is not None else []
    kin += list_callers(state, base, members, noun)
    others = [
        (find_mark(state, kind), _MARKS),
        (find_making(state, base), _MAKES),
    ]
    listing, count = find_listing(state, own, kind) or (None, 0)
    others.append((listing, Reason(f"names {count} of the kind, as it would a new {noun}", Role.LISTS)))
    kin += [Kin(node, reason, read_code(state, node)) for node, reason in others if node is not None]
    return [
        *kin,
        *(Kin(node, _DEFAULTS, show_line(state, node, at)) for node, at in list_defaults(state, noun)),
    ]


def _tell_members(state: ResearchState, base: Node, members: Sequence[DeclaredSymbol]) -> str:
    """Return the names of the members that others of a kind override: first those that each of them must."""
    lines = state.source.read_lines(base.path)
    required = dict.fromkeys(one.name for one in members if is_required(lines, one))
    others = dict.fromkeys(one.name for one in members if one.name not in required)
    if not (required and others):
        return join_names(required or others, MOST_TOLD)
    return f"{join_names(required, MOST_TOLD)}, as each must, and {join_names(others, MOST_BESIDE)}"


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
