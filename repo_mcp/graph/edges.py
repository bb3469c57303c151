"""Edges: what a symbol depends on, and what depends on it, each with a confidence.

An edge has all lines on which one symbol leads to another with the same confidence: a caller whose first call
is certain and whose second is a guess has two edges. A call of the method of an interface may run any of its
implementations: such an edge is only possible, `via` that method.

Left out on purpose: how edges are found; see `repo_mcp/graph/edge_finder.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

import numpy as np

from repo_mcp.graph.program import SURENESS, Confidence, Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.record_classes import dataclass
from repo_mcp.symbols.symbol_record import SymbolRecord
from repo_mcp.text.roles import is_test_path

_Key = tuple[EdgeType, Declaration, "Declaration | None"]
_Surety = tuple[Confidence, str]  # the confidence of a line, and what resolved it


@dataclass(frozen=True, slots=True)
class Bounds:
    """Fixed limits for one search, for callers that run many searches; never a time limit."""

    files: int  # scanned
    references: int

    def grow(self, most: Bounds) -> Bounds:
        """Return limits twice as wide, up to `most`."""
        return Bounds(2 * self.files, 2 * self.references).narrow(most)

    def narrow(self, most: Bounds) -> Bounds:
        """Return the smaller of each limit and that of `most`."""
        return Bounds(min(self.files, most.files), min(self.references, most.references))


@dataclass(frozen=True, slots=True)
class Edge:
    """One relation between two symbols, seen from one of them."""

    type: EdgeType
    other: Declaration  # the symbol at the other end
    confidence: Confidence  # of every line
    lines: tuple[int, ...]  # of the references, in the dependent symbol's file, ascending
    # The member that the lines name, where `other` or the symbol itself only overrides it.
    via: Declaration | None = None
    source: str = ""  # what resolved every line: SCIP, or "" for a resolver

    @property
    def count(self) -> int:
        """Return the number of lines with a reference."""
        return len(self.lines)


@dataclass(frozen=True, slots=True)
class External:
    """A name declared outside the repository."""

    name: str
    type: EdgeType
    lines: tuple[int, ...]
    count: int  # references


@dataclass(frozen=True, slots=True)
class Unresolved:
    """References in one file that lead to nothing."""

    path: str
    lines: tuple[int, ...]
    count: int  # references


class CalledLines(NamedTuple):
    """The number of lines that call an override by its own type, and of those among them in tests."""

    all: int = 0
    in_tests: int = 0


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of one symbol in one direction: most certain first, then by path and ordinal."""

    edges: tuple[Edge, ...]
    externals: tuple[External, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()  # inside the symbol, or by its name; nearest file first
    cut: bool = False  # a limit was reached, so there may be more
    is_followed: bool = False  # another window of the same search follows
    below: tuple[tuple[Declaration, CalledLines], ...] = ()  # overrides that are called by their own types


IsLeftOut = Callable[[EdgeType, Declaration], bool]  # of an edge: its type and its other end


class GatheredEdges:
    """Accumulates edges, one per type, other end, `via` member and confidence."""

    def __init__(self, folder: str = "", is_left_out: IsLeftOut = lambda *_: False) -> None:
        """Take a folder, or "" for the root: edges outside it are not recorded, nor those left out."""
        self._is_left_out = is_left_out
        self._inside = f"{folder}/" if folder else ""
        self._found: dict[_Key, dict[int, _Surety]] = {}
        self._taken: dict[_Key, set[int]] = {}
        self._externals: dict[tuple[EdgeType, str], list[int]] = {}
        self._unresolved: dict[str, dict[int, int]] = {}  # path -> row of the reference -> line
        self._below: dict[Declaration, set[tuple[str, int]]] = {}  # override -> lines that call it

    def add(
        self,
        edge_type: EdgeType,
        other: Declaration,
        confidence: Confidence,
        line: int,
        via: Declaration | None = None,
        source: str = "",
    ) -> None:
        """Note a line that leads to, or from, a symbol.

        If a line has several such references, the surest counts; of equally sure ones, a precise indexer's.
        """
        if line in self._taken.get((edge_type, other, via), ()) or not other.path.startswith(self._inside):
            return
        if self._is_left_out(edge_type, other):
            return
        lines = self._found.setdefault((edge_type, other, via), {})
        own = (confidence, source)
        lines[line] = min(own, lines.get(line, own), key=lambda one: (SURENESS[one[0]], not one[1]))

    def add_external(self, edge_type: EdgeType, name: str, line: int) -> None:
        """Note a line that leads out of the repository."""
        self._externals.setdefault((edge_type, name), []).append(line)

    def add_unresolved(self, path: str, row: int, line: int) -> None:
        """Note a reference that leads to nothing."""
        self._unresolved.setdefault(path, {})[row] = line

    def add_below(self, override: Declaration, path: str, line: int) -> None:
        """Note a line that calls an override of the symbol by its own type."""
        self._below.setdefault(override, set()).add((path, line))

    def list_paths(self, edge_type: EdgeType) -> set[str]:
        """Return the files at the other ends of all edges of a type that were noted."""
        return {other.path for noted, other, _ in chain(self._found, self._taken) if noted is edge_type}

    def take(self, *, cut: bool = False, is_followed: bool = False) -> Edges:
        """Return what was noted since the last call, and forget it."""
        edges = [
            Edge(
                edge_type,
                other,
                confidence,
                tuple(sorted(one for one in lines if lines[one] == (confidence, source))),
                via,
                source,
            )
            for (edge_type, other, via), lines in self._found.items()
            for confidence, source in set(lines.values())
        ]
        edges.sort(key=_order)
        externals = [
            External(name, edge_type, tuple(sorted(set(lines))), len(lines))
            for (edge_type, name), lines in sorted(self._externals.items())
        ]
        unresolved = [
            Unresolved(path, tuple(sorted(set(lines.values()))), len(lines))
            for path, lines in self._unresolved.items()
        ]
        for key, lines in self._found.items():
            self._taken.setdefault(key, set()).update(lines)
        below = tuple(
            (one, CalledLines(len(lines), sum(is_test_path(path) for path, _ in lines)))
            for one, lines in self._below.items()
        )
        self._found, self._externals, self._unresolved, self._below = {}, {}, {}, {}
        is_cut = cut or is_followed
        return Edges(tuple(edges), tuple(externals), tuple(unresolved), is_cut, is_followed, below)


def _order(edge: Edge) -> tuple[int, str, int, EdgeType, str, int, str]:
    via = edge.via or Declaration("", -1)
    place = (edge.other.path, edge.other.ordinal)
    return SURENESS[edge.confidence], *place, edge.type, via.path, via.ordinal, edge.source


def mark_inside(record: SymbolRecord, ordinal: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return a mask (bool, one per symbol) of the symbol at `ordinal` and all symbols inside it."""
    inside = np.zeros(record.symbol_count, dtype=np.bool_)
    if ordinal == 0:
        inside[:] = True
        return inside
    inside[ordinal] = True
    if not (record.parents == ordinal).any():  # most symbols hold no other
        return inside
    while True:  # one round per level of nesting
        grown = inside[record.parents]
        grown[ordinal] = True
        if np.array_equal(grown, inside):
            return inside
        inside = grown
