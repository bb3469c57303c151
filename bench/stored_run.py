"""The stored run of a tree, with which later runs are compared; a run that got slower fails.

There is one JSON file for each tree, `results/run-NAME.json`. For each row it holds the best and the median
round, in multiples of the calibration loop timed beside that row, and the row's sizes in megabytes. It holds
no seconds, so runs can be compared between machines.

    {"python": "3.11.7", "rows": {"open index": {"best": 0.0104, "median": 0.011, "index_mb": 5.2}}}

A row counts as slower only when both its best and its median round are: disturbances hardly reach the best
round, and one lucky round does not move the median.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report import Row

TOLERANCE = 1.3  # times the stored figure, for both; two runs on an idle machine differ by less
SIZES = ("index_mb", "peak_rss_mb", "rss_mb")
SIZE_TOLERANCE = 1.15
# Other programs, whose times say nothing about this project.
OTHERS = ("calibration", "ripgrep", "codesearch", "spawn of bare", "spawn of sdk", "walk and stat in plain")
Measures = Mapping[str, float]  # what of a row -> its multiple of the calibration loop, or megabytes


@dataclass(frozen=True, slots=True)
class Regression:
    """One row that is worse than the stored one."""

    row: str
    measure: str
    times: float  # the stored value

    def __str__(self) -> str:
        return f"{self.row}: {self.measure} is {self.times:.2f} times what is stored"


def find_run_file(results: Path, tree: str) -> Path:
    """Return the file in which the run of a tree is stored, by the tree's name."""
    return results / f"run-{tree}.json"


def build_measures(rows: Sequence[Row]) -> dict[str, Measures]:
    """Return the figures of each row to be stored; rows of other programs are left out."""
    return {row.name: _measure(row) for row in rows if not row.name.startswith(OTHERS)}


def _measure(row: Row) -> Measures:
    sizes = {name: row.facts[name] for name in SIZES if name in row.facts}
    times = {"best": row.rounds[0] / row.unit, "median": row.median / row.unit}
    return times | {name: float(str(size)) for name, size in sizes.items()}


def read_run(file: Path) -> dict[str, Measures]:
    """Read the rows of a stored run; none without a file. Raises ValueError for any other file."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        rows: dict[str, Measures] = json.loads(text)["rows"]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{file} is no stored run: remove it, and the next run is stored") from error
    return rows


def write_run(file: Path, rows: Mapping[str, Measures]) -> None:
    """Store rows in a fixed order with fixed digits, so that only measured differences show in a diff."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rounded = {
        name: {what: float(f"{value:.5g}") for what, value in rows[name].items()} for name in sorted(rows)
    }
    document = {"python": platform.python_version(), "rows": rounded}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def find_regressions(
    measured: Mapping[str, Measures], stored: Mapping[str, Measures], tolerance: float = TOLERANCE
) -> list[Regression]:
    """Return the rows in both runs that are slower or larger now, in the order of measurement."""
    found = []
    for name, new in measured.items():
        old = stored.get(name, {})
        times = {what: value / old[what] for what, value in new.items() if old.get(what)}
        time = min(times.pop("best", 0.0), times.pop("median", 0.0))
        if time > tolerance:
            found.append(Regression(name, "time", time))
        found += [Regression(name, what, size) for what, size in times.items() if size > SIZE_TOLERANCE]
    return found
