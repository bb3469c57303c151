"""Symbols similar to a given one, judged without a model.

- names: the names that a symbol uses in calls, types and values, and those of its members, weighted by how
  rare they are in the repository (weighted Jaccard);
- shape: its shingles, which are overlapping runs of SHINGLE tokens with all identifiers made equal (Jaccard;
  Broder, "On the resemblance and containment of documents", 1997);
- name: the parts of its own name, weighted by rarity.

Candidates are symbols of a similar kind in files that share its rarest names
(`repo_mcp/graph/similar_candidates.py`). A likeness is from 0 to 1.

Shingles come from the live text. Left out on purpose: the grammar of any language; words in comments are
tokens like any others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from repo_mcp.arrays import I64
from repo_mcp.graph.edges import mark_inside
from repo_mcp.graph.lookup.symbol_search import SearchableProgram
from repo_mcp.graph.program import Declaration, Program
from repo_mcp.graph.similar_candidates import Candidate, Criteria, find_candidates
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, ReferenceRole, SymbolKind, SymbolRecord
from repo_mcp.text.analysis import MAX_WORD_BYTES, get_root, get_word_terms

BY_NAMES, BY_SHAPE, BY_NAME = 0.45, 0.35, 0.2
ASKED_NAMES = 16  # the rarest, used to find candidates
ASKED_PARTS = 6  # of the own name, used to find similar names
MIN_PART = 3  # characters
MAX_USING = 300  # files; a name used in more of them is not distinctive
MAX_FILES = 60  # scanned for candidates
MAX_CANDIDATES = 240  # symbols whose own names are compared part by part
MAX_COMPARED = 40  # symbols that are compared in full
MIN_LIKENESS = 0.15
DECIMALS = 4  # in answers
MAX_SHARED = 6  # names shown in an answer

_ROLE_WEIGHTS: Mapping[int, float] = {
    ReferenceRole.CALL: 1.0,
    ReferenceRole.TYPE: 0.7,
    ReferenceRole.ACCEPT: 0.7,
    ReferenceRole.USE: 0.6,
    ReferenceRole.INHERIT: 1.0,
    ReferenceRole.IMPLEMENT: 1.0,
    ReferenceRole.EXTEND: 1.0,
}
_WEIGHTS = [_ROLE_WEIGHTS.get(role, 0.0) for role in range(max(ReferenceRole) + 1)]  # by role number
_MEMBER_WEIGHT = 0.8
SHINGLE = 4  # tokens
MAX_SHINGLED_CHARS = 8_000  # read of one symbol
CACHED_CHARACTERS = 1_024

Shingles = frozenset[tuple[str, ...]]

# A longer string counts as its words; otherwise each unclosed quote would be scanned to the end of its line.
_STRINGS = r"\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}'"
_TOKEN = re.compile(rf"[^\W\d]\w*|\d[\w.]*|{_STRINGS}|[^\w\s]")
# Equivalent for ASCII text, in half the time.
_PLAIN_TOKEN = re.compile(rf"[A-Za-z_]\w*|\d[\w.]*|{_STRINGS}|[^\w\s\x1c-\x1f]", re.ASCII)
_WORDS = """
    if else elif for while do return switch case break continue try except catch finally raise throw with
    yield await async new delete in is not and or lambda def func fn function class struct interface enum
    import from export const let var static public private protected void int bool string true false null
    None True False self this super match loop goto defer go select
"""
KEYWORDS = {word: word for word in _WORDS.split()}
_LINE_FEED = 0x0A


@dataclass(frozen=True, slots=True)
class Similar:
    """One symbol similar to the given one."""

    declaration: Declaration
    likeness: float  # 0 to 1
    names: float
    shape: float
    name: float
    shared: tuple[str, ...]  # the rarest names that both use


@dataclass(frozen=True, slots=True)
class _Features:
    """The features compared without reading the symbol's text."""

    used: Mapping[str, float]  # name -> weight of its strongest role
    parts: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Compared:
    """A candidate compared in everything but its shape."""

    declaration: Declaration
    record: SymbolRecord
    features: _Features
    names: float  # likeness
    name: float

    def weigh(self, shape: float) -> float:
        """Return the total likeness, given that of the shapes; it never falls as that one rises."""
        return BY_NAMES * self.names + BY_SHAPE * shape + BY_NAME * self.name


