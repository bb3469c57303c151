"""Interfaces, enumerations and errors of guessed names are shown if the best declarations name them."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

ROUTES = '''from lanes import Lane, Refused


def route_parcel(parcel, lanes):
    """Route a parcel to a lane of the depot."""
    for lane in lanes:
        if lane.takes(parcel.weight):
            return lane
    raise Refused(3)


def route_all(parcels, lanes):
    """Route all parcels of the depot to their lanes."""
    return [route_parcel(parcel, lanes) for parcel in parcels]


def list_routed(parcels):
    """List the parcels that are routed to a lane of the depot."""
    return [parcel for parcel in parcels if parcel.lane]


def count_routed(parcels):
    """Count the parcels that are routed to a lane of the depot."""
    return len(list_routed(parcels))
'''
LANES = '''class Refused(Exception):
    """Nothing takes it."""

    def __init__(self, code):
        self.code = code


class Missing(Exception):
    """Nobody is there."""

    def __init__(self, code):
        self.code = code


class Lane:
    def takes(self, weight):
        return weight < self.limit
'''
QUESTION = "How is a parcel routed to a lane of the depot?"


@pytest.mark.parametrize(
    ("guess", "comment", "is_told"),
    [("Refused", "Nothing takes it.", True), ("Missing", "Nobody is there.", False)],
)
def test_a_guessed_error_is_shown_with_its_base_and_its_comment_if_it_is_raised(
    guess: str, comment: str, is_told: bool
) -> None:
    report = Asked({"routes.py": ROUTES, "lanes.py": LANES}).ask(f"{QUESTION} ({guess})")
    assert report.findings[0].symbol == "routes.route_parcel"
    told = [one.excerpt for one in report.findings if comment in one.excerpt]
    assert bool(told) is is_told
    assert all(f"class {guess}(Exception):" in one for one in told)


def test_a_function_that_only_tests_for_the_type_does_not_stand_for_it() -> None:
    asks = "\n    def is_parcel_routed(self):\n        return self.code\n"
    lanes = LANES.replace("        self.code = code\n", f"        self.code = code\n{asks}", 1)
    report = Asked({"routes.py": ROUTES, "lanes.py": lanes}).ask(f"{QUESTION} (Refused)")
    assert report.findings[0].name == "is_parcel_routed"
    assert any("Nothing takes it." in one.excerpt for one in report.findings)
