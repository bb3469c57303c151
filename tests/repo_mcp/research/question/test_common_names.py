"""A name that very many files declare: which declarations are meant, and how many are left out."""

from __future__ import annotations

from repo_mcp.research.question.phrase_names import list_names
from tests.repo_mcp.research.asking import Asked

LOADER = """from typing import Protocol


class Plugin(Protocol):
    def set_up(self, town): ...


def start(plugin: Plugin) -> None:
    plugin.set_up("Ghent")
"""
SHOPS = {
    f"all/shops/shop{at}.py": (
        "PAUSE = 3\n\n\ndef set_up(town):\n    first = town\n    second = first\n    return second\n"
    )
    for at in range(90)
}
FILES = SHOPS | {"core/loader.py": LOADER, "pauses.py": "PAUSE = 2\nUSUAL_PAUSE = 5\n"}


def test_calls_of_a_common_name_are_those_of_the_interface_that_declares_it() -> None:
    claim = Asked(FILES).ask("who calls set_up?").claim
    assert claim.startswith("Plugin.set_up (core/loader.py:5)")
    assert "loader.start (core/loader.py:8-9)" in claim


def test_as_many_declarations_are_said_to_be_left_out_as_there_are() -> None:
    report = Asked(FILES).ask("who calls set_up?")
    assert "At least 85 more declarations of this name were not followed." in report.claim
    assert any(limit.what == "at least 85 more declarations of set_up" for limit in report.limits)


def test_a_qualified_name_says_which_declaration_is_meant() -> None:
    report = Asked(FILES).ask("who calls set_up of a shop, e.g. all.shops.shop7.set_up?")
    assert [node.path for node in report.reading.subjects[0].nodes] == ["all/shops/shop7.py"]


def test_a_name_is_no_other_one_than_the_qualified_one_that_it_ends() -> None:
    assert list_names("run of a job, e.g. app.Runner.run")[0] == "app.Runner.run"


def test_the_guess_is_taken_that_fewer_files_declare() -> None:
    report = Asked(FILES).ask("where is the usual time between two visits configured? (PAUSE, USUAL_PAUSE)")
    assert report.claim.startswith("USUAL_PAUSE is declared as 5 at pauses.py:2")


def test_declarations_that_are_not_followed_are_counted_where_a_setting_is_declared() -> None:
    claim = Asked(FILES).ask("where is PAUSE configured?").claim
    assert claim.startswith("PAUSE is declared at pauses.py:1, ")
    assert "and at least 88 more" in claim
