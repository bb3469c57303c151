"""When a goal is met, and how it is shown."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.engine import Indexed
from bench.peers import engines
from bench.peers.measure import AskFigures, BuildFigures, Comparison, EngineFigures
from bench.peers.other_searches import OtherFigures, StructureFigures
from bench.peers.picture import render_picture
from bench.peers.table import Goal, Measure, Row, build_rows, judge_row, render_table

RATIO = Goal.of_ratio(1.5)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (Row("a", "s", 1.5, "peer", 1.0, RATIO), "met"),
        (Row("a", "s", 1.504, "peer", 1.0, RATIO), "met"),  # 1.50, as it is shown
        (Row("a", "s", 1.52, "peer", 1.0, RATIO), "missed"),
        (Row("a", "s", None, "peer", 1.0, RATIO), "not measured"),
        (Row("a", "s", 1.5, "peer", None, RATIO), "not measured"),
        (Row("a", "s", 0.050, "peer", 0.001, Goal.of_seconds(0.05)), "met"),
        (Row("a", "MB", 151.0, goal=Goal.of_megabytes(150)), "missed"),
        (Row("a", "MB", 151.0, "peer", 1.0), ""),
    ],
)
def test_a_goal_is_met_up_to_its_limit(row: Row, verdict: str) -> None:
    assert judge_row(row) == verdict


def build_comparison(*peers: str) -> Comparison:
    """Build figures of ours and of these peers, each of whose figures is one."""
    indexed = Indexed(Path(), Path(), Path(), 1, 1, 1)
    result = Comparison("tree", indexed, 1)
    for name in (engines.OURS, engines.OURS_SEARCH, *peers):
        value = 1.0 if name in peers else 1.7
        ask = AskFigures({"identifiers": [value], "pairs": [value]}, {"pairs": [2 * value]}, [value])
        if name == engines.OURS_SEARCH:
            result.engines[name] = EngineFigures(ask=ask)
        else:
            result.engines[name] = EngineFigures(BuildFigures(*[value] * 5), ask, value)
    return result


def test_what_was_not_measured_is_said() -> None:
    """A goal does not go with the peer that it is a multiple of."""
    both = build_rows(build_comparison(engines.TANTIVY, engines.TANTIVY_FREQ))
    none = build_rows(build_comparison(engines.FTS5))
    verdicts, without = ({row.what: judge_row(row) for row in rows if row.goal} for rows in (both, none))
    assert list(verdicts) == list(without)
    assert verdicts["merged from nothing"] == verdicts["processor time of a build"] == "missed"
    assert verdicts["index on disk"] == "met"
    assert verdicts["a query asked for the first time, p50"] == "met"
    assert verdicts["warm query, p50 of identifiers"] == "missed"
    of_peers = {row.what for row in both if row.goal and row.peer.startswith(engines.TANTIVY)}
    of_peers -= {row.what for row in both if row.goal and row.goal.measure is Measure.VALUE}
    assert len(of_peers) == 9
    assert {without[what] for what in of_peers} == {"not measured"}
    (index,) = [row for row in both if row.what == "index on disk" and row.goal]
    assert index.peer == engines.TANTIVY_FREQ  # which keeps what ours keeps


def test_what_no_engine_does_has_rows_and_what_has_no_figure_keeps_its_own() -> None:
    result = build_comparison(engines.TANTIVY)
    bare = {row.what: row for row in build_rows(result)}
    structure = StructureFigures(20.0, 1.8, 3.0, 5.0, 0.5, 2.0)
    exact = {"rare literal": [0.001, 0.002, 0.003]}
    navigation = {"callers": [0.004]}
    result.others = OtherFigures(structure, navigation, exact, {"rare literal": [0.2]}, [0.01])
    result.stdio_seconds = [0.1, 0.3, 0.2]
    result.server_mb = 120.0
    rows = {row.what: row for row in build_rows(result)}
    assert list(rows) == list(bare)
    symbols = "symbols of 10 MB of text"
    assert (judge_row(bare[symbols]), judge_row(rows[symbols])) == ("not measured", "met")
    assert (rows[symbols].ours, rows[symbols].theirs) == (0.9, 0.25)
    memory = "server's memory after 1,000 queries"
    assert (judge_row(bare[memory]), judge_row(rows[memory])) == ("not measured", "met")
    assert rows["symbols, processor time"].ratio == 1.5
    expected = {
        "`repo.search` over stdio, p50": 0.2,
        "`repo.search` over stdio, p95": 0.3,
        "exact search over stdio, rare literal, p50": 0.002,
        "navigation, callers, p50": 0.004,
        "`search` of `retrieval` over stdio, p50": 0.01,
    }
    assert {what: rows[what].ours for what in expected} == expected
    assert {bare[what].ours for what in expected} == {None}
    assert (
        render_table([bare["navigation, callers, p50"]])[2]
        == "| navigation, callers, p50 | - |  |  |  |  |  |"
    )


def test_the_table_is_markdown() -> None:
    rows = [Row("build", "s", 12.3, "peer", 10.0, RATIO), Row("memory", "MB", 99.5)]
    assert render_table(rows)[2:] == [
        "| build | 12.3 s | peer | 10 s | 1.23 | ≤ 1.5 x | met |",
        "| memory | 99.5 MB |  |  |  |  |  |",
    ]
    assert "| -307 µs |" in render_table([Row("over stdio, on top of that", "s", -0.000307)])[2]


def test_the_picture_has_a_bar_for_each_goal_and_ends_at_its_edge() -> None:
    rows = [
        Row("half <of> it", "s", 0.75, "peer", 1.0, RATIO),
        Row("far beyond", "s", 75.0, "peer", 1.0, RATIO),
        Row("not there", "s", None, "peer", 1.0, RATIO),
        Row("no goal", "s", 1.0, "peer", 1.0),
    ]
    root = ElementTree.fromstring(render_picture(rows, "A & B", "note"))
    texts = ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"A & B", "half <of> it", "far beyond", "not there", "50 x the goal"} <= set(texts)
    assert "no goal" not in texts
    widths = [float(one.get("width", "0")) for one in root.iter("{http://www.w3.org/2000/svg}rect")]
    canvas, *bars = widths
    assert len(bars) == 3 + 2  # a ground for each, and two that were measured
    assert max(bars) < canvas / 2
