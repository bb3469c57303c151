"""Finds the names that a question has among other words, and the places that have them.

    where is acceptTimeout read -> acceptTimeout -> what declares it, then the lines that use it

The other words of such a question are common, so ranking puts files with many of them before those few that
have the name. That is so for settings, fields and constants: a function or type of more than a few lines is
ranked first anyway, and a question about it is about what it holds and calls. An option or key with hyphens,
`--accept-timeout`, is looked for as the program spells it. Left out: names of one part, which may be words;
`PostgreSQL` and other names that begin with a capital, unless they have an underscore; and names that many
units have, of which only the other words tell which place is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from repo_mcp.model import Hit
from repo_mcp.ranking.direct_hits.query_of_names import find_named
from repo_mcp.ranking.direct_hits.scope import SearchScope
from repo_mcp.ranking.query.clues import ClueKind, parse_prompt, split_symbol
from repo_mcp.ranking.query.query import Query
from repo_mcp.record_classes import replace
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.stop_words import FUNCTION_WORDS

MOST_NAMES = 2  # a query with more of them is about how they belong together
MOST_UNITS = 20  # that have a name
MOST_LINES = 8  # of what declares a name
LEAST_HYPHENED = 3  # parts of a name with hyphens, unless it begins with two: `read-only` may be English
_HYPHENED = re.compile(r"(?<![\w-])(?P<option>--)?(?P<name>[A-Za-z]\w*(?:-\w+)+)")


def list_mentioned(text: str, count_units: Callable[[str], int]) -> list[str]:
    """Return the names of a text that few units have; none if there are more than MOST_NAMES."""
    clues = [clue.text for clue in parse_prompt(text) if clue.kind is ClueKind.SYMBOL and clue.is_strong]
    names = [name for name in clues if _is_rare(name, count_units)]
    for spellings in _iter_hyphened(text):
        rare = [name for name in spellings if _is_rare(name, count_units)]
        names += sorted(rare, key=lambda name: count_units(name.lower()), reverse=True)[:1]
    names = list(dict.fromkeys(names))
    return names if len(names) <= MOST_NAMES else []


def _iter_hyphened(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names with hyphens as programs spell them: `max_users` and `maxUsers` for `--max-users`."""
    for match in _HYPHENED.finditer(text):
        parts = match["name"].split("-")
        is_name = match["option"] or len(parts) >= LEAST_HYPHENED
        if is_name and FUNCTION_WORDS.isdisjoint(map(str.lower, parts)):
            first, *others = parts
            yield "_".join(parts), first + "".join(map(str.capitalize, others))


def _is_rare(name: str, count_units: Callable[[str], int]) -> bool:
    last = _last_part(name)
    terms = get_word_terms(last)
    is_plain = last[:1].isupper() and "_" not in last
    return len(terms) > 2 and not is_plain and 0 < count_units(terms[0]) <= MOST_UNITS


def _last_part(name: str) -> str:
    return split_symbol(name)[-1]


def find_mentioned(scope: SearchScope, query: Query, top_k: int) -> list[Hit]:
    """Return what declares the names of a query, and places that use them; none without such names.

    Raises IndexFormatError, OSError.
    """
    names = list_mentioned(query.text, scope.searcher.count_units)
    named = None
    if names:
        named = find_named(scope, replace(query, text=" ".join(names)), top_k, least_uses=1)
    leads = [] if named is None else [*named.hits[: named.usual_hits]]
    return [] if any(_is_long(hit, names) for hit in leads) else leads


def _is_long(hit: Hit, names: Sequence[str]) -> bool:
    """Return True for the declaration of one of the names, if it has many lines."""
    first, last = hit.symbol_lines or (0, 0)
    own = hit.symbol_name.lower()
    return last - first >= MOST_LINES and any(_last_part(name).lower() == own for name in names)
