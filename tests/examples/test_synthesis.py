"""A summary by the client's model, end to end: the SDK's client answers what the server asks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples.synthesis_page import CORPUS, FACTS, MADE_UP, PAGE, Show, make_show, render
from tests.forked_sdk import fork_servers


@pytest.fixture(scope="module", autouse=True)
def _forked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        fork_servers(patch)
        yield


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Show:
    return make_show(tmp_path_factory.mktemp("synthesis"))


def test_the_model_is_asked_once_and_shown_what_it_needs_to_answer(show: Show) -> None:
    (asked,) = show.asked
    assert "put the number of the excerpt after each statement" in (asked.system_prompt or "")
    assert asked.max_tokens == 600
    assert "not shown" not in show.said[0]
    assert all(line in show.prompt for _, line in FACTS)


def test_each_place_that_is_cited_says_what_is_said_of_it(show: Show) -> None:
    summary = show.answer["summary"]
    assert summary["by"] == "client"
    for (words, line), sentence in zip(FACTS, summary["text"].split("\n"), strict=True):
        assert sentence.startswith(words)
        path, _, number = sentence.rpartition("(")[2].rstrip(").").partition(":")
        declared = (CORPUS / path).read_text(encoding="utf-8").splitlines()[int(number) - 1 :]
        assert line in "\n".join(declared)
        assert {"path": path, "line": int(number)} in summary["citations"]


def test_what_the_model_made_up_is_left_out_and_that_is_said(show: Show) -> None:
    assert MADE_UP in show.said[0]
    assert "second copy" not in show.answer["summary"]["text"]
    assert any(": 1 sentence citing" in warning for warning in show.answer["warnings"])


def test_the_page_is_what_happens(show: Show) -> None:
    assert render(show) == PAGE.read_text(encoding="utf-8")


def test_the_page_does_not_depend_on_the_place(show: Show, tmp_path: Path) -> None:
    assert render(make_show(tmp_path)) == render(show)
