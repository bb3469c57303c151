"""What every test begins with, a state directory of its own, so that none makes or uses the user's key; and
what stands at the end of a run: the table of the suites of faults, of all processes that ran some.
"""

from __future__ import annotations

import dataclasses
import gc
import os
import re
import tempfile
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import tests.unsynced  # noqa: F401
from tests.deep.ledger import LEDGER, Row
from tests.deep.sizes import FEW, IS_DEEP, examples

# Without a deadline, and without a check of how fast examples are made: no test asserts seconds.
settings.register_profile(
    "of this run",
    deadline=None,
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("of this run")
gc.disable()  # until the tests are collected: a collector that walks all of them time and again takes a fifth
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="repo-mcp-state-")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark properties with more than FEW examples as `sized`."""
    for item in items:
        of_test = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if of_test is not None and (not IS_DEEP or of_test.max_examples > FEW):
            item.add_marker("sized")


def pytest_collection_finish() -> None:
    """Take the tests, thousands that stay, out of the sight of the garbage collector, and let it begin."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that skips for want of a client where clients are required (`make clients`)."""
    report = yield
    reason = str(report.longrepr)
    if "REQUIRE_CLIENTS" in os.environ and report.skipped and re.search(r"is not (installed|there)", reason):
        report.outcome = "failed"
        report.longrepr = f"needed, since REQUIRE_CLIENTS is set: {reason}"
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the rows of a process that ran a part of the tests to the one that started it."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["faults"] = [dataclasses.astuple(row) for row in LEDGER.rows.values()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take them."""
    for row in getattr(node, "workeroutput", {}).get("faults", ()):
        LEDGER.add(Row(*row))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LEDGER.rows:
        terminalreporter.section("faults")
        for line in LEDGER.render():
            terminalreporter.write_line(line)
        failed = sum(len(terminalreporter.stats.get(kind, ())) for kind in ("failed", "error"))
        terminalreporter.write_line(f"tests that failed, also after their rounds: {failed}")
