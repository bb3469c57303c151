"""Words that only form a question, and phrases that programs say in other words."""

from __future__ import annotations

import pytest

from repo_mcp.text import question_words
from repo_mcp.text.idioms import find_idioms
from repo_mcp.text.question_words import leave_out_form, list_shared, list_words, names_kind, spell_plural
from tests.counted_calls import count_calls


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Which errors can parsing a date raise?", "parsing a date"),
        ("What exceptions or errors does send throw?", "send"),
        ("Which error is raised when a type is not accepted?", "a type is not accepted?"),
        ("Which errors can arise from a grammar when it is built?", "a grammar when it is built?"),
        ("Which errors can occur?", "occur?"),
        ("Which errors can come up when a type is not accepted?", "a type is not accepted?"),
        ("How are errors raised?", "How are errors raised?"),
        ("which errors", "which errors"),
        ("Which error page is shown?", "Which error page is shown?"),
        ("What exception classes are there", "What exception classes are there"),
        ("which error or panic can a parse cause", "a parse"),
    ],
)
def test_words_that_only_ask_for_errors_are_left_out(question: str, asked: str) -> None:
    assert leave_out_form(question) == asked


@pytest.mark.parametrize(
    ("question", "is_said"),
    [
        ("How does a worker keep the lock of a job alive?", True),
        ("How are links kept alive while idle?", True),
        ("How does the http server do keep-alive?", False),
        ("A dependency seems alive again: what passes?", False),
    ],
)
def test_what_is_kept_alive_is_renewed(question: str, is_said: bool) -> None:
    said = [word for words in find_idioms(question).values() for word in words]
    assert ("renew" in said) is is_said


@pytest.mark.parametrize(
    ("question", "is_said"),
    [
        ("How are results passed on to the next task?", True),
        ("How is a passed on mail recognised?", True),
        ("How are options handed on?", True),
        ("Which flags are passed on the command line?", False),
        ("Which arguments are passed on the stack?", False),
    ],
)
def test_what_is_passed_on_is_forwarded(question: str, is_said: bool) -> None:
    said = [word for words in find_idioms(question).values() for word in words]
    assert ("forward" in said) is is_said


def test_what_is_worked_out_is_computed() -> None:
    assert ("compute", "calculate") in find_idioms("How is the next delay worked out?").values()


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("MODULES", True),
        ("ALL_MODULES", True),
        ("DEFAULT_SHELL_MODULES", False),
        ("DEFAULT_", False),  # of such a name nothing is left
        ("_ALL_", False),
    ],
)
def test_a_constant_is_named_after_a_kind_or_all_of_it(name: str, names: bool) -> None:
    assert names_kind(name, ["module"]) is names
    assert names_kind("POLICIES", ["access", "policy"])


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("module", "modules"),
        ("policy", "policies"),
        ("key", "keys"),
        ("class", "classes"),
        ("index", "indexes"),
        ("batch", "batches"),
    ],
)
def test_regular_plurals(noun: str, plural: str) -> None:
    assert spell_plural(noun) == plural


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How is the change set of a depot computed?", ["change", "set", "depot", "computed"]),
        ("How does the work queue drain?", ["work", "queue", "drain"]),
        ("Who repaints after the change is saved?", ["repaints", "saved"]),
        ("What is the fix for late parcels?", ["late", "parcels"]),
    ],
)
def test_a_word_that_says_nothing_may_begin_a_name(question: str, words: list[str]) -> None:
    assert list_words(question) == words


@pytest.mark.parametrize(
    ("name", "shared"),
    [
        ("validate_rule", ["valid", "validation", "rule", "rules"]),
        ("valid", ["valid", "validation"]),
        ("validatorsOfThings", ["valid", "validation"]),
        ("ruler", ["rule", "rules"]),
        ("rul", []),
        ("invalid", []),
    ],
)
def test_a_name_has_a_word_if_the_shorter_of_two_stems_begins_the_other(name: str, shared: list[str]) -> None:
    assert list_shared(name, ["valid", "validation", "rule", "rules"]) == shared


def test_a_long_text_that_is_asked_for_several_words_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    called = count_calls(monkeypatch, question_words, "_get_terms")
    text = " ".join(f"parcel{one}" for one in range(300))
    for word in ("valid", "parcel7", "depot", "sent"):
        assert list_shared(f"{text} valid", [word]) == ([word] if word in ("valid", "parcel7") else [])
    assert len(called) == 301 + 4
