"""List what shows how to add one of a kind, each declaration with the reason why it is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import find_by_name
from repo_mcp.research.findings.reasons import Reason, Role, explain_base, explain_model
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import find_inner_base, is_enumeration
from repo_mcp.research.kinds.examples import find_listing, find_model
from repo_mcp.research.kinds.registering import find_registering, find_taking
from repo_mcp.text.question_words import list_words, shares_word

MOST_TWINS = 3
_BOTH = re.compile(r"\bboth\b.*\band\b", re.IGNORECASE)
_EVERYWHERE = re.compile(r"__\w+__$|(?:constructor|init|new|New|initialize)$")  # names that many types have
_TWINNED = (Role.BASE, Role.REGISTERS, Role.TAKES_ONE, Role.LISTS)


def list_kin(state: ResearchState, base: Node, noun: str) -> list[tuple[Node, Reason]]:
    """Return the declarations that show how to add one of a kind, each with the reason why it is shown.

    These are the base type, what registers one of the kind, where its types are listed, and one to copy.
    """
    kin = [(base, explain_base(Role.ENUMERATION if is_enumeration(base) else Role.BASE, noun))]
    inner = find_inner_base(state, base)
    if inner is not None:
        kin.insert(0, (inner, explain_base(Role.INNER_BASE, noun)))
    own = base if inner is None else inner
    listing, model = find_listing(state, own, noun), find_model(state, own)
    taking = find_registering(state, base)
    if taking is not None:
        kin.append((taking, Reason("takes one of the kind, and by its name registers it", Role.REGISTERS)))
    elif (given := find_taking(state, base)) is not None:
        kin.append((given, Reason("can be given one of the kind", Role.TAKES_ONE)))
    if listing is not None:
        text = f"names {listing[1]} of the kind, as it would a new {noun}"
        kin.append((listing[0], Reason(text, Role.LISTS)))
    if model is not None:
        kin.append((model, explain_model(noun)))
    return [*kin, *_list_twins(state, kin)]


def _list_twins(state: ResearchState, kin: Sequence[tuple[Node, Reason]]) -> list[tuple[Node, Reason]]:
    """Return declarations with the name and kind of one of the kin, in a place that the question names too.

    "On both the client and the server" asks for `server/register`, too, where `client/register` is known.
    """
    words = list_words(state.request.query)
    twins: dict[Node, Reason] = {}
    for node, reason in kin if _BOTH.search(state.request.query) else ():
        other_words = [word for word in words if not shares_word(node.path, (word,))]
        is_telling = reason.role in _TWINNED and _EVERYWHERE.match(node.symbol.name) is None
        for other in find_by_name(state, node.symbol.name) if is_telling else ():
            is_same = (other.symbol.name, other.symbol.kind) == (node.symbol.name, node.symbol.kind)
            if is_same and shares_word(other.path, other_words):
                text = f"has the name of {node.qualified_name}, in a place that the question names too"
                twins.setdefault(other, Reason(text, Role.TWIN))
    return [*twins.items()][:MOST_TWINS]
