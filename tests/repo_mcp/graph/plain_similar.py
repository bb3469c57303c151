"""Likeness of symbols by the clear slow way, as an oracle for `repo_mcp.graph.similar`.

Each file is searched by itself, every candidate's text is read, and texts are always split into all their
strings, lines and tokens.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from repo_mcp.graph.lookup.symbol_search import SearchableProgram
from repo_mcp.graph.program import Declaration
from repo_mcp.graph.similar import (
    _MEMBER_WEIGHT,
    _ROLE_WEIGHTS,
    ASKED_NAMES,
    ASKED_PARTS,
    BY_NAME,
    BY_NAMES,
    BY_SHAPE,
    MAX_CANDIDATES,
    MAX_COMPARED,
    MAX_FILES,
    MAX_SHARED,
    MAX_SHINGLED_CHARS,
    MAX_USING,
    MIN_LIKENESS,
    MIN_PART,
    SHINGLE,
    Similar,
)
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, ReferenceRole, SymbolKind, SymbolRecord
from repo_mcp.text.analysis import get_word_terms

# A longer string counts as its words: otherwise unclosed quotes would be followed to the ends of their lines.
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}'|[^\w\s]")
_KEYWORDS = frozenset(
    """
    if else elif for while do return switch case break continue try except catch finally raise throw with
    yield await async new delete in is not and or lambda def func fn function class struct interface enum
    import from export const let var static public private protected void int bool string true false null
    None True False self this super match loop goto defer go select
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class _Features:
    """The features by which one symbol is compared, without its text."""

    used: Mapping[str, float]  # name -> weight of its strongest role
    parts: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A symbol that shares something with the one asked about."""

    declaration: Declaration
    record: SymbolRecord
    used: float  # weight of the names that both use
    parts: float  # weight of the parts that both names have, or may have

    def order(self) -> tuple[float, str, int]:
        """Return the key of the order: those that share most come first."""
        return (-(self.used + self.parts), self.declaration.path, self.declaration.ordinal)


class PlainFinder:
    """Likeness of symbols in one program. Used by one call at a time."""

    def __init__(self, program: SearchableProgram) -> None:
        self._program = program
        self._rarity: dict[str, float] = {}
        self._part_rarity: dict[str, float] = {}

    def find(self, declaration: Declaration, limit: int) -> list[Similar]:
        """Return the symbols most like one, likest first, then by path and line. Reads the text of files."""
        record = self._program.find_record(declaration.path)
        if record is None:
            return []
        own = _gather(record, declaration.ordinal)
        texts = _Texts(self._program)
        shingles = texts.shingle(declaration)
        found = []
        for one in self._list_candidates(declaration, record, own)[: max(MAX_COMPARED, limit)]:
            other = self._program.find_record(one.path)
            assert other is not None
            features = _gather(other, one.ordinal)
            names, name = self._compare_names(own, features)
            alike = _jaccard(shingles, texts.shingle(one))
            likeness = BY_NAMES * names + BY_SHAPE * alike + BY_NAME * name
            if likeness >= MIN_LIKENESS:
                shared = self._list_shared(own, features)
                rounded = [round(value, 4) for value in (likeness, names, alike, name)]
                found.append(Similar(one, rounded[0], rounded[1], rounded[2], rounded[3], shared))
        found.sort(key=lambda one: (-one.likeness, one.declaration.path, one.declaration.ordinal))
        return found[:limit]

    def _list_candidates(
        self, declaration: Declaration, record: SymbolRecord, own: _Features
    ) -> list[Declaration]:
        """Return the symbols of like kind that share most rare names, by the columns of their files alone."""
        group = _find_group(record, declaration.ordinal)
        rough: list[_Candidate] = []
        for path in self._list_files(own):
            other = self._program.find_record(path)
            if other is not None:
                rough += self._score_file(path, other, own, group)
        rough.sort(key=_Candidate.order)
        chosen = [replace(one, parts=self._weigh_parts(own, one)) for one in rough[:MAX_CANDIDATES]]
        chosen.sort(key=_Candidate.order)
        return [one.declaration for one in chosen if one.declaration != declaration]

    def _weigh_parts(self, own: _Features, candidate: _Candidate) -> float:
        """Return what the own names share, part by part."""
        ordinal = candidate.declaration.ordinal
        name = candidate.record.strings[candidate.record.names[ordinal]]
        return sum(self._weigh_part(part) for part in sorted(own.parts.intersection(_list_parts(name))))

    def _score_file(
        self, path: str, record: SymbolRecord, own: _Features, group: frozenset[SymbolKind]
    ) -> list[_Candidate]:
        """Return the symbols of the group that share most names, or may share parts of their own."""
        weights = np.zeros(len(record.strings))
        for name in own.used:
            if name in record.strings:
                weights[_number(record, name)] = self._weigh(name)
        owners = _find_owners(record, group)
        rows = np.flatnonzero(weights[record.ref_names] > 0)
        members = np.flatnonzero(weights[record.names] > 0)
        around = np.concatenate((owners[record.ref_symbols[rows]], owners[record.parents[members]]))
        named = np.concatenate((record.ref_names[rows], record.names[members]))
        pairs = np.unique(around * len(weights) + named)
        ordinals, numbers = np.divmod(pairs, len(weights))
        scores = np.bincount(ordinals, weights[numbers], record.symbol_count).astype(np.float64)
        is_like = _is_of(record, group)
        like = np.zeros(record.symbol_count)
        parts = self._list_informative(own)  # stems: their last letter may be another
        for part in parts:
            marks = np.array([part[:-1] in text.lower() for text in record.strings])
            like[is_like & marks[record.names]] += self._weigh_part(part)
        rough = scores + like
        rough[0] = 0.0  # what stands in no symbol of the group
        best = np.argsort(-rough, kind="stable")[:MAX_CANDIDATES]
        return [
            _Candidate(Declaration(path, ordinal), record, float(scores[ordinal]), float(like[ordinal]))
            for ordinal in best[rough[best] > 0].tolist()
        ]

    def _list_informative(self, own: _Features) -> list[str]:
        """Return the rarest parts of the own name, those left out that any name may hold."""
        parts = [part for part in own.parts if len(part) >= MIN_PART]
        return sorted(parts, key=lambda part: (-self._weigh_part(part), part))[:ASKED_PARTS]

    def _list_files(self, own: _Features) -> list[str]:
        """Return the files that share most of the rarest names."""
        counts: Counter[str] = Counter()
        rarest = sorted(own.used, key=lambda name: (-self._weigh(name), name))
        for name in rarest[:ASKED_NAMES]:
            for paths in (self._program.list_using(name), self._program.list_declaring(name)):
                if len(paths) <= MAX_USING:
                    counts.update(dict.fromkeys(paths, 1))
        for path in self._program.names.rank_files(sorted(own.parts), MAX_FILES // 6):
            counts[path] += 1
        return sorted(counts, key=lambda path: (-counts[path], path))[:MAX_FILES]

    def _weigh(self, name: str) -> float:
        """Return the weight of a name, which grows with the logarithm of how few files use it."""
        known = self._rarity.get(name)
        if known is None:
            files = max(1, len(self._program.list_paths()))
            known = self._rarity[name] = math.log1p(files / (1 + len(self._program.list_using(name))))
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
        """Likeness by the names they use, and by their own."""
        both = own.used.keys() & other.used.keys()
        common = sum(min(own.used[name], other.used[name]) * self._weigh(name) for name in sorted(both))
        whole = sum(
            max(own.used.get(name, 0.0), other.used.get(name, 0.0)) * self._weigh(name)
            for name in sorted(own.used.keys() | other.used.keys())
        )
        shared = sum(self._weigh_part(part) for part in sorted(own.parts & other.parts))
        parts = sum(self._weigh_part(part) for part in sorted(own.parts | other.parts))
        return (common / whole if whole else 0.0), (shared / parts if parts else 0.0)

    def _list_shared(self, own: _Features, other: _Features) -> tuple[str, ...]:
        both = own.used.keys() & other.used.keys()
        return tuple(sorted(both, key=lambda name: (-self._weigh(name), name))[:MAX_SHARED])


def _number(record: SymbolRecord, text: str) -> int:
    """Return the last of the strings that are equal."""
    return max(number for number, one in enumerate(record.strings) if one == text)


def mark_inside(record: SymbolRecord, ordinal: int) -> npt.NDArray[np.bool_]:
    """Return for each symbol whether it is the one at `ordinal`, or inside of it."""
    marked: set[int] = {ordinal}
    for other, parent in enumerate(record.parents.tolist()):
        if other > ordinal and parent in marked:
            marked.add(other)
    return np.array([other in marked for other in range(record.symbol_count)])


def _gather(record: SymbolRecord, ordinal: int) -> _Features:
    inside = mark_inside(record, ordinal)
    used: dict[str, float] = {}
    for row in np.flatnonzero(inside[record.ref_symbols]).tolist():
        weight = _ROLE_WEIGHTS.get(ReferenceRole(int(record.ref_roles[row])), 0.0)
        name = record.strings[record.ref_names[row]]
        if weight and name:
            used[name] = max(used.get(name, 0.0), weight)
    for member in np.flatnonzero(inside).tolist():
        if member != ordinal:
            name = record.strings[record.names[member]]
            used[name] = max(used.get(name, 0.0), _MEMBER_WEIGHT)
    return _Features(used, frozenset(_list_parts(record.strings[record.names[ordinal]])))


def _list_parts(name: str) -> tuple[str, ...]:
    terms = get_word_terms(name) if name else ()
    return terms[1:] or terms


def _find_owners(record: SymbolRecord, group: frozenset[SymbolKind]) -> npt.NDArray[np.int64]:
    """Return for each symbol the place of the nearest one of the group around it, itself included; else 0."""
    is_owner = _is_of(record, group)
    is_owner[0] = True  # the file, which stands for none
    owners = np.arange(record.symbol_count, dtype=np.int64)
    while len(lost := np.flatnonzero(~is_owner[owners])):  # one round for each level of nesting
        owners[lost] = record.parents[owners[lost]]
    return owners


def _is_of(record: SymbolRecord, group: Iterable[SymbolKind]) -> npt.NDArray[np.bool_]:
    """Return True for each symbol of the kinds."""
    table = np.zeros(int(max(SymbolKind)) + 1, dtype=np.bool_)
    table[[int(kind) for kind in group]] = True
    marks: npt.NDArray[np.bool_] = table[record.kinds]
    return marks


def _find_group(record: SymbolRecord, ordinal: int) -> frozenset[SymbolKind]:
    """Return the kinds that a symbol is compared with."""
    kind = SymbolKind(int(record.kinds[ordinal]))
    for group in (CALLABLE_KINDS, TYPE_KINDS):
        if kind in group:
            return group
    return frozenset({kind})


class _Texts:
    """The shingles of symbols, from the text of their files as it is now."""

    def __init__(self, program: SearchableProgram) -> None:
        self._program = program
        self._lines: dict[str, list[str]] = {}

    def shingle(self, declaration: Declaration) -> frozenset[tuple[str, ...]]:
        """Return the shingles of a symbol; none when its file cannot be read."""
        record = self._program.find_record(declaration.path)
        if record is None:
            return frozenset()
        if declaration.path not in self._lines:
            text = self._program.read_text(declaration.path) or ""
            self._lines[declaration.path] = text.split("\n")
        start = int(record.starts[declaration.ordinal]) - 1
        end = start + int(record.spans[declaration.ordinal]) + 1
        text = "\n".join(self._lines[declaration.path][start:end])[:MAX_SHINGLED_CHARS]
        return shingle(text)


def shingle(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of tokens of a text."""
    tokens = [_abstract(token) for token in _TOKEN.findall(text)]
    return frozenset(zip(*(tokens[ordinal:] for ordinal in range(SHINGLE)), strict=False))


def _abstract(token: str) -> str:
    """Return a token without what is only a name or a value."""
    first = token[0]
    if first.isalpha() or first == "_":
        return token if token in _KEYWORDS else "n"
    if first.isdigit():
        return "0"
    return "s" if first in "\"'" else token


def _jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    whole = len(one | other)
    return len(one & other) / whole if whole else 0.0
