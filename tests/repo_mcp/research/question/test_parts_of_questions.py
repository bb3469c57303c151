"""How a question is split into parts, and what a pronoun in a later part stands for."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.parts import MAX_CHARS, MOST_PARTS, split_question
from repo_mcp.research.question.topics import Topic, find_topic, refer_back
from tests.growth import assert_linear

SPLIT = """
How is a parcel stored, and when is it forgotten? | How is a parcel stored | when is it forgotten
What happens when a job fails, and how often is it tried again? | What happens when a job fails | how often is it tried again
How is a lock taken? Who frees it? | How is a lock taken | Who frees it
where do parcels enter and where do they leave | where do parcels enter | where do they leave
After a redirect, when does a POST become a GET, and when are cookies removed? | After a redirect, when does a POST become a GET | when are cookies removed
a program floods my link; which part of the picture is dropped, and when is it painted? | a program floods my link; which part of the picture is dropped | when is it painted
Explain how parcels are kept and when they are forgotten. | Explain how parcels are kept | when they are forgotten
How much does grow allocate, and does it ever shrink? | How much does grow allocate | does it ever shrink
Does the pile slim down, and when does it swell? | Does the pile slim down | when does it swell
What decides that a retry is due, and what limits the number? | What decides that a retry is due | what limits the number
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
I have a parcel. Where is it kept?
What is the difference between an open and a closed pipe?
What does "who calls it, and when is it called" mean?
Where is `if (a and b) return how is it` used?
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
    many = ", and ".join(f"how is the parcel{number} kept" for number in range(5))
    assert len(split_question(many)) == MOST_PARTS
    assert split_question(many)[-1].startswith("how is the parcel2 kept, and how is")


@pytest.mark.parametrize(
    ("first", "part", "asked"),
    [
        ("How is a parcel stored", "when is it forgotten", "when is a parcel forgotten"),
        ("What happens when a job fails", "how often is it tried again", "how often is a job tried again"),
        ("How does a client keep a token", "when is it renewed", "when is a token renewed (client)"),
        ("How does a client keep tokens", "how does it renew them", "how does a client renew them (tokens)"),
        ("Which errors can parsing a date raise", "who catches them", "who catches errors (date)"),
        ("How are idle links closed by the keeper", "when are they reused", "when are idle links reused"),
        ("How do I add a custom lookup", "where is it registered", "where is a custom lookup registered"),
        ("How is a parcel stored", "what is its size", "what is a parcel's size"),
        ("How is a parcel stored", "when is a van loaded by the crane", "when is a van loaded by the crane"),
        ("How does the pool hand out links", "what happens when none is free",
         "what happens when none is free for the pool"),
        ("Explain how parcels are kept", "when they are forgotten", "when parcels are forgotten"),
        ("How does the receiver avoid taking too much", "when does it stop", "when does the receiver stop"),
        ("A body arrives in pieces. How is it joined", "when is it refused", "when is A body refused"),
        ("Who calls Hook.fail", "what happens when it raises", "what happens when Hook.fail raises"),
        ("How does the router decide", "how does the header get its methods",
         "how does the header get its methods for the router"),
        ("Who calls saveParcel", "where is timeout configured", "where is timeout configured"),
        ("How are parcels kept", "where is timeout configured", "where is timeout configured"),
        ("Who calls saveParcel", "where is expiry handled", "where is expiry handled"),
        ("What is a parcel", "what's a van", "what's a van"),
        ("How is MOST_TRIES read", "when is LEAST_TRIES read", "when is LEAST_TRIES read"),
    ],
)  # fmt: skip
def test_a_pronoun_stands_for_what_the_part_before_is_about(first: str, part: str, asked: str) -> None:
    assert refer_back(part, find_topic(first)) == asked


@pytest.mark.parametrize(
    ("part", "asked"),
    [
        ("who calls it", "who calls store.Store.save"),
        ("where is it used", "where is store.Store.save used"),
        ("when is it created", "when is a parcel created"),
        ("what happens when it is removed", "what happens when a parcel is removed"),
    ],
)
def test_only_callers_and_users_are_asked_of_the_function_that_answers(part: str, asked: str) -> None:
    assert refer_back(part, Topic("a parcel", name="store.Store.save")) == asked


def test_for_want_of_a_topic_a_pronoun_stands_for_the_words_before() -> None:
    assert refer_back("how is it bounded", Topic(words="delay repeated errors")) == (
        "how is it bounded (delay repeated errors)"
    )
    assert refer_back("how is it bounded", Topic()) == "how is it bounded"


def test_long_questions_take_time_in_proportion() -> None:
    assert_linear(lambda size: "how is the " * size, split_question, 12, factor=4)
