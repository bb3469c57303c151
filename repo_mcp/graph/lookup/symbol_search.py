"""Finding symbols by what a person types: a name, a prefix, humps, a qualified name, or words.

    Authenticate      this name in any case, and names that contain its parts
    Auth*             names with this prefix; a star may stand anywhere
    gUN               humps: getUserName
    AuthService.login a name inside another; "::", "#" and "/" count as dots too
    user service      names that contain these words, those with most of them first
    user NOT test     operators: see `repo_mcp/graph/lookup/symbol_expression.py`

Candidate files come from the dictionary of declared names and their parts; then all their symbols are
scored. No query is an error: text that is not a name is a word, or is ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from index_format import sort_distinct
from repo_mcp.graph.lookup.name_match import (
    COVERAGE,
    EXACT,
    INSIDE,
    QueryWord,
    build_humps,
    build_stars,
    compute_covered_share,
    find_beginning,
    find_literal,
    list_needles,
    rate_enclosed_name,
    rate_name,
)
from repo_mcp.graph.lookup.symbol_expression import MAX_TOKENS, Has, parse_expression
from repo_mcp.graph.nodes import NamedProgram, ProgramNodes, normalise_name
from repo_mcp.graph.program import Declaration
from repo_mcp.lru_cache import LruCache
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import TYPE_KINDS, SymbolFlag, SymbolKind, SymbolRecord
from repo_mcp.text.analysis import get_word_terms
from repo_mcp.text.roles import is_test_path
from repo_mcp.titled_names import is_titled, split_qualified

MAX_WORDS = 12  # of a query that are used
MAX_EXACT_FILES = 100  # that declare exactly the typed name
MAX_FILES = 64  # that declare names sharing its parts
MAX_SYMBOLS = 30_000  # in the files scanned, in each of the two rounds
MAX_BEGUN = 10  # parts of names, of which one word may be the beginning, that are tried
CACHED_NAMES = 8_000  # that patterns match: 0.8 MB; a scan of the dictionary takes up to 50 ms
MAX_NAMES = 2_000  # names in the dictionary that one pattern may match
MAX_PATTERN_FILES = 1_000  # that declare one of those names
MAX_SCORED = 2_000  # symbols scored with their enclosing names
MIN_BEGINNING = 3  # characters; a shorter word is not tried as a prefix

# Of several words, one that equals a whole name counts no more than one that is a part of it, so that names
# with all the words and little else come first.
ONE_OF_SEVERAL = 4.0
ALL_WORDS = 4.0
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

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[\w$*]+(?:(?:\.|::|->|#|/)[\w$*]+)*")
_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})  # never names, even in a faulty expression


class Names(Protocol):
    """The declared names of a program, searchable by prefix and by part."""

    def iter_declared(
        self, prefix: str, pattern: re.Pattern[bytes] | None = None, literal: str = ""
    ) -> Iterable[str]:
        """Yield the declared names with a prefix that `pattern` matches, if given, in UTF-8 byte order.

        `pattern` must be compiled with MULTILINE and be enclosed in ^ and $. What it matches must contain
        `literal`, in any case of the letters of ASCII, or end with it if a line feed is behind it.
        """

    def iter_parts(self, prefix: str) -> Iterable[str]:
        """Yield the parts of declared names with a prefix, in lower case and UTF-8 byte order."""

    def rank_files(
        self, parts: Sequence[str], limit: int, needed: Sequence[Sequence[str]] = ()
    ) -> Sequence[str]:
        """Return the files whose declared names fit the parts best, best first (BM25).

        If `needed` holds groups of parts, a file must have all parts of at least one group.
        """

    def count_declaring(self, part: str) -> int:
        """Return the number of files that declare a name with this part."""


class SearchableProgram(NamedProgram, Protocol):
    """A program whose declared names can be searched by prefix and by part."""

    @property
    def names(self) -> Names:
        """Return the declared names."""

    def count_using(self, name: str) -> int:
        """Return the number of files in `list_using`."""

    def list_rare(self, name: str, most: int) -> Sequence[Sequence[str]]:
        """Return the files using a name and those declaring it, without lists longer than `most`."""


@dataclass(frozen=True, slots=True)
class FoundSymbols:
    """One symbol found by a query; a higher score is better."""

    declaration: Declaration
    score: float


@dataclass(frozen=True, slots=True)
class _QueryDraft:
    """A symbol whose own name matches, before the names around it are considered."""

    path: str
    ordinal: int
    record: SymbolRecord
    points: list[float]  # points of each word, for the name alone
    promise: float


AcceptSymbol = Callable[[str, SymbolKind], bool]  # path and kind


class SymbolFinder:
    """Finds symbols by name in one program. Used by one call at a time."""

    def __init__(self, program: SearchableProgram, nodes: ProgramNodes) -> None:
        self._program = program
        self._nodes = nodes
        self.is_cut = False  # more symbols match the last query than were scored
        self._fitting: LruCache[tuple[str, str], list[str]] = LruCache(
            CACHED_NAMES, lambda found: 1 + len(found)
        )

    def find(self, query: str, wanted: AcceptSymbol, limit: int) -> list[FoundSymbols]:
        """Return the best symbols for a query, by score, then path and ordinal."""
        self.is_cut = False
        expression = parse_expression(query)
        asked = query if expression is None else " ".join(one.text for one in expression.iter_wanted())
        words = [self._prepare(token) for token in _list_tokens(asked)]
        drafts: dict[tuple[str, int], _QueryDraft] = {}
        rounds = [(self._list_exact, _prefilter_whole), (self._list_near, _prefilter_near)]
        if expression is None and len(words) == 1 and words[0].pattern and not words[0].around:
            # this may be enough, without scanning names
            rounds.insert(0, (self._list_spelled, _prefilter_spelled))
        for list_files, build in rounds:
            prefilter = build(words)
            room = MAX_SYMBOLS
            paths = list_files(words) if words else []
            if expression is not None and list_files == self._list_exact:
                paths = [path for word in words for path in self._list_exact([word])]
            for path in dict.fromkeys(paths):
                record = None if room < 0 else self._program.find_record(path)
                if record is not None:
                    room -= record.symbol_count
                    matching = _match_file(path, record, words, prefilter, wanted)
                    drafts.update({(path, draft.ordinal): draft for draft in matching})
            is_enough = sum(draft.promise >= EXACT for draft in drafts.values()) >= limit
            if is_enough and expression is None:
                break  # an exact name outscores any other match
        chosen = sorted(drafts.values(), key=lambda draft: (-draft.promise, draft.path, draft.ordinal))
        if expression is not None:
            terms = _Terms(self._nodes, self._prepare)
            chosen = [one for one in chosen if expression.matches(terms.look_at(one))]
        chosen = _drop_blocks(chosen)
        self.is_cut = self.is_cut or len(chosen) > MAX_SCORED
        found = [
            FoundSymbols(Declaration(draft.path, draft.ordinal), round(score, 4))
            for draft in chosen[:MAX_SCORED]
            if (score := self._score(draft, words)) > 0
        ]
        found.sort(key=lambda one: (-one.score, one.declaration.path, one.declaration.ordinal))
        return found[:limit]

    def _prepare(self, token: str) -> QueryWord:
        *around, name = normalise_name(token).split(".")
        terms = get_word_terms(name.replace("*", "")) if name.strip("*") else ()
        has_star = "*" in name
        pattern = build_stars(name) if has_star else build_humps(name)
        count = min((self._program.names.count_declaring(term) for term in terms[:1]), default=0)
        files = max(1, len(self._program.list_paths()))
        weight = 1.0 + math.log1p(files / (1 + count)) / 10
        return QueryWord(name, name.lower(), tuple(around), tuple(terms), pattern, has_star, weight)

    def _list_spelled(self, words: list[QueryWord]) -> list[str]:
        """Return the files that declare one of the typed names."""
        found: list[str] = []
        for word in words:
            exact = self._program.list_declaring(word.text)
            if word.around:
                exact = self._keep_enclosed(exact, word.around[-1])
            found += exact[:MAX_EXACT_FILES]
        return found

    def _list_exact(self, words: list[QueryWord]) -> list[str]:
        """Return the files that declare the typed name, or a name that its pattern matches."""
        found: dict[str, None] = {}
        for word in words:
            if word.around or len(words) == 1:
                found.update(dict.fromkeys(self._list_spelled([word])))
            room = MAX_PATTERN_FILES
            for name in self._list_fitting(word):
                declaring = self._program.list_declaring(name)
                self.is_cut = self.is_cut or len(declaring) > room
                found.update(dict.fromkeys(declaring[: max(0, room)]))
                room -= len(declaring)
        return list(found)

    def _list_near(self, words: list[QueryWord]) -> list[str]:
        """Return the files whose declared names share most parts with the query."""
        parts = list(dict.fromkeys(part for word in words for part in self._expand(word)))
        rank = self._program.names.rank_files
        if len(words) == 1 and parts:  # a fitting name equals it, begins with it or has all its parts
            own = words[0].terms[1:]
            wholes = [[part] for part in parts if part not in own]
            found = rank(parts, MAX_FILES, [own, *wholes] if own else wholes)
            if found:
                return list(found)
        return list(rank(parts, MAX_FILES)) if parts else []

    def _keep_enclosed(self, paths: Sequence[str], around: str) -> list[str]:
        """Return the paths that declare the enclosing name, or contain it themselves."""
        declaring = set(self._program.list_declaring(around))
        folded = around.lower()
        return [path for path in paths if path in declaring or folded in path.lower()]

    def _list_fitting(self, word: QueryWord) -> list[str]:
        """Return the declared names that a word with a star or humps matches, shortest first."""
        if not word.pattern:
            return []
        names = self._fitting.get((word.pattern, word.text[:1]), lambda: self._scan_names(word))
        self.is_cut = self.is_cut or len(names) >= MAX_NAMES
        return names

    def _scan_names(self, word: QueryWord) -> list[str]:
        beginning = find_beginning(word)
        letter, rest = beginning[:1], beginning[1:]
        flags = re.MULTILINE | (re.IGNORECASE if word.has_star else 0)
        pattern = re.compile(f"^{word.pattern}$".encode(), flags)
        literal = find_literal(word)
        names: list[str] = []
        for first in dict.fromkeys((letter, letter.lower(), letter.upper())):
            declared = self._program.names.iter_declared(first + rest, pattern, literal)
            names += _take(declared, MAX_NAMES - len(names))
        return sorted(names, key=lambda name: (len(name), name))

    def _expand(self, word: QueryWord) -> list[str]:
        """Return the parts of names that a word can represent."""
        if word.has_star or len(word.folded) < MIN_BEGINNING:
            return [] if word.has_star else list(word.terms)
        return [*word.terms, *_take(self._program.names.iter_parts(word.folded), MAX_BEGUN)]

    def _score(self, draft: _QueryDraft, words: list[QueryWord]) -> float:
        record, ordinal = draft.record, draft.ordinal
        points = draft.points
        # Enclosing names add nothing when the symbol's own name already matches every word.
        is_known = all(points) and not any(word.around for word in words)
        around = [] if is_known else self._list_around(draft.path, ordinal)
        if len(words) > 1:
            points = [min(own, ONE_OF_SEVERAL) for own in points]
        placed = [rate_enclosed_name(word, own, around) for word, own in zip(words, points, strict=True)]
        total = sum(word.weight * own for word, own in zip(words, placed, strict=True)) / len(words)
        if not total:
            return 0.0
        if len(words) > 1 and all(placed):
            total += ALL_WORDS * compute_covered_share(words, points, record.get_name(ordinal))
        flags = int(record.flags[ordinal])
        total += _KIND_POINTS.get(record.get_kind(ordinal), 0.0)
        total += FORWARD if flags & SymbolFlag.FORWARD else 0.0
        total += IN_TESTS if is_test_path(draft.path) else 0.0
        return total

    def _list_around(self, path: str, ordinal: int) -> list[str]:
        """Return the names around a symbol in lower case, outermost first, including a Python module's."""
        qualified = self._nodes.name(Declaration(path, ordinal)) if ordinal else path
        if is_titled(qualified):  # each word of which may stand before the last one
            return _WORD.findall(qualified.lower())[:-1]
        return qualified.lower().split(".")[:-1]


