"""The table that is printed when benchmarks are done: Markdown, to be pasted into README.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MIN_ROUNDS_FOR_P95 = 40


@dataclass(frozen=True, slots=True)
class Row:
    """The times of one benchmark."""

    name: str
    rounds: Sequence[float]  # seconds of each, ascending
    unit: float  # seconds of the calibration loop, timed before and after
    facts: Mapping[str, object]

    @property
    def median(self) -> float:
        """Return the median in seconds; of an even number of rounds the upper one."""
        return self.rounds[len(self.rounds) // 2]


def name_row(test: str) -> str:
    """Return the name that the table gives the benchmark of a test function."""
    return test.removeprefix("test_").replace("_", " ").replace("[", ": ").removesuffix("]")


def render_table(rows: Sequence[Row]) -> list[str]:
    """Render the rows, with times also in multiples of the calibration loop's time."""
    lines = ["| benchmark | median | p95 | x calibration | |", "|---|--:|--:|--:|---|"]
    for row in rows:
        facts = ", ".join(f"{name} {_show(value)}" for name, value in row.facts.items())
        times = f"{render_time(row.median)} | {_render_p95(row)} | {row.median / row.unit:.4g}"
        lines.append(f"| {row.name} | {times} | {facts} |")
    return lines


def _render_p95(row: Row) -> str:
    count = len(row.rounds)
    return render_time(row.rounds[count * 95 // 100]) if count >= MIN_ROUNDS_FOR_P95 else ""


def render_time(seconds: float) -> str:
    """Render seconds in three digits, with a unit. A difference may be negative."""
    if seconds < 0:
        return f"-{render_time(-seconds)}"
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 0.9995:  # that is shown as 1
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 1000 else f"{seconds:.0f} s"
    return f"{seconds * 1e9:.3g} ns"


def _show(value: object) -> str:
    return (
        f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
