"""`docs/clients.md` and `README.md` name every client, with tests that exist and the files that it reads."""

from __future__ import annotations

import re

import pytest

from repo_mcp.cli.clients.clients import CLIENTS
from tests.architecture.source_tree import ROOT
from tests.architecture.test_spec_checklists import list_tests
from tests.clients.drivers import DRIVERS

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)`: `(test_\w+)`")
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]


def test_every_check_names_tests_that_exist() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) > 10
    assert [name for path, name in named if name not in list_tests(path)] == []


def test_every_client_has_its_column() -> None:
    (head,) = (row for row in ROWS if row[0] == "check")
    assert len(head) == len(DRIVERS) + 2
    programs = {driver.program for driver in DRIVERS.values()}
    columns = {re.split(r"[ ,]", name)[0].lower() for name in head[1:-1]}
    assert columns == programs
    checks = [row for row in ROWS if NAMED.search(row[-1])]
    assert {len(row) for row in checks} == {len(head)}


def test_the_readme_has_the_files_and_the_key_of_every_client_that_is_set_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(variable, raising=False)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+) \| `(\w+)` \|$", readme, re.MULTILINE)
    assert {name: key for name, _, key in rows} == {
        client.name: client.section for client in CLIENTS.values() if client.is_set_up
    }
    for name, files, _ in rows:
        shown = re.findall(r"`([^`]+)`", files)
        places = [find("/project").shown for find in CLIENTS[name].places.values()]
        assert places[:1] == shown[:1], name
        assert set(shown) <= set(places), name
