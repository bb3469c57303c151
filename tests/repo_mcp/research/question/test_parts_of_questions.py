"""How a question is split into parts, and what a pronoun in a later part stands for."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.parts import MAX_CHARS, MOST_PARTS, split_question
from repo_mcp.research.question.pronouns import refer_back
from tests.growth import assert_linear

SPLIT = """
How is a parcel stored, and who calls save_parcel? | How is a parcel stored | who calls save_parcel
What happens when a job fails, and where is MAX_TRIES configured? | What happens when a job fails | where is MAX_TRIES configured
How is a lock taken? Who calls free_lock? | How is a lock taken | Who calls free_lock
who calls enter_pile and where is leave_pile used | who calls enter_pile | where is leave_pile used
After a redirect, when does a POST become a GET, and who calls drop_cookies? | After a redirect, when does a POST become a GET | who calls drop_cookies
a program floods my link; which part of the picture is dropped, and who calls paint_part? | a program floods my link; which part of the picture is dropped | who calls paint_part
Explain who calls keep_parcel and when they are forgotten. | Explain who calls keep_parcel | when they are forgotten
Who calls grow_pile, and does it ever shrink? | Who calls grow_pile | does it ever shrink
Does the pile slim down, and who calls grow_pile? | Does the pile slim down | who calls grow_pile
Where are jobs dropped when the pile is full, and where is it configured how many may wait? | Where are jobs dropped when the pile is full | where is it configured how many may wait
How is a template found? How does the detector notice a renamed field? | How is a template found | How does the detector notice a renamed field
"""  # noqa: E501
WHOLE = """
How does the parser know when a block ends and where it begins?
When everything is down, what stops clients from asking again?
How does the server, which is started by main, stop?
When and how is the cache filled?
how does it work and why
somebody never gave it back: who warns about it, and when?
where is max_retries configured, what is its default, and where is it enforced?
Who calls Hook.fail, and what does it do with the transaction?
what is Parcel and what does it do
Which errors can reading a label raise, and when does it fail?
I have a parcel. Where is it kept?
What is the difference between an open and a closed pipe?
What does "who calls it, and when is it called" mean?
Where is `if (a and b) return how is it` used?
How is a parcel stored, and when is it forgotten?
How is a lock taken? Who frees it?
How does a shop choose a language, and where is the default set?
How is a lock taken? When is the lock freed?
How much does grow allocate, and does it ever shrink?
What decides that a retry is due, and what limits the number?
How do jobs differ from tasks, and how does a task get to somebody else?
How long does it wait at the end, where is that set, and when does it stop?
"""


@pytest.mark.parametrize("row", SPLIT.strip().split("\n"))
def test_a_question_is_split_where_another_one_begins(row: str) -> None:
    question, *parts = row.split(" | ")
    assert split_question(question) == tuple(parts)


@pytest.mark.parametrize("question", WHOLE.strip().split("\n"))
def test_a_clause_without_a_question_of_its_own_stays(question: str) -> None:
    assert split_question(question) == (question,)


def test_pasted_text_and_long_questions_stay_whole() -> None:
    long = f"How is a parcel {'x' * MAX_CHARS} kept, and when is it lost?"
    for text in ("How is a parcel kept?\nWhen is it lost?", long):
        assert split_question(text) == (text,)


def test_a_part_that_repeats_the_one_before_is_left_out() -> None:
    assert split_question("Where is save? Where is save?") == ("Where is save",)
    assert split_question("How is it kept, and who calls save, and Who calls save?") == (
        "How is it kept",
        "who calls save",
    )


def test_a_question_has_few_parts() -> None:
    many = ", and ".join(f"who calls keep_{number}" for number in range(5))
    assert len(split_question(many)) == MOST_PARTS
    assert split_question(many)[-1].startswith("who calls keep_2, and who calls")


@pytest.mark.parametrize(
    ("part", "asked"),
    [
        ("what happens when it raises", "what happens when Hook.fail raises"),
        ("when are they reused", "when are Hook.fail reused"),
        ("who calls it", "who calls Hook.fail"),
        ("what is its size", "what is its size"),
        ("when is a van loaded by the crane", "when is a van loaded by the crane"),
    ],
)
def test_a_pronoun_stands_for_the_declared_name_before(part: str, asked: str) -> None:
    assert refer_back(part, "Hook.fail", "store.Store.save") == asked


@pytest.mark.parametrize(
    ("part", "asked"),
    [
        ("who calls it", "who calls store.Store.save"),
        ("where is it used", "where is store.Store.save used"),
        ("when is it created", "when is it created"),
        ("how is it bounded", "how is it bounded"),
    ],
)
def test_without_a_name_only_callers_and_users_are_asked_of_what_fits_best(part: str, asked: str) -> None:
    assert refer_back(part, "", "store.Store.save") == asked
    assert refer_back(part, "", "") == part


def test_long_questions_take_time_in_proportion() -> None:
    assert_linear(lambda size: "how is the " * size, split_question, 12, factor=4)
