"""Questions in other sentences than those of the grammar."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.records import Form
from repo_mcp.research.question.additions import read_addition
from repo_mcp.research.question.grammar import parse_question
from repo_mcp.research.question.named_forms import find_only_name, read_named_form
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("query", "form", "names"),
    [
        ("Which functions in the mail room call sort_parcel?", Form.CALLERS, ("sort_parcel",)),
        ("every spot in the app that calls Sorter.add()", Form.CALLERS, ("Sorter.add",)),
        ("from which places does `sort` get called during a build", Form.CALLERS, ("sort",)),
        ("is Sorter.add safe to remove?", Form.DEPENDENTS, ("Sorter.add",)),
        ("I want Sorter.add to return a tuple. What stops compiling?", Form.DEPENDENTS, ("Sorter.add",)),
        ("suppose `add` in class Sorter is dropped: who suffers?", Form.DEPENDENTS, ("Sorter.add",)),
        ("who would notice when the add_parcel helper gets removed", Form.DEPENDENTS, ("add_parcel",)),
        ("can `sort()` throw if the box is empty", Form.ERRORS, ("sort",)),
        ("what does Sorter.add raise when the box is empty", Form.ERRORS, ("Sorter.add",)),
        ("enumerate anything that implements Sorter, also in tests", Form.IMPLEMENTATIONS, ("Sorter",)),
        ("the type hierarchy of ParcelSorter", Form.IMPLEMENTATIONS, ("ParcelSorter",)),
        ("what code looks at maxParcels at runtime", Form.CONFIGURED, ("maxParcels",)),
        ("distinction between addOne and upsertOne?", Form.DIFFERENCE, ("addOne", "upsertOne")),
        ("in what way is SoftBox not the same as WeakBox", Form.DIFFERENCE, ("SoftBox", "WeakBox")),
    ],
)  # fmt: skip
def test_the_words_around_a_name_tell_what_is_asked(query: str, form: Form, names: tuple[str, ...]) -> None:
    assert read_named_form(query) == (form, names)
    first = parse_question(query)[0]
    assert (first.form, tuple(one.text for one in first.phrases)) == (form, names)


@pytest.mark.parametrize(
    "query",
    [
        "How does Sorter.add handle errors?",
        "Why is sort_parcel called twice?",
        "What happens when sort_parcel fails?",
        "Who uses sort_parcel, and what would break if it stopped removing labels?",
        "what goes on if a <parcelMap> extends another one",
        "which errors are there in sorter.py",
        "I want to change how sort_parcel picks a box",
        "____ is used",
        f"who calls sort_parcel {'very ' * 60}often",
    ],
)
def test_how_and_why_are_no_questions_about_a_name(query: str) -> None:
    assert read_named_form(query) is None


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("add a parcel sorter to the depot: which method must it define?", "parcel sorter"),
        ("What's the way to support a non-standard parcel size like XXL?", "non-standard parcel size"),
        ("is it possible to supply another router in place of the default? how", "router"),
        ("writing my first sorter - what do I implement?", "sorter"),
        ("how can I attach a listener at runtime, after the depot exists?", "listener"),
        ("where do additional label drivers get registered?", "label drivers"),
        ("How does registering another sorter change the order?", ""),
        ("What happens when I add a sorter?", ""),
        ("Why can I add a sorter twice?", ""),
        ("the sorter adds a label", ""),
        ("What must change to add a new value for when the queue is full?", ""),
        ("Which parts reuse what is in the pool instead of creating new ones every time?", ""),
    ],
)
def test_what_is_to_be_added_is_read_from_any_sentence(query: str, kind: str) -> None:
    assert read_addition(query) == kind
    assert (parse_question(query)[0].form is Form.EXTENSION) is bool(kind)


def test_something_added_to_a_name_may_be_a_question_of_what_breaks() -> None:
    asked = parse_question(
        "I'm about to add a required field to the ParcelState interface, what is affected?"
    )
    assert (asked[0].form, asked[0].phrases[0].text) == (Form.DEPENDENTS, "ParcelState")


@pytest.mark.parametrize(
    ("text", "name"),
    [("Sorter.add for a box", "Sorter.add"), ("a box", ""), ("sort_a or sort_b", ""), ("sorter.py", "")],
)
def test_the_only_name_of_a_text(text: str, name: str) -> None:
    assert find_only_name(text) == name


def test_the_only_name_is_looked_for_in_linear_time() -> None:
    assert_linear(lambda size: "$" * size, find_only_name, 1_000)


def test_a_clause_on_what_is_decided_is_no_subject_of_a_verb_behind_it() -> None:
    query = "How is it decided whether the old label is printed again or the stored one is used?"
    assert [one.form for one in parse_question(query)] == [Form.OPEN]
    assert parse_question("How is the old label used?")[0].form is Form.DEPENDENTS
