"""Finding symbols by what a person types: a name, a beginning, humps, a qualified name, or words.

    Authenticate      the name, in any case, and names that hold its parts
    Auth*             names that begin so; a star may stand anywhere
    gUN               humps: getUserName
    AuthService.login a name inside of another; "::", "#" and "/" are dots too
    user service      names that hold these words, most of them first

Candidates are files, found by the dictionary of declared names and their parts; then every symbol of
theirs is scored. A query is never an error: what is no name is a word, or nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from repo_mcp.graph.nodes import NamedProgram, NodeBook, normalise_name
from repo_mcp.graph.program import Declaration
from repo_mcp.index.analysis import get_word_terms
from repo_mcp.index.roles import is_test_path
from repo_mcp.structure import Structure, SymbolFlag, SymbolKind

MAX_WORDS = 12  # of a query
MAX_FILES = 300  # that are looked through
MAX_NAMES = 200  # of the dictionary that one pattern may stand for
MAX_SCANNED = 200_000  # names of the dictionary that are looked at for one pattern
MIN_HUMPS = 2

# Points of one word that matches a symbol's name, by how.
EXACT, SAME_LETTERS, PATTERN, HUMPS, BEGINNING, PARTS, INSIDE = 10.0, 9.0, 7.0, 6.0, 5.0, 4.0, 2.0
AROUND = 1.5  # a word that matches a name around the symbol, or its file's
COVERAGE = 1.0  # times the share of the name that the word covers
_KIND_POINTS = {
    SymbolKind.CLASS: 0.6,
    SymbolKind.INTERFACE: 0.6,
    SymbolKind.STRUCT: 0.6,
    SymbolKind.TRAIT: 0.6,
    SymbolKind.ENUM: 0.5,
    SymbolKind.COMPONENT: 0.6,
    SymbolKind.FUNCTION: 0.5,
    SymbolKind.METHOD: 0.4,
    SymbolKind.TYPE: 0.4,
    SymbolKind.MACRO: 0.3,
    SymbolKind.CONSTRUCTOR: 0.2,
    SymbolKind.CONSTANT: 0.2,
    SymbolKind.EXTENSION: -0.4,
}
IN_TESTS = -0.5
FORWARD = -0.4

_TOKEN = re.compile(r"[\w$*]+(?:(?:\.|::|->|#|/)[\w$*]+)*")
_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})
_HUMP = re.compile(r"[A-Z][a-z0-9]*|[a-z0-9]+|_")
_CASED = re.compile(r"[a-z].*[A-Z]|[A-Z].*[A-Z]")


class SymbolIndex(NamedProgram, Protocol):
    """A program whose declared names can be looked up by their beginnings and parts."""

    def iter_declared(self, prefix: str) -> Iterable[str]:
        """The names that are declared and begin so, in order of their bytes."""

    def iter_parts(self, prefix: str) -> Iterable[str]:
        """The parts of declared names that begin so, in lower case, in order of their bytes."""

    def rank_files(self, parts: Sequence[str], limit: int) -> Sequence[str]:
        """The files whose declared names fit the parts best, best first (BM25)."""

    def count_declaring(self, part: str) -> int:
        """Files that declare a name with a part."""


@dataclass(frozen=True, slots=True)
class Found:
    """One symbol that a query found; a higher score is better."""

    declaration: Declaration
    score: float


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of a query, ready to be compared with names."""

    text: str
    folded: str
    around: tuple[str, ...]  # names that must stand around, folded, outermost first
    terms: tuple[str, ...]  # whole and parts
    pattern: re.Pattern[str] | None  # of a word with a star
    humps: re.Pattern[str] | None
    weight: float  # rare words count more


Wanted = Callable[[str, SymbolKind], bool]  # path and kind


