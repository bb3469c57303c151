"""What makes an error that a question describes by a negation leads, or comes behind the best declaration."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked, list_found

ERRORS = '''class NotLabelled(Exception):
    """Nobody stuck a label on it."""


class NoSuchLane(Exception):
    pass
'''
BELT = '''from errors import NotLabelled, NoSuchLane


def shut_down(belt):
    """Shut the belt down when it receives the last labelled parcel."""
    if belt.receives(labelled=True):
        belt.parcel.stop()
    for parcel in belt:
        parcel.receive()
        parcel.labelled = belt.labelled(parcel)
    return belt


def list_labelled(belt):
    """List what the belt receives, each parcel that is labelled."""
    return [parcel for parcel in belt.parcels if parcel.labelled]


def set_aside(parcel, shelf):
    shelf.put(parcel)
    shelf.tell(NotLabelled(parcel))
    return shelf


def find_lane(lanes, name):
    if name not in lanes:
        raise NoSuchLane(name)
    return lanes[name]
'''
QUESTION = "What happens when the belt receives a parcel that isn't labelled?"


def list_of(question: str, belt: str = BELT) -> list[str]:
    return list_found(Asked({"errors.py": ERRORS, "belt.py": belt}).ask(question))


def test_it_leads_where_it_is_asked_what_happens() -> None:
    named = BELT.replace("set_aside", "set_parcel_aside")
    assert list_of(QUESTION, named)[0] == "belt.set_parcel_aside"
    assert list_of(QUESTION.replace("isn't", "is"), named)[0] != "belt.set_parcel_aside"


def test_it_comes_behind_the_best_one_for_other_questions() -> None:
    found = list_of("How does the belt treat a parcel that is not labelled?")
    assert found[0] != "belt.set_aside"
    assert found[1] == "belt.set_aside"


@pytest.mark.parametrize("said", ["a lane is unknown", "a lane does not exist", "no such lane is there"])
def test_what_is_not_there_has_several_names(said: str) -> None:
    assert list_of(f"What happens when {said}?")[0] == "belt.find_lane"


def test_an_error_that_many_make_tells_nothing() -> None:
    making = "".join(f"\n\ndef check_{at}(box):\n    raise NotLabelled(box)\n" for at in range(4))
    assert list_of(QUESTION, BELT + making)[0] == list_of(QUESTION.replace("isn't", "is"), BELT + making)[0]
