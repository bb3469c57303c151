"""Find the base of a kind among what the words of a question found, where no type has its name.

"A new body format" is an `IBodyDeserializer`, since this and what implements it have most of the words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.shared_members import list_bases
from repo_mcp.research.findings.named_symbols import admits_node, is_deprecated
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import is_of_another_kind
from repo_mcp.research.kinds.derived_types import list_program_derived
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS
from repo_mcp.text.question_words import shares_word

FOUND = 12  # best declarations, whose types and bases are looked at
# Types of the program that derive from the base of a family; fewer if its name has a noun of the question.
LEAST_DERIVED, LEAST_OF_NAMED = 3, 2
LEAST_FOUND = 2  # of the family among the best, or one whose name has a noun of the question


def find_found_base(
    state: ResearchState, found: Sequence[Node | None], nouns: Sequence[str], *, is_sure: bool = False
) -> Node | None:
    """Return the base of the family to which most of the best declarations belong; None if none stands out.

    It `is_sure` if several belong to it and one of them has a noun of the question in its name.
    """
    votes: Counter[Node] = Counter()
    named: set[Node] = set()
    for node in found[:FOUND]:
        for own in () if node is None else _list_types(state, node):
            for base in {own, *list_bases(state, own)}:
                if admits_node(state, base) and not is_deprecated(base):
                    votes[base] += 1
                    named |= {base} if shares_word(own.symbol.name, nouns) else set()
    ranked = sorted(
        votes, key=lambda base: (-votes[base] - (base in named), base.path, base.symbol.start_line)
    )
    for base in ranked:
        told = (votes[base] >= LEAST_FOUND, base in named)
        least = LEAST_OF_NAMED if shares_word(base.symbol.name, nouns) else LEAST_DERIVED
        is_known = len(list_program_derived(state, base)) >= least
        if (all if is_sure else any)(told) and is_known and not is_of_another_kind(state, base, nouns):
            return base
    return None


def _list_types(state: ResearchState, node: Node) -> Iterator[Node]:
    """Yield a type, or the type of a member."""
    if node.symbol.kind in TYPE_KINDS:
        yield node
    elif node.symbol.kind in CALLABLE_KINDS:
        parent = state.get_parent(node)
        if parent.symbol.kind in TYPE_KINDS:
            yield parent
