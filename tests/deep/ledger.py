"""The ledger of the fault suites: a row for each, printed as a table at the end of a run.

    with ledger.suite("R10 bit flips") as row:
        row.rounds += 1
        row.faults += 1

A suite that fails is in the table too: its failure is counted before it leaves the block.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Row:
    """One suite."""

    name: str
    rounds: int = 0
    faults: int = 0  # injected
    failures: int = 0
    seconds: float = 0.0
    note: str = ""  # what was measured


@dataclass(slots=True)
class Ledger:
    """All suites of one run."""

    rows: dict[str, Row] = field(default_factory=dict)

    @contextmanager
    def suite(self, name: str) -> Iterator[Row]:
        """Yield the row of a suite; several tests may add to one."""
        row = self.rows.setdefault(name, Row(name))
        started = time.monotonic()
        try:
            yield row
        except BaseException:
            row.failures += 1
            raise
        finally:
            row.seconds += time.monotonic() - started

    def add(self, other: Row) -> None:
        """Add a row of another process."""
        row = self.rows.setdefault(other.name, Row(other.name))
        row.rounds += other.rounds
        row.faults += other.faults
        row.failures += other.failures
        row.seconds += other.seconds
        row.note = other.note or row.note

    def render(self) -> list[str]:
        """Render the table, line by line."""
        width = max(map(len, self.rows), default=0)
        lines = [f"{'suite':{width}}    rounds    faults  failures  seconds"]
        for row in sorted(self.rows.values(), key=lambda one: _number(one.name)):
            numbers = f"{row.rounds:8}  {row.faults:8}  {row.failures:8}  {row.seconds:7.1f}"
            lines.append(f"{row.name:{width}}  {numbers}  {row.note}".rstrip())
        rows = self.rows.values()
        rounds, faults = sum(row.rounds for row in rows), sum(row.faults for row in rows)
        lines.append(f"{'in all':{width}}  {rounds:8}  {faults:8}  {sum(row.failures for row in rows):8}")
        return lines


def _number(name: str) -> tuple[int, str]:
    digits = "".join(char for char in name.partition(" ")[0] if char.isdigit())
    return int(digits or 0), name


LEDGER = Ledger()
