"""A folder at the end of a question narrows what is found, wherever the subject is declared."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.named_folders import split_folder
from tests.repo_mcp.research.asking import Asked, list_found

PATHS = ("activedepot/lib/a.rb", "lib/depot/b.rb", "setup.py")
TREE = {
    "setup.py": "def install():\n    return 1\n",
    "lib/crane.rb": "# Lifts.\n# =======\nmodule Crane\nend\n",
    "activedepot/gate.rb": "class Gate\n  include Crane\nend\n",
    "harbour/ship.rb": "class Ship\n  include Crane\nend\n",
    "tools/lift.py": "def lift(it):\n    return it\n",
    "harbour/run.py": "from tools.lift import lift\n\n\ndef run():\n    return lift(1)\n",
    "yard/go.py": "from tools.lift import lift\n\n\ndef go():\n    return lift(2)\n",
}


@pytest.mark.parametrize(
    ("query", "split"),
    [
        ("what extends Crane in activedepot?", ("what extends Crane", "activedepot")),
        ("what extends Crane in Active Depot?", ("what extends Crane", "activedepot")),
        ("what extends Crane in the folder lib/depot", ("what extends Crane", "lib/depot")),
        ("what extends Crane in Depot?", ("what extends Crane in Depot?", "")),
        ("what calls lift in the gate?", ("what calls lift in the gate?", "")),
    ],
)
def test_a_folder_is_a_path_or_the_name_of_a_top_folder(query: str, split: tuple[str, str]) -> None:
    assert split_folder(query, PATHS) == split


def test_only_what_lies_in_the_folder_is_told() -> None:
    report = Asked(TREE).ask("which classes include Crane in Active Depot?")
    assert list_found(report) == ["Gate"]
    assert report.claim.startswith("Crane is declared at lib/crane.rb:3-4. Crane is extended")
    assert report.reading.text.endswith(", in the folder activedepot")


def test_uses_that_the_graph_knows_are_narrowed_too() -> None:
    report = Asked(TREE).ask("what calls lift in harbour?")
    assert [one.path for one in report.findings] == ["harbour/run.py"]


def test_what_lies_outside_is_counted_and_the_folder_is_named() -> None:
    [limit] = Asked(TREE).ask("what calls lift in harbour?").limits
    assert limit.what == "2 symbols outside harbour"


def test_a_folder_narrows_a_part_of_a_question_too() -> None:
    report = Asked(TREE).ask("what calls lift in harbour, and where is install defined?")
    assert [one.path for one in report.findings] == ["harbour/run.py", "setup.py"]
    assert report.parts[0].reading.text.endswith(", in the folder harbour")
    assert report.reading.text == "several questions, each answered by itself"


@pytest.mark.parametrize(
    ("query", "claim"),
    [
        (
            "what calls lift in activedepot?",
            "Nothing in activedepot is known to call lift.lift (tools/lift.py:1-2).",
        ),
        (
            "what calls go except tests?",
            "Nothing in the repository, except tests, is known to call go.go (yard/go.py:4-5).",
        ),
        ("what extends Crane in tools?", "Crane is declared at lib/crane.rb:3-4. No line in tools says that"),
    ],
)
def test_where_nothing_was_found_is_said(query: str, claim: str) -> None:
    """Nothing in the repository was said to call what two functions outside the folder do call."""
    tests = {"tests/test_go.py": "from yard.go import go\n\n\ndef test_go():\n    assert go()\n"}
    assert Asked(TREE | tests).ask(query).claim.startswith(claim)


def test_a_folder_that_declares_the_subject_does_not_hold_its_tests() -> None:
    """No test was said to use it, and the answer was also about a namesake in another folder."""
    test = "from {}.lift import lift\n\n\ndef test_{}():\n    assert lift(1)\n"
    more = {
        "yard/lift.py": "def lift(it):\n    return [it]\n",
        "tests/test_tools.py": test.format("tools", "tools"),
        "tests/test_yard.py": test.format("yard", "yard"),
    }
    report = Asked(TREE | more).ask("which tests cover lift in tools?")
    assert (
        report.claim
        == "lift.lift (tools/lift.py:1-2) is used by test_tools.test_tools (tests/test_tools.py:4-5)."
    )
    assert "in the folder" not in report.reading.text
    report = Asked(TREE | more).ask("which tests cover lift in harbour?")
    assert report.claim.startswith("No test in harbour is known to use lift.lift")