class SimilarFinder:
    """Finds similar symbols in one program. Used by one call at a time."""

    def __init__(self, program: SearchableProgram) -> None:
        self._program = program
        self._rarity: dict[str, float] = {}
        self._part_rarity: dict[str, float] = {}

    def find(self, declaration: Declaration, limit: int) -> list[Similar]:
        """Return the symbols most like one, best first, then by path and ordinal. Reads their files."""
        record = self._program.find_record(declaration.path)
        if record is None:
            return []
        own = _gather(record, declaration.ordinal)
        chosen = self._choose_candidates(declaration, record, own)[: max(MAX_COMPARED, limit)]
        compared = [self._compare(own, one) for one in chosen]
        # Best upper bound first, so that files of candidates that cannot be among the best stay unread.
        compared.sort(key=lambda one: (-one.weigh(1.0), one.declaration.path, one.declaration.ordinal))
        reader = ShingleReader(self._program)
        own_shingles = reader.find(declaration, record)
        found: list[Similar] = []
        for one in compared:
            if len(found) >= limit:
                best = sorted((other.likeness for other in found), reverse=True)
                if round(one.weigh(1.0), DECIMALS) < best[limit - 1]:
                    break
            alike = compare_shingles(own_shingles, reader.find(one.declaration, one.record))
            likeness = one.weigh(alike)
            if likeness >= MIN_LIKENESS:
                shared = self._list_shared(own, one.features)
                found.append(
                    Similar(
                        one.declaration,
                        round(likeness, DECIMALS),
                        round(one.names, DECIMALS),
                        round(alike, DECIMALS),
                        round(one.name, DECIMALS),
                        shared,
                    )
                )
        found.sort(key=lambda one: (-one.likeness, one.declaration.path, one.declaration.ordinal))
        return found[:limit]

    def _compare(self, own: _Features, candidate: Candidate) -> _Compared:
        features = _gather(candidate.record, candidate.declaration.ordinal)
        names, name = self._compare_names(own, features)
        return _Compared(candidate.declaration, candidate.record, features, names, name)

    def _choose_candidates(
        self, declaration: Declaration, record: SymbolRecord, own: _Features
    ) -> list[Candidate]:
        """Return the symbols of a similar kind that share most rare names, by record columns alone."""
        files = {
            path: other
            for path in self._list_files(own)
            if (other := self._program.find_record(path)) is not None
        }
        # Drop the last letter of each stem: it may differ in a name.
        stems = [(part[:-1], self._weigh_part(part)) for part in self._list_informative(own)]
        names = {name: self._weigh(name) for name in own.used}
        wanted = Criteria(_find_group(record, declaration.ordinal), names, stems)
        shared = self._weigh_parts(own, find_candidates(files, wanted, MAX_CANDIDATES))
        shared.sort(key=lambda one: (-one[0], one[1].declaration.path, one[1].declaration.ordinal))
        return [candidate for _, candidate in shared if candidate.declaration != declaration]

    def _weigh_parts(self, own: _Features, candidates: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
        """Return each candidate with the weight that it shares, matching parts of its own name included."""
        weights = {part: self._weigh_part(part) for part in own.parts}
        roots = [get_root(part) for part in weights]
        found = []
        for candidate in candidates:
            record = candidate.record
            name = record.string_table.get([int(record.names[candidate.declaration.ordinal])])[0]
            weight = candidate.used
            if _may_share(name, roots):
                shared = own.parts.intersection(_list_parts(name))
                weight += sum([weights[part] for part in sorted(shared)])
            found.append((weight, candidate))
        return found

    def _list_informative(self, own: _Features) -> list[str]:
        """Return the rarest parts of the symbol's own name, without parts that are too short."""
        parts = [part for part in own.parts if len(part) >= MIN_PART]
        return sorted(parts, key=lambda part: (-self._weigh_part(part), part))[:ASKED_PARTS]

    def _list_files(self, own: _Features) -> list[str]:
        """Return the files that share most of the rarest names."""
        counts: Counter[str] = Counter()
        rarest = sorted(own.used, key=lambda name: (-self._weigh(name), name))
        for name in rarest[:ASKED_NAMES]:
            for paths in self._program.list_rare(name, MAX_USING):
                counts.update(paths)
        for path in self._program.names.rank_files(sorted(own.parts), MAX_FILES // 6):
            counts[path] += 1
        return sorted(counts, key=lambda path: (-counts[path], path))[:MAX_FILES]

    def _weigh(self, name: str) -> float:
        """Return the weight of a name: log(1 + files / (1 + files using it))."""
        known = self._rarity.get(name)
        if known is None:
            files = max(1, len(self._program.list_paths()))
            known = self._rarity[name] = math.log1p(files / (1 + self._program.count_using(name)))
        return known

    def _weigh_part(self, part: str) -> float:
        known = self._part_rarity.get(part)
        if known is None:
            files = max(1, len(self._program.list_paths()))
            known = self._part_rarity[part] = math.log1p(
                files / (1 + self._program.names.count_declaring(part))
            )
        return known

    def _compare_names(self, own: _Features, other: _Features) -> tuple[float, float]:
        """Return the likeness by the names two symbols use, and by their own names."""
        mine, its = own.used, other.used
        weigh = self._weigh
        # Weighted Jaccard: the sum of the minima over the sum of the maxima.
        common = sum([min(mine[name], its[name]) * weigh(name) for name in sorted(mine.keys() & its.keys())])
        every = sorted(mine.keys() | its.keys())
        whole = sum([max(mine.get(name, 0.0), its.get(name, 0.0)) * weigh(name) for name in every])
        shared = sum([self._weigh_part(part) for part in sorted(own.parts & other.parts)])
        parts = sum([self._weigh_part(part) for part in sorted(own.parts | other.parts)])
        return (common / whole if whole else 0.0), (shared / parts if parts else 0.0)

    def _list_shared(self, own: _Features, other: _Features) -> tuple[str, ...]:
        both = own.used.keys() & other.used.keys()
        return tuple(sorted(both, key=lambda name: (-self._weigh(name), name))[:MAX_SHARED])


def _gather(record: SymbolRecord, ordinal: int) -> _Features:
    inside = mark_inside(record, ordinal)
    rows = np.flatnonzero(inside[record.ref_symbols])
    members = np.flatnonzero(inside)
    named = record.names[members[members != ordinal]].tolist()
    numbers = record.ref_names[rows].tolist()
    weights = [_WEIGHTS[role] for role in record.ref_roles[rows].tolist()]
    own, *names = record.string_table.get([int(record.names[ordinal]), *numbers, *named])
    used: dict[str, float] = {}
    for name, weight in zip(names, weights, strict=False):
        if name and weight > used.get(name, 0.0):
            used[name] = weight
    for name in names[len(numbers) :]:
        used[name] = max(used.get(name, 0.0), _MEMBER_WEIGHT)
    return _Features(used, frozenset(_list_parts(own)))


@lru_cache(maxsize=32_768)
def _list_parts(name: str) -> tuple[str, ...]:
    terms = get_word_terms(name) if name else ()
    return terms[1:] or terms


def _may_share(name: str, roots: Sequence[str]) -> bool:
    """Return False for a name without any of these roots, to skip splitting most names."""
    if len(name) > MAX_WORD_BYTES or not name.isascii():
        return True
    folded = name.lower()
    return any(root in folded for root in roots)


def _find_group(record: SymbolRecord, ordinal: int) -> frozenset[SymbolKind]:
    """Return the kinds that a symbol is compared with."""
    kind = record.get_kind(ordinal)
    for group in (CALLABLE_KINDS, TYPE_KINDS):
        if kind in group:
            return group
    return frozenset({kind})


class ShingleReader:
    """Reads the shingles of symbols of one program, for one call. Each file is read once."""

    def __init__(self, program: Program) -> None:
        """Read nothing yet."""
        self._program = program
        self._texts: dict[str, _Lines] = {}

    def find(self, declaration: Declaration, record: SymbolRecord) -> Shingles:
        """Return the shingles of a declared symbol; empty when its file cannot be read."""
        lines = self._texts.get(declaration.path)
        if lines is None:
            text = self._program.read_text(declaration.path) or ""
            lines = self._texts[declaration.path] = _Lines(text)
        start = int(record.starts[declaration.ordinal]) - 1
        return build_shingles(lines.cut(start, start + int(record.spans[declaration.ordinal]) + 1))


def build_shingles(text: str) -> Shingles:
    """Return the shingles of the first MAX_SHINGLED_CHARS characters of a text."""
    text = text[:MAX_SHINGLED_CHARS]
    pattern = _PLAIN_TOKEN if text.isascii() else _TOKEN
    tokens = [KEYWORDS.get(token) or _abstract(token[0]) for token in pattern.findall(text)]
    return frozenset(zip(*(tokens[ordinal:] for ordinal in range(SHINGLE)), strict=False))


def compare_shingles(one: Shingles, other: Shingles) -> float:
    """Return the Jaccard similarity of two sets of shingles, from 0 to 1; 0 when both are empty."""
    both = len(one & other)
    whole = len(one) + len(other) - both
    return both / whole if whole else 0.0


class _Lines:
    """A text that can be cut by line numbers."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-8", "surrogatepass")
        self._ends: I64 = np.flatnonzero(np.frombuffer(self._data, dtype=np.uint8) == _LINE_FEED)

    def cut(self, start: int, end: int) -> str:
        """Return lines `start` to before `end` (0-based), at most 4 * MAX_SHINGLED_CHARS bytes, or ""."""
        if start > len(self._ends):
            return ""
        first = int(self._ends[start - 1]) + 1 if start else 0
        last = int(self._ends[end - 1]) if end <= len(self._ends) else len(self._data)
        # A character has at most four bytes in UTF-8.
        return self._data[first : min(last, first + 4 * MAX_SHINGLED_CHARS)].decode("utf-8", "ignore")


@lru_cache(CACHED_CHARACTERS)
def _abstract(first: str) -> str:
    """Return the token that represents a non-keyword, by its first character: a name, a number, a string."""
    if first.isalpha() or first == "_":
        return "n"
    if first.isdigit():
        return "0"
    return "s" if first in "\"'" else first
