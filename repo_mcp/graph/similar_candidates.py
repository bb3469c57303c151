"""Finds the symbols that may be similar to a given one, from the columns of symbol records alone.

The score of a candidate is the sum of the weights of the wanted names that it or its members use or declare,
each counted once, and of the wanted stems contained in its own name. Each file yields few rows, and those of
all files are summed at once: numpy takes as long for ten numbers as for 1,000.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from index_format import sort_distinct
from repo_mcp.arrays import F64, I64, Mask
from repo_mcp.graph.program import Declaration
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import SymbolKind, SymbolRecord

_NONE, _NO_WORTH = np.zeros(0, dtype=np.int64), np.zeros(0)


@dataclass(frozen=True, slots=True)
class Criteria:
    """The kinds, names and stems that candidates are scored by."""

    kinds: frozenset[SymbolKind]
    names: Mapping[str, float]  # name -> weight, above 0
    stems: Sequence[tuple[str, float]]  # lower case, with weights above 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A symbol that shares something with the given one."""

    declaration: Declaration
    record: SymbolRecord
    used: float  # total weight of the names that both use


@dataclass(frozen=True, slots=True)
class _Rows:
    """The matches in one file."""

    users: I64  # ordinals of the symbols that use a wanted name, once per use
    names: I64  # the name used: an index into `weights`
    weights: list[float]  # of the wanted names in this file, in the order of their string numbers
    named: I64  # ordinals of the symbols whose own name contains a stem
    worth: F64  # total weight of those stems, one per entry of `named`


def find_candidates(files: Mapping[str, SymbolRecord], wanted: Criteria, most: int) -> list[Candidate]:
    """Return at most `most` candidates, highest score first, ties by path and ordinal."""
    if not files:
        return []
    is_wanted = _mark_kinds(wanted.kinds)
    paths = sorted(files)  # so that global ordinals are in tie-breaking order
    rows = [_scan(files[path], wanted, is_wanted) for path in paths]
    bases = _find_bases([files[path].symbol_count for path in paths])
    users, used = _sum_used(rows, bases)
    named = np.concatenate([one.named + base for one, base in zip(rows, bases.tolist(), strict=True)])
    ordinals = sort_distinct(np.concatenate([users, named]))
    totals = np.zeros((2, len(ordinals)))
    totals[0, ordinals.searchsorted(users)] = used
    totals[1, ordinals.searchsorted(named)] = np.concatenate([one.worth for one in rows])
    best = np.argsort(-(totals[0] + totals[1]), kind="stable")[:most]
    owners = bases.searchsorted(ordinals[best], side="right") - 1
    inside = (ordinals[best] - bases[owners]).tolist()
    return [
        Candidate(Declaration(paths[file], ordinal), files[paths[file]], used)
        for file, ordinal, used in zip(owners.tolist(), inside, totals[0, best].tolist(), strict=True)
    ]


def _find_bases(counts: Iterable[int]) -> I64:
    """Return the start of each of several consecutive runs (int64, one per count)."""
    ends = np.cumsum(np.array([0, *counts], dtype=np.int64))
    return ends[:-1]


def _sum_used(rows: Sequence[_Rows], bases: I64) -> tuple[I64, F64]:
    """Return the symbols that use wanted names (int64, ascending, unique) and the weight of each (float64).

    A name counts once per symbol. Names are added in number order, since sums of floats depend on it.
    """
    name_bases = _find_bases([len(one.weights) for one in rows])
    weights = np.array([weight for one in rows for weight in one.weights])
    users = np.concatenate([one.users + base for one, base in zip(rows, bases.tolist(), strict=True)])
    names = np.concatenate([one.names + base for one, base in zip(rows, name_bases.tolist(), strict=True)])
    if not len(users):
        return users, np.zeros(0)
    pairs = sort_distinct(users * len(weights) + names)
    ordinals, numbers = np.divmod(pairs, len(weights))
    found, groups = np.unique(ordinals, return_inverse=True)
    sums: F64 = np.bincount(groups, weights[numbers]).astype(np.float64)
    return found, sums


def _scan(record: SymbolRecord, wanted: Criteria, is_wanted: Mask) -> _Rows:
    """Return the matches in one file."""
    users, names, weights = _find_users(record, wanted, is_wanted)
    ordinals, worth = _find_named(record, wanted.stems, is_wanted)
    return _Rows(users, names, weights, ordinals, worth)


def _find_users(record: SymbolRecord, wanted: Criteria, is_wanted: Mask) -> tuple[I64, I64, list[float]]:
    numbers = record.string_table.find_all(list(wanted.names))
    found = sorted(
        (number, weight)
        for number, weight in zip(numbers, wanted.names.values(), strict=True)
        if number is not None
    )
    if not found:
        return _NONE, _NONE, []
    ranks = np.zeros(record.string_table.count, dtype=np.int64)
    ranks[[number for number, _ in found]] = np.arange(1, len(found) + 1)
    used, declared = ranks.take(record.ref_names), ranks.take(record.names)
    rows, members = used.nonzero()[0], declared.nonzero()[0]
    around = np.concatenate((record.ref_symbols[rows], record.parents[members]), dtype=np.int64)
    names = np.concatenate((used[rows], declared[members]))
    owners = _climb(record, around, is_wanted)
    inside = owners.nonzero()[0]
    return owners[inside], names[inside] - 1, [weight for _, weight in found]


def _climb(record: SymbolRecord, ordinals: I64, is_wanted: Mask) -> I64:
    """Return the nearest symbol of a wanted kind at or around each ordinal, else 0; changes `ordinals`."""
    owners = ordinals
    while True:  # one round per level of nesting
        lost = ((owners > 0) & ~is_wanted[record.kinds[owners]]).nonzero()[0]
        if not len(lost):
            return owners
        owners[lost] = record.parents[owners[lost]]


def _find_named(record: SymbolRecord, stems: Sequence[tuple[str, float]], is_wanted: Mask) -> tuple[I64, F64]:
    values = np.zeros(record.string_table.count)
    is_any = False
    for numbers, (_, weight) in zip(
        record.string_table.find_holding([stem for stem, _ in stems]), stems, strict=True
    ):
        if len(numbers):
            values[numbers] += weight  # added once, however often a number occurs
            is_any = True
    if not is_any:
        return _NONE, _NO_WORTH
    worth = values.take(record.names)
    worth[0] = 0.0  # the file
    ordinals = worth.nonzero()[0]
    ordinals = ordinals[is_wanted[record.kinds[ordinals]]]
    return ordinals, worth[ordinals]


def _mark_kinds(kinds: Iterable[SymbolKind]) -> Mask:
    """Return a mask (bool, by kind number) of the given kinds."""
    marks = np.zeros(int(max(SymbolKind)) + 1, dtype=np.bool_)
    marks[[int(kind) for kind in kinds]] = True
    return marks
