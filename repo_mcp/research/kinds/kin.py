"""List what shows how to add one of a kind, each declaration with the reason why it is shown."""

from __future__ import annotations

import re

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.reasons import Reason, Role, explain_base, explain_model
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import find_inner_base, is_enumeration
from repo_mcp.research.kinds.examples import find_listing, find_model, list_kind
from repo_mcp.research.kinds.registering import find_registering, find_taking
from repo_mcp.text.question_words import list_words, shares_word

_PART = re.compile(r"[A-Z]?[a-z]{2,}\d*|[A-Z]{2,}(?![a-z])\d*")  # of a name


def list_kin(state: ResearchState, base: Node, noun: str) -> list[tuple[Node, Reason]]:
    """Return the declarations that show how to add one of a kind, each with the reason why it is shown.

    These are the base type, what registers one of the kind, where its types are listed, and one to copy.
    """
    kin = [(base, explain_base(Role.ENUMERATION if is_enumeration(base) else Role.BASE, noun))]
    inner = find_inner_base(state, base)
    if inner is not None:
        kin.insert(0, (inner, explain_base(Role.INNER_BASE, noun)))
    own = base if inner is None else inner
    kind, model = list_kind(state, own, noun), find_model(state, own, _list_telling(state, own, noun))
    listing, taking = find_listing(state, own, kind), find_registering(state, base)
    if taking is not None:
        kin.append((taking, Reason("takes one of the kind, and by its name registers it", Role.REGISTERS)))
    elif (given := find_taking(state, base)) is not None:
        kin.append((given, Reason("can be given one of the kind", Role.TAKES_ONE)))
    if listing is not None:
        text = f"names {listing[1]} of the kind, as it would a new {noun}"
        kin.append((listing[0], Reason(text, Role.LISTS)))
    if model is not None:
        kin.append((model, explain_model(noun)))
    return kin


def _list_telling(state: ResearchState, base: Node, noun: str) -> list[str]:
    """Return the words of the question and of its guessed names that do not say what the whole kind is."""
    guessed = (word for name in state.request.guesses for word in (name, *_PART.findall(name)))
    words = dict.fromkeys((*list_words(state.request.query), *guessed))
    return [word for word in words if not shares_word(f"{base.symbol.name} {noun}", (word,))]
