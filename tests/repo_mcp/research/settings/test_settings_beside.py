"""A setting is told with what its type declares about it, and is a member of settings if one is guessed."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

SETTINGS = """struct Settings {
    bool drop_limit_enabled = false;
    bool drop_limits = false;
    double drop_limit = 2.0;
    int other = 3;
};
"""
CLIENT = """struct Row {
    double parcel_drop_limit = {};
};
"""
QUESTION = "where is the parcel drop limit configured at which a full depot stops, and what is its default?"


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked({"depot/settings.h": SETTINGS, "client/row.h": CLIENT})


def test_a_setting_comes_with_its_default_and_what_switches_it_on(asked: Asked) -> None:
    claim = asked.ask("where is drop_limit configured, and what is its default?").claim
    assert "`double drop_limit = 2.0`" in claim
    assert claim.endswith(" Beside it stands `bool drop_limit_enabled = false` (depot/settings.h:2).")


def test_several_settings_stand_beside_one() -> None:
    several = SETTINGS.replace("int other", "int drop_limit_mode")
    claim = Asked({"depot/settings.h": several}).ask("where is drop_limit configured?").claim
    assert " Beside it stand `bool drop_limit_enabled = false`" in claim


def test_a_clause_behind_what_is_configured_says_only_which_is_meant(asked: Asked) -> None:
    report = asked.ask(QUESTION)
    assert report.reading.form == "configured"
    assert not report.parts


def test_a_guess_with_words_of_the_phrase_is_the_setting_if_a_type_of_settings_has_it(asked: Asked) -> None:
    assert asked.ask(f"{QUESTION} (drop_limit)").claim.startswith(
        "drop_limit is declared at depot/settings.h:4."
    )
    own = asked.ask(QUESTION).reading.subjects[0]
    assert [node.symbol.name for node in own.nodes] == ["parcel_drop_limit"]
    assert asked.ask(f"{QUESTION} (other)").reading.subjects[0].nodes == own.nodes
