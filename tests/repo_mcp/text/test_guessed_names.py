"""Names that a question guesses, in round brackets at its end."""

from __future__ import annotations

import pytest

from repo_mcp.text.guessed_names import MOST_GUESSES, split_guesses

ASKED = "How does it resume after a restart?"


@pytest.mark.parametrize(
    ("written", "guesses"),
    [
        ("(restore_state, load)", ("restore_state", "load")),
        ("(health check; `close`, load())", ("health check", "close", "load")),
        ("(load, load,)", ("load",)),
        ("(load) ", ("load",)),
        ("(load)?", ("load",)),
        ("(load_parcels(depot, folder), Map<String, List<T>>)", ("load_parcels", "Map")),
        ("(`load`, **save**, 404, ...)", ("load", "save")),
        ("(obj-$(CONFIG_FAST), Kconfig)", ("obj-CONFIG_FAST", "Kconfig")),
        ("config restore_state load_all", ("config", "restore_state", "load_all")),
        ("calls_64.tbl, restore_state()", ("calls_64.tbl", "restore_state")),
        ("(std::move, a.b, self.run!, empty?)", ("std::move", "a.b", "self.run!", "empty?")),
    ],
)
def test_names_in_brackets_behind_a_question(written: str, guesses: tuple[str, ...]) -> None:
    assert split_guesses(f"{ASKED} {written}") == (ASKED, guesses)


@pytest.mark.parametrize(
    "query",
    [
        ASKED,
        f"{ASKED} ()",
        f"{ASKED} (see #123)",
        f"{ASKED} (e.g. http)",
        f"{ASKED} (#123, 404)",
        f"{ASKED} (func (s *Service) Run(ctx context.Context) error)",
        f"{ASKED} ((load))",
        f"{ASKED} I use restore_state",
        "How is it sent over a socket (TCP)?",
        f"{ASKED} (after the machine was switched off)",
        "How does load (the first one) work?",
        "what calls authenticate()",
        "what calls authenticate(name)",
        "authenticate (name)",
        "",
    ],
)
def test_any_other_brackets_belong_to_the_question(query: str) -> None:
    assert split_guesses(query) == (query, ())


def test_names_that_no_sentence_has_are_guesses_before_the_question_mark() -> None:
    assert split_guesses("How does it resume (restore_state)?") == ("How does it resume", ("restore_state",))


def test_a_question_has_only_so_many() -> None:
    names = [f"name_{number}" for number in range(MOST_GUESSES + 3)]
    assert split_guesses(f"{ASKED} ({', '.join(names)})") == (ASKED, tuple(names[:MOST_GUESSES]))
