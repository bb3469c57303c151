"""Find the kinds whose members are functions: each returns the same type, of the program itself.

    function retryLink(options): Link { ... }        function logLink(options): Link { ... }

A new link is one more such function.
"""

from __future__ import annotations

import re
from collections import defaultdict

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import CALLS, EdgeType
from repo_mcp.research.findings.bounds import LOOK
from repo_mcp.research.findings.named_symbols import (
    DOING,
    admits_node,
    count_lines,
    find_by_name,
    is_deprecated,
    read_code,
)
from repo_mcp.research.findings.reasons import MODEL, Reason, Role
from repo_mcp.research.findings.research_state import ResearchState, list_users
from repo_mcp.research.kinds.base_types import is_enumeration, join_name, search_types
from repo_mcp.research.kinds.derived_types import is_left_open, list_program_derived
from repo_mcp.research.kinds.examples import MODEL_LINES
from repo_mcp.research.kinds.kin import Kin, list_callers, list_places
from repo_mcp.research.kinds.open_members import list_overridable, show_open
from repo_mcp.symbols.symbol_record import SymbolKind
from repo_mcp.text.question_words import Action, list_words, shares_word
from repo_mcp.text.roles import is_side_file

LEAST_RETURNING = 3  # functions with a name that ends with the noun, which return the same type
_USES = (*CALLS, EdgeType.REFERENCES)
_NAME = re.compile(r"[A-Za-z_$][\w$]*+")


def list_returning(state: ResearchState, action: Action) -> list[Kin]:
    """Return the type that the functions named after a kind return, and the one of them to copy.

    Return none if fewer than LEAST_RETURNING do, or if the type is not named after the kind as well. If the
    noun is the whole name of an interface, one that does is enough.
    """
    noun = action.nouns[-1]
    returning: dict[Node, list[Node]] = defaultdict(list)
    types: dict[str, Node | None] = {}
    for node in find_by_name(state, f"*{noun.capitalize()}", "function"):
        name = _NAME.match(node.symbol.return_type)
        if name is None or node.symbol.kind not in DOING or not shares_word(name[0], (noun,)):
            continue
        if name[0] not in types:
            named = (one for one in search_types(state, name[0]) if one.symbol.name == name[0])
            types[name[0]] = next(named, None)
        returned = types[name[0]]
        if returned is not None and not is_side_file(node.path):
            returning[returned].append(node)
    base = max(returning, key=lambda one: len(returning[one]), default=None)
    least = 1 if base is not None and is_left_open(base) and _is_whole(base, noun) else LEAST_RETURNING
    if base is None or len(returning[base]) < least:
        return []
    are_many = len(returning[base]) > 1
    functions = f"{len(returning[base])} functions" if are_many else "a function"
    text = f"{functions} named after the kind {'return' if are_many else 'returns'} it, as one more would"
    found = [(base, Reason(text, Role.RETURNED))]
    usable = [node for node in returning[base] if not is_deprecated(node)]
    found += [(_choose_model(state, usable, noun), MODEL)] if usable else []
    kin = [Kin(node, reason, read_code(state, node)) for node, reason in found]
    members = list_overridable(state, base) if is_left_open(base) else []
    return [*kin, *list_callers(state, base, members, noun)]


def list_made(state: ResearchState, base: Node) -> list[Node]:
    """Return the functions that return a class, if they are more than what derives from it; none of few.

    Such a class is the base of few, and one more of its kind is a function that fills it: `Not(value)`.
    """
    derived = list_program_derived(state, base)
    if is_left_open(base) or is_enumeration(base) or len(derived) >= LEAST_RETURNING:
        return []
    nodes = map(state.get_node, (edge.other for edge in list_users(state, base, LOOK, _USES)))
    made = [
        node
        for node in dict.fromkeys(nodes)
        if node.symbol.kind in DOING
        and admits_node(state, node)
        and not is_deprecated(node)
        and state.get_parent(node).symbol.kind is SymbolKind.FILE
        and (name := _NAME.match(node.symbol.return_type)) is not None
        and name[0] == base.symbol.name
    ]
    return made if len(made) >= LEAST_RETURNING and len(made) > len(derived) else []


def list_made_kin(state: ResearchState, base: Node, made: list[Node], noun: str) -> list[Kin]:
    """Return the class that functions return, one of these to copy, and where they are listed."""
    reason = Reason(f"{len(made)} functions return it, as one more would", Role.RETURNED)
    model = _choose_model(state, made, noun)
    kin = [Kin(base, reason, show_open(state, base, ())), Kin(model, MODEL, read_code(state, model))]
    return [*kin, *list_places(state, base, made, model, noun.split())]


def _is_whole(base: Node, noun: str) -> bool:
    return join_name(base.symbol.name) in (noun, f"i{noun}")


def _choose_model(state: ResearchState, functions: list[Node], noun: str) -> Node:
    """Return the function with most words of the question in its name, else the shortest that does much."""
    words = [word for word in list_words(state.request.query) if word.lower() != noun]
    return min(
        functions,
        key=lambda node: (
            -shares_word(node.symbol.name, words),
            count_lines(node) < MODEL_LINES,
            count_lines(node),
            node.path,
        ),
    )
