"""Give every test a state directory of its own, so that none makes or uses the user's key, and print the
table of the fault suites at the end of a run, for all processes that ran some of them.
"""

from __future__ import annotations

import dataclasses
import gc
import os
import random
import re
import sys
import tempfile
from collections.abc import Generator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

import tests.unsynced  # noqa: F401
from tests.deep.ledger import LEDGER, Row
from tests.deep.sizes import FEW, IS_DEEP, examples
from tests.quiet_workers import drop_empty_messages

NUMBERS = count()  # of the directories of tests
# Without a deadline, and without a check of how fast examples are made: no test asserts seconds.
settings.register_profile(
    "of this run", deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("of this run")
if not IS_DEEP:
    # Of the examples of `make deep`, a twentieth has constants of our modules. To look for them takes five
    # seconds in a fresh clone and then one in each process, and of FEW examples not one need have any.
    providers._get_local_constants = lambda: providers._local_constants
gc.disable()  # while tests are collected: walking all of them again and again would take a fifth of the time
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="repo-mcp-state-")


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a new directory. pytest's own would look at those of all tests before, for a number."""
    made = tmp_path_factory.getbasetemp() / f"own-{next(NUMBERS)}"
    made.mkdir(mode=0o700)
    return made


def pytest_sessionstart(session: pytest.Session) -> None:
    """Have a worker process say only what is printed, and seed `random` once for each test."""
    drop_empty_messages(session.config)
    session.config.option.randomly_reset_seed = False  # three times a test, NumPy's global generator as well


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed `random` for a test and its fixtures, where the seed of the order is printed."""
    if (seed := getattr(item.config.option, "randomly_seed", None)) is not None:
        random.seed(f"{seed} {item.nodeid}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark properties with more than FEW examples as `sized`."""
    for item in items:
        of_test = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if of_test is not None and (not IS_DEEP or of_test.max_examples > FEW):
            item.add_marker("sized")


def pytest_collection_finish() -> None:
    """Freeze the collected tests, thousands of objects that stay, and turn garbage collection on.

    After ten thousand new objects instead of seven hundred: it took a fortieth of the time of all tests.
    """
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that skips because a client is missing, where clients are required (`make clients`)."""
    report = yield
    reason = str(report.longrepr)
    if "REQUIRE_CLIENTS" in os.environ and report.skipped and re.search(r"is not (installed|there)", reason):
        report.outcome = "failed"
        report.longrepr = f"needed, since REQUIRE_CLIENTS is set: {reason}"
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Say at once why a test of a deep run failed: the run is long, and may be ended before it says so.

    Every report reaches the process that starts the others, which says it once.
    """
    if IS_DEEP and report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(report.longreprtext, file=sys.__stderr__, flush=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Pass the rows of a worker process on to the one that started it."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["faults"] = [dataclasses.astuple(row) for row in LEDGER.rows.values()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the rows of a worker process that has ended."""
    for row in getattr(node, "workeroutput", {}).get("faults", ()):
        LEDGER.add(Row(*row))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if LEDGER.rows:
        terminalreporter.section("faults")
        for line in LEDGER.render():
            terminalreporter.write_line(line)
        failed = sum(len(terminalreporter.stats.get(kind, ())) for kind in ("failed", "error"))
        terminalreporter.write_line(f"tests that failed, also after their rounds: {failed}")
