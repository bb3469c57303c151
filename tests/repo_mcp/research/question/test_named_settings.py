"""Which option or key a question names, by the words beside it."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.named_settings import list_keys, list_options, read_configuration_key


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("where is the flag quiet declared?", ["quiet"]),
        ("what is the default of the quiet switch?", ["quiet"]),
        ("which variable does the option --max-tries set?", ["max-tries"]),
        ("where are the flags called max.tries and log-level defined?", ["max.tries", "log-level"]),
        ("where is max.tries defined?", ["max.tries"]),
        ("where is tries defined?", []),
        ("how does the flag quiet work?", []),
    ],
)
def test_an_option_is_told_by_dashes_or_dots_or_by_the_word_beside_it(
    question: str, options: list[str]
) -> None:
    assert list_options(question) == options


@pytest.mark.parametrize(
    ("question", "is_place", "keys"),
    [
        ("what does the full feature enable?", False, ["full"]),
        ("where is the cargo feature full set?", True, ["full"]),
        ("where is log-level set?", True, ["log-level"]),
        ("what is log-level set to?", False, []),
        ("the feature full", False, []),
    ],
)
def test_a_key_is_called_so_unless_a_place_is_asked_for(
    question: str, is_place: bool, keys: list[str]
) -> None:
    assert list_keys(question, is_place=is_place) == keys


@pytest.mark.parametrize(
    ("name", "key"),
    [("config.depot.max_size", "max_size"), ("depot.max_size", ""), ("config.depot.size", "")],
)
def test_the_last_part_of_a_key_of_a_configuration_is_its_name(name: str, key: str) -> None:
    assert read_configuration_key(name) == key
