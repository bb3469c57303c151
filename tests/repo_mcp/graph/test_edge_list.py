"""A list of edges: its order, its totals, and what a page knows of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest

from repo_mcp.graph.edge_finder import EdgeFinder
from repo_mcp.graph.edge_list import MAX_WINDOWS, ROW_LINES, EdgeList, EdgeLists, EdgeQuestion, WindowEnd
from repo_mcp.graph.edges import Edge, Edges, External, Unresolved
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.record_classes import replace
from repo_mcp.text.roles import FileRole

CALLS = EdgeType.CALLS


def build_edge(path: str, confidence: Confidence, *lines: int) -> Edge:
    return Edge(CALLS, Declaration(path, 1), confidence, lines)


def iter_windows(*windows: Edges, read: list[int]) -> Iterator[Edges]:
    for number, window in enumerate(windows):
        read.append(number)
        yield window


def test_what_is_sure_stands_before_what_is_possible_and_that_before_what_is_unresolved() -> None:
    sure, guess = (build_edge("a", Confidence.EXACT, 1), build_edge("a", Confidence.POSSIBLE, 2))
    late = build_edge("b", Confidence.PROBABLE, 3)
    outside, place = External("os.path", CALLS, (4,), 1), Unresolved("c", (5,), 2)
    read: list[int] = []
    windows = iter_windows(
        Edges((sure, guess), (outside,), (place,), cut=True, is_followed=True), Edges((late,)), read=read
    )
    edges = EdgeList(windows)
    first = edges.read(0)
    assert read == [0]  # no more than the page needs
    assert first.rows == (sure, outside, WindowEnd(0))
    assert (first.totals.edges, first.totals.possible, first.totals.is_complete) == (1, 0, False)
    last = edges.read(3)
    assert last.rows == (sure, outside, WindowEnd(0), late, guess, place)
    totals = last.totals
    assert (totals.edges, totals.possible, totals.lines, totals.externals, totals.unresolved) == (
        2,
        0,
        3,
        1,
        2,
    )
    assert (totals.is_complete, totals.is_cut) == (True, False)
    assert edges.read(0) == first  # as if nobody had read on


def test_possible_edges_never_come_before_surer_ones_of_tests() -> None:
    tested = build_edge("tests/test_a.py", Confidence.PROBABLE, 1)
    guesses = [build_edge(path, Confidence.POSSIBLE, 2) for path in ("a.py", "tests/test_b.py")]
    known = EdgeList(iter_windows(Edges((tested, *guesses)), read=[])).read(0)
    assert list(known.rows) == [tested, *guesses]


def test_an_edge_of_many_lines_takes_several_rows() -> None:
    lines = tuple(range(1, 2 * ROW_LINES + 6))
    found = EdgeList(iter_windows(Edges((build_edge("a", Confidence.EXACT, *lines),)), read=[])).read(0)
    assert [len(row.lines) for row in found.rows if isinstance(row, Edge)] == [ROW_LINES, ROW_LINES, 5]
    assert (found.totals.edges, found.totals.lines) == (1, len(lines))


def test_windows_that_hold_nothing_are_passed_a_few_at_a_time() -> None:
    read: list[int] = []
    empty = [Edges((), is_followed=True) for _ in range(MAX_WINDOWS + 3)]
    edges = EdgeList(iter_windows(*empty, Edges((build_edge("z", Confidence.EXACT, 1),)), read=read))
    found = edges.read(0)
    assert found.rows == tuple(WindowEnd(number) for number in range(MAX_WINDOWS))
    assert len(read) == MAX_WINDOWS
    starts = [0]
    while not edges.read(starts[-1]).totals.is_complete:
        starts.append(len(edges.read(starts[-1]).rows))
        assert starts[-1] > starts[-2]
    assert edges.read(starts[-1]).rows[-1] == build_edge("z", Confidence.EXACT, 1)


def test_a_limit_of_the_hierarchy_is_reported_at_the_end() -> None:
    found = EdgeList(iter_windows(Edges((), cut=True), read=[])).read(0)
    assert (found.totals.is_complete, found.totals.is_cut) == (True, True)


def test_a_list_that_failed_is_read_anew_by_the_next_call() -> None:
    class Failing:
        calls = 0

        def find_user_role(self, _user: Declaration) -> FileRole:
            return FileRole.CODE

        def iter_outgoing(self, *_asked: Any, dispatches: bool) -> Iterator[Edges]:
            self.calls += 1
            if self.calls == 1:
                raise OSError("the system fails to read the index")
            yield Edges((build_edge("a", Confidence.EXACT, 1),))

    lists = EdgeLists(cast(EdgeFinder, Failing()), threading.RLock())
    asked = EdgeQuestion(Declaration("b", 1), frozenset({CALLS}), incoming=False)
    with pytest.raises(OSError, match="fails to read"):
        lists.read(asked, 0)
    assert len(lists.read(asked, 0).rows) == 1


def test_uses_by_folder_are_counted_once_for_a_symbol() -> None:
    class Finder:
        samples = 0

        def list_uses(self, _declaration: Declaration, folder: str) -> list[tuple[str, int]]:
            return [(path, 1) for path in ("a/x.c", "b/y.c") if path.startswith(folder)]

        def iter_samples(self, *_asked: Any, dispatches: bool) -> Iterator[tuple[int, Edges]]:
            self.samples += 1
            yield from [(1, Edges((build_edge("a", Confidence.EXACT, 1),)))] * 2

    finder = Finder()
    lists = EdgeLists(cast(EdgeFinder, finder), threading.RLock())
    known = EdgeList(iter_windows(Edges((), is_followed=True), Edges(()), read=[])).read(0)
    first = replace(known, totals=replace(known.totals, is_complete=False))
    found = [
        lists.list_folders(EdgeQuestion(Declaration("b", 1), frozenset(types), incoming=True), first)
        for types in ({CALLS}, {CALLS}, set())
    ]
    assert found[0] == found[1]
    assert [one.folder for one in found[0]] == ["a", "b"]
    assert finder.samples == 2  # once for each question
