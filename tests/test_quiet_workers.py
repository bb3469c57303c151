"""Which messages of a process of `pytest -n` are sent."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.quiet_workers import drop_empty_messages


def list_sent(messages: list[tuple[str, dict[str, Any]]], **options: Any) -> list[tuple[str, dict[str, Any]]]:
    sent = []
    interactor = SimpleNamespace(sendevent=lambda name, **content: sent.append((name, content)))
    plugins = SimpleNamespace(get_plugins=lambda: [SimpleNamespace(), interactor])
    option = SimpleNamespace(**{"verbose": 0, "durations": None, "xmlpath": None} | options)
    config: Any = SimpleNamespace(pluginmanager=plugins, option=option)
    drop_empty_messages(config)
    for name, content in messages:
        interactor.sendevent(name, **content)
    return sent


def report(when: str, outcome: str, **more: Any) -> tuple[str, dict[str, Any]]:
    data = {"when": when, "outcome": outcome, "sections": [], "keywords": {"skip": 1}} | more
    return "testreport", {"data": data}


PASSED = [report(when, "passed") for when in ("setup", "call", "teardown")]
BEGUN, ENDED = ("logstart", {"nodeid": "a"}), ("logfinish", {"nodeid": "a"})
COMPLETE = ("runtest_protocol_complete", {"item_index": 1, "duration": 0.1})


def test_a_test_that_passed_has_one_report() -> None:
    assert list_sent([BEGUN, *PASSED, ENDED, COMPLETE]) == [report("call", "passed", keywords={}), COMPLETE]


@pytest.mark.parametrize(
    "telling",
    [
        report("setup", "skipped"),
        report("setup", "failed"),
        report("call", "failed"),
        report("teardown", "failed"),
    ],
)
def test_what_did_not_pass_is_said_in_full(telling: tuple[str, dict[str, Any]]) -> None:
    assert list_sent([telling]) == [telling]


def test_what_was_printed_is_said() -> None:
    printed = report("teardown", "passed", sections=[("Captured stdout teardown", "text")], keywords={})
    assert list_sent([printed]) == [printed]


@pytest.mark.parametrize("options", [{"verbose": 1}, {"durations": 0}, {"xmlpath": "out.xml"}])
def test_all_is_said_where_it_is_shown(options: dict[str, Any]) -> None:
    messages = [BEGUN, *PASSED, ENDED, COMPLETE]
    assert list_sent(messages, **options) == messages
