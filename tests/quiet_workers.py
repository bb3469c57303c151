"""What a process of `pytest -n` tells the one that started it: of a test that passed, one report.

xdist sends six messages for each test through a pipe to a process that waits for it, which takes more
processor time than most tests do. That a test begins and has ended, and that it was set up and torn down, is
only needed with `--verbose`, `--durations` or `--junitxml`.
"""

from __future__ import annotations

from typing import Any

import pytest


def drop_empty_messages(config: pytest.Config) -> None:
    """Send nothing that changes nothing in what is printed. Does nothing in a process of its own."""
    option = config.option
    if option.verbose > 0 or option.durations is not None or option.xmlpath is not None:
        return
    for interactor in config.pluginmanager.get_plugins():
        if hasattr(interactor, "sendevent"):
            interactor.sendevent = _Telling(interactor.sendevent)


class _Telling:
    """Sends what `send` would, but for what is empty."""

    def __init__(self, send: Any) -> None:
        self._send = send

    def __call__(self, name: str, **content: Any) -> None:
        """Send a message that says something."""
        if name in {"logstart", "logfinish"}:
            return
        if name == "testreport" and content["data"]["outcome"] == "passed":
            report = content["data"]
            if report["when"] != "call" and not report["sections"]:
                return
            content["data"] = report | {"keywords": {}}  # a third of it; only those of skipped tests are read
        self._send(name, **content)
