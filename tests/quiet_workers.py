"""What a process of `pytest -n` tells the one that started it: of a test that passed, one report.

xdist sends six messages of each test, every one through a pipe to a process that waits for it, and that is
more than most tests take. The messages that a test begins and has ended, and that it was set up and torn
down, are only needed where they are printed: with `--verbose` or `--durations`.
"""

from __future__ import annotations

from typing import Any

import pytest


def drop_empty_messages(config: pytest.Config) -> None:
    """Send no messages of which nothing is printed. Does nothing in a process that xdist did not start."""
    if not hasattr(config, "workerinput") or config.option.verbose > 0 or config.option.durations is not None:
        return
    (interactor,) = (one for one in config.pluginmanager.get_plugins() if hasattr(one, "sendevent"))
    send = interactor.sendevent

    def send_telling(name: str, **content: Any) -> None:
        report = content.get("data")
        if name in {"logstart", "logfinish"} or (report is not None and _is_empty(report)):
            return
        if report is not None and report["outcome"] == "passed":
            report["keywords"] = {}  # a third of it
        send(name, **content)

    interactor.sendevent = send_telling


def _is_empty(report: dict[str, Any]) -> bool:
    return report["outcome"] == "passed" and report.get("when") != "call" and not report["sections"]
