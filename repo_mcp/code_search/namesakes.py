"""Order hits whose declarations have one name: overloads, and members of several types.

Overloads say the same, so a page needs one of them. Members of several types do much the same in much the
same words, such as the `prepare` of each algorithm: which of them is meant, the name of its type may tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.ranking.scoring.ranked_chunks import RankedChunk
from repo_mcp.record_classes import dataclass
from repo_mcp.text.question_words import names_rather

OVERLOAD = 0.5  # factor of a hit, for a question, for each better one that is an overload of it
NAMESAKES = 10  # first hits among which those of one name are compared
DECIMALS = 6  # of a worth

T = TypeVar("T")
Span = tuple[int, int]  # first and last line
LineTerms = Mapping[str, Mapping[int, tuple[str, ...]]]  # the terms of a query in lines, by path and line


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk, and the declaration for which it is shown, if any."""

    chunk: RankedChunk  # a different object for each hit, so that its identity tells hits apart
    share: float  # of the best score that could be reached, 0 to 1
    span: Span | None  # of the block of the declaration
    declared: SymbolSpan | None = None  # the declaration, from the layout of its file


def discount_overloads(judged: Sequence[tuple[float, ChunkHit]]) -> list[tuple[float, ChunkHit]]:
    """Return hits with their worth, the best first; an overload of a better one is worth less.

    Overloads say the same, and five of one name left no room on a page for any other function.
    """
    met: Counter[tuple[str, str]] = Counter()
    discounted = []
    for worth, hit in judged:
        own = hit.chunk.path, "" if hit.declared is None else hit.declared.qualified_name
        discounted.append((round(worth * OVERLOAD ** met[own], DECIMALS), hit))
        met[own] += bool(own[1])
    return sorted(discounted, key=lambda one: -one[0])  # stable


def put_named_first(
    judged: Sequence[tuple[float, ChunkHit]], asked: Sequence[str], terms: LineTerms
) -> list[tuple[float, ChunkHit]]:
    """Return hits with their worth; one whose type is named comes before its namesakes in other types.

    Named is a type whose name has a word of the question, `asked`, that the other member and its type lack.
    The hit gets the worth of the one that it passes.
    """
    return pass_namesakes(
        judged,
        lambda own, other: _is_named_rather(own[1], other[1], asked, terms),
        lambda own, passed: (passed[0], own[1]),
    )


def pass_namesakes(
    ordered: Sequence[T], is_named_rather: Callable[[T, T], bool], take_worth: Callable[[T, T], T]
) -> list[T]:
    """Return what is ordered by worth; one of the first that is named rather than a better one precedes it.

    It takes the worth of the one that it passes, so that sorting again changes nothing.
    """
    moved = list(ordered)
    for at in range(1, min(NAMESAKES, len(moved))):
        own = moved[at]
        passed = next((to for to in range(at) if is_named_rather(own, moved[to])), at)
        moved[passed : at + 1] = take_worth(own, moved[passed]), *moved[passed:at]
    return moved


def _is_named_rather(hit: ChunkHit, other: ChunkHit, asked: Sequence[str], terms: LineTerms) -> bool:
    """Return True if the type of a hit has a word of the question that its namesake lacks."""
    if hit.declared is None or other.declared is None or hit.declared.name != other.declared.name:
        return False
    first, last = other.span or (1, 0)
    lines = terms.get(other.chunk.path, {})
    held = {term for line in range(first, last + 1) for term in lines.get(line, ())}
    return names_rather(_name_owner(hit.declared), _name_owner(other.declared), asked, held)


def _name_owner(span: SymbolSpan) -> str:
    """Return the names of what is around a declaration, or that it belongs to though it stands outside."""
    return f"{span.owner} {span.qualified_name.removesuffix(span.name)}"
