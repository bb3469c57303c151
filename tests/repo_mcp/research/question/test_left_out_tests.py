"""A question may leave out tests: "what calls lift except tests?"."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.phrases import split_test_exception
from tests.repo_mcp.research.asking import Asked, list_found

TREE = {
    "lift.py": "def lift(it):\n    return it\n",
    "run.py": "from lift import lift\n\n\ndef run():\n    return lift(1)\n",
    "tests/test_lift.py": "from lift import lift\n\n\ndef test_lift():\n    assert lift(1)\n",
    "yard/go.py": "from lift import lift\n\n\ndef go():\n    return lift(2)\n",
    "src/lib.rs": "pub fn load() {}\n\npub fn send() { load(); }\n\n"
    "#[cfg(test)]\nmod tests {\n    fn loads() { super::load(); }\n}\n",
}


@pytest.mark.parametrize(
    "query",
    [
        "what calls lift except tests?",
        "who calls lift, without the tests",
        "which functions call lift outside of tests?",
        "callers of lift, but not in tests",
        "what calls lift besides its tests?",
    ],
)
def test_tests_are_neither_listed_nor_counted(query: str) -> None:
    report = Asked(TREE).ask(query)
    assert list_found(report)[:3] == ["lift.lift", "run.run", "go.go"]
    assert not any("test" in one for one in list_found(report))
    assert "test" not in report.claim
    assert report.reading.text.endswith(", except tests")


def test_tests_in_a_file_of_the_program_are_left_out_too() -> None:
    asked = Asked(TREE)
    assert any("loads" in one for one in list_found(asked.ask("what calls load?")))
    assert not any("loads" in one for one in list_found(asked.ask("what calls load except tests?")))


def test_tests_and_what_lies_outside_a_folder_are_left_out_together() -> None:
    report = Asked(TREE).ask("what calls lift in yard except tests?")
    assert [one.path for one in report.findings] == ["yard/go.py"]


def test_tests_are_left_out_of_one_part_of_a_question() -> None:
    report = Asked(TREE).ask("what calls lift except tests, and which tests cover lift?")
    assert "test_lift" not in report.parts[0].claim
    assert "test_lift" in report.parts[1].claim


@pytest.mark.parametrize("query", ["which callers of lift are without tests?", "is there lift for tests?"])
def test_what_has_no_tests_is_another_question(query: str) -> None:
    assert split_test_exception(query) == (query, False)