class SymbolFinder:
    """Symbols by name in one program. Used by one call at a time."""

    def __init__(self, program: SymbolIndex, nodes: NodeBook) -> None:
        self._program = program
        self._nodes = nodes

    def find(self, query: str, wanted: Wanted, limit: int) -> list[Found]:
        """The best symbols for a query: by score, then path and line."""
        words = [self._prepare(token) for token in _list_tokens(query)]
        best: list[Found] = []
        for path in self._list_files(words) if words else ():
            structure = self._program.find_structure(path)
            if structure is not None:
                best += self._score_file(path, structure, words, wanted)
        best.sort(key=lambda one: (-one.score, one.declaration.path, one.declaration.place))
        return best[:limit]

    def _prepare(self, token: str) -> _Word:
        *around, name = normalise_name(token).split(".")
        terms = get_word_terms(name.replace("*", "")) if name.strip("*") else ()
        pattern = None
        if "*" in name:
            inner = ".*".join(re.escape(part) for part in name.split("*"))
            pattern = re.compile(inner, re.IGNORECASE)
        count = min((self._program.count_declaring(term) for term in terms[:1]), default=0)
        files = max(1, len(self._program.list_paths()))
        weight = 1.0 + math.log1p(files / (1 + count)) / 10
        humps = _build_humps(name) if pattern is None else None
        return _Word(
            name, name.lower(), tuple(one.lower() for one in around), tuple(terms), pattern, humps, weight
        )

    def _list_files(self, words: list[_Word]) -> list[str]:
        """The files that are looked through: those of exact names first."""
        found: dict[str, None] = {}
        for word in words:
            exact = self._program.list_declaring(word.text)
            found.update(dict.fromkeys(exact[:MAX_FILES]))
        parts: dict[str, None] = {}
        for word in words:
            parts.update(dict.fromkeys(self._expand(word)))
        if parts:
            found.update(dict.fromkeys(self._program.rank_files(list(parts), MAX_FILES)))
        for word in words:
            for name in self._list_humped(word):
                found.update(dict.fromkeys(self._program.list_declaring(name)[:MAX_FILES]))
        return list(found)[: 2 * MAX_FILES]

    def _expand(self, word: _Word) -> list[str]:
        """The parts of names that a word stands for."""
        if word.pattern is None:
            begun = (
                [] if len(word.folded) < 3 else _take(self._program.iter_parts(word.folded), MAX_NAMES // 4)
            )
            return [*word.terms, *begun]
        head = word.folded.partition("*")[0]
        if head:
            return _take(self._program.iter_parts(head), MAX_NAMES)
        return _take_matching(self._program.iter_parts(""), re.compile(word.pattern.pattern), MAX_NAMES)

    def _list_humped(self, word: _Word) -> list[str]:
        if word.humps is None:
            return []
        first = word.text[0]
        names: list[str] = []
        for begin in dict.fromkeys((first, first.lower(), first.upper())):
            names += _take_matching(self._program.iter_declared(begin), word.humps, MAX_NAMES - len(names))
        return names

    def _score_file(self, path: str, structure: Structure, words: list[_Word], wanted: Wanted) -> list[Found]:
        matches = self._match_names(structure, words)
        found = []
        for place, name in enumerate(structure.names.tolist()):
            points = matches.get(name)
            if points is None or not wanted(path, SymbolKind(int(structure.kinds[place]))):
                continue
            score = self._score(path, structure, place, words, points)
            if score > 0:
                found.append(Found(Declaration(path, place), round(score, 4)))
        return found

    def _match_names(self, structure: Structure, words: list[_Word]) -> dict[int, list[float]]:
        """For each string that is the name of a symbol and matches a word: points of each word."""
        matches: dict[int, list[float]] = {}
        for number in set(structure.names.tolist()):
            points = [_compare(word, structure.strings[number]) for word in words]
            if any(points):
                matches[number] = points
        return matches

    def _score(
        self, path: str, structure: Structure, place: int, words: list[_Word], points: list[float]
    ) -> float:
        around = self._list_around(path, structure, place)
        total = sum(
            word.weight * _place_word(word, own, around) for word, own in zip(words, points, strict=True)
        )
        if not total:
            return 0.0
        flags = int(structure.flags[place])
        total += _KIND_POINTS.get(SymbolKind(int(structure.kinds[place])), 0.0)
        total += FORWARD if flags & SymbolFlag.FORWARD else 0.0
        total += IN_TESTS if is_test_path(path) else 0.0
        return total / len(words)

    def _list_around(self, path: str, structure: Structure, place: int) -> list[str]:
        """The names around a symbol, folded, outermost first: of a Python symbol its module's too."""
        qualified = self._nodes.name(Declaration(path, place)) if place else path
        return qualified.lower().split(".")[:-1]


def _list_tokens(query: str) -> list[str]:
    tokens = [token for token in _TOKEN.findall(query) if token not in _OPERATORS and token.strip("*")]
    return list(dict.fromkeys(tokens))[:MAX_WORDS]


def _take(names: Iterable[str], most: int) -> list[str]:
    return [name for _, name in zip(range(most), names, strict=False)]


def _take_matching(names: Iterable[str], pattern: re.Pattern[str], most: int) -> list[str]:
    found: list[str] = []
    for _, name in zip(range(MAX_SCANNED), names, strict=False):
        if len(found) >= most:
            break
        if pattern.fullmatch(name):
            found.append(name)
    return found


def _build_humps(name: str) -> re.Pattern[str] | None:
    """What names a word abbreviates, hump by hump; None for a word that has fewer than two humps."""
    humps = _HUMP.findall(name)
    if len(humps) < MIN_HUMPS or not _CASED.search(name) or "".join(humps) != name:
        return None
    first, *others = humps
    begin = f"[{first[0].lower()}{first[0].upper()}]{re.escape(first[1:])}" if first[0].isalpha() else first
    return re.compile(begin + "".join(rf"[a-z0-9]*{re.escape(hump)}" for hump in others) + r"\w*")


def _compare(word: _Word, name: str) -> float:
    """The points of a word for a name: 0 when they have nothing in common."""
    folded = name.lower()
    cover = COVERAGE * min(1.0, len(word.folded.replace("*", "")) / max(1, len(folded)))
    if word.pattern is not None:
        return PATTERN + cover if word.pattern.fullmatch(name) else 0.0
    if name == word.text:
        return EXACT + cover
    if folded == word.folded:
        return SAME_LETTERS + cover
    if word.humps is not None and word.humps.fullmatch(name):
        return HUMPS + cover
    if folded.startswith(word.folded):
        return BEGINNING + cover
    parts = word.terms[1:] or word.terms
    held = set(get_word_terms(name))
    if parts and held.issuperset(parts):
        return PARTS + cover
    if len(word.folded) > 2 and word.folded in folded:
        return INSIDE + cover
    return 0.0


def _place_word(word: _Word, own: float, around: Sequence[str]) -> float:
    """The points of a word for a symbol with its surroundings; `own` are those for its name alone."""
    if word.around:
        return own + AROUND * len(word.around) if own and _stand_around(word.around, around) else 0.0
    return own or (AROUND if word.folded in around else 0.0)


def _stand_around(wanted: Sequence[str], around: Sequence[str]) -> bool:
    """True when the wanted names stand around in this order, the last of them right around."""
    places = list(around)
    for name in reversed(wanted):
        while places and places[-1] != name:
            places.pop()
        if not places:
            return False
        places.pop()
    return True