def _drop_blocks(chosen: list[_QueryDraft]) -> list[_QueryDraft]:
    """Return what was found without the extensions of types that were found, too: there may be dozens."""
    kinds = [one.record.get_kind(one.ordinal) for one in chosen]
    if SymbolKind.EXTENSION not in kinds:
        return chosen
    names = [(one.path.rpartition(".")[2], one.record.get_name(one.ordinal)) for one in chosen]
    types = {
        name
        for name, kind in zip(names, kinds, strict=True)
        if kind in TYPE_KINDS and kind is not SymbolKind.EXTENSION
    }
    return [
        one
        for one, name, kind in zip(chosen, names, kinds, strict=True)
        if kind is not SymbolKind.EXTENSION or name not in types
    ]


class _Terms:
    """Decides which terms of an expression a symbol has."""

    def __init__(self, nodes: ProgramNodes, prepare: Callable[[str], QueryWord]) -> None:
        self._nodes = nodes
        self._prepare = lru_cache(MAX_TOKENS)(prepare)

    def look_at(self, draft: _QueryDraft) -> Has:
        """Return a function that tells whether a symbol has a term, in its own name or in those around it."""
        *around, name = split_qualified(self._nodes.name(Declaration(draft.path, draft.ordinal)))
        if not draft.ordinal:
            around, name = [draft.path], draft.path.rpartition("/")[2]
        whole = _squeeze(".".join([*around, name]))

        def has(text: str, is_phrase: bool) -> bool:
            if is_phrase and not text.isidentifier():
                squeezed = _squeeze(text)
                return bool(squeezed) and squeezed in whole
            word = self._prepare(text)
            if word.around:
                steps = [one.lower() for one in around]
                return rate_enclosed_name(word, rate_name(word, name), steps) > 0
            return any(rate_name(word, one) > INSIDE + COVERAGE for one in [name, *around])

        return has


