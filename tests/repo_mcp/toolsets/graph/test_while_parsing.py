"""What the graph answers while files are being parsed: the symbols that a call needs are parsed first."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.symbol_index import live_symbol_index
from tests.growth import HANG_SECONDS
from tests.repo_mcp.toolsets.graph.graph_roots import Served

OTHERS = 40
BEING_PARSED = "Files are being parsed: "


class Parsing(Served):
    """A repository whose background parses nothing until it may."""

    def __init__(self, root: Path, data: Path) -> None:
        super().__init__(root, data, index=False)
        self.repository.refresh()
        self.may_go_on = threading.Event()
        self.live: Any = self.repository.symbol_index
        run_round = self.live._run_round

        def run_later(lexical: object) -> float | None:
            self.may_go_on.wait(HANG_SECONDS)
            pause: float | None = run_round(lexical)
            return pause

        self.live._run_round = run_later
        self.live.start()

    def wait_at_most(self, seconds: float) -> None:
        self.repository.engines.graph._wait_seconds = seconds


@pytest.fixture
def parsing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parsing]:
    monkeypatch.setattr(live_symbol_index, "ROUND_SECONDS", 0.01)
    root = tmp_path / "root"
    root.mkdir()
    (root / "ling.py").write_text("def ling():\n    return 1\n")
    (root / "hake.py").write_text("from ling import ling\n\n\ndef hake():\n    return ling()\n")
    for number in range(OTHERS):
        (root / f"other{number:02}.py").write_text(f"def other{number:02}():\n    return {number}\n")
    served = Parsing(root, tmp_path / "data")
    served.wait_at_most(HANG_SECONDS)
    yield served
    served.may_go_on.set()
    served.close()


def test_the_files_with_the_asked_name_are_parsed_first(parsing: Parsing) -> None:
    found = parsing.call("search_symbols", query="ling")
    assert found["result"][0]["file_path"] == "ling.py"
    assert any(warning.startswith(f"{BEING_PARSED}2 of {OTHERS + 2}") for warning in found["warnings"])
    looked_up = parsing.call("lookup_symbol", qualified_name="other07.other07")
    assert [row["file_path"] for row in looked_up["result"]] == ["other07.py"]


def test_the_file_of_an_outline_is_parsed_first(parsing: Parsing) -> None:
    outline = parsing.call("get_file_outline", path="hake.py")
    assert [row["name"] for row in outline["result"]] == ["hake"]
    assert any(warning.startswith(f"{BEING_PARSED}1 of {OTHERS + 2}") for warning in outline["warnings"])


def test_the_files_that_use_a_symbol_are_parsed_first(parsing: Parsing) -> None:
    outline = parsing.call("get_file_outline", path="ling.py")
    callers = parsing.call("get_callers", node_id=outline["result"][0]["node_id"])
    assert [row["file_path"] for row in callers["result"]] == ["hake.py"]


def test_what_is_not_there_in_time_is_said(parsing: Parsing) -> None:
    parsing.call("get_file_outline", path="ling.py")  # or there is no symbol index at all
    parsing.wait_at_most(0.05)
    found = parsing.call("search_symbols", query="other*")
    assert any(warning.startswith(BEING_PARSED) for warning in found["warnings"])


def test_it_is_waited_for_the_rest(parsing: Parsing) -> None:
    threading.Timer(0.2, parsing.may_go_on.set).start()
    found = parsing.call("search_symbols", query="other*", limit=50)
    assert len(found["result"]) == OTHERS
    assert not found.get("warnings")


def test_a_file_that_is_not_parsed_in_time_is_named_with_what_can_be_done(parsing: Parsing) -> None:
    parsing.call("get_file_outline", path="ling.py")
    parsing.wait_at_most(0.0)
    error = parsing.error("get_callers", symbol="other07.py:1")
    assert error["message"].startswith("The symbols of 'other07.py' are not known yet: it is not parsed.")
    assert "Index this file, or ask again in a moment" in error["hint"]
