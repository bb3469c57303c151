"""`docs/clients.md` names tests that exist, and every client that is driven has its column."""

from __future__ import annotations

import re

from tests.architecture.source_tree import ROOT
from tests.architecture.test_spec_checklists import NAMED, list_tests
from tests.clients.drivers import DRIVERS

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
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
