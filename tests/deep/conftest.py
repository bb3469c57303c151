"""The table of the suites, at the end of a run."""

from __future__ import annotations

import pytest

from tests.deep.ledger import LEDGER


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LEDGER.rows:
        terminalreporter.section("faults")
        for line in LEDGER.render():
            terminalreporter.write_line(line)
        failed = sum(len(terminalreporter.stats.get(kind, ())) for kind in ("failed", "error"))
        terminalreporter.write_line(f"tests that failed, also after their rounds: {failed}")
