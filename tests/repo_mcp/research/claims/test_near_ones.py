"""Tests of what an opening names beside the best declaration: what has to do with it, and nothing else."""

from __future__ import annotations

import pytest

from repo_mcp.research.findings.citing import join_by_file, join_places
from tests.growth import assert_linear
from tests.repo_mcp.research.asking import Asked

STORE = """def store_parcel(parcel, shelf):
    if parcel.weight > shelf.room:
        raise ShelfFull("the parcel does not fit on the shelf")
    shelf.parcels.append(parcel)


class ShelfFull(Exception):
    pass
"""
OTHERS = {f"other_{at}.py": f"def other_{at}(value):\n    return value + {at}\n" for at in range(12)}
SHELVES = {
    "store.py": STORE,
    "stock.py": "class Stock:\n    @property\n    def sorted_shelves(self):\n        return self.all\n",
    "labels.py": "def has_label(value):\n    return value is not None\n",
    **OTHERS,
}
ASKED = "What happens when a parcel does not fit on the shelf?"


def test_a_guess_that_nothing_connects_with_the_best_one_is_not_named() -> None:
    claim = Asked(SHELVES).ask(f"{ASKED} (store_parcel, sorted_shelves, has_label)").claim
    assert claim.startswith("store.store_parcel (store.py:1-4) fits the question best.")
    assert "sorted_shelves" not in claim
    assert "has_label" not in claim


def test_a_type_is_made_and_not_called() -> None:
    claim = Asked(SHELVES).ask(f"{ASKED} (store_parcel, ShelfFull)").claim
    assert "It makes store.ShelfFull (store.py:7-8)." in claim


def test_a_guessed_function_that_says_more_of_the_question_is_named() -> None:
    fits = "def find_room(parcel, shelf):\n    return shelf.room - parcel.weight\n"
    claim = Asked({**SHELVES, "rooms.py": fits}).ask(f"{ASKED} (store_parcel, find_room)").claim
    assert "See also rooms.find_room (rooms.py:1-2)." in claim


def test_a_long_statement_is_cut_behind_a_word() -> None:
    said = "the parcel does not fit on the shelf, which has room for a smaller one only, or for none at all"
    text = STORE.replace("the parcel does not fit on the shelf", said)
    claim = Asked({**SHELVES, "store.py": text}).ask(f"{ASKED} (store_parcel)").claim
    assert 'on the shelf, which has room for a smaller one …")`' in claim


def test_names_of_one_file_share_its_path() -> None:
    names = ["open_box (box.py:1-2)", "close_box (box.py:4)", "load (van.py:1-9)", "sort (box.py:6-8)"]
    assert join_places(names[:3]) == "open_box (box.py:1-2), close_box (:4) and load (van.py:1-9)"
    assert join_places(names[1:]) == "close_box (box.py:4), load (van.py:1-9) and sort (box.py:6-8)"


def test_what_looks_like_a_place_in_quoted_code_stays_as_it_is() -> None:
    names = ["`late = (paid?a:1)` (box.c:3)", "`lost = (paid?a:1)` (box.c:4)"]
    assert join_places(names) == "`late = (paid?a:1)` (box.c:3) and `lost = (paid?a:1)` (:4)"


@pytest.mark.parametrize("piece", ["`", '"', " (", "` (", " (a", '`a" (b:'])
def test_the_place_behind_a_name_is_found_in_linear_time(piece: str) -> None:
    assert_linear(lambda size: [piece * size] * 2, join_by_file, 10_000)