def _squeeze(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


def _match_file(
    path: str, record: SymbolRecord, words: list[QueryWord], prefilter: _Prefilter, wanted: AcceptSymbol
) -> list[_QueryDraft]:
    """Return the symbols of a file whose names match a word."""
    marks = np.zeros(record.string_table.count, dtype=np.bool_)
    for numbers in record.string_table.find_holding(prefilter.needles):
        marks[numbers] = True
    if prefilter.pattern is not None:
        marks |= record.string_table.mark_matching(prefilter.pattern)
    ordinals = np.flatnonzero(marks[record.names])
    numbers = sort_distinct(record.names[ordinals].astype(np.int64)).tolist()
    names = zip(numbers, record.string_table.get(numbers), strict=True)
    points = {number: [rate_name(word, name) for word in words] for number, name in names}
    most = EXACT + COVERAGE if len(words) == 1 else ONE_OF_SEVERAL
    return [
        _QueryDraft(path, ordinal, record, own, sum(min(one, most) for one in own))
        for ordinal, number in zip(ordinals.tolist(), record.names[ordinals].tolist(), strict=True)
        if any(own := points[number]) and wanted(path, record.get_kind(ordinal))
    ]


@dataclass(frozen=True, slots=True)
class _Prefilter:
    """A fast prefilter for names that may match a word; it rejects nearly all that do not."""

    needles: tuple[str | tuple[str, ...], ...]  # see `StringTable.find_holding`
    pattern: re.Pattern[str] | None = None


def _prefilter_spelled(words: Sequence[QueryWord]) -> _Prefilter:
    """Build the prefilter for names that equal a word."""
    return _Prefilter(tuple({f"\n{word.folded}\n": None for word in words if not word.has_star}))


def _prefilter_whole(words: Sequence[QueryWord]) -> _Prefilter:
    """Build the prefilter for names that equal a word or match its pattern."""
    starred = dict.fromkeys(find_literal(word).rstrip("\n").lower() for word in words if word.has_star)
    patterns = [word.pattern for word in words if word.pattern and not word.has_star]
    pattern = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None
    return _Prefilter((*_prefilter_spelled(words).needles, *starred), pattern)


def _prefilter_near(words: Sequence[QueryWord]) -> _Prefilter:
    """Build the prefilter for similar names, which have all parts of a word."""
    return _Prefilter(tuple(dict.fromkeys(list_needles(word) for word in words if not word.has_star)))


def has_words(query: str) -> bool:
    """Return False for a query without anything to match, such as a star alone."""
    return bool(_list_tokens(query))


def _list_tokens(query: str) -> list[str]:
    tokens = [token for token in _TOKEN.findall(query) if token not in _OPERATORS and token.strip("*")]
    return list(dict.fromkeys(tokens))[:MAX_WORDS]


def _take(names: Iterable[str], most: int) -> list[str]:
    return [name for _, name in zip(range(most), names, strict=False)]
