"""Where two of a kind that a question names stand together, one more is added."""

from __future__ import annotations

import pytest

from tests.repo_mcp.research.asking import Asked

PARCELS = """FORMATS = ["plain", "boxed", "padded"]


def wrap_parcel(parcel, style):
    if style == "boxed":
        return parcel.box()
    elif style == "padded":
        return parcel.pad()
    return parcel


def weigh_parcel(parcel, style):
    # boxed and padded parcels weigh more
    weight = parcel.weight
    if style == "boxed":
        weight += 1
    total = weight * 2
    total += parcel.stamp
    total += parcel.seal
    total += parcel.label
    if style == "padded":
        total += 2
    return total
"""


@pytest.fixture(scope="module")
def asked() -> Asked:
    return Asked({"parcels.py": PARCELS})


@pytest.mark.parametrize(
    "words", ["next to boxed and padded", "like `boxed` and `padded`", "besides boxed, and padded"]
)
def test_places_with_both_siblings_are_told_once_for_each_declaration(asked: Asked, words: str) -> None:
    claim = asked.ask(f"Where would I add another style of wrapping, {words}?").claim
    assert claim.endswith(
        " boxed and padded stand together in parcels.FORMATS (parcels.py:1) and parcels.wrap_parcel"
        " (parcels.py:5)."
    )


def test_nothing_is_said_of_siblings_that_are_not_named(asked: Asked) -> None:
    assert "together" not in asked.ask("Where would I add another style of wrapping?").claim
    assert (
        "together" not in asked.ask("Where would I add a style of wrapping, next to rolled and tied?").claim
    )
