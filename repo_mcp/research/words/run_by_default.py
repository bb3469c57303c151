"""Find the function that registers what runs by default: "which filters are run by default, in which order".

    def build_chain():
        chain.use(LoggingFilter())        names two types of the kind Filter, in their order
        chain.use(ErrorFilter())

The types of the kind derive from the type that the noun names. Only the text is searched for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.typed.path_lookup import VALUE_KINDS
from repo_mcp.model import ExactRequest
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.citing import join_names
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import search_types
from repo_mcp.research.kinds.derived_types import list_program_derived
from repo_mcp.research.words.rated_seeds import Seed, build_seed
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MOST_BASES, MOST_TYPES, MOST_LINES = 2, 40, 300  # named by a noun, of a kind, lines that name one of these
LEAST_NAMED = 2  # types of the kind in a function that registers some
_ASKS = re.compile(
    r"\b(?:which|what)\s+((?:[a-z][\w-]*\s+){1,3}?)(?:is|are|does|do|gets?|runs?|appl(?:y|ies)|comes?)\b"
    r"(?=.*\b(?:by default|in (?:which|what) order|out of the box)\b)",
    re.IGNORECASE,
)


def put_run_by_default(state: ResearchState, seeds: Sequence[Seed]) -> list[Seed]:
    """Return the seeds; first comes what registers most of a kind, if it is asked what runs by default."""
    asked = _ASKS.search(state.request.query)
    found = _find_registering(state, asked[1].split()) if asked is not None else None
    if found is None:
        return [*seeds]
    node, names = found
    known = next((seed for seed in seeds if seed.node == node), build_seed(state, node, 0.0))
    reason = Reason(f"names {join_names(names)}, in their order", Role.LISTS)
    return [replace(known, reason=reason), *(seed for seed in seeds if seed.node != node)]


def _find_registering(state: ResearchState, nouns: Sequence[str]) -> tuple[Node, list[str]] | None:
    """Return the function or value that names most types of a kind, with their names in its order."""
    types = {
        node.symbol.name: node
        for base in _list_bases(state, nouns)
        for node in list_program_derived(state, base)
    }
    if len(types) < LEAST_NAMED:
        return None
    own = dict(list(types.items())[:MOST_TYPES])
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, own))})\b")
    request = ExactRequest(named.pattern, regex=True, limit=MOST_LINES, include_tests=False, by_role=True)
    held: dict[Node, dict[str, None]] = {}
    for one in state.source.search_exact(request).matches:
        around = state.source.find_around(one.path, one.start_line) if may_answer(one.path) else None
        if around is None or around.symbol.kind not in CALLABLE_KINDS | VALUE_KINDS:
            continue
        if one.start_line not in state.source.read_comment_lines(one.path):
            held.setdefault(around, {}).update(dict.fromkeys(named.findall(one.line)))
    fitting = [(len(names), node, [*names]) for node, names in held.items() if len(names) >= LEAST_NAMED]
    best = max(fitting, key=lambda one: one[0], default=None)  # of as many, the first by its path
    return None if best is None else (best[1], best[2])


def _list_bases(state: ResearchState, nouns: Sequence[str]) -> list[Node]:
    """Return the types that are named as the nouns, which may stand in the plural."""
    joined = "".join(noun.replace("-", "") for noun in nouns).lower()
    names = {joined, joined.removesuffix("s"), joined.removesuffix("es")}
    found = [node for name in sorted(names) for node in search_types(state, name)]
    return [node for node in dict.fromkeys(found) if node.symbol.name.lower() in names][:MOST_BASES]
