"""One word of a query for symbols, and how well a name fits it: whole, by humps, a beginning or parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from repo_mcp.record_classes import dataclass
from repo_mcp.text.analysis import get_word_terms

MIN_INSIDE = 3
MIN_HUMPS = 2
MAX_CAPITALS = 6  # letters in a word of capitals that still counts as an abbreviation
LEAST_SHARE = 0.75  # share of a word that its parts must cover for a match by parts

# Points of one word for a symbol's name, by the kind of match.
EXACT, SAME_LETTERS, PATTERN, HUMPS, BEGINNING, PARTS, INSIDE = 10.0, 9.0, 7.0, 6.0, 5.0, 4.0, 2.0
AROUND = 1.5  # a word that matches an enclosing name or, for a symbol that is a file, its path
COVERAGE = 1.0  # multiplied by the share of the name that the word covers

_CHANGED_BY_STEMS = "eily"  # a stem with another ending is the beginning of each of its words
_HUMP = re.compile(r"[A-Z][a-z0-9]*|[a-z0-9]+|_")
_CASED = re.compile(r"[a-z].*[A-Z]|[A-Z].*[A-Z]")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query, prepared for comparison with names."""

    text: str
    folded: str
    around: tuple[str, ...]  # required enclosing names, outermost first
    terms: tuple[str, ...]  # the whole word, then its parts
    pattern: str  # regular expression for a word with a star or humps; else empty
    has_star: bool
    weight: float  # rare words count more


def list_needles(word: QueryWord) -> tuple[str, ...]:
    """Return texts that all names similar to a word contain: its parts, as far as stemming keeps them."""
    parts = [part for part in word.terms[1:] or word.terms if len(part) > 1]
    cut = [part[:-1] if part[-1] in _CHANGED_BY_STEMS else part for part in parts]
    whole = tuple(one for one in cut if one in word.folded)
    return whole or (max(parts, key=len)[:-1] if parts else word.folded,)


def build_stars(name: str) -> str:
    """Return a regular expression for a word with stars.

    The first match between two stars is as good as a later one, so atomic groups stop backtracking: otherwise
    six stars and a long name would take minutes.
    """
    first, *between, last = map(re.escape, name.split("*"))
    return first + "".join(rf"(?>\w*?{one})" for one in between) + rf"\w*{last}"


def build_humps(name: str) -> str:
    """Return a regular expression for names that a word abbreviates; "" for fewer than two humps."""
    humps = _HUMP.findall(name)
    if name.isupper() and ("_" in name or len(name) > MAX_CAPITALS):
        return ""  # a constant
    if len(humps) < MIN_HUMPS or not _CASED.search(name) or "".join(humps) != name:
        return ""
    first, *others = humps
    begin = f"[{first[0].lower()}{first[0].upper()}]{re.escape(first[1:])}" if first[0].isalpha() else first
    return begin + "".join(rf"(?>[a-z0-9]*?{re.escape(hump)})" for hump in others) + r"\w*"


def find_beginning(word: QueryWord) -> str:
    """Return the beginning of all names that match a word's pattern, but for the case of the first letter."""
    return word.text.partition("*")[0][:1] if word.has_star else _HUMP.findall(word.text)[0]


def find_literal(word: QueryWord) -> str:
    """Return a text, in any case, of all names that match a word's pattern; "" if none is worth a look-up.

    A line feed behind it says that they end with it.
    """
    if not word.has_star:
        hump = max(_HUMP.findall(word.text), key=len, default="")
        return hump if len(hump) >= MIN_INSIDE else ""
    pieces = word.text.split("*")
    literal = max(pieces, key=len)
    return f"{literal}\n" if literal and literal == pieces[-1] else literal


def rate_name(word: QueryWord, name: str) -> float:
    """Return the points of a word for a name, 0 when they have nothing in common."""
    folded = name.lower()
    share = COVERAGE * min(1.0, len(word.folded.replace("*", "")) / max(1, len(folded)))
    if word.has_star:
        return PATTERN + share if re.fullmatch(word.pattern, name, re.IGNORECASE) else 0.0
    if name == word.text:
        return EXACT + share
    if folded == word.folded:
        return SAME_LETTERS + share
    if word.pattern and re.fullmatch(word.pattern, name):
        return HUMPS + share
    if folded.startswith(word.folded):
        return BEGINNING + share
    parts = word.terms[1:] or word.terms
    covers = sum(map(len, parts)) >= LEAST_SHARE * len(word.folded)
    if covers and all(part[:-1] in folded for part in parts) and set(_list_terms(name)).issuperset(parts):
        return PARTS + share  # a part is a stem, whose last letter may differ in the name
    return INSIDE + share if len(word.folded) >= MIN_INSIDE and word.folded in folded else 0.0


@lru_cache(maxsize=32_768)
def _list_terms(name: str) -> tuple[str, ...]:
    return get_word_terms(name) if name else ()


def compute_covered_share(words: list[QueryWord], points: list[float], name: str) -> float:
    """Return the share of a name that the words cover, from 0 to 1."""
    matched = sum(len(word.folded) for word, own in zip(words, points, strict=True) if own)
    return min(1.0, matched / max(1, len(name.replace("_", ""))))


def rate_enclosed_name(word: QueryWord, own: float, around: Sequence[str]) -> float:
    """Return the points of a word for a symbol and the names around it; `own` are those for the name."""
    if word.around:
        steps = _count_steps(word.around, around) if own else None
        return 0.0 if steps is None else own + AROUND * len(word.around) / (1 + steps)
    if own or len(word.folded) < MIN_INSIDE:
        return own
    return AROUND if any(word.folded in name for name in around) else 0.0


def _count_steps(wanted: Sequence[str], around: Sequence[str]) -> int | None:
    """Return how many other names are between the wanted ones, innermost first; None unless all are there."""
    ordinals = list(around)
    steps = 0
    for name in map(str.lower, reversed(wanted)):
        while ordinals and ordinals[-1] != name:
            ordinals.pop()
            steps += 1
        if not ordinals:
            return None
        ordinals.pop()
    return steps
