"""Finds the names that a question has among other words, and the places that have them.

    where is acceptTimeout read -> acceptTimeout -> what declares it, then the lines that use it

The other words of such a question are common, so ranking puts files with many of them before those few that
have the name. Left out: names of one part, which may be words, and names that many units have, of which only
the other words tell which place is meant.
"""

from __future__ import annotations

from collections.abc import Callable

from repo_mcp.model import Hit
from repo_mcp.ranking.look_up import SearchScope
from repo_mcp.ranking.named_hits import find_named
from repo_mcp.ranking.prompt import ClueKind, parse_prompt, split_symbol
from repo_mcp.ranking.query import Query
from repo_mcp.record_classes import replace
from repo_mcp.text.analysis import get_word_terms

MOST_NAMES = 2  # a query with more of them is about how they belong together
MOST_UNITS = 20  # that have a name


def list_mentioned(text: str, count_units: Callable[[str], int]) -> list[str]:
    """Return the names of a text that few units have; none if there are more than MOST_NAMES."""
    clues = [clue.text for clue in parse_prompt(text) if clue.kind is ClueKind.SYMBOL and clue.is_strong]
    names = [name for name in dict.fromkeys(clues) if _is_rare(name, count_units)]
    return names if len(names) <= MOST_NAMES else []


def _is_rare(name: str, count_units: Callable[[str], int]) -> bool:
    terms = get_word_terms(split_symbol(name)[-1])
    return len(terms) > 2 and 0 < count_units(terms[0]) <= MOST_UNITS


def find_mentioned(scope: SearchScope, query: Query, top_k: int) -> list[Hit]:
    """Return what declares the names of a query, and places that use them; none for a query without.

    Raises IndexFormatError, OSError.
    """
    names = list_mentioned(query.text, scope.searcher.count_units)
    named = find_named(scope, replace(query, text=" ".join(names)), top_k) if names else None
    return [] if named is None else [*named.hits[: named.few]]
