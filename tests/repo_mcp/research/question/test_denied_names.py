"""A negation in a question gives the likely names of the error for it."""

from __future__ import annotations

import pytest

from repo_mcp.research.question.denied_names import list_denied_names


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("What happens when a parcel isn't labelled?", "NotLabelled"),
        ("What happens when a parcel isn't labelled?", "ParcelNotLabelled"),
        ("What happens to unlabelled parcels?", "NotLabelledError"),
        ("What happens when a parcel can't be labelled yet?", "UnlabelledParcelException"),
        ("What happens when the lane of a parcel is unknown?", "UnknownLane"),
        ("What happens with an unknown lane?", "NoSuchLane"),
        ("What happens when no lane is free?", "ErrNoLane"),
        ("What happens when the sorting lane does not exist?", "SortingLaneNotFoundError"),
        ("What happens when a lane size is missing?", "MissingLaneSize"),
        ("What is raised for an invalid lane size?", "InvalidLaneSize"),
    ],
)
def test_what_is_not_so_gives_the_name_of_an_error(query: str, name: str) -> None:
    assert name in list_denied_names(query)


def test_the_word_that_is_said_comes_before_others() -> None:
    names = list_denied_names("What happens when a lane is missing?")
    assert names.index("MissingLane") < names.index("UnknownLane")
    names = list_denied_names("What happens with an unknown lane?")
    assert names.index("UnknownLane") < names.index("MissingLane")
    names = list_denied_names("What happens when the sorting lane is not labelled?")
    assert names.index("SortingLaneNotLabelled") < names.index("LaneNotLabelled") < names.index("NotLabelled")


def test_what_denies_nothing_gives_no_name() -> None:
    assert list_denied_names("How are parcels sorted until the lane is full?") == []
