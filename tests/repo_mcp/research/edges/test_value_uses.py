"""What breaks if a value changes: conditions come first, all users of another name of it are found."""

from __future__ import annotations

import pytest

from repo_mcp.toolsets.research.research_calls import cut_report
from tests.repo_mcp.research.asking import Asked, list_found

PAGE = """PAGE_SIZE = 4096
"""
STORE = """from page import PAGE_SIZE

UNIT = PAGE_SIZE

"""
PASSES_ON = "".join(f"def get_unit_{at}():\n    return UNIT\n\n\n" for at in range(10))
TESTS = """def write_page(data):
    header = make_header(data)
    if len(data) > UNIT:
        raise ValueError(header)
    return header


def read_pages(count):
    offset = count * UNIT
    pages = load(offset)
    pages.sort()
    first = pages[0]
    return first
"""


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked({"page.py": PAGE, "store.py": STORE + PASSES_ON + TESTS})


def test_the_only_user_of_a_value_may_have_many_users_and_those_that_test_it_come_first(asked: Asked) -> None:
    report = asked.ask("what breaks if I change PAGE_SIZE")
    below = [one.rpartition(".")[2] for one in list_found(report, 2)]
    assert below[:2] == ["write_page", "read_pages"]
    assert len(below) == 12
    assert not report.limits[0].what.startswith("edges")


def test_the_answer_names_what_tests_a_value_through_another_name(asked: Asked) -> None:
    report = asked.ask("what breaks if I change PAGE_SIZE")
    line = 1 + next(
        at for at, text in enumerate(asked.texts["store.py"].split("\n")) if "if len(data) > UNIT" in text
    )
    assert f" Through store.UNIT, it is tested in store.write_page (store.py:{line})." in report.claim


def test_a_map_of_findings_is_left_out_unless_a_depth_is_asked_for(asked: Asked) -> None:
    report = asked.ask("what breaks if I change PAGE_SIZE")
    assert not cut_report(report, 200).result["dependency_map"]["nodes"]
    deep = asked.ask("what breaks if I change PAGE_SIZE", depth=2)
    assert cut_report(deep, 200).result["dependency_map"]["nodes"]
